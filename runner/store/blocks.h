/* blocks.h — what the trials of one block tell about each other. */
#ifndef STORE_BLOCKS_H
#define STORE_BLOCKS_H

#include <stddef.h>

#include "store/record.h"

/* Sets by_block of each record, to the signals it is left out for: a signal about the whole machine
 * (quality_is_shared) could not be read in it, and was invalid in another trial of the same attempt
 * of its block. The trials of a block follow each other at once: what spoilt one is not to be ruled
 * out for the other. The records stand as they were measured or are sorted: those of a block next
 * to each other. */
void blocks_share_signals(struct trial_record *records, size_t n);

#endif
