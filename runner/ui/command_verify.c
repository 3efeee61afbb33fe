/* `loopbench verify`: what targets answer, and whether comparing them would be fair. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "config/check_mode.h"
#include "config/skeleton.h"
#include "plan/plan.h"
#include "run/probe.h"
#include "ui/commands.h"
#include "ui/left_out.h"

#define REFERENCE "libevent"

static bool verify_has_ours(const struct config *c) {
    for (size_t i = 0; i < c->targets.n; i++) {
        const struct target_config *t = config_target(c, c->targets.name[i]);
        if (t && t->builtin && strcmp(t->name, CONFIG_NULL_TARGET) != 0) {
            return true;
        }
    }
    return false;
}

/* Guests alone have nothing to be held against: one of our servers is started beside them, where it
 * is built. Returns whether it was, or -1 with *e. */
static int verify_add_reference(struct config *c, struct err *e) {
    char servers[PATH_MAX];
    char program[PATH_MAX + 64];
    if (verify_has_ours(c) || config_servers(c->servers, servers, sizeof servers) != 0) {
        return 0;
    }
    snprintf(program, sizeof program, "%s/server-%s", servers, REFERENCE);
    if (!file_exists(program)) {
        return 0;
    }
    return names_add(&c->targets, REFERENCE) == 0 ? 1 : err_set(e, ERR_MACHINE, "out of memory");
}

/* Whether a target that stores elsewhere than in --db answered posts, which a run would refuse. */
static bool verify_is_apart(const struct config *c, const struct verify_findings *f,
                            const struct target_config *t) {
    bool stores = t->builtin;
    for (size_t i = 0; i < f->wires; i++) {
        const struct verify_wire *w = &f->wire[i];
        stores = stores || (strcmp(w->target, t->name) == 0 && strcmp(w->workload, "posts") == 0 &&
                            w->served == SERVED);
    }
    return stores && check_stores_apart(c, t);
}

static void verify_say(const struct config *c, struct probe *probe, bool added) {
    if (added) {
        verify_hide(&probe->findings, REFERENCE);
        verify_hide(&probe->findings, CONFIG_NULL_TARGET);
    }
    verify_print(&probe->findings, true, stdout);
    verify_print_fair(&probe->findings, stdout);
    for (size_t i = 0; i < c->targets.n; i++) {
        const struct target_config *t = config_target(c, c->targets.name[i]);
        if (t && verify_is_apart(c, &probe->findings, t)) {
            printf("\n%s stores in a database of its own, not in that of --db: a run of posts with "
                   "--db refuses it unless its section says `shares-db = yes`\n",
                   t->name);
        }
        if (t && skeleton_is_unedited(t)) {
            printf("\n%s still runs the server of the skeleton: put your own command into its "
                   "section [target %s]\n",
                   t->name, t->name);
        }
    }
}

static int verify_with(struct config *c, struct err *e) {
    struct plan plan = {0};
    struct loop loop;
    struct setup setup;
    struct probe probe = {0};
    int status = -1;
    int added = left_out_find(c, stderr, e) != 0 ? -1 : verify_add_reference(c, e);
    if (added < 0 || plan_make(&plan, c, e) != 0) {
        return -1;
    }
    if (loop_init(&loop, e) != 0) {
        plan_release(&plan);
        return -1;
    }
    if (setup_init(&setup, &loop, c, 0, e) == 0) {
        setup.all_workloads = true;
        if (probe_targets(&probe, &setup, &plan, e) == 0) {
            verify_say(c, &probe, added > 0);
            const bool differs =
                verify_failures(&probe.findings) > 0 || verify_is_useless(&probe.findings);
            status = probe_note_unstopped(&probe, stderr) > 0 || differs ? ERR_FAILED : 0;
            probe_release(&probe);
        }
    }
    setup_release(&setup);
    loop_release(&loop);
    plan_release(&plan);
    return status;
}

static bool verify_given(const struct settings *flags, const char *option) {
    for (size_t i = 0; i < flags->n; i++) {
        if (strcmp(flags->setting[i].option->name, option) == 0) {
            return true;
        }
    }
    return false;
}

/* `verify mine` reads mine.ini where nothing else is called so. The flag is this function's to
 * release. Returns 0, or -1 with *e. */
static int verify_flags(const struct args *args, struct settings *flags, struct err *e) {
    int rc = 0;
    for (size_t i = 0; i < args->flags.n; i++) {
        const struct setting *s = &args->flags.setting[i];
        rc |= settings_add(flags, s->option, s->value, s->where);
    }
    for (int i = 0; rc == 0 && i < args->n && !verify_given(flags, "config"); i++) {
        char file[VALUES_NAME_MAX + 8];
        const char *name = args->operand[i];
        snprintf(file, sizeof file, "%.*s.ini", VALUES_NAME_MAX, name);
        if (!config_is_known(flags, name) && file_exists(file)) {
            rc = settings_add(flags, option_find("config", USE_VERIFY), file, name);
        }
    }
    return rc == 0 ? 0 : err_set(e, ERR_MACHINE, "out of memory");
}

int command_verify(const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct settings flags = {0};
    int status = -1;
    if (verify_flags(in->args, &flags, e) == 0 && config_load(&c, &flags, USE_VERIFY, e) == 0) {
        c.verify = true;
        status = verify_with(&c, e);
        config_release(&c);
    }
    settings_release(&flags);
    return status;
}
