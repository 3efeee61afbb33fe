/* ending.h — the last lines of a run: how it ended and where the results are. */
#ifndef UI_ENDING_H
#define UI_ENDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct run_ending {
    /* Trials: those of the plan, of them measured, and failed, also in an attempt at a block that
     * was run again. */
    int64_t planned, measured, failed;
    size_t again; /* blocks run again, as reports count them (cells.h: repeated) */
    int64_t wall_ns;
    bool interrupted;
    const char *folder; /* of the results */
    const char *report; /* the command that makes the report again and gets the run's name, where
                           loopbench is not at hand (in a container); NULL = loopbench itself */
};

/* At most three lines: "165 trials in 4 min 51 s, none failed", where, and what to do next. */
void ending_print(FILE *out, const struct run_ending *s);

/* A path as a word of a shell's. */
void ending_print_path(FILE *out, const char *path);

/* "850 ms", "42 s", "4 min 51 s", "2 h 24 min". */
void ending_duration_text(int64_t ns, char *out, size_t size);

#endif
