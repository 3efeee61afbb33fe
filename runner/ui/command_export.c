#include "ui/commands.h"

int command_export(const struct invocation *in, struct err *e) {
    (void)in;
    return err_set(e, ERR_MACHINE, "export is being written");
}
