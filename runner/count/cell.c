#include "count/cell.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "count/details.h"

#define INTERRUPTED "it was interrupted before that"

static void missing(struct count_figure *f, const char *why) {
    f->state = COUNT_MISSING;
    f->per_request = f->spread = UNKNOWN_REAL;
    f->n = 0;
    snprintf(f->reason, sizeof f->reason, "%.*s", (int)sizeof f->reason - 1, why);
}

static void missing_all(struct count_record *r, const struct count_tool *tool, const char *why) {
    for (const enum count_kind *k = tool->kinds; *k != COUNT_KINDS; k++) {
        missing(&r->figure[*k], why);
    }
}

/* Nobody answers a request in no instruction: whoever did was not counted. */
static bool is_doubtful(const struct count_record *r, const struct count_total *low,
                        const struct count_total *high) {
    static const enum count_kind kinds[] = {COUNT_INSTRUCTIONS, COUNT_USER};
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const int64_t least = low->of[kinds[i]] + r->high - r->low;
        if (low->of[kinds[i]] >= 0 && high->of[kinds[i]] >= 0 && high->of[kinds[i]] < least) {
            return true;
        }
    }
    return false;
}

static const char *why_uncounted(const struct count_subject *s, enum count_kind kind,
                                 const struct count_total *total) {
    if (s->elsewhere) {
        return s->elsewhere;
    }
    if (kind != COUNT_ALLOCATIONS) {
        return "not counted";
    }
    return total->preloaded
               ? "it never called the C library's malloc: it allocates nothing, or by an allocator "
                 "of its own"
               : "the library that counts was not loaded: a program that is linked statically, or "
                 "does not run here";
}

/* One more slope of every kind this tool counts; true when all that can have settled. */
static bool add_slopes(const struct count_subject *s, struct count_record *r,
                       const struct count_tool *tool, const struct count_total *low,
                       const struct count_total *high) {
    const double requests = (double)(r->high - r->low);
    bool settled = true;
    for (const enum count_kind *k = tool->kinds; *k != COUNT_KINDS; k++) {
        struct count_figure *f = &r->figure[*k];
        if (low->of[*k] < 0 || high->of[*k] < 0) {
            missing(f, why_uncounted(s, *k, high));
            continue;
        }
        f->repeat[f->n++] = (double)(high->of[*k] - low->of[*k]) / requests;
        const bool agrees = count_settle(f);
        settled = settled && (agrees || *k == COUNT_KERNEL);
    }
    return settled;
}

/* A pair of processes, the longer one first: the other is to live through as many seconds. */
static enum once_end count_pair(const struct count_subject *s, const struct count_tool *tool,
                                struct count_record *r, struct details *d, bool *settled,
                                struct err *e) {
    struct count_total low;
    struct count_total high;
    count_total_init(&low);
    enum once_end end = count_once(s, tool, r->high, 0, &high, e);
    if (end == ONCE_COUNTED) {
        end = count_once(s, tool, r->low, tool->clocked ? high.seconds : 0, &low, e);
    }
    if (end == ONCE_COUNTED && is_doubtful(r, &low, &high)) {
        err_set(e, ERR_FAILED,
                "more requests took no more instructions: the process that answers them was not "
                "counted");
        end = ONCE_FAILED;
    }
    if (end == ONCE_COUNTED) {
        *settled = add_slopes(s, r, tool, &low, &high);
        details_take(d, &low, &high);
    }
    count_total_release(&low);
    count_total_release(&high);
    return end;
}

/* How often at least. Where several requests are ready at once how many of them are served together
 * is chance, and so is that two repeats agree. */
static int tries_least(const struct count_subject *s) {
    return s->connections > 1 || s->pipeline > 1 ? 3 : 2;
}

