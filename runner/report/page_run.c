/* The rest of a report: how to read it, the machine, how to run it again. */
#include <stdlib.h>
#include <string.h>

#include "report/page_parts.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void put_term(struct doc *d, const char *term, const char *meaning) {
    doc_begin(d, DOC_ITEM, NULL);
    doc_strong(d, term);
    doc_say(d, ": %s", meaning);
    doc_close(d, DOC_ITEM);
}

void page_reading(struct doc *d, const struct cells *c) {
    char buf[64];
    doc_whole(d, DOC_SECTION, "reading", "How to read this");
    doc_begin(d, DOC_LIST, NULL);
    put_term(d, "median [interval]",
             "the median over rounds and the interval that holds the true median with at least 95% "
             "confidence (order statistics; it needs 6 rounds, so with fewer there is none). It "
             "describes all rounds that gave figures, also those that the machine disturbed, which "
             "verdicts leave out; that two intervals overlap or not decides nothing.");
    put_term(d, "CPU per request",
             "CPU time of the server process in the measured window, divided by the requests it "
             "answered. It is hardly touched by what limits the load generator.");
    put_term(
        d, "requests/s",
        "successful replies. ≥: the load generator, not the server, set the figure (in at "
        "least half of the blocks that count the target reached 90% of what the null server does "
        "in the same block, or a thread of the generator was busy all the time), so it is a lower "
        "bound and compares nothing. The median over all rounds may still be less than 90%.");
    doc_begin(d, DOC_ITEM, NULL);
    doc_strong(d, "latency");
    doc_say(d, ": ");
    doc_name(d, manifest_text(c->store->manifest, "generator.name", buf, sizeof buf, "wrk"));
    doc_say(d, " is a closed loop: each connection sends its next request when the reply to the "
               "last one has come, so load falls when the server slows down. These tails say how a "
               "saturated server behaves, not what a user would wait at a given rate.");
    doc_close(d, DOC_ITEM);
    put_term(d, "p99.9 n/a",
             "a percentile is stated only where enough samples lie beyond it: 10 in every round, "
             "and 10 for each connection over all rounds.");
    put_term(d, "memory", "resident memory of the server, before any load and at its highest.");
    put_term(
        d, "rounds",
        "rounds that gave figures, of those planned; \"valid\", where that is fewer, those that "
        "the machine did not disturb: verdicts rest on blocks that are valid for both sides. A "
        "block that was disturbed is run again, at most twice, as long as the allowance of "
        "--repeat-blocks lasts. errors: failed connections, reads, "
        "writes, timeouts and unexpected statuses, over all rounds. flags: what was noticed "
        "about the measurement; \":2\" means in 2 rounds, no number in all. client-near: in a "
        "round or more the figure reached 80% of what the null server does, or the load "
        "generator's thread was busy all the time, so targets may differ by more than it "
        "shows; client-unknown: there was nothing to tell that by.");
    doc_close(d, DOC_LIST);
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "The method in full: ");
    doc_see(d, "methodology.md", "docs/methodology.md");
    doc_say(d, "; the files and their figures: ");
    doc_see(d, "results-format.md", "docs/results-format.md");
    doc_say(d, "; the servers: ");
    doc_see(d, "servers.md", "docs/servers.md");
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
}

static const struct doc_column fact_columns[] = {{"what", DOC_NAME}, {"value", DOC_TEXT}};

static void put_value(struct doc *d, const json_t *v) {
    char buf[64];
    if (json_is_array(v)) {
        for (size_t i = 0; i < json_array_size(v); i++) {
            doc_say(d, i ? ", " : "");
            put_value(d, json_array_get(v, i));
        }
        return;
    }
    doc_name(d, manifest_text(v, "", buf, sizeof buf, "unknown"));
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
static void put_facts(struct doc *d, const char *path, const json_t *v, int depth) {
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
        doc_row(d, NULL);
        doc_cell(d);
        doc_name(d, path);
        doc_cell(d);
        put_value(d, v);
        if (json_is_integer(v) && (ends_with(path, "_bytes") || is_memory(path)) &&
            json_integer_value(v) >= 1024) {
            figure_format(name, sizeof name, FIG_RSS_IDLE, (double)json_integer_value(v));
            doc_say(d, " (%s)", name);
        }
        doc_row_end(d);
        return;
    }
    json_object_foreach((json_t *)v, key, inner) {
        snprintf(name, sizeof name, "%s%s%s", path, *path ? " " : "", key);
        if (depth < 6) {
            put_facts(d, name, inner, depth + 1);
        }
    }
}

