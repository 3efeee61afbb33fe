#include "report/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hidden.h"

int text_begin(struct text_file *t, struct err *e) {
    *t = (struct text_file){0};
    t->f = open_memstream(&t->data, &t->len);
    return t->f ? 0 : err_set(e, ERR_MACHINE, "out of memory");
}

int text_end(struct text_file *t, const char *dir, const char *name, struct err *e) {
    char path[4096];
    int bad = ferror(t->f);
    bad = fclose(t->f) != 0 || bad;
    t->f = NULL;
    int rc = bad ? err_set(e, ERR_MACHINE, "out of memory writing %s/%s", dir, name)
                 : file_join(path, sizeof path, dir, name, e);
    if (rc == 0) {
        rc = file_write_atomic(path, t->data, t->len, e);
    }
    text_drop(t);
    return rc;
}

void text_drop(struct text_file *t) {
    if (t->f) {
        fclose(t->f);
    }
    free(t->data);
    *t = (struct text_file){0};
}

size_t text_char_len(const char *text) {
    const unsigned char *c = (const unsigned char *)text;
    size_t len = c[0] < 0x80    ? 1
                 : c[0] < 0xc2  ? 0
                 : c[0] < 0xe0  ? 2
                 : c[0] < 0xf0  ? 3
                 : c[0] <= 0xf4 ? 4
                                : 0;
    for (size_t i = 1; i < len; i++) {
        if ((c[i] & 0xc0) != 0x80) {
            return 1;
        }
    }
    return len ? len : 1;
}

static bool is_control(char c) {
    return (unsigned char)c < 0x20 || c == 0x7f;
}

/* Takes one byte: a blank for a control, a question mark for a hidden character as a whole. */
static char next_shown(const char **text) {
    const size_t hidden = hidden_len(*text);
    const char c = hidden > 0 ? '?' : **text;
    *text += hidden > 0 ? hidden : 1;
    return is_control(c) ? ' ' : c;
}

void text_markdown(FILE *f, const char *text) {
    while (*text) {
        const char c = next_shown(&text);
        if (c == '<') {
            fputs("&lt;", f);
        } else if (c == '>') {
            fputs("&gt;", f);
        } else if (c == '&') {
            fputs("&amp;", f);
        } else if (c == '|') {
            fputs("&#124;", f); /* a backslash is not enough inside tables of every forge */
        } else if (c == '@') {
            fputs("&#64;", f); /* would call a person */
        } else {
            if (strchr("\\`*_{}[]#!~$^", c)) {
                fputc('\\', f);
            }
            fputc(c, f);
        }
    }
}

void text_code(FILE *f, const char *text) {
    /* The fence has to be longer than any run of backquotes inside. */
    size_t longest = 0;
    size_t run = 0;
    for (const char *c = text; *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    for (size_t i = 0; i <= longest; i++) {
        fputc('`', f);
    }
    fputs(longest ? " " : "", f);
    while (*text) {
        const char c = next_shown(&text);
        if (c == '|') {
            fputs("¦", f);
        } else {
            fputc(c, f);
        }
    }
    fputs(longest ? " " : "", f);
    for (size_t i = 0; i <= longest; i++) {
        fputc('`', f);
    }
}

/* A character that HTML forbids, named or not: C1 controls, surrogates, noncharacters, and bytes
 * that are no UTF-8. */
static bool is_forbidden(const unsigned char *c, size_t len) {
    if (len == 1) {
        return c[0] >= 0x80;
    }
    if (len == 2) {
        return c[0] == 0xc2 && c[1] < 0xa0;
    }
    if (len == 3) {
        return (c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] >= 0xa0) ||
               (c[0] == 0xef && c[1] == 0xb7 && c[2] >= 0x90 && c[2] <= 0xaf) ||
               (c[0] == 0xef && c[1] == 0xbf && c[2] >= 0xbe);
    }
    return (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] >= 0x90) ||
           ((c[1] & 0x0f) == 0x0f && c[2] == 0xbf && c[3] >= 0xbe);
}

