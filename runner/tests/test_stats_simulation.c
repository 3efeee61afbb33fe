/* Does the whole decision keep its promises on a noisy machine? Simulated, seeded, the same each
 * time.
 *
 * The machine. A run has 40 cells of two targets, A and B, and N rounds: T = 80 N trials, one after
 * the other. The trial at position t (0 .. T-1) of target X in a cell measures
 *     ln x = ln(true value of X) + 0.05 sin(2 pi (t / (P T) + phase)) + e + s
 *   drift   the slow sine, 5% up and down, shared by everything the machine does. Wandering: P is
 *           uniform in [1, 3] (a third of a wave to a whole one in a run), phase in [0, 1). One
 * way: P in [2, 4], and the run's middle within 1/16 wave of a zero of the sine, so that the
 *           machine gets steadily faster or slower for the whole run. Either way it moves by less
 *           than 0.4 / T between the two trials of a block
 *   e       run noise, normal, standard deviation 1.5%
 *   s       ln 1.2 in 3% of the trials, else 0: a trial 20% slow
 * Interleaved order: in each round the blocks (cells) in random order, and in each block A and B in
 * random order. Grouped order (AABB): all rounds of all cells for A, then the same for B. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>

#include "stats/aa.h"
#include "stats/verdict.h"

enum { CELLS = 40, MAX_ROUNDS = 31 };

enum order { INTERLEAVED, GROUPED };
enum drift { WANDERING, ONE_WAY };

struct machine {
    gsl_rng *rng;
    size_t rounds;
    double period, phase; /* of this run's drift */
};

struct run {
    double a[CELLS][MAX_ROUNDS];
    double b[CELLS][MAX_ROUNDS];
};

static double trial(const struct machine *m, size_t position, double truth) {
    const double total = 2.0 * CELLS * (double)m->rounds;
    const double drift =
        0.05 * sin(2.0 * M_PI * ((double)position / (m->period * total) + m->phase));
    const double slow = gsl_rng_uniform(m->rng) < 0.03 ? log(1.2) : 0.0;
    return truth * exp(drift + gsl_ran_gaussian(m->rng, 0.015) + slow);
}

static void measure_block(const struct machine *m, struct run *run, size_t cell, size_t round,
                          size_t position, double ratio) {
    const bool a_first = gsl_rng_uniform(m->rng) < 0.5;
    run->a[cell][round] = trial(m, position + (a_first ? 0 : 1), ratio);
    run->b[cell][round] = trial(m, position + (a_first ? 1 : 0), 1.0);
}

static struct machine machine_begin(gsl_rng *rng, size_t rounds, enum drift drift) {
    struct machine m = {.rng = rng, .rounds = rounds};
    if (drift == WANDERING) {
        m.period = gsl_ran_flat(rng, 1.0, 3.0);
        m.phase = gsl_rng_uniform(rng);
    } else {
        m.period = gsl_ran_flat(rng, 2.0, 4.0);
        m.phase = 0.5 * (double)gsl_rng_uniform_int(rng, 2) +
                  gsl_ran_flat(rng, -1.0 / 16.0, 1.0 / 16.0) - 0.5 / m.period;
    }
    return m;
}

static void measure_run(const struct machine *m, struct run *run, enum order order, double ratio) {
    size_t cells[CELLS];
    for (size_t i = 0; i < CELLS; i++) {
        cells[i] = i;
    }
    for (size_t round = 0; round < m->rounds; round++) {
        gsl_ran_shuffle(m->rng, cells, CELLS, sizeof cells[0]);
        for (size_t i = 0; i < CELLS; i++) {
            const size_t at = round * CELLS + i;
            if (order == INTERLEAVED) {
                measure_block(m, run, cells[i], round, 2 * at, ratio);
            } else {
                run->a[cells[i]][round] = trial(m, at, ratio);
                run->b[cells[i]][round] = trial(m, m->rounds * CELLS + at, 1.0);
            }
        }
    }
}

struct plan {
    const char *name;
    size_t runs, rounds;
    enum drift drift;
    enum order order;
    double ratio;     /* true A/B */
    size_t peek_from; /* judge after every round from this one, stop at the first alarm; 0: never */
};

struct tally {
    double alarm;                  /* share of runs with at least one interval that excludes 0 */
    double higher, lower, fragile; /* shares of all verdicts */
};

