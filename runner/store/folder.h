/* folder.h — the folders runs live in: names, creation, results/latest. */
#ifndef STORE_FOLDER_H
#define STORE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define FOLDER_ID_SIZE 32

/* A run id: UTC time and four random hex digits, "20260131-120000-9f3a", so that names sort by age
 * and two runs begun in one second differ. */
int folder_new_id(char id[FOLDER_ID_SIZE], struct err *e);

/* Creates parent/name (or name alone when parent is NULL) and writes its path. An existing folder
 * is accepted when it is empty. *made says whether it was created. ERR_USAGE when it is in the way,
 * ERR_MACHINE when it cannot be created or written. */
int folder_create(char *path, size_t size, const char *parent, const char *name, bool *made,
                  struct err *e);

/* Points parent/latest to `name`, in one step: a reader finds the old run or the new one. A
 * "latest" that is not a symbolic link is left alone (ERR_USAGE). */
int folder_set_latest(const char *parent, const char *name, struct err *e);

/* Makes the names in a folder durable; failure is harmless and ignored. */
void folder_sync(const char *path);

#endif
