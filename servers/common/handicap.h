/* A known amount of CPU per request, to calibrate what measures the servers. */
#ifndef LOOPBENCH_SERVERS_HANDICAP_H
#define LOOPBENCH_SERVERS_HANDICAP_H

#include <stdint.h>

/* Finds the number of loop turns that take `ns` of CPU (CLOCK_THREAD_CPUTIME_ID, the fastest of
 * several tries: a slower one was disturbed). Takes some milliseconds. 0 for 0. */
uint64_t handicap_calibrate(uint64_t ns);

/* Burns that many turns; guard the call so that 0 costs a compare. */
void handicap_burn(uint64_t turns);

/* The turns of this process, set once by server_main before any worker runs. */
extern uint64_t handicap_turns;

#endif
