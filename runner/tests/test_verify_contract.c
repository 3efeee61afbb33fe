/* verify: whole contracts, against a server of the test's own that keeps the contract or breaks it
 * in one way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/workload.h"
#include "bodies.h"
#include "scripted.h"
#include "target/verify_parts.h"

#define SECOND 1000000000LL

enum fault {
    NO_FAULT,
    WRONG_BODY,
    STALE_DATE,
    OTHER_HEADER,
    NO_ALLOW,
    SWAPPED,      /* pipelined replies out of order */
    ONE_SHOT,     /* closes every connection, saying so */
    DROPS,        /* closes after a reply that promised to stay */
    STAYS,        /* ignores Connection: close */
    BODY_TO_HEAD, /* sends the length of nothing to HEAD */
    ALL_OK,       /* 200 whatever is asked */
    POOR_STATS,   /* /stats without memory */
    TWO_LINES,    /* a reason of two lines for a bad parameter */
    NOT_RANDOM,   /* one letter only */
    ALWAYS_SAME,  /* letters, but always the same */
    NO_WAIT,      /* /wait at once */
    LATE_WAIT,    /* and far too late */
    NO_STORE,     /* the same documents whatever is posted */
    ONE_NUMBER,   /* for any n */
    ONE_SUM,      /* for any body */
    GARBAGE,      /* and what follows: no answer at all */
    SILENT,
};

#define STATS                                                                                      \
    "{\"server\":\"x\",\"versions\":{},\"pid\":1,\"workers\":1,\"requests\":1,"                    \
    "\"connections\":{\"accepted\":1,\"open\":1},\"cpu\":{\"user_us\":1,\"system_us\":1}"

struct answer {
    char *text;
    size_t len;
    bool close;
};

static const struct workload *workload_of_path(const char *path) {
    for (size_t i = 0; workload_at(i); i++) {
        if (strcmp(workload_at(i)->path, path) == 0) {
            return workload_at(i);
        }
    }
    const struct workload *others[] = {workload_find("fibonacci:n=20"),
                                       workload_find("bytes:n=20")};
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(others[i]->path, path) == 0) {
            return others[i];
        }
    }
    return strcmp(path, "/") == 0 ? workload_find("hello") : NULL;
}

/* Whether it is the path of a workload with a parameter that is wrong. */
static bool is_bad_query(const char *path) {
    for (size_t i = 0; workload_at(i); i++) {
        const struct workload *w = workload_at(i);
        size_t len = strcspn(w->path, "?");
        if (w->param.key && strncmp(path, w->path, len) == 0 && strcspn(path, "?") == len) {
            return true;
        }
    }
    return false;
}

/* The bodies that depend on more than the path. */
static bool work_of(enum fault fault, const struct workload *w, const char *request, char **made,
                    size_t *len) {
    struct workload asked = *w;
    if (fault == NO_STORE && strcmp(w->base, "posts") == 0) {
        static char *only;
        static size_t only_len;
        only = only ? only : bodies_make(w, &only_len);
        free(*made);
        *made = strdup(only);
        *len = only_len;
        return true;
    }
    if (fault == ONE_NUMBER && strcmp(w->base, "fibonacci") == 0) {
        asked.value = 30;
    } else if (fault != ONE_SUM && w->body_len > 0) {
        const char *length = strstr(request, "Content-Length: 12\r");
        asked.body = length ? "another body" : w->body;
        asked.body_len = length ? 12 : w->body_len;
    } else {
        return false;
    }
    free(*made);
    *made = bodies_make(&asked, len);
    return true;
}

