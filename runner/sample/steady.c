#include "sample/steady.h"

#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

#define CONNECTIONS  16 /* each with a request under way: both sides have always something to do */
#define REQUEST      100
#define REPLY        150
#define CONNECT_WAIT 1 /* seconds: a firewall may swallow what goes over loopback */

enum { SERVER, GENERATOR, SIDES };

struct exchange {
    const struct steady_spec *spec;
    int fd[SIDES][CONNECTIONS]; /* both ends of each connection; -1 = none */
    int report;                 /* the server's end of the pipe: one double a slice */
    pid_t pid[SIDES];
};

/* ---- both sides, in processes of their own: whatever fails ends the process */

struct side {
    int epoll;
    const int *fd;
    size_t got[CONNECTIONS]; /* bytes of the message that is coming in */
};

static void side_init(struct side *s, const int fd[CONNECTIONS]) {
    *s = (struct side){.epoll = epoll_create1(0), .fd = fd};
    for (uint32_t i = 0; i < CONNECTIONS; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u32 = i};
        if (epoll_ctl(s->epoll, EPOLL_CTL_ADD, fd[i], &event) != 0) {
            _exit(1);
        }
    }
}

/* Waits for messages of `in` bytes and answers each with one of `out`. Returns how many came. */
static uint64_t side_turn(struct side *s, size_t in, size_t out) {
    struct epoll_event events[CONNECTIONS];
    char bytes[1024] = {0};
    uint64_t whole = 0;
    const int n = epoll_wait(s->epoll, events, CONNECTIONS, -1);
    for (int k = 0; k < n; k++) {
        const uint32_t i = events[k].data.u32;
        const ssize_t came = read(s->fd[i], bytes, sizeof bytes);
        if (came <= 0) {
            _exit(1);
        }
        s->got[i] += (size_t)came;
        for (; s->got[i] >= in; s->got[i] -= in, whole++) {
            if (write(s->fd[i], bytes, out) != (ssize_t)out) {
                _exit(1);
            }
        }
    }
    return whole;
}

