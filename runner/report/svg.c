#include "report/svg.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/svg_parts.h"
#include "report/text.h"

#define DEPTH_MAX      32
#define ATTRIBUTES_MAX 24
#define TEXT_MAX       1024

/* What happens to an element. */
enum fate {
    FATE_REFUSE,
    FATE_SKIP,  /* left out with all that is in it */
    FATE_FRAME, /* holds others; dropped when nothing in it is drawn */
    FATE_TEXT,  /* the same, and may hold text */
    FATE_DRAW,
};

static const struct {
    const char *name;
    enum fate fate;
} elements[] = {
    {"svg", FATE_FRAME},  {"g", FATE_FRAME},      {"defs", FATE_FRAME},    {"text", FATE_TEXT},
    {"tspan", FATE_TEXT}, {"path", FATE_DRAW},    {"rect", FATE_DRAW},     {"circle", FATE_DRAW},
    {"use", FATE_DRAW},   {"polygon", FATE_DRAW}, {"polyline", FATE_DRAW}, {"line", FATE_DRAW},
    {"title", FATE_SKIP}, {"desc", FATE_SKIP},    {"filter", FATE_SKIP},
};

struct piece {
    const char *at;
    size_t len;
};

struct open {
    struct piece name;
    enum fate fate;
    long begun; /* where it begins in the output */
    bool drawn; /* something in it is */
};

struct inliner {
    const char *at, *end;
    FILE *out;
    const struct svg_wording *words;
    struct open open[DEPTH_MAX];
    size_t depth;
    bool begun, done;
};

static bool is(struct piece p, const char *text) {
    return strlen(text) == p.len && strncmp(p.at, text, p.len) == 0;
}

static enum fate fate_of(struct piece name) {
    for (size_t i = 0; i < sizeof elements / sizeof elements[0]; i++) {
        if (is(name, elements[i].name)) {
            return elements[i].fate;
        }
    }
    return FATE_REFUSE;
}

static bool starts(const struct inliner *s, const char *text) {
    const size_t n = strlen(text);
    return (size_t)(s->end - s->at) >= n && strncmp(s->at, text, n) == 0;
}

/* Past the next `text`; false when there is none. */
static bool skip_past(struct inliner *s, const char *text) {
    const char *found = memmem(s->at, (size_t)(s->end - s->at), text, strlen(text));
    if (found) {
        s->at = found + strlen(text);
    }
    return found;
}

static void skip_blanks(struct inliner *s) {
    while (s->at < s->end && isspace((unsigned char)*s->at)) {
        s->at++;
    }
}

static struct piece take_name(struct inliner *s) {
    struct piece p = {s->at, 0};
    while (s->at < s->end && (isalnum((unsigned char)*s->at) || strchr("-_:", *s->at)) && *s->at) {
        s->at++;
    }
    p.len = (size_t)(s->at - p.at);
    return p;
}

struct attribute {
    struct piece name, value;
};

/* name="value" or name='value'. */
static bool take_attribute(struct inliner *s, struct attribute *a) {
    a->name = take_name(s);
    skip_blanks(s);
    if (a->name.len == 0 || s->at == s->end || *s->at != '=') {
        return false;
    }
    s->at++;
    skip_blanks(s);
    if (s->at == s->end || (*s->at != '"' && *s->at != '\'')) {
        return false;
    }
    const char quote = *s->at++;
    a->value.at = s->at;
    while (s->at < s->end && *s->at != quote) {
        s->at++;
    }
    a->value.len = (size_t)(s->at - a->value.at);
    if (s->at == s->end) {
        return false;
    }
    s->at++;
    return true;
}

struct tag {
    struct piece name;
    struct attribute attribute[ATTRIBUTES_MAX];
    size_t n;
    bool closed; /* <name/> */
};

/* The last attribute's name is none of those before it. */
static bool is_new(const struct tag *t) {
    const struct piece last = t->attribute[t->n - 1].name;
    for (size_t i = 0; i + 1 < t->n; i++) {
        const struct piece other = t->attribute[i].name;
        if (other.len == last.len && strncmp(other.at, last.at, last.len) == 0) {
            return false;
        }
    }
    return true;
}

/* After the '<'. */
static bool take_tag(struct inliner *s, struct tag *t) {
    t->name = take_name(s);
    t->n = 0;
    t->closed = false;
    while (t->name.len > 0 && t->n < ATTRIBUTES_MAX) {
        skip_blanks(s);
        if (s->at < s->end && *s->at == '>') {
            s->at++;
            return true;
        }
        if (starts(s, "/>")) {
            s->at += 2;
            t->closed = true;
            return true;
        }
        if (!take_attribute(s, &t->attribute[t->n++]) || !is_new(t)) {
            return false;
        }
    }
    return false;
}

static void put_root(struct inliner *s, const struct tag *t) {
    for (size_t i = 0; i < t->n; i++) {
        const struct attribute *a = &t->attribute[i];
        double w;
        double h;
        char box[64];
        if (!is(a->name, "viewBox") || a->value.len >= sizeof box) {
            continue;
        }
        memcpy(box, a->value.at, a->value.len);
        box[a->value.len] = '\0';
        if (sscanf(box, "0 0 %lf %lf", &w, &h) == 2 && w >= 1 && h >= 1 && w < 1e5 && h < 1e5) {
            fprintf(s->out, "<svg viewBox=\"0 0 %.6g %.6g\" style=\"--w:%.6gpx\" role=\"img\" ", w,
                    h, w);
            fprintf(s->out, "class=\"%s\" aria-describedby=\"%s\" aria-label=\"", s->words->class,
                    s->words->about);
            text_html(s->out, s->words->title);
            fputs("\"><title>", s->out);
            text_html(s->out, s->words->title);
            fputs("</title>\n", s->out);
            s->begun = true;
        }
    }
}

