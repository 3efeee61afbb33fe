/* h2load of nghttp2, with HTTP/1.1. What it prints is rounded; its log has a line for each request,
 * to the microsecond. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "load/scan.h"
#include "load/tool.h"

static enum load_failure h2load_bad(const char *what, struct err *e) {
    err_set(e, ERR_FAILED, "the output is not usable: %s", what);
    return LOAD_RESULT;
}

static enum load_failure h2load_lies(const char *what, struct err *e) {
    err_set(e, ERR_FAILED, "the figures contradict each other: %s", what);
    return LOAD_LIES;
}

/* "1.00s", "250.00ms", "80us" in µs. */
static bool h2load_time(const char **at, int64_t *us) {
    int64_t millionths;
    if (!scan_millionths(at, &millionths)) {
        return false;
    }
    if (scan_word(at, "us")) {
        *us = millionths / 1000000;
    } else if (scan_word(at, "ms")) {
        *us = millionths / 1000;
    } else if (scan_word(at, "s")) {
        *us = millionths;
    } else {
        return false;
    }
    return true;
}

/* What it counts. */
struct h2load_counts {
    int64_t total, started, done, succeeded, failed, errored, timeout;
    int64_t status[4]; /* 2xx to 5xx */
};

/* "12 total, 13 started": counts, each before its word. */
static bool h2load_list(const char *at, const char *const *words, int64_t *const *counts,
                        size_t n) {
    for (size_t i = 0; i < n; i++) {
        if ((i > 0 && !scan_word(&at, ", ")) || !scan_count(&at, counts[i]) ||
            !scan_word(&at, words[i])) {
            return false;
        }
    }
    return scan_line_end(at);
}

static bool h2load_counts(const char *text, struct h2load_counts *c) {
    static const char *const words[] = {" total",  " started", " done",   " succeeded",
                                        " failed", " errored", " timeout"};
    static const char *const codes[] = {" 2xx", " 3xx", " 4xx", " 5xx"};
    int64_t *const all[] = {&c->total,  &c->started, &c->done,   &c->succeeded,
                            &c->failed, &c->errored, &c->timeout};
    int64_t *const status[] = {&c->status[0], &c->status[1], &c->status[2], &c->status[3]};
    const char *requests = scan_label(text, "requests:");
    const char *line = scan_label(text, "status codes:");
    return requests && line && h2load_list(requests, words, all, 7) &&
           h2load_list(line, codes, status, 4);
}

static bool h2load_head(const char *text, struct load_outcome *out, int64_t *rate) {
    const char *at = scan_label(text, "finished in");
    if (!at || !h2load_time(&at, &out->duration_us) || !scan_word(&at, ", ") ||
        !scan_millionths(&at, rate) || !scan_word(&at, " req/s")) {
        return false;
    }
    at = scan_label(text, "traffic:");
    at = at ? strchr(at, '(') : NULL;
    if (!at) {
        return false;
    }
    at++;
    return scan_count(&at, &out->bytes) && scan_word(&at, ") total");
}

