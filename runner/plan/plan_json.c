#include "plan/plan_json.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_FORMAT 1

static const char *const plan_roles[] = {"target", "control", "null"};
#define PLAN_ROLES (sizeof plan_roles / sizeof plan_roles[0])

static json_t *plan_json_targets(const struct plan *p) {
    json_t *all = json_array();
    for (size_t i = 0; i < p->target_count; i++) {
        const struct plan_target *t = &p->target[i];
        json_t *one = json_pack("{s:s, s:s, s:s}", "name", t->name, "base", t->base, "role",
                                plan_roles[t->role]);
        if (*t->generator) {
            json_object_set_new(one, "generator", json_string(t->generator));
        }
        json_array_append_new(all, one);
    }
    return all;
}

static json_t *plan_json_blocks(const struct plan *p) {
    json_t *all = json_array();
    for (size_t i = 0; i < p->block_count; i++) {
        const struct plan_block *b = &p->block[i];
        json_t *order = json_array();
        for (size_t t = 0; t < b->count; t++) {
            const struct plan_trial *trial = &p->trial[b->first + t];
            json_array_append_new(order, json_string(p->target[trial->target].name));
        }
        json_array_append_new(all, json_pack("{s:i, s:s, s:i, s:o}", "round", b->round, "workload",
                                             b->workload, "connections", b->connections, "order",
                                             order));
    }
    return all;
}

char *plan_to_json(const struct plan *p) {
    char seed[32];
    snprintf(seed, sizeof seed, "%" PRIu64, p->seed);
    json_t *root =
        json_pack("{s:i, s:s, s:i, s:o, s:o}", "format", PLAN_FORMAT, "seed", seed, "rounds",
                  p->rounds, "targets", plan_json_targets(p), "blocks", plan_json_blocks(p));
    char *compact = root ? json_dumps(root, JSON_INDENT(1)) : NULL;
    json_decref(root);
    if (!compact) {
        return NULL;
    }
    size_t len = strlen(compact);
    char *text = realloc(compact, len + 2);
    if (!text) {
        free(compact);
        return NULL;
    }
    memcpy(text + len, "\n", 2);
    return text;
}

/* A damaged plan: what, where, and the only remedy there is. */
static int plan_damaged(const char *where, const char *what, size_t i, struct err *e) {
    return err_set(e, ERR_USAGE,
                   "%s: %s %zu is not as loopbench writes it; the file was changed "
                   "or belongs to another version: begin a new run",
                   where, what, i);
}

static bool plan_read_name(const json_t *from, char out[PLAN_NAME_SIZE]) {
    const char *text = json_string_value(from);
    if (!text || strlen(text) != json_string_length(from) || strlen(text) >= PLAN_NAME_SIZE ||
        !*text) {
        return false;
    }
    memcpy(out, text, strlen(text) + 1);
    return true;
}

static bool plan_read_int(const json_t *from, int min, int max, int *out) {
    json_int_t n = json_integer_value(from);
    *out = (int)n;
    return json_is_integer(from) && n >= min && n <= max;
}

/* The index of a name, or target_count. */
static size_t plan_index(const struct plan *p, const char *name) {
    size_t i = 0;
    while (i < p->target_count && strcmp(p->target[i].name, name) != 0) {
        i++;
    }
    return i;
}

static bool plan_read_target(struct plan *p, const json_t *from) {
    struct plan_target t = {0};
    const char *role = json_string_value(json_object_get(from, "role"));
    size_t r = 0;
    while (role && r < PLAN_ROLES && strcmp(plan_roles[r], role) != 0) {
        r++;
    }
    const json_t *generator = json_object_get(from, "generator");
    if (!role || r == PLAN_ROLES || json_object_size(from) != (generator ? 4 : 3) ||
        (generator && !plan_read_name(generator, t.generator)) ||
        !plan_read_name(json_object_get(from, "name"), t.name) ||
        !plan_read_name(json_object_get(from, "base"), t.base) ||
        plan_index(p, t.name) != p->target_count) {
        return false;
    }
    t.role = (enum plan_role)r;
    p->target[p->target_count++] = t;
    return true;
}

