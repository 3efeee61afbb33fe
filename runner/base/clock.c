#include "base/clock.h"

#include <stdio.h>
#include <time.h>

int64_t clock_mono_ns(void) {
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

void clock_iso(char out[CLOCK_ISO_SIZE]) {
    struct timespec ts;
    struct tm tm;
    char date[24];
    clock_gettime(CLOCK_REALTIME, &ts);
    gmtime_r(&ts.tv_sec, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(out, CLOCK_ISO_SIZE, "%s.%03dZ", date, (int)(ts.tv_nsec / 1000000));
}
