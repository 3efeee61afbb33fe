#include "config/replay_claim.h"

#include <stdbool.h>
#include <string.h>

#include "config/options.h"
#include "config/replay_check.h"
#include "config/values.h"

static int set_levels(struct replay_claim *c, const char *key, const char *value, struct err *e) {
    struct ints list = {0};
    if (value_ints(value, key, 1, 1000000, &list, e) != 0) {
        return -1;
    }
    if (list.n > REPLAY_LEVELS_MAX) {
        ints_release(&list);
        return err_set(e, ERR_USAGE, "%s: more than %d levels", key, REPLAY_LEVELS_MAX);
    }
    memcpy(c->level, list.value, list.n * sizeof list.value[0]);
    c->levels = list.n;
    ints_release(&list);
    return 0;
}

static int set_metric(struct replay_claim *c, const char *value, struct err *e) {
    const char *names[REPLAY_METRICS];
    c->metric = replay_metric_find(value);
    if (c->metric < REPLAY_METRICS) {
        return 0;
    }
    for (int i = 0; i < REPLAY_METRICS; i++) {
        names[i] = replay_metric_info((enum replay_metric)i)->name;
    }
    const char *near = option_nearest_of(value, names, REPLAY_METRICS);
    return err_set(e, ERR_USAGE, "metric: there is no '%s'; %s%s%s", value,
                   near ? "did you mean '" : "see docs/replays.md", near ? near : "",
                   near ? "'?" : "");
}

static int set_claim_text(struct replay_claim *c, const char *key, const char *value, bool *known,
                          struct err *e) {
    static const char *const names[] = {"title",        "figures",        "why",
                                        "part",         "target",         "workload",
                                        "against-part", "against-target", "against-workload"};
    char **const text[] = {&c->title,      &c->figures, &c->why,      &c->a.part,    &c->a.target,
                           &c->a.workload, &c->b.part,  &c->b.target, &c->b.workload};
    *known = true;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], key) == 0) {
            return value_text(value, key, text[i], e);
        }
    }
    *known = false;
    return 0;
}

int replay_claim_set(struct replay_claim *c, const char *key, const char *value, struct err *e) {
    static const char *const names[] = {
        "title",          "figures",          "why",       "part",
        "target",         "workload",         "at",        "metric",
        "limit",          "expect",           "anchor",    "against-part",
        "against-target", "against-workload", "against-at"};
    bool known;
    const int rc = set_claim_text(c, key, value, &known, e);
    if (known) {
        return rc;
    }
    if (strcmp(key, "at") == 0) {
        return set_levels(c, key, value, e);
    }
    if (strcmp(key, "against-at") == 0) {
        return value_int(value, key, 1, 1000000, &c->against_level, e);
    }
    if (strcmp(key, "metric") == 0) {
        return set_metric(c, value, e);
    }
    if (strcmp(key, "limit") == 0) {
        return value_real(value, key, 1e-6, 1e6, &c->limit, e);
    }
    if (strcmp(key, "expect") == 0) {
        return replay_range(value, &c->lo, &c->hi, e);
    }
    if (strcmp(key, "anchor") == 0) {
        return value_bool(value, key, &c->anchor, e);
    }
    return replay_unknown_key(key, names, sizeof names / sizeof names[0], e);
}
