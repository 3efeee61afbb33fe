#include "report/counts_compare.h"

#include <math.h>
#include <string.h>

#include "report/counts.h"
#include "report/text.h"

#define NAME_COLUMNS 24

static enum count_kind metric_find(const char *name, size_t len) {
    int k = 0;
    for (; k < COUNT_KINDS; k++) {
        const char *metric = count_info((enum count_kind)k)->metric;
        if (metric && strlen(metric) == len && strncmp(metric, name, len) == 0) {
            break;
        }
    }
    return (enum count_kind)k;
}

static int gate_take(struct counts_gate *g, const char *item, const char *end, enum count_kind kind,
                     struct err *e) {
    const char *metric = count_info(kind)->metric;
    const char *at = item + strlen(metric);
    double percent = 0;
    if (gate_read_percent(&at, metric, &percent, e) != 0) {
        return -1;
    }
    at += strspn(at, " ");
    if (at != end) {
        return err_set(e, ERR_USAGE, "--fail-on: '%.*s' after %s>%g%%; separate limits by commas",
                       end - at < 32 ? (int)(end - at) : 32, at, metric, percent);
    }
    for (size_t i = 0; i < g->count; i++) {
        if (g->limit[i].kind == kind) {
            return err_set(e, ERR_USAGE, "--fail-on: %s has two limits; keep one", metric);
        }
    }
    g->limit[g->count++] = (struct counts_limit){kind, percent};
    return 0;
}

int counts_gate_parse(struct counts_gate *g, const char *text, char *rest, size_t size,
                      struct err *e) {
    size_t used = 0;
    *g = (struct counts_gate){0};
    *rest = '\0';
    for (const char *at = text;;) {
        const size_t len = strcspn(at, ",");
        const char *item = at + strspn(at, " ");
        const enum count_kind kind =
            item < at + len ? metric_find(item, strcspn(item, "<>=, %")) : COUNT_KINDS;
        if (kind != COUNT_KINDS) {
            if (gate_take(g, item, at + len, kind, e) != 0) {
                return -1;
            }
        } else {
            const int n =
                snprintf(rest + used, size - used, "%s%.*s", used ? "," : "", (int)len, at);
            if (n < 0 || (size_t)n >= size - used) {
                return err_set(e, ERR_USAGE, "--fail-on: the list is too long");
            }
            used += (size_t)n;
        }
        if (!at[len]) {
            return 0;
        }
        at += len + 1;
    }
}

struct counts_change counts_change_of(const struct count_figure *a, const struct count_figure *b) {
    struct counts_change c = {COUNTS_UNKNOWN, NAN, NAN};
    if (!a || !b || a->state != COUNT_SETTLED || b->state != COUNT_SETTLED) {
        return c;
    }
    const double scale = count_scale(a->per_request);
    const double more = b->per_request - a->per_request;
    const double apart = a->spread * scale + b->spread * count_scale(b->per_request);
    if (more == 0 && apart == 0) {
        c.within = 0; /* equal to the digit, and every time */
    } else {
        c.within = fmax(COUNTS_TOLERANCE, (COUNTS_TOLERANCE + apart) / scale);
    }
    if (fabs(a->per_request) < COUNTS_NONE) {
        c.change = fabs(more) <= c.within ? 0 : more > 0 ? INFINITY : -1;
    } else {
        c.change = more / scale;
    }
    c.kind = fabs(c.change) <= c.within ? COUNTS_SAME : c.change > 0 ? COUNTS_MORE : COUNTS_FEWER;
    return c;
}

enum gate_state counts_gate_judge(const struct counts_limit *limit,
                                  const struct counts_change *change) {
    const double at = limit->percent / 100;
    if (change->kind == COUNTS_UNKNOWN) {
        return GATE_UNDECIDED;
    }
    if (change->change - change->within > at) {
        return GATE_CROSSED;
    }
    return change->change + change->within <= at ? GATE_KEPT : GATE_UNDECIDED;
}

static void put_padded(FILE *out, const char *text, int columns, bool right, bool utf8) {
    char shown[4 * 64 + 8];
    const int used = (int)text_terminal(shown, sizeof shown, text, (size_t)columns, utf8);
    const int pad = used < columns ? columns - used : 0;
    fprintf(out, "%*s%s%*s ", right ? pad : 0, "", shown, right ? 0 : pad, "");
}

