#include "report/cells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/cells_parts.h"
#include "store/counts.h"

/* A plan of more rounds would take months; a damaged file may say anything. */
#define ROUNDS_MAX 100000
#define SLOTS_MAX  ((size_t)20 * 1000 * 1000)

double cell_value(const struct cell *c, size_t round, enum figure_id id) {
    const struct trial_record *r = c->trial[round];
    return r && r->status == TRIAL_OK ? figure_value(r, id) : NAN;
}

static int cells_make(struct cells *c, const struct store *s, struct err *e) {
    int64_t planned = manifest_int(s->manifest, "plan.rounds");
    c->rounds = planned > 0 && planned <= ROUNDS_MAX ? (size_t)planned : 0;
    for (size_t i = 0; i < s->count; i++) {
        int round = s->records[i].round;
        if (round >= ROUNDS_MAX) {
            return err_set(e, ERR_USAGE,
                           "%s/trials.jsonl:%zu: round %d is out of range; " STORE_LINE_REMEDY,
                           s->dir, i + 1, round);
        }
        c->rounds = (size_t)round + 1 > c->rounds ? (size_t)round + 1 : c->rounds;
    }
    if (s->count * c->rounds > SLOTS_MAX && c->count * c->rounds > SLOTS_MAX) {
        return err_set(e, ERR_USAGE,
                       "%s: %zu cells of %zu rounds are more than can be reported; " STORE_REMEDY,
                       s->dir, c->count, c->rounds);
    }
    for (size_t i = 0; i < c->count; i++) {
        c->cell[i].trial = calloc(c->rounds + 1, sizeof(void *));
        if (!c->cell[i].trial) {
            return err_set(e, ERR_MACHINE, "out of memory for the cells of %s", s->dir);
        }
        c->cell[i].planned = (int)c->rounds;
    }
    return 0;
}

static struct cell *cells_of(const struct cells *c, const struct trial_record *r) {
    size_t target = 0;
    while (target < c->target_count && strcmp(c->targets[target].name, r->target) != 0) {
        target++;
    }
    return (struct cell *)cells_find(c, target, r->workload, r->connections);
}

static int compare_blocks(const struct trial_record *a, const struct trial_record *b) {
    if (a->round != b->round) {
        return a->round < b->round ? -1 : 1;
    }
    if (a->connections != b->connections) {
        return a->connections < b->connections ? -1 : 1;
    }
    return strcmp(a->workload, b->workload);
}

