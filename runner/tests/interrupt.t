#!/usr/bin/python3
"""Runs that are ended in the middle, by a signal, a kill or a crash, and are continued."""
import fcntl
import functools
import gzip
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run, count_lines, planned, read_trials, wait_for, LOOPBENCH  # noqa: E402
from tap import Failure, Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
HANGS = {"FAKE_WRK": "b=hang"}


def folder_state(folder):
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        return json.load(f)["state"]


# The first block is a, c, b: two trials are stored before the one that hangs.
OPTIONS = {"targets": ("a", "b", "c"), "connections": "4,8", "seed": "2", "trial_margin": "5m"}
BEFORE = 2


@functools.cache
def whole_run():
    """The same run, undisturbed: its plan and figures are what a continued one must have."""
    with Box() as box:
        box.loopbench("run", box.ini(**OPTIONS), "--out", box.at("out"), "--no-report",
                      "--quiet").expect(0)
        return Run(box.at("out"))


class Halted(Box):
    """A box with a run in `out` that has stored some trials and hangs in the first one of b."""

    def __init__(self, start=True, report=False):
        self.how = () if report else ("--no-report",)
        self.whole = whole_run()
        eq([t["target"] for t in self.whole.trials].index("b"), BEFORE, "trials before b")
        super().__init__()
        self.out = self.at("out")
        self.configuration = self.ini(**OPTIONS)
        self.process = None
        if start:
            self.process = self.start("run", self.configuration, "--out", self.out, *self.how,
                                      env=HANGS)
            try:
                self.await_halt()
            except BaseException:  # no `with` has begun that would tidy up
                self.__exit__(*sys.exc_info())
                raise

    def await_halt(self):
        """Until all trials before are stored and the generator of the next one hangs."""
        def halted():
            if self.process and self.process.poll() is not None:
                raise Failure("ended too early: %s" % self.finish(self.process))
            return (count_lines(os.path.join(self.out, "trials.jsonl")) == BEFORE
                    and self.generators())
        wait_for(halted, "the run hangs in the first trial of b", 120)

    def generators(self):
        return [pid for pid, line in self.running() if "fake-wrk" in line and " window " in line]

    def resume(self, *more):
        return self.loopbench("run", "--resume", self.out, *self.how, *more)

    def check_continued(self):
        """All of it is there: nothing lost, nothing twice, in the plan's order."""
        run = Run(self.out)
        eq(run.plan, self.whole.plan, "plan")
        got = [(t["round"], t["workload"], t["connections"], t["target"]) for t in run.trials]
        eq(got, planned(self.whole.plan), "trials")
        eq([(t["seq"], t["attempt"]) for t in run.trials], [(n, 0) for n in range(6)], "seq")
        eq({t["status"] for t in run.trials}, {"ok"}, "status")
        eq(run.manifest["state"], "complete", "state")
        eq([t["load"]["requests"] for t in run.trials],
           [t["load"]["requests"] for t in self.whole.trials], "figures")
        lines = gzip.decompress(run.bytes("histograms.gz")).splitlines()
        eq(len(lines), 6, "histograms")
        return run


def stored(folder):
    with open(os.path.join(folder, "trials.jsonl"), "rb") as f:
        return f.read()


for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    @tap.case("%s: status 1, every child gone, what was measured is kept, --resume completes it"
              % signum.name)
    def _(signum=signum):
        drawn = signum == signal.SIGINT
        with Halted(report=drawn) as box:
            kept = stored(box.out)
            begun = time.monotonic()
            box.process.send_signal(signum)
            result = box.finish(box.process).expect(1)
            # The generator that hangs would be waited for five minutes.
            ok(time.monotonic() - begun < 60, "it took %.1f s" % (time.monotonic() - begun))
            box.nothing_left()
            has(result.err, "interrupted: %d of 6 trials" % BEFORE, "stderr")
            has(result.err, "loopbench run --resume %s" % box.out, "stderr")
            eq(folder_state(box.out), "interrupted", "state")
            eq(stored(box.out), kept, "trials.jsonl")
            has(result.out, "8 connections", "stdout")  # the table of what there is
            result = box.resume().expect(0)
            has(result.err, "6/6", "stderr")
            ok(stored(box.out).startswith(kept), "what was stored was changed")
            run = box.check_continued()
            for name in ("report.md", "plots/throughput-hello.svg"):
                eq(os.path.exists(run.path(name)), drawn, name)


