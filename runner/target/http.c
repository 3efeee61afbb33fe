#include "target/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"

const char *http_result_text(enum http_result result) {
    static const char *const texts[] = {
        [HTTP_OK] = "complete reply",
        [HTTP_ADDRESS] = "not a numeric address",
        [HTTP_REFUSED] = "connection refused",
        [HTTP_TIMEOUT] = "no complete reply in time",
        [HTTP_CLOSED] = "closed before the reply was complete",
        [HTTP_MALFORMED] = "malformed reply",
        [HTTP_TOO_LARGE] = "reply too large",
        [HTTP_FAILED] = "system error",
    };
    return (size_t)result < sizeof texts / sizeof texts[0] ? texts[result] : "unknown";
}

static bool http_address(const char *host, int port, struct sockaddr_storage *out, socklen_t *len) {
    char text[INET6_ADDRSTRLEN + 2];
    struct sockaddr_in *v4 = (struct sockaddr_in *)out;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
    size_t n = strlen(host);
    if (n > 2 && host[0] == '[' && host[n - 1] == ']') {
        host++;
        n -= 2;
    }
    if (n >= sizeof text || port < 1 || port > 65535) {
        return false;
    }
    memcpy(text, host, n);
    text[n] = '\0';
    memset(out, 0, sizeof *out);
    if (inet_pton(AF_INET, strcmp(text, "localhost") == 0 ? "127.0.0.1" : text, &v4->sin_addr) ==
        1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons((uint16_t)port);
        *len = sizeof *v4;
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons((uint16_t)port);
        *len = sizeof *v6;
        return true;
    }
    return false;
}

static struct loop *attended;

void http_attend(struct loop *loop) {
    attended = loop;
    if (loop) {
        loop_poll(loop); /* handles made since are watched from now on */
    }
}

/* Waits until the socket is ready for `events`. */
static enum http_result http_wait(int fd, short events, int64_t deadline_ns) {
    for (;;) {
        int64_t left = deadline_ns - clock_mono_ns();
        int64_t ms = left <= 0 ? 0 : (left + 999999) / 1000000;
        struct pollfd p[2] = {{.fd = fd, .events = events}, {.fd = -1, .events = POLLIN}};
        if (attended) {
            p[1].fd = uv_backend_fd(&attended->uv);
        }
        int rc = poll(p, 2, ms > INT32_MAX ? INT32_MAX : (int)ms);
        if (rc > 0 && p[1].revents) {
            loop_poll(attended);
        }
        if (rc > 0 && p[0].revents) {
            return HTTP_OK;
        }
        if (rc < 0 && errno != EINTR) {
            return HTTP_FAILED;
        }
        if (left <= 0) {
            return HTTP_TIMEOUT;
        }
    }
}

static enum http_result http_errno(int why) {
    switch (why) {
    case ECONNREFUSED:
        return HTTP_REFUSED;
    case ECONNRESET:
    case EPIPE:
        return HTTP_CLOSED;
    case ETIMEDOUT:
        return HTTP_TIMEOUT;
    default:
        return HTTP_FAILED;
    }
}

