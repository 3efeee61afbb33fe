/* Results as a person looks at them: list, show. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/calibration.h"
#include "report/counts.h"
#include "report/crosscheck.h"
#include "report/summary.h"
#include "report/text.h"
#include "store/catalog.h"
#include "store/manifest.h"
#include "ui/commands.h"
#include "ui/list_replays.h"
#include "ui/progress.h"
#include "report/reading.h"
#include "report/report.h"
#include "report/reproduction.h"

/* Of the name of a run in a list, at most. */
#define LIST_COLUMNS 96
/* For any word that validity_of writes. */
#define VALIDITY_SIZE 64

static bool on_utf8(void) {
    return progress_style_for(stdout, false).utf8;
}

/* ---- list */

static const char *state_word(const struct catalog_run *r) {
    if (r->live) {
        return "running";
    }
    return r->state == STORE_RUNNING ? "cut off" : store_state_name(r->state);
}

/* Whatever keeps a run from being read is said in its row: the others are listed all the same. */
static void validity_of(const struct catalog_run *r, char *out, size_t size) {
    struct reading reading;
    struct err e = {0};
    if (counts_only(r->manifest)) {
        snprintf(out, size, "counts");
        return;
    }
    if (reading_open(&reading, r->path, &e) == 0) {
        /* Its targets are load generators: there is no A/A control to judge. */
        snprintf(out, size, "%s",
                 crosscheck_is(&reading.store) ? "cross-check" : reading.findings.validity_word);
        reading_release(&reading);
    } else {
        snprintf(out, size, "%s", strstr(e.text, "no trial") ? "no trials" : "damaged");
    }
}

/* Compared targets and workloads, by comma. */
static void put_names(FILE *out, const json_t *list, bool only_targets, bool utf8) {
    bool first = true;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *item = json_array_get(list, i);
        const char *role = json_string_value(json_object_get(item, "role"));
        const char *name = json_is_string(item) ? json_string_value(item)
                                                : json_string_value(json_object_get(item, "name"));
        char shown[4 * 32 + 8];
        if (name && (!only_targets || (role && strcmp(role, "target") == 0))) {
            text_terminal(shown, sizeof shown, name, 32, utf8);
            fprintf(out, "%s%s", first ? "" : ",", shown);
            first = false;
        }
    }
    fputs(first ? "-" : "", out);
}

/* What names the run: its folder, and its id where that is another. Returns how many columns. */
static size_t name_of(const struct catalog_run *r, char *out, size_t size, bool utf8) {
    char both[NAME_MAX + 64];
    const char *slash = strrchr(r->name, '/');
    const char *id = json_string_value(json_object_get(r->manifest, "run_id"));
    const bool same = !id || strcmp(slash ? slash + 1 : r->name, id) == 0;
    snprintf(both, sizeof both, same ? "%s" : "%s (%s)", r->name, id);
    return text_terminal(out, size, both, LIST_COLUMNS, utf8);
}

static void put_name(FILE *out, const char *name, size_t used, size_t columns) {
    fprintf(out, "%s%*s  ", name, used < columns ? (int)(columns - used) : 0, "");
}

/* The widest names and words decide how wide their columns are. */
struct list_widths {
    size_t name, validity;
};

