/* A configuration from its file, its profile and the flags. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/apply.h"
#include "config/check.h"
#include "config/ini_read.h"
#include "config/origins.h"
#include "config/profile.h"
#include "config/targets.h"

/* What is known while a configuration is put together. */
struct loader {
    struct config *c;
    const char *file;      /* its name, or NULL */
    struct settings given; /* by the file */
    struct origins origins;
    char *dir; /* its absolute folder; NULL = not known */
    bool in_target;
    struct names seen; /* keys of the section now read */
};

static int load_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the configuration");
}

static int load_section(void *ctx, int line, const char *section, struct err *e) {
    static const char target[] = "target ";
    struct loader *l = ctx;
    names_release(&l->seen);
    l->in_target = strncmp(section, target, sizeof target - 1) == 0;
    if (!l->in_target) {
        return strcmp(section, "run") == 0
                   ? 0
                   : err_set(e, ERR_USAGE,
                             "unknown section [%s]; there are [run] and [target NAME]", section);
    }
    const char *name = section + sizeof target - 1;
    if (targets_add(l->c, name + strspn(name, " \t"), l->dir, e) != 0) {
        return -1;
    }
    l->c->target[l->c->section].section_line = line;
    return 0;
}

/* An option of the file is only remembered: the profile, which may come later, goes first. */
static int load_option(struct loader *l, int line, const char *key, const char *value,
                       struct err *e) {
    char where[256];
    const struct option *o = option_find(key, USE_FILE);
    if (!o) {
        const char *near = option_nearest(key, USE_FILE);
        return err_set(e, ERR_USAGE, "unknown name '%s'; %s%s%s", key,
                       near ? "did you mean '" : "see `loopbench help run`", near ? near : "",
                       near ? "'?" : "");
    }
    for (size_t i = 0; i < l->given.n; i++) {
        if (l->given.setting[i].option == o) {
            return err_set(e, ERR_USAGE, "'%s' is set a second time; keep one", key);
        }
    }
    snprintf(where, sizeof where, "%.180s:%d: %s", l->file, line, key);
    return settings_add(&l->given, o, value, where) == 0 ? 0 : load_no_memory(e);
}

static int load_value(void *ctx, int line, const char *section, const char *key, const char *value,
                      struct err *e) {
    (void)section;
    struct loader *l = ctx;
    if (!l->in_target) {
        return load_option(l, line, key, value, e);
    }
    if (names_has(&l->seen, key)) {
        return err_set(e, ERR_USAGE, "'%s' is set a second time; keep one", key);
    }
    if (names_add(&l->seen, key) != 0) {
        return load_no_memory(e);
    }
    return targets_set(l->c, key, value, e);
}

/* The absolute folder of a file, or NULL where that is not known; owned by the caller. */
static char *load_folder(const char *file) {
    char *folder = file ? realpath(file, NULL) : NULL;
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash) {
        slash[slash == folder] = '\0';
    }
    return folder;
}

static int load_file(struct loader *l, const char *text, size_t len, struct err *e) {
    const struct ini_sink sink = {load_section, load_value, l};
    l->dir = load_folder(l->file);
    if (ini_read(text, len, l->file, &sink, e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < l->c->target_count; i++) {
        const struct target_config *t = &l->c->target[i];
        if (t->section_line > 0 && targets_check(t, e) != 0) {
            return err_prefix(e, "%s:%d", l->file, t->section_line);
        }
    }
    return 0;
}

static int load_apply(struct loader *l, const struct option *o, const char *text, const char *where,
                      bool from_file, bool chosen, struct err *e) {
    if (apply_option(l->c, o, text, where, from_file, e) != 0) {
        return -1;
    }
    return origins_set(&l->origins, o, where, chosen) == 0 ? 0 : load_no_memory(e);
}

/* The settings of the profile that flags, else the file, else the default name. */
static int load_profile(struct loader *l, const struct settings *flags, struct err *e) {
    const struct option *option = option_find("profile", USE_FILE);
    const char *name = option->fallback;
    const char *where = option->name;
    const struct settings *sources[] = {&l->given, flags};
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sources[s]->n; i++) {
            if (sources[s]->setting[i].option == option) {
                name = sources[s]->setting[i].value;
                where = sources[s]->setting[i].where;
            }
        }
    }
    const struct profile *p = profile_find(name);
    if (!p) {
        const char *near = profile_nearest(name);
        return err_set(e, ERR_USAGE, "%s: no profile is called '%s'; %s%s%s", where, name,
                       near ? "did you mean '" : "there are smoke, quick, standard and publish",
                       near ? near : "", near ? "'?" : "");
    }
    for (const struct profile_setting *s = p->setting; s->name; s++) {
        char from[128];
        snprintf(from, sizeof from, "profile %s: %s", p->name, s->name);
        if (load_apply(l, option_find(s->name, USE_FILE), s->value, from, false, false, e) != 0) {
            return -1;
        }
    }
    return 0;
}

