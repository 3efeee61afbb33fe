#include "ui/commands.h"
#include "ui/session.h"

static int run_session(struct session *s, const struct invocation *in, struct err *e) {
    if (session_load(s, in, e) != 0) {
        return -1;
    }
    if (s->config.dry_run) {
        return session_dry_run(s, e);
    }
    if (session_open(s, e) != 0 || session_execute(s, in, e) != 0) {
        return -1;
    }
    return session_finish(s, e);
}

int command_run(const struct invocation *in, struct err *e) {
    struct session s = {0};
    int status = run_session(&s, in, e);
    session_release(&s);
    return status;
}
