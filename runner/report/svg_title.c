/* Titles of a picture that stands alone: a viewer shows that of the document, and those of its
 * parts as one points at them. gnuplot gives itself and expressions of the plot program. */
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "report/svg.h"
#include "report/text.h"

#define SVG_MAX ((size_t)32 << 20)

/* The first title is the document's. */
static void put_titled(FILE *f, const char *svg, const char *title) {
    static const char begin[] = "<title>";
    static const char end[] = "</title>";
    const char *at;
    bool first = true;
    while ((at = strstr(svg, begin))) {
        const char *after = strstr(at, end);
        if (!after) {
            break;
        }
        fwrite(svg, 1, (size_t)(at - svg), f);
        if (first) {
            fputs(begin, f);
            text_html(f, title);
            fputs(end, f);
        }
        first = false;
        svg = after + strlen(end);
    }
    fputs(svg, f);
}

int svg_retitle(const char *path, const char *title, struct err *e) {
    struct text_file t;
    char *svg = NULL;
    size_t len = 0;
    if (file_read_all(path, SVG_MAX, &svg, &len, e) != 0) {
        return -1;
    }
    int rc = text_begin(&t, e);
    if (rc == 0) {
        put_titled(t.f, svg, title);
        rc = ferror(t.f) || fflush(t.f) != 0
                 ? err_set(e, ERR_MACHINE, "out of memory for a picture")
                 : file_write_atomic(path, t.data, t.len, e);
        text_drop(&t);
    }
    free(svg);
    return rc;
}