/* One block and its trials; blocks follow each other by rounds, targets stand in it once. */
static bool plan_read_block(struct plan *p, const json_t *from, size_t room) {
    struct plan_block b = {.first = p->trial_count};
    const json_t *order = json_object_get(from, "order");
    int least = p->block_count > 0 ? p->block[p->block_count - 1].round : 0;
    if (json_object_size(from) != 4 || !json_is_array(order) ||
        !plan_read_name(json_object_get(from, "workload"), b.workload) ||
        !plan_read_int(json_object_get(from, "round"), least, p->rounds - 1, &b.round) ||
        !plan_read_int(json_object_get(from, "connections"), 1, 1000000, &b.connections)) {
        return false;
    }
    b.count = json_array_size(order);
    if (b.count == 0 || b.count > p->target_count || p->trial_count + b.count > room) {
        return false;
    }
    for (size_t i = 0; i < b.count; i++) {
        const char *name = json_string_value(json_array_get(order, i));
        size_t target = name ? plan_index(p, name) : p->target_count;
        if (target == p->target_count) {
            return false;
        }
        for (size_t j = b.first; j < p->trial_count; j++) {
            if (p->trial[j].target == target) {
                return false;
            }
        }
        p->trial[p->trial_count] =
            (struct plan_trial){(int64_t)p->trial_count, p->block_count, target};
        p->trial_count++;
    }
    p->block[p->block_count++] = b;
    return true;
}

static bool plan_read_seed(const json_t *from, uint64_t *out) {
    struct err ignored;
    const char *text = json_string_value(from);
    return text && strlen(text) == json_string_length(from) &&
           value_seed(text, "seed", out, &ignored) == 0;
}

static int plan_read(struct plan *p, const json_t *root, const char *where, struct err *e) {
    const json_t *targets = json_object_get(root, "targets");
    const json_t *blocks = json_object_get(root, "blocks");
    int format;
    if (!plan_read_int(json_object_get(root, "format"), PLAN_FORMAT, PLAN_FORMAT, &format)) {
        return err_set(e, ERR_USAGE, "%s: not a plan of format %d; use the loopbench that wrote it",
                       where, PLAN_FORMAT);
    }
    size_t target_count = json_array_size(targets);
    size_t block_count = json_array_size(blocks);
    if (!plan_read_seed(json_object_get(root, "seed"), &p->seed) ||
        !plan_read_int(json_object_get(root, "rounds"), 1, 10000, &p->rounds) ||
        json_object_size(root) != 5 || target_count == 0 || target_count > VALUES_LIST_MAX + 2 ||
        block_count == 0) {
        return plan_damaged(where, "object", 1, e);
    }
    size_t room = 0;
    for (size_t i = 0; i < block_count; i++) {
        room += json_array_size(json_object_get(json_array_get(blocks, i), "order"));
    }
    p->target = calloc(target_count, sizeof *p->target);
    p->block = calloc(block_count, sizeof *p->block);
    p->trial = calloc(room + 1, sizeof *p->trial);
    if (!p->target || !p->block || !p->trial) {
        return err_set(e, ERR_MACHINE, "out of memory reading %s", where);
    }
    for (size_t i = 0; i < target_count; i++) {
        if (!plan_read_target(p, json_array_get(targets, i))) {
            return plan_damaged(where, "target", i + 1, e);
        }
    }
    for (size_t i = 0; i < block_count; i++) {
        if (!plan_read_block(p, json_array_get(blocks, i), room)) {
            return plan_damaged(where, "block", i + 1, e);
        }
    }
    return 0;
}

int plan_from_json(struct plan *p, const char *text, size_t len, const char *where, struct err *e) {
    json_error_t at;
    *p = (struct plan){0};
    json_t *root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &at);
    if (!root) {
        return err_set(e, ERR_USAGE, "%s:%d: not JSON (%s); begin a new run", where, at.line,
                       at.text);
    }
    int rc = plan_read(p, root, where, e);
    json_decref(root);
    if (rc != 0) {
        plan_release(p);
    }
    return rc;
}
