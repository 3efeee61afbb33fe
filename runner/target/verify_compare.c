/* Comparing the replies of two targets: the same bytes, or for a guest how its bytes differ. */
#include "target/verify_parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* One line of a head, without its end. */
struct line {
    const char *at;
    size_t len;   /* without CR and LF */
    size_t whole; /* with them */
};

static bool line_next(const struct http_reply *r, size_t *offset, struct line *out) {
    if (*offset >= r->head_len) {
        return false;
    }
    out->at = r->head + *offset;
    const char *lf = memchr(out->at, '\n', r->head_len - *offset);
    out->whole = lf ? (size_t)(lf - out->at) + 1 : r->head_len - *offset;
    out->len = out->whole;
    while (out->len > 0 && (out->at[out->len - 1] == '\n' || out->at[out->len - 1] == '\r')) {
        out->len--;
    }
    *offset += out->whole;
    return true;
}

/* Length of what is compared of a line that begins with `name` and its colon: that, and the blanks
 * that follow. 0 for other lines. */
static size_t line_prefix(const struct line *l, const char *name) {
    size_t n = strlen(name);
    if (l->len < n || strncasecmp(l->at, name, n) != 0) {
        return 0;
    }
    while (n < l->len && (l->at[n] == ' ' || l->at[n] == '\t')) {
        n++;
    }
    return n;
}

/* Two lines are alike when all is but the value of one that may differ. */
static bool line_same_but(const struct line *a, const struct line *b, const char *name) {
    size_t prefix = line_prefix(a, name);
    size_t end = a->whole - a->len;
    return prefix > 0 && line_prefix(b, name) == prefix && b->whole - b->len == end &&
           memcmp(a->at, b->at, prefix) == 0 && memcmp(a->at + a->len, b->at + b->len, end) == 0;
}

static bool line_same(const struct line *a, const struct line *b, bool any_length) {
    if (any_length && line_same_but(a, b, "content-length:")) {
        return true;
    }
    if (a->whole != b->whole || a->len != b->len) {
        return false;
    }
    return line_same_but(a, b, "date:") || memcmp(a->at, b->at, a->whole) == 0;
}

static void line_show(const struct line *l, bool there, char *out, size_t size) {
    char text[160];
    if (!there) {
        snprintf(out, size, "end of the head");
        return;
    }
    verify_printable(l->at, l->whole, text, sizeof text);
    snprintf(out, size, "\"%s\"", text);
}

static bool compare_heads(const struct http_reply *a, const struct http_reply *b, bool any_length,
                          char *in_a, char *in_b, size_t size) {
    size_t at_a = 0;
    size_t at_b = 0;
    for (;;) {
        struct line la = {0};
        struct line lb = {0};
        bool more_a = line_next(a, &at_a, &la);
        bool more_b = line_next(b, &at_b, &lb);
        if (!more_a && !more_b) {
            return true;
        }
        if (more_a != more_b || !line_same(&la, &lb, any_length)) {
            line_show(&la, more_a, in_a, size);
            line_show(&lb, more_b, in_b, size);
            return false;
        }
    }
}

static void body_show(const struct http_reply *r, size_t from, char *out, size_t size) {
    char text[128];
    size_t start = from > 10 ? from - 10 : 0;
    size_t len = r->body_len > start ? r->body_len - start : 0;
    verify_printable(r->body + start, len < 40 ? len : 40, text, sizeof text);
    snprintf(out, size, "body of %zu bytes, from byte %zu: %s\"%s\"", r->body_len, start,
             start > 0 ? "..." : "", text);
}

static bool compare_bodies(const struct http_reply *a, const struct http_reply *b, char *in_a,
                           char *in_b, size_t size) {
    size_t shorter = a->body_len < b->body_len ? a->body_len : b->body_len;
    size_t i = 0;
    while (i < shorter && a->body[i] == b->body[i]) {
        i++;
    }
    if (i == a->body_len && i == b->body_len) {
        return true;
    }
    body_show(a, i, in_a, size);
    body_show(b, i, in_b, size);
    return false;
}

bool verify_same_reply(const struct http_reply *a, const struct http_reply *b,
                       const struct workload *w, char *in_a, char *in_b, size_t size) {
    return compare_heads(a, b, w && w->length_varies, in_a, in_b, size) &&
           ((w && w->varies) || compare_bodies(a, b, in_a, in_b, size));
}

static bool has_header(const struct http_reply *r, const char *name, size_t len) {
    struct http_header h;
    for (size_t i = 0; http_reply_header(r, i, &h); i++) {
        if (h.name_len == len && strncasecmp(h.name, name, len) == 0) {
            return true;
        }
    }
    return false;
}

