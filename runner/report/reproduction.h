/* reproduction.h — what `reproduce` found, on disk beside the manifest of the new run:
 * reproduce.json for programs and later reports, reproduce.md for people. It is made of two runs,
 * so it is written once, by the command that has both; nothing makes it again. */
#ifndef REPORT_REPRODUCTION_H
#define REPORT_REPRODUCTION_H

#include "report/compare_ratios.h"
#include "report/reading.h"

#define REPRODUCTION_JSON "reproduce.json"
#define REPRODUCTION_MD   "reproduce.md"

/* Writes both files into the folder of `after`. Returns 0, or -1 with *e. */
int reproduction_write(const struct reading *before, const struct reading *after,
                       const struct alike *alike, const struct ratios *ratios, struct err *e);

/* The outcome as it is read back: of `ratios` all but the rows. */
struct reproduction {
    char run[4 * 32 + 8]; /* the run that was repeated: as the file says, so possibly anything */
    struct ratios ratios;
};

/* Reads text of reproduce.json; only counts are taken from it, and judged anew. Returns 0, or -1
 * with *e (ERR_USAGE: what is wrong in `where`). */
int reproduction_parse(struct reproduction *r, const char *text, size_t len, const char *where,
                       struct err *e);

/* "reproduced: 14 of 15 ratios …", or that nothing could be judged. Room: 256. */
void reproduction_text(const struct reproduction *r, char *out, size_t size);

/* Reads DIR/reproduce.json. Returns 1, 0 when the run reproduces none, or -1 with *e. */
int reproduction_read(struct reproduction *r, const char *dir, struct err *e);

#endif
