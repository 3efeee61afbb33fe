#include "target/local_argv.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool argv_wants_port(const char *const *argv) {
    for (size_t i = 0; argv[i]; i++) {
        if (strstr(argv[i], "{port}")) {
            return true;
        }
    }
    return false;
}

/* If a placeholder stands at `at`, writes its value and returns its length; else 0. */
static size_t argv_place(FILE *out, const char *at, const struct argv_values *values) {
    const struct {
        const char *name;
        int value;
    } numbers[] = {
        {"{port}", values->port}, {"{workers}", values->workers}, {"{backlog}", values->backlog}};
    if (strncmp(at, "{host}", 6) == 0) {
        fputs(values->host, out);
        return 6;
    }
    if (strncmp(at, "{log}", 5) == 0) {
        fputs(values->log ? values->log : "/dev/null", out);
        return 5;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        size_t len = strlen(numbers[i].name);
        if (strncmp(at, numbers[i].name, len) == 0) {
            fprintf(out, "%d", numbers[i].value);
            return len;
        }
    }
    return 0;
}

static char *argv_expand_one(const char *arg, const struct argv_values *values) {
    char *text = NULL;
    size_t len = 0;
    FILE *out = open_memstream(&text, &len);
    if (!out) {
        return NULL;
    }
    while (*arg) {
        size_t place = argv_place(out, arg, values);
        if (place == 0) {
            fputc(*arg, out);
            place = 1;
        }
        arg += place;
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char **argv_expand(const char *const *argv, const struct argv_values *values) {
    size_t n = 0;
    while (argv[n]) {
        n++;
    }
    char **out = calloc(n + 1, sizeof *out);
    for (size_t i = 0; out && i < n; i++) {
        out[i] = argv_expand_one(argv[i], values);
        if (!out[i]) {
            argv_free(out);
            return NULL;
        }
    }
    return out;
}

void argv_free(char **argv) {
    for (size_t i = 0; argv && argv[i]; i++) {
        free(argv[i]);
    }
    free(argv);
}

static int ready_line_address(const char *address, char *host, size_t size, int *port) {
    const char *colon = strrchr(address, ':');
    if (!colon || colon == address) {
        return -1;
    }
    char *end;
    long number = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end || number < 1 || number > 65535) {
        return -1;
    }
    size_t len = (size_t)(colon - address);
    if (address[0] == '[' && colon[-1] == ']') {
        address++;
        len -= 2;
    }
    if (len == 0 || len >= size) {
        return -1;
    }
    memcpy(host, address, len);
    host[len] = '\0';
    *port = (int)number;
    return 0;
}

int ready_line_parse(const char *line, char *host, size_t size, int *port, struct err *e) {
    json_error_t why;
    json_t *root = json_loads(line, 0, &why);
    if (!json_is_object(root)) {
        json_decref(root);
        return err_set(e, ERR_FAILED, "its ready line is not a JSON object: %.200s", line);
    }
    const char *address = json_string_value(json_object_get(root, "listening"));
    int rc = address ? ready_line_address(address, host, size, port) : -1;
    json_decref(root);
    if (rc != 0) {
        return err_set(e, ERR_FAILED,
                       "its ready line has no \"listening\":\"ADDRESS:PORT\": %.200s", line);
    }
    return 0;
}