@tap.case("an interrupted reproduction says how it is held against the run that it repeats")
def _():
    with Halted(start=False) as box:
        box.loopbench("run", box.configuration, "--out", "first", "--no-report").expect(0)
        process = box.start("reproduce", "first", "--out", box.out, "--no-report", env=HANGS)
        wait_for(box.generators, "a trial of the reproduction")
        process.send_signal(signal.SIGINT)
        err = box.finish(process).expect(1).err
        has(err, "go on with: loopbench run --resume %s\n" % box.out)
        has(err, "hold the two against each other with: loopbench compare first %s\n" % box.out)
        box.resume().expect(0)
        box.loopbench("compare", "first", box.out).expect(0)


@tap.case("a signal to the whole process group, as a terminal sends it, ends it the same way")
def _():
    with Halted() as box:
        os.killpg(box.process.pid, signal.SIGINT)
        box.finish(box.process).expect(1)
        box.nothing_left()
        box.resume().expect(0)
        box.check_continued()


@tap.case("interrupted before anything was measured: status 1, one line, no folder")
def _():
    with Box(FAKE_TARGET="b=never-answer") as box:
        process = box.start("run", box.ini(ready_timeout="5m"))
        wait_for(lambda: any("--name b" in line for _, line in box.running()), "b is started")
        process.send_signal(signal.SIGINT)
        result = box.finish(process).refused(1, "interrupted")
        hasnt(result.err, "results are in", "stderr")
        ok(not os.path.exists(box.at("results")), "a folder was made")
        box.nothing_left()


@tap.case("SIGKILL of the runner: no orphans, and the folder can be resumed")
def _():
    with Halted() as box:
        kept = stored(box.out)
        ok(len(box.running()) >= 3, "runner, target and generator: %s" % box.running())
        box.process.kill()
        box.process.communicate()
        wait_for(lambda: not box.running(), "the children follow their parent")
        eq(folder_state(box.out), "running", "state")
        for name in os.listdir(box.tmp):  # nobody was left to remove it
            for file in os.listdir(os.path.join(box.tmp, name)):
                os.unlink(os.path.join(box.tmp, name, file))
            os.rmdir(os.path.join(box.tmp, name))
        result = box.loopbench("report", box.out).expect(0)
        has(result.err, "was cut off", "stderr")
        result = box.resume().expect(0)
        counts = re.search(r"^(\d+) of (\d+) trials in", result.err, re.M)
        ok(counts and counts[1] == counts[2], "those from before are counted: %s" % result.err)
        ok(stored(box.out).startswith(kept), "what was stored was changed")
        box.check_continued()


@tap.case("a torn last line: reported without it, said, measured again by --resume")
def _():
    with Halted() as box:
        box.process.send_signal(signal.SIGINT)
        box.finish(box.process).expect(1)
        size = len(stored(box.out))
        os.truncate(os.path.join(box.out, "trials.jsonl"), size - 40)
        result = box.loopbench("report", box.out).expect(0)
        has(result.err, "cut short", "stderr")
        eq(len(stored(box.out)), size - 40, "the report changed trials.jsonl")
        box.resume().expect(0)
        box.check_continued()


@tap.case("histogram bytes without their line are cut off by --resume")
def _():
    with Halted() as box:
        box.process.kill()
        box.process.communicate()
        wait_for(lambda: not box.running(), "the children follow their parent")
        with open(os.path.join(box.out, "histograms.gz"), "ab") as f:
            f.write(b"\x1f\x8b\x08 half a member")
        box.finish(box.start("run", "--resume", box.out)).expect(0)
        box.check_continued()


@tap.case("two writers of one folder: the second is refused, and the first not disturbed")
def _():
    with Halted() as box:
        before = stored(box.out)
        result = box.finish(box.start("run", "--resume", box.out))
        result.refused(2, box.out, "another loopbench")
        result = box.finish(box.start("run", box.configuration, "--out", box.out))
        result.refused(2, box.out, "not empty", "--resume")
        result = box.finish(box.start("report", box.out)).expect(0)
        has(result.err, "still going on", "stderr")
        eq(stored(box.out), before, "trials.jsonl")
        ok(box.process.poll() is None and box.generators(), "the first one was disturbed")
        box.process.send_signal(signal.SIGINT)
        box.finish(box.process).expect(1)
        box.resume().expect(0)
        box.check_continued()


@tap.case("a complete run is not resumed")
def _():
    with Halted(start=False) as box:
        box.loopbench("run", box.configuration, "--out", box.out, "--no-report").expect(0)
        before = stored(box.out)
        result = box.resume()
        result.refused(2, "complete", "nothing to resume")
        eq(stored(box.out), before, "trials.jsonl")


