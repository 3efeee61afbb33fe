/* workload.h — what is requested and what must come back: one row a workload, for the load
 * generator, for verify and for help texts. A new workload is one row and, where its reply is not a
 * constant, one check function (workload_checks.h). */
#ifndef BASE_WORKLOAD_H
#define BASE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A number in the query that a workload's name may set: `wait:ms=1`. */
struct workload_param {
    const char *key; /* NULL = the workload has none */
    int64_t min, max;
};

struct workload {
    const char *name;    /* as in --workloads: NAME, or NAME:KEY=VALUE */
    const char *base;    /* the row's name, without a parameter */
    const char *summary; /* a few words for help */
    const char *method;
    const char *path;    /* request target, with the query */
    const char *headers; /* further request header lines, each ended by CRLF; "" = none */
    const char *body;    /* request body, body_len bytes; NULL = none, "" = empty */
    size_t body_len;
    const char *content_type; /* media type expected, compared without its parameters */
    const char *exact;        /* the reply body, byte for byte; NULL = see check */
    /* What a correct reply body fulfils: strictly (our own servers), or whoever wrote the server.
     * Returns true, or false with one line saying what is wrong in why. NULL = nothing but `exact`.
     * Where there is `exact`, it is what is asked for strictly. */
    bool (*check)(const struct workload *w, bool strict, const char *body, size_t len, char *why,
                  size_t size);
    struct workload_param param;
    int64_t value;      /* of the parameter */
    int64_t least_ms;   /* no reply comes sooner */
    int status;         /* the one expected */
    bool varies;        /* bodies differ from reply to reply: judged by check, never compared */
    bool length_varies; /* and so do their lengths */
    bool null_serves;   /* the null server answers it too */
};

/* Row i of the table, or NULL past its end. */
const struct workload *workload_at(size_t i);

#define WORKLOAD_NAME_MAX  48  /* bytes of a name with its parameter */
#define WORKLOAD_NAMED_MAX 256 /* different names with a parameter in one process */

/* The workload of that name, or NULL. A name with a parameter (`bytes:n=4096`: the row's own key, a
 * decimal number within its bounds, without leading zeros) makes a row of its own that lives as
 * long as the process; more than WORKLOAD_NAMED_MAX of them are not found. */
const struct workload *workload_find(const char *name);

/* Like workload_find, for a name that somebody typed: what is wrong with it is said in why, or ""
 * when there is just no such row. */
const struct workload *workload_parse(const char *name, char *why, size_t size);

/* The same workload requested at another path, a row that lives as long as the process; `w` itself
 * where that is its path. NULL out of memory, or beyond WORKLOAD_NAMED_MAX of them. */
const struct workload *workload_at_path(const struct workload *w, const char *path);

/* Judges a reply body: exactly (strict: our own servers) or by its meaning only (guests). Returns
 * true, or false with one line in why. */
bool workload_check_body(const struct workload *w, bool strict, const char *body, size_t len,
                         char *why, size_t size);

/* Of a body that check accepted: the id of its newest document; 0 of a workload without any. */
int64_t workload_newest(const struct workload *w, const char *body, size_t len);

/* True when len bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms). */
bool workload_is_utf8(const char *text, size_t len);

#endif
