#include "ui/args.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMMANDS_MAX 32

static const struct profile_setting calibrate_defaults[] = {
    {"targets", "libuv"}, {"connections", "64"}, {NULL, NULL}};

/* Seven, so that a verdict, which takes six, is not lost with one disturbed block. */
static const struct profile_setting crosscheck_defaults[] = {
    {"targets", "libuv"}, {"connections", "64"}, {"rounds", "7"}, {NULL, NULL}};
static const struct profile_setting count_defaults[] = {{"connections", "1"}, {NULL, NULL}};

const struct command commands[] = {
    {COMMAND_RUN, USE_RUN, "run", "[CONFIG.ini]", 0, 1, "", "measure targets and store the results",
     "Without a file the built-in servers are measured. A file has options as `name = value` under "
     "[run], and a section for each server of yours:\n"
     "\n"
     "  [target mine]\n"
     "  command = ./my-server --port {port}\n"
     "  ready = /hello\n"
     "\n"
     "`loopbench init NAME` writes one with all its keys. A guest (`loopbench targets` lists them) "
     "is "
     "found by its name alone. A flag wins over the file, the file over the profile.",
     NULL},
    {COMMAND_REPORT, USE_REPORT, "report", "FOLDER", 1, 1,
     "name a results folder, like results/latest", "write report and plots of a results folder",
     NULL, NULL},
    {COMMAND_INIT, 0, "init", "NAME", 1, 1, "name your server",
     "write NAME.ini, to bring your own server",
     "Writes a commented configuration with every key of a target. It works as it is; put the "
     "command of your server into it. A file that is there is not touched.",
     NULL},
    {COMMAND_VERIFY, USE_VERIFY, "verify", "[TARGET...]", 0, VALUES_LIST_MAX, "",
     "check what targets answer, without measuring",
     "Of a server that is not ours it tells what it serves, how its bytes differ from one of ours, "
     "and whether comparing them would be fair. A name that is neither a server of ours nor a "
     "guest is looked for in NAME.ini here, unless --config says otherwise. Exit status 1: "
     "something is answered wrongly, or nothing is served.",
     NULL},
    {COMMAND_TARGETS, USE_TARGETS, "targets", "", 0, 0, "",
     "list every target that is known, and whether it is installed", NULL, NULL},
    {COMMAND_DOCTOR, USE_DOCTOR, "doctor", "", 0, 0, "",
     "tell whether this machine can measure now, and what to change", NULL, NULL},
    {COMMAND_CALIBRATE, USE_CALIBRATE, "calibrate", "", 0, 0, "",
     "prove that known differences are found on this machine",
     "Measures one of the built-in servers, the same again as A/A control, and the same with known "
     "amounts of CPU burnt for each request, worth about 3, 5, 10 and 20% of what a request costs. "
     "Tells which of them were found, whether the control differs from itself, and the smallest "
     "difference this machine can show with 11, 17 and 31 rounds. The results are a run like any "
     "other, with calibration.md and calibration.json beside it. Exit status 0: the control is "
     "clean and the handicaps of 10 and 20% were found; 1: not so.",
     calibrate_defaults},
    {COMMAND_CROSSCHECK, USE_CROSSCHECK, "crosscheck", "", 0, 0, "",
     "measure the same by several load generators",
     "Shows where load generators disagree, and why: measures one cell by wrk, ab, h2load and "
     "siege in turn, in interleaved rounds on fresh processes of the server, which is asked what "
     "it counted. Those that are not installed are left out, with a line. Warm-ups are wrk's in "
     "every trial. The results are a run like any other, with crosscheck.md and crosscheck.json "
     "beside it.",
     crosscheck_defaults},
    {COMMAND_COUNT, USE_COUNT, "count", "[CONFIG.ini]", 0, 1, "",
     "count what one request costs: instructions and system calls",
     "Counts do not depend on how busy the machine is, so small differences show, in a minute, on "
     "any machine. Each figure is the difference of two fresh processes, one with --requests-low "
     "and one with --requests-high requests, by the requests between them; it is repeated until "
     "they agree within 0.1%, and what does not settle says so. Instructions are "
     "counted by valgrind, system calls by strace, allocations by a library in front of malloc, "
     "and instructions of user space and kernel by the processor where the machine lets it. What "
     "is not installed is named, and the rest is counted.\n"
     "\n"
     "Interpreted servers take minutes: all that an interpreter does at its start is done up to "
     "twelve times under valgrind, some fifty times slower. Fewer requests help little. An "
     "interrupted count keeps what each tool had finished.\n"
     "\n"
     "Exit status 0: everything was counted that can be counted here; 1: a target could not be, or "
     "not by a tool that is here; "
     "3: nothing can be counted here. `compare A B --fail-on \"instructions>1%\"` holds two runs "
     "of counts against each other.",
     count_defaults},
    {COMMAND_COMPARE, USE_COMPARE, "compare", "A B", 2, 2,
     "name two runs: folders, run ids, or latest",
     "hold the same targets of two runs against each other",
     "The runs must be alike: configuration, workloads and record mode; what differs is named, and "
     "they are not compared. Runs of two machines are judged by direction only: does each ratio of "
     "two targets point the same way in both?\n"
     "\n"
     "A run is measured at another time than the next, so a machine that changed in between looks "
     "like a server that did. Where both runs measured the null server, every figure but memory "
     "is therefore divided by the null server's of its block first, and those ratios are compared: "
     "--anchor names another target for that, or none.\n"
     "\n"
     "A limit of --fail-on is crossed when the whole interval lies beyond it: exit status 1. Where "
     "the interval holds the limit, or there is no verdict, the line says not decided, and that is "
     "exit status 1 as well, unless --allow-undecided is given.",
     NULL},
    {COMMAND_REPRODUCE, USE_REPRODUCE, "reproduce", "RUN", 1, 1,
     "name a run: a folder, a run id, or latest",
     "run a recorded run again, and tell whether it holds",
     "Says first what differs here: machine, versions, flags. Then runs the recorded configuration "
     "as a new run, and judges each ratio of two targets: reproduced, consistent but imprecise, "
     "not reproduced, or reversed; on another machine by direction: confirmed, inconclusive or "
     "contradicted. The old run is only read. Exit status 0: reproduced, or consistent; 1: not so, "
     "or nothing could be judged.",
     NULL},
    {COMMAND_REPLAY, USE_REPLAY, "replay", "REPLAY", 1, 1,
     "name a replay: r1, r2, r3, r4, or the file of one",
     "repeat a published report, and tell which of its claims hold",
     "A replay is a file with parts, which are ordinary runs, and with claims: what the report "
     "concluded, and which measured ratio, value or share of trials decides it. Parts are measured "
     "one after the other into folders below results/replay-NAME; replay.html there has a table of "
     "the claims: what was measured then, what is measured now, and whether each holds, does not "
     "hold, or cannot be told.\n"
     "\n"
     "Options given here go before those of all parts. --profile smoke measures one round of few "
     "requests at the lowest level of each part, which decides nothing. Servers that are not there "
     "are left out, with what depended on them. `loopbench report FOLDER` writes the pages again.",
     NULL},
    {COMMAND_EXPORT, USE_EXPORT, "export", "RUN", 1, 1, "name a run: a folder, a run id, or latest",
     "write a run in a format that other programs read",
     "csv and json hold every trial; benchstat is Go's benchmark format, a line a trial; "
     "openmetrics holds medians and latency histograms of cells; hgrm is HdrHistogram's table of "
     "percentiles, of one cell: choose it by --target, --workload and --connections.",
     NULL},
    {COMMAND_LIST, USE_LIST, "list", "", 0, 0, "", "list the runs that are there", NULL, NULL},
    {COMMAND_SHOW, USE_LIST, "show", "RUN", 1, 1, "name a run: a folder, a run id, or latest",
     "show what a run was, and its headline figures", NULL, NULL},
    {COMMAND_PRUNE, USE_PRUNE, "prune", "", 0, 0, "", "remove old runs",
     "Removes all but the newest runs. What is published, what results/latest names, a run that is "
     "being written, one whose folder holds anything that loopbench did not put there, and "
     "whatever is no run of loopbench's own stays.",
     NULL},
    {COMMAND_SITE, USE_SITE, "site", "[FOLDER] [RUN...]", 0, VALUES_LIST_MAX, "",
     "make a static site of runs",
     "Without a RUN, of those in FOLDER/published, or in FOLDER where there is none (FOLDER is "
     "--results unless given). Reports are made again from the raw data, which is there to "
     "download. All links are relative: the site works from any folder and any static host.",
     NULL},
    {COMMAND_HELP, 0, "help", "[COMMAND]", 0, 1, "", "explain a command", NULL, NULL},
    {COMMAND_VERSION, 0, "version", "", 0, 0, "", "print version, commit and compiler", NULL, NULL},
    {COMMAND_VERSION, 0, NULL, NULL, 0, 0, NULL, NULL, NULL, NULL},
};

