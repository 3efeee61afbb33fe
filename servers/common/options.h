/* The command line of every server: one table drives parsing, defaults, bounds and --help. */
#ifndef LOOPBENCH_SERVERS_OPTIONS_H
#define LOOPBENCH_SERVERS_OPTIONS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

enum { EXIT_DONE = 0, EXIT_USAGE = 2, EXIT_MACHINE = 3 };

struct options {
    struct sockaddr_storage address; /* --listen */
    socklen_t address_len;
    uint64_t workers;
    uint64_t backlog;
    uint64_t idle_timeout_ms;
    uint64_t max_body;
    uint64_t handicap_ns;
    uint64_t handicap_loops;
    const char *access_log; /* NULL: none */
    const char *db;         /* --db; NULL: a private temporary file */
};

enum options_result { OPTIONS_RUN, OPTIONS_HELP, OPTIONS_VERSION, OPTIONS_BAD };

/* Fills in defaults, then the arguments. On OPTIONS_BAD `error` holds one line without line feed:
 * what is wrong, where, and what would be right. */
enum options_result options_parse(struct options *options, int argc, char *const argv[],
                                  char *error, size_t error_size);

/* Prints the table. */
void options_print_help(FILE *out, const char *program);

/* Parses "ADDR:PORT" or "[ADDR6]:PORT", numeric. Returns 0, or -1 when it is neither. */
int options_parse_address(const char *text, struct sockaddr_storage *address, socklen_t *len);

/* Parses a duration ("500ms", "10s", "1m", "2h") to milliseconds. Returns 0 or -1. */
int options_parse_duration(const char *text, uint64_t *ms);

/* Parses a size ("4096", "64k", "1m", "2g"; powers of 1024) to bytes. Returns 0 or -1. */
int options_parse_size(const char *text, uint64_t *bytes);

/* Parses a decimal number. Returns 0, or -1 for anything else, also signs, blanks and overflow. */
int options_parse_uint(const char *text, uint64_t *value);

#endif
