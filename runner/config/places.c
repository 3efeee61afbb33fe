#include "config/places.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "config/targets.h"
#include "config/words.h"

#define IMAGE_PREFIX "loopbench-server-" /* as the Makefile and docker-compose.yml name them */
#define HOST_MAX     253                 /* RFC 1035 */

static const struct place {
    const char *suffix;
    enum target_place place;
} places[] = {{PLACES_MARK "host-network", PLACE_HOST_NETWORK},
              {PLACES_MARK "bridge", PLACE_BRIDGE}};

const char *config_place_name(enum target_place place) {
    switch (place) {
    case PLACE_HOST_NETWORK:
        return "container, host network";
    case PLACE_BRIDGE:
        return "container, bridge network";
    case PLACE_URL:
        return "external";
    case PLACE_PROCESS:
        break;
    }
    return "process";
}

enum target_place places_of(const char *name) {
    const char *mark = strrchr(name, *PLACES_MARK);
    for (size_t i = 0; mark && i < sizeof places / sizeof places[0]; i++) {
        if (strcmp(mark, places[i].suffix) == 0) {
            return places[i].place;
        }
    }
    return PLACE_PROCESS;
}

static int places_no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the configuration");
}

/* A copy of what the target before the @ says of itself. */
static int places_copy(struct config *c, size_t base, const char *name, enum target_place place,
                       struct err *e) {
    if (targets_append(c, name, e) != 0) {
        return -1;
    }
    const struct target_config *from = &c->target[base];
    struct target_config *to = &c->target[c->section];
    bool bad = false;
    to->builtin = from->builtin;
    to->announces = from->announces;
    to->guest = from->guest;
    to->stop_signal = from->stop_signal;
    to->stop_grace_ns = from->stop_grace_ns;
    to->dies_by_signal = from->dies_by_signal;
    to->shares_db = from->shares_db;
    to->place = place;
    free(to->ready_path);
    to->ready_path = strdup(from->ready_path);
    if (from->image) {
        to->image = strdup(from->image);
    } else if (asprintf(&to->image, IMAGE_PREFIX "%s", from->name) < 0) {
        to->image = NULL;
    }
    if (from->command) {
        to->command = words_copy((const char *const *)from->command);
        bad = bad || !to->command;
    }
    if (from->dir) {
        to->dir = strdup(from->dir);
        bad = bad || !to->dir;
    }
    if (from->log_options) {
        to->log_options = words_copy((const char *const *)from->log_options);
        bad = bad || !to->log_options;
    }
    if (from->paths) {
        to->paths = words_copy((const char *const *)from->paths);
        bad = bad || !to->paths;
    }
    if (from->env) {
        to->env = words_copy((const char *const *)from->env);
        bad = bad || !to->env;
    }
    for (size_t i = 0; i < from->workloads.n; i++) {
        bad = names_add(&to->workloads, from->workloads.name[i]) != 0 || bad;
    }
    return bad || !to->ready_path || !to->image ? places_no_memory(e) : 0;
}

static int places_add(struct config *c, const char *name, const char *where, struct err *e) {
    enum target_place place = places_of(name);
    size_t len = (size_t)(strrchr(name, *PLACES_MARK) - name);
    for (size_t i = 0; i < c->target_count; i++) {
        const struct target_config *t = &c->target[i];
        if (strlen(t->name) != len || strncmp(t->name, name, len) != 0) {
            continue;
        }
        if (t->place == PLACE_URL) {
            return err_set(
                e, ERR_USAGE,
                "%s: '%s' runs already, at %s; '%s' cannot start it: leave out what follows @",
                where, t->name, t->url, name);
        }
        if (!t->builtin && !t->image) {
            return err_set(e, ERR_USAGE,
                           "%s: '%s' has no image to run in a container; add `image = NAME` to its "
                           "section",
                           where, t->name);
        }
        return places_copy(c, i, name, place, e);
    }
    return err_set(e, ERR_USAGE,
                   "%s: no target is called '%.*s', so there is no '%s'; see `loopbench targets`",
                   where, (int)len, name, name);
}

