/* tool.h — load generators that are measured beside wrk: programs that run for a time and print
 * what they did. A generator is one struct tool_kind: its words, and how its output is read. */
#ifndef LOAD_TOOL_H
#define LOAD_TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "load/load.h"
#include "load/memory_file.h"

#define TOOL_WORDS      32
#define TOOL_WORD_MAX   1024
#define TOOL_OUTPUT_MAX 65536 /* bytes of standard output; more is not its result */

/* A command line being made. */
struct tool_command {
    char word[TOOL_WORDS][TOOL_WORD_MAX];
    const char *argv[TOOL_WORDS + 1];
    size_t n;
    bool cut; /* something did not fit */
};

/* Appends a word. */
void tool_word(struct tool_command *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* http://HOST:PORT/PATH of the spec, as the next word. */
void tool_word_url(struct tool_command *c, const struct load_spec *spec);

/* What a tool left when it ended by itself with exit status 0. Texts are NUL-terminated. */
struct tool_output {
    const char *text;   /* its standard output */
    const char *file;   /* what it wrote into the file it was given; "" = nothing */
    int connections;    /* it was told to open */
    int64_t timeout_us; /* a slower reply is late; 0 = nothing is */
    int64_t asked_us;   /* to be measured; 0 = not known */
};

struct tool_kind {
    const struct load_ops *ops;
    const char *const *ask;    /* argv that makes it print its version */
    const char *version_after; /* stands before the version there */
    /* Versions whose output is known, by their beginning: "4.0."; NULL = any. */
    const char *version_known;
    const char *const *env; /* NAME=VALUE; NULL = none */
    int max_connections;    /* 0 = no limit of its own */
    int64_t extra_ns;       /* it is told to run so much longer */
    /* Its settings, where it reads a file of them; NULL = none. */
    void (*settings)(FILE *out, const struct load_spec *spec);
    /* Its words. `seconds` to run; paths of the settings and of the file for its result. */
    void (*command)(struct tool_command *c, const struct load_spec *spec, int64_t seconds,
                    const char *settings, const char *result);
    /* Reads what it measured into *out: LOAD_OK; LOAD_RESULT, not its output or torn; LOAD_LIES,
     * figures that contradict each other. Both with *e. Pure. */
    enum load_failure (*read)(const struct tool_output *o, struct load_outcome *out, struct err *e);
};

/* The operations of struct load_ops, for a kind. */
enum load_failure tool_check(const struct tool_kind *kind, struct loop *loop, const char *program,
                             char *version, size_t size, struct err *e);
enum load_failure tool_accepts(const struct tool_kind *kind, const struct load_spec *spec,
                               struct err *e);
enum load_failure tool_start(const struct tool_kind *kind, struct loop *loop,
                             const struct load_spec *spec, struct load **out, struct err *e);
pid_t tool_pid(const struct load *l);
enum load_failure tool_finish(struct load *l, bool (*gone)(void *ctx), void *ctx,
                              struct load_outcome *out, struct err *e);
void tool_abort(struct load *l);
void tool_free(struct load *l);

/* The same for one kind: defines load_NAME. */
#define TOOL_OPS(id, text, debian)                                                                 \
    static enum load_failure id##_check(struct loop *loop, const char *program, char *version,     \
                                        size_t size, struct err *e) {                              \
        return tool_check(&id##_kind, loop, program, version, size, e);                            \
    }                                                                                              \
    static enum load_failure id##_accepts(const struct load_spec *spec, struct err *e) {           \
        return tool_accepts(&id##_kind, spec, e);                                                  \
    }                                                                                              \
    static enum load_failure id##_start(struct loop *loop, const struct load_spec *spec,           \
                                        struct load **out, struct err *e) {                        \
        return tool_start(&id##_kind, loop, spec, out, e);                                         \
    }                                                                                              \
    const struct load_ops load_##id = {                                                            \
        .name = (text),                                                                            \
        .package = (debian),                                                                       \
        .check = id##_check,                                                                       \
        .accepts = id##_accepts,                                                                   \
        .start = id##_start,                                                                       \
        .pid = tool_pid,                                                                           \
        .finish = tool_finish,                                                                     \
        .abort = tool_abort,                                                                       \
        .free = tool_free,                                                                         \
    }

/* What the spec's timeout is in whole seconds. */
int64_t tool_timeout_s(const struct load_spec *spec);

/* Counts late replies where only the longest latency is known: none when that is not beyond the
 * timeout; unknown otherwise. */
void tool_judge_late(const struct tool_output *o, struct load_outcome *out);

/* The readers, for their tests. Each fills what its program tells, and leaves the rest unknown. */
enum load_failure ab_read(const struct tool_output *o, struct load_outcome *out, struct err *e);
enum load_failure h2load_read(const struct tool_output *o, struct load_outcome *out, struct err *e);
enum load_failure siege_read(const struct tool_output *o, struct load_outcome *out, struct err *e);

/* Whether a rate (requests per second, in millionths), a time and a number of requests fit each
 * other, within `percent`. */
bool tool_rate_fits(int64_t rate_millionths, int64_t us, int64_t requests, double percent);

#endif
