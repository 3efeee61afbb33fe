#include "config/ini_read.h"

#include <ini.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/workload.h"

#define SECTION_SIZE 128
#define KEY_SIZE     64

struct reader {
    const struct ini_sink *sink;
    struct err *e;
    const char *at; /* rest of the text; NULL after an error */
    int line;       /* number of the line given to inih last */
    bool expects;   /* that line must reach the handler */
    bool glued;     /* the piece given last continues its own line */
    char *rest;     /* of a line that is longer than inih's buffer; points into `buffer` */
    char buffer[INI_LINE_MAX + 1];
    char section[SECTION_SIZE]; /* inih cuts at 49 bytes: this one is whole */
    /* the value being collected */
    bool pending;
    int pending_line;
    char key[KEY_SIZE];
    size_t used;
    char value[INI_VALUE_MAX + 1];
};

/* Stops everything; *e is set already. */
static bool reader_fail(struct reader *r, int line) {
    r->at = NULL;
    r->rest = NULL;
    r->pending = false;
    r->expects = false;
    r->line = line;
    return false;
}

static bool reader_says(struct reader *r, int line, const char *what) {
    err_set(r->e, ERR_USAGE, "%s", what);
    return reader_fail(r, line);
}

/* A value is complete when the next key, section or the end has come. */
static bool reader_flush(struct reader *r) {
    if (!r->pending) {
        return true;
    }
    r->pending = false;
    if (r->sink->value(r->sink->ctx, r->pending_line, r->section, r->key, r->value, r->e) != 0) {
        return reader_fail(r, r->pending_line);
    }
    return true;
}

static bool reader_append(struct reader *r, const char *text) {
    size_t len = strlen(text);
    bool blank = !r->glued && r->used > 0 && len > 0;
    if (r->used + blank + len > INI_VALUE_MAX) {
        return reader_says(r, r->line, "the value is too long; shorten it");
    }
    if (blank) {
        r->value[r->used++] = ' ';
    }
    memcpy(r->value + r->used, text, len + 1);
    r->used += len;
    return true;
}

/* inih's callback: a key with its value, or the same key again with a continuation. */
static int reader_handle(void *user, const char *section, const char *key, const char *value) {
    (void)section;
    struct reader *r = user;
    if (!r->at) {
        return 0;
    }
    r->expects = false;
    if (r->pending) {
        return reader_append(r, value);
    }
    if (strlen(key) >= KEY_SIZE) {
        return reader_says(r, r->line, "the name before '=' is too long");
    }
    memcpy(r->key, key, strlen(key) + 1);
    r->pending = true;
    r->pending_line = r->line;
    r->used = 0;
    r->glued = true;
    return reader_append(r, value);
}

/* The section's name by ourselves: inih would cut it without a word. */
static bool reader_section(struct reader *r, const char *line) {
    const char *close = strchr(line, ']');
    if (!close || line[1] == ']') {
        return reader_says(r, r->line, "a section is written [name]; close the bracket");
    }
    const char *after = close + 1 + strspn(close + 1, " \t");
    if (*after && *after != ';' && *after != '#') {
        return reader_says(r, r->line, "nothing may follow the section on its line");
    }
    size_t len = (size_t)(close - line - 1);
    if (len >= SECTION_SIZE) {
        return reader_says(r, r->line, "the section's name is too long");
    }
    memcpy(r->section, line + 1, len);
    r->section[len] = '\0';
    if (r->sink->section(r->sink->ctx, r->line, r->section, r->e) != 0) {
        return reader_fail(r, r->line);
    }
    return true;
}

/* Takes the next line of the text into the buffer, without its end, comment and trailing blanks. */
static bool reader_take(struct reader *r) {
    size_t len = strcspn(r->at, "\n");
    r->line++;
    if (len > INI_LINE_MAX) {
        return reader_says(r, r->line, "the line is too long; indented lines below it may go on");
    }
    memcpy(r->buffer, r->at, len);
    r->buffer[len] = '\0';
    r->at += len + (r->at[len] == '\n');
    for (size_t i = 1; i < len; i++) {
        if (r->buffer[i] == ';' && (r->buffer[i - 1] == ' ' || r->buffer[i - 1] == '\t')) {
            len = i;
        }
    }
    while (len > 0 && strchr(" \t\r", r->buffer[len - 1])) {
        len--;
    }
    r->buffer[len] = '\0';
    return true;
}

