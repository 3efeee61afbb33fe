#include "ui/left_out.h"

#include <string.h>

#include "base/loop.h"
#include "run/installed.h"

static void left_out_print(const struct config *c, const struct left_out *l, FILE *out) {
    const struct target_config *t = config_target(c, l->name);
    fprintf(out, "%s is left out: %s", l->name, l->reason);
    if (l->package) {
        fprintf(out, "; `apt-get install %s`%s", l->package,
                t && t->guest ? " or `make deps-guests`" : "");
    }
    fputs(l->baseline ? "; it was the baseline: all pairs are compared\n" : "\n", out);
}

int left_out_find(struct config *c, FILE *out, struct err *e) {
    struct loop loop;
    if (loop_init(&loop, e) != 0) {
        return -1;
    }
    size_t before = c->left_out_count;
    int rc = installed_leave_out(&loop, c, e);
    loop_release(&loop);
    for (size_t i = before; rc == 0 && i < c->left_out_count; i++) {
        left_out_print(c, &c->left_out[i], out);
    }
    return rc;
}

json_t *left_out_json(const struct config *c) {
    json_t *out = c->left_out_count > 0 ? json_array() : NULL;
    for (size_t i = 0; out && i < c->left_out_count; i++) {
        const struct left_out *l = &c->left_out[i];
        json_array_append_new(out, json_pack("{s:s, s:s, s:s?}", "name", l->name, "reason",
                                             l->reason, "package", l->package));
    }
    return out;
}

size_t left_out_notes(const struct config *c, char note[][NOTE_SIZE], size_t max) {
    const struct {
        const char *placeholder, *what;
        bool wanted;
    } asked[] = {{"{workers}", "number of workers", c->workers > 1},
                 {"{backlog}", "listen backlog", c->backlog > 0}};
    size_t n = 0;
    for (size_t o = 0; o < sizeof asked / sizeof asked[0]; o++) {
        for (size_t i = 0; asked[o].wanted && i < c->targets.n && n < max; i++) {
            const struct target_config *t = config_target(c, c->targets.name[i]);
            if (t && !t->builtin && !config_command_has(t, asked[o].placeholder)) {
                snprintf(note[n++], NOTE_SIZE, "%s ran with its own %s: its command has no %s",
                         t->name, asked[o].what, asked[o].placeholder);
            }
        }
    }
    for (size_t i = 0; i < c->target_count && n < max; i++) {
        if (c->target[i].changed) {
            snprintf(note[n++], NOTE_SIZE,
                     "%s ran as the configuration has it: its target.ini says something else now",
                     c->target[i].name);
        }
    }
    return n;
}
