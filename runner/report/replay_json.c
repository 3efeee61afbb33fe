/* replay.json: the claims and their verdicts for programs (docs/schema/replay.json). */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "report/replay_parts.h"
#include "report/text.h"

#define REPLAY_VERSION 1

static json_t *real_or_null(double v) {
    return isfinite(v) ? json_real(v) : json_null();
}

static json_t *evidence_json(const struct replay_evidence *ev) {
    static const char *const sources[] = {"verdict", "rounds", "runs", "share"};
    return json_pack("{s:i, s:i, s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I, s:b, s:b, s:s}",
                     "connections", ev->level, "against_connections", ev->against_level, "verdict",
                     replay_outcome_name(ev->outcome), "source", sources[ev->source], "a",
                     real_or_null(ev->a), "b", real_or_null(ev->b), "value",
                     real_or_null(ev->value), "lo", real_or_null(ev->lo), "hi",
                     real_or_null(ev->hi), "valid", (json_int_t)ev->valid, "planned",
                     (json_int_t)ev->planned, "hits", (json_int_t)ev->hits, "anchored",
                     ev->anchored, "fragile", ev->fragile, "why", ev->why);
}

static json_t *side_json(const struct replay_side *s) {
    return json_pack("{s:s, s:s, s:s}", "part", s->part, "target", s->target, "workload",
                     s->workload);
}

static json_t *claim_json(const struct replay_result *r) {
    static const char *const checks[] = {"ratio", "value", "share"};
    const struct replay_claim *c = r->claim;
    json_t *list = json_array();
    for (size_t i = 0; i < c->levels; i++) {
        json_array_append_new(list, evidence_json(&r->evidence[i]));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o, s:o}", "name",
                     c->name, "title", c->title, "figures", c->figures, "why", c->why, "metric",
                     replay_metric_info(c->metric)->name, "check", checks[c->check], "verdict",
                     replay_outcome_name(r->outcome), "of", side_json(&c->a), "against",
                     c->check == REPLAY_RATIO ? side_json(&c->b) : json_null(), "expect_lo",
                     real_or_null(c->lo), "expect_hi", real_or_null(c->hi), "evidence", list);
}

static json_t *part_json(const struct replay_judged *j, size_t i) {
    const struct replay_part *p = &j->replay->part[i];
    const struct replay_run *run = &j->run[i];
    const json_t *left = replay_state_left_out(j->state, p->name);
    return json_pack("{s:s, s:s, s:o, s:o, s:o}", "name", p->name, "state",
                     replay_part_state_name(replay_state_of(j->state, p->name)), "run_id",
                     run->there
                         ? json_deep_copy(json_object_get(run->reading.store.manifest, "run_id"))
                         : json_null(),
                     "missing", run->there ? json_null() : json_string(run->missing), "left_out",
                     left ? json_deep_copy(left) : json_array());
}

int replay_json_write(const struct replay_judged *j, const char *dir, struct err *e) {
    struct text_file t;
    json_t *claims = json_array();
    json_t *parts = json_array();
    for (size_t i = 0; i < j->replay->claims; i++) {
        json_array_append_new(claims, claim_json(&j->result[i]));
    }
    for (size_t i = 0; i < j->replay->parts; i++) {
        json_array_append_new(parts, part_json(j, i));
    }
    json_t *root = json_pack(
        "{s:s, s:i, s:s, s:s, s:s, s:I, s:I, s:f, s:o, s:o}", "format", "loopbench-replay-report",
        "format_version", REPLAY_VERSION, "replay", j->replay->id, "title", j->replay->title,
        "source", j->replay->source, "year", (json_int_t)j->replay->year, "comparisons",
        (json_int_t)j->comparisons, "alpha", j->alpha, "claims", claims, "parts", parts);
    char *text = root ? json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) : NULL;
    json_decref(root);
    if (!text || text_begin(&t, e) != 0) {
        free(text);
        return err_set(e, ERR_MACHINE, "out of memory writing %s/replay.json", dir);
    }
    fputs(text, t.f);
    fputc('\n', t.f);
    free(text);
    return text_end(&t, dir, "replay.json", e);
}