@tap.case("options that would change the run are refused with --resume; harmless ones are not")
def _():
    with Halted() as box:
        box.process.send_signal(signal.SIGINT)
        box.finish(box.process).expect(1)
        before = stored(box.out)
        for option in (["--rounds", "3"], ["--seed", "1"], ["--duration", "2s"], ["--no-verify"],
                       ["--out", box.at("x")], ["--dry-run"], ["--targets", "a"],
                       ["--connections", "4"], ["--wrk", "wrk"], ["--config", box.configuration],
                       [box.configuration]):
            result = box.loopbench("run", "--resume", box.out, *option)
            result.refused(2, option[0].lstrip("-") if option[0][0] == "-" else "config")
        eq(stored(box.out), before, "trials.jsonl")
        eq(folder_state(box.out), "interrupted", "state")
        box.resume("--quiet").expect(0)
        box.check_continued()


@tap.case("a config.ini that was changed since is not mixed into the run")
def _():
    with Halted() as box:
        box.process.send_signal(signal.SIGINT)
        box.finish(box.process).expect(1)
        before = stored(box.out)
        path = os.path.join(box.out, "config.ini")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for old, new in (("duration = 1s", "duration = 2s"), ("pipeline = 1", "pipeline = 2")):
            has(text, old + "\n", "config.ini")
            with open(path, "w", encoding="utf-8") as f:
                f.write(text.replace(old, new))
            box.resume().refused(2, "config.ini", *new.split(" = "), "was begun with")
        eq(stored(box.out), before, "trials.jsonl")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        box.resume().expect(0)
        box.check_continued()


def edit(path, change):
    with open(path, encoding="utf-8") as f:
        text = f.read()
    ok(change(text) != text, "nothing to change in %s" % path)
    with open(path, "w", encoding="utf-8") as f:
        f.write(change(text))
    return text


@tap.case("targets or a plan that were changed since are not mixed into the run, and a report says so")
def _():
    with Halted() as box:
        box.process.send_signal(signal.SIGINT)
        box.finish(box.process).expect(1)
        before = stored(box.out)
        changed = "is not as it was when the run was begun"
        for name, change, why in (
                ("config.ini", lambda t: t.replace("[target a]\ncommand = ",
                                                   "[target a]\ncommand = nice "), changed),
                ("config.ini", lambda t: t + "# a note\n", changed),
                ("plan.json", lambda t: t.replace('"connections": 8', '"connections": 4', 1), changed),
                ("plan.json", lambda t: t + "junk", "not JSON")):
            path = os.path.join(box.out, name)
            text = edit(path, change)
            box.resume().refused(2, name, why)
            done = box.loopbench("report", box.out)
            has(done.err, "%s is not as it was when the run was begun" % name)
            with open(os.path.join(box.out, "report.md"), encoding="utf-8") as f:
                has(f.read(), "%s is not as it was" % name)
            edit(path, lambda _: text)
        eq(stored(box.out), before, "trials.jsonl")
        box.resume().expect(0)
        box.check_continued()


@tap.case("a complete run that lost a line is noticed, and completed again")
def _():
    with Halted(start=False) as box:
        box.loopbench("run", box.configuration, "--out", box.out, "--no-report").expect(0)
        path = os.path.join(box.out, "trials.jsonl")
        with open(path, encoding="utf-8") as f:
            lines = f.readlines()
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(lines[:1] + lines[2:])
        has(box.loopbench("report", box.out).err, "1 of its trials are gone from trials.jsonl")
        with open(os.path.join(box.out, "report.md"), encoding="utf-8") as f:
            has(f.read(), "This run is not complete")
        result = box.resume().expect(0)
        has(result.err, "1 of its trials are gone")
        eq(stored(box.out).count(b"\n"), len(lines), "trials")
        eq(folder_state(box.out), "complete", "state")
        box.resume().refused(2, "nothing to resume")


@tap.case("interrupted twice, resumed twice")
def _():
    with Halted() as box:
        box.process.send_signal(signal.SIGINT)
        box.finish(box.process).expect(1)
        box.process = box.start("run", "--resume", box.out, env=HANGS)
        box.await_halt()
        box.process.send_signal(signal.SIGTERM)
        result = box.finish(box.process).expect(1)
        has(result.err, "interrupted", "stderr")
        box.resume().expect(0)
        box.check_continued()


@tap.case("Ctrl-C while the plots are drawn: soon over, gnuplot gone, all trials kept")
def _():
    with Halted(start=False) as box:
        os.mkdir(box.at("path"))
        box.write("path/gnuplot", "#!/bin/sh\ncase $1 in --version) echo gnuplot 5.4;; "
                  "*) exec sleep 600;; esac\n", 0o755)
        process = box.start("run", box.configuration, "--out", box.out, env={
            "PATH": box.at("path") + ":" + os.environ["PATH"]})
        wait_for(lambda: any("sleep 600" in line for _, line in box.running()), "drawing")
        process.send_signal(signal.SIGINT)
        result = box.finish(process)
        ok(result.status in (1, 3), "status: %s" % result)
        has(result.err, "interrupted while drawing", "stderr")
        box.nothing_left()
        eq(len(read_trials(box.out)), 6, "trials")
        eq(folder_state(box.out), "complete", "state")
        box.loopbench("report", box.out).expect(0)


