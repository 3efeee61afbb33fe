#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/cells.h"
#include "report/export.h"
#include "report/report.h"
#include "store/catalog.h"
#include "ui/commands.h"

/* Made in memory, so that a file is whole or not there. */
static int export_cells(const struct cells *cells, const struct config *c,
                        const struct export_format *format, struct err *e) {
    const struct export_select select = {c->select_target, c->select_workload,
                                         (int)c->select_connections};
    char *text = NULL;
    size_t size = 0;
    if (export_check(&select, cells, e) != 0) {
        return -1;
    }
    FILE *out = open_memstream(&text, &size);
    int rc = out ? format->write(out, cells, &select, e) : -1;
    bool whole = out && !ferror(out);
    whole = out && fclose(out) == 0 && whole;
    if (!whole) {
        rc = err_set(e, ERR_MACHINE, "out of memory for the export");
    } else if (rc == 0 && c->export_out && strcmp(c->export_out, "-") != 0) {
        rc = file_write_named(c->export_out, text, size, e);
    } else if (rc == 0) {
        fwrite(text, 1, size, stdout); /* main tells of a standard output that takes nothing */
    }
    free(text);
    return rc;
}

static int export_run(const struct invocation *in, const struct config *c, struct err *e) {
    const struct export_format *format = export_find(c->format, e);
    struct store store;
    struct cells cells;
    char dir[PATH_MAX];
    if (!format || catalog_resolve(c->results, in->args->operand[0], dir, sizeof dir, e) != 0 ||
        store_open(&store, dir, e) != 0) {
        return -1;
    }
    int rc = cells_build(&cells, &store, e);
    if (rc == 0) {
        report_say_damage(stderr, &store);
        rc = export_cells(&cells, c, format, e);
        cells_release(&cells);
    }
    store_release(&store);
    return rc;
}

int command_export(const struct invocation *in, struct err *e) {
    struct config c = {0};
    if (config_load(&c, &in->args->flags, USE_EXPORT, e) != 0) {
        return -1;
    }
    const int rc = export_run(in, &c, e);
    config_release(&c);
    return rc;
}
