/* cells_parts.h — between the files that build cells; nobody else includes it. */
#ifndef REPORT_CELLS_PARTS_H
#define REPORT_CELLS_PARTS_H

#include "report/cells.h"
#include "store/manifest.h"

/* Finds the targets, workloads, levels and cells there are. */
int cells_index(struct cells *c, const struct store *s, struct err *e);

/* Judges each cell by its ceiling and collects its flags. Returns -1 out of memory. */
int cells_judge(struct cells *c);

#endif
