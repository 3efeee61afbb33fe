#include "sample/machine_text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t"

/* Copies len bytes as a string, cut to size, control characters left out. */
static void text_copy(const char *from, size_t len, char *out, size_t size) {
    size_t used = 0;
    for (size_t i = 0; i < len && used + 1 < size; i++) {
        unsigned char c = (unsigned char)from[i];
        if (c >= 0x20 && c != 0x7f) {
            out[used++] = from[i];
        }
    }
    if (size > 0) {
        out[used] = '\0';
    }
}

static const char *text_next_line(const char *at) {
    at += strcspn(at, "\n");
    return *at ? at + 1 : at;
}

bool text_value(const char *text, const char *key, char *out, size_t size) {
    size_t n = strlen(key);
    text_copy("", 0, out, size);
    for (const char *at = text; *at; at = text_next_line(at)) {
        if (strncmp(at, key, n) != 0) {
            continue;
        }
        const char *value = at + n + strspn(at + n, BLANKS);
        if (*value != ':' && *value != '=') {
            continue;
        }
        value++;
        value += strspn(value, BLANKS);
        size_t len = strcspn(value, "\n");
        while (len > 0 && strchr(BLANKS, value[len - 1])) {
            len--;
        }
        if (len >= 2 && (*value == '"' || *value == '\'') && value[len - 1] == *value) {
            value++;
            len -= 2;
        }
        text_copy(value, len, out, size);
        return true;
    }
    return false;
}

int64_t text_number(const char *text) {
    int64_t n = 0;
    text += strspn(text, " \t\n");
    size_t len = strcspn(text, " \t\n");
    if (text[len + strspn(text + len, " \t\n")] != '\0' || len == 0) {
        return -1;
    }
    if (len == 3 && strncmp(text, "max", 3) == 0) {
        return INT64_MAX;
    }
    for (size_t i = 0; i < len; i++) {
        int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || n > (INT64_MAX - digit) / 10) {
            return -1;
        }
        n = n * 10 + digit;
    }
    return n;
}

bool text_marked(const char *text, char *out, size_t size) {
    const char *open = strchr(text, '[');
    const char *close = open ? strchr(open, ']') : NULL;
    text_copy(open ? open + 1 : "", close ? (size_t)(close - open) - 1 : 0, out, size);
    return close != NULL;
}

bool text_has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = text; *at;) {
        at += strspn(at, " \t\n");
        size_t len = strcspn(at, " \t\n");
        if (len == n && n > 0 && memcmp(at, word, n) == 0) {
            return true;
        }
        at += len;
    }
    return false;
}

/* One limit: a number or "unlimited"; moves *at past it. */
static int64_t text_one_limit(const char **at) {
    char word[32];
    *at += strspn(*at, BLANKS);
    size_t len = strcspn(*at, " \t\n");
    text_copy(*at, len, word, sizeof word);
    *at += len;
    return strcmp(word, "unlimited") == 0 ? INT64_MAX : text_number(word);
}

bool text_limit(const char *text, const char *name, int64_t *soft, int64_t *hard) {
    size_t n = strlen(name);
    *soft = -1;
    *hard = -1;
    for (const char *at = text; *at; at = text_next_line(at)) {
        if (strncmp(at, name, n) == 0 && (at[n] == ' ' || at[n] == '\t')) {
            const char *value = at + n;
            *soft = text_one_limit(&value);
            *hard = text_one_limit(&value);
            return *soft >= 0 && *hard >= 0;
        }
    }
    return false;
}

double text_cpu_max(const char *text) {
    char word[32];
    text += strspn(text, " \t\n");
    size_t len = strcspn(text, " \t\n");
    text_copy(text, len, word, sizeof word);
    int64_t quota = text_number(word);
    int64_t period = text_number(text + len);
    if (quota == INT64_MAX) {
        return INFINITY;
    }
    return quota > 0 && period > 0 ? (double)quota / (double)period : NAN;
}

/* ---- control groups */

