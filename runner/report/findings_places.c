/* Sentences about what a container and the engine's bridge cost: the same server measured natively,
 * in a container with the machine's network, and behind the bridge (X, X@host-network, X@bridge).
 */
#include <math.h>
#include <string.h>

#include "report/findings_parts.h"

#define HOST_SUFFIX   "@host-network"
#define BRIDGE_SUFFIX "@bridge"

/* One cost: what `with` uses more than `without`. */
static const struct cost {
    const char *what, *with, *without; /* ends of names */
} costs[] = {
    {"the container", HOST_SUFFIX, ""},
    {"the bridge", BRIDGE_SUFFIX, HOST_SUFFIX},
    {"container and bridge together", BRIDGE_SUFFIX, ""},
};
#define COSTS (sizeof costs / sizeof costs[0])

/* True when `name` is `suffix` behind the first `len` bytes of `server`. */
static bool is_server_with(const char *name, const char *server, size_t len, const char *suffix) {
    return strncmp(name, server, len) == 0 && strcmp(name + len, suffix) == 0;
}

/* How many bytes of a name say which server it is. */
static size_t server_len(const char *name) {
    const size_t len = strlen(name);
    for (size_t i = 0; i < COSTS; i++) {
        const size_t end = strlen(costs[i].with);
        if (len > end && strcmp(name + len - end, costs[i].with) == 0) {
            return len - end;
        }
    }
    return len;
}

/* -1: the row compares other targets; 0: as the cost does; 1: the other way round. */
static int row_turned(const struct maker *m, const struct verdict_row *r, const struct cost *cost) {
    const char *a = maker_target(m, r->a);
    const char *b = maker_target(m, r->b);
    const size_t len = server_len(a);
    if (is_server_with(a, a, len, cost->with) && is_server_with(b, a, len, cost->without)) {
        return 0;
    }
    return is_server_with(a, a, len, cost->without) && is_server_with(b, a, len, cost->with) ? 1
                                                                                             : -1;
}

/* B against A instead of A against B. */
static struct verdict turned(struct verdict v) {
    const double lo = v.log_lo;
    if (v.kind == VERDICT_HIGHER || v.kind == VERDICT_LOWER) {
        v.kind = v.kind == VERDICT_HIGHER ? VERDICT_LOWER : VERDICT_HIGHER;
    }
    v.yuen.mean = -v.yuen.mean;
    v.log_lo = -v.log_hi;
    v.log_hi = -lo;
    v.ratio = exp(v.yuen.mean);
    v.lo = exp(v.log_lo);
    v.hi = exp(v.log_hi);
    return v;
}

/* Rows of one figure: the sentence about one cost for the server and workload of rows[first]. */
static void say_cost(struct maker *m, const struct verdict_row *rows, size_t first, size_t n,
                     const struct cost *cost) {
    const struct verdict_row *head = &rows[first];
    const char *server = maker_target(m, head->a);
    const size_t len = server_len(server);
    const char *sep = "";
    if (!maker_begin(m)) {
        return;
    }
    FILE *f = m->say.f;
    fprintf(f, "What %s costs %.*s in %s, %s: ", cost->what, (int)len, server,
            verdict_about_info(head->about)->title, head->a->workload);
    for (size_t i = first; i < n; i++) {
        const struct verdict_row *r = &rows[i];
        const int turn = row_turned(m, r, cost);
        if (turn < 0 || r->a->target != head->a->target || r->b->target != head->b->target ||
            strcmp(r->a->workload, head->a->workload) != 0) {
            continue;
        }
        char text[VERDICT_TEXT_MAX];
        const struct verdict v = turn ? turned(r->gated) : r->gated;
        verdict_text(&v, verdict_about_info(r->about)->metric, text, sizeof text);
        fprintf(f, "%sat ", sep);
        maker_levels(f, &r->a->connections, 1);
        fprintf(f, " %s", text);
        sep = "; ";
    }
    fprintf(f, " (%.*s%s against %.*s%s).", (int)len, server, cost->with, (int)len, server,
            cost->without);
    maker_end(m, FINDING_COST, head->about, 0);
}

/* True when an earlier row of these has the same pair and workload. */
static bool was_said(const struct verdict_row *rows, size_t at) {
    for (size_t i = 0; i < at; i++) {
        if (rows[i].a->target == rows[at].a->target && rows[i].b->target == rows[at].b->target &&
            strcmp(rows[i].a->workload, rows[at].a->workload) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the run has the intermediate step, so that the sum of both need not be said. */
static bool has_host(const struct maker *m, const char *server, size_t len) {
    const struct cells *c = m->v->cells;
    for (size_t i = 0; i < c->target_count; i++) {
        if (is_server_with(c->targets[i].name, server, len, HOST_SUFFIX)) {
            return true;
        }
    }
    return false;
}

void findings_say_places(struct maker *m) {
    const struct verdicts *v = m->v;
    for (size_t begin = 0, end; begin < v->pair_count; begin = end) {
        for (end = begin; end < v->pair_count && v->row[end].about == v->row[begin].about; end++) {
        }
        if (v->row[begin].about != ABOUT_CPU && v->row[begin].about != ABOUT_RATE) {
            continue;
        }
        for (size_t i = begin; i < end; i++) {
            const char *name = maker_target(m, v->row[i].a);
            for (size_t k = 0; k < COSTS; k++) {
                const bool sum = k + 1 == COSTS;
                if (row_turned(m, &v->row[i], &costs[k]) >= 0 &&
                    !was_said(&v->row[begin], i - begin) &&
                    !(sum && has_host(m, name, server_len(name)))) {
                    say_cost(m, &v->row[begin], i - begin, end - begin, &costs[k]);
                }
            }
        }
    }
}

void findings_caution_places(struct maker *m) {
    const struct verdicts *v = m->v;
    for (size_t i = 0; i < v->pair_count; i++) {
        for (size_t k = 0; k < COSTS; k++) {
            if (v->row[i].about != ABOUT_MEMORY || row_turned(m, &v->row[i], &costs[k]) < 0) {
                continue;
            }
            if (maker_begin(m)) {
                fputs("Memory here is RSS. PSS must not be compared between places: a process in a "
                      "container shares the pages of programs and libraries with others than a "
                      "native one does.",
                      m->say.f);
                maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
            }
            return;
        }
    }
}
