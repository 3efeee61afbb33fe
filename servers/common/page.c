#include "common/page.h"

#include <string.h>

enum { NO_FIELD = -1, ROWS_OPEN = -2, ROWS_CLOSE = -3, UNKNOWN = -4 };

static bool is(struct app_slice name, const char *text) {
    return strlen(text) == name.len && memcmp(text, name.base, name.len) == 0;
}

static int find_field(struct app_slice name, const char *const names[], int num_names) {
    if (is(name, "#rows")) {
        return ROWS_OPEN;
    }
    if (is(name, "/rows")) {
        return ROWS_CLOSE;
    }
    for (int i = 0; i < num_names; i++) {
        if (is(name, names[i])) {
            return i;
        }
    }
    return UNKNOWN;
}

/* Takes the next part from *at on; `field` says what ended it. Returns 0 or -1. */
static int parse_part(const char **at, const char *const names[], int num_names,
                      struct page_part *part) {
    const char *open = strstr(*at, "{{");
    if (open == NULL) {
        *part = (struct page_part){{*at, strlen(*at)}, NO_FIELD};
        *at += part->literal.len;
        return 0;
    }
    const char *close = strstr(open, "}}");
    if (close == NULL) {
        return -1;
    }
    struct app_slice name = {open + 2, (size_t)(close - open - 2)};
    *part = (struct page_part){{*at, (size_t)(open - *at)}, find_field(name, names, num_names)};
    *at = close + 2;
    return part->field == UNKNOWN ? -1 : 0;
}

int page_parse(struct page *page, const char *text, const char *const names[], int num_names) {
    bool opened = false;
    bool closed = false;
    memset(page, 0, sizeof *page);
    while (*text != '\0') {
        struct page_part *part = &page->parts[page->count];
        if (page->count == PAGE_MAX_PARTS || parse_part(&text, names, num_names, part) != 0) {
            return -1;
        }
        page->count++;
        if (part->field == ROWS_OPEN && !opened) {
            opened = true;
            page->rows_begin = page->count;
        } else if (part->field == ROWS_CLOSE && opened && !closed) {
            closed = true;
            page->rows_end = page->count;
        } else if (part->field < NO_FIELD) {
            return -1;
        }
        part->field = part->field < NO_FIELD ? NO_FIELD : part->field;
    }
    return opened == closed ? 0 : -1;
}

static void render(const struct page *page, struct text *out, size_t begin, size_t end, int row,
                   page_value *value, void *data) {
    for (size_t i = begin; i < end; i++) {
        const struct page_part *part = &page->parts[i];
        text_append(out, part->literal.base, part->literal.len);
        if (part->field != NO_FIELD) {
            text_append_html(out, value(data, part->field, row));
        }
    }
}

void page_render(const struct page *page, struct text *out, int rows, page_value *value,
                 void *data) {
    render(page, out, 0, page->rows_begin, -1, value, data);
    for (int row = 0; row < rows; row++) {
        render(page, out, page->rows_begin, page->rows_end, row, value, data);
    }
    render(page, out, page->rows_end, page->count, -1, value, data);
}
