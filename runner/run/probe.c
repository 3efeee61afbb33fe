#include "run/probe.h"

#include <stdlib.h>
#include <string.h>

#define EXCHANGE_TIMEOUT_NS 5000000000LL

struct probed {
    const struct target_config *config;
    enum verify_kind kind;
    struct target_spec spec;
    char **command;
    struct target *target;
};

struct probe_state {
    const struct setup *setup;
    const struct plan *plan;
    struct probed *item;
    size_t n;
    bool lost; /* a container ended that nobody of ours had told to */
};

/* Somebody may have ended it, as happens to a container in a trial too: that is no reason to
 * measure nothing. */
static void probe_note_lost(struct probe_state *s, const struct probed *it, enum target_failure f) {
    bool container = it->config->place == PLACE_HOST_NETWORK || it->config->place == PLACE_BRIDGE;
    s->lost = s->lost || (container && (f == TARGET_START || f == TARGET_CRASHED));
}

static enum verify_kind probe_kind(const struct target_config *t, enum plan_role role) {
    if (role == PLAN_NULL) {
        return VERIFY_NULL;
    }
    return t->builtin ? VERIFY_OURS : VERIFY_GUEST;
}

static int probe_start(struct probe_state *s, size_t i, struct err *e) {
    const struct plan_target *p = &s->plan->target[i];
    if (p->role == PLAN_CONTROL) {
        return 0;
    }
    struct probed *it = &s->item[s->n];
    it->config = config_target(s->setup->config, p->base);
    if (!it->config) {
        return err_set(e, ERR_USAGE, "no target '%s'", p->base);
    }
    it->kind = probe_kind(it->config, p->role);
    if (setup_target(s->setup, it->config, &it->spec, &it->command, e) != 0) {
        return -1;
    }
    s->n++;
    const struct target_ops *ops = setup_launcher(it->config);
    enum target_failure f = ops->start(s->setup->loop, &it->spec, &it->target, e);
    if (f == TARGET_OK) {
        f = ops->ready(it->target, e);
    }
    if (f == TARGET_OK) {
        return 0;
    }
    probe_note_lost(s, it, f);
    e->class = f == TARGET_INTERRUPTED ? ERR_NONE : ERR_MACHINE;
    return -1;
}

/* Stops all; the first that does not end cleanly is the error. */
static int probe_stop(struct probe_state *s, struct err *e) {
    int result = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct probed *it = &s->item[i];
        const struct target_ops *ops = setup_launcher(it->config);
        struct err why = {0};
        enum target_failure f = it->target ? ops->stop(it->target, &why) : TARGET_OK;
        probe_note_lost(s, it, f);
        if (f != TARGET_OK && result == 0) {
            *e = why;
            e->class = ERR_MACHINE;
            result = -1;
        }
        ops->free(it->target);
        setup_free_command(it->command);
    }
    return result;
}

static json_t *probe_describe(const struct probe_state *s, const struct plan_target *p) {
    json_t *out =
        json_pack("{s:s, s:s, s:i}", "name", p->name, "base", p->base, "role", (int)p->role);
    static const char *const roles[] = {"target", "control", "null"};
    json_object_set_new(out, "role", json_string(roles[p->role]));
    for (size_t i = 0; i < s->n; i++) {
        const struct probed *it = &s->item[i];
        if (strcmp(it->config->name, p->base) != 0) {
            continue;
        }
        const char *line = setup_launcher(it->config)->describe(it->target);
        json_t *said = line ? json_loads(line, 0, NULL) : NULL;
        json_t *server = json_object_get(said, "server");
        json_t *versions = json_object_get(said, "versions");
        json_object_set(out, "server", server ? server : json_null());
        json_object_set(out, "versions", versions ? versions : json_null());
        json_decref(said);
        const struct target_config *c = it->config;
        json_t *command = json_array();
        for (size_t k = 0; c->command && c->command[k]; k++) {
            /* Our own servers by name: the folder they stand in says nothing about the run. */
            const char *slash = k == 0 && c->builtin ? strrchr(c->command[0], '/') : NULL;
            json_array_append_new(command, json_string(slash ? slash + 1 : c->command[k]));
        }
        json_object_set_new(out, "command", command);
        json_object_set_new(out, "place", json_string(config_place_name(c->place)));
        if (c->url) {
            json_object_set_new(out, "url", json_string(c->url));
        }
        if (c->place == PLACE_HOST_NETWORK || c->place == PLACE_BRIDGE) {
            char id[128];
            struct err ignored = {0};
            bool known = engine_image(s->setup->loop, c->image, id, sizeof id, &ignored) == 0;
            json_object_set_new(out, "image", json_string(c->image));
            json_object_set_new(out, "image_id", known ? json_string(id) : json_null());
        }
    }
    return out;
}

static int probe_verify(struct probe *p, const struct probe_state *s, struct err *e) {
    struct verify_target *targets = calloc(s->n + 1, sizeof *targets);
    const struct names *names = &s->setup->config->workloads;
    const struct workload **workloads = calloc(names->n + 1, sizeof(const struct workload *));
    int rc = -1;
    if (!targets || !workloads) {
        err_set(e, ERR_MACHINE, "out of memory");
    } else {
        for (size_t i = 0; i < s->n; i++) {
            const struct probed *it = &s->item[i];
            targets[i] = (struct verify_target){it->config->name, it->target->host,
                                                it->target->port, it->kind};
        }
        for (size_t i = 0; i < names->n; i++) {
            workloads[i] = workload_find(names->name[i]);
        }
        rc = verify_all(targets, s->n, workloads, names->n, EXCHANGE_TIMEOUT_NS, &p->findings, e);
    }
    free(targets);
    free(workloads);
    return rc;
}

/* *lost: a container was lost meanwhile, so it may go well another time. */
static int probe_once(struct probe *p, const struct setup *setup, const struct plan *plan,
                      bool *lost, struct err *e) {
    struct probe_state s = {.setup = setup, .plan = plan};
    struct err stop = {0};
    int rc = 0;
    memset(p, 0, sizeof *p);
    s.item = calloc(plan->target_count, sizeof *s.item);
    p->targets = json_array();
    if (!s.item || !p->targets) {
        free(s.item);
        probe_release(p);
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    for (size_t i = 0; i < plan->target_count && rc == 0; i++) {
        rc = probe_start(&s, i, e);
    }
    for (size_t i = 0; i < plan->target_count && rc == 0; i++) {
        json_array_append_new(p->targets, probe_describe(&s, &plan->target[i]));
    }
    if (rc == 0 && setup->config->verify) {
        rc = probe_verify(p, &s, e);
    }
    if (probe_stop(&s, &stop) != 0 && rc == 0) {
        *e = stop;
        rc = -1;
    }
    free(s.item);
    if (rc != 0) {
        probe_release(p);
    }
    *lost = s.lost;
    return rc;
}

int probe_targets(struct probe *p, const struct setup *setup, const struct plan *plan,
                  struct err *e) {
    bool lost = false;
    int rc = probe_once(p, setup, plan, &lost, e);
    if (rc != 0 && lost && !setup->loop->interrupted) {
        rc = probe_once(p, setup, plan, &lost, e);
    }
    return rc;
}

void probe_release(struct probe *p) {
    json_decref(p->targets);
    p->targets = NULL;
    verify_findings_release(&p->findings);
}
