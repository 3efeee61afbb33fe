#include "common/app.h"

#include "common/access_log.h"
#include "common/handicap.h"

#include <string.h>
#include <strings.h>

#include "common/routes.h"

/* Every method llhttp knows for HTTP/1, so that a library that takes any word refuses the same. */
static const char *const methods[] = {
    "GET",       "HEAD",        "POST",       "PUT",      "DELETE",   "OPTIONS", "PATCH",
    "CONNECT",   "TRACE",       "COPY",       "LOCK",     "MKCOL",    "MOVE",    "PROPFIND",
    "PROPPATCH", "SEARCH",      "UNLOCK",     "BIND",     "REBIND",   "UNBIND",  "ACL",
    "REPORT",    "MERGE",       "MKACTIVITY", "CHECKOUT", "M-SEARCH", "NOTIFY",  "SUBSCRIBE",
    "PURGE",     "UNSUBSCRIBE", "MKCALENDAR", "LINK",     "UNLINK",   "SOURCE",
};

void app_worker_init(struct app_worker *worker, const struct options *options,
                     const struct server *server) {
    memset(worker, 0, sizeof *worker);
    worker->options = options;
    worker->server = server;
    worker->routes = routes_all(&worker->num_routes);
    random_init(&worker->random);
}

int app_worker_start(struct app_worker *worker, struct loop *loop) {
    worker->loop = loop;
    return routes_start(worker);
}

void app_worker_stop(struct app_worker *worker) {
    routes_stop(worker);
    worker->loop = NULL;
}

enum { NUM_METHODS = sizeof methods / sizeof methods[0] };

/* The index among the methods, NUM_METHODS for none. */
static size_t find_method(const char *word, size_t len) {
    size_t i = 0;
    while (i < NUM_METHODS && (strlen(methods[i]) != len || memcmp(methods[i], word, len) != 0)) {
        i++;
    }
    return i;
}

enum app_method app_parse_method(const char *word, size_t len) {
    size_t i = find_method(word, len);
    return i < APP_OTHER ? (enum app_method)i : i < NUM_METHODS ? APP_OTHER : APP_UNKNOWN;
}

const char *app_method_name(const char *word, size_t len) {
    size_t i = find_method(word, len);
    return i >= APP_OTHER && i < NUM_METHODS ? methods[i] : NULL;
}

/* The length of "http://" or "https://" where the text begins with it and goes on, else 0. */
static size_t scheme_len(const char *text, size_t len) {
    static const struct app_slice schemes[] = {{"http://", 7}, {"https://", 8}};
    for (size_t i = 0; i < 2; i++) {
        if (len > schemes[i].len && strncasecmp(text, schemes[i].base, schemes[i].len) == 0) {
            return schemes[i].len;
        }
    }
    return 0;
}

void app_split_target(const char *target, size_t len, struct app_slice *path,
                      struct app_slice *query) {
    const char *end = target + len;
    if (len != 0 && *target != '/') {
        /* RFC 9112 3.2.2: servers must accept the absolute form. */
        size_t scheme = scheme_len(target, len);
        if (scheme != 0) {
            target += scheme;
            while (target != end && *target != '/' && *target != '?') {
                target++;
            }
        }
    }
    const char *mark = target == end ? NULL : memchr(target, '?', (size_t)(end - target));
    const char *path_end = mark != NULL ? mark : end;
    *path = (struct app_slice){target, (size_t)(path_end - target)};
    *query = mark != NULL ? (struct app_slice){mark + 1, (size_t)(end - mark - 1)}
                          : (struct app_slice){NULL, 0};
    if (path->len == 0 && len != 0) {
        *path = APP_SLICE("/");
    }
}

static bool is_token(const char *text, size_t len, struct app_slice token) {
    return len == token.len && strncasecmp(text, token.base, len) == 0;
}

unsigned app_connection_tokens(const char *value, size_t len) {
    unsigned tokens = 0;
    if (len == 0) {
        return 0;
    }
    const char *end = value + len;
    for (const char *at = value; at < end;) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        const char *stop = comma != NULL ? comma : end;
        const char *last = stop;
        while (at < last && (*at == ' ' || *at == '\t')) {
            at++;
        }
        while (last > at && (last[-1] == ' ' || last[-1] == '\t')) {
            last--;
        }
        if (is_token(at, (size_t)(last - at), APP_SLICE("close"))) {
            tokens |= APP_TOKEN_CLOSE;
        } else if (is_token(at, (size_t)(last - at), APP_SLICE("keep-alive"))) {
            tokens |= APP_TOKEN_KEEP_ALIVE;
        }
        at = stop == end ? end : stop + 1;
    }
    return tokens;
}

