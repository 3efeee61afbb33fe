#include "load/wrk_version.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int wrk_version_parse(const char *text, char *version, size_t size) {
    if (strncmp(text, "wrk ", 4) != 0) {
        return -1;
    }
    text += 4;
    size_t len = strcspn(text, " \r\n");
    snprintf(version, size, "%.*s", (int)(len < size ? len : size - 1), text);
    /* The first digit may stand behind a packager's prefix; a bare commit has no dot after it. */
    const char *at = version;
    while (*at && !(isdigit((unsigned char)*at) && (at == version || at[-1] == '/'))) {
        at++;
    }
    char *end;
    long major = strtol(at, &end, 10);
    if (end == at || *end != '.' || !isdigit((unsigned char)end[1])) {
        return -1;
    }
    long minor = strtol(end + 1, NULL, 10);
    return major > 4 || (major == 4 && minor >= 1);
}
