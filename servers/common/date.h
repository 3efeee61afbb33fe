/* The Date header's value, kept per worker and made anew when the second changes. */
#ifndef LOOPBENCH_SERVERS_DATE_H
#define LOOPBENCH_SERVERS_DATE_H

#include <stdint.h>
#include <time.h>

#define DATE_LEN 29 /* "Sun, 06 Nov 1994 08:49:37 GMT", RFC 9110 5.6.7 */

struct date_cache {
    time_t second; /* 0: nothing cached yet */
    char text[DATE_LEN + 1];
};

/* Writes the date of `second` (UTC, years 1970 to 9999), DATE_LEN bytes, not terminated. */
void date_format(time_t second, char *out);

/* The date now. Reads the coarse clock (a few ns, no system call), so that it is right also after
 * the loop slept. DATE_LEN bytes that stay until the next call. */
const char *date_now(struct date_cache *cache);

#endif
