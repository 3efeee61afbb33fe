/* local_argv.h — command lines with places for what the runner chooses, and ready lines. */
#ifndef TARGET_LOCAL_ARGV_H
#define TARGET_LOCAL_ARGV_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* What stands for {host}, {port}, {workers}, {backlog}, {log}. */
struct argv_values {
    const char *host;
    const char *log; /* NULL = /dev/null */
    int port, workers, backlog;
};

/* Whether any argument names {port}. */
bool argv_wants_port(const char *const *argv);

/* The command line with every placeholder replaced; other braces stay as they are. NULL out of
 * memory. Free it with argv_free(). */
char **argv_expand(const char *const *argv, const struct argv_values *values);

void argv_free(char **argv);

/* Reads {"listening":"ADDR:PORT",…} (an IPv6 address in brackets). Returns 0, or -1 with *e
 * (ERR_FAILED) saying what is wrong with the line. Unknown members are ignored. */
int ready_line_parse(const char *line, char *host, size_t size, int *port, struct err *e);

#endif
