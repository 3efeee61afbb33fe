/* Text that grows. */
#ifndef LOOPBENCH_SERVERS_TEXT_H
#define LOOPBENCH_SERVERS_TEXT_H

#include "common/app.h"

/* Zero it first; free base. After `failed` (out of memory) nothing is appended any more. */
struct text {
    char *base;
    size_t len, size;
    bool failed;
};

void text_append(struct text *text, const char *data, size_t len);

/* Appends one character: grows as it must, by doubling. */
void text_append_char(struct text *text, char c);

/* Appends the value so that HTML shows it and runs none of it: & < > " ' become references. */
void text_append_html(struct text *text, struct app_slice value);

#endif
