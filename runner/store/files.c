#include "store/files.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "base/file.h"

#define FILE_LIMIT ((size_t)256 << 20)
#define CRC_SIZE   16

static const char *const names[] = {"config.ini", "plan.json"};
#define NAMES (sizeof names / sizeof names[0])

static const char *crc_text(const char *text, size_t len, char out[CRC_SIZE]) {
    const uLong crc = crc32_z(crc32_z(0, NULL, 0), (const Bytef *)text, len);
    snprintf(out, CRC_SIZE, "%08lx", crc);
    return out;
}

json_t *files_crc(const char *config, const char *plan) {
    char crc[NAMES][CRC_SIZE];
    return json_pack("{s:s, s:s}", names[0], crc_text(config, strlen(config), crc[0]), names[1],
                     crc_text(plan, strlen(plan), crc[1]));
}

static bool is_as_said(const char *dir, const char *name, const char *said) {
    char path[PATH_MAX];
    char crc[CRC_SIZE];
    char *text = NULL;
    size_t len = 0;
    struct err ignored;
    const bool same = file_join(path, sizeof path, dir, name, &ignored) == 0 &&
                      file_read_all(path, FILE_LIMIT, &text, &len, &ignored) == 0 &&
                      strcmp(crc_text(text, len, crc), said) == 0;
    free(text);
    return same;
}

const char *files_find_changed(const char *dir, const json_t *manifest) {
    const json_t *all = json_object_get(manifest, "files_crc32");
    for (size_t i = 0; i < NAMES; i++) {
        const char *said = json_string_value(json_object_get(all, names[i]));
        if (said && !is_as_said(dir, names[i], said)) {
            return names[i];
        }
    }
    return NULL;
}
