/* findings_parts.h — between the files that make findings; nobody else includes it. */
#ifndef REPORT_FINDINGS_PARTS_H
#define REPORT_FINDINGS_PARTS_H

#include <stdint.h>

#include "report/findings.h"
#include "report/text.h"

/* Findings in the making. */
struct maker {
    const struct verdicts *v;
    struct findings *f;
    size_t room;
    struct text_file say; /* the sentence being written, into say.f */
    bool failed;          /* out of memory */
};

/* Begins a sentence; false when there is no memory, and then nothing is to be written. */
bool maker_begin(struct maker *m);

/* Ends it. Of one kind and figure, larger `size` comes first. */
void maker_end(struct maker *m, enum finding_kind kind, enum verdict_about about, double size);

/* Ends one that is no finding: its text, which is the caller's; NULL out of memory. */
char *maker_take(struct maker *m);

/* Ends one that says what must not be concluded. */
void maker_caution(struct maker *m);

/* A name of the run's as it stands in a row. */
const char *maker_target(const struct maker *m, const struct cell *cell);

/* "1 connection", "10, 100 and 500 connections". */
void maker_levels(FILE *f, const int levels[], size_t n);

/* "hello, 100 connections". */
void maker_cell(FILE *f, const struct cell *cell);

/* The rows of one figure, workload and pair: one for each level. */
struct finding_group {
    const struct verdict_row **row;
    size_t n;
};

/* The rows of that verdict, higher or lower, as one sentence; none when there is no such row. */
void findings_say_difference(struct maker *m, const struct finding_group *g,
                             enum verdict_kind kind);

/* The parts of the whole. */
void findings_say_verdicts(struct maker *m);
void findings_say_places(struct maker *m);
/* What must not be concluded from throughput: who was the limit, and whether that is known. */
void findings_caution_client(struct maker *m);
/* What must not be concluded from memory of a server in several places. */
void findings_caution_places(struct maker *m);
void findings_say_guests(struct maker *m);
void findings_say_errors(struct maker *m);
/* Connections that hung, and replies that were not as long as the checked ones. */
void findings_say_replies(struct maker *m);
void findings_say_unknown(struct maker *m);
void findings_say_database(struct maker *m);
void findings_say_failures(struct maker *m);
/* Within a sentence about comparisons that lack blocks: "; h2o failed in hello at 100 connections
 * (3 of 11 trials: hung), 500 (11 of 11: crashed)". Nothing when none did; of many cells those in
 * which most failed, and how many more there are. */
void findings_put_failed(struct maker *m, const struct verdict_row *rows, size_t n);
void findings_say_cautions(struct maker *m);
/* Which findings rest on no control. */
void findings_caution_control(struct maker *m);
/* What the run resolves, and in which cells. */
void findings_say_resolution(struct maker *m);
/* Cells in which the control was measured in that figure. */
size_t findings_control_cells(const struct verdicts *v, enum verdict_about about);
void findings_judge_run(struct findings *f, const struct verdicts *v);

#endif
