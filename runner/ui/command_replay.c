/* A published report, repeated part by part: each part is an ordinary run in a folder of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/replay_part.h"
#include "store/folder.h"
#include "store/replay_state.h"
#include "ui/replay.h"
#include "ui/session.h"

/* A replay under way. */
struct replaying {
    const struct invocation *in;
    struct config config;  /* of this invocation: places, quiet, profile */
    struct settings flags; /* for every part */
    struct replay_file file;
    struct replay_state state;
    char dir[PATH_MAX];
    bool interrupted;
    size_t measured;
};

static int no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory");
}

/* ---- what was asked for */

/* The flags that decide what a part measures, as the record keeps them. */
static json_t *flags_json(const struct settings *flags) {
    json_t *o = json_object();
    for (size_t i = 0; i < flags->n; i++) {
        const struct setting *s = &flags->setting[i];
        if (s->option->use & USE_FILE) {
            json_object_set_new(o, s->option->name, json_string(s->value));
        }
    }
    return o;
}

/* The same, back. */
static int flags_from_record(struct replaying *r, struct err *e) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)replay_state_options(&r->state), name, value) {
        const struct option *o = option_find(name, USE_REPLAY);
        char where[96];
        snprintf(where, sizeof where, "--%.64s", name);
        if (!o || !(o->use & USE_FILE)) {
            return err_set(e, ERR_USAGE, "%s/%s: no option is called '%s'", r->dir, REPLAY_JSON,
                           name);
        }
        if (settings_add(&r->flags, o, json_string_value(value), where) != 0) {
            return no_memory(e);
        }
    }
    return 0;
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

/* What was begun is continued as it was. */
static int check_resume(const struct settings *flags, struct err *e) {
    for (size_t i = 0; i < flags->n; i++) {
        const struct option *o = flags->setting[i].option;
        if ((o->use & USE_FILE) && strcmp(o->name, "results") != 0) {
            return err_set(e, ERR_USAGE,
                           "--%s with --resume: a replay is continued as it was begun; leave it "
                           "out",
                           o->name);
        }
    }
    return 0;
}

/* ---- its folder */

static int find_folder(struct replaying *r, const char *id, struct err *e) {
    char name[96];
    if (r->config.out) {
        return snprintf(r->dir, sizeof r->dir, "%s", r->config.out) < (int)sizeof r->dir
                   ? 0
                   : err_set(e, ERR_USAGE, "--out: the path is too long");
    }
    snprintf(name, sizeof name, "replay-%.64s", id);
    return file_join(r->dir, sizeof r->dir, r->config.results, name, e);
}

static int begin_folder(struct replaying *r, struct err *e) {
    char path[PATH_MAX];
    bool made;
    if (replay_state_is(r->dir)) {
        return err_set(e, ERR_USAGE,
                       "%s holds a replay already; go on with it by --resume, or name another "
                       "folder with --out",
                       r->dir);
    }
    if (folder_create(path, sizeof path, NULL, r->dir, &made, e) != 0 ||
        file_join(path, sizeof path, r->dir, REPLAY_INI, e) != 0 ||
        file_write_atomic(path, r->file.text, strlen(r->file.text), e) != 0) {
        return -1;
    }
    json_t *said = flags_json(&r->in->args->flags);
    int rc = replay_state_begin(&r->state, r->file.replay.id, said, e);
    json_decref(said);
    return rc == 0 ? replay_state_write(&r->state, r->dir, e) : -1;
}

static int continue_folder(struct replaying *r, struct err *e) {
    char path[PATH_MAX];
    if (check_resume(&r->in->args->flags, e) != 0) {
        return -1;
    }
    if (!replay_state_is(r->dir)) {
        return err_set(e, ERR_USAGE, "--resume: %s is not the folder of a replay", r->dir);
    }
    replay_file_release(&r->file);
    return file_join(path, sizeof path, r->dir, REPLAY_INI, e) != 0 ||
                   replay_file_read(&r->file, path, e) != 0 ||
                   replay_state_read(&r->state, r->dir, e) != 0
               ? -1
               : flags_from_record(r, e);
}

/* ---- one part */

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
    return s->extra && finish_config(&s->config, &r->config, dir, e) == 0 ? session_plan(s, e)
                                                                          : no_memory(e);
}

