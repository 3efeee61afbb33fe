/* catalog.h — the runs in a results folder: listing, naming, removing.
 *
 * A run is any folder with a manifest of ours, in the results folder itself or in its subfolder
 * "published". Whatever else is there is none of our business. Folders are not followed through
 * symbolic links. */
#ifndef STORE_CATALOG_H
#define STORE_CATALOG_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "store/store.h"

#define CATALOG_PUBLISHED "published"
#define CATALOG_LATEST    "latest"

struct catalog_run {
    char *name; /* as catalog_resolve takes it: "20260131-120000-9f3a", "published/x" */
    char *path;
    json_t *manifest;
    enum store_state state;
    bool live;      /* a runner is writing to it at this moment */
    bool published; /* in the subfolder */
    bool own;       /* its folder is called by its run id: made by `run`, not placed by a person */
    bool latest;    /* what "latest" names */
};

struct catalog {
    struct catalog_run *run; /* by start, oldest first */
    size_t count;
    char **damaged; /* names of folders called by a run id, with trials and no manifest of ours */
    size_t damaged_count;
};

/* Lists the runs. A results folder that is not there holds none. Returns 0, or -1 with *e
 * (ERR_MACHINE: it cannot be read, memory). */
int catalog_read(struct catalog *c, const char *results, struct err *e);
void catalog_release(struct catalog *c);

/* "20260131-120000-9f3a": eight digits, six digits, four hex digits. */
bool catalog_is_run_id(const char *name);

/* The folder of a run that a person named: a path, or a name (run id, "latest", "published/x", the
 * name of something published) in the results folder, also the id of a run whose folder is called
 * otherwise. Returns 0, or -1 with *e (ERR_USAGE). */
int catalog_resolve(const char *results, const char *name, char *path, size_t size, struct err *e);

/* Looks for what is not loopbench's in results/name. Returns 1 with its path in `out`, 0 when there
 * is nothing, -1 with *e. */
int catalog_find_foreign(const char *results, const char *name, char *out, size_t size,
                         struct err *e);

/* Removes results/name, the folder of a run that `run` made and in which nothing is but that. It is
 * moved aside in one step first, so that no half-removed run is ever listed; what a removal that
 * was cut off left behind is removed by the next. Returns 1 when it was removed, 0 when it stays
 * because a runner writes to it, -1 with *e (ERR_USAGE: not such a folder, or something else is in
 * it; ERR_MACHINE: it cannot be removed). */
int catalog_remove(const char *results, const char *name, struct err *e);

/* Removes the entry `name` of the open folder `parent` (AT_FDCWD: a path) and all below it, never
 * through a symbolic link. What is not there is removed. Returns 0 or -1 with errno. */
int catalog_remove_tree(int parent, const char *name);

/* Removes what removals that were cut off left behind. */
void catalog_sweep(const char *results);

#endif
