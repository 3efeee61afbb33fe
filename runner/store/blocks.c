#include "store/blocks.h"

#include <math.h>
#include <stdio.h>

#include "base/quality.h"

/* Whether the signal was not to be had at all. One that was too small to judge in a short window is
 * unknown, too, but shows for itself that little happened. */
static bool blocks_unread(const struct trial_record *r, enum quality_id id) {
    const struct environment_result *env = &r->environment;
    switch (id) {
    case QUALITY_STEAL:
        return isnan(env->steal_ratio);
    case QUALITY_FOREIGN_CPU:
        return isnan(env->foreign_cpus);
    case QUALITY_CONNTRACK:
        return env->conntrack < 0;
    default:
        return false; /* not shared */
    }
}

/* Whether the record's flags say this of the signal. */
static bool blocks_says(const struct trial_record *r, enum quality_id id,
                        enum quality_level level) {
    char word[64];
    snprintf(word, sizeof word, "%s-%s", quality_check(id)->name, quality_level_name(level));
    return record_has_flag(r, word);
}

static bool blocks_same(const struct trial_record *a, const struct trial_record *b) {
    return a->block == b->block && a->attempt == b->attempt;
}

/* Whether a trial of records[at]'s block was invalid by the signal. */
static bool blocks_invalid(const struct trial_record *records, size_t n, size_t at,
                           enum quality_id id) {
    size_t first = at;
    while (first > 0 && records[first - 1].block == records[at].block) {
        first--;
    }
    for (size_t i = first; i < n && records[i].block == records[at].block; i++) {
        if (blocks_same(&records[i], &records[at]) &&
            blocks_says(&records[i], id, QUALITY_INVALID)) {
            return true;
        }
    }
    return false;
}

void blocks_share_signals(struct trial_record *records, size_t n) {
    for (size_t i = 0; i < n; i++) {
        records[i].by_block = 0;
        for (int id = 0; id < QUALITY_COUNT && *records[i].flags; id++) {
            const enum quality_id signal = (enum quality_id)id;
            if (quality_is_shared(signal) && blocks_says(&records[i], signal, QUALITY_UNKNOWN) &&
                blocks_unread(&records[i], signal) && blocks_invalid(records, n, i, signal)) {
                records[i].by_block |= 1U << signal;
            }
        }
    }
}
