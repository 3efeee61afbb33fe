/* session.h — one stored run from its configuration to its report: what `run`, `calibrate` and all
 * that measure have in common.
 *
 * In this order: session_load, or a configuration of the caller's own and session_plan;
 * session_run, or the steps it is made of where there is something to do between them; and
 * session_release whatever happened. */
#ifndef UI_SESSION_H
#define UI_SESSION_H

#include <limits.h>

#include "run/probe.h"
#include "run/run.h"
#include "ui/commands.h"
#include "ui/progress.h"

/* Everything a run holds; zero it first. */
struct session {
    struct config config;
    struct plan plan;
    json_t *extra;    /* more members for the manifest, or NULL; owned */
    json_t *manifest; /* of a new run, as it was begun; owned */
    bool crosscheck;  /* so does this one (ui/crosscheck.h) */
    bool part;        /* of a replay, which has a table of its own */
    bool calibration; /* ends with its own table and files (ui/calibrate.h), not the run's */
    struct loop loop;
    bool looping;
    struct run run;
    struct probe probe;
    struct progress *progress;
    uv_timer_t tick;
    int64_t begun_ns;
};

/* The configuration and plan of a new run, or of the one to be resumed. Returns 0 or -1 with *e. */
int session_load(struct session *s, const struct invocation *in, struct err *e);

/* The plan of s->config, which the caller has filled. Returns 0 or -1 with *e. */
int session_plan(struct session *s, struct err *e);

/* The same of what is installed, saying what is left out. Returns 0 or -1 with *e. */
int session_plan_installed(struct session *s, struct err *e);

/* From the plan to the end: session_open, session_execute and session_finish, or session_dry_run
 * where that is what was asked for. Returns the exit status, or -1 with *e. */
int session_run(struct session *s, const struct invocation *in, struct err *e);

/* Checks what can be checked without starting a target (programs, CPUs, limits) and starts the
 * loop. Returns 0 or -1 with *e. */
int session_open(struct session *s, struct err *e);

/* Prints the plan instead of executing it. Returns 0 or -1 with *e. */
int session_dry_run(struct session *s, struct err *e);

/* Starts every target once, creates the folder (a resumed run has its own) and measures. Returns 0,
 * also after an interrupt that left something to report, or -1 with *e. */
int session_execute(struct session *s, const struct invocation *in, struct err *e);

/* Closes the folder; report, tables and last lines. Returns the exit status. */
int session_finish(struct session *s, struct err *e);

void session_release(struct session *s);

#endif
