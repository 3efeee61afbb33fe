#include "report/plots.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/loop.h"
#include "report/plot_parts.h"

/* A plot takes a tenth of a second; a machine under full load ten times that. */
#define LIMIT_NS (60 * 1000000000LL)

static const struct {
    const char *name; /* of the file */
    const char *title;
    const char *program;
} kinds[PLOT_COUNT] = {
    [PLOT_RATIOS] = {"ratios", "Differences and their intervals", "forest"},
    [PLOT_CPU] = {"cpu", "Server CPU per request", "lines"},
    [PLOT_ROUNDS_CPU] = {"rounds-cpu", "Server CPU per request, every round", "strip"},
    [PLOT_RATE] = {"throughput", "Throughput", "lines"},
    [PLOT_ROUNDS_RATE] = {"rounds-throughput", "Throughput, every round", "strip"},
    [PLOT_LATENCY] = {"latency", "Latency", "lines"},
    [PLOT_PERCENTILES] = {"percentiles", "Latency percentiles", "percentiles"},
    [PLOT_MEMORY] = {"memory", "Memory of the server", "lines"},
    [PLOT_MEMORY_TIME] = {"memory-time", "Memory of the server over time", "series"},
};

/* File names of two workloads must differ even where what a file name may hold is the same. */
static void plot_name(struct plot *p, size_t workload, const struct cells *c) {
    char safe[56];
    text_file_name(safe, sizeof safe, p->workload);
    bool taken = strcmp(safe, p->workload) != 0;
    for (size_t i = 0; i < workload && taken; i++) {
        char other[56];
        text_file_name(other, sizeof other, c->workloads[i]);
        if (strcmp(other, safe) == 0) {
            snprintf(p->name, sizeof p->name, "%s-%s-%zu", kinds[p->kind].name, safe, workload + 1);
            return;
        }
    }
    snprintf(p->name, sizeof p->name, "%s-%s", kinds[p->kind].name, safe);
}

static void plot_init(struct plot *p, enum plot_kind kind, size_t workload, const struct cells *c) {
    char shown[4 * 24 + 8];
    *p = (struct plot){
        .kind = kind, .heading = kinds[kind].title, .workload = c->workloads[workload]};
    p->dots = c->level_count == 1 && strcmp(kinds[kind].program, "lines") == 0;
    p->program = p->dots ? "dots" : kinds[kind].program;
    plot_name(p, workload, c);
    text_terminal(shown, sizeof shown, p->workload, 24, true);
    snprintf(p->title, sizeof p->title, "%s: %s", kinds[kind].title, shown);
}

/* Pictures of an earlier report must not stand beside this one's. */
static void remove_old(const char *folder) {
    static const char *const endings[] = {".svg", ".png", ".tmp", ".dat", ".gp"};
    DIR *d = opendir(folder);
    const struct dirent *entry;
    while (d && (entry = readdir(d))) {
        const char *dot = strrchr(entry->d_name, '.');
        for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++) {
            if (strcmp(dot, endings[i]) == 0) {
                unlinkat(dirfd(d), entry->d_name, 0);
            }
        }
    }
    if (d) {
        closedir(d);
    }
}

static int make_folders(const char *dir, struct err *e) {
    char plots[4096];
    static const char *const folders[] = {"", "data", "narrow"};
    if (file_join(plots, sizeof plots, dir, "plots", e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        char folder[4096];
        if (file_join(folder, sizeof folder, plots, folders[i], e) != 0 ||
            file_mkdirs(folder, e) != 0) {
            return -1;
        }
        remove_old(folder);
    }
    return 0;
}

static int write_plot(struct plots *p, const struct plot *plot, const struct verdicts *v,
                      struct err *e) {
    switch (plot->kind) {
    case PLOT_RATIOS:
        return plot_write_ratios(plot, v, e);
    case PLOT_ROUNDS_CPU:
    case PLOT_ROUNDS_RATE:
        return plot_write_rounds(plot, v->cells, e);
    case PLOT_PERCENTILES:
        return plot_write_curves(plot, v->cells, &p->damage, e);
    case PLOT_MEMORY_TIME:
        return plot_write_series(plot, v->cells, e);
    default:
        return plot_write_figures(plot, v->cells, e);
    }
}

static int write_data(struct plots *p, const struct verdicts *v, struct err *e) {
    const struct cells *c = v->cells;
    for (size_t w = 0; w < c->workload_count; w++) {
        for (int kind = 0; kind < PLOT_COUNT; kind++) {
            struct plot *plot = &p->plot[p->count];
            plot_init(plot, (enum plot_kind)kind, w, c);
            int drawn = write_plot(p, plot, v, e);
            if (drawn < 0) {
                return -1;
            }
            p->count += (size_t)drawn;
        }
    }
    return 0;
}

int plots_draw(struct plots *p, const char *dir, const struct plots_options *o, struct err *e) {
    char programs[4096];
    struct loop loop;
    if (gnuplot_find_programs(o->programs, programs, sizeof programs, e) != 0 ||
        loop_init(&loop, e) != 0) {
        p->count = 0;
        return -1;
    }
    const struct gnuplot g = {
        .loop = &loop,
        .program = o->gnuplot ? o->gnuplot : "gnuplot",
        .programs = programs,
        .dir = dir,
        .limit_ns = o->limit_ns > 0 ? o->limit_ns : LIMIT_NS,
    };
    size_t drawn = 0;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < p->count; i++) {
        const struct plot *plot = &p->plot[i];
        rc = gnuplot_draw(&g, plot, e);
        drawn += rc == 0;
    }
    loop_release(&loop);
    if (rc != 0) {
        text_without(e->text, programs);
    }
    p->count = drawn;
    return rc;
}

static void say_damage(struct plots *p) {
    if (p->damage.unread > 0) {
        snprintf(p->note, sizeof p->note,
                 "%zu of %zu latency histograms cannot be read (%s); the curves of percentiles "
                 "leave out every target and level that lacks one",
                 p->damage.unread, p->damage.all, p->damage.first);
    }
}

int plots_make(struct plots *p, const struct verdicts *v, const struct plots_options *o,
               struct err *e) {
    const struct cells *c = v->cells;
    *p = (struct plots){0};
    p->plot = calloc(c->workload_count * PLOT_COUNT + 1, sizeof *p->plot);
    if (!p->plot) {
        return err_set(e, ERR_MACHINE, "out of memory for the plots");
    }
    int rc = make_folders(c->store->dir, e);
    if (rc == 0) {
        rc = write_data(p, v, e);
        say_damage(p);
        /* Nothing is drawn yet. */
        p->count = rc == 0 ? p->count : 0;
    }
    if (rc == 0) {
        rc = plots_draw(p, c->store->dir, o, e);
    }
    if (rc != 0) {
        snprintf(p->missing, sizeof p->missing, "%s", e->text);
        text_without(p->missing, c->store->dir);
    }
    return rc;
}

void plots_release(struct plots *p) {
    free(p->plot);
    *p = (struct plots){0};
}
