/* What comes after the last trial: report, tables and last lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/caller.h"
#include "base/clock.h"
#include "report/findings.h"
#include "report/report.h"
#include "ui/calibrate.h"
#include "ui/crosscheck.h"
#include "ui/ending.h"
#include "ui/session.h"

/* Whether the run is validated, its table and its findings, and how many of its blocks were run
 * again: from what is on disk as any later report, so that both say the same. */
static int print_tables(const char *dir, bool tables, size_t *again, struct err *e) {
    struct store store;
    struct cells cells;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    int rc = cells_build(&cells, &store, e);
    if (rc == 0) {
        const bool utf8 = progress_style_for(stdout, false).utf8;
        *again = cells.repeated;
        rc = tables ? findings_print_run(stdout, &cells, utf8, e) : 0;
        cells_release(&cells);
    }
    store_release(&store);
    return rc;
}

/* A calibration and a cross-check have tables of their own, and a replay one for all its parts. */
static int report(const struct session *s, const char *dir, const char *shown, size_t *again,
                  struct err *e) {
    const bool tables = !s->calibration && !s->crosscheck && !s->part;
    const struct report_options o = {
        .plots = s->config.plots && strcmp(s->config.plots, "auto") != 0 ? s->config.plots : NULL,
        .no_plots = !s->config.report || s->run.interrupted,
        .shown = shown,
        .notes = stderr,
    };
    if (print_tables(dir, tables, again, e) != 0) {
        return -1;
    }
    return s->config.report ? report_write(dir, &o, e) : 0;
}

/* The status to exit with, which is the first that was not 0. */
static int conclude(int (*judge)(const char *dir, FILE *out, bool utf8, struct err *e),
                    const char *dir, int status, struct err *e) {
    int judged = judge(dir, stdout, progress_style_for(stdout, false).utf8, e);
    if (judged < 0) {
        fprintf(stderr, "loopbench: %s\n", e->text);
        judged = (int)e->class;
    }
    return status ? status : judged;
}

int session_finish(struct session *s, struct err *e) {
    const struct run *r = &s->run;
    char dir[PATH_MAX];
    char shown[PATH_MAX];
    struct run_ending summary = {
        .planned = (int64_t)s->plan.trial_count,
        .measured = r->skipped + r->measured - r->again, /* also those from before a resume */
        .failed = r->failed,
        .wall_ns = clock_mono_ns() - s->begun_ns,
        .interrupted = r->interrupted,
        .folder = shown,
        .report = caller_report(),
    };
    int status = r->interrupted || r->failed > 0 ? ERR_FAILED : 0;
    snprintf(dir, sizeof dir, "%s", writer_dir(r->writer));
    caller_shown(dir, shown, sizeof shown);
    writer_release(s->run.writer); /* the report reads what is on disk, as any later one will */
    s->run.writer = NULL;
    if (r->measured + r->skipped > 0 && report(s, dir, shown, &summary.again, e) != 0) {
        fprintf(stderr, "loopbench: %s\n", e->text);
        status = status ? status : (int)e->class;
    }
    if (s->calibration && !r->interrupted) {
        status = conclude(calibrate_conclude, dir, status, e);
    }
    if (s->crosscheck) {
        status = conclude(crosscheck_conclude, dir, status, e);
    }
    fflush(stdout);
    ending_print(stderr, &summary);
    return status;
}
