/* ini_read.h — INI text by inih, with what inih leaves to its caller: exact line numbers, lines of
 * any length, and errors that say what is wrong.
 *
 * [section] lines, `key = value` lines, comments on lines beginning with ; or # and after blanks
 * and a ;. Indented lines go on with the value above, joined by one blank. */
#ifndef CONFIG_INI_READ_H
#define CONFIG_INI_READ_H

#include <stddef.h>

#include "base/err.h"

#define INI_LINE_MAX  8192  /* bytes of one line */
#define INI_VALUE_MAX 32768 /* bytes of a value with all its lines */

struct ini_sink {
    /* Both return 0, or -1 with *e, which ends the reading; the caller of ini_read gets "FILE:LINE:
     * " put before the text. */
    int (*section)(void *ctx, int line, const char *section, struct err *e);
    int (*value)(void *ctx, int line, const char *section, const char *key, const char *value,
                 struct err *e);
    void *ctx;
};

/* Reads text (NUL-terminated at text[len]). Refuses NUL and control bytes, text that is not UTF-8,
 * overlong lines and values, and lines that are nothing of the above: ERR_USAGE. */
int ini_read(const char *text, size_t len, const char *file, const struct ini_sink *sink,
             struct err *e);

#endif
