/* The configuration of counting: the command line's, a file's, or that of a run. */
#include "ui/count_config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/catalog.h"
#include "store/store.h"

static bool given(const struct settings *flags, const char *name) {
    for (size_t i = 0; i < flags->n; i++) {
        if (strcmp(flags->setting[i].option->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static const char *flag_value(const struct settings *flags, const char *name) {
    const char *value = NULL;
    for (size_t i = 0; i < flags->n; i++) {
        if (strcmp(flags->setting[i].option->name, name) == 0) {
            value = flags->setting[i].value;
        }
    }
    return value;
}

/* The user's flags, after what counting decides by itself: nothing is repeated in rounds, and
 * connections are those of the command line, not of a file that was written for timing. */
static int count_flags(struct settings *out, const struct invocation *in) {
    static const char *const own[][2] = {
        {"rounds", "1"}, {"aa-control", "off"}, {"null-server", "no"}, {"threads", "1"}};
    const struct settings *flags = &in->args->flags;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (settings_add(out, option_find(own[i][0], USE_FILE), own[i][1], "count") != 0) {
            return -1;
        }
    }
    for (const struct profile_setting *d = in->args->command->defaults; d->name; d++) {
        if (!given(flags, d->name) &&
            settings_add(out, option_find(d->name, USE_COUNT), d->value, "count") != 0) {
            return -1;
        }
    }
    for (size_t i = 0; i < flags->n; i++) {
        const struct setting *s = &flags->setting[i];
        if (settings_add(out, s->option, s->value, s->where) != 0) {
            return -1;
        }
    }
    return 0;
}

/* The run that counts are added to, and its configuration. */
static int load_added(struct config *c, char *dir, size_t size, const struct settings *flags,
                      const char *name, struct err *e) {
    const char *results = flag_value(flags, "results");
    struct store store;
    char where[PATH_MAX + 16];
    char *ini = NULL;
    if (catalog_resolve(results ? results : option_find("results", USE_COUNT)->fallback, name, dir,
                        size, e) != 0 ||
        store_open(&store, dir, e) != 0) {
        return -1;
    }
    int rc = store.live
                 ? err_set(e, ERR_USAGE, "%s is being written; add counts when it is done", dir)
                 : store_read_text(&store, "config.ini", &ini, e);
    if (rc == 0 && ini) {
        snprintf(where, sizeof where, "%s/config.ini", dir);
        rc = config_load_text(c, ini, strlen(ini), where, flags, USE_COUNT, e);
    }
    free(ini);
    store_release(&store);
    return rc;
}

int count_config(struct config *c, char *dir, size_t size, const struct invocation *in,
                 struct err *e) {
    struct settings flags = {0};
    const char *add = flag_value(&in->args->flags, "add");
    int rc;
    if (count_flags(&flags, in) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    } else if (add && given(&flags, "out")) {
        rc = err_set(e, ERR_USAGE,
                     "--out: counts that are added go into the run of --add; leave it out");
    } else if (add && given(&flags, "config")) {
        rc = err_set(e, ERR_USAGE, "--add: the run has its own configuration; leave --config out");
    } else {
        rc = add ? load_added(c, dir, size, &flags, add, e) : config_load(c, &flags, USE_COUNT, e);
    }
    settings_release(&flags);
    return rc;
}
