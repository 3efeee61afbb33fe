#include "report/replay_judge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/workload.h"
#include "report/replay_parts.h"

const char *replay_outcome_name(enum replay_outcome outcome) {
    static const char *const names[] = {"cannot be told", "holds", "does not hold"};
    return names[outcome];
}

/* A text that was cut may end within a character. */
static void trim(char *text) {
    size_t len = strlen(text);
    while (len > 0 && !workload_is_utf8(text, len)) {
        text[--len] = '\0';
    }
}

/* ---- the parts */

static void read_part(struct replay_run *run, const struct replay_part *p,
                      const struct replay_state *s, const char *dir) {
    char path[PATH_MAX];
    struct err e = {0};
    const char *reason = replay_state_reason(s, p->name);
    const enum replay_part_state state = replay_state_of(s, p->name);
    if (state == REPLAY_PART_LEFT_OUT || state == REPLAY_PART_PENDING) {
        snprintf(run->missing, sizeof run->missing, "part %s was not measured%s%s", p->name,
                 reason ? ": " : " yet", reason ? reason : "");
    } else if (file_join(path, sizeof path, dir, p->name, &e) != 0 ||
               reading_open(&run->reading, path, &e) != 0) {
        snprintf(run->missing, sizeof run->missing, "part %s cannot be read: %.400s", p->name,
                 e.text);
    } else {
        run->there = true;
    }
    trim(run->missing);
}

/* ---- the sides of a claim */

/* Why a target that the run does not hold is not in it, as far as is recorded: "not installed;
 * apt-get install nodejs". */
static const char *left_out_of_run(const json_t *manifest, const char *target, char *out,
                                   size_t size) {
    size_t i;
    json_t *one;
    json_array_foreach(json_object_get(manifest, "left_out"), i, one) {
        const char *name = json_string_value(json_object_get(one, "name"));
        const char *reason = json_string_value(json_object_get(one, "reason"));
        const char *package = json_string_value(json_object_get(one, "package"));
        if (name && reason && strcmp(name, target) == 0) {
            snprintf(out, size, "%s%s%s", reason, package ? "; apt-get install " : "",
                     package ? package : "");
            return out;
        }
    }
    return NULL;
}

static const struct cell *find_cell(const struct cells *c, const struct replay_side *side,
                                    int level, bool *target_there) {
    *target_there = false;
    for (size_t t = 0; t < c->target_count; t++) {
        if (c->targets[t].role == ROLE_TARGET && strcmp(c->targets[t].name, side->target) == 0) {
            *target_there = true;
            return cells_find(c, t, side->workload, level);
        }
    }
    return NULL;
}

/* Finds the side, or says in ev->why what is missing of it. */
static bool find_side(const struct replay_judged *j, const struct replay_side *side, int level,
                      struct replay_found *out, struct replay_evidence *ev) {
    char text[400];
    bool there;
    out->run = &j->run[replay_part_find(j->replay, side->part)];
    if (!out->run->there) {
        snprintf(ev->why, sizeof ev->why, "%s", out->run->missing);
        return false;
    }
    out->cell = find_cell(&out->run->reading.cells, side, level, &there);
    if (out->cell) {
        return true;
    }
    const char *reason = replay_state_target_reason(j->state, side->part, side->target);
    if (!reason) {
        reason = left_out_of_run(out->run->reading.store.manifest, side->target, text, sizeof text);
    }
    if (there) {
        snprintf(ev->why, sizeof ev->why,
                 "%s was not measured with %s at %d connections in part %s", side->target,
                 side->workload, level, side->part);
    } else {
        snprintf(ev->why, sizeof ev->why, "%s was left out%s%.400s", side->target,
                 reason ? ": " : "", reason ? reason : "");
    }
    return false;
}

/* ---- one claim */

