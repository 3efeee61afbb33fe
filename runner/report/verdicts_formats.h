/* verdicts_formats.h — verdicts in each format of a report. */
#ifndef REPORT_VERDICTS_FORMATS_H
#define REPORT_VERDICTS_FORMATS_H

#include <jansson.h>
#include <stdio.h>

#include "base/err.h"
#include "report/verdicts.h"

/* verdicts.csv: one row a ratio, the A/A control's too, gated and ungated side by side. */
int verdicts_csv_write(const struct verdicts *v, struct err *e);

/* The same as data, with the control's judgement and the counts of trials; NULL out of memory. */
json_t *verdicts_json(const struct verdicts *v);

#endif
