/* The rest of report.md: what is missing, how to read it, the machine, how to run it again. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report/markdown_parts.h"

static void put_cell_name(FILE *f, const struct cells *c, const struct cell *cell) {
    text_markdown(f, c->targets[cell->target].name);
    fputs(", ", f);
    text_markdown(f, cell->workload);
    fprintf(f, ", %d connection%s", cell->connections, cell->connections == 1 ? "" : "s");
}

/* The failures of a cell, the same ones together. */
static size_t put_failures(FILE *f, const struct cells *c, const struct cell *cell) {
    for (size_t i = 0; cell->failed > 0 && i < c->rounds; i++) {
        const struct trial_record *r = cell->trial[i];
        int same = 0;
        bool before = false;
        for (size_t k = 0; r && r->status != TRIAL_OK && k < c->rounds; k++) {
            const struct trial_record *other = cell->trial[k];
            bool equal = other && other->status != TRIAL_OK && other->failure == r->failure &&
                         strcmp(other->reason, r->reason) == 0;
            before = before || (equal && k < i);
            same += equal;
        }
        if (same == 0 || before) {
            continue;
        }
        fputs("- ", f);
        put_cell_name(f, c, cell);
        fprintf(f, ": %d of %d trials failed (%s): ", same, cell->measured,
                record_failure_name(r->failure));
        text_markdown(f, *r->reason ? r->reason : "no reason recorded");
        if (*r->output) {
            fputs("; its last output: ", f);
            text_code(f, r->output);
        }
        fputc('\n', f);
    }
    return cell->failed > 0;
}

static size_t put_absent(FILE *f, const struct cells *c, const struct cell *cell) {
    if (cell->measured == cell->planned) {
        return 0;
    }
    fputs("- ", f);
    put_cell_name(f, c, cell);
    fprintf(f, ": %d of %d rounds were not measured\n", cell->planned - cell->measured,
            cell->planned);
    return 1;
}

static bool same_gap(const struct cell *a, const struct cell *b, enum figure_id id) {
    return a->connections == b->connections && a->workload == b->workload &&
           strcmp(a->figure[id].missing, b->figure[id].missing) == 0;
}

/* Cells of which every trial failed, or none was made, say so already. */
static bool has_gap(const struct cell *cell, enum figure_id id) {
    return cell->failed < cell->measured && cell->figure[id].missing[0];
}

/* The cells of one block of the table in which a figure is missing for one reason, on one line. */
static size_t put_gap(FILE *f, const struct cells *c, size_t first, enum figure_id id) {
    const struct cell *cell = &c->cell[first];
    const char *reason = cell->figure[id].missing;
    if (!has_gap(cell, id)) {
        return 0;
    }
    for (size_t i = first; i-- > 0 && c->cell[i].connections == cell->connections &&
                           c->cell[i].workload == cell->workload;) {
        if (has_gap(&c->cell[i], id) && same_gap(&c->cell[i], cell, id)) {
            return 0;
        }
    }
    fputs("- ", f);
    text_markdown(f, cell->workload);
    fprintf(f, ", %d connection%s, %s: ", cell->connections, cell->connections == 1 ? "" : "s",
            figure_info(id)->title);
    text_markdown(f, strncmp(reason, "n/a: ", 5) == 0 ? reason + 5 : reason);
    fputs(" (", f);
    for (size_t i = first; i < c->count && c->cell[i].connections == cell->connections &&
                           c->cell[i].workload == cell->workload;
         i++) {
        if (has_gap(&c->cell[i], id) && same_gap(&c->cell[i], cell, id)) {
            fputs(i == first ? "" : ", ", f);
            text_markdown(f, c->targets[c->cell[i].target].name);
        }
    }
    fputs(")\n", f);
    return 1;
}

static size_t put_note(FILE *f, const char *text) {
    if (!*text) {
        return 0;
    }
    fputs("- ", f);
    text_markdown(f, text);
    fputc('\n', f);
    return 1;
}