/* True when the comma-separated list of len bytes has the word. */
static bool list_has(const char *list, size_t len, const char *word) {
    size_t n = strlen(word);
    for (size_t i = 0; i < len;) {
        const char *comma = memchr(list + i, ',', len - i);
        size_t end = comma ? (size_t)(comma - list) : len;
        if (end - i == n && memcmp(list + i, word, n) == 0) {
            return true;
        }
        i = end + 1;
    }
    return false;
}

/* The path of /proc/self/cgroup's line for the controller ("" = v2's line). */
static bool cgroup_path(const char *cgroup, const char *controller, const char **path,
                        size_t *len) {
    for (const char *at = cgroup; *at; at = text_next_line(at)) {
        size_t line = strcspn(at, "\n");
        const char *first = memchr(at, ':', line);
        const char *second = first ? memchr(first + 1, ':', line - (size_t)(first + 1 - at)) : NULL;
        if (!second || second[1] != '/') {
            continue;
        }
        size_t list = (size_t)(second - first) - 1;
        if (controller[0] ? list_has(first + 1, list, controller) : list == 0) {
            *path = second + 1;
            *len = line - (size_t)(second + 1 - at);
            return true;
        }
    }
    return false;
}

/* Word number i (from 0) of a line of len bytes. */
static bool line_word(const char *line, size_t len, size_t i, const char **word, size_t *n) {
    size_t at = 0;
    for (;;) {
        while (at < len && line[at] == ' ') {
            at++;
        }
        size_t start = at;
        while (at < len && line[at] != ' ') {
            at++;
        }
        if (at == start) {
            return false;
        }
        if (i-- == 0) {
            *word = line + start;
            *n = at - start;
            return true;
        }
    }
}

/* A mount of the hierarchy: its root within the hierarchy and its mount point. */
static bool cgroup_mount(const char *mountinfo, const char *controller, const char **root,
                         size_t *root_len, const char **mount, size_t *mount_len) {
    for (const char *at = mountinfo; *at; at = text_next_line(at)) {
        size_t line = strcspn(at, "\n");
        const char *dash = memmem(at, line, " - ", 3);
        if (!dash || !line_word(at, line, 3, root, root_len) ||
            !line_word(at, line, 4, mount, mount_len)) {
            continue;
        }
        const char *type;
        const char *options;
        size_t type_len;
        size_t options_len;
        size_t rest = line - (size_t)(dash + 3 - at);
        if (!line_word(dash + 3, rest, 0, &type, &type_len)) {
            continue;
        }
        if (!controller[0]) {
            if (type_len == 7 && memcmp(type, "cgroup2", 7) == 0) {
                return true;
            }
        } else if (type_len == 6 && memcmp(type, "cgroup", 6) == 0 &&
                   line_word(dash + 3, rest, 2, &options, &options_len) &&
                   list_has(options, options_len, controller)) {
            return true;
        }
    }
    return false;
}

int text_cgroup(const char *cgroup, const char *mountinfo, const char *controller, char *folder,
                char *mount, size_t size) {
    const char *path;
    const char *root;
    const char *point;
    size_t path_len;
    size_t root_len;
    size_t point_len;
    int version = 1;
    if (!cgroup_path(cgroup, controller, &path, &path_len) ||
        !cgroup_mount(mountinfo, controller, &root, &root_len, &point, &point_len)) {
        version = 2;
        if (!cgroup_path(cgroup, "", &path, &path_len) ||
            !cgroup_mount(mountinfo, "", &root, &root_len, &point, &point_len)) {
            return -1;
        }
    }
    /* In a container the mount shows a part of the hierarchy only: what lies above is not there. */
    if (root_len == 1) {
        root_len = 0;
    }
    if (path_len >= root_len && memcmp(path, root, root_len) == 0 &&
        (path_len == root_len || path[root_len] == '/')) {
        path += root_len;
        path_len -= root_len;
    } else {
        path_len = 0;
    }
    if (path_len == 1 || (path_len >= 3 && memcmp(path, "/..", 3) == 0)) {
        path_len = 0;
    }
    if (point_len + path_len >= size) {
        return -1;
    }
    text_copy(point, point_len, mount, size);
    text_copy(point, point_len, folder, size);
    text_copy(path, path_len, folder + strlen(folder), size - strlen(folder));
    return version;
}
