/* The same cell by several load generators: a run whose targets are target x generator. */
#include <stdlib.h>
#include <string.h>

#include "report/crosscheck.h"
#include "ui/crosscheck.h"
#include "ui/session.h"

#define CHECK_USE (USE_RUN | USE_CROSSCHECK)
#define LIST_SIZE 256

/* The command's defaults as the [run] section that flags win over. */
static int crosscheck_load(struct config *c, const struct settings *flags,
                           const struct command *command, struct err *e) {
    char text[512];
    int used = snprintf(text, sizeof text, "[run]\naa-control = off\nnull-server = no\n");
    for (const struct profile_setting *d = command->defaults; d->name; d++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "%s = %s\n", d->name, d->value);
    }
    return config_load_text(c, text, (size_t)used, "crosscheck", flags, CHECK_USE, e);
}

/* ---- which generators there are */

struct chosen {
    struct loop loop;
    char list[LIST_SIZE];
    size_t n; /* besides wrk */
};

/* One that is not there is left out with a line; everything else goes on. */
static int crosscheck_try(struct chosen *out, const char *name, struct err *e) {
    const struct load_ops *ops = load_find(name);
    char version[64];
    struct err why = {0};
    if (!ops) {
        return err_set(e, ERR_USAGE,
                       "--generators: no load generator is called '%s'; there are wrk, ab, h2load "
                       "and siege",
                       name);
    }
    if (ops == &load_wrk) {
        return 0; /* it is in the list, and looked for with everything else */
    }
    enum load_failure f = ops->check(&out->loop, NULL, version, sizeof version, &why);
    if (f == LOAD_INTERRUPTED) {
        return err_set(e, ERR_FAILED, "interrupted before anything was measured");
    }
    if (f != LOAD_OK) {
        fprintf(stderr, "loopbench: %s: left out\n", why.text);
        return 0;
    }
    size_t used = strlen(out->list);
    snprintf(out->list + used, sizeof out->list - used, ",%s", name);
    out->n++;
    return 0;
}

static int crosscheck_choose(struct chosen *out, const struct config *c, struct err *e) {
    int rc = 0;
    snprintf(out->list, sizeof out->list, "%s", load_wrk.name);
    if (loop_init(&out->loop, e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < c->generators.n && rc == 0; i++) {
        rc = crosscheck_try(out, c->generators.name[i], e);
    }
    for (size_t i = 0; load_at(i) && c->generators.n == 0 && rc == 0; i++) {
        rc = crosscheck_try(out, load_at(i)->name, e);
    }
    loop_release(&out->loop);
    if (rc == 0 && out->n == 0) {
        return err_set(e, ERR_MACHINE,
                       "there is no load generator to hold wrk against: install one (Debian: apt "
                       "install apache2-utils, nghttp2-client or siege)");
    }
    return rc;
}

/* ---- the run */

/* The flags of this invocation with the generators that are there. */
static int crosscheck_flags(struct settings *out, const struct settings *flags, const char *list) {
    for (size_t i = 0; i < flags->n; i++) {
        const struct setting *s = &flags->setting[i];
        if (strcmp(s->option->name, "generators") != 0 &&
            settings_add(out, s->option, s->value, s->where) != 0) {
            return -1;
        }
    }
    return settings_add(out, option_find("generators", USE_CROSSCHECK), list, "--generators");
}

static int crosscheck_config(struct session *s, const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct chosen chosen = {.n = 0};
    struct settings flags = {0};
    int rc = crosscheck_load(&c, &in->args->flags, in->args->command, e);
    if (rc == 0) {
        rc = crosscheck_choose(&chosen, &c, e);
        config_release(&c);
    }
    if (rc == 0 && crosscheck_flags(&flags, &in->args->flags, chosen.list) != 0) {
        rc = err_set(e, ERR_MACHINE, "out of memory");
    }
    if (rc == 0) {
        rc = crosscheck_load(&s->config, &flags, in->args->command, e);
    }
    settings_release(&flags);
    return rc;
}

static int crosscheck_run(struct session *s, const struct invocation *in, struct err *e) {
    if (crosscheck_config(s, in, e) != 0) {
        return -1;
    }
    s->crosscheck = true;
    s->config.report = false; /* its own table is the report; `loopbench report` makes the other */
    return session_plan_installed(s, e) != 0 ? -1 : session_run(s, in, e);
}

int command_crosscheck(const struct invocation *in, struct err *e) {
    struct session s = {0};
    int status = crosscheck_run(&s, in, e);
    session_release(&s);
    return status;
}

int crosscheck_conclude(const char *dir, FILE *out, bool utf8, struct err *e) {
    struct store store;
    struct cells cells;
    struct crosscheck found;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    int status = -1;
    if (cells_build(&cells, &store, e) == 0) {
        if (crosscheck_judge(&found, &cells, e) == 0) {
            crosscheck_print(out, &found, utf8);
            status = crosscheck_write(&found, e) != 0 ? -1 : 0;
            crosscheck_release(&found);
        }
        cells_release(&cells);
    }
    store_release(&store);
    return status;
}
