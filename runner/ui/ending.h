/* ending.h — the last lines of a run: how it ended and where the results are. */
#ifndef UI_ENDING_H
#define UI_ENDING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct run_ending {
    int64_t planned, measured, failed, repeated; /* trials; failed is part of measured */
    int64_t wall_ns;
    bool interrupted;
    const char *folder; /* of the results */
};

/* At most three lines: "165 trials in 4 min 51 s, none failed", where, and what to do next. */
void ending_print(FILE *out, const struct run_ending *s);

/* "850 ms", "42 s", "4 min 51 s", "2 h 24 min". */
void ending_duration_text(int64_t ns, char *out, size_t size);

#endif
