/* target_keys.c — the keys of a [target NAME] section, one table. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "config/places.h"
#include "config/targets.h"
#include "config/words.h"

static const struct signal_name {
    const char *name;
    int number;
} signal_names[] = {{"TERM", SIGTERM}, {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"HUP", SIGHUP},
                    {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"WINCH", SIGWINCH}, {"KILL", SIGKILL}};
#define PROCESS_NAME_MAX 15 /* TASK_COMM_LEN - 1 */
#define PATH_TEXT_MAX    1024
#define GRACE_MAX_NS     INT64_C(600000000000)
#define SIGNALS          (sizeof signal_names / sizeof signal_names[0])

const char *targets_signal_name(int number) {
    for (size_t s = 0; s < SIGNALS; s++) {
        if (signal_names[s].number == number) {
            return signal_names[s].name;
        }
    }
    return "TERM";
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

/* Printable ASCII without blanks, as a request target must be. */
static bool targets_is_path(const char *value) {
    for (const char *c = value; *c; c++) {
        if (*c <= ' ' || *c > '~') {
            return false;
        }
    }
    return strlen(value) <= PATH_TEXT_MAX;
}

static int targets_set_ready(struct target_config *t, const char *value, struct err *e) {
    if (!targets_is_path(value)) {
        return err_set(e, ERR_USAGE,
                       "ready: '%s' is not a path; escape blanks and non-ASCII "
                       "as %%XX",
                       value);
    }
    if (*value != '/') {
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

static int targets_set_log_options(struct target_config *t, const char *value, struct err *e) {
    return words_split(value, "log-options", &t->log_options, e);
}

static int targets_set_probe(struct target_config *t, const char *value, struct err *e) {
    return words_split(value, "probe", &t->probe, e);
}

static int targets_set_version(struct target_config *t, const char *value, struct err *e) {
    return words_split(value, "version", &t->version, e);
}

/* Which workload an entry means is checked with the list of those served: check.c. */
static int targets_set_paths(struct target_config *t, const char *value, struct err *e) {
    if (words_split(value, "paths", &t->paths, e) != 0) {
        return -1;
    }
    for (size_t i = 0; t->paths[i]; i++) {
        const char *path = strchr(t->paths[i], '=');
        if (!path || path == t->paths[i] || path[1] != '/') {
            return err_set(e, ERR_USAGE, "paths: '%.100s' is not WORKLOAD=/PATH", t->paths[i]);
        }
        if (!targets_is_path(path + 1)) {
            return err_set(e, ERR_USAGE,
                           "paths: '%.100s' is not a path; escape blanks and non-ASCII as %%XX",
                           path + 1);
        }
        for (size_t k = 0; k < i; k++) {
            if (strncmp(t->paths[k], t->paths[i], (size_t)(path - t->paths[i]) + 1) == 0) {
                return err_set(e, ERR_USAGE, "paths: '%.*s' is set a second time; keep one",
                               (int)(path - t->paths[i]), t->paths[i]);
            }
        }
    }
    return 0;
}

/* Names of packages go onto a command line that is shown to be typed. */
static int targets_set_package(struct target_config *t, const char *value, struct err *e) {
    size_t good = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+- "
                                "_:/@");
    if (value[good] || *value == '-' || strlen(value) > 200) {
        return err_set(e, ERR_USAGE, "package: '%.100s' is no list of package names", value);
    }
    return value_text(value, "package", &t->package, e);
}

static int targets_set_install(struct target_config *t, const char *value, struct err *e) {
    if (strlen(value) > 60 || strchr(value, '`')) {
        return err_set(e, ERR_USAGE, "install: '%.100s' is no command of at most 60 characters",
                       value);
    }
    return value_text(value, "install", &t->install, e);
}

static int targets_set_about(struct target_config *t, const char *value, struct err *e) {
    char *text;
    if (words_unquote(value, "about", &text, e) != 0) {
        return -1;
    }
    int rc = value_text(text, "about", &t->about, e);
    free(text);
    return rc;
}

static int targets_set_dies(struct target_config *t, const char *value, struct err *e) {
    return value_bool(value, "dies-by-signal", &t->dies_by_signal, e);
}

static int targets_set_shares(struct target_config *t, const char *value, struct err *e) {
    return value_bool(value, "shares-db", &t->shares_db, e);
}

static int targets_set_grace(struct target_config *t, const char *value, struct err *e) {
    return value_duration(value, "stop-grace", 10000000, GRACE_MAX_NS, &t->stop_grace_ns, e);
}

/* Written by a run for each guest it used: the guest of that name, as it was then. */
static int targets_set_guest(struct target_config *t, const char *value, struct err *e) {
    bool guest = false;
    if (value_bool(value, "guest", &guest, e) != 0) {
        return -1;
    }
    t->recorded = guest;
    t->guest = t->guest || guest;
    return 0;
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
    {"shares-db", targets_set_shares},
    {"paths", targets_set_paths},
    {"log-options", targets_set_log_options},
    {"dies-by-signal", targets_set_dies},
    {"stop-grace", targets_set_grace},
    {"probe", targets_set_probe},
    {"package", targets_set_package},
    {"install", targets_set_install},
    {"version", targets_set_version},
    {"about", targets_set_about},
    {"guest", targets_set_guest},
};
#define TARGET_KEYS (sizeof target_keys / sizeof target_keys[0])

/* Keeps what a section says, for the file of a run. */
static int targets_remember(struct target_config *t, const char *key, const char *value,
                            struct err *e) {
    char *all = NULL;
    if (strcmp(key, "guest") == 0) {
        return 0;
    }
    if (asprintf(&all, "%s%s = %s\n", t->section ? t->section : "", key, value) < 0) {
        return err_set(e, ERR_MACHINE, "out of memory reading the configuration");
    }
    free(t->section);
    t->section = all;
    return 0;
}

int targets_set(struct config *c, const char *key, const char *value, struct err *e) {
    const char *names[TARGET_KEYS];
    for (size_t i = 0; i < TARGET_KEYS; i++) {
        if (strcmp(target_keys[i].name, key) == 0) {
            struct target_config *t = &c->target[c->section];
            return target_keys[i].set(t, value, e) != 0 ? -1 : targets_remember(t, key, value, e);
        }
        names[i] = target_keys[i].name;
    }
    const char *near = option_nearest_of(key, names, TARGET_KEYS);
    if (near) {
        return err_set(e, ERR_USAGE, "a target has no '%s'; did you mean '%s'?", key, near);
    }
    char all[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < TARGET_KEYS; i++) {
        int n = snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "", names[i]);
        used += n > 0 && (size_t)n < sizeof all - used ? (size_t)n : 0;
    }
    return err_set(e, ERR_USAGE, "a target has no '%s'; it has %s", key, all);
}

static const char *const placeholders[] = {"host",    "port", "workers", "backlog",
                                           "servers", "dir",  "log"};
#define PLACEHOLDERS (sizeof placeholders / sizeof placeholders[0])

/* Checks {word} of one word of a command; other braces are the command's own business. */
static int targets_check_word(const char *key, const char *word, bool *port, struct err *e) {
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
                           "%s: {%s} is none of {host}, {port}, {workers}, "
                           "{backlog}, {servers}, {dir}, {log}",
                           key, name);
        }
        *port = *port || strcmp(name, "port") == 0;
    }
    return 0;
}

static int targets_check_words(const char *key, char *const *words, bool *port, struct err *e) {
    for (size_t i = 0; words && words[i]; i++) {
        if (targets_check_word(key, words[i], port, e) != 0) {
            return -1;
        }
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
    bool ignored = false;
    if (targets_check_words("command", t->command, &port, e) != 0 ||
        targets_check_words("log-options", t->log_options, &ignored, e) != 0) {
        return -1;
    }
    if (!port) {
        return err_set(e, ERR_USAGE,
                       "the command of target '%s' has no {port}; put it where the "
                       "port goes",
                       t->name);
    }
    return 0;
}
