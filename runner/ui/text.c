#include "ui/text.h"

#include <stdbool.h>
#include <string.h>

static bool text_begins_character(char c) {
    return ((unsigned char)c & 0xc0) != 0x80;
}

size_t text_columns(const char *text) {
    size_t columns = 0;
    for (; *text; text++) {
        columns += text_begins_character(*text);
    }
    return columns;
}

size_t text_cut(const char *text, size_t columns) {
    size_t at = 0;
    size_t used = 0;
    for (; text[at]; at++) {
        used += text_begins_character(text[at]);
        if (used > columns) {
            break;
        }
    }
    return at;
}

/* One line of the text, `len` bytes, broken at blanks. */
static void text_fill_line(FILE *out, const char *line, size_t len, size_t column, size_t indent,
                           size_t width) {
    bool first = true;
    size_t at = 0;
    while (at < len) {
        size_t word = strcspn(line + at, " \n");
        if (!first && column + 1 + word > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!first) {
            fputc(' ', out);
            column++;
        }
        fwrite(line + at, 1, word, out);
        column += word;
        at += word;
        at += strspn(line + at, " ");
        first = false;
    }
}

void text_fill(FILE *out, const char *text, size_t column, size_t indent, size_t width) {
    for (bool first = true; first || *text; first = false) {
        size_t len = strcspn(text, "\n");
        if (len > 0 && column < indent) {
            fprintf(out, "%*s", (int)(indent - column), "");
            column = indent;
        }
        if (*text == ' ') {
            fwrite(text, 1, len, out);
        } else {
            text_fill_line(out, text, len, column, indent, width);
        }
        fputc('\n', out);
        text += len + (text[len] == '\n');
        column = 0;
    }
}
