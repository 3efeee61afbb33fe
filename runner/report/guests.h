/* guests.h — servers in a run that are not ours: what they are, and how many bytes they send. */
#ifndef REPORT_GUESTS_H
#define REPORT_GUESTS_H

#include <jansson.h>
#include <stdbool.h>

#include "report/cells.h"

/* The manifest's entry of a target of the cells, or NULL. */
const json_t *guests_entry(const struct cells *c, size_t target);

/* Whether the target is compared and no server of ours; what is not recorded is taken to be ours.
 */
bool guests_is(const struct cells *c, size_t target);

/* The first compared server of ours, or SIZE_MAX. */
size_t guests_reference(const struct cells *c);

/* Bytes a reply of a target in a workload, as the load generator received them over all trials that
 * count; NaN where there are none. */
double guests_bytes(const struct cells *c, size_t target, const char *workload);

/* Bytes a reply more than the reference's: as verify counted them, where the two were held against
 * each other and their bodies do not vary, else as received (which holds replies that the end of
 * the window cut off); NaN = not known. */
double guests_more(const struct cells *c, size_t target, size_t reference, const char *workload);

/* Most processes at once in any trial of the target; -1 = unknown. *pss: its memory is given as
 * PSS. */
int64_t guests_processes(const struct cells *c, size_t target, bool *pss);

/* What verify found the target's reply to a workload to be ({"head_bytes", …}), or NULL. */
const json_t *guests_reply(const struct cells *c, size_t target, const char *workload);

#endif