/* Why there is no word about two figures. */
static void unknown_text(char *out, size_t size, const struct counts_side *const side[2],
                         const struct count_figure *const f[2]) {
    for (int i = 0; i < 2; i++) {
        char apart[32];
        if (!f[i] || f[i]->state == COUNT_MISSING) {
            snprintf(out, size, "not decided: not counted in %s%s%s", side[i]->label,
                     f[i] && *f[i]->reason ? ": " : "", f[i] ? f[i]->reason : "");
            return;
        }
        if (f[i]->state == COUNT_UNSETTLED) {
            counts_percent_text(apart, sizeof apart, f[i]->spread);
            snprintf(out, size, "not decided: it did not settle in %s (%s apart)", side[i]->label,
                     apart);
            return;
        }
    }
}

static void change_text(char *out, size_t size, const struct counts_change *c,
                        const struct count_figure *const f[2]) {
    char apart[32];
    const double spread = f[0]->spread + f[1]->spread;
    counts_percent_text(apart, sizeof apart, c->within > COUNTS_TOLERANCE ? c->within : spread);
    if (c->kind == COUNTS_SAME) {
        snprintf(out, size, "the same (counts agree to %s)", apart);
    } else if (!isfinite(c->change)) {
        snprintf(out, size, "more, where there were none (counts agree to %s)", apart);
    } else {
        snprintf(out, size, "%s by %.3g%% (counts agree to %s)",
                 c->kind == COUNTS_MORE ? "more" : "fewer", 100 * fabs(c->change), apart);
    }
}

static void cell_text(char *out, size_t size, const struct count_record *r) {
    const int used = snprintf(out, size, "%s c=%d", r->target, r->connections);
    if (r->pipeline > 1 && used > 0 && (size_t)used < size) {
        snprintf(out + used, size - (size_t)used, " p=%d", r->pipeline);
    }
}

static void print_figure(FILE *out, enum count_kind kind, const struct counts_side *const side[2],
                         const struct count_record *const r[2], bool named, bool utf8) {
    const struct count_figure *const f[] = {&r[0]->figure[kind], &r[1]->figure[kind]};
    const struct counts_change c = counts_change_of(f[0], f[1]);
    char text[COUNTS_REASON_SIZE + 96];
    char shown[4 * (COUNTS_REASON_SIZE + 96)];
    char name[RECORD_NAME_SIZE + 40];
    cell_text(name, sizeof name, r[0]);
    put_padded(out, named ? name : "", NAME_COLUMNS, false, utf8);
    put_padded(out, count_info(kind)->title, 22, false, utf8);
    for (int i = 0; i < 2; i++) {
        char value[40];
        counts_value_text(value, sizeof value, kind, f[i]->per_request);
        put_padded(out, value, 10, true, utf8);
    }
    if (c.kind == COUNTS_UNKNOWN) {
        unknown_text(text, sizeof text, side, f);
    } else {
        change_text(text, sizeof text, &c, f);
    }
    text_terminal(shown, sizeof shown, text, sizeof text, utf8);
    fprintf(out, " %s\n", shown);
}

static const struct count_record *twin(const struct counts *c, const struct count_record *r) {
    return counts_find(c, r->target, r->workload, r->connections, r->pipeline);
}

static void print_rows(FILE *out, const struct counts_side *const side[2], bool utf8) {
    static const enum count_kind kinds[] = {COUNT_INSTRUCTIONS, COUNT_SYSCALLS, COUNT_ALLOCATIONS,
                                            COUNT_RECEIVED};
    const char *workload = "";
    for (size_t i = 0; i < side[0]->counts->count; i++) {
        const struct count_record *a = &side[0]->counts->record[i];
        const struct count_record *const r[] = {a, twin(side[1]->counts, a)};
        if (!r[1]) {
            continue;
        }
        if (strcmp(workload, a->workload) != 0) {
            workload = a->workload;
            fputc('\n', out);
            put_padded(out, workload, NAME_COLUMNS, false, utf8);
            put_padded(out, "of one request", 22, false, utf8);
            put_padded(out, side[0]->label, 10, true, utf8);
            put_padded(out, side[1]->label, 10, true, utf8);
            fprintf(out, " %s against %s\n", side[1]->label, side[0]->label);
        }
        for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
            print_figure(out, kinds[k], side, r, k == 0, utf8);
        }
    }
}

static void print_alone(FILE *out, const struct counts_side *a, const struct counts_side *b,
                        bool utf8) {
    for (size_t i = 0; i < a->counts->count; i++) {
        const struct count_record *r = &a->counts->record[i];
        if (!twin(b->counts, r)) {
            char target[4 * NAME_COLUMNS + 8];
            char workload[4 * NAME_COLUMNS + 8];
            text_terminal(target, sizeof target, r->target, NAME_COLUMNS, utf8);
            text_terminal(workload, sizeof workload, r->workload, NAME_COLUMNS, utf8);
            fprintf(out, "only in %s: %s (%s, c=%d", a->label, target, workload, r->connections);
            if (r->pipeline > 1) {
                fprintf(out, ", p=%d", r->pipeline);
            }
            fputs(")\n", out);
        }
    }
}

