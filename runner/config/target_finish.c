/* target_finish.c — what is put into a target's words once all is known: folders, modes. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buildinfo.h"
#include "base/file.h"
#include "config/places.h"
#include "config/targets.h"
#include "config/words.h"

/* They choose a free port themselves, and say so in their ready line, with their versions. */
static const char *const builtin_options[] = {"--listen",  "{host}:0",  "--workers",
                                              "{workers}", "--backlog", "{backlog}"};
#define BUILTIN_OPTIONS (sizeof builtin_options / sizeof builtin_options[0])

static int targets_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the configuration");
}

/* Whether the servers are in `folder`, which is then written to `out`. */
static bool targets_are_in(const char *folder, char *out, size_t size) {
    int n = snprintf(out, size, "%s/server-%s", folder, CONFIG_NULL_TARGET);
    if (n < 0 || (size_t)n >= size || !file_exists(out)) {
        return false;
    }
    out[strlen(folder)] = '\0';
    return true;
}

int config_servers(const char *option, char *out, size_t size) {
    int n;
    if (strcmp(option, "auto") != 0) {
        n = snprintf(out, size, "%s", option);
        return n >= 0 && (size_t)n < size ? 0 : -1;
    }
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    /* beside the program as it is built, and as it is installed, wherever that was moved to */
    static const char *const places[] = {"", "/libexec/loopbench"};
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char folder[PATH_MAX + 32];
        char *slash = strrchr(self, '/');
        if (!slash) {
            break;
        }
        *slash = '\0';
        snprintf(folder, sizeof folder, "%s%s", self, places[i]);
        if (targets_are_in(folder, out, size)) {
            return 0;
        }
    }
    n = snprintf(out, size, "%s/libexec/loopbench", buildinfo_get()->prefix);
    return n >= 0 && (size_t)n < size ? 0 : -1;
}

/* The folder of the guests, where there is one at that place. */
static bool targets_guests_are_in(const char *folder, const char *below, char *out, size_t size) {
    int n = snprintf(out, size, "%s/%s", folder, below);
    return n >= 0 && (size_t)n < size && file_exists(out);
}

int config_guests(const char *option, char *out, size_t size) {
    int n;
    if (strcmp(option, "auto") != 0) {
        n = snprintf(out, size, "%s", option);
        return n >= 0 && (size_t)n < size ? 0 : -1;
    }
    char self[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);
    self[len > 0 ? len : 0] = '\0';
    /* from PREFIX/bin, and from build/bin or build/asan/bin of the source tree */
    for (int up = 0; up < 4; up++) {
        char *slash = strrchr(self, '/');
        if (!slash) {
            break;
        }
        *slash = '\0';
        if (up > 0 && (targets_guests_are_in(self, "servers/guests", out, size) ||
                       targets_guests_are_in(self, "share/loopbench/guests", out, size))) {
            return 0;
        }
    }
    n = snprintf(out, size, "%s/share/loopbench/guests", buildinfo_get()->prefix);
    return n >= 0 && (size_t)n < size ? 0 : -1;
}

/* Writes word with every `name` replaced by value. */
static char *targets_replace(const char *word, const char *name, const char *value) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out) {
        return NULL;
    }
    for (const char *at = strstr(word, name); at; at = strstr(word, name)) {
        fprintf(out, "%.*s%s", (int)(at - word), word, value);
        word = at + strlen(name);
    }
    fputs(word, out);
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *config_expand(const struct target_config *t, const char *word, const char *servers) {
    char *once = targets_replace(word, "{dir}", t->dir ? t->dir : "{dir}");
    char *twice = once && servers ? targets_replace(once, "{servers}", servers) : NULL;
    if (servers) {
        free(once);
    }
    return servers ? twice : once;
}

char **config_expand_all(const struct target_config *t, char *const *words, const char *servers) {
    size_t n = 0;
    while (words && words[n]) {
        n++;
    }
    char **out = calloc(n + 1, sizeof *out);
    for (size_t i = 0; out && i < n; i++) {
        out[i] = config_expand(t, words[i], servers);
        if (!out[i]) {
            words_free(out);
            return NULL;
        }
    }
    return out;
}

