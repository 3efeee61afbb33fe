/* database.h — the PostgreSQL that the servers store in, where it runs on this machine.
 *
 * Its work is neither the server's nor a neighbour's: it belongs to the load that was asked for. So
 * its CPU is counted apart, and taken out of what counts as foreign (window.h). */
#ifndef SAMPLE_DATABASE_H
#define SAMPLE_DATABASE_H

#include <stdbool.h>
#include <sys/types.h>

enum database_place {
    DATABASE_NONE,      /* the servers use none, or one of their own (SQLite) */
    DATABASE_HERE,      /* `root` and its descendants */
    DATABASE_ELSEWHERE, /* on another machine: it takes no CPU of this one */
    DATABASE_HIDDEN,    /* cannot be told, or not to be seen: in another container, say */
};

struct database {
    enum database_place place;
    pid_t root; /* of DATABASE_HERE */
};

/* The innermost pid of a process and its name, from the text of /proc/PID/status: the last number
 * of "NSpid:" (pid_namespaces(7)), or that of "Pid:" where the kernel has no such line. Returns
 * whether it is one of PostgreSQL's. */
bool database_parse_status(const char *text, pid_t *inner, pid_t *parent);

/* Connects to the database of `url` (as the servers' --db, NULL = none) once, asks libpq for the
 * pid of its backend, and looks for it below `proc` ("/proc"). Waits for an answer 2 s at most;
 * what cannot be reached is hidden. libpq is opened by name: where it is missing, too. */
void database_find(const char *url, const char *proc, struct database *out);

#endif
