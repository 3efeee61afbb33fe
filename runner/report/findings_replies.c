/* What must not be concluded where replies did not come, or were others than the checked ones. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quality.h"
#include "report/findings_parts.h"

/* Trials of a target in one workload that have a flag. */
struct flagged {
    size_t trials, all;
    int levels[64];
    size_t level_count;
    int64_t most; /* connections that were silent in one of them */
    int of;       /* so many there */
    int64_t bytes, requests;
    int64_t reply_bytes; /* of a checked reply, in the last of them */
};

static void add_trial(struct flagged *f, const struct trial_record *r) {
    f->trials++;
    if (r->load.silent > f->most) {
        f->most = r->load.silent;
        f->of = r->connections;
    }
    f->bytes += r->load.bytes;
    f->requests += r->load.requests;
    f->reply_bytes = r->reply_bytes;
}

static struct flagged look(const struct cells *c, const char *workload, size_t target,
                           enum quality_id id) {
    struct flagged f = {.trials = 0};
    char word[64];
    snprintf(word, sizeof word, "%s-%s", quality_check(id)->name, quality_level_name(QUALITY_WARN));
    for (size_t l = 0; l < c->level_count; l++) {
        const struct cell *cell = cells_find(c, target, workload, c->levels[l]);
        const size_t before = f.trials;
        for (size_t i = 0; cell && i < c->rounds; i++) {
            const struct trial_record *r = cell->trial[i];
            f.all += r != NULL;
            /* One that failed is told of by its failure. */
            if (r && r->status == TRIAL_OK && record_has_flag(r, word)) {
                add_trial(&f, r);
            }
        }
        if (f.trials > before && f.level_count < sizeof f.levels / sizeof f.levels[0]) {
            f.levels[f.level_count++] = c->levels[l];
        }
    }
    return f;
}

static void put_where(struct maker *m, const struct flagged *f) {
    fprintf(m->say.f, "in %zu of %zu trials, at ", f->trials, f->all);
    maker_levels(m->say.f, f->levels, f->level_count);
}

static void say_silent(struct maker *m, const char *workload, size_t target) {
    const struct flagged f = look(m->v->cells, workload, target, QUALITY_SILENT);
    if (f.trials == 0 || !maker_begin(m)) {
        return;
    }
    fprintf(m->say.f, "%s: connections of %s hung ", workload, m->v->cells->targets[target].name);
    put_where(m, &f);
    fprintf(m->say.f,
            ": they received no reply in the last half of the window (at the most %" PRId64
            " of %d). A reply that never comes is in no latency and in no error, and its "
            "connection does no work: throughput and latencies are those of the others.",
            f.most, f.of);
    maker_caution(m);
}

static void say_size(struct maker *m, const char *workload, size_t target) {
    const struct flagged f = look(m->v->cells, workload, target, QUALITY_REPLY_SIZE);
    if (f.trials == 0 || f.requests <= 0 || !maker_begin(m)) {
        return;
    }
    fprintf(m->say.f, "%s: not all replies of %s were as long as those that were checked ",
            workload, m->v->cells->targets[target].name);
    put_where(m, &f);
    fprintf(m->say.f,
            ": %.2f bytes a reply came in there, head and body, and the checked ones have %" PRId64
            ". Some heads or bodies were others, as a redirect's would be: what they cost is not "
            "the work's cost, unless their heads merely differ in length.",
            (double)f.bytes / (double)f.requests, f.reply_bytes);
    maker_caution(m);
}

void findings_say_replies(struct maker *m) {
    const struct cells *c = m->v->cells;
    for (size_t w = 0; w < c->workload_count; w++) {
        for (size_t t = 0; t < c->target_count; t++) {
            say_silent(m, c->workloads[w], t);
            say_size(m, c->workloads[w], t);
        }
    }
}