static bool targets_store(const struct target_config *t) {
    return t && t->builtin && strcmp(t->name, CONFIG_NULL_TARGET) != 0;
}

/* A file of a database has one server at a time, and all targets run while they are verified: where
 * several are chosen, each has its own beside the one that was named. */
static int targets_db(const struct config *c, const struct target_config *t, char *out, size_t size,
                      struct err *e) {
    size_t stores = 0;
    for (size_t i = 0; i < c->targets.n; i++) {
        stores += targets_store(config_target(c, c->targets.name[i]));
    }
    bool own = stores > 1 && strncmp(c->db, "sqlite:", 7) == 0;
    int n = snprintf(out, size, "%s%s%s", c->db, own ? "-" : "", own ? t->name : "");
    return n >= 0 && (size_t)n < size
               ? 0
               : err_set(e, ERR_USAGE, "db: the path is too long; choose a shorter one");
}

/* The null server is a ceiling: it neither logs nor stores. */
static size_t targets_add_mode(const struct config *c, const struct target_config *t,
                               const char *db, const char **words) {
    size_t n = 0;
    if (c->access_log && strcmp(t->name, CONFIG_NULL_TARGET) != 0) {
        words[n++] = "--access-log";
        words[n++] = "{log}";
    }
    if (c->db && targets_store(t)) {
        words[n++] = "--db";
        words[n++] = db;
    }
    return n;
}

static int targets_finish_builtin(const struct config *c, struct target_config *t,
                                  const char *servers, struct err *e) {
    char program[PATH_MAX + 64];
    char handicap[32];
    char db[PATH_MAX + 128] = "";
    const char *words[BUILTIN_OPTIONS + 8] = {program};
    size_t n = 1;
    snprintf(program, sizeof program, "%s/server-%.*s", servers, (int)strcspn(t->name, PLACES_MARK),
             t->name);
    for (size_t i = 0; i < BUILTIN_OPTIONS; i++) {
        words[n++] = builtin_options[i];
    }
    if (c->db && targets_db(c, t, db, sizeof db, e) != 0) {
        return -1;
    }
    n += targets_add_mode(c, t, db, words + n);
    if (t->handicap_ns > 0) {
        snprintf(handicap, sizeof handicap, "%lld", (long long)t->handicap_ns);
        words[n++] = "--handicap-ns";
        words[n++] = handicap;
    }
    t->command = words_copy(words);
    return t->command ? 0 : targets_no_memory(e);
}

static int targets_expand_words(const struct target_config *t, char ***words, struct err *e) {
    if (!*words) {
        return 0;
    }
    char **expanded = config_expand_all(t, *words, NULL);
    words_free(*words);
    *words = expanded;
    return expanded ? 0 : targets_no_memory(e);
}

int targets_finish_section(struct target_config *t, struct err *e) {
    if (t->cwd) {
        char *cwd = config_expand(t, t->cwd, NULL);
        free(t->cwd);
        t->cwd = cwd;
        if (!cwd) {
            return targets_no_memory(e);
        }
    }
    return targets_expand_words(t, &t->env, e) != 0 || targets_expand_words(t, &t->probe, e) != 0 ||
                   targets_expand_words(t, &t->version, e) != 0 ||
                   (!t->guest && (targets_expand_words(t, &t->command, e) != 0 ||
                                  targets_expand_words(t, &t->log_options, e) != 0))
               ? -1
               : 0;
}

int targets_finish(struct config *c, struct err *e) {
    char servers[PATH_MAX];
    if (config_servers(c->servers, servers, sizeof servers) != 0) {
        return err_set(e, ERR_USAGE, "servers: the path is too long; choose a shorter one");
    }
    for (size_t i = 0; i < c->target_count; i++) {
        struct target_config *t = &c->target[i];
        int rc = t->place == PLACE_URL ? 0
                 : t->builtin          ? targets_finish_builtin(c, t, servers, e)
                                       : targets_finish_section(t, e);
        if (rc != 0) {
            return -1;
        }
    }
    return 0;
}
