"""Starts the guests of servers/guests by their target.ini, as the runner does, and stops them."""

import configparser
import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import tempfile
import time

from serverproc import BUILD, START_DEADLINE

GUESTS = pathlib.Path(__file__).resolve().parent.parent / "guests"
SERVERS = os.path.abspath(os.path.join(BUILD, "bin"))
SETPRIV = shutil.which("setpriv")
KEYS = {
    "about", "command", "cwd", "env", "image", "install", "log-options", "package", "probe", "stop-grace", "stop-signal",
    "version", "workloads",
}


class Guest:
    """What one target.ini says, its placeholders filled in."""

    def __init__(self, folder):
        self.name = folder.name
        self.folder = folder
        ini = configparser.ConfigParser(delimiters="=", comment_prefixes=("#", ";"), interpolation=None)
        ini.read(folder / "target.ini", encoding="utf-8")
        self.sections = ini.sections()
        self.say = dict(ini[f"target {self.name}"])
        self.workloads = self.say["workloads"].split(",")

    def words(self, key, **values):
        text = self.say.get(key, "")
        values = {"dir": str(self.folder), "servers": SERVERS, **values}
        out = []
        for word in shlex.split(text):
            for name, value in values.items():
                word = word.replace("{%s}" % name, str(value))
            out.append(word)
        return out

    def environment(self, **more):
        return dict(os.environ, **dict(word.split("=", 1) for word in self.words("env")), **more)

    def ask(self, key):
        """Exit status and first line of what `probe` or `version` says; status 127: no such program."""
        try:
            done = subprocess.run(
                self.words(key), cwd=self.cwd(), env=self.environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=10, check=False,
            )
        except FileNotFoundError:
            return 127, ""
        return done.returncode, (done.stdout.splitlines() or [""])[0]

    def cwd(self):
        return (self.words("cwd") or [None])[0]


def guests():
    return [Guest(ini.parent) for ini in sorted(GUESTS.glob("*/target.ini"))]


def free_port():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


def log_file():
    """A file without a name and the path a server opens it by, as the runner makes it."""
    file = tempfile.TemporaryFile("r+", encoding="utf-8")
    return file, f"/proc/{os.getpid()}/fd/{file.fileno()}"


def tree(session):
    """Processes and threads of a session that are alive: [(pid, threads)]."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.getsid(int(entry)) == session:
                with open(f"/proc/{entry}/stat", encoding="ascii", errors="replace") as file:
                    state = file.read().rpartition(")")[2].split()[0]
                if state not in "ZX":
                    found.append((int(entry), len(os.listdir(f"/proc/{entry}/task"))))
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


class Running:
    """A guest in a session and with a folder for temporary files of its own."""

    def __init__(self, guest, workers=1, backlog=99, log=None, port=None, wait=True):
        self.guest = guest
        for more_starts in (3, 2, 1, 0):
            self._start(port or free_port(), workers, backlog, log)
            try:
                if wait:
                    self.wait_ready()
                return
            except RuntimeError as error:
                # What was free may be somebody else's by now.
                if port or not more_starts or "in use" not in str(error):
                    raise

    def _start(self, port, workers, backlog, log):
        guest = self.guest
        self.address = ("127.0.0.1", port)
        values = {
            "host": self.address[0], "port": self.address[1], "workers": workers, "backlog": backlog, "log": log,
        }
        command = guest.words("command", **values) + (guest.words("log-options", **values) if log else [])
        self.tmp = tempfile.TemporaryDirectory()
        self.said = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")
        # Where the test itself is killed, it is told to stop, so that it takes its workers along.
        told = ["setpriv", "--pdeathsig", guest.say.get("stop-signal", "TERM"), "--"] if SETPRIV else []
        self.process = subprocess.Popen(
            told + command, cwd=guest.cwd(), env=guest.environment(TMPDIR=self.tmp.name), start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=self.said, stderr=self.said,
        )

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        # Again until none is left: one that minds its workers replaces those that are killed.
        while self.tree():
            for pid, _ in self.tree():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            self.process.poll()
        self.process.wait()
        self.said.close()
        self.tmp.cleanup()

    def output(self):
        self.said.seek(0)
        return self.said.read()[-600:]

    def wait_ready(self):
        end = time.monotonic() + START_DEADLINE
        while True:
            try:
                socket.create_connection(self.address, timeout=1).close()
                return
            except (ConnectionRefusedError, TimeoutError):
                pass
            if self.process.poll() is not None or time.monotonic() > end:
                output = self.output()
                self.__exit__()
                raise RuntimeError(f"{self.guest.name}: exit {self.process.returncode} before it listened: {output}")
            time.sleep(0.01)

    def tree(self):
        return tree(self.process.pid)

    def stop(self):
        """Its exit status after its stop signal; raises when it takes longer than the runner allows."""
        self.process.send_signal(getattr(signal, "SIG" + self.guest.say.get("stop-signal", "TERM")))
        return self.process.wait(timeout=8)

    def left(self):
        return os.listdir(self.tmp.name)
