#include "config/replay_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/values.h"

/* One end of a range: "" is open. */
static int range_end(const char *text, size_t len, double open, double *out, struct err *e) {
    char number[32];
    if (len == 0) {
        *out = open;
        return 0;
    }
    if (len >= sizeof number) {
        return err_set(e, ERR_USAGE, "expect: a number is too long");
    }
    memcpy(number, text, len);
    number[len] = '\0';
    return value_real(number, "expect", 0, 1e12, out, e);
}

int replay_range(const char *text, double *lo, double *hi, struct err *e) {
    const char *dots = strstr(text, "..");
    if (!dots) {
        return err_set(e, ERR_USAGE, "expect: '%s' is no range; write 0.97..1.03, 1.03.. or ..0.97",
                       text);
    }
    if (range_end(text, (size_t)(dots - text), -INFINITY, lo, e) != 0 ||
        range_end(dots + 2, strlen(dots + 2), INFINITY, hi, e) != 0) {
        return -1;
    }
    if (*lo > *hi || (isinf(*lo) && isinf(*hi))) {
        return err_set(e, ERR_USAGE, "expect: '%s' is no range; the smaller end comes first", text);
    }
    return 0;
}

static int copy_text(char **to, const char *from, struct err *e) {
    *to = strdup(from);
    return *to ? 0 : err_set(e, ERR_MACHINE, "out of memory reading the replay");
}

/* Reads an option that is a list of names. */
static int part_names(const struct replay_part *p, const char *key, struct names *out,
                      struct err *e) {
    const char *value = replay_part_value(p, key);
    *out = (struct names){0};
    if (!value) {
        return err_set(e, ERR_USAGE, "part '%s' does not say its %s", p->name, key);
    }
    return strcmp(key, "workloads") == 0 ? value_workloads(value, key, out, e)
                                         : value_names(value, key, out, e);
}

/* The name must be one of the list; without a name the only one is meant. */
static int check_name(const struct replay_part *p, const char *key, const char *what, char **name,
                      bool may_choose, struct err *e) {
    struct names list;
    if (part_names(p, key, &list, e) != 0) {
        return -1;
    }
    int rc = 0;
    if (!*name && (!may_choose || list.n != 1)) {
        rc = err_set(e, ERR_USAGE, "%s is missing; part '%s' has %zu of them", what, p->name,
                     list.n);
    } else if (!*name) {
        rc = copy_text(name, list.name[0], e);
    } else if (!names_has(&list, *name)) {
        rc = err_set(e, ERR_USAGE, "%s '%s' is none of those of part '%s'", what, *name, p->name);
    }
    names_release(&list);
    return rc;
}

static int check_side(struct replay *r, struct replay_side *s, struct err *e) {
    if (!s->part && r->parts != 1) {
        return err_set(e, ERR_USAGE, "part is missing; there are %zu of them", r->parts);
    }
    if (!s->part && copy_text(&s->part, r->part[0].name, e) != 0) {
        return -1;
    }
    const size_t at = replay_part_find(r, s->part);
    if (at == SIZE_MAX) {
        return err_set(e, ERR_USAGE, "there is no part '%s'", s->part);
    }
    return check_name(&r->part[at], "workloads", "workload", &s->workload, true, e) != 0
               ? -1
               : check_name(&r->part[at], "targets", "target", &s->target, false, e);
}

static int part_levels(const struct replay_part *p, struct ints *out, struct err *e) {
    const char *value = replay_part_value(p, "connections");
    *out = (struct ints){0};
    return value ? value_ints(value, "connections", 1, 1000000, out, e)
                 : err_set(e, ERR_USAGE, "part '%s' does not say its connections", p->name);
}

static bool has_level(const struct ints *list, int64_t level) {
    for (size_t i = 0; i < list->n; i++) {
        if (list->value[i] == level) {
            return true;
        }
    }
    return false;
}

static int check_level(const struct replay_part *p, const struct ints *list, int64_t level,
                       struct err *e) {
    return has_level(list, level)
               ? 0
               : err_set(e, ERR_USAGE, "part '%s' is not measured at %" PRId64 " connections",
                         p->name, level);
}

