#include "store/files.h"
#include "store/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/caller.h"
#include "base/clock.h"
#include "base/file.h"
#include "store/folder.h"
#include "store/manifest.h"
#include "store/member.h"
#include "store/record_json.h"

struct writer {
    char dir[PATH_MAX];
    int trials; /* trials.jsonl; its lock is the run's lock */
    int hists;
    off_t trials_len, hists_len; /* what is good: everything behind it is cut off */
    size_t count;                /* trials in the file */
    json_t *manifest;
    struct store before;
    bool resumed;
};

static struct writer *writer_new(const char *dir, struct err *e) {
    struct writer *w = calloc(1, sizeof *w);
    size_t len = strlen(dir);
    if (!w) {
        err_set(e, ERR_MACHINE, "out of memory");
        return NULL;
    }
    w->trials = w->hists = -1;
    if (len >= sizeof w->dir) {
        err_set(e, ERR_USAGE, "path too long: %s; " FILE_PATH_REMEDY, dir);
        free(w);
        return NULL;
    }
    memcpy(w->dir, dir, len + 1);
    return w;
}

static int writer_open(const struct writer *w, const char *name, int flags, struct err *e) {
    char path[PATH_MAX];
    if (file_join(path, sizeof path, w->dir, name, e) != 0) {
        return -1;
    }
    int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0666);
    if (fd < 0) {
        err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path, strerror(errno));
    }
    return fd;
}

/* The lock belongs to the open file, so it ends with the process however that dies, and children
 * do not inherit it beyond their exec. */
static int writer_lock(const struct writer *w, struct err *e) {
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(w->trials, F_OFD_SETLK, &lock) == 0) {
        return 0;
    }
    if (errno == EAGAIN || errno == EACCES) {
        return err_set(e, ERR_USAGE, "%s is being written by another loopbench; wait for its end",
                       w->dir);
    }
    return err_set(e, ERR_MACHINE,
                   "cannot lock %s/trials.jsonl: %s; choose a place on a file system with locks",
                   w->dir, strerror(errno));
}

static int writer_write_text(const struct writer *w, const char *name, const char *text,
                             struct err *e) {
    char path[PATH_MAX];
    if (file_join(path, sizeof path, w->dir, name, e) != 0) {
        return -1;
    }
    return file_write_atomic(path, text, strlen(text), e);
}

static int writer_write_manifest(struct writer *w, struct err *e) {
    char *whole = manifest_dump(w->manifest);
    if (!whole) {
        return err_set(e, ERR_MACHINE, "out of memory writing %s/manifest.json", w->dir);
    }
    int rc = writer_write_text(w, "manifest.json", whole, e);
    free(whole);
    return rc;
}

static int writer_set(struct writer *w, const char *key, json_t *value, struct err *e) {
    if (!value || json_object_set_new(w->manifest, key, value) != 0) {
        return err_set(e, ERR_MACHINE, "out of memory writing %s/manifest.json", w->dir);
    }
    return 0;
}

static int writer_set_state(struct writer *w, enum store_state state, struct err *e) {
    char now[CLOCK_ISO_SIZE];
    clock_iso(now);
    json_t *ended = state == STORE_RUNNING ? json_null() : json_string(now);
    if (writer_set(w, "ended", ended, e) != 0) {
        return -1;
    }
    return writer_set(w, "state", json_string(store_state_name(state)), e);
}

static int writer_make_manifest(struct writer *w, const struct writer_begin *b, const char *run_id,
                                struct err *e) {
    char now[CLOCK_ISO_SIZE];
    clock_iso(now);
    w->manifest = json_object();
    /* Ours first, so that a person sees at the top what the file is. */
    if (!w->manifest || writer_set(w, "format", json_string(MANIFEST_FORMAT), e) != 0 ||
        writer_set(w, "format_version", json_integer(MANIFEST_VERSION), e) != 0 ||
        writer_set(w, "run_id", json_string(run_id), e) != 0 ||
        writer_set(w, "started", json_string(now), e) != 0 ||
        writer_set_state(w, STORE_RUNNING, e) != 0 ||
        writer_set(w, "files_crc32", files_crc(b->config, b->plan), e) != 0 ||
        json_object_update_missing(w->manifest, (json_t *)b->manifest) != 0) {
        return err_set(e, ERR_MACHINE, "out of memory writing %s/manifest.json", w->dir);
    }
    json_t *copy = json_deep_copy(w->manifest);
    if (!copy) {
        return err_set(e, ERR_MACHINE, "out of memory writing %s/manifest.json", w->dir);
    }
    json_decref(w->manifest);
    w->manifest = copy;
    return 0;
}

