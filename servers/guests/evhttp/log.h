/* log.h — the access log of one worker: lines gather and are written each second, or when there are
 * 64 KiB. Whole lines, so that workers may append to one file. */
#ifndef GUEST_EVHTTP_LOG_H
#define GUEST_EVHTTP_LOG_H

#include <stddef.h>

struct event_base;
struct log;

/* NULL with one line on stderr when the file cannot be opened. */
struct log *log_open(struct event_base *base, const char *path);

/* Adds a line; `size` is the bytes of the body. */
void log_add(struct log *log, const char *peer, const char *method, const char *uri, int status,
             size_t size);

/* Writes what is left. NULL is allowed. */
void log_close(struct log *log);

#endif
