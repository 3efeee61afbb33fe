#include "common/date.h"

#include <stdio.h>
#include <string.h>

/* Names of RFC 9110, not of the locale: strftime would ask it. */
static const char days[7][4] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
static const char months[12][4] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                   "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

void date_format(time_t second, char *out) {
    struct tm tm;
    char text[64];
    gmtime_r(&second, &tm);
    (void)snprintf(text, sizeof text, "%s, %02d %s %04d %02d:%02d:%02d GMT", days[tm.tm_wday],
                   tm.tm_mday, months[tm.tm_mon], 1900 + tm.tm_year, tm.tm_hour, tm.tm_min,
                   tm.tm_sec);
    memcpy(out, text, DATE_LEN);
}

const char *date_now(struct date_cache *cache) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    if (now.tv_sec != cache->second) {
        cache->second = now.tv_sec;
        date_format(now.tv_sec, cache->text);
    }
    return cache->text;
}
