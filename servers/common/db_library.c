#include "common/db_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int db_library_load(const char *soname, const char *package, const struct db_symbol *symbols,
                    size_t count, void *table, char *error, size_t error_size) {
    void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
    if (library == NULL) {
        (void)snprintf(error, error_size, "%s cannot be loaded: install %s", soname, package);
        return -1;
    }
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (found == NULL) {
            (void)snprintf(error, error_size, "%s has no %s: install a newer %s", soname,
                           symbols[i].name, package);
            return -1;
        }
        /* POSIX, not ISO C, lets a function's address stand in a void pointer. */
        memcpy((char *)table + symbols[i].offset, &found, sizeof found);
    }
    return 0;
}
