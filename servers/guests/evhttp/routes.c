#include "guests/evhttp/routes.h"

#include <event2/buffer.h>
#include <event2/event.h>
#include <event2/http.h>
#include <event2/http_struct.h>
#include <event2/keyvalq_struct.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <zlib.h>

#define TEXT  "text/plain"
#define HTML  "text/html; charset=utf-8"
#define JSON  "application/json"
#define BYTES "application/octet-stream"

#define CONCAT_LEN    10000
#define FIBONACCI_MAX 35
#define WAIT_MAX_MS   60000
#define BYTES_MAX     (16 * 1024 * 1024)
#define BYTES_LINE    64

/* The same page as ../shared/page.html: a program that is installed brings its own. */
static const char page[] = "<!DOCTYPE html>\n"
                           "<html lang=\"en\">\n"
                           "<head><meta charset=\"utf-8\"><title>loopbench – čeština, "
                           "ελληνικά, 日本語</title></head>\n"
                           "<body>\n"
                           "<h1>Hello, wörld!</h1>\n"
                           "<p>Příliš žluťoučký kůň · Ξεσκεπάζω την ψυχοφθόρα βδελυγμία · "
                           "いろはにほへと · €½ 🙂</p>\n"
                           "</body>\n"
                           "</html>\n";

/* Sends what stands in a buffer of its own and frees that. */
static void reply_and_free(struct serve *s, struct evhttp_request *request, int status,
                           const char *type, struct evbuffer *body) {
    serve_reply(s, request, status, type, body);
    evbuffer_free(body);
}

static void reply_text(struct serve *s, struct evhttp_request *request, int status,
                       const char *type, const char *text, size_t len) {
    struct evbuffer *body = evbuffer_new();
    if (body == NULL || evbuffer_add(body, text, len) != 0) {
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
        if (body != NULL) {
            evbuffer_free(body);
        }
        return;
    }
    reply_and_free(s, request, status, type, body);
}

static void reply_json(struct serve *s, struct evhttp_request *request, json_t *document) {
    char *text = json_dumps(document, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(document);
    if (text == NULL) {
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
        return;
    }
    reply_text(s, request, HTTP_OK, JSON, text, strlen(text));
    free(text);
}

/* The one parameter `name`, decimal digits from 0 to most; else answers 400 and gives -1. */
static long parameter(struct serve *s, struct evhttp_request *request, const char *name,
                      long most) {
    struct evkeyvalq query = {0};
    const char *text = evhttp_uri_get_query(evhttp_request_get_evhttp_uri(request));
    long value = -1;
    if (text != NULL && evhttp_parse_query_str(text, &query) == 0) {
        const char *given = evhttp_find_header(&query, name);
        if (given != NULL && *given != '\0' && strlen(given) < 10 &&
            given[strspn(given, "0123456789")] == '\0') {
            value = strtol(given, NULL, 10);
        }
        evhttp_clear_headers(&query);
    }
    if (value < 0 || value > most) {
        char why[96];
        int len = snprintf(why, sizeof why, "give %s, a whole number from 0 to %ld\n", name, most);
        reply_text(s, request, HTTP_BADREQUEST, TEXT, why, (size_t)len);
        return -1;
    }
    return value;
}

static void on_hello(struct evhttp_request *request, void *data) {
    static const char greeting[] = "Hello world!";
    reply_text(data, request, HTTP_OK, TEXT, greeting, sizeof greeting - 1);
}

static void on_json(struct evhttp_request *request, void *data) {
    reply_json(data, request, json_pack("{s:i,s:s}", "test", 1, "data", "hello world"));
}

static void on_html(struct evhttp_request *request, void *data) {
    reply_text(data, request, HTTP_OK, HTML, page, sizeof page - 1);
}

static void on_concat(struct evhttp_request *request, void *data) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    static _Thread_local unsigned seed;
    struct evbuffer *body = evbuffer_new();
    if (body == NULL) {
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
        return;
    }
    if (seed == 0 && getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0) {
        seed = (unsigned)time(NULL); /* early at boot */
    }
    for (size_t i = 0; i < CONCAT_LEN; i++) {
        evbuffer_add(body, &letters[(unsigned)rand_r(&seed) % (sizeof letters - 1)], 1);
    }
    reply_and_free(data, request, HTTP_OK, TEXT, body);
}

