/* Judging one reply by itself. */
#include "target/verify_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#define SERVER_NAME "loopbench"

int64_t verify_parse_date(const char *text) {
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    char month[4] = "";
    char again[64];
    struct tm tm = {0};
    if (strlen(text) != 29 || sscanf(text + 5, "%2d %3s %4d %2d:%2d:%2d", &tm.tm_mday, month,
                                     &tm.tm_year, &tm.tm_hour, &tm.tm_min, &tm.tm_sec) != 6) {
        return -1;
    }
    const char *at = strstr(months, month);
    if (strlen(month) != 3 || !at) {
        return -1;
    }
    tm.tm_mon = (int)(at - months) / 3;
    tm.tm_year -= 1900;
    time_t when = timegm(&tm);
    /* Written again from the time it means, it must come out the same: that checks all of it. */
    if (when == (time_t)-1 || !gmtime_r(&when, &tm)) {
        return -1;
    }
    snprintf(again, sizeof again, "%.3s, %02d %.3s %04d %02d:%02d:%02d GMT", days + 3 * tm.tm_wday,
             tm.tm_mday, months + 3 * tm.tm_mon, tm.tm_year + 1900, tm.tm_hour, tm.tm_min,
             tm.tm_sec);
    return strcmp(text, again) == 0 ? (int64_t)when : -1;
}

void verify_printable(const char *data, size_t len, char *out, size_t size) {
    size_t used = 0;
    size_t i = 0;
    for (; i < len; i++) {
        unsigned char c = (unsigned char)data[i];
        char piece[8];
        int n;
        if (c == '\r' || c == '\n' || c == '"' || c == '\\') {
            n = snprintf(piece, sizeof piece, "\\%c", c == '\r' ? 'r' : c == '\n' ? 'n' : c);
        } else {
            n = snprintf(piece, sizeof piece, c < 0x20 || c > 0x7e ? "\\x%02x" : "%c", c);
        }
        if (used + (size_t)n + 4 > size) { /* room for the mark and the NUL */
            break;
        }
        memcpy(out + used, piece, (size_t)n);
        used += (size_t)n;
    }
    snprintf(out + used, size - used, "%s", i < len ? "..." : "");
}

/* Collects what is wrong with one reply. */
struct judge {
    const struct verify_target *target;
    const struct verify_probe *probe;
    const struct http_reply *reply;
    struct verify_findings *f;
    struct err *e;
    size_t wrong;
    int rc;
};

static void judge_wrong(struct judge *j, const char *what, const char *expected, const char *got) {
    j->wrong++;
    if (j->rc == 0) {
        j->rc = verify_add(j->f, j->e, j->target->name, VERIFY_FAIL, expected, got, "%s: %s",
                           j->probe->name, what);
    }
}

static void judge_status(struct judge *j) {
    char expected[64];
    char got[96];
    if (j->reply->status != j->probe->status) {
        const char *end = memchr(j->reply->head, '\r', j->reply->head_len);
        size_t len = end ? (size_t)(end - j->reply->head) : j->reply->head_len;
        snprintf(expected, sizeof expected, "%d", j->probe->status);
        verify_printable(j->reply->head, len, got, sizeof got);
        judge_wrong(j, "status", expected, got);
    }
}

static void judge_type(struct judge *j) {
    char value[128];
    const char *wanted = j->probe->content_type;
    if (!wanted || j->reply->status != j->probe->status) {
        return;
    }
    bool found = http_reply_find(j->reply, "content-type", value, sizeof value);
    size_t media = strcspn(value, "; \t");
    if (!found || media != strlen(wanted) || strncasecmp(value, wanted, media) != 0) {
        judge_wrong(j, "content type", wanted, found ? value : "no Content-Type");
    }
}

