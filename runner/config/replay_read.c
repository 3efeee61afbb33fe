#include "config/replay_read.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "config/ini_read.h"
#include "config/options.h"
#include "config/replay_check.h"
#include "config/replay_claim.h"
#include "config/values.h"

enum kind { IN_NOTHING, IN_REPLAY, IN_PART, IN_CLAIM, IN_TARGET };

struct reader {
    struct replay *r;
    enum kind in;
    bool begun;        /* [replay] was seen */
    struct names seen; /* keys of the section now read */
};

static int no_memory(struct err *e) {
    return err_set(e, ERR_MACHINE, "out of memory reading the replay");
}

static struct replay_part *part_now(struct reader *d) {
    return &d->r->part[d->r->parts - 1];
}

static struct replay_claim *claim_now(struct reader *d) {
    return &d->r->claim[d->r->claims - 1];
}

/* ---- sections */

static int begin_part(struct reader *d, int line, const char *name, struct err *e) {
    if (value_name(name, "[part]", e) != 0) {
        return -1;
    }
    if (strspn(name, ".") == strlen(name)) {
        return err_set(e, ERR_USAGE,
                       "[part %s]: its folder cannot be called so; choose another name", name);
    }
    if (replay_part_find(d->r, name) != SIZE_MAX) {
        return err_set(e, ERR_USAGE, "part '%s' is there already; choose another name", name);
    }
    if (d->r->parts == REPLAY_PARTS_MAX) {
        return err_set(e, ERR_USAGE, "more than %d parts", REPLAY_PARTS_MAX);
    }
    d->r->part[d->r->parts++] = (struct replay_part){.name = strdup(name), .line = line};
    return part_now(d)->name ? 0 : no_memory(e);
}

static int begin_claim(struct reader *d, int line, const char *name, struct err *e) {
    if (value_name(name, "[claim]", e) != 0) {
        return -1;
    }
    for (size_t i = 0; i < d->r->claims; i++) {
        if (strcmp(d->r->claim[i].name, name) == 0) {
            return err_set(e, ERR_USAGE, "claim '%s' is there already; choose another name", name);
        }
    }
    if (d->r->claims == REPLAY_CLAIMS_MAX) {
        return err_set(e, ERR_USAGE, "more than %d claims", REPLAY_CLAIMS_MAX);
    }
    d->r->claim[d->r->claims++] = (struct replay_claim){.name = strdup(name),
                                                        .metric = REPLAY_METRICS,
                                                        .lo = NAN,
                                                        .hi = NAN,
                                                        .limit = NAN,
                                                        .anchor = true,
                                                        .line = line};
    return claim_now(d)->name ? 0 : no_memory(e);
}

const char *replay_section_name(const char *section, const char *word) {
    const size_t len = strlen(word);
    if (strncmp(section, word, len) != 0 || (section[len] != ' ' && section[len] != '\t')) {
        return NULL;
    }
    return section + len + strspn(section + len, " \t");
}

static int read_section(void *ctx, int line, const char *section, struct err *e) {
    struct reader *d = ctx;
    const char *name;
    names_release(&d->seen);
    if (strcmp(section, "replay") == 0) {
        if (d->begun) {
            return err_set(e, ERR_USAGE, "[replay] is there already; keep one");
        }
        d->begun = true;
        d->in = IN_REPLAY;
        return 0;
    }
    if ((name = replay_section_name(section, "part"))) {
        d->in = IN_PART;
        return begin_part(d, line, name, e);
    }
    if ((name = replay_section_name(section, "claim"))) {
        d->in = IN_CLAIM;
        return begin_claim(d, line, name, e);
    }
    if (replay_section_name(section, "target")) {
        d->in = IN_TARGET; /* config.c reads it */
        return 0;
    }
    return err_set(e, ERR_USAGE,
                   "unknown section [%s]; there are [replay], [part NAME], [claim NAME] and "
                   "[target NAME]",
                   section);
}

/* ---- values */

static int set_text(char **out, const char *key, const char *value, struct err *e) {
    return value_text(value, key, out, e);
}

int replay_unknown_key(const char *key, const char *const *names, size_t n, struct err *e) {
    const char *near = option_nearest_of(key, names, n);
    return err_set(e, ERR_USAGE, "unknown name '%s'; %s%s%s", key,
                   near ? "did you mean '" : "see docs/replays.md", near ? near : "",
                   near ? "'?" : "");
}

