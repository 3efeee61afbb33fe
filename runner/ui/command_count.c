/* count: what one request costs, in a run folder of its own or added to a run. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "count/cell.h"
#include "count/scratch.h"
#include "plan/plan_json.h"
#include "report/counts.h"
#include "report/report.h"
#include "run/manifest.h"
#include "run/probe.h"
#include "store/catalog.h"
#include "store/manifest.h"
#include "store/writer.h"
#include "ui/commands.h"
#include "ui/count_config.h"
#include "ui/progress.h"

struct counting {
    struct config config;
    struct plan plan;
    struct loop loop;
    bool looping;
    struct setup setup;
    struct probe probe;
    struct count_paths paths;
    struct writer *writer; /* of a run of its own */
    char dir[PATH_MAX];    /* of the run */
    struct scratch scratch;
    int fd;                         /* counts.jsonl */
    int64_t begun, counted, failed; /* cells; failed: in part at least */
    bool interrupted;
};

/* ---- what can be counted here */

static int check_tools(struct counting *k, struct err *e) {
    char missing[512] = "";
    size_t used = 0;
    size_t there = k->paths.preload[0] != '\0';
    for (size_t i = 0; count_tools[i]; i++) {
        struct err why = {0};
        if (!count_tools[i]->check) {
            continue;
        }
        if (count_tools[i]->check(&k->paths, &why) == 0) {
            there++;
            continue;
        }
        fprintf(stderr, "loopbench: %s: %s will not be counted\n", why.text,
                count_info(count_tools[i]->kinds[0])->title);
        used += (size_t)snprintf(missing + used, sizeof missing - used, "%s%.150s",
                                 used ? "; " : "", why.text);
    }
    return there > 0 ? 0
                     : err_set(e, ERR_MACHINE, "nothing can be counted here: %s%s", missing,
                               "; the library that counts allocations (alloccount.so) is not "
                               "beside the servers");
}

static int prepare(struct counting *k, struct err *e) {
    if (loop_init(&k->loop, e) != 0) {
        return -1;
    }
    k->looping = true;
    if (setup_init_counts(&k->setup, &k->loop, &k->config, plan_max_connections(&k->plan), e) !=
        0) {
        return -1;
    }
    count_paths_find(&k->paths, k->setup.servers);
    if (check_tools(k, e) != 0 || scratch_make(&k->scratch, e) != 0 ||
        probe_targets(&k->probe, &k->setup, &k->plan, e) != 0) {
        return -1;
    }
    probe_note_unstopped(&k->probe, stderr);
    if (verify_failures(&k->probe.findings) > 0) {
        char first[512];
        verify_print(&k->probe.findings, false, stderr);
        verify_first_failure(&k->probe.findings, first, sizeof first);
        return err_set(e, ERR_FAILED, "nothing was counted: %s", first);
    }
    return 0;
}

/* ---- the folder */

static int begin_run(struct counting *k, const struct invocation *in, struct err *e) {
    const struct manifest_input m = {
        .setup = &k->setup,
        .plan = &k->plan,
        .argc = in->argc,
        .argv = in->argv,
        .targets = k->probe.targets,
        .gnuplot = "gnuplot",
    };
    json_t *manifest = manifest_make(&m);
    char *config = config_dump(&k->config);
    char *plan = plan_to_json(&k->plan);
    if (!manifest || !config || !plan ||
        json_object_set_new(manifest, "kind", json_string(COUNTS_KIND)) != 0) {
        err_set(e, ERR_MACHINE, "out of memory");
    } else {
        const struct writer_begin b = {
            .results = k->config.results,
            .out = k->config.out,
            .manifest = manifest,
            .config = config,
            .plan = plan,
        };
        k->writer = writer_begin(&b, e);
    }
    json_decref(manifest);
    free(config);
    free(plan);
    if (!k->writer) {
        return -1;
    }
    snprintf(k->dir, sizeof k->dir, "%s", writer_dir(k->writer));
    return 0;
}

/* ---- counting */

static void say_begin(const struct counting *k, const struct count_record *r, int64_t n) {
    if (!k->config.quiet) {
        fprintf(stderr, "[%" PRId64 "/%zu] %s %s c=%d", n, k->plan.trial_count, r->target,
                r->workload, r->connections);
        if (r->pipeline > 1) {
            fprintf(stderr, " p=%d", r->pipeline);
        }
        fputs(": ", stderr);
        fflush(stderr);
    }
}

static void say_end(const struct counting *k, const struct count_record *r) {
    char text[256];
    if (!k->config.quiet) {
        counts_line(text, sizeof text, r);
        fprintf(stderr, "%s (%.1f s)\n", k->interrupted ? "interrupted" : text, r->wall_s);
    }
}

/* A tool under which an interpreter starts takes minutes; what the others have counted until then
 * is kept, but does not take the place of a whole record. */
static int keep_interrupted(struct counting *k, const struct count_record *r, struct err *e) {
    struct counts before;
    if (!count_cell_has(r) || counts_read(&before, k->dir, e) != 0) {
        return -1;
    }
    if (!counts_find(&before, r->target, r->workload, r->connections, r->pipeline)) {
        counts_append(k->fd, r, e);
    }
    counts_release(&before);
    return -1;
}

static const char *elsewhere_of(enum target_place place) {
    switch (place) {
    case PLACE_PROCESS:
        return NULL;
    case PLACE_URL:
        return "it runs already: loopbench did not start it and can put no tool before it";
    default:
        return "it runs in a container, where no tool of this machine can be put before it";
    }
}

