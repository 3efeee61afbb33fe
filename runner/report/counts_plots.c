/* Pictures of counts, two a workload: chosen, named, drawn. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/counts.h"
#include "report/plot_parts.h"
#include "report/text.h"

static bool is_first(const struct counts *c, size_t i) {
    for (size_t k = 0; k < i; k++) {
        if (strcmp(c->record[k].workload, c->record[i].workload) == 0) {
            return false;
        }
    }
    return true;
}

static int write_workload(struct plots *p, const struct counts *c, size_t at, const char *dir,
                          struct err *e) {
    static const struct {
        enum count_kind kind;
        const char *name, *heading;
    } kinds[] = {{COUNT_INSTRUCTIONS, "instructions", "Instructions of one request"},
                 {COUNT_SYSCALLS, "syscalls", "System calls of one request"}};
    for (size_t k = 0; k < 2; k++) {
        struct plot *plot = &p->plot[p->count];
        char safe[40];
        char shown[4 * 24 + 8];
        const char *workload = c->record[at].workload;
        *plot =
            (struct plot){.workload = workload, .heading = kinds[k].heading, .program = "stack"};
        text_file_name(safe, sizeof safe, workload);
        /* Names of two workloads differ even where what a file name may hold is the same. */
        if (strcmp(safe, workload) == 0) {
            snprintf(plot->name, sizeof plot->name, "%s-%s", kinds[k].name, safe);
        } else {
            snprintf(plot->name, sizeof plot->name, "%s-%s-%zu", kinds[k].name, safe, at + 1);
        }
        text_terminal(shown, sizeof shown, workload, 24, true);
        snprintf(plot->title, sizeof plot->title, "%s: %s", kinds[k].heading, shown);
        const int drawn = plot_write_stack(plot, c, kinds[k].kind, dir, e);
        if (drawn < 0) {
            return -1;
        }
        p->count += (size_t)drawn;
    }
    return 0;
}

int counts_plots_make(struct plots *p, const struct counts *c, const char *dir,
                      const struct plots_options *o, struct err *e) {
    static const char *const folders[] = {"plots/data", "plots/narrow"};
    *p = (struct plots){.plot = calloc(2 * c->count + 1, sizeof *p->plot)};
    if (!p->plot) {
        return err_set(e, ERR_MACHINE, "out of memory for the plots");
    }
    int rc = 0;
    for (size_t i = 0; rc == 0 && c->count > 0 && i < 2; i++) {
        char folder[4096];
        rc =
            file_join(folder, sizeof folder, dir, folders[i], e) == 0 ? file_mkdirs(folder, e) : -1;
    }
    for (size_t i = 0; rc == 0 && i < c->count; i++) {
        rc = is_first(c, i) ? write_workload(p, c, i, dir, e) : 0;
    }
    /* Nothing is drawn yet. */
    p->count = rc == 0 ? p->count : 0;
    if (rc == 0 && p->count > 0) {
        rc = plots_draw(p, dir, o, e);
    }
    if (rc != 0) {
        snprintf(p->missing, sizeof p->missing, "%s", e->text);
    }
    return rc;
}
