#include "config/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildinfo.h"
#include "base/file.h"
#include "config/apply.h"
#include "config/targets.h"

int settings_add(struct settings *s, const struct option *option, const char *value,
                 const char *where) {
    struct setting *grown = realloc(s->setting, (s->n + 1) * sizeof *grown);
    if (!grown) {
        return -1;
    }
    s->setting = grown;
    struct setting added = {option, strdup(value), strdup(where)};
    if (!added.value || !added.where) {
        free(added.value);
        free(added.where);
        return -1;
    }
    grown[s->n++] = added;
    return 0;
}

void settings_release(struct settings *s) {
    for (size_t i = 0; i < s->n; i++) {
        free(s->setting[i].value);
        free(s->setting[i].where);
    }
    free(s->setting);
    *s = (struct settings){0};
}

void config_release(struct config *c) {
    for (const struct option *o = options; o->name; o++) {
        apply_release(c, o);
    }
    targets_release(c);
    *c = (struct config){0};
}

const struct target_config *config_target(const struct config *c, const char *name) {
    size_t len = strlen(name);
    size_t suffix = strlen(CONFIG_CONTROL_SUFFIX);
    for (size_t i = 0; i < c->target_count; i++) {
        if (strcmp(c->target[i].name, name) == 0) {
            return &c->target[i];
        }
    }
    for (size_t i = 0; i < c->target_count; i++) {
        if (len > suffix && strcmp(name + len - suffix, CONFIG_CONTROL_SUFFIX) == 0 &&
            strlen(c->target[i].name) == len - suffix &&
            strncmp(c->target[i].name, name, len - suffix) == 0) {
            return &c->target[i];
        }
    }
    return NULL;
}

bool config_serves(const struct target_config *t, const char *workload) {
    size_t base = strcspn(workload, ":");
    for (size_t i = 0; i < t->workloads.n; i++) {
        const char *name = t->workloads.name[i];
        if (strlen(name) == base && memcmp(name, workload, base) == 0) {
            return true;
        }
    }
    return t->workloads.n == 0;
}

const struct target_config *config_control(const struct config *c) {
    if (strcmp(c->aa_control, "off") == 0 || c->targets.n == 0) {
        return NULL;
    }
    return config_target(c, strcmp(c->aa_control, "on") == 0 ? c->targets.name[0] : c->aa_control);
}

int64_t config_backlog(const struct config *c) {
    char text[32];
    if (c->backlog > 0) {
        return c->backlog;
    }
    long n = 0;
    if (file_read_small("/proc/sys/net/core/somaxconn", text, sizeof text) > 0) {
        n = strtol(text, NULL, 10);
    }
    /* The kernel's default since Linux 5.4, for where /proc does not say. */
    return n > 0 ? n : 4096;
}

char *config_dump(const struct config *c) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    fprintf(out,
            "; The effective configuration of a run of loopbench %s.\n"
            "; Run it again: loopbench run config.ini\n"
            "[run]\n",
            buildinfo_get()->version);
    for (const struct option *o = options; o->name; o++) {
        char *value = o->use & USE_FILE ? config_value_text(c, o) : NULL;
        if (value && *value) {
            fprintf(out, "%s = %s\n", o->name, value);
        }
        free(value);
    }
    targets_dump(c, out);
    bool bad = ferror(out) != 0;
    if (fclose(out) != 0 || bad) {
        free(text);
        return NULL;
    }
    return text;
}
