#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/site.h"
#include "store/catalog.h"
#include "ui/commands.h"
#include "ui/recorded.h"

/* The runs chosen, and the pairs of them. */
struct choice {
    const char *folder; /* that holds runs */
    struct names runs;  /* their folders */
    struct site_pair *pair;
    size_t pairs;
};

/* Adds the run once; *at is its place. */
static int choice_add(struct choice *c, const char *name, size_t *at, struct err *e) {
    char path[PATH_MAX];
    if (catalog_resolve(c->folder, name, path, sizeof path, e) != 0) {
        return -1;
    }
    char *real = realpath(path, NULL); /* "latest" must not become the name of a page */
    if (!real) {
        return err_set(e, ERR_USAGE, "cannot find %s: %s; " FILE_READ_REMEDY, path,
                       strerror(errno));
    }
    int rc = 0;
    *at = 0;
    while (*at < c->runs.n && strcmp(c->runs.name[*at], real) != 0) {
        (*at)++;
    }
    if (*at == c->runs.n && names_add(&c->runs, real) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    free(real);
    return rc;
}

/* Those published; all that are whole where nothing is. */
static int choice_default(struct choice *c, struct err *e) {
    struct catalog catalog;
    size_t published = 0;
    size_t at;
    int rc = 0;
    if (catalog_read(&catalog, c->folder, e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < catalog.count; i++) {
        published += catalog.run[i].published;
    }
    for (size_t i = 0; rc == 0 && i < catalog.count; i++) {
        const struct catalog_run *r = &catalog.run[i];
        if (published > 0 ? r->published : r->state == STORE_COMPLETE) {
            rc = choice_add(c, r->path, &at, e);
        }
    }
    catalog_release(&catalog);
    if (rc == 0 && c->runs.n == 0) {
        rc = err_set(e, ERR_USAGE,
                     "no runs to publish in %s: name some, or put one into %s/" CATALOG_PUBLISHED,
                     c->folder, c->folder);
    }
    return rc;
}

static bool is_run(const char *path) {
    char file[PATH_MAX];
    struct err ignored;
    return file_join(file, sizeof file, path, "manifest.json", &ignored) == 0 && file_exists(file);
}

/* Is the first operand the folder that holds runs? */
static bool names_folder(const struct args *a) {
    char path[PATH_MAX];
    struct err ignored;
    return a->n > 0 && !is_run(a->operand[0]) &&
           file_join(path, sizeof path, a->operand[0], ".", &ignored) == 0 && file_exists(path);
}

static int choice_pairs(struct choice *c, const struct names *named, struct err *e) {
    if (named->n % 2 != 0) {
        return err_set(e, ERR_USAGE, "--compare: %zu runs are no pairs; name two, or four, ...",
                       named->n);
    }
    c->pair = calloc(named->n / 2 + 1, sizeof *c->pair);
    if (!c->pair) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    for (size_t i = 0; i < named->n; i += 2) {
        struct site_pair *p = &c->pair[c->pairs++];
        if (choice_add(c, named->name[i], &p->first, e) != 0 ||
            choice_add(c, named->name[i + 1], &p->second, e) != 0) {
            return -1;
        }
        if (p->first == p->second) {
            return err_set(e, ERR_USAGE, "--compare: %s with itself; name two runs",
                           named->name[i]);
        }
    }
    return 0;
}

static int choose(struct choice *choice, const struct args *a, const struct config *c,
                  struct err *e) {
    const bool folder = names_folder(a);
    size_t at;
    choice->folder = folder ? a->operand[0] : c->results;
    int rc = a->n > (int)folder ? 0 : choice_default(choice, e);
    for (int i = folder; rc == 0 && i < a->n; i++) {
        rc = choice_add(choice, a->operand[i], &at, e);
    }
    return rc == 0 ? choice_pairs(choice, &c->site_pairs, e) : rc;
}

int command_site(const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct choice choice = {0};
    if (config_load(&c, &in->args->flags, USE_SITE, e) != 0) {
        return -1;
    }
    int rc = choose(&choice, in->args, &c, e);
    if (rc == 0) {
        const struct site_options o = {
            .out = c.site_out,
            .run = (const char *const *)choice.runs.name,
            .runs = choice.runs.n,
            .pair = choice.pair,
            .pairs = choice.pairs,
            .plots = c.plots && strcmp(c.plots, "auto") != 0 ? c.plots : NULL,
            .fallback = recorded_default,
            .notes = stderr,
        };
        rc = site_write(&o, e);
    }
    if (rc >= 0) {
        printf("%s/index.html: %zu run%s, %d comparison%s\n", c.site_out, choice.runs.n,
               choice.runs.n == 1 ? "" : "s", rc, rc == 1 ? "" : "s");
        rc = 0;
    }
    free(choice.pair);
    names_release(&choice.runs);
    config_release(&c);
    return rc;
}
