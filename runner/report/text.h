/* text.h — texts from a run made inert in each format: a target may be called anything. */
#ifndef REPORT_TEXT_H
#define REPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"

/* A file made in memory, so that it is written whole or not at all. */
struct text_file {
    FILE *f;
    char *data;
    size_t len;
};

int text_begin(struct text_file *t, struct err *e);

/* Writes it to dir/name and frees it, whether that succeeds or not. */
int text_end(struct text_file *t, const char *dir, const char *name, struct err *e);

/* Frees it unwritten. */
void text_drop(struct text_file *t);

/* Plain text in Markdown, in tables too: no character formats, links, or ends the cell. Controls
 * and line ends become spaces. */
void text_markdown(FILE *f, const char *text);

/* A Markdown code span: shown as it is, also in a table; quotes in the text cannot end it. */
void text_code(FILE *f, const char *text);

/* Plain text in HTML, in attributes between double quotes too. What no HTML text may hold becomes a
 * blank or a question mark. */
void text_html(FILE *f, const char *text);

/* One CSV field (RFC 4180), quoted where needed; line ends become spaces. */
void text_csv(FILE *f, const char *text);

/* One gnuplot string in single quotes, in which nothing is special but the quote itself. */
void text_gnuplot(FILE *f, const char *text);

/* One word of a POSIX shell, quoted where needed. */
void text_shell(FILE *f, const char *text);

/* Printable copy for a terminal, cut to `columns` characters ("…" or ".." shows the cut). Returns
 * the characters used. */
size_t text_terminal(char *out, size_t size, const char *text, size_t columns, bool utf8);

/* A file name from any text: [A-Za-z0-9._-] kept, the rest '-', never empty or hidden, cut at 48.
 */
void text_file_name(char *out, size_t size, const char *text);

/* Makes paths below the folder `dir` relative to it, wherever in `text` they stand: a report gives
 * no folders of its machine away. */
void text_without(char *text, const char *dir);

/* Bytes of the UTF-8 character at `text`, 1 for one that is not well formed. */
size_t text_char_len(const char *text);

#endif
