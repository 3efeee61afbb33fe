/* A published report, repeated part by part: each part is an ordinary run in a folder of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "config/replay_part.h"
#include "store/folder.h"
#include "store/replay_state.h"
#include "store/store.h"
#include "ui/ending.h"
#include "ui/replay.h"
#include "ui/replay_part.h"

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
            return err_set(e, ERR_USAGE, "%s/%s: no option is called '%s'; " STORE_REMEDY, r->dir,
                           REPLAY_JSON, name);
        }
        if (settings_add(&r->flags, o, json_string_value(value), where) != 0) {
            return no_memory(e);
        }
    }
    return 0;
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
                   : err_set(e, ERR_USAGE, "--out: the path is too long; " FILE_PATH_REMEDY);
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
        return err_set(e, ERR_USAGE, "--resume: %s is not the folder of a replay; name another",
                       r->dir);
    }
    replay_file_release(&r->file);
    return file_join(path, sizeof path, r->dir, REPLAY_INI, e) != 0 ||
                   replay_file_read(&r->file, path, e) != 0 ||
                   replay_state_read(&r->state, r->dir, e) != 0
               ? -1
               : flags_from_record(r, e);
}

/* As it is to be typed: the replay, and where its folder is; all else it knows. */
static void say_how_to_go_on(const struct replaying *r) {
    fputs("interrupted; go on with: loopbench replay ", stderr);
    ending_print_path(stderr, r->in->args->operand[0]);
    for (size_t i = 0; i < r->in->args->flags.n; i++) {
        const struct setting *s = &r->in->args->flags.setting[i];
        if (strcmp(s->option->name, "out") == 0 || strcmp(s->option->name, "results") == 0) {
            fprintf(stderr, " --%s ", s->option->name);
            ending_print_path(stderr, s->value);
        }
    }
    fputs(" --resume\n", stderr);
}

/* Every part in the file's order, then what they say. Returns the exit status. */
static int replay_all(struct replaying *r, struct err *e) {
    for (size_t i = 0; i < r->file.replay.parts && !r->interrupted; i++) {
        if (replay_part_run(r, i, e) != 0) {
            return -1;
        }
    }
    if (replay_conclude(r->dir, stdout, e) != 0) {
        return -1;
    }
    fflush(stdout);
    if (r->interrupted) {
        say_how_to_go_on(r);
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
        return replay_part_plans(r, e);
    }
    return begin_folder(r, e) != 0 ? -1 : replay_all(r, e);
}

int command_replay(const struct invocation *in, struct err *e) {
    struct replaying r = {.in = in};
    if (config_load(&r.config, &in->args->flags, USE_REPLAY, e) != 0) {
        return -1;
    }
    if (loop_init(&r.loop, e) != 0) {
        config_release(&r.config);
        return -1;
    }
    const int status = replay_in_folder(&r, e);
    loop_release(&r.loop);
    replay_state_release(&r.state);
    replay_file_release(&r.file);
    settings_release(&r.flags);
    config_release(&r.config);
    return status;
}
