#include "count/date.h"

#include <string.h>
#include <strings.h>

/* Appends what fits, and counts the rest. */
static void append(char *to, size_t size, size_t *len, const char *from, size_t n) {
    for (size_t i = 0; i < n; i++, (*len)++) {
        if (*len < size) {
            to[*len] = from[i];
        }
    }
}

void date_field(struct date_reader *d, const char *at, size_t n) {
    d->field_len = d->in_value ? 0 : d->field_len;
    d->in_value = false;
    append(d->field, sizeof d->field, &d->field_len, at, n);
}

void date_value(struct date_reader *d, const char *at, size_t n) {
    d->in_value = true;
    if (d->field_len == 4 && strncasecmp(d->field, "date", 4) == 0) {
        append(d->value, sizeof d->value - 1, &d->value_len, at, n);
    }
}

bool date_changed(struct date_reader *d, char last[DATE_SIZE]) {
    const size_t len = d->value_len < DATE_SIZE ? d->value_len : DATE_SIZE - 1;
    d->value[len] = '\0';
    d->field_len = d->value_len = 0;
    d->in_value = false;
    if (len == 0 || strcmp(d->value, last) == 0) {
        return false;
    }
    memcpy(last, d->value, len + 1);
    return true;
}
