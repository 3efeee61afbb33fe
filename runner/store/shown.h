/* shown.h — what a folder of results says, made fit to be shown: it may come from anywhere, and its
 * texts end in reports, on terminals and in other programs. */
#ifndef STORE_SHOWN_H
#define STORE_SHOWN_H

#include <jansson.h>

/* Puts '?' for every hidden character (base/hidden.h) in the texts and keys of `v`. Returns 0, or
 * -1 out of memory. */
int shown_json(json_t *v);

#endif
