#include "config/targets.h"

#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buildinfo.h"
#include "base/file.h"
#include "base/workload.h"
#include "config/places.h"
#include "config/words.h"

static const char *const builtin_names[] = {"libevent", "libuv", "h2o", CONFIG_NULL_TARGET};
/* They choose a free port themselves, and say so in their ready line, with their versions. */
static const char *const builtin_options[] = {"--listen",  "{host}:0",  "--workers",
                                              "{workers}", "--backlog", "{backlog}"};
#define BUILTIN_OPTIONS (sizeof builtin_options / sizeof builtin_options[0])

static const char *const placeholders[] = {"host", "port", "workers", "backlog", "servers", "log"};
#define PLACEHOLDERS (sizeof placeholders / sizeof placeholders[0])

static const struct signal_name {
    const char *name;
    int number;
} signal_names[] = {{"TERM", SIGTERM}, {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"HUP", SIGHUP},
                    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"WINCH", SIGWINCH}, {"KILL", SIGKILL}};
#define PROCESS_NAME_MAX 15 /* TASK_COMM_LEN - 1 */
#define SIGNALS          (sizeof signal_names / sizeof signal_names[0])

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
    grown[c->target_count] = (struct target_config){.stop_signal = SIGTERM};
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
        for (size_t w = 0; strcmp(t->name, CONFIG_NULL_TARGET) == 0 && workload_at(w); w++) {
            if (workload_at(w)->null_serves && names_add(&t->workloads, workload_at(w)->name)) {
                return targets_no_memory(e);
            }
        }
    }
    return 0;
}

int targets_add(struct config *c, const char *name, struct err *e) {
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
        return 0;
    }
    return targets_append(c, name, e);
}

static int targets_set_command(struct target_config *t, const char *value, struct err *e) {
    return words_split(value, "command", &t->command, e);
}

static int targets_set_env(struct target_config *t, const char *value, struct err *e) {
    if (words_split(value, "env", &t->env, e) != 0) {
        return -1;
    }
    for (size_t i = 0; t->env[i]; i++) {
        if (t->env[i][0] == '=' || !strchr(t->env[i], '=')) {
            return err_set(e, ERR_USAGE, "env: '%s' is not NAME=VALUE", t->env[i]);
        }
    }
    return 0;
}

static int targets_set_cwd(struct target_config *t, const char *value, struct err *e) {
    char *path;
    if (words_unquote(value, "cwd", &path, e) != 0) {
        return -1;
    }
    int rc = value_text(path, "cwd", &t->cwd, e);
    free(path);
    return rc;
}

static int targets_set_ready(struct target_config *t, const char *value, struct err *e) {
    for (const char *c = value; *c; c++) {
        if (*c <= ' ' || *c > '~') {
            return err_set(e, ERR_USAGE,
                           "ready: '%s' is not a path; escape blanks and non-ASCII "
                           "as %%XX",
                           value);
        }
    }
    if (*value != '/' || strlen(value) > 1024) {
        return err_set(e, ERR_USAGE, "ready: '%s' is not a path; write one like /hello", value);
    }
    return value_text(value, "ready", &t->ready_path, e);
}

static int targets_signal(const char *value, const char *key, int *out, struct err *e) {
    const char *name = strncmp(value, "SIG", 3) == 0 ? value + 3 : value;
    for (size_t i = 0; i < SIGNALS; i++) {
        if (strcmp(name, signal_names[i].name) == 0) {
            *out = signal_names[i].number;
            return 0;
        }
    }
    return err_set(e, ERR_USAGE,
                   "%s: '%s' is none of TERM, INT, QUIT, HUP, USR1, USR2, "
                   "WINCH, KILL",
                   key, value);
}

static int targets_set_signal(struct target_config *t, const char *value, struct err *e) {
    return targets_signal(value, "stop-signal", &t->stop_signal, e);
}

static int targets_set_restart(struct target_config *t, const char *value, struct err *e) {
    return targets_signal(value, "restart-signal", &t->restart_signal, e);
}

static int targets_set_image(struct target_config *t, const char *value, struct err *e) {
    if (*value == '-' || strpbrk(value, " \t")) {
        return err_set(e, ERR_USAGE, "image: '%s' is not the name of an image", value);
    }
    return value_text(value, "image", &t->image, e);
}

