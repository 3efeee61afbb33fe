/* A tiny JSON writer into a caller's buffer: objects, strings, unsigned numbers, no blanks. */
#ifndef LOOPBENCH_SERVERS_JSON_H
#define LOOPBENCH_SERVERS_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
    char *base;
    size_t len, size;
    bool comma;    /* the next member needs one before it */
    bool overflow; /* something did not fit: the text is unusable */
};

void json_init(struct json *json, char *buffer, size_t size);
/* Opens an object: a member of the current one, or, with name NULL, the outermost. */
void json_open(struct json *json, const char *name);
void json_close(struct json *json);
/* Members. The value is escaped; the name must need no escaping. */
void json_str(struct json *json, const char *name, const char *value);
void json_uint(struct json *json, const char *name, uint64_t value);
/* The length of the text, or 0 after an overflow. The text is not terminated. */
size_t json_finish(const struct json *json);

#endif
