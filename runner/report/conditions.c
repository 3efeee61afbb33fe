#include "report/conditions.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/cpus.h"
#include "base/machine_rules.h"
#include "base/quality.h"
#include "store/manifest.h"

struct list {
    const struct machine_facts *facts;
    struct condition *out;
    size_t n;
};

static void judge(struct list *l, enum quality_id id, const char *value, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds the check when it warns; what is unknown does not. */
static void judge(struct list *l, enum quality_id id, const char *value, ...) {
    const enum quality_level level = quality_judge(id, machine_rule(id, l->facts));
    const struct quality_check *q = quality_check(id);
    va_list ap;
    va_start(ap, value);
    if ((level == QUALITY_WARN || level == QUALITY_INVALID) && l->n < CONDITIONS_MAX) {
        struct condition *c = &l->out[l->n++];
        *c = (struct condition){.name = q->name, .why = q->why, .fix = q->fix};
        vsnprintf(c->value, sizeof c->value, value, ap);
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

static double most_connections(const json_t *m) {
    const json_t *levels = manifest_at(m, "plan.connections");
    double most = NAN;
    for (size_t i = 0; i < json_array_size(levels); i++) {
        const json_t *n = json_array_get(levels, i);
        most = json_is_integer(n) ? fmax(most, (double)json_integer_value(n)) : most;
    }
    return most;
}

/* --backlog 0 asks for as much as the kernel allows. */
static void judge_backlog(struct list *l, const json_t *m) {
    const struct machine_facts *facts = l->facts;
    const size_t before = l->n;
    const double queue = machine_queue(facts);
    char option[48] = "";
    char text[2][32];
    if (facts->backlog > 0) {
        snprintf(option, sizeof option, "--backlog %.0f, ", facts->backlog);
    }
    judge(
        l, QUALITY_BACKLOG,
        "a listen queue of %.0f for %.0f connections (%snet.core.somaxconn %s, "
        "net.ipv4.tcp_max_syn_backlog %s)",
        queue, facts->connections, option,
        manifest_text(m, "machine.limits.somaxconn", text[0], sizeof text[0], "unknown"),
        manifest_text(m, "machine.limits.tcp_max_syn_backlog", text[1], sizeof text[1], "unknown"));
    if (l->n > before && facts->backlog > 0 && !(facts->backlog > queue)) {
        l->out[before].fix = "give a larger --backlog, or none";
    }
}

/* The split notes all that it could not do; whose reason is told by one of the two checks is told.
 */
static void judge_cpus(struct list *l, const json_t *m, const char *note) {
    const size_t before = l->n;
    char buf[2][256];
    const char *server = manifest_text(m, "cpus.server", buf[0], sizeof buf[0], "unknown");
    const char *generator = manifest_text(m, "cpus.generator", buf[1], sizeof buf[1], "unknown");
    judge(l, QUALITY_PINNING, "the server is on CPU %.60s, the load generator on CPU %.60s", server,
          generator);
    if (l->n == before) {
        judge(l, QUALITY_SMT,
              "the server on CPU %.60s and the load generator on CPU %.60s share a core", server,
              generator);
    }
    if (l->n == before) {
        judge(l, QUALITY_CPUS, "%.200s (server %.60s, load generator %.60s)", note, server,
              generator);
    }
}

/* CPUs of both sides together; NaN where they are not recorded. */
static double used_cpus(const json_t *m) {
    static const char *const paths[] = {"cpus.server", "cpus.generator"};
    cpu_set_t both;
    CPU_ZERO(&both);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const char *text = json_string_value(manifest_at(m, paths[i]));
        cpu_set_t one;
        struct err ignored = {0};
        if (!text || cpus_parse(text, paths[i], &one, &ignored) != 0) {
            return NAN;
        }
        CPU_OR(&both, &both, &one);
    }
    return CPU_COUNT(&both);
}

size_t conditions_read(const json_t *m, struct condition out[CONDITIONS_MAX]) {
    char buf[4][256];
    struct machine_facts f;
    struct list l = {&f, out, 0};
    const double threads = number_at(m, "machine.cpu.threads");
    const char *note = manifest_text(m, "cpus.note", buf[0], sizeof buf[0], "");
    machine_facts_init(&f);
    f.connections = most_connections(m);
    f.backlog = (double)manifest_int(m, "options.backlog");
    f.somaxconn = number_at(m, "machine.limits.somaxconn");
    f.syn_backlog = number_at(m, "machine.limits.tcp_max_syn_backlog");
    f.load1 = number_at(m, "machine.load1");
    f.cpus = threads > 0 ? threads : number_at(m, "machine.cpu.allowed_count");
    f.quota = number_at(m, "machine.cgroup.cpu_quota"); /* none is the text "max" */
    f.used = used_cpus(m);
    f.disjoint = flag_at(m, "cpus.disjoint");
    f.shares_core = flag_at(m, "cpus.shares_core");
    f.cpus_short = *note != '\0';
    f.boost = flag_at(m, "machine.cpu.boost");
    f.aslr = number_at(m, "machine.kernel.aslr");
    f.governor = manifest_text(m, "machine.cpu.governor", buf[1], sizeof buf[1], "");
    f.thp = manifest_text(m, "machine.memory.thp", buf[2], sizeof buf[2], "");
    f.clocksource = manifest_text(m, "machine.kernel.clocksource", buf[3], sizeof buf[3], "");
    judge_backlog(&l, m);
    judge(&l, QUALITY_LOAD, "a load average of %.2f on %.0f CPUs when the run began", f.load1,
          f.cpus);
    judge_cpus(&l, m, note);
    judge(&l, QUALITY_GOVERNOR, "the frequency governor is %.100s", f.governor);
    judge(&l, QUALITY_BOOST, "the CPU may boost its clock");
    judge(&l, QUALITY_THP, "transparent huge pages are %.40s on", f.thp);
    judge(&l, QUALITY_ASLR, "address space randomisation is off");
    judge(&l, QUALITY_CLOCKSOURCE, "the kernel's clock is %.100s", f.clocksource);
    judge(&l, QUALITY_QUOTA, "a cgroup limits us to %.2f CPUs", f.quota);
    return l.n;
}

void condition_text(const struct condition *c, char *out, size_t size) {
    snprintf(out, size, "%s: %s; %s; remedy: %s", c->name, c->value, c->why, c->fix);
}
