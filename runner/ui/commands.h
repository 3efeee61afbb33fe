/* commands.h — the subcommands. Each returns the exit status, or -1 with *e whose class is it. */
#ifndef UI_COMMANDS_H
#define UI_COMMANDS_H

#include "base/err.h"
#include "ui/args.h"

struct invocation {
    const struct args *args;
    int argc; /* as typed, for the record */
    const char *const *argv;
};

int command_run(const struct invocation *in, struct err *e);
int command_report(const struct invocation *in, struct err *e);
int command_init(const struct invocation *in, struct err *e);
int command_targets(const struct invocation *in, struct err *e);
int command_verify(const struct invocation *in, struct err *e);
int command_calibrate(const struct invocation *in, struct err *e);
int command_crosscheck(const struct invocation *in, struct err *e);
int command_compare(const struct invocation *in, struct err *e);
int command_replay(const struct invocation *in, struct err *e);
int command_reproduce(const struct invocation *in, struct err *e);
int command_export(const struct invocation *in, struct err *e);
int command_list(const struct invocation *in, struct err *e);
int command_show(const struct invocation *in, struct err *e);
int command_prune(const struct invocation *in, struct err *e);
int command_site(const struct invocation *in, struct err *e);
int command_doctor(const struct invocation *in, struct err *e);
int command_help(const struct invocation *in, struct err *e);
int command_version(const struct invocation *in, struct err *e);

#endif
