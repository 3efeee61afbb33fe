/* siege. A thread for each connection; times in hundredths of a second; of the bytes only bodies.
 * Its -t counts whole seconds of the clock, so that it ends up to a second early: it is told one
 * more. It reads settings and writes cookies in its user's home, which it is given none of. */
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load/tool.h"

/* MiB in hundredths: 5% of this much. */
#define DATA_LEAST 0.1
#define STEP_US    10000
#define MIB        1048576.0
#define LIMIT      1e12

/* The members that its JSON has; they are read in this order. */
enum siege_member {
    SIEGE_TRANSACTIONS,
    SIEGE_ELAPSED,
    SIEGE_DATA,
    SIEGE_RESPONSE,
    SIEGE_RATE,
    SIEGE_SUCCESSFUL,
    SIEGE_FAILED,
    SIEGE_LONGEST,
    SIEGE_SHORTEST,
    SIEGE_MEMBERS,
};

static const char *const siege_names[SIEGE_MEMBERS] = {
    "transactions",        "elapsed_time",        "data_transferred",
    "response_time",       "transaction_rate",    "successful_transactions",
    "failed_transactions", "longest_transaction", "shortest_transaction",
};

static bool siege_members(const char *text, double v[SIEGE_MEMBERS], struct err *e) {
    json_error_t why;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &why);
    if (!root) {
        err_set(e, ERR_FAILED, "the output is not usable: not JSON (%s)", why.text);
        return false;
    }
    bool good = json_is_object(root);
    for (size_t i = 0; good && i < SIEGE_MEMBERS; i++) {
        const json_t *m = json_object_get(root, siege_names[i]);
        v[i] = json_number_value(m);
        good = json_is_number(m) && v[i] >= 0 && v[i] < LIMIT;
        if (!good) {
            err_set(e, ERR_FAILED, "the output is not usable: '%s' is no sound number",
                    siege_names[i]);
        }
    }
    if (!json_is_object(root)) {
        err_set(e, ERR_FAILED, "the output is not usable: no JSON object");
    }
    json_decref(root);
    return good;
}

/* What is wrong between them, or NULL. */
static const char *siege_contradiction(const double v[SIEGE_MEMBERS]) {
    if (v[SIEGE_TRANSACTIONS] != floor(v[SIEGE_TRANSACTIONS]) ||
        v[SIEGE_SUCCESSFUL] != floor(v[SIEGE_SUCCESSFUL]) ||
        v[SIEGE_FAILED] != floor(v[SIEGE_FAILED])) {
        return "it counts parts of requests";
    }
    if (v[SIEGE_SUCCESSFUL] > v[SIEGE_TRANSACTIONS]) {
        return "more successful transactions than transactions";
    }
    if (v[SIEGE_SHORTEST] > v[SIEGE_LONGEST] || v[SIEGE_LONGEST] > v[SIEGE_ELAPSED] + 0.02) {
        return "its shortest, longest and whole time do not fit";
    }
    /* A time in hundredths of a second: 2% of one second. */
    if (!tool_rate_fits((int64_t)(v[SIEGE_RATE] * 1e3) * 1000,
                        (int64_t)llround(v[SIEGE_ELAPSED] * 1e6), (int64_t)v[SIEGE_TRANSACTIONS],
                        2)) {
        return "transactions, time and rate do not fit";
    }
    return NULL;
}

enum load_failure siege_read(const struct tool_output *o, struct load_outcome *out, struct err *e) {
    double v[SIEGE_MEMBERS] = {0};
    if (!siege_members(o->text, v, e)) {
        return LOAD_RESULT;
    }
    const char *wrong = siege_contradiction(v);
    if (wrong) {
        err_set(e, ERR_FAILED, "the figures contradict each other: %s", wrong);
        return LOAD_LIES;
    }
    out->duration_us = llround(v[SIEGE_ELAPSED] * 1e6);
    out->requests = (int64_t)v[SIEGE_TRANSACTIONS];
    if (v[SIEGE_DATA] >= DATA_LEAST) { /* less is lost in the rounding of what it prints */
        out->bytes = llround(v[SIEGE_DATA] * MIB);
    }
    out->errors_status = (int64_t)(v[SIEGE_TRANSACTIONS] - v[SIEGE_SUCCESSFUL]);
    out->errors_read = (int64_t)v[SIEGE_FAILED];
    out->told.mean_us = v[SIEGE_RESPONSE] * 1e6;
    out->told.min_us = llround(v[SIEGE_SHORTEST] * 1e6);
    out->told.max_us = llround(v[SIEGE_LONGEST] * 1e6);
    out->latency_step_us = STEP_US;
    out->threads = o->connections;
    tool_judge_late(o, out);
    return LOAD_OK;
}

/* All that its own file would set otherwise; without a limit of 255 connections. */
static void siege_settings(FILE *out, const struct load_spec *spec) {
    fprintf(out,
            "verbose = false\ncolor = off\nquiet = false\njson_output = true\n"
            "logging = false\nshow-logfile = false\nconnection = keep-alive\n"
            "protocol = HTTP/1.1\nparser = false\ncache = false\ncookies = false\n"
            "benchmark = true\nlimit = %d\ntimeout = %" PRId64 "\n",
            spec->connections, tool_timeout_s(spec));
}

static void siege_command(struct tool_command *c, const struct load_spec *spec, int64_t seconds,
                          const char *settings, const char *result) {
    (void)result;
    tool_word(c, "-R");
    tool_word(c, "%s", settings);
    tool_word(c, "-b"); /* no pause between requests */
    tool_word(c, "-j");
    tool_word(c, "-c");
    tool_word(c, "%d", spec->connections);
    tool_word(c, "-t");
    tool_word(c, "%" PRId64 "S", seconds);
    tool_word_url(c, spec);
}

static const char *const siege_ask[] = {"-R", "/dev/null", "--version", NULL};
static const char *const siege_env[] = {"HOME=/dev/null", NULL};

static const struct tool_kind siege_kind = {
    .ops = &load_siege,
    .ask = siege_ask,
    .version_after = "SIEGE ",
    .version_known = "4.0.",
    .env = siege_env,
    .max_connections = 4096, /* threads */
    .extra_ns = INT64_C(1000000000),
    .settings = siege_settings,
    .command = siege_command,
    .read = siege_read,
};

TOOL_OPS(siege, "siege", "siege");
