#include "ui/doctor.h"

#include <math.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/cpus.h"
#include "sample/speed.h"
#include "sample/steady.h"
#include "sample/window.h"
#include "ui/text.h"

#define SPINS            4 /* before the window, and as many after it */
#define PROGRAM_WAIT_NS  5000000000LL
#define DEFAULT_WINDOW   1000000000LL
#define SLICE_PERCENT    15 /* of the window */
#define PATIENCE_NS      2000000000LL
#define DEFAULT_WIDTH    100
#define GAP              2
#define NARROWEST_REASON 32 /* below that, reasons go under their row */

void doctor_watch_init(struct doctor_watch *w) {
    memset(w, 0, sizeof *w);
    w->window_s = 0;
    w->steal_ratio = (double)NAN;
    w->foreign_cpus = (double)NAN;
    w->speed_spread = (double)NAN;
    w->throttled = -1;
    w->time_wait = -1;
    w->conntrack = -1;
    for (size_t i = 0; i < DOCTOR_SLICES; i++) {
        w->exchange_us[i] = (double)NAN;
    }
}

/* Keeps the slowest and the fastest of some spins on the server's CPUs. */
static void watch_speed(const cpu_set_t *cpus, double *slowest, double *fastest) {
    for (int i = 0; i < SPINS; i++) {
        double speed = speed_measure(cpus);
        *slowest = isnan(*slowest) || speed < *slowest ? speed : *slowest;
        *fastest = isnan(*fastest) || speed > *fastest ? speed : *fastest;
    }
}

static void watch_split(const struct doctor_options *o, const struct machine *m,
                        struct doctor_watch *w) {
    int core[CPU_SETSIZE];
    cpu_set_t allowed;
    struct err e;
    if (cpus_parse(m->cpu.allowed, "CPUs allowed", &allowed, &e) != 0) {
        return;
    }
    w->cores_known = cpusplit_read_cores(o->root ? o->root : "", &allowed, core);
    if (o->split) {
        w->split = *o->split;
    } else {
        cpusplit_choose(&allowed, core, o->workers > 0 ? o->workers : 1,
                        o->threads > 0 ? o->threads : 1, &w->split);
    }
    w->split_known = true;
}

int doctor_watch(struct loop *loop, const struct doctor_options *o, const struct machine *m,
                 struct doctor_watch *w, struct err *e) {
    struct window before;
    struct window after;
    struct window_delta delta;
    double slowest = (double)NAN;
    double fastest = (double)NAN;
    const pid_t self = getpid();
    int64_t window = o->window_ns == 0 ? DEFAULT_WINDOW : o->window_ns;
    doctor_watch_init(w);
    watch_split(o, m, w);
    if (window < 0 || (o->root && o->root[0])) {
        return 0;
    }
    const cpu_set_t *cpus = w->split_known ? &w->split.server : NULL;
    watch_speed(cpus, &slowest, &fastest);
    /* We stand in for the server: asleep, so that it does not matter that we count twice. */
    window_take(&before, &self, 1, 0, NULL);
    if (loop_wait(loop, NULL, NULL, window) == LOOP_INTERRUPTED) {
        return err_set(e, ERR_FAILED, "interrupted");
    }
    window_take(&after, &self, 1, 0, NULL);
    window_between(&before, &after, 0, sysconf(_SC_CLK_TCK), &delta);
    watch_speed(cpus, &slowest, &fastest);
    w->window_s = delta.wall_s;
    w->steal_ratio = delta.steal_ratio;
    w->foreign_cpus = fmax(0, delta.foreign_cpus - delta.foreign_error);
    w->throttled = delta.throttled;
    w->time_wait = delta.time_wait;
    w->conntrack = delta.conntrack;
    w->speed_spread = fastest > 0 ? (fastest - slowest) / fastest : (double)NAN;
    const struct steady_spec exchange = {
        .split = &w->split,
        .slice_ns = window * SLICE_PERCENT / 100,
        .slices = DOCTOR_SLICES,
        .patience_ns = PATIENCE_NS,
    };
    if (w->split_known && steady_measure(loop, &exchange, w->exchange_us) == LOOP_INTERRUPTED) {
        return err_set(e, ERR_FAILED, "interrupted");
    }
    return 0;
}

/* ---- the table */

static const char *const state_words[] = {
    [DOCTOR_OK] = "ok",
    [DOCTOR_WARN] = "WARN",
    [DOCTOR_BAD] = "BAD",
    [DOCTOR_UNKNOWN] = "unknown",
};

static size_t widest(size_t a, const char *text) {
    size_t b = text_columns(text);
    return a > b ? a : b;
}

static void print_cell(FILE *out, const char *text, size_t columns) {
    size_t used = text_columns(text);
    fprintf(out, "%s%*s", text, used < columns ? (int)(columns - used) : 0, "");
}

static size_t longest_word(size_t a, const char *text) {
    while (*text) {
        size_t word = strcspn(text, " ");
        a = word > a ? word : a;
        text += word;
        text += strspn(text, " ");
    }
    return a;
}