static int compare_attempts(const void *a, const void *b) {
    const struct trial_record *x = *(const struct trial_record *const *)a;
    const struct trial_record *y = *(const struct trial_record *const *)b;
    int order = compare_blocks(x, y);
    return order ? order : (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

/* Of one block's records, sorted by attempt: the last attempt in which as many targets took part as
 * in any. A repetition that was cut off counts for nothing. */
static int choose_attempt(const struct trial_record *const *r, size_t n) {
    size_t best = 0;
    int chosen = 0;
    for (size_t i = 0; i < n;) {
        size_t j = i;
        while (j < n && r[j]->attempt == r[i]->attempt) {
            j++;
        }
        if (j - i >= best) {
            best = j - i;
            chosen = r[i]->attempt;
        }
        i = j;
    }
    return chosen;
}

static int cells_place(struct cells *c, const struct store *s, struct err *e) {
    const struct trial_record **sorted = calloc(s->count + 1, sizeof(void *));
    if (!sorted) {
        return err_set(e, ERR_MACHINE, "out of memory for the cells of %s", s->dir);
    }
    for (size_t i = 0; i < s->count; i++) {
        sorted[i] = &s->records[i];
    }
    qsort(sorted, s->count, sizeof(void *), compare_attempts);
    for (size_t i = 0; i < s->count;) {
        size_t j = i;
        while (j < s->count && compare_blocks(sorted[i], sorted[j]) == 0) {
            j++;
        }
        int attempt = choose_attempt(sorted + i, j - i);
        c->repeated += attempt > 0;
        for (; i < j; i++) {
            struct cell *cell = cells_of(c, sorted[i]);
            if (sorted[i]->attempt == attempt && cell) {
                cell->trial[sorted[i]->round] = sorted[i];
            }
        }
    }
    free(sorted);
    return 0;
}

/* Sums what is known; stays -1 when nothing is. */
static void add_known(int64_t *sum, int64_t v) {
    if (v >= 0) {
        *sum = (*sum < 0 ? 0 : *sum) + v;
    }
}

static void cell_count(struct cell *c, size_t rounds) {
    c->requests = c->errors = c->processes = UNKNOWN_INT;
    c->memory_kind = "";
    for (size_t k = 0; k < CELL_ERRORS; k++) {
        c->errors_by[k] = UNKNOWN_INT;
    }
    for (size_t i = 0; i < rounds; i++) {
        const struct trial_record *r = c->trial[i];
        if (!r) {
            continue;
        }
        const int64_t kinds[CELL_ERRORS] = {r->load.errors_connect, r->load.errors_read,
                                            r->load.errors_write, r->load.errors_timeout,
                                            r->load.errors_status};
        if (r->status == TRIAL_OK) {
            const char *kind = figure_memory_kind(r);
            c->processes = r->server.processes > c->processes ? r->server.processes : c->processes;
            if (!*c->memory_kind || (*kind && strcmp(kind, c->memory_kind) != 0)) {
                c->memory_kind = *c->memory_kind ? "mixed" : kind;
            }
        }
        c->measured++;
        c->failed += r->status != TRIAL_OK;
        add_known(&c->requests, r->load.requests);
        for (size_t k = 0; k < CELL_ERRORS; k++) {
            add_known(&c->errors_by[k], kinds[k]);
            add_known(&c->errors, kinds[k]);
        }
    }
}

static const char *cell_mode(const struct cell *c, size_t rounds) {
    for (size_t i = 0; i < rounds; i++) {
        if (c->trial[i]) {
            return c->trial[i]->mode;
        }
    }
    return "";
}

static bool is_latency(enum figure_id id) {
    return figure_info(id)->kind == UNIT_LATENCY_US && id != FIG_DURATION;
}

int cell_failed_by(const struct cell *c, size_t rounds, enum trial_failure failure) {
    int n = 0;
    for (size_t i = 0; i < rounds; i++) {
        n += c->trial[i] && c->trial[i]->status != TRIAL_OK && c->trial[i]->failure == failure;
    }
    return n;
}

/* "every trial failed: refused 3, timeout 1" */
static void all_failed_text(const struct cell *c, size_t rounds, char *out, size_t size) {
    const char *sep = ": ";
    size_t used = (size_t)snprintf(out, size, "every trial failed");
    for (int kind = FAIL_NONE + 1; kind <= FAIL_OTHER && used < size; kind++) {
        const int n = cell_failed_by(c, rounds, (enum trial_failure)kind);
        if (n > 0) {
            used += (size_t)snprintf(out + used, size - used, "%s%s %d", sep,
                                     record_failure_name((enum trial_failure)kind), n);
            sep = ", ";
        }
    }
}

static void figure_why_missing(const struct cell *c, size_t rounds, enum figure_id id, char *out,
                               size_t size) {
    const char *mode = cell_mode(c, rounds);
    if (c->measured == 0) {
        snprintf(out, size, "not measured");
    } else if (c->failed == c->measured) {
        all_failed_text(c, rounds, out, size);
    } else if (is_latency(id) && strstr(mode, "pipeline=")) {
        snprintf(out, size, "a pipelined latency would be that of a whole batch");
    } else if (figure_info(id)->corrected && strstr(mode, "requests=")) {
        snprintf(out, size, "not corrected where requests are counted");
    } else {
        snprintf(out, size, "not recorded");
    }
}

static void cell_figure(struct cell *c, size_t rounds, enum figure_id id, double *work,
                        uint64_t *totals) {
    struct figure *f = &c->figure[id];
    const double q = figure_info(id)->quantile;
    size_t valid = 0;
    for (size_t i = 0; i < rounds; i++) {
        work[i] = cell_value(c, i, id);
        if (q > 0 && isfinite(work[i]) && c->trial[i]->raw.samples >= 0) {
            totals[valid++] = (uint64_t)c->trial[i]->raw.samples;
        }
    }
    f->s = order_summarise(work, rounds, CELL_LEVEL);
    if (f->s.n == 0) {
        figure_why_missing(c, rounds, id, f->missing, sizeof f->missing);
    } else if (q > 0) {
        uint32_t ppm = (uint32_t)lround(q * PERCENTILE_PPM);
        enum percentile_support support =
            percentile_support(totals, valid, ppm, (uint64_t)c->connections);
        percentile_support_text(support, ppm, (uint64_t)c->connections, f->missing,
                                sizeof f->missing);
    }
    if (f->missing[0]) {
        f->s.median = f->s.lo = f->s.hi = NAN;
    }
}

static int cells_fill(struct cells *c, const struct store *s, struct err *e) {
    double *work = malloc((c->rounds + 1) * sizeof *work);
    uint64_t *totals = malloc((c->rounds + 1) * sizeof *totals);
    for (size_t i = 0; work && totals && i < c->count; i++) {
        cell_count(&c->cell[i], c->rounds);
        for (int id = 0; id < FIG_COUNT; id++) {
            cell_figure(&c->cell[i], c->rounds, (enum figure_id)id, work, totals);
        }
    }
    int rc = work && totals ? cells_judge(c) : -1;
    free(work);
    free(totals);
    return rc == 0 ? 0 : err_set(e, ERR_MACHINE, "out of memory for the cells of %s", s->dir);
}

/* What decides results is one for all trials of a run. */
static int cells_take_mode(struct cells *c, const struct store *s, struct err *e) {
    c->mode = s->records[0].mode;
    c->counts = strstr(c->mode, "requests=") != NULL;
    for (size_t i = 1; i < s->count; i++) {
        if (strcmp(s->records[i].mode, c->mode) != 0) {
            return err_set(e, ERR_USAGE,
                           "%s mixes trials of mode '%s' with trials of mode '%s': they cannot be "
                           "compared; leave the lines of one of them",
                           s->dir, c->mode, s->records[i].mode);
        }
    }
    return 0;
}

int cells_build(struct cells *c, const struct store *s, struct err *e) {
    *c = (struct cells){.store = s};
    if (s->count == 0 && s->lost > 0) {
        return err_set(e, ERR_USAGE,
                       "%s holds no trial: all %zu are gone from trials.jsonl; `loopbench run "
                       "--resume` measures them again",
                       s->dir, s->lost);
    }
    if (s->count == 0) {
        return counts_only(s->manifest)
                   ? err_set(
                         e, ERR_USAGE,
                         "%s holds no trials: it is a run of counts alone; name one with trials",
                         s->dir)
                   : err_set(e, ERR_USAGE,
                             "%s holds no trial: there is nothing to report; run --resume measures "
                             "what its plan lacks",
                             s->dir);
    }
    if (cells_take_mode(c, s, e) != 0 || cells_index(c, s, e) != 0 || cells_make(c, s, e) != 0 ||
        cells_place(c, s, e) != 0 || cells_fill(c, s, e) != 0) {
        cells_release(c);
        return -1;
    }
    return 0;
}

void cells_release(struct cells *c) {
    for (size_t i = 0; i < c->count; i++) {
        free(c->cell[i].trial);
    }
    free(c->cell);
    free(c->targets);
    free(c->workloads);
    free(c->levels);
    *c = (struct cells){0};
}
