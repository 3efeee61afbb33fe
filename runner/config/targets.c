#include "config/targets.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/workload.h"
#include "config/places.h"
#include "config/words.h"

static const char *const builtin_names[] = {"libevent", "libuv", "h2o", CONFIG_NULL_TARGET};

static int targets_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the configuration");
}

static struct target_config *targets_current(struct config *c) {
    return &c->target[c->section];
}

int targets_append(struct config *c, const char *name, struct err *e) {
    struct target_config *grown = realloc(c->target, (c->target_count + 1) * sizeof *grown);
    if (!grown) {
        return targets_no_memory(e);
    }
    c->target = grown;
    grown[c->target_count] = (struct target_config){.stop_signal = SIGTERM, .dies_by_signal = true};
    c->section = c->target_count++;
    struct target_config *t = targets_current(c);
    t->name = strdup(name);
    t->ready_path = strdup("/hello");
    return t->name && t->ready_path ? 0 : targets_no_memory(e);
}

int targets_add_builtin(struct config *c, struct err *e) {
    for (size_t i = 0; i < sizeof builtin_names / sizeof builtin_names[0]; i++) {
        if (targets_append(c, builtin_names[i], e) != 0) {
            return -1;
        }
        struct target_config *t = targets_current(c);
        t->builtin = true;
        t->announces = true;
        t->dies_by_signal = false;
        for (size_t w = 0; strcmp(t->name, CONFIG_NULL_TARGET) == 0 && workload_at(w); w++) {
            if (workload_at(w)->null_serves && names_add(&t->workloads, workload_at(w)->name)) {
                return targets_no_memory(e);
            }
        }
    }
    return 0;
}

/* What is known of a section before its keys are. */
static int targets_begin(struct config *c, const char *dir, struct err *e) {
    struct target_config *t = targets_current(c);
    if (dir && !t->dir) {
        t->dir = strdup(dir);
        return t->dir ? 0 : targets_no_memory(e);
    }
    return 0;
}

int targets_add(struct config *c, const char *name, const char *dir, struct err *e) {
    static const char *const reserved[] = {"on",   "off",   "yes", "no",
                                           "true", "false", "all", "auto"};
    if (value_name(name, "[target]", e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strcmp(name, reserved[i]) == 0) {
            return err_set(e, ERR_USAGE, "a target cannot be called '%s'; choose another name",
                           name);
        }
    }
    if (places_of(name) != PLACE_PROCESS) {
        return err_set(e, ERR_USAGE,
                       "a target cannot be called '%s': the end behind @ says where a target runs; "
                       "describe it without, and choose '%s' with targets",
                       name, name);
    }
    for (size_t i = 0; i < c->target_count; i++) {
        if (strcmp(c->target[i].name, name) != 0) {
            continue;
        }
        if (!c->target[i].builtin || c->target[i].section_line > 0) {
            return err_set(e, ERR_USAGE, "target '%s' is there already; choose another name", name);
        }
        c->section = i; /* where it runs may be said of a built-in one: targets_check() */
        return targets_begin(c, dir, e);
    }
    return targets_append(c, name, e) != 0 ? -1 : targets_begin(c, dir, e);
}

bool targets_is_builtin(const char *name) {
    for (size_t i = 0; i < sizeof builtin_names / sizeof builtin_names[0]; i++) {
        if (strcmp(builtin_names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

bool config_command_has(const struct target_config *t, const char *placeholder) {
    for (size_t i = 0; t->command && t->command[i]; i++) {
        if (strstr(t->command[i], placeholder)) {
            return true;
        }
    }
    return false;
}

/* One entry of `paths` for the name of that length; NULL = none. */
static const char *targets_path_of(const struct target_config *t, const char *name, size_t len) {
    for (size_t i = 0; t->paths && t->paths[i]; i++) {
        if (strncmp(t->paths[i], name, len) == 0 && t->paths[i][len] == '=') {
            return t->paths[i] + len + 1;
        }
    }
    return NULL;
}

char *config_path(const struct target_config *t, const char *workload, bool *no_memory) {
    size_t base = strcspn(workload, ":");
    const char *path = targets_path_of(t, workload, base);
    char *out = NULL;
    *no_memory = false;
    if (!path) {
        return NULL;
    }
    if (workload[base] == ':') {
        if (asprintf(&out, "%.*s?%s", (int)strcspn(path, "?"), path, workload + base + 1) < 0) {
            out = NULL;
        }
    } else {
        out = strdup(path);
    }
    *no_memory = !out;
    return out;
}

/* A name that `targets` no longer holds. */
static void targets_drop_name(struct names *names, const char *name) {
    size_t kept = 0;
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->name[i], name) == 0) {
            free(names->name[i]);
        } else {
            names->name[kept++] = names->name[i];
        }
    }
    names->n = kept;
}

int config_leave_out(struct config *c, const char *name, const char *reason, const char *package,
                     struct err *e) {
    const bool baseline = c->baseline && strcmp(c->baseline, name) == 0;
    if (c->aa_control && strcmp(c->aa_control, name) == 0) {
        return err_set(e, ERR_MACHINE,
                       "target '%s': %s, and the run depends on it (--aa-control)%s%s%s", name,
                       reason, package ? "; `apt-get install " : "", package ? package : "",
                       package ? "`" : "");
    }
    if (baseline) {
        free(c->baseline);
        c->baseline = NULL;
    }
    struct left_out *grown = realloc(c->left_out, (c->left_out_count + 1) * sizeof *grown);
    if (!grown) {
        return targets_no_memory(e);
    }
    c->left_out = grown;
    struct left_out *l = &grown[c->left_out_count++];
    *l =
        (struct left_out){strdup(name), strdup(reason), package ? strdup(package) : NULL, baseline};
    targets_drop_name(&c->targets, name);
    return l->name && l->reason && (!package || l->package) ? 0 : targets_no_memory(e);
}

static void targets_release_one(struct target_config *t) {
    char **const lists[] = {t->command, t->log_options, t->probe, t->version, t->env, t->paths};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        words_free(lists[i]);
    }
    free(t->name);
    free(t->section);
    free(t->dir);
    free(t->cwd);
    free(t->package);
    free(t->install);
    free(t->about);
    free(t->ready_path);
    free(t->image);
    free(t->url);
    free(t->url_host);
    free(t->process);
    names_release(&t->workloads);
}

void targets_cut(struct config *c, size_t n) {
    while (c->target_count > n) {
        targets_release_one(&c->target[--c->target_count]);
    }
}

static void left_out_release(struct config *c) {
    for (size_t i = 0; i < c->left_out_count; i++) {
        free(c->left_out[i].name);
        free(c->left_out[i].reason);
        free(c->left_out[i].package);
    }
    free(c->left_out);
    c->left_out = NULL;
    c->left_out_count = 0;
}

void targets_release(struct config *c) {
    targets_cut(c, 0);
    left_out_release(c);
    free(c->target);
    c->target = NULL;
}
