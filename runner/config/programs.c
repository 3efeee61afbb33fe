/* programs.c — are the programs of a configuration, and the CPUs it names, on this machine? */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cpus.h"
#include "base/file.h"
#include "config/config.h"

static int programs_find(const struct target_config *t, const char *program, struct err *e) {
    char path[PATH_MAX];
    struct stat st;
    if (t->cwd && (stat(t->cwd, &st) != 0 || !S_ISDIR(st.st_mode))) {
        return err_set(e, ERR_MACHINE,
                       "target '%s': the folder %s is not there; create it or "
                       "change cwd",
                       t->name, t->cwd);
    }
    /* A relative path counts from the folder the target is started in. */
    if (t->cwd && strchr(program, '/') && *program != '/') {
        char joined[PATH_MAX];
        if (file_join(joined, sizeof joined, t->cwd, program, e) != 0) {
            return -1;
        }
        if (file_which(joined, path, sizeof path) == 0) {
            return 0;
        }
    } else if (file_which(program, path, sizeof path) == 0) {
        return 0;
    }
    if (t->builtin) {
        return err_set(e, ERR_MACHINE,
                       "target '%s': %s is not there; build it with `make "
                       "servers`, or name its folder with --servers",
                       t->name, program);
    }
    return err_set(e, ERR_MACHINE,
                   "target '%s': the program %s is not there; install it, or leave "
                   "the target out",
                   t->name, program);
}

static int programs_check_target(const struct config *c, const struct target_config *t,
                                 struct err *e) {
    char servers[PATH_MAX];
    if (t->place == PLACE_URL) {
        return 0;
    }
    if (t->place != PLACE_PROCESS) {
        return file_which("docker", servers, sizeof servers) == 0
                   ? 0
                   : err_set(e, ERR_MACHINE,
                             "target '%s' runs in a container, but docker is not there; install "
                             "Docker (Debian: docker.io), or leave the target out",
                             t->name);
    }
    if (config_servers(c->servers, servers, sizeof servers) != 0) {
        return err_set(e, ERR_USAGE, "--servers: the path is too long; " FILE_PATH_REMEDY);
    }
    char *program = config_expand(t, t->command[0], servers);
    if (!program) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    int rc = programs_find(t, program, e);
    free(program);
    return rc;
}

static int programs_check_cpus(const struct cpu_choice *choice, const char *option, struct err *e) {
    cpu_set_t allowed;
    cpu_set_t inside;
    cpus_allowed(&allowed);
    CPU_AND(&inside, &allowed, &choice->set);
    if (choice->automatic || CPU_EQUAL(&inside, &choice->set)) {
        return 0;
    }
    char wanted[CPUS_TEXT_SIZE];
    char given[CPUS_TEXT_SIZE];
    cpus_format(&choice->set, wanted, sizeof wanted);
    cpus_format(&allowed, given, sizeof given);
    return err_set(e, ERR_MACHINE,
                   "%s: CPUs %s are wanted, but only %s may be used here; choose "
                   "among those",
                   option, wanted, given);
}

int config_check_programs(const struct config *c, struct err *e) {
    for (size_t i = 0; i < c->targets.n; i++) {
        if (programs_check_target(c, config_target(c, c->targets.name[i]), e) != 0) {
            return -1;
        }
    }
    if (c->null_server && programs_check_target(c, config_target(c, CONFIG_NULL_TARGET), e) != 0) {
        return -1;
    }
    return (!config_all_external(c) &&
            programs_check_cpus(&c->server_cpus, "server-cpus", e) != 0) ||
                   programs_check_cpus(&c->generator_cpus, "generator-cpus", e) != 0
               ? -1
               : 0;
}
