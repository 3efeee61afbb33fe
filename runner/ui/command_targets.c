/* `loopbench targets`: every target that is known, and whether it could be measured here. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "run/installed.h"
#include "ui/commands.h"
#include "ui/text.h"

static void targets_broken(void *ctx, const char *why) {
    (void)ctx;
    fprintf(stderr, "loopbench: %s\n", why);
}

/* Whether it is there: "yes", or why not with what brings it. */
static int targets_state(struct loop *loop, const struct config *c, const struct target_config *t,
                         char *out, size_t size, struct err *e) {
    char why[INSTALLED_WHY_SIZE];
    char servers[PATH_MAX];
    char program[PATH_MAX + 64];
    if (t->builtin && t->place == PLACE_PROCESS) {
        bool there = config_servers(c->servers, servers, sizeof servers) == 0;
        snprintf(program, sizeof program, "%s/server-%s", servers, t->name);
        snprintf(out, size, "%s", there && file_exists(program) ? "yes" : "no: `make servers`");
        return 0;
    }
    int there = installed_is(loop, c, t, why, sizeof why, e);
    if (there > 0) {
        snprintf(out, size, "%s", t->place == PLACE_URL ? "runs elsewhere" : "yes");
    } else if (there == 0) {
        snprintf(out, size, "no: %s%s%s%s", strcmp(why, "not installed") == 0 ? "" : why,
                 t->package ? "apt-get install " : "", t->package ? t->package : "",
                 t->package || strcmp(why, "not installed") != 0 ? "" : why);
    }
    return there < 0 ? -1 : 0;
}

static void targets_workloads(const struct target_config *t, char *out, size_t size) {
    size_t used = 0;
    snprintf(out, size, "all");
    for (size_t i = 0; i < t->workloads.n && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i > 0 ? "," : "", t->workloads.name[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

static int targets_list(const struct config *c, FILE *out, struct err *e) {
    struct loop loop;
    int rc = loop_init(&loop, e);
    if (rc != 0) {
        return -1;
    }
    for (size_t i = 0; i < c->target_count && rc == 0; i++) {
        const struct target_config *t = &c->target[i];
        char state[512];
        char workloads[512];
        rc = targets_state(&loop, c, t, state, sizeof state, e);
        if (rc != 0) {
            break;
        }
        targets_workloads(t, workloads, sizeof workloads);
        fprintf(out, "%s\n", t->name);
        fprintf(out, "  kind       %s%s%s\n",
                t->builtin ? "built in"
                : t->guest ? "guest"
                           : "of the configuration",
                t->place == PLACE_PROCESS ? "" : ", ",
                t->place == PLACE_PROCESS ? "" : config_place_name(t->place));
        fprintf(out, "  installed  %s\n", state);
        fprintf(out, "  serves     ");
        text_fill(out, workloads, 13, 13, 100);
        if (t->about) {
            fprintf(out, "  about      ");
            text_fill(out, t->about, 13, 13, 100);
        }
    }
    loop_release(&loop);
    return rc;
}

int command_targets(const struct invocation *in, struct err *e) {
    struct config c = {0};
    if (config_load(&c, &in->args->flags, USE_TARGETS, e) != 0) {
        return -1;
    }
    int rc = config_add_guests(&c, targets_broken, NULL, e);
    if (rc == 0) {
        rc = targets_list(&c, stdout, e);
    }
    config_release(&c);
    return rc;
}
