#include "report/summary.h"

#include <math.h>
#include <string.h>

#include "report/text.h"

#define NAME_COLUMNS 19

struct column {
    const char *heading;
    enum figure_id id;
    int width;
    bool interval;
};

/* 19 for the name and these, with a blank between, are 100 with rounds and errors. */
static const struct column columns[] = {
    {"CPU/req", FIG_CPU, 21, true}, {"req/s", FIG_RATE, 11, false},
    {"p50", FIG_P50, 7, false},     {"p99", FIG_P99, 7, false},
    {"p99.9", FIG_P999, 7, false},  {"memory", FIG_RSS_PEAK, 9, false},
};

#define COLUMNS (sizeof columns / sizeof columns[0])

/* So many requests have no p99.9 to speak of; they have a time. */
static const struct column time_column = {"time", FIG_DURATION, 7, false};

static const struct column *column_at(const struct cells *c, size_t i) {
    return c->counts && columns[i].id == FIG_P999 ? &time_column : &columns[i];
}

static size_t width_of(const char *text) {
    size_t n = 0;
    for (; *text; text += text_char_len(text)) {
        n++;
    }
    return n;
}

/* Without UTF-8, µ and ≥ are written as u and >=. */
static void plain(char *text) {
    char *out = text;
    for (const char *in = text; *in;) {
        if (strncmp(in, "µ", strlen("µ")) == 0) {
            *out++ = 'u';
            in += strlen("µ");
        } else if (strncmp(in, "≥", strlen("≥")) == 0) {
            *out++ = '>';
            *out++ = '=';
            in += strlen("≥");
        } else {
            *out++ = *in++;
        }
    }
    *out = '\0';
}

static void put_right(FILE *out, const char *text, int width) {
    size_t used = width_of(text);
    fprintf(out, " %*s%s", used < (size_t)width ? width - (int)used : 0, "", text);
}

/* What stands before a throughput: who set it. */
static const char *client_mark(const struct cells *c, const struct cell *cell) {
    switch (cell->client) {
    case CLIENT_LIMITED:
        return "≥";
    case CLIENT_NEAR:
        return "~";
    case CLIENT_UNKNOWN:
        return c->targets[cell->target].role == ROLE_NULL ? "" : "?";
    case CLIENT_FREE:
        break;
    }
    return "";
}

static void put_figure(FILE *out, const struct cells *c, const struct cell *cell,
                       const struct column *column, bool utf8) {
    const struct figure *f = &cell->figure[column->id];
    char value[40];
    char text[96];
    figure_format(value, sizeof value, column->id, f->s.median);
    const bool rate = column->id == FIG_RATE && isfinite(f->s.median);
    snprintf(text, sizeof text, "%s%s", rate ? client_mark(c, cell) : "", value);
    if (column->interval && isfinite(f->s.lo)) {
        const struct figure_scale s = figure_scale(column->id, f->s.median);
        snprintf(text, sizeof text, "%s [%.*f, %.*f]", value, s.decimals, f->s.lo / s.divisor,
                 s.decimals, f->s.hi / s.divisor);
    }
    if (!utf8) {
        plain(text);
    }
    put_right(out, text, column->width);
}

static void put_errors(FILE *out, const struct cell *cell) {
    char text[40];
    snprintf(text, sizeof text, "%d/%d", cell->measured - cell->failed, cell->planned);
    put_right(out, text, 6);
    if (cell->errors < 0) {
        snprintf(text, sizeof text, "n/a");
    } else if (cell->errors < 100000) {
        snprintf(text, sizeof text, "%d", (int)cell->errors);
    } else {
        snprintf(text, sizeof text, "%.0e", (double)cell->errors);
    }
    put_right(out, text, 5);
}

static void put_row(FILE *out, const struct cells *c, const struct cell *cell, bool utf8) {
    char name[4 * NAME_COLUMNS + 8];
    size_t used =
        text_terminal(name, sizeof name, c->targets[cell->target].name, NAME_COLUMNS, utf8);
    fprintf(out, "%s%*s", name, (int)(NAME_COLUMNS - used), "");
    for (size_t i = 0; i < COLUMNS; i++) {
        put_figure(out, c, cell, column_at(c, i), utf8);
    }
    put_errors(out, cell);
    fputc('\n', out);
}

static void put_heading(FILE *out, const struct cells *c, const struct cell *cell, bool utf8) {
    const char *workload = cell->workload;
    int level = cell->connections;
    char title[4 * 40 + 8];
    char n[24];
    text_terminal(title, sizeof title, workload, 40, utf8);
    figure_thousands(n, sizeof n, level);
    fprintf(out, "\n%s, %s connection%s\n%-*s", title, n, level == 1 ? "" : "s", NAME_COLUMNS,
            "target");
    for (size_t i = 0; i < COLUMNS; i++) {
        put_right(out, column_at(c, i)->heading, column_at(c, i)->width);
    }
    put_right(out, "rounds", 6);
    put_right(out, "errs", 5);
    fputc('\n', out);
}

/* What the marks before throughputs mean, of those that are there. */
static void put_marks(FILE *out, const struct cells *c, bool utf8) {
    bool seen[CLIENT_UNKNOWN + 1] = {false};
    bool cpu = false; /* known where throughput is a lower bound */
    for (size_t i = 0; c->cell && i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        if (isfinite(cell->figure[FIG_RATE].s.median) && *client_mark(c, cell)) {
            seen[cell->client] = true;
            cpu =
                cpu || (cell->client == CLIENT_LIMITED && isfinite(cell->figure[FIG_CPU].s.median));
        }
    }
    if (seen[CLIENT_LIMITED]) {
        fprintf(out, "%s: set by the load generator, a lower bound; %s.\n", utf8 ? "≥" : ">=",
                cpu ? "CPU/req compares" : "nothing compares, CPU/req being n/a");
    }
    if (seen[CLIENT_NEAR]) {
        fputs("~: near what the load generator can do; targets may differ by more than it shows.\n",
              out);
    }
    if (seen[CLIENT_UNKNOWN]) {
        fputs("?: it is not known whether the load generator set it.\n", out);
    }
}

static void put_legend(FILE *out, const struct cells *c, bool utf8) {
    bool missing = false;
    for (size_t i = 0; c->cell && i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        missing = missing || cell->figure[FIG_P99].missing[0] ||
                  (!c->counts && cell->figure[FIG_P999].missing[0]);
    }
    fprintf(out, "\nMedians of %zu round%s%s; memory is the peak.\n", c->rounds,
            c->rounds == 1 ? "" : "s",
            c->rounds >= ORDER_MIN_N ? " [95% interval]" : ", too few for intervals");
    put_marks(out, c, utf8);
    if (missing) {
        fputs("n/a: see \"What is missing, and why\" in report.md.\n", out);
    }
}

void summary_print(FILE *out, const struct cells *c, bool utf8) {
    const struct cell *before = NULL;
    if (*c->mode) {
        char mode[4 * 80 + 8];
        text_terminal(mode, sizeof mode, c->mode, 80, utf8);
        fprintf(out, "\nMode: %s\n", mode);
    }
    for (size_t i = 0; i < c->count; i++) {
        const struct cell *cell = &c->cell[i];
        if (!before || before->connections != cell->connections ||
            strcmp(before->workload, cell->workload) != 0) {
            put_heading(out, c, cell, utf8);
        }
        put_row(out, c, cell, utf8);
        before = cell;
    }
    put_legend(out, c, utf8);
}
