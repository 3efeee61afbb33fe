/*
 * Database libraries, loaded when they are first needed.
 *
 * Linked as usual, libpq brings some twenty libraries along (TLS, Kerberos, LDAP) and with them
 * 5.5 MB of resident memory, libsqlite3 0.8 MB: paid at start by every server, also by one that
 * never serves /posts. So nothing is linked; the functions are looked up by name, with the types
 * of the library's own header.
 */
#ifndef LOOPBENCH_SERVERS_DB_LIBRARY_H
#define LOOPBENCH_SERVERS_DB_LIBRARY_H

#include <stddef.h>

struct db_symbol {
    const char *name;
    size_t offset; /* of the pointer in the table */
};

/* Loads `soname` for the rest of the process's life and fills the table of function pointers. May
 * be called again. Returns 0, or -1 with one line in `error`: what is missing and which package has
 * it. */
int db_library_load(const char *soname, const char *package, const struct db_symbol *symbols,
                    size_t count, void *table, char *error, size_t error_size);

#endif
