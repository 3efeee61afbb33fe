#include "report/findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/findings_parts.h"
#include "report/summary.h"

bool maker_begin(struct maker *m) {
    struct err ignored;
    if (m->failed || text_begin(&m->say, &ignored) != 0) {
        m->failed = true;
        return false;
    }
    return true;
}

/* One more finding, or NULL out of memory. */
static struct finding *maker_add(struct maker *m) {
    struct findings *f = m->f;
    if (f->count == m->room) {
        const size_t room = m->room ? 2 * m->room : 16;
        struct finding *grown = realloc(f->finding, room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        f->finding = grown;
        m->room = room;
    }
    return &f->finding[f->count];
}

char *maker_take(struct maker *m) {
    const bool bad = ferror(m->say.f) != 0;
    if (fclose(m->say.f) != 0 || bad) {
        m->failed = true;
    }
    m->say.f = NULL;
    if (m->failed) {
        text_drop(&m->say);
        return NULL;
    }
    char *text = m->say.data;
    m->say = (struct text_file){0};
    return text;
}

void maker_end(struct maker *m, enum finding_kind kind, enum verdict_about about, double size) {
    char *text = maker_take(m);
    struct finding *added = text ? maker_add(m) : NULL;
    if (!added) {
        m->failed = true;
        free(text);
        return;
    }
    *added = (struct finding){kind, about, size, m->f->count, text};
    m->f->count++;
}

void maker_caution(struct maker *m) {
    maker_end(m, FINDING_CAUTION, ABOUT_COUNT, 0);
}

const char *maker_target(const struct maker *m, const struct cell *cell) {
    return m->v->cells->targets[cell->target].name;
}

void maker_levels(FILE *f, const int levels[], size_t n) {
    for (size_t i = 0; i < n; i++) {
        fprintf(f, "%s%d", i == 0 ? "" : i + 1 == n ? " and " : ", ", levels[i]);
    }
    fputs(n == 1 && levels[0] == 1 ? " connection" : " connections", f);
}

void maker_cell(FILE *f, const struct cell *cell) {
    fprintf(f, "%s, ", cell->workload);
    maker_levels(f, &cell->connections, 1);
}

static int compare_findings(const void *a, const void *b) {
    const struct finding *x = a;
    const struct finding *y = b;
    if (x->about != y->about) {
        return x->about < y->about ? -1 : 1;
    }
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->size < y->size || x->size > y->size) {
        return x->size > y->size ? -1 : 1;
    }
    return x->nth < y->nth ? -1 : 1;
}

int findings_make(struct findings *f, const struct verdicts *v, struct err *e) {
    struct maker m = {.v = v, .f = f};
    *f = (struct findings){0};
    findings_judge_run(f, v);
    findings_say_resolution(&m);
    findings_say_verdicts(&m);
    findings_say_cautions(&m);
    if (m.failed) {
        findings_release(f);
        return err_set(e, ERR_MACHINE, "out of memory for the findings of %s",
                       v->cells->store->dir);
    }
    if (f->count > 0) {
        qsort(f->finding, f->count, sizeof *f->finding, compare_findings);
    }
    return 0;
}

void findings_release(struct findings *f) {
    for (size_t i = 0; i < f->count; i++) {
        free(f->finding[i].text);
    }
    free(f->finding);
    free(f->resolution_text);
    *f = (struct findings){0};
}

const char *findings_validity_name(enum findings_validity validity) {
    switch (validity) {
    case FINDINGS_VALIDATED:
        return "validated";
    case FINDINGS_NOT_VALIDATED:
        return "not validated";
    case FINDINGS_NOT_JUDGED:
        break;
    }
    return "not judged";
}

#define PRINT_COLUMNS   100
#define PRINT_SENTENCES 8

/* Words of `text` up to the column limit, further lines set in by `indent`. */
static void print_wrapped(FILE *out, const char *text, size_t column, size_t indent) {
    while (*text) {
        size_t len = strcspn(text, " ");
        size_t columns = 0;
        for (size_t i = 0; i < len; i += text_char_len(text + i)) {
            columns++;
        }
        if (column > indent && column + 1 + columns > PRINT_COLUMNS) {
            fprintf(out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, len, out);
        column += columns;
        text += len;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

/* Inert on a terminal. */
static void print_text(FILE *out, const char *text, size_t column, size_t indent, bool utf8) {
    const size_t room = strlen(text) + 16;
    char *shown = malloc(room);
    if (shown) {
        text_terminal(shown, room, text, room, utf8);
        print_wrapped(out, shown, column, indent);
        free(shown);
    }
}

void findings_print_validity(FILE *out, const struct findings *f, bool utf8) {
    fprintf(out, "%s:", f->validity_word);
    print_text(out, f->validity_reason, strlen(f->validity_word) + 1, 2, utf8);
}

void findings_print(FILE *out, const struct findings *f, bool utf8) {
    size_t said = 0;
    size_t all = 0;
    fputs(f->count > 0 ? "\n" : "", out);
    for (size_t i = 0; i < f->count; i++) {
        const bool caution = f->finding[i].kind == FINDING_CAUTION;
        all += !caution;
        if (!caution && said < PRINT_SENTENCES) {
            fputs("- ", out);
            print_text(out, f->finding[i].text, 2, 2, utf8);
            said++;
        }
    }
    if (all > said) {
        fprintf(out, "  and %zu more findings in report.md\n", all - said);
    }
    size_t cautions = f->count - all;
    if (cautions > 0) {
        fprintf(out, "  what not to conclude: %zu note%s in report.md\n", cautions,
                cautions == 1 ? "" : "s");
    }
}

int findings_print_run(FILE *out, const struct cells *c, bool utf8, struct err *e) {
    const struct verdicts_options as_begun = {0};
    struct verdicts v;
    struct findings f;
    if (verdicts_build(&v, c, &as_begun, e) != 0) {
        return -1;
    }
    int rc = findings_make(&f, &v, e);
    if (rc == 0) {
        findings_print_validity(out, &f, utf8);
        summary_print(out, c, utf8);
        findings_print(out, &f, utf8);
        findings_release(&f);
    }
    verdicts_release(&v);
    return rc;
}
