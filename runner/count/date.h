/* date.h — the Date header of replies, which tells how often a server has formatted it.
 *
 * Fed with what llhttp calls back with, in pieces of any length. */
#ifndef COUNT_DATE_H
#define COUNT_DATE_H

#include <stdbool.h>
#include <stddef.h>

#define DATE_SIZE 32

/* Of one connection; zeroed to begin with. */
struct date_reader {
    char field[8], value[DATE_SIZE];
    size_t field_len, value_len; /* as they came, more than there is room for, perhaps */
    bool in_value;
};

void date_field(struct date_reader *d, const char *at, size_t n);
void date_value(struct date_reader *d, const char *at, size_t n);

/* At the end of a reply. Returns whether it had a date other than `last`, which is then replaced;
 * the reader is ready for the next reply. */
bool date_changed(struct date_reader *d, char last[DATE_SIZE]);

#endif
