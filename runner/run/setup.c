#include "run/setup.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buildinfo.h"
#include "base/cpus.h"
#include "base/file.h"
#include "base/workload.h"
#include "plan/limits.h"
#include "sample/kernel.h"

#define STOP_GRACE_NS 8000000000LL /* ours drain within 5 s */

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
    return err_set(e, ERR_USAGE, "--%s %s: this process may use the CPUs %s only", option, want,
                   have);
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

/* A file on disk, as a log is, that has no name and so is gone with this process however it ends.
 * Servers open it through this process; they run as the same user. */
static int setup_open_log(struct setup *s, struct err *e) {
    char path[PATH_MAX];
    const char *tmp = getenv("TMPDIR");
    if (file_join(path, sizeof path, tmp && *tmp ? tmp : "/tmp", "loopbench-log-XXXXXX", e) != 0) {
        return -1;
    }
    s->log_fd = mkostemp(path, O_CLOEXEC);
    if (s->log_fd < 0) {
        return err_set(e, ERR_MACHINE, "cannot make a file for the access log in %s: %s",
                       tmp && *tmp ? tmp : "/tmp", strerror(errno));
    }
    unlink(path);
    snprintf(s->log, sizeof s->log, "/proc/%ld/fd/%d", (long)getpid(), s->log_fd);
    return 0;
}

void setup_clear_log(const struct setup *s) {
    /* One that cannot be emptied only grows. */
    int ignored = s->log_fd >= 0 ? ftruncate(s->log_fd, 0) : 0;
    (void)ignored;
}

int64_t setup_log_size(const struct setup *s) {
    struct stat st;
    return s->log_fd >= 0 && fstat(s->log_fd, &st) == 0 ? (int64_t)st.st_size : -1;
}

int64_t setup_log_lines(const struct setup *s) {
    char piece[65536];
    int64_t lines = 0;
    off_t at = 0;
    ssize_t n = -1;
    while (s->log_fd >= 0 && (n = pread(s->log_fd, piece, sizeof piece, at)) > 0) {
        for (const char *p = piece; (p = memchr(p, '\n', (size_t)(piece + n - p))); p++) {
            lines++;
        }
        at += n;
    }
    return n < 0 ? -1 : lines;
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
        return err_set(e, ERR_USAGE, "--servers: the path is too long");
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
    return c->access_log ? setup_open_log(s, e) : 0;
}

int setup_init_counts(struct setup *s, struct loop *loop, const struct config *c,
                      int max_connections, struct err *e) {
    static const struct load_ops itself = {.name = "loopbench"};
    if (setup_begin(s, loop, c, max_connections, e) != 0) {
        return -1;
    }
    s->generator = &itself;
    snprintf(s->generator_version, sizeof s->generator_version, "%s", buildinfo_get()->version);
    return c->access_log ? setup_open_log(s, e) : 0;
}

void setup_free_command(char **command) {
    for (size_t i = 0; command && command[i]; i++) {
        free(command[i]);
    }
    free(command);
}

const struct workload *setup_workload(const struct target_config *t, const char *name,
                                      struct err *e) {
    const struct workload *w = workload_find(name);
    bool no_memory = false;
    char *path = w ? config_path(t, name, &no_memory) : NULL;
    if (!w) {
        err_set(e, ERR_USAGE, "no workload '%s'", name);
        return NULL;
    }
    if (path) {
        w = workload_at_path(w, path);
        free(path);
        no_memory = !w;
    }
    if (no_memory) {
        err_set(e, ERR_MACHINE, "out of memory");
        return NULL;
    }
    return w;
}

/* The built-in servers' programs are named by file alone: they are found in the servers folder. */
static char *setup_program(const struct setup *s, const struct target_config *t) {
    char *path = NULL;
    if (!t->builtin || strchr(t->command[0], '/')) {
        return config_expand(t, t->command[0], s->servers);
    }
    return asprintf(&path, "%s/%s", s->servers, t->command[0]) < 0 ? NULL : path;
}

static size_t setup_count(char *const *words) {
    size_t n = 0;
    while (words && words[n]) {
        n++;
    }
    return n;
}

/* The command with all that is known put in, and with what makes it log where it is to; NULL out of
 * memory. */
static char **setup_command(const struct setup *s, const struct target_config *t) {
    size_t n = setup_count(t->command);
    size_t more = s->log_fd >= 0 ? setup_count(t->log_options) : 0;
    char **argv = calloc(n + more + 1, sizeof *argv);
    for (size_t i = 0; argv && i < n + more; i++) {
        const char *word = i < n ? t->command[i] : t->log_options[i - n];
        argv[i] = i == 0 ? setup_program(s, t) : config_expand(t, word, s->servers);
        if (!argv[i]) {
            setup_free_command(argv);
            return NULL;
        }
    }
    return argv;
}

int setup_target(const struct setup *s, const struct target_config *t, struct target_spec *spec,
                 char ***command, struct err *e) {
    char **argv = setup_command(s, t);
    if (!argv) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    *command = argv;
    *spec = (struct target_spec){
        .name = t->name,
        .argv = (const char *const *)argv,
        .env = (const char *const *)t->env,
        .cwd = t->cwd,
        .cpus = &s->cpus.server,
        .workers = (int)s->config->workers,
        .backlog = s->backlog,
        .log = s->log_fd >= 0 ? s->log : NULL,
        .ready_path = t->ready_path,
        .ready_timeout_ns = s->config->ready_timeout_ns,
        .stop_signal = t->stop_signal ? t->stop_signal : SIGTERM,
        .stop_grace_ns = t->stop_grace_ns > 0 ? t->stop_grace_ns : STOP_GRACE_NS,
        .dies_by_signal = t->dies_by_signal,
        .container = {.image = t->image,
                      .entry = t->builtin,
                      .bridge = t->place == PLACE_BRIDGE,
                      .files = s->config->container_files},
        .url = {.host = t->url_host,
                .port = t->url_port,
                .process = t->process,
                .restart_signal = t->restart_signal},
    };
    return 0;
}

const struct target_ops *setup_launcher(const struct target_config *t) {
    switch (t->place) {
    case PLACE_HOST_NETWORK:
    case PLACE_BRIDGE:
        return &target_container;
    case PLACE_URL:
        return &target_external;
    case PLACE_PROCESS:
        break;
    }
    return &target_local;
}
