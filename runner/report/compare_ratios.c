#include "report/compare_ratios.h"

#include <stdlib.h>
#include <string.h>

#include "report/text.h"

static const char *name_of(const struct verdicts *v, const struct cell *cell) {
    return v->cells->targets[cell->target].name;
}

static bool same_ratio(const struct verdicts *first, const struct verdict_row *a,
                       const struct verdicts *second, const struct verdict_row *b) {
    return a->about == b->about && a->a->connections == b->a->connections &&
           strcmp(a->a->workload, b->a->workload) == 0 &&
           strcmp(name_of(first, a->a), name_of(second, b->a)) == 0 &&
           strcmp(name_of(first, a->b), name_of(second, b->b)) == 0;
}

/* Rows of like runs are in the same order, so the search begins where the last one ended. */
static const struct verdict_row *find_ratio(const struct verdicts *first,
                                            const struct verdict_row *a,
                                            const struct verdicts *second, size_t *at) {
    for (size_t k = 0; k < second->pair_count; k++) {
        const size_t i = (*at + k) % second->pair_count;
        if (same_ratio(first, a, second, &second->row[i])) {
            *at = i + 1;
            return &second->row[i];
        }
    }
    return NULL;
}

struct room {
    struct reproduce_side *first, *second;
    struct reproduced *out;
    double *work;
    size_t *order;
};

static void judge(struct ratios *r, struct room *room) {
    for (size_t i = 0; i < r->count; i++) {
        room->first[i] = reproduce_side_of(&r->row[i].first->gated);
        room->second[i] = reproduce_side_of(&r->row[i].second->gated);
    }
    if (!r->by_direction) {
        reproduce_judge(room->first, room->second, r->count, room->out, room->work, room->order);
    }
    for (size_t i = 0; i < r->count; i++) {
        struct reproduced *one = &r->row[i].r;
        if (r->by_direction) {
            *one = reproduce_unknown;
            one->outcome = reproduce_direction(&room->first[i], &room->second[i]);
        } else {
            *one = room->out[i];
        }
        r->of[one->outcome]++;
    }
}

void ratios_conclude(struct ratios *r) {
    static const enum reproduce_outcome worst_first[] = {
        REPRODUCE_REVERSED,     REPRODUCE_CONTRADICTED, REPRODUCE_CHANGED,  REPRODUCE_IMPRECISE,
        REPRODUCE_INCONCLUSIVE, REPRODUCE_SAME,         REPRODUCE_CONFIRMED};
    r->overall = REPRODUCE_UNKNOWN;
    for (size_t i = sizeof worst_first / sizeof worst_first[0]; i-- > 0;) {
        r->overall = r->of[worst_first[i]] > 0 ? worst_first[i] : r->overall;
    }
    r->holds = r->overall != REPRODUCE_UNKNOWN && r->overall != REPRODUCE_INCONCLUSIVE &&
               r->of[REPRODUCE_REVERSED] == 0 && r->of[REPRODUCE_CONTRADICTED] == 0 &&
               r->of[REPRODUCE_CHANGED] == 0;
}

int ratios_make(struct ratios *r, const struct verdicts *first, const struct verdicts *second,
                bool by_direction, const bool about[ABOUT_COUNT], struct err *e) {
    const size_t n = first->pair_count + 1;
    size_t at = 0;
    *r = (struct ratios){.by_direction = by_direction};
    struct room room = {calloc(n, sizeof *room.first), calloc(n, sizeof *room.second),
                        calloc(n, sizeof *room.out), calloc(2 * n, sizeof *room.work),
                        calloc(n, sizeof *room.order)};
    r->row = calloc(n, sizeof *r->row);
    const bool ok = r->row && room.first && room.second && room.out && room.work && room.order;
    for (size_t i = 0; ok && i < first->pair_count; i++) {
        const struct verdict_row *a = &first->row[i];
        const struct verdict_row *b =
            !about || about[a->about] ? find_ratio(first, a, second, &at) : NULL;
        if (b) {
            r->row[r->count++] = (struct ratio_row){.first = a, .second = b};
        }
    }
    if (ok) {
        judge(r, &room);
        ratios_conclude(r);
    }
    free(room.first);
    free(room.second);
    free(room.out);
    free(room.work);
    free(room.order);
    return ok ? 0 : err_set(e, ERR_MACHINE, "out of memory for the ratios of two runs");
}

void ratios_release(struct ratios *r) {
    free(r->row);
    *r = (struct ratios){0};
}

void ratios_text(const struct ratios *r, char *out, size_t size) {
    const char *sep = "";
    if (r->overall == REPRODUCE_UNKNOWN) {
        snprintf(out, size, "nothing could be judged: %zu ratio%s in both runs, none usable",
                 r->count, r->count == 1 ? "" : "s");
        return;
    }
    int used = snprintf(out, size, "%s: ", reproduce_name(r->overall));
    for (int i = RATIOS_OUTCOMES; i-- > 0 && used > 0 && (size_t)used < size;) {
        if (r->of[i] > 0) {
            const int n = snprintf(
                out + used, size - (size_t)used, "%s%zu of %zu ratios %s", sep, r->of[i], r->count,
                i == REPRODUCE_UNKNOWN ? "without a verdict in either run"
                                       : reproduce_name((enum reproduce_outcome)i));
            used += n;
            sep = "; ";
        }
    }
}

static void print_row(FILE *out, const struct ratio_row *row, const struct cells *cells,
                      bool utf8) {
    char pair[2][4 * 20 + 8];
    char text[2][VERDICT_TEXT_MAX];
    text_terminal(pair[0], sizeof pair[0], cells->targets[row->first->a->target].name, 20, utf8);
    text_terminal(pair[1], sizeof pair[1], cells->targets[row->first->b->target].name, 20, utf8);
    verdict_row_text(row->first, true, text[0], sizeof text[0]);
    verdict_row_text(row->second, true, text[1], sizeof text[1]);
    fprintf(out, "  %s against %s: %s\n      then: %s\n      now:  %s\n", pair[0], pair[1],
            reproduce_name(row->r.outcome), text[0], text[1]);
}

void ratios_print(FILE *out, const struct ratios *r, const struct cells *cells, bool utf8) {
    char text[256];
    const struct verdict_row *before = NULL;
    for (size_t i = 0; i < r->count; i++) {
        const struct verdict_row *now = r->row[i].first;
        if (!before || before->about != now->about ||
            before->a->connections != now->a->connections ||
            strcmp(before->a->workload, now->a->workload) != 0) {
            char workload[4 * 40 + 8];
            text_terminal(workload, sizeof workload, now->a->workload, 40, utf8);
            fprintf(out, "\n%s: %s, %d connection%s\n", verdict_about_info(now->about)->title,
                    workload, now->a->connections, now->a->connections == 1 ? "" : "s");
        }
        print_row(out, &r->row[i], cells, utf8);
        before = now;
    }
    ratios_text(r, text, sizeof text);
    fprintf(out, "\n%s\n", text);
}
