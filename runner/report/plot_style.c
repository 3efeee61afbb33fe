/* Colours, shapes and dashes: told apart by any of the three alone. */
#include "report/plot_parts.h"

#include <string.h>

/* Okabe & Ito, Color Universal Design (2008), ordered so that the first ones differ most on white;
 * yellow is left out, being too faint for lines. */
static const char *const colors[] = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                     "#E69F00", "#56B4E9", "#000000"};
static const int filled[] = {7, 5, 9, 13, 11, 15};
static const int hollow[] = {6, 4, 8, 12, 10, 14};
static const int dashes[] = {1, 2, 4, 5, 1, 2};

#define COLORS (sizeof colors / sizeof colors[0])
#define POINTS (sizeof filled / sizeof filled[0])

int plot_point(size_t i) {
    return filled[i % POINTS];
}

static size_t place_of(const struct cells *c, const char *name, size_t otherwise) {
    for (size_t i = 0; i < c->target_count; i++) {
        if (c->targets[i].role == ROLE_TARGET && strcmp(c->targets[i].name, name) == 0) {
            return i;
        }
    }
    return otherwise;
}

struct plot_style plot_style_of(const struct cells *c, size_t target) {
    const struct cell_target *t = &c->targets[target];
    if (t->role == ROLE_NULL) {
        return (struct plot_style){
            .color = "#8C8C8C", .point = 1, .dash = 1, .width = 1.0, .quiet = true};
    }
    if (t->role == ROLE_CONTROL) {
        /* The twin of its target: same colour and shape, hollow and dotted. */
        size_t i = place_of(c, t->base, target);
        return (struct plot_style){
            .color = colors[i % COLORS], .point = hollow[i % POINTS], .dash = 3, .width = 1.4};
    }
    return (struct plot_style){.color = colors[target % COLORS],
                               .point = filled[target % POINTS],
                               .dash = dashes[target % POINTS],
                               .width = 2.0};
}