static void list_run(FILE *out, const struct catalog_run *r, const char *validity,
                     const struct list_widths *w, bool utf8) {
    char buf[32];
    char date[4 * 24 + 8];
    char name[4 * LIST_COLUMNS + 8];
    char profile[4 * 12 + 8];
    text_terminal(date, sizeof date, manifest_text(r->manifest, "started", buf, sizeof buf, "-"),
                  24, false);
    date[strlen(date) > 16 ? 16 : strlen(date)] = '\0'; /* to the minute */
    if (strlen(date) > 10 && date[10] == 'T') {
        date[10] = ' ';
    }
    const size_t used = name_of(r, name, sizeof name, utf8);
    const char *kind = manifest_text(r->manifest, "kind", buf, sizeof buf, "");
    text_terminal(profile, sizeof profile,
                  strcmp(kind, CALIBRATION_KIND) == 0
                      ? "calibration"
                      : manifest_text(r->manifest, "plan.profile", buf, sizeof buf, "-"),
                  12, utf8);
    fprintf(out, "%-16s  ", date);
    put_name(out, name, used, w->name);
    fprintf(out, "%-11s  %-*s  %-11s  ", state_word(r), (int)w->validity, validity, profile);
    put_names(out, manifest_at(r->manifest, "targets"), true, utf8);
    fputs("  ", out);
    put_names(out, manifest_at(r->manifest, "plan.workloads"), false, utf8);
    fputs(r->latest ? "  (latest)\n" : "\n", out);
}

static int list_all(const struct catalog *catalog, bool utf8, struct err *e) {
    char name[4 * LIST_COLUMNS + 8];
    char(*validity)[VALIDITY_SIZE] = calloc(catalog->count + 1, sizeof *validity);
    struct list_widths w = {.name = 20, .validity = 13};
    if (!validity) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    for (size_t i = 0; i < catalog->count; i++) {
        const size_t used = name_of(&catalog->run[i], name, sizeof name, utf8);
        validity_of(&catalog->run[i], validity[i], sizeof validity[i]);
        w.name = used > w.name ? used : w.name;
        w.validity = strlen(validity[i]) > w.validity ? strlen(validity[i]) : w.validity;
    }
    printf("%-16s  ", "started (UTC)");
    put_name(stdout, "run", 3, w.name);
    printf("%-11s  %-*s  %-11s  %s  %s\n", "state", (int)w.validity, "A/A control", "profile",
           "targets", "workloads");
    for (size_t i = 0; i < catalog->count; i++) {
        list_run(stdout, &catalog->run[i], validity[i], &w, utf8);
    }
    for (size_t i = 0; i < catalog->damaged_count; i++) {
        printf("%-16s  ", "-");
        put_name(stdout, catalog->damaged[i], strlen(catalog->damaged[i]), w.name);
        puts("damaged: its manifest.json cannot be read");
    }
    free(validity);
    return 0;
}

int command_list(const struct invocation *in, struct err *e) {
    struct config c = {0};
    struct catalog catalog = {0};
    if (config_load(&c, &in->args->flags, USE_LIST, e) != 0) {
        return -1;
    }
    int rc = catalog_read(&catalog, c.results, e);
    if (rc == 0) {
        if (catalog.count + catalog.damaged_count == 0) {
            printf("no runs in %s; `loopbench run` makes one\n", c.results);
        } else {
            rc = list_all(&catalog, on_utf8(), e);
        }
        if (rc == 0) {
            list_replays(stdout, c.results, on_utf8());
        }
        catalog_release(&catalog);
    }
    config_release(&c);
    return rc;
}

/* ---- show */

static void show_fact(const char *label, const json_t *manifest, const char *path, bool utf8) {
    char buf[32];
    char shown[4 * 100 + 8];
    text_terminal(shown, sizeof shown,
                  manifest_text(manifest, path, buf, sizeof buf, "not recorded"), 100, utf8);
    printf("%-12s %s\n", label, shown);
}

static void show_list(const char *label, const json_t *list, bool only_targets, bool utf8) {
    printf("%-12s ", label);
    put_names(stdout, list, only_targets, utf8);
    putchar('\n');
}

static void show_numbers(const char *label, const json_t *list) {
    printf("%-12s ", label);
    for (size_t i = 0; i < json_array_size(list); i++) {
        printf("%s%" JSON_INTEGER_FORMAT, i ? "," : "",
               json_integer_value(json_array_get(list, i)));
    }
    puts(json_array_size(list) ? "" : "not recorded");
}

