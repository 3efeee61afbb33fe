/* config.h — everything a command was told, from all sources, checked.
 *
 * Later sources win: defaults, profile, INI file, flags. Field names are those of options.c with _
 * for -; units are in the names. */
#ifndef CONFIG_CONFIG_H
#define CONFIG_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mode.h"
#include "config/options.h"
#include "config/values.h"

#define CONFIG_FILE_MAX       (1 << 20)
#define CONFIG_CONTROL_SUFFIX "-again" /* the A/A control of target X is measured as X-again */
#define CONFIG_NULL_TARGET    "null"   /* the null server */

/* Where a target runs. NAME@host-network and NAME@bridge are NAME in a container. */
enum target_place {
    PLACE_PROCESS,      /* a process on this machine */
    PLACE_HOST_NETWORK, /* a container with the machine's own network */
    PLACE_BRIDGE,       /* a container behind the engine's bridge */
    PLACE_URL,          /* it runs already, started by somebody else */
};

/* One target: our own servers are built-in rows, [target NAME] sections add others. */
struct target_config {
    char *name;
    bool builtin;   /* one of loopbench's servers */
    bool announces; /* prints loopbench's ready line, so it may choose its own port */
    bool guest;     /* found by its name in the folder of guests */
    bool recorded;  /* a guest whose section stood in the file that was read, as a run wrote it */
    bool changed;   /* and its target.ini says something else now */
    char *section;  /* the keys of its section as they were read, a line each; NULL = it has none */
    char *dir;      /* {dir}: the absolute folder of the file with its section; NULL = unknown */
    /* NULL-terminated; holds {host} {port} {workers} {backlog} {servers} {dir} {log}, expanded when
     * it is started. For a built-in server command[0] is the program in the servers folder. */
    char **command;
    char **log_options;    /* appended to the command with an access log; NULL = none */
    char **probe;          /* a command that exits 0 where its runtime is there; NULL = not asked */
    char **version;        /* a command whose first line of output is its version; NULL = none */
    char **env;            /* NAME=VALUE, NULL-terminated; NULL = none */
    char **paths;          /* WORKLOAD=PATH, where a path is not the workload's own; NULL = none */
    char *cwd;             /* NULL = the runner's */
    char *package;         /* what brings its runtime, blank-separated; NULL = not said */
    char *install;         /* the command that does, where no package does; NULL = not said */
    char *about;           /* one line: who would use it; NULL = not said */
    char *ready_path;      /* "/hello" */
    int stop_signal;       /* SIGTERM */
    int64_t stop_grace_ns; /* between that and SIGKILL; 0 = the launcher's */
    bool shares_db;        /* not one that we start of ours: it stores in the run's --db, too */
    bool dies_by_signal;   /* being ended by the stop signal is a clean end */
    int64_t handicap_ns;   /* from --handicap; already part of `command` */
    struct names workloads; /* what it serves; empty = all */
    enum target_place place;
    char *image; /* of a container; NULL = it has none */
    /* PLACE_URL */
    char *url;      /* http://HOST:PORT, as it was written */
    char *url_host; /* a name or a numeric address */
    int url_port;
    char *process; /* how /proc calls its process, where this one may see it; NULL = it may not */
    int restart_signal; /* makes it a fresh process under its PID; 0 = it stays what it is */
    int section_line;   /* of its section in the file; 0 = it has none */
};

/* A chosen target that is not measured. */
struct left_out {
    char *name, *reason;
    char *package; /* what brings what is missing; NULL = not known */
    bool baseline; /* it was the baseline: all pairs are compared instead */
};

struct config {
    /* what is measured */
    char *profile;
    struct names targets; /* chosen, without control and null server */
    struct names workloads;
    struct ints connections;
    int64_t rounds;
    int64_t duration_ns; /* whole seconds */
    int64_t warmup_ns;
    uint64_t seed;
    char *aa_control; /* "on", "off", or a target's name */
    bool null_server;
    /* what else decides results: config_mode() */
    int64_t requests; /* of a window, in place of its duration; 0 = not */
    struct span think;
    int64_t pipeline;
    bool keepalive, access_log;
    char *db; /* for our servers; NULL = a private file of each */
    /* how */
    int64_t threads;    /* of the load generator */
    int64_t workers;    /* of each server */
    int64_t backlog;    /* 0 = what the kernel allows: config_backlog() */
    int64_t timeout_ns; /* a reply slower than this is an error */
    int64_t ready_timeout_ns;
    int64_t container_files; /* file descriptors a target in a container may use */
    int64_t trial_margin_ns; /* what a trial may take above warm-up and window */
    struct cpu_choice server_cpus, generator_cpus;
    struct pair_list handicap; /* target → ns per request */
    struct names generators;   /* each target by each of these; empty = by wrk */
    bool verify;
    int64_t repeat_percent; /* of the planned blocks may be run again, each at most twice */
    double margin_percent;  /* a smaller difference is "equivalent" */
    char *baseline;         /* the target that others are held against; NULL = all pairs */
    char *wrk;              /* program */
    char *servers;          /* folder, or "auto": config_servers() */
    char *guests;           /* folder, or "auto": config_guests() */
    char *results;          /* folder */
    /* this invocation only: never in a file */
    char *config; /* the INI file, or NULL */
    char *out;    /* NULL = results/<run-id> */
    char *resume; /* NULL = a new run */
    bool dry_run, quiet;
    bool report; /* write it when the run is done */
    bool same_seed, allow_undecided;
    bool replay_resume;
    char *plots; /* folder of gnuplot programs, or "auto" */
    /* of commands that read runs: none in a file either */
    char *compare_baseline;              /* "A" or "B" */
    struct names metrics;                /* empty = those of fail_on, or all */
    char *anchor;                        /* "auto", "none", or a target */
    char *fail_on;                       /* NULL = nothing fails */
    char *markdown;                      /* file, "-", or NULL */
    char *format;                        /* of an export */
    char *select_target;                 /* NULL = all */
    char *select_workload;               /* NULL = all */
    int64_t select_connections;          /* 0 = all */
    char *export_out;                    /* NULL = standard output */
    int64_t requests_low, requests_high; /* of counts */
    char *add;                           /* the run that counts are added to, or NULL */
    int64_t keep;
    char *site_out;
    struct names site_pairs;
    /* every known target: built-in ones first, then sections in the file's order */
    size_t target_count;
    struct target_config *target;
    size_t section; /* the target whose section is being read */
    /* chosen targets that config_leave_out() took away again */
    size_t left_out_count;
    struct left_out *left_out;
};

