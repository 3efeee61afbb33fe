#include "ui/progress.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "ui/ending.h"
#include "ui/text.h"

#define PART_SIZE 160
#define CLEAR     "\r\033[K"

struct progress {
    FILE *out;
    struct progress_style style;
    int64_t total, finished; /* trials, those of an earlier run included */
    double expected_s;       /* of one trial, by the plan */
    double wall_s;           /* sum over the trials seen ended */
    int64_t walls;
    int64_t started_ns; /* of the trial running; 0 = none runs */
    int64_t number;
    char cell[PART_SIZE];
    char figures[PART_SIZE];
    bool drawn;
};

static bool progress_locale_is_utf8(void) {
    /* The program's own locale stays "C" (numbers in files!): only the codeset is asked for. */
    locale_t user = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    if (!user) {
        return false;
    }
    bool utf8 = strcmp(nl_langinfo_l(CODESET, user), "UTF-8") == 0;
    freelocale(user);
    return utf8;
}

struct progress_style progress_style_for(FILE *out, bool quiet) {
    const char *term = getenv("TERM");
    const char *no_color = getenv("NO_COLOR");
    bool able = isatty(fileno(out)) && term && *term && strcmp(term, "dumb") != 0;
    return (struct progress_style){
        .mode = quiet  ? PROGRESS_QUIET
                : able ? PROGRESS_BAR
                       : PROGRESS_LINES,
        .utf8 = progress_locale_is_utf8(),
        .color = able && !(no_color && *no_color),
    };
}

