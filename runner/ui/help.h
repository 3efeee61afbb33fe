/* help.h — help texts, made from the tables of commands and options. */
#ifndef UI_HELP_H
#define UI_HELP_H

#include <stdio.h>

#include "ui/args.h"

/* What `loopbench help` prints: every command with its line. */
void help_print_overview(FILE *out);

/* What `loopbench help NAME` prints: usage, options with values and defaults, profiles for run. */
void help_print_command(FILE *out, const struct command *command);

/* What `loopbench version` prints. */
void help_print_version(FILE *out);

#endif