void text_html(FILE *f, const char *text) {
    for (size_t len = 0; *text; text += len) {
        len = text_char_len(text);
        if (is_control(*text)) {
            fputc(' ', f);
        } else if (hidden_len(text) > 0 || is_forbidden((const unsigned char *)text, len)) {
            fputc('?', f);
        } else if (*text == '<') {
            fputs("&lt;", f);
        } else if (*text == '>') {
            fputs("&gt;", f);
        } else if (*text == '&') {
            fputs("&amp;", f);
        } else if (*text == '"') {
            fputs("&quot;", f);
        } else if (*text == '\'') {
            fputs("&#39;", f);
        } else {
            fwrite(text, 1, len, f);
        }
    }
}

void text_csv(FILE *f, const char *text) {
    bool quoted = strpbrk(text, "\",;\r\n\t ") != NULL;
    if (quoted) {
        fputc('"', f);
    }
    while (*text) {
        const char c = next_shown(&text);
        if (c == '"') {
            fputc('"', f);
        }
        fputc(c, f);
    }
    if (quoted) {
        fputc('"', f);
    }
}

void text_gnuplot(FILE *f, const char *text) {
    fputc('\'', f);
    while (*text) {
        const char c = next_shown(&text);
        if (c == '\'') {
            fputc('\'', f);
        }
        fputc(c, f);
    }
    fputc('\'', f);
}

void text_shell(FILE *f, const char *text) {
    const char *plain = text;
    while (isalnum((unsigned char)*plain) || (*plain && strchr("/._-+=:,@%", *plain))) {
        plain++;
    }
    if (plain != text && *plain == '\0') {
        fputs(text, f);
        return;
    }
    fputc('\'', f);
    while (*text) {
        const char c = next_shown(&text);
        if (c == '\'') {
            fputs("'\\''", f);
        } else {
            fputc(c, f);
        }
    }
    fputc('\'', f);
}

static size_t count_chars(const char *text) {
    size_t n = 0;
    for (; *text; text += text_char_len(text)) {
        n++;
    }
    return n;
}

size_t text_terminal(char *out, size_t size, const char *text, size_t columns, bool utf8) {
    size_t all = count_chars(text);
    const char *mark = utf8 ? "…" : "..";
    size_t mark_columns = utf8 ? 1 : 2;
    bool cut = all > columns && columns > mark_columns;
    size_t room = cut ? columns - mark_columns : columns;
    size_t used = 0;
    size_t n = 0;
    while (*text && n < room) {
        size_t len = text_char_len(text);
        bool plain = len == 1 ? *text > 0x1f && *text < 0x7f : utf8 && hidden_len(text) == 0;
        if (used + len + 4 >= size) {
            break;
        }
        if (plain) {
            memcpy(out + used, text, len);
            used += len;
        } else {
            out[used++] = '?';
        }
        text += len;
        n++;
    }
    if (cut) {
        memcpy(out + used, mark, strlen(mark));
        used += strlen(mark);
        n += mark_columns;
    }
    out[used] = '\0';
    return n;
}

void text_file_name(char *out, size_t size, const char *text) {
    size_t n = 0;
    for (; *text && n + 1 < size && n < 48; text++) {
        bool kept = isalnum((unsigned char)*text) || *text == '_' || *text == '-' ||
                    (*text == '.' && n > 0);
        out[n++] = '-';
        if (kept && (unsigned char)*text < 0x80) {
            out[n - 1] = *text;
        }
    }
    if (n == 0 && size > 1) {
        out[n++] = '-';
    }
    out[n] = '\0';
}

void text_without(char *text, const char *dir) {
    const size_t len = strlen(dir);
    char *at = text;
    while (len > 0 && (at = strstr(at, dir))) {
        const size_t gone = at[len] == '/' ? len + 1 : 0;
        memmove(at, at + gone, strlen(at + gone) + 1);
        at += gone ? 0 : len;
    }
}
