#include "ui/commands.h"

int command_compare(const struct invocation *in, struct err *e) {
    (void)in;
    return err_set(e, ERR_MACHINE, "compare is being written");
}
