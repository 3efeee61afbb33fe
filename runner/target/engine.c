#include "target/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/child.h"
#include "base/file.h"

#define SECOND         INT64_C(1000000000)
#define ASK_TIMEOUT    (20 * SECOND)
#define REMOVE_TIMEOUT (30 * SECOND)

struct answer {
    char *text;
    size_t size, used;
};

static void engine_on_line(void *ctx, const char *line) {
    struct answer *a = ctx;
    size_t len = strlen(line);
    if (a->used + len + 2 > a->size) {
        return;
    }
    if (a->used > 0) {
        a->text[a->used++] = '\n';
    }
    memcpy(a->text + a->used, line, len + 1);
    a->used += len;
}

/* What the command said last, as one line. */
static int engine_complain(const struct child *c, struct err *e) {
    const char *tail = child_tail(c);
    if (strstr(tail, "permission denied")) {
        return err_set(e, ERR_MACHINE,
                       "the Docker engine may not be used by this account; run as root, or add the "
                       "account to the group docker");
    }
    if (strstr(tail, "Cannot connect") || strstr(tail, "daemon running") ||
        strstr(tail, "connection refused")) {
        return err_set(e, ERR_MACHINE,
                       "the Docker engine does not answer; start it (systemctl start docker, or "
                       "dockerd as root)");
    }
    int len = (int)strcspn(tail, "\n");
    return err_set(e, ERR_MACHINE, "docker: %.*s", len, tail);
}

/* Runs it to its end; *out is the child, to be freed. Returns its status or -1 with *e. */
static int engine_run(struct loop *loop, const char *const *argv, int64_t timeout_ns,
                      struct answer *a, struct child **out, struct err *e) {
    struct child_spec spec = {.argv = argv, .on_line = engine_on_line, .ctx = a};
    *out = child_start(loop, &spec, e);
    if (!*out) {
        return err_set(e, ERR_MACHINE,
                       "docker is not installed, or cannot be executed; install Docker (Debian: "
                       "docker.io)");
    }
    switch (child_wait(*out, timeout_ns)) {
    case LOOP_INTERRUPTED:
        err_set(e, ERR_FAILED, "interrupted while docker %s ran", argv[1]);
        e->class = ERR_NONE;
        return -1;
    case LOOP_TIMEOUT:
        return err_set(e, ERR_MACHINE,
                       "docker %s gave no answer within %.0f s; is the Docker engine stuck?",
                       argv[1], (double)timeout_ns / 1e9);
    case LOOP_DONE:
        break;
    }
    int status = child_status(*out);
    return status >= 0 ? status
                       : err_set(e, ERR_MACHINE, "docker %s was ended by signal %d", argv[1],
                                 child_signum(*out));
}

int engine_ask(struct loop *loop, const char *const *argv, int64_t timeout_ns, char *answer,
               size_t size, struct err *e) {
    struct answer a = {answer, size, 0};
    struct child *child = NULL;
    answer[0] = '\0';
    int status = engine_run(loop, argv, timeout_ns, &a, &child, e);
    child_free(child);
    return status;
}

/* The same where every status but 0 is an error. */
static int engine_must(struct loop *loop, const char *const *argv, char *answer, size_t size,
                       struct err *e) {
    struct answer a = {answer, size, 0};
    struct child *child = NULL;
    answer[0] = '\0';
    int status = engine_run(loop, argv, ASK_TIMEOUT, &a, &child, e);
    if (status > 0) {
        engine_complain(child, e);
    }
    child_free(child);
    return status == 0 ? 0 : -1;
}

/* The next word of the answer's lines, cut to size. */
static const char *engine_line(const char *at, char *out, size_t size) {
    size_t len = strcspn(at, "\n");
    snprintf(out, size, "%.*s", (int)len, at);
    return at + len + (at[len] == '\n');
}

int engine_check(struct loop *loop, struct engine *out, struct err *e) {
    static const char format[] = "{{.ServerVersion}}\n{{.Driver}}\n{{.CgroupDriver}}, cgroup "
                                 "v{{.CgroupVersion}}\n{{.DefaultRuntime}}";
    const char *const argv[] = {"docker", "info", "--format", format, NULL};
    char answer[ENGINE_ANSWER_MAX];
    if (engine_must(loop, argv, answer, sizeof answer, e) != 0) {
        return -1;
    }
    const char *at = engine_line(answer, out->version, sizeof out->version);
    at = engine_line(at, out->storage_driver, sizeof out->storage_driver);
    at = engine_line(at, out->cgroup, sizeof out->cgroup);
    engine_line(at, out->runtime, sizeof out->runtime);
    return out->version[0] ? 0
                           : err_set(e, ERR_MACHINE,
                                     "the Docker engine does not answer; start it (systemctl start "
                                     "docker, or dockerd as root)");
}

int engine_image(struct loop *loop, const char *image, char *id, size_t size, struct err *e) {
    const char *const argv[] = {"docker", "image", "inspect", "--format", "{{.Id}}", image, NULL};
    char answer[ENGINE_ANSWER_MAX];
    int status = engine_ask(loop, argv, ASK_TIMEOUT, answer, sizeof answer, e);
    if (status < 0) {
        return -1;
    }
    if (status != 0) {
        bool ours = strncmp(image, "loopbench-", strlen("loopbench-")) == 0;
        return err_set(e, ERR_MACHINE, "the image %s is not there; %s", image,
                       ours ? "build it with `make images`" : "pull or build it first");
    }
    engine_line(answer, id, size);
    return 0;
}

/* Field 22 of /proc/PID/stat: with the PID it names one process of this boot. */
static long long engine_started(long pid) {
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%ld/stat", pid);
    if (file_read_small(path, text, sizeof text) <= 0) {
        return -1;
    }
    const char *at = strrchr(text, ')');
    for (int field = 2; at && field < 22; field++) {
        at = strchr(at + 1, ' ');
    }
    return at ? strtoll(at, NULL, 10) : -1;
}

void engine_label(char *out, size_t size) {
    snprintf(out, size, "%ld.%lld", (long)getpid(), engine_started((long)getpid()));
}

static bool engine_runner_lives(const char *label) {
    char *end = NULL;
    long pid = strtol(label, &end, 10);
    return pid > 0 && *end == '.' && engine_started(pid) == strtoll(end + 1, NULL, 10);
}

void engine_remove(struct loop *loop, const char *name) {
    const char *const argv[] = {"docker", "rm", "--force", "--volumes", name, NULL};
    char answer[ENGINE_ANSWER_MAX];
    struct err ignored = {0};
    engine_ask(loop, argv, REMOVE_TIMEOUT, answer, sizeof answer, &ignored);
}

int engine_sweep(struct loop *loop) {
    static const char format[] = "{{.ID}} {{.Label \"" ENGINE_LABEL "\"}}";
    static const char ours[] = "label=" ENGINE_LABEL;
    const char *const argv[] = {"docker", "ps",       "--all", "--filter",
                                ours,     "--format", format,  NULL};
    char answer[ENGINE_ANSWER_MAX];
    struct err ignored = {0};
    int removed = 0;
    if (engine_ask(loop, argv, ASK_TIMEOUT, answer, sizeof answer, &ignored) != 0) {
        return 0;
    }
    for (const char *at = answer; *at;) {
        char line[256];
        at = engine_line(at, line, sizeof line);
        char *label = strchr(line, ' ');
        if (label && !engine_runner_lives(label + 1)) {
            *label = '\0';
            engine_remove(loop, line);
            removed++;
        }
    }
    return removed;
}
