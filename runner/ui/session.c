#include "ui/session.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cpus.h"
#include "base/file.h"
#include "plan/limits.h"
#include "plan/plan_json.h"
#include "report/conditions.h"
#include "run/manifest.h"
#include "sample/kernel.h"
#include "ui/left_out.h"
#include "ui/plan_print.h"

#define TICK_MS   250
#define NOTES_MAX 32

static void on_trial_start(void *ctx, int64_t n, const struct plan_block *b,
                           const struct plan_target *t, int attempt) {
    struct session *s = ctx;
    (void)n;
    progress_trial_start(s->progress, t->name, b->workload, b->connections, b->round, attempt);
}

static void on_trial_end(void *ctx, const struct trial_record *r) {
    struct session *s = ctx;
    progress_trial_end(s->progress, r);
}

static void on_block_again(void *ctx, const struct plan_block *b, const char *target,
                           const char *why) {
    struct session *s = ctx;
    progress_more(s->progress, (int64_t)b->count);
    progress_note(s->progress, "again: %s (%s %s c=%d round %d)", why, target, b->workload,
                  b->connections, b->round + 1);
}

static void on_repeats_spent(void *ctx, int64_t times) {
    struct session *s = ctx;
    /* Times and not blocks, since one may have been run again twice. */
    progress_note(s->progress,
                  "disturbed blocks were run again %" PRId64
                  " time%s, as often as --repeat-blocks %" PRId64
                  " allows: from here on they are kept and flagged",
                  times, times == 1 ? "" : "s", s->config.repeat_percent);
}

static void on_tick(uv_timer_t *timer) {
    struct session *s = timer->data;
    progress_tick(s->progress);
}

int session_dry_run(struct session *s, struct err *e) {
    struct cpusplit cpus;
    char server[CPUS_TEXT_SIZE];
    char generator[CPUS_TEXT_SIZE];
    if (setup_split_cpus(&s->config, &cpus, e) != 0) {
        return -1;
    }
    cpus_format(&cpus.server, server, sizeof server);
    cpus_format(&cpus.generator, generator, sizeof generator);
    plan_print(stdout, &s->plan, &s->config, server, generator);
    return 0;
}

/* Starts every target once; what differs ends the run before it begins. Returns the status to exit
 * with when it does, 0 to go on, -1 with *e. */
static int session_probe(struct session *s, struct err *e) {
    if (probe_targets(&s->probe, &s->run.setup, &s->plan, e) != 0) {
        return -1;
    }
    probe_note_unstopped(&s->probe, stderr);
    if (verify_failures(&s->probe.findings) > 0) {
        char first[512];
        verify_print(&s->probe.findings, false, stderr);
        verify_first_failure(&s->probe.findings, first, sizeof first);
        return err_set(e, ERR_FAILED, "nothing was measured: %s", first);
    }
    return 0;
}

static int session_begin(struct session *s, const struct invocation *in, struct err *e) {
    char own[NOTES_MAX][NOTE_SIZE];
    const char *notes[NOTES_MAX + 2] = {NULL};
    size_t n = left_out_notes(&s->config, own, NOTES_MAX);
    for (size_t i = 0; i < n; i++) {
        notes[i] = own[i];
        fprintf(stderr, "note: %s\n", own[i]);
    }
    if (!s->config.verify) {
        notes[n] = "replies were not verified (--no-verify)";
    }
    struct manifest_input m = {
        .setup = &s->run.setup,
        .plan = &s->plan,
        .argc = in->argc,
        .argv = in->argv,
        .targets = s->probe.targets,
        .gnuplot = "gnuplot",
        .notes = notes,
    };
    json_t *manifest = manifest_make(&m);
    json_t *left_out = left_out_json(&s->config);
    if (manifest && left_out) {
        json_object_set(manifest, "left_out", left_out);
    }
    json_decref(left_out);
    if (manifest && s->extra) {
        json_object_update(manifest, s->extra);
    }
    char *config = config_dump(&s->config);
    char *plan = plan_to_json(&s->plan);
    if (!manifest || !config || !plan) {
        err_set(e, ERR_MACHINE, "out of memory");
    } else {
        struct writer_begin b = {
            .results = s->config.results,
            .out = s->config.out,
            .manifest = manifest,
            .config = config,
            .plan = plan,
        };
        s->run.writer = writer_begin(&b, e);
        s->manifest = json_incref(manifest);
    }
    json_decref(manifest);
    free(config);
    free(plan);
    return s->run.writer ? 0 : -1;
}

