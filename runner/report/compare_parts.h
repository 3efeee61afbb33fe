/* compare_parts.h — sentences of a comparison, whatever shows them; nobody else includes it. */
#ifndef REPORT_COMPARE_PARTS_H
#define REPORT_COMPARE_PARTS_H

#include "report/compare.h"

#define COMPARE_SENTENCE_MAX 1024

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

/* Names of the targets that only this side measured, by comma; false when there is none. */
bool compare_missing_targets(const struct compare *c, size_t side, char *out, size_t size);

#endif
