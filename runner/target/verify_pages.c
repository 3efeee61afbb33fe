/* The endpoints that are no workloads. */
#include "target/verify_parts.h"

#include <jansson.h>
#include <string.h>

const struct workload verify_root_page = {
    .name = "root",
    .summary = "the greeting",
    .method = "GET",
    .path = "/",
    .headers = "",
    .status = 200,
    .content_type = "text/plain",
    .exact = "Hello world!",
};

/* What /stats must say, with what type. */
static bool check_stats(const struct workload *w, bool strict, const char *body, size_t len,
                        char *why, size_t size) {
    (void)w;
    (void)strict;
    const char *server = NULL;
    json_t *versions = NULL;
    json_int_t n = 0;
    json_error_t at;
    json_t *got = json_loadb(body, len, JSON_REJECT_DUPLICATES, &at);
    if (!got) {
        snprintf(why, size, "is not JSON: %s at byte %d", at.text, at.position);
        return false;
    }
    bool good =
        json_unpack_ex(got, &at, 0,
                       "{s:s, s:o, s:I, s:I, s:I, s:{s:I, s:I}, s:{s:I, s:I}, s:{s:I, s:I}}",
                       "server", &server, "versions", &versions, "pid", &n, "workers", &n,
                       "requests", &n, "connections", "accepted", &n, "open", &n, "cpu", "user_us",
                       &n, "system_us", &n, "memory", "rss_bytes", &n, "peak_rss_bytes", &n) == 0;
    if (!good) {
        snprintf(why, size, "is incomplete: %s", at.text);
    } else if (!json_is_object(versions)) {
        good = false;
        snprintf(why, size, "has no object 'versions'");
    }
    json_decref(got);
    return good;
}

const struct workload verify_stats_page = {
    .name = "stats",
    .summary = "JSON about the server itself",
    .method = "GET",
    .path = "/stats",
    .headers = "",
    .status = 200,
    .content_type = "application/json",
    .check = check_stats,
    .varies = true,
};

static bool check_refusal(const struct workload *w, bool strict, const char *body, size_t len,
                          char *why, size_t size) {
    (void)w;
    (void)strict;
    if (len == 0 || memchr(body, '\n', len) || !workload_is_utf8(body, len)) {
        snprintf(why, size, "is not one line of text");
        return false;
    }
    return true;
}

const struct workload verify_refusal = {
    .name = "refusal",
    .summary = "one line that says what is wrong with the parameter",
    .method = "GET",
    .path = "",
    .headers = "",
    .status = 400,
    .content_type = "text/plain",
    .check = check_refusal,
};
