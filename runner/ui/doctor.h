/* doctor.h — `loopbench doctor`: could this machine measure now, and what would spoil it? */
#ifndef UI_DOCTOR_H
#define UI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/loop.h"
#include "sample/cpusplit.h"
#include "sample/machine.h"

/* What the run would be. All strings are borrowed. */
struct doctor_options {
    const struct cpusplit *split; /* CPUs the run would use; NULL = chosen by workers, threads */
    const char *root;             /* prefix before /proc and /sys; "" or NULL = this machine */
    const char *wrk;              /* program or path; NULL = "wrk" */
    const char *gnuplot;          /* NULL = "gnuplot" */
    const char *servers;          /* folder of the server binaries; NULL = not checked */
    const char *results;          /* results folder; NULL = not checked */
    int max_connections;          /* of the levels configured */
    int64_t backlog;              /* 0 = from somaxconn */
    int workers;                  /* server workers */
    int threads;                  /* generator threads */
    int64_t window_ns; /* how long to watch steal and foreign CPU, and two and a half times that to
                          exchange; 0 = 1 s, < 0 = not at all */
    int width;         /* columns of the output; 0 = terminal's, or 100 */
};

enum doctor_state { DOCTOR_OK, DOCTOR_WARN, DOCTOR_BAD, DOCTOR_UNKNOWN };

struct doctor_check {
    char name[32];
    char value[128];
    enum doctor_state state;
    char why[160]; /* why it matters */
    char fix[200]; /* what to do; "" where nothing is to be done */
};

#define DOCTOR_MAX_CHECKS 48
#define DOCTOR_SLICES     16

struct doctor_report {
    struct doctor_check checks[DOCTOR_MAX_CHECKS];
    size_t n;
};

/* What was looked at beside the machine's settings. NaN and -1 = unknown. */
struct doctor_watch {
    double window_s;
    double steal_ratio;  /* of all CPU time */
    double foreign_cpus; /* CPUs used by others */
    double speed_spread; /* (fastest - slowest) / fastest of repeated spins */
    int64_t throttled;   /* increase of nr_throttled */
    int64_t time_wait;   /* sockets now */
    int64_t conntrack;   /* connections that the kernel tracks now */
    /* Server CPU of an exchange (sample/steady.h), µs, in slices one after another. */
    double exchange_us[DOCTOR_SLICES];
    bool split_known;      /* split holds what a run would choose */
    bool cores_known;      /* and the cores behind it were readable */
    struct cpusplit split; /* CPUs of server and load generator */
};

/* Everything unknown. */
void doctor_watch_init(struct doctor_watch *w);

/* Chooses the CPUs a run would use, then watches the machine for o->window_ns; with another root
 * than this machine's only the first. Returns 0, or -1 with *e when interrupted. */
int doctor_watch(struct loop *loop, const struct doctor_options *o, const struct machine *m,
                 struct doctor_watch *w, struct err *e);

/* Judges facts by the thresholds of base/quality.h: pure. */
void doctor_judge(const struct doctor_options *o, const struct machine *m,
                  const struct doctor_watch *w, struct doctor_report *report);

/* Judges what a run needs to be there: programs and folders. */
void doctor_judge_files(const struct doctor_options *o, const struct machine_programs *programs,
                        struct doctor_report *report);

/* Number of checks in that state. */
size_t doctor_count(const struct doctor_report *report, enum doctor_state state);

/* Whether a run now would be too unsteady to show what it is made for. */
bool doctor_sees_little(const struct doctor_report *report);

/* Prints the table: one row a check where `width` columns hold it, else wrapped. */
void doctor_print(const struct doctor_report *report, int width, FILE *out);

/* All of it. Returns the exit status: 0, or 1 where a check is bad (a run now would be invalid);
 * or -1 with *e where it cannot even look, or was interrupted. */
int doctor_run(struct loop *loop, const struct doctor_options *o, FILE *out, struct err *e);

#endif
