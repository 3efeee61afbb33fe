/* files.h — the texts a run was begun with, config.ini and plan.json: are they as they were? Their
 * CRC-32 stands in the manifest; it is against mistakes, not against malice. */
#ifndef STORE_FILES_H
#define STORE_FILES_H

#include <jansson.h>

/* The manifest's member "files_crc32"; NULL out of memory. */
json_t *files_crc(const char *config, const char *plan);

/* The name of the first of the files in `dir` that is not as the manifest says, or not there; NULL
 * when all are, or the manifest (of an older version) does not say. */
const char *files_find_changed(const char *dir, const json_t *manifest);

#endif