static void answer(enum fault fault, const char *request, struct answer *a) {
    static const char missing[] = "<html>404</html>";
    char method[16] = "";
    char path[64] = "";
    int minor = 1;
    char date[64];
    time_t now = time(NULL) - (fault == STALE_DATE ? 10 : 0);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", &tm);
    assert_int_equal(sscanf(request, "%15s %63s HTTP/1.%d", method, path, &minor), 3);
    const struct workload *w = workload_of_path(path);
    bool stats = strcmp(path, "/stats") == 0;
    w = stats ? workload_find("json") : w;
    bool to_head = strcmp(method, "HEAD") == 0;
    bool keep = minor == 1 ? !strstr(request, "Connection: close")
                           : strstr(request, "Connection: keep-alive") != NULL;
    keep = (keep && fault != ONE_SHOT) || fault == STAYS;
    size_t length = 0;
    char *made = w ? bodies_make(w, &length) : NULL;
    const char *status = w ? "200 OK" : "404 Not Found";
    const char *body = w ? made : missing;
    bool allow = w && strcmp(method, w->method) != 0 && !to_head;
    if (allow) {
        status = "405 Method Not Allowed";
        body = missing;
    } else if (!w && is_bad_query(path)) {
        status = "400 Bad Request";
        body = fault == TWO_LINES ? "bad\nparameter" : "bad parameter";
    }
    if (stats) {
        body = fault == POOR_STATS ? STATS "}"
                                   : STATS ",\"memory\":{\"rss_bytes\":1,\"peak_rss_bytes\":2}}";
    }
    if (fault == ALL_OK) {
        status = "200 OK";
    }
    if (fault == WRONG_BODY && w && strcmp(w->name, "json") == 0) {
        body = "{}";
    }
    if (fault == NOT_RANDOM && w && strcmp(w->name, "concat") == 0) {
        memset(made, 'x', length);
    }
    if (fault == ALWAYS_SAME && w && strcmp(w->name, "concat") == 0) {
        for (size_t i = 0; i < length; i++) {
            made[i] = (char)('A' + i % 26 + (i / 26 % 2 ? 'a' - 'A' : 0));
        }
    }
    if (w && strcmp(w->name, "wait") == 0 && !to_head && fault != NO_WAIT) {
        poll(NULL, 0, fault == LATE_WAIT ? 400 : 10);
    }
    if (w && work_of(fault, w, request, &made, &length)) {
        body = made;
    }
    length = fault == BODY_TO_HEAD && to_head ? 0 : strlen(body);
    int n = asprintf(&a->text,
                     "HTTP/1.1 %s\r\nDate: %s\r\nConnection: %s\r\nContent-Length: %zu\r\n"
                     "Server: loopbench\r\ncontent-type: %s\r\n%s%s%s%s\r\n%s",
                     status, date, keep ? "keep-alive" : "close", length,
                     w && !allow                                  ? w->content_type
                     : status[0] == '4' && !w && status[2] == '0' ? "text/plain"
                                                                  : "text/html",
                     fault == OTHER_HEADER ? "x-more: 1\r\n" : "",
                     allow && fault != NO_ALLOW ? "allow: " : "",
                     allow && fault != NO_ALLOW ? w->method : "",
                     allow && fault != NO_ALLOW ? "\r\n" : "", to_head ? "" : body);
    assert_true(n > 0);
    free(made);
    a->len = (size_t)n;
    a->close = !keep || fault == DROPS;
}

/* The next whole request, with its body; its head is NUL-terminated in buf. */
static bool next_request(struct scripted *s, int fd, char *buf, size_t size, size_t *used,
                         size_t *head, size_t *whole) {
    if (!scripted_request(s, fd, buf, size, used, head)) {
        return false;
    }
    buf[*head - 1] = '\0';
    const char *length = strstr(buf, "Content-Length: ");
    *whole = *head + (length ? strtoul(length + 16, NULL, 10) : 0);
    while (*used < *whole) {
        ssize_t n = scripted_wait(s, fd) ? recv(fd, buf + *used, size - *used, 0) : 0;
        if (n <= 0) {
            return false;
        }
        *used += (size_t)n;
    }
    return true;
}

static bool take(struct scripted *s, int fd, char *buf, size_t size, size_t *used, enum fault fault,
                 struct answer *a) {
    size_t head;
    size_t whole;
    if (!next_request(s, fd, buf, size, used, &head, &whole)) {
        return false;
    }
    answer(fault, buf, a);
    memmove(buf, buf + whole, *used - whole);
    *used -= whole;
    return true;
}

