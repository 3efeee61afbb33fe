/* What a cell's rounds say about the measurement itself: who was the limit, what was flagged. */
#include "report/cells_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "report/verdicts.h"

#define WORDS_MAX 48
#define WORD_SIZE 48

static const struct cell *null_cell(const struct cells *c, const struct cell *of) {
    for (size_t t = 0; t < c->target_count; t++) {
        if (c->targets[t].role == ROLE_NULL) {
            const struct cell *found = cells_find(c, t, of->workload, of->connections);
            if (found) {
                return found;
            }
        }
    }
    return NULL;
}

static double count_cpus(const json_t *manifest, const char *path) {
    const char *list = json_string_value(manifest_at(manifest, path));
    cpu_set_t set;
    struct err ignored = {0};
    return list && cpus_parse(list, path, &set, &ignored) == 0 ? CPU_COUNT(&set) : NAN;
}

double cells_server_cpus(const struct cells *c) {
    const json_t *manifest = c->store->manifest;
    const int64_t workers = manifest_int(manifest, "options.workers");
    return workers > 0 ? fmin(count_cpus(manifest, "cpus.server"), (double)workers) : NAN;
}

double cells_generator_cpus(const struct cells *c) {
    return count_cpus(c->store->manifest, "cpus.generator");
}

/* Whether a verdict on the target and its ceiling would leave the block out. */
static bool is_left_out(const struct cell *cell, const struct cell *ceiling, size_t round) {
    const struct trial_record *null = ceiling ? ceiling->trial[round] : NULL;
    return verdict_trial_invalid(cell->trial[round]) || (null && verdict_trial_invalid(null));
}

/* Where every block is invalid they are all that there is to judge by, and the cell's figures rest
 * on them. */
static bool is_any_valid(const struct cells *c, const struct cell *cell,
                         const struct cell *ceiling) {
    for (size_t i = 0; i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        if (r && r->status == TRIAL_OK && !is_left_out(cell, ceiling, i)) {
            return true;
        }
    }
    return false;
}

static void judge_client(struct cells *c, struct cell *cell, enum client_state *states,
                         double *shares) {
    const struct cell *ceiling = null_cell(c, cell);
    const double cpus = cells_server_cpus(c);
    const bool all = !is_any_valid(c, cell, ceiling);
    bool is_null = c->targets[cell->target].role == ROLE_NULL;
    size_t n = 0;
    for (size_t i = 0; i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        if (!r || r->status != TRIAL_OK || (!all && is_left_out(cell, ceiling, i))) {
            continue;
        }
        const struct client_block block = {
            .rate = r->rate,
            .ceiling = ceiling && !is_null ? cell_value(ceiling, i, FIG_RATE) : NAN,
            .busiest_thread = r->load.thread_busy,
            .server_cpu = r->server.cpus_used,
            .server_cpus = cpus,
        };
        struct client_result result = client_judge(&block);
        shares[n] = result.ceiling_share;
        states[n++] = result.state;
    }
    cell->client = client_judge_cell(states, n);
    cell->ceiling = order_summarise(shares, n, CELL_LEVEL).median;
}

struct word {
    char text[WORD_SIZE];
    int rounds;
};

static int compare_words(const void *a, const void *b) {
    return strcmp(((const struct word *)a)->text, ((const struct word *)b)->text);
}

static size_t count_word(struct word *words, size_t n, const char *text, size_t len) {
    size_t i = 0;
    len = len < WORD_SIZE ? len : WORD_SIZE - 1;
    while (i < n && (strncmp(words[i].text, text, len) != 0 || words[i].text[len] != '\0')) {
        i++;
    }
    if (i == n && n < WORDS_MAX) {
        memcpy(words[n].text, text, len);
        words[n].text[len] = '\0';
        words[n++].rounds = 0;
    }
    if (i < n) {
        words[i].rounds++;
    }
    return n;
}

static void collect_flags(struct cell *cell, size_t rounds) {
    struct word words[WORDS_MAX] = {{.rounds = 0}};
    size_t n = 0;
    size_t used = 0;
    for (size_t i = 0; i < rounds; i++) {
        const char *at = cell->trial[i] ? cell->trial[i]->flags : "";
        while (*at) {
            size_t len = strcspn(at, " ");
            n = len > 0 ? count_word(words, n, at, len) : n;
            at += len;
            at += *at == ' ';
        }
    }
    qsort(words, n, sizeof *words, compare_words);
    cell->flags[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        char count[16] = "";
        if (words[i].rounds < cell->measured) {
            snprintf(count, sizeof count, ":%d", words[i].rounds);
        }
        int len = snprintf(cell->flags + used, sizeof cell->flags - used, "%s%s%s", used ? " " : "",
                           words[i].text, count);
        if (len < 0 || (size_t)len >= sizeof cell->flags - used) {
            cell->flags[used] = '\0';
            return;
        }
        used += (size_t)len;
    }
}

int cells_judge(struct cells *c) {
    enum client_state *states = malloc((c->rounds + 1) * sizeof *states);
    double *shares = malloc((c->rounds + 1) * sizeof *shares);
    bool ok = states && shares;
    for (size_t i = 0; ok && i < c->count; i++) {
        judge_client(c, &c->cell[i], states, shares);
        collect_flags(&c->cell[i], c->rounds);
    }
    free(states);
    free(shares);
    return ok ? 0 : -1;
}
