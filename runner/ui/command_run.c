#include "ui/commands.h"
#include "ui/session.h"

int command_run(const struct invocation *in, struct err *e) {
    struct session s = {0};
    int status = session_load(&s, in, e);
    if (status == 0) {
        status = session_run(&s, in, e);
    }
    session_release(&s);
    return status;
}
