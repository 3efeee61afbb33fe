/* setup.h — what every trial of a run shares: programs found, CPUs split, targets ready to be
 * started. */
#ifndef RUN_SETUP_H
#define RUN_SETUP_H

#include <limits.h>
#include <sched.h>
#include <stdbool.h>

#include "base/err.h"
#include "base/loop.h"
#include "base/workload.h"
#include "config/config.h"
#include "load/load.h"
#include "run/judge.h"
#include "sample/cpusplit.h"
#include "target/engine.h"
#include "target/target.h"

/* Besides wrk. */
#define SETUP_GENERATORS 8

struct setup_generator {
    const struct load_ops *ops;
    char version[64];
};

struct setup {
    struct loop *loop;
    const struct config *config;
    const struct load_ops *generator; /* wrk: it warms up in any case */
    char generator_version[64];
    struct setup_generator others[SETUP_GENERATORS]; /* of config.generators, without wrk */
    size_t n_others;
    struct cpusplit cpus;
    int backlog;
    int max_connections; /* of the plan; 0 = nothing is measured */
    struct judge_facts facts;
    char servers[PATH_MAX]; /* folder of the built-in servers */
    bool all_workloads;     /* a guest is verified for all it serves, not only for those chosen */
    bool containers;        /* some target runs in one: then engine is known */
    struct engine engine;
    int log_fd;   /* the access log, a file without a name; -1 = none */
    char log[64]; /* as a server opens it */
};

/* Finds the CPUs as the configuration asks and checks what can be checked without starting
 * anything: programs, file limit, generator. Returns 0, or -1 with *e; setup_release() in any case.
 */
int setup_init(struct setup *s, struct loop *loop, const struct config *c, int max_connections,
               struct err *e);

/* The load generator of that name ("" = wrk), or NULL when the run has none of it. */
const struct load_ops *setup_load(const struct setup *s, const char *name);
/* The same for counting, where the load generator is the runner itself and none need be installed.
 */
int setup_init_counts(struct setup *s, struct loop *loop, const struct config *c,
                      int max_connections, struct err *e);

/* Closes what setup_init opened. */
void setup_release(struct setup *s);

/* Empties the access log for the next trial. */
void setup_clear_log(const struct setup *s);

/* Bytes in it; -1 where there is none. */
int64_t setup_log_size(const struct setup *s);

/* Lines in it; -1 where there is none, or it cannot be read. */
int64_t setup_log_lines(const struct setup *s);

/* Only the CPU split, for a dry run. Returns 0, or -1 with *e (ERR_USAGE: CPUs that are not ours).
 */
int setup_split_cpus(const struct config *c, struct cpusplit *out, struct err *e);

/* The workload of that name as the target is asked for it: at its own path. NULL with *e: there is
 * none, or no memory. */
const struct workload *setup_workload(const struct target_config *t, const char *name,
                                      struct err *e);

/* A target's launcher and spec. The argv it points to lives in *command (a NULL-terminated array to
 * be freed with setup_free_command); -1 with *e out of memory. */
int setup_target(const struct setup *s, const struct target_config *t, struct target_spec *spec,
                 char ***command, struct err *e);
void setup_free_command(char **command);

/* The launcher of a target. */
const struct target_ops *setup_launcher(const struct target_config *t);

#endif
