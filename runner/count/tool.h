/* tool.h — what counts in a process: one struct of operations each.
 *
 * A tool may put words before the target's command or into its environment, look on while the
 * client sends, and read its count when the process is gone. */
#ifndef COUNT_TOOL_H
#define COUNT_TOOL_H

#include <limits.h>
#include <stdbool.h>

#include "base/err.h"
#include "count/callgrind.h"
#include "count/perf.h"
#include "store/counts.h"
#include "target/target.h"

/* What one process needed in all, as far as its tool counts it. */
struct count_total {
    int64_t of[COUNT_KINDS];       /* -1 = not counted by this tool */
    struct callgrind instructions; /* cost NULL = not counted */
    json_t *calls;                 /* name → calls; NULL = not counted */
    bool preloaded;                /* the library that counts allocations was */
    int64_t seconds;               /* changes of the date in the replies */
};

void count_total_init(struct count_total *t);
void count_total_release(struct count_total *t);

/* Where the tools are. */
struct count_paths {
    char valgrind[PATH_MAX], strace[PATH_MAX]; /* programs; "" = not installed */
    char setpriv[PATH_MAX];                    /* "" = not there */
    char preload[PATH_MAX];                    /* counts allocations; "" = not there */
    const struct perf_source *perf;            /* NULL = the real one */
};

/* Finds them: programs by PATH, the library beside the folder of the servers. */
void count_paths_find(struct count_paths *p, const char *servers);

#define TOOL_WORDS_MAX 16

/* Words to put before a command line, and into its environment. */
struct tool_words {
    const char *argv[TOOL_WORDS_MAX];
    const char *env[2];
    size_t argc, envc;
    char room[2][PATH_MAX + 64];
};

struct count_tool {
    const char *name;
    /* What it counts, ended by COUNT_KINDS; the first decides whether counts have settled. */
    enum count_kind kinds[4];
    bool clocked;  /* what is done once a second or millisecond would show */
    bool starts;   /* it must start the process itself, on this machine */
    double slower; /* how many times longer a target may take for everything */
    /* Whether it is there; *e (ERR_MACHINE) names the package that is missing. NULL = always. */
    int (*check)(const struct count_paths *paths, struct err *e);
    /* Sets words (zeroed) for a run whose files go into `dir`. NULL = none. */
    void (*words)(const struct count_paths *paths, const char *dir, struct tool_words *w);
    /* Called between the target's readiness and the client. Sets *state. NULL = nothing. */
    int (*begin)(const struct count_paths *paths, struct target *t, void **state, struct err *e);
    /* Called when the client has ended, whether it succeeded or not. */
    int (*end)(void *state, struct count_total *out, struct err *e);
    /* Reads what it left in `dir`. NULL = nothing. */
    int (*read)(const char *dir, struct count_total *out, struct err *e);
};

/* All of them, ended by NULL: allocations and bytes, hardware, system calls, instructions. */
extern const struct count_tool *const count_tools[];

#endif
