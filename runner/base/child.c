#include "base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

#define TAIL_SIZE 4096
#define LINE_SIZE 8192

struct pipe_end {
    uv_pipe_t handle;
    struct child *child;
    bool open;
};

struct child {
    struct loop *loop;
    pid_t pid;
    bool exited;
    int status, signum;
    struct rusage usage;
    uv_signal_t on_chld;
    struct pipe_end out, err;
    int handles; /* libuv handles not yet closed; the last one frees the child */
    bool freed;
    void (*on_line)(void *ctx, const char *line);
    void *ctx;
    char line[LINE_SIZE];
    size_t line_len;
    bool line_cut; /* the rest of an overlong line is dropped */
    char tail[TAIL_SIZE + 1];
    size_t tail_len;
    char buf[16384];
};

static void child_keep_tail(struct child *c, const char *data, size_t len) {
    if (len >= TAIL_SIZE) {
        data += len - TAIL_SIZE;
        len = TAIL_SIZE;
    }
    size_t keep = c->tail_len + len > TAIL_SIZE ? TAIL_SIZE - len : c->tail_len;
    memmove(c->tail, c->tail + c->tail_len - keep, keep);
    memcpy(c->tail + keep, data, len);
    c->tail_len = keep + len;
    c->tail[c->tail_len] = '\0';
    /* A NUL would hide what follows it. */
    for (char *p = c->tail; (p = memchr(p, '\0', (size_t)(c->tail + c->tail_len - p)));) {
        *p = '?';
    }
}

static void child_take_lines(struct child *c, const char *data, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\n') {
            c->line[c->line_len] = '\0';
            if (!c->line_cut) {
                c->on_line(c->ctx, c->line);
            }
            c->line_len = 0;
            c->line_cut = false;
        } else if (c->line_len + 1 < sizeof c->line) {
            c->line[c->line_len++] = data[i] ? data[i] : '?';
        } else {
            c->line_cut = true;
        }
    }
}

static void child_on_close(uv_handle_t *handle) {
    struct child *c = handle->data;
    if (--c->handles == 0 && c->freed) {
        free(c);
    }
}

static void child_close_pipe(struct pipe_end *p) {
    if (p->open) {
        p->open = false;
        uv_close((uv_handle_t *)&p->handle, child_on_close);
    }
}

static void child_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
    struct child *c = handle->data;
    (void)suggested;
    *buf = uv_buf_init(c->buf, sizeof c->buf);
}

static void child_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf) {
    struct child *c = stream->data;
    struct pipe_end *p = stream == (uv_stream_t *)&c->out.handle ? &c->out : &c->err;
    if (n < 0) {
        child_close_pipe(p);
        return;
    }
    child_keep_tail(c, buf->base, (size_t)n);
    if (p == &c->out && c->on_line) {
        child_take_lines(c, buf->base, (size_t)n);
    }
}

/* What the leader left running in its group goes with it, and while the zombie still holds the pid,
 * so that the number cannot have become somebody else's. */
static bool child_end_group(const struct child *c, int options) {
    siginfo_t info = {0};
    int rc;
    do {
        rc = waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOWAIT | options);
    } while (rc != 0 && errno == EINTR);
    if (rc == 0 && info.si_pid == 0) {
        return false;
    }
    kill(-c->pid, SIGKILL);
    return true;
}

static void child_reap(struct child *c, int options) {
    int status;
    pid_t got;
    if (c->exited || !child_end_group(c, options)) {
        return;
    }
    do {
        got = wait4(c->pid, &status, 0, &c->usage);
    } while (got < 0 && errno == EINTR);
    c->exited = true;
    if (got < 0) { /* reaped by somebody else: what it returned is not known */
        c->status = -1;
    } else if (WIFSIGNALED(status)) {
        c->status = -1;
        c->signum = WTERMSIG(status);
    } else {
        c->status = WEXITSTATUS(status);
    }
    uv_close((uv_handle_t *)&c->on_chld, child_on_close);
}

static void child_on_chld(uv_signal_t *handle, int signum) {
    (void)signum;
    child_reap(handle->data, WNOHANG);
}

/* In the child, between fork and exec: only async-signal-safe calls. */
static _Noreturn void child_exec(const struct child_spec *spec, const char *program, char **env,
                                 const int out[2], const int err[2], int report, pid_t parent) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (int s = 1; s < 32; s++) {
        signal(s, s == SIGINT && spec->ignores_interrupt ? SIG_IGN : SIG_DFL);
    }
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int nothing = open("/dev/null", O_RDONLY);
    bool ready = getppid() == parent && nothing >= 0 && dup2(nothing, 0) >= 0 &&
                 dup2(out[1], 1) >= 0 && dup2(err[1], 2) >= 0;
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
        execve(program, (char *const *)spec->argv, env);
    }
    int why = errno;
    ssize_t told = write(report, &why, sizeof why);
    (void)told;
    _exit(127);
}

/* The runner's environment with spec->env over it; the strings are borrowed, the array is owned. */
static char **child_environment(const char *const *extra) {
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

static void child_close_fds(const int *fds, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (fds[i] >= 0) {
            close(fds[i]);
        }
    }
}

