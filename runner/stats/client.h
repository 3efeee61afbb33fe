/* Client-limited: did the load generator, not the server, set the throughput?
 *
 * In one block, limited when any of these holds:
 *   - the target's throughput is at least 90% of the null server's in the same block: the null
 *     server does next to nothing, so what it reaches is what the generator can do;
 *   - a generator thread was at least 95% busy while the server used less than 90% of its CPUs.
 * From 80% to 90% of the ceiling it is a warning. What could not be measured (NaN) decides
 * nothing; with nothing measured the answer is unknown.
 *
 * Background: Banga & Druschel, Measuring the capacity of a Web server, USITS 1997 (the pitfalls of
 * measuring a server by synthetic clients). The two rules and their shares are loopbench's own
 * choice, and no published ones are known. */
#ifndef LOOPBENCH_STATS_CLIENT_H
#define LOOPBENCH_STATS_CLIENT_H

#include <stdbool.h>
#include <stddef.h>

#define CLIENT_CEILING_LIMITED 0.90
#define CLIENT_CEILING_WARN    0.80
#define CLIENT_THREAD_BUSY     0.95
#define CLIENT_SERVER_SPARE    0.90

enum client_state { CLIENT_FREE, CLIENT_NEAR, CLIENT_LIMITED, CLIENT_UNKNOWN };

/* What one block measured of one target; NaN where unknown. */
struct client_block {
    double rate;           /* the target's successful replies per second */
    double ceiling;        /* the null server's in the same block */
    double busiest_thread; /* CPU of the busiest generator thread, of the window: 0..1 */
    double server_cpu;     /* CPU the server used, of the window, in CPUs */
    double server_cpus;    /* CPUs it may use: the smaller of its workers and its cpuset */
};

struct client_result {
    enum client_state state;
    bool by_ceiling;      /* the ceiling made it limited (or near) */
    bool by_thread;       /* the generator's thread made it limited */
    double ceiling_share; /* rate / ceiling, NaN if unknown */
};

/* Judge one target in one block. */
struct client_result client_judge(const struct client_block *block);

/* Judge a cell by its blocks: limited when at least half of the blocks that are known are, since
 * one block's ceiling is as noisy as any trial; else unknown when fewer than half of the blocks are
 * known, or none is; else near when any is near or limited, and free. To leave out blocks that are
 * invalid is the caller's. */
enum client_state client_judge_cell(const enum client_state blocks[], size_t n);

/* "free", "near", "limited", "unknown". */
const char *client_state_name(enum client_state state);

#endif
