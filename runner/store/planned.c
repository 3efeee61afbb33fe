#include "store/planned.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "store/manifest.h"

/* Whether the list names it; its items are texts, or objects with the text under `key`. */
static bool has_name(const json_t *list, const char *key, const char *name) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *text = json_string_value(key ? json_object_get(item, key) : item);
        if (text && strcmp(text, name) == 0) {
            return true;
        }
    }
    return json_array_size(list) == 0;
}

static bool has_number(const json_t *list, int number) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (json_integer_value(json_array_get(list, i)) == number) {
            return true;
        }
    }
    return json_array_size(list) == 0;
}

int planned_check(const json_t *manifest, const struct trial_record *r, struct err *e) {
    const int64_t rounds = manifest_int(manifest, "plan.rounds");
    if (!has_name(manifest_at(manifest, "targets"), "name", r->target)) {
        return err_set(e, ERR_USAGE, "manifest.json names no target '%s'", r->target);
    }
    if (!has_name(manifest_at(manifest, "plan.workloads"), NULL, r->workload)) {
        return err_set(e, ERR_USAGE, "manifest.json names no workload '%s'", r->workload);
    }
    if (!has_number(manifest_at(manifest, "plan.connections"), r->connections)) {
        return err_set(e, ERR_USAGE, "manifest.json names no level of %d connections",
                       r->connections);
    }
    if (rounds >= 0 && r->round >= rounds) {
        return err_set(e, ERR_USAGE, "round %d of a run of %" PRId64, r->round, rounds);
    }
    return 0;
}
