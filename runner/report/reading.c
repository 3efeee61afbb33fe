#include "report/reading.h"

static int reading_judge(struct reading *r, struct err *e) {
    const struct verdicts_options as_begun = {0};
    if (cells_build(&r->cells, &r->store, e) != 0) {
        return -1;
    }
    if (verdicts_build(&r->verdicts, &r->cells, &as_begun, e) != 0) {
        cells_release(&r->cells);
        return -1;
    }
    if (findings_make(&r->findings, &r->verdicts, e) != 0) {
        verdicts_release(&r->verdicts);
        cells_release(&r->cells);
        return -1;
    }
    return 0;
}

int reading_open(struct reading *r, const char *dir, struct err *e) {
    *r = (struct reading){0};
    if (store_open(&r->store, dir, e) != 0) {
        return -1;
    }
    if (reading_judge(r, e) != 0) {
        store_release(&r->store);
        return -1;
    }
    return 0;
}

void reading_release(struct reading *r) {
    findings_release(&r->findings);
    verdicts_release(&r->verdicts);
    cells_release(&r->cells);
    store_release(&r->store);
}
