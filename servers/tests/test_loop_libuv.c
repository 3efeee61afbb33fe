/* The thin loop interface on libuv. */
#include "libuv/loop.h"

#include "loop_checks.h"

static struct uv_thin_loop own;
static uv_loop_t uv;
static uv_timer_t held; /* keeps the loop alive, which ours do not; a turn may fire, then wait */

static void on_held(uv_timer_t *timer) {
    (void)timer;
}

struct loop *driver_open(void) {
    assert_int_equal(uv_loop_init(&uv), 0);
    assert_int_equal(uv_timer_init(&uv, &held), 0);
    assert_int_equal(uv_timer_start(&held, on_held, 1, 1), 0);
    uv_thin_loop_init(&own, &uv);
    return &own.loop;
}

void driver_turn(void) {
    (void)uv_run(&uv, UV_RUN_ONCE);
}

void driver_close(void) {
    uv_close((uv_handle_t *)&held, NULL);
    uv_thin_loop_close(&own);
    (void)uv_run(&uv, UV_RUN_DEFAULT);
    assert_int_equal(uv_loop_close(&uv), 0); /* nothing is left over */
}

int main(void) {
    return run_loop_checks();
}
