#include "ui/plan_print.h"

#include <inttypes.h>
#include <string.h>

#include "ui/ending.h"

static void plan_print_label(FILE *out, const char *label) {
    fprintf(out, "  %-12s ", label);
}

static void plan_print_targets(FILE *out, const struct plan *p) {
    plan_print_label(out, "targets");
    for (size_t i = 0; i < p->target_count; i++) {
        const struct plan_target *t = &p->target[i];
        fprintf(out, "%s%s", i > 0 ? ", " : "", t->name);
        if (t->role == PLAN_CONTROL) {
            fputs(" (A/A control)", out);
        } else if (t->role == PLAN_NULL) {
            fputs(" (ceiling)", out);
        }
    }
    fputc('\n', out);
}

static void plan_print_names(FILE *out, const char *label, const struct names *names) {
    plan_print_label(out, label);
    for (size_t i = 0; i < names->n; i++) {
        fprintf(out, "%s%s", i > 0 ? ", " : "", names->name[i]);
    }
    fputc('\n', out);
}

static void plan_print_cells(FILE *out, const struct config *c) {
    plan_print_names(out, "workloads", &c->workloads);
    plan_print_label(out, "connections");
    for (size_t i = 0; i < c->connections.n; i++) {
        fprintf(out, "%s%" PRId64, i > 0 ? ", " : "", c->connections.value[i]);
    }
    fputc('\n', out);
}

static void plan_print_side(FILE *out, const char *label, const char *cpus, int64_t n,
                            const char *of) {
    plan_print_label(out, label);
    if (*cpus) {
        fprintf(out, "pinned to CPU %s", cpus);
    } else {
        fputs("not pinned", out);
    }
    fprintf(out, ", %" PRId64 " %s%s\n", n, of, n == 1 ? "" : "s");
}

static void plan_print_first_round(FILE *out, const struct plan *p) {
    int first = p->block[0].round;
    fputs("\nThe first round, in this order:\n", out);
    for (size_t b = 0; b < p->block_count && p->block[b].round == first; b++) {
        const struct plan_block *block = &p->block[b];
        fprintf(out, "  %-10s %5d  ", block->workload, block->connections);
        for (size_t i = 0; i < block->count; i++) {
            fprintf(out, " %s", p->target[p->trial[block->first + i].target].name);
        }
        fputc('\n', out);
    }
}

/* Not part of the estimate: on a quiet machine there are none. */
static void plan_print_repeats(FILE *out, const struct plan *p, const struct config *c) {
    int64_t blocks = plan_repeats_max(p, c);
    size_t largest = 0;
    for (size_t b = 0; b < p->block_count; b++) {
        largest = p->block[b].count > largest ? p->block[b].count : largest;
    }
    if (blocks > 0) {
        fprintf(out, "up to %" PRId64 " more where the machine is disturbed (--repeat-blocks)\n",
                blocks * (int64_t)largest);
    }
}

static void plan_print_mode(FILE *out, const struct config *c) {
    char mode[CONFIG_MODE_SIZE];
    config_mode_text(c, mode, sizeof mode);
    if (*mode) {
        plan_print_label(out, "mode");
        fprintf(out, "%s\n", mode);
    }
}

void plan_print(FILE *out, const struct plan *p, const struct config *c, const char *server_cpus,
                const char *generator_cpus) {
    char warmup[32];
    char window[32];
    char total[48];
    value_duration_text(c->warmup_ns, warmup, sizeof warmup);
    if (c->requests > 0) {
        snprintf(window, sizeof window, "%" PRId64 " requests", c->requests);
    } else {
        value_duration_text(c->duration_ns, window, sizeof window);
    }
    ending_duration_text(plan_estimate_ns(p, c), total, sizeof total);
    fprintf(out, "%zu trials in %zu blocks, %d round%s, about %s%s\n", p->trial_count,
            p->block_count, p->rounds, p->rounds == 1 ? "" : "s", total,
            c->requests > 0 ? " and what the requests take" : "");
    plan_print_repeats(out, p, c);
    fputc('\n', out);
    plan_print_label(out, "profile");
    fprintf(out, "%s\n", c->profile);
    plan_print_targets(out, p);
    plan_print_cells(out, c);
    plan_print_label(out, "trial");
    fprintf(out, "a fresh process, %s warm-up, %s measured\n", warmup, window);
    plan_print_mode(out, c);
    plan_print_side(out, "server", server_cpus, c->workers, "worker");
    plan_print_side(out, "generator", generator_cpus, c->threads, "thread");
    plan_print_label(out, "verify");
    fputs(c->verify ? "replies are checked first\n" : "off: replies are not checked\n", out);
    plan_print_label(out, "seed");
    fprintf(out, "%" PRIu64 "\n", p->seed);
    plan_print_first_round(out, p);
}
