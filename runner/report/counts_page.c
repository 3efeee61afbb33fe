/* "What one request costs", in a report. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "report/counts.h"
#include "report/figures.h"
#include "report/page_parts.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void put_value(struct doc *d, enum count_kind kind, const struct count_figure *f) {
    char text[48];
    const struct doc_value value = {count_info(kind)->key, f->per_request, NAN, NAN};
    counts_value_text(text, sizeof text, kind, f->per_request);
    doc_cell_value(d, &value);
    doc_say(d, "%s", text);
}

static void put_number(struct doc *d, double v, int decimals) {
    char text[48];
    doc_cell(d);
    if (!isfinite(v)) {
        snprintf(text, sizeof text, "n/a");
    } else if (decimals == 0) {
        figure_thousands(text, sizeof text, round(v));
    } else {
        snprintf(text, sizeof text, "%.*f", decimals, v);
    }
    doc_say(d, "%s", text);
}

/* Target and, where there are several, connections and pipeline. */
static void row_begin(struct doc *d, const struct count_record *r) {
    const struct doc_row row = {
        .workload = r->workload, .connections = r->connections, .a = r->target};
    doc_row(d, &row);
    doc_cell(d);
    doc_name(d, r->workload);
    doc_cell(d);
    doc_name(d, r->target);
    doc_cell(d);
    doc_say(d, "%d", r->connections);
    if (r->pipeline > 1) {
        doc_say(d, " × %d", r->pipeline);
    }
}

/* The spread of the figure that decides, in words. */
static void put_agreement(struct doc *d, const struct count_record *r) {
    char text[48];
    const struct count_figure *worst = NULL;
    for (int k = 0; k < COUNT_KINDS; k++) {
        const struct count_figure *f = &r->figure[k];
        if (k != COUNT_KERNEL && f->state != COUNT_MISSING &&
            (!worst || f->state > worst->state ||
             (f->state == worst->state && f->spread > worst->spread))) {
            worst = f;
        }
    }
    doc_cell(d);
    if (!worst) {
        doc_say(d, "nothing was counted");
        return;
    }
    counts_percent_text(text, sizeof text, worst->spread);
    if (worst->state == COUNT_SETTLED) {
        doc_say(d, "%s", text);
    } else {
        doc_say(d, "%s did not settle: %s", count_info((enum count_kind)(worst - r->figure))->title,
                text);
    }
}