/* Measures; `*begun` says whether there is a run in the folder afterwards. */
static int measure(struct replaying *r, struct session *s, bool *begun, struct err *e) {
    if (session_open(s, e) != 0) {
        return -1;
    }
    const int rc = session_execute(s, r->in, e);
    *begun = s->run.writer != NULL;
    r->interrupted = s->loop.interrupted;
    if (rc == 0) {
        r->interrupted = r->interrupted || s->run.interrupted;
        (void)session_finish(s, e);
        uv_run(&s->loop.uv, UV_RUN_NOWAIT); /* Ctrl-C while its report was drawn */
        r->interrupted = r->interrupted || s->loop.interrupted;
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
        r->measured++;
        return note_part(r, p->name, REPLAY_PART_MEASURED, NULL, lefts_json(c), e);
    }
    if (r->interrupted || begun) {
        return note_part(r, p->name, begun ? REPLAY_PART_INTERRUPTED : REPLAY_PART_PENDING,
                         why.class ? why.text : NULL, lefts_json(c), e);
    }
    fprintf(stderr, "loopbench: part %s is left out: %s\n", p->name, why.text);
    return note_part(r, p->name, REPLAY_PART_LEFT_OUT, why.text, lefts_json(c), e);
}

/* ---- all of them */

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

static int do_part(struct replaying *r, size_t i, struct err *e) {
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

static int dry_run(struct replaying *r, struct err *e) {
    for (size_t i = 0; i < r->file.replay.parts; i++) {
        struct replay_part_config c;
        struct session s = {0};
        struct err why = {0};
        const char *name = r->file.replay.part[i].name;
        if (replay_part_load(&c, &r->file, i, &r->flags, is_smoke(&r->flags), &why) != 0) {
            fprintf(stderr, "loopbench: part %s is left out: %s\n", name, why.text);
            continue;
        }
        fflush(stdout);
        say_part(r, i, &c);
        s.config = c.config;
        c.config = (struct config){0};
        const int rc = session_plan(&s, e) != 0 ? -1 : session_dry_run(&s, e);
        session_release(&s);
        replay_part_release(&c);
        if (rc != 0) {
            return -1;
        }
    }
    return 0;
}

/* Every part in the file's order, then what they say. Returns the exit status. */
static int replay_all(struct replaying *r, struct err *e) {
    for (size_t i = 0; i < r->file.replay.parts && !r->interrupted; i++) {
        if (do_part(r, i, e) != 0) {
            return -1;
        }
    }
    if (replay_conclude(r->dir, stdout, e) != 0) {
        return -1;
    }
    fflush(stdout);
    if (r->interrupted) {
        fprintf(stderr, "interrupted; go on with `loopbench replay --resume`\n");
        return ERR_FAILED;
    }
    fprintf(stderr, "%s/replay.html\n", r->dir);
    return r->measured > 0 ? 0
                           : err_set(e, ERR_MACHINE,
                                     "no part of the replay could be measured; %s/replay.md says "
                                     "why",
                                     r->dir);
}

static int replay_in_folder(struct replaying *r, struct err *e) {
    char path[PATH_MAX];
    if (replay_find(r->in->args->operand[0], path, sizeof path, e) != 0 ||
        replay_file_read(&r->file, path, e) != 0 || find_folder(r, r->file.replay.id, e) != 0) {
        return -1;
    }
    if (r->config.replay_resume) {
        return continue_folder(r, e) != 0 ? -1 : replay_all(r, e);
    }
    for (size_t i = 0; i < r->in->args->flags.n; i++) {
        const struct setting *s = &r->in->args->flags.setting[i];
        if ((s->option->use & USE_FILE) &&
            settings_add(&r->flags, s->option, s->value, s->where) != 0) {
            return no_memory(e);
        }
    }
    if (r->config.dry_run) {
        return dry_run(r, e);
    }
    return begin_folder(r, e) != 0 ? -1 : replay_all(r, e);
}

int command_replay(const struct invocation *in, struct err *e) {
    struct replaying r = {.in = in};
    if (config_load(&r.config, &in->args->flags, USE_REPLAY, e) != 0) {
        return -1;
    }
    const int status = replay_in_folder(&r, e);
    replay_state_release(&r.state);
    replay_file_release(&r.file);
    settings_release(&r.flags);
    config_release(&r.config);
    return status;
}
