/* A known amount of CPU per request, to calibrate what measures the servers. */
#ifndef LOOPBENCH_SERVERS_HANDICAP_H
#define LOOPBENCH_SERVERS_HANDICAP_H

#include <stdbool.h>
#include <stdint.h>

/* Finds the number of loop turns that take `ns` of CPU (CLOCK_THREAD_CPUTIME_ID, the fastest of
 * several tries: a slower one was disturbed). Takes some milliseconds. 0 for 0. */
uint64_t handicap_calibrate(uint64_t ns);

/* Burns that many turns. */
void handicap_burn(uint64_t turns);

/* Spends HANDICAP_LOOP_INSTRUCTIONS a loop, exactly so on x86-64 and AArch64 (elsewhere about), and
 * three more; handicap_apply takes some ten. To calibrate what counts instructions. */
#define HANDICAP_LOOP_INSTRUCTIONS 2
void handicap_spin(uint64_t loops);

/* What every request of this process burns; called once by server_main before any worker runs. */
void handicap_set(uint64_t ns, uint64_t loops);

/* Burns that. Guard the call with handicap_asked, so that none costs a compare. */
void handicap_apply(void);
extern bool handicap_asked;

#endif