static int check_levels(struct replay *r, struct replay_claim *c, struct err *e) {
    const struct replay_part *a = &r->part[replay_part_find(r, c->a.part)];
    struct ints list;
    if (part_levels(a, &list, e) != 0) {
        return -1;
    }
    int rc = 0;
    const bool all = c->levels == 0;
    if (all && list.n > REPLAY_LEVELS_MAX) {
        rc = err_set(e, ERR_USAGE, "more than %d levels", REPLAY_LEVELS_MAX);
    }
    for (size_t i = 0; rc == 0 && all && i < list.n; i++) {
        c->level[c->levels++] = list.value[i];
    }
    for (size_t i = 0; rc == 0 && i < c->levels; i++) {
        rc = check_level(a, &list, c->level[i], e);
    }
    ints_release(&list);
    if (rc != 0 || c->check != REPLAY_RATIO) {
        return rc;
    }
    const struct replay_part *b = &r->part[replay_part_find(r, c->b.part)];
    rc = part_levels(b, &list, e);
    for (size_t i = 0; rc == 0 && i < c->levels; i++) {
        rc = check_level(b, &list, c->against_level ? c->against_level : c->level[i], e);
    }
    ints_release(&list);
    return rc;
}

static int inherit(char **name, const char *from, struct err *e) {
    return *name || !from ? 0 : copy_text(name, from, e);
}

static bool same_thing(const struct replay_claim *c) {
    bool level = c->against_level == 0;
    for (size_t i = 0; i < c->levels && c->against_level > 0; i++) {
        level = level || c->level[i] == c->against_level;
    }
    return level && strcmp(c->a.part, c->b.part) == 0 && strcmp(c->a.target, c->b.target) == 0 &&
           strcmp(c->a.workload, c->b.workload) == 0;
}

static int check_expectation(const struct replay_claim *c, struct err *e) {
    const struct replay_metric_info *m = replay_metric_info(c->metric);
    if (isnan(c->lo)) {
        return err_set(e, ERR_USAGE, "expect is missing; write a range such as 1.03..");
    }
    if (m->limit && isnan(c->limit)) {
        return err_set(e, ERR_USAGE, "limit is missing; metric %s needs one", m->name);
    }
    if (!m->limit && !isnan(c->limit)) {
        return err_set(e, ERR_USAGE, "limit: metric %s has none; leave it out", m->name);
    }
    return m->event && isfinite(c->lo) && c->lo > 1
               ? err_set(e, ERR_USAGE, "expect: a share of trials is never above 1")
               : 0;
}

static int check_claim(struct replay *r, struct replay_claim *c, struct err *e) {
    const bool against = c->b.part || c->b.target || c->b.workload || c->against_level > 0;
    if (!c->title || !c->figures || !c->why) {
        return err_set(e, ERR_USAGE, "claim '%s' needs a title, figures and a why", c->name);
    }
    if (c->metric == REPLAY_METRICS) {
        return err_set(e, ERR_USAGE, "metric is missing; claim '%s' has none", c->name);
    }
    if (against && replay_metric_info(c->metric)->event) {
        return err_set(e, ERR_USAGE, "metric %s has no ratio; leave out what begins with against-",
                       replay_metric_info(c->metric)->name);
    }
    c->check = replay_metric_info(c->metric)->event ? REPLAY_SHARE
               : against                            ? REPLAY_RATIO
                                                    : REPLAY_VALUE;
    if (check_expectation(c, e) != 0 || check_side(r, &c->a, e) != 0) {
        return -1;
    }
    if (against &&
        (inherit(&c->b.part, c->a.part, e) != 0 || inherit(&c->b.target, c->a.target, e) != 0 ||
         inherit(&c->b.workload, c->a.workload, e) != 0 || check_side(r, &c->b, e) != 0)) {
        return -1;
    }
    if (check_levels(r, c, e) != 0) {
        return -1;
    }
    return against && same_thing(c) ? err_set(e, ERR_USAGE, "it compares a cell with itself") : 0;
}

int replay_check(struct replay *r, int *line, struct err *e) {
    *line = 0;
    if (!r->title || !r->source || !r->summary) {
        return err_set(e, ERR_USAGE, "[replay] needs a title, a source and a summary");
    }
    if (r->parts == 0) {
        return err_set(e, ERR_USAGE, "there is no [part NAME]: nothing would be measured");
    }
    for (size_t i = 0; i < r->parts; i++) {
        struct names names;
        struct ints levels;
        *line = r->part[i].line;
        int rc = part_names(&r->part[i], "targets", &names, e);
        names_release(&names);
        if (rc == 0) {
            rc = part_names(&r->part[i], "workloads", &names, e);
            names_release(&names);
        }
        if (rc == 0) {
            rc = part_levels(&r->part[i], &levels, e);
            ints_release(&levels);
        }
        if (rc != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < r->claims; i++) {
        *line = r->claim[i].line;
        if (check_claim(r, &r->claim[i], e) != 0) {
            return -1;
        }
    }
    return 0;
}
