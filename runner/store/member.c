#include "store/member.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define ZLIB_CONST
#include <zlib.h>

#define GZIP_WINDOW (15 + 16)          /* zlib's way to ask for a gzip header */
#define TOTAL_MAX   ((int64_t)1 << 44) /* so that histograms can be merged without overflow */

static void print_list(FILE *f, const char *name, const int64_t *list, size_t n) {
    fprintf(f, ",\"%s\":[", name);
    for (size_t i = 0; i < n; i++) {
        fprintf(f, i ? ",%" PRId64 : "%" PRId64, list[i]);
    }
    fputc(']', f);
}

static char *member_text(int64_t seq, int attempt, const struct hist *h, size_t *len) {
    char *text = NULL;
    FILE *f = open_memstream(&text, len);
    if (!f) {
        return NULL;
    }
    fprintf(f, "{\"seq\":%" PRId64 ",\"attempt\":%d,\"unit\":\"us\"", seq, attempt);
    print_list(f, "values", h->value, h->n);
    print_list(f, "counts", h->count, h->n);
    fputs("}\n", f);
    bool failed = ferror(f);
    if (fclose(f) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}

int member_encode(int64_t seq, int attempt, const struct hist *h, unsigned char **out,
                  size_t *len) {
    size_t text_len = 0;
    z_stream z = {0};
    char *text = member_text(seq, attempt, h, &text_len);
    if (!text) {
        return -1;
    }
    if (deflateInit2(&z, 6, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(text);
        return -1;
    }
    size_t room = deflateBound(&z, (uLong)text_len);
    unsigned char *packed = malloc(room);
    z.next_in = (unsigned char *)text;
    z.avail_in = (uInt)text_len;
    z.next_out = packed;
    z.avail_out = (uInt)room;
    int rc = packed && text_len <= MEMBER_TEXT_MAX ? deflate(&z, Z_FINISH) : Z_MEM_ERROR;
    *len = z.total_out;
    deflateEnd(&z);
    free(text);
    if (rc != Z_STREAM_END) {
        free(packed);
        return -1;
    }
    *out = packed;
    return 0;
}

/* The parser knows the one form member_encode writes; reading thousands of histograms through a
 * general one takes ten times as long. */
static bool take(const char **at, const char *text) {
    size_t len = strlen(text);
    if (strncmp(*at, text, len) != 0) {
        return false;
    }
    *at += len;
    return true;
}

static bool take_int(const char **at, int64_t *out) {
    const char *p = *at;
    int64_t v = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (p - *at >= 17) {
            return false;
        }
        v = v * 10 + (*p - '0');
    }
    if (p == *at || (**at == '0' && p - *at > 1)) {
        return false;
    }
    *at = p;
    *out = v;
    return true;
}

static bool take_list(const char **at, int64_t *list, size_t room, size_t *n) {
    *n = 0;
    if (take(at, "]")) {
        return true;
    }
    do {
        if (*n == room || !take_int(at, &list[(*n)++])) {
            return false;
        }
    } while (take(at, ","));
    return take(at, "]");
}

static bool parse_lists(const char *at, int64_t *values, int64_t *counts, size_t room, size_t *n) {
    size_t counted;
    if (!take(&at, ",\"unit\":\"us\",\"values\":[") || !take_list(&at, values, room, n) ||
        !take(&at, ",\"counts\":[") || !take_list(&at, counts, room, &counted)) {
        return false;
    }
    if (!take(&at, "}") || *at != '\0' || counted != *n) {
        return false;
    }
    int64_t total = 0;
    for (size_t i = 0; i < *n; i++) {
        if (counts[i] <= 0 || counts[i] > TOTAL_MAX - total ||
            (i > 0 && values[i] <= values[i - 1])) {
            return false;
        }
        total += counts[i];
    }
    return true;
}

int member_parse(const char *line, int64_t seq, int attempt, struct hist *h, struct err *e) {
    const char *at = line;
    int64_t its_seq;
    int64_t its_attempt;
    if (!take(&at, "{\"seq\":") || !take_int(&at, &its_seq) || !take(&at, ",\"attempt\":") ||
        !take_int(&at, &its_attempt)) {
        return err_set(e, ERR_USAGE, "not a histogram of ours");
    }
    if (its_seq != seq || its_attempt != attempt) {
        return err_set(e, ERR_USAGE,
                       "holds the histogram of trial %" PRId64 " attempt %" PRId64
                       " where that of trial %" PRId64 " attempt %d should be",
                       its_seq, its_attempt, seq, attempt);
    }
    /* Every value takes at least two characters. */
    size_t room = strlen(at) / 2 + 1;
    int64_t *lists = malloc(2 * room * sizeof *lists);
    size_t n = 0;
    if (!lists) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    if (!parse_lists(at, lists, lists + room, room, &n)) {
        free(lists);
        return err_set(e, ERR_USAGE, "a damaged histogram");
    }
    struct hist one = {.n = n, .room = room, .value = lists, .count = lists + room};
    int rc = hist_merge(h, &one);
    free(lists);
    return rc == 0 ? 0 : err_set(e, ERR_MACHINE, "out of memory");
}

static char *member_unpack(const unsigned char *data, size_t len, struct err *e) {
    z_stream z = {0};
    size_t room = len * 6 + 4096;
    char *text = NULL;
    int rc = inflateInit2(&z, GZIP_WINDOW);
    if (rc != Z_OK) {
        err_set(e, ERR_MACHINE, "out of memory");
        return NULL;
    }
    z.next_in = data;
    z.avail_in = (uInt)len;
    while (rc == Z_OK && z.total_out < MEMBER_TEXT_MAX) {
        char *grown = realloc(text, room + 1);
        if (!grown) {
            rc = Z_MEM_ERROR;
            break;
        }
        text = grown;
        z.next_out = (unsigned char *)text + z.total_out;
        z.avail_out = (uInt)(room - z.total_out);
        rc = inflate(&z, Z_NO_FLUSH);
        if (rc == Z_OK && z.avail_out > 0) {
            rc = Z_BUF_ERROR; /* all input is used and there is no end */
        }
        room *= 2;
    }
    size_t used = z.total_out;
    bool whole = rc == Z_STREAM_END && z.avail_in == 0 && used > 0 && text[used - 1] == '\n' &&
                 !memchr(text, '\0', used);
    inflateEnd(&z);
    if (!whole) {
        free(text);
        err_set(e, rc == Z_MEM_ERROR ? ERR_MACHINE : ERR_USAGE,
                rc == Z_MEM_ERROR ? "out of memory" : "damaged gzip data");
        return NULL;
    }
    text[used - 1] = '\0';
    return text;
}

int member_decode(const unsigned char *data, size_t len, int64_t seq, int attempt, struct hist *h,
                  struct err *e) {
    if (len > MEMBER_TEXT_MAX) {
        return err_set(e, ERR_USAGE, "a histogram of %zu bytes is not ours", len);
    }
    char *text = member_unpack(data, len, e);
    if (!text) {
        return -1;
    }
    int rc = member_parse(text, seq, attempt, h, e);
    free(text);
    return rc;
}
