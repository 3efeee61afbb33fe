/* A target in a container of its own: `docker run` is the child that the local launcher starts and
 * ends (it hands on output, signals and exit status), and what it runs is found by inspecting. */
#include "target/target.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpus.h"
#include "base/file.h"
#include "target/engine.h"

#define SECOND          INT64_C(1000000000)
#define INSPECT_TIMEOUT (5 * SECOND)
#define READY_TIMEOUT   (10 * SECOND) /* as the local launcher's */
#define ASK_PAUSE       (SECOND / 50)
#define ARGS_MAX        64
#define TEXT(word)      #word
#define TEXT_OF(macro)  TEXT(macro)

/* The limits of docker-compose.yml: the same server, held the same way. The image's health check
 * asks the port Compose gives it: here it would fail each second, on the measured CPUs, for ever.
 */
static const char *const limits[] = {"--read-only",
                                     "--cap-drop",
                                     "ALL",
                                     "--security-opt",
                                     "no-new-privileges",
                                     "--tmpfs",
                                     "/tmp",
                                     "--pids-limit",
                                     TEXT_OF(CONTAINER_PIDS),
                                     "--memory",
                                     TEXT_OF(CONTAINER_MEMORY),
                                     "--log-driver",
                                     "none",
                                     "--no-healthcheck"};
#define LIMITS (sizeof limits / sizeof limits[0])

struct container {
    struct target target;
    struct loop *loop;
    const struct target_spec *outer; /* as it was asked for */
    struct target_spec spec;         /* of the docker command */
    const char **argv;
    struct target *inner;
    char name[64], label[96], user[48], cpus[CPUS_TEXT_SIZE], marked[128];
    char files[48], files_env[48]; /* its limit, for the engine and for our images' docker/enter */
    pid_t pid;
    bool removed, stopped;
    enum target_failure ending;
    char why[512];
};

static struct container *container_of(struct target *t) {
    return (struct container *)t;
}

static const struct container *container_view(const struct target *t) {
    return (const struct container *)t;
}

/* One `docker inspect`; 0 or -1 (not there, or no answer). */
static int container_inspect(struct container *c, const char *format, char *out, size_t size,
                             struct err *e) {
    const char *const argv[] = {"docker", "container", "inspect", "--format",
                                format,   c->name,     NULL};
    int status = engine_ask(c->loop, argv, INSPECT_TIMEOUT, out, size, e);
    return status == 0 ? 0 : -1;
}

static void container_remove(struct container *c) {
    if (!c->removed) {
        engine_remove(c->loop, c->name);
        c->removed = true;
    }
}

/* Its name is wanted again. */
static void container_clear(void *ctx) {
    const struct container *c = ctx;
    engine_remove(c->loop, c->name);
}

static bool container_inner_gone(void *ctx) {
    const struct container *c = ctx;
    return !c->inner->ops->alive(c->inner);
}

/* PID and address, as soon as the engine knows them. */
static enum target_failure container_locate(struct target *t, void *ctx, struct err *e) {
    struct container *c = ctx;
    int64_t allowed = c->spec.ready_timeout_ns ? c->spec.ready_timeout_ns : READY_TIMEOUT;
    int64_t end_ns = clock_mono_ns() + allowed;
    for (;;) {
        char answer[ENGINE_ANSWER_MAX], address[64] = "";
        long pid = 0;
        e->class = ERR_FAILED;
        int rc = container_inspect(c,
                                   "{{.State.Pid}} {{range "
                                   ".NetworkSettings.Networks}}{{.IPAddress}}{{end}}",
                                   answer, sizeof answer, e);
        if (rc != 0 && e->class == ERR_NONE) {
            return TARGET_INTERRUPTED;
        }
        if (rc == 0) {
            char *end = NULL;
            pid = strtol(answer, &end, 10);
            snprintf(address, sizeof address, "%.63s", end + strspn(end, " "));
        }
        if (pid > 0 && (!c->outer->container.bridge || address[0])) {
            c->pid = (pid_t)pid;
            if (c->outer->container.bridge) {
                snprintf(t->host, sizeof t->host, "%s", address);
            }
            return TARGET_OK;
        }
        if (container_inner_gone(c)) {
            return TARGET_START; /* the local launcher says how */
        }
        if (clock_mono_ns() > end_ns) {
            err_set(e, ERR_FAILED, "%s is not ready after %.1f s: its container does not run",
                    c->outer->name, (double)allowed / 1e9);
            return TARGET_READY;
        }
        if (loop_wait(c->loop, container_inner_gone, c, ASK_PAUSE) == LOOP_INTERRUPTED) {
            err_set(e, ERR_FAILED, "interrupted while %s was starting", c->outer->name);
            return TARGET_INTERRUPTED;
        }
    }
}

