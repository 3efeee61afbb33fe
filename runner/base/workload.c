#include "base/workload.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workload_checks.h"

#define UPLOAD_LEN 65536
#define PATH_SIZE  96

bool workload_is_utf8(const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *)text;
    size_t i = 0;
    while (i < len) {
        unsigned char lead = s[i++];
        if (lead < 0x80) {
            continue;
        }
        size_t more = lead >= 0xc2 && lead <= 0xdf   ? 1
                      : lead >= 0xe0 && lead <= 0xef ? 2
                      : lead >= 0xf0 && lead <= 0xf4 ? 3
                                                     : 0;
        if (more == 0 || more > len - i) {
            return false;
        }
        unsigned char low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
        unsigned char high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
        for (size_t k = 0; k < more; k++, i++) {
            if (s[i] < low || s[i] > high) {
                return false;
            }
            low = 0x80;
            high = 0xbf;
        }
    }
    return true;
}

static char upload[UPLOAD_LEN];

#define ROW(text) .name = (text), .base = (text), .headers = "", .status = 200

static const struct workload table[] = {
    {
        ROW("hello"),
        .summary = "12 bytes of constant text",
        .method = "GET",
        .path = "/hello",
        .content_type = "text/plain",
        .exact = WORKLOAD_GREETING,
        .check = check_hello,
        .null_serves = true,
    },
    {
        ROW("json"),
        .summary = "a small JSON document, serialised for each request",
        .method = "GET",
        .path = "/json",
        .content_type = "application/json",
        .exact = WORKLOAD_DOCUMENT,
        .check = check_json,
    },
    {
        ROW("html"),
        .summary = "a small UTF-8 page",
        .method = "GET",
        .path = "/html",
        .content_type = "text/html",
        .check = check_html,
    },
    {
        ROW("posts"),
        .summary = "stores a random document, answers the newest 100",
        .method = "POST",
        .path = "/posts",
        .body = "",
        .content_type = "application/json",
        .check = check_posts,
        .varies = true,
        .length_varies = true,
    },
    {
        ROW("concat"),
        .summary = "10,000 random characters, appended one at a time",
        .method = "GET",
        .path = "/concat",
        .content_type = "text/plain",
        .check = check_concat,
        .varies = true,
    },
    {
        ROW("fibonacci"),
        .summary = "a Fibonacci number by plain recursion",
        .method = "GET",
        .path = "/fibonacci?n=30",
        .content_type = "text/plain",
        .check = check_fibonacci,
        .param = {"n", 0, 35},
        .value = 30,
    },
    {
        ROW("render"),
        .summary = "a page of 100 posts, sorted, from a template",
        .method = "GET",
        .path = "/render",
        .content_type = "text/html",
        .check = check_render,
    },
    {
        ROW("wait"),
        .summary = "two bytes after a timer of 10 ms",
        .method = "GET",
        .path = "/wait?ms=10",
        .content_type = "text/plain",
        .exact = "OK",
        .param = {"ms", 0, 60000},
        .value = 10,
        .least_ms = 10,
    },
    {
        ROW("bytes"),
        .summary = "1,024 bytes that are only sent",
        .method = "GET",
        .path = "/bytes?n=1024",
        .content_type = "application/octet-stream",
        .check = check_bytes,
        .param = {"n", 0, 16777216},
        .value = 1024,
    },
    {
        ROW("upload"),
        .summary = "takes 65,536 bytes, answers their length and CRC-32",
        .method = "POST",
        .path = "/upload",
        .body = upload,
        .body_len = UPLOAD_LEN,
        .content_type = "application/json",
        .check = check_upload,
    },
};

#define ROWS (sizeof table / sizeof table[0])

/* Letters in no order, the same in every run. */
static void workload_fill_upload(void) {
    uint32_t state = 2011;
    for (size_t i = 0; i < UPLOAD_LEN && !upload[UPLOAD_LEN - 1]; i++) {
        state = state * 1664525 + 1013904223; /* Knuth; Numerical Recipes */
        upload[i] = (char)('a' + (state >> 24) % 26);
    }
}

const struct workload *workload_at(size_t i) {
    workload_fill_upload();
    return i < ROWS ? &table[i] : NULL;
}

/* A row for a name with a parameter; its texts are its own. */
struct named {
    struct workload workload;
    char name[WORKLOAD_NAME_MAX + 1], path[PATH_SIZE];
    struct named *next;
};

static struct named *named;
static size_t named_count;

static const struct workload *workload_add_named(const struct workload *row, const char *name,
                                                 int64_t value) {
    struct named *n = named_count < WORKLOAD_NAMED_MAX ? calloc(1, sizeof *n) : NULL;
    if (!n) {
        return NULL;
    }
    snprintf(n->name, sizeof n->name, "%s", name);
    snprintf(n->path, sizeof n->path, "%.*s?%s=%" PRId64, (int)strcspn(row->path, "?"), row->path,
             row->param.key, value);
    n->workload = *row;
    n->workload.name = n->name;
    n->workload.path = n->path;
    n->workload.value = value;
    n->workload.least_ms = row->least_ms > 0 ? value : 0;
    n->next = named;
    named = n;
    named_count++;
    return &n->workload;
}

/* Plain decimal within the bounds, without leading zeros, so that a number has one name. */
static bool workload_read_value(const char *text, const struct workload_param *p, int64_t *value) {
    size_t digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 18 || text[digits] || (text[0] == '0' && digits > 1)) {
        return false;
    }
    *value = strtoll(text, NULL, 10);
    return *value >= p->min && *value <= p->max;
}

const struct workload *workload_parse(const char *name, char *why, size_t size) {
    size_t base = strcspn(name, ":");
    const struct workload *row = NULL;
    int64_t value;
    snprintf(why, size, "%s", "");
    for (size_t i = 0; i < ROWS; i++) {
        if (strlen(table[i].name) == base && memcmp(table[i].name, name, base) == 0) {
            row = workload_at(i);
        }
    }
    if (!row || !name[base]) {
        return row;
    }
    const struct workload_param *p = &row->param;
    size_t key = p->key ? strlen(p->key) : 0;
    if (!p->key) {
        snprintf(why, size, "%s takes no parameter; leave it out", row->name);
        return NULL;
    }
    if (strlen(name) > WORKLOAD_NAME_MAX || strncmp(name + base + 1, p->key, key) != 0 ||
        name[base + 1 + key] != '=' || !workload_read_value(name + base + 2 + key, p, &value)) {
        snprintf(why, size,
                 "write it like %s:%s=%" PRId64 ", a number from %" PRId64 " to %" PRId64,
                 row->name, p->key, row->value, p->min, p->max);
        return NULL;
    }
    for (const struct named *n = named; n; n = n->next) {
        if (strcmp(n->name, name) == 0) {
            return &n->workload;
        }
    }
    const struct workload *made = workload_add_named(row, name, value);
    if (!made) {
        snprintf(why, size, "there are too many already");
    }
    return made;
}

const struct workload *workload_find(const char *name) {
    char why[128];
    return workload_parse(name, why, sizeof why);
}

bool workload_check_body(const struct workload *w, bool strict, const char *body, size_t len,
                         char *why, size_t size) {
    if (w->exact && (strict || !w->check)) {
        size_t want = strlen(w->exact);
        if (len != want) {
            snprintf(why, size, "has %zu bytes, not %zu", len, want);
            return false;
        }
        for (size_t i = 0; i < len; i++) {
            if (body[i] != w->exact[i]) {
                snprintf(why, size, "differs from byte %zu on", i);
                return false;
            }
        }
        return true;
    }
    return !w->check || w->check(w, strict, body, len, why, size);
}
