#include "report/site.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "report/site_parts.h"
#include "store/catalog.h"

/* Whether a site has an entry of that name at its top. */
static bool is_ours(const char *name) {
    static const char *const ours[] = {".", "..", SITE_MARK, "index.html", "runs", "comparisons"};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        if (strcmp(name, ours[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A site, an empty folder, or nothing may be replaced; anything else is somebody's, and so is what
 * somebody put into a site later: a .git, a CNAME. */
static int check_out(const char *out, struct err *e) {
    char mark[4096];
    struct stat st;
    if (lstat(out, &st) != 0) {
        return 0;
    }
    if (!S_ISDIR(st.st_mode)) {
        return err_set(e, ERR_USAGE, "--out: %s is in the way: it is not a folder; choose another",
                       out);
    }
    if (file_join(mark, sizeof mark, out, SITE_MARK, e) != 0) {
        return -1;
    }
    DIR *d = opendir(out);
    if (!d) {
        return err_set(
            e, ERR_MACHINE,
            "--out: cannot read %s: %s; see that you may read it, or choose another folder", out,
            strerror(errno));
    }
    const bool site = file_exists(mark);
    int rc = 0;
    const struct dirent *entry;
    while (rc == 0 && (entry = readdir(d))) {
        const bool dot = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (!dot && !(site && is_ours(entry->d_name))) {
            rc = err_set(e, ERR_USAGE,
                         "--out: %s holds something else than a site (%.200s) and is not "
                         "replaced; choose another folder",
                         out, entry->d_name);
        }
    }
    closedir(d);
    return rc;
}

static int make_folders(const struct site *s, struct err *e) {
    static const char *const below[] = {"runs", "comparisons"};
    char path[4096];
    for (size_t i = 0; i < 2; i++) {
        if (file_join(path, sizeof path, s->dir, below[i], e) != 0 || file_mkdirs(path, e) != 0) {
            return -1;
        }
    }
    static const char text[] = "A site that loopbench made, and replaces.\n";
    return file_join(path, sizeof path, s->dir, SITE_MARK, e) != 0
               ? -1
               : file_write_atomic(path, text, sizeof text - 1, e);
}

/* In one step where the file system can, else in two. */
static int put_in_place(const char *made, const char *out, struct err *e) {
    char old[4200];
    if (rename(made, out) == 0) {
        return 0;
    }
    if (renameat2(AT_FDCWD, made, AT_FDCWD, out, RENAME_EXCHANGE) == 0) {
        (void)catalog_remove_tree(AT_FDCWD, made);
        return 0;
    }
    snprintf(old, sizeof old, "%s.%ld.old", out, (long)getpid());
    if (rename(out, old) == 0) {
        if (rename(made, out) == 0) {
            (void)catalog_remove_tree(AT_FDCWD, old);
            return 0;
        }
        const int saved = errno;
        (void)rename(old, out);
        errno = saved;
    }
    return err_set(e, ERR_MACHINE, "cannot put the site in its place at %s: %s; " FILE_WRITE_REMEDY,
                   out, strerror(errno));
}

static const char *started_of(const struct site_run *r) {
    const char *text = json_string_value(json_object_get(r->manifest, "started"));
    return text ? text : "";
}

/* Insertion: there are few. */
static void sort_runs(struct site *s) {
    for (size_t i = 0; i < s->o->runs; i++) {
        size_t k = i;
        while (k > 0 && strcmp(started_of(&s->run[s->order[k - 1]]), started_of(&s->run[i])) > 0) {
            s->order[k] = s->order[k - 1];
            k--;
        }
        s->order[k] = i;
    }
}

static int build(struct site *s, struct err *e) {
    if (make_folders(s, e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < s->o->runs; i++) {
        if (site_add_run(s, i, e) != 0) {
            return -1;
        }
    }
    sort_runs(s);
    return site_add_comparisons(s, e) != 0 ? -1 : site_write_index(s, e);
}

static int site_make(struct site *s, const char *out, struct err *e) {
    const struct site_options *o = s->o;
    const size_t pairs = o->pairs > 0 ? o->pairs : o->runs;
    s->run = calloc(o->runs + 1, sizeof *s->run);
    s->comparison = calloc(pairs + 1, sizeof *s->comparison);
    s->order = calloc(o->runs + 1, sizeof *s->order);
    if (!s->run || !s->order || !s->comparison) {
        return err_set(e, ERR_MACHINE, "out of memory for the site");
    }
    int rc = build(s, e);
    if (rc == 0) {
        rc = put_in_place(s->dir, out, e);
    }
    if (rc != 0) {
        (void)catalog_remove_tree(AT_FDCWD, s->dir);
    }
    return rc;
}

int site_write(const struct site_options *o, struct err *e) {
    struct site s = {.o = o};
    char out[4000];
    size_t len = strlen(o->out);
    while (len > 1 && o->out[len - 1] == '/') {
        len--;
    }
    if (len == 0 || len >= sizeof out) {
        return err_set(e, ERR_USAGE, "--out: '%.200s' is no name for a folder; choose another",
                       o->out);
    }
    if (strcmp(o->out, "-") == 0) {
        return err_set(e, ERR_USAGE,
                       "--out: a site is a folder, which standard output is not; "
                       "name one");
    }
    memcpy(out, o->out, len);
    out[len] = '\0';
    snprintf(s.dir, sizeof s.dir, "%s.%ld.tmp", out, (long)getpid());
    if (check_out(out, e) != 0) {
        return -1;
    }
    int rc = site_make(&s, out, e);
    rc = rc == 0 ? (int)s.comparisons : rc;
    for (size_t i = 0; s.run && i < o->runs; i++) {
        json_decref(s.run[i].manifest);
    }
    free(s.run);
    free(s.order);
    free(s.comparison);
    return rc;
}