static void judge_date(struct judge *j) {
    char value[64];
    char expected[64];
    time_t now = (time_t)j->reply->received_s;
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(expected, sizeof expected, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    if (!http_reply_find(j->reply, "date", value, sizeof value)) {
        if (j->target->kind != VERIFY_GUEST) {
            judge_wrong(j, "Date", expected, "no Date");
        }
        return;
    }
    int64_t when = verify_parse_date(value);
    if (when < 0) {
        judge_wrong(j, "Date", expected, value);
    } else if (when < j->reply->sent_s - 1 || when > j->reply->received_s + 1) {
        judge_wrong(j, "Date within a second", expected, value);
    }
}

static void judge_length(struct judge *j) {
    char value[64];
    char expected[64];
    int64_t wanted = j->probe->length >= 0 ? j->probe->length : (int64_t)j->reply->body_len;
    bool found = http_reply_find(j->reply, "content-length", value, sizeof value);
    if (j->target->kind == VERIFY_GUEST || (j->probe->to_head && j->probe->length < 0)) {
        return; /* a guest may send chunks; without the GET reply there is nothing to compare */
    }
    snprintf(expected, sizeof expected, "%" PRId64, wanted);
    if (!found || strcmp(value, expected) != 0) {
        judge_wrong(j, "Content-Length", expected, found ? value : "no Content-Length");
    }
}

static void judge_body(struct judge *j) {
    char why[128];
    char got[160];
    const struct workload *w = j->probe->workload;
    if (!w || j->probe->to_head || j->reply->status != w->status) {
        return;
    }
    if (!workload_check_body(w, j->target->kind != VERIFY_GUEST, j->reply->body, j->reply->body_len,
                             why, sizeof why)) {
        char expected[160];
        char body[96];
        verify_printable(j->reply->body, j->reply->body_len, body, sizeof body);
        snprintf(got, sizeof got, "%zu bytes: \"%s\"", j->reply->body_len, body);
        if (w->exact) {
            verify_printable(w->exact, strlen(w->exact), body, sizeof body);
            snprintf(expected, sizeof expected, "%zu bytes: \"%s\"", strlen(w->exact), body);
        } else {
            snprintf(expected, sizeof expected, "%s; this %s", w->summary, why);
        }
        judge_wrong(j, "body", expected, got);
    }
}

/* The common form of the head: HTTP/1.1, Date, Connection, Content-Length, Server, then the rest.
 */
static void judge_head(struct judge *j) {
    static const char *const order[] = {"Date", "Connection", "Content-Length", "Server"};
    struct http_header h = {0};
    char value[64];
    if (j->target->kind == VERIFY_GUEST) {
        return;
    }
    if (j->reply->minor != 1) {
        judge_wrong(j, "version", "HTTP/1.1", "HTTP/1.0");
    }
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        bool there = http_reply_header(j->reply, i, &h);
        if (!there || h.name_len != strlen(order[i]) || memcmp(h.name, order[i], h.name_len) != 0) {
            char expected[64];
            char got[96];
            snprintf(expected, sizeof expected, "header %zu is %s", i + 1, order[i]);
            verify_printable(there ? h.name : "none", there ? h.name_len : 4, got, sizeof got);
            judge_wrong(j, "order of headers", expected, got);
            return;
        }
    }
    if (!http_reply_find(j->reply, "server", value, sizeof value) ||
        strcmp(value, SERVER_NAME) != 0) {
        judge_wrong(j, "Server", SERVER_NAME, value);
    }
}

static void judge_allow(struct judge *j) {
    char value[128];
    const char *word = j->probe->allow;
    if (!word || j->reply->status != j->probe->status) {
        return;
    }
    bool found = http_reply_find(j->reply, "allow", value, sizeof value);
    size_t len = strlen(word);
    for (const char *at = value; *at;) {
        size_t token = strcspn(at, ", \t");
        if (token == len && memcmp(at, word, len) == 0) {
            return;
        }
        at += token;
        at += strspn(at, ", \t");
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a list with %s", word);
    judge_wrong(j, "Allow", expected, found ? value : "no Allow");
}

int verify_check_reply(const struct verify_target *target, const struct verify_probe *probe,
                       const struct http_reply *reply, struct verify_findings *f, struct err *e) {
    struct judge j = {.target = target, .probe = probe, .reply = reply, .f = f, .e = e};
    judge_status(&j);
    judge_head(&j);
    judge_date(&j);
    judge_length(&j);
    judge_type(&j);
    judge_allow(&j);
    judge_body(&j);
    if (j.rc == 0 && j.wrong == 0) {
        j.rc = verify_add(f, e, target->name, VERIFY_PASS, "", "", "%s", probe->name);
    }
    return j.rc;
}