/* Names of `r`'s headers that `without` has not (NULL: all), joined by ", ". */
static void list_headers(const struct http_reply *r, const struct http_reply *without, char *out,
                         size_t size) {
    struct http_header h;
    size_t used = 0;
    snprintf(out, size, "%s", "");
    for (size_t i = 0; http_reply_header(r, i, &h); i++) {
        char name[64];
        if (without && has_header(without, h.name, h.name_len)) {
            continue;
        }
        verify_printable(h.name, h.name_len, name, sizeof name);
        int n = snprintf(out + used, size - used, "%s%s", used ? ", " : "", name);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
}

bool verify_same_names(const struct http_reply *a, const struct http_reply *b) {
    struct http_header ha;
    struct http_header hb;
    for (size_t i = 0;; i++) {
        bool more = http_reply_header(a, i, &ha);
        if (more != http_reply_header(b, i, &hb)) {
            return false;
        }
        if (!more) {
            return true;
        }
        if (ha.name_len != hb.name_len || memcmp(ha.name, hb.name, ha.name_len) != 0) {
            return false;
        }
    }
}

/* The same set of headers: their order and letter case are left to tell. */
static int describe_order(const struct verify_replies *reference,
                          const struct verify_replies *guest, const char *probe,
                          const struct http_reply *ours, const struct http_reply *theirs,
                          struct verify_findings *f, struct err *e) {
    char expected[200];
    char got[200];
    if (verify_same_names(ours, theirs)) {
        return 0;
    }
    list_headers(ours, NULL, expected, sizeof expected);
    list_headers(theirs, NULL, got, sizeof got);
    return verify_add(f, e, guest->target->name, VERIFY_NOTE, expected, got,
                      "%s: order or case of headers beside %s", probe, reference->target->name);
}

/* A guest may differ; what is said is by how much. */
static int describe_guest(const struct verify_replies *reference,
                          const struct verify_replies *guest, const char *probe,
                          const struct http_reply *ours, const struct http_reply *theirs,
                          struct verify_findings *f, struct err *e) {
    char expected[200];
    char got[200];
    char adds[90];
    char lacks[90];
    if (ours->head_len + ours->body_len != theirs->head_len + theirs->body_len) {
        snprintf(expected, sizeof expected, "%zu bytes (head %zu, body %zu)",
                 ours->head_len + ours->body_len, ours->head_len, ours->body_len);
        snprintf(got, sizeof got, "%zu bytes (head %zu, body %zu)",
                 theirs->head_len + theirs->body_len, theirs->head_len, theirs->body_len);
        if (verify_add(f, e, guest->target->name, VERIFY_NOTE, expected, got, "%s: size beside %s",
                       probe, reference->target->name) != 0) {
            return -1;
        }
    }
    list_headers(theirs, ours, adds, sizeof adds);
    list_headers(ours, theirs, lacks, sizeof lacks);
    if (!adds[0] && !lacks[0]) {
        return describe_order(reference, guest, probe, ours, theirs, f, e);
    }
    list_headers(ours, NULL, expected, sizeof expected);
    snprintf(got, sizeof got, "%s%s%s%s%s", adds[0] ? "adds " : "", adds,
             adds[0] && lacks[0] ? "; " : "", lacks[0] ? "lacks " : "", lacks);
    return verify_add(f, e, guest->target->name, VERIFY_NOTE, expected, got,
                      "%s: headers beside %s", probe, reference->target->name);
}

int verify_compare(const struct verify_replies *reference, const struct verify_replies *other,
                   struct verify_findings *f, struct err *e) {
    char expected[200];
    char got[200];
    size_t compared = 0;
    size_t differing = 0;
    bool guest = other->target->kind == VERIFY_GUEST;
    for (size_t i = 0; i < reference->n; i++) {
        const struct verify_reply *r = &reference->items[i];
        const struct verify_reply *o = NULL;
        for (size_t k = 0; k < other->n && !o; k++) {
            o = strcmp(other->items[k].probe, r->probe) == 0 ? &other->items[k] : NULL;
        }
        if (!o) {
            continue;
        }
        if (guest) {
            verify_compare_wire(f, other->target->name, reference->target->name, r->workload,
                                &r->reply, &o->reply);
            if (describe_guest(reference, other, r->probe, &r->reply, &o->reply, f, e) != 0) {
                return -1;
            }
            continue;
        }
        compared++;
        if (!verify_same_reply(&r->reply, &o->reply, r->workload, expected, got, sizeof expected)) {
            differing++;
            if (verify_add(f, e, other->target->name, VERIFY_FAIL, expected, got,
                           "%s: same bytes as %s", r->probe, reference->target->name) != 0) {
                return -1;
            }
        }
    }
    if (guest || compared == 0 || differing > 0) {
        return 0;
    }
    return verify_add(f, e, other->target->name, VERIFY_PASS, "", "",
                      "%zu replies: same bytes as %s", compared, reference->target->name);
}
