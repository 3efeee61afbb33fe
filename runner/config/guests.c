#include "config/guests.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/ini_read.h"
#include "config/places.h"
#include "config/targets.h"

#define GUEST_FILE "target.ini"

static int guests_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading a guest");
}

/* One target.ini while it is read. */
struct guest_reader {
    struct config *c;
    const char *name; /* of the folder, and so of the only section */
    const char *dir;
    bool begun;
    struct names seen;
};

static int guest_section(void *ctx, int line, const char *section, struct err *e) {
    static const char target[] = "target ";
    struct guest_reader *r = ctx;
    const char *name = section + (sizeof target - 1);
    if (r->begun || strncmp(section, target, sizeof target - 1) != 0 ||
        strcmp(name + strspn(name, " \t"), r->name) != 0) {
        return err_set(e, ERR_USAGE,
                       "a guest has one section, [target %s], as its folder is called", r->name);
    }
    if (targets_add(r->c, r->name, r->dir, e) != 0) {
        return -1;
    }
    r->begun = true;
    r->c->target[r->c->section].section_line = line;
    r->c->target[r->c->section].guest = true;
    return 0;
}

static int guest_value(void *ctx, int line, const char *section, const char *key, const char *value,
                       struct err *e) {
    struct guest_reader *r = ctx;
    (void)line;
    (void)section;
    if (!r->begun) {
        return err_set(e, ERR_USAGE, "'%s' stands before the section [target %s]; put it below",
                       key, r->name);
    }
    if (names_has(&r->seen, key)) {
        return err_set(e, ERR_USAGE, "'%s' is set a second time; keep one", key);
    }
    return names_add(&r->seen, key) != 0 ? guests_no_memory(e) : targets_set(r->c, key, value, e);
}

int guests_read_text(struct config *c, const char *name, const char *dir, const char *file,
                     const char *text, size_t len, struct err *e) {
    struct guest_reader r = {.c = c, .name = name, .dir = dir};
    const struct ini_sink sink = {guest_section, guest_value, &r};
    size_t before = c->target_count;
    int rc = ini_read(text, len, file, &sink, e);
    names_release(&r.seen);
    if (rc == 0 && !r.begun) {
        rc = err_set(e, ERR_USAGE, "%s: it has no section [target %s]; add it", file, name);
    }
    if (rc == 0 && targets_check(&c->target[c->section], e) != 0) {
        rc = err_prefix(e, "%s:%d", file, c->target[c->section].section_line);
    }
    if (rc != 0) {
        targets_cut(c, before); /* what was read of it is no target */
    }
    return rc;
}

/* The folder of a guest and its file; false where there is none of that name. A name that begins
 * with a dot would lead elsewhere. */
static bool guests_find(const char *guests, const char *name, char *dir, char *file, size_t size) {
    char joined[PATH_MAX];
    struct err ignored;
    return name[0] != '.' && !strchr(name, '/') &&
           file_join(joined, sizeof joined, guests, name, &ignored) == 0 && realpath(joined, dir) &&
           file_join(file, size, dir, GUEST_FILE, &ignored) == 0 && file_exists(file);
}

/* Reads a guest that is there. Messages name the file below the folder of guests. */
static int guests_read(struct config *c, const char *name, const char *dir, const char *path,
                       struct err *e) {
    char shown[VALUES_NAME_MAX + 32];
    char *text = NULL;
    size_t len = 0;
    snprintf(shown, sizeof shown, "guest %s: %s", name, GUEST_FILE);
    if (file_read_all(path, CONFIG_FILE_MAX, &text, &len, e) != 0) {
        return -1;
    }
    int rc = guests_read_text(c, name, dir, shown, text, len, e);
    free(text);
    return rc;
}

static struct target_config *guests_known(const struct config *c, const char *name) {
    for (size_t i = 0; i < c->target_count; i++) {
        if (strcmp(c->target[i].name, name) == 0) {
            return &c->target[i];
        }
    }
    return NULL;
}

/* The name before what says where it runs. */
static void guests_base(const char *target, char *out, size_t size) {
    size_t len = places_of(target) == PLACE_PROCESS
                     ? strlen(target)
                     : (size_t)(strrchr(target, *PLACES_MARK) - target);
    snprintf(out, size, "%.*s", (int)len, target);
}

/* A guest that a run recorded is at home where that of its name is now; `changed` where that one
 * says something else, or nothing that can be read. */