bool app_keep_alive(unsigned minor, unsigned tokens) {
    if ((tokens & APP_TOKEN_CLOSE) != 0) {
        return false;
    }
    return minor != 0 || (tokens & APP_TOKEN_KEEP_ALIVE) != 0;
}

static const struct app_route *find_route(const struct app_worker *worker, struct app_slice path) {
    for (size_t i = 0; i < worker->num_routes; i++) {
        const struct app_route *route = &worker->routes[i];
        if (route->path.len == path.len && memcmp(route->path.base, path.base, path.len) == 0) {
            return route;
        }
    }
    return NULL;
}

void app_begin(struct app_exchange *exchange) {
    exchange->state = NULL;
    exchange->route = find_route(exchange->worker, exchange->path);
}

void app_body(struct app_exchange *exchange, const char *data, size_t len) {
    const struct app_route *route = exchange->route;
    if (route != NULL && route->on_body != NULL) {
        route->on_body(exchange, data, len);
    }
}

static bool allows(const struct app_route *route, enum app_method method) {
    unsigned bit = method == APP_HEAD ? 1U << APP_GET : 1U << method;
    return (route->methods & bit) != 0;
}

enum app_when app_end(struct app_exchange *exchange) {
    const struct app_route *route = exchange->route;
    stats_add(&exchange->worker->counters.requests, 1);
    if (handicap_asked) {
        handicap_apply();
    }
    if (exchange->method == APP_UNKNOWN || exchange->num_hosts > 1 ||
        (exchange->num_hosts == 0 && exchange->minor != 0)) {
        app_refuse(exchange, 400);
        return APP_NOW;
    }
    if (route == NULL) {
        exchange->reply = (struct app_reply){
            .status = 404,
            .reason = APP_SLICE("Not Found"),
            .content_type = APP_SLICE("text/html"),
            .body = APP_SLICE("<!doctype html><title>404</title><p>Not Found</p>\n"),
        };
        return APP_NOW;
    }
    if (!allows(route, exchange->method)) {
        exchange->reply = (struct app_reply){
            .status = 405,
            .reason = APP_SLICE("Method Not Allowed"),
            .content_type = APP_SLICE("text/plain"),
            .allow = route->allow,
            .body = APP_SLICE("Method Not Allowed"),
        };
        return APP_NOW;
    }
    enum app_when when = route->handle(exchange);
    if (when == APP_LATER) {
        exchange->waiting = true;
    }
    return when;
}

void app_refuse(struct app_exchange *exchange, unsigned status) {
    static const struct {
        unsigned status;
        struct app_slice reason;
    } refusals[] = {
        {400, {"Bad Request", 11}},         {408, {"Request Timeout", 15}},
        {413, {"Content Too Large", 17}},   {414, {"URI Too Long", 12}},
        {417, {"Expectation Failed", 18}},  {431, {"Request Header Fields Too Large", 31}},
        {503, {"Service Unavailable", 19}}, {500, {"Internal Server Error", 21}},
    };
    size_t i = 0;
    while (i < sizeof refusals / sizeof refusals[0] - 1 && refusals[i].status != status) {
        i++;
    }
    exchange->reply = (struct app_reply){
        .status = refusals[i].status,
        .close = true,
        .reason = refusals[i].reason,
        .content_type = APP_SLICE("text/plain"),
        .body = refusals[i].reason,
    };
}

void app_log(const struct app_exchange *exchange, unsigned status, uint64_t bytes) {
    const char *method = exchange->method < APP_OTHER    ? methods[exchange->method]
                         : exchange->method == APP_OTHER ? exchange->method_name
                                                         : "-";
    access_log_add(exchange->worker->log, status, method, exchange->path, bytes);
}

void app_finish(struct app_exchange *exchange) {
    if (exchange->waiting) {
        exchange->waiting = false;
        if (exchange->worker->log != NULL) {
            app_log(exchange, APP_GONE, 0);
        }
    }
    if (exchange->route != NULL && exchange->route->finish != NULL) {
        exchange->route->finish(exchange);
    }
    exchange->route = NULL;
    exchange->state = NULL;
}
