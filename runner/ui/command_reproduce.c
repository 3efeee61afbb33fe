/* A recorded run, run again and held against itself. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/compare_alike.h"
#include "report/compare_ratios.h"
#include "report/reproduction.h"
#include "report/text.h"
#include "run/manifest.h"
#include "store/catalog.h"
#include "store/manifest.h"
#include "report/calibration.h"
#include "report/crosscheck.h"
#include "report/reading.h"
#include "base/caller.h"
#include "ui/ending.h"
#include "ui/recorded.h"
#include "ui/session.h"

static bool is_given(const struct settings *flags, const char *name) {
    for (size_t i = 0; i < flags->n; i++) {
        if (strcmp(flags->setting[i].option->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static int add_setting(struct settings *out, const char *name, const char *value,
                       const char *where) {
    return settings_add(out, option_find(name, USE_RUN | USE_REPRODUCE), value, where);
}

/* This invocation's flags, and what the recorded file says of another place or of chance. */
static int make_flags(struct settings *out, const struct settings *flags) {
    static const char *const places[][2] = {
        {"results", "results"}, {"servers", "auto"}, {"guests", "auto"}};
    int rc = 0;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        rc |= add_setting(out, places[i][0], places[i][1], places[i][0]);
    }
    if (!is_given(flags, "same-seed")) {
        rc |= add_setting(out, "seed", "auto", "--no-same-seed");
    }
    for (size_t i = 0; i < flags->n; i++) {
        const struct setting *s = &flags->setting[i];
        if (strcmp(s->option->name, "same-seed") == 0 && strcmp(s->value, "no") == 0) {
            rc |= add_setting(out, "seed", "auto", s->where);
        }
        rc |= settings_add(out, s->option, s->value, s->where);
    }
    return rc;
}