const struct command *command_find(const char *name) {
    for (const struct command *c = commands; c->name; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

const char *command_default(const struct command *c, const char *option_name) {
    for (const struct profile_setting *d = c->defaults; d && d->name; d++) {
        if (strcmp(d->name, option_name) == 0) {
            return d->value;
        }
    }
    return NULL;
}

int command_unknown(const char *name, struct err *e) {
    const char *names[COMMANDS_MAX];
    size_t n = 0;
    for (const struct command *c = commands; c->name && n < COMMANDS_MAX; c++) {
        names[n++] = c->name;
    }
    const char *near = option_nearest_of(name, names, n);
    return err_set(e, ERR_USAGE, "no command is called '%s'; %s%s%s", name,
                   near ? "did you mean '" : "see `loopbench help`", near ? near : "",
                   near ? "'?" : "");
}

static int args_unknown(const struct args *a, const char *name, struct err *e) {
    const char *near = option_nearest(name, a->command->use);
    if (near) {
        return err_set(e, ERR_USAGE, "--%s: unknown option; did you mean --%s?", name, near);
    }
    return err_set(e, ERR_USAGE, "--%s: unknown option of %s; see `loopbench help %s`", name,
                   a->command->name, a->command->name);
}

static int args_add(struct args *a, const struct option *o, const char *value, const char *where,
                    struct err *e) {
    if (settings_add(&a->flags, o, value, where) != 0) {
        return err_set(e, ERR_MACHINE, "out of memory reading the command line");
    }
    return 0;
}

static bool args_is_switch(const struct option *o) {
    return o->type == OPTION_BOOL || o->type == OPTION_SWITCH;
}

/* One option; *i is moved on where its value is the next argument. */
static int args_option(struct args *a, int argc, const char *const *argv, int *i, struct err *e) {
    char name[64];
    char where[72];
    const char *text = argv[*i] + 2;
    const char *equals = strchr(text, '=');
    size_t len = equals ? (size_t)(equals - text) : strlen(text);
    if (len >= sizeof name) {
        return err_set(e, ERR_USAGE, "%.60s...: unknown option; see `loopbench help %s`", argv[*i],
                       a->command->name);
    }
    memcpy(name, text, len);
    name[len] = '\0';
    snprintf(where, sizeof where, "--%s", name);
    const struct option *o = option_find(name, a->command->use);
    if (!o && strncmp(name, "no-", 3) == 0) {
        o = option_find(name + 3, a->command->use);
        if (!o || !args_is_switch(o)) {
            return args_unknown(a, name, e);
        }
        return equals
                   ? err_set(e, ERR_USAGE, "%s: it takes no value; leave '%s' out", where, equals)
                   : args_add(a, o, "no", where, e);
    }
    if (!o) {
        return args_unknown(a, name, e);
    }
    if (equals) {
        return args_add(a, o, equals + 1, where, e);
    }
    if (o->type == OPTION_BOOL) {
        /* Nothing else that can follow is called so. */
        const char *next = *i + 1 < argc ? argv[*i + 1] : "";
        bool said = strcmp(next, "on") == 0 || strcmp(next, "off") == 0;
        return args_add(a, o, said ? argv[++*i] : "yes", where, e);
    }
    /* What begins with a dash is the next option, but for the dash that means standard output and
     * for numbers below zero: those are refused as what they are. */
    if (*i + 1 >= argc ||
        (argv[*i + 1][0] == '-' && argv[*i + 1][1] && !isdigit((unsigned char)argv[*i + 1][1]))) {
        return err_set(e, ERR_USAGE, "%s: a value is missing; write %s %s", where, where,
                       o->metavar);
    }
    return args_add(a, o, argv[++*i], where, e);
}

static int args_operand(struct args *a, const char *text, struct err *e) {
    if (a->n >= a->command->max) {
        return err_set(e, ERR_USAGE, "%s: one operand too many; usage: loopbench %s [options] %s",
                       text, a->command->name, a->command->operands);
    }
    const char **grown = realloc(a->operand, (size_t)(a->n + 1) * sizeof *grown);
    if (!grown) {
        return err_set(e, ERR_MACHINE, "out of memory reading the command line");
    }
    a->operand = grown;
    grown[a->n++] = text;
    return 0;
}

/* Operands that are another spelling of an option become that option. */
static int args_translate(struct args *a, struct err *e) {
    if ((a->command->id == COMMAND_RUN || a->command->id == COMMAND_COUNT) && a->n == 1) {
        return args_add(a, option_find("config", USE_RUN), a->operand[0], "CONFIG.ini", e);
    }
    if (a->command->id != COMMAND_VERIFY || a->n == 0) {
        return 0;
    }
    char list[VALUES_LIST_MAX * (VALUES_NAME_MAX + 1) + 1];
    size_t used = 0;
    for (int i = 0; i < a->n; i++) {
        if (value_name(a->operand[i], "TARGET", e) != 0) {
            return -1;
        }
        int n = snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? "," : "", a->operand[i]);
        used += (size_t)n;
    }
    return args_add(a, option_find("targets", USE_VERIFY), list, "TARGET", e);
}

static int args_read(struct args *a, int argc, const char *const *argv, struct err *e) {
    bool only_operands = false;
    for (int i = 2; i < argc; i++) {
        const char *text = argv[i];
        int rc;
        if (only_operands || text[0] != '-' || !text[1]) {
            rc = args_operand(a, text, e);
        } else if (strcmp(text, "--") == 0) {
            only_operands = true;
            rc = 0;
        } else if (strcmp(text, "-h") == 0 || strcmp(text, "--help") == 0) {
            a->help = true;
            rc = 0;
        } else if (text[1] == '-') {
            rc = args_option(a, argc, argv, &i, e);
        } else {
            rc = err_set(e, ERR_USAGE,
                         "%s: unknown option; options are words, see `loopbench help "
                         "%s`",
                         text, a->command->name);
        }
        if (rc != 0) {
            return -1;
        }
    }
    if (a->help) {
        return 0;
    }
    if (a->n < a->command->min) {
        return err_set(e, ERR_USAGE, "%s: %s; usage: loopbench %s [options] %s", a->command->name,
                       a->command->operand, a->command->name, a->command->operands);
    }
    return args_translate(a, e);
}

int args_parse(struct args *a, int argc, const char *const *argv, struct err *e) {
    const char *name = argc > 1 ? argv[1] : "help";
    *a = (struct args){0};
    if (strcmp(name, "-h") == 0 || strcmp(name, "--help") == 0) {
        name = "help";
    } else if (strcmp(name, "--version") == 0) {
        name = "version";
    }
    a->command = command_find(name);
    if (!a->command) {
        return *name == '-' ? err_set(e, ERR_USAGE,
                                      "%s: a command comes first; see `loopbench "
                                      "help`",
                                      name)
                            : command_unknown(name, e);
    }
    if (args_read(a, argc, argv, e) != 0) {
        args_release(a);
        return -1;
    }
    return 0;
}

void args_release(struct args *a) {
    settings_release(&a->flags);
    free(a->operand);
    *a = (struct args){0};
}
