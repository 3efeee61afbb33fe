/* left_out.h — what is missing for a run is asked first, and said: left-out guests, options that a
 * target cannot take. */
#ifndef UI_LEFT_OUT_H
#define UI_LEFT_OUT_H

#include <jansson.h>
#include <stdio.h>

#include "config/config.h"

/* Takes out of the configuration what is not installed, a line to `out` for each. Returns 0, or -1
 * with *e (ERR_MACHINE: nothing is left). */
int left_out_find(struct config *c, FILE *out, struct err *e);

/* [{"name", "reason", "package"}] for the manifest; NULL where nothing was left out. */
json_t *left_out_json(const struct config *c);

/* The notes of options that some target's command does not take ("nginx ran with its own number of
 * workers") and of guests that are not what their folders say now, at most `max` into note, each of
 * NOTE_SIZE. Returns how many. */
#define NOTE_SIZE 256
size_t left_out_notes(const struct config *c, char note[][NOTE_SIZE], size_t max);

#endif
