/* scripted.h — a server in a thread of the test: listens on a free port and hands each connection,
 * one after the other, to a function of the test. */
#ifndef TESTS_SCRIPTED_H
#define TESTS_SCRIPTED_H

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct scripted {
    int fd;
    int port;
    int stop[2]; /* a pipe: closed to end the thread and every wait in it */
    pthread_t thread;
    void (*serve)(struct scripted *s, int fd);
    const void *script;
};

/* Waits for bytes to read; false once the test ends. */
static inline bool scripted_wait(struct scripted *s, int fd) {
    struct pollfd p[2] = {{.fd = fd, .events = POLLIN}, {.fd = s->stop[0], .events = POLLIN}};
    while (poll(p, 2, -1) < 0) {
    }
    return p[1].revents == 0;
}

/* Reads until the head of a request is whole; false at the end of the stream. The bytes beyond it
 * stay in buf, *used counts them all, the head has the length returned in *head. */
static inline bool scripted_request(struct scripted *s, int fd, char *buf, size_t size,
                                    size_t *used, size_t *head) {
    for (;;) {
        const char *end = memmem(buf, *used, "\r\n\r\n", 4);
        if (end) {
            *head = (size_t)(end - buf) + 4;
            return true;
        }
        if (*used == size || !scripted_wait(s, fd)) {
            return false;
        }
        ssize_t n = recv(fd, buf + *used, size - *used, 0);
        if (n <= 0) {
            return false;
        }
        *used += (size_t)n;
    }
}

static inline void scripted_say(int fd, const char *data, size_t len) {
    while (len > 0) {
        ssize_t n = send(fd, data, len, MSG_NOSIGNAL);
        if (n <= 0) {
            return;
        }
        data += n;
        len -= (size_t)n;
    }
}

static inline void *scripted_main(void *arg) {
    struct scripted *s = arg;
    while (scripted_wait(s, s->fd)) {
        int fd = accept(s->fd, NULL, NULL);
        if (fd >= 0) {
            s->serve(s, fd);
            close(fd);
        }
    }
    return NULL;
}

/* Returns false where the family is not to be had here. */
static inline bool scripted_start(struct scripted *s, int family,
                                  void (*serve)(struct scripted *s, int fd), const void *script) {
    struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_addr = in6addr_loopback};
    struct sockaddr *address = family == AF_INET ? (struct sockaddr *)&v4 : (struct sockaddr *)&v6;
    socklen_t len = family == AF_INET ? sizeof v4 : sizeof v6;
    *s = (struct scripted){.serve = serve, .script = script};
    s->fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (s->fd < 0 || bind(s->fd, address, len) != 0 || listen(s->fd, 16) != 0 ||
        getsockname(s->fd, address, &len) != 0 || pipe(s->stop) != 0) {
        close(s->fd);
        return false;
    }
    s->port = ntohs(family == AF_INET ? v4.sin_port : v6.sin6_port);
    if (pthread_create(&s->thread, NULL, scripted_main, s) != 0) {
        close(s->fd);
        return false;
    }
    return true;
}

static inline void scripted_stop(struct scripted *s) {
    close(s->stop[1]);
    pthread_join(s->thread, NULL);
    close(s->stop[0]);
    close(s->fd);
}

#endif
