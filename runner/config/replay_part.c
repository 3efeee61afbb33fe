#include "config/replay_part.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Requests of a short replay, where the original counted them. */
#define SMOKE_REQUESTS INT64_C(300)

static int no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the replay");
}

/* ---- the options of a part */

/* Options that name one target: they must not stop another from being tried alone. */
static bool names_target(const char *key) {
    return strcmp(key, "targets") == 0 || strcmp(key, "baseline") == 0 ||
           strcmp(key, "aa-control") == 0;
}

static int add(struct settings *s, const char *key, const char *value, const char *where,
               struct err *e) {
    return settings_add(s, option_find(key, USE_FILE), value, where) == 0 ? 0 : no_memory(e);
}

static int add_written(struct settings *s, const struct replay_file *f, const struct replay_part *p,
                       struct err *e) {
    for (size_t i = 0; i < p->options; i++) {
        const struct replay_option *o = &p->option[i];
        char where[256];
        snprintf(where, sizeof where, "%.180s:%d: %s", f->name, o->line, o->key);
        if (!names_target(o->key) && add(s, o->key, o->value, where, e) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The lowest of the part's levels, and as few requests as that many connections need. */
static int add_smoke(struct settings *s, const struct replay_part *p, struct err *e) {
    static const char *const fixed[][2] = {
        {"rounds", "1"},        {"warmup", "0"},       {"duration", "1s"},
        {"repeat-blocks", "0"}, {"null-server", "no"},
    };
    static const char smoke[] = "--profile smoke";
    struct ints levels = {0};
    char text[32];
    if (value_ints(replay_part_value(p, "connections"), p->name, 1, 1000000, &levels, e) != 0) {
        return -1;
    }
    int64_t lowest = levels.value[0];
    for (size_t i = 1; i < levels.n; i++) {
        lowest = levels.value[i] < lowest ? levels.value[i] : lowest;
    }
    ints_release(&levels);
    snprintf(text, sizeof text, "%" PRId64, lowest);
    int rc = add(s, "connections", text, smoke, e);
    const char *requests = replay_part_value(p, "requests");
    if (rc == 0 && requests && strcmp(requests, "0") != 0) {
        snprintf(text, sizeof text, "%" PRId64, lowest > SMOKE_REQUESTS ? lowest : SMOKE_REQUESTS);
        rc = add(s, "requests", text, smoke, e);
    }
    for (size_t i = 0; rc == 0 && i < sizeof fixed / sizeof fixed[0]; i++) {
        rc = add(s, fixed[i][0], fixed[i][1], smoke, e);
    }
    return rc;
}

static int add_flags(struct settings *s, const struct settings *flags, struct err *e) {
    for (size_t i = 0; i < flags->n; i++) {
        const struct setting *f = &flags->setting[i];
        if ((f->option->use & USE_FILE) && settings_add(s, f->option, f->value, f->where) != 0) {
            return no_memory(e);
        }
    }
    return 0;
}

/* All but what names targets. */
static int gather(struct settings *s, const struct replay_file *f, size_t part,
                  const struct settings *flags, bool smoke, struct err *e) {
    const struct replay_part *p = &f->replay.part[part];
    if (add_written(s, f, p, e) != 0 || (smoke && add_smoke(s, p, e) != 0)) {
        return -1;
    }
    return add_flags(s, flags, e);
}

/* ---- the targets */

static int load(struct config *c, const struct replay_file *f, const struct settings *s,
                struct err *e) {
    return config_load_text(c, f->targets, strlen(f->targets), f->name, s, USE_RUN, e);
}

/* Takes back the last setting. */
static void drop_last(struct settings *s) {
    free(s->setting[s->n - 1].value);
    free(s->setting[s->n - 1].where);
    s->n--;
}

/* Can this target do alone what the part asks? */
static int try_target(const struct replay_file *f, struct settings *s, const char *target,
                      const char *where, struct err *e) {
    struct config alone;
    const size_t before = s->n;
    int rc = add(s, "targets", target, where, e);
    if (rc == 0) {
        rc = add(s, "aa-control", "off", where, e);
    }
    if (rc == 0) {
        rc = load(&alone, f, s, e);
    }
    if (rc == 0) {
        config_release(&alone);
    }
    while (s->n > before) {
        drop_last(s);
    }
    return rc;
}

static int leave_out(struct replay_part_config *c, const char *target, const char *reason,
                     struct err *e) {
    if (c->lefts == REPLAY_LEFT_MAX) {
        return err_set(e, ERR_USAGE,
                       "too many targets cannot be measured here; install what is missing");
    }
    c->left[c->lefts] = (struct replay_left){strdup(target), strdup(reason)};
    c->lefts++;
    return c->left[c->lefts - 1].target && c->left[c->lefts - 1].reason ? 0 : no_memory(e);
}

/* The targets that can, as one list. */
static int choose(struct replay_part_config *c, const struct replay_file *f, struct settings *s,
                  const struct names *wanted, const char *where, struct names *out, struct err *e) {
    for (size_t i = 0; i < wanted->n; i++) {
        struct err why = {0};
        if (try_target(f, s, wanted->name[i], where, &why) == 0) {
            if (names_add(out, wanted->name[i]) != 0) {
                return no_memory(e);
            }
        } else if (why.class != ERR_USAGE) {
            *e = why;
            return -1;
        } else if (leave_out(c, wanted->name[i], why.text, e) != 0) {
            return -1;
        }
    }
    if (out->n == 0) {
        *e = (struct err){0};
        return err_set(e, ERR_USAGE, "%s", c->lefts > 0 ? c->left[0].reason : "no target is named");
    }
    return 0;
}

/* Baseline and A/A control as the part says them, where they are among the targets. */
static int add_named(struct settings *s, const struct replay_part *p, const struct names *targets,
                     const char *where, bool smoke, struct err *e) {
    const char *control = smoke ? "off" : replay_part_value(p, "aa-control");
    const char *baseline = replay_part_value(p, "baseline");
    bool known = control && (strcmp(control, "on") == 0 || strcmp(control, "off") == 0 ||
                             names_has(targets, control));
    if (known && add(s, "aa-control", control, where, e) != 0) {
        return -1;
    }
    return baseline && names_has(targets, baseline) ? add(s, "baseline", baseline, where, e) : 0;
}

static int add_targets(struct settings *s, const struct names *targets, const char *where,
                       struct err *e) {
    char list[VALUES_LIST_MAX * (VALUES_NAME_MAX + 1) + 1] = "";
    size_t used = 0;
    for (size_t i = 0; i < targets->n; i++) {
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? "," : "",
                                 targets->name[i]);
    }
    return add(s, "targets", list, where, e);
}

static int part_load(struct replay_part_config *c, const struct replay_file *f, size_t part,
                     const struct settings *flags, bool smoke, struct settings *s, struct err *e) {
    const struct replay_part *p = &f->replay.part[part];
    struct names wanted = {0};
    struct names known = {0};
    char where[256];
    snprintf(where, sizeof where, "%.180s:%d: part %s", f->name, p->line, p->name);
    int rc = gather(s, f, part, flags, smoke, e);
    if (rc == 0) {
        rc = value_names(replay_part_value(p, "targets"), where, &wanted, e);
    }
    if (rc == 0) {
        rc = choose(c, f, s, &wanted, where, &known, e);
    }
    if (rc == 0) {
        rc = add_named(s, p, &known, where, smoke, e);
    }
    if (rc == 0) {
        rc = add_targets(s, &known, where, e);
    }
    if (rc == 0) {
        rc = load(&c->config, f, s, e);
    }
    names_release(&wanted);
    names_release(&known);
    return rc;
}

int replay_part_load(struct replay_part_config *c, const struct replay_file *f, size_t part,
                     const struct settings *flags, bool smoke, struct err *e) {
    struct settings s = {0};
    *c = (struct replay_part_config){0};
    int rc = part_load(c, f, part, flags, smoke, &s, e);
    settings_release(&s);
    if (rc != 0) {
        replay_part_release(c);
    }
    return rc;
}

void replay_part_release(struct replay_part_config *c) {
    config_release(&c->config);
    for (size_t i = 0; i < c->lefts; i++) {
        free(c->left[i].target);
        free(c->left[i].reason);
    }
    c->lefts = 0;
}