static int guests_find_recorded(struct target_config *t, const char *guests, struct err *e) {
    char dir[PATH_MAX];
    char file[PATH_MAX];
    struct config now = {0};
    struct err ignored = {0};
    if (!guests_find(guests, t->name, dir, file, sizeof file)) {
        return err_set(e, ERR_USAGE,
                       "target '%s' is a guest, and there is none of that name in %s; name its "
                       "folder with --guests",
                       t->name, guests);
    }
    char *home = strdup(dir);
    if (!home) {
        return guests_no_memory(e);
    }
    free(t->dir);
    t->dir = home;
    t->changed = guests_read(&now, t->name, dir, file, &ignored) != 0 ||
                 strcmp(now.target[0].section, t->section ? t->section : "") != 0;
    targets_release(&now);
    return 0;
}

int guests_resolve(struct config *c, struct err *e) {
    char guests[PATH_MAX];
    char dir[PATH_MAX];
    char file[PATH_MAX];
    if (config_guests(c->guests, guests, sizeof guests) != 0) {
        return err_set(e, ERR_USAGE, "guests: the path is too long; choose a shorter one");
    }
    for (size_t i = 0; i < c->targets.n; i++) {
        char name[VALUES_NAME_MAX + 1];
        const char *chosen = c->targets.name[i];
        guests_base(chosen, name, sizeof name);
        struct target_config *known = guests_known(c, name);
        if (known && known->recorded && guests_find_recorded(known, guests, e) != 0) {
            return -1;
        }
        if (!guests_known(c, chosen) && !known &&
            guests_find(guests, name, dir, file, sizeof file) &&
            guests_read(c, name, dir, file, e) != 0) {
            return -1;
        }
    }
    return 0;
}

bool config_is_known(const struct settings *flags, const char *target) {
    char guests[PATH_MAX];
    char dir[PATH_MAX];
    char file[PATH_MAX];
    char name[VALUES_NAME_MAX + 1];
    const char *option = "auto";
    guests_base(target, name, sizeof name);
    for (size_t i = 0; i < flags->n; i++) {
        if (strcmp(flags->setting[i].option->name, "guests") == 0) {
            option = flags->setting[i].value;
        }
    }
    return targets_is_builtin(name) || (config_guests(option, guests, sizeof guests) == 0 &&
                                        guests_find(guests, name, dir, file, sizeof file));
}

static int guests_by_name(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* One folder among the guests. Returns 0, or -1 with *e: why it is none of them. What is no guest
 * at all, or is known already, is none. */
static int guests_add(struct config *c, const char *guests, const char *name, struct err *e) {
    char dir[PATH_MAX];
    char file[PATH_MAX];
    if (!guests_find(guests, name, dir, file, sizeof file)) {
        return 0;
    }
    if (targets_is_builtin(name)) {
        return err_set(e, ERR_USAGE, "guest %s: a server of ours is called so; rename its folder",
                       name);
    }
    if (guests_known(c, name)) {
        return 0;
    }
    return value_name(name, "guest", e) != 0 ? -1 : guests_read(c, name, dir, file, e);
}

int config_add_guests(struct config *c, void (*broken)(void *ctx, const char *why), void *ctx,
                      struct err *e) {
    char guests[PATH_MAX];
    struct dirent **entry = NULL;
    size_t before = c->target_count;
    int rc = 0;
    if (config_guests(c->guests, guests, sizeof guests) != 0) {
        return err_set(e, ERR_USAGE, "guests: the path is too long; choose a shorter one");
    }
    int n = scandir(guests, &entry, NULL, guests_by_name);
    if (n < 0 && strcmp(c->guests, "auto") != 0) {
        return err_set(e, ERR_USAGE, "guests: cannot read %s: %s; name a folder with guests in it",
                       guests, strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        struct err why = {0};
        if (rc == 0 && guests_add(c, guests, entry[i]->d_name, &why) != 0) {
            rc = why.class == ERR_MACHINE ? -1 : 0;
            if (rc != 0) {
                *e = why;
            } else if (broken) {
                broken(ctx, why.text);
            }
        }
        free(entry[i]);
    }
    free(entry);
    for (size_t i = before; rc == 0 && i < c->target_count; i++) {
        rc = targets_finish_section(&c->target[i], e);
    }
    return rc;
}
