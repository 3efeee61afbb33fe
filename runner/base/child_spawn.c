#include "base/child_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_guard.h"

/* What the new process needs to become the program. */
struct spawn {
    const struct child_spec *spec;
    const char *program;
    char **env;
    int out, err, report; /* the write ends */
    pid_t parent;         /* 0 = whoever it is now, a guard */
};

/* In the child, between fork and exec: only async-signal-safe calls. */
static _Noreturn void spawn_exec(const struct spawn *s) {
    const struct child_spec *spec = s->spec;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int n = 1; n < 32; n++) {
        signal(n, n == SIGINT && spec->ignores_interrupt ? SIG_IGN : SIG_DFL);
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDONLY);
    bool ready = (s->parent == 0 || getppid() == s->parent) && nothing >= 0 &&
                 dup2(nothing, 0) >= 0 && dup2(s->out, 1) >= 0 && dup2(s->err, 2) >= 0;
    if (ready && spec->cpus && sched_setaffinity(0, sizeof *spec->cpus, spec->cpus) != 0) {
        ready = false;
    }
    if (ready && spec->cwd && chdir(spec->cwd) != 0) {
        ready = false;
    }
    for (size_t i = 0; ready && i < spec->n_fds; i++) {
        ready = fcntl(spec->fds[i], F_SETFD, 0) == 0;
    }
    if (ready) {
        execve(s->program, (char *const *)spec->argv, s->env);
    }
    int why = errno;
    ssize_t told = write(s->report, &why, sizeof why);
    (void)told;
    _exit(127);
}

char **spawn_environment(const char *const *extra) {
    size_t n = 0;
    size_t m = 0;
    while (environ[n]) {
        n++;
    }
    while (extra && extra[m]) {
        m++;
    }
    char **env = calloc(n + m + 1, sizeof *env);
    size_t used = 0;
    if (!env) {
        return NULL;
    }
    for (size_t i = 0; i < m; i++) {
        env[used++] = (char *)extra[i];
    }
    for (size_t i = 0; i < n; i++) {
        bool replaced = false;
        for (size_t j = 0; j < m; j++) {
            size_t name = strcspn(extra[j], "=") + 1;
            replaced = replaced || strncmp(environ[i], extra[j], name) == 0;
        }
        if (!replaced) {
            env[used++] = environ[i];
        }
    }
    return env;
}

/* What came through the report pipe: errno, or 0 when it was closed by exec. */
static int spawn_reported(int report) {
    int why = 0;
    ssize_t n;
    do {
        n = read(report, &why, sizeof why);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof why ? why : 0;
}

static int spawn_plain(const struct spawn *s, int report, struct spawned *out) {
    out->pid = fork();
    if (out->pid == 0) {
        spawn_exec(s);
    }
    int saved = errno;
    close(s->report);
    if (out->pid < 0) {
        errno = saved;
        return -1;
    }
    setpgid(out->pid, out->pid); /* also here: a signal to the group may come before it ran */
    int why = spawn_reported(report);
    if (why != 0) {
        waitpid(out->pid, NULL, 0);
        errno = why;
        return -1;
    }
    return 0;
}

static _Noreturn void spawn_start(void *ctx) {
    spawn_exec(ctx);
}

/* The pid that the guard tells first, or -1. */
static pid_t spawn_told(int socket) {
    struct guard_message m = {0};
    ssize_t n;
    do {
        n = recv(socket, &m, sizeof m, 0);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof m && m.event == GUARD_STARTED ? m.pid : -1;
}

static int spawn_guarded(struct spawn *s, int report, struct spawned *out) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        int saved = errno;
        close(s->report);
        errno = saved;
        return -1;
    }
    s->parent = 0; /* it dies with the guard, and the guard's end ends it */
    out->guard = fork();
    if (out->guard == 0) {
        guard_run(ends[1], spawn_start, s);
    }
    int why = errno;
    close(s->report);
    close(ends[1]);
    if (out->guard > 0) {
        out->pid = spawn_told(ends[0]);
        why = spawn_reported(report);
        if (out->pid > 0 && why == 0) {
            out->socket = ends[0];
            return 0;
        }
        why = why ? why : EAGAIN;
    }
    close(ends[0]);
    if (out->guard > 0) {
        waitpid(out->guard, NULL, 0);
    }
    errno = why;
    return -1;
}

int spawn_program(const struct child_spec *spec, const char *program, char **env, int out, int err,
                  struct spawned *spawned) {
    int report[2];
    *spawned = (struct spawned){.socket = -1};
    if (pipe2(report, O_CLOEXEC) != 0) {
        return -1;
    }
    struct spawn s = {spec, program, env, out, err, report[1], getpid()};
    int rc =
        spec->guarded ? spawn_guarded(&s, report[0], spawned) : spawn_plain(&s, report[0], spawned);
    int saved = errno;
    close(report[0]);
    errno = saved;
    return rc;
}