/* Forks and waits for exec to have happened; returns the pid, or -1 with errno. */
static pid_t child_fork(const struct child_spec *spec, const char *program, char **env,
                        const int out[2], const int err[2]) {
    int report[2];
    int why = 0;
    if (pipe2(report, O_CLOEXEC) != 0) {
        return -1;
    }
    pid_t parent = getpid();
    pid_t pid = fork();
    if (pid == 0) {
        child_exec(spec, program, env, out, err, report[1], parent);
    }
    int saved = errno;
    close(report[1]);
    if (pid > 0) {
        setpgid(pid, pid); /* also here: a signal to the group may be sent before the child ran */
        ssize_t n;
        do {
            n = read(report[0], &why, sizeof why);
        } while (n < 0 && errno == EINTR);
        if (n == (ssize_t)sizeof why) {
            waitpid(pid, NULL, 0);
            pid = -1;
            saved = why;
        }
    }
    close(report[0]);
    errno = saved;
    return pid;
}

static void child_watch_pipe(struct child *c, struct pipe_end *p, int fd) {
    uv_pipe_init(&c->loop->uv, &p->handle, 0);
    p->handle.data = c;
    p->child = c;
    p->open = true;
    c->handles++;
    if (uv_pipe_open(&p->handle, fd) != 0) {
        close(fd);
        child_close_pipe(p);
        return;
    }
    uv_read_start((uv_stream_t *)&p->handle, child_alloc, child_on_read);
}

struct child *child_start(struct loop *loop, const struct child_spec *spec, struct err *e) {
    char program[4096];
    int fds[4] = {-1, -1, -1, -1};
    if (file_which(spec->argv[0], program, sizeof program) != 0) {
        err_set(e, ERR_MACHINE, "cannot start %s: no such program", spec->argv[0]);
        return NULL;
    }
    struct child *c = calloc(1, sizeof *c);
    char **env = child_environment(spec->env);
    if (!c || !env || pipe2(fds, O_CLOEXEC) != 0 || pipe2(fds + 2, O_CLOEXEC) != 0) {
        err_set(e, ERR_MACHINE, "cannot start %s: %s", spec->argv[0], strerror(errno));
        child_close_fds(fds, 4);
        free(c);
        free(env);
        return NULL;
    }
    c->loop = loop;
    c->on_line = spec->on_line;
    c->ctx = spec->ctx;
    uv_signal_init(&loop->uv, &c->on_chld);
    c->on_chld.data = c;
    c->handles = 1;
    uv_signal_start(&c->on_chld, child_on_chld, SIGCHLD);
    c->pid = child_fork(spec, program, env, fds, fds + 2);
    int saved = errno;
    free(env);
    child_close_fds((int[]){fds[1], fds[3]}, 2);
    if (c->pid < 0) {
        err_set(e, ERR_MACHINE, "cannot start %s: %s", spec->argv[0], strerror(saved));
        child_close_fds((int[]){fds[0], fds[2]}, 2);
        c->exited = true;
        c->freed = true;
        uv_close((uv_handle_t *)&c->on_chld, child_on_close);
        return NULL;
    }
    child_watch_pipe(c, &c->out, fds[0]);
    child_watch_pipe(c, &c->err, fds[2]);
    return c;
}

pid_t child_pid(const struct child *c) {
    return c->pid;
}

bool child_exited(const struct child *c) {
    return c->exited;
}

int child_status(const struct child *c) {
    return c->status;
}

int child_signum(const struct child *c) {
    return c->signum;
}

const struct rusage *child_rusage(const struct child *c) {
    return &c->usage;
}

const char *child_tail(const struct child *c) {
    return c->tail;
}

void child_kill(struct child *c, int signum) {
    if (!c->exited) {
        kill(-c->pid, signum);
    }
}

static bool child_is_done(void *ctx) {
    struct child *c = ctx;
    return c->exited && !c->out.open && !c->err.open;
}

static bool child_is_exited(void *ctx) {
    return child_exited(ctx);
}

enum loop_wait child_wait(struct child *c, int64_t timeout_ns) {
    return loop_wait(c->loop, child_is_done, c, timeout_ns);
}

/* Waits for the exit alone, through interrupts: cleaning up is not optional. */
static bool child_wait_exit(struct child *c, int64_t timeout_ns) {
    enum loop_wait w;
    int tries = 0;
    do {
        w = loop_wait(c->loop, child_is_exited, c, timeout_ns);
    } while (w == LOOP_INTERRUPTED && ++tries < 3);
    return w == LOOP_DONE;
}

bool child_stop(struct child *c, int signum, int64_t grace_ns) {
    child_kill(c, signum);
    bool willing = child_wait_exit(c, grace_ns);
    if (!willing) {
        child_kill(c, SIGKILL);
        child_reap(c, 0);
    }
    /* Its last words are already in the pipe; a grandchild that keeps it open must not hold us. */
    loop_wait(c->loop, child_is_done, c, 50 * 1000000LL);
    return willing;
}

void child_free(struct child *c) {
    if (!c) {
        return;
    }
    if (!c->exited) {
        child_kill(c, SIGKILL);
        child_reap(c, 0);
    }
    c->on_line = NULL;
    c->freed = true;
    child_close_pipe(&c->out);
    child_close_pipe(&c->err);
    if (c->handles == 0) {
        free(c);
    }
}

void child_describe(const struct child *c, char *out, size_t size) {
    if (!c->exited) {
        snprintf(out, size, "is running");
    } else if (c->signum) {
        snprintf(out, size, "was ended by signal %d (%s)", c->signum, strsignal(c->signum));
    } else {
        snprintf(out, size, "exited with status %d", c->status);
    }
}
