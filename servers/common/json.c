#include "common/json.h"

#include <string.h>

void json_init(struct json *json, char *buffer, size_t size) {
    *json = (struct json){.size = size};
    json->base = buffer;
}

static void put(struct json *json, const char *text, size_t len) {
    if (len > json->size - json->len) {
        json->overflow = true;
        return;
    }
    memcpy(json->base + json->len, text, len);
    json->len += len;
}

static void put_escaped(struct json *json, const char *text) {
    static const char hex[] = "0123456789abcdef";
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            char pair[2] = {'\\', (char)c};
            put(json, pair, sizeof pair);
        } else if (c < 0x20) {
            char code[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
            put(json, code, sizeof code);
        } else {
            put(json, text, 1);
        }
    }
}

static void put_name(struct json *json, const char *name) {
    if (json->comma) {
        put(json, ",", 1);
    }
    json->comma = true;
    if (name != NULL) {
        put(json, "\"", 1);
        put(json, name, strlen(name));
        put(json, "\":", 2);
    }
}

void json_open(struct json *json, const char *name) {
    put_name(json, name);
    put(json, "{", 1);
    json->comma = false;
}

void json_close(struct json *json) {
    put(json, "}", 1);
    json->comma = true;
}

void json_str(struct json *json, const char *name, const char *value) {
    put_name(json, name);
    put(json, "\"", 1);
    put_escaped(json, value);
    put(json, "\"", 1);
}

void json_uint(struct json *json, const char *name, uint64_t value) {
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put_name(json, name);
    put(json, digits + at, sizeof digits - at);
}

size_t json_finish(const struct json *json) {
    return json->overflow ? 0 : json->len;
}
