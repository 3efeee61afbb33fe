#include "common/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void on_event(struct loop_watch *watch, unsigned events) {
    struct loop_waker *waker = watch->data;
    uint64_t count;
    (void)events;
    ssize_t n = read(watch->fd, &count, sizeof count);
    (void)n; /* only who wakes writes to it, and one write is one read */
    /* Before on_wake looks: what comes after its look wakes again. */
    (void)atomic_exchange(&waker->due, false);
    waker->on_wake(waker);
}

int loop_waker_open(struct loop *loop, struct loop_waker *waker,
                    void (*on_wake)(struct loop_waker *waker), void *data) {
    memset(waker, 0, sizeof *waker);
    waker->on_wake = on_wake;
    waker->data = data;
    waker->watch.fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    waker->watch.on_event = on_event;
    waker->watch.data = waker;
    if (waker->watch.fd < 0) {
        return -1;
    }
    if (loop_watch(loop, &waker->watch, LOOP_READ) != 0) {
        int saved = errno;
        close(waker->watch.fd);
        waker->watch.fd = -1;
        errno = saved;
        return -1;
    }
    return 0;
}

void loop_waker_close(struct loop *loop, struct loop_waker *waker) {
    if (waker->watch.fd >= 0) {
        loop_unwatch(loop, &waker->watch);
        close(waker->watch.fd);
        waker->watch.fd = -1;
    }
}

void loop_wake(struct loop_waker *waker) {
    uint64_t one = 1;
    if (!atomic_exchange(&waker->due, true)) {
        ssize_t n;
        do {
            n = write(waker->watch.fd, &one, sizeof one);
        } while (n < 0 && errno == EINTR);
    }
}
