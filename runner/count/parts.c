#include "count/parts.h"

#include <string.h>

struct rule {
    const char *prefix;
    enum count_part part;
};

/* By the function's name; they hold in any object. */
static const struct rule functions[] = {
    {"llhttp_", PART_PARSER}, {"http_parser_", PART_PARSER}, {"phr_", PART_PARSER},
    {"uv_", PART_LOOP},       {"event_base_", PART_LOOP},
};

/* By the object's file name. */
static const struct rule objects[] = {
    {"libc.so", PART_LIBC},     {"libc-", PART_LIBC},
    {"ld-", PART_LIBC},         {"libpthread", PART_LIBC},
    {"libm.so", PART_LIBC},     {"librt.so", PART_LIBC},
    {"libllhttp", PART_PARSER}, {"libhttp_parser", PART_PARSER},
    {"libevent", PART_LOOP},    {"libuv", PART_LOOP},
    {"libev.", PART_LOOP},      {"libh2o", PART_LOOP},
};

static const struct rule *rule_for(const struct rule *rules, size_t n, const char *name) {
    for (size_t i = 0; i < n; i++) {
        if (strncmp(name, rules[i].prefix, strlen(rules[i].prefix)) == 0) {
            return &rules[i];
        }
    }
    return NULL;
}

#define RULE(rules, name) rule_for(rules, sizeof(rules) / sizeof((rules)[0]), name)

enum count_part parts_of(const char *object, const char *file, const char *function) {
    const char *slash = strrchr(object, '/');
    const char *name = slash ? slash + 1 : object;
    const struct rule *rule = RULE(functions, function);
    if (!rule && strstr(file, "/llhttp/")) {
        return PART_PARSER;
    }
    if (!rule) {
        rule = RULE(objects, name);
    }
    if (rule) {
        return rule->part;
    }
    const bool library = strncmp(name, "lib", 3) == 0 && strstr(name, ".so");
    return library || !*name || strcmp(name, "???") == 0 ? PART_OTHER : PART_APPLICATION;
}
