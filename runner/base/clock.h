/* clock.h — time: monotonic for measuring, wall clock for records. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define CLOCK_ISO_SIZE 32

/* CLOCK_MONOTONIC in nanoseconds. */
int64_t clock_mono_ns(void);

/* Now in UTC as 2026-01-31T12:00:00.123Z; `out` has at least CLOCK_ISO_SIZE bytes. */
void clock_iso(char out[CLOCK_ISO_SIZE]);

#endif
