/* concluded.h — a synthetic run whose figures are known, with what is concluded from it. */
#ifndef TESTS_CONCLUDED_H
#define TESTS_CONCLUDED_H

/* After cmocka.h, which wants headers of its own before it. */
#include "report/findings.h"
#include "synthetic.h"

static const int one_level[] = {100};

/* Without noise the figures of every sentence are known. */
static inline struct synthetic usual(void) {
    return (struct synthetic){
        .target =
            {
                {"base", NULL, ROLE_TARGET, 8.0, 60000, 900, 4000, 4e6},
                {"lean", NULL, ROLE_TARGET, 7.2, 66000, 900, 4000, 4e6},
                {"base-again", "base", ROLE_CONTROL, 8.0, 60000, 900, 4000, 4e6},
                {"null", NULL, ROLE_NULL, 5.0, 125000, 400, 900, 1e6},
            },
        .rounds = 11,
        .levels = one_level,
        .level_count = 1,
        .samples = 600000,
    };
}

struct concluded {
    struct synthetic *s;
    struct verdicts v;
    struct findings f;
};

static inline struct concluded conclude_with(struct synthetic *s,
                                             const struct verdicts_options *o) {
    struct concluded c = {.s = s};
    struct err e = {0};
    if (cells_build(&s->cells, &s->store, &e) != 0 || verdicts_build(&c.v, &s->cells, o, &e) != 0 ||
        findings_make(&c.f, &c.v, &e) != 0) {
        fail_msg("%s", e.text);
    }
    return c;
}

static inline struct concluded conclude(struct synthetic *s) {
    const struct verdicts_options as_begun = {0};
    return conclude_with(s, &as_begun);
}

static inline void end(struct concluded *c) {
    findings_release(&c->f);
    verdicts_release(&c->v);
    synthetic_release(c->s);
}

static inline const struct finding *find(const struct concluded *c, const char *part) {
    for (size_t i = 0; i < c->f.count; i++) {
        if (strstr(c->f.finding[i].text, part)) {
            return &c->f.finding[i];
        }
    }
    return NULL;
}

static inline void assert_says(const struct concluded *c, enum finding_kind kind,
                               const char *part) {
    const struct finding *one = find(c, part);
    if (!one) {
        for (size_t i = 0; i < c->f.count; i++) {
            print_error("said: %s\n", c->f.finding[i].text);
        }
        fail_msg("nothing says '%s'", part);
        return;
    }
    assert_int_equal(one->kind, kind);
}

static inline void assert_reason(const struct concluded *c, enum findings_validity validity,
                                 const char *part) {
    if (c->f.validity != validity || !strstr(c->f.validity_reason, part)) {
        fail_msg("%s: '%s' does not say '%s'", findings_validity_name(c->f.validity),
                 c->f.validity_reason, part);
    }
}

/* No sentence without a number behind it. */
static inline void assert_numbers(const struct concluded *c) {
    for (size_t i = 0; i < c->f.count; i++) {
        assert_non_null(strpbrk(c->f.finding[i].text, "0123456789"));
    }
}

#endif
