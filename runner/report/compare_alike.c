#include "report/compare_alike.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/manifest.h"

/* Options that may differ: none of them changes what one trial measures. The handicap is here
 * because it is a target's own, as its version is. */
static const char *const free_options[] = {
    "profile", "targets",       "rounds",       "seed",      "aa-control", "null-server", "verify",
    "wrk",     "repeat-blocks", "trial-margin", "handicap",  "margin",     "baseline",    "servers",
    "results", "ready-timeout", "connections",  "workloads", "guests"};

/* Facts besides the options that must be equal: a path in the manifest and its name. */
static const char *const must_equal[][2] = {
    {"kind", "the kind of run"},
    {"plan.workloads", "workloads"},
    {"plan.connections", "connections"},
    {"plan.window_us", "the measured window (us)"},
    {"plan.warmup_us", "the warm-up (us)"},
    {"generator.name", "the load generator"},
    {"generator.version", "the load generator's version"},
    {"generator.threads", "the load generator's threads"},
};

/* Of one machine only: another one divides its CPUs as it can. */
static const char *const same_split[][2] = {
    {"cpus.server", "the servers' CPUs"},
    {"cpus.generator", "the load generator's CPUs"},
};

static const char *const machine_facts[][2] = {
    {"machine.kernel.arch", "architecture"},
    {"machine.cpu.model", "processor"},
    {"machine.cpu.threads", "CPUs"},
    {"machine.cpu.cores", "cores"},
    {"machine.cpu.allowed_count", "usable CPUs"},
    {"machine.virtualisation.hypervisor", "hypervisor"},
    {"machine.virtualisation.product", "product"},
    {"machine.cgroup.cpu_quota", "CPU quota"},
};

static const char *const noted_facts[][2] = {
    {"loopbench.version", "loopbench"},
    {"loopbench.commit", "commit"},
    {"loopbench.compiler", "compiler"},
    {"loopbench.server_flags", "flags of the servers"},
    {"options.handicap", "handicap"},
    {"plan.rounds", "rounds"},
    {"verified", "replies verified"},
    {"machine.kernel.release", "kernel"},
    {"machine.kernel.os", "system"},
    {"machine.kernel.clocksource", "clock source"},
    {"machine.kernel.mitigations", "mitigations"},
    {"machine.kernel.aslr", "address randomisation"},
    {"machine.cpu.governor", "frequency governor"},
    {"machine.cpu.boost", "boost"},
    {"machine.memory.thp", "transparent huge pages"},
    {"machine.virtualisation.container", "in a container"},
    {"machine.limits.somaxconn", "somaxconn"},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* A value as one word or list, cut; "none" where there is none. */
static void value_text(const json_t *v, char *out, size_t size) {
    if (!v || json_is_null(v)) {
        snprintf(out, size, "not recorded");
    } else if (json_is_string(v)) {
        snprintf(out, size, "%s", *json_string_value(v) ? json_string_value(v) : "none");
    } else {
        char *text = json_dumps(v, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(6));
        snprintf(out, size, "%s", text ? text : "?");
        free(text);
    }
}

static void difference_text(char *out, const char *what, const json_t *a, const json_t *b) {
    char x[128];
    char y[128];
    value_text(a, x, sizeof x);
    value_text(b, y, sizeof y);
    snprintf(out, ALIKE_TEXT_MAX, "%s: %.112s, and %.112s", what, x, y);
}

static bool same(const json_t *a, const json_t *b) {
    return (!a && !b) || (a && b && json_equal(a, b));
}

/* Writes the first difference into `out` unless there is one already. */
static void require(char *out, const char *const facts[][2], size_t n, const json_t *first,
                    const json_t *second) {
    for (size_t i = 0; i < n && !out[0]; i++) {
        const json_t *a = manifest_at(first, facts[i][0]);
        const json_t *b = manifest_at(second, facts[i][0]);
        if (same(a, b)) {
            continue;
        }
        if (strcmp(facts[i][0], "plan.window_us") == 0 &&
            (!a || json_is_null(a) || !b || json_is_null(b))) {
            const bool counted = !a || json_is_null(a);
            snprintf(out, ALIKE_TEXT_MAX, "--requests: the %s run counts requests, the %s is timed",
                     counted ? "first" : "second", counted ? "second" : "first");
        } else {
            difference_text(out, facts[i][1], a, b);
        }
    }
}

/* Facts that one of the two could not read make no other machine of it. */
static void require_known(char *out, const json_t *first, const json_t *second) {
    for (size_t i = 0; i < COUNT(machine_facts) && !out[0]; i++) {
        const json_t *a = manifest_at(first, machine_facts[i][0]);
        const json_t *b = manifest_at(second, machine_facts[i][0]);
        if (a && b && !json_equal(a, b)) {
            difference_text(out, machine_facts[i][1], a, b);
        }
    }
    /* What a kernel keeps for itself differs by version: 2% are no other memory. */
    const double a = json_number_value(manifest_at(first, "machine.memory.total"));
    const double b = json_number_value(manifest_at(second, "machine.memory.total"));
    if (!out[0] && a > 0 && b > 0 && fabs(a - b) > 0.02 * fmax(a, b)) {
        snprintf(out, ALIKE_TEXT_MAX, "memory: %.0f and %.0f MiB", a / 1048576, b / 1048576);
    }
}

static bool is_free(const char *option) {
    for (size_t i = 0; i < COUNT(free_options); i++) {
        if (strcmp(free_options[i], option) == 0) {
            return true;
        }
    }
    return false;
}

/* An option's value as text; what a run does not record is the default. */
static const char *option_text(const json_t *manifest, const char *name, alike_default fallback,
                               char *buf, size_t size) {
    char path[96];
    snprintf(path, sizeof path, "options.%.80s", name);
    const char *text = manifest_text(manifest, path, buf, size, NULL);
    text = text || !fallback ? text : fallback(name);
    return text ? text : "";
}

/* A database that is emptied at start: its name says nothing. */
static bool is_file(const char *db) {
    return strncmp(db, "sqlite:", 7) == 0;
}

/* No more of it than may be shown: the rest may hold a password. */
static const char *database(const char *db) {
    return !*db ? "unset" : is_file(db) ? "a file of SQLite" : "a URL of PostgreSQL";
}

static void require_options(char *out, const json_t *first, const json_t *second,
                            alike_default fallback) {
    const json_t *const sides[] = {manifest_at(first, "options"), manifest_at(second, "options")};
    const char *name;
    json_t *value;
    for (size_t s = 0; s < 2; s++) {
        json_object_foreach((json_t *)sides[s], name, value) {
            char x[64];
            char y[64];
            const char *a = option_text(first, name, fallback, x, sizeof x);
            const char *b = option_text(second, name, fallback, y, sizeof y);
            if (out[0] || is_free(name) || strcmp(a, b) == 0 ||
                (strcmp(name, "db") == 0 && is_file(a) && is_file(b))) {
                continue;
            }
            if (strcmp(name, "db") == 0) { /* may hold a password */
                snprintf(out, ALIKE_TEXT_MAX, "--db: %s, and %s%s", database(a),
                         strcmp(database(a), database(b)) == 0 ? "another: " : "", database(b));
            } else {
                snprintf(out, ALIKE_TEXT_MAX, "--%.40s: %.100s, and %.100s", name, *a ? a : "unset",
                         *b ? b : "unset");
            }
        }
    }
}

static const json_t *target_of(const json_t *manifest, const char *name) {
    const json_t *list = manifest_at(manifest, "targets");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *t = json_array_get(list, i);
        const char *its = json_string_value(json_object_get(t, "name"));
        if (its && strcmp(its, name) == 0) {
            return t;
        }
    }
    return NULL;
}

