#include "config/check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpus.h"
#include "base/workload.h"
#include "config/check_mode.h"
#include "config/guests.h"
#include "config/places.h"

#define SECOND_NS     ((int64_t)1000000000)
#define WORKLOADS_MAX 64

static int check_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the configuration");
}

/* Targets named by nobody are the default ones and those of the file's sections. */
static int check_complete_targets(struct config *c, const struct origins *o, struct err *e) {
    if (origins_chosen(o, "targets")) {
        return 0;
    }
    for (size_t i = 0; i < c->target_count; i++) {
        if (!c->target[i].builtin && c->targets.n >= VALUES_LIST_MAX) {
            return err_set(e, ERR_USAGE,
                           "targets: the file describes more than %d; choose some "
                           "with targets",
                           VALUES_LIST_MAX);
        }
        if (!c->target[i].builtin && names_add(&c->targets, c->target[i].name) != 0) {
            return check_no_memory(e);
        }
    }
    return 0;
}

static int check_targets(struct config *c, const struct origins *o, unsigned use, struct err *e) {
    const char *where = origins_of(o, "targets");
    if (guests_resolve(c, e) != 0 || places_resolve(c, where, e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < c->targets.n; i++) {
        const char *name = c->targets.name[i];
        bool known = false;
        const char **names = calloc(c->target_count, sizeof *names);
        if (!names) {
            return check_no_memory(e);
        }
        for (size_t t = 0; t < c->target_count; t++) {
            names[t] = c->target[t].name;
            known = known || strcmp(names[t], name) == 0;
        }
        const char *near = option_nearest_of(name, names, c->target_count);
        free(names);
        if (!known) {
            return err_set(e, ERR_USAGE, "%s: no target is called '%s'; %s%s%s", where, name,
                           near ? "did you mean '" : "describe it in a [target ",
                           near ? near : name, near ? "'?" : "] section");
        }
        /* A calibration cannot do without it, and says itself what it measures. */
        if ((use & USE_RUN) && !(use & USE_CALIBRATE) && c->null_server &&
            strcmp(name, CONFIG_NULL_TARGET) == 0) {
            return err_set(e, ERR_USAGE,
                           "%s: the null server is measured beside the targets "
                           "anyway; leave it out, or add --no-null-server",
                           where);
        }
    }
    return 0;
}

static int check_workloads(struct config *c, const struct origins *o, struct err *e) {
    const char *where = origins_of(o, "workloads");
    const char *known[WORKLOADS_MAX];
    size_t n = 0;
    while (n < WORKLOADS_MAX && workload_at(n)) {
        known[n] = workload_at(n)->name;
        n++;
    }
    if (c->workloads.n == 1 && strcmp(c->workloads.name[0], "all") == 0) {
        names_release(&c->workloads);
        for (size_t i = 0; i < n; i++) {
            if (names_add(&c->workloads, known[i]) != 0) {
                return check_no_memory(e);
            }
        }
    }
    for (size_t i = 0; i < c->workloads.n; i++) {
        const char *name = c->workloads.name[i];
        char why[160];
        const struct workload *w = workload_parse(name, why, sizeof why);
        if (!w && *why) {
            return err_set(e, ERR_USAGE, "%s: workload '%s': %s", where, name, why);
        }
        if (!w) {
            char base[VALUES_NAME_MAX + 1];
            snprintf(base, sizeof base, "%.*s", (int)strcspn(name, ":"), name);
            const char *near = option_nearest_of(base, known, n);
            return err_set(e, ERR_USAGE, "%s: no workload is called '%s'; %s%s%s", where, name,
                           near ? "did you mean '" : "see `loopbench help run`", near ? near : "",
                           near ? "'?" : "");
        }
        bool served = false;
        for (size_t t = 0; t < c->targets.n; t++) {
            served = served || config_serves(config_target(c, c->targets.name[t]), name);
        }
        if (!served && c->targets.n == 1) { /* as a replay asks of each target of a part */
            return err_set(e, ERR_USAGE,
                           "%s: %s does not serve '%s'; `loopbench targets` tells who does", where,
                           c->targets.name[0], name);
        }
        if (!served) {
            return err_set(e, ERR_USAGE, "%s: no chosen target serves '%s'; leave it out", where,
                           name);
        }
    }
    return 0;
}

static int check_baseline(const struct config *c, const struct origins *o, struct err *e) {
    if (!c->baseline || names_has(&c->targets, c->baseline)) {
        return 0;
    }
    const char *near =
        option_nearest_of(c->baseline, (const char *const *)c->targets.name, c->targets.n);
    return err_set(e, ERR_USAGE, "%s: '%s' is not among the targets%s%s%s",
                   origins_of(o, "baseline"), c->baseline, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "; choose one of them");
}

/* An entry of `paths` names a workload, by its row's name. */
static int check_paths(const struct target_config *t, struct err *e) {
    for (size_t i = 0; t->paths && t->paths[i]; i++) {
        char name[VALUES_NAME_MAX + 1];
        size_t len = strcspn(t->paths[i], "=");
        const struct workload *w = NULL;
        if (len < sizeof name) {
            memcpy(name, t->paths[i], len);
            name[len] = '\0';
            w = workload_find(name);
        }
        if (!w || strcmp(w->base, w->name) != 0) {
            return err_set(e, ERR_USAGE,
                           "target '%s': paths: no workload is called '%.*s'; see `loopbench help "
                           "run`",
                           t->name, (int)len, t->paths[i]);
        }
    }
    return 0;
}

/* A section's list of workloads is checked here, where the table is known. */
static int check_served(const struct config *c, struct err *e) {
    for (size_t i = 0; i < c->target_count; i++) {
        const struct target_config *t = &c->target[i];
        if (check_paths(t, e) != 0) {
            return -1;
        }
        for (size_t w = 0; w < t->workloads.n; w++) {
            if (!workload_find(t->workloads.name[w])) {
                return err_set(e, ERR_USAGE,
                               "target '%s': no workload is called '%s'; see "
                               "`loopbench help run`",
                               t->name, t->workloads.name[w]);
            }
        }
    }
    return 0;
}

/* wrk drives floor(c / threads) connections from each thread, so the rest would silently be lost.
 */
static int check_threads(const struct config *c, const struct origins *o, struct err *e) {
    for (size_t i = 0; i < c->connections.n; i++) {
        int64_t n = c->connections.value[i];
        if (n % c->threads != 0) {
            return err_set(
                e, ERR_USAGE,
                "%s: %" PRId64 " connections cannot be shared evenly by %" PRId64
                " threads; choose numbers divisible by %" PRId64 ", or --threads 1",
                origins_of(o, origins_chosen(o, "connections") ? "connections" : "threads"), n,
                c->threads, c->threads);
        }
    }
    return 0;
}

static int check_whole_seconds(const struct origins *o, const char *option, int64_t ns,
                               struct err *e) {
    if (ns % SECOND_NS == 0) {
        return 0;
    }
    char given[32];
    value_duration_text(ns, given, sizeof given);
    return err_set(e, ERR_USAGE,
                   "%s: %s is not a whole number of seconds, which wrk needs; give %" PRId64 "s",
                   origins_of(o, option), given, ns / SECOND_NS + 1);
}

static int check_control(struct config *c, const struct origins *o, struct err *e) {
    const char *where = origins_of(o, "aa-control");
    bool on;
    struct err ignored;
    if (value_bool(c->aa_control, where, &on, &ignored) == 0) {
        char *word = strdup(on ? "on" : "off");
        if (!word) {
            return check_no_memory(e);
        }
        free(c->aa_control);
        c->aa_control = word;
    } else if (!names_has(&c->targets, c->aa_control)) {
        return err_set(e, ERR_USAGE,
                       "%s: '%s' is not among the targets; name one of them, or on "
                       "or off",
                       where, c->aa_control);
    }
    const struct target_config *control = config_control(c);
    char name[VALUES_NAME_MAX + sizeof CONFIG_CONTROL_SUFFIX];
    if (!control) {
        return 0;
    }
    snprintf(name, sizeof name, "%s" CONFIG_CONTROL_SUFFIX, control->name);
    if (names_has(&c->targets, name)) {
        return err_set(e, ERR_USAGE,
                       "%s: '%s' is what the A/A control of '%s' would be called; "
                       "rename that target, or name another",
                       where, name, control->name);
    }
    return 0;
}

static int check_handicap(struct config *c, const struct origins *o, struct err *e) {
    const char *where = origins_of(o, "handicap");
    for (size_t i = 0; i < c->handicap.n; i++) {
        struct target_config *found = NULL;
        for (size_t t = 0; t < c->target_count; t++) {
            found = strcmp(c->target[t].name, c->handicap.name[i]) == 0 ? &c->target[t] : found;
        }
        if (!found || !found->builtin || found->place == PLACE_URL) {
            return err_set(e, ERR_USAGE,
                           "%s: '%s' is not one of loopbench's own servers, started here; only "
                           "they take a handicap",
                           where, c->handicap.name[i]);
        }
        found->handicap_ns = c->handicap.value[i];
    }
    return 0;
}

static int check_cpus(const struct config *c, const struct origins *o, struct err *e) {
    cpu_set_t both;
    CPU_AND(&both, &c->server_cpus.set, &c->generator_cpus.set);
    if (!c->server_cpus.automatic && !c->generator_cpus.automatic && CPU_COUNT(&both) > 0) {
        char text[CPUS_TEXT_SIZE];
        cpus_format(&both, text, sizeof text);
        return err_set(e, ERR_USAGE,
                       "%s: CPU %s is given to the servers and to the load "
                       "generator; choose lists that share none",
                       origins_of(o, "generator-cpus"), text);
    }
    return 0;
}

static int check_folders(const struct config *c, struct err *e) {
    if (c->resume && c->out) {
        return err_set(e, ERR_USAGE,
                       "--out: a resumed run goes on in its own folder; leave it out");
    }
    if (c->resume && c->dry_run) {
        return err_set(e, ERR_USAGE, "--dry-run: a resumed run has its plan already; leave it out");
    }
    return 0;
}

/* Counts are of whole requests on connections that are kept. */
static int check_counts(struct config *c, const struct origins *o, struct err *e) {
    if (c->requests_high <= c->requests_low) {
        return err_set(e, ERR_USAGE,
                       "--requests-high: %" PRId64 " is not more than --requests-low %" PRId64
                       ", and the difference is what is counted",
                       c->requests_high, c->requests_low);
    }
    if (!c->keepalive) {
        return err_set(e, ERR_USAGE,
                       "%s: requests are counted on connections that are kept; leave it out",
                       origins_of(o, "keepalive"));
    }
    /* A file may say how a timed run sends; these mean nothing here. */
    c->requests = 0;
    c->think = (struct span){0};
    return check_workloads(c, o, e) != 0 ? -1 : check_mode(c, o, e);
}

int check_config(struct config *c, const struct origins *origins, unsigned use, struct err *e) {
    if (check_complete_targets(c, origins, e) != 0 || check_targets(c, origins, use, e) != 0 ||
        check_served(c, e) != 0) {
        return -1;
    }
    if ((use & USE_COUNT) && check_counts(c, origins, e) != 0) {
        return -1;
    }
    /* What only a run means: a file must not stop `verify` by its levels. */
    if ((use & USE_RUN) &&
        (check_workloads(c, origins, e) != 0 || check_mode(c, origins, e) != 0 ||
         check_control(c, origins, e) != 0 || check_baseline(c, origins, e) != 0 ||
         check_whole_seconds(origins, "duration", c->duration_ns, e) != 0 ||
         check_whole_seconds(origins, "timeout", c->timeout_ns, e) != 0)) {
        return -1;
    }
    if ((use & (USE_RUN | USE_DOCTOR)) && check_threads(c, origins, e) != 0) {
        return -1;
    }
    return check_handicap(c, origins, e) != 0 || check_db(c, origins, e) != 0 ||
                   check_cpus(c, origins, e) != 0 || check_folders(c, e) != 0
               ? -1
               : 0;
}