static int load_layers(struct loader *l, const char *text, size_t len, const struct settings *flags,
                       struct err *e) {
    for (const struct option *o = options; o->name; o++) {
        if (o->fallback && apply_option(l->c, o, o->fallback, o->name, false, e) != 0) {
            return -1;
        }
    }
    if (targets_add_builtin(l->c, e) != 0 || (text && load_file(l, text, len, e) != 0) ||
        load_profile(l, flags, e) != 0) {
        return -1;
    }
    const struct settings *sources[] = {&l->given, flags};
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < sources[s]->n; i++) {
            const struct setting *set = &sources[s]->setting[i];
            if (load_apply(l, set->option, set->value, set->where, s == 0, true, e) != 0) {
                return -1;
            }
        }
    }
    return 0;
}

int config_load_text(struct config *c, const char *text, size_t len, const char *name,
                     const struct settings *flags, unsigned use, struct err *e) {
    static const struct settings none = {0};
    struct loader l = {.c = c, .file = name};
    *c = (struct config){0};
    int rc = load_layers(&l, text, len, flags ? flags : &none, e);
    if (rc == 0) {
        rc = check_config(c, &l.origins, use, e);
    }
    if (rc == 0) {
        rc = targets_finish(c, e);
    }
    settings_release(&l.given);
    origins_release(&l.origins);
    names_release(&l.seen);
    free(l.dir);
    if (rc != 0) {
        config_release(c);
    }
    return rc;
}

/* The last value of a flag, or NULL. (Of `replay`, --resume is another option.) */
static const char *load_flag(const struct settings *flags, const char *name) {
    const char *value = NULL;
    for (size_t i = 0; i < flags->n; i++) {
        if (flags->setting[i].option == option_find(name, USE_RUN)) {
            value = flags->setting[i].value;
        }
    }
    return value;
}

/* A resumed run keeps its configuration: a changed one would be another run in the same folder.
 * Only what concerns this invocation alone may be said. */
static int load_check_resume(const struct settings *flags, struct err *e) {
    static const char *const allowed[] = {"resume", "quiet", "report", "plots"};
    for (size_t i = 0; i < flags->n; i++) {
        const struct option *o = flags->setting[i].option;
        bool fine = false;
        for (size_t k = 0; k < sizeof allowed / sizeof allowed[0]; k++) {
            fine = fine || strcmp(o->name, allowed[k]) == 0;
        }
        if (!fine) {
            return err_set(e, ERR_USAGE,
                           "%s: a resumed run keeps its configuration; leave it out, "
                           "or begin a new run",
                           flags->setting[i].where);
        }
    }
    return 0;
}

int config_load(struct config *c, const struct settings *flags, unsigned use, struct err *e) {
    char path[4096];
    const char *file = load_flag(flags, "config");
    const char *resume = load_flag(flags, "resume");
    *c = (struct config){0};
    if (resume) {
        if (load_check_resume(flags, e) != 0 ||
            file_join(path, sizeof path, resume, "config.ini", e) != 0) {
            return -1;
        }
        file = path;
    }
    char *text = NULL;
    size_t len = 0;
    if (file && file_read_all(file, CONFIG_FILE_MAX, &text, &len, e) != 0) {
        return resume ? err_set(e, ERR_USAGE,
                                "--resume: %s is not the folder of a run: it has no config.ini "
                                "that can be read; name another",
                                resume)
                      : -1;
    }
    int rc = config_load_text(c, text, len, file, flags, use, e);
    free(text);
    return rc;
}
