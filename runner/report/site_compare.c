/* The comparisons of a site. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "report/compare.h"
#include "report/reading.h"
#include "report/site_parts.h"

static int write_pages(struct site *s, const struct compare *c, struct site_comparison *page,
                       struct err *e) {
    char dir[4096];
    char name[sizeof page->name + 8];
    char link[2][SITE_NAME_MAX + 32];
    const char *const links[] = {link[0], link[1]};
    snprintf(link[0], sizeof link[0], "../runs/%s/report.html", s->run[page->first].name);
    snprintf(link[1], sizeof link[1], "../runs/%s/report.html", s->run[page->second].name);
    if (file_join(dir, sizeof dir, s->dir, "comparisons", e) != 0) {
        return -1;
    }
    snprintf(name, sizeof name, "%s.html", page->name);
    if (compare_write(c, dir, name, true, links, e) != 0) {
        return -1;
    }
    snprintf(name, sizeof name, "%s.md", page->name);
    return compare_write(c, dir, name, false, links, e);
}

static void count_changes(struct site_comparison *page, const struct compare *c) {
    page->rows = c->count;
    for (size_t i = 0; i < c->count; i++) {
        const enum verdict_kind kind = c->row[i].u.change.kind;
        page->changes += kind == VERDICT_HIGHER || kind == VERDICT_LOWER;
    }
}

/* Runs that nobody asked to compare are left alone unless they are alike, on one machine. */
static int compare_two(struct site *s, const struct reading *a, const struct reading *b,
                       struct site_comparison *page, bool asked, struct err *e) {
    const struct compare_side first = {"A", &a->cells, &a->verdicts, &a->findings};
    const struct compare_side second = {"B", &b->cells, &b->verdicts, &b->findings};
    const struct compare_options o = {.fallback = s->o->fallback};
    struct compare c;
    if (compare_make(&c, &first, &second, &o, e) != 0) {
        if (asked || e->class != ERR_USAGE) {
            return -1;
        }
        *e = (struct err){0};
        return 0;
    }
    int rc = 0;
    if (asked || !c.alike.machine[0]) {
        count_changes(page, &c);
        rc = write_pages(s, &c, page, e);
        s->comparisons += rc == 0;
    }
    compare_release(&c);
    return rc;
}

static int open_run(struct site *s, size_t i, struct reading *r, struct err *e) {
    char below[SITE_NAME_MAX + 8];
    char dir[4096];
    snprintf(below, sizeof below, "runs/%s", s->run[i].name);
    return file_join(dir, sizeof dir, s->dir, below, e) != 0 ? -1 : reading_open(r, dir, e);
}

static int add_pair(struct site *s, size_t first, size_t second, bool asked, struct err *e) {
    struct site_comparison *page = &s->comparison[s->comparisons];
    struct reading a;
    struct reading b;
    *page = (struct site_comparison){.first = first, .second = second};
    if (s->run[first].counts || s->run[second].counts) {
        return err_set(e, ERR_USAGE,
                       "--compare: %s holds counts alone; `loopbench compare` holds such runs "
                       "against each other",
                       s->o->run[s->run[first].counts ? first : second]);
    }
    snprintf(page->name, sizeof page->name, "%s-%s", s->run[first].name, s->run[second].name);
    if (open_run(s, first, &a, e) != 0) {
        return -1;
    }
    int rc = open_run(s, second, &b, e);
    if (rc == 0) {
        rc = compare_two(s, &a, &b, page, asked, e);
        reading_release(&b);
    }
    reading_release(&a);
    return rc;
}

/* What compare_make would say of their configuration and machine, from the manifests alone. */
static bool are_alike(const struct site *s, const struct site_run *a, const struct site_run *b) {
    struct alike alike;
    alike_judge(&alike, a->manifest, b->manifest, s->o->fallback);
    return !alike.unlike[0] && !alike.machine[0];
}

/* The place of the last run before that is of the same kind, has times and is alike, or `at`. */
static size_t find_before(const struct site *s, size_t at) {
    const struct site_run *run = &s->run[s->order[at]];
    for (size_t i = at; !run->counts && i-- > 0;) {
        const struct site_run *before = &s->run[s->order[i]];
        if (!before->counts && strcmp(before->kind, run->kind) == 0 && are_alike(s, before, run)) {
            return i;
        }
    }
    return at;
}

int site_add_comparisons(struct site *s, struct err *e) {
    for (size_t i = 0; i < s->o->pairs; i++) {
        if (add_pair(s, s->o->pair[i].first, s->o->pair[i].second, true, e) != 0) {
            return -1;
        }
    }
    for (size_t i = 1; s->o->pairs == 0 && i < s->o->runs; i++) {
        const size_t before = find_before(s, i);
        if (before < i && add_pair(s, s->order[before], s->order[i], false, e) != 0) {
            return -1;
        }
    }
    return 0;
}
