#include "ui/commands.h"

int command_reproduce(const struct invocation *in, struct err *e) {
    (void)in;
    return err_set(e, ERR_MACHINE, "reproduce is being written");
}