static bool is_alarm(const struct verdict *v) {
    return v->log_lo > 0.0 || v->log_hi < 0.0;
}

/* Would someone who looks after every round have stopped with a "finding"? */
static bool finds_by_peeking(const struct run *run, size_t cell, const struct plan *plan,
                             const struct verdict_rule *rule) {
    bool found = false;
    for (size_t n = plan->peek_from; n <= plan->rounds && !found; n++) {
        double work[MAX_ROUNDS];
        const struct verdict v = verdict_judge(run->a[cell], run->b[cell], n, rule, work);
        found = is_alarm(&v);
    }
    return found;
}

static struct tally simulate(const struct plan *plan) {
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, 20260401);
    static struct run run;
    const struct verdict_rule rule = {.margin = VERDICT_MARGIN, .alpha = verdict_alpha(CELLS)};
    size_t alarms = 0;
    size_t higher = 0;
    size_t lower = 0;
    size_t fragile = 0;
    for (size_t i = 0; i < plan->runs; i++) {
        bool alarm = false;
        const struct machine m = machine_begin(rng, plan->rounds, plan->drift);
        measure_run(&m, &run, plan->order, plan->ratio);
        for (size_t cell = 0; cell < CELLS; cell++) {
            double work[MAX_ROUNDS];
            const struct verdict v =
                verdict_judge(run.a[cell], run.b[cell], plan->rounds, &rule, work);
            alarm = alarm || is_alarm(&v) ||
                    (plan->peek_from > 0 && finds_by_peeking(&run, cell, plan, &rule));
            higher += v.kind == VERDICT_HIGHER;
            lower += v.kind == VERDICT_LOWER;
            fragile += v.fragile;
        }
        alarms += alarm;
    }
    gsl_rng_free(rng);
    const double verdicts = (double)(plan->runs * CELLS);
    const struct tally t = {.alarm = (double)alarms / (double)plan->runs,
                            .higher = (double)higher / verdicts,
                            .lower = (double)lower / verdicts,
                            .fragile = (double)fragile / verdicts};
    print_message("# %s: %zu rounds, true ratio %.3f: %.1f%% of %zu runs with an alarm; higher "
                  "%.2f%%, lower %.2f%%, fragile %.2f%%\n",
                  plan->name, plan->rounds, plan->ratio, 100.0 * t.alarm, plan->runs,
                  100.0 * t.higher, 100.0 * t.lower, 100.0 * t.fragile);
    return t;
}

static void false_alarms_stay_below_7_percent_of_runs(void **state) {
    (void)state;
    static const size_t rounds[] = {6, 7, 9, 10, 11, 17, 31};
    for (size_t i = 0; i < sizeof rounds / sizeof rounds[0]; i++) {
        const struct tally t = simulate(
            &(struct plan){"false alarms", 2000, rounds[i], WANDERING, INTERLEAVED, 1.0, 0});
        assert_true(t.alarm <= 0.07);
        /* The intervals are not merely endless: some of so many must be wrong. */
        assert_true(t.alarm > 0.005);
        assert_true(t.fragile < 0.005);
    }
    const struct tally t =
        simulate(&(struct plan){"one-way drift", 2000, 11, ONE_WAY, INTERLEAVED, 1.0, 0});
    assert_true(t.alarm <= 0.07);
}

static void a_tenth_is_found_in_11_rounds(void **state) {
    (void)state;
    const struct tally more =
        simulate(&(struct plan){"power", 100, 11, WANDERING, INTERLEAVED, 1.1, 0});
    assert_true(more.higher >= 0.90 && more.lower == 0.0 && more.fragile < 0.10);
    const struct tally less =
        simulate(&(struct plan){"power", 100, 11, WANDERING, INTERLEAVED, 1.0 / 1.1, 0});
    assert_true(less.lower >= 0.90 && less.higher == 0.0 && less.fragile < 0.10);
}

static void smaller_differences_take_more_rounds(void **state) {
    (void)state;
    const struct tally at11 =
        simulate(&(struct plan){"power", 100, 11, WANDERING, INTERLEAVED, 1.05, 0});
    const struct tally at17 =
        simulate(&(struct plan){"power", 100, 17, WANDERING, INTERLEAVED, 1.05, 0});
    const struct tally at31 =
        simulate(&(struct plan){"power", 100, 31, WANDERING, INTERLEAVED, 1.03, 0});
    assert_true(at11.higher < 0.90);
    assert_true(at17.higher >= 0.90);
    assert_true(at31.higher >= 0.90);
}

