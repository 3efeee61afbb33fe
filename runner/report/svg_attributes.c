/* Attributes of an inlined picture: which come through, and as what. */
#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg_parts.h"

enum treatment { KEEP, COLOR, ID, REFERENCE };

static const struct {
    const char *name;
    enum treatment treatment;
} attributes[] = {
    {"fill", COLOR},
    {"stroke", COLOR},
    {"color", COLOR},
    {"id", ID},
    {"xlink:href", REFERENCE},
    {"href", REFERENCE},
    {"transform", KEEP},
    {"d", KEEP},
    {"points", KEEP},
    {"x", KEEP},
    {"y", KEEP},
    {"width", KEEP},
    {"height", KEEP},
    {"r", KEEP},
    {"cx", KEEP},
    {"cy", KEEP},
    {"x1", KEEP},
    {"y1", KEEP},
    {"x2", KEEP},
    {"y2", KEEP},
    {"dx", KEEP},
    {"dy", KEEP},
    {"stroke-width", KEEP},
    {"stroke-dasharray", KEEP},
    {"opacity", KEEP},
    {"stroke-opacity", KEEP},
    {"fill-opacity", KEEP},
    {"stroke-linecap", KEEP},
    {"stroke-linejoin", KEEP},
    {"font-weight", KEEP},
    {"font-size", KEEP},
    {"font-style", KEEP},
    {"text-anchor", KEEP},
};

/* The colours of plots/style.gp and plot_style.c, and what the page calls them. */
static const struct {
    unsigned rgb;
    const char *name;
} colors[] = {
    {0x222222, "ink"},  {0x000000, "ink"},   {0x6A6A6A, "faint"}, {0xDDDDDD, "rule"},
    {0xECECEC, "band"}, {0xFFFFFF, "paper"}, {0x8C8C8C, "c0"},    {0x0072B2, "c1"},
    {0xD55E00, "c2"},   {0x009E73, "c3"},    {0xCC79A7, "c4"},    {0xE69F00, "c5"},
    {0x56B4E9, "c6"},
};

static bool same(const char *at, size_t len, const char *text) {
    return strlen(text) == len && strncmp(at, text, len) == 0;
}

static bool is_harmless(const char *value, size_t len) {
    for (size_t i = 0; i < len; i++) {
        const unsigned char c = (unsigned char)value[i];
        if (c >= 0x80 || !(isalnum(c) || (c && strchr(" .,#()+-%_\t\r\n", (char)c)))) {
            return false;
        }
    }
    return true;
}

/* "#rrggbb", "rgb(r, g, b)" or "black". */
static bool parse_color(const char *value, size_t len, unsigned *rgb) {
    char text[32];
    unsigned r;
    unsigned g;
    unsigned b;
    if (len >= sizeof text) {
        return false;
    }
    memcpy(text, value, len);
    text[len] = '\0';
    if (strcmp(text, "black") == 0) {
        *rgb = 0;
        return true;
    }
    if ((len == 7 && sscanf(text, "#%2x%2x%2x", &r, &g, &b) == 3) ||
        sscanf(text, "rgb(%3u,%3u,%3u)", &r, &g, &b) == 3) {
        *rgb = (r & 0xff) << 16 | (g & 0xff) << 8 | (b & 0xff);
        return true;
    }
    return false;
}

/* A word such as none or currentColor. */
static bool is_word(const char *value, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (!isalpha((unsigned char)value[i])) {
            return false;
        }
    }
    return len > 0;
}

/* Paint may also be fetched ("url(…)"), so nothing but colours comes through. */
static void put_color(FILE *f, const char *name, const char *value, size_t len) {
    unsigned rgb;
    if (!parse_color(value, len, &rgb)) {
        if (is_word(value, len)) {
            fprintf(f, " %s=\"%.*s\"", name, (int)len, value);
        }
        return;
    }
    for (size_t i = 0; i < sizeof colors / sizeof colors[0]; i++) {
        if (colors[i].rgb == rgb) {
            fprintf(f, " %s=\"var(--%s)\"", name, colors[i].name);
            return;
        }
    }
    fprintf(f, " %s=\"#%06x\"", name, rgb);
}

/* Only symbols are referred to; other ids would be bulk. */
static bool is_symbol(const char *id, size_t len) {
    return len > 2 && strncmp(id, "gp", 2) == 0;
}

void svg_put_attribute(FILE *f, const char *name, size_t name_len, const char *value,
                       size_t value_len, const char *prefix) {
    size_t i = 0;
    while (i < sizeof attributes / sizeof attributes[0] &&
           !same(name, name_len, attributes[i].name)) {
        i++;
    }
    if (i == sizeof attributes / sizeof attributes[0] || !is_harmless(value, value_len)) {
        return;
    }
    switch (attributes[i].treatment) {
    case KEEP:
        fprintf(f, " %s=\"%.*s\"", attributes[i].name, (int)value_len, value);
        break;
    case COLOR:
        put_color(f, attributes[i].name, value, value_len);
        break;
    case ID:
        if (is_symbol(value, value_len)) {
            fprintf(f, " id=\"%s-%.*s\"", prefix, (int)value_len, value);
        }
        break;
    case REFERENCE:
        if (value_len > 1 && value[0] == '#' && is_symbol(value + 1, value_len - 1)) {
            fprintf(f, " href=\"#%s-%.*s\"", prefix, (int)value_len - 1, value + 1);
        }
        break;
    }
}