static void put_tag(struct inliner *s, const struct tag *t) {
    fprintf(s->out, "<%.*s", (int)t->name.len, t->name.at);
    for (size_t i = 0; i < t->n; i++) {
        const struct attribute *a = &t->attribute[i];
        svg_put_attribute(s->out, a->name.at, a->name.len, a->value.at, a->value.len,
                          s->words->prefix);
    }
    fputs(t->closed ? "/>" : ">", s->out);
}

/* What is drawn in an element is drawn in those around it. */
static void mark_drawn(struct inliner *s) {
    if (s->depth > 0) {
        s->open[s->depth - 1].drawn = true;
    }
}

/* Leaves an element out with all that is in it; none of these holds its like. */
static bool skip_element(struct inliner *s, const struct tag *t) {
    char ending[32];
    snprintf(ending, sizeof ending, "</%.*s>", (int)t->name.len, t->name.at);
    return t->closed || skip_past(s, ending);
}

static bool open_element(struct inliner *s) {
    struct tag t;
    if (!take_tag(s, &t) || s->done) {
        return false;
    }
    const enum fate fate = fate_of(t.name);
    const bool root = is(t.name, "svg");
    if (fate == FATE_REFUSE || root != (s->depth == 0) || (root && (s->begun || t.closed))) {
        return false;
    }
    if (fate == FATE_SKIP) {
        return skip_element(s, &t);
    }
    const long begun = ftell(s->out);
    if (root) {
        put_root(s, &t);
        if (!s->begun) {
            return false;
        }
    } else if (!(t.closed && fate != FATE_DRAW)) {
        put_tag(s, &t);
    }
    if (t.closed) {
        if (fate == FATE_DRAW) {
            mark_drawn(s);
        }
        return true;
    }
    if (s->depth == DEPTH_MAX) {
        return false;
    }
    s->open[s->depth++] = (struct open){t.name, fate, begun, fate == FATE_DRAW};
    return true;
}

static bool close_element(struct inliner *s) {
    const struct piece name = take_name(s);
    skip_blanks(s);
    if (s->depth == 0 || s->at == s->end || *s->at != '>') {
        return false;
    }
    s->at++;
    const struct open *o = &s->open[--s->depth];
    if (name.len != o->name.len || strncmp(name.at, o->name.at, name.len) != 0) {
        return false;
    }
    if (!o->drawn && s->depth > 0) {
        return fseek(s->out, o->begun, SEEK_SET) == 0;
    }
    fprintf(s->out, "</%.*s>%s", (int)name.len, name.at, o->fate == FATE_TEXT ? "" : "\n");
    if (s->depth > 0) {
        mark_drawn(s);
    }
    s->done = s->depth == 0;
    return true;
}

/* One character or reference; bytes read, with what it means in *c. */
static size_t decode(const char *at, size_t len, char *c) {
    static const struct {
        const char *text;
        char means;
    } references[] = {
        {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
    for (size_t i = 0; i < sizeof references / sizeof references[0]; i++) {
        const size_t n = strlen(references[i].text);
        if (len >= n && strncmp(at, references[i].text, n) == 0) {
            *c = references[i].means;
            return n;
        }
    }
    *c = *at;
    return 1;
}

/* Up to the next '<'. */
static bool put_content(struct inliner *s) {
    char text[TEXT_MAX];
    size_t n = 0;
    bool blank = true;
    while (s->at < s->end && *s->at != '<') {
        blank = blank && isspace((unsigned char)*s->at);
        if (n + 1 == sizeof text) {
            return false;
        }
        s->at += decode(s->at, (size_t)(s->end - s->at), &text[n++]);
    }
    text[n] = '\0';
    const bool holds = s->depth > 0 && s->open[s->depth - 1].fate == FATE_TEXT;
    if (holds && n > 0) {
        text_html(s->out, text);
        s->open[s->depth - 1].drawn = s->open[s->depth - 1].drawn || !blank;
    }
    return holds || blank;
}

static bool inline_all(struct inliner *s) {
    while (s->at < s->end) {
        bool good;
        if (*s->at != '<') {
            good = put_content(s);
        } else if (starts(s, "<!--")) {
            good = skip_past(s, "-->");
        } else if (starts(s, "<?")) {
            good = skip_past(s, "?>");
        } else if (starts(s, "<!")) {
            good = s->depth == 0 && skip_past(s, ">");
        } else if (starts(s, "</")) {
            s->at += 2;
            good = close_element(s);
        } else {
            s->at++;
            good = open_element(s);
        }
        if (!good) {
            return false;
        }
    }
    return s->done;
}

int svg_inline(FILE *f, const char *svg, size_t len, const struct svg_wording *words,
               struct err *e) {
    struct text_file t;
    if (text_begin(&t, e) != 0) {
        return -1;
    }
    struct inliner s = {.at = svg, .end = svg + len, .out = t.f, .words = words};
    bool good = inline_all(&s);
    if (!good) {
        err_set(e, ERR_USAGE, "a picture is not as gnuplot draws them");
    } else if (ferror(t.f) || fflush(t.f) != 0) {
        err_set(e, ERR_MACHINE, "out of memory for a picture");
        good = false;
    } else {
        fwrite(t.data, 1, t.len, f);
    }
    text_drop(&t);
    return good ? 0 : -1;
}
