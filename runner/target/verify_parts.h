/* verify_parts.h — the pieces of verify, apart from the network: for verify itself and its tests.
 */
#ifndef TARGET_VERIFY_PARTS_H
#define TARGET_VERIFY_PARTS_H

#include "target/verify.h"

#define VERIFY_MISSING_PATH "/loopbench-no-such-page"

/* Adds a finding; check is a format. Returns 0, or -1 with *e when out of memory. */
int verify_add(struct verify_findings *f, struct err *e, const char *target,
               enum verify_level level, const char *expected, const char *got, const char *check,
               ...) __attribute__((format(printf, 7, 8)));

/* What a guest did with one workload; reply = NULL: it gave none. Returns 0, or -1 with *e. */
int verify_add_wire(struct verify_findings *f, const struct verify_target *target,
                    const struct workload *w, enum verify_served served,
                    const struct http_reply *reply, struct err *e);

/* It closed a connection after a reply that did not announce that: it keeps none. */
void verify_wires_drop(struct verify_findings *f, const char *target);

/* Puts beside it what the reference sends. */
void verify_compare_wire(struct verify_findings *f, const char *target, const char *reference,
                         const struct workload *w, const struct http_reply *ours,
                         const struct http_reply *theirs);

/* The pages of our servers that are no workloads: / and /stats. */
extern const struct workload verify_root_page, verify_stats_page;

/* The reply to a bad parameter. */
extern const struct workload verify_refusal;

/* What a reply to one probe must be. */
struct verify_probe {
    char name[64];                   /* "HEAD /json" */
    const struct workload *workload; /* judges the body; NULL = any */
    int status;
    const char *content_type; /* media type; NULL = any */
    const char *allow;        /* a word that the Allow header must list; NULL = not asked */
    bool to_head;
    int64_t length; /* Content-Length wanted; -1 = that of the body */
};

/* Judges one reply: a finding for each thing wrong, or one VERIFY_PASS. */
int verify_check_reply(const struct verify_target *target, const struct verify_probe *probe,
                       const struct http_reply *reply, struct verify_findings *f, struct err *e);

/* Seconds since the epoch of an HTTP date in its one preferred form (RFC 9110 section 5.6.7,
 * "Sun, 06 Nov 1994 08:49:37 GMT"), or -1. */
int64_t verify_parse_date(const char *text);

/* Compares two replies to the same probe byte for byte, leaving out Date's value; of a workload
 * that varies (NULL: none) also the body and, where its length does, Content-Length's value.
 * Returns true when they are the same, else what differs on each side as printable text. */
bool verify_same_reply(const struct http_reply *a, const struct http_reply *b,
                       const struct workload *w, char *in_a, char *in_b, size_t size);

/* The same header names in the same order and letter case. */
bool verify_same_names(const struct http_reply *a, const struct http_reply *b);

/* Bytes as printable text: \r \n \" \\ and \xNN for the rest; cut with "…" at size. */
void verify_printable(const char *data, size_t len, char *out, size_t size);

#endif
