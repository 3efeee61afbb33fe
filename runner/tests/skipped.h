/* skipped.h — a case that does not apply here is skipped, and says why.
 *
 * cmocka calls such a case "not ok" and gives no reason; scripts/run-test, which the suite runs
 * every test by, makes of both lines what TAP wants: ok N - NAME # SKIP REASON. */
#ifndef TESTS_SKIPPED_H
#define TESTS_SKIPPED_H

#include <stdio.h>

#define SKIP_CASE(reason)                                                                          \
    do {                                                                                           \
        printf("# skipped: %s\n", reason);                                                         \
        skip();                                                                                    \
    } while (0)

#endif