static int load_recorded(struct session *s, const struct store *store, const struct settings *given,
                         struct err *e) {
    struct settings flags = {0};
    char *ini = NULL;
    char where[PATH_MAX + 16];
    snprintf(where, sizeof where, "%s/config.ini", store->dir);
    int rc = store_read_text(store, "config.ini", &ini, e);
    if (rc == 0 && make_flags(&flags, given) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    if (rc == 0) {
        rc = config_load_text(&s->config, ini, strlen(ini), where, &flags, USE_RUN | USE_REPRODUCE,
                              e);
    }
    settings_release(&flags);
    free(ini);
    return rc;
}

/* ---- what differs here */

static void put_inert(const char *label, const char *text) {
    char shown[4 * ALIKE_TEXT_MAX + 8];
    const bool utf8 = progress_style_for(stdout, false).utf8;
    text_terminal(shown, sizeof shown, text, ALIKE_TEXT_MAX, utf8);
    printf("%s%s\n", label, shown);
}

static size_t print_changed_guests(const struct config *c) {
    size_t n = 0;
    for (size_t i = 0; i < c->target_count; i++) {
        if (c->target[i].changed) {
            printf("differs: the target.ini of %s says something else now; it runs as recorded\n",
                   c->target[i].name);
            n++;
        }
    }
    return n;
}

static void print_differences(const struct alike *a, const struct config *c) {
    if (a->machine[0]) {
        put_inert("another machine, so only directions will be judged: ", a->machine);
    } else {
        puts("the same machine, as far as is recorded");
    }
    for (size_t i = 0; i < a->notes; i++) {
        put_inert("differs: ", a->note[i]);
    }
    if (print_changed_guests(c) + a->notes == 0) {
        puts("versions, flags and settings are as recorded");
    }
    fflush(stdout);
}

/* The manifest that a run begun now would have, held against the recorded one. */
static int check_here(struct session *s, const struct invocation *in, const struct store *store,
                      struct alike *a, struct err *e) {
    struct probe probe = {0};
    if (probe_targets(&probe, &s->run.setup, &s->plan, e) != 0) {
        return e->class == ERR_NONE ? err_set(e, ERR_FAILED,
                                              "interrupted before anything was "
                                              "measured")
                                    : -1;
    }
    probe_note_unstopped(&probe, stderr);
    const struct manifest_input m = {.setup = &s->run.setup,
                                     .plan = &s->plan,
                                     .argc = in->argc,
                                     .argv = in->argv,
                                     .targets = probe.targets,
                                     .gnuplot = "gnuplot"};
    json_t *now = manifest_make(&m);
    int rc = now ? 0 : err_set(e, ERR_MACHINE, "out of memory");
    if (rc == 0) {
        alike_judge(a, store->manifest, now, recorded_default);
        if (a->unlike[0]) {
            rc = err_set(
                e, ERR_MACHINE,
                "cannot repeat %s here: as recorded, and as it would be now: %s; make it as it "
                "was, or begin a new run",
                store->dir, a->unlike);
        }
    }
    json_decref(now);
    probe_release(&probe);
    return rc;
}

/* ---- the outcome */

/* Judges the run that was just measured, and puts what came out beside it, so that its report can
 * say so too. Returns 0, or -1 with *e. */
static int judge(const struct reading *before, const struct reading *after,
                 const struct alike *alike, struct ratios *r, struct err *e) {
    if (ratios_make(r, &before->verdicts, &after->verdicts, alike->machine[0], NULL, e) != 0) {
        return -1;
    }
    if (reproduction_write(before, after, alike, r, e) != 0) {
        ratios_release(r);
        return -1;
    }
    return 0;
}

/* The new run's report and last lines come first, as of any run; then what came out. */
static int conclude(struct session *s, const struct reading *before, const struct alike *alike,
                    struct err *e) {
    struct reading after;
    struct ratios r = {0};
    if (reading_open(&after, writer_dir(s->run.writer), e) != 0) {
        return -1;
    }
    int outcome = judge(before, &after, alike, &r, e);
    struct err later = {0};
    const int status = session_finish(s, outcome == 0 ? e : &later);
    if (outcome == 0) {
        ratios_print(stdout, &r, &before->cells, progress_style_for(stdout, false).utf8);
        outcome = r.holds ? 0 : ERR_FAILED;
        ratios_release(&r);
    }
    reading_release(&after);
    return outcome != 0 ? outcome : status;
}

/* What is resumed is an ordinary run, which nobody holds against the earlier one. */
static int leave_off(struct session *s, const struct reading *before, struct err *e) {
    char folder[2][PATH_MAX];
    caller_shown(before->store.dir, folder[0], sizeof folder[0]);
    caller_shown(writer_dir(s->run.writer), folder[1], sizeof folder[1]);
    const int status = session_finish(s, e);
    fputs("what comes of it is not judged then; hold the two against each other with: loopbench "
          "compare",
          stderr);
    for (size_t i = 0; i < 2; i++) {
        fputc(' ', stderr);
        ending_print_path(stderr, folder[i]);
    }
    fputc('\n', stderr);
    return status;
}

static int run_again(struct session *s, const struct invocation *in, const struct reading *before,
                     struct err *e) {
    struct alike alike = {0};
    if (session_plan(s, e) != 0 || session_open(s, e) != 0 ||
        check_here(s, in, &before->store, &alike, e) != 0) {
        return -1;
    }
    print_differences(&alike, &s->config);
    if (s->config.dry_run) {
        return session_dry_run(s, e);
    }
    s->extra = json_pack("{s:{s:O}}", "reproduces", "run_id",
                         json_object_get(before->store.manifest, "run_id"));
    if (!s->extra) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    if (session_execute(s, in, e) != 0) {
        return -1;
    }
    return s->run.interrupted ? leave_off(s, before, e) : conclude(s, before, &alike, e);
}

static int reproduce(const struct invocation *in, const char *dir, struct err *e) {
    struct reading before;
    struct session s = {0};
    char kind[32];
    if (reading_open(&before, dir, e) != 0) {
        return -1;
    }
    int status;
    if (strcmp(manifest_text(before.store.manifest, "kind", kind, sizeof kind, ""),
               CALIBRATION_KIND) == 0) {
        status =
            err_set(e, ERR_USAGE, "%s is a calibration; repeat it by `loopbench calibrate`", dir);
    } else if (crosscheck_is(&before.store)) {
        status =
            err_set(e, ERR_USAGE, "%s is a cross-check; repeat it by `loopbench crosscheck`", dir);
    } else {
        status = load_recorded(&s, &before.store, &in->args->flags, e);
    }
    if (status == 0) {
        status = run_again(&s, in, &before, e);
    }
    session_release(&s);
    reading_release(&before);
    return status;
}

int command_reproduce(const struct invocation *in, struct err *e) {
    struct config c = {0};
    char dir[PATH_MAX];
    /* Only for where runs are; the recorded configuration is another. */
    if (config_load(&c, &in->args->flags, USE_REPRODUCE, e) != 0) {
        return -1;
    }
    const int rc = catalog_resolve(c.results, in->args->operand[0], dir, sizeof dir, e);
    config_release(&c);
    return rc == 0 ? reproduce(in, dir, e) : -1;
}