/* Names what made rounds of a cell invalid: "; disturbed by foreign-cpu, steal". */
static void say_disturbed(struct replay_evidence *ev, const struct cell *cell, bool *said) {
    static const char ending[] = "-invalid";
    const size_t end = sizeof ending - 1;
    for (const char *at = cell->flags; *at;) {
        char name[64];
        const size_t word = strcspn(at, ": ");
        const size_t used = strlen(ev->why);
        if (word > end && word < sizeof name && strncmp(at + word - end, ending, end) == 0) {
            snprintf(name, sizeof name, "%.*s", (int)(word - end), at);
            if (!strstr(ev->why, name)) {
                snprintf(ev->why + used, sizeof ev->why - used, "%s%s",
                         *said ? ", " : "; disturbed by ", name);
                *said = true;
            }
        }
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
}

static int judge_level(struct replay_judged *j, struct replay_evidence *ev,
                       const struct verdict_rule *rule) {
    const struct replay_claim *c = ev->claim;
    struct replay_found a;
    struct replay_found b = {0};
    bool disturbed = false;
    int rc = 0;
    if (!find_side(j, &c->a, ev->level, &a, ev) ||
        (c->check == REPLAY_RATIO && !find_side(j, &c->b, ev->against_level, &b, ev))) {
        trim(ev->why);
        return 0;
    }
    switch (c->check) {
    case REPLAY_RATIO:
        rc = replay_judge_ratio(ev, &a, &b, rule);
        break;
    case REPLAY_VALUE:
        rc = replay_judge_value(ev, &a, rule);
        break;
    case REPLAY_SHARE:
        rc = replay_judge_share(ev, &a, rule);
        break;
    }
    if (ev->few) {
        say_disturbed(ev, a.cell, &disturbed);
    }
    if (ev->few && b.cell) { /* there are two only in a ratio */
        say_disturbed(ev, b.cell, &disturbed);
    }
    ev->outcome = replay_decide(ev->lo, ev->hi, c->lo, c->hi);
    if (ev->outcome == REPLAY_CANNOT_BE_TOLD && !ev->why[0]) {
        snprintf(ev->why, sizeof ev->why, "the interval lies on both sides of what is claimed");
    }
    trim(ev->why);
    return rc;
}

/* All levels hold, or one does not, or it cannot be told. */
static enum replay_outcome conclude(const struct replay_evidence *ev, size_t n) {
    size_t holds = 0;
    for (size_t i = 0; i < n; i++) {
        if (ev[i].outcome == REPLAY_DOES_NOT_HOLD) {
            return REPLAY_DOES_NOT_HOLD;
        }
        holds += ev[i].outcome == REPLAY_HOLDS;
    }
    return n > 0 && holds == n ? REPLAY_HOLDS : REPLAY_CANNOT_BE_TOLD;
}

static int judge_claim(struct replay_judged *j, size_t at, struct replay_evidence *first,
                       const struct verdict_rule *rule) {
    const struct replay_claim *c = &j->replay->claim[at];
    for (size_t i = 0; i < c->levels; i++) {
        first[i] = (struct replay_evidence){
            .claim = c,
            .level = (int)c->level[i],
            .against_level = (int)(c->against_level ? c->against_level : c->level[i]),
            .a = NAN,
            .b = NAN,
            .value = NAN,
            .lo = NAN,
            .hi = NAN,
        };
        if (judge_level(j, &first[i], rule) != 0) {
            return -1;
        }
    }
    j->result[at] = (struct replay_result){c, conclude(first, c->levels), first};
    j->count[j->result[at].outcome]++;
    return 0;
}

int replay_judge(struct replay_judged *j, const struct replay *r, const struct replay_state *s,
                 const char *dir, struct err *e) {
    *j = (struct replay_judged){.replay = r, .state = s, .comparisons = replay_comparisons(r)};
    j->alpha = verdict_alpha(j->comparisons);
    j->run = calloc(r->parts + 1, sizeof *j->run);
    j->evidence = calloc(j->comparisons + 1, sizeof *j->evidence);
    j->result = calloc(r->claims + 1, sizeof *j->result);
    int rc = j->run && j->evidence && j->result ? 0 : -1;
    for (size_t i = 0; rc == 0 && i < r->parts; i++) {
        read_part(&j->run[i], &r->part[i], s, dir);
    }
    const struct verdict_rule rule = {.margin = VERDICT_MARGIN, .alpha = j->alpha};
    struct replay_evidence *next = j->evidence;
    for (size_t i = 0; rc == 0 && i < r->claims; i++) {
        rc = judge_claim(j, i, next, &rule);
        next += r->claim[i].levels;
    }
    if (rc != 0) {
        replay_judged_release(j);
        return err_set(e, ERR_MACHINE, "out of memory judging the replay in %s", dir);
    }
    return 0;
}

void replay_judged_release(struct replay_judged *j) {
    for (size_t i = 0; j->run && i < j->replay->parts; i++) {
        if (j->run[i].there) {
            reading_release(&j->run[i].reading);
        }
    }
    free(j->run);
    free(j->evidence);
    free(j->result);
    *j = (struct replay_judged){0};
}
