#include "common/options.h"

#include "common/store.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define BACKLOG_FALLBACK 4096
#define SHOWN_MAX        ((size_t)64) /* of a wrong value, in a message */

enum kind {
    KIND_ADDRESS,
    KIND_NUMBER,
    KIND_DURATION,
    KIND_SIZE,
    KIND_PATH,
    KIND_DB,
    KIND_HELP,
    KIND_VERSION
};

struct row {
    const char *name, *argument, *preset; /* preset NULL: computed */
    enum kind kind;
    size_t offset;
    uint64_t min, max;
    const char *bounds; /* as a person says them */
    const char *help;
};

#define FIELD(field) offsetof(struct options, field)
#define MINUTE       ((uint64_t)60 * 1000)

static const struct row rows[] = {
    {"--listen", "ADDR:PORT", "127.0.0.1:8080", KIND_ADDRESS, FIELD(address), 0, 0,
     "an address like 127.0.0.1:8080 or [::1]:8080",
     "address to listen on; port 0 picks a free one"},
    {"--workers", "N", "1", KIND_NUMBER, FIELD(workers), 1, 256, "a number from 1 to 256",
     "event loops, each on its own thread"},
    {"--backlog", "N", NULL, KIND_NUMBER, FIELD(backlog), 1, 65535, "a number from 1 to 65535",
     "listen queue (default: the kernel's somaxconn)"},
    {"--idle-timeout", "DURATION", "60s", KIND_DURATION, FIELD(idle_timeout_ms), 50,
     24 * 60 * MINUTE, "a duration from 50ms to 24h, like 500ms, 10s, 1m",
     "drop a slow or silent client after this"},
    {"--max-body", "SIZE", "1m", KIND_SIZE, FIELD(max_body), 0, (uint64_t)1 << 30,
     "a size from 0 to 1g, like 65536, 64k, 1m", "refuse larger request bodies with 413"},
    {"--db", "URL", NULL, KIND_DB, FIELD(db), 0, 0, "sqlite:PATH or postgresql://...",
     "where /posts stores (default: a private temporary SQLite file)"},
    {"--access-log", "FILE", NULL, KIND_PATH, FIELD(access_log), 0, 0, "the name of a file",
     "append a line for each request to it; SIGUSR1 reopens it (default: no log)"},
    {"--handicap-ns", "N", "0", KIND_NUMBER, FIELD(handicap_ns), 0, 1000000000,
     "a number from 0 to 1000000000", "burn this much CPU for each request"},
    {"--handicap-loops", "N", "0", KIND_NUMBER, FIELD(handicap_loops), 0, 1000000000,
     "a number from 0 to 1000000000", "spend 2 N instructions (and some 12) for each request"},
    {"--version", NULL, NULL, KIND_VERSION, 0, 0, 0, NULL, "print name and version"},
    {"--help", NULL, NULL, KIND_HELP, 0, 0, 0, NULL, "print this"},
};
enum { NUM_ROWS = sizeof rows / sizeof rows[0] };

int options_parse_uint(const char *text, uint64_t *value) {
    char *end;
    if (text[0] < '0' || text[0] > '9') {
        return -1;
    }
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    if (errno != 0 || *end != '\0') {
        return -1;
    }
    *value = number;
    return 0;
}

/* A number followed by one of the given units. */
static int parse_unit(const char *text, const char *const units[], const uint64_t factors[],
                      uint64_t *value) {
    char digits[24];
    size_t n = strspn(text, "0123456789");
    if (n == 0 || n >= sizeof digits) {
        return -1;
    }
    memcpy(digits, text, n);
    digits[n] = '\0';
    uint64_t number;
    if (options_parse_uint(digits, &number) != 0) {
        return -1;
    }
    for (size_t i = 0; units[i] != NULL; i++) {
        if (strcmp(text + n, units[i]) == 0) {
            if (number > UINT64_MAX / factors[i]) {
                return -1;
            }
            *value = number * factors[i];
            return 0;
        }
    }
    return -1;
}

int options_parse_duration(const char *text, uint64_t *ms) {
    static const char *const units[] = {"ms", "s", "m", "h", NULL};
    static const uint64_t factors[] = {1, 1000, MINUTE, 60 * MINUTE};
    return parse_unit(text, units, factors, ms);
}

int options_parse_size(const char *text, uint64_t *bytes) {
    static const char *const units[] = {"", "k", "K", "m", "M", "g", "G", NULL};
    static const uint64_t factors[] = {1, 1 << 10, 1 << 10, 1 << 20, 1 << 20, 1 << 30, 1 << 30};
    return parse_unit(text, units, factors, bytes);
}

int options_parse_address(const char *text, struct sockaddr_storage *address, socklen_t *len) {
    char host[INET6_ADDRSTRLEN + 1];
    uint64_t port;
    const char *colon = strrchr(text, ':');
    if (colon == NULL || options_parse_uint(colon + 1, &port) != 0 || port > 65535) {
        return -1;
    }
    size_t n = (size_t)(colon - text);
    bool v6 = n >= 2 && text[0] == '[' && text[n - 1] == ']';
    const char *begin = v6 ? text + 1 : text;
    n = v6 ? n - 2 : n;
    if (n >= sizeof host) {
        return -1;
    }
    memcpy(host, begin, n);
    host[n] = '\0';
    memset(address, 0, sizeof *address);
    if (v6) {
        struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)address;
        in6->sin6_family = AF_INET6;
        in6->sin6_port = htons((uint16_t)port);
        *len = sizeof *in6;
        return inet_pton(AF_INET6, host, &in6->sin6_addr) == 1 ? 0 : -1;
    }
    struct sockaddr_in *in4 = (struct sockaddr_in *)address;
    in4->sin_family = AF_INET;
    in4->sin_port = htons((uint16_t)port);
    *len = sizeof *in4;
    return inet_pton(AF_INET, host, &in4->sin_addr) == 1 ? 0 : -1;
}

