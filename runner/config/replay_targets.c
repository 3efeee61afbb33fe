/* The targets of a replay's file, for whoever reads a configuration. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "config/ini_read.h"
#include "config/replay_read.h"

struct mask {
    char *text;
    const char *at; /* of the first line not yet decided */
    size_t len;
    int line; /* its number */
    bool keep;
};

/* Decides all lines before that one. */
static void mask_until(struct mask *m, int line) {
    while (m->line < line && *m->at) {
        char *here = m->text + (m->at - m->text);
        const size_t n = strcspn(m->at, "\n");
        if (!m->keep) {
            memset(here, ' ', n);
        }
        m->at += n + (m->at[n] == '\n');
        m->line++;
    }
}

static int mask_section(void *ctx, int line, const char *section, struct err *e) {
    struct mask *m = ctx;
    (void)e;
    mask_until(m, line);
    m->keep = replay_section_name(section, "target") != NULL;
    return 0;
}

static int mask_value(void *ctx, int line, const char *section, const char *key, const char *value,
                      struct err *e) {
    (void)ctx;
    (void)line;
    (void)section;
    (void)key;
    (void)value;
    (void)e;
    return 0;
}

char *replay_targets_text(const char *text, size_t len) {
    struct mask m = {.text = strndup(text, len), .line = 1};
    const struct ini_sink sink = {mask_section, mask_value, &m};
    struct err ignored;
    if (!m.text) {
        return NULL;
    }
    m.at = m.text;
    (void)ini_read(text, len, "", &sink, &ignored);
    mask_until(&m, INT32_MAX);
    return m.text;
}