static void note_difference(struct alike *a, const char *what, const json_t *x, const json_t *y) {
    if (a->notes < ALIKE_NOTES_MAX && !same(x, y)) {
        difference_text(a->note[a->notes++], what, x, y);
    }
}

static const char *base_name(const char *path) {
    const char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* The same program in another folder is the same program; two trees differ in that. */
static bool same_command(const json_t *a, const json_t *b) {
    const char *x = base_name(json_string_value(json_array_get(a, 0)));
    const char *y = base_name(json_string_value(json_array_get(b, 0)));
    bool equal =
        same(a, b) || (x && y && strcmp(x, y) == 0 && json_array_size(a) == json_array_size(b));
    for (size_t i = 1; equal && i < json_array_size(a); i++) {
        const char *u = json_string_value(json_array_get(a, i));
        const char *v = json_string_value(json_array_get(b, i));
        equal = same(json_array_get(a, i), json_array_get(b, i)) ||
                (u && v && is_file(u) && is_file(v));
    }
    return equal;
}

/* Each version that differs, whichever side records it. */
static void note_versions(struct alike *a, const char *target, const json_t *x, const json_t *y) {
    const char *key;
    json_t *value;
    char what[160];
    json_object_foreach((json_t *)x, key, value) {
        snprintf(what, sizeof what, "%.64s, %.64s", target, key);
        note_difference(a, what, value, json_object_get(y, key));
    }
    json_object_foreach((json_t *)y, key, value) {
        snprintf(what, sizeof what, "%.64s, %.64s", target, key);
        if (!json_object_get(x, key)) {
            note_difference(a, what, NULL, value);
        }
    }
}

static void note_targets(struct alike *a, const json_t *first, const json_t *second) {
    const json_t *list = manifest_at(first, "targets");
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *t = json_array_get(list, i);
        const char *name = json_string_value(json_object_get(t, "name"));
        const json_t *u = name ? target_of(second, name) : NULL;
        char what[96];
        if (u) {
            note_versions(a, name, json_object_get(t, "versions"), json_object_get(u, "versions"));
            const json_t *x = json_object_get(t, "command");
            const json_t *y = json_object_get(u, "command");
            snprintf(what, sizeof what, "%.64s, command", name);
            if (!same_command(x, y)) {
                note_difference(a, what, x, y);
            }
        }
    }
}

void alike_judge(struct alike *a, const json_t *first, const json_t *second,
                 alike_default fallback) {
    *a = (struct alike){0};
    require_known(a->machine, first, second);
    require(a->unlike, must_equal, COUNT(must_equal), first, second);
    if (!a->machine[0]) {
        require(a->unlike, same_split, COUNT(same_split), first, second);
    }
    require_options(a->unlike, first, second, fallback);
    for (size_t i = 0; i < COUNT(noted_facts); i++) {
        note_difference(a, noted_facts[i][1], manifest_at(first, noted_facts[i][0]),
                        manifest_at(second, noted_facts[i][0]));
    }
    note_targets(a, first, second);
}

bool alike_target(const json_t *first, const json_t *second, const char *name) {
    const json_t *a = target_of(first, name);
    const json_t *b = target_of(second, name);
    static const char *const members[] = {"server", "versions"};
    for (size_t i = 0; i < COUNT(members); i++) {
        if (!same(json_object_get(a, members[i]), json_object_get(b, members[i]))) {
            return false;
        }
    }
    return a && b && same_command(json_object_get(a, "command"), json_object_get(b, "command")) &&
           same(manifest_at(first, "loopbench.server_flags"),
                manifest_at(second, "loopbench.server_flags"));
}
