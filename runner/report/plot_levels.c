/* Plots with a panel a level of connections: its title, and which targets left no curve in it. */
#include <stdlib.h>

#include "report/plot_layout.h"

const char *plot_level_title(const struct plot_frame *frame, const struct cells *c, size_t panel) {
    static char text[48];
    char n[24];
    (void)frame;
    figure_thousands(n, sizeof n, c->levels[panel]);
    snprintf(text, sizeof text, "%s connection%s", n, c->levels[panel] == 1 ? "" : "s");
    return text;
}

struct plot_drawn *plot_drawn_new(const struct cells *c) {
    struct plot_drawn *d = calloc(1, sizeof *d);
    if (d) {
        d->targets = c->target_count;
        d->any = calloc(c->level_count * c->target_count + 1, sizeof *d->any);
    }
    if (d && !d->any) {
        free(d);
        d = NULL;
    }
    return d;
}

void plot_drawn_free(struct plot_drawn *d) {
    if (d) {
        free(d->any);
        free(d);
    }
}

bool plot_level_is_gap(const struct plot_frame *frame, const struct cells *c, size_t panel,
                       size_t target, int level) {
    const struct plot_drawn *d = frame->data;
    return c->levels[panel] == level && !d->any[panel * d->targets + target];
}

const char *plot_level_note(const struct plot_frame *frame, const struct cells *c) {
    for (size_t p = 0; p < c->level_count; p++) {
        size_t lacking = 0;
        for (size_t t = 0; t < c->target_count; t++) {
            lacking += plot_shows(frame, c, t) && plot_level_is_gap(frame, c, p, t, c->levels[p]);
        }
        if (lacking > 0 && lacking < plot_shown_count(frame, c)) {
            return "; ×: no curve";
        }
    }
    return "";
}
