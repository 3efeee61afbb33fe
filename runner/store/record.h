/* record.h — one trial as it is measured, stored and read back: the contract between measuring and
 * reporting. Every figure has its unit in its name. A figure that was not measured is UNKNOWN (NaN
 * for double, -1 for int64_t) and becomes null in JSON, never 0. Names in JSON are those given
 * here, nested as the structs are; docs/results-format.md and its JSON Schema describe the same. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/hist.h"
#include "base/latency.h"

#define RECORD_NAME_SIZE 64
#define UNKNOWN_INT      (-1)
#define UNKNOWN_REAL     NAN

enum trial_status { TRIAL_OK, TRIAL_FAILED };

/* Why a trial failed; a closed list (JSON: the lower-case word behind FAIL_, - for _). */
enum trial_failure {
    FAIL_NONE,
    FAIL_START,     /* the target could not be started, or said it cannot run */
    FAIL_READY,     /* it never answered its ready request */
    FAIL_CRASHED,   /* it exited or was ended by a signal while it was measured */
    FAIL_REFUSED,   /* connections were refused */
    FAIL_HUNG,      /* no reply: in the window, to most connections, or to the runner after it */
    FAIL_GENERATOR, /* the load generator failed, was killed, or gave no usable result */
    FAIL_TIMEOUT,   /* the watchdog ended the trial */
    FAIL_CONTENT,   /* a reply under load was not what was asked for */
    FAIL_STOP,      /* it would not stop, or its exit status was not clean */
    FAIL_OTHER,
};

/* What part a target plays in its block. */
enum target_role {
    ROLE_TARGET,  /* one of those compared */
    ROLE_CONTROL, /* the A/A control: a target again under a second name */
    ROLE_NULL,    /* the null server: the ceiling */
};

/* What the load generator saw in the measured window. */
struct load_result {
    char generator[16]; /* "wrk" */
    int threads;
    int64_t duration_us; /* as the generator measured it */
    int64_t requests;    /* replies, whatever their status */
    int64_t bytes;       /* received */
    int64_t errors_connect, errors_read, errors_write, errors_timeout, errors_status;
    double cpu_s;            /* CPU of the whole generator process */
    double thread_busy;      /* busiest thread's CPU over wall time, 0..1, while the window ran */
    int64_t latency_step_us; /* the smallest difference of latencies that the generator can tell */
    int64_t silent;          /* connections that received nothing in the last half of the window */
};

/* CPU of the server over the measured window (all threads of all its processes). */
struct server_result {
    char source[8]; /* of CPU and memory: "proc", "stats" (what it says of itself), "none" */
    int64_t pid;
    int64_t processes; /* most at once while the window ran, descendants included */
    int64_t cpu_ns, user_ns, system_ns;
    int64_t switches_voluntary, switches_involuntary;
    double cpus_used;          /* cpu_ns over wall time */
    double cpu_us_per_request; /* headline: cpu_ns / 1000 / requests */
    /* What the server itself counted over the window; only where it was asked (crosscheck). */
    int64_t requests, accepted; /* requests whose reply was begun; connections */
};

/* Memory in bytes at one moment. */
struct memory_sample {
    int64_t rss, anon, file, shmem, pss;
    int64_t socket; /* kernel TCP memory of the whole network namespace */
};

#define MEMORY_SERIES_MAX 64

/* RSS over the measured window, one reading each 100 ms, fewer in a window too long for that. */
struct memory_series {
    int n;                         /* 0: not recorded */
    int64_t ms[MEMORY_SERIES_MAX]; /* since the window began, ascending */
    int64_t rss[MEMORY_SERIES_MAX];
};

struct memory_result {
    struct memory_sample idle;   /* ready, before any load */
    struct memory_sample loaded; /* last sample of the window with the connections open */
    /* The highest RSS since the target started, VmHWM; of several processes the highest sum that
     * was sampled, for their own peaks need not have come together. */
    int64_t peak_rss;
    int64_t peak_pss; /* the highest PSS that was sampled */
    struct memory_series series;
};

/* What moved on the machine during the trial (method.md section 7): deltas over the window. */
struct environment_result {
    double steal_ratio;   /* of all CPU time, 0..1 */
    double foreign_cpus;  /* CPUs used by anybody but server, generator and runner */
    double foreign_error; /* what that may be off by; 0 where it was counted, not sampled */
    double runner_cpus;   /* CPUs used by the runner itself */
    double database_cpus; /* by the database that the servers stored in; not among the foreign */
    int64_t throttled;    /* cgroup nr_throttled */
    int64_t listen_overflows, listen_drops, retransmits;
    int64_t time_wait; /* sockets in TIME_WAIT at the end */
    int64_t conntrack; /* connections the kernel tracks at the end */
    /* Fixed spin, iterations per µs: before the first trial of the block (of this attempt), right
     * before this trial, and right after it. */
    double speed_block, speed_before, speed_after;
};

struct trial_record {
    int64_t seq;      /* 0-based place in the plan; (seq, attempt) is unique in a run */
    int attempt;      /* 0, or 1, 2 where a block was run again */
    int round, block; /* 0-based */
    char target[RECORD_NAME_SIZE];
    char base[RECORD_NAME_SIZE]; /* the target a control repeats; else the same as target */
    enum target_role role;
    char workload[RECORD_NAME_SIZE];
    int connections;
    char mode[128]; /* words that decide results, as in "requests=10000 think=5ms"; "" = none */
    char started[CLOCK_ISO_SIZE];
    double wall_s; /* the whole trial */
    enum trial_status status;
    enum trial_failure failure;
    char reason[512];  /* one line; empty when ok */
    char output[1024]; /* the target's or the generator's last output when failed */
    int64_t warmup_us; /* as done */
    struct load_result load;
    int64_t replies_checked; /* by the runner, under load: a sample */
    int64_t reply_bytes;     /* of each of those, head and body; unknown where they differ */
    double rate;             /* successful replies in time per second: load_good() / duration */
    struct latency_summary raw, corrected;
    int64_t stall_us;    /* the connections-th longest raw latency: load_stall_us() */
    double active_ratio; /* Σ raw latency / (connections × window): method.md section 4 */
    struct server_result server;
    struct memory_result memory;
    struct environment_result environment;
    char flags[512]; /* space-separated words of a closed list, e.g. "steal-warn client-limited" */
    unsigned by_block;                /* bits 1 << quality_id, not stored: blocks_share_signals() */
    int64_t hist_offset, hist_length; /* where histograms.gz holds the raw histogram; -1 = none */
};

/* Whether the word is among its flags. */
bool record_has_flag(const struct trial_record *r, const char *word);

/* All figures UNKNOWN, all texts empty. */
void record_init(struct trial_record *r);

const char *record_failure_name(enum trial_failure f);
const char *record_role_name(enum target_role role);

#endif
