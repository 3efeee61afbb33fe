/* What must not be concluded where a signal is unknown. */
#include <stdio.h>

#include "base/quality.h"
#include "report/findings_parts.h"

/* Trials of a target that count, those of them with the word, and those left out since another of
 * their block was invalid by that very signal. */
struct seen {
    size_t trials, unknown, left_out;
};

static struct seen look(const struct cells *c, size_t target, enum quality_id id) {
    struct seen s = {0};
    char word[64];
    snprintf(word, sizeof word, "%s-%s", quality_check(id)->name,
             quality_level_name(QUALITY_UNKNOWN));
    for (size_t i = 0; i < c->count; i++) {
        for (size_t round = 0; c->cell[i].target == target && round < c->rounds; round++) {
            const struct trial_record *r = c->cell[i].trial[round];
            const bool has = r && record_has_flag(r, word);
            s.trials += r != NULL;
            s.unknown += has;
            s.left_out += has && (r->by_block & 1U << id) != 0;
        }
    }
    return s;
}

/* "foreign-cpu of ext in 7 of 7 trials", all targets but the null server. */
static size_t put_signal(struct maker *m, enum quality_id id, struct seen *all) {
    const struct cells *c = m->v->cells;
    size_t said = 0;
    for (size_t t = 0; t < c->target_count; t++) {
        const struct seen s = look(c, t, id);
        if (s.unknown == 0 || c->targets[t].role == ROLE_NULL) {
            continue;
        }
        if (said++ == 0) {
            if (!maker_begin(m)) {
                return 0;
            }
            fprintf(m->say.f, "%s (%s) is unknown: of ", quality_check(id)->name,
                    quality_check(id)->what);
        } else {
            fputs(", of ", m->say.f);
        }
        fprintf(m->say.f, "%s in %zu of %zu trials", c->targets[t].name, s.unknown, s.trials);
        all->unknown += s.unknown;
        all->left_out += s.left_out;
    }
    return said;
}

/* What is left out is nothing that a verdict rests on. */
static void put_what_rests_on_it(FILE *f, const struct seen *all) {
    static const char why[] = "since another trial of their block was invalid by this signal";
    fputs(". Unknown is not undisturbed: ", f);
    if (all->left_out == all->unknown) {
        fprintf(f, "no verdict rests on these trials, %s.", why);
        return;
    }
    fputs("what is said of these targets, the control's verdict included, rests on trials that "
          "nobody watched for it",
          f);
    if (all->left_out > 0) {
        fprintf(f, "; %zu more of these trials %s left out, %s", all->left_out,
                all->left_out == 1 ? "is" : "are", why);
    }
    fputc('.', f);
}

void findings_say_unknown(struct maker *m) {
    for (int id = 0; id < QUALITY_COUNT; id++) {
        struct seen all = {0};
        if (put_signal(m, (enum quality_id)id, &all) == 0) {
            continue;
        }
        put_what_rests_on_it(m->say.f, &all);
        maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
    }
}