static int set_value(struct options *options, const struct row *row, const char *text) {
    uint64_t *value = (uint64_t *)((char *)options + row->offset);
    int failed = -1;
    switch (row->kind) {
    case KIND_ADDRESS:
        return options_parse_address(text, &options->address, &options->address_len);
    case KIND_NUMBER:
        failed = options_parse_uint(text, value);
        break;
    case KIND_DURATION:
        failed = options_parse_duration(text, value);
        break;
    case KIND_SIZE:
        failed = options_parse_size(text, value);
        break;
    case KIND_PATH:
        *(const char **)((char *)options + row->offset) = text;
        return text[0] != '\0' ? 0 : -1;
    case KIND_DB:
        *(const char **)((char *)options + row->offset) = text;
        return store_check_url(text);
    case KIND_HELP:
    case KIND_VERSION:
        break;
    }
    return failed == 0 && *value >= row->min && *value <= row->max ? 0 : -1;
}

static uint64_t read_somaxconn(void) {
    char text[32];
    uint64_t value = BACKLOG_FALLBACK;
    FILE *file = fopen("/proc/sys/net/core/somaxconn", "re");
    if (file == NULL) {
        return value;
    }
    if (fgets(text, sizeof text, file) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        if (options_parse_uint(text, &value) != 0 || value < 1) {
            value = BACKLOG_FALLBACK;
        }
    }
    (void)fclose(file);
    return value > 65535 ? 65535 : value;
}

static void set_defaults(struct options *options) {
    memset(options, 0, sizeof *options);
    for (size_t i = 0; i < NUM_ROWS; i++) {
        if (rows[i].preset != NULL) {
            (void)set_value(options, &rows[i], rows[i].preset);
        }
    }
    options->backlog = read_somaxconn();
}

static const struct row *find_row(const char *argument, size_t len) {
    for (size_t i = 0; i < NUM_ROWS; i++) {
        if (strlen(rows[i].name) == len && memcmp(rows[i].name, argument, len) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}

/* What may be said of a value that is refused: of a database URL, which may hold a password, its
 * scheme at most. Gives the length; 0: nothing. */
static size_t printable_part(const struct row *row, const char *value) {
    if (row->kind != KIND_DB) {
        return strlen(value);
    }
    size_t len = strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
    return value[len] == ':' ? len + 1 : 0;
}

static void refuse(const struct row *row, const char *value, char *error, size_t error_size) {
    size_t len = printable_part(row, value);
    int shown = (int)(len < SHOWN_MAX ? len : SHOWN_MAX);
    if (row->kind == KIND_DB && len == 0) {
        (void)snprintf(error, error_size, "%s: give %s", row->name, row->bounds);
        return;
    }
    (void)snprintf(error, error_size, "%s: '%.*s%s' is not %s", row->name, shown, value,
                   row->kind == KIND_DB ? "..." : "", row->bounds);
}

enum options_result options_parse(struct options *options, int argc, char *const argv[],
                                  char *error, size_t error_size) {
    set_defaults(options);
    for (int i = 1; i < argc; i++) {
        const char *equals = strchr(argv[i], '=');
        size_t len = equals != NULL ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        const struct row *row = find_row(argv[i], len);
        if (row == NULL) {
            /* Not its value, nor a URL that lacks its option: there may be a password in it. */
            size_t shown = strcspn(argv[i], "=:");
            (void)snprintf(error, error_size, "unknown option '%.*s': see --help",
                           (int)(shown < SHOWN_MAX ? shown : SHOWN_MAX), argv[i]);
            return OPTIONS_BAD;
        }
        if (row->argument == NULL) {
            if (equals != NULL) {
                (void)snprintf(error, error_size, "%s takes no value", row->name);
                return OPTIONS_BAD;
            }
            return row->kind == KIND_HELP ? OPTIONS_HELP : OPTIONS_VERSION;
        }
        const char *value = equals != NULL ? equals + 1 : NULL;
        if (value == NULL && i + 1 < argc) {
            value = argv[++i];
        }
        if (value == NULL) {
            (void)snprintf(error, error_size, "%s needs %s", row->name, row->bounds);
            return OPTIONS_BAD;
        }
        if (set_value(options, row, value) != 0) {
            refuse(row, value, error, error_size);
            return OPTIONS_BAD;
        }
    }
    return OPTIONS_RUN;
}

void options_print_help(FILE *out, const char *program) {
    (void)fprintf(out, "usage: %s [OPTION VALUE]...\n\n", program);
    for (size_t i = 0; i < NUM_ROWS; i++) {
        const struct row *row = &rows[i];
        char left[40];
        (void)snprintf(left, sizeof left, "%s%s%s", row->name, row->argument != NULL ? " " : "",
                       row->argument != NULL ? row->argument : "");
        (void)fprintf(out, "  %-24s %s", left, row->help);
        if (row->preset != NULL) {
            (void)fprintf(out, " (default %s)", row->preset);
        }
        (void)fputc('\n', out);
    }
    (void)fputs(
        "\nWhen it listens, one line of JSON says where. SIGTERM ends it: requests in flight "
        "are answered.\n",
        out);
}