int places_resolve(struct config *c, const char *where, struct err *e) {
    for (size_t i = 0; i < c->targets.n; i++) {
        const char *name = c->targets.name[i];
        bool known = places_of(name) == PLACE_PROCESS;
        for (size_t t = 0; t < c->target_count; t++) {
            known = known || strcmp(c->target[t].name, name) == 0;
        }
        if (!known && places_add(c, name, where, e) != 0) {
            return -1;
        }
    }
    return 0;
}

static int places_bad_url(const char *value, struct err *e) {
    return err_set(e, ERR_USAGE, "url: '%.200s' is not http://HOST:PORT", value);
}

int places_set_url(struct target_config *t, const char *value, struct err *e) {
    static const char scheme[] = "http://";
    if (strncmp(value, scheme, sizeof scheme - 1) != 0) {
        return places_bad_url(value, e);
    }
    const char *host = value + sizeof scheme - 1;
    bool bracket = *host == '[';
    host += bracket;
    size_t len = strspn(host, bracket ? "0123456789abcdefABCDEF:."
                                      : "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789.-_");
    const char *at = host + len;
    if (len == 0 || len > HOST_MAX || (bracket && *at++ != ']')) {
        return places_bad_url(value, e);
    }
    long port = 80;
    if (*at == ':') {
        char *end = NULL;
        bool digit = at[1] >= '0' && at[1] <= '9';
        port = strtol(at + 1, &end, 10);
        if (!digit || port < 1 || port > 65535) {
            return places_bad_url(value, e);
        }
        at = end;
    }
    if (strcmp(at, "") != 0 && strcmp(at, "/") != 0) {
        return places_bad_url(value, e);
    }
    t->place = PLACE_URL;
    t->url_port = (int)port;
    t->url_host = strndup(host, len);
    return t->url_host ? value_text(value, "url", &t->url, e) : places_no_memory(e);
}

int places_check_url(const struct target_config *t, struct err *e) {
    const char *started = t->command                    ? "command"
                          : t->log_options              ? "log-options"
                          : t->probe                    ? "probe"
                          : t->version                  ? "version"
                          : t->stop_grace_ns > 0        ? "stop-grace"
                          : t->env                      ? "env"
                          : t->cwd                      ? "cwd"
                          : t->image                    ? "image"
                          : t->announces && !t->builtin ? "announces"
                          : t->stop_signal != SIGTERM   ? "stop-signal"
                          : t->guest                    ? "guest"
                                                        : NULL;
    if (started) {
        return err_set(e, ERR_USAGE,
                       "target '%s' has a url: it runs already, and %s says how to start it; leave "
                       "one of them out",
                       t->name, started);
    }
    if (t->restart_signal && !t->process) {
        return err_set(e, ERR_USAGE,
                       "target '%s': restart-signal needs the process it is sent to; add `process "
                       "= NAME`",
                       t->name);
    }
    return 0;
}

void places_dump(const struct target_config *t, FILE *out) {
    fprintf(out, "url = %s\n", t->url);
    if (t->process) {
        fprintf(out, "process = %s\n", t->process);
    }
    if (t->restart_signal) {
        fprintf(out, "restart-signal = %s\n", targets_signal_name(t->restart_signal));
    }
    if (t->shares_db) {
        fputs("shares-db = yes\n", out);
    }
    if (t->builtin) {
        return;
    }
    char *paths = t->paths ? words_join(t->paths) : NULL;
    if (paths) {
        fprintf(out, "paths = %s\n", paths);
    }
    free(paths);
    fprintf(out, "ready = %s\n", t->ready_path);
    for (size_t w = 0; w < t->workloads.n; w++) {
        fprintf(out, "%s%s", w == 0 ? "workloads = " : ",", t->workloads.name[w]);
    }
    fputs(t->workloads.n > 0 ? "\n" : "", out);
}

bool config_all_external(const struct config *c) {
    bool all = c->targets.n > 0;
    for (size_t i = 0; i < c->targets.n; i++) {
        const struct target_config *t = config_target(c, c->targets.name[i]);
        all = all && t && t->place == PLACE_URL;
    }
    const struct target_config *null = c->null_server ? config_target(c, CONFIG_NULL_TARGET) : NULL;
    return all && (!null || null->place == PLACE_URL);
}
