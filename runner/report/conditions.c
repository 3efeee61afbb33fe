#include "report/conditions.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/quality.h"
#include "store/manifest.h"

struct list {
    struct condition *out;
    size_t n;
};

static void add(struct list *l, const char *name, const char *why, const char *fix,
                const char *value, va_list ap) __attribute__((format(printf, 5, 0)));

static void add(struct list *l, const char *name, const char *why, const char *fix,
                const char *value, va_list ap) {
    if (l->n < CONDITIONS_MAX) {
        struct condition *c = &l->out[l->n++];
        *c = (struct condition){.name = name, .why = why, .fix = fix};
        vsnprintf(c->value, sizeof c->value, value, ap);
    }
}

static void judge(struct list *l, enum quality_id id, double measured, const char *value, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds the check when it warns; NaN does not. */
static void judge(struct list *l, enum quality_id id, double measured, const char *value, ...) {
    const enum quality_level level = quality_judge(id, measured);
    const struct quality_check *q = quality_check(id);
    va_list ap;
    va_start(ap, value);
    if (level == QUALITY_WARN || level == QUALITY_INVALID) {
        add(l, q->name, q->why, q->fix, value, ap);
    }
    va_end(ap);
}

static double number_at(const json_t *m, const char *path) {
    const json_t *v = manifest_at(m, path);
    return json_is_number(v) ? json_number_value(v) : NAN;
}

/* 1, 0; NaN where it is not recorded. */
static double flag_at(const json_t *m, const char *path) {
    const json_t *v = manifest_at(m, path);
    return json_is_boolean(v) ? (double)json_is_true(v) : NAN;
}

/* 1 where the text is there and `yes`, 0 where it is another. */
static double text_is(const char *text, const char *yes) {
    return *text ? (double)(strcmp(text, yes) == 0) : NAN;
}

static double most_connections(const json_t *m) {
    const json_t *levels = manifest_at(m, "plan.connections");
    double most = NAN;
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *n = json_array_get(levels, i);
        most = json_is_integer(n) ? fmax(most, (double)json_integer_value(n)) : most;
    }
    return most;
}

/* The kernel takes the smallest of the three; --backlog 0 asks for as much as it allows. */
static void judge_backlog(struct list *l, const json_t *m) {
    const int64_t asked = manifest_int(m, "options.backlog");
    const double somaxconn = number_at(m, "machine.limits.somaxconn");
    const double syn = number_at(m, "machine.limits.tcp_max_syn_backlog");
    const double most = most_connections(m);
    const size_t before = l->n;
    const double queue = fmin(fmin(asked > 0 ? (double)asked : NAN, somaxconn), syn);
    char option[48] = "";
    char text[2][32];
    if (asked > 0) {
        snprintf(option, sizeof option, "--backlog %" PRId64 ", ", asked);
    }
    judge(
        l, QUALITY_BACKLOG, queue - most,
        "a listen queue of %.0f for %.0f connections (%snet.core.somaxconn %s, "
        "net.ipv4.tcp_max_syn_backlog %s)",
        queue, most, option,
        manifest_text(m, "machine.limits.somaxconn", text[0], sizeof text[0], "unknown"),
        manifest_text(m, "machine.limits.tcp_max_syn_backlog", text[1], sizeof text[1], "unknown"));
    if (l->n > before && asked > 0 && !((double)asked > queue)) {
        l->out[before].fix = "give a larger --backlog, or none";
    }
}

static void no_cpu_each(struct list *l, const char *value, ...)
    __attribute__((format(printf, 2, 3)));

static void no_cpu_each(struct list *l, const char *value, ...) {
    va_list ap;
    va_start(ap, value);
    add(l, "cpus", "threads that share a CPU wait for each other",
        "ask for fewer --workers or --threads, or allow more CPUs", value, ap);
    va_end(ap);
}

/* The split notes all that it could not do; whose reason is told by one of the two checks is told.
 */
static void judge_cpus(struct list *l, const json_t *m) {
    const size_t before = l->n;
    char buf[3][256];
    const char *server = manifest_text(m, "cpus.server", buf[0], sizeof buf[0], "unknown");
    const char *generator = manifest_text(m, "cpus.generator", buf[1], sizeof buf[1], "unknown");
    const char *note = manifest_text(m, "cpus.note", buf[2], sizeof buf[2], "");
    judge(l, QUALITY_PINNING, 1 - flag_at(m, "cpus.disjoint"),
          "the server is on CPU %.60s, the load generator on CPU %.60s", server, generator);
    if (l->n == before) {
        judge(l, QUALITY_SMT, flag_at(m, "cpus.shares_core"),
              "the server on CPU %.60s and the load generator on CPU %.60s share a core", server,
              generator);
    }
    if (*note && l->n == before) {
        no_cpu_each(l, "%.200s (server %.60s, load generator %.60s)", note, server, generator);
    }
}

static void judge_settings(struct list *l, const json_t *m) {
    static const char *const slow[] = {"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies"};
    char buf[3][128];
    const char *governor = manifest_text(m, "machine.cpu.governor", buf[0], sizeof buf[0], "");
    const char *thp = manifest_text(m, "machine.memory.thp", buf[1], sizeof buf[1], "");
    const char *clock = manifest_text(m, "machine.kernel.clocksource", buf[2], sizeof buf[2], "");
    double slow_clock = 0;
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        slow_clock = strcmp(clock, slow[i]) == 0 ? 1 : slow_clock;
    }
    judge(l, QUALITY_GOVERNOR, 1 - text_is(governor, "performance"),
          "the frequency governor is %.100s", governor);
    judge(l, QUALITY_BOOST, flag_at(m, "machine.cpu.boost"), "the CPU may boost its clock");
    judge(l, QUALITY_THP, text_is(thp, "always"), "transparent huge pages are %.40s on", thp);
    judge(l, QUALITY_ASLR, number_at(m, "machine.kernel.aslr") == 0,
          "address space randomisation is off");
    judge(l, QUALITY_CLOCKSOURCE, slow_clock, "the kernel's clock is %.100s", clock);
}

size_t conditions_read(const json_t *m, struct condition out[CONDITIONS_MAX]) {
    struct list l = {out, 0};
    const double threads = number_at(m, "machine.cpu.threads");
    const double cpus = threads > 0 ? threads : number_at(m, "machine.cpu.allowed_count");
    const double load = number_at(m, "machine.load1");
    const double quota = number_at(m, "machine.cgroup.cpu_quota"); /* none is the text "max" */
    judge_backlog(&l, m);
    judge(&l, QUALITY_LOAD, cpus > 0 ? load / cpus : NAN,
          "a load average of %.2f on %.0f CPUs when the run began", load, cpus);
    judge_cpus(&l, m);
    judge_settings(&l, m);
    judge(&l, QUALITY_QUOTA, isnan(quota) ? NAN : 1, "a cgroup limits us to %.2f CPUs", quota);
    return l.n;
}

void condition_text(const struct condition *c, char *out, size_t size) {
    snprintf(out, size, "%s: %s; %s; remedy: %s", c->name, c->value, c->why, c->fix);
}