/* What is known beforehand to go wrong, or to hurt. */
static void session_warn(struct session *s, const json_t *manifest) {
    struct kernel_conntrack tracked;
    struct condition found[CONDITIONS_MAX];
    char text[CONDITION_TEXT_MAX];
    kernel_read_conntrack("", &tracked);
    if (limits_judge_tracked(limits_connections_made(&s->config, s->plan.trial_count),
                             tracked.count, tracked.max, text, sizeof text)) {
        progress_note(s->progress, "warning: %s", text);
    }
    const size_t n = conditions_read(manifest, found);
    for (size_t i = 0; i < n; i++) {
        condition_text(&found[i], text, sizeof text);
        progress_note(s->progress, "warning: %s", text);
    }
}

static int session_measure(struct session *s, struct err *e) {
    const struct store *before = writer_before(s->run.writer);
    int64_t done = 0;
    for (size_t i = 0; before && i < s->plan.trial_count; i++) {
        done += store_last(before, (int64_t)i) != NULL;
    }
    struct progress_style style = progress_style_for(stderr, s->config.quiet);
    s->progress = progress_begin(stderr, style, (int64_t)s->plan.trial_count, done,
                                 plan_estimate_ns(&s->plan, &s->config));
    if (!s->progress) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    if (before && before->lost > 0) {
        progress_note(s->progress,
                      "note: the run was complete, but %zu of its trials are gone from "
                      "trials.jsonl; they are measured again",
                      before->lost);
    }
    session_warn(s, before ? before->manifest : s->manifest);
    s->run.events = (struct run_events){
        .ctx = s,
        .trial_start = on_trial_start,
        .trial_end = on_trial_end,
        .block_again = on_block_again,
        .repeats_spent = on_repeats_spent,
    };
    if (style.mode == PROGRESS_BAR) {
        uv_timer_init(&s->loop.uv, &s->tick);
        s->tick.data = s;
        uv_timer_start(&s->tick, on_tick, TICK_MS, TICK_MS);
        uv_unref((uv_handle_t *)&s->tick);
    }
    int rc = run_execute(&s->run, e);
    progress_end(s->progress);
    s->progress = NULL;
    return rc;
}

int session_open(struct session *s, struct err *e) {
    char gnuplot[PATH_MAX];
    if (s->config.report && file_which("gnuplot", gnuplot, sizeof gnuplot) != 0) {
        return err_set(e, ERR_MACHINE,
                       "gnuplot is not installed, so there would be no plots; install it (Debian: "
                       "gnuplot-nox) or run with --no-report");
    }
    if (loop_init(&s->loop, e) != 0) {
        return -1;
    }
    s->looping = true;
    s->run.plan = &s->plan;
    s->run.repeats_max = plan_repeats_max(&s->plan, &s->config);
    return setup_init(&s->run.setup, &s->loop, &s->config, plan_max_connections(&s->plan), e);
}

int session_execute(struct session *s, const struct invocation *in, struct err *e) {
    int rc = session_probe(s, e);
    if (rc == 0 && !s->run.writer) {
        rc = session_begin(s, in, e);
    }
    if (rc == 0) {
        rc = session_measure(s, e);
    }
    if (rc != 0 && s->loop.interrupted && e->class == ERR_NONE) {
        return err_set(e, ERR_FAILED, "interrupted before anything was measured");
    }
    return rc;
}

int session_run(struct session *s, const struct invocation *in, struct err *e) {
    if (s->config.dry_run) {
        return session_dry_run(s, e);
    }
    if (session_open(s, e) != 0 || session_execute(s, in, e) != 0) {
        return -1;
    }
    return session_finish(s, e);
}

void session_release(struct session *s) {
    progress_end(s->progress);
    /* Still there: it was left before its end, which wrote the state, or before it began. */
    if (s->run.writer) {
        struct err ignored;
        writer_end(s->run.writer, STORE_INTERRUPTED, &ignored);
    }
    writer_release(s->run.writer);
    probe_release(&s->probe);
    if (s->looping) {
        setup_release(&s->run.setup);
        loop_release(&s->loop);
    }
    json_decref(s->extra);
    json_decref(s->manifest);
    plan_release(&s->plan);
    config_release(&s->config);
}
