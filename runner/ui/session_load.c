/* Configuration and plan: of a new run, or of one that is gone on with. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/options.h"
#include "plan/plan_json.h"
#include "report/calibration.h"
#include "report/crosscheck.h"
#include "store/counts.h"
#include "ui/left_out.h"
#include "ui/session.h"

int session_plan(struct session *s, struct err *e) {
    s->begun_ns = clock_mono_ns();
    return plan_make(&s->plan, &s->config, e);
}

int session_plan_installed(struct session *s, struct err *e) {
    return left_out_find(&s->config, stderr, e) != 0 ? -1 : session_plan(s, e);
}

/* The rest of a run must be measured as its beginning was: config.ini still says what the manifest
 * recorded. Options the manifest does not know are younger than the run. */
static int session_check_same(const struct config *c, const struct store *before, struct err *e) {
    const json_t *begun = json_object_get(before->manifest, "options");
    for (size_t i = 0; i < options_count(); i++) {
        const char *was = options[i].use & USE_FILE
                              ? json_string_value(json_object_get(begun, options[i].name))
                              : NULL;
        char *now = was ? config_value_text(c, &options[i]) : NULL;
        bool same = !was || strcmp(was, now ? now : "") == 0;
        if (!same) {
            err_set(e, ERR_USAGE,
                    "%s/config.ini: %s is '%s', but the run was begun with '%s'; put it back, or "
                    "begin a new run",
                    before->dir, options[i].name, now ? now : "", was);
        }
        free(now);
        if (!same) {
            return -1;
        }
    }
    return 0;
}

/* So must guests be what they were: a run recorded what each said of itself. */
static int session_check_guests(const struct config *c, const char *dir, struct err *e) {
    for (size_t i = 0; i < c->target_count; i++) {
        if (c->target[i].changed) {
            return err_set(e, ERR_USAGE,
                           "the target.ini of %s is not what it was when %s was begun; put it "
                           "back, or begin a new run",
                           c->target[i].name, dir);
        }
    }
    return 0;
}

/* Configuration and plan as they stand in the folder. */
static int session_reload(struct session *s, const struct settings *flags, struct err *e) {
    char *ini = NULL;
    char *plan = NULL;
    struct config old = {0};
    char where[4200];
    const struct store *before = writer_before(s->run.writer);
    s->calibration = calibration_is(before);
    s->crosscheck = crosscheck_is(before);
    snprintf(where, sizeof where, "%s/config.ini", before->dir);
    int rc = store_read_text(before, "config.ini", &ini, e);
    if (rc == 0) {
        rc = config_load_text(&old, ini, strlen(ini), where, flags, USE_RUN, e);
    }
    if (rc == 0) {
        config_release(&s->config);
        s->config = old;
        rc = session_check_same(&s->config, before, e);
    }
    if (rc == 0) {
        rc = session_check_guests(&s->config, before->dir, e);
    }
    if (rc == 0) {
        rc = store_read_text(before, "plan.json", &plan, e);
    }
    if (rc == 0) {
        snprintf(where, sizeof where, "%s/plan.json", before->dir);
        rc = plan_from_json(&s->plan, plan, strlen(plan), where, e);
    }
    /* Sections of targets, the plan, and whatever else the options above do not say. */
    if (rc == 0 && before->changed) {
        rc = err_set(e, ERR_USAGE,
                     "%s/%s is not as it was when the run was begun; put it back, or begin a new "
                     "run",
                     before->dir, before->changed);
    }
    free(ini);
    free(plan);
    return rc;
}

/* Counts are not resumed: what is missing is counted in seconds. */
static int session_check_timed(const char *dir, struct err *e) {
    struct store store;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    const bool counts = counts_only(store.manifest);
    store_release(&store);
    return counts ? err_set(e, ERR_USAGE,
                            "%s is a run of counts; add what is missing by `loopbench count --add`",
                            dir)
                  : 0;
}

int session_load(struct session *s, const struct invocation *in, struct err *e) {
    s->begun_ns = clock_mono_ns();
    if (config_load(&s->config, &in->args->flags, USE_RUN, e) != 0) {
        return -1;
    }
    if (!s->config.resume) {
        return session_plan_installed(s, e);
    }
    if (session_check_timed(s->config.resume, e) != 0) {
        return -1;
    }
    s->run.writer = writer_resume(s->config.resume, e);
    return s->run.writer ? session_reload(s, &in->args->flags, e) : -1;
}
