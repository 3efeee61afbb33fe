/* The thin loop interface on h2o's evloop. */
#include "h2o/loop.h"

#include "loop_checks.h"

static struct h2o_thin_loop own;
static h2o_globalconf_t config;
static h2o_context_t ctx;

struct loop *driver_open(void) {
    h2o_config_init(&config);
    h2o_config_register_host(&config, h2o_iovec_init(H2O_STRLIT("default")), 65535);
    h2o_context_init(&ctx, h2o_evloop_create(), &config);
    h2o_thin_loop_init(&own, &ctx);
    return &own.loop;
}

void driver_turn(void) {
    assert_int_equal(h2o_evloop_run(ctx.loop, INT32_MAX), 0);
}

void driver_close(void) {
    h2o_thin_loop_release(&own);
    h2o_context_dispose(&ctx);
#if H2O_LIBRARY_VERSION_MAJOR == 0 && H2O_LIBRARY_VERSION_MINOR == 13
    free(ctx.queue);
#endif
    (void)h2o_evloop_run(ctx.loop, 0);
    h2o_evloop_destroy(ctx.loop);
    h2o_config_dispose(&config);
}

int main(void) {
    return run_loop_checks();
}
