#include "sample/sampler.h"

#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "sample/kernel.h"

#define PERIOD_MS   100
#define TREE_MAX    1024
#define THREADS_MAX 256

/* One thread of the generator, from the first time it was seen to the last. */
struct seen {
    pid_t tid;
    int64_t first_at, first_cpu, last_at, last_cpu; /* ns */
};

struct sampler {
    uv_timer_t timer;
    pid_t server[SAMPLER_ROOTS];
    size_t servers;
    pid_t generator;
    struct sampler_result result;
    struct seen threads[THREADS_MAX];
    size_t n_threads;
    int64_t begun; /* ns */
    int stride;    /* of the readings, one in so many is kept in the series */
};

/* When the series is full every other reading goes, and from then on only half as many come. */
static void sampler_keep_rss(struct sampler *s, int64_t rss) {
    struct sampler_series *kept = &s->result.series;
    if (s->result.samples % s->stride != 0) {
        return;
    }
    if (kept->n == SAMPLER_SERIES) {
        kept->n /= 2;
        for (int i = 1; i < kept->n; i++) {
            kept->ms[i] = kept->ms[2 * i];
            kept->rss[i] = kept->rss[2 * i];
        }
        s->stride *= 2;
    }
    kept->ms[kept->n] = (clock_mono_ns() - s->begun) / 1000000;
    kept->rss[kept->n++] = rss;
}

static void sampler_take_memory(struct sampler *s) {
    pid_t pids[TREE_MAX];
    size_t n = proc_trees(s->server, s->servers, pids, TREE_MAX);
    struct proc_memory m;
    if (proc_memory_read(pids, n, &m) != 0) {
        return;
    }
    s->result.last = m;
    s->result.processes = (int)n > s->result.processes ? (int)n : s->result.processes;
    s->result.peak_pss = m.pss > s->result.peak_pss ? m.pss : s->result.peak_pss;
    if (s->result.samples == 0 || m.rss > s->result.loaded.rss) {
        s->result.loaded = m;
    }
    sampler_keep_rss(s, m.rss);
    s->result.samples++;
}

static struct seen *sampler_thread(struct sampler *s, pid_t tid) {
    for (size_t i = 0; i < s->n_threads; i++) {
        if (s->threads[i].tid == tid) {
            return &s->threads[i];
        }
    }
    return NULL;
}

static void sampler_take_threads(struct sampler *s) {
    pid_t tids[THREADS_MAX];
    size_t n = s->generator > 0 ? proc_threads(s->generator, tids, THREADS_MAX) : 0;
    for (size_t i = 0; i < n; i++) {
        int64_t cpu = proc_thread_cpu_ns(s->generator, tids[i]);
        int64_t now = clock_mono_ns();
        struct seen *t = sampler_thread(s, tids[i]);
        if (cpu < 0 || (!t && s->n_threads == THREADS_MAX)) {
            continue;
        }
        if (!t) {
            t = &s->threads[s->n_threads++];
            *t = (struct seen){.tid = tids[i], .first_at = now, .first_cpu = cpu};
        }
        t->last_at = now;
        t->last_cpu = cpu;
    }
}

void sampler_take(struct sampler *s) {
    struct kernel_sockets sockets;
    sampler_take_memory(s);
    sampler_take_threads(s);
    kernel_read_sockets(&sockets);
    if (sockets.tcp_memory > s->result.socket_memory) {
        s->result.socket_memory = sockets.tcp_memory;
    }
}

static void sampler_on_timer(uv_timer_t *timer) {
    sampler_take(timer->data);
}

static void sampler_know_nothing(struct sampler_result *r) {
    *r = (struct sampler_result){.socket_memory = -1, .peak_pss = -1, .thread_busy = (double)NAN};
    r->loaded = r->last = (struct proc_memory){-1, -1, -1, -1, -1, -1};
}

struct sampler *sampler_start(struct loop *loop, const pid_t *server, size_t n, pid_t generator,
                              struct err *e) {
    struct sampler *s = calloc(1, sizeof *s);
    if (!s || uv_timer_init(&loop->uv, &s->timer) != 0) {
        free(s);
        err_set(e, ERR_MACHINE, "cannot start sampling: out of memory");
        return NULL;
    }
    s->servers = n < SAMPLER_ROOTS ? n : SAMPLER_ROOTS;
    for (size_t i = 0; i < s->servers; i++) {
        s->server[i] = server[i];
    }
    s->generator = generator;
    s->begun = clock_mono_ns();
    s->stride = 1;
    sampler_know_nothing(&s->result);
    s->timer.data = s;
    sampler_take(s);
    uv_timer_start(&s->timer, sampler_on_timer, PERIOD_MS, PERIOD_MS);
    return s;
}

/* The busiest thread, by its CPU over the time it was observed. */
static double sampler_busiest(const struct sampler *s) {
    double busiest = (double)NAN;
    for (size_t i = 0; i < s->n_threads; i++) {
        const struct seen *t = &s->threads[i];
        int64_t wall = t->last_at - t->first_at;
        if (wall > 0 && t->last_cpu >= t->first_cpu) {
            double busy = (double)(t->last_cpu - t->first_cpu) / (double)wall;
            busiest = isnan(busiest) || busy > busiest ? busy : busiest;
        }
    }
    return busiest;
}

static void sampler_on_close(uv_handle_t *handle) {
    free(handle->data);
}

void sampler_stop(struct sampler *s, struct sampler_result *out) {
    if (!s) {
        if (out) {
            sampler_know_nothing(out);
        }
        return;
    }
    if (out) {
        *out = s->result;
        double busiest = sampler_busiest(s);
        out->thread_busy = busiest > 1 ? 1 : busiest; /* NaN stays NaN */
        out->threads = (int)s->n_threads;
    }
    uv_close((uv_handle_t *)&s->timer, sampler_on_close);
}
