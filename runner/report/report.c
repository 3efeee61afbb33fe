#include "report/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "report/calibration.h"
#include "base/caller.h"
#include "base/file.h"
#include "report/cells.h"
#include "report/crosscheck.h"
#include "report/formats.h"
#include "report/plot_parts.h"
#include "report/verdicts_formats.h"

static void say(const struct report_options *o, const char *dir, const char *text) {
    if (o->notes && *text) {
        fprintf(o->notes, "loopbench: %s: %s\n", o->shown ? o->shown : dir, text);
    }
}

/* What can be done about a run that has not ended, where something can. */
static void say_resumable(const struct report_options *o, const struct store *s, const char *what) {
    char text[96];
    snprintf(text, sizeof text, "the run was %s%s", what,
             caller_report() ? "" : "; continue it with run --resume");
    say(o, s->dir, text);
}

static void say_damage(const struct report_options *o, const struct store *s) {
    if (s->torn) {
        say(o, s->dir, "the last line of trials.jsonl was cut short; that trial is left out");
    }
    if (s->lost > 0) {
        char text[160];
        snprintf(text, sizeof text,
                 "%zu of its trials are gone from trials.jsonl; run --resume measures them again",
                 s->lost);
        say(o, s->dir, text);
    }
    if (s->changed) {
        char text[96];
        snprintf(text, sizeof text, "%s is not as it was when the run was begun", s->changed);
        say(o, s->dir, text);
    }
}

void report_say_damage(FILE *notes, const struct store *s) {
    const struct report_options o = {.notes = notes};
    say_damage(&o, s);
}

static void say_state(const struct report_options *o, const struct store *s) {
    say_damage(o, s);
    if (s->live) {
        say(o, s->dir, "the run is still going on; this reports what it has so far");
    } else if (s->state == STORE_RUNNING) {
        say_resumable(o, s, "cut off");
    } else if (s->state == STORE_INTERRUPTED) {
        say_resumable(o, s, "interrupted");
    }
}

/* The documentation as seen from a run within the source tree: "../../docs". Links from anywhere
 * else would lead nowhere, or give the machine's folders away. */
static const char *find_docs(const char *dir, const struct report_options *o, char *out,
                             size_t size) {
    char root[PATH_MAX];
    char path[PATH_MAX];
    struct err ignored;
    if (o->docs) {
        return *o->docs ? o->docs : NULL;
    }
    char *real = realpath(dir, NULL);
    const char *found = NULL;
    char *slash;
    if (real && gnuplot_find_programs(o->plots, root, sizeof root, &ignored) == 0 &&
        (slash = strrchr(root, '/'))) {
        *slash = '\0';
        const size_t len = strlen(root);
        if (file_join(path, sizeof path, root, "docs/methodology.md", &ignored) == 0 &&
            file_exists(path) && strncmp(real, root, len) == 0 && real[len] == '/') {
            size_t used = 0;
            for (const char *c = real + len; *c && used + 8 < size; c++) {
                if (*c == '/') {
                    used += (size_t)snprintf(out + used, size - used, "../");
                }
            }
            snprintf(out + used, size - used, "docs");
            found = out;
        }
    }
    free(real);
    return found;
}

static int write_all(const struct cells *c, const struct verdicts *v, const struct findings *f,
                     const struct counts *counts, const struct report_options *o, struct err *e) {
    const struct plots_options how = {.programs = o->plots, .gnuplot = o->gnuplot};
    struct plots plots = {0};
    struct plots count_plots = {0};
    struct err drawn = {0};
    int no_plots = 0;
    if (csv_write(c, e) != 0 || verdicts_csv_write(v, e) != 0 ||
        json_write(c, v, f, counts, e) != 0 ||
        (counts->count > 0 && counts_csv_write(counts, c->store->dir, e) != 0)) {
        return -1;
    }
    if (o->no_plots) {
        snprintf(plots.missing, sizeof plots.missing, "plots were not asked for");
    } else {
        no_plots = plots_make(&plots, v, &how, &drawn);
        say(o, c->store->dir, plots.note);
        if (no_plots == 0) {
            no_plots = counts_plots_make(&count_plots, counts, c->store->dir, &how, &drawn);
        }
    }
    char docs[256];
    struct report_parts parts = {
        .cells = c,
        .verdicts = v,
        .findings = f,
        .plots = &plots,
        .counts = counts,
        .count_plots = &count_plots,
        .docs = find_docs(c->store->dir, o, docs, sizeof docs),
    };
    struct reproduction reproduction;
    int rc = reproduction_read(&reproduction, c->store->dir, e);
    if (rc >= 0) {
        parts.reproduction = rc > 0 ? &reproduction : NULL;
        rc = markdown_write(&parts, e);
    }
    if (rc == 0) {
        rc = html_write(&parts, e);
    }
    plots_release(&plots);
    plots_release(&count_plots);
    if (rc == 0 && no_plots) {
        *e = drawn;
        err_prefix(
            e, "report.md, report.html, report.json and the CSV files are written, but no plots");
        rc = -1;
    }
    return rc;
}

