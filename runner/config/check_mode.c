#include "config/check_mode.h"

#include <inttypes.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/workload.h"

#define MS_NS INT64_C(1000000)

/* wrk counts its delays in milliseconds and its replies no later than the timeout. */
static int check_times(const struct config *c, const struct origins *o, struct err *e) {
    if (c->think.min_ns % MS_NS != 0 || c->think.max_ns % MS_NS != 0) {
        return err_set(e, ERR_USAGE, "%s: wrk waits whole milliseconds only; round it",
                       origins_of(o, "think-time"));
    }
    for (size_t i = 0; i < c->workloads.n; i++) {
        const struct workload *w = workload_find(c->workloads.name[i]);
        int64_t least = w ? w->least_ms * MS_NS : 0;
        if (least >= c->timeout_ns) {
            return err_set(e, ERR_USAGE,
                           "%s: every reply to %s would be slower than the timeout; give a longer "
                           "--timeout",
                           origins_of(o, "workloads"), c->workloads.name[i]);
        }
        if (c->requests == 0 && least + c->think.min_ns >= c->duration_ns) {
            return err_set(e, ERR_USAGE,
                           "%s: no reply to %s can come within the window; give a longer "
                           "--duration",
                           origins_of(o, "duration"), c->workloads.name[i]);
        }
    }
    return 0;
}

/* A log on one side only is what an old comparison was wrong by. */
static int check_log(const struct config *c, const struct origins *o, struct err *e) {
    for (size_t i = 0; c->access_log && i < c->targets.n; i++) {
        const struct target_config *t = config_target(c, c->targets.name[i]);
        bool here = t->place == PLACE_PROCESS; /* the log is a file of this machine's */
        bool logs = here && (t->builtin || t->log_options || config_command_has(t, "{log}"));
        if (!logs || strcmp(t->name, CONFIG_NULL_TARGET) == 0) {
            return err_set(e, ERR_USAGE,
                           "%s: target '%s' writes none, so it would not be compared fairly; %s",
                           origins_of(o, "access-log"), t->name,
                           t->builtin || t->guest || !here
                               ? "leave it out"
                               : "say how it logs with log-options, or put {log} into its command");
        }
    }
    return 0;
}

bool check_stores_apart(const struct config *c, const struct target_config *t) {
    const bool told = (t->builtin && t->place != PLACE_URL) || t->shares_db;
    return c->db && !told;
}

/* A target on another database than the run says is not compared with those on it. */
static int check_stores(const struct config *c, const struct origins *o, struct err *e) {
    for (size_t i = 0; c->db && i < c->workloads.n; i++) {
        const struct workload *w = workload_find(c->workloads.name[i]);
        for (size_t k = 0; w && strcmp(w->base, "posts") == 0 && k < c->targets.n; k++) {
            const struct target_config *t = config_target(c, c->targets.name[k]);
            if (check_stores_apart(c, t) && config_serves(t, w->name)) {
                return err_set(e, ERR_USAGE,
                               "%s: target '%s' stores in a database of its own, so it would not "
                               "be compared fairly; leave it out, or %s, or say `shares-db = yes` "
                               "in its section where it stores in the same",
                               origins_of(o, "db"), t->name, w->name);
            }
        }
    }
    return 0;
}

/* Whether the name of a parameter ends in "password". libpq decodes %XX in names, too. */
static bool names_password(const char *name, size_t len) {
    char plain[64];
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < sizeof plain; i++) {
        unsigned code;
        if (name[i] == '%' && len - i > 2 && isxdigit((unsigned char)name[i + 1]) &&
            isxdigit((unsigned char)name[i + 2]) && sscanf(name + i + 1, "%2x", &code) == 1) {
            plain[n++] = (char)code;
            i += 2;
        } else {
            plain[n++] = name[i];
        }
    }
    plain[n] = '\0';
    static const char word[] = "password";
    return n >= sizeof word - 1 && strcmp(plain + n - (sizeof word - 1), word) == 0;
}

/* As libpq reads a URL: what stands before the first @ ends at a slash only, so that a password may
 * hold a question mark. */
static bool has_password(const char *url) {
    const char *authority = strstr(url, "://");
    if (!authority) {
        return false;
    }
    authority += 3;
    const char *at = memchr(authority, '@', strcspn(authority, "/"));
    if (at && memchr(authority, ':', (size_t)(at - authority))) {
        return true;
    }
    for (const char *p = strchr(authority, '?'); p; p = strchr(p, '&')) {
        p++;
        const size_t len = strcspn(p, "=&");
        if (p[len] == '=' && names_password(p, len)) {
            return true;
        }
    }
    return false;
}

int check_db(const struct config *c, const struct origins *o, struct err *e) {
    if (!c->db) {
        return 0;
    }
    const char *where = origins_of(o, "db");
    bool sqlite = strncmp(c->db, "sqlite:", 7) == 0 && c->db[7];
    bool postgres =
        strncmp(c->db, "postgresql://", 13) == 0 || strncmp(c->db, "postgres://", 11) == 0;
    if (strcmp(c->db, "sqlite:") == 0) {
        return err_set(e, ERR_USAGE, "%s: sqlite: names no file; write sqlite:PATH", where);
    }
    if (!sqlite && !postgres) {
        /* no more of it than its scheme: the rest may hold a password */
        return err_set(e, ERR_USAGE,
                       "%s: what begins with '%.*s' is neither sqlite:PATH nor postgresql://...",
                       where, (int)strcspn(c->db, ":@?/"), c->db);
    }
    return postgres && has_password(c->db)
               ? err_set(e, ERR_USAGE,
                         "%s: the URL is published with the results; give its password by "
                         "PGPASSFILE or PGPASSWORD",
                         where)
               : 0;
}

int check_mode(const struct config *c, const struct origins *o, struct err *e) {
    struct mode mode = config_mode(c);
    for (size_t i = 0; i < c->connections.n; i++) {
        if (mode_check(&mode, c->connections.value[i], c->threads, e) != 0) {
            return err_prefix(e, "%s", origins_of(o, mode.requests > 0 ? "requests" : "pipeline"));
        }
    }
    for (size_t i = 0; mode.pipeline > 1 && i < c->workloads.n; i++) {
        const struct workload *w = workload_find(c->workloads.name[i]);
        if (w && w->body_len > (size_t)(MODE_BATCH_BYTES_MAX / mode.pipeline) - 1024) {
            return err_set(e, ERR_USAGE,
                           "%s: %d requests of %s are more than %d bytes at once; pipeline fewer",
                           origins_of(o, "pipeline"), mode.pipeline, w->name, MODE_BATCH_BYTES_MAX);
        }
    }
    return check_times(c, o, e) != 0 || check_log(c, o, e) != 0 ? -1 : check_stores(c, o, e);
}
