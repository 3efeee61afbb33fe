#include "report/guests.h"

#include <math.h>
#include <string.h>

#include "store/manifest.h"

const json_t *guests_entry(const struct cells *c, size_t target) {
    const json_t *targets = manifest_at(c->store->manifest, "targets");
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const json_t *t = json_array_get(targets, i);
        const char *name = json_string_value(json_object_get(t, "name"));
        if (name && strcmp(name, c->targets[target].name) == 0) {
            return t;
        }
    }
    return NULL;
}

bool guests_is(const struct cells *c, size_t target) {
    return c->targets[target].role == ROLE_TARGET &&
           json_is_true(json_object_get(guests_entry(c, target), "guest"));
}

size_t guests_reference(const struct cells *c) {
    for (size_t i = 0; i < c->target_count; i++) {
        if (c->targets[i].role == ROLE_TARGET && !guests_is(c, i)) {
            return i;
        }
    }
    return SIZE_MAX;
}

double guests_bytes(const struct cells *c, size_t target, const char *workload) {
    double bytes = 0;
    double requests = 0;
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        if (cell->target != target || strcmp(cell->workload, workload) != 0) {
            continue;
        }
        for (size_t k = 0; k < c->rounds; k++) {
            const struct trial_record *r = cell->trial[k];
            if (r && r->status == TRIAL_OK && r->load.bytes >= 0 && r->load.requests > 0) {
                bytes += (double)r->load.bytes;
                requests += (double)r->load.requests;
            }
        }
    }
    return requests > 0 ? bytes / requests : (double)NAN;
}

int64_t guests_processes(const struct cells *c, size_t target, bool *pss) {
    int64_t most = -1;
    *pss = false;
    for (size_t i = 0; i < c->count; i++) {
        for (size_t k = 0; c->cell[i].target == target && k < c->rounds; k++) {
            const struct trial_record *r = c->cell[i].trial[k];
            if (r && r->status == TRIAL_OK) {
                most = r->server.processes > most ? r->server.processes : most;
                *pss = *pss || figure_is_pss(r);
            }
        }
    }
    return most;
}

const json_t *guests_reply(const struct cells *c, size_t target, const char *workload) {
    const json_t *replies = json_object_get(guests_entry(c, target), "replies");
    for (size_t i = 0; i < json_array_size(replies); i++) {
        const json_t *r = json_array_get(replies, i);
        const char *name = json_string_value(json_object_get(r, "workload"));
        if (name && strcmp(name, workload) == 0) {
            return r;
        }
    }
    return NULL;
}

static double reply_size(const json_t *reply, const char *head, const char *body) {
    const json_t *h = json_object_get(reply, head);
    const json_t *b = json_object_get(reply, body);
    return json_is_integer(h) && json_is_integer(b) ? json_number_value(h) + json_number_value(b)
                                                    : (double)NAN;
}

double guests_more(const struct cells *c, size_t target, size_t reference, const char *workload) {
    if (reference == SIZE_MAX) {
        return (double)NAN;
    }
    const json_t *reply = guests_reply(c, target, workload);
    const char *beside = json_string_value(json_object_get(reply, "reference"));
    double more = reply_size(reply, "head_bytes", "body_bytes") -
                  reply_size(reply, "reference_head_bytes", "reference_body_bytes");
    if (isfinite(more) && beside && strcmp(beside, c->targets[reference].name) == 0 &&
        json_is_boolean(json_object_get(reply, "same_body"))) {
        return more;
    }
    return guests_bytes(c, target, workload) - guests_bytes(c, reference, workload);
}