void markdown_missing(FILE *f, const struct cells *c, const struct plots *p) {
    const json_t *notes = manifest_at(c->store->manifest, "notes");
    const json_t *verified = manifest_at(c->store->manifest, "verified");
    size_t lines = 0;
    fputs("## What is missing, and why\n\n", f);
    for (size_t i = 0; i < json_array_size(notes); i++) {
        const char *text = json_string_value(json_array_get(notes, i));
        lines += put_note(f, text ? text : "");
    }
    if (!json_is_true(verified)) {
        lines += put_note(f, json_is_false(verified)
                                 ? "The targets were not verified before they were measured: they "
                                   "may not answer alike."
                                 : "Whether the targets were verified is not recorded.");
    }
    lines += put_note(
        f, c->store->torn ? "The last line of trials.jsonl was cut short; that trial is left out."
                          : "");
    if (p->missing[0]) {
        fputs("- Plots: ", f);
        text_markdown(f, p->missing);
        fputc('\n', f);
        lines++;
    }
    lines += put_note(f, p->note);
    for (size_t i = 0; i < c->count; i++) {
        lines += put_failures(f, c, &c->cell[i]);
        lines += put_absent(f, c, &c->cell[i]);
    }
    for (size_t i = 0; i < c->count; i++) {
        for (int id = 0; id < FIG_COUNT; id++) {
            /* What is too few for a raw percentile is too few for a corrected one. */
            if (!figure_info((enum figure_id)id)->corrected) {
                lines += put_gap(f, c, i, (enum figure_id)id);
            }
        }
    }
    if (c->repeated > 0) {
        fprintf(f, "- %zu blocks were disturbed and run again; the last attempt counts.\n",
                c->repeated);
        lines++;
    }
    fputs(lines ? "\n" : "Nothing.\n\n", f);
}

void markdown_reading(FILE *f, const struct cells *c) {
    char buf[64];
    fputs(
        "## How to read this\n\n"
        "- **median [interval]**: the median over rounds and the interval that holds the true "
        "median with at least 95% confidence (order statistics; it needs 6 rounds, so with fewer "
        "there is none). It describes; that two intervals overlap or not decides nothing.\n"
        "- **CPU per request**: CPU time of the server process in the measured window, divided "
        "by the requests it answered. It is hardly touched by what limits the load generator.\n"
        "- **requests/s**: successful replies. **≥**: the load generator, not the server, set the "
        "figure (it reached 90% of what the null server does, or its thread was busy all the "
        "time), so it is a lower bound and compares nothing.\n"
        "- **latency**: ",
        f);
    text_markdown(f, manifest_text(c->store->manifest, "generator.name", buf, sizeof buf, "wrk"));
    fputs(
        " is a closed loop: each connection sends its next request when the reply to the last one "
        "has come, so load falls when the server slows down. These tails say how a saturated "
        "server behaves, not what a user would wait at a given rate.\n"
        "- **p99.9 n/a**: a percentile is stated only where enough samples lie beyond it: 10 in "
        "every round, and 10 for each connection over all rounds.\n"
        "- **memory**: resident memory of the server, before any load and at its highest.\n"
        "- **rounds**: rounds that gave figures, of those planned. **errors**: failed connections, "
        "reads, writes, timeouts and unexpected statuses, over all rounds. **flags**: what was "
        "noticed about the "
        "measurement; \":2\" means in 2 rounds, no number in all.\n\n",
        f);
}

static void put_value(FILE *f, const json_t *v) {
    char buf[64];
    if (json_is_array(v)) {
        for (size_t i = 0; i < json_array_size(v); i++) {
            fputs(i ? ", " : "", f);
            put_value(f, json_array_get(v, i));
        }
        return;
    }
    text_markdown(f, manifest_text(v, "", buf, sizeof buf, "unknown"));
}

