#include "load/wrk_result.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* A double holds integers exactly up to here, and wrk's figures pass through Lua numbers. */
#define EXACT_MAX ((int64_t)1 << 53)

struct result_reader {
    const char *at, *end;
    int64_t line; /* lines read so far */
};

static int result_bad(const struct result_reader *r, struct err *e, const char *what) {
    return err_set(e, ERR_FAILED, "the load generator's result is not usable: line %" PRId64 ": %s",
                   r->line, what);
}

/* The next whole line, without its newline; false at the end or when it is torn. */
static bool result_line(struct result_reader *r, const char **line, const char **stop) {
    const char *newline = r->at < r->end ? memchr(r->at, '\n', (size_t)(r->end - r->at)) : NULL;
    r->line++;
    if (!newline) {
        return false;
    }
    *line = r->at;
    *stop = newline;
    r->at = newline + 1;
    return true;
}

/* Digits from *at up to `stop` or the first other character. */
static bool result_number(const char **at, const char *stop, int64_t *out) {
    const char *p = *at;
    int64_t n = 0;
    while (p < stop && *p >= '0' && *p <= '9') {
        n = n * 10 + (*p - '0');
        if (n > EXACT_MAX) {
            return false;
        }
        p++;
    }
    if (p == *at) {
        return false;
    }
    *at = p;
    *out = n;
    return true;
}

static bool result_named(struct result_reader *r, const char *name, int64_t *out) {
    const char *line;
    const char *stop;
    size_t len = strlen(name);
    if (!result_line(r, &line, &stop) || (size_t)(stop - line) < len + 2 ||
        memcmp(line, name, len) != 0 || line[len] != ' ') {
        return false;
    }
    line += len + 1;
    return result_number(&line, stop, out) && line == stop;
}

static int result_histogram(struct result_reader *r, struct hist *h, struct err *e) {
    int64_t last = -1;
    int64_t total = 0;
    for (;;) {
        const char *line;
        const char *stop;
        int64_t value;
        int64_t count;
        if (!result_line(r, &line, &stop)) {
            return result_bad(r, e, "it breaks off before its end line");
        }
        if (stop - line > 4 && memcmp(line, "end ", 4) == 0) {
            line += 4;
            if (!result_number(&line, stop, &count) || line != stop || count != r->line - 1) {
                return result_bad(r, e, "lines are missing before its end");
            }
            break;
        }
        if (!result_number(&line, stop, &value) || line == stop || *line++ != ',' ||
            !result_number(&line, stop, &count) || line != stop || count == 0) {
            return result_bad(r, e, "not VALUE,COUNT");
        }
        if (value <= last) {
            return result_bad(r, e, "latencies are not in ascending order");
        }
        total += count;
        if (total > EXACT_MAX) {
            return result_bad(r, e, "more latencies than can be");
        }
        last = value;
        if (hist_add(h, value, count) != 0) {
            return err_set(e, ERR_MACHINE, "out of memory");
        }
    }
    if (r->at != r->end) {
        r->line++;
        return result_bad(r, e, "something follows its end");
    }
    return 0;
}

int wrk_result_parse(const char *text, size_t len, struct load_outcome *out, struct err *e) {
    static const char magic[] = "loopbench-wrk 2";
    struct result_reader r = {.at = text, .end = text + len};
    const char *line;
    const char *stop;
    const struct {
        const char *name;
        int64_t *to;
    } figures[] = {
        {"wall", &out->wall_us},
        {"duration", &out->duration_us},
        {"idle", &out->idle_us},
        {"requests", &out->requests},
        {"bytes", &out->bytes},
        {"connect", &out->errors_connect},
        {"read", &out->errors_read},
        {"write", &out->errors_write},
        {"timeout", &out->errors_timeout},
        {"status", &out->errors_status},
    };
    if (!result_line(&r, &line, &stop) || (size_t)(stop - line) != sizeof magic - 1 ||
        memcmp(line, magic, sizeof magic - 1) != 0) {
        return result_bad(&r, e, "not written by our script");
    }
    for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
        if (!result_named(&r, figures[i].name, figures[i].to)) {
            char what[64];
            snprintf(what, sizeof what, "not '%s NUMBER'", figures[i].name);
            return result_bad(&r, e, what);
        }
    }
    struct result_reader after = r;
    if (result_named(&after, "silent", &out->silent)) {
        r = after;
    }
    return result_histogram(&r, &out->corrected, e);
}
