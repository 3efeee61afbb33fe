/* Replies from a hostile target: any bytes, in any cuts, must give the same answer as in one piece.
 * First byte: bit 0 = to HEAD, the rest = size of the pieces. */
#include <stdlib.h>
#include <string.h>

#include "target/http.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static enum http_result parse(const char *data, size_t len, size_t piece, bool to_head,
                              struct http_reply *reply, size_t *taken) {
    struct http_parser *p = http_parser_new(reply, to_head);
    enum http_result result = HTTP_OK;
    bool done = false;
    *taken = 0;
    while (result == HTTP_OK && !done && *taken < len) {
        size_t used;
        size_t some = len - *taken < piece ? len - *taken : piece;
        result = http_parser_feed(p, data + *taken, some, &used, &done);
        if (used > some || (result == HTTP_OK && !done && used != some)) {
            abort();
        }
        *taken += used;
    }
    if (result == HTTP_OK && !done) {
        result = http_parser_finish(p);
    }
    http_parser_free(p);
    return result;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
    struct http_reply whole = {0};
    struct http_reply cut = {0};
    struct http_header h;
    size_t used_whole;
    size_t used_cut;
    if (size < 1) {
        return 0;
    }
    const char *text = (const char *)data + 1;
    bool to_head = data[0] & 1;
    enum http_result a = parse(text, size - 1, size, to_head, &whole, &used_whole);
    enum http_result b = parse(text, size - 1, (data[0] >> 1) + 1, to_head, &cut, &used_cut);
    if (a != b) {
        abort();
    }
    if (a == HTTP_OK) {
        if (used_whole != used_cut || whole.status != cut.status || !whole.body ||
            whole.body_len != cut.body_len || whole.head_len != cut.head_len ||
            memcmp(whole.body, cut.body, whole.body_len) != 0 ||
            memcmp(whole.head, text, whole.head_len) != 0 || (to_head && whole.body_len != 0)) {
            abort();
        }
        for (size_t i = 0; http_reply_header(&whole, i, &h); i++) {
            if (h.name < whole.head || h.value + h.value_len > whole.head + whole.head_len) {
                abort();
            }
        }
    }
    http_reply_release(&whole);
    http_reply_release(&cut);
    return 0;
}