static int64_t own_cpu_ns(void) {
    struct timespec t = {0};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void serve(const struct exchange *x) {
    struct side s;
    side_init(&s, x->fd[SERVER]);
    for (size_t slice = 0; slice <= x->spec->slices; slice++) {
        uint64_t exchanges = 0;
        const int64_t end = clock_mono_ns() + x->spec->slice_ns;
        const int64_t before = own_cpu_ns();
        do {
            exchanges += side_turn(&s, REQUEST, REPLY);
        } while (clock_mono_ns() < end);
        const double used = (double)(own_cpu_ns() - before) / 1e3;
        const double us = exchanges ? used / (double)exchanges : (double)NAN;
        if (slice > 0 && write(x->report, &us, sizeof us) != (ssize_t)sizeof us) {
            _exit(1);
        }
    }
}

static void generate(const struct exchange *x) {
    struct side s;
    const char request[REQUEST] = {0};
    side_init(&s, x->fd[GENERATOR]);
    for (int i = 0; i < CONNECTIONS; i++) {
        if (write(s.fd[i], request, REQUEST) != REQUEST) {
            _exit(1);
        }
    }
    for (;;) {
        side_turn(&s, REPLY, REQUEST);
    }
}

/* ---- starting and ending them */

static void close_side(int fd[CONNECTIONS]) {
    for (int i = 0; i < CONNECTIONS; i++) {
        if (fd[i] >= 0) {
            close(fd[i]);
        }
        fd[i] = -1;
    }
}

/* Both ends of all connections. They are made before the sides are, so that the end of one side is
 * seen by the other. Returns 0 or -1. */
static int connect_sides(struct exchange *x) {
    const struct timeval wait = {.tv_sec = CONNECT_WAIT};
    const int on = 1;
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof to;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool good = listener >= 0 && bind(listener, (const struct sockaddr *)&to, size) == 0 &&
                listen(listener, CONNECTIONS) == 0 &&
                getsockname(listener, (struct sockaddr *)&to, &size) == 0;
    for (int i = 0; good && i < CONNECTIONS; i++) {
        const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        x->fd[GENERATOR][i] = fd;
        good = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) == 0 &&
               connect(fd, (const struct sockaddr *)&to, size) == 0;
        x->fd[SERVER][i] = good ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        good = x->fd[SERVER][i] >= 0 &&
               setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0 &&
               setsockopt(x->fd[SERVER][i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0;
    }
    if (listener >= 0) {
        close(listener);
    }
    return good ? 0 : -1;
}

/* In a group of its own, so that Ctrl-C comes to the runner alone and is seen as what it is;
 * without the runner's signal handlers, which would write into the runner's own loop; and dying
 * with it. Returns 0 or -1. */
static int start_side(struct exchange *x, int side) {
    sigset_t all;
    sigset_t before;
    const pid_t parent = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    x->pid[side] = fork();
    if (x->pid[side] != 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return x->pid[side] > 0 ? 0 : -1;
    }
    for (int n = 1; n < 32; n++) {
        signal(n, SIG_DFL);
    }
    sigemptyset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    const struct cpusplit *split = x->spec->split;
    const cpu_set_t *cpus = side == SERVER ? &split->server : &split->generator;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (setpgid(0, 0) != 0 || getppid() != parent ||
        sched_setaffinity(0, sizeof *cpus, cpus) != 0) {
        _exit(1);
    }
    close_side(x->fd[side == SERVER ? GENERATOR : SERVER]);
    if (side == SERVER) {
        serve(x);
    } else {
        close(x->report);
        generate(x);
    }
    _exit(0);
}

static void end_side(pid_t pid) {
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
}

/* ---- what comes from the server */

struct intake {
    uv_poll_t poll;
    int fd;
    double *us;
    size_t got, wanted;
    bool ended;
};

static void intake_on_readable(uv_poll_t *poll, int status, int events) {
    struct intake *in = poll->data;
    double us;
    (void)events;
    const ssize_t n = status < 0 ? -1 : read(in->fd, &us, sizeof us);
    if (n == (ssize_t)sizeof us) { /* so little is written whole or not at all */
        in->us[in->got++] = us;
    }
    in->ended = n != (ssize_t)sizeof us || in->got == in->wanted;
    if (in->ended) {
        uv_poll_stop(poll);
    }
}

static bool intake_ended(void *ctx) {
    const struct intake *in = ctx;
    return in->ended;
}

static void intake_free(uv_handle_t *handle) {
    struct intake *in = handle->data;
    close(in->fd);
    free(in);
}

/* Takes `fd`. */
static enum loop_wait intake_run(struct loop *loop, int fd, const struct steady_spec *spec,
                                 double us[]) {
    struct intake *in = calloc(1, sizeof *in);
    if (!in || uv_poll_init(&loop->uv, &in->poll, fd) != 0) {
        free(in);
        close(fd);
        return LOOP_TIMEOUT;
    }
    in->fd = fd;
    in->us = us;
    in->wanted = spec->slices;
    in->poll.data = in;
    in->ended = uv_poll_start(&in->poll, UV_READABLE, intake_on_readable) != 0;
    const int64_t most = spec->slice_ns * (int64_t)(spec->slices + 1) + spec->patience_ns;
    enum loop_wait result = loop_wait(loop, intake_ended, in, most);
    if (result == LOOP_DONE && in->got < in->wanted) {
        result = LOOP_TIMEOUT;
    }
    uv_close((uv_handle_t *)&in->poll, intake_free);
    return result;
}

static enum loop_wait exchange_run(struct exchange *x, struct loop *loop, double us[]) {
    int ends[2];
    enum loop_wait result = LOOP_TIMEOUT;
    if (connect_sides(x) == 0 && pipe2(ends, O_CLOEXEC) == 0) {
        x->report = ends[1];
        const bool started = start_side(x, SERVER) == 0 && start_side(x, GENERATOR) == 0;
        close(ends[1]);
        close_side(x->fd[SERVER]);
        close_side(x->fd[GENERATOR]);
        if (started) {
            result = intake_run(loop, ends[0], x->spec, us);
        } else {
            close(ends[0]);
        }
    }
    end_side(x->pid[GENERATOR]);
    end_side(x->pid[SERVER]);
    close_side(x->fd[SERVER]);
    close_side(x->fd[GENERATOR]);
    return result;
}

enum loop_wait steady_measure(struct loop *loop, const struct steady_spec *spec, double us[]) {
    struct exchange x = {.spec = spec, .report = -1};
    const int before = loop->interrupted;
    for (int i = 0; i < CONNECTIONS; i++) {
        x.fd[SERVER][i] = x.fd[GENERATOR][i] = -1;
    }
    enum loop_wait result = exchange_run(&x, loop, us);
    loop_poll(loop);
    if (loop->interrupted != before) { /* also while nothing could be measured */
        result = LOOP_INTERRUPTED;
    }
    for (size_t i = 0; result != LOOP_DONE && i < spec->slices; i++) {
        us[i] = (double)NAN;
    }
    return result;
}
