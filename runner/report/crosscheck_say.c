/* What the figures of a cross-check say, a sentence each. */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/crosscheck.h"

/* From here on a generator's CPU per request is worth a sentence, either way. */
#define CPU_TIMES 1.25
/* A server that sleeps so often for a request, and so many times as often as under wrk. */
#define SLEEPS       0.1
#define SLEEPS_TIMES 2
/* Of wrk's bytes per reply, another number is another way to count. */
#define BYTES_TOLERANCE 0.02

static void add(struct crosscheck_words *w, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void add(struct crosscheck_words *w, const char *format, ...) {
    va_list args;
    if (w->n == CROSSCHECK_SAYS) {
        return;
    }
    va_start(args, format);
    vsnprintf(w->text[w->n], sizeof w->text[w->n], format, args);
    va_end(args);
    w->n++;
}

static double median(const struct crosscheck_side *s, enum crosscheck_figure id) {
    return s->figure[id].median;
}

static void say_failures(const struct crosscheck_side *s, struct crosscheck_words *w) {
    if (s->failed > 0) {
        add(w, "%zu of %zu trials failed, the first so: %.200s", s->failed, s->trials, s->reason);
    }
    if (s->invalid > 0) {
        add(w, "%zu of %zu trials were disturbed by the machine and are left out of the comparison",
            s->invalid, s->trials);
    }
}

/* What there would be with the disturbed trials, where there are enough only with them. */
static void say_ungated(const struct verdict *v, const struct verdict *ungated, const char *what,
                        struct crosscheck_words *w) {
    char more[96] = "";
    if (ungated->kind != VERDICT_INSUFFICIENT && isfinite(ungated->lo)) {
        snprintf(more, sizeof more, "; with the disturbed trials %.2f [%.2f, %.2f] of it",
                 ungated->ratio, ungated->lo, ungated->hi);
    }
    add(w, "%s: insufficient to compare with wrk's (%zu of %zu blocks valid, %zu needed)%s", what,
        v->pairs.valid, v->pairs.planned, v->needed, more);
}

/* "0.42 [0.40, 0.44] of wrk's", or why there is no such figure. */
static void say_ratio(const struct verdict *v, const struct verdict *ungated, const char *what,
                      struct crosscheck_words *w) {
    switch (v->kind) {
    case VERDICT_INSUFFICIENT:
        say_ungated(v, ungated, what, w);
        return;
    case VERDICT_EQUIVALENT:
        add(w, "%s agrees with wrk's within %.3g%%: %.2f [%.2f, %.2f] of it", what, 100 * v->margin,
            v->ratio, v->lo, v->hi);
        return;
    case VERDICT_NO_DIFFERENCE:
        add(w, "%s: no difference from wrk's shown (could hide up to %.0f%%)", what,
            100 * v->could_hide);
        return;
    case VERDICT_HIGHER:
    case VERDICT_LOWER:
    case VERDICT_CLIENT_LIMITED:
        break;
    }
    add(w, "%s: %.2f [%.2f, %.2f] of wrk's%s", what, v->ratio, v->lo, v->hi,
        v->fragile ? " (fragile)" : "");
}

/* Who was the limit, by the rule of client.h. */
static void say_limit(const struct crosscheck *c, const struct crosscheck_side *s,
                      struct crosscheck_words *w) {
    double busy = median(s, CROSS_BUSY);
    double server = median(s, CROSS_SERVER);
    if (!isfinite(busy) || !isfinite(server) || !isfinite(c->server_cpus)) {
        return;
    }
    const char *whose = s->threads == 1 ? "its one thread" : "its threads";
    if (s->client == CLIENT_LIMITED) {
        add(w,
            "it was the limit, not the server: %s %s busy %.0f%% of the time, the server used "
            "%.2f of its %.0f CPU%s",
            whose, s->threads == 1 ? "was" : "were", 100 * busy, server, c->server_cpus,
            c->server_cpus > 1 ? "s" : "");
    } else if (server >= CLIENT_SERVER_SPARE * c->server_cpus) {
        add(w, "the server was the limit: it used %.2f of its %.0f CPU%s (%s busy %.0f%%)", server,
            c->server_cpus, c->server_cpus > 1 ? "s" : "", whose, 100 * busy);
    } else {
        add(w, "neither side was at its end: the server used %.2f of its %.0f CPU%s, %s %.0f%%",
            server, c->server_cpus, c->server_cpus > 1 ? "s" : "", whose, 100 * busy);
    }
}

/* Its count against the server's. */
static void say_counts(const struct crosscheck_cell *cell, const struct crosscheck_side *s,
                       struct crosscheck_words *w) {
    int64_t more = s->served - s->told;
    int64_t open = (int64_t)cell->connections * (int64_t)s->asked;
    if (s->asked == 0) {
        return;
    }
    if (more == 0) {
        add(w, "it counts as many requests as the server: %" PRId64, s->told);
    } else if (more < 0) {
        add(w,
            "it counts %" PRId64 " requests, the server only %" PRId64 ": %" PRId64
            " that the server never saw",
            s->told, s->served, -more);
    } else {
        add(w,
            "it counts %" PRId64 " requests, the server %" PRId64 ": %" PRId64
            " more, %s the %" PRId64 " that can be under way when %zu trials end",
            s->told, s->served, more, more <= open ? "no more than" : "beyond", open, s->asked);
    }
}

static void say_connections(const struct crosscheck_cell *cell, const struct crosscheck_side *s,
                            struct crosscheck_words *w) {
    double accepted = median(s, CROSS_ACCEPTED);
    if (accepted > cell->connections) {
        add(w, "the server accepted %.0f connections in a trial of %d", accepted,
            cell->connections);
    }
}

static void say_own_cpu(const struct crosscheck_side *s, const struct crosscheck_side *wrk,
                        struct crosscheck_words *w) {
    double own = median(s, CROSS_OWN_CPU);
    double other = median(wrk, CROSS_OWN_CPU);
    double times = own / other;
    if (isfinite(times) && (times > CPU_TIMES || times < 1 / CPU_TIMES)) {
        add(w, "a request costs it %.1f times the CPU it costs wrk (%.1f against %.1f us)", times,
            own, other);
    }
}

/* One that is fed a request at a time sleeps and wakes for each. */
static void say_sleeps(const struct crosscheck_side *s, const struct crosscheck_side *wrk,
                       struct crosscheck_words *w) {
    double own = median(s, CROSS_SLEEPS);
    double other = median(wrk, CROSS_SLEEPS);
    if (own > SLEEPS && own > SLEEPS_TIMES * other) {
        add(w, "the server went to sleep %.2f times a request, under wrk %.2f times", own, other);
    }
}

static void say_bytes(const struct crosscheck_side *s, const struct crosscheck_side *wrk,
                      struct crosscheck_words *w) {
    double own = median(s, CROSS_BYTES);
    double other = median(wrk, CROSS_BYTES);
    if (isfinite(own) && isfinite(other) && fabs(own / other - 1) > BYTES_TOLERANCE) {
        add(w, "it counts %.1f bytes a reply, wrk %.1f", own, other);
    }
}

static void say_latency(const struct crosscheck_side *s, struct crosscheck_words *w) {
    if (s->step_us > 1) {
        add(w, "its times are multiples of %.0f ms%s", (double)s->step_us / 1e3,
            isfinite(median(s, CROSS_P50)) ? "" : ", and it tells no percentiles");
    } else if (s->trials > s->failed && !isfinite(median(s, CROSS_P50))) {
        add(w, "it tells no percentiles");
    }
}

/* Its rate then is not of good replies in time alone, as the others' are. */
static void say_late(const struct crosscheck_side *s, struct crosscheck_words *w) {
    if (s->unknown_late > 0) {
        add(w,
            "in %zu of %zu trials it does not tell how many replies came later than the timeout: "
            "its rate may hold late ones",
            s->unknown_late, s->trials);
    }
}

void crosscheck_say(const struct crosscheck *c, const struct crosscheck_cell *cell, size_t i,
                    struct crosscheck_words *out) {
    const struct crosscheck_side *s = &cell->side[i];
    const struct crosscheck_side *wrk = &cell->side[0];
    out->n = 0;
    say_failures(s, out);
    if (s->trials == s->failed) {
        return;
    }
    const bool compared = i > 0 && strcmp(wrk->generator, CROSSCHECK_REFERENCE) == 0;
    if (compared) {
        say_ratio(&s->rate, &s->rate_ungated, "its rate", out);
    }
    say_late(s, out);
    say_limit(c, s, out);
    if (compared) {
        say_ratio(&s->server_cpu, &s->server_cpu_ungated, "the server's CPU for a request", out);
        say_sleeps(s, wrk, out);
        say_own_cpu(s, wrk, out);
    }
    say_counts(cell, s, out);
    say_connections(cell, s, out);
    if (compared) {
        say_bytes(s, wrk, out);
    }
    say_latency(s, out);
}
