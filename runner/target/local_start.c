/* A process on this machine, started, and started again where its port was taken meanwhile. */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "target/local_argv.h"
#include "target/local_parts.h"

static void local_on_line(void *ctx, const char *line) {
    struct local *l = ctx;
    if (l->announces && !l->ready_line && line[0] == '{') {
        l->ready_line = strdup(line);
    }
}

/* Whoever has pressed Ctrl-C sees that it was heard, and what for the runner still waits. */
static void local_on_wait(void *ctx, int64_t left_ns) {
    const struct local *l = ctx;
    const char *term = getenv("TERM");
    const bool drawn = isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0;
    fprintf(
        stderr,
        "%sloopbench: interrupted; waiting up to %.0f s for %s to stop, once more (Ctrl-C) kills "
        "it\n",
        drawn ? "\r\x1b[K" : "", /* over the progress bar */
        ceil((double)left_ns / 1e9), l->spec->name);
}

static struct child *local_child(struct local *l, int port, struct err *e) {
    const struct target_spec *spec = l->spec;
    char **argv = argv_expand(spec->argv, &(struct argv_values){.host = l->target.host,
                                                                .log = spec->log,
                                                                .port = port,
                                                                .workers = spec->workers,
                                                                .backlog = spec->backlog});
    if (!argv) {
        err_set(e, ERR_MACHINE, "out of memory");
        return NULL;
    }
    struct child_spec child = {
        .argv = (const char *const *)argv,
        .env = spec->env,
        .cwd = spec->cwd,
        .cpus = spec->cpus,
        .guarded = true,
        .on_line = local_on_line,
        .on_wait = local_on_wait,
        .ctx = l,
    };
    struct child *started = child_start(l->loop, &child, e);
    argv_free(argv);
    if (!started) {
        err_prefix(e, "%s", spec->name);
    }
    return started;
}

enum target_failure local_launch(struct local *l, struct err *e) {
    struct port port = {-1, -1};
    if (!l->announces) {
        port = port_choose(l->target.host);
        if (port.number < 0) {
            err_set(e, ERR_MACHINE, "%s: no free port on %s; end what holds them", l->spec->name,
                    l->target.host);
            return TARGET_START;
        }
    }
    port_release(&l->port); /* not before: it would be chosen again */
    struct child *started = local_child(l, port.number, e);
    if (!started) {
        port_release(&port);
        return TARGET_START;
    }
    child_free(l->child);
    l->child = started;
    l->port = port;
    l->target.port = port.number > 0 ? port.number : 0;
    l->target.reaper = child_reaper(l->child);
    return TARGET_OK;
}

/* Those who had a connection there are gone as fast as they came: then its last words tell. */
static bool local_says_in_use(const struct local *l) {
    const char *said = child_tail(l->child);
    return strcasestr(said, "already in use") || strstr(said, "EADDRINUSE");
}

bool local_lost_port(struct local *l) {
    if (l->announces || l->spec->container.bridge) { /* a network of its own */
        return false;
    }
    child_stop(l->child, SIGKILL, 0);
    return port_is_taken(l->target.host, l->target.port) || local_says_in_use(l);
}
