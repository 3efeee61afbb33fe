#include "run/request.h"

#include <stdlib.h>
#include <string.h>

int run_request_init(struct run_request *q, const struct workload *w) {
    size_t n = 0;
    memset(q, 0, sizeof *q);
    q->text = strdup(w->headers ? w->headers : "");
    if (!q->text) {
        return -1;
    }
    for (char *line = q->text; *line;) {
        size_t len = strcspn(line, "\r\n");
        char *next = line + len + strspn(line + len, "\r\n");
        line[len] = '\0';
        if (n == REQUEST_MAX_HEADERS) {
            run_request_release(q);
            return -1;
        }
        q->headers[n++] = line;
        line = next;
    }
    const char *const *headers = q->headers;
    q->load = (struct load_request){
        .method = w->method,
        .path = w->path,
        .headers = n > 0 ? headers : NULL,
        .body = w->body,
        .body_len = w->body_len,
    };
    return 0;
}

void run_request_release(struct run_request *q) {
    free(q->text);
    q->text = NULL;
}
