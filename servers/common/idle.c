#include "common/idle.h"

#include <stddef.h>
#include <time.h>

void idle_init(struct idle_list *list, uint64_t timeout_ms) {
    list->head.prev = list->head.next = &list->head;
    list->timeout_ms = timeout_ms;
}

void idle_remove(struct idle_link *link) {
    if (link->next != NULL) {
        link->prev->next = link->next;
        link->next->prev = link->prev;
        link->prev = link->next = NULL;
    }
}

void idle_touch(struct idle_list *list, struct idle_link *link, uint64_t now_ms) {
    idle_remove(link);
    link->stamp_ms = now_ms;
    link->prev = list->head.prev;
    link->next = &list->head;
    link->prev->next = link;
    list->head.prev = link;
}

uint64_t idle_wait(const struct idle_list *list, uint64_t now_ms) {
    const struct idle_link *first = list->head.next;
    if (first == &list->head) {
        return UINT64_MAX;
    }
    uint64_t age = now_ms > first->stamp_ms ? now_ms - first->stamp_ms : 0;
    return age >= list->timeout_ms ? 0 : list->timeout_ms - age;
}

struct idle_link *idle_expired(const struct idle_list *list, uint64_t now_ms) {
    return idle_wait(list, now_ms) == 0 ? list->head.next : NULL;
}

uint64_t idle_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}
