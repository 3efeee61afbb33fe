#include "ui/replay_part.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "ui/session.h"

static int no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory");
}

static bool is_smoke(const struct settings *flags) {
    bool smoke = false;
    for (size_t i = 0; i < flags->n; i++) {
        if (strcmp(flags->setting[i].option->name, "profile") == 0) {
            smoke = strcmp(flags->setting[i].value, "smoke") == 0;
        }
    }
    return smoke;
}

static json_t *lefts_json(const struct replay_part_config *c) {
    json_t *list = json_array();
    for (size_t i = 0; i < c->lefts; i++) {
        json_array_append_new(list, json_pack("{s:s, s:s}", "target", c->left[i].target, "reason",
                                              c->left[i].reason));
    }
    return list;
}

static int note_part(struct replaying *r, const char *part, enum replay_part_state state,
                     const char *reason, json_t *left_out, struct err *e) {
    return replay_state_set(&r->state, part, state, reason, left_out, e) != 0
               ? -1
               : replay_state_write(&r->state, r->dir, e);
}

bool replay_interrupted(struct replaying *r) {
    loop_poll(&r->loop);
    r->interrupted = r->loop.interrupted > 0;
    return r->interrupted;
}

static int no_more(struct err *e) {
    return err_set(e, ERR_FAILED, "interrupted before anything was measured");
}

/* This invocation's own, which no file holds. */
static int finish_config(struct config *c, const struct config *of, const char *out,
                         struct err *e) {
    c->quiet = of->quiet;
    c->report = of->report;
    free(c->plots);
    c->plots = of->plots ? strdup(of->plots) : NULL;
    free(c->out);
    c->out = strdup(out);
    return c->out && (c->plots || !of->plots) ? 0 : no_memory(e);
}

/* The session of a part, new or resumed. Returns 0, or -1 with *e. */
static int prepare(struct replaying *r, struct session *s, struct replay_part_config *c,
                   const char *dir, bool again, struct err *e) {
    const char *part = strrchr(dir, '/') + 1;
    if (again) {
        struct settings flags = {0};
        struct args args = *r->in->args;
        struct invocation in = *r->in;
        int rc = settings_add(&flags, option_find("resume", USE_RUN), dir, "--resume");
        args.flags = flags;
        in.args = &args;
        rc = rc == 0 ? session_load(s, &in, e) : no_memory(e);
        settings_release(&flags);
        return rc == 0 ? finish_config(&s->config, &r->config, dir, e) : -1;
    }
    s->config = c->config;
    c->config = (struct config){0};
    s->extra = json_pack("{s:{s:s, s:s}}", "replay", "id", r->file.replay.id, "part", part);
    return s->extra && finish_config(&s->config, &r->config, dir, e) == 0
               ? session_plan_installed(s, e)
               : no_memory(e);
}

/* Measures; `*begun` says whether there is a run in the folder afterwards. */
static int measure(struct replaying *r, struct session *s, bool *begun, struct err *e) {
    if (session_open(s, e) != 0) {
        return -1;
    }
    if (replay_interrupted(r)) { /* before the session's own loop began to hear */
        return no_more(e);
    }
    const int rc = session_execute(s, r->in, e);
    *begun = s->run.writer != NULL;
    if (rc == 0) {
        (void)session_finish(s, e);
    }
    return rc;
}

static int run_part(struct replaying *r, size_t i, struct replay_part_config *c, bool again,
                    struct err *e) {
    const struct replay_part *p = &r->file.replay.part[i];
    struct session s = {.part = true};
    struct err why = {0};
    char dir[PATH_MAX];
    bool begun = again;
    if (file_join(dir, sizeof dir, r->dir, p->name, e) != 0) {
        return -1;
    }
    int rc = prepare(r, &s, c, dir, again, &why);
    if (rc == 0) {
        rc = measure(r, &s, &begun, &why);
    }
    const bool whole = rc == 0 && !s.run.interrupted;
    session_release(&s);
    if (whole) {
        (void)replay_interrupted(r); /* while its report was drawn */
        r->measured++;
        return note_part(r, p->name, REPLAY_PART_MEASURED, NULL, lefts_json(c), e);
    }
    if (replay_interrupted(r) || begun) {
        return note_part(r, p->name, begun ? REPLAY_PART_INTERRUPTED : REPLAY_PART_PENDING,
                         why.class ? why.text : NULL, lefts_json(c), e);
    }
    fprintf(stderr, "loopbench: part %s is left out: %s\n", p->name, why.text);
    return note_part(r, p->name, REPLAY_PART_LEFT_OUT, why.text, lefts_json(c), e);
}

static void say_part(const struct replaying *r, size_t i, const struct replay_part_config *c) {
    const struct replay_part *p = &r->file.replay.part[i];
    if (!r->config.quiet) {
        fprintf(stderr, "part %zu of %zu, %s: %s\n", i + 1, r->file.replay.parts, p->name,
                p->title ? p->title : p->name);
    }
    for (size_t k = 0; k < c->lefts; k++) {
        fprintf(stderr, "loopbench: part %s without %s: %s\n", p->name, c->left[k].target,
                c->left[k].reason);
    }
}

int replay_part_run(struct replaying *r, size_t i, struct err *e) {
    const char *name = r->file.replay.part[i].name;
    const enum replay_part_state state = replay_state_of(&r->state, name);
    const bool again = state == REPLAY_PART_INTERRUPTED;
    struct replay_part_config c;
    struct err why = {0};
    if (state == REPLAY_PART_MEASURED) {
        r->measured++;
        return 0;
    }
    if (replay_part_load(&c, &r->file, i, &r->flags, is_smoke(&r->flags), &why) != 0) {
        fprintf(stderr, "loopbench: part %s is left out: %s\n", name, why.text);
        return note_part(r, name, REPLAY_PART_LEFT_OUT, why.text, NULL, e);
    }
    say_part(r, i, &c);
    const int rc = run_part(r, i, &c, again, e);
    replay_part_release(&c);
    return rc;
}

static int print_plan(struct replaying *r, size_t i, struct replay_part_config *c, struct err *e) {
    struct session s = {0};
    struct err why = {0};
    fflush(stdout);
    say_part(r, i, c);
    s.config = c->config;
    c->config = (struct config){0};
    int rc = session_plan_installed(&s, &why);
    if (replay_interrupted(r)) {
        rc = err_set(e, ERR_FAILED, "interrupted");
    } else if (rc != 0) {
        fprintf(stderr, "loopbench: part %s is left out: %s\n", r->file.replay.part[i].name,
                why.text);
        rc = 0;
    } else {
        rc = session_dry_run(&s, e);
    }
    session_release(&s);
    return rc;
}

int replay_part_plans(struct replaying *r, struct err *e) {
    for (size_t i = 0; i < r->file.replay.parts; i++) {
        struct replay_part_config c;
        struct err why = {0};
        if (replay_part_load(&c, &r->file, i, &r->flags, is_smoke(&r->flags), &why) != 0) {
            fprintf(stderr, "loopbench: part %s is left out: %s\n", r->file.replay.part[i].name,
                    why.text);
            continue;
        }
        const int rc = print_plan(r, i, &c, e);
        replay_part_release(&c);
        if (rc != 0) {
            return -1;
        }
    }
    return 0;
}
