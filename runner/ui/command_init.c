/* `loopbench init NAME`: a configuration to fill in, with every key explained. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "config/skeleton.h"
#include "config/values.h"
#include "ui/commands.h"

/* Never over a file that is there, whatever happens between looking and writing. */
static int init_write(const char *path, const char *text, struct err *e) {
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        return err_set(e, ERR_USAGE, "%s is there already; choose another name, or edit it", path);
    }
    if (fd < 0) {
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                       strerror(errno));
    }
    size_t len = strlen(text);
    size_t done = 0;
    while (done < len) {
        ssize_t n = write(fd, text + done, len - done);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            break;
        }
        done += (size_t)n;
    }
    if (done < len || close(fd) != 0) {
        int why = errno;
        unlink(path);
        return err_set(e, ERR_MACHINE, "cannot write %s: %s; " FILE_WRITE_REMEDY, path,
                       strerror(why));
    }
    return 0;
}

int command_init(const struct invocation *in, struct err *e) {
    const char *name = in->args->operand[0];
    char path[VALUES_NAME_MAX + 8];
    if (skeleton_check_name(name, e) != 0) {
        return -1;
    }
    char *text = skeleton_text(name);
    if (!text) {
        return err_set(e, ERR_MACHINE, "out of memory");
    }
    snprintf(path, sizeof path, "%s.ini", name);
    int rc = init_write(path, text, e);
    free(text);
    if (rc == 0) {
        printf("%s: put the command of your server into it, then `loopbench verify %s`\n", path,
               name);
    }
    return rc;
}
