/* hidden.h — characters that are not seen but change what is: marks and overrides of writing
 * direction, joiners, blanks without width, tags, line separators, C1 controls. In a text from
 * elsewhere they turn figures around, or make two names look alike; every output shows a question
 * mark in their place. */
#ifndef BASE_HIDDEN_H
#define BASE_HIDDEN_H

#include <stddef.h>

/* Bytes of the hidden character at `text`, 0 when there is none. ASCII controls are not among them:
 * every format has its own way with those. */
size_t hidden_len(const char *text);

/* Puts '?' for each, in place. Returns how many there were. */
size_t hidden_replace(char *text);

#endif
