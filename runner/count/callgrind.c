#include "count/callgrind.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define IDS_MAX   (1 << 21) /* of one kind; a large interpreter has some ten thousand */
#define COST_MAX  ((int64_t)1 << 60)
#define NAME_SIZE 4096
#define KEY_SIZE  (3 * (size_t)NAME_SIZE)

/* Names by the number they are called by. */
struct names {
    char **name;
    size_t count;
};

enum name_kind { NAME_OBJECT, NAME_FILE, NAME_FUNCTION, NAME_KINDS };

struct reader {
    struct callgrind *c;
    const char *name;
    size_t line;
    struct names names[NAME_KINDS];
    const char *at[NAME_KINDS]; /* where costs belong now */
    int64_t pending;            /* of that place, not yet in the table */
    int64_t sum;
    int64_t stated; /* -1 = not yet */
    bool events;    /* `events: Ir` was seen */
    bool skip;      /* the next line is the callee's */
};

int callgrind_init(struct callgrind *c, struct err *e) {
    *c = (struct callgrind){.cost = json_object()};
    return c->cost ? 0 : err_set(e, ERR_MACHINE, "out of memory reading callgrind's counts");
}

void callgrind_release(struct callgrind *c) {
    json_decref(c->cost);
    *c = (struct callgrind){0};
}

static int bad(const struct reader *r, struct err *e, const char *what) {
    return err_set(e, ERR_FAILED, "%s:%zu: %s", r->name, r->line, what);
}

/* Moves what was spent at the present place into the table. */
static int flush(struct reader *r, struct err *e) {
    char key[KEY_SIZE];
    if (r->pending == 0) {
        return 0;
    }
    snprintf(key, sizeof key, "%s%c%s%c%s", r->at[NAME_OBJECT] ? r->at[NAME_OBJECT] : "",
             CALLGRIND_SEPARATOR, r->at[NAME_FILE] ? r->at[NAME_FILE] : "", CALLGRIND_SEPARATOR,
             r->at[NAME_FUNCTION] ? r->at[NAME_FUNCTION] : "");
    json_t *old = json_object_get(r->c->cost, key);
    const json_int_t sum = r->pending + (old ? json_integer_value(old) : 0);
    r->pending = 0;
    return json_object_set_new_nocheck(r->c->cost, key, json_integer(sum)) == 0
               ? 0
               : bad(r, e, "out of memory");
}

/* Digits; *at moves behind them. -1 when there are none or too many. */
static int64_t read_number(const char **at) {
    int64_t v = 0;
    if (**at < '0' || **at > '9') {
        return -1;
    }
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        if (v > COST_MAX / 10) {
            return -1;
        }
        v = v * 10 + (**at - '0');
    }
    return v;
}

static int define(struct reader *r, enum name_kind kind, size_t id, const char *text,
                  struct err *e) {
    struct names *n = &r->names[kind];
    if (id >= n->count) {
        size_t more = n->count ? n->count : 256;
        while (more <= id) {
            more *= 2;
        }
        char **grown = realloc(n->name, more * sizeof *grown);
        if (!grown) {
            return bad(r, e, "out of memory");
        }
        memset(grown + n->count, 0, (more - n->count) * sizeof *grown);
        n->name = grown;
        n->count = more;
    }
    if (n->name[id]) {
        return strcmp(n->name[id], text) == 0 ? 0 : bad(r, e, "a number names two things");
    }
    n->name[id] = strdup(text);
    return n->name[id] ? 0 : bad(r, e, "out of memory");
}

/* "(12) name" names and calls; "(12)" only calls. A plain name gets no number. */
static int read_name(struct reader *r, enum name_kind kind, const char *text, const char **out,
                     struct err *e) {
    if (*text != '(') {
        return bad(r, e, "a name without a number");
    }
    text++;
    const int64_t id = read_number(&text);
    if (id < 0 || id >= IDS_MAX || *text != ')') {
        return bad(r, e, "no number of a name");
    }
    text++;
    if (*text == ' ') {
        text++;
        /* Templates of C++ make names of many thousand bytes; the beginning will do. */
        char name[NAME_SIZE];
        snprintf(name, sizeof name, "%.*s", NAME_SIZE - 1, text);
        if (strchr(name, CALLGRIND_SEPARATOR) || define(r, kind, (size_t)id, name, e) != 0) {
            return *e->text ? -1 : bad(r, e, "a control character in a name");
        }
    } else if (*text) {
        return bad(r, e, "something behind the number of a name");
    }
    const struct names *n = &r->names[kind];
    if ((size_t)id >= n->count || !n->name[id]) {
        return bad(r, e, "a number that names nothing");
    }
    *out = n->name[id];
    return 0;
}

/* Whether the line begins with the word; *rest is what follows it. */
static bool begins(const char *line, const char *word, const char **rest) {
    const size_t len = strlen(word);
    if (strncmp(line, word, len) != 0) {
        return false;
    }
    *rest = line + len;
    return true;
}