static void put_versions(struct doc *d, const json_t *m) {
    const json_t *targets = manifest_at(m, "targets");
    for (size_t i = 0; i < json_array_size(targets); i++) {
        const json_t *t = json_array_get(targets, i);
        const char *name = json_string_value(json_object_get(t, "name"));
        const json_t *versions = json_object_get(t, "versions");
        if (name && json_is_object(versions)) {
            put_facts(d, name, versions, 0);
        }
    }
}

void page_machine(struct doc *d, const struct cells *c) {
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
    doc_whole(d, DOC_SECTION, "machine", "Machine and versions");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "In full in ");
    doc_code(d, "manifest.json");
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
    doc_table(d, "Machine and versions", fact_columns, COUNT(fact_columns));
    for (size_t i = 0; i < COUNT(parts); i++) {
        const json_t *v = manifest_at(m, parts[i].path);
        if (v) {
            put_facts(d, parts[i].title, v, 0);
        } else {
            doc_row(d, NULL);
            doc_cell(d);
            doc_say(d, "%s", parts[i].path);
            doc_cell(d);
            doc_say(d, "not recorded");
            doc_row_end(d);
        }
    }
    put_versions(d, m);
    doc_table_end(d);
}

void page_options(struct doc *d, const struct cells *c) {
    const json_t *options = manifest_at(c->store->manifest, "options");
    doc_whole(d, DOC_SECTION, "configuration", "Configuration");
    if (!json_is_object(options)) {
        doc_whole(d, DOC_PARAGRAPH, NULL, "The configuration is not recorded.");
        return;
    }
    doc_table(d, "Configuration", fact_columns, COUNT(fact_columns));
    put_facts(d, "", options, 0);
    doc_table_end(d);
}

static void put_command(struct doc *d, const json_t *argv) {
    for (size_t i = 0; i < json_array_size(argv); i++) {
        const char *word = json_string_value(json_array_get(argv, i));
        doc_say(d, i ? " " : "");
        doc_shell(d, word ? word : "?");
    }
}

/* The results folder of a run, from its own: where its config.ini is run, "results" would be one
 * within the run. */
static const char *results_from(const char *dir) {
    static const char published[] = "/published/";
    char *real = realpath(dir, NULL);
    const char *name = real ? strrchr(real, '/') : NULL;
    const size_t len = sizeof published - 2;
    const bool is =
        name && (size_t)(name - real) >= len && strncmp(name - len, published, len + 1) == 0;
    free(real);
    return is ? "../.." : "..";
}

void page_again(struct doc *d, const struct cells *c) {
    const json_t *m = c->store->manifest;
    char buf[64];
    const char *seed = manifest_text(m, "plan.seed", buf, sizeof buf, "");
    doc_whole(d, DOC_SECTION, "again", "Run it again");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_code(d, "config.ini");
    doc_say(d, " in this folder holds every option. From this folder:");
    doc_close(d, DOC_PARAGRAPH);
    doc_begin(d, DOC_COMMAND, NULL);
    doc_say(d, "loopbench run config.ini --results %s", results_from(c->store->dir));
    if (*seed) {
        doc_say(d, " --seed ");
        doc_shell(d, seed);
    }
    doc_close(d, DOC_COMMAND);
    const json_t *argv = manifest_at(m, "command");
    if (json_array_size(argv) > 0) {
        doc_whole(d, DOC_PARAGRAPH, NULL, "It was started as:");
        doc_begin(d, DOC_COMMAND, NULL);
        put_command(d, argv);
        doc_close(d, DOC_COMMAND);
    }
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d, "The figures of every cell are in ");
    doc_code(d, "cells.csv");
    doc_say(d, ", those of every round in ");
    doc_code(d, "report.json");
    doc_say(d, ", those of every trial in ");
    doc_code(d, "trials.jsonl");
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
}
