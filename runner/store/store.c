#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/blocks.h"
#include "store/files.h"
#include "store/manifest.h"
#include "store/member.h"
#include "store/planned.h"
#include "store/record_json.h"

#define LINE_MAX_SIZE ((size_t)64 * 1024)
#define TEXT_LIMIT    ((size_t)64 << 20)

/* trials.jsonl read in pieces: it may hold many thousand lines, or be no such file at all. */
struct line_reader {
    int fd;
    size_t begin, end;
    size_t line; /* number of the line last given, from 1 */
    bool eof;
    char buf[LINE_MAX_SIZE];
};

enum line_found { LINE_WHOLE, LINE_TORN, LINE_NONE, LINE_BAD };

static enum line_found line_next(struct line_reader *r, const char **text, size_t *len) {
    for (;;) {
        char *start = r->buf + r->begin;
        char *newline = memchr(start, '\n', r->end - r->begin);
        if (newline) {
            *text = start;
            *len = (size_t)(newline - start);
            r->begin += *len + 1;
            r->line++;
            return LINE_WHOLE;
        }
        if (r->eof) {
            return r->end > r->begin ? LINE_TORN : LINE_NONE;
        }
        memmove(r->buf, start, r->end - r->begin);
        r->end -= r->begin;
        r->begin = 0;
        if (r->end == sizeof r->buf) {
            r->line++;
            errno = 0;
            return LINE_BAD;
        }
        ssize_t n = read(r->fd, r->buf + r->end, sizeof r->buf - r->end);
        if (n < 0 && errno != EINTR) {
            return LINE_BAD;
        }
        r->eof = n == 0;
        r->end += n > 0 ? (size_t)n : 0;
    }
}

static int store_add(struct store *s, size_t *room, const struct trial_record *r) {
    if (s->count == *room) {
        size_t more = *room ? *room * 2 : 64;
        struct trial_record *grown = realloc(s->records, more * sizeof *grown);
        if (!grown) {
            return -1;
        }
        s->records = grown;
        *room = more;
    }
    s->records[s->count++] = *r;
    return 0;
}

static int store_read_lines(struct store *s, struct line_reader *reader, const char *file,
                            struct err *e) {
    struct trial_record r;
    const char *text = NULL;
    size_t len = 0;
    size_t room = 0;
    enum line_found found;
    while ((found = line_next(reader, &text, &len)) == LINE_WHOLE) {
        if (record_from_line(text, len, &r, e) != 0 || planned_check(s->manifest, &r, e) != 0) {
            err_prefix(e, "%s:%zu: damaged line", file, reader->line);
            return e->class == ERR_MACHINE ? -1 : err_remedy(e, STORE_LINE_REMEDY);
        }
        if (store_add(s, &room, &r) != 0) {
            return err_set(e, ERR_MACHINE, "out of memory reading %s", file);
        }
        s->good += len + 1;
        if (r.hist_offset >= 0 && r.hist_offset + r.hist_length > s->hist_end) {
            s->hist_end = r.hist_offset + r.hist_length;
        }
    }
    if (found == LINE_BAD) {
        return errno
                   ? err_set(e, ERR_USAGE, "cannot read %s: %s; " STORE_REMEDY, file,
                             strerror(errno))
                   : err_set(e, ERR_USAGE,
                             "%s:%zu: line over %zu bytes: not a trial of ours; " STORE_LINE_REMEDY,
                             file, reader->line, LINE_MAX_SIZE);
    }
    s->torn = found == LINE_TORN;
    return 0;
}

