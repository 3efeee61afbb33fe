#include "config/skeleton.h"

#include <stdlib.h>
#include <string.h>

#include "config/places.h"
#include "config/targets.h"

#define STAND_IN "{servers}/server-libuv"

/* %s: the name. Keys that are commented out show their defaults or an example. */
static const char skeleton[] =
    "; %s.ini: a server of yours for loopbench.\n"
    ";\n"
    ";   loopbench verify %s       what it serves, and whether comparing it would be fair\n"
    ";   loopbench run %s.ini      measure it\n"
    ";\n"
    "; As it stands this works: the command below is one of loopbench's own servers. Put yours in\n"
    "; its place.\n"
    "\n"
    "[run]\n"
    "targets = libevent,%s\n"
    "; what is measured; `loopbench help run` has every option and its default\n"
    ";workloads = hello,json\n"
    ";connections = 10,100,500\n"
    "\n"
    "[target %s]\n"
    "; How it is started, without a shell. {host} {port} {workers} {backlog} are what the run "
    "asks\n"
    "; for, {servers} is the folder of loopbench's own servers, {dir} the folder of this file.\n"
    "command = " STAND_IN " --listen {host}:{port} --workers {workers} --backlog {backlog}\n"
    "\n"
    "; What it serves, and at which paths where these are not loopbench's own. Without "
    "`workloads`,\n"
    "; all that a run asks for: hello, json, html, posts, concat, fibonacci, render, wait, bytes,\n"
    "; upload. docs/servers.md says what each must answer.\n"
    ";workloads = hello,json\n"
    ";paths = hello=/ json=/api/json\n"
    "\n"
    "; It is ready when this path is answered with status 200.\n"
    ";ready = /hello\n"
    "\n"
    "; Variables and folder of its process.\n"
    ";env = NODE_ENV=production\n"
    ";cwd = {dir}\n"
    "\n"
    "; What is added to the command when a run has --access-log on; {log} is the file. A server "
    "that\n"
    "; does not say how it logs is refused then.\n"
    ";log-options = --access-log {log}\n"
    "\n"
    "; How it is ended (TERM, INT, QUIT, HUP, USR1, USR2, WINCH or KILL), how long that may take\n"
    "; before it is killed with all it started, and whether being ended by that signal is a clean\n"
    "; end (no: it must handle it and exit with status 0).\n"
    ";stop-signal = TERM\n"
    ";stop-grace = 8s\n"
    ";dies-by-signal = yes\n"
    "\n"
    "; yes: it chooses its own port and prints {\"listening\":\"ADDRESS:PORT\"} as a line of its\n"
    "; standard output, as loopbench's own servers do; then {port} is not needed.\n"
    ";announces = no\n"
    "\n"
    "; A command that exits with 0 where what it needs is installed (else the target is left out,\n"
    "; naming the package, or the command that brings it where none does), and one whose first "
    "line\n"
    "; of output is its version, for the record.\n"
    ";probe = node --version\n"
    ";package = nodejs\n"
    ";install = make my-server\n"
    ";version = node --version\n"
    "\n"
    "; yes: with --db URL it stores in that database, too (by its command, env or file); without, "
    "a\n"
    "; run of posts with --db refuses it.\n"
    ";shares-db = no\n"
    "\n"
    "; One line for `loopbench targets`: who would use it?\n"
    ";about = my own server\n"
    "\n"
    "; In a container instead (targets = %s@host-network or %s@bridge); its entry point gets the\n"
    "; command.\n"
    ";image = my-image\n"
    "\n"
    "; Or it runs already, and somebody else starts and ends it. Then command and all that "
    "belongs\n"
    "; to starting go; process is its name in /proc, where its CPU and memory can be read, and\n"
    "; restart-signal makes it a fresh process for every trial.\n"
    ";url = http://127.0.0.1:8080\n"
    ";process = my-server\n"
    ";restart-signal = HUP\n";

int skeleton_check_name(const char *name, struct err *e) {
    struct config scratch = {0};
    int rc = targets_add(&scratch, name, NULL, e);
    targets_release(&scratch);
    if (rc == 0 && targets_is_builtin(name)) {
        rc = err_set(e, ERR_USAGE, "'%s' is one of loopbench's own servers; choose another name",
                     name);
    } else if (rc == 0 && *name == '.') {
        rc = err_set(e, ERR_USAGE, "'%s' would be a hidden file; choose another name", name);
    }
    return rc;
}

char *skeleton_text(const char *name) {
    char *text = NULL;
    return asprintf(&text, skeleton, name, name, name, name, name, name, name) < 0 ? NULL : text;
}

bool skeleton_is_unedited(const struct target_config *t) {
    return !t->builtin && !t->guest && t->command && strcmp(t->command[0], STAND_IN) == 0;
}
