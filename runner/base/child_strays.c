/* What a killed guard looked after. */
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "base/child_parts.h"
#include "base/clock.h"
#include "base/file.h"

/* All that run: what else the runner has for children came to it when a guard was killed. */
static struct child *child_running;

void child_runs(struct child *c) {
    c->next = child_running;
    child_running = c;
}

void child_over(struct child *c) {
    struct child **at = &child_running;
    while (*at && *at != c) {
        at = &(*at)->next;
    }
    if (*at) {
        *at = c->next;
    }
}

static bool child_is_ours(pid_t pid) {
    const struct child *c = child_running;
    while (c && pid != (c->guard > 0 ? c->guard : c->pid)) {
        c = c->next;
    }
    return c != NULL;
}

/* Kills what a killed guard looked after, of which the runner has become the parent, as it does of
 * what those have forked. Returns how many there were. */
static size_t child_kill_strays(void) {
    char text[16384];
    size_t n = 0;
    if (file_read_small("/proc/thread-self/children", text, sizeof text) <= 0) {
        return 0;
    }
    char *at = text;
    for (char *end; *at; at = end) {
        long pid = strtol(at, &end, 10);
        if (end == at) {
            break;
        }
        if (pid > 0 && !child_is_ours((pid_t)pid)) {
            kill((pid_t)pid, SIGKILL);
            waitpid((pid_t)pid, NULL, WNOHANG);
            n++;
        }
    }
    return n;
}

void child_end_strays(void) {
    const int64_t end = clock_mono_ns() + KILL_NS;
    while (child_kill_strays() > 0 && clock_mono_ns() < end) {
        poll(NULL, 0, 1);
    }
}