static void serve(struct scripted *s, int fd) {
    enum fault fault = *(const enum fault *)s->script;
    size_t size = 200000;
    size_t used = 0;
    size_t head = 0;
    bool more = true;
    char *own = malloc(size);
    assert_non_null(own);
    while (more && fault < GARBAGE) {
        struct answer first = {0};
        struct answer second = {0};
        more = take(s, fd, own, size, &used, fault, &first);
        if (more && fault == SWAPPED && memmem(own, used, "\r\n\r\n", 4) &&
            take(s, fd, own, size, &used, fault, &second)) {
            scripted_say(fd, second.text, second.len);
        }
        scripted_say(fd, first.text, more ? first.len : 0);
        more = more && !first.close;
        free(first.text);
        free(second.text);
    }
    if (fault >= GARBAGE && scripted_request(s, fd, own, size, &used, &head)) {
        if (fault == GARBAGE) {
            scripted_say(fd, "220 smtp.example\r\n", 18);
        } else {
            scripted_wait(s, s->stop[0]);
        }
    }
    free(own);
}

/* The first of two servers is sound, the other has the fault. */
static void verify_both(enum fault fault, enum verify_kind kind, int64_t timeout_ns,
                        struct verify_findings *f) {
    const struct workload *all[] = {workload_find("hello"), workload_find("json"),
                                    workload_find("html")};
    static const enum fault good = NO_FAULT;
    struct scripted a;
    struct scripted b;
    struct err e;
    assert_true(scripted_start(&a, AF_INET, serve, &good));
    assert_true(scripted_start(&b, AF_INET, serve, &fault));
    const struct verify_target targets[] = {
        {.name = "good", .host = "127.0.0.1", .port = a.port, .kind = VERIFY_OURS},
        {.name = "other", .host = "127.0.0.1", .port = b.port, .kind = kind},
    };
    assert_int_equal(verify_all(&targets[0], 2, all, 3, timeout_ns, f, &e), 0);
    scripted_stop(&a);
    scripted_stop(&b);
}

/* What is wrong with the sound one, or NULL. */
static const struct verify_finding *find_of_good(const struct verify_findings *f) {
    for (size_t i = 0; i < f->n; i++) {
        if (f->items[i].level == VERIFY_FAIL && strcmp(f->items[i].target, "good") == 0) {
            return &f->items[i];
        }
    }
    return NULL;
}

static void verify_two(enum fault fault, enum verify_kind kind, int64_t timeout_ns,
                       struct verify_findings *f) {
    verify_both(fault, kind, timeout_ns, f);
    const struct verify_finding *bad = find_of_good(f);
    if (bad) {
        fail_msg("%s: expected %s, got %s", bad->check, bad->expected, bad->got);
    }
}

static const struct verify_finding *find(const struct verify_findings *f, const char *check,
                                         enum verify_level level) {
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->items[i].check, check) == 0 && f->items[i].level == level &&
            strcmp(f->items[i].target, "other") == 0) {
            return &f->items[i];
        }
    }
    return NULL;
}

static void test_contract_kept(void **state) {
    (void)state;
    static const struct {
        enum verify_kind kind;
        size_t checks; /* 63 of the first target, those of the other, and one comparison */
    } cases[] = {{VERIFY_OURS, 127}, {VERIFY_NULL, 67}, {VERIFY_GUEST, 70}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verify_findings f = {0};
        verify_two(NO_FAULT, cases[i].kind, 60 * SECOND, &f);
        assert_int_equal(verify_failures(&f), 0);
        if (f.n != cases[i].checks) {
            fail_msg("%zu checks", f.n);
        }
        assert_int_equal(f.wires, cases[i].kind == VERIFY_GUEST ? 3 : 0);
        for (size_t k = 0; k < f.wires; k++) {
            assert_int_equal(f.wire[k].served, SERVED);
            assert_string_equal(f.wire[k].reference, "good");
            assert_true(f.wire[k].same_body && f.wire[k].same_headers && f.wire[k].keeps);
            assert_int_equal(f.wire[k].head, f.wire[k].head_of_reference);
        }
        assert_false(verify_is_useless(&f));
        verify_findings_release(&f);
    }
}

/* The other is waited for as long as the sound one may need for any of its replies. */
static void verify_silent(struct verify_findings *f) {
    for (int64_t timeout = SECOND / 4; timeout < 100 * SECOND; timeout *= 4) {
        verify_findings_release(f);
        verify_both(SILENT, VERIFY_OURS, timeout, f);
        if (!find_of_good(f)) {
            return;
        }
    }
    fail_msg("the sound one is too slow");
}

