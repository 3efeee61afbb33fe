/* list_replays.h — the replays in a folder of results, a line each. */
#ifndef UI_LIST_REPLAYS_H
#define UI_LIST_REPLAYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Prints them by name, after an empty line; nothing where there are none. Returns how many. */
size_t list_replays(FILE *out, const char *results, bool utf8);

#endif
