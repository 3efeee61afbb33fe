/* ApacheBench. It speaks HTTP/1.0 and keeps connections (-k) only while replies have a
 * Content-Length and say keep-alive. Its screen has whole milliseconds; its table (-e) has every
 * percentile to the microsecond. One thread. */
#include <inttypes.h>
#include <stdlib.h>

#include "load/scan.h"
#include "load/tool.h"

/* It stops at a number of requests, too: more than its one thread could send in a second. */
#define REQUESTS_A_SECOND INT64_C(500000)

#define STEP_US 1

static enum load_failure ab_bad(const char *what, struct err *e) {
    err_set(e, ERR_FAILED, "the output is not usable: %s", what);
    return LOAD_RESULT;
}

static bool ab_count(const char *text, const char *label, const char *unit, int64_t *out) {
    const char *at = scan_label(text, label);
    return at && scan_count(&at, out) && scan_word(&at, unit) && scan_line_end(at);
}

/* A line that is there only when its count is not 0. */
static bool ab_optional(const char *text, const char *label, int64_t *out) {
    *out = 0;
    return !scan_label(text, label) || ab_count(text, label, "", out);
}

/* "   (Connect: 0, Receive: 1, Length: 0, Exceptions: 0)", when there were failures. */
static bool ab_failures(const char *text, int64_t failed, struct load_outcome *out) {
    int64_t length;
    int64_t exceptions;
    out->errors_connect = out->errors_read = 0;
    if (failed == 0) {
        return true;
    }
    const char *at = scan_label(text, "   (Connect:");
    if (!at || !scan_count(&at, &out->errors_connect) || !scan_word(&at, ", Receive: ") ||
        !scan_count(&at, &out->errors_read) || !scan_word(&at, ", Length: ") ||
        !scan_count(&at, &length) || !scan_word(&at, ", Exceptions: ") ||
        !scan_count(&at, &exceptions) || !scan_word(&at, ")") || !scan_line_end(at)) {
        return false;
    }
    out->errors_read += exceptions;
    return out->errors_connect + out->errors_read + length == failed;
}

/* "Percentage served,Time in ms", then "0,0.067" to "100,13.723". */
static enum load_failure ab_table(const char *text, struct latency_summary *told, struct err *e) {
    int64_t us[101];
    const char *at = text;
    if (!scan_word(&at, "Percentage served,Time in ms\n")) {
        return ab_bad("the table of percentiles has another heading", e);
    }
    for (int64_t i = 0; i <= 100; i++) {
        int64_t percent;
        if (!scan_count(&at, &percent) || percent != i || !scan_word(&at, ",") ||
            !scan_millionths(&at, &us[i]) || !scan_word(&at, "\n")) {
            return ab_bad("the table of percentiles breaks off", e);
        }
        us[i] /= 1000;
        if (i > 0 && us[i] < us[i - 1]) {
            err_set(e, ERR_FAILED, "the percentiles contradict each other: they do not ascend");
            return LOAD_LIES;
        }
    }
    if (*at) {
        return ab_bad("something follows the table of percentiles", e);
    }
    told->min_us = us[0];
    told->p50_us = us[50];
    told->p75_us = us[75];
    told->p90_us = us[90];
    told->p99_us = us[99];
    told->max_us = us[100];
    return LOAD_OK;
}

/* The screen's longest request is the table's, in whole ms. */
static bool ab_longest_fits(const char *text, int64_t max_us) {
    const char *at = scan_label(text, " 100%");
    int64_t ms;
    return at && scan_count(&at, &ms) && scan_word(&at, " (longest request)") &&
           llabs(ms * 1000 - max_us) <= 1000;
}

static enum load_failure ab_contradict(const struct tool_output *o, const struct load_outcome *out,
                                       int64_t level, int64_t kept, int64_t rate, struct err *e) {
    const char *what = NULL;
    if (level != o->connections) {
        what = "it opened another number of connections than it was told";
    } else if (kept > out->requests || out->errors_status > out->requests) {
        what = "more kept or bad replies than replies";
    } else if (!tool_rate_fits(rate, out->duration_us, out->requests, 1)) {
        what = "requests, time and rate do not fit";
    }
    if (what) {
        err_set(e, ERR_FAILED, "the figures contradict each other: %s", what);
    }
    return what ? LOAD_LIES : LOAD_OK;
}

enum load_failure ab_read(const struct tool_output *o, struct load_outcome *out, struct err *e) {
    const char *t = o->text;
    const char *time = scan_label(t, "Time taken for tests:");
    const char *per_second = scan_label(t, "Requests per second:");
    int64_t level;
    int64_t failed;
    int64_t kept;
    int64_t rate;
    if (!ab_count(t, "Concurrency Level:", "", &level) || !time ||
        !scan_millionths(&time, &out->duration_us) || !scan_word(&time, " seconds") ||
        !ab_count(t, "Complete requests:", "", &out->requests) ||
        !ab_count(t, "Failed requests:", "", &failed) ||
        !ab_optional(t, "Write errors:", &out->errors_write) ||
        !ab_optional(t, "Non-2xx responses:", &out->errors_status) ||
        !ab_count(t, "Keep-Alive requests:", "", &kept) ||
        !ab_count(t, "Total transferred:", " bytes", &out->bytes) || !per_second ||
        !scan_millionths(&per_second, &rate) || !scan_word(&per_second, " [#/sec] (mean)") ||
        !ab_failures(t, failed, out)) {
        return ab_bad("not what ab 2.3 prints", e);
    }
    out->threads = 1;
    out->latency_step_us = STEP_US;
    enum load_failure f = ab_contradict(o, out, level, kept, rate, e);
    if (f != LOAD_OK || out->requests == 0) {
        return f;
    }
    f = ab_table(o->file, &out->told, e);
    if (f == LOAD_OK && !ab_longest_fits(t, out->told.max_us)) {
        err_set(e, ERR_FAILED,
                "the figures contradict each other: the longest request is another "
                "on its screen than in its table");
        f = LOAD_LIES;
    }
    tool_judge_late(o, out);
    return f;
}

static void ab_command(struct tool_command *c, const struct load_spec *spec, int64_t seconds,
                       const char *settings, const char *result) {
    (void)settings;
    tool_word(c, "-k"); /* keep connections */
    tool_word(c, "-q");
    tool_word(c, "-l"); /* replies may differ in length */
    tool_word(c, "-t");
    tool_word(c, "%" PRId64, seconds);
    tool_word(c, "-n");
    tool_word(c, "%" PRId64, seconds * REQUESTS_A_SECOND);
    tool_word(c, "-c");
    tool_word(c, "%d", spec->connections);
    tool_word(c, "-s");
    tool_word(c, "%" PRId64, tool_timeout_s(spec));
    tool_word(c, "-e");
    tool_word(c, "%s", result);
    tool_word_url(c, spec);
}

static const char *const ab_ask[] = {"-V", NULL};

static const struct tool_kind ab_kind = {
    .ops = &load_ab,
    .ask = ab_ask,
    .version_after = "This is ApacheBench, Version ",
    .version_known = "2.",
    .max_connections = 20000, /* its own limit */
    .command = ab_command,
    .read = ab_read,
};

TOOL_OPS(ab, "ab", "apache2-utils");
