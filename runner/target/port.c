#include "target/port.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "target/local_probe.h"

#define CHOICES 16 /* of which one at least is no other loopbench's */

/* A socket bound to host:number, 0 = any that is free; -1 with errno. */
static int port_bind(const char *host, int number, int reuse) {
    struct sockaddr_storage address;
    const socklen_t size = probe_address(host, number, &address);
    const int fd = size ? socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0) : -1;
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &reuse, sizeof reuse) == 0 &&
        bind(fd, (struct sockaddr *)&address, size) == 0) {
        return fd;
    }
    const int why = size ? errno : EINVAL;
    if (fd >= 0) {
        close(fd);
    }
    errno = why;
    return -1;
}

/* Any that is free; -1 = none. */
static int port_free(const char *host) {
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    const int fd = port_bind(host, 0, 0);
    int number = -1;
    if (fd < 0) {
        return -1;
    }
    memset(&address, 0, sizeof address);
    if (getsockname(fd, (struct sockaddr *)&address, &size) == 0) {
        number = address.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&address)->sin_port)
                                              : ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
    }
    close(fd);
    return number;
}

/* Takes the name of a port. It is no file: it stands for a network namespace, as the port does, and
 * goes with its last descriptor, however its holder ends. -1 with errno, EADDRINUSE: another's. */
static int port_hold(int number) {
    struct sockaddr_un name = {.sun_family = AF_UNIX};
    const int len =
        snprintf(name.sun_path + 1, sizeof name.sun_path - 1, "loopbench-port-%d", number);
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 ||
        bind(fd, (struct sockaddr *)&name,
             (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)len)) == 0) {
        return fd;
    }
    const int why = errno;
    close(fd);
    errno = why;
    return -1;
}

struct port port_choose(const char *host) {
    struct port p = {-1, -1};
    for (int i = 0; i < CHOICES && p.hold < 0; i++) {
        p.number = port_free(host);
        if (p.number < 0) {
            break;
        }
        p.hold = port_hold(p.number);
        if (p.hold < 0 && errno != EADDRINUSE) {
            break; /* where there are no such names a port is as good without */
        }
    }
    return p;
}

void port_release(struct port *p) {
    if (p->hold >= 0) {
        close(p->hold);
    }
    *p = (struct port){-1, -1};
}

bool port_is_taken(const char *host, int number) {
    /* Not by what connections that are over have left. */
    const int fd = port_bind(host, number, 1);
    if (fd >= 0) {
        close(fd);
    }
    return fd < 0 && errno == EADDRINUSE;
}
