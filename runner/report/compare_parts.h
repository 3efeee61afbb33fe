/* compare_parts.h — sentences of a comparison, whatever shows them; nobody else includes it. */
#ifndef REPORT_COMPARE_PARTS_H
#define REPORT_COMPARE_PARTS_H

#include "report/compare.h"

#define COMPARE_SENTENCE_MAX 1024

/* ---- anchors */

/* The place of a target, or SIZE_MAX. */
size_t compare_find_target(const struct cells *c, const char *name);

/* Sets c->anchor: `wanted` as in the options. Returns 0, or -1 with *e. */
int compare_choose_anchor(struct compare *c, const char *wanted, struct err *e);

/* The anchor's cells that a row is held against, of the same workload in both runs: the row's own
 * where the anchor answers it, else the first that it does with as many connections. */
bool compare_find_anchor(const struct compare *c, const struct compare_row *row,
                         const struct cell **base, const struct cell **other);

/* ---- plans and limits */

/* Sets c->planned, and c->lack to what the base run's plan names and a run has no trial of. Rows
 * are listed already. Returns 0, or -1 with *e (ERR_MACHINE: memory). */
int compare_plan(struct compare *c, const struct compare_options *o, bool all, struct err *e);

/* Adds what became of the limit. */
void compare_judge_limit(struct compare *c, const struct gate_limit *limit);

/* ---- sentences */

/* What the figures are held against, and what that cannot do. May hold names of the run. */
void compare_method_text(const struct compare *c, char *out, size_t size);

/* How many rows say what. */
void compare_count_text(const struct compare *c, char *out, size_t size);

/* The level and what it allows for. */
void compare_level_text(const struct compare *c, char *out, size_t size);

/* "fail-on cpu>5%: crossed in 1 of 9 cells: hello, 100 connections, libuv: heavier by 8.1% [..]".
 * May hold names of the run. */
void compare_limit_text(const struct compare *c, const struct compare_limit *l, char *out,
                        size_t size);

/* That both sides are the same run; false when they are two. */
bool compare_same_text(const struct compare *c, char *out, size_t size);

/* That a run is not to be believed, and what follows; false when both may be. */
bool compare_doubt_text(const struct compare *c, char *out, size_t size);

/* The cells that lack, with who has no trial of them; false when none does. May hold names. */
bool compare_lacks_text(const struct compare *c, char *out, size_t size);

/* Names of the targets that only this side measured, by comma; false when there is none. */
bool compare_missing_targets(const struct compare *c, size_t side, char *out, size_t size);

#endif