static int h2load_compare(const void *a, const void *b) {
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

static int h2load_sum_up(int64_t *us, size_t n, struct hist *h, struct err *e) {
    qsort(us, n, sizeof *us, h2load_compare);
    for (size_t i = 0; i < n;) {
        size_t j = i;
        while (j < n && us[j] == us[i]) {
            j++;
        }
        if (hist_add(h, us[i], (int64_t)(j - i)) != 0) {
            return err_set(e, ERR_MACHINE, "out of memory");
        }
        i = j;
    }
    return 0;
}

/* "STARTED<tab>STATUS<tab>MICROSECONDS" for each request. */
static bool h2load_line(const char **at, int64_t *us) {
    int64_t started;
    int64_t status;
    if (!scan_count(at, &started) || !scan_word(at, "\t")) {
        return false;
    }
    bool lost = scan_word(at, "-"); /* of one that got no reply */
    return scan_count(at, &status) && scan_word(at, "\t") && scan_count(at, us) &&
           scan_word(at, "\n") && (!lost || status == 1);
}

static enum load_failure h2load_log(const char *log, int64_t done, struct hist *h, struct err *e) {
    size_t len = strlen(log);
    /* A line has at least six bytes: a made-up count asks for no more memory than the log took. */
    if ((size_t)done > len / 6) {
        return h2load_lies("its log has fewer requests than it counted", e);
    }
    int64_t *us = calloc((size_t)done + 1, sizeof *us);
    if (!us) {
        err_set(e, ERR_MACHINE, "out of memory");
        return LOAD_RESULT;
    }
    enum load_failure f = LOAD_OK;
    size_t n = 0;
    for (const char *at = log; f == LOAD_OK && *at; n++) {
        int64_t value;
        if (n == (size_t)done) {
            f = h2load_lies("its log has more requests than it counted", e);
        } else if (!h2load_line(&at, &value)) {
            f = h2load_bad("a line of its log is torn", e);
        } else {
            us[n] = value;
        }
    }
    if (f == LOAD_OK && n < (size_t)done) {
        f = h2load_lies("its log has fewer requests than it counted", e);
    }
    if (f == LOAD_OK && h2load_sum_up(us, n, h, e) != 0) {
        f = LOAD_RESULT;
    }
    free(us);
    return f;
}

/* It has no timeout for a single reply: all are waited for and counted, however late. */
static int64_t h2load_late(const struct hist *h, int64_t timeout_us) {
    int64_t late = 0;
    for (size_t i = 0; timeout_us > 0 && i < h->n; i++) {
        late += h->value[i] > timeout_us ? h->count[i] : 0;
    }
    return late;
}

/* What it "finished in" includes the time to start and to stop. It counts within the time that it
 * was told to run, and its rate is by that. */
static bool h2load_window(const struct tool_output *o, struct load_outcome *out, int64_t rate,
                          int64_t succeeded) {
    const int64_t finished = out->duration_us;
    if (o->asked_us > 0 && o->asked_us < finished) {
        out->duration_us = o->asked_us;
    }
    return tool_rate_fits(rate, o->asked_us > 0 ? o->asked_us : finished, succeeded, 1.5);
}

enum load_failure h2load_read(const struct tool_output *o, struct load_outcome *out,
                              struct err *e) {
    struct h2load_counts c;
    int64_t rate;
    if (!h2load_head(o->text, out, &rate) || !h2load_counts(o->text, &c)) {
        return h2load_bad("not what h2load prints", e);
    }
    int64_t replies = c.status[0] + c.status[1] + c.status[2] + c.status[3];
    if (c.done > c.started || c.succeeded + c.failed != c.done || replies > c.done) {
        return h2load_lies("its counts of requests do not fit", e);
    }
    if (!h2load_window(o, out, rate, c.succeeded)) {
        return h2load_lies("requests, time and rate do not fit", e);
    }
    out->requests = replies;
    out->errors_status = c.status[2] + c.status[3];
    out->errors_read = c.errored; /* those that it gave up waiting for included */
    out->latency_step_us = 1;
    enum load_failure f = h2load_log(o->file, c.done, &out->raw, e);
    out->errors_timeout = out->late = h2load_late(&out->raw, o->timeout_us);
    return f;
}

static void h2load_command(struct tool_command *c, const struct load_spec *spec, int64_t seconds,
                           const char *settings, const char *result) {
    (void)settings;
    tool_word(c, "--h1"); /* HTTP/1.1 on plain connections */
    tool_word(c, "-t");
    tool_word(c, "%d", spec->threads);
    tool_word(c, "-c");
    tool_word(c, "%d", spec->connections);
    tool_word(c, "-D");
    tool_word(c, "%" PRId64 "s", seconds);
    tool_word(c, "--log-file=%s", result);
    tool_word_url(c, spec);
}

static const char *const h2load_ask[] = {"--version", NULL};

static const struct tool_kind h2load_kind = {
    .ops = &load_h2load,
    .ask = h2load_ask,
    .version_after = "h2load nghttp2/",
    .command = h2load_command,
    .read = h2load_read,
};

TOOL_OPS(h2load, "h2load", "nghttp2-client");
