#include "base/child_guard.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

#define CHILDREN_TEXT 16384
#define SIGNALLED_MAX 256
#define RETRY_NS      20000000 /* while something is being killed */

/* All of a guard's state; it is alone in its process and has one thread. */
struct guard {
    int socket;
    pid_t program; /* 0 = it has ended */
    int signum;    /* asked for so far; SIGKILL ends everything */
    pid_t signalled[SIGNALLED_MAX];
    size_t n_signalled;
};

static void guard_on_signal(int signum) {
    (void)signum; /* only to end the wait */
}

static void guard_tell(const struct guard *g, const struct guard_message *m) {
    ssize_t ignored = send(g->socket, m, sizeof *m, MSG_NOSIGNAL);
    (void)ignored;
}

/* The guard's children, orphans among them: it has one thread, so one file lists them. */
static void guard_each_child(struct guard *g, void (*act)(struct guard *g, pid_t pid)) {
    char text[CHILDREN_TEXT];
    char *at = text;
    if (file_read_small("/proc/thread-self/children", text, sizeof text) <= 0) {
        return;
    }
    for (char *end; *at; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        if (pid > 0) {
            act(g, (pid_t)pid);
        }
    }
}

static void guard_kill(struct guard *g, pid_t pid) {
    (void)g;
    kill(pid, SIGKILL);
}

/* Once each: a second signal means something else to some servers. */
static void guard_signal_orphan(struct guard *g, pid_t pid) {
    for (size_t i = 0; i < g->n_signalled; i++) {
        if (g->signalled[i] == pid) {
            return;
        }
    }
    if (g->n_signalled < SIGNALLED_MAX) {
        g->signalled[g->n_signalled++] = pid;
    }
    kill(pid, g->signum);
}

/* Passes on what was asked for. Children of what is killed become the guard's, so killing its own
 * again and again reaches every descendant. */
static void guard_signal(struct guard *g, bool asked_now) {
    if (g->signum == SIGKILL) {
        if (g->program > 0) {
            kill(-g->program, SIGKILL); /* also where the kernel lists no children */
        }
        guard_each_child(g, guard_kill);
    } else if (g->signum != 0 && g->program == 0) {
        guard_each_child(g, guard_signal_orphan);
    } else if (g->signum != 0 && asked_now) {
        kill(-g->program, g->signum);
    }
}

static bool guard_has_children(void) {
    siginfo_t info;
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Reaps what has ended. Returns false when nothing is left. */
static bool guard_reap(struct guard *g) {
    for (;;) {
        struct guard_message m = {.event = GUARD_EXITED};
        m.pid = wait4(-1, &m.status, WNOHANG, &m.usage);
        if (m.pid < 0 && errno == EINTR) {
            continue;
        }
        if (m.pid <= 0) {
            return m.pid == 0;
        }
        if (m.pid == g->program) {
            g->program = 0;
            m.others = guard_has_children();
            guard_tell(g, &m);
        }
    }
}

/* Reads orders; the end of the socket is the end of the runner. */
static void guard_listen(struct guard *g) {
    struct guard_order order;
    ssize_t n = recv(g->socket, &order, sizeof order, MSG_DONTWAIT);
    if (n == (ssize_t)sizeof order) {
        g->signum = g->signum == SIGKILL ? SIGKILL : order.signum;
        g->n_signalled = 0;
        guard_signal(g, true);
    } else if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
        g->signum = SIGKILL;
        guard_signal(g, true);
    }
}

/* What it inherited from the runner is not its own: a lock held on a results file would outlive the
 * runner with it, and an open pipe keep its reader waiting. */
static void guard_close_rest(int socket) {
    int nothing = open("/dev/null", O_RDWR);
    for (int fd = 0; fd <= 2 && nothing >= 0; fd++) {
        dup2(nothing, fd);
    }
    if (socket > 3) {
        close_range(3, (unsigned)socket - 1, 0);
    }
    close_range((unsigned)socket + 1, ~0u, 0);
}

_Noreturn void guard_run(int socket, void (*start)(void *ctx), void *ctx) {
    struct guard g = {.socket = socket};
    sigset_t blocked;
    sigset_t waiting;
    /* Nothing a terminal sends ends it before what it looks after: only the socket does. */
    sigfillset(&blocked);
    sigprocmask(SIG_SETMASK, &blocked, NULL);
    sigfillset(&waiting);
    sigdelset(&waiting, SIGCHLD);
    struct sigaction action = {.sa_handler = guard_on_signal};
    sigaction(SIGCHLD, &action, NULL);
    setpgid(0, 0);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "loopbench-guard");
    g.program = fork();
    if (g.program == 0) {
        start(ctx);
    }
    guard_close_rest(socket);
    guard_tell(&g, &(struct guard_message){.event = GUARD_STARTED, .pid = g.program});
    for (;;) {
        struct pollfd watched = {.fd = socket, .events = POLLIN};
        const struct timespec retry = {.tv_nsec = RETRY_NS};
        if (!guard_reap(&g)) {
            break;
        }
        guard_signal(&g, false);
        bool gone = g.signum == SIGKILL; /* the socket may have ended: it would always be ready */
        ppoll(&watched, gone ? 0 : 1, gone ? &retry : NULL, &waiting);
        if (!gone && watched.revents) {
            guard_listen(&g);
        }
    }
    guard_tell(&g, &(struct guard_message){.event = GUARD_EMPTY});
    _exit(0);
}
