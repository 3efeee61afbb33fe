#include "target/stats.h"

#include "target/http.h"

#define TIMEOUT_NS INT64_C(1000000000)

json_t *stats_ask(const char *host, int port) {
    struct http_reply reply = {0};
    const struct http_request request = {
        .path = "/stats", .minor = 1, .headers = "Connection: close\r\n"};
    json_t *said = NULL;
    if (http_exchange(host, port, &request, &reply, TIMEOUT_NS) == HTTP_OK && reply.status == 200) {
        said = json_loadb(reply.body, reply.body_len, 0, NULL);
        if (said && !json_is_object(said)) {
            json_decref(said);
            said = NULL;
        }
    }
    http_reply_release(&reply);
    return said;
}

int64_t stats_count(const json_t *said, const char *object, const char *name, int64_t unit) {
    const json_t *v = json_object_get(*object ? json_object_get(said, object) : said, name);
    if (!json_is_integer(v) || json_integer_value(v) < 0 ||
        json_integer_value(v) > INT64_MAX / unit) {
        return -1;
    }
    return (int64_t)json_integer_value(v) * unit;
}

void stats_read_counted(const char *host, int port, struct stats_counted *out) {
    json_t *said = stats_ask(host, port);
    *out = (struct stats_counted){
        .requests = stats_count(said, "", "requests", 1),
        .accepted = stats_count(said, "connections", "accepted", 1),
    };
    json_decref(said);
}
