/* A program, started. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/child_parts.h"
#include "base/child_spawn.h"
#include "base/file.h"

static void child_close_fds(const int *fds, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* One that was never started. */
static void child_drop(struct child *c) {
    c->exited = true;
    c->freed = true;
    if (c->handles == 0) {
        free(c);
    } else {
        uv_close((uv_handle_t *)&c->on_chld, child_on_close);
    }
}

#define START_REMEDY "see that it can be executed, and the limits (ulimit -n, ulimit -u)"

struct child *child_start(struct loop *loop, const struct child_spec *spec, struct err *e) {
    char program[4096];
    int fds[4] = {-1, -1, -1, -1};
    if (file_which(spec->argv[0], program, sizeof program) != 0) {
        err_set(e, ERR_MACHINE, "cannot start %s: no such program; install it, or name another",
                spec->argv[0]);
        return NULL;
    }
    struct child *c = calloc(1, sizeof *c);
    char **env = spawn_environment(spec->env);
    struct spawned spawned;
    if (!c || !env || pipe2(fds, O_CLOEXEC) != 0 || pipe2(fds + 2, O_CLOEXEC) != 0) {
        err_set(e, ERR_MACHINE, "cannot start %s: %s; " START_REMEDY, spec->argv[0],
                strerror(errno));
        child_close_fds(fds, 4);
        free(c);
        free(env);
        return NULL;
    }
    c->loop = loop;
    c->on_line = spec->on_line;
    c->on_wait = spec->on_wait;
    c->ctx = spec->ctx;
    if (!spec->guarded) { /* before it may have ended already */
        uv_signal_init(&loop->uv, &c->on_chld);
        c->on_chld.data = c;
        uv_signal_start(&c->on_chld, child_on_chld, SIGCHLD);
        c->handles = 1;
    }
    if (spec->guarded) {
        prctl(PR_SET_CHILD_SUBREAPER, 1); /* should the guard be killed */
    }
    int rc = spawn_program(spec, program, env, fds[1], fds[3], &spawned);
    int saved = errno;
    free(env);
    child_close_fds((int[]){fds[1], fds[3]}, 2);
    if (rc != 0) {
        err_set(e, ERR_MACHINE, "cannot start %s: %s; " START_REMEDY, spec->argv[0],
                strerror(saved));
        child_close_fds((int[]){fds[0], fds[2]}, 2);
        child_drop(c);
        return NULL;
    }
    c->pid = spawned.pid;
    c->guard = spawned.guard;
    c->socket = spawned.socket;
    child_runs(c);
    if (c->guard > 0) {
        uv_poll_init(&loop->uv, &c->on_packet, c->socket);
        c->on_packet.data = c;
        c->handles = 1;
        uv_poll_start(&c->on_packet, UV_READABLE, child_on_packet);
    }
    child_output_watch(c, &c->out, fds[0]);
    child_output_watch(c, &c->err, fds[2]);
    return c;
}
