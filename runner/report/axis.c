#include "report/axis.h"

#include <math.h>

static void tick_text(char *out, size_t size, enum figure_unit unit, double v) {
    static const char *const big[] = {"", "k", "M", "G"};
    int step = 0;
    switch (unit) {
    case UNIT_LATENCY_US:
        if (v < 999.5) {
            snprintf(out, size, "%g µs", v);
        } else {
            snprintf(out, size, v < 999500 ? "%g ms" : "%g s", v / (v < 999500 ? 1e3 : 1e6));
        }
        return;
    case UNIT_BYTES:
        snprintf(out, size, "%g", v / 1048576);
        return;
    case UNIT_PER_SECOND:
        for (; v >= 999.5 && step < 3; step++) {
            v /= 1000;
        }
        snprintf(out, size, "%g%s", v, big[step]);
        return;
    case UNIT_CPU_US:
        snprintf(out, size, "%g", v);
        return;
    }
}

static void add_tick(struct axis *a, enum figure_unit unit, double v) {
    if (a->count < AXIS_TICKS_MAX) {
        a->tick[a->count] = v;
        tick_text(a->text[a->count++], sizeof a->text[0], unit, v);
    }
}

static double unit_base(enum figure_unit unit) {
    return unit == UNIT_BYTES ? 1048576 : 1;
}

/* 1, 2 or 5 times a power of ten that gives three to eight steps up to hi. */
static void linear_ticks(struct axis *a, enum figure_unit unit, double hi) {
    static const double steps[] = {1, 2, 5, 10};
    const double base = unit_base(unit);
    const double rough = hi / base / 7.5;
    const double power = pow(10, floor(log10(rough)));
    double step = steps[0] * power;
    for (size_t i = 0; i < 4 && step < rough; i++) {
        step = steps[i] * power;
    }
    a->lo = 0;
    a->hi = hi * 1.06;
    for (int i = 0; i * step <= a->hi / base * (1 + 1e-9); i++) {
        add_tick(a, unit, i * step * base);
    }
}

static void log_ticks(struct axis *a, enum figure_unit unit, double lo, double hi) {
    /* Sparse, ordinary and close marks of a decade. Whole decades alone would leave a short axis
     * with one tick or none; the close ones lie nearer to each other than the shortest axis is
     * long. */
    static const double sets[][10] = {{1}, {1, 2, 5}, {1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}};
    static const size_t sizes[] = {1, 3, 10};
    const double base = unit_base(unit);
    const double decades = log10(hi / lo);
    const int set = decades > 3.2 ? 0 : decades > 0.7 ? 1 : 2;
    a->log = true;
    a->lo = lo / 1.25;
    a->hi = hi * 1.25;
    for (int power = (int)floor(log10(a->lo / base)); pow(10, power) <= a->hi / base; power++) {
        for (size_t i = 0; i < sizes[set]; i++) {
            double v = sets[set][i] * pow(10, power) * base;
            if (v >= a->lo && v <= a->hi) {
                add_tick(a, unit, v);
            }
        }
    }
}

void axis_choose(struct axis *a, enum figure_unit unit, double lo, double hi) {
    static const char *const units[] = {
        [UNIT_PER_SECOND] = "requests/s",
        [UNIT_CPU_US] = "µs",
        [UNIT_LATENCY_US] = "",
        [UNIT_BYTES] = "MiB",
    };
    *a = (struct axis){.unit = units[unit]};
    if (!(lo > 0) || !(hi >= lo)) {
        lo = hi = unit_base(unit);
    }
    if (unit == UNIT_LATENCY_US || hi / lo >= AXIS_LOG_RATIO) {
        log_ticks(a, unit, lo, hi);
    } else {
        linear_ticks(a, unit, hi);
    }
}

/* 1, 2 or 5 times a power of ten, at least `rough`. */
static double nice_step(double rough) {
    const double power = pow(10, floor(log10(rough)));
    const double part = rough / power;
    return power * (part <= 1 + 1e-9 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

void axis_near(struct axis *a, enum figure_unit unit, double lo, double hi, int ticks) {
    static const char *const units[] = {
        [UNIT_PER_SECOND] = "requests/s",
        [UNIT_CPU_US] = "µs",
        [UNIT_LATENCY_US] = "",
        [UNIT_BYTES] = "MiB",
    };
    const double base = unit_base(unit);
    *a = (struct axis){.unit = units[unit]};
    if (!(hi >= lo)) {
        lo = 0;
        hi = base;
    }
    const double room = hi > lo ? 0.06 * (hi - lo) : fmax(0.02 * fabs(hi), 1e-3 * base);
    a->lo = lo - room;
    a->hi = hi + room;
    const double step = nice_step((a->hi - a->lo) / base / ticks);
    const double first = ceil(a->lo / base / step);
    for (int i = 0; (first + i) * step <= a->hi / base * (1 + 1e-12) && i < AXIS_TICKS_MAX; i++) {
        add_tick(a, unit, (first + i) * step * base);
    }
}

/* Further than this from 1, percents are hard to read. */
#define RATIO_WIDE 2.2

static void add_ratio(struct axis *a, double v, bool wide) {
    if (v < a->lo || v > a->hi || a->count == AXIS_TICKS_MAX) {
        return;
    }
    char *text = a->text[a->count];
    a->tick[a->count++] = v;
    if (wide) {
        snprintf(text, sizeof a->text[0], "×%g", v);
    } else if (fabs(v - 1) < 1e-9) {
        snprintf(text, sizeof a->text[0], "0");
    } else {
        snprintf(text, sizeof a->text[0], "%s%.6g%%", v < 1 ? "−" : "+", 100 * fabs(v - 1));
    }
}

void axis_ratio(struct axis *a, double lo, double hi) {
    *a = (struct axis){.log = true, .unit = ""};
    lo = fmin(lo, 1);
    hi = fmax(hi, 1);
    const double room = pow(hi / lo, 0.05) * 1.002;
    a->lo = lo / room;
    a->hi = hi * room;
    if (hi > RATIO_WIDE || lo < 1 / RATIO_WIDE) {
        static const double marks[] = {1, 2, 5};
        for (int power = -4; power < 5; power++) {
            for (size_t i = 0; i < 3; i++) {
                const double v = marks[i] * pow(10, power);
                add_ratio(a, v, true);
            }
        }
        return;
    }
    const double step = nice_step((a->hi - a->lo) / 6);
    for (int i = -40; i <= 40; i++) {
        add_ratio(a, 1 + i * step, false);
    }
}

void axis_quantiles(struct axis *a, double lo, double hi) {
    static const struct {
        double x;
        const char *text;
    } marks[] = {{2, "50%"},        {10, "90%"},         {100, "99%"},         {1000, "99.9%"},
                 {10000, "99.99%"}, {100000, "99.999%"}, {1000000, "99.9999%"}};
    *a = (struct axis){.log = true, .lo = lo, .hi = hi, .unit = ""};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0] && marks[i].x <= hi; i++) {
        a->tick[a->count] = marks[i].x;
        snprintf(a->text[a->count++], sizeof a->text[0], "%s", marks[i].text);
    }
}
