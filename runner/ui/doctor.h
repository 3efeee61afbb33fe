/* doctor.h — `loopbench doctor`: could this machine measure now, and what would spoil it? */
#ifndef UI_DOCTOR_H
#define UI_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/loop.h"
#include "sample/machine.h"

/* What the run would be. All strings are borrowed. */
struct doctor_options {
    const char *root;    /* prefix before /proc and /sys; "" or NULL = this machine */
    const char *wrk;     /* program or path; NULL = "wrk" */
    const char *gnuplot; /* NULL = "gnuplot" */
    const char *servers; /* folder of the server binaries; NULL = not checked */
    const char *results; /* results folder; NULL = not checked */
    int max_connections; /* of the levels configured */
    int64_t backlog;     /* 0 = from somaxconn */
    int workers;         /* server workers */
    int threads;         /* generator threads */
    int64_t window_ns;   /* how long to watch steal and foreign CPU; 0 = 1 s, < 0 = not at all */
    int width;           /* columns of the output; 0 = terminal's, or 100 */
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

struct doctor_report {
    struct doctor_check checks[DOCTOR_MAX_CHECKS];
    size_t n;
};

/* What was watched over the window. NaN = unknown. */
struct doctor_watch {
    double steal_ratio;  /* of all CPU time */
    double foreign_cpus; /* CPUs used by others */
    double speed_spread; /* (fastest − slowest) / fastest of repeated spins */
    int64_t throttled;   /* nr_throttled over the window; −1 unknown */
    int64_t time_wait;   /* sockets now; −1 unknown */
};

/* Judges facts: pure. programs may be NULL (not checked). */
void doctor_judge(const struct doctor_options *o, const struct machine *m,
                  const struct machine_programs *programs, const struct doctor_watch *watch,
                  struct doctor_report *report);

/* Watches the machine for o->window_ns (blocking). */
void doctor_watch(const struct doctor_options *o, struct doctor_watch *out);

/* Prints the table at the given width. */
void doctor_print(const struct doctor_report *report, int width, FILE *out);

/* All of it. Returns the exit status: 0, or 1 where a check is bad (a run now would be invalid), or
 * 3 with *e where it cannot even look. */
int doctor_run(struct loop *loop, const struct doctor_options *o, FILE *out, struct err *e);

#endif
