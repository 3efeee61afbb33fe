"""A real PostgreSQL in a temporary folder, for tests: started, killed, started again, removed."""

import glob
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

DEADLINE = 30.0


def find_programs():
    """The folder of initdb and postgres (Debian keeps them out of PATH), or None."""
    for folder in sorted(glob.glob("/usr/lib/postgresql/*/bin"), reverse=True):
        if os.access(os.path.join(folder, "initdb"), os.X_OK):
            return folder
    found = shutil.which("initdb")
    return os.path.dirname(found) if found else None


def find_user():
    """PostgreSQL refuses to run as root: the user it runs as then. None: as we are."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    return None


class Postgres:
    """A running server; only its Unix socket and 127.0.0.1 on a port of its choosing are open."""

    def __init__(self, **settings):
        self.programs = find_programs()
        self.user = find_user()
        self.folder = tempfile.mkdtemp(prefix="loopbench-postgres-")
        self.data = os.path.join(self.folder, "data")
        self.log = os.path.join(self.folder, "log")
        self.settings = {"listen_addresses": "", "unix_socket_directories": self.folder,
                         # a commit survives the process; the machine need not
                         "fsync": "off", **settings}
        self.process = None
        if self.user:
            os.chown(self.folder, self.user.pw_uid, self.user.pw_gid)
        try:
            self._run("initdb", "-D", self.data, "-U", "loopbench", "-A", "trust", "--no-sync",
                      "-E", "UTF8", "--no-locale")
            self.start()
        except BaseException:
            self.remove()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.remove()

    @property
    def url(self):
        return f"postgresql://loopbench@/postgres?host={self.folder}"

    def _as_user(self):
        """Run in the child before the program: gives up root."""
        os.setsid()
        if self.user:
            os.setgroups([])
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)

    def _environment(self):
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "HOME": self.folder}

    def _run(self, program, *args):
        done = subprocess.run([os.path.join(self.programs, program), *args], text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=self.folder,
                              preexec_fn=self._as_user, env=self._environment(), check=False)
        if done.returncode != 0:
            raise RuntimeError(f"{program}: exit {done.returncode}: {done.stdout}")

    def start(self):
        """Start it and wait until it answers a query."""
        options = [part for name, value in self.settings.items() for part in ("-c", f"{name}={value}")]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [os.path.join(self.programs, "postgres"), "-D", self.data, *options],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                preexec_fn=self._as_user, env=self._environment())
        end = time.monotonic() + DEADLINE
        while True:
            try:
                self.query("SELECT 1")
                return
            except RuntimeError as error:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise RuntimeError(f"postgres does not start: {error}\n{self.read_log()}") from error
                time.sleep(0.05)

    def query(self, sql):
        """The rows of a query, as lines of fields joined by '|'."""
        done = subprocess.run(
            [shutil.which("psql") or os.path.join(self.programs, "psql"), "-X", "-q", "-A", "-t",
             "-v", "ON_ERROR_STOP=1", "-h", self.folder, "-U", "loopbench", "-d", "postgres", "-c", sql],
            capture_output=True, text=True, check=False, env=self._environment())
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.splitlines()

    def backends(self):
        """Process ids of the backends that serve our servers."""
        return [int(line) for line in self.query(
            "SELECT pid FROM pg_stat_activity WHERE application_name = 'loopbench' ORDER BY pid")]

    def schemas(self):
        return self.query("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'loopbench%' ORDER BY 1")

    def kill(self):
        """SIGKILL to the postmaster and all its children, as a crash would."""
        if self.process is None:
            return
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGSTOP)  # so that none is forked meanwhile
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self._wait_group()
        self.process = None

    def _wait_group(self):
        """A new postmaster refuses to start while an old backend lives. Backends are sessions of their
        own: they are found by their folder."""
        end = time.monotonic() + DEADLINE
        while self._leftovers():
            for pid in self._leftovers():
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            if time.monotonic() > end:
                raise RuntimeError("backends outlive SIGKILL")
            time.sleep(0.02)

    def _leftovers(self):
        """Processes that run in our data folder, zombies not counted."""
        pids = []
        for entry in os.listdir("/proc"):
            if not entry.isdigit():
                continue
            try:
                if os.readlink(f"/proc/{entry}/cwd").startswith(self.data):
                    pids.append(int(entry))
            except OSError:
                continue
        return pids

    def stop(self):
        """A shutdown that tells its clients."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(DEADLINE)
        self.process = None

    def read_log(self):
        try:
            with open(self.log, encoding="utf-8", errors="replace") as file:
                return file.read()[-2000:]
        except OSError:
            return ""

    def remove(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