/* A line that says where costs belong, or whom a call goes to. 1 = it was none. */
static int read_place(struct reader *r, const char *line, struct err *e) {
    static const struct {
        const char *word;
        enum name_kind kind;
        bool here;
    } rows[] = {
        {"ob=", NAME_OBJECT, true}, {"fl=", NAME_FILE, true},     {"fi=", NAME_FILE, true},
        {"fe=", NAME_FILE, true},   {"fn=", NAME_FUNCTION, true}, {"cob=", NAME_OBJECT, false},
        {"cfi=", NAME_FILE, false}, {"cfl=", NAME_FILE, false},   {"cfn=", NAME_FUNCTION, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *rest;
        const char *found = NULL;
        if (!begins(line, rows[i].word, &rest)) {
            continue;
        }
        if (read_name(r, rows[i].kind, rest, &found, e) != 0) {
            return -1;
        }
        if (rows[i].here) {
            if (flush(r, e) != 0) {
                return -1;
            }
            r->at[rows[i].kind] = found;
        }
        return 0;
    }
    return 1;
}

/* "16 3", "+1 3", "-2 3", "* 3": a position and, where it is not 0, a cost. */
static int read_cost(struct reader *r, const char *line, struct err *e) {
    const char *at = line;
    if (*at == '*') {
        at++;
    } else {
        at += *at == '+' || *at == '-';
        if (read_number(&at) < 0) {
            return bad(r, e, "a line that callgrind does not write");
        }
    }
    if (!r->events) {
        return bad(r, e, "costs before `events: Ir`");
    }
    int64_t cost = 0;
    if (*at == ' ') {
        at++;
        cost = read_number(&at);
    }
    if (cost < 0 || *at || r->sum > COST_MAX - cost) {
        return bad(r, e, "no cost of instructions");
    }
    if (r->skip) {
        r->skip = false;
        return 0;
    }
    r->pending += cost;
    r->sum += cost;
    return 0;
}

static int read_stated(struct reader *r, const char *rest, struct err *e) {
    const int64_t v = read_number(&rest);
    if (v < 0 || *rest) {
        return bad(r, e, "no total of instructions");
    }
    r->stated = v;
    return 0;
}

static int read_header(struct reader *r, const char *line, struct err *e) {
    static const char *const known[] = {"version:", "creator:",   "pid:",     "cmd:",   "part:",
                                        "desc:",    "positions:", "summary:", "thread:"};
    const char *rest;
    if (begins(line, "events: ", &rest)) {
        r->events = strcmp(rest, "Ir") == 0;
        return r->events ? 0 : bad(r, e, "events other than instructions");
    }
    if (begins(line, "totals: ", &rest)) {
        return read_stated(r, rest, e);
    }
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (begins(line, known[i], &rest)) {
            return 0;
        }
    }
    return 1;
}

static int read_line(struct reader *r, const char *line, struct err *e) {
    const char *rest;
    if (!*line || *line == '#') {
        return 0;
    }
    if (r->skip || strchr("+-*0123456789", *line)) {
        return read_cost(r, line, e);
    }
    if (begins(line, "calls=", &rest)) {
        r->skip = true;
        return read_number(&rest) < 0 ? bad(r, e, "no number of calls") : 0;
    }
    int rc = read_place(r, line, e);
    if (rc == 1) {
        rc = read_header(r, line, e);
    }
    return rc == 1 ? bad(r, e, "a line that callgrind does not write") : rc;
}

static int read_lines(struct reader *r, FILE *in, struct err *e) {
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int rc = 0;
    e->text[0] = '\0';
    while (rc == 0 && (n = getline(&line, &room, in)) >= 0) {
        r->line++;
        const bool whole = n > 0 && line[n - 1] == '\n';
        line[n - whole] = '\0';
        rc = !whole                            ? bad(r, e, "the file is cut short")
             : strlen(line) != (size_t)(n - 1) ? bad(r, e, "a NUL byte")
                                               : read_line(r, line, e);
    }
    free(line);
    if (rc == 0) {
        rc = flush(r, e);
    }
    if (rc == 0 && (ferror(in) || r->stated < 0)) {
        rc = bad(r, e, "no totals: it was cut short");
    }
    return rc == 0 && r->stated != r->sum ? bad(r, e, "the total stated is not the sum") : rc;
}

int callgrind_add(struct callgrind *c, FILE *in, const char *name, struct err *e) {
    struct reader r = {.c = c, .name = name, .stated = -1};
    const int rc = read_lines(&r, in, e);
    for (int k = 0; k < NAME_KINDS; k++) {
        for (size_t i = 0; i < r.names[k].count; i++) {
            free(r.names[k].name[i]);
        }
        free(r.names[k].name);
    }
    c->total += rc == 0 ? r.sum : 0;
    return rc;
}