/* docker run … IMAGE ARGUMENT… */
static int container_command(struct container *c) {
    const struct target_spec *s = c->outer;
    size_t words = 0, n = 0;
    while (s->argv[words]) {
        words++;
    }
    size_t envs = 0;
    while (s->env && s->env[envs]) {
        envs++;
    }
    c->argv = calloc(ARGS_MAX + words + 2 * envs, sizeof *c->argv);
    if (!c->argv) {
        return -1;
    }
    static unsigned count;
    engine_label(c->label, sizeof c->label);
    snprintf(c->marked, sizeof c->marked, ENGINE_LABEL "=%s", c->label);
    snprintf(c->name, sizeof c->name, "loopbench-%ld-%u", (long)getpid(), count++);
    /* As who runs us, so that /proc shows it whole; but never as root. */
    if (getuid() != 0) {
        snprintf(c->user, sizeof c->user, "%u:%u", (unsigned)getuid(), (unsigned)getgid());
    } else {
        snprintf(c->user, sizeof c->user, "65532:65532");
    }
    const char *first[] = {"docker", "run",   "--pull",    "never",
                           "--name", c->name, "--label",   c->marked,
                           "--user", c->user, "--network", s->container.bridge ? "bridge" : "host"};
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        c->argv[n++] = first[i];
    }
    for (size_t i = 0; i < LIMITS; i++) {
        c->argv[n++] = limits[i];
    }
    snprintf(c->files, sizeof c->files, "nofile=%" PRId64, s->container.files);
    snprintf(c->files_env, sizeof c->files_env, "NOFILE=%" PRId64, s->container.files);
    const char *files[] = {"--ulimit", c->files, "--env", c->files_env};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        c->argv[n++] = files[i];
    }
    if (s->cpus) {
        cpus_format(s->cpus, c->cpus, sizeof c->cpus);
        c->argv[n++] = "--cpuset-cpus";
        c->argv[n++] = c->cpus;
    }
    for (size_t i = 0; i < envs; i++) {
        c->argv[n++] = "--env";
        c->argv[n++] = s->env[i];
    }
    c->argv[n++] = s->container.image;
    for (size_t i = s->container.entry ? 1 : 0; i < words; i++) {
        c->argv[n++] = s->argv[i];
    }
    return 0;
}

static void container_free(struct target *t) {
    struct container *c = container_of(t);
    if (!c) {
        return;
    }
    if (c->inner) {
        c->inner->ops->free(c->inner);
        container_remove(c);
    }
    free(c->argv);
    free(c);
}

static enum target_failure container_start(struct loop *loop, const struct target_spec *spec,
                                           struct target **out, struct err *e) {
    struct container *c = calloc(1, sizeof *c);
    if (!c) {
        err_set(e, ERR_MACHINE, "out of memory");
        return TARGET_START;
    }
    c->target.ops = &target_container;
    c->loop = loop;
    c->outer = spec;
    if (container_command(c) != 0) {
        container_free(&c->target);
        err_set(e, ERR_MACHINE, "out of memory");
        return TARGET_START;
    }
    c->spec = *spec;
    c->spec.argv = c->argv;
    c->spec.env = NULL;
    c->spec.cpus = NULL; /* the container's, not the command's */
    c->spec.cwd = NULL;
    c->spec.host = spec->container.bridge ? "0.0.0.0" : spec->host;
    c->spec.locate = container_locate;
    c->spec.clear = container_clear;
    c->spec.locate_ctx = c;
    enum target_failure f = target_local.start(loop, &c->spec, &c->inner, e);
    if (f != TARGET_OK) {
        container_free(&c->target);
        return f;
    }
    *out = &c->target;
    return TARGET_OK;
}

/* The container's own account of its end, where it says more than an exit status. Returns the
 * status, or -1 where it cannot be told. */
