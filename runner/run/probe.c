#include "run/probe.h"

#include <stdlib.h>
#include <string.h>

#include "plan/limits.h"
#include "run/installed.h"
#include "sample/proc.h"

#define EXCHANGE_TIMEOUT_NS 5000000000LL
#define MAX_PIDS            256

struct probed {
    const struct target_config *config;
    enum verify_kind kind;
    struct target_spec spec;
    char **command;
    struct target *target;
    const struct workload **workloads; /* of a guest: what it is verified for, at its own paths */
    size_t n_workloads;
};

struct probe_state {
    const struct setup *setup;
    const struct plan *plan;
    struct probed *item;
    size_t n;
    json_t *notes; /* the probe's */
    bool lost;     /* a container ended that nobody of ours had told to */
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

static bool probe_has(const struct probe_state *s, const char *name) {
    size_t i = 0;
    while (i < s->n && strcmp(s->item[i].config->name, name) != 0) {
        i++;
    }
    return i < s->n;
}

/* How many of its processes may take connections: no more than it was told to have. */
static int64_t probe_takers(const struct config *c, const struct target_config *t, size_t seen) {
    const bool told = t->builtin || config_command_has(t, "{workers}");
    return told && (int64_t)seen > c->workers ? c->workers : (int64_t)seen;
}

/* Connections that it cannot take would be errors in every trial. A target of which no process is
 * seen is not judged. */
static int probe_check_files(const struct probe_state *s, const struct probed *it, struct err *e) {
    pid_t roots[MAX_PIDS];
    pid_t all[MAX_PIDS];
    char note[256];
    const size_t top = setup_launcher(it->config)->pids(it->target, roots, MAX_PIDS);
    const size_t n = proc_trees(roots, top, all, MAX_PIDS);
    const struct limits_target t = {
        .name = it->config->name,
        .processes = probe_takers(s->setup->config, it->config, n),
        .files = proc_files_limit(all, n),
    };
    if (limits_judge_shares(&t, s->setup->max_connections, note, sizeof note)) {
        json_array_append_new(s->notes, json_string(note));
    }
    return limits_judge_target(&t, s->setup->max_connections, e);
}

static int probe_start(struct probe_state *s, size_t i, struct err *e) {
    const struct plan_target *p = &s->plan->target[i];
    /* Once, by whatever load generators it will be measured. */
    if (p->role == PLAN_CONTROL || probe_has(s, p->base)) {
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
        return probe_check_files(s, it, e);
    }
    probe_note_lost(s, it, f);
    e->class = f == TARGET_INTERRUPTED ? ERR_NONE : ERR_MACHINE;
    return -1;
}

/* Stops all. One that has to be killed, or ends badly, is told of: its trials fail at their stop,
 * the others can be measured. The first that had ended before is the error. */
static int probe_stop(struct probe *p, struct probe_state *s, struct err *e) {
    int result = 0;
    for (size_t i = 0; i < s->n; i++) {
        struct probed *it = &s->item[i];
        const struct target_ops *ops = setup_launcher(it->config);
        struct err why = {0};
        enum target_failure f = it->target ? ops->stop(it->target, &why) : TARGET_OK;
        probe_note_lost(s, it, f);
        if (f == TARGET_STOP) {
            json_array_append_new(p->unstopped, json_string(why.text));
        } else if (f != TARGET_OK && result == 0) {
            *e = why;
            e->class = f == TARGET_INTERRUPTED ? ERR_NONE : ERR_MACHINE;
            result = -1;
        }
        ops->free(it->target);
        setup_free_command(it->command);
        free(it->workloads);
    }
    return result;
}

/* The command as it was written, with what makes it log where it was to. */
static json_t *probe_command(const struct setup *s, const struct target_config *c) {
    json_t *command = json_array();
    for (size_t k = 0; c->command && c->command[k]; k++) {
        /* Our own servers by name: the folder they stand in says nothing about the run. */
        const char *slash = k == 0 && c->builtin ? strrchr(c->command[0], '/') : NULL;
        json_array_append_new(command, json_string(slash ? slash + 1 : c->command[k]));
    }
    for (size_t k = 0; s->log_fd >= 0 && c->log_options && c->log_options[k]; k++) {
        json_array_append_new(command, json_string(c->log_options[k]));
    }
    return command;
}

/* What it says of itself in its ready line, else what its version command says. */
static void probe_describe_server(const struct probe_state *s, const struct probed *it,
                                  json_t *out) {
    const char *line = setup_launcher(it->config)->describe(it->target);
    json_t *said = line ? json_loads(line, 0, NULL) : NULL;
    json_t *server = json_object_get(said, "server");
    json_t *versions = json_incref(json_object_get(said, "versions"));
    char version[256];
    if (!versions) {
        installed_version(s->setup->loop, s->setup->config, it->config, version, sizeof version);
        versions = version[0] ? json_pack("{s:s%}", "version", version, strlen(version)) : NULL;
    }
    json_object_set(out, "server", server ? server : json_null());
    json_object_set_new(out, "versions", versions ? versions : json_null());
    json_decref(said);
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
        const struct target_config *c = it->config;
        probe_describe_server(s, it, out);
        json_object_set_new(out, "command", probe_command(s->setup, c));
        if (*p->generator) {
            json_object_set_new(out, "generator", json_string(p->generator));
        }
        json_object_set_new(out, "place", json_string(config_place_name(c->place)));
        json_object_set_new(out, "guest", json_boolean(!c->builtin));
        if (c->shares_db && s->setup->config->db) {
            json_object_set_new(out, "shares_db", json_true());
        }
        if (c->about) {
            json_object_set_new(out, "about", json_string(c->about));
        }
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

/* What a guest is verified for: of the chosen workloads those it serves, or all it says it serves,
 * or all there are where it says nothing. */
static int probe_choose(const struct setup *s, struct probed *it, struct err *e) {
    const struct target_config *t = it->config;
    const struct names *chosen = &s->config->workloads;
    size_t room = chosen->n;
    while (s->all_workloads && workload_at(room)) {
        room++;
    }
    it->workloads = calloc(room + 1, sizeof(const struct workload *));
    if (!it->workloads) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    for (size_t i = 0; s->all_workloads ? workload_at(i) != NULL : i < chosen->n; i++) {
        const char *name = s->all_workloads ? workload_at(i)->name : chosen->name[i];
        if (!config_serves(t, name)) {
            continue;
        }
        const struct workload *w = setup_workload(t, name, e);
        if (!w) {
            return -1;
        }
        it->workloads[it->n_workloads++] = w;
    }
    return 0;
}

static json_t *probe_wire(const struct verify_wire *w) {
    static const char *const served[] = {
        [SERVED] = "yes", [NOT_SERVED] = "no", [SERVED_WRONG] = "wrong"};
    bool size = w->served == SERVED;
    bool both = size && w->reference[0];
    json_t *out = json_pack("{s:s, s:s}", "workload", w->workload, "served", served[w->served]);
    json_object_set_new(out, "status", w->status ? json_integer(w->status) : json_null());
    json_object_set_new(out, "reference", both ? json_string(w->reference) : json_null());
    const struct {
        const char *name;
        bool known;
        size_t value;
    } sizes[] = {{"head_bytes", size, w->head},
                 {"body_bytes", size, w->body},
                 {"reference_head_bytes", both, w->head_of_reference},
                 {"reference_body_bytes", both, w->body_of_reference}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        json_object_set_new(out, sizes[i].name,
                            sizes[i].known ? json_integer((json_int_t)sizes[i].value)
                                           : json_null());
    }
    json_object_set_new(out, "same_body",
                        both && !w->varies ? json_boolean(w->same_body) : json_null());
    json_object_set_new(out, "same_headers", both ? json_boolean(w->same_headers) : json_null());
    json_object_set_new(out, "content_length", size ? json_boolean(!w->chunked) : json_null());
    json_object_set_new(out, "keeps_connection", size ? json_boolean(w->keeps) : json_null());
    return out;
}

/* For the manifest: what each guest sends. */
static void probe_keep_wires(struct probe *p) {
    for (size_t i = 0; i < json_array_size(p->targets); i++) {
        json_t *target = json_array_get(p->targets, i);
        const char *base = json_string_value(json_object_get(target, "base"));
        json_t *replies = json_array();
        for (size_t k = 0; base && k < p->findings.wires; k++) {
            if (strcmp(p->findings.wire[k].target, base) == 0) {
                json_array_append_new(replies, probe_wire(&p->findings.wire[k]));
            }
        }
        if (json_array_size(replies) > 0) {
            json_object_set(target, "replies", replies);
        }
        json_decref(replies);
    }
}

static int probe_verify(struct probe *p, struct probe_state *s, struct err *e) {
    struct verify_target *targets = calloc(s->n + 1, sizeof *targets);
    const struct names *names = &s->setup->config->workloads;
    const struct workload **workloads = calloc(names->n + 1, sizeof(const struct workload *));
    int rc = targets && workloads ? 0 : err_set(e, ERR_MACHINE, "out of memory");
    for (size_t i = 0; i < s->n && rc == 0; i++) {
        struct probed *it = &s->item[i];
        bool guest = it->kind == VERIFY_GUEST;
        rc = guest ? probe_choose(s->setup, it, e) : 0;
        targets[i] = (struct verify_target){
            .name = it->config->name,
            .host = it->target->host,
            .port = it->target->port,
            .kind = it->kind,
            .workloads = it->workloads,
            .n_workloads = it->n_workloads,
            .tentative = guest && s->setup->all_workloads && it->config->workloads.n == 0,
        };
    }
    for (size_t i = 0; workloads && i < names->n && rc == 0; i++) {
        workloads[i] = workload_find(names->name[i]);
    }
    if (rc == 0) {
        http_attend(s->setup->loop);
        rc = verify_all(targets, s->n, workloads, names->n, EXCHANGE_TIMEOUT_NS, &p->findings, e);
        http_attend(NULL);
        probe_keep_wires(p);
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
    p->unstopped = json_array();
    p->notes = s.notes = json_array();
    if (!s.item || !p->targets || !p->unstopped || !p->notes) {
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
    if (probe_stop(p, &s, &stop) != 0 && rc == 0) {
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

size_t probe_note_unstopped(const struct probe *p, FILE *out) {
    const size_t n = json_array_size(p->unstopped);
    for (size_t i = 0; i < json_array_size(p->notes); i++) {
        fprintf(out, "note: %s\n", json_string_value(json_array_get(p->notes, i)));
    }
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "note: %s\n", json_string_value(json_array_get(p->unstopped, i)));
    }
    return n;
}

void probe_release(struct probe *p) {
    json_decref(p->targets);
    json_decref(p->unstopped);
    json_decref(p->notes);
    p->targets = p->unstopped = p->notes = NULL;
    verify_findings_release(&p->findings);
}