/* One value somebody gave: a flag. Owns value and where. */
struct setting {
    const struct option *option;
    char *value;
    char *where; /* "--rounds" */
};

struct settings {
    size_t n;
    struct setting *setting;
};

/* Appends copies; -1 out of memory. */
int settings_add(struct settings *s, const struct option *option, const char *value,
                 const char *where);
void settings_release(struct settings *s);

/* Builds *c (zeroed by the caller) from the defaults, the profile, the file that `flags` name with
 * --config (if any) and the flags, then checks what values mean together. `use` is the command's
 * bit. On error returns -1 with *e (ERR_USAGE) and *c is empty. Reads files, starts nothing. */
int config_load(struct config *c, const struct settings *flags, unsigned use, struct err *e);

/* Like config_load, from INI text instead of a file; `name` stands for the file in messages. */
int config_load_text(struct config *c, const char *text, size_t len, const char *name,
                     const struct settings *flags, unsigned use, struct err *e);

/* Whether that name means a target without any file: one of our servers, or a guest in the folder
 * that `flags` say (by --guests, else auto), in a container or not. */
bool config_is_known(const struct settings *flags, const char *name);

void config_release(struct config *c);

/* The effective configuration as an INI file that can be run again (options marked USE_FILE and
 * all [target] sections). Owned by the caller; NULL out of memory. */
char *config_dump(const struct config *c);

/* One option's value as the dump writes it; NULL for an unset one (or out of memory). Owned by the
 * caller. */
char *config_value_text(const struct config *c, const struct option *o);

/* The target of that name, or NULL. The control's name finds the target it repeats. */
const struct target_config *config_target(const struct config *c, const char *name);

/* "process", "container, host network", … */
const char *config_place_name(enum target_place place);

/* True when every chosen target (and the null server, where wanted) runs already. */
bool config_all_external(const struct config *c);

/* True when `t` answers that workload, with whatever parameter. */
bool config_serves(const struct target_config *t, const char *workload);

/* How the load generator is to send requests. */
struct mode config_mode(const struct config *c);

#define CONFIG_MODE_SIZE (MODE_TEXT_SIZE + 32)

/* The record mode: mode_text() with "access-log", "db=sqlite" or "db=postgresql" where they are
 * asked for; "" where nothing is. Results of different record modes are not compared. */
void config_mode_text(const struct config *c, char *out, size_t size);

/* The target measured twice, or NULL when the A/A control is off. */
const struct target_config *config_control(const struct config *c);

/* The listen backlog for {backlog}: the option, or what the kernel allows (somaxconn). */
int64_t config_backlog(const struct config *c);

/* The folder of the server programs: the option, else beside the running program, else
 * PREFIX/libexec/loopbench. Returns 0 or -1 when it is too long. */
int config_servers(const char *option, char *out, size_t size);

/* The folder of the guests: the option, else servers/guests of the tree this program was built in,
 * else share/loopbench/guests beside where it is installed. Returns 0 or -1 when it is too long. */
int config_guests(const char *option, char *out, size_t size);

/* A copy of one word of a command with every {servers} replaced by that folder and every {dir} by
 * the target's own (left as it is where that is not known); owned by the caller, NULL out of
 * memory. */
char *config_expand(const struct target_config *t, const char *word, const char *servers);

/* The same for all words; NULL-terminated, owned (words_free); NULL out of memory. */
char **config_expand_all(const struct target_config *t, char *const *words, const char *servers);

/* The path at which `t` serves that workload, or NULL where it is the workload's own. Of a name
 * with a parameter (`bytes:n=4096`) the path is that of the workload without, up to its query.
 * Owned by the caller. *no_memory is set where NULL means that. */
char *config_path(const struct target_config *t, const char *workload, bool *no_memory);

/* Whether a word of the command holds that placeholder ("{workers}"). */
bool config_command_has(const struct target_config *t, const char *placeholder);

/* Adds every guest of the folder that is not known yet. A folder whose file cannot be read is
 * passed over and told to `broken` (may be NULL), as is one whose name cannot be a target's.
 * Returns 0, or -1 with *e (memory; a folder of guests that was asked for and cannot be read). */
int config_add_guests(struct config *c, void (*broken)(void *ctx, const char *why), void *ctx,
                      struct err *e);

/* Takes a chosen target away and remembers why; package may be NULL. Where it is the baseline, all
 * pairs are compared. ERR_MACHINE where it is the control, without which no run is believed.
 * Returns 0, or -1 with *e. */
int config_leave_out(struct config *c, const char *name, const char *reason, const char *package,
                     struct err *e);

/* Checks that the program (and folder) of each chosen target, of the null server where wanted, is
 * there; ERR_MACHINE names the first that is missing and what brings it. */
int config_check_programs(const struct config *c, struct err *e);

#endif
