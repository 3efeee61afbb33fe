#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/calibration.h"
#include "run/trial.h"
#include "stats/order.h"
#include "ui/calibrate.h"
#include "ui/session.h"

#define WORKLOAD      "hello"
#define BEFORE_TRIALS 3
#define CALIBRATE_USE (USE_RUN | USE_CALIBRATE)

/* Of the CPU that a request costs. */
static const int percents[] = {3, 5, 10, 20};
#define STEPS (sizeof percents / sizeof percents[0])

/* What is measured: one built-in server at one level. */
struct base {
    const char *name; /* points into the configuration */
    int connections;
};

/* The base's CPU per request before the run, and what follows from it. */
struct before {
    double cpu_us[BEFORE_TRIALS];
    int64_t ns[STEPS];
};

/* Handicaps are known amounts only of a known figure. */
static int calibrate_check(const struct config *c, struct base *base, struct err *e) {
    const struct target_config *t = c->targets.n == 1 ? config_target(c, c->targets.name[0]) : NULL;
    if (!t || !t->builtin || strcmp(t->name, CONFIG_NULL_TARGET) == 0) {
        return err_set(e, ERR_USAGE,
                       "--targets: calibrate measures one of loopbench's own servers; name "
                       "libevent, libuv or h2o");
    }
    if (c->connections.n != 1) {
        return err_set(e, ERR_USAGE,
                       "--connections: calibrate measures at one level; give one number");
    }
    *base = (struct base){t->name, (int)c->connections.value[0]};
    return 0;
}

/* The command's defaults as the [run] section that flags win over. */
static int calibrate_text(FILE *out, const struct command *command) {
    fputs("[run]\nworkloads = " WORKLOAD "\naa-control = on\nnull-server = yes\n", out);
    for (const struct profile_setting *d = command->defaults; d->name; d++) {
        fprintf(out, "%s = %s\n", d->name, d->value);
    }
    return ferror(out) ? -1 : 0;
}

static int calibrate_load(struct config *c, struct base *base, const struct invocation *in,
                          struct err *e) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    int rc = calibrate_text(out, in->args->command);
    if (fclose(out) != 0 || rc != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    rc = config_load_text(c, text, size, "calibrate", &in->args->flags, CALIBRATE_USE, e);
    free(text);
    return rc == 0 ? calibrate_check(c, base, e) : -1;
}

/* ---- before the run */

static int measure_once(const struct setup *s, const struct base *base, double *cpu_us,
                        struct err *e) {
    struct trial_record r;
    struct hist raw = {0};
    record_init(&r);
    snprintf(r.target, sizeof r.target, "%s", base->name);
    snprintf(r.base, sizeof r.base, "%s", base->name);
    snprintf(r.workload, sizeof r.workload, WORKLOAD);
    r.connections = base->connections;
    if (trial_execute(s, config_target(s->config, r.base), &r, &raw, e) != 0) {
        return e->class == ERR_NONE
                   ? err_set(e, ERR_FAILED, "interrupted before anything was measured")
                   : -1;
    }
    hist_release(&raw);
    *cpu_us = r.server.cpu_us_per_request;
    if (r.status != TRIAL_OK) {
        return err_set(e, ERR_FAILED, "%s could not be measured: %s", r.target, r.reason);
    }
    if (!(*cpu_us > 0)) {
        return err_set(e, ERR_MACHINE,
                       "this kernel does not say how much CPU a process used, so there is nothing "
                       "to calibrate");
    }
    return 0;
}

static int measure_before(struct before *b, const struct base *base, const struct config *c,
                          struct err *e) {
    struct loop loop;
    struct setup s;
    double sorted[BEFORE_TRIALS] = {0};
    if (loop_init(&loop, e) != 0) {
        return -1;
    }
    int rc = setup_init(&s, &loop, c, base->connections, e);
    for (size_t i = 0; i < BEFORE_TRIALS && rc == 0; i++) {
        rc = measure_once(&s, base, &b->cpu_us[i], e);
        sorted[i] = b->cpu_us[i];
    }
    setup_release(&s);
    loop_release(&loop);
    if (rc != 0) {
        return -1;
    }
    const double cost = order_median(sorted, order_clean(sorted, BEFORE_TRIALS));
    for (size_t i = 0; i < STEPS; i++) {
        b->ns[i] = lround(cost * 1000 * percents[i] / 100);
        b->ns[i] = b->ns[i] > 0 ? b->ns[i] : 1;
    }
    if (!c->quiet) {
        fprintf(stderr,
                "%s takes %.2f us of CPU for a request; handicaps: %" PRId64 ", %" PRId64
                ", %" PRId64 " and %" PRId64 " ns\n",
                base->name, cost, b->ns[0], b->ns[1], b->ns[2], b->ns[3]);
    }
    return 0;
}