static int targets_set_process(struct target_config *t, const char *value, struct err *e) {
    if (strlen(value) > PROCESS_NAME_MAX) {
        return err_set(e, ERR_USAGE, "process: '%s' is longer than the %d bytes /proc keeps", value,
                       PROCESS_NAME_MAX);
    }
    return value_text(value, "process", &t->process, e);
}

static int targets_set_announces(struct target_config *t, const char *value, struct err *e) {
    return value_bool(value, "announces", &t->announces, e);
}

static int targets_set_workloads(struct target_config *t, const char *value, struct err *e) {
    return value_names(value, "workloads", &t->workloads, e);
}

static const struct target_key {
    const char *name;
    int (*set)(struct target_config *t, const char *value, struct err *e);
} target_keys[] = {
    {"command", targets_set_command},
    {"env", targets_set_env},
    {"cwd", targets_set_cwd},
    {"ready", targets_set_ready},
    {"stop-signal", targets_set_signal},
    {"announces", targets_set_announces},
    {"workloads", targets_set_workloads},
    {"image", targets_set_image},
    {"url", places_set_url},
    {"process", targets_set_process},
    {"restart-signal", targets_set_restart},
};
#define TARGET_KEYS (sizeof target_keys / sizeof target_keys[0])

int targets_set(struct config *c, const char *key, const char *value, struct err *e) {
    const char *names[TARGET_KEYS];
    for (size_t i = 0; i < TARGET_KEYS; i++) {
        if (strcmp(target_keys[i].name, key) == 0) {
            return target_keys[i].set(targets_current(c), value, e);
        }
        names[i] = target_keys[i].name;
    }
    const char *near = option_nearest_of(key, names, TARGET_KEYS);
    return err_set(e, ERR_USAGE, "a target has no '%s'; %s%s%s", key,
                   near ? "did you mean '"
                        : "it has command, env, cwd, ready, stop-signal, announces, workloads, "
                          "image, url, process and restart-signal",
                   near ? near : "", near ? "'?" : "");
}

/* Checks {word} of one word of a command; other braces are the command's own business. */
static int targets_check_word(const char *word, bool *port, struct err *e) {
    for (const char *open = strchr(word, '{'); open; open = strchr(open + 1, '{')) {
        size_t len = strspn(open + 1, "abcdefghijklmnopqrstuvwxyz");
        if (len == 0 || len > 32 || open[1 + len] != '}') {
            continue;
        }
        char name[33];
        memcpy(name, open + 1, len);
        name[len] = '\0';
        bool known = false;
        for (size_t i = 0; i < PLACEHOLDERS; i++) {
            known = known || strcmp(name, placeholders[i]) == 0;
        }
        if (!known) {
            return err_set(e, ERR_USAGE,
                           "command: {%s} is none of {host}, {port}, {workers}, "
                           "{backlog}, {servers}, {log}",
                           name);
        }
        *port = *port || strcmp(name, "port") == 0;
    }
    return 0;
}

