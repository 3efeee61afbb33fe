/* What a running program prints. */
#include <string.h>
#include <unistd.h>

#include "base/child_parts.h"

static void child_output_keep_tail(struct child *c, const char *data, size_t len) {
    if (len >= TAIL_SIZE) {
        data += len - TAIL_SIZE;
        len = TAIL_SIZE;
    }
    size_t keep = c->tail_len + len > TAIL_SIZE ? TAIL_SIZE - len : c->tail_len;
    memmove(c->tail, c->tail + c->tail_len - keep, keep);
    memcpy(c->tail + keep, data, len);
    c->tail_len = keep + len;
    c->tail[c->tail_len] = '\0';
    /* A NUL would hide what follows it. */
    for (char *p = c->tail; (p = memchr(p, '\0', (size_t)(c->tail + c->tail_len - p)));) {
        *p = '?';
    }
}

static void child_output_take_lines(struct child *c, const char *data, size_t len) {
    for (size_t i = 0; i < len; i++) {
        if (data[i] == '\n') {
            c->line[c->line_len] = '\0';
            if (!c->line_cut) {
                c->on_line(c->ctx, c->line);
            }
            c->line_len = 0;
            c->line_cut = false;
        } else if (c->line_len + 1 < sizeof c->line) {
            c->line[c->line_len++] = data[i] ? data[i] : '?';
        } else {
            c->line_cut = true;
        }
    }
}

void child_output_close(struct pipe_end *p) {
    if (p->open) {
        p->open = false;
        uv_close((uv_handle_t *)&p->handle, child_on_close);
    }
}

static void child_output_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buf) {
    struct child *c = handle->data;
    (void)suggested;
    *buf = uv_buf_init(c->buf, sizeof c->buf);
}

static void child_output_on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *buf) {
    struct child *c = stream->data;
    struct pipe_end *p = stream == (uv_stream_t *)&c->out.handle ? &c->out : &c->err;
    if (n < 0) {
        child_output_close(p);
        return;
    }
    child_output_keep_tail(c, buf->base, (size_t)n);
    if (p == &c->out && c->on_line) {
        child_output_take_lines(c, buf->base, (size_t)n);
    }
}

void child_output_watch(struct child *c, struct pipe_end *p, int fd) {
    uv_pipe_init(&c->loop->uv, &p->handle, 0);
    p->handle.data = c;
    p->child = c;
    p->open = true;
    c->handles++;
    if (uv_pipe_open(&p->handle, fd) != 0) {
        close(fd);
        child_output_close(p);
        return;
    }
    uv_read_start((uv_stream_t *)&p->handle, child_output_alloc, child_output_on_read);
}
