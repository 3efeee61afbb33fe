#include "report/compare_gate.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIGITS_MAX 6

static const char *const names[ABOUT_COUNT] = {
    [ABOUT_CPU] = "cpu", [ABOUT_RATE] = "throughput", [ABOUT_P50] = "p50",
    [ABOUT_P99] = "p99", [ABOUT_MEMORY] = "memory",
};

const char *gate_metric_name(enum verdict_about about) {
    return names[about];
}

enum verdict_about gate_metric_find(const char *name, size_t len) {
    int i = 0;
    while (i < ABOUT_COUNT && (strlen(names[i]) != len || strncmp(names[i], name, len) != 0)) {
        i++;
    }
    return (enum verdict_about)i;
}

/* Digits, and as many behind a point; *at moves behind them. Returns -1 where there are none. */
static double read_decimal(const char **at) {
    double value = 0;
    double unit = 1;
    int digits = 0;
    bool point = false;
    for (;; (*at)++) {
        if (**at == '.' && !point && digits > 0) {
            point = true;
        } else if (**at >= '0' && **at <= '9' && digits < DIGITS_MAX) {
            unit = point ? unit / 10 : unit;
            value = point ? value + unit * (**at - '0') : value * 10 + (**at - '0');
            digits++;
        } else {
            break;
        }
    }
    return digits > 0 && (*at)[-1] != '.' ? value : -1;
}

int gate_read_percent(const char **at, const char *metric, double *percent, struct err *e) {
    const char *text = *at + strspn(*at, " ");
    if (*text != '>') {
        return err_set(e, ERR_USAGE, "--fail-on: %s: write %s>5%%, which is worse by more than 5%%",
                       metric, metric);
    }
    text++;
    text += strspn(text, " ");
    *percent = read_decimal(&text);
    text += strspn(text, " ");
    if (*percent < 0 || *text != '%') {
        return err_set(e, ERR_USAGE, "--fail-on: %s: not a percentage like 5%% or 2.5%%", metric);
    }
    *at = text + 1;
    return 0;
}

static int gate_add(struct gate *g, const char **at, struct err *e) {
    const char *begin = *at + strspn(*at, " ");
    const size_t len = strcspn(begin, "<>=, %");
    const enum verdict_about about = gate_metric_find(begin, len);
    if (about == ABOUT_COUNT) {
        return err_set(e, ERR_USAGE,
                       "--fail-on: no metric is called '%.*s'; there are cpu, throughput, p50, "
                       "p99, memory, instructions, syscalls, allocations and bytes",
                       len < 64 ? (int)len : 64, begin);
    }
    for (size_t i = 0; i < g->count; i++) {
        if (g->limit[i].about == about) {
            return err_set(e, ERR_USAGE, "--fail-on: %s has two limits; keep one", names[about]);
        }
    }
    const char *text = begin + len;
    double percent = 0;
    if (gate_read_percent(&text, names[about], &percent, e) != 0) {
        return -1;
    }
    if (about == ABOUT_RATE ? percent >= 100 : percent > 1000) {
        return err_set(e, ERR_USAGE, "--fail-on: %s: %s", names[about],
                       about == ABOUT_RATE ? "throughput cannot fall by 100% and answer anything; "
                                             "choose a smaller limit"
                                           : "a limit is at most 1000%");
    }
    struct gate_limit *limit = &g->limit[g->count++];
    *limit = (struct gate_limit){.about = about, .percent = percent};
    snprintf(limit->text, sizeof limit->text, "%s>%.10g%%", names[about], percent);
    *at = text;
    return 0;
}

int gate_parse(struct gate *g, const char *text, struct err *e) {
    *g = (struct gate){0};
    for (;;) {
        if (gate_add(g, &text, e) != 0) {
            return -1;
        }
        text += strspn(text, " ");
        if (!*text) {
            return 0;
        }
        if (*text != ',') {
            return err_set(e, ERR_USAGE, "--fail-on: '%.32s' after %s; separate limits by commas",
                           text, g->limit[g->count - 1].text);
        }
        text++;
    }
}

/* As a logarithm of the worsening, above 0. */
static double limit_at(const struct gate_limit *limit) {
    return limit->about == ABOUT_RATE ? -log1p(-limit->percent / 100) : log1p(limit->percent / 100);
}

enum gate_state gate_judge(const struct gate_limit *limit, const struct unpaired *u) {
    const struct verdict *v = &u->change;
    if (v->kind == VERDICT_INSUFFICIENT || v->kind == VERDICT_CLIENT_LIMITED) {
        return GATE_UNDECIDED;
    }
    const bool falls = limit->about == ABOUT_RATE;
    const double worse_lo = falls ? -v->log_hi : v->log_lo;
    const double worse_hi = falls ? -v->log_lo : v->log_hi;
    const double at = limit_at(limit);
    if (worse_lo > at) {
        return GATE_CROSSED;
    }
    return worse_hi <= at ? GATE_KEPT : GATE_UNDECIDED;
}

size_t gate_rounds_needed(const struct gate_limit *limit, const struct unpaired *u) {
    if (u->change.kind == VERDICT_CLIENT_LIMITED || limit->percent <= 0) {
        return 0;
    }
    const size_t valid = u->valid[0] < u->valid[1] ? u->valid[0] : u->valid[1];
    const size_t n = unpaired_rounds_needed(u, limit_at(limit));
    return n > valid ? n : 0;
}
