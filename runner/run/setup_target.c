/* A target as a run starts it: its workload, command, spec and launcher. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workload.h"
#include "run/setup.h"

#define STOP_GRACE_NS 8000000000LL /* ours drain within 5 s */

void setup_free_command(char **command) {
    for (size_t i = 0; command && command[i]; i++) {
        free(command[i]);
    }
    free(command);
}

const struct workload *setup_workload(const struct target_config *t, const char *name,
                                      struct err *e) {
    const struct workload *w = workload_find(name);
    bool no_memory = false;
    char *path = w ? config_path(t, name, &no_memory) : NULL;
    if (!w) {
        err_set(e, ERR_USAGE, "no workload '%s'", name);
        return NULL;
    }
    if (path) {
        w = workload_at_path(w, path);
        free(path);
        no_memory = !w;
    }
    if (no_memory) {
        err_set(e, ERR_MACHINE, "out of memory");
        return NULL;
    }
    return w;
}

/* The built-in servers' programs are named by file alone: they are found in the servers folder. */
static char *setup_program(const struct setup *s, const struct target_config *t) {
    char *path = NULL;
    if (!t->builtin || strchr(t->command[0], '/')) {
        return config_expand(t, t->command[0], s->servers);
    }
    return asprintf(&path, "%s/%s", s->servers, t->command[0]) < 0 ? NULL : path;
}

static size_t setup_count(char *const *words) {
    size_t n = 0;
    while (words && words[n]) {
        n++;
    }
    return n;
}

/* The command with all that is known put in, and with what makes it log where it is to; NULL out of
 * memory. */
static char **setup_command(const struct setup *s, const struct target_config *t) {
    size_t n = setup_count(t->command);
    size_t more = s->log_fd >= 0 ? setup_count(t->log_options) : 0;
    char **argv = calloc(n + more + 1, sizeof *argv);
    for (size_t i = 0; argv && i < n + more; i++) {
        const char *word = i < n ? t->command[i] : t->log_options[i - n];
        argv[i] = i == 0 ? setup_program(s, t) : config_expand(t, word, s->servers);
        if (!argv[i]) {
            setup_free_command(argv);
            return NULL;
        }
    }
    return argv;
}

int setup_target(const struct setup *s, const struct target_config *t, struct target_spec *spec,
                 char ***command, struct err *e) {
    char **argv = setup_command(s, t);
    if (!argv) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    *command = argv;
    *spec = (struct target_spec){
        .name = t->name,
        .argv = (const char *const *)argv,
        .env = (const char *const *)t->env,
        .cwd = t->cwd,
        .cpus = &s->cpus.server,
        .workers = (int)s->config->workers,
        .backlog = s->backlog,
        .log = s->log_fd >= 0 ? s->log : NULL,
        .ready_path = t->ready_path,
        .ready_timeout_ns = s->config->ready_timeout_ns,
        .stop_signal = t->stop_signal ? t->stop_signal : SIGTERM,
        .stop_grace_ns = t->stop_grace_ns > 0 ? t->stop_grace_ns : STOP_GRACE_NS,
        .dies_by_signal = t->dies_by_signal,
        .container = {.image = t->image,
                      .entry = t->builtin,
                      .bridge = t->place == PLACE_BRIDGE,
                      .files = s->config->container_files},
        .url = {.host = t->url_host,
                .port = t->url_port,
                .process = t->process,
                .restart_signal = t->restart_signal},
    };
    return 0;
}

const struct target_ops *setup_launcher(const struct target_config *t) {
    switch (t->place) {
    case PLACE_HOST_NETWORK:
    case PLACE_BRIDGE:
        return &target_container;
    case PLACE_URL:
        return &target_external;
    case PLACE_PROCESS:
        break;
    }
    return &target_local;
}
