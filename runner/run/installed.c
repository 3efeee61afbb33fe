#include "run/installed.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/child.h"
#include "base/file.h"
#include "config/words.h"

#define ASK_TIMEOUT_NS INT64_C(10000000000)

/* Runs a target's own question to its end, at most ASK_TIMEOUT_NS. NULL: it could not be started.
 */
static struct child *installed_ask(struct loop *loop, const struct config *c,
                                   const struct target_config *t, char *const *command,
                                   enum loop_wait *ended) {
    struct err ignored = {0};
    char servers[PATH_MAX];
    bool known = config_servers(c->servers, servers, sizeof servers) == 0;
    char **argv = config_expand_all(t, command, known ? servers : NULL);
    if (!argv) {
        return NULL;
    }
    const struct child_spec spec = {
        .argv = (const char *const *)argv, .env = (const char *const *)t->env, .cwd = t->cwd};
    struct child *child = child_start(loop, &spec, &ignored);
    if (child) {
        *ended = child_wait(child, ASK_TIMEOUT_NS);
        child_stop(child, SIGKILL, 0);
    }
    words_free(argv);
    return child;
}

/* Where no package brings it, the reason names the command that does. */
static void installed_not(const struct target_config *t, char *why, size_t size) {
    const char *brings = t->package ? NULL : t->install;
    snprintf(why, size, "not installed%s%s%s", brings ? "; `" : "", brings ? brings : "",
             brings ? "` brings it" : "");
}

static int installed_probe(struct loop *loop, const struct config *c, const struct target_config *t,
                           char *why, size_t size, struct err *e) {
    enum loop_wait ended = LOOP_DONE;
    struct child *child = installed_ask(loop, c, t, t->probe, &ended);
    bool good = child && ended == LOOP_DONE && child_status(child) == 0;
    child_free(child);
    if (ended == LOOP_INTERRUPTED) {
        err_set(e, ERR_FAILED, "interrupted before anything was measured");
        e->class = ERR_NONE;
        return -1;
    }
    if (good) {
        snprintf(why, size, "%s", "");
    } else if (ended == LOOP_TIMEOUT) {
        snprintf(why, size, "its probe did not end within 10 s");
    } else {
        installed_not(t, why, size);
    }
    return good;
}

int installed_is(struct loop *loop, const struct config *c, const struct target_config *t,
                 char *why, size_t size, struct err *e) {
    char servers[PATH_MAX];
    char path[PATH_MAX];
    snprintf(why, size, "%s", "");
    if (t->place != PLACE_PROCESS || t->builtin) {
        return 1;
    }
    if (t->probe) {
        return installed_probe(loop, c, t, why, size, e);
    }
    if (!t->guest || config_servers(c->servers, servers, sizeof servers) != 0) {
        return 1;
    }
    char *program = config_expand(t, t->command[0], servers);
    bool found = program && file_which(program, path, sizeof path) == 0;
    free(program);
    if (!found) {
        installed_not(t, why, size);
    }
    return found;
}

/* Workloads that none of the rest serves go with the target. */
static void installed_drop_workloads(struct config *c) {
    size_t kept = 0;
    for (size_t i = 0; i < c->workloads.n; i++) {
        bool served = false;
        for (size_t t = 0; t < c->targets.n; t++) {
            const struct target_config *target = config_target(c, c->targets.name[t]);
            served = served || (target && config_serves(target, c->workloads.name[i]));
        }
        if (served) {
            c->workloads.name[kept++] = c->workloads.name[i];
        } else {
            free(c->workloads.name[i]);
        }
    }
    c->workloads.n = kept;
}

int installed_leave_out(struct loop *loop, struct config *c, struct err *e) {
    for (size_t i = 0; i < c->targets.n;) {
        char why[INSTALLED_WHY_SIZE];
        const struct target_config *t = config_target(c, c->targets.name[i]);
        int there = t ? installed_is(loop, c, t, why, sizeof why, e) : 1;
        if (there < 0 || (there == 0 && config_leave_out(c, t->name, why, t->package, e) != 0)) {
            return -1;
        }
        i += there > 0;
    }
    if (c->left_out_count == 0) {
        return 0;
    }
    if (c->targets.n > 0) {
        installed_drop_workloads(c);
    }
    const struct left_out *first = &c->left_out[0];
    if (c->targets.n == 0 || c->workloads.n == 0) {
        return err_set(
            e, ERR_MACHINE, "nothing is left to measure: %s: %s%s%s%s%s", first->name,
            first->reason, first->package ? "; `apt-get install " : "",
            first->package ? first->package : "", first->package ? "`" : "",
            first->package && config_target(c, first->name)->guest ? " or `make deps-guests`" : "");
    }
    return 0;
}

void installed_version(struct loop *loop, const struct config *c, const struct target_config *t,
                       char *out, size_t size) {
    enum loop_wait ended = LOOP_DONE;
    snprintf(out, size, "%s", "");
    if (!t->version || t->place != PLACE_PROCESS) {
        return;
    }
    struct child *child = installed_ask(loop, c, t, t->version, &ended);
    const char *text = child ? child_tail(child) : "";
    text += strspn(text, " \t\r\n");
    size_t len = strcspn(text, "\r\n");
    len = len < size ? len : size - 1;
    snprintf(out, size, "%.*s", (int)len, text);
    child_free(child);
}
