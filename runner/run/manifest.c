#include "run/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buildinfo.h"
#include "base/cpus.h"
#include "sample/inside.h"
#include "sample/machine.h"

#define ASK_TIMEOUT_NS 3000000000LL

static json_t *manifest_names(const struct names *names) {
    json_t *out = json_array();
    for (size_t i = 0; i < names->n; i++) {
        json_array_append_new(out, json_string(names->name[i]));
    }
    return out;
}

static json_t *manifest_plan(const struct config *c, const struct plan *p) {
    char seed[32];
    char mode[CONFIG_MODE_SIZE];
    json_t *connections = json_array();
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)p->seed);
    for (size_t i = 0; i < c->connections.n; i++) {
        json_array_append_new(connections, json_integer(c->connections.value[i]));
    }
    config_mode_text(c, mode, sizeof mode);
    return json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:I, s:o, s:I, s:I}", "profile", c->profile,
                     "mode", mode, "seed", seed, "rounds", p->rounds, "workloads",
                     manifest_names(&c->workloads), "connections", connections, "warmup_us",
                     (json_int_t)(c->warmup_ns / 1000), "window_us",
                     c->requests > 0 ? json_null() : json_integer(c->duration_ns / 1000), "blocks",
                     (json_int_t)p->block_count, "trials", (json_int_t)p->trial_count);
}

static json_t *manifest_cpus(const struct cpusplit *cpus) {
    char server[CPUS_TEXT_SIZE];
    char generator[CPUS_TEXT_SIZE];
    cpus_format(&cpus->server, server, sizeof server);
    cpus_format(&cpus->generator, generator, sizeof generator);
    return json_pack("{s:s, s:s, s:o, s:b, s:b}", "server", server, "generator", generator, "note",
                     cpus->note[0] ? json_string(cpus->note) : json_null(), "disjoint",
                     cpus->disjoint, "shares_core", cpus->shares_core);
}

static json_t *manifest_build(void) {
    const struct buildinfo *b = buildinfo_get();
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "version", b->version, "commit", b->commit,
                     "compiler", b->compiler, "flags", b->flags, "server_flags", b->server_flags);
}

/* Every option as the configuration file would say it, name → value. */
static json_t *manifest_options(const struct config *c) {
    json_t *out = json_object();
    for (size_t i = 0; i < options_count(); i++) {
        char *value = options[i].use & USE_FILE ? config_value_text(c, &options[i]) : NULL;
        if (value) {
            json_object_set_new(out, options[i].name, json_string(value));
            free(value);
        }
    }
    return out;
}

static json_t *manifest_versions(struct loop *loop, const char *wrk, const char *gnuplot) {
    struct machine_programs programs = {0};
    machine_ask_programs(loop, wrk, gnuplot, ASK_TIMEOUT_NS, &programs);
    json_t *out = machine_programs_json(&programs);
    json_t *libraries = machine_libraries_json();
    json_object_update(out, libraries);
    json_decref(libraries);
    return out;
}

/* A runner that is in a container itself is told so by whoever put it there, with what it cannot
 * see: LOOPBENCH_CONTAINERS, a JSON object. Its text is foreign: only an object is taken over. What
 * can be seen from inside is added. */
static json_t *manifest_surroundings(void) {
    const char *told = getenv("LOOPBENCH_CONTAINERS");
    json_t *out = told ? json_loads(told, 0, NULL) : NULL;
    json_t *inside = json_is_object(out) ? inside_json("") : NULL;
    if (!inside) {
        json_decref(out);
        return json_null();
    }
    bool engine = json_is_object(json_object_get(out, "engine"));
    json_object_set_new(out, "seen", json_string(engine ? "engine" : "inside"));
    json_t *limits = json_object_get(out, "limits");
    if (json_is_object(limits)) {
        json_object_update_missing(limits, json_object_get(inside, "limits"));
    }
    json_object_update_missing(out, inside);
    json_decref(inside);
    return out;
}

/* What the containers of this run were made of and held to; null where it had none. */
static json_t *manifest_container(const struct setup *s) {
    const struct engine *g = &s->engine;
    if (!s->containers) {
        return manifest_surroundings();
    }
    return json_pack("{s:s, s:s, s:{s:s, s:s, s:s, s:s}, s:{s:I, s:I, s:I}}", "started_by",
                     "runner", "seen", "engine", "engine", "version", g->version, "storage_driver",
                     g->storage_driver, "cgroup", g->cgroup, "runtime", g->runtime, "limits",
                     "memory", (json_int_t)CONTAINER_MEMORY, "pids", (json_int_t)CONTAINER_PIDS,
                     "files", (json_int_t)s->config->container_files);
}

/* All that measure, wrk included, in the order they were asked for. */
static json_t *manifest_generators(const struct setup *s) {
    const struct names *names = &s->config->generators;
    json_t *all = json_array();
    for (size_t i = 0; i < names->n; i++) {
        const char *version = s->generator_version;
        for (size_t k = 0; k < s->n_others; k++) {
            if (strcmp(s->others[k].ops->name, names->name[i]) == 0) {
                version = s->others[k].version;
            }
        }
        json_array_append_new(all,
                              json_pack("{s:s, s:s}", "name", names->name[i], "version", version));
    }
    return all;
}

json_t *manifest_make(const struct manifest_input *in) {
    const struct setup *s = in->setup;
    const struct config *c = s->config;
    struct machine machine;
    json_t *command = json_array();
    json_t *notes = json_array();
    for (int i = 0; i < in->argc; i++) {
        json_array_append_new(command, json_string(in->argv[i]));
    }
    for (size_t i = 0; in->notes && in->notes[i]; i++) {
        json_array_append_new(notes, json_string(in->notes[i]));
    }
    machine_read("", &machine);
    json_t *out =
        json_pack("{s:o, s:o, s:o, s:o, s:O, s:{s:s, s:s, s:i}, s:o, s:o, s:o, s:b, s:o, s:o}",
                  "loopbench", manifest_build(), "command", command, "options", manifest_options(c),
                  "plan", manifest_plan(c, in->plan), "targets", in->targets, "generator", "name",
                  s->generator->name, "version", s->generator_version, "threads", (int)c->threads,
                  "cpus", manifest_cpus(&s->cpus), "machine", machine_json(&machine, false),
                  "versions", manifest_versions(s->loop, c->wrk, in->gnuplot), "verified",
                  c->verify, "notes", notes, "containers", manifest_container(s));
    machine_release(&machine);
    if (out && c->generators.n > 0) {
        json_object_set_new(out, "kind", json_string("crosscheck"));
        json_object_set_new(out, "generators", manifest_generators(s));
    }
    return out;
}
