"""Command line, worker processes and the private folder of the Python guests."""

import argparse
import os
import platform
import signal
import socket
import sys
import tempfile

STOP = (signal.SIGTERM, signal.SIGINT)

def options(name, version):
    """Reads the command line; `version` is the library's."""
    parser = argparse.ArgumentParser(prog=name, allow_abbrev=False)
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--backlog", type=int, default=socket.SOMAXCONN)
    parser.add_argument("--access-log")
    parser.add_argument(
        "--version", action="version", version=f"{name} {version} on Python {platform.python_version()}"
    )
    given = parser.parse_args()
    if not 1 <= given.workers <= 256:
        parser.error("--workers: write a number from 1 to 256")
    return given


def listener(given):
    """A listening socket of this worker's own; the kernel spreads connections over the workers'."""
    family = socket.AF_INET6 if ":" in given.host else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_STREAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    if given.workers > 1:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    try:
        sock.bind((given.host, given.port))
    except OSError as error:
        sys.exit(f"cannot listen on {given.host}:{given.port}: {error.strerror}")
    sock.listen(given.backlog)
    sock.setblocking(False)
    return sock


def ready():
    """Signals may come now."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOP)


def _supervise(pids):
    """Hands SIGTERM and SIGINT on. A worker that ends unasked ends all: half a server is not measured."""
    asked = False

    def hand_on(signum, _frame):
        nonlocal asked
        asked = True
        for pid in pids:
            os.kill(pid, signum)

    for signum in STOP:
        signal.signal(signum, hand_on)
    ready()
    failed = False
    while pids:
        # Seen ended, forgotten, and only then reaped: a signal may come at any point, and no PID that is
        # handed it may be gone, or be somebody else's by then.
        pid = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT).si_pid
        pids.discard(pid)
        _, status = os.waitpid(pid, 0)
        if not asked or os.waitstatus_to_exitcode(status) > 0:
            failed = True
            for other in pids:
                os.kill(other, signal.SIGTERM)
    return 1 if failed else 0


def run(given, serve):
    """serve(folder) in each worker, until a signal ends it, whose handlers it sets before it calls ready();
    the exit status. With one worker no process
    is forked. `folder` is private and goes when all have ended."""
    # Blocked until the handlers are there, so that an early signal is kept for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, STOP)
    with tempfile.TemporaryDirectory(prefix="loopbench-guest-") as folder:
        if given.workers == 1:
            serve(folder)
            return 0
        pids = set()
        for _ in range(given.workers):
            pid = os.fork()
            if pid == 0:
                status = 1
                try:
                    serve(folder)
                    status = 0
                except BaseException:  # pylint: disable=broad-except
                    sys.excepthook(*sys.exc_info())
                finally:
                    sys.stdout.flush()
                    sys.stderr.flush()
                    os._exit(status)
            pids.add(pid)
        return _supervise(pids)
