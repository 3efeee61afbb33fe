/* machine.h — facts about the machine for a run's manifest and for doctor. Unknown is a value:
 * MACHINE_UNKNOWN for numbers, "" for texts, null in JSON; never a guess.
 *
 * Everything is read below a root prefix ("" = this machine), so that a folder of fixtures can
 * stand for any other machine. */
#ifndef SAMPLE_MACHINE_H
#define SAMPLE_MACHINE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"

#define MACHINE_UNKNOWN   (-1)
#define MACHINE_UNLIMITED INT64_MAX /* a limit that is known not to be there; "max" in JSON */
#define MACHINE_TEXT      128

struct machine_cpu {
    char model[MACHINE_TEXT];
    char allowed[MACHINE_TEXT];      /* CPUs this process may use, "0-3" */
    int64_t sockets, cores, threads; /* online, of the machine */
    int64_t threads_per_core;
    int64_t smt;                 /* 1 active, 0 not */
    char governor[MACHINE_TEXT]; /* of all CPUs; several joined by "," */
    char driver[MACHINE_TEXT];   /* scaling driver */
    int64_t boost;               /* 1 turbo/boost allowed, 0 off */
    int64_t min_khz, max_khz;
    int64_t allowed_count;
};

struct machine_memory {
    int64_t total, available, swap_total, swap_free; /* bytes */
    char thp[MACHINE_TEXT];                          /* always, madvise, never */
    int64_t overcommit;                              /* vm.overcommit_memory */
    int64_t swappiness;
};

struct machine_kernel {
    char release[MACHINE_TEXT], version[MACHINE_TEXT], arch[MACHINE_TEXT];
    char os[MACHINE_TEXT]; /* PRETTY_NAME of os-release */
    char clocksource[MACHINE_TEXT];
    int64_t aslr;                   /* kernel.randomize_va_space: 0, 1, 2; 0 too where it is
                                     * off for this process and what it starts (personality) */
    char mitigations[MACHINE_TEXT]; /* "mitigations=" of the command line, "default" without it */
    json_t *vulnerabilities;        /* name → state as the kernel words it; NULL = unknown */
};

struct machine_virt {
    int64_t virtualised;           /* 1 hypervisor flag in cpuinfo or known DMI vendor, 0 not */
    char vendor[MACHINE_TEXT];     /* DMI sys_vendor */
    char product[MACHINE_TEXT];    /* DMI product_name */
    char hypervisor[MACHINE_TEXT]; /* kvm, vmware, xen, microsoft … where it can be told */
    int64_t container;             /* 1 /.dockerenv, /run/.containerenv or a container= of pid 1 */
};

struct machine_cgroup {
    int64_t version;    /* 2, 1 (also hybrid where cpu is v1) */
    double cpu_quota;   /* CPUs allowed by the tightest quota up the tree; INFINITY = none, NaN
                           = unknown */
    int64_t memory_max; /* bytes, tightest; MACHINE_UNLIMITED */
    int64_t pids_max;   /* MACHINE_UNLIMITED */
    char cpuset[MACHINE_TEXT]; /* effective CPUs */
};

struct machine_limits {
    int64_t nofile_soft, nofile_hard;
    int64_t somaxconn, tcp_max_syn_backlog, syncookies;
    int64_t port_first, port_last; /* ip_local_port_range */
    int64_t tcp_tw_reuse, tcp_fin_timeout;
    int64_t file_max;      /* fs.file-max */
    int64_t conntrack_max; /* net.netfilter.nf_conntrack_max; unknown where nothing is tracked */
};

struct machine {
    struct machine_cpu cpu;
    struct machine_memory memory;
    struct machine_kernel kernel;
    struct machine_virt virt;
    struct machine_cgroup cgroup;
    struct machine_limits limits;
    double load1, load5, load15; /* NaN = unknown */
    int64_t uptime_s;
    char hostname[MACHINE_TEXT];
};

/* Reads all of it; what cannot be read stays unknown. */
void machine_read(const char *root, struct machine *m);
void machine_release(struct machine *m);

/* Versions of the programs and libraries a run rests on; "" = missing or unknown. */
struct machine_programs {
    char wrk[MACHINE_TEXT];     /* first line of wrk -v */
    char gnuplot[MACHINE_TEXT]; /* of gnuplot --version */
};

/* Asks the programs themselves, each for at most timeout_ns (a hung one counts as missing). */
void machine_ask_programs(struct loop *loop, const char *wrk, const char *gnuplot,
                          int64_t timeout_ns, struct machine_programs *out);

/* First line of what `program argument` prints; "" when it is missing, hangs or says nothing. */
void machine_program_version(struct loop *loop, const char *program, const char *argument,
                             int64_t timeout_ns, char *out, size_t size);

/* A new JSON object for manifest.json: kernel, cpu, memory, virtualisation, cgroup, limits with
 * keys as the fields above, load1, load5, load15, uptime_s. Unknown is null, "no limit" is "max",
 * flags are booleans. The hostname is left out unless with_hostname. NULL when out of memory. */
json_t *machine_json(const struct machine *m, bool with_hostname);

/* {"wrk":…, "gnuplot":…} */
json_t *machine_programs_json(const struct machine_programs *p);

/* The runner's libraries: {"libuv":{"built":"1.44.2","running":"1.44.2"}, "jansson":…, "gsl":…,
 * "zlib":…, "llhttp":…}. */
json_t *machine_libraries_json(void);

#endif