/* ---- the run itself */

static void step_name(char *out, size_t size, const char *base, size_t step) {
    snprintf(out, size, "%s+%d", base, percents[step]);
}

/* The base first, so that the control repeats it. */
static int calibrate_run_text(FILE *out, const struct config *c, const char *base,
                              const struct before *b) {
    char *run = config_dump(c);
    char name[VALUES_NAME_MAX + 1];
    if (!run) {
        return -1;
    }
    fputs(run, out);
    free(run);
    fprintf(out, "baseline = %s\n", base);
    for (size_t i = 0; i < STEPS; i++) {
        step_name(name, sizeof name, base, i);
        fprintf(out,
                "\n[target %s]\n"
                "command = {servers}/server-%s --listen {host}:0 --workers {workers} "
                "--backlog {backlog} --handicap-ns %" PRId64 "\n"
                "announces = yes\n",
                name, base, b->ns[i]);
    }
    return ferror(out) ? -1 : 0;
}

/* The flags of this invocation with the handicapped targets in place of --targets. */
static int calibrate_flags(struct settings *out, const struct settings *flags, const char *base) {
    char list[(STEPS + 1) * (VALUES_NAME_MAX + 1)];
    char name[VALUES_NAME_MAX + 1];
    size_t used = (size_t)snprintf(list, sizeof list, "%s", base);
    for (size_t i = 0; i < STEPS; i++) {
        step_name(name, sizeof name, base, i);
        used += (size_t)snprintf(list + used, sizeof list - used, ",%s", name);
    }
    for (size_t i = 0; i < flags->n; i++) {
        const struct setting *s = &flags->setting[i];
        if (strcmp(s->option->name, "targets") != 0 &&
            settings_add(out, s->option, s->value, s->where) != 0) {
            return -1;
        }
    }
    return settings_add(out, option_find("targets", USE_RUN), list, "--targets");
}

static int calibrate_config(struct config *out, const struct config *c, const char *base,
                            const struct before *b, const struct invocation *in, struct err *e) {
    char *text = NULL;
    size_t size = 0;
    struct settings flags = {0};
    FILE *f = open_memstream(&text, &size);
    int rc = f ? calibrate_run_text(f, c, base, b) : -1;
    if ((f && fclose(f) != 0) || rc != 0 || calibrate_flags(&flags, &in->args->flags, base) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    } else {
        rc = config_load_text(out, text, size, "calibrate", &flags, CALIBRATE_USE, e);
    }
    settings_release(&flags);
    free(text);
    return rc;
}

static json_t *calibrate_extra(const char *base, const struct before *b) {
    json_t *cpu = json_array();
    json_t *handicaps = json_array();
    char name[VALUES_NAME_MAX + 1];
    for (size_t i = 0; i < BEFORE_TRIALS; i++) {
        json_array_append_new(cpu, json_real(b->cpu_us[i]));
    }
    for (size_t i = 0; i < STEPS; i++) {
        step_name(name, sizeof name, base, i);
        json_array_append_new(handicaps, json_pack("{s:s, s:i, s:I}", "target", name, "percent",
                                                   percents[i], "ns", (json_int_t)b->ns[i]));
    }
    return json_pack("{s:s, s:{s:s, s:o, s:o}}", "kind", CALIBRATION_KIND, "calibration", "base",
                     base, "cpu_us", cpu, "handicaps", handicaps);
}

static int calibrate_run(struct session *s, const struct config *c, const struct base *base,
                         const struct invocation *in, struct err *e) {
    struct before before = {0};
    if (measure_before(&before, base, c, e) != 0 ||
        calibrate_config(&s->config, c, base->name, &before, in, e) != 0) {
        return -1;
    }
    s->calibration = true;
    s->extra = calibrate_extra(base->name, &before);
    if (!s->extra) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    return session_plan(s, e) != 0 ? -1 : session_run(s, in, e);
}

int command_calibrate(const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct base base = {"", 0};
    struct session s = {0};
    int status = -1;
    if (calibrate_load(&c, &base, in, e) == 0) {
        status = calibrate_run(&s, &c, &base, in, e);
        session_release(&s);
    }
    config_release(&c);
    return status;
}

int calibrate_conclude(const char *dir, FILE *out, bool utf8, struct err *e) {
    struct store store;
    struct cells cells;
    struct calibration found;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    int status = -1;
    if (cells_build(&cells, &store, e) == 0) {
        if (calibration_judge(&found, &cells, e) == 0) {
            calibration_print(out, &found, utf8);
            status = calibration_write(&found, e) != 0 ? -1 : found.passed ? 0 : ERR_FAILED;
        }
        cells_release(&cells);
    }
    store_release(&store);
    return status;
}