static bool ends_with(const char *text, const char *end) {
    size_t len = strlen(text);
    size_t n = strlen(end);
    return len >= n && strcmp(text + len - n, end) == 0;
}

/* Sizes in machine.memory have no unit in their names. */
static bool is_memory(const char *path) {
    return strncmp(path, "memory ", 7) == 0 &&
           (ends_with(path, "total") || ends_with(path, "available") || ends_with(path, "free"));
}

/* Rows for every leaf, named by its path; depth bounds what a made-up manifest can do. */
static void put_facts(FILE *f, const char *path, const json_t *v, int depth) {
    const char *key;
    const json_t *inner;
    char name[256];
    const char *text = json_string_value(v);
    /* No remark is none; and of the long list of a kernel's flaws only those matter that it has. */
    if ((json_is_null(v) && ends_with(path, " note")) ||
        (text && strcmp(text, "Not affected") == 0)) {
        return;
    }
    if (!json_is_object(v)) {
        fputs("| ", f);
        text_markdown(f, path);
        fputs(" | ", f);
        put_value(f, v);
        if (json_is_integer(v) && (ends_with(path, "_bytes") || is_memory(path)) &&
            json_integer_value(v) >= 1024) {
            figure_format(name, sizeof name, FIG_RSS_IDLE, (double)json_integer_value(v));
            fprintf(f, " (%s)", name);
        }
        fputs(" |\n", f);
        return;
    }
    json_object_foreach((json_t *)v, key, inner) {
        snprintf(name, sizeof name, "%s%s%s", path, *path ? " " : "", key);
        if (depth < 6) {
            put_facts(f, name, inner, depth + 1);
        }
    }
}

static void put_versions(FILE *f, const json_t *m) {
    const json_t *targets = manifest_at(m, "targets");
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const json_t *t = json_array_get(targets, i);
        const char *name = json_string_value(json_object_get(t, "name"));
        const json_t *versions = json_object_get(t, "versions");
        if (name && json_is_object(versions)) {
            put_facts(f, name, versions, 0);
        }
    }
}

void markdown_machine(FILE *f, const struct cells *c) {
    const json_t *m = c->store->manifest;
    static const struct {
        const char *path, *title;
    } parts[] = {
        {"machine", ""},
        {"cpus", "CPUs of"},
        {"loopbench", "loopbench"},
        {"generator", "load generator"},
        {"versions", "version of"},
    };
    fputs("## Machine and versions\n\nIn full in `manifest.json`.\n\n| what | value |\n|---|---|\n",
          f);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const json_t *v = manifest_at(m, parts[i].path);
        if (v) {
            put_facts(f, parts[i].title, v, 0);
        } else {
            fprintf(f, "| %s | not recorded |\n", parts[i].path);
        }
    }
    put_versions(f, m);
    fputc('\n', f);
}

static void put_command(FILE *f, const json_t *argv) {
    for (size_t i = 0; i < json_array_size(argv); i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        fputs(i ? " " : "", f);
        text_shell(f, word ? word : "?");
    }
}

void markdown_again(FILE *f, const struct cells *c) {
    const json_t *m = c->store->manifest;
    char buf[64];
    const char *seed = manifest_text(m, "plan.seed", buf, sizeof buf, "");
    fputs("## Run it again\n\n"
          "`config.ini` in this folder holds every option. From this folder:\n\n    loopbench run "
          "config.ini",
          f);
    if (*seed) {
        fputs(" --seed ", f);
        text_shell(f, seed);
    }
    const json_t *argv = manifest_at(m, "command");
    if (json_array_size(argv) > 0) {
        fputs("\n\nIt was started as:\n\n    ", f);
        put_command(f, argv);
    }
    fputs(
        "\n\nThe figures of every cell are in `cells.csv`, those of every round in `report.json`, "
        "those of every trial in `trials.jsonl`.\n",
        f);
}
