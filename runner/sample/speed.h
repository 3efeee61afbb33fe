/* speed.h — how fast the machine is at this moment. */
#ifndef SAMPLE_SPEED_H
#define SAMPLE_SPEED_H

#include <sched.h>

/* Runs a fixed piece of dependent integer work (about 10 ms on a machine of today) on `cpus`
 * (NULL = wherever the runner may run) and returns iterations per µs. The work is done in parts and
 * the best part counts, so that one preemption is not taken for a slow machine. The affinity of the
 * calling thread is as before afterwards. NaN when the clock does not move. */
double speed_measure(const cpu_set_t *cpus);

#endif