static int set_replay(struct replay *r, const char *key, const char *value, struct err *e) {
    static const char *const names[] = {"title", "source", "year", "summary", "omits"};
    char **const text[] = {&r->title, &r->source, NULL, &r->summary, &r->omits};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], key) == 0) {
            return text[i] ? set_text(text[i], key, value, e)
                           : value_int(value, key, 1900, 9999, &r->year, e);
        }
    }
    return replay_unknown_key(key, names, sizeof names / sizeof names[0], e);
}

/* Options of this machine, not of what is repeated. */
static bool is_of_machine(const char *key) {
    static const char *const names[] = {"results", "servers", "wrk", "profile", "seed"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], key) == 0) {
            return true;
        }
    }
    return false;
}

static int set_option(struct replay_part *p, int line, const char *key, const char *value,
                      struct err *e) {
    if (!option_find(key, USE_FILE)) {
        const char *near = option_nearest(key, USE_FILE);
        return err_set(e, ERR_USAGE, "unknown name '%s'; %s%s%s", key,
                       near ? "did you mean '" : "a part has title, about and options of `run`",
                       near ? near : "", near ? "'?" : "");
    }
    if (is_of_machine(key)) {
        return err_set(e, ERR_USAGE,
                       "'%s' is for this machine to choose; give it on the command line", key);
    }
    if (p->options == REPLAY_OPTIONS_MAX) {
        return err_set(e, ERR_USAGE, "more than %d options", REPLAY_OPTIONS_MAX);
    }
    struct replay_option *grown = realloc(p->option, (p->options + 1) * sizeof *grown);
    if (!grown) {
        return no_memory(e);
    }
    p->option = grown;
    grown[p->options] = (struct replay_option){strdup(key), strdup(value), line};
    p->options++;
    return grown[p->options - 1].key && grown[p->options - 1].value ? 0 : no_memory(e);
}

static int set_part(struct reader *d, int line, const char *key, const char *value, struct err *e) {
    struct replay_part *p = part_now(d);
    if (strcmp(key, "title") == 0) {
        return set_text(&p->title, key, value, e);
    }
    if (strcmp(key, "about") == 0) {
        return set_text(&p->about, key, value, e);
    }
    return set_option(p, line, key, value, e);
}

static int read_value(void *ctx, int line, const char *section, const char *key, const char *value,
                      struct err *e) {
    struct reader *d = ctx;
    (void)section;
    if (d->in == IN_TARGET) {
        return 0;
    }
    if (d->in == IN_NOTHING) {
        return err_set(e, ERR_USAGE, "'%s' stands before any section; begin with [replay]", key);
    }
    if (names_has(&d->seen, key)) {
        return err_set(e, ERR_USAGE, "'%s' is set a second time; keep one", key);
    }
    if (names_add(&d->seen, key) != 0) {
        return no_memory(e);
    }
    return d->in == IN_REPLAY ? set_replay(d->r, key, value, e)
           : d->in == IN_PART ? set_part(d, line, key, value, e)
                              : replay_claim_set(claim_now(d), key, value, e);
}

/* ---- the whole */

/* "replays/r1.ini" is r1. */
static int name_it(struct replay *r, const char *file, struct err *e) {
    const char *slash = strrchr(file, '/');
    const char *base = slash ? slash + 1 : file;
    size_t len = strlen(base);
    if (len > 4 && strcmp(base + len - 4, ".ini") == 0) {
        len -= 4;
    }
    r->id = strndup(base, len);
    if (!r->id) {
        return no_memory(e);
    }
    return value_name(r->id, "the file's name", e);
}

int replay_read(struct replay *r, const char *text, size_t len, const char *file, struct err *e) {
    struct reader d = {.r = r};
    const struct ini_sink sink = {read_section, read_value, &d};
    int line = 0;
    *r = (struct replay){0};
    int rc = name_it(r, file, e);
    if (rc == 0) {
        rc = ini_read(text, len, file, &sink, e);
    }
    names_release(&d.seen);
    if (rc == 0 && replay_check(r, &line, e) != 0) {
        rc = line > 0 ? err_prefix(e, "%s:%d", file, line) : err_prefix(e, "%s", file);
    }
    if (rc != 0) {
        replay_release(r);
    }
    return rc;
}
