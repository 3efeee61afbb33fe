/* verify.h — does a running target keep the endpoint contract, and are all targets alike on the
 * wire? Works on targets that somebody else started; prints nothing by itself. */
#ifndef TARGET_VERIFY_H
#define TARGET_VERIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "base/workload.h"
#include "target/http.h"

enum verify_kind {
    VERIFY_OURS,  /* the whole contract, wire-identical with the others of this kind */
    VERIFY_NULL,  /* GET of what the null server serves, keep-alive, pipelining; identical there */
    VERIFY_GUEST, /* status and meaning of the bodies; its bytes may differ and are described */
};

struct verify_target {
    const char *name;
    const char *host;
    int port;
    enum verify_kind kind;
    /* Workloads of its own (a guest's, at its own paths) in place of those given to all; NULL = it
     * has none. */
    const struct workload *const *workloads;
    size_t n_workloads;
    /* It does not say that it serves them: one that is not there is noted, no failure. */
    bool tentative;
};

enum verify_level {
    VERIFY_PASS,
    VERIFY_NOTE, /* a guest's difference: reported, no failure */
    VERIFY_FAIL,
};

/* One line of the result. Texts are printable, long ones cut round what matters. */
struct verify_finding {
    char target[64];
    char check[64]; /* "GET /hello: body", "identical to libevent: HEAD /json" … */
    enum verify_level level;
    char expected[200];
    char got[200];
};

/* What a guest sends for one workload, and how that differs from the reference. */
struct verify_wire {
    char target[64], workload[64];
    char reference[64]; /* "" = there was none to hold it against */
    enum verify_served { SERVED, NOT_SERVED, SERVED_WRONG } served;
    int status;        /* 0 = no reply */
    size_t head, body; /* bytes of its reply; the body without the framing of chunks */
    size_t head_of_reference, body_of_reference;
    bool same_body; /* byte for byte; of a workload that varies: it was judged by its meaning */
    bool varies;
    bool chunked;      /* no Content-Length */
    bool keeps;        /* the connection */
    bool same_headers; /* the same names in the same order and letter case */
};

struct verify_findings {
    struct verify_finding *items;
    size_t n, room;
    struct verify_wire *wire; /* of guests only */
    size_t wires;
};

void verify_findings_release(struct verify_findings *f);

/* Number of VERIFY_FAIL among them. */
size_t verify_failures(const struct verify_findings *f);

/* The replies one target gave, one for each probe, kept for comparing. */
struct verify_replies {
    const struct verify_target *target;
    struct verify_reply {
        char probe[64];                  /* "GET /hello" */
        const struct workload *workload; /* NULL where the probe is none */
        struct http_reply reply;
    } * items;
    size_t n, room;
};

void verify_replies_release(struct verify_replies *r);

/* Checks one target against the contract: adds findings to *f and the replies to *replies (may be
 * NULL). Of a guest `workloads` (n of them) are asked; of ours always all there are, with /,
 * /stats, 404 and 405; of the null server those it serves. A target that cannot be reached is a
 * finding, too. timeout_ns bounds every single exchange. Returns 0, or -1 with *e (out of memory).
 */
int verify_contract(const struct verify_target *target, const struct workload *const *workloads,
                    size_t n, int64_t timeout_ns, struct verify_replies *replies,
                    struct verify_findings *f, struct err *e);

/* Compares raw replies, all bytes but Date's value; for a guest sizes and header sets only, as
 * notes. Pure. Probes that one of them has not are skipped. */
int verify_compare(const struct verify_replies *reference, const struct verify_replies *other,
                   struct verify_findings *f, struct err *e);

/* All of it: contract of each target, then each compared with the first of VERIFY_OURS. */
int verify_all(const struct verify_target *targets, size_t n_targets,
               const struct workload *const *workloads, size_t n_workloads, int64_t timeout_ns,
               struct verify_findings *f, struct err *e);

/* Takes the passed checks of a target away, of one that was only there to compare with. */
void verify_hide(struct verify_findings *f, const char *target);

/* For each guest what it serves, the size of a reply beside the reference's, and whether comparing
 * them would be fair. Nothing where there is no guest. */
void verify_print_fair(const struct verify_findings *f, FILE *out);

/* Whether a guest serves nothing, or answers wrongly. */
bool verify_is_useless(const struct verify_findings *f);

/* The first failure as one line: "h2o: GET /hello: expected …, got …"; "" where there is none. */
void verify_first_failure(const struct verify_findings *f, char *out, size_t size);

/* Table of findings: target, check, ok / note / differs, and below each difference what was
 * expected and what came. all = false leaves out the checks that passed, but counts them. */
void verify_print(const struct verify_findings *f, bool all, FILE *out);

#endif
