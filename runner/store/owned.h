/* owned.h — which files in a run's folder are loopbench's: what `prune` may take with it. */
#ifndef STORE_OWNED_H
#define STORE_OWNED_H

#include <stddef.h>

/* Looks for anything in the open folder of a run that loopbench did not put there: another file, a
 * folder, a link. Returns 1 with the first such path in `out`, 0 when there is none, -1 with errno.
 */
int owned_find_foreign(int run, char *out, size_t size);

#endif