/* What became of a limit over all cells: the worst, and the first cell that it comes from. */
struct judged {
    enum gate_state state;
    const struct count_record *by; /* NULL = there was none, or it is kept */
};

static void judge_one(struct judged *j, enum gate_state state, const struct count_record *r) {
    if (state != GATE_KEPT && (!j->by || (state == GATE_CROSSED && j->state != GATE_CROSSED))) {
        *j = (struct judged){state, r};
    }
}

/* Which run has lost lines, or NULL. Such a record may have replaced one that stands, or have been
 * of a cell that is not there. */
static const struct counts_side *cut_side(const struct counts_side *const side[2]) {
    for (int i = 0; i < 2; i++) {
        if (side[i]->counts->torn || side[i]->counts->lost > 0) {
            return side[i];
        }
    }
    return NULL;
}

/* A cell that only a single run has is not decided, whichever it is: the other may have been cut
 * short. Where one was, nothing is kept. */
static struct judged judge_all(const struct counts_limit *limit,
                               const struct counts_side *const side[2]) {
    struct judged j = {GATE_KEPT, NULL};
    for (size_t i = 0; i < side[0]->counts->count; i++) {
        const struct count_record *a = &side[0]->counts->record[i];
        const struct count_record *b = twin(side[1]->counts, a);
        const struct counts_change c =
            counts_change_of(&a->figure[limit->kind], b ? &b->figure[limit->kind] : NULL);
        judge_one(&j, counts_gate_judge(limit, &c), a);
    }
    for (size_t i = 0; i < side[1]->counts->count; i++) {
        const struct count_record *b = &side[1]->counts->record[i];
        judge_one(&j, twin(side[0]->counts, b) ? GATE_KEPT : GATE_UNDECIDED, b);
    }
    if (j.state == GATE_KEPT && cut_side(side)) {
        j.state = GATE_UNDECIDED;
    }
    return j;
}

/* `cut`: the run that has lost lines, or NULL; the reason where no cell is one. */
static void print_limit(FILE *out, const struct counts_limit *limit, const struct judged *j,
                        bool empty, const struct counts_side *cut, bool utf8) {
    fprintf(out, "limit %s>%g%%: %s", count_info(limit->kind)->metric, limit->percent,
            j->state == GATE_CROSSED ? "crossed"
            : j->state == GATE_KEPT  ? "kept"
                                     : "not decided");
    if (empty) {
        fputs(": there are no counts to judge by", out);
    } else if (j->by) {
        char cell[RECORD_NAME_SIZE + 40];
        char text[2 * RECORD_NAME_SIZE + 48];
        char shown[4 * sizeof text];
        cell_text(cell, sizeof cell, j->by);
        snprintf(text, sizeof text, "%s, %s", cell, j->by->workload);
        text_terminal(shown, sizeof shown, text, sizeof text, utf8);
        fprintf(out, " (%s)", shown);
    } else if (cut) {
        fprintf(out, " (%s of %s may have been of any cell: count again with --add)",
                cut->counts->torn ? "the last line" : "lines that are gone", cut->label);
    }
    fputc('\n', out);
}

size_t counts_compare_print(FILE *out, const struct counts_side *base,
                            const struct counts_side *other, const struct counts_gate *gate,
                            bool allow_undecided, bool utf8) {
    const struct counts_side *const side[] = {base, other};
    size_t failed = 0;
    print_rows(out, side, utf8);
    fputc('\n', out);
    print_alone(out, base, other, utf8);
    print_alone(out, other, base, utf8);
    for (int i = 0; i < 2; i++) {
        char of[80], damage[COUNTS_DAMAGE_SIZE];
        snprintf(of, sizeof of, "%.70s's ", side[i]->label);
        if (counts_damage(side[i]->counts, of, damage, sizeof damage)) {
            fprintf(out, "%s\n", damage);
        }
    }
    for (size_t i = 0; i < gate->count; i++) {
        struct judged j = judge_all(&gate->limit[i], side);
        const bool empty = base->counts->count + other->counts->count == 0;
        j.state = empty ? GATE_UNDECIDED : j.state;
        print_limit(out, &gate->limit[i], &j, empty, cut_side(side), utf8);
        failed += j.state == GATE_CROSSED || (j.state == GATE_UNDECIDED && !allow_undecided);
    }
    return failed;
}
