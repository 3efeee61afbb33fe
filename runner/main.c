#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <unistd.h>

#include "ui/args.h"
#include "ui/commands.h"
#include "ui/help.h"

static int (*const handlers[])(const struct invocation *in, struct err *e) = {
    [COMMAND_RUN] = command_run,
    [COMMAND_REPORT] = command_report,
    [COMMAND_INIT] = command_init,
    [COMMAND_VERIFY] = command_verify,
    [COMMAND_TARGETS] = command_targets,
    [COMMAND_DOCTOR] = command_doctor,
    [COMMAND_CALIBRATE] = command_calibrate,
    [COMMAND_CROSSCHECK] = command_crosscheck,
    [COMMAND_COUNT] = command_count,
    [COMMAND_COMPARE] = command_compare,
    [COMMAND_REPRODUCE] = command_reproduce,
    [COMMAND_REPLAY] = command_replay,
    [COMMAND_EXPORT] = command_export,
    [COMMAND_LIST] = command_list,
    [COMMAND_SHOW] = command_show,
    [COMMAND_PRUNE] = command_prune,
    [COMMAND_SITE] = command_site,
    [COMMAND_HELP] = command_help,
    [COMMAND_VERSION] = command_version,
};

/* A standard descriptor that the caller closed must not become a results file or the event loop's
 * own. It is held the wrong way round, so that writing to it still fails. */
static void hold_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0) {
            return;
        }
    }
}

int main(int argc, char **argv) {
    struct err e = {0};
    struct args args = {0};
    int status;
    hold_standard_descriptors();
    setlocale(LC_CTYPE, ""); /* only that: numbers are written the same everywhere */
    if (args_parse(&args, argc, (const char *const *)argv, &e) != 0) {
        fprintf(stderr, "loopbench: %s\n", e.text);
        return e.class;
    }
    if (args.help) {
        help_print_command(stdout, args.command);
        status = 0;
    } else {
        struct invocation in = {.args = &args, .argc = argc, .argv = (const char *const *)argv};
        status = handlers[args.command->id](&in, &e);
        if (status < 0) {
            fprintf(stderr, "loopbench: %s\n", e.text);
            status = e.class ? (int)e.class : ERR_FAILED;
        }
    }
    args_release(&args);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        fprintf(stderr, "loopbench: cannot write to standard output; see where it leads, and that "
                        "there is room\n");
        return ERR_MACHINE;
    }
    return status;
}