static long container_account(struct container *c, struct err *e) {
    char answer[ENGINE_ANSWER_MAX];
    struct err ignored = {0};
    if (container_inspect(c, "{{.State.OOMKilled}} {{.State.ExitCode}}", answer, sizeof answer,
                          &ignored) != 0) {
        return -1;
    }
    char *space = strchr(answer, ' ');
    long code = space ? strtol(space + 1, NULL, 10) : -1;
    if (strncmp(answer, "true", 4) == 0) {
        err_set(e, ERR_FAILED, "%s was killed: its container was out of memory (limit 1 GiB)",
                c->outer->name);
    } else if (code == 128 + SIGKILL) {
        err_set(e, ERR_FAILED, "%s was killed: somebody ended its container", c->outer->name);
    }
    return code;
}

/* What docker run says when it could not start the container, as a person would. */
static void container_explain(struct container *c, struct err *e) {
    const char *said = c->inner->ops->output(c->inner);
    const char *name = c->outer->name;
    if (strstr(said, "rlimit")) {
        err_set(e, ERR_FAILED,
                "%s: this engine gives a container fewer than %" PRId64 " file descriptors; "
                "lower --container-files, or raise LimitNOFILE of the Docker service",
                name, c->outer->container.files);
    } else if (strstr(said, "No such image") || strstr(said, "Unable to find image")) {
        err_set(e, ERR_FAILED, "%s: the image %s is not there; build it with `make images`", name,
                c->outer->container.image);
    } else if (strstr(said, "Cannot connect") || strstr(said, "daemon running")) {
        err_set(e, ERR_FAILED, "%s: the Docker engine does not answer; start it", name);
    } else if (strstr(said, "no space left")) {
        err_set(e, ERR_FAILED, "%s: the disk of the Docker engine is full; free some space", name);
    } else {
        container_account(c, e);
    }
}

static enum target_failure container_ready(struct target *t, struct err *e) {
    struct container *c = container_of(t);
    enum target_failure f = c->inner->ops->ready(c->inner, e);
    if (f == TARGET_OK) {
        snprintf(t->host, sizeof t->host, "%s", c->inner->host);
        t->port = c->inner->port;
    } else if (f == TARGET_START) {
        container_explain(c, e);
    }
    return f;
}

static bool container_alive(const struct target *t) {
    const struct container *c = container_view(t);
    return c->inner->ops->alive(c->inner);
}

static size_t container_pids(const struct target *t, pid_t *out, size_t max) {
    const struct container *c = container_view(t);
    if (max == 0 || c->pid <= 0 || !container_alive(t)) {
        return 0;
    }
    out[0] = c->pid;
    return 1;
}

static enum target_failure container_end(struct container *c, struct err *e) {
    int signum = c->outer->stop_signal ? c->outer->stop_signal : SIGTERM;
    enum target_failure f = c->inner->ops->stop(c->inner, e);
    if (f == TARGET_OK) {
        return f;
    }
    long code = container_account(c, e);
    /* docker run has no signal of its own to show: 128 + signal is how it says one. */
    return f == TARGET_STOP && c->outer->dies_by_signal && code == 128 + signum ? TARGET_OK : f;
}

static enum target_failure container_stop(struct target *t, struct err *e) {
    struct container *c = container_of(t);
    if (!c->stopped) {
        struct err own = {0};
        c->ending = container_end(c, &own);
        c->stopped = true;
        snprintf(c->why, sizeof c->why, "%.*s", (int)sizeof c->why - 1, own.text);
        container_remove(c);
    }
    if (c->ending != TARGET_OK) {
        err_set(e, ERR_FAILED, "%s", c->why);
    }
    return c->ending;
}

static const char *container_describe(const struct target *t) {
    const struct container *c = container_view(t);
    return c->inner->ops->describe(c->inner);
}

static const char *container_output(const struct target *t) {
    const struct container *c = container_view(t);
    return c->inner->ops->output(c->inner);
}

const struct target_ops target_container = {
    .name = "container",
    .start = container_start,
    .ready = container_ready,
    .alive = container_alive,
    .pids = container_pids,
    .stop = container_stop,
    .describe = container_describe,
    .output = container_output,
    .free = container_free,
};
