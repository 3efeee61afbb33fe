/* gnuplot as a child: found or not, bounded in time, its pictures renamed into place when whole. */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buildinfo.h"
#include "base/child.h"
#include "base/file.h"
#include "report/plot_parts.h"
#include "report/svg.h"

#define GRACE_NS (1000000000LL)

/* Where the programs are, seen from a folder above the program's own. */
static const char *const places[] = {"plots", "share/loopbench/plots"};

static bool has_programs(const char *folder) {
    char path[PATH_MAX];
    struct err ignored;
    return file_join(path, sizeof path, folder, "style.gp", &ignored) == 0 && file_exists(path);
}

static bool find_above(char *folder, char *out, size_t size) {
    struct err ignored;
    char *slash;
    for (int up = 0; up < 6 && (slash = strrchr(folder, '/')) && slash != folder; up++) {
        *slash = '\0';
        for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
            if (file_join(out, size, folder, places[i], &ignored) == 0 && has_programs(out)) {
                return true;
            }
        }
    }
    return false;
}

int gnuplot_find_programs(const char *given, char *out, size_t size, struct err *e) {
    char folder[PATH_MAX];
    if (given) {
        char *real = realpath(given, NULL);
        if (!real || !has_programs(real)) {
            free(real);
            return err_set(e, ERR_USAGE, "no plot programs (style.gp) in %s; see --plots", given);
        }
        int n = snprintf(out, size, "%s", real);
        free(real);
        return n > 0 && (size_t)n < size
                   ? 0
                   : err_set(e, ERR_USAGE, "path too long: %s; " FILE_PATH_REMEDY, given);
    }
    ssize_t n = readlink("/proc/self/exe", folder, sizeof folder - 1);
    folder[n > 0 ? n : 0] = '\0';
    if (find_above(folder, out, size)) {
        return 0;
    }
    if (file_join(out, size, buildinfo_get()->prefix, places[1], e) == 0 && has_programs(out)) {
        return 0;
    }
    return err_set(e, ERR_MACHINE,
                   "the plot programs are not beside this program; name their folder with --plots");
}

/* The last line a program said that has text in it. */
static const char *last_line(const char *tail, char *out, size_t size) {
    size_t end = strlen(tail);
    while (end > 0 && strchr(" \n\r\t^", tail[end - 1])) {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && tail[begin - 1] != '\n') {
        begin--;
    }
    snprintf(out, size, "%.*s", (int)(end - begin), tail + begin);
    return out;
}

static int judge(const struct child *c, enum loop_wait w, int64_t limit_ns, const char *name,
                 struct err *e) {
    char how[96];
    char said[200];
    if (w == LOOP_INTERRUPTED) {
        return err_set(e, ERR_MACHINE, "interrupted while drawing %s", name);
    }
    if (w == LOOP_TIMEOUT) {
        return err_set(e, ERR_MACHINE,
                       "gnuplot took more than %g s to draw %s and was stopped; the machine is "
                       "overloaded or gnuplot hangs",
                       (double)limit_ns / 1e9, name);
    }
    if (child_status(c) == 0) {
        return 0;
    }
    child_describe(c, how, sizeof how);
    last_line(child_tail(c), said, sizeof said);
    return err_set(e, ERR_MACHINE, "gnuplot %s drawing %s%s%s (5.2 or later is needed)", how, name,
                   *said ? ": " : "", said);
}

static int run(const struct gnuplot *g, const char *const *argv, const char *cwd, const char *name,
               struct err *e) {
    static const char *const env[] = {"LC_ALL=C.UTF-8", NULL};
    struct child_spec spec = {.argv = argv, .env = env, .cwd = cwd};
    char path[PATH_MAX];
    if (file_which(g->program, path, sizeof path) != 0) {
        return err_set(e, ERR_MACHINE,
                       "%s is not installed: install the package gnuplot-nox (or gnuplot)",
                       g->program);
    }
    struct child *c = child_start(g->loop, &spec, e);
    if (!c) {
        return -1;
    }
    enum loop_wait w = child_wait(c, g->limit_ns);
    if (w != LOOP_DONE) {
        child_stop(c, SIGTERM, GRACE_NS);
    }
    int rc = judge(c, w, g->limit_ns, name, e);
    child_free(c);
    return rc;
}

/* The programs write NAME.svg.tmp and so on. */
static int put_in_place(const char *plots, const char *name, const char *title, bool keep,
                        struct err *e) {
    static const struct {
        const char *folder, *ending;
    } pictures[] = {{"", "svg"}, {"", "png"}, {"narrow/", "svg"}};
    int rc = 0;
    for (size_t i = 0; i < sizeof pictures / sizeof pictures[0]; i++) {
        char made[PATH_MAX];
        char path[PATH_MAX];
        const char *folder = pictures[i].folder;
        const char *ending = pictures[i].ending;
        int n = snprintf(made, sizeof made, "%s/%s%s.%s.tmp", plots, folder, name, ending);
        int m = snprintf(path, sizeof path, "%s/%s%s.%s", plots, folder, name, ending);
        if (n < 0 || m < 0 || n >= (int)sizeof made || m >= (int)sizeof path) {
            return err_set(e, ERR_USAGE, "path too long: %s; " FILE_PATH_REMEDY, plots);
        }
        if (!keep) {
            unlink(made);
        } else if (!file_exists(made)) {
            rc =
                err_set(e, ERR_MACHINE,
                        "gnuplot made no plots/%s%s.%s; make room, and see that it is 5.2 or later",
                        folder, name, ending);
        } else if (strcmp(ending, "svg") == 0 && svg_retitle(made, title, e) != 0) {
            unlink(made);
            rc = -1;
        } else if (rename(made, path) != 0) {
            rc = err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                         strerror(errno));
        }
    }
    return rc;
}

int gnuplot_draw(const struct gnuplot *g, const struct plot *p, struct err *e) {
    enum { STYLE, SVG, HEAD, PROGRAM, PNG, PARTS };
    char plots[PATH_MAX];
    char settings[128];
    char narrow[128];
    char path[PARTS][PATH_MAX];
    char file[32];
    struct err ignored;
    const char *name = p->name;
    const char *const parts[] = {"style.gp", "svg.gp", "head.gp", file, "png.gp"};
    snprintf(file, sizeof file, "%s.gp", p->program);
    snprintf(settings, sizeof settings, "data/%s.gp", name);
    snprintf(narrow, sizeof narrow, "data/%s.narrow.gp", name);
    if (file_join(plots, sizeof plots, g->dir, "plots", e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < PARTS; i++) {
        if (file_join(path[i], PATH_MAX, g->programs, parts[i], e) != 0) {
            return -1;
        }
    }
    /* -d: nobody's own settings. One session draws all pictures. */
    const char *argv[] = {g->program, "-d",          settings,   path[STYLE],   path[SVG],
                          path[HEAD], path[PROGRAM], path[PNG],  path[HEAD],    path[PROGRAM],
                          narrow,     path[SVG],     path[HEAD], path[PROGRAM], NULL};
    int rc = run(g, argv, plots, name, e);
    return put_in_place(plots, name, p->title, rc == 0, rc == 0 ? e : &ignored) != 0 ? -1 : rc;
}