static int writer_fill(struct writer *w, const struct writer_begin *b, const char *run_id,
                       struct err *e) {
    w->hists = writer_open(w, "histograms.gz", O_CREAT | O_EXCL, e);
    if (w->hists < 0 || writer_make_manifest(w, b, run_id, e) != 0 ||
        writer_write_text(w, "config.ini", b->config, e) != 0 ||
        writer_write_text(w, "plan.json", b->plan, e) != 0) {
        return -1;
    }
    /* The manifest makes the folder a run, so it comes last. */
    if (writer_write_manifest(w, e) != 0) {
        return -1;
    }
    folder_sync(w->dir);
    return 0;
}

/* Undoes what writer_begin did. */
static void writer_undo(struct writer *w, bool made_dir) {
    static const char *const names[] = {"manifest.json", "plan.json", "config.ini", "histograms.gz",
                                        "trials.jsonl"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[PATH_MAX];
        struct err ignored;
        if (file_join(path, sizeof path, w->dir, names[i], &ignored) == 0) {
            unlink(path);
        }
    }
    if (made_dir) {
        rmdir(w->dir);
    }
}

struct writer *writer_begin(const struct writer_begin *b, struct err *e) {
    char dir[PATH_MAX];
    char run_id[FOLDER_ID_SIZE];
    bool made_dir = false;
    if (folder_new_id(run_id, e) != 0 ||
        folder_create(dir, sizeof dir, b->out ? NULL : b->results, b->out ? b->out : run_id,
                      &made_dir, e) != 0) {
        return NULL;
    }
    struct writer *w = writer_new(dir, e);
    if (!w) {
        return NULL;
    }
    /* Of two that were given the same folder, one creates this file; the other stops here and must
     * not touch what the first one writes. */
    w->trials = writer_open(w, "trials.jsonl", O_CREAT | O_EXCL, e);
    if (w->trials < 0) {
        if (made_dir) {
            rmdir(w->dir);
        }
        writer_release(w);
        return NULL;
    }
    if (writer_lock(w, e) != 0 || writer_fill(w, b, run_id, e) != 0 ||
        (!b->out && folder_set_latest(b->results, run_id, e) != 0)) {
        writer_undo(w, made_dir);
        writer_release(w);
        return NULL;
    }
    return w;
}

static int writer_cut(const struct writer *w) {
    int trials = ftruncate(w->trials, w->trials_len);
    int hists = ftruncate(w->hists, w->hists_len);
    return trials != 0 || hists != 0 ? -1 : 0;
}

static int writer_reopen(struct writer *w, struct err *e) {
    struct stat st;
    /* Locked before it is read, so that nobody appends in between. */
    w->trials = writer_open(w, "trials.jsonl", 0, e);
    if (w->trials < 0 || writer_lock(w, e) != 0 || store_open(&w->before, w->dir, e) != 0) {
        return -1;
    }
    w->before.live = false;
    w->resumed = true;
    if (w->before.state == STORE_COMPLETE && w->before.lost == 0) {
        return err_set(e, ERR_USAGE, "%s is complete; there is nothing to resume", w->dir);
    }
    w->hists = writer_open(w, "histograms.gz", O_CREAT, e);
    if (w->hists < 0 || fstat(w->hists, &st) != 0) {
        return w->hists < 0
                   ? -1
                   : err_set(e, ERR_MACHINE, "cannot read %s/histograms.gz: %s; " STORE_REMEDY,
                             w->dir, strerror(errno));
    }
    if (st.st_size < w->before.hist_end) {
        return err_set(e, ERR_USAGE,
                       "%s/histograms.gz is cut short: %" PRId64 " bytes where %" PRId64
                       " are referred to; it cannot be resumed; put it back, or begin "
                       "a new run",
                       w->dir, (int64_t)st.st_size, w->before.hist_end);
    }
    w->trials_len = (off_t)w->before.good;
    w->hists_len = (off_t)w->before.hist_end;
    w->count = w->before.count;
    w->manifest = json_deep_copy(w->before.manifest);
    if (!w->manifest || writer_cut(w) != 0) {
        return err_set(
            e, ERR_MACHINE,
            "cannot cut off the torn end of %s/trials.jsonl: %s; see that you may write there",
            w->dir, strerror(errno));
    }
    return writer_set_state(w, STORE_RUNNING, e) != 0 ? -1 : writer_write_manifest(w, e);
}

