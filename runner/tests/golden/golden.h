/* Reader of golden/stats.txt: lines of one kind, field by field; and comparing of doubles. Tests
 * include it after cmocka.h.
 */
#ifndef LOOPBENCH_TESTS_GOLDEN_H
#define LOOPBENCH_TESTS_GOLDEN_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOLDEN_FILE  "runner/tests/golden/stats.txt"
#define GOLDEN_MAX_N 300

struct golden {
    FILE *file;
    char *line;
    size_t capacity;
    char *at; /* the next field */
    size_t cases;
};

static inline struct golden golden_open(void) {
    struct golden g = {.file = fopen(GOLDEN_FILE, "r")};
    if (g.file == NULL) {
        fail_msg("cannot open %s: run tests from the repository root", GOLDEN_FILE);
    }
    return g;
}

/* Move to the next line of this kind. At the end everything is closed and false returned; finding
 * no line at all is a failure. */
static inline bool golden_next(struct golden *g, const char *kind) {
    const size_t length = strlen(kind);
    while (getline(&g->line, &g->capacity, g->file) > 0) {
        if (strncmp(g->line, kind, length) == 0 && g->line[length] == ' ') {
            g->at = g->line + length;
            g->cases++;
            return true;
        }
    }
    free(g->line);
    (void)fclose(g->file);
    assert_true(g->cases > 0);
    return false;
}

static inline double golden_number(struct golden *g) {
    char *end = NULL;
    const double value = strtod(g->at, &end);
    assert_ptr_not_equal(end, g->at);
    g->at = end;
    return value;
}

static inline size_t golden_count(struct golden *g) {
    const double value = golden_number(g);
    assert_true(value >= 0.0 && value == floor(value));
    return (size_t)value;
}

static inline void golden_numbers(struct golden *g, double out[], size_t n) {
    assert_true(n <= GOLDEN_MAX_N);
    for (size_t i = 0; i < n; i++) {
        out[i] = golden_number(g);
    }
}

/* Equal to tolerance times the larger, or both NaN. */
static inline void golden_near(double got, double wanted, double tolerance, const char *what) {
    const bool same = isnan(wanted) ? isnan(got)
                                    : got == wanted || fabs(got - wanted) <=
                                                           tolerance * fmax(fabs(wanted), 1e-12);
    if (!same) {
        fail_msg("%s: got %.17g, wanted %.17g", what, got, wanted);
    }
}

static inline void golden_same(double got, double wanted, const char *what) {
    golden_near(got, wanted, 1e-9, what);
}

/* |got - wanted| <= room. */
static inline void golden_within(double got, double wanted, double room, const char *what) {
    if (!(fabs(got - wanted) <= room)) {
        fail_msg("%s: got %.17g, wanted %.17g within %g", what, got, wanted, room);
    }
}
#define assert_within(got, wanted, room) golden_within(got, wanted, room, #got)

#endif