static void put_table(struct doc *d, const struct counts *c) {
    static const struct doc_column all[] = {
        {"workload", DOC_TEXT},       {"target", DOC_NAME},         {"connections", DOC_NUMBER},
        {"instructions", DOC_NUMBER}, {"system calls", DOC_NUMBER}, {"allocations", DOC_NUMBER},
        {"bytes in", DOC_NUMBER},     {"bytes out", DOC_NUMBER},    {"counts agree to", DOC_TEXT},
    };
    static const enum count_kind kinds[] = {COUNT_INSTRUCTIONS, COUNT_SYSCALLS, COUNT_ALLOCATIONS,
                                            COUNT_SENT, COUNT_RECEIVED};
    doc_table(d, "What one request costs", all, COUNT(all));
    for (size_t i = 0; i < c->count; i++) {
        row_begin(d, &c->record[i]);
        for (size_t k = 0; k < COUNT(kinds); k++) {
            put_value(d, kinds[k], &c->record[i].figure[kinds[k]]);
        }
        put_agreement(d, &c->record[i]);
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void put_hardware(struct doc *d, const struct counts *c) {
    static const struct doc_column all[] = {
        {"workload", DOC_TEXT},     {"target", DOC_NAME},   {"connections", DOC_NUMBER},
        {"user space", DOC_NUMBER}, {"kernel", DOC_NUMBER}, {"kernel, spread", DOC_NUMBER},
    };
    char text[48];
    if (!counts_have(c, COUNT_USER)) {
        return;
    }
    doc_whole(d, DOC_SUBSECTION, NULL, "Instructions as the processor counts them");
    doc_table(d, "Instructions as the processor counts them", all, COUNT(all));
    for (size_t i = 0; i < c->count; i++) {
        const struct count_figure *f = c->record[i].figure;
        row_begin(d, &c->record[i]);
        put_value(d, COUNT_USER, &f[COUNT_USER]);
        put_value(d, COUNT_KERNEL, &f[COUNT_KERNEL]);
        counts_percent_text(text, sizeof text, f[COUNT_KERNEL].spread);
        doc_cell(d);
        doc_say(d, "%s", f[COUNT_KERNEL].state == COUNT_MISSING ? "n/a" : text);
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void put_parts(struct doc *d, const struct counts *c) {
    static const struct doc_column all[] = {
        {"workload", DOC_TEXT},     {"target", DOC_NAME},   {"connections", DOC_NUMBER},
        {"event loop", DOC_NUMBER}, {"parser", DOC_NUMBER}, {"application", DOC_NUMBER},
        {"libc", DOC_NUMBER},       {"other", DOC_NUMBER},
    };
    if (!counts_have(c, COUNT_INSTRUCTIONS)) {
        return;
    }
    doc_whole(d, DOC_SUBSECTION, NULL, "Instructions by part");
    doc_table(d, "Instructions by part", all, COUNT(all));
    for (size_t i = 0; i < c->count; i++) {
        const struct count_record *r = &c->record[i];
        row_begin(d, r);
        for (int p = 0; p < COUNT_PARTS; p++) {
            put_number(d, r->figure[COUNT_INSTRUCTIONS].state == COUNT_MISSING ? NAN : r->part[p],
                       0);
        }
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void put_calls(struct doc *d, const struct counts *c) {
    static const struct doc_column all[] = {
        {"workload", DOC_TEXT},
        {"target", DOC_NAME},
        {"connections", DOC_NUMBER},
        {"system calls of one request", DOC_TEXT},
    };
    if (!counts_have(c, COUNT_SYSCALLS)) {
        return;
    }
    doc_whole(d, DOC_SUBSECTION, NULL, "System calls by name");
    doc_table(d, "System calls by name", all, COUNT(all));
    for (size_t i = 0; i < c->count; i++) {
        const struct count_record *r = &c->record[i];
        row_begin(d, r);
        doc_cell(d);
        for (size_t k = 0; k < r->calls; k++) {
            doc_say(d, "%s", k ? ", " : "");
            doc_code(d, r->call[k].name);
            doc_say(d, " %.3g", r->call[k].per_request);
        }
        if (r->calls == 0) {
            doc_say(d, "n/a");
        }
        doc_row_end(d);
    }
    doc_table_end(d);
}

static void put_functions(struct doc *d, const struct counts *c) {
    static const struct doc_column all[] = {
        {"function", DOC_NAME},       {"in", DOC_TEXT},      {"part", DOC_TEXT},
        {"instructions", DOC_NUMBER}, {"share", DOC_NUMBER},
    };
    if (!counts_have(c, COUNT_INSTRUCTIONS)) {
        return;
    }
    doc_whole(d, DOC_SUBSECTION, NULL, "The functions that cost most");
    for (size_t i = 0; i < c->count; i++) {
        const struct count_record *r = &c->record[i];
        if (r->functions == 0) {
            continue;
        }
        doc_begin(d, DOC_SMALL, NULL);
        doc_name(d, r->target);
        doc_say(d, ", ");
        doc_name(d, r->workload);
        doc_say(d, ", %d connection%s", r->connections, r->connections == 1 ? "" : "s");
        if (r->pipeline > 1) {
            doc_say(d, ", pipeline %d", r->pipeline);
        }
        doc_close(d, DOC_SMALL);
        doc_table(d, "The functions that cost most", all, COUNT(all));
        for (size_t k = 0; k < r->functions; k++) {
            const struct count_function *f = &r->function[k];
            doc_row(d, NULL);
            doc_cell(d);
            doc_code(d, *f->name ? f->name : "?");
            doc_cell(d);
            doc_name(d, *f->object ? f->object : "?");
            doc_cell(d);
            doc_say(d, "%s", count_part_name(f->part));
            put_number(d, f->per_request, 0);
            doc_cell(d);
            doc_say(d, "%.1f%%", 100 * f->per_request / r->figure[COUNT_INSTRUCTIONS].per_request);
            doc_row_end(d);
        }
        doc_table_end(d);
    }
}

/* Each reason once, with what it kept from being counted. */
static void put_missing(struct doc *d, const struct counts *c) {
    bool any = false;
    for (size_t i = 0; i < c->count * COUNT_KINDS; i++) {
        const struct count_record *r = &c->record[i / COUNT_KINDS];
        const enum count_kind kind = (enum count_kind)(i % COUNT_KINDS);
        const struct count_figure *f = &r->figure[kind];
        if (f->state != COUNT_MISSING || !*f->reason) {
            continue;
        }
        bool before = false;
        for (size_t k = kind; k < i && !before; k += COUNT_KINDS) {
            before = strcmp(c->record[k / COUNT_KINDS].figure[kind].reason, f->reason) == 0;
        }
        if (before) {
            continue;
        }
        if (!any) {
            doc_whole(d, DOC_SUBSECTION, NULL, "What was not counted");
            doc_begin(d, DOC_LIST, NULL);
            any = true;
        }
        doc_begin(d, DOC_ITEM, NULL);
        doc_say(d, "%s of ", count_info(kind)->title);
        bool first = true;
        for (size_t k = i / COUNT_KINDS; k < c->count; k++) {
            if (strcmp(c->record[k].figure[kind].reason, f->reason) == 0) {
                doc_say(d, "%s", first ? "" : ", ");
                doc_name(d, c->record[k].target);
                doc_say(d, " (");
                doc_name(d, c->record[k].workload);
                doc_say(d, ")");
                first = false;
            }
        }
        doc_say(d, ": ");
        doc_name(d, f->reason);
        doc_close(d, DOC_ITEM);
    }
    if (any) {
        doc_close(d, DOC_LIST);
    }
}

static const char *gist_of(const struct plot *p) {
    return strncmp(p->name, "instructions", 12) == 0
               ? "Fewer is better. Instructions of user space that the server executes for one "
                 "request, by where they are spent."
               : "Fewer is better. System calls that the server makes for one request, by name.";
}

/* "500", or "500 to 512" where levels, which take whole turns, differ. */
static void requests_text(char *out, size_t size, const struct counts *c, bool high) {
    int64_t least = INT64_MAX;
    int64_t most = 0;
    for (size_t i = 0; i < c->count; i++) {
        const int64_t n = high ? c->record[i].high : c->record[i].low;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    if (least == most) {
        snprintf(out, size, "%lld", (long long)least);
    } else {
        snprintf(out, size, "%lld to %lld", (long long)least, (long long)most);
    }
}

void counts_page(struct doc *d, const struct counts *c, const struct plots *p) {
    if (c->count == 0) {
        return;
    }
    char damage[COUNTS_DAMAGE_SIZE];
    char low[48];
    char high[48];
    requests_text(low, sizeof low, c, false);
    requests_text(high, sizeof high, c, true);
    doc_whole(d, DOC_SECTION, "counts", "What one request costs");
    doc_begin(d, DOC_PARAGRAPH, NULL);
    doc_say(d,
            "Counted, not timed: these figures do not depend on how busy the machine was. Each is "
            "the difference between two fresh processes, one that answered %s requests and one "
            "that answered %s, divided by the requests between them, so that start and end fall "
            "out; it was repeated until they agreed within %g%%. ",
            low, high, 100 * COUNTS_TOLERANCE);
    doc_see(d, "counts.md", "What is counted, and what is not");
    doc_say(d, ".");
    doc_close(d, DOC_PARAGRAPH);
    if (counts_damage(c, "", damage, sizeof damage)) {
        doc_begin(d, DOC_BAD, NULL);
        doc_say(d, "%c%s.", c->torn ? toupper((unsigned char)damage[0]) : damage[0], damage + 1);
        doc_close(d, DOC_BAD);
    }
    put_table(d, c);
    for (size_t i = 0; p && i < p->count; i++) {
        doc_picture(d, &p->plot[i], gist_of(&p->plot[i]));
    }
    put_parts(d, c);
    put_calls(d, c);
    put_functions(d, c);
    put_hardware(d, c);
    put_missing(d, c);
}
