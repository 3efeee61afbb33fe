#include "base/quality.h"

#include <math.h>
#include <string.h>

static const struct quality_check checks[QUALITY_COUNT] = {
    [QUALITY_STEAL] = {"steal", "CPU time the hypervisor gave to others, of all CPUs", "%",
                       QUALITY_TRIAL, QUALITY_ABOVE, 0.5, 2.0,
                       "stolen time slows whichever target happens to run",
                       "use a dedicated or quieter host"},
    [QUALITY_FOREIGN_CPU] = {"foreign-cpu",
                             "CPU used by anything but server, generator and runner, of one CPU",
                             "%", QUALITY_TRIAL, QUALITY_ABOVE, NAN, 3.0,
                             "a neighbour's work competes for CPU time and cache",
                             "stop other programs; look for them with top"},
    [QUALITY_THROTTLED] = {"throttled",
                           "times a control group's CPU quota stopped server or runner", "count",
                           QUALITY_TRIAL, QUALITY_ABOVE, NAN, 0.0,
                           "a throttled server waits for its quota, not for its work",
                           "raise or remove the CPU quota (cpu.max, docker --cpus)"},
    [QUALITY_SPEED_SHIFT] = {"speed-shift", "change of the machine's speed across the block", "%",
                             QUALITY_TRIAL, QUALITY_ABOVE_ABS, 3.0, NAN,
                             "the block's targets were not measured at one speed",
                             "let the machine cool, fix its clock, or use more rounds"},
    [QUALITY_LISTEN_OVERFLOWS] = {"listen-overflows", "connections refused by a full listen queue",
                                  "count", QUALITY_TRIAL, QUALITY_ABOVE, NAN, 0.0,
                                  "clients then wait for a retry of a second or more",
                                  "raise net.core.somaxconn and --backlog"},
    [QUALITY_LISTEN_DROPS] = {"listen-drops", "connection attempts dropped by the kernel", "count",
                              QUALITY_TRIAL, QUALITY_ABOVE, 0.0, NAN,
                              "dropped attempts come back a second later",
                              "raise net.ipv4.tcp_max_syn_backlog and --backlog"},
    [QUALITY_RETRANSMITS] = {"retransmits", "TCP segments sent again", "count", QUALITY_TRIAL,
                             QUALITY_ABOVE, 0.0, NAN,
                             "a retransmission adds 200 ms or more to the tail",
                             "measure over loopback or a link without loss"},
    [QUALITY_ACTIVE_SHARE] = {"active-share",
                              "sum of latencies, of connections times window as far as the "
                              "generator leaves it to the server",
                              "%", QUALITY_TRIAL, QUALITY_BELOW, 90.0, NAN,
                              "some connections sat idle, kept reconnecting or hung",
                              "look at the errors and at the server's output"},
    [QUALITY_SILENT] =
        {"silent", "connections without a reply in the last half of the window", "connections",
         QUALITY_TRIAL, QUALITY_ABOVE, 0.0, NAN,
         "a reply that never comes is in no latency, and its connection does no work",
         "look at the errors and at the server's output"},
    [QUALITY_REPLY_SIZE] =
        {"reply-size", "difference of all replies' length from the checked ones'", "%",
         QUALITY_TRIAL, QUALITY_ABOVE, 0.0, NAN,
         "some replies, heads or bodies, are not the ones that were verified",
         "look for other statuses and bodies, with the server's log or a capture"},
    [QUALITY_STALL] = {"stall", "longest wait of all connections at once, beyond the usual", "ms",
                       QUALITY_TRIAL, QUALITY_ABOVE, 100.0, NAN,
                       "the server, or the whole machine, stood still for a while",
                       "look at max and p99.9; in one trial it is chance, in many the server"},
    [QUALITY_ERRORS] = {"errors", "error replies, timeouts and failed connections, of all requests",
                        "%", QUALITY_TRIAL, QUALITY_ABOVE, 0.0, NAN,
                        "an error reply costs less than the real one, and is no work done",
                        "look at the errors by kind and at the server's output"},
    [QUALITY_CONNTRACK] =
        {"conntrack", "connections that the kernel tracks, of its table", "%", QUALITY_TRIAL,
         QUALITY_ABOVE, 50.0, 90.0,
         "a full table drops new connections; each stays for two minutes after its end",
         "wait two minutes, raise net.netfilter.nf_conntrack_max, or do not track loopback: "
         "iptables -t raw -A OUTPUT -o lo -j NOTRACK"},
    [QUALITY_PORTS] = {"ports", "connections and sockets in TIME-WAIT, of the local port range",
                       "%", QUALITY_MACHINE, QUALITY_ABOVE, 50.0, NAN,
                       "connecting slows, then fails, as ports run out",
                       "widen net.ipv4.ip_local_port_range or wait a minute"},
    [QUALITY_FILES] = {"files", "open-file limit beyond the 2 c + 64 needed", "files",
                       QUALITY_MACHINE, QUALITY_BELOW, NAN, 0.0,
                       "connections fail once the limit is reached",
                       "raise it: ulimit -n, LimitNOFILE= or docker --ulimit nofile="},
    [QUALITY_BACKLOG] = {"backlog", "listen queue the kernel allows, beyond the connections",
                         "connections", QUALITY_MACHINE, QUALITY_BELOW, 0.0, NAN,
                         "connecting all at once may overflow the listen queue",
                         "raise net.core.somaxconn and net.ipv4.tcp_max_syn_backlog"},
    [QUALITY_LOAD] = {"load", "load average over one minute, per CPU", "", QUALITY_MACHINE,
                      QUALITY_ABOVE, 0.5, NAN, "something else is running",
                      "wait, or stop other programs"},
    [QUALITY_PINNING] = {"pinning", "server and generator are not on CPUs of their own", "yes/no",
                         QUALITY_MACHINE, QUALITY_ABOVE, 0.0, NAN,
                         "they then take CPU time from each other",
                         "give the run at least two CPUs (taskset, docker --cpuset-cpus)"},
    [QUALITY_SMT] = {"smt", "server and generator share a physical core", "yes/no", QUALITY_MACHINE,
                     QUALITY_ABOVE, 0.0, NAN,
                     "siblings share execution units: each slows the other",
                     "use CPUs of different cores, or switch SMT off"},
    [QUALITY_CPUS] = {"cpus", "fewer CPUs than server workers or generator threads", "yes/no",
                      QUALITY_MACHINE, QUALITY_ABOVE, 0.0, NAN,
                      "threads that share a CPU wait for each other",
                      "ask for fewer --workers or --threads, or allow more CPUs"},
    [QUALITY_GOVERNOR] = {"governor", "CPUs whose frequency governor is not performance", "CPUs",
                          QUALITY_MACHINE, QUALITY_ABOVE, 0.0, NAN,
                          "the clock follows the load, so an idle spell slows what follows",
                          "cpupower frequency-set -g performance"},
    [QUALITY_BOOST] =
        {"boost", "the CPU may boost its clock", "yes/no", QUALITY_MACHINE, QUALITY_ABOVE, 0.0, NAN,
         "a boosted clock falls as the machine warms",
         "write 0 to /sys/devices/system/cpu/cpufreq/boost (intel_pstate: 1 to no_turbo)"},
    [QUALITY_THP] = {"thp", "transparent huge pages for everything", "yes/no", QUALITY_MACHINE,
                     QUALITY_ABOVE, 0.0, NAN, "resident memory then grows in steps of 2 MiB",
                     "write madvise to /sys/kernel/mm/transparent_hugepage/enabled"},
    [QUALITY_ASLR] = {"aslr", "address space randomisation is off", "yes/no", QUALITY_MACHINE,
                      QUALITY_ABOVE, 0.0, NAN,
                      "one lucky or unlucky memory layout would then repeat in every trial",
                      "sysctl kernel.randomize_va_space=2, and start loopbench without setarch -R"},
    [QUALITY_CLOCKSOURCE] = {"clocksource", "the kernel's clock is a slow one", "yes/no",
                             QUALITY_MACHINE, QUALITY_ABOVE, 0.0, NAN,
                             "every timestamp then costs a trip into the kernel or beyond",
                             "use tsc (or the hypervisor's own clock) as clocksource"},
    [QUALITY_QUOTA] = {"quota", "CPUs for server and generator, of those a cgroup's quota allows",
                       "of it", QUALITY_MACHINE, QUALITY_ABOVE, 0.0, 1.0,
                       "trials are thrown away whenever the quota bites",
                       "remove the CPU quota; limit with a cpuset instead"},
    [QUALITY_VIRTUAL] = {"virtual", "the machine is a virtual one", "yes/no", QUALITY_MACHINE,
                         QUALITY_ABOVE, NAN, NAN,
                         "others on the host may steal time, which is measured for each trial",
                         "nothing to do unless steal or steadiness shows"},
    [QUALITY_STEADINESS] =
        {"steadiness", "smallest difference in CPU per request that 11 rounds could show here", "%",
         QUALITY_MACHINE, QUALITY_ABOVE, 10.0, NAN,
         "smaller differences would drown in what varies (an estimate); a run stays valid",
         "use a quieter or dedicated host"},
};