static void grouped_order_finds_what_is_not_there(void **state) {
    (void)state;
    const struct tally one_way =
        simulate(&(struct plan){"AABB, one-way drift", 400, 11, ONE_WAY, GROUPED, 1.0, 0});
    assert_true(one_way.alarm >= 0.95);
    const struct tally wandering =
        simulate(&(struct plan){"AABB, wandering drift", 400, 11, WANDERING, GROUPED, 1.0, 0});
    assert_true(wandering.alarm >= 0.50);
}

static void peeking_finds_what_is_not_there(void **state) {
    (void)state;
    const struct tally t =
        simulate(&(struct plan){"peeking", 300, 31, WANDERING, INTERLEAVED, 1.0, 6});
    assert_true(t.alarm > 0.10);
}

enum { CONTROL = 4, FIGURES = 5 };

/* The control of `figures` figures, CONTROL cells in each; the pooled interval decides over the
 * first `pooled` of them. */
static bool control_fails(const struct run *run, size_t rounds, size_t figures, size_t pooled) {
    const struct verdict_rule rule = {.margin = VERDICT_MARGIN, .alpha = verdict_alpha(CELLS)};
    double work[CONTROL * (MAX_ROUNDS + 1)];
    bool failed = false;
    for (size_t f = 0; f < figures; f++) {
        struct aa_cell cells[CONTROL];
        for (size_t c = 0; c < CONTROL; c++) {
            const size_t at = f * CONTROL + c;
            cells[c] = (struct aa_cell){.a = run->a[at], .b = run->b[at], .n = rounds};
        }
        const struct aa aa = aa_judge(cells, CONTROL, &rule, f < pooled, work);
        failed = failed || aa.state != AA_VALIDATED;
    }
    return failed;
}

/* The control's own false alarms: 5% by each pooled interval, a few more by its cells. Five pooled
 * intervals would fail a sound run too often, hence two. */
static void a_sound_control_rarely_fails(void **state) {
    static const struct {
        size_t figures, pooled;
        double least, most; /* of the runs, in % */
    } ways[] = {{1, 1, 2, 8}, {FIGURES, 1, 2, 8}, {FIGURES, 2, 5, 13}, {FIGURES, FIGURES, 15, 35}};
    enum { RUNS = 1000, ROUNDS = 11, WAYS = sizeof ways / sizeof ways[0] };
    size_t failed[WAYS] = {0};
    (void)state;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(rng);
    gsl_rng_set(rng, 7);
    static struct run run;
    for (size_t i = 0; i < RUNS; i++) {
        const struct machine m = machine_begin(rng, ROUNDS, WANDERING);
        measure_run(&m, &run, INTERLEAVED, 1.0);
        for (size_t w = 0; w < WAYS; w++) {
            failed[w] += control_fails(&run, ROUNDS, ways[w].figures, ways[w].pooled);
        }
    }
    gsl_rng_free(rng);
    for (size_t w = 0; w < WAYS; w++) {
        const double share = 100.0 * (double)failed[w] / RUNS;
        print_message("# control of %d cells in %zu figures, %zu pooled: %.1f%% of %d sound runs "
                      "not validated\n",
                      CONTROL, ways[w].figures, ways[w].pooled, share, RUNS);
        assert_true(share >= ways[w].least && share <= ways[w].most);
    }
    /* What alarms in five figures add to those in one is less than 1% of the runs. */
    assert_true(failed[1] - failed[0] <= RUNS / 100);
}

int main(void) {
    cmocka_set_message_output(CM_OUTPUT_TAP);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(false_alarms_stay_below_7_percent_of_runs),
        cmocka_unit_test(a_tenth_is_found_in_11_rounds),
        cmocka_unit_test(smaller_differences_take_more_rounds),
        cmocka_unit_test(grouped_order_finds_what_is_not_there),
        cmocka_unit_test(peeking_finds_what_is_not_there),
        cmocka_unit_test(a_sound_control_rarely_fails),
    };
    return cmocka_run_group_tests_name("stats simulation", tests, NULL, NULL);
}
