#include "ui/commands.h"

int command_site(const struct invocation *in, struct err *e) {
    (void)in;
    return err_set(e, ERR_MACHINE, "site is being written");
}
