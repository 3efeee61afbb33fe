/* A run within a site: its data, and a report made of it there. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "report/reading.h"
#include "report/report.h"
#include "report/reproduction.h"
#include "report/site_parts.h"
#include "report/text.h"
#include "store/counts.h"
#include "store/manifest.h"

/* What a run is; all else in its folder is made from it, or foreign. */
static const char *const sources[] = {"manifest.json",  "config.ini",    "plan.json",
                                      "trials.jsonl",   "histograms.gz", "counts.jsonl",
                                      REPRODUCTION_JSON};

const char *const site_data[] = {"trials.jsonl",
                                 "histograms.gz",
                                 "manifest.json",
                                 "config.ini",
                                 "plan.json",
                                 "report.json",
                                 "cells.csv",
                                 "verdicts.csv",
                                 "report.md",
                                 REPRODUCTION_JSON,
                                 "calibration.json",
                                 "calibration.md",
                                 "crosscheck.json",
                                 "crosscheck.md",
                                 "counts.jsonl",
                                 "counts.csv",
                                 NULL};

static int copy_bytes(int from, int to) {
    char buf[64 * 1024];
    ssize_t n;
    while ((n = read(from, buf, sizeof buf)) != 0) {
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            return -1;
        }
        for (ssize_t done = 0; done < n;) {
            const ssize_t w = write(to, buf + done, (size_t)(n - done));
            if (w < 0 && errno != EINTR) {
                return -1;
            }
            done += w > 0 ? w : 0;
        }
    }
    return 0;
}

/* Only files: a link in a run's folder could lead to anything on this machine. */
static int copy_file(const char *from_dir, const char *to_dir, const char *name, struct err *e) {
    char from[4096];
    char to[4096];
    struct stat st;
    if (file_join(from, sizeof from, from_dir, name, e) != 0 ||
        file_join(to, sizeof to, to_dir, name, e) != 0) {
        return -1;
    }
    const int in = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (in < 0 && errno == ENOENT) {
        return 0; /* what needs it says so */
    }
    if (in < 0 || fstat(in, &st) != 0 || !S_ISREG(st.st_mode)) {
        if (in >= 0) {
            close(in);
        }
        return err_set(e, ERR_USAGE, "%s is not a plain file and is not published; " STORE_REMEDY,
                       from);
    }
    const int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int rc = out >= 0 ? copy_bytes(in, out) : -1;
    const int saved = errno;
    if (out >= 0 && close(out) != 0 && rc == 0) {
        rc = -1;
    }
    close(in);
    return rc == 0 ? 0
                   : err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, to,
                             strerror(saved));
}

static bool name_is_taken(const struct site *s, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++) {
        if (strcasecmp(s->run[i].name, name) == 0) { /* some hosts do not tell case */
            return true;
        }
    }
    return false;
}

static void choose_name(struct site *s, size_t i) {
    char clean[SITE_NAME_MAX - 12];
    const char *slash = strrchr(s->o->run[i], '/');
    text_file_name(clean, sizeof clean, slash ? slash + 1 : s->o->run[i]);
    snprintf(s->run[i].name, sizeof s->run[i].name, "%s", clean);
    for (unsigned n = 2; name_is_taken(s, i, s->run[i].name); n++) {
        snprintf(s->run[i].name, sizeof s->run[i].name, "%s-%u", clean, n);
    }
}

static int make_report(struct site *s, const char *dir, struct err *e) {
    const struct report_options o = {.plots = s->o->plots, .docs = ""};
    if (report_write(dir, &o, e) == 0) {
        return 0;
    }
    /* Without plots there is a report all the same. */
    char path[4096];
    if (e->class != ERR_MACHINE || file_join(path, sizeof path, dir, "report.html", e) != 0 ||
        !file_exists(path)) {
        return -1;
    }
    if (s->o->notes) {
        fprintf(s->o->notes, "loopbench: %s\n", e->text);
    }
    *e = (struct err){0};
    return 0;
}

/* Counts alone have no trials to read. Returns 1 for such a run, 0 for any other, or -1. */
static int take_counts(struct site_run *run, const char *dir, struct err *e) {
    struct store store;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    const char *kind = json_string_value(json_object_get(store.manifest, "kind"));
    run->manifest = json_incref(store.manifest);
    run->state = store.state;
    run->kind = kind ? kind : "";
    run->counts = counts_only(store.manifest);
    store_release(&store);
    return run->counts;
}

static int take_facts(struct site_run *run, const char *dir, struct err *e) {
    struct reading r;
    const int counts = take_counts(run, dir, e);
    if (counts != 0) {
        return counts < 0 ? -1 : 0;
    }
    if (reading_open(&r, dir, e) != 0) {
        return -1;
    }
    snprintf(run->validity, sizeof run->validity, "%s", r.findings.validity_word);
    run->trials = r.store.count;
    reading_release(&r);
    const int repeats = reproduction_read(&run->reproduction, dir, e);
    run->repeats = repeats > 0;
    return repeats < 0 ? -1 : 0;
}

static int check_still(const char *dir, struct err *e) {
    struct store store;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    const bool live = store.live;
    store_release(&store);
    return live ? err_set(e, ERR_USAGE, "%s is being written; publish it when it is done", dir) : 0;
}

int site_add_run(struct site *s, size_t i, struct err *e) {
    char below[SITE_NAME_MAX + 8];
    char dir[4096];
    const char *from = s->o->run[i];
    choose_name(s, i);
    snprintf(below, sizeof below, "runs/%s", s->run[i].name);
    if (check_still(from, e) != 0 || file_join(dir, sizeof dir, s->dir, below, e) != 0 ||
        file_mkdirs(dir, e) != 0) {
        return -1;
    }
    for (size_t k = 0; k < sizeof sources / sizeof sources[0]; k++) {
        if (copy_file(from, dir, sources[k], e) != 0) {
            return -1;
        }
    }
    return take_facts(&s->run[i], dir, e) != 0 || make_report(s, dir, e) != 0
               ? err_prefix(e, "%s", from)
               : 0;
}
