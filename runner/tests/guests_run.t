#!/usr/bin/python3
"""Guests that misbehave, each of which must be ended and accounted for, whatever it does."""

import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Run, wait_for, FAKE_WRK  # noqa: E402
from guest import Guests, text_of  # noqa: E402
from tap import Skip, Tap, eq, has, ok  # noqa: E402

tap = Tap()


@tap.case("workers: all are measured and ended; memory is their PSS, and the report says so")
def _():
    with Guests() as box:
        box.guest("many", "workers")
        box.measure("--targets", "many").expect(0)
        run = Run(box.at("out"))
        trial = run.of("many")[0]
        eq(trial["status"], "ok", "status")
        eq(trial["server"]["processes"], 3, "processes")
        idle, loaded = trial["memory"]["idle"], trial["memory"]["loaded"]
        ok(trial["memory"]["peak_rss"] == max(idle["rss"], loaded["rss"]), "peak: %s" % trial)
        if idle["pss"] is None:
            raise Skip("PSS cannot be read here")
        ok(idle["pss"] < idle["rss"], "PSS shares pages: %s" % idle)
        has(run.text("report.md"), "their PSS, which counts a page they share once", "report")


@tap.case("children that come and go: they are part of it")
def _():
    with Guests() as box:
        box.guest("burner", "burns")
        box.measure("--targets", "burner").expect(0)
        trial = Run(box.at("out")).of("burner")[0]
        eq(trial["status"], "ok", "status: %s" % trial["reason"])
        ok(trial["server"]["cpu_ns"] > 0 and trial["server"]["processes"] > 1, str(trial["server"]))


@tap.case("it daemonises: measured where it went, and ended")
def _():
    with Guests() as box:
        box.guest("demon", "daemon")
        box.measure("--targets", "demon").expect(0)
        trial = Run(box.at("out")).of("demon")[0]
        eq(trial["status"], "ok", "status: %s" % trial["reason"])
        ok(str(trial["server"]["pid"]) in box.noted("daemon"), "pid: %s" % trial["server"])
        ok(trial["server"]["cpu_ns"] is not None and trial["memory"]["idle"]["rss"] > 0, "figures")


@tap.case("it leaves orphans in sessions of their own, one deaf to SIGTERM: killed, and told")
def _():
    with Guests() as box:
        box.guest("leaky", "leaks", grace="300ms")
        box.measure("--targets", "leaky", "--no-verify").expect(1)
        ok(box.noted("orphan") and box.noted("deaf"), "nothing was left")
        eq([t["failure"] for t in Run(box.at("out")).of("leaky")], ["stop"], "its trial")


@tap.case("it ignores SIGTERM: killed after its own grace, recorded, with the remedy; others are measured")
def _():
    with Guests() as box:
        box.guest("deaf", "deaf", grace="200ms")
        for how in ("--no-verify", "--verify"):
            out = box.at("out" + how)
            result = box.measure("--targets", "libevent,deaf", how, out=out).expect(1)
            has(result.err, "note: deaf did not stop within 0.2 s", "stderr")
            run = Run(out)
            eq([(t["status"], t["failure"]) for t in run.of("deaf")], [("failed", "stop")], "trials")
            has(run.of("deaf")[0]["reason"], "stop-signal", "the remedy")
            eq([t["status"] for t in run.of("libevent")], ["ok"], "the other's trials")
        result = box.finish(box.start("verify", "deaf", "--guests", box.guests)).expect(1)
        has(result.err, "note: deaf did not stop within 0.2 s", "verify")
        box.nothing_left(str(result))


@tap.case("it grows: what it holds is seen, and it is ended")
def _():
    with Guests() as box:
        box.guest("grower", "grows")
        box.measure("--targets", "grower").expect(0)
        memory = Run(box.at("out")).of("grower")[0]["memory"]
        ok(memory["peak_rss"] > memory["idle"]["rss"], "memory: %s" % memory)


@tap.case("it crashes and leaves an orphan: the trial says so, the orphan is gone")
def _():
    with Guests(FAKE_WRK="hang") as box:
        box.guest("fragile", "crash")
        run = box.go("--targets", "fragile", "--no-verify")
        wait_for(lambda: any("fake-wrk" in line and " window " in line
                             for _, line in box.running()), "the generator hangs")
        box.write("state/crash", "")
        result = box.finish(run).expect(1)
        box.nothing_left(str(result))
        trial = Run(box.at("out")).of("fragile")[0]
        eq((trial["status"], trial["failure"]), ("failed", "crashed"), "trial")
        has(trial["reason"], "signal 11", "reason")
        ok(len(box.noted("orphan")) == 2, "orphans: %s" % box.noted("orphan"))


for how, sign in (("leaks", "deaf"), ("daemon", "daemon")):
    @tap.case("%s: its guard alone is killed: nothing of it is left, and the trial says so" % how)
    def _(how=how, sign=sign):
        with Guests(FAKE_WRK="hang") as box:
            box.guest("lonely", how, grace="300ms")
            run = box.go("--targets", "lonely", "--no-verify")
            wait_for(lambda: any("fake-wrk" in line and " window " in line
                                 for _, line in box.running()), "the generator hangs")
            for pid in text_of("/proc/%d/task/%d/children" % (run.pid, run.pid)).split():
                if text_of("/proc/%s/comm" % pid) == "loopbench-guard\n":
                    os.kill(int(pid), signal.SIGKILL)
            result = box.finish(run).expect(1)
            box.nothing_left(str(result))
            for pid in box.noted(sign):
                ok(not os.path.exists("/proc/" + pid), "%s %s is left" % (sign, pid))
            eq([t["status"] for t in Run(box.at("out")).of("lonely")], ["failed"], "its trial")


# The grace is far longer than the test: it is the guard that ends them, not the runner.
for how, sign in (("serve", "main"), ("daemon", "daemon"), ("leaks", "deaf"), ("deaf", "main"),
                  ("workers", "worker")):
    @tap.case("the runner is killed outright under a guest that does this: %s; nothing is left" % how)
    def _(how=how, sign=sign):
        with Guests(FAKE_WRK="hang") as box:
            box.guest("g", how, grace="5m")
            run = box.go("--targets", "g", "--no-verify")
            wait_for(lambda: box.noted(sign), "the guest runs")
            run.send_signal(signal.SIGKILL)
            eq(box.finish(run).status, -signal.SIGKILL, "status")
            wait_for(lambda: not box.running(), "nothing is left: %s" % box.running())


sys.exit(tap.finish())
