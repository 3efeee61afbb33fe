#include "report/replay_metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/verdicts.h"

/* Metrics that are figures of a cell; FIG_COUNT = one of our own. */
static const enum figure_id figures[REPLAY_METRICS] = {
    [REPLAY_THROUGHPUT] = FIG_RATE,
    [REPLAY_CPU] = FIG_CPU,
    [REPLAY_P50] = FIG_P50,
    [REPLAY_P99] = FIG_P99,
    [REPLAY_TIME] = FIG_DURATION,
    [REPLAY_MEMORY] = FIG_RSS_PEAK,
    [REPLAY_MEMORY_IDLE] = FIG_RSS_IDLE,
    [REPLAY_GROWTH] = FIG_COUNT,
    [REPLAY_BYTES] = FIG_COUNT,
    [REPLAY_SPREAD] = FIG_COUNT,
    [REPLAY_QUEUE] = FIG_COUNT,
    [REPLAY_AVAILABILITY] = FIG_COUNT,
    [REPLAY_FAILED] = FIG_COUNT,
    [REPLAY_REFUSED] = FIG_COUNT,
    [REPLAY_ERRORS] = FIG_COUNT,
    [REPLAY_OVERFLOW] = FIG_COUNT,
    [REPLAY_SLOW] = FIG_COUNT,
    [REPLAY_OUTLIER] = FIG_COUNT,
};

/* Of kinds that are known; bad replies (of a wrong status, or late) are among the requests. */
static int64_t errors_of(const struct load_result *l, bool replies) {
    const int64_t kinds[] = {l->errors_connect, l->errors_read, l->errors_write,
                             replies ? l->errors_timeout : 0, replies ? l->errors_status : 0};
    int64_t n = 0;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        n += kinds[i] > 0 ? kinds[i] : 0;
    }
    return n;
}

/* Of all that was tried, what came back as it should. */
static double availability(const struct load_result *l) {
    if (l->requests < 0 || l->errors_status < 0) {
        return NAN;
    }
    const double tried = (double)(l->requests + errors_of(l, false));
    const double late = l->errors_timeout > 0 ? (double)l->errors_timeout : 0;
    const double good = fmax(0, (double)(l->requests - l->errors_status) - late);
    return tried > 0 ? good / tried : NAN;
}

static double own_value(const struct trial_record *t, enum replay_metric metric) {
    const struct latency_summary *raw = &t->raw;
    const double p50 = raw->p50_us > 0 ? (double)raw->p50_us : NAN;
    switch (metric) {
    case REPLAY_BYTES:
        return t->load.bytes >= 0 && t->load.requests > 0
                   ? (double)t->load.bytes / (double)t->load.requests
                   : NAN;
    case REPLAY_SPREAD:
        return raw->p99_us > 0 ? (double)raw->p99_us / p50 : NAN;
    case REPLAY_GROWTH:
        return figure_value(t, FIG_RSS_PEAK) / figure_value(t, FIG_RSS_IDLE);
    case REPLAY_QUEUE:
        return p50 / 1e6 * t->rate / t->connections;
    case REPLAY_AVAILABILITY:
        return availability(&t->load);
    default:
        return NAN;
    }
}

double replay_value(const struct cell *cell, size_t round, enum replay_metric metric) {
    const struct trial_record *t = cell->trial[round];
    /* What disturbs a machine does not change the bytes of a reply. */
    if (!t || t->status != TRIAL_OK || (metric != REPLAY_BYTES && verdict_trial_invalid(t))) {
        return NAN;
    }
    return figures[metric] < FIG_COUNT ? figure_value(t, figures[metric]) : own_value(t, metric);
}

const char *replay_value_missing(const struct cell *cell, enum replay_metric metric) {
    const enum figure_id id = metric == REPLAY_SPREAD ? FIG_P99 : figures[metric];
    if (metric == REPLAY_THROUGHPUT || metric == REPLAY_TIME) {
        return cell->client == CLIENT_LIMITED
                   ? "the load generator was the limit, so this says nothing of the server"
                   : NULL;
    }
    return id < FIG_COUNT && figure_info(id)->quantile > 0 && cell->figure[id].missing[0]
               ? cell->figure[id].missing
               : NULL;
}

static bool had_errors(const struct trial_record *t) {
    return t->status != TRIAL_OK || errors_of(&t->load, true) > 0;
}

static int is_slow(const struct cell *cell, const struct trial_record *t, double limit) {
    const double median = cell->figure[FIG_RATE].s.median;
    return t->status == TRIAL_OK && isfinite(median) ? t->rate < limit * median : -1;
}

static int is_outlier(const struct trial_record *t, double limit) {
    return t->status == TRIAL_OK && t->raw.p99_us > 0
               ? (double)t->raw.max_us > limit * (double)t->raw.p99_us
               : -1;
}

int replay_event(const struct cell *cell, size_t rounds, size_t round,
                 const struct replay_claim *claim) {
    const struct trial_record *t = round < rounds ? cell->trial[round] : NULL;
    if (!t) {
        return -1;
    }
    switch (claim->metric) {
    case REPLAY_FAILED:
        return t->status != TRIAL_OK;
    case REPLAY_REFUSED:
        return t->failure == FAIL_REFUSED || t->load.errors_connect > 0;
    case REPLAY_ERRORS:
        return had_errors(t);
    case REPLAY_OVERFLOW:
        return t->environment.listen_overflows >= 0 ? t->environment.listen_overflows > 0 : -1;
    case REPLAY_SLOW:
        return is_slow(cell, t, claim->limit);
    case REPLAY_OUTLIER:
        return is_outlier(t, claim->limit);
    default:
        return -1;
    }
}

double replay_median(const struct cell *cell, size_t rounds, enum replay_metric metric,
                     double work[]) {
    for (size_t i = 0; i < rounds; i++) {
        work[i] = replay_value(cell, i, metric);
    }
    const size_t n = order_clean(work, rounds);
    return order_median(work, n);
}

void replay_format(char *out, size_t size, enum replay_metric metric, double value) {
    if (!isfinite(value)) {
        snprintf(out, size, "n/a");
    } else if (figures[metric] < FIG_COUNT) {
        figure_format(out, size, figures[metric], value);
    } else if (metric == REPLAY_BYTES) {
        snprintf(out, size, "%.0f B", value);
    } else if (metric == REPLAY_AVAILABILITY) {
        snprintf(out, size, "%.2f%%", 100 * value);
    } else {
        snprintf(out, size, "%.2f", value);
    }
}
