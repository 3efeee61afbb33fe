"""loopbench as a command, in a folder of its own, against the fakes.

Every process of a box carries a mark in its environment, so that what is left running can be found
and ended, whoever its parent has become by then.
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

from tap import Failure, ok

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.path.abspath(os.environ.get("BUILD") or os.path.join(ROOT, "build"))
LOOPBENCH = os.path.join(BUILD, "bin", "loopbench")
SERVERS = os.path.join(BUILD, "bin")
FAKE_WRK = os.path.join(HERE, "fake-wrk")
FAKE_TARGET = os.path.join(HERE, "fake-target")
TIMEOUT = 240  # of a whole command: far beyond what any takes

# Starts soundly while its counting file has fewer than `sound` starts in it, then as it is told.
LATER = """#!/bin/sh
# later COUNTER SOUND BEHAVIOUR PROGRAM ARGUMENTS...
printf . >> "$1"
if [ "$(wc -c < "$1")" -gt "$2" ]; then FAKE_TARGET=$3; else FAKE_TARGET=ok; fi
export FAKE_TARGET
shift 3
exec "$@"
"""


def quote(word):
    """A word of a command in a configuration file."""
    return "'%s'" % word.replace("'", "'\\''")


def wait_for(condition, what, seconds=60):
    """Polls until the condition gives something true, and returns that."""
    end = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > end:
            raise Failure("%s: not within %d s" % (what, seconds))
        time.sleep(0.005)


class Result:
    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __str__(self):
        return "exit status %s\nstdout: %s\nstderr: %s" % (self.status, self.out, self.err)

    def expect(self, status):
        ok(self.status == status, "exit status %s expected\n%s" % (status, self))
        return self

    def refused(self, status, *parts):
        """Exactly one line on stderr that holds all parts, nothing on stdout."""
        self.expect(status)
        lines = self.err.splitlines()
        ok(len(lines) == 1 and self.err.endswith("\n"), "one line expected\n%s" % self)
        ok(lines[0].startswith("loopbench: "), "who speaks is missing\n%s" % self)
        ok(len(lines[0]) < 1100, "the line is too long\n%s" % self)
        ok(self.out == "", "nothing on stdout expected\n%s" % self)
        for part in parts:
            ok(part in lines[0], "without %r\n%s" % (part, self))
        return self


class Run:
    """What a run left in its folder."""

    def __init__(self, folder):
        self.folder = folder
        self.manifest = json.loads(self.text("manifest.json"))
        self.plan = json.loads(self.text("plan.json"))
        self.trials = read_trials(folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as f:
            return f.read()

    def bytes(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def planned(self):
        """(round, workload, connections, target) of every trial of the plan, in its order."""
        return planned(self.plan)

    def of(self, target):
        return [t for t in self.trials if t["target"] == target]


def read_trials(folder):
    with open(os.path.join(folder, "trials.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def planned(plan):
    return [(b["round"], b["workload"], b["connections"], target)
            for b in plan["blocks"] for target in b["order"]]


def count_lines(path):
    try:
        with open(path, "rb") as f:
            return f.read().count(b"\n")
    except FileNotFoundError:
        return 0


class Box:
    """A folder, an environment and a mark; use with `with`."""

    def __init__(self, **env):
        self.path = tempfile.mkdtemp(prefix="loopbench-test-")
        self.mark = "LOOPBENCH_TEST=%s" % os.path.basename(self.path)
        self.tmp = os.path.join(self.path, "tmp")
        os.mkdir(self.tmp)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("FAKE_", "LC_"))}
        self.env.update({"TMPDIR": self.tmp, "LC_ALL": "C.UTF-8", "TERM": "dumb"})
        self.env.update([self.mark.split("=")])
        self.env.update(env)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        left = self.running()
        for pid, _ in left:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        shutil.rmtree(self.path, ignore_errors=True)
        if left and kind is None:
            raise Failure("left running: %s" % left)

    def at(self, *names):
        return os.path.join(self.path, *names)

    def write(self, name, text, mode=0o644):
        path = self.at(name)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        os.chmod(path, mode)
        return path

    def later(self, name, behaviour, sound=1, program=FAKE_TARGET):
        """The command of a target that starts soundly at first (when it is verified)."""
        if not os.path.exists(self.at("later")):
            self.write("later", LATER, 0o755)
        words = [self.at("later"), self.at(name + ".starts"), str(sound), behaviour, program,
                 "--name", name]
        return " ".join(map(quote, words))

    def servers(self, *names):
        """A folder in which the built-in servers are fakes."""
        folder = self.at("servers")
        os.makedirs(folder, exist_ok=True)
        for name in names:
            self.write("servers/server-" + name, "#!/bin/sh\nexec %s --name %s \"$@\"\n"
                       % (quote(FAKE_TARGET), name), 0o755)
        return folder

    def ini(self, targets=("a", "b"), name="run.ini", chosen=None, **options):
        """Writes a configuration: fake wrk, fake targets (names, or name → command), no controls
        unless asked for, short windows, and limits that only what hangs reaches, however slow the
        machine is."""
        if not isinstance(targets, dict):
            targets = {t: "%s --name %s" % (quote(FAKE_TARGET), t) for t in targets}
        settings = {"connections": "8", "rounds": "1", "duration": "1s", "warmup": "0s",
                    "null_server": "no", "aa_control": "off", "repeat_blocks": "0",
                    "wrk": FAKE_WRK, "results": self.at("results"), "ready_timeout": "60s",
                    "trial_margin": "60s"}
        settings["targets"] = chosen or ",".join(targets)
        settings.update(options)
        text = "[run]\n"
        for key, value in settings.items():
            text += "%s = %s\n" % (key.replace("_", "-"), value)
        for target, command in targets.items():
            text += "\n[target %s]\ncommand = %s\nannounces = yes\n" % (target, command)
        return self.write(name, text)

    def start(self, *args, env=None, **how):
        """loopbench as a process that is not waited for."""
        how.setdefault("stdout", subprocess.PIPE)
        how.setdefault("stderr", subprocess.PIPE)
        how.setdefault("cwd", self.path)
        how.setdefault("executable", LOOPBENCH)
        return subprocess.Popen(["loopbench"] + list(args), stdin=subprocess.DEVNULL,
                                env=dict(self.env, **(env or {})), start_new_session=True, **how)

    def finish(self, process, seconds=TIMEOUT):
        try:
            out, err = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            out, err = process.communicate()
            raise Failure("loopbench did not end within %d s\n%s\n%s" % (seconds, out, err))
        return Result(process.returncode, (out or b"").decode("utf-8", "replace"),
                      (err or b"").decode("utf-8", "replace"))

    def loopbench(self, *args, **how):
        """Runs loopbench to its end; nothing of it may be left running or lying about."""
        result = self.finish(self.start(*args, **how))
        self.nothing_left(str(result))
        return result

    def running(self):
        """(pid, command line) of every process that carries the mark, this one excepted."""
        found = []
        for pid in os.listdir("/proc"):
            if not pid.isdigit() or int(pid) == os.getpid():
                continue
            try:
                with open("/proc/%s/environ" % pid, "rb") as f:
                    marked = self.mark.encode() in f.read().split(b"\0")
                with open("/proc/%s/cmdline" % pid, "rb") as f:
                    line = f.read().replace(b"\0", b" ").decode("utf-8", "replace").strip()
            except OSError:
                continue
            if marked and line:  # a zombie has neither
                found.append((int(pid), line))
        return found

    def nothing_left(self, what=""):
        left = self.running()
        ok(not left, "left running: %s\n%s" % (left, what))
        ok(not os.listdir(self.tmp), "left in TMPDIR: %s\n%s" % (os.listdir(self.tmp), what))


def tree(folder):
    """Every path below the folder, sorted."""
    found = []
    for where, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(where, n), folder) for n in folders + files]
    return sorted(found)
