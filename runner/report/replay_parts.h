/* replay_parts.h — between the files that judge and show a replay; nobody else includes it. */
#ifndef REPORT_REPLAY_PARTS_H
#define REPORT_REPLAY_PARTS_H

#include "report/doc.h"
#include "report/replay_judge.h"

/* ---- judging */

/* A side of a claim, found among what was measured. */
struct replay_found {
    const struct replay_run *run;
    const struct cell *cell;
};

/* Fills in value, lo, hi, valid, planned and why of one kind of evidence. Returns -1 out of memory.
 */
int replay_judge_ratio(struct replay_evidence *ev, const struct replay_found *a,
                       const struct replay_found *b, const struct verdict_rule *rule);
int replay_judge_value(struct replay_evidence *ev, const struct replay_found *a,
                       const struct verdict_rule *rule);
int replay_judge_share(struct replay_evidence *ev, const struct replay_found *a,
                       const struct verdict_rule *rule);

/* ---- showing */

/* What is measured now, as one line: "node / gevent 1.94 [1.88, 2.01] at 5 connections". */
void replay_now_text(const struct replay_evidence *ev, char *out, size_t size);

/* "1.03 or more", "0.97 to 1.03". */
void replay_expect_text(const struct replay_claim *c, char *out, size_t size);

/* "node / gevent, requests per second", "gevent, peak memory". */
void replay_subject_text(const struct replay_claim *c, char *out, size_t size);

/* What the verdict of a claim rests on, or what stood in its way, as a sentence. */
void replay_reason_text(const struct replay_result *r, char *out, size_t size);

#define REPLAY_TEXT_MAX 1024

/* A verdict, as a small label where there is colour. */
void replay_page_outcome(struct doc *d, enum replay_outcome outcome);

/* A claim with all that its verdict rests on. */
void replay_page_claim(struct doc *d, const struct replay_result *r);

/* The sections of a replay's page. */
void replay_page(struct doc *d, const struct replay_judged *j);

int replay_json_write(const struct replay_judged *j, const char *dir, struct err *e);

#endif