static void say_counts(const struct report_options *o, const char *dir, const struct counts *c) {
    char text[COUNTS_DAMAGE_SIZE];
    if (counts_damage(c, "", text, sizeof text)) {
        say(o, dir, text);
    }
}

static int conclude(const struct cells *c, const struct report_options *o, struct err *e) {
    struct verdicts v;
    struct findings f;
    struct counts counts;
    if (verdicts_build(&v, c, &o->verdicts, e) != 0) {
        return -1;
    }
    int rc = findings_make(&f, &v, e);
    if (rc == 0) {
        rc = counts_read(&counts, c->store->dir, e);
        if (rc == 0) {
            say_counts(o, c->store->dir, &counts);
            rc = write_all(c, &v, &f, &counts, o, e);
            counts_release(&counts);
        }
        findings_release(&f);
    }
    verdicts_release(&v);
    return rc;
}

static int calibrate(const struct cells *c, struct err *e) {
    struct calibration found;
    return calibration_judge(&found, c, e) != 0 ? -1 : calibration_write(&found, e);
}

static int crosscheck(const struct cells *c, struct err *e) {
    struct crosscheck found;
    int rc = crosscheck_judge(&found, c, e);
    if (rc == 0) {
        rc = crosscheck_write(&found, e);
        crosscheck_release(&found);
    }
    return rc;
}

static int counts_alone(const struct store *s, const struct report_options *o, struct err *e) {
    const struct plots_options how = {.programs = o->plots, .gnuplot = o->gnuplot};
    struct counts counts;
    char docs[256];
    if (counts_read(&counts, s->dir, e) != 0) {
        return -1;
    }
    say_counts(o, s->dir, &counts);
    const int rc =
        counts.count == 0
            ? err_set(e, ERR_USAGE, "%s holds no counts; `loopbench count` makes some", s->dir)
            : counts_report_write(s, &counts, o->no_plots ? NULL : &how,
                                  find_docs(s->dir, o, docs, sizeof docs), e);
    counts_release(&counts);
    return rc;
}

/* Two reports on one folder would take each other's unfinished files away: the second waits. Where
 * a file system has no such locks, there is none. */
static int lock_folder(const char *dir) {
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = -1;
    while (fd >= 0 && (rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (fd >= 0 && rc != 0) {
        close(fd);
    }
    return rc == 0 ? fd : -1;
}

static int write_locked(const char *dir, const struct report_options *o, struct err *e) {
    struct store s;
    struct cells c;
    if (store_open(&s, dir, e) != 0) {
        return -1;
    }
    if (counts_only(s.manifest)) {
        const int rc = counts_alone(&s, o, e);
        store_release(&s);
        return rc;
    }
    int rc = cells_build(&c, &s, e);
    if (rc == 0) {
        say_state(o, &s); /* not before: what cannot be reported is told in one line */
        /* What needs no plots first: without them the rest still fails, and nothing is left stale.
         */
        if (calibration_is(&s)) {
            rc = calibrate(&c, e);
        }
        if (rc == 0 && crosscheck_is(&s)) {
            rc = crosscheck(&c, e);
        }
        if (rc == 0) {
            rc = conclude(&c, o, e);
        }
        cells_release(&c);
    }
    store_release(&s);
    return rc;
}

/* What a report that was killed left half-written; nobody else writes them while we hold the lock.
 */
static void remove_unfinished(int folder) {
    static const char *const names[] = {"report.*.[0-9]*.tmp", "cells.csv.[0-9]*.tmp",
                                        "verdicts.csv.[0-9]*.tmp", "counts.csv.[0-9]*.tmp"};
    const int fd = folder >= 0 ? openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    const struct dirent *entry;
    while (d && (entry = readdir(d))) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
            if (fnmatch(names[i], entry->d_name, 0) == 0) {
                unlinkat(fd, entry->d_name, 0);
            }
        }
    }
    if (d) {
        closedir(d);
    }
}

int report_write(const char *dir, const struct report_options *o, struct err *e) {
    const int lock = lock_folder(dir);
    remove_unfinished(lock);
    const int rc = write_locked(dir, o, e);
    if (lock >= 0) {
        close(lock);
    }
    return rc;
}
