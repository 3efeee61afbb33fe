#include "run/setup.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buildinfo.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/workload.h"
#include "plan/limits.h"
#include "run/setup_log.h"
#include "sample/kernel.h"

/* Every CPU of `set` must be one this process may use. */
static int setup_check_cpus(const cpu_set_t *set, const cpu_set_t *allowed, const char *option,
                            struct err *e) {
    cpu_set_t both;
    char have[CPUS_TEXT_SIZE];
    char want[CPUS_TEXT_SIZE];
    CPU_AND(&both, set, allowed);
    if (CPU_EQUAL(&both, set)) {
        return 0;
    }
    cpus_format(set, want, sizeof want);
    cpus_format(allowed, have, sizeof have);
    return err_set(e, ERR_USAGE,
                   "--%s %s: this process may use the CPUs %s only; choose among those", option,
                   want, have);
}

int setup_split_cpus(const struct config *c, struct cpusplit *out, struct err *e) {
    cpu_set_t allowed;
    int core[CPU_SETSIZE];
    cpus_allowed(&allowed);
    cpusplit_read_cores("", &allowed, core);
    if (c->server_cpus.automatic && c->generator_cpus.automatic) {
        cpusplit_choose(&allowed, core, (int)c->workers, (int)c->threads, out);
        return 0;
    }
    cpu_set_t server = c->server_cpus.set;
    cpu_set_t generator = c->generator_cpus.set;
    /* One side by hand: the other gets what is left, or everything where nothing is. */
    if (c->server_cpus.automatic || c->generator_cpus.automatic) {
        cpu_set_t *given = c->server_cpus.automatic ? &generator : &server;
        cpu_set_t *other = c->server_cpus.automatic ? &server : &generator;
        cpu_set_t left;
        CPU_AND(&left, given, &allowed);
        CPU_XOR(&left, &left, &allowed);
        *other = CPU_COUNT(&left) > 0 ? left : allowed;
    }
    /* Servers that run already are where somebody else has put them: that is only recorded. */
    if ((!config_all_external(c) && setup_check_cpus(&server, &allowed, "server-cpus", e) != 0) ||
        setup_check_cpus(&generator, &allowed, "generator-cpus", e) != 0) {
        return -1;
    }
    cpusplit_judge(&server, &generator, core, (int)c->workers, (int)c->threads, out);
    return 0;
}

/* Some target runs in a container: the engine must be there, and every image. */
static int setup_engine(struct setup *s, struct err *e) {
    const struct config *c = s->config;
    for (size_t i = 0; i < c->targets.n; i++) {
        const struct target_config *t = config_target(c, c->targets.name[i]);
        char id[128];
        if (!t || (t->place != PLACE_HOST_NETWORK && t->place != PLACE_BRIDGE)) {
            continue;
        }
        if ((!s->containers && engine_check(s->loop, &s->engine, e) != 0) ||
            engine_image(s->loop, t->image, id, sizeof id, e) != 0) {
            return err_prefix(e, "target '%s'", t->name);
        }
        s->containers = true;
    }
    if (s->containers) {
        engine_sweep(s->loop);
    }
    return 0;
}

void setup_release(struct setup *s) {
    if (s->log_fd >= 0) {
        close(s->log_fd);
    }
    s->log_fd = -1;
}

static int setup_check_container_files(const struct setup *s, int max_connections, struct err *e) {
    int64_t needed = limits_files_needed(max_connections);
    if (!s->containers || s->config->container_files >= needed) {
        return 0;
    }
    return err_set(e, ERR_USAGE,
                   "%d connections need %" PRId64 " open files, a container has %" PRId64
                   "; raise --container-files, or choose fewer connections",
                   max_connections, needed, s->config->container_files);
}

