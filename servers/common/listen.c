#include "common/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <unistd.h>

static int close_with_errno(int fd) {
    int saved = errno;
    close(fd);
    errno = saved;
    return -1;
}

static int open_bound(const struct sockaddr_storage *address, socklen_t len, bool shared) {
    int on = 1;
    int fd = socket(address->ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) != 0 ||
        (shared && setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on) != 0) ||
        (address->ss_family == AF_INET6 &&
         setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on) != 0) ||
        bind(fd, (const struct sockaddr *)address, len) != 0) {
        return close_with_errno(fd);
    }
    return fd;
}

int listen_open(struct sockaddr_storage *address, socklen_t len, int backlog, bool shared) {
    int fd = open_bound(address, len, shared);
    if (fd < 0) {
        return -1;
    }
    if (listen(fd, backlog) != 0 || getsockname(fd, (struct sockaddr *)address, &len) != 0) {
        return close_with_errno(fd);
    }
    return fd;
}

int listen_probe(const struct sockaddr_storage *address, socklen_t len) {
    int fd = open_bound(address, len, false);
    if (fd < 0) {
        return -1;
    }
    close(fd);
    return 0;
}

void listen_format(const struct sockaddr_storage *address, char *out, size_t size) {
    char host[INET6_ADDRSTRLEN] = "";
    if (address->ss_family == AF_INET6) {
        const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)address;
        inet_ntop(AF_INET6, &in6->sin6_addr, host, sizeof host);
        (void)snprintf(out, size, "[%s]:%u", host, ntohs(in6->sin6_port));
    } else {
        const struct sockaddr_in *in4 = (const struct sockaddr_in *)address;
        inet_ntop(AF_INET, &in4->sin_addr, host, sizeof host);
        (void)snprintf(out, size, "%s:%u", host, ntohs(in4->sin_port));
    }
}

int listen_reserve(void) {
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

int listen_accept(int listener, int *reserve) {
    for (;;) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd >= 0) {
            return fd;
        }
        if (errno == EINTR || errno == ECONNABORTED) {
            continue;
        }
        if ((errno != EMFILE && errno != ENFILE) || *reserve < 0) {
            return -1;
        }
        /* The connection cannot be served. Left in the queue it would wake the loop for ever. */
        close(*reserve);
        fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
        int saved = errno;
        if (fd >= 0) {
            close(fd);
        }
        *reserve = listen_reserve();
        if (fd < 0) {
            errno = saved;
            return -1;
        }
    }
}