const struct quality_check *quality_check(enum quality_id id) {
    return (unsigned)id < QUALITY_COUNT ? &checks[id] : NULL;
}

bool quality_find(const char *name, enum quality_id *id) {
    for (unsigned i = 0; i < QUALITY_COUNT; i++) {
        if (strcmp(checks[i].name, name) == 0) {
            *id = (enum quality_id)i;
            return true;
        }
    }
    return false;
}

/* False for a NaN threshold, whatever the side. */
static bool is_beyond(enum quality_side side, double value, double threshold) {
    switch (side) {
    case QUALITY_ABOVE:
        return value > threshold;
    case QUALITY_ABOVE_ABS:
        return fabs(value) > threshold;
    case QUALITY_BELOW:
        return value < threshold;
    }
    return false;
}

enum quality_level quality_judge(enum quality_id id, double value) {
    const struct quality_check *c = quality_check(id);
    if (c == NULL || isnan(value)) {
        return QUALITY_UNKNOWN;
    }
    if (is_beyond(c->side, value, c->invalid)) {
        return QUALITY_INVALID;
    }
    return is_beyond(c->side, value, c->warn) ? QUALITY_WARN : QUALITY_OK;
}

bool quality_is_shared(enum quality_id id) {
    return id == QUALITY_STEAL || id == QUALITY_FOREIGN_CPU || id == QUALITY_CONNTRACK;
}

const char *quality_level_name(enum quality_level level) {
    switch (level) {
    case QUALITY_OK:
        return "ok";
    case QUALITY_WARN:
        return "warn";
    case QUALITY_INVALID:
        return "invalid";
    case QUALITY_UNKNOWN:
        break;
    }
    return "unknown";
}

static int badness(enum quality_level level) {
    switch (level) {
    case QUALITY_OK:
        return 0;
    case QUALITY_UNKNOWN:
        return 1;
    case QUALITY_WARN:
        return 2;
    case QUALITY_INVALID:
        return 3;
    }
    return 1;
}

enum quality_level quality_worse(enum quality_level a, enum quality_level b) {
    return badness(a) >= badness(b) ? a : b;
}

double quality_files_needed(size_t connections) {
    return 2.0 * (double)connections + 64.0;
}
