/* replay_judge.h — what a replay measured, held against what the original claimed.
 *
 * Every claim is decided at each of its levels by an interval [lo, hi] and the range the claim
 * expects (base/replay.h):
 *   [lo, hi] within the range          it holds
 *   [lo, hi] wholly outside the range  it does not hold
 *   anything else                      it cannot be told
 * and a claim at several levels holds where all of them do, and does not where one does not. Where
 * the interval comes from:
 *   recorded  two targets in the same blocks: the run's own verdict (verdicts.h), at its own level
 *   rounds    two cells of one run, or one value: log ratios by round, as verdict.h judges them
 *   two runs  two parts: unpaired.h, anchored on the null server where both measured it
 *   share     k of n trials: Clopper and Pearson's exact interval of a share
 * The last three are at alpha' = 0.035 / m, with m the number of comparisons that the replay's file
 * asks for. A verdict that is insufficient, and throughput that the load generator limited, decide
 * nothing.
 *
 * Source of the last: Clopper & Pearson, Biometrika 26 (1934) 404-413. */
#ifndef REPORT_REPLAY_JUDGE_H
#define REPORT_REPLAY_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/replay.h"
#include "report/reading.h"
#include "store/replay_state.h"

enum replay_outcome {
    REPLAY_CANNOT_BE_TOLD,
    REPLAY_HOLDS,
    REPLAY_DOES_NOT_HOLD,
};

/* "cannot be told", "holds", "does not hold". */
const char *replay_outcome_name(enum replay_outcome outcome);

enum replay_source { REPLAY_FROM_VERDICT, REPLAY_FROM_ROUNDS, REPLAY_FROM_RUNS, REPLAY_FROM_SHARE };

/* A part's run, read. */
struct replay_run {
    bool there;
    struct reading reading;
    char missing[512]; /* why it is not there */
};

/* One claim at one level. */
struct replay_evidence {
    const struct replay_claim *claim;
    int level, against_level;
    enum replay_outcome outcome;
    enum replay_source source;
    double a, b;           /* medians of either side in the metric's unit; NaN */
    double value, lo, hi;  /* of what is judged; NaN */
    size_t valid, planned; /* blocks, rounds or trials; of two runs the smaller side's */
    size_t hits;           /* of a share: trials in which it happened */
    bool anchored, fragile;
    bool few;      /* too few rounds are valid */
    char why[512]; /* why it cannot be told; "" = there is nothing to say */
};

struct replay_result {
    const struct replay_claim *claim;
    enum replay_outcome outcome;
    const struct replay_evidence *evidence; /* claim->levels of them */
};

struct replay_judged {
    const struct replay *replay;
    const struct replay_state *state;
    struct replay_run *run; /* of each part */
    struct replay_evidence *evidence;
    struct replay_result *result; /* of each claim */
    size_t comparisons;           /* m */
    double alpha;
    size_t count[3]; /* claims by outcome */
};

/* Reads the runs of all parts from `dir` and judges. Points into *r and *s, which must outlive it.
 * A part that cannot be read is missing, which is no error. Returns 0, or -1 with *e (ERR_MACHINE:
 * memory). */
int replay_judge(struct replay_judged *j, const struct replay *r, const struct replay_state *s,
                 const char *dir, struct err *e);

void replay_judged_release(struct replay_judged *j);

/* Decides by the rule above; NaN ends decide nothing. */
enum replay_outcome replay_decide(double lo, double hi, double expect_lo, double expect_hi);

/* Clopper and Pearson's interval of k in n at level 1 - alpha. */
void replay_share_interval(size_t k, size_t n, double alpha, double *lo, double *hi);

#endif
