/* prune: all but the newest results go. */
#include <stdio.h>

#include "report/text.h"
#include "store/catalog.h"
#include "ui/commands.h"
#include "ui/progress.h"

/* Why a run beyond those kept stays; NULL when it goes. */
static const char *reason_to_stay(const struct catalog_run *r) {
    if (!r->own) {
        return "its folder is not called by its run id";
    }
    if (r->latest) {
        return "it is the latest";
    }
    return r->live ? "it is being written" : NULL;
}

/* The first file in its folder that is somebody else's keeps a run, too. */
static int find_reason(const struct config *c, const struct catalog_run *r, char *why, size_t size,
                       struct err *e) {
    char foreign[256];
    char shown[4 * 64 + 8];
    const char *reason = reason_to_stay(r);
    snprintf(why, size, "%s", reason ? reason : "");
    if (reason) {
        return 0;
    }
    const int rc = catalog_find_foreign(c->results, r->name, foreign, sizeof foreign, e);
    if (rc > 0) {
        text_terminal(shown, sizeof shown, foreign, 64, progress_style_for(stdout, false).utf8);
        snprintf(why, size, "%s in it is not loopbench's; move it away to prune the run", shown);
    }
    return rc < 0 ? -1 : 0;
}

static int prune_run(const struct config *c, const struct catalog_run *r, size_t *removed,
                     struct err *e) {
    char why[400];
    if (find_reason(c, r, why, sizeof why, e) != 0) {
        return -1;
    }
    if (!*why && !c->dry_run) {
        const int rc = catalog_remove(c->results, r->name, e);
        if (rc < 0) {
            return -1;
        }
        snprintf(why, sizeof why, "%s", rc == 0 ? "it is being written" : "");
    }
    char shown[4 * 64 + 8];
    text_terminal(shown, sizeof shown, r->name, 64, progress_style_for(stdout, false).utf8);
    if (*why) {
        printf("kept          %s: %s\n", shown, why);
    } else {
        printf("%s %s\n", c->dry_run ? "would remove " : "removed      ", shown);
        (*removed)++;
    }
    return 0;
}

static int prune_all(const struct config *c, const struct catalog *catalog, struct err *e) {
    size_t mine = 0;
    size_t removed = 0;
    for (size_t i = 0; i < catalog->count; i++) {
        mine += !catalog->run[i].published;
    }
    size_t over = mine > (size_t)c->keep ? mine - (size_t)c->keep : 0;
    for (size_t i = 0; i < catalog->count && over > 0; i++) {
        if (!catalog->run[i].published) {
            over--;
            if (prune_run(c, &catalog->run[i], &removed, e) != 0) {
                return -1;
            }
        }
    }
    printf("%zu of %zu runs %s\n", removed, mine, c->dry_run ? "would be removed" : "removed");
    return 0;
}

int command_prune(const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct catalog catalog = {0};
    if (config_load(&c, &in->args->flags, USE_PRUNE, e) != 0) {
        return -1;
    }
    int rc = c.keep > 0 ? catalog_read(&catalog, c.results, e)
                        : err_set(e, ERR_USAGE,
                                  "prune: say how many of the newest runs stay, like --keep 10");
    if (rc == 0) {
        if (!c.dry_run) {
            catalog_sweep(c.results);
        }
        rc = prune_all(&c, &catalog, e);
        catalog_release(&catalog);
    }
    config_release(&c);
    return rc;
}
