/*
 * Deadlines for many connections at the price of a list: members stand in order of their last
 * stamp, so that touching one moves it to the end and the first one is always the next to expire.
 */
#ifndef LOOPBENCH_SERVERS_IDLE_H
#define LOOPBENCH_SERVERS_IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct idle_link {
    struct idle_link *prev, *next; /* NULL: in no list */
    uint64_t stamp_ms;
};

struct idle_list {
    struct idle_link head;
    uint64_t timeout_ms;
};

void idle_init(struct idle_list *list, uint64_t timeout_ms);

/* Puts the link at the end with the stamp `now_ms`, from wherever it is. */
void idle_touch(struct idle_list *list, struct idle_link *link, uint64_t now_ms);
void idle_remove(struct idle_link *link);

/* The first member whose timeout has passed, or NULL. */
struct idle_link *idle_expired(const struct idle_list *list, uint64_t now_ms);

/* Milliseconds until the first member expires (0: it has), or UINT64_MAX for an empty list. */
uint64_t idle_wait(const struct idle_list *list, uint64_t now_ms);

/* The monotonic clock in ms, coarse (a few ms behind, a few ns to read). */
uint64_t idle_now(void);

#endif
