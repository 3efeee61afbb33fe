/* workload.h — what is requested and what must come back: one row a workload, for the load
 * generator, for verify and for help texts. A new workload is one row and, where its reply is not a
 * constant, one check function. */
#ifndef BASE_WORKLOAD_H
#define BASE_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>

struct workload {
    const char *name;    /* as in --workloads */
    const char *summary; /* a few words for help */
    const char *method;
    const char *path;    /* request target, with the query */
    const char *headers; /* further request header lines, each ended by CRLF; "" = none */
    const char *body;    /* request body, body_len bytes; NULL = none */
    size_t body_len;
    int status;               /* the one expected */
    const char *content_type; /* media type expected, compared without its parameters */
    const char *exact;        /* the reply body, byte for byte; NULL = see check */
    /* What any correct reply body fulfils, whoever wrote the server. Returns true, or false with
     * one line saying what is wrong in why. NULL = nothing but `exact`. */
    bool (*check)(const char *body, size_t len, char *why, size_t size);
    bool varies;      /* bodies differ from reply to reply: judged by check, never compared */
    bool null_serves; /* the null server answers it too */
};

/* Row i of the table, or NULL past its end. */
const struct workload *workload_at(size_t i);

/* The workload of that name, or NULL. */
const struct workload *workload_find(const char *name);

/* Judges a reply body: exactly (strict: our own servers) or by its meaning only (guests). Returns
 * true, or false with one line in why. */
bool workload_check_body(const struct workload *w, bool strict, const char *body, size_t len,
                         char *why, size_t size);

/* True when len bytes are well-formed UTF-8 (RFC 3629: no surrogates, no overlong forms). */
bool workload_is_utf8(const char *text, size_t len);

#endif