/* Whether a writer holds the file's lock (writer.c); asked without taking it. */
static bool file_is_locked(int fd) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static int store_read_trials(struct store *s, struct err *e) {
    char path[PATH_MAX];
    struct stat st;
    if (file_join(path, sizeof path, s->dir, "trials.jsonl", e) != 0) {
        return -1;
    }
    struct line_reader *reader = calloc(1, sizeof *reader);
    if (!reader) {
        return err_set(e, ERR_MACHINE, "out of memory reading %s", path);
    }
    reader->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int rc;
    if (reader->fd < 0) {
        rc = err_set(e, ERR_USAGE, "cannot read %s: %s; " STORE_REMEDY, path, strerror(errno));
    } else if (fstat(reader->fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        rc = err_set(e, ERR_USAGE, "cannot read %s: it is not a file; " STORE_REMEDY, path);
    } else {
        s->live = file_is_locked(reader->fd);
        rc = store_read_lines(s, reader, path, e);
    }
    if (reader->fd >= 0) {
        close(reader->fd);
    }
    free(reader);
    return rc;
}

static int compare_records(const void *a, const void *b, void *ctx) {
    const struct trial_record *records = ctx;
    const struct trial_record *x = &records[*(const size_t *)a];
    const struct trial_record *y = &records[*(const size_t *)b];
    if (x->seq != y->seq) {
        return x->seq < y->seq ? -1 : 1;
    }
    return (x->attempt > y->attempt) - (x->attempt < y->attempt);
}

static int store_sort(struct store *s, struct err *e) {
    s->order = malloc((s->count + 1) * sizeof *s->order);
    if (!s->order) {
        return err_set(e, ERR_MACHINE, "out of memory reading %s", s->dir);
    }
    for (size_t i = 0; i < s->count; i++) {
        s->order[i] = i;
    }
    qsort_r(s->order, s->count, sizeof *s->order, compare_records, s->records);
    for (size_t i = 1; i < s->count; i++) {
        const size_t *pair = &s->order[i - 1];
        if (compare_records(&pair[0], &pair[1], s->records) == 0) {
            size_t line = (pair[0] > pair[1] ? pair[0] : pair[1]) + 1;
            return err_set(e, ERR_USAGE,
                           "%s/trials.jsonl:%zu: trial %" PRId64 " attempt %d is there twice; "
                           "remove one of the two lines",
                           s->dir, line, s->records[pair[0]].seq, s->records[pair[0]].attempt);
        }
    }
    return 0;
}

static int store_read_manifest(struct store *s, struct err *e) {
    char path[PATH_MAX];
    struct stat st;
    char *text = NULL;
    size_t len = 0;
    if (stat(s->dir, &st) != 0) {
        return err_set(e, ERR_USAGE, "no results folder %s: %s; " FILE_READ_REMEDY, s->dir,
                       strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        return err_set(e, ERR_USAGE, "%s is not a folder; name the folder of a run", s->dir);
    }
    if (file_join(path, sizeof path, s->dir, "manifest.json", e) != 0) {
        return -1;
    }
    if (!file_exists(path)) {
        return err_set(e, ERR_USAGE,
                       "%s has no manifest.json: it is not the folder of a run; name another",
                       s->dir);
    }
    if (file_read_or(STORE_REMEDY, path, MANIFEST_LIMIT, &text, &len, e) != 0) {
        return -1;
    }
    s->manifest = manifest_parse(text, len, path, &s->state, e);
    free(text);
    return s->manifest ? 0 : -1;
}

/* A complete run knows how many lines it has; one of an older version, how many trials were
 * planned. */
static size_t count_lost(const struct store *s) {
    if (s->state != STORE_COMPLETE) {
        return 0;
    }
    const int64_t lines = manifest_int(s->manifest, "lines");
    const int64_t said = lines >= 0 ? lines : manifest_int(s->manifest, "plan.trials");
    return said > (int64_t)s->count ? (size_t)said - s->count : 0;
}

int store_open(struct store *s, const char *dir, struct err *e) {
    *s = (struct store){0};
    size_t len = strlen(dir);
    while (len > 1 && dir[len - 1] == '/') {
        len--;
    }
    if (len == 0 || len >= sizeof s->dir) {
        return err_set(e, ERR_USAGE, "not a folder name: '%s'; name another", dir);
    }
    memcpy(s->dir, dir, len);
    if (store_read_manifest(s, e) != 0 || store_read_trials(s, e) != 0 || store_sort(s, e) != 0) {
        store_release(s);
        return -1;
    }
    blocks_share_signals(s->records, s->count);
    s->changed = files_find_changed(s->dir, s->manifest);
    s->lost = count_lost(s);
    return 0;
}

void store_release(struct store *s) {
    json_decref(s->manifest);
    free(s->records);
    free(s->order);
    *s = (struct store){0};
}

const struct trial_record *store_last(const struct store *s, int64_t seq) {
    size_t low = 0;
    size_t high = s->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (s->records[s->order[middle]].seq <= seq) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || s->records[s->order[low - 1]].seq != seq) {
        return NULL;
    }
    return &s->records[s->order[low - 1]];
}

int store_read_hist(const struct store *s, const struct trial_record *r, struct hist *h,
                    struct err *e) {
    char path[PATH_MAX];
    if (r->hist_offset < 0 || r->hist_length <= 0) {
        return 0;
    }
    if (file_join(path, sizeof path, s->dir, "histograms.gz", e) != 0) {
        return -1;
    }
    if ((uint64_t)r->hist_length > MEMBER_TEXT_MAX) {
        return err_set(e, ERR_USAGE,
                       "%s: a histogram of %" PRId64 " bytes is not ours; " STORE_REMEDY, path,
                       r->hist_length);
    }
    size_t len = (size_t)r->hist_length;
    unsigned char *data = malloc(len);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int rc;
    if (!data) {
        rc = err_set(e, ERR_MACHINE, "out of memory reading %s", path);
    } else if (fd < 0) {
        rc = err_set(e, ERR_USAGE, "cannot read %s: %s; " STORE_REMEDY, path, strerror(errno));
    } else if (pread(fd, data, len, r->hist_offset) != (ssize_t)len) {
        rc = err_set(e, ERR_USAGE,
                     "%s: ends before the histogram of trial %" PRId64 "; " STORE_REMEDY, path,
                     r->seq);
    } else if (member_decode(data, len, r->seq, r->attempt, h, e) != 0) {
        err_prefix(e, "%s: at byte %" PRId64, path, r->hist_offset);
        rc = e->class == ERR_MACHINE ? -1 : err_remedy(e, STORE_REMEDY);
    } else {
        rc = 1;
    }
    if (fd >= 0) {
        close(fd);
    }
    free(data);
    return rc;
}

int store_read_text(const struct store *s, const char *name, char **text, struct err *e) {
    char path[PATH_MAX];
    size_t len;
    if (file_join(path, sizeof path, s->dir, name, e) != 0) {
        return -1;
    }
    return file_read_or(STORE_REMEDY, path, TEXT_LIMIT, text, &len, e);
}