static void show_reproduction(const struct reproduction *r, bool utf8) {
    char text[256];
    char shown[4 * 32 + 8];
    reproduction_text(r, text, sizeof text);
    text_terminal(shown, sizeof shown, r->run, 32, utf8);
    printf("%-12s %s: %s (%s)\n", "repeats", shown, text, REPRODUCTION_MD);
}

static void show_facts(const struct store *s, bool utf8) {
    const json_t *m = s->manifest;
    show_fact("run", m, "run_id", utf8);
    show_fact("started", m, "started", utf8);
    show_fact("ended", m, "ended", utf8);
    printf("%-12s %s\n", "state",
           s->live                     ? "running"
           : s->state == STORE_RUNNING ? "cut off"
                                       : store_state_name(s->state));
    show_fact("loopbench", m, "loopbench.version", utf8);
    show_fact("commit", m, "loopbench.commit", utf8);
    show_fact("profile", m, "plan.profile", utf8);
    show_fact("seed", m, "plan.seed", utf8);
    show_fact("rounds", m, "plan.rounds", utf8);
    show_list("targets", manifest_at(m, "targets"), true, utf8);
    show_list("workloads", manifest_at(m, "plan.workloads"), false, utf8);
    show_numbers("connections", manifest_at(m, "plan.connections"));
    show_fact("machine", m, "machine.cpu.model", utf8);
    show_fact("kernel", m,
              json_is_string(manifest_at(m, "machine.kernel")) ? "machine.kernel"
                                                               : "machine.kernel.release",
              utf8);
    show_fact("server CPUs", m, "cpus.server", utf8);
    show_fact("other CPUs", m, "cpus.generator", utf8);
}

/* Counts, where the run has any. */
static int show_counts(const char *dir, bool utf8, struct err *e) {
    struct counts counts;
    if (counts_read(&counts, dir, e) != 0) {
        return -1;
    }
    if (counts.count > 0 || counts.torn || counts.lost > 0) {
        counts_print(stdout, &counts, utf8);
    }
    counts_release(&counts);
    return 0;
}

static int show_counts_only(const struct store *s, bool utf8, struct err *e) {
    show_facts(s, utf8);
    return show_counts(s->dir, utf8, e);
}

/* repeats: NULL = no earlier run. */
static int show_run(const struct reading *r, const struct reproduction *repeats, bool utf8,
                    struct err *e) {
    show_facts(&r->store, utf8);
    if (repeats) {
        show_reproduction(repeats, utf8);
    }
    findings_print_validity(stdout, &r->findings, utf8);
    summary_print(stdout, &r->cells, utf8);
    findings_print(stdout, &r->findings, utf8);
    return show_counts(r->store.dir, utf8, e);
}

static int show_dir(const char *dir, bool utf8, struct err *e) {
    struct store store;
    struct reading r;
    struct reproduction repeats;
    if (store_open(&store, dir, e) != 0) {
        return -1;
    }
    const bool only = counts_only(store.manifest);
    int rc = only ? show_counts_only(&store, utf8, e) : 0;
    store_release(&store);
    if (only) {
        return rc;
    }
    if (reading_open(&r, dir, e) != 0) {
        return -1;
    }
    report_say_damage(stderr, &r.store);
    rc = reproduction_read(&repeats, dir, e);
    if (rc >= 0) {
        rc = show_run(&r, rc > 0 ? &repeats : NULL, utf8, e);
    }
    reading_release(&r);
    return rc;
}

int command_show(const struct invocation *in, struct err *e) {
    struct config c = {0};
    char dir[PATH_MAX];
    if (config_load(&c, &in->args->flags, USE_LIST, e) != 0) {
        return -1;
    }
    int rc = catalog_resolve(c.results, in->args->operand[0], dir, sizeof dir, e);
    if (rc == 0) {
        rc = show_dir(dir, on_utf8(), e);
    }
    config_release(&c);
    return rc;
}
