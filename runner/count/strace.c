#include "count/strace.h"

#include <stdbool.h>
#include <string.h>

#define CALLS_MAX    ((json_int_t)1 << 60)
#define NAME_LONGEST 30 /* of Linux: 23 */

struct row {
    char name[NAME_LONGEST + 1];
    json_int_t calls;
};

static json_t *bad(json_t *calls, size_t line, const char *what, struct err *e) {
    json_decref(calls);
    err_set(e, ERR_FAILED, "strace's table, line %zu: %s", line, what);
    return NULL;
}

static size_t blanks(const char *text, size_t len) {
    size_t n = 0;
    while (n < len && text[n] == ' ') {
        n++;
    }
    return n;
}

static bool is_name(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        const char c = text[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '?')) {
            return false;
        }
    }
    return len > 0 && len <= NAME_LONGEST;
}

/* "name   calls" */
static bool read_row(const char *text, size_t len, struct row *out) {
    size_t name = 0;
    while (name < len && text[name] != ' ') {
        name++;
    }
    if (!is_name(text, name)) {
        return false;
    }
    memcpy(out->name, text, name);
    out->name[name] = '\0';
    size_t at = name + blanks(text + name, len - name);
    const size_t begin = at;
    out->calls = 0;
    for (; at < len && text[at] >= '0' && text[at] <= '9'; at++) {
        if (out->calls > CALLS_MAX / 10) {
            return false;
        }
        out->calls = out->calls * 10 + (text[at] - '0');
    }
    return at > begin && at + blanks(text + at, len - at) == len;
}

static bool is_dashes(const char *text, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (text[i] != '-' && text[i] != ' ') {
            return false;
        }
    }
    return len > 0;
}

static bool is_head(const char *text, size_t len) {
    static const char word[] = "syscall";
    return len > sizeof word && strncmp(text, word, sizeof word - 1) == 0 &&
           memmem(text, len, "calls", 5);
}

json_t *strace_read(const char *text, size_t len, struct err *e) {
    json_t *calls = json_object();
    json_int_t sum = 0;
    enum { HEAD, RULE, ROWS, TOTAL, END } at = HEAD;
    size_t line = 1;
    for (size_t begin = 0; begin < len && calls; line++) {
        const char *start = text + begin;
        const char *newline = memchr(start, '\n', len - begin);
        const size_t n = newline ? (size_t)(newline - start) : len - begin;
        struct row row;
        begin += n + 1;
        if (at == HEAD && is_head(start, n)) {
            at = RULE;
        } else if (at == RULE && is_dashes(start, n)) {
            at = ROWS;
        } else if (at == ROWS && is_dashes(start, n)) {
            at = TOTAL;
        } else if (at == ROWS && read_row(start, n, &row)) {
            if (json_object_get(calls, row.name) || sum > CALLS_MAX - row.calls) {
                return bad(calls, line, "a call that is there twice", e);
            }
            sum += row.calls;
            json_object_set_new(calls, row.name, json_integer(row.calls));
        } else if (at == TOTAL && read_row(start, n, &row) && strcmp(row.name, "total") == 0) {
            if (row.calls != sum) {
                return bad(calls, line, "the total is not the sum", e);
            }
            at = END;
        } else {
            return bad(calls, line, "not of its table", e);
        }
    }
    return at == END ? calls : bad(calls, line, "it ends before the total", e);
}