static enum once_end count_pairs(const struct count_subject *s, const struct count_tool *tool,
                                 struct count_record *r, struct err *e) {
    struct details pair[COUNT_TRIES_MAX] = {0};
    enum once_end end = ONCE_COUNTED;
    bool settled = false;
    int n = 0;
    while (end == ONCE_COUNTED && n < COUNT_TRIES_MAX && (!settled || n < tries_least(s))) {
        end = count_pair(s, tool, r, &pair[n], &settled, e);
        n += end == ONCE_COUNTED;
    }
    if (end == ONCE_COUNTED) {
        details_fill(r, pair, n);
    }
    for (int i = 0; i < n; i++) {
        details_release(&pair[i]);
    }
    return end;
}

/* ONCE_COUNTED also where the tool, or what it looks at, is not here: the figure says so. */
static enum once_end count_by(const struct count_subject *s, const struct count_tool *tool,
                              struct count_record *r) {
    struct err e = {0};
    enum once_end end = ONCE_COUNTED;
    if (tool->starts && s->elsewhere) {
        missing_all(r, tool, s->elsewhere);
    } else if (tool->check && tool->check(s->paths, &e) != 0) {
        missing_all(r, tool, e.text);
    } else {
        end = count_pairs(s, tool, r, &e);
    }
    if (end != ONCE_COUNTED) {
        missing_all(r, tool, end == ONCE_INTERRUPTED ? INTERRUPTED : e.text);
    }
    return end == ONCE_FAILED && tool->begin && e.class == ERR_MACHINE ? ONCE_COUNTED : end;
}

/* A target that cannot run with the library (a sanitizer wants to be first, an interpreter refuses)
 * is counted without. */
static enum once_end count_plain(const struct count_subject *s, struct count_record *r) {
    enum once_end end = count_by(s, count_tools[0], r);
    if (end != ONCE_FAILED || s->elsewhere || !s->paths->preload[0]) {
        return end;
    }
    struct count_paths bare = *s->paths;
    struct count_subject without = *s;
    struct count_figure failed = r->figure[COUNT_ALLOCATIONS];
    bare.preload[0] = '\0';
    without.paths = &bare;
    end = count_by(&without, count_tools[0], r);
    if (end == ONCE_COUNTED) {
        r->figure[COUNT_ALLOCATIONS] = failed;
    }
    return end;
}

static int64_t whole_turns(int64_t n, const struct count_subject *s) {
    const int64_t turn = (int64_t)s->connections * s->pipeline;
    return (n + turn - 1) / turn * turn;
}

bool count_cell_has(const struct count_record *r) {
    for (int k = 0; k < COUNT_KINDS; k++) {
        if (r->figure[k].state != COUNT_MISSING) {
            return true;
        }
    }
    return false;
}

/* By every tool behind the first, which is at `end`. */
static enum cell_end count_others(const struct count_subject *s, struct count_record *r,
                                  enum once_end end) {
    bool failed = false;
    for (size_t i = 1; count_tools[i]; i++) {
        if (end == ONCE_INTERRUPTED) {
            missing_all(r, count_tools[i], INTERRUPTED);
            continue;
        }
        end = count_by(s, count_tools[i], r);
        failed = failed || end == ONCE_FAILED;
    }
    return end == ONCE_INTERRUPTED ? CELL_INTERRUPTED : failed ? CELL_PARTLY : CELL_COUNTED;
}

enum cell_end count_cell(const struct count_subject *s, struct count_record *r) {
    const int64_t begun = clock_mono_ns();
    enum cell_end result = CELL_FAILED;
    clock_iso(r->started);
    r->low = whole_turns(r->low, s);
    r->high = whole_turns(r->high, s);
    r->high += r->high == r->low ? (int64_t)s->connections * s->pipeline : 0;
    const enum once_end plain = count_plain(s, r);
    if (plain != ONCE_FAILED) {
        result = count_others(s, r, plain);
    } else {
        /* One that does not answer by itself will not under a tool. */
        for (size_t i = 1; count_tools[i]; i++) {
            missing_all(r, count_tools[i], r->figure[COUNT_RECEIVED].reason);
        }
    }
    r->wall_s = (double)(clock_mono_ns() - begun) / 1e9;
    return result;
}
