/* scan.h — reading text that a program printed for people, strictly: what is not there as it should
 * be is not read. All move *at only on success. */
#ifndef LOAD_SCAN_H
#define LOAD_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/* What follows `label` where a line of `text` begins with it, without blanks; NULL where no line or
 * more than one does. */
const char *scan_label(const char *text, const char *label);

/* Exactly `word`. */
bool scan_word(const char **at, const char *word);

/* A decimal whole number of at most 10^17. */
bool scan_count(const char **at, int64_t *out);

/* A decimal number with up to six digits behind its point, in millionths: "1.5" is 1500000. At most
 * 10^9. */
bool scan_millionths(const char **at, int64_t *out);

/* Whether the line ends here. */
bool scan_line_end(const char *at);

#endif
