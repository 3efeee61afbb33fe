#include "config/options.h"

#include <stddef.h>
#include <string.h>

#include "base/mode.h"
#include "config/config.h"

#define MS 1e6
#define S  1e9
#define M  60e9
#define H  3600e9

#define FIELD(name) offsetof(struct config, name)

const struct option options[] = {
    {"profile", OPTION_NAME, USE_RUN | USE_REPLAY | USE_DOCTOR | USE_FILE, FIELD(profile), "quick",
     0, 0, "NAME", "smoke, quick, standard or publish: the defaults of what follows"},
    {"targets", OPTION_NAMES,
     USE_COUNT | USE_RUN | USE_CALIBRATE | USE_CROSSCHECK | USE_VERIFY | USE_DOCTOR | USE_FILE,
     FIELD(targets), "libevent,libuv,h2o", 0, 0, "LIST", "the servers compared"},
    {"workloads", OPTION_WORKLOADS, USE_COUNT | USE_RUN | USE_CROSSCHECK | USE_FILE,
     FIELD(workloads), "hello", 0, 0, "LIST",
     "what is requested, or all; some take a number, like bytes:n=4096"},
    {"connections", OPTION_INTS,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_FILE,
     FIELD(connections), "10,100,500", 1, 1000000, "LIST", "concurrent keep-alive connections"},
    {"rounds", OPTION_INT, USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(rounds), "11", 1, 10000, "N", "how often everything is measured"},
    {"duration", OPTION_DURATION, USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(duration_ns), "1s", 1 * S, 1 * H, "TIME", "measured window of a trial, whole seconds"},
    {"warmup", OPTION_DURATION, USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(warmup_ns), "500ms", 0, 10 * M, "TIME", "load before the window that is not measured"},
    {"requests", OPTION_INT, USE_RUN | USE_REPLAY | USE_FILE, FIELD(requests), "0", 0,
     MODE_REQUESTS_MAX, "N",
     "measure exactly so many requests in place of a time; 0 = for the duration"},
    {"think-time", OPTION_SPAN, USE_RUN | USE_FILE, FIELD(think), "0", 0, 10 * M, "TIME[..TIME]",
     "each connection waits so long before each request, whole ms; a range is drawn from evenly"},
    {"pipeline", OPTION_INT, USE_COUNT | USE_RUN | USE_FILE, FIELD(pipeline), "1", 1,
     MODE_PIPELINE_MAX, "N", "requests written at once; above 1 no latency is published"},
    {"keepalive", OPTION_BOOL, USE_RUN | USE_REPLAY | USE_FILE, FIELD(keepalive), "yes", 0, 0, NULL,
     "keep connections; --no-keepalive makes one for each request"},
    {"access-log", OPTION_BOOL, USE_COUNT | USE_RUN | USE_FILE, FIELD(access_log), "no", 0, 0, NULL,
     "the servers write a line for each request, to a file that is gone afterwards"},
    {"db", OPTION_TEXT, USE_COUNT | USE_RUN | USE_VERIFY | USE_FILE, FIELD(db), NULL, 0, 0, "URL",
     "where the servers store what posts sends: sqlite:PATH or postgresql://...; without it, a "
     "private file of each"},
    {"seed", OPTION_SEED, USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(seed), "auto", 0, 0, "N",
     "decides the order of the trials; auto draws one and records it"},
    {"aa-control", OPTION_SWITCH, USE_RUN | USE_FILE, FIELD(aa_control), "on", 0, 0,
     "on|off|TARGET",
     "measure a target (on: the first) again as TARGET-again: the two must not differ"},
    {"null-server", OPTION_BOOL, USE_RUN | USE_REPLAY | USE_FILE, FIELD(null_server), "yes", 0, 0,
     NULL, "measure the null server beside the targets: the ceiling of the load generator"},
    {"generators", OPTION_NAMES, USE_CROSSCHECK | USE_FILE, FIELD(generators), NULL, 0, 0, "LIST",
     "load generators that measure each target in turn, of wrk, ab, h2load and siege"},
    {"verify", OPTION_BOOL, USE_COUNT | USE_RUN | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(verify), "yes", 0, 0, NULL, "check every target's replies before measuring"},
    {"repeat-blocks", OPTION_INT, USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(repeat_percent), "15", 0, 200, "PERCENT",
     "at most this part of the blocks is run again, each at most twice, where the machine "
     "disturbed them; 0 = none"},
    {"threads", OPTION_INT,
     USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_FILE, FIELD(threads),
     "1", 1, 256, "N",
     "threads of the load generator; each number of connections must be divisible by it"},
    {"workers", OPTION_INT,
     USE_COUNT | USE_RUN | USE_CALIBRATE | USE_CROSSCHECK | USE_VERIFY | USE_DOCTOR | USE_FILE,
     FIELD(workers), "1", 1, 256, "N", "event loops (threads) of each server"},
    {"backlog", OPTION_INT,
     USE_COUNT | USE_RUN | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_FILE, FIELD(backlog),
     "0", 0, 1 << 20, "N", "length of the servers' listen queue; 0 is what the kernel allows"},
    {"timeout", OPTION_DURATION, USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE,
     FIELD(timeout_ns), "2s", 1 * S, 10 * M, "TIME",
     "a reply that takes longer is an error, whole seconds"},
    {"ready-timeout", OPTION_DURATION,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_VERIFY | USE_FILE,
     FIELD(ready_timeout_ns), "10s", 10 * MS, 10 * M, "TIME",
     "how long a target may take to answer its first request"},
    {"container-files", OPTION_INT,
     USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_VERIFY | USE_FILE,
     FIELD(container_files), CONTAINER_FILES, 64, 1 << 30, "N",
     "file descriptors that a target in a container may use"},
    {"trial-margin", OPTION_DURATION,
     USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_FILE, FIELD(trial_margin_ns),
     "10s", 100 * MS, 1 * H, "TIME",
     "how much longer than warm-up and window a trial may take before it is ended"},
    {"server-cpus", OPTION_CPUS,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_FILE,
     FIELD(server_cpus), "auto", 0, 0, "LIST", "CPUs of the servers, like 0-1,3"},
    {"generator-cpus", OPTION_CPUS,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_FILE,
     FIELD(generator_cpus), "auto", 0, 0, "LIST", "CPUs of the load generator"},
    {"handicap", OPTION_PAIRS, USE_COUNT | USE_RUN | USE_FILE, FIELD(handicap), "", 0, 1e9,
     "TARGET=NS,...",
     "nanoseconds of CPU that a server burns for each request, to test the method"},
    {"margin", OPTION_REAL, USE_RUN | USE_REPLAY | USE_REPORT | USE_CROSSCHECK | USE_FILE,
     FIELD(margin_percent), "3", 0.1, 50, "PERCENT",
     "a difference smaller than this counts as none"},
    {"baseline", OPTION_NAME, USE_RUN | USE_REPORT | USE_FILE, FIELD(baseline), NULL, 0, 0,
     "TARGET", "compare the other targets with this one only; without it, all pairs"},
    {"wrk", OPTION_PATH,
     USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_REPRODUCE | USE_FILE,
     FIELD(wrk), "wrk", 0, 0, "PROGRAM", "the load generator"},
    {"servers", OPTION_PATH,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_VERIFY | USE_DOCTOR |
         USE_REPRODUCE | USE_FILE,
     FIELD(servers), "auto", 0, 0, "FOLDER",
     "where the server programs are; auto finds them beside loopbench"},
    {"guests", OPTION_PATH,
     USE_RUN | USE_REPLAY | USE_CROSSCHECK | USE_VERIFY | USE_DOCTOR | USE_REPRODUCE | USE_TARGETS |
         USE_FILE,
     FIELD(guests), "auto", 0, 0, "FOLDER",
     "where the guests are, a folder each, found by their names; auto finds them beside loopbench"},
    {"results", OPTION_PATH,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_DOCTOR | USE_COMPARE |
         USE_REPORT | USE_REPRODUCE | USE_EXPORT | USE_LIST | USE_PRUNE | USE_SITE | USE_FILE,
     FIELD(results), "results", 0, 0, "FOLDER", "the folder that holds runs, each in its own"},
    {"config", OPTION_PATH, USE_COUNT | USE_RUN | USE_VERIFY | USE_DOCTOR | USE_TARGETS,
     FIELD(config), NULL, 0, 0, "FILE",
     "INI file with these options and with [target NAME] sections"},
    {"out", OPTION_PATH,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_REPRODUCE, FIELD(out),
     NULL, 0, 0, "FOLDER", "write the results there instead of into a new folder under results"},
    {"resume", OPTION_PATH, USE_RUN, FIELD(resume), NULL, 0, 0, "FOLDER",
     "go on with the interrupted run in that folder, with its configuration"},
    {"dry-run", OPTION_BOOL, USE_RUN | USE_REPLAY | USE_REPRODUCE | USE_CROSSCHECK, FIELD(dry_run),
     "no", 0, 0, NULL, "print the plan and the time it will take, measure nothing"},
    {"dry-run", OPTION_BOOL, USE_PRUNE, FIELD(dry_run), "no", 0, 0, NULL,
     "say what would be removed, remove nothing"},
    {"quiet", OPTION_BOOL,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_CROSSCHECK | USE_REPRODUCE,
     FIELD(quiet), "no", 0, 0, NULL, "no progress"},
    {"report", OPTION_BOOL, USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_REPRODUCE,
     FIELD(report), "yes", 0, 0, NULL, "write report and plots when the run is done"},
    {"plots", OPTION_PATH,
     USE_COUNT | USE_RUN | USE_REPLAY | USE_CALIBRATE | USE_REPORT | USE_REPRODUCE | USE_SITE,
     FIELD(plots), "auto", 0, 0, "FOLDER",
     "where the gnuplot programs are; auto finds them beside loopbench"},
    {"resume", OPTION_BOOL, USE_REPLAY, FIELD(replay_resume), "no", 0, 0, NULL,
     "go on with the interrupted replay in its folder, as it was begun"},
    {"same-seed", OPTION_BOOL, USE_REPRODUCE, FIELD(same_seed), "no", 0, 0, NULL,
     "run the trials in the recorded order; without it the order is drawn anew"},
    {"baseline", OPTION_TEXT, USE_COMPARE, FIELD(compare_baseline), "A", 0, 0, "A|B",
     "the run whose figures are 100%: A is the first named, B the second"},
    {"metric", OPTION_NAMES, USE_COMPARE, FIELD(metrics), NULL, 0, 0, "LIST",
     "of cpu, throughput, p50, p99 and memory; without it those of --fail-on, else all"},
    {"anchor", OPTION_TEXT, USE_COMPARE, FIELD(anchor), "auto", 0, 0, "TARGET",
     "hold figures against this target, which is the same in both runs, within each block; auto "
     "takes the null server; none takes no anchor"},
    {"fail-on", OPTION_TEXT, USE_COMPARE, FIELD(fail_on), NULL, 0, 0, "LIST",
     "exit 1 where a metric got worse by more than a limit, like cpu>5%,p99>10%"},
    {"allow-undecided", OPTION_BOOL, USE_COMPARE, FIELD(allow_undecided), "no", 0, 0, NULL,
     "a limit of which the runs cannot tell whether it is kept does not fail"},
    {"markdown", OPTION_PATH, USE_COMPARE, FIELD(markdown), NULL, 0, 0, "FILE",
     "write the comparison as Markdown, too; - instead of the table"},
    {"format", OPTION_NAME, USE_EXPORT, FIELD(format), "csv", 0, 0, "NAME",
     "csv, json, benchstat, openmetrics or hgrm"},
    {"target", OPTION_TEXT, USE_EXPORT, FIELD(select_target), NULL, 0, 0, "TARGET",
     "only this target"},
    {"workload", OPTION_TEXT, USE_EXPORT, FIELD(select_workload), NULL, 0, 0, "WORKLOAD",
     "only this workload"},
    {"connections", OPTION_INT, USE_EXPORT, FIELD(select_connections), "0", 0, 1000000, "N",
     "only this number of connections; 0 = all"},
    {"out", OPTION_PATH, USE_EXPORT, FIELD(export_out), NULL, 0, 0, "FILE",
     "write there; - is standard output, as without it"},
    {"requests-low", OPTION_INT, USE_COUNT, FIELD(requests_low), "500", 1, 10000000, "N",
     "requests of the shorter of the two processes whose difference is counted"},
    {"requests-high", OPTION_INT, USE_COUNT, FIELD(requests_high), "2500", 2, 10000000, "N",
     "requests of the longer one"},
    {"add", OPTION_TEXT, USE_COUNT, FIELD(add), NULL, 0, 0, "RUN",
     "add the counts to that run, of its targets and workloads unless others are named"},
    {"keep", OPTION_INT, USE_PRUNE, FIELD(keep), NULL, 1, 1000000, "N",
     "how many of the newest runs stay"},
    {"out", OPTION_PATH, USE_SITE, FIELD(site_out), "site", 0, 0, "FOLDER",
     "the folder of the site; one that is there already is replaced"},
    {"compare", OPTION_NAMES, USE_SITE, FIELD(site_pairs), NULL, 0, 0, "A,B,...",
     "pairs of runs to compare; without it each run with the last one before that is alike"},
    {NULL, OPTION_BOOL, 0, 0, NULL, 0, 0, NULL, NULL},
};

