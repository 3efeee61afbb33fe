/* The short subcommands: report, doctor, help, version. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/caller.h"
#include "base/file.h"
#include "report/report.h"
#include "run/setup.h"
#include "store/catalog.h"
#include "store/replay_state.h"
#include "ui/commands.h"
#include "ui/doctor.h"
#include "ui/help.h"
#include "ui/replay.h"

/* A replay's folder holds no run of its own, but those of its parts. */
static int report_replay(const char *dir, struct err *e) {
    if (replay_conclude(dir, NULL, e) != 0) {
        return -1;
    }
    printf("%s/replay.md\n%s/replay.html\n", dir, dir);
    return 0;
}

/* The folder that was named, or what a name stands for in the folder of results. */
static const char *find_folder(const struct config *c, const char *name, char *path, size_t size) {
    struct err ignored;
    if (file_exists(name)) {
        return name;
    }
    if (file_join(path, size, c->results, name, &ignored) == 0 && replay_state_is(path)) {
        return path;
    }
    return catalog_resolve(c->results, name, path, size, &ignored) == 0 ? path : name;
}

static int report_run(const struct invocation *in, const struct config *c, const char *dir,
                      struct err *e) {
    struct report_options o = {
        .plots = c->plots && strcmp(c->plots, "auto") != 0 ? c->plots : NULL,
        .verdicts = {.baseline = c->baseline},
        .notes = stderr,
    };
    /* Unless it was asked for, the margin is the one the run was begun with. */
    for (size_t i = 0; i < in->args->flags.n; i++) {
        if (strcmp(in->args->flags.setting[i].option->name, "margin") == 0) {
            o.verdicts.margin = c->margin_percent / 100;
        }
    }
    char shown[PATH_MAX];
    caller_shown(dir, shown, sizeof shown);
    o.shown = shown;
    int rc = report_write(dir, &o, e);
    if (rc == 0) {
        printf("%s/report.md\n%s/report.html\n", shown, shown);
    }
    return rc;
}

int command_report(const struct invocation *in, struct err *e) {
    struct config c = {0};
    char path[PATH_MAX];
    if (config_load(&c, &in->args->flags, USE_REPORT, e) != 0) {
        return -1;
    }
    const char *dir = find_folder(&c, in->args->operand[0], path, sizeof path);
    const int rc = replay_state_is(dir) ? report_replay(dir, e) : report_run(in, &c, dir, e);
    config_release(&c);
    return rc;
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
        err_set(e, ERR_USAGE, "--servers: the path is too long; " FILE_PATH_REMEDY);
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