/* Decides what the line in the buffer is; a line for inih is left in `rest`. */
static bool reader_classify(struct reader *r) {
    char *line = r->buffer + strspn(r->buffer, " \t");
    bool indented = line != r->buffer;
    if (!*line || *line == ';' || *line == '#') {
        return true;
    }
    if (!(indented && r->pending) && !reader_flush(r)) {
        return false;
    }
    if (*line == '[' && !(indented && r->pending)) {
        return reader_section(r, line);
    }
    if (!r->pending && (*line == '=' || *line == ':')) {
        return reader_says(r, r->line, "a name is missing before '='");
    }
    r->glued = false;
    r->rest = line;
    return true;
}

/* Hands out at most `size` bytes of the rest. A continuation begins with a blank, which makes inih
 * call the handler for the same key. A piece never ends before what inih would strip or take for a
 * comment at its front. */
static char *reader_piece(struct reader *r, char *out, size_t size) {
    char *from = r->rest;
    size_t len = strlen(from);
    size_t used = 0;
    if (r->pending) {
        out[used++] = ' ';
    }
    if (used + len + 1 > size) {
        len = size - used - 1;
        while (len > 1 && (strchr(" \t;#", from[len]) || strchr(" \t", from[len - 1]))) {
            len--;
        }
        if (len <= 1 || (!r->pending && !memchr(from, '=', len) && !memchr(from, ':', len))) {
            reader_says(r, r->line, "the line is not `name = value` that can be read; shorten it");
            return NULL;
        }
    }
    memcpy(out + used, from, len);
    out[used + len] = '\0';
    r->rest = from[len] ? from + len : NULL;
    r->expects = true;
    return out;
}

/* inih's source of lines. */
static char *reader_next(char *out, int size, void *stream) {
    struct reader *r = stream;
    if (r->expects) {
        reader_says(r, r->line, "neither `name = value` nor a [section]; see `loopbench help run`");
    }
    if (r->at && r->rest) {
        r->glued = true;
        return reader_piece(r, out, (size_t)size);
    }
    while (r->at && *r->at) {
        if (!reader_take(r) || !reader_classify(r)) {
            return NULL;
        }
        if (r->rest) {
            return reader_piece(r, out, (size_t)size);
        }
    }
    return NULL;
}

/* What no line may hold; says where. */
static int reader_check_bytes(const char *text, size_t len, const char *file, struct err *e) {
    int line = 1;
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '\n') {
            line++;
        } else if (c == 0 || c == 0x7f ||
                   (c < 0x20 && c != '\t' &&
                    !(c == '\r' && (i + 1 == len || text[i + 1] == '\n')))) {
            return err_set(e, ERR_USAGE, "%s:%d: a control byte (0x%02x); give a text file", file,
                           line, c);
        }
    }
    for (size_t at = 0; at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        size_t n = end ? (size_t)(end - (text + at)) : len - at;
        if (!workload_is_utf8(text + at, n)) {
            line = 1;
            for (size_t i = 0; i < at; i++) {
                line += text[i] == '\n';
            }
            return err_set(e, ERR_USAGE, "%s:%d: the line is not UTF-8; save the file as UTF-8",
                           file, line);
        }
        at += n + 1;
    }
    return 0;
}

int ini_read(const char *text, size_t len, const char *file, const struct ini_sink *sink,
             struct err *e) {
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    if (reader_check_bytes(text, len, file, e) != 0) {
        return -1;
    }
    struct reader *r = calloc(1, sizeof *r);
    if (!r) {
        return err_set(e, ERR_MACHINE, "out of memory reading %s", file);
    }
    r->sink = sink;
    r->e = e;
    r->at = text;
    ini_parse_stream(reader_next, r, reader_handle, r);
    if (r->at && r->expects) {
        reader_says(r, r->line, "neither `name = value` nor a [section]; see `loopbench help run`");
    }
    bool ok = r->at && reader_flush(r);
    if (!ok) {
        err_prefix(e, "%s:%d", file, r->line);
    }
    free(r);
    return ok ? 0 : -1;
}