/* By the definition; the empty asm keeps the compiler from folding calls. */
__attribute__((noinline)) static uint64_t fibonacci(uint64_t n) {
    __asm__ volatile("" : "+r"(n));
    return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

static void on_fibonacci(struct evhttp_request *request, void *data) {
    long n = parameter(data, request, "n", FIBONACCI_MAX);
    if (n >= 0) {
        char text[24];
        int len = snprintf(text, sizeof text, "%llu", (unsigned long long)fibonacci((uint64_t)n));
        reply_text(data, request, HTTP_OK, TEXT, text, (size_t)len);
    }
}

/* A request that waits; evhttp tells when its connection is gone first. */
struct waiting {
    struct serve *serve;
    struct evhttp_request *request;
    struct event *timer;
};

static void waiting_free(struct waiting *w) {
    event_free(w->timer);
    free(w);
}

static void on_gone(struct evhttp_connection *connection, void *data) {
    (void)connection;
    waiting_free(data);
}

static void on_fire(evutil_socket_t fd, short what, void *data) {
    struct waiting *w = data;
    (void)fd;
    (void)what;
    evhttp_connection_set_closecb(evhttp_request_get_connection(w->request), NULL, NULL);
    reply_text(w->serve, w->request, HTTP_OK, TEXT, "OK", 2);
    waiting_free(w);
}

static void on_wait(struct evhttp_request *request, void *data) {
    long ms = parameter(data, request, "ms", WAIT_MAX_MS);
    if (ms < 0) {
        return;
    }
    const struct timeval delay = {ms / 1000, ms % 1000 * 1000};
    struct waiting *w = calloc(1, sizeof *w);
    if (w != NULL) {
        *w = (struct waiting){.serve = data, .request = request};
        w->timer = evtimer_new(serve_base(data), on_fire, w);
    }
    if (w == NULL || w->timer == NULL || evtimer_add(w->timer, &delay) != 0) {
        free(w);
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
        return;
    }
    evhttp_connection_set_closecb(evhttp_request_get_connection(request), on_gone, w);
}

/* Lines that begin with their offset. */
static void on_bytes(struct evhttp_request *request, void *data) {
    long n = parameter(data, request, "n", BYTES_MAX);
    struct evbuffer *body = n < 0 ? NULL : evbuffer_new();
    if (n < 0) {
        return;
    }
    if (body == NULL || evbuffer_expand(body, (size_t)n + BYTES_LINE) != 0) {
        evhttp_send_error(request, HTTP_INTERNAL, NULL);
        if (body != NULL) {
            evbuffer_free(body);
        }
        return;
    }
    for (long at = 0; at < n; at += BYTES_LINE) {
        char line[BYTES_LINE + 1];
        (void)snprintf(line, sizeof line,
                       "%08lx The quick brown fox jumps over the lazy dog, and back.\n", at);
        evbuffer_add(body, line, (size_t)(n - at < BYTES_LINE ? n - at : BYTES_LINE));
    }
    reply_and_free(data, request, HTTP_OK, BYTES, body);
}

static void on_upload(struct evhttp_request *request, void *data) {
    struct evbuffer *body = evhttp_request_get_input_buffer(request);
    size_t length = evbuffer_get_length(body);
    uLong crc = crc32(0, NULL, 0);
    char hex[9];
    if (evhttp_request_get_command(request) != EVHTTP_REQ_POST) {
        static const char why[] = "POST only\n";
        evhttp_add_header(evhttp_request_get_output_headers(request), "Allow", "POST");
        reply_text(data, request, HTTP_BADMETHOD, TEXT, why, sizeof why - 1);
        return;
    }
    for (size_t left = length; left > 0;) {
        size_t piece = evbuffer_get_contiguous_space(body);
        crc = crc32_z(crc, evbuffer_pullup(body, (ev_ssize_t)piece), piece);
        evbuffer_drain(body, piece);
        left -= piece;
    }
    (void)snprintf(hex, sizeof hex, "%08lx", crc);
    reply_json(data, request, json_pack("{s:I,s:s}", "length", (json_int_t)length, "crc32", hex));
}

static void on_other(struct evhttp_request *request, void *data) {
    static const char why[] = "Not found\n";
    reply_text(data, request, HTTP_NOTFOUND, TEXT, why, sizeof why - 1);
}

bool routes_add(struct evhttp *http, struct serve *s) {
    static const struct {
        const char *path;
        void (*answer)(struct evhttp_request *request, void *data);
    } routes[] = {
        {"/", on_hello},    {"/hello", on_hello},   {"/json", on_json},
        {"/html", on_html}, {"/concat", on_concat}, {"/fibonacci", on_fibonacci},
        {"/wait", on_wait}, {"/bytes", on_bytes},   {"/upload", on_upload},
    };
    for (size_t i = 0; i < sizeof routes / sizeof routes[0]; i++) {
        if (evhttp_set_cb(http, routes[i].path, routes[i].answer, s) != 0) {
            return false;
        }
    }
    evhttp_set_gencb(http, on_other, s);
    return true;
}