/* How the table is laid out: columns as wide as their widest cell, as far as the width allows. */
struct layout {
    size_t name, value, state, why, fix;
    size_t left, width; /* columns before the reasons, and all */
    bool one_row;       /* reason and remedy in columns of their own */
    bool beside;        /* else both wrapped in one column; false: under their row */
};

static void layout_make(struct layout *l, const struct doctor_report *report, size_t width) {
    size_t reason = NARROWEST_REASON; /* what a wrapped column needs */
    *l = (struct layout){
        .name = strlen("check"),
        .value = strlen("value"),
        .state = strlen("state"),
        .why = strlen("why it matters"),
        .fix = strlen("what to do"),
        .width = width,
    };
    for (size_t i = 0; i < report->n; i++) {
        const struct doctor_check *k = &report->checks[i];
        l->name = widest(l->name, k->name);
        l->value = widest(l->value, k->value);
        l->state = widest(l->state, state_words[k->state]);
        l->why = widest(l->why, k->why);
        l->fix = widest(l->fix, k->fix);
        reason = longest_word(longest_word(reason, k->why), k->fix);
    }
    l->left = l->name + l->value + l->state + 3 * (size_t)GAP;
    l->one_row = l->left + l->why + GAP + l->fix <= width;
    l->beside = l->one_row || l->left + reason <= width;
}

static void print_row(const struct layout *l, const char *name, const char *value,
                      const char *state, const char *why, const char *fix, FILE *out) {
    char text[512];
    print_cell(out, name, l->name + GAP);
    print_cell(out, value, l->value + GAP);
    if (l->one_row) {
        print_cell(out, state, l->state + GAP);
        print_cell(out, why, fix[0] ? l->why + GAP : 0);
        fprintf(out, "%s\n", fix);
        return;
    }
    if (l->beside) {
        print_cell(out, state, l->state + GAP);
    } else {
        fprintf(out, "%s\n", state);
    }
    snprintf(text, sizeof text, "%s%s%s", why, fix[0] ? "\n-> " : "", fix);
    text_fill(out, text, l->beside ? l->left : 0, l->beside ? l->left : 4, l->width);
}

static void print_verdict(const struct doctor_report *report, FILE *out) {
    size_t bad = doctor_count(report, DOCTOR_BAD);
    fprintf(out, "%zu checks: %zu ok, %zu warn, %zu bad, %zu unknown. ", report->n,
            doctor_count(report, DOCTOR_OK), doctor_count(report, DOCTOR_WARN), bad,
            doctor_count(report, DOCTOR_UNKNOWN));
    if (bad == 0) {
        fprintf(out, "A run now would be valid as far as can be told%s.\n",
                doctor_sees_little(report) ? ", but see little (steadiness)" : "");
        return;
    }
    fprintf(out, "A run now would be invalid:");
    for (size_t i = 0; i < report->n; i++) {
        if (report->checks[i].state == DOCTOR_BAD) {
            fprintf(out, " %s", report->checks[i].name);
        }
    }
    fputc('\n', out);
}

void doctor_print(const struct doctor_report *report, int width, FILE *out) {
    struct layout l;
    layout_make(&l, report, (size_t)(width > 0 ? width : DEFAULT_WIDTH));
    print_row(&l, "check", "value", "state", "why it matters", "what to do", out);
    for (size_t i = 0; i < report->n; i++) {
        const struct doctor_check *k = &report->checks[i];
        print_row(&l, k->name, k->value, state_words[k->state], k->why, k->fix, out);
    }
    print_verdict(report, out);
}

/* Columns of the terminal behind out, or the default. */
static int terminal_width(FILE *out) {
    struct winsize size;
    int fd = fileno(out);
    bool known = fd >= 0 && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : DEFAULT_WIDTH;
}

int doctor_run(struct loop *loop, const struct doctor_options *o, FILE *out, struct err *e) {
    struct machine m;
    struct machine_programs programs;
    struct doctor_watch w;
    struct doctor_report report = {.n = 0};
    machine_read(o->root ? o->root : "", &m);
    if (!m.kernel.release[0] && m.cpu.allowed_count < 0) {
        machine_release(&m);
        return err_set(e, ERR_MACHINE, "doctor: cannot read %s/proc; mount it there",
                       o->root ? o->root : "");
    }
    int rc = doctor_watch(loop, o, &m, &w, e);
    if (rc == 0) {
        machine_ask_programs(loop, o->wrk ? o->wrk : "wrk", o->gnuplot ? o->gnuplot : "gnuplot",
                             PROGRAM_WAIT_NS, &programs);
        doctor_judge(o, &m, &w, &report);
        doctor_judge_files(o, &programs, &report);
        doctor_print(&report, o->width > 0 ? o->width : terminal_width(out), out);
        rc = doctor_count(&report, DOCTOR_BAD) > 0 ? ERR_FAILED : 0;
    }
    machine_release(&m);
    return rc;
}
