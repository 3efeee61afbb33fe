/* words.h — a command line in a configuration file, split as a shell would, by no shell.
 *
 * Blanks separate words; '…' keeps everything, "…" and \ quote; nothing is expanded. */
#ifndef CONFIG_WORDS_H
#define CONFIG_WORDS_H

#include <stddef.h>

#include "base/err.h"

#define WORDS_MAX 256 /* words of one line */

/* Splits text into a NULL-terminated array (words_free). At least one word; an open quote, a
 * trailing backslash or more than WORDS_MAX words are ERR_USAGE naming `where`. */
int words_split(const char *text, const char *where, char ***out, struct err *e);

/* The text that words_split reads back as `words`, safe as a value in an INI file (no "; ", which
 * would begin a comment). Owned by the caller; NULL out of memory. */
char *words_join(char *const *words);

/* A text that may stand in double quotes: `"a ;b"` is `a ;b`, anything not beginning with a double
 * quote is itself. words_quote adds quotes only where reading would not give the same text back.
 * Both owned by the caller. words_unquote returns -1 with *e; words_quote NULL out of memory. */
int words_unquote(const char *text, const char *where, char **out, struct err *e);
char *words_quote(const char *text);

/* Deep copy; NULL out of memory. */
char **words_copy(const char *const *words);

void words_free(char **words);

#endif
