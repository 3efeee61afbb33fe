/* Counts for a terminal, and the texts that all forms of them share. */
#include <math.h>
#include <string.h>

#include "report/counts.h"
#include "report/figures.h"
#include "report/text.h"

void counts_value_text(char *out, size_t size, enum count_kind kind, double value) {
    if (!isfinite(value)) {
        snprintf(out, size, "n/a");
    } else if (count_info(kind)->decimals == 0) {
        figure_thousands(out, size, round(value));
    } else if (fabs(value) < COUNTS_NONE) {
        snprintf(out, size, "%.*f", count_info(kind)->decimals, 0.0);
    } else {
        /* Below one, what pipelined requests share, two decimals would hide a change of 5%. */
        const int more = fabs(value) < 0.1 ? 2 : fabs(value) < 1;
        snprintf(out, size, "%.*f", count_info(kind)->decimals + more, value);
    }
}

void counts_percent_text(char *out, size_t size, double part) {
    if (part == 0) {
        snprintf(out, size, "0%%");
    } else if (part < 0.00001) {
        snprintf(out, size, "less than 0.001%%");
    } else {
        snprintf(out, size, "%.2g%%", 100 * part);
    }
}

void counts_figure_text(char *out, size_t size, enum count_kind kind,
                        const struct count_figure *f) {
    char value[40];
    char apart[32];
    counts_value_text(value, sizeof value, kind, f->per_request);
    counts_percent_text(apart, sizeof apart, f->spread);
    switch (f->state) {
    case COUNT_MISSING:
        snprintf(out, size, "n/a");
        break;
    case COUNT_SETTLED:
        snprintf(out, size, "%s (agree to %s)", value, apart);
        break;
    case COUNT_UNSETTLED:
        snprintf(out, size, "%s (did not settle: %s apart)", value, apart);
        break;
    }
}

bool counts_have(const struct counts *c, enum count_kind kind) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->record[i].figure[kind].state != COUNT_MISSING) {
            return true;
        }
    }
    return false;
}

void counts_line(char *out, size_t size, const struct count_record *r) {
    static const enum count_kind kinds[] = {COUNT_INSTRUCTIONS, COUNT_SYSCALLS, COUNT_ALLOCATIONS,
                                            COUNT_RECEIVED};
    size_t used = 0;
    *out = '\0';
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && used < size; i++) {
        char value[40];
        const struct count_figure *f = &r->figure[kinds[i]];
        counts_value_text(value, sizeof value, kinds[i], f->per_request);
        used += (size_t)snprintf(out + used, size - used, "%s%s %s%s", i ? ", " : "", value,
                                 kinds[i] == COUNT_RECEIVED ? "bytes" : count_info(kinds[i])->title,
                                 f->state == COUNT_UNSETTLED ? " (did not settle)" : "");
    }
}

static void put_text(FILE *out, const char *text, size_t columns, bool utf8) {
    char shown[4 * 100 + 8];
    const size_t used = text_terminal(shown, sizeof shown, text, columns, utf8);
    fprintf(out, "%s%*s ", shown, used < columns ? (int)(columns - used) : 0, "");
}

static const struct {
    enum count_kind kind;
    int width;
    const char *heading;
} columns[] = {
    {COUNT_INSTRUCTIONS, 13, "instructions"},
    {COUNT_KERNEL, 10, "in kernel"},
    {COUNT_SYSCALLS, 7, "calls"},
    {COUNT_ALLOCATIONS, 12, "allocations"},
    {COUNT_SENT, 9, "bytes in"},
    {COUNT_RECEIVED, 10, "bytes out"},
};
#define COLUMNS (sizeof columns / sizeof columns[0])

/* The widest spread of a record's figures but the kernel's, which no repeat brings together; of
 * those that did not settle, where there are any, and then by name. */
static void put_spread(FILE *out, const struct count_record *r) {
    const struct count_figure *worst = NULL;
    char text[40];
    for (int k = 0; k < COUNT_KINDS; k++) {
        const struct count_figure *f = &r->figure[k];
        if (k != COUNT_KERNEL && f->state != COUNT_MISSING &&
            (!worst || f->state > worst->state ||
             (f->state == worst->state && f->spread > worst->spread))) {
            worst = f;
        }
    }
    if (!worst) {
        fputs("  nothing was counted\n", out);
        return;
    }
    counts_percent_text(text, sizeof text, worst->spread);
    if (worst->state == COUNT_SETTLED) {
        fprintf(out, "  agree to %s\n", text);
    } else {
        fprintf(out, "  %s did not settle: %s\n",
                count_info((enum count_kind)(worst - r->figure))->title, text);
    }
}