static void test_contract_broken(void **state) {
    (void)state;
    static const struct {
        enum fault fault;
        const char *check;
    } cases[] = {
        {WRONG_BODY, "GET /json: body"},
        {WRONG_BODY, "GET /json: same bytes as good"},
        {STALE_DATE, "HEAD /html: Date within a second"},
        {OTHER_HEADER, "GET /hello: same bytes as good"},
        {NO_ALLOW, "DELETE /hello: Allow"},
        {SWAPPED, "pipelining in order"},
        {ONE_SHOT, "keep-alive"},
        {DROPS, "keep-alive"},
        {STAYS, "Connection: close"},
        {STAYS, "HTTP/1.0"},
        {BODY_TO_HEAD, "HEAD /json: Content-Length"},
        {ALL_OK, "GET of a missing page: status"},
        {ALL_OK, "DELETE /hello: status"},
        {POOR_STATS, "GET /stats: body"},
        {TWO_LINES, "GET /bytes?n=1x: body"},
        {NOT_RANDOM, "GET /concat: body"},
        {ALWAYS_SAME, "GET /concat: random"},
        {NO_WAIT, "GET /wait?ms=10: waits"},
        {LATE_WAIT, "GET /wait?ms=10: waits"},
        {NO_STORE, "POST /posts: stores"},
        {ONE_NUMBER, "GET /fibonacci?n=20: another number"},
        {ONE_SUM, "POST /upload: another body"},
        {ALL_OK, "GET /wait: status"},
        {ALL_OK, "DELETE /upload: status"},
        {GARBAGE, "GET /hello"},
        {SILENT, "GET /hello"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verify_findings f = {0};
        char line[700];
        bool silent = cases[i].fault == SILENT;
        if (silent) {
            verify_silent(&f);
        } else {
            verify_two(cases[i].fault, VERIFY_OURS, 60 * SECOND, &f);
        }
        /* On a busy machine what is answered at once may come as late as after a wait. */
        for (int n = 0; n < 20 && cases[i].fault == NO_WAIT && verify_failures(&f) == 0; n++) {
            verify_findings_release(&f);
            verify_two(NO_WAIT, VERIFY_OURS, 60 * SECOND, &f);
        }
        if (!find(&f, cases[i].check, VERIFY_FAIL)) {
            verify_print(&f, true, stderr);
            fail_msg("fault %d: no failure '%s'", cases[i].fault, cases[i].check);
        }
        verify_first_failure(&f, line, sizeof line);
        assert_memory_equal(line, "other: ", 7);
        assert_null(strchr(line, '\n'));
        if (silent) { /* given up at once, not after a timeout for each check */
            assert_int_equal(verify_failures(&f), 1);
        }
        verify_findings_release(&f);
    }
}

static void test_guest_is_noted(void **state) {
    (void)state;
    struct verify_findings f = {0};
    verify_two(ONE_SHOT, VERIFY_GUEST, 60 * SECOND, &f);
    assert_non_null(find(&f, "keep-alive", VERIFY_NOTE));
    assert_int_equal(verify_failures(&f), 0);
    /* It closes without a word: what its replies announce is not what it does. */
    for (size_t i = 0; i < f.wires; i++) {
        assert_false(f.wire[i].keeps);
    }
    verify_findings_release(&f);
    verify_two(WRONG_BODY, VERIFY_GUEST, 60 * SECOND, &f);
    assert_non_null(find(&f, "GET /json: body", VERIFY_FAIL));
    assert_true(verify_is_useless(&f));
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    verify_print_fair(&f, out);
    assert_int_equal(fclose(out), 0);
    assert_non_null(strstr(text, "other beside good"));
    assert_non_null(strstr(text, "Not to be compared: 1 workload is answered wrongly"));
    free(text);
    verify_findings_release(&f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contract_kept),
        cmocka_unit_test(test_contract_broken),
        cmocka_unit_test(test_guest_is_noted),
    };
    cmocka_set_message_output(CM_OUTPUT_TAP);
    return cmocka_run_group_tests_name("verify/contract", tests, NULL, NULL);
}