struct writer *writer_resume(const char *dir, struct err *e) {
    struct store probe;
    /* First as any reader would, for the best message about what is no run at all. */
    if (store_open(&probe, dir, e) != 0) {
        return NULL;
    }
    struct writer *w = writer_new(probe.dir, e);
    store_release(&probe);
    if (w && writer_reopen(w, e) != 0) {
        writer_release(w);
        return NULL;
    }
    return w;
}

const char *writer_dir(const struct writer *w) {
    return w->dir;
}

const char *writer_run_id(const struct writer *w) {
    const char *id = json_string_value(json_object_get(w->manifest, "run_id"));
    return id ? id : "";
}

const struct store *writer_before(const struct writer *w) {
    return w->resumed ? &w->before : NULL;
}

/* One write, so that a reader never sees half a line except at the very end of a crash. */
static int append_whole(int fd, const void *data, size_t len) {
    ssize_t n;
    do {
        n = write(fd, data, len);
    } while (n < 0 && errno == EINTR);
    if (n >= 0 && (size_t)n < len) {
        errno = ENOSPC;
        return -1;
    }
    return n < 0 ? -1 : fdatasync(fd);
}

static int append_both(struct writer *w, const unsigned char *member, size_t member_len,
                       const char *line, size_t line_len) {
    if (member_len > 0 && append_whole(w->hists, member, member_len) != 0) {
        return -1;
    }
    return append_whole(w->trials, line, line_len);
}

static int append_failed(struct writer *w, int why, struct err *e) {
    bool cut = writer_cut(w) == 0;
    char shown[PATH_MAX];
    caller_shown(w->dir, shown, sizeof shown);
    return err_set(e, ERR_MACHINE, "cannot write to %s: %s; %zu trials are kept%s%s", shown,
                   strerror(why), w->count,
                   cut ? "" : " (a torn line follows them, which readers leave out)",
                   caller_report() ? "; make room and begin a new run"
                                   : ", continue with --resume once there is room");
}

int writer_append(struct writer *w, struct trial_record *r, const struct hist *raw, struct err *e) {
    unsigned char *member = NULL;
    size_t member_len = 0;
    r->hist_offset = r->hist_length = UNKNOWN_INT;
    if (raw && raw->n > 0) {
        if (member_encode(r->seq, r->attempt, raw, &member, &member_len) != 0) {
            return append_failed(w, ENOMEM, e);
        }
        r->hist_offset = w->hists_len;
        r->hist_length = (int64_t)member_len;
    }
    char *line = record_to_line(r);
    if (!line) {
        free(member);
        return append_failed(w, ENOMEM, e);
    }
    size_t line_len = strlen(line);
    int rc = append_both(w, member, member_len, line, line_len);
    if (rc != 0) {
        rc = append_failed(w, errno, e);
    } else {
        w->hists_len += (off_t)member_len;
        w->trials_len += (off_t)line_len;
        w->count++;
    }
    free(member);
    free(line);
    return rc;
}

int writer_note(struct writer *w, const char *key, json_t *value, struct err *e) {
    return writer_set(w, key, value, e) != 0 ? -1 : writer_write_manifest(w, e);
}

int writer_end(struct writer *w, enum store_state state, struct err *e) {
    /* So that a line which gets lost later is missed. */
    if (state == STORE_COMPLETE &&
        writer_set(w, "lines", json_integer((json_int_t)w->count), e) != 0) {
        return -1;
    }
    return writer_set_state(w, state, e) != 0 ? -1 : writer_write_manifest(w, e);
}

void writer_release(struct writer *w) {
    if (!w) {
        return;
    }
    if (w->hists >= 0) {
        close(w->hists);
    }
    if (w->trials >= 0) {
        close(w->trials);
    }
    json_decref(w->manifest);
    store_release(&w->before);
    free(w);
}
