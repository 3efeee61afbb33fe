/* The thin loop interface on libevent. */
#include "libevent/loop.h"

#include "loop_checks.h"

static struct event_loop own;

struct loop *driver_open(void) {
    event_loop_init(&own, event_base_new());
    return own.base != NULL ? &own.loop : NULL;
}

void driver_turn(void) {
    assert_int_equal(event_base_loop(own.base, EVLOOP_ONCE), 0);
}

void driver_close(void) {
    event_loop_release(&own);
    event_base_free(own.base);
}

int main(void) {
    return run_loop_checks();
}