/* One that is not wrk: known, there, and fit for every cell. */
static int setup_other(struct setup *s, const char *name, struct err *e) {
    const struct load_ops *ops = load_find(name);
    struct setup_generator *g = &s->others[s->n_others];
    if (!ops || s->n_others == SETUP_GENERATORS) {
        return err_set(e, ERR_USAGE,
                       "generators: no load generator is called '%s'; there are wrk, ab, h2load "
                       "and siege",
                       name);
    }
    const struct config *c = s->config;
    for (size_t i = 0; i < c->workloads.n * c->connections.n; i++) {
        const struct workload *w = workload_find(c->workloads.name[i / c->connections.n]);
        struct load_spec spec = {
            .request = {.method = w->method,
                        .path = w->path,
                        .headers = w->headers,
                        .body = w->body},
            .connections = (int)c->connections.value[i % c->connections.n],
            .threads = (int)c->threads,
            .phase = LOAD_WINDOW,
            .mode = config_mode(c),
            .duration_ns = c->duration_ns,
        };
        if (ops->accepts(&spec, e) != LOAD_OK) {
            return -1;
        }
    }
    g->ops = ops;
    s->n_others++;
    return ops->check(s->loop, NULL, g->version, sizeof g->version, e) == LOAD_OK ? 0 : -1;
}

static int setup_others(struct setup *s, struct err *e) {
    const struct names *names = &s->config->generators;
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->name[i], s->generator->name) != 0 &&
            setup_other(s, names->name[i], e) != 0) {
            return -1;
        }
    }
    return 0;
}

const struct load_ops *setup_load(const struct setup *s, const char *name) {
    if (!*name || strcmp(name, s->generator->name) == 0) {
        return s->generator;
    }
    for (size_t i = 0; i < s->n_others; i++) {
        if (strcmp(s->others[i].ops->name, name) == 0) {
            return s->others[i].ops;
        }
    }
    return NULL;
}

static int setup_begin(struct setup *s, struct loop *loop, const struct config *c,
                       int max_connections, struct err *e) {
    *s = (struct setup){.loop = loop,
                        .config = c,
                        .generator = &load_wrk,
                        .max_connections = max_connections,
                        .log_fd = -1};
    int64_t backlog = config_backlog(c);
    s->backlog = backlog > INT_MAX ? INT_MAX : (int)backlog;
    if (config_servers(c->servers, s->servers, sizeof s->servers) != 0) {
        return err_set(e, ERR_USAGE, "--servers: the path is too long; " FILE_PATH_REMEDY);
    }
    if (setup_split_cpus(c, &s->cpus, e) != 0 || config_check_programs(c, e) != 0 ||
        setup_engine(s, e) != 0 || setup_check_container_files(s, max_connections, e) != 0 ||
        limits_raise_files(max_connections, e) != 0) {
        return -1;
    }
    const struct mode mode = config_mode(c);
    struct kernel_conntrack tracked;
    kernel_read_conntrack("", &tracked);
    s->facts = (struct judge_facts){
        .conntrack_max = tracked.max,
        .local_ports = kernel_read_ports(),
        .generator_alone = s->cpus.disjoint && !s->cpus.generator_short,
        .depth = mode.pipeline > 1 ? mode.pipeline : 1,
        .replies_close = mode.close,
    };
    return 0;
}

int setup_init(struct setup *s, struct loop *loop, const struct config *c, int max_connections,
               struct err *e) {
    if (setup_begin(s, loop, c, max_connections, e) != 0 ||
        s->generator->check(loop, c->wrk, s->generator_version, sizeof s->generator_version, e) !=
            LOAD_OK) {
        return -1;
    }
    if (setup_others(s, e) != 0) {
        return -1;
    }
    return c->access_log ? setup_log_open(s, e) : 0;
}

int setup_init_counts(struct setup *s, struct loop *loop, const struct config *c,
                      int max_connections, struct err *e) {
    static const struct load_ops itself = {.name = "loopbench"};
    if (setup_begin(s, loop, c, max_connections, e) != 0) {
        return -1;
    }
    s->generator = &itself;
    snprintf(s->generator_version, sizeof s->generator_version, "%s", buildinfo_get()->version);
    return c->access_log ? setup_log_open(s, e) : 0;
}
