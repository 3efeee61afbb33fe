#include "sample/cpusplit.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cpus.h"
#include "base/file.h"

bool cpusplit_read_cores(const char *root, const cpu_set_t *allowed, int core[CPU_SETSIZE]) {
    bool all = true;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        char path[PATH_MAX];
        char text[CPUS_TEXT_SIZE];
        cpu_set_t siblings;
        struct err e;
        core[cpu] = cpu;
        if (!CPU_ISSET((size_t)cpu, allowed)) {
            continue;
        }
        snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list",
                 root, cpu);
        if (file_read_small(path, text, sizeof text) < 0) {
            all = false;
            continue;
        }
        text[strcspn(text, "\n")] = '\0';
        if (cpus_parse(text, path, &siblings, &e) != 0 || !CPU_ISSET((size_t)cpu, &siblings)) {
            all = false;
            continue;
        }
        core[cpu] = 0;
        while (!CPU_ISSET((size_t)core[cpu], &siblings)) {
            core[cpu]++;
        }
    }
    return all;
}

/* The allowed CPUs ordered so that those of one core stand together. */
struct layout {
    int cpus[CPU_SETSIZE];  /* sorted by core, then number */
    int start[CPU_SETSIZE]; /* first place of core k in cpus */
    int size[CPU_SETSIZE];  /* CPUs of core k */
    int cores, n;
};

static void layout_make(const cpu_set_t *allowed, const int core[CPU_SETSIZE], struct layout *out) {
    out->cores = 0;
    out->n = 0;
    for (int first = 0; first < CPU_SETSIZE; first++) {
        int size = 0;
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
            if (CPU_ISSET((size_t)cpu, allowed) && core[cpu] == first) {
                out->cpus[out->n++] = cpu;
                size++;
            }
        }
        if (size > 0) {
            out->start[out->cores] = out->n - size;
            out->size[out->cores++] = size;
        }
    }
}

/* CPUs of cores from..to-1. */
static int layout_count(const struct layout *l, int from, int to) {
    int n = 0;
    for (int k = from; k < to; k++) {
        n += l->size[k];
    }
    return n;
}

/* Takes `want` CPUs out of cores from..to-1: one of each core before a second of any. The highest
 * cores first: CPU 0, where interrupts tend to land, is the last to be taken, and the two sides lie
 * beside each other, on one socket where it holds them. */
static void layout_take(const struct layout *l, int from, int to, int want, cpu_set_t *out) {
    CPU_ZERO(out);
    for (int turn = 0; want > 0; turn++) {
        bool any = false;
        for (int k = to - 1; k >= from && want > 0; k--) {
            if (turn < l->size[k]) {
                CPU_SET((size_t)l->cpus[l->start[k] + turn], out);
                any = true;
                want--;
            }
        }
        if (!any) {
            return;
        }
    }
}

/* The number of cores (counted from the top) to give the server so that both sides have their CPUs
 * and no core is shared; 0 = there is none. Each side gets cores of its own as far as they go. */
static int split_cores(const struct layout *l, int workers, int threads) {
    int best = 0;
    int best_score = -1;
    for (int k = 1; k < l->cores; k++) {
        int server = layout_count(l, l->cores - k, l->cores);
        int generator = layout_count(l, 0, l->cores - k);
        if (server < workers || generator < threads) {
            continue;
        }
        /* Workers with a core each count first, then generator threads, then the fewest cores. */
        int alone = (k < workers ? k : workers) * CPU_SETSIZE * 2;
        int others = l->cores - k < threads ? l->cores - k : threads;
        int score = alone + others * 2;
        if (score > best_score) {
            best_score = score;
            best = k;
        }
    }
    return best;
}

void cpusplit_judge(const cpu_set_t *server, const cpu_set_t *generator,
                    const int core[CPU_SETSIZE], int workers, int threads, struct cpusplit *out) {
    cpu_set_t both;
    size_t used = 0;
    cpu_set_t s = *server;
    cpu_set_t g = *generator;
    memset(out, 0, sizeof *out);
    out->server = s;
    out->generator = g;
    CPU_AND(&both, &s, &g);
    out->disjoint = CPU_COUNT(&both) == 0;
    for (int a = 0; a < CPU_SETSIZE; a++) {
        for (int b = 0; CPU_ISSET((size_t)a, &s) && b < CPU_SETSIZE; b++) {
            if (a != b && CPU_ISSET((size_t)b, &g) && core[a] == core[b]) {
                out->shares_core = true;
            }
        }
    }
    out->server_short = CPU_COUNT(&s) < workers;
    out->generator_short = CPU_COUNT(&g) < threads;
    const struct {
        bool wrong;
        const char *text;
    } notes[] = {
        {!out->disjoint, "server and load generator share CPUs"},
        {out->shares_core, "server and load generator share a core (SMT)"},
        {out->server_short, "fewer CPUs than server workers"},
        {out->generator_short, "fewer CPUs than load generator threads"},
    };
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        if (notes[i].wrong) {
            int n = snprintf(out->note + used, sizeof out->note - used, "%s%s", used ? "; " : "",
                             notes[i].text);
            used += n > 0 ? (size_t)n : 0;
        }
    }
}

void cpusplit_choose(const cpu_set_t *allowed, const int core[CPU_SETSIZE], int workers,
                     int threads, struct cpusplit *out) {
    static _Thread_local struct layout l; /* 12 KiB: not for a stack */
    cpu_set_t server;
    cpu_set_t generator;
    layout_make(allowed, core, &l);
    int k = split_cores(&l, workers, threads);
    for (int fewer = threads - 1; k == 0 && fewer >= 1; fewer--) {
        k = split_cores(&l, workers, fewer);
    }
    /* More workers than CPUs beside the generator's one: they share anyhow, so no core need be. */
    for (int fewer = l.n - 1; k == 0 && workers > l.n - 1 && fewer >= 1; fewer--) {
        k = split_cores(&l, fewer, 1);
    }
    if (k > 0) {
        layout_take(&l, l.cores - k, l.cores, workers, &server);
        layout_take(&l, 0, l.cores - k, threads, &generator);
    } else if (l.n > 1) { /* a core must be divided */
        int mine = workers < l.n - 1 ? workers : l.n - 1;
        CPU_ZERO(&server);
        CPU_ZERO(&generator);
        for (int i = 0; i < mine; i++) {
            CPU_SET((size_t)l.cpus[l.n - 1 - i], &server);
        }
        for (int i = 0; i < l.n - mine && i < threads; i++) {
            CPU_SET((size_t)l.cpus[i], &generator);
        }
    } else {
        server = *allowed;
        generator = *allowed;
    }
    cpusplit_judge(&server, &generator, core, workers, threads, out);
}
