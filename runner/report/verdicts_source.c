/* The values a verdict rests on, block by block, and what is left out of them. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/verdicts_parts.h"

bool verdict_flags_invalid(const char *flags) {
    static const char ending[] = "-invalid";
    const size_t want = sizeof ending - 1;
    while (*flags) {
        const size_t len = strcspn(flags, " ");
        if (len >= want && strncmp(flags + len - want, ending, want) == 0) {
            return true;
        }
        flags += len;
        flags += *flags == ' ';
    }
    return false;
}

bool verdict_trial_invalid(const struct trial_record *r) {
    return r->by_block != 0 || verdict_flags_invalid(r->flags);
}

static size_t cell_of(const struct cells *c, const struct trial_record *r, size_t hint) {
    for (size_t k = 0; k < c->count; k++) {
        const size_t i = (hint + k) % c->count;
        const struct cell *cell = &c->cell[i];
        if (cell->connections == r->connections &&
            strcmp(c->targets[cell->target].name, r->target) == 0 &&
            strcmp(cell->workload, r->workload) == 0) {
            return i;
        }
    }
    return c->count;
}

static void find_first(struct verdict_source *s) {
    const struct cells *c = s->cells;
    size_t at = 0;
    for (size_t i = 0; i < c->store->count; i++) {
        const struct trial_record *r = &c->store->records[i];
        at = cell_of(c, r, at);
        if (at < c->count && (size_t)r->round < c->rounds) {
            const struct trial_record **slot = &s->first[at * c->rounds + (size_t)r->round];
            if (!*slot || r->attempt < (*slot)->attempt) {
                *slot = r;
            }
        }
    }
}

int verdict_source_init(struct verdict_source *s, const struct cells *c) {
    *s = (struct verdict_source){.cells = c};
    s->first = calloc(c->count * c->rounds + 1, sizeof(const struct trial_record *));
    s->a = calloc(3 * c->rounds + 1, sizeof *s->a);
    s->totals = calloc(c->rounds + 1, sizeof *s->totals);
    if (!s->first || !s->a || !s->totals) {
        verdict_source_release(s);
        return -1;
    }
    s->b = s->a + c->rounds;
    s->work = s->b + c->rounds;
    find_first(s);
    return 0;
}

void verdict_source_release(struct verdict_source *s) {
    free(s->first);
    free(s->a);
    free(s->totals);
    *s = (struct verdict_source){0};
}

static uint32_t ppm_of(enum verdict_about about) {
    const double q = figure_info(verdict_about_info(about)->figure)->quantile;
    return (uint32_t)lround(q * PERCENTILE_PPM);
}

static double value_of(const struct trial_record *r, enum verdict_about about) {
    return r && r->status == TRIAL_OK ? figure_value(r, verdict_about_info(about)->figure) : NAN;
}

/* Enough samples beyond the percentile in this trial? */
static bool has_tail(const struct trial_record *r, uint32_t ppm) {
    const uint64_t samples = r->raw.samples > 0 ? (uint64_t)r->raw.samples : 0;
    return percentile_support(&samples, 1, ppm, 1) == PERCENTILE_SUPPORTED;
}

struct side {
    const struct trial_record **trial;
    double *value;
};

static enum percentile_support side_support(const struct verdict_source *s, const struct side *side,
                                            uint32_t ppm, int connections) {
    size_t n = 0;
    for (size_t i = 0; i < s->cells->rounds; i++) {
        if (isfinite(side->value[i])) {
            s->totals[n++] = (uint64_t)side->trial[i]->raw.samples;
        }
    }
    return percentile_support(s->totals, n, ppm, (uint64_t)connections);
}

static struct side side_of(const struct verdict_source *s, const struct cell *cell, bool gated,
                           double *value) {
    const size_t at = (size_t)(cell - s->cells->cell);
    return (struct side){gated ? cell->trial : s->first + at * s->cells->rounds, value};
}

static void drop(struct verdict_source *s, size_t block) {
    s->a[block] = s->b[block] = NAN;
}

/* A percentile that all blocks together do not carry is judged in none. */
static void check_support(struct verdict_source *s, struct verdict_row *row,
                          const struct side side[2], uint32_t ppm) {
    for (int k = 0; k < 2; k++) {
        const enum percentile_support support = side_support(s, &side[k], ppm, row->a->connections);
        if (support == PERCENTILE_FEW_IN_ALL) {
            percentile_support_text(support, ppm, (uint64_t)row->a->connections, row->missing,
                                    sizeof row->missing);
            for (size_t i = 0; i < s->cells->rounds; i++) {
                drop(s, i);
            }
            return;
        }
    }
}

void verdict_source_fill(struct verdict_source *s, struct verdict_row *row, bool gated) {
    const struct side side[2] = {side_of(s, row->a, gated, s->a), side_of(s, row->b, gated, s->b)};
    const uint32_t ppm = ppm_of(row->about);
    size_t invalid = 0;
    size_t few = 0;
    for (size_t i = 0; i < s->cells->rounds; i++) {
        const struct trial_record *a = side[0].trial[i];
        const struct trial_record *b = side[1].trial[i];
        s->a[i] = value_of(a, row->about);
        s->b[i] = value_of(b, row->about);
        if (!a || !b || !isfinite(s->a[i]) || !isfinite(s->b[i])) {
            drop(s, i);
        } else if (gated && (verdict_trial_invalid(a) || verdict_trial_invalid(b))) {
            drop(s, i);
            invalid++;
        } else if (ppm > 0 && (!has_tail(a, ppm) || !has_tail(b, ppm))) {
            drop(s, i);
            few++;
        }
    }
    if (ppm > 0) {
        check_support(s, row, side, ppm);
    }
    if (gated) {
        row->invalid_blocks = invalid;
        row->few_blocks = few;
    }
}

static struct verdict judge(struct verdict_row *row, struct verdict_source *s,
                            const struct verdict_rule *rule, bool gated) {
    verdict_source_fill(s, row, gated);
    struct verdict v = verdict_judge(s->a, s->b, s->cells->rounds, rule, s->work);
    const bool limited = row->a->client == CLIENT_LIMITED || row->b->client == CLIENT_LIMITED;
    /* What there is too little of needs no other reason. */
    if (limited && v.kind != VERDICT_INSUFFICIENT) {
        verdict_limit_client(&v, verdict_about_info(row->about)->metric);
    }
    return v;
}

/* Two reasons to say nothing are no difference. */
static bool says_something(enum verdict_kind kind) {
    return kind != VERDICT_INSUFFICIENT && kind != VERDICT_CLIENT_LIMITED;
}

void verdict_row_judge(struct verdict_row *row, struct verdict_source *s,
                       const struct verdict_rule *rule) {
    row->ungated = judge(row, s, rule, false);
    row->missing[0] = '\0'; /* the reason told is the gated verdict's */
    row->gated = judge(row, s, rule, true);
    row->differs = row->gated.kind != row->ungated.kind &&
                   (says_something(row->gated.kind) || says_something(row->ungated.kind));
}

void verdict_row_text(const struct verdict_row *r, bool gated, char *out, size_t size) {
    const struct verdict *v = gated ? &r->gated : &r->ungated;
    if (gated && r->missing[0] && v->kind == VERDICT_INSUFFICIENT) {
        snprintf(out, size, "insufficient (%s)", r->missing);
        return;
    }
    (void)verdict_text(v, verdict_about_info(r->about)->metric, out, size);
}