enum http_result http_connect(struct http_conn *c, const char *host, int port,
                              int64_t deadline_ns) {
    struct sockaddr_storage address;
    socklen_t len = 0;
    *c = (struct http_conn){.fd = -1};
    if (!http_address(host, port, &address, &len)) {
        return HTTP_ADDRESS;
    }
    c->fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (c->fd < 0) {
        return HTTP_FAILED;
    }
    enum http_result result = HTTP_OK;
    if (connect(c->fd, (struct sockaddr *)&address, len) != 0) {
        int why = errno;
        socklen_t size = sizeof why;
        result = why == EINPROGRESS || why == EINTR ? http_wait(c->fd, POLLOUT, deadline_ns)
                                                    : http_errno(why);
        if (result == HTTP_OK && getsockopt(c->fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why) {
            errno = why;
            result = http_errno(why);
        }
    }
    if (result == HTTP_OK) {
        setsockopt(c->fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    } else {
        http_close(c);
    }
    return result;
}

enum http_result http_send(struct http_conn *c, const void *data, size_t len, int64_t deadline_ns) {
    const char *at = data;
    while (len > 0) {
        ssize_t n = send(c->fd, at, len, MSG_NOSIGNAL);
        if (n >= 0) {
            at += n;
            len -= (size_t)n;
        } else if (errno == EAGAIN) {
            enum http_result result = http_wait(c->fd, POLLOUT, deadline_ns);
            if (result != HTTP_OK) {
                return result;
            }
        } else if (errno != EINTR) {
            return http_errno(errno);
        }
    }
    return HTTP_OK;
}

/* Reads what is there. *n = 0 at the end of the stream. */
static enum http_result http_read(struct http_conn *c, char *buf, size_t size, size_t *n,
                                  int64_t deadline_ns) {
    for (;;) {
        ssize_t got = recv(c->fd, buf, size, 0);
        if (got >= 0) {
            *n = (size_t)got;
            return HTTP_OK;
        }
        if (errno == EAGAIN) {
            enum http_result result = http_wait(c->fd, POLLIN, deadline_ns);
            if (result != HTTP_OK) {
                return result;
            }
        } else if (errno != EINTR) {
            return http_errno(errno);
        }
    }
}

/* Keeps what came beyond the reply for the next one. */
static enum http_result http_keep_spare(struct http_conn *c, const char *data, size_t len) {
    char *spare = NULL;
    if (len > 0) {
        spare = malloc(len);
        if (!spare) {
            return HTTP_FAILED;
        }
        memcpy(spare, data, len);
    }
    free(c->spare);
    c->spare = spare;
    c->spare_len = len;
    return HTTP_OK;
}

static enum http_result http_receive_into(struct http_conn *c, struct http_parser *p,
                                          int64_t deadline_ns) {
    char buf[16384];
    size_t used = 0;
    bool done = false;
    enum http_result result = HTTP_OK;
    if (c->spare_len > 0) {
        result = http_parser_feed(p, c->spare, c->spare_len, &used, &done);
        if (result == HTTP_OK) {
            result = http_keep_spare(c, c->spare + used, c->spare_len - used);
        }
    }
    while (result == HTTP_OK && !done) {
        size_t n = 0;
        result = http_read(c, buf, sizeof buf, &n, deadline_ns);
        if (result == HTTP_OK && n == 0) {
            return http_parser_finish(p);
        }
        if (result == HTTP_OK) {
            result = http_parser_feed(p, buf, n, &used, &done);
        }
        if (result == HTTP_OK) {
            result = http_keep_spare(c, buf + used, n - used);
        }
    }
    return result;
}

enum http_result http_receive(struct http_conn *c, bool to_head, struct http_reply *reply,
                              int64_t deadline_ns) {
    struct http_parser *p = http_parser_new(reply, to_head);
    if (!p) {
        return HTTP_FAILED;
    }
    int64_t began = (int64_t)time(NULL);
    enum http_result result = http_receive_into(c, p, deadline_ns);
    reply->sent_s = began;
    reply->received_s = (int64_t)time(NULL);
    http_parser_free(p);
    return result;
}

enum http_result http_receive_close(struct http_conn *c, int64_t deadline_ns) {
    char byte;
    size_t n = 0;
    if (c->spare_len > 0) {
        return HTTP_MALFORMED;
    }
    enum http_result result = http_read(c, &byte, 1, &n, deadline_ns);
    if (result == HTTP_CLOSED) {
        return HTTP_OK;
    }
    return result == HTTP_OK && n > 0 ? HTTP_MALFORMED : result;
}

void http_close(struct http_conn *c) {
    if (c->fd >= 0) {
        close(c->fd);
    }
    free(c->spare);
    *c = (struct http_conn){.fd = -1};
}

size_t http_format_request(const struct http_request *request, const char *host, int port,
                           char *out, size_t size) {
    bool bare6 = strchr(host, ':') && host[0] != '[';
    char length[48] = "";
    if (request->body) {
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", request->body_len);
    }
    int n = snprintf(out, size, "%s %s HTTP/1.%d\r\nHost: %s%s%s:%d\r\n%s%s\r\n",
                     request->method ? request->method : "GET", request->path, request->minor,
                     bare6 ? "[" : "", host, bare6 ? "]" : "", port,
                     request->headers ? request->headers : "", length);
    if (n < 0 || (size_t)n >= size || request->body_len > size - (size_t)n) {
        return 0;
    }
    if (request->body) {
        memcpy(out + n, request->body, request->body_len);
    }
    return (size_t)n + (request->body ? request->body_len : 0);
}

enum http_result http_exchange(const char *host, int port, const struct http_request *request,
                               struct http_reply *reply, int64_t timeout_ns) {
    int64_t deadline = clock_mono_ns() + timeout_ns;
    struct http_conn c;
    size_t room = 8192 + request->body_len + strlen(request->path) +
                  (request->headers ? strlen(request->headers) : 0);
    char *bytes = malloc(room);
    size_t len = bytes ? http_format_request(request, host, port, bytes, room) : 0;
    http_reply_release(reply);
    if (len == 0) {
        free(bytes);
        return HTTP_FAILED;
    }
    enum http_result result = http_connect(&c, host, port, deadline);
    int64_t began = clock_mono_ns();
    if (result == HTTP_OK) {
        result = http_send(&c, bytes, len, deadline);
    }
    if (result == HTTP_OK || result == HTTP_CLOSED) {
        /* A reply may have been sent before the server stopped reading. */
        enum http_result got =
            c.fd >= 0 ? http_receive(&c, request->method && strcmp(request->method, "HEAD") == 0,
                                     reply, deadline)
                      : result;
        result = got;
    }
    reply->took_ns = clock_mono_ns() - began;
    http_close(&c);
    free(bytes);
    return result;
}
