/* The short subcommands: report, verify, doctor, help, version. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"
#include "report/report.h"
#include "run/probe.h"
#include "ui/commands.h"
#include "ui/doctor.h"
#include "ui/ending.h"
#include "ui/help.h"

int command_report(const struct invocation *in, struct err *e) {
    struct config c = {0};
    if (config_load(&c, &in->args->flags, USE_REPORT, e) != 0) {
        return -1;
    }
    struct report_options o = {
        .plots = c.plots && strcmp(c.plots, "auto") != 0 ? c.plots : NULL,
        .verdicts = {.baseline = c.baseline},
        .notes = stderr,
    };
    /* Unless it was asked for, the margin is the one the run was begun with. */
    for (size_t i = 0; i < in->args->flags.n; i++) {
        if (strcmp(in->args->flags.setting[i].option->name, "margin") == 0) {
            o.verdicts.margin = c.margin_percent / 100;
        }
    }
    char shown[PATH_MAX];
    ending_shown(in->args->operand[0], shown, sizeof shown);
    o.shown = shown;
    int rc = report_write(in->args->operand[0], &o, e);
    if (rc == 0) {
        printf("%s/report.md\n%s/report.html\n", shown, shown);
    }
    config_release(&c);
    return rc;
}

static int verify_with(const struct config *c, struct err *e) {
    struct plan plan = {0};
    struct loop loop;
    struct setup setup;
    struct probe probe = {0};
    int status = -1;
    if (plan_make(&plan, c, e) != 0) {
        return -1;
    }
    if (loop_init(&loop, e) != 0) {
        plan_release(&plan);
        return -1;
    }
    if (setup_init(&setup, &loop, c, 0, e) == 0 && probe_targets(&probe, &setup, &plan, e) == 0) {
        verify_print(&probe.findings, true, stdout);
        status = verify_failures(&probe.findings) > 0 ? ERR_FAILED : 0;
        probe_release(&probe);
    }
    setup_release(&setup);
    loop_release(&loop);
    plan_release(&plan);
    return status;
}

int command_verify(const struct invocation *in, struct err *e) {
    struct config c = {0};
    if (config_load(&c, &in->args->flags, USE_VERIFY, e) != 0) {
        return -1;
    }
    c.verify = true;
    int status = verify_with(&c, e);
    config_release(&c);
    return status;
}

int command_doctor(const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct loop loop;
    char servers[PATH_MAX];
    if (config_load(&c, &in->args->flags, USE_DOCTOR, e) != 0) {
        return -1;
    }
    int status = -1;
    struct cpusplit split;
    if (config_servers(c.servers, servers, sizeof servers) != 0) {
        err_set(e, ERR_USAGE, "--servers: the path is too long");
    } else if (setup_split_cpus(&c, &split, e) == 0 && loop_init(&loop, e) == 0) {
        int64_t most = 0;
        for (size_t i = 0; i < c.connections.n; i++) {
            most = c.connections.value[i] > most ? c.connections.value[i] : most;
        }
        struct doctor_options o = {
            .wrk = c.wrk,
            .servers = servers,
            .results = c.results,
            .max_connections = (int)most,
            .backlog = c.backlog,
            .workers = (int)c.workers,
            .threads = (int)c.threads,
            .split = &split,
        };
        status = doctor_run(&loop, &o, stdout, e);
        loop_release(&loop);
    }
    config_release(&c);
    return status;
}

int command_help(const struct invocation *in, struct err *e) {
    const struct args *a = in->args;
    const struct command *command = a->n > 0 ? command_find(a->operand[0]) : NULL;
    if (a->n > 0 && !command) {
        return err_set(e, ERR_USAGE, "help: no command '%s'; `loopbench help` lists them",
                       a->operand[0]);
    }
    if (command) {
        help_print_command(stdout, command);
    } else {
        help_print_overview(stdout);
    }
    return 0;
}

int command_version(const struct invocation *in, struct err *e) {
    (void)in;
    (void)e;
    help_print_version(stdout);
    return 0;
}
