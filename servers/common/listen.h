/* Listening sockets. */
#ifndef LOOPBENCH_SERVERS_LISTEN_H
#define LOOPBENCH_SERVERS_LISTEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

/* A non-blocking listening TCP socket with SO_REUSEADDR, TCP_NODELAY (inherited by what it accepts)
 * and, when `shared`, SO_REUSEPORT. Port 0 picks one and writes it back to `address`.
 * Returns the descriptor, or -1 with errno. */
int listen_open(struct sockaddr_storage *address, socklen_t len, int backlog, bool shared);

/* Whether somebody listens there already (SO_REUSEPORT would hide it). Returns 0 when free, else -1
 * with errno. */
int listen_probe(const struct sockaddr_storage *address, socklen_t len);

/* "127.0.0.1:8081" or "[::1]:8081". */
void listen_format(const struct sockaddr_storage *address, char *out, size_t size);

/* Takes the next connection, non-blocking. Returns the descriptor or -1 with errno; EAGAIN: none
 * left. With the file limit reached (EMFILE, ENFILE) it gives up the descriptor in *reserve to take
 * and close the waiting connection, so that a level-triggered loop does not spin on it.
 * *reserve: from listen_reserve. */
int listen_accept(int listener, int *reserve);

/* A descriptor kept for listen_accept; -1 when even that cannot be had. */
int listen_reserve(void);

#endif
