"""Starts the servers under test and stops them."""

import json
import os
import select
import signal
import subprocess
import tempfile
import time

BUILD = os.environ.get("BUILD", "build")
FULL = ("libevent", "libuv", "h2o")  # every endpoint; null answers /hello only
START_DEADLINE = 40.0


def binary(name):
    return os.path.join(BUILD, "bin", f"server-{name}")


def run_once(name, *args, deadline=START_DEADLINE):
    """Run a server that is expected to end by itself; gives its code, stdout and stderr."""
    done = subprocess.run(
        [binary(name), *args], capture_output=True, text=True, timeout=deadline, check=False
    )
    return done.returncode, done.stdout, done.stderr


class Server:
    """A running server on a port of its own choosing."""

    def __init__(self, name, *args, listen="127.0.0.1:0", preexec=None):
        self.name = name
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            [binary(name), "--listen", listen, *args],
            stdout=subprocess.PIPE,
            stderr=self.errors,
            preexec_fn=preexec,
        )
        line = self._read_line()
        self.ready = json.loads(line)
        host, port = self.ready["listening"].rsplit(":", 1)
        self.address = (host.strip("[]"), int(port))
        self.pid = self.process.pid

    def _read_line(self):
        out = self.process.stdout
        end = time.monotonic() + START_DEADLINE
        line = b""
        while not line.endswith(b"\n"):
            left = end - time.monotonic()
            if left <= 0 or not select.select([out], [], [], left)[0]:
                self.kill()
                raise RuntimeError(f"server-{self.name}: no ready line within {START_DEADLINE} s")
            byte = os.read(out.fileno(), 4096)
            if not byte:
                code = self.process.wait()
                raise RuntimeError(f"server-{self.name}: exit {code} at start: {self.stderr()}")
            line += byte
        return line.decode()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.kill()

    def stderr(self):
        self.errors.seek(0)
        return self.errors.read()

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def terminate(self):
        self.process.send_signal(signal.SIGTERM)

    def wait(self, deadline=START_DEADLINE):
        """Exit code; raises when the server does not end in time."""
        return self.process.wait(timeout=deadline)

    def alive(self):
        return self.process.poll() is None

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.pid}/fd"))

    def rss_bytes(self):
        with open(f"/proc/{self.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def threads(self):
        return len(os.listdir(f"/proc/{self.pid}/task"))
