#include "base/child.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/child_guard.h"
#include "base/child_parts.h"
#include "base/clock.h"
#include "base/file.h"

void child_on_close(uv_handle_t *handle) {
    struct child *c = handle->data;
    if (--c->handles == 0 && c->freed) {
        free(c);
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

static void child_keep_status(struct child *c, int status) {
    c->status = WIFSIGNALED(status) ? -1 : WEXITSTATUS(status);
    c->signum = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
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
    child_over(c);
    if (got < 0) { /* reaped by somebody else: what it returned is not known */
        c->status = -1;
    } else {
        child_keep_status(c, status);
    }
    uv_close((uv_handle_t *)&c->on_chld, child_on_close);
}

void child_on_chld(uv_signal_t *handle, int signum) {
    (void)signum;
    child_reap(handle->data, WNOHANG);
}

/* Nothing is left: the guard ends, too. One that was killed took the program with it, but not what
 * that had forked. */
static void child_emptied(struct child *c, bool killed) {
    if (!c->told) {
        kill(-c->pid, SIGKILL);
        c->status = -1;
        c->signum = SIGKILL;
    }
    c->told = c->exited = c->empty = true;
    uv_close((uv_handle_t *)&c->on_packet, child_on_close);
    close(c->socket);
    while (c->guard > 0 && waitpid(c->guard, NULL, 0) < 0 && errno == EINTR) {
    }
    child_over(c);
    if (killed) {
        child_end_strays();
    }
}

/* Takes what the guard says. A program that ends well and leaves others has daemonised: they are
 * what runs now. */
static void child_listen(struct child *c) {
    while (!c->empty) {
        struct guard_message m = {0};
        ssize_t n = recv(c->socket, &m, sizeof m, MSG_DONTWAIT);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            return;
        }
        if (n != (ssize_t)sizeof m || m.event == GUARD_EMPTY) {
            child_emptied(c, n != (ssize_t)sizeof m);
        } else if (m.event == GUARD_EXITED) {
            child_keep_status(c, m.status);
            c->usage = m.usage;
            c->told = true;
            c->exited = !m.others || c->status != 0;
        }
    }
}

void child_on_packet(uv_poll_t *handle, int status, int events) {
    (void)status;
    (void)events;
    child_listen(handle->data);
}

static void child_order(const struct child *c, int signum) {
    const struct guard_order order = {signum};
    ssize_t ignored = c->empty ? 0 : send(c->socket, &order, sizeof order, MSG_NOSIGNAL);
    (void)ignored;
}

/* Kills all of it and waits, without the loop. */
static void child_end_guarded(struct child *c) {
    int64_t end = clock_mono_ns() + KILL_NS;
    child_order(c, SIGKILL);
    child_listen(c);
    while (!c->empty && clock_mono_ns() < end) {
        struct pollfd watched = {.fd = c->socket, .events = POLLIN};
        poll(&watched, 1, 100);
        child_listen(c);
    }
    if (!c->empty) { /* it cannot be killed; the guard stays with it */
        c->guard = -1;
        child_emptied(c, false);
    }
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

pid_t child_reaper(const struct child *c) {
    return c->guard > 0 && !c->empty ? c->guard : 0;
}

size_t child_roots(const struct child *c, pid_t *out, size_t max) {
    char path[64];
    char text[16384];
    size_t n = 0;
    if (child_reaper(c) == 0) {
        out[0] = c->pid;
        return !c->exited && max > 0;
    }
    if (!c->told && max > 0) {
        out[n++] = c->pid;
    }
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)c->guard, (long)c->guard);
    if (file_read_small(path, text, sizeof text) <= 0) {
        return n;
    }
    char *at = text;
    for (char *end; *at && n < max; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        if (pid != c->pid) {
            out[n++] = (pid_t)pid;
        }
    }
    return n;
}

void child_kill(struct child *c, int signum) {
    if (c->guard > 0) {
        child_order(c, signum);
    } else if (!c->exited) {
        kill(-c->pid, signum);
    }
}

static bool child_is_done(void *ctx) {
    struct child *c = ctx;
    return c->exited && !c->out.open && !c->err.open;
}

/* With a guard: the program and all it left. */
/* Who has interrupted is told what for there is to wait, unless it is over at once. */
#define SOON_NS INT64_C(500000000)

static bool child_is_gone(void *ctx) {
    const struct child *c = ctx;
    return c->guard > 0 ? c->empty : c->exited;
}

enum loop_wait child_wait(struct child *c, int64_t timeout_ns) {
    return loop_wait(c->loop, child_is_done, c, timeout_ns);
}

/* Waits for the exit alone, through an interrupt: cleaning up is not optional. Who interrupts once
 * more wants no more patience. */
static bool child_wait_exit(struct child *c, int64_t timeout_ns) {
    const int64_t end = clock_mono_ns() + timeout_ns;
    const int64_t soon = clock_mono_ns() + SOON_NS;
    bool said = c->on_wait == NULL;
    for (;;) {
        const int64_t now = clock_mono_ns();
        const bool interrupted = c->loop->interrupted > 0;
        if (interrupted && !said && now >= soon && now < end) {
            c->on_wait(c->ctx, end - now);
            said = true;
        }
        const int64_t until = interrupted && !said && soon < end ? soon : end;
        const enum loop_wait w =
            loop_wait(c->loop, child_is_gone, c, until > now ? until - now : 0);
        if (w == LOOP_DONE) {
            return true;
        }
        if (w == LOOP_TIMEOUT ? until == end : c->loop->interrupted >= CHILD_INTERRUPTS) {
            return false;
        }
    }
}

/* Now, whatever it does. */
static void child_end(struct child *c) {
    if (c->guard != 0) {
        if (!c->empty) {
            child_end_guarded(c);
        }
    } else if (!c->exited) {
        child_kill(c, SIGKILL);
        child_reap(c, 0);
    }
}

bool child_stop(struct child *c, int signum, int64_t grace_ns) {
    child_kill(c, signum);
    bool willing = child_wait_exit(c, grace_ns);
    if (!willing) {
        child_end(c);
    }
    /* Its last words are already in the pipe; a grandchild that keeps it open must not hold us. */
    loop_wait(c->loop, child_is_done, c, 50 * 1000000LL);
    return willing;
}

void child_free(struct child *c) {
    if (!c) {
        return;
    }
    child_end(c);
    c->on_line = NULL;
    c->freed = true;
    child_output_close(&c->out);
    child_output_close(&c->err);
    if (c->handles == 0) {
        free(c);
    }
}

bool child_sleeps(const struct child *c) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", (long)c->pid);
    if (c->exited || file_read_small(path, text, sizeof text) <= 0) {
        return false;
    }
    const char *name_end = strrchr(text, ')');
    return name_end && strncmp(name_end, ") S ", 4) == 0;
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
