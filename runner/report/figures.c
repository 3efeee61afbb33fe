#include "report/figures.h"

#include <stdio.h>
#include <string.h>

static const struct figure_info infos[FIG_COUNT] = {
    [FIG_RATE] = {"requests_per_second", "throughput", "requests/s", 0, UNIT_PER_SECOND, true,
                  false},
    [FIG_CPU] = {"cpu_us_per_request", "server CPU per request", "µs", 0, UNIT_CPU_US, false,
                 false},
    [FIG_P50] = {"latency_p50_us", "p50", "µs", 0.5, UNIT_LATENCY_US, false, false},
    [FIG_P90] = {"latency_p90_us", "p90", "µs", 0.9, UNIT_LATENCY_US, false, false},
    [FIG_P99] = {"latency_p99_us", "p99", "µs", 0.99, UNIT_LATENCY_US, false, false},
    [FIG_P999] = {"latency_p999_us", "p99.9", "µs", 0.999, UNIT_LATENCY_US, false, false},
    [FIG_MAX] = {"latency_max_us", "max", "µs", 0, UNIT_LATENCY_US, false, false},
    [FIG_CORRECTED_P50] = {"corrected_p50_us", "p50 corrected", "µs", 0.5, UNIT_LATENCY_US, false,
                           true},
    [FIG_CORRECTED_P90] = {"corrected_p90_us", "p90 corrected", "µs", 0.9, UNIT_LATENCY_US, false,
                           true},
    [FIG_CORRECTED_P99] = {"corrected_p99_us", "p99 corrected", "µs", 0.99, UNIT_LATENCY_US, false,
                           true},
    [FIG_CORRECTED_P999] = {"corrected_p999_us", "p99.9 corrected", "µs", 0.999, UNIT_LATENCY_US,
                            false, true},
    [FIG_CORRECTED_MAX] = {"corrected_max_us", "max corrected", "µs", 0, UNIT_LATENCY_US, false,
                           true},
    [FIG_RSS_IDLE] = {"rss_idle_bytes", "memory, idle", "bytes", 0, UNIT_BYTES, false, false},
    [FIG_RSS_LOADED] = {"rss_loaded_bytes", "memory, loaded", "bytes", 0, UNIT_BYTES, false, false},
    [FIG_RSS_PEAK] = {"rss_peak_bytes", "memory, peak", "bytes", 0, UNIT_BYTES, false, false},
    [FIG_DURATION] = {"duration_us", "measured time", "µs", 0, UNIT_LATENCY_US, false, false},
};

const struct figure_info *figure_info(enum figure_id id) {
    return &infos[id];
}

static double known(int64_t v) {
    return v < 0 ? NAN : (double)v;
}

static double latency_value(const struct latency_summary *l, enum figure_id id) {
    switch (id) {
    case FIG_P50:
    case FIG_CORRECTED_P50:
        return known(l->p50_us);
    case FIG_P90:
    case FIG_CORRECTED_P90:
        return known(l->p90_us);
    case FIG_P99:
    case FIG_CORRECTED_P99:
        return known(l->p99_us);
    case FIG_P999:
    case FIG_CORRECTED_P999:
        return known(l->p999_us);
    default:
        return known(l->max_us);
    }
}

bool figure_is_pss(const struct trial_record *r) {
    return r->server.processes > 1 && r->memory.idle.pss >= 0 && r->memory.loaded.pss >= 0 &&
           r->memory.peak_pss >= 0;
}

const char *figure_memory_kind(const struct trial_record *r) {
    const bool any =
        r->memory.idle.rss >= 0 || r->memory.loaded.rss >= 0 || r->memory.peak_rss >= 0;
    return figure_is_pss(r) ? "pss" : any ? "rss" : "";
}

/* Several processes share pages: RSS would count these once for each. */
static double memory_value(const struct trial_record *r, enum figure_id id) {
    bool pss = figure_is_pss(r);
    const struct memory_result *m = &r->memory;
    switch (id) {
    case FIG_RSS_IDLE:
        return known(pss ? m->idle.pss : m->idle.rss);
    case FIG_RSS_LOADED:
        return known(pss ? m->loaded.pss : m->loaded.rss);
    default:
        return known(pss ? m->peak_pss : m->peak_rss);
    }
}

double figure_value(const struct trial_record *r, enum figure_id id) {
    switch (id) {
    case FIG_RATE:
        return r->rate;
    case FIG_CPU:
        return r->server.cpu_us_per_request;
    case FIG_RSS_IDLE:
    case FIG_RSS_LOADED:
    case FIG_RSS_PEAK:
        return memory_value(r, id);
    case FIG_DURATION:
        return known(r->load.duration_us);
    default:
        return latency_value(infos[id].corrected ? &r->corrected : &r->raw, id);
    }
}

/* Three digits that count. */
static int decimals_for(double scaled) {
    return scaled < 9.995 ? 2 : scaled < 99.95 ? 1 : 0;
}

static struct figure_scale scale_latency(double us) {
    if (us < 999.5) {
        return (struct figure_scale){1, us < 9.95 ? 1 : 0, "µs"};
    }
    double divisor = us < 999500 ? 1e3 : 1e6;
    return (struct figure_scale){divisor, decimals_for(us / divisor), us < 999500 ? "ms" : "s"};
}

static struct figure_scale scale_bytes(double bytes) {
    double divisor = bytes < 1024 * 999.5 ? 1024 : bytes < 1048576 * 999.5 ? 1048576 : 1073741824;
    return (struct figure_scale){divisor, decimals_for(bytes / divisor),
                                 divisor < 2000      ? "KiB"
                                 : divisor < 2000000 ? "MiB"
                                                     : "GiB"};
}

struct figure_scale figure_scale(enum figure_id id, double value) {
    switch (infos[id].kind) {
    case UNIT_PER_SECOND:
        return (struct figure_scale){1, value < 999.5 ? decimals_for(value) : 0, ""};
    case UNIT_CPU_US:
        return (struct figure_scale){1, decimals_for(value), "µs"};
    case UNIT_LATENCY_US:
        return scale_latency(value);
    case UNIT_BYTES:
        return scale_bytes(value);
    }
    return (struct figure_scale){1, 0, ""};
}

void figure_thousands(char *out, size_t size, double value) {
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%.0f", value);
    size_t used = 0;
    for (int i = 0; i < n && n < (int)sizeof digits && used + 2 < size; i++) {
        if (i > 0 && (n - i) % 3 == 0 && digits[i - 1] != '-') {
            out[used++] = ',';
        }
        out[used++] = digits[i];
    }
    out[used] = '\0';
}

void figure_format(char *out, size_t size, enum figure_id id, double value) {
    if (!isfinite(value)) {
        snprintf(out, size, "n/a");
        return;
    }
    struct figure_scale s = figure_scale(id, value);
    if (infos[id].kind == UNIT_PER_SECOND && value >= 999.5) {
        figure_thousands(out, size, value);
        return;
    }
    snprintf(out, size, "%.*f%s%s", s.decimals, value / s.divisor, *s.unit ? " " : "", s.unit);
}