static int count_trial(struct counting *k, const struct plan_trial *t, struct err *e) {
    const struct plan_block *b = &k->plan.block[t->block];
    const struct plan_target *target = &k->plan.target[t->target];
    const struct target_config *config = config_target(&k->config, target->base);
    struct count_record r;
    struct count_subject s = {
        .loop = &k->loop,
        .ops = setup_launcher(config),
        .elsewhere = elsewhere_of(config->place),
        .workload = workload_find(b->workload),
        .connections = b->connections,
        .pipeline = (int)k->config.pipeline,
        .paths = &k->paths,
        .dir = k->scratch.dir,
    };
    char **command = NULL;
    if (setup_target(&k->setup, config, &s.spec, &command, e) != 0) {
        return -1;
    }
    count_record_init(&r);
    r.seq = t->seq;
    snprintf(r.target, sizeof r.target, "%s", target->name);
    snprintf(r.base, sizeof r.base, "%s", target->base);
    snprintf(r.workload, sizeof r.workload, "%s", b->workload);
    r.connections = s.connections;
    r.pipeline = s.pipeline;
    r.low = k->config.requests_low;
    r.high = k->config.requests_high;
    say_begin(k, &r, ++k->begun);
    const enum cell_end end = count_cell(&s, &r);
    setup_free_command(command);
    k->interrupted = end == CELL_INTERRUPTED;
    say_end(k, &r);
    if (k->interrupted) {
        return keep_interrupted(k, &r, e);
    }
    k->counted += end != CELL_FAILED;
    k->failed += end != CELL_COUNTED;
    return counts_append(k->fd, &r, e);
}

static const struct plan_trial *find_trial(const struct plan *p, const char *workload,
                                           int64_t connections, size_t target) {
    for (size_t i = 0; i < p->trial_count; i++) {
        const struct plan_block *b = &p->block[p->trial[i].block];
        if (p->trial[i].target == target && b->connections == connections &&
            strcmp(b->workload, workload) == 0) {
            return &p->trial[i];
        }
    }
    return NULL;
}

/* In the order of the configuration, in which they are shown: counts have no drift to spread. */
static int count_all(struct counting *k, struct err *e) {
    const struct config *c = &k->config;
    const size_t targets = k->plan.target_count;
    const size_t all = c->workloads.n * c->connections.n * targets;
    for (size_t i = 0; i < all; i++) {
        const size_t level = i / targets % c->connections.n;
        const char *workload = c->workloads.name[i / targets / c->connections.n];
        const struct plan_trial *t =
            find_trial(&k->plan, workload, c->connections.value[level], i % targets);
        if (t && (k->loop.interrupted || count_trial(k, t, e) != 0)) {
            k->interrupted = k->interrupted || k->loop.interrupted;
            return -1;
        }
    }
    return 0;
}

static int measure(struct counting *k, const struct invocation *in, struct err *e) {
    if (!k->config.add && begin_run(k, in, e) != 0) {
        return -1;
    }
    k->fd = counts_open(k->dir, e);
    if (k->fd < 0) {
        return -1;
    }
    int rc = count_all(k, e);
    struct err ignored = {0};
    if (counts_note(k->dir, k->writer, rc == 0 ? e : &ignored) != 0) {
        rc = -1;
    }
    if (k->writer) {
        writer_end(k->writer, rc == 0 ? STORE_COMPLETE : STORE_INTERRUPTED, &ignored);
    }
    return rc != 0 && !k->interrupted ? -1 : 0;
}

/* ---- the end */

static int conclude(struct counting *k, struct err *e) {
    struct counts counts;
    const struct report_options o = {
        .plots = k->config.plots && strcmp(k->config.plots, "auto") != 0 ? k->config.plots : NULL,
        .no_plots = !k->config.report || k->interrupted,
        .notes = stderr,
    };
    int status = k->failed > 0 || k->interrupted ? ERR_FAILED : 0;
    writer_release(k->writer);
    k->writer = NULL;
    if (counts_read(&counts, k->dir, e) != 0) {
        return -1;
    }
    counts_print(stdout, &counts, progress_style_for(stdout, false).utf8);
    counts_release(&counts);
    if (k->config.report && k->counted > 0 && report_write(k->dir, &o, e) != 0) {
        fprintf(stderr, "loopbench: %s\n", e->text);
        status = status ? status : (int)e->class;
    }
    fflush(stdout);
    fprintf(stderr, "%s%s\n", k->interrupted ? "interrupted; what was counted is in " : "", k->dir);
    return status;
}

static void release(struct counting *k) {
    struct err ignored;
    if (k->fd >= 0) {
        close(k->fd);
    }
    if (k->writer) {
        writer_end(k->writer, STORE_INTERRUPTED, &ignored);
    }
    writer_release(k->writer);
    probe_release(&k->probe);
    scratch_remove(&k->scratch);
    if (k->looping) {
        setup_release(&k->setup);
        loop_release(&k->loop);
    }
    plan_release(&k->plan);
    config_release(&k->config);
}

int command_count(const struct invocation *in, struct err *e) {
    struct counting k = {.fd = -1, .setup = {.log_fd = -1}};
    int status = -1;
    if (count_config(&k.config, k.dir, sizeof k.dir, in, e) == 0 &&
        plan_make(&k.plan, &k.config, e) == 0 && prepare(&k, e) == 0 && measure(&k, in, e) == 0) {
        status = conclude(&k, e);
    } else if (e->class == ERR_NONE && k.loop.interrupted) {
        err_set(e, ERR_FAILED, "interrupted before anything was counted");
    }
    release(&k);
    return status;
}
