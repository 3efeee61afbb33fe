/* report.h — all files of a report, made from a run folder and nothing else. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"
#include "report/findings.h"

struct report_options {
    const char *plots;   /* folder of the gnuplot programs; NULL = found beside the program */
    const char *gnuplot; /* NULL = "gnuplot" */
    /* What links into the documentation begin with ("../../docs", or an address); "" = none. NULL =
     * the source tree's, when the run lies within it. */
    const char *docs;
    bool no_plots;                    /* text only */
    struct verdicts_options verdicts; /* zero: as the run was begun */
    const char *shown;                /* how notes call the folder; NULL = as it is called here */
    FILE *notes; /* one line for each thing worth saying (torn line, …); NULL = none */
};

/* Writes report.md, report.html, report.json, cells.csv, verdicts.csv and plots/ into the run
 * folder, of a calibration calibration.json and calibration.md, too. Where plots cannot be made
 * (gnuplot missing, killed, too slow) the others are written nevertheless and *e (ERR_MACHINE) says
 * so. One at a time on a folder: another waits. */
int report_write(const char *dir, const struct report_options *o, struct err *e);

/* What of the run's data is damaged or gone, a line each: for every command that reads it. */
void report_say_damage(FILE *notes, const struct store *s);

#endif
