/* target_dump.c — [target] sections as they are read back. */
#include <stdlib.h>
#include <string.h>

#include "config/places.h"
#include "config/targets.h"
#include "config/words.h"

static void targets_dump_words(FILE *out, const char *key, char *const *words) {
    char *text = words ? words_join(words) : NULL;
    if (text) {
        fprintf(out, "%s = %s\n", key, text);
    }
    free(text);
}

static void targets_dump_text(FILE *out, const char *key, const char *value) {
    char *quoted = value ? words_quote(value) : NULL;
    if (quoted) {
        fprintf(out, "%s = %s\n", key, quoted);
    }
    free(quoted);
}

/* Keys that most targets do without. */
static void targets_dump_more(const struct target_config *t, FILE *out) {
    char grace[32];
    targets_dump_words(out, "paths", t->paths);
    targets_dump_words(out, "probe", t->probe);
    targets_dump_words(out, "version", t->version);
    if (t->package) {
        fprintf(out, "package = %s\n", t->package);
    }
    targets_dump_text(out, "install", t->install);
    targets_dump_text(out, "about", t->about);
    if (!t->dies_by_signal) {
        fputs("dies-by-signal = no\n", out);
    }
    if (t->shares_db) {
        fputs("shares-db = yes\n", out);
    }
    if (t->stop_grace_ns > 0) {
        value_duration_text(t->stop_grace_ns, grace, sizeof grace);
        fprintf(out, "stop-grace = %s\n", grace);
    }
}

/* Whether a chosen target is this one, or this one in a container. */
static bool targets_is_chosen(const struct config *c, const struct target_config *t) {
    const size_t len = strlen(t->name);
    for (size_t i = 0; i < c->targets.n; i++) {
        const char *name = c->targets.name[i];
        if (strncmp(name, t->name, len) == 0 &&
            (name[len] == '\0' || strchr(name + len, *PLACES_MARK) == name + len)) {
            return true;
        }
    }
    return false;
}

/* A guest as its folder says, so that a run can tell when that says something else. {dir} stays: it
 * is the guest's folder wherever the run is repeated. */
static void targets_dump_guest(const struct config *c, const struct target_config *t, FILE *out) {
    if (t->section && targets_is_chosen(c, t)) {
        fprintf(out, "\n[target %s]\nguest = yes\n%s", t->name, t->section);
    }
}

void targets_dump(const struct config *c, FILE *out) {
    for (size_t i = 0; i < c->target_count; i++) {
        const struct target_config *t = &c->target[i];
        if (places_of(t->name) != PLACE_PROCESS || (t->builtin && t->place != PLACE_URL)) {
            continue; /* made from what others say, or ours */
        }
        if (t->guest) {
            targets_dump_guest(c, t, out);
            continue;
        }
        fprintf(out, "\n[target %s]\n", t->name);
        if (t->place == PLACE_URL) {
            places_dump(t, out);
            continue;
        }
        if (t->image) {
            fprintf(out, "image = %s\n", t->image);
        }
        targets_dump_words(out, "command", t->command);
        targets_dump_words(out, "log-options", t->log_options);
        targets_dump_words(out, "env", t->env);
        targets_dump_text(out, "cwd", t->cwd);
        fprintf(out, "ready = %s\n", t->ready_path);
        fprintf(out, "stop-signal = %s\n", targets_signal_name(t->stop_signal));
        fprintf(out, "announces = %s\n", t->announces ? "yes" : "no");
        targets_dump_more(t, out);
        for (size_t w = 0; w < t->workloads.n; w++) {
            fprintf(out, "%s%s", w == 0 ? "workloads = " : ",", t->workloads.name[w]);
        }
        fputs(t->workloads.n > 0 ? "\n" : "", out);
    }
}