class Terminal:
    """loopbench with a terminal of its own for all its output."""

    def __init__(self, box, args, columns=100, env=None):
        self.text = ""
        env = {**box.env, "TERM": "xterm", **(env or {})}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            try:
                fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
                os.chdir(box.path)
                os.execve(LOOPBENCH, ["loopbench"] + args, env)
            finally:
                os._exit(126)
        self.modes = termios.tcgetattr(self.fd)

    def read(self, until=None, seconds=120):
        """Reads until the condition holds, or to the end where there is none."""
        end = time.monotonic() + seconds
        while until is None or not until():
            if time.monotonic() > end:
                raise Failure("the terminal shows only %r" % self.text[-600:])
            if not select.select([self.fd], [], [], 0.02)[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:  # the other end is closed
                data = b""
            if not data:
                return self.text
            self.text += data.decode("utf-8", "replace")
        return self.text

    def end(self):
        self.read()
        status = os.waitpid(self.pid, 0)[1]
        os.close(self.fd)
        return os.waitstatus_to_exitcode(status)


def screen(text):
    """What is left on the screen: lines, with what was cleared or written over gone."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        line = line.split("\r\x1b[K")[-1]
        lines.append(re.sub(r"\x1b\[[0-9;]*m", "", line))
    return lines


@tap.case("on a terminal a bar with trial, cell, figures and time left; at the end it is gone")
def _():
    with Halted(start=False) as box:
        terminal = Terminal(box, ["run", box.configuration, "--out", box.out])
        status = terminal.end()
        text = terminal.text
        eq(status, 0, "exit status; %s" % text[-500:])
        for part in ("\r\x1b[K", "█", "░", "1/6", "6/6", "a hello c=4 round 1", "last:", "req/s",
                     "left"):
            has(text, part, "terminal")
        drawn = [re.sub(r"\x1b\[[0-9;]*m", "", d) for d in re.split("\r\x1b\\[K|\r\n", text)
                 if "█" in d or "░" in d]
        ok(drawn and max(map(len, drawn)) < 100, "wider than the terminal: %r" % drawn)
        left = "\n".join(screen(text))
        hasnt(left, "█", "screen")
        hasnt(left, "left", "screen")
        has(left, "hello, 4 connections", "screen")
        has(left, "6 of 6 trials", "screen")
        hasnt(left, "\x1b", "screen")


@tap.case("a narrow terminal gets a narrow bar; NO_COLOR none in colour; TERM=dumb none at all")
def _():
    with Halted(start=False) as box:
        terminal = Terminal(box, ["run", box.configuration, "--out", box.out, "--no-report"],
                            columns=30, env={"NO_COLOR": "1"})
        eq(terminal.end(), 0, "exit status")
        hasnt(terminal.text, "\x1b[3", "terminal")
        drawn = [d for d in re.split("\r\x1b\\[K|\r\n", terminal.text) if re.match(r".*\d/6", d)]
        ok(drawn and max(map(len, drawn)) < 30, "wider than the terminal: %r" % drawn)
        terminal = Terminal(box, ["run", box.configuration, "--out", box.at("dumb"),
                                  "--no-report"], env={"TERM": "dumb"})
        eq(terminal.end(), 0, "exit status")
        hasnt(terminal.text, "\x1b", "terminal")
        has(terminal.text, "6/6", "terminal")


@tap.case("Ctrl-C on the terminal: the bar is gone, the shell gets its terminal as it was")
def _():
    with Halted(start=False) as box:
        terminal = Terminal(box, ["run", box.configuration, "--out", box.out], env=HANGS)
        shown = "%d/6" % (BEFORE + 1)
        terminal.read(lambda: shown in terminal.text and box.generators())
        modes = termios.tcgetattr(terminal.fd)
        eq(modes, terminal.modes, "the terminal's modes")
        os.write(terminal.fd, b"\x03")
        eq(terminal.end(), 1, "exit status")
        left = "\n".join(screen(terminal.text))
        hasnt(left, "█", "screen")
        has(left, "interrupted: %d of 6 trials" % BEFORE, "screen")
        has(left, "loopbench run --resume", "screen")
        box.nothing_left()
        box.resume().expect(0)
        box.check_continued()


sys.exit(tap.finish())