int targets_check(const struct target_config *t, struct err *e) {
    bool port = t->announces;
    if (t->url) {
        return places_check_url(t, e);
    }
    if (t->builtin) {
        return err_set(e, ERR_USAGE,
                       "target '%s' is built in; a section of its own may only say with "
                       "`url = http://HOST:PORT` that it runs already: choose another name",
                       t->name);
    }
    if (t->process || t->restart_signal) {
        return err_set(e, ERR_USAGE, "target '%s': %s is for a target with a url; leave it out",
                       t->name, t->process ? "process" : "restart-signal");
    }
    if (!t->command) {
        return err_set(e, ERR_USAGE, "target '%s' has no command; add `command = ... {port}`",
                       t->name);
    }
    for (size_t i = 0; t->command[i]; i++) {
        if (targets_check_word(t->command[i], &port, e) != 0) {
            return -1;
        }
    }
    if (!port) {
        return err_set(e, ERR_USAGE,
                       "the command of target '%s' has no {port}; put it where the "
                       "port goes",
                       t->name);
    }
    return 0;
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

char *config_expand_servers(const char *word, const char *folder) {
    static const char name[] = "{servers}";
    const char *at = strstr(word, name);
    char *out = NULL;
    if (!at) {
        return strdup(word);
    }
    int n = asprintf(&out, "%.*s%s%s", (int)(at - word), word, folder, at + sizeof name - 1);
    return n < 0 ? NULL : out;
}

/* The null server is a ceiling: it neither logs nor stores. */
static size_t targets_add_mode(const struct config *c, const struct target_config *t,
                               const char **words) {
    size_t n = 0;
    if (c->access_log && strcmp(t->name, CONFIG_NULL_TARGET) != 0) {
        words[n++] = "--access-log";
        words[n++] = "{log}";
    }
    if (c->db && strcmp(t->name, CONFIG_NULL_TARGET) != 0) {
        words[n++] = "--db";
        words[n++] = c->db;
    }
    return n;
}

static int targets_finish_builtin(const struct config *c, struct target_config *t,
                                  const char *servers, struct err *e) {
    char program[PATH_MAX + 64];
    char handicap[32];
    const char *words[BUILTIN_OPTIONS + 8] = {program};
    size_t n = 1;
    snprintf(program, sizeof program, "%s/server-%.*s", servers, (int)strcspn(t->name, PLACES_MARK),
             t->name);
    for (size_t i = 0; i < BUILTIN_OPTIONS; i++) {
        words[n++] = builtin_options[i];
    }
    n += targets_add_mode(c, t, words + n);
    if (t->handicap_ns > 0) {
        snprintf(handicap, sizeof handicap, "%lld", (long long)t->handicap_ns);
        words[n++] = "--handicap-ns";
        words[n++] = handicap;
    }
    t->command = words_copy(words);
    return t->command ? 0 : targets_no_memory(e);
}

int targets_finish(struct config *c, struct err *e) {
    char servers[PATH_MAX];
    if (config_servers(c->servers, servers, sizeof servers) != 0) {
        return err_set(e, ERR_USAGE, "servers: the path is too long; choose a shorter one");
    }
    for (size_t i = 0; i < c->target_count; i++) {
        if (c->target[i].builtin && c->target[i].place != PLACE_URL &&
            targets_finish_builtin(c, &c->target[i], servers, e) != 0) {
            return -1;
        }
    }
    return 0;
}

const char *targets_signal_name(int number) {
    for (size_t s = 0; s < SIGNALS; s++) {
        if (signal_names[s].number == number) {
            return signal_names[s].name;
        }
    }
    return "TERM";
}

static void targets_dump_words(FILE *out, const char *key, char *const *words) {
    char *text = words ? words_join(words) : NULL;
    if (text) {
        fprintf(out, "%s = %s\n", key, text);
    }
    free(text);
}

void targets_dump(const struct config *c, FILE *out) {
    for (size_t i = 0; i < c->target_count; i++) {
        const struct target_config *t = &c->target[i];
        if (places_of(t->name) != PLACE_PROCESS || (t->builtin && t->place != PLACE_URL)) {
            continue; /* made from what others say */
        }
        fprintf(out, "\n[target %s]\n", t->name);
        if (t->place == PLACE_URL) {
            places_dump(t, out);
            continue;
        }
        if (t->image) {
            fprintf(out, "image = %s\n", t->image);
        }
        targets_dump_words(out, "command", t->command);
        targets_dump_words(out, "env", t->env);
        if (t->cwd) {
            char *quoted = words_quote(t->cwd);
            fprintf(out, "cwd = %s\n", quoted ? quoted : "");
            free(quoted);
        }
        fprintf(out, "ready = %s\n", t->ready_path);
        fprintf(out, "stop-signal = %s\n", targets_signal_name(t->stop_signal));
        fprintf(out, "announces = %s\n", t->announces ? "yes" : "no");
        for (size_t w = 0; w < t->workloads.n; w++) {
            fprintf(out, "%s%s", w == 0 ? "workloads = " : ",", t->workloads.name[w]);
        }
        fputs(t->workloads.n > 0 ? "\n" : "", out);
    }
}

void targets_release(struct config *c) {
    for (size_t i = 0; i < c->target_count; i++) {
        struct target_config *t = &c->target[i];
        free(t->name);
        words_free(t->command);
        words_free(t->env);
        free(t->cwd);
        free(t->ready_path);
        free(t->image);
        free(t->url);
        free(t->url_host);
        free(t->process);
        names_release(&t->workloads);
    }
    free(c->target);
    c->target = NULL;
    c->target_count = 0;
}
