/* child_parts.h — a running program; for child*.c only. */
#ifndef BASE_CHILD_PARTS_H
#define BASE_CHILD_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <uv.h>

#include "base/child.h"

#define TAIL_SIZE 4096
#define LINE_SIZE 8192
#define KILL_NS   INT64_C(10000000000) /* what SIGKILL does not end by then cannot be ended */

struct pipe_end {
    uv_pipe_t handle;
    struct child *child;
    bool open;
};

struct child {
    struct loop *loop;
    struct child *next; /* of those that run */
    pid_t pid;
    bool exited;
    int status, signum;
    struct rusage usage;
    uv_signal_t on_chld; /* without a guard */
    /* with one */
    pid_t guard;
    int socket;
    uv_poll_t on_packet;
    bool told;  /* how the program ended */
    bool empty; /* nothing of it is left, nor the guard */
    struct pipe_end out, err;
    int handles; /* libuv handles not yet closed; the last one frees the child */
    bool freed;
    void (*on_wait)(void *ctx, int64_t left_ns);
    void (*on_line)(void *ctx, const char *line);
    void *ctx;
    char line[LINE_SIZE];
    size_t line_len;
    bool line_cut; /* the rest of an overlong line is dropped */
    char tail[TAIL_SIZE + 1];
    size_t tail_len;
    char buf[16384];
};

/* Of every handle: the last one frees a child that nobody needs any more. */
void child_on_close(uv_handle_t *handle);

/* SIGCHLD: this one may have ended. Only without a guard. */
void child_on_chld(uv_signal_t *handle, int signum);

/* Its guard has something to tell. */
void child_on_packet(uv_poll_t *handle, int status, int events);

/* Reads what comes through `fd`, which it takes: the last of it is kept, and lines of standard
 * output go to on_line. */
void child_output_watch(struct child *c, struct pipe_end *p, int fd);

/* Reads no more of it. */
void child_output_close(struct pipe_end *p);

/* Keeps account of what runs, from its start until it was waited for. */
void child_runs(struct child *c);
void child_over(struct child *c);

/* Kills every child of the runner that it did not start itself, and what those have forked: the
 * runner is a subreaper, so they came to it when their guard was killed. */
void child_end_strays(void);

#endif
