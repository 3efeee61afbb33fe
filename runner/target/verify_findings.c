/* The list of findings: kept, counted, printed. */
#include "target/verify_parts.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int verify_add(struct verify_findings *f, struct err *e, const char *target,
               enum verify_level level, const char *expected, const char *got, const char *check,
               ...) {
    if (f->n == f->room) {
        size_t room = f->room ? f->room * 2 : 64;
        struct verify_finding *grown = realloc(f->items, room * sizeof *grown);
        if (!grown) {
            return err_set(e, ERR_MACHINE, "out of memory while verifying %s", target);
        }
        f->items = grown;
        f->room = room;
    }
    struct verify_finding *item = &f->items[f->n++];
    *item = (struct verify_finding){.level = level};
    snprintf(item->target, sizeof item->target, "%s", target);
    snprintf(item->expected, sizeof item->expected, "%s", expected);
    snprintf(item->got, sizeof item->got, "%s", got);
    va_list ap;
    va_start(ap, check);
    vsnprintf(item->check, sizeof item->check, check, ap);
    va_end(ap);
    return 0;
}

void verify_findings_release(struct verify_findings *f) {
    free(f->items);
    free(f->wire);
    *f = (struct verify_findings){0};
}

void verify_hide(struct verify_findings *f, const char *target) {
    size_t kept = 0;
    for (size_t i = 0; i < f->n; i++) {
        if (f->items[i].level != VERIFY_PASS || strcmp(f->items[i].target, target) != 0) {
            f->items[kept++] = f->items[i];
        }
    }
    f->n = kept;
}

static size_t verify_count(const struct verify_findings *f, enum verify_level level) {
    size_t n = 0;
    for (size_t i = 0; i < f->n; i++) {
        n += f->items[i].level == level;
    }
    return n;
}

size_t verify_failures(const struct verify_findings *f) {
    return verify_count(f, VERIFY_FAIL);
}

void verify_first_failure(const struct verify_findings *f, char *out, size_t size) {
    snprintf(out, size, "%s", "");
    for (size_t i = 0; i < f->n; i++) {
        const struct verify_finding *item = &f->items[i];
        if (item->level == VERIFY_FAIL) {
            snprintf(out, size, "%s: %s: expected %s, got %s", item->target, item->check,
                     item->expected, item->got);
            return;
        }
    }
}

void verify_print(const struct verify_findings *f, bool all, FILE *out) {
    static const char *const words[] = {
        [VERIFY_PASS] = "ok",
        [VERIFY_NOTE] = "note",
        [VERIFY_FAIL] = "DIFFERS",
    };
    size_t passed = verify_count(f, VERIFY_PASS);
    int wide_target = (int)strlen("target");
    int wide_check = (int)strlen("check");
    for (size_t i = 0; i < f->n; i++) {
        int t = (int)strlen(f->items[i].target);
        int c = (int)strlen(f->items[i].check);
        if (all || f->items[i].level != VERIFY_PASS) {
            wide_target = t > wide_target ? t : wide_target;
            wide_check = c > wide_check ? c : wide_check;
        }
    }
    if (all || passed < f->n) {
        fprintf(out, "%-*s  %-*s  %s\n", wide_target, "target", wide_check, "check", "result");
    }
    for (size_t i = 0; i < f->n; i++) {
        const struct verify_finding *item = &f->items[i];
        if (!all && item->level == VERIFY_PASS) {
            continue;
        }
        fprintf(out, "%-*s  %-*s  %s\n", wide_target, item->target, wide_check, item->check,
                words[item->level]);
        if (item->level != VERIFY_PASS) {
            fprintf(out, "%-*s    expected  %s\n", wide_target, "", item->expected);
            fprintf(out, "%-*s    got       %s\n", wide_target, "", item->got);
        }
    }
    fprintf(out, "%zu check%s: %zu ok", f->n, f->n == 1 ? "" : "s", passed);
    if (verify_count(f, VERIFY_NOTE) > 0) {
        fprintf(out, ", %zu noted", verify_count(f, VERIFY_NOTE));
    }
    fprintf(out, ", %zu %s\n", verify_failures(f), verify_failures(f) == 1 ? "differs" : "differ");
}
