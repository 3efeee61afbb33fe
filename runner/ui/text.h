/* text.h — text laid out for a terminal of some width. */
#ifndef UI_TEXT_H
#define UI_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Columns of UTF-8 text: one a character (names here are ASCII; wide scripts are not laid out). */
size_t text_columns(const char *text);

/* Bytes of the longest beginning of `text` that takes at most `columns`, never cutting a character.
 */
size_t text_cut(const char *text, size_t columns);

/* Prints paragraphs filled to `width` columns, each line behind `indent` blanks; the first line is
 * taken to be at `column` already. '\n' ends a line; a line beginning with a blank is not filled.
 * Ends with a newline. */
void text_fill(FILE *out, const char *text, size_t column, size_t indent, size_t width);

#endif
