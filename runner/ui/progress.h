/* progress.h — how far a run is: a bar redrawn in place on a terminal, plain lines elsewhere. */
#ifndef UI_PROGRESS_H
#define UI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "store/record.h"

enum progress_mode {
    PROGRESS_QUIET, /* notes only */
    PROGRESS_LINES, /* one line a trial */
    PROGRESS_BAR,   /* one line redrawn in place */
};

struct progress_style {
    enum progress_mode mode;
    int width;  /* columns; 0 = ask the terminal before each drawing */
    bool utf8;  /* may draw with more than ASCII */
    bool color; /* may use SGR colours */
};

struct progress;

/* The style that fits `out`: terminal or not, locale, NO_COLOR, TERM=dumb. */
struct progress_style progress_style_for(FILE *out, bool quiet);

/* total trials of which `done` need not be run any more (resume); estimate_ns is the plan's for
 * all of them. The stream is not closed. NULL out of memory. */
struct progress *progress_begin(FILE *out, struct progress_style style, int64_t total, int64_t done,
                                int64_t estimate_ns);

/* attempt > 0 marks a block that is run again. Trials are counted as they come. */
void progress_trial_start(struct progress *p, const char *target, const char *workload,
                          int connections, int round, int attempt);

/* A trial has ended, well or not. A block that is run again adds its trials to the total. */
void progress_trial_end(struct progress *p, const struct trial_record *r);

/* More trials than planned (a block is repeated). */
void progress_more(struct progress *p, int64_t trials);

/* Redraws the bar (time goes on while a trial runs); does nothing elsewhere. */
void progress_tick(struct progress *p);

/* A line of its own, above the bar. */
void progress_note(struct progress *p, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Clears the bar and frees p; also right after an interrupt. NULL is ignored. */
void progress_end(struct progress *p);

#endif
