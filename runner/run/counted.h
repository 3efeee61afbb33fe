/* counted.h — what the server counted over a window, to hold the load generator's count against. */
#ifndef RUN_COUNTED_H
#define RUN_COUNTED_H

#include "store/record.h"
#include "target/stats.h"
#include "target/target.h"

/* Asks before the window; t NULL = it is not to be asked, and nothing is known. */
void counted_begin(const struct target *t, struct stats_counted *before);

/* Asks again when all is answered, and keeps the difference, without the runner's own request. */
void counted_end(const struct target *t, const struct stats_counted *before,
                 struct server_result *to);

#endif