static size_t progress_width(const struct progress *p) {
    struct winsize size;
    if (p->style.width > 0) {
        return (size_t)p->style.width;
    }
    if (ioctl(fileno(p->out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return size.ws_col;
    }
    return 80;
}

struct progress *progress_begin(FILE *out, struct progress_style style, int64_t total, int64_t done,
                                int64_t estimate_ns) {
    struct progress *p = calloc(1, sizeof *p);
    if (!p) {
        return NULL;
    }
    p->out = out;
    p->style = style;
    p->total = total;
    p->finished = done;
    p->expected_s = total > 0 ? (double)estimate_ns / 1e9 / (double)total : 0;
    return p;
}

static void progress_clear(struct progress *p) {
    if (p->drawn) {
        fputs(CLEAR, p->out);
        p->drawn = false;
    }
}

/* What is left by the mean of the trials seen so far, or by the plan before the first has ended. */
static double progress_left_s(const struct progress *p) {
    double each = p->walls > 0 ? p->wall_s / (double)p->walls : p->expected_s;
    double left = each * (double)(p->total - p->finished);
    if (p->started_ns > 0) {
        double run = (double)(clock_mono_ns() - p->started_ns) / 1e9;
        left -= run < each ? run : each;
    }
    return left > 0 ? left : 0;
}

/* By the terminal alone, so that the bar does not breathe with the text beside it. */
static size_t progress_bar_columns(size_t width) {
    return width >= 130 ? 24 : width >= 110 ? 16 : 10;
}

/* Writes `columns` columns of bar, filled in proportion. */
static void progress_bar(const struct progress *p, size_t columns, char *out, size_t size) {
    const char *full = p->style.utf8 ? "\u2588" : "#";
    const char *empty = p->style.utf8 ? "\u2591" : ".";
    double part = p->total > 0 ? (double)p->finished / (double)p->total : 0;
    size_t filled = (size_t)(part * (double)columns + 1e-9);
    size_t used = 0;
    for (size_t i = 0; i < columns && used + 4 < size; i++) {
        const char *piece = i < filled ? full : empty;
        size_t len = strlen(piece);
        memcpy(out + used, piece, len);
        used += len;
    }
    out[used] = '\0';
}

/* What is dropped first where the terminal is narrow stands last here. */
enum part { PART_COUNT, PART_LEFT, PART_CELL, PART_BAR, PART_FIGURES, PARTS };

static void progress_draw(struct progress *p) {
    static const enum part order[PARTS] = {PART_BAR, PART_COUNT, PART_CELL, PART_FIGURES,
                                           PART_LEFT};
    char part[PARTS][PART_SIZE] = {{0}};
    char left[48];
    size_t width = progress_width(p);
    size_t room = width > 1 ? width - 1 : 1; /* a full last column wraps on some terminals */
    bool shown[PARTS] = {false};
    if (p->style.mode != PROGRESS_BAR) {
        return;
    }
    int64_t left_s = (int64_t)(progress_left_s(p) + 0.5);
    ending_duration_text(left_s * 1000000000, left, sizeof left);
    snprintf(part[PART_COUNT], PART_SIZE, "%" PRId64 "/%" PRId64, p->number, p->total);
    snprintf(part[PART_LEFT], PART_SIZE, "%s left", left_s > 0 ? left : "0 s");
    memcpy(part[PART_CELL], p->cell, PART_SIZE);
    if (*p->figures) { /* of the trial before: the cell beside them is the one running */
        snprintf(part[PART_FIGURES], PART_SIZE, "last: %.*s", PART_SIZE - 8, p->figures);
    }
    progress_bar(p, progress_bar_columns(width), part[PART_BAR], PART_SIZE);
    size_t used = 0;
    for (enum part i = PART_COUNT; i < PARTS; i++) {
        size_t columns = text_columns(part[i]) + (used > 0 ? 2 : 0);
        shown[i] = *part[i] && used + columns <= room;
        used += shown[i] ? columns : 0;
    }
    fputs(CLEAR, p->out);
    bool first = true;
    for (size_t i = 0; i < PARTS; i++) {
        enum part which = order[i];
        if (!shown[which]) {
            continue;
        }
        bool green = which == PART_BAR && p->style.color;
        fprintf(p->out, "%s%s%s%s", first ? "" : "  ", green ? "\033[32m" : "", part[which],
                green ? "\033[0m" : "");
        first = false;
    }
    p->drawn = true;
    fflush(p->out);
}

static void progress_cell_text(char *out, size_t size, const char *target, const char *workload,
                               int connections, int round, int attempt) {
    int n = snprintf(out, size, "%s %s c=%d round %d", target, workload, connections, round + 1);
    if (attempt > 0 && n > 0 && (size_t)n < size) {
        snprintf(out + n, size - (size_t)n, " again");
    }
}

void progress_trial_start(struct progress *p, const char *target, const char *workload,
                          int connections, int round, int attempt) {
    p->number = p->finished + 1;
    p->started_ns = clock_mono_ns();
    progress_cell_text(p->cell, sizeof p->cell, target, workload, connections, round, attempt);
    progress_draw(p);
}

/* A figure with three digits and its unit; "?" where it was not measured. */
static void progress_figure(char *out, size_t size, double value, const char *unit) {
    if (isnan(value)) {
        snprintf(out, size, "?%s", unit);
        return;
    }
    const char *scale = "";
    if (value >= 99999.5) {
        value /= 1000;
        scale = "k";
    }
    int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    snprintf(out, size, "%.*f%s%s", digits, value, scale, unit);
}

static void progress_figures_text(const struct progress *p, const struct trial_record *r, char *out,
                                  size_t size) {
    char rate[48];
    char cpu[48];
    char tail[48];
    char unit[16];
    const char *micro = p->style.utf8 ? "\u00b5s" : "us";
    double p99 = r->raw.p99_us < 0 ? UNKNOWN_REAL : (double)r->raw.p99_us;
    bool slow = p99 >= 10000;
    progress_figure(rate, sizeof rate, r->rate, " req/s");
    snprintf(unit, sizeof unit, " %s/req", micro);
    progress_figure(cpu, sizeof cpu, r->server.cpu_us_per_request, unit);
    snprintf(unit, sizeof unit, " %s", slow ? "ms" : micro);
    progress_figure(tail, sizeof tail, slow ? p99 / 1000 : p99, unit);
    bool known = r->raw.p99_us >= 0; /* not where requests are pipelined */
    snprintf(out, size, "%s %s%s%s", rate, cpu, known ? " p99 " : "", known ? tail : "");
}

void progress_trial_end(struct progress *p, const struct trial_record *r) {
    char cell[PART_SIZE];
    p->finished++;
    p->started_ns = 0;
    if (r->wall_s > 0) {
        p->wall_s += r->wall_s;
        p->walls++;
    }
    progress_cell_text(cell, sizeof cell, r->target, r->workload, r->connections, r->round,
                       r->attempt);
    if (r->status == TRIAL_FAILED) {
        snprintf(p->figures, sizeof p->figures, "failed");
        progress_note(p, "%s: failed (%s): %s", cell, record_failure_name(r->failure), r->reason);
        return;
    }
    progress_figures_text(p, r, p->figures, sizeof p->figures);
    if (p->style.mode == PROGRESS_LINES) {
        progress_note(p, "%" PRId64 "/%" PRId64 "  %s: %s", p->number, p->total, cell, p->figures);
    } else {
        progress_draw(p);
    }
}

void progress_more(struct progress *p, int64_t trials) {
    p->total += trials;
}

void progress_tick(struct progress *p) {
    progress_draw(p);
}

void progress_note(struct progress *p, const char *format, ...) {
    char text[1024];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    for (char *c = text; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f) {
            *c = '?';
        }
    }
    bool again = p->drawn;
    progress_clear(p);
    fprintf(p->out, "%s\n", text);
    if (again) {
        progress_draw(p);
    }
    fflush(p->out);
}

void progress_end(struct progress *p) {
    if (!p) {
        return;
    }
    progress_clear(p);
    fflush(p->out);
    free(p);
}