size_t options_count(void) {
    return sizeof options / sizeof options[0] - 1;
}

const struct option *option_find(const char *name, unsigned use) {
    for (const struct option *o = options; o->name; o++) {
        if ((o->use & use) && strcmp(o->name, name) == 0) {
            return o;
        }
    }
    return NULL;
}

#define NEAREST_MAX 48

/* Levenshtein distance by two rows; names longer than NEAREST_MAX are far from everything. */
static size_t option_distance(const char *a, const char *b) {
    size_t m = strlen(a);
    size_t n = strlen(b);
    size_t row[NEAREST_MAX + 1];
    if (m > NEAREST_MAX || n > NEAREST_MAX) {
        return NEAREST_MAX;
    }
    for (size_t j = 0; j <= n; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            best = best < row[j] + 1 ? best : row[j] + 1;
            row[j] = best < row[j - 1] + 1 ? best : row[j - 1] + 1;
        }
    }
    return row[n];
}

/* Keeps `candidate` in *best where it is nearer to `name` than anything before. */
static void option_consider(const char *name, const char *candidate, const char **best,
                            size_t *distance) {
    size_t d = option_distance(name, candidate);
    size_t len = strlen(name) > strlen(candidate) ? strlen(name) : strlen(candidate);
    if (d < *distance && d * 3 <= len + 1) {
        *best = candidate;
        *distance = d;
    }
}

const char *option_nearest(const char *name, unsigned use) {
    const char *best = NULL;
    size_t distance = NEAREST_MAX;
    for (const struct option *o = options; o->name; o++) {
        if (o->use & use) {
            option_consider(name, o->name, &best, &distance);
        }
    }
    return best;
}

const char *option_nearest_of(const char *name, const char *const *names, size_t n) {
    const char *best = NULL;
    size_t distance = NEAREST_MAX;
    for (size_t i = 0; i < n; i++) {
        option_consider(name, names[i], &best, &distance);
    }
    return best;
}