static bool has_reason(const struct count_record *r, const char *reason) {
    for (int k = 0; k < COUNT_KINDS; k++) {
        if (r->figure[k].state == COUNT_MISSING && strcmp(r->figure[k].reason, reason) == 0) {
            return true;
        }
    }
    return false;
}

/* A reason that one of the records before this figure has given already. */
static bool was_said(const struct counts *c, size_t record, int kind) {
    const char *reason = c->record[record].figure[kind].reason;
    for (size_t i = 0; i < record; i++) {
        if (has_reason(&c->record[i], reason)) {
            return true;
        }
    }
    for (int k = 0; k < kind; k++) {
        if (strcmp(c->record[record].figure[k].reason, reason) == 0) {
            return true;
        }
    }
    return false;
}

/* Each reason once, with the first figure and target that it is given for. */
static void put_missing(FILE *out, const struct counts *c, bool utf8) {
    for (size_t i = 0; i < c->count; i++) {
        for (int k = 0; k < COUNT_KINDS; k++) {
            const struct count_figure *f = &c->record[i].figure[k];
            char shown[4 * COUNTS_REASON_SIZE];
            char name[4 * RECORD_NAME_SIZE];
            size_t more = 0;
            if (f->state != COUNT_MISSING || !*f->reason || was_said(c, i, k)) {
                continue;
            }
            for (size_t n = i + 1; n < c->count; n++) {
                more += has_reason(&c->record[n], f->reason);
            }
            text_terminal(shown, sizeof shown, f->reason, COUNTS_REASON_SIZE, utf8);
            text_terminal(name, sizeof name, c->record[i].target, RECORD_NAME_SIZE, utf8);
            fprintf(out, "n/a: %s of %s", count_info((enum count_kind)k)->title, name);
            if (more > 0) {
                fprintf(out, " and %zu more", more);
            }
            fprintf(out, ": %s\n", shown);
        }
    }
}

bool counts_damage(const struct counts *c, const char *of, char *out, size_t size) {
    if (c->torn && c->lost > 0) {
        snprintf(out, size,
                 "the last line of %s" COUNTS_FILE
                 " was cut short and is left out, and it has lost "
                 "%zu more; count again with --add",
                 of, c->lost);
    } else if (c->torn) {
        snprintf(out, size, "the last line of %s" COUNTS_FILE " was cut short and is left out", of);
    } else if (c->lost > 0) {
        snprintf(out, size, "%s" COUNTS_FILE " has lost %zu of its lines; count again with --add",
                 of, c->lost);
    }
    return c->torn || c->lost > 0;
}

void counts_print(FILE *out, const struct counts *c, bool utf8) {
    char damage[COUNTS_DAMAGE_SIZE];
    const char *workload = "";
    for (size_t i = 0; i < c->count; i++) {
        const struct count_record *r = &c->record[i];
        if (strcmp(workload, r->workload) != 0) {
            workload = r->workload;
            fputs("\n", out);
            put_text(out, workload, 19, utf8);
            for (size_t k = 0; k < COLUMNS; k++) {
                fprintf(out, "%*s", columns[k].width, columns[k].heading);
            }
            fputs("  of one request\n", out);
        }
        char name[4 * RECORD_NAME_SIZE];
        snprintf(name, sizeof name, "%s", r->target);
        if (r->connections > 1 || r->pipeline > 1) {
            const size_t used = strlen(name);
            snprintf(name + used, sizeof name - used, " c=%d", r->connections);
        }
        if (r->pipeline > 1) {
            const size_t used = strlen(name);
            snprintf(name + used, sizeof name - used, " p=%d", r->pipeline);
        }
        put_text(out, name, 19, utf8);
        for (size_t k = 0; k < COLUMNS; k++) {
            char value[40];
            counts_value_text(value, sizeof value, columns[k].kind,
                              r->figure[columns[k].kind].per_request);
            fprintf(out, "%*s", columns[k].width, value);
        }
        put_spread(out, r);
    }
    fputc('\n', out);
    put_missing(out, c, utf8);
    if (counts_damage(c, "", damage, sizeof damage)) {
        fprintf(out, "%s\n", damage);
    }
}
