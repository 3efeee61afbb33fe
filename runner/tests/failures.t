#!/usr/bin/python3
"""What goes wrong with targets and the load generator: recorded with its reason, and the run goes
on. A target here is sound when it is verified and goes wrong when it is measured."""
import collections
import csv
import functools
import json
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run  # noqa: E402
from tap import Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()

# behaviour of the target: (failure, part of the reason, part of the output); None = no failure
TARGETS = {
    "ok": None,
    "no-ready": ("ready", "it did not print its ready line", ""),
    "bad-json": ("ready", "ready line", '{"listening"'),
    "no-address": ("ready", "ready line", '{"server":"fake"}'),
    "exit": ("start", "exited with status 3", "cannot listen: address already in use"),
    "exit-after-line": ("start", "exited with status 4", "changed my mind"),
    "500": ("ready", "status 500", ""),
    "not-http": ("ready", "not HTTP", ""),
    "never-answer": ("ready", "is not answered", ""),
    "crash-later": ("crashed", "signal 11", "about to crash"),
    "hang-later": ("hung", "no reply completed", ""),
    "ignore-term": ("stop", "did not stop", ""),
    "dirty-exit": ("stop", "exited with status 7", ""),
    "by-signal": None,
    "orphan": None,
}

# behaviour of the load generator, the same way
GENERATOR = {
    "ok": None,
    "zero": ("hung", "no reply completed", ""),
    "lie": ("generator", "", ""),
    "torn": ("generator", "", ""),
    "garbage": ("generator", "", ""),
    "empty": ("generator", "without handing over a result", ""),
    "exit3": ("generator", "something went wrong", "something went wrong"),
    "refused": ("refused", "unable to connect", "Connection refused"),
    "killed": ("generator", "signal 9", ""),
    "hang": ("timeout", "wrk did not end", ""),
    "early": ("generator", "ended early", ""),
    "errors": None,
    "late": None,
    "all-late": ("other", "every reply was an error: 0 of ", ""),
    "slow": None,
    "wide": None,
    "warmup-exit3": ("generator", "something went wrong", "something went wrong"),
    "warmup-refused": ("refused", "unable to connect", ""),
    "warmup-garbage": ("generator", "", ""),
    "warmup-empty": ("generator", "without handing over a result", ""),
    "warmup-killed": ("generator", "signal 9", ""),
    "warmup-hang": ("timeout", "wrk did not end", ""),
    "warmup-zero": None,
}
box = Box()


@functools.cache
def both():
    """Both big runs, at the same time: they mostly wait."""
    words = ",".join("%s=%s" % (g, g.replace("warmup-", "warmup:")) for g in GENERATOR)
    started = []
    for folder, table, env, targets in (
            ("bad targets", TARGETS, {}, {t: box.later(t, t) for t in TARGETS}),
            ("bad generator", GENERATOR, {"FAKE_WRK": words}, list(GENERATOR))):
        # What never comes is waited for so long, and all else must come by then.
        ini = box.ini(targets, name=folder + ".ini", ready_timeout="10s", trial_margin="10s",
                      warmup="900ms", seed="1")
        started.append((folder, table, box.start("run", ini, "--out", box.at(folder), env=env)))
    done = []
    for folder, table, process in started:
        result = box.finish(process).expect(1)
        has(result.err, "%d of %d trials" % (len(table), len(table)), "stderr")
        has(result.err, "%d failed" % sum(1 for e in table.values() if e), "stderr")
        done.append((Run(box.at(folder)), result))
    box.nothing_left()
    return done


def bad_targets():
    return both()[0]


def bad_generator():
    return both()[1]


def nothing_but_unknown(value, path=""):
    """No figure at all: null everywhere."""
    if isinstance(value, dict):
        for key, below in value.items():
            nothing_but_unknown(below, "%s.%s" % (path, key))
    else:
        ok(value is None, "%s is %r where nothing was measured" % (path, value))


def check_trial(run, name, expected):
    trials = run.of(name)
    eq(len(trials), 1, "trials")
    t = trials[0]
    if expected is None:
        eq((t["status"], t["failure"], t["reason"]), ("ok", None, ""), "trial")
        ok(t["rate"] > 0, "rate: %s" % t["rate"])
        return
    failure, reason, output = expected
    eq((t["status"], t["failure"]), ("failed", failure), "trial (%s)" % t["reason"])
    ok(t["reason"] and "\n" not in t["reason"], "reason: %r" % t["reason"])
    has(t["reason"], reason, "reason")
    has(t["output"], output, "output")
    if failure != "stop":  # which fails after it was measured
        eq(t["rate"], None, "rate")
    if failure not in ("stop", "other"):  # the last: measured, but nothing good
        nothing_but_unknown(t["raw"], "raw")
        nothing_but_unknown(t["corrected"], "corrected")
        eq(t["hist_offset"], None, "hist_offset")


def bounded(run, name, seconds):
    wall = run.of(name)[0]["wall_s"]
    ok(wall < seconds, "the trial took %.1f s" % wall)


@tap.case("late replies are no throughput")
def _():
    t = bad_generator()[0].of("late")[0]
    load = t["load"]
    eq(load["errors_timeout"], load["requests"] // 4, "late")
    good = (load["requests"] - load["errors_timeout"]) / load["duration_us"] * 1e6
    ok(abs(t["rate"] - good) < 1e-6 * good, "rate %s, not %s" % (t["rate"], good))
    ok("errors-warn" in t["flags"], "flags: %s" % t["flags"])


for kind, expected in TARGETS.items():
    @tap.case("target, %s: %s" % (kind, expected[0] if expected else "no failure"))
    def _(kind=kind, expected=expected):
        run, _ = bad_targets()
        check_trial(run, kind, expected)
        # ready-timeout, or margins of warm-up and window, or 8 s to stop; and a busy machine
        bounded(run, kind, 60)

for kind, expected in GENERATOR.items():
    @tap.case("generator, %s: %s" % (kind, expected[0] if expected else "no failure"))
    def _(kind=kind, expected=expected):
        run, _ = bad_generator()
        check_trial(run, kind, expected)
        bounded(run, kind, 60)


@tap.case("errors in a sound trial are counted and not in the rate")
def _():
    run, _ = bad_generator()
    load = run.of("errors")[0]["load"]
    eq((load["errors_read"], load["errors_status"]), (3, load["requests"] // 10), "errors")
    rate = (load["requests"] - load["errors_status"]) * 1e6 / load["duration_us"]
    ok(abs(run.of("errors")[0]["rate"] - rate) < 0.01, "rate")


@tap.case("failures are told while the run goes on, with kind and reason")
def _():
    _, result = bad_targets()
    has(result.err, "crash-later hello c=8 round 1: failed (crashed): crash-later", "stderr")
    has(result.err, "exit hello c=8 round 1: failed (start): exit exited with status 3", "stderr")


@tap.case("a failed trial has the machine's signals, as far as they can be known")
def _():
    for run, table in (bad_targets()[0], TARGETS), (bad_generator()[0], GENERATOR):
        for name, expected in table.items():
            t, = run.of(name)
            env = t["environment"]
            what = "%s: %s" % (name, env)
            eq(t["status"] == "ok", expected is None, what)
            for signal in "steal_ratio", "listen_overflows", "time_wait", "speed_before", "speed_after":
                ok(env[signal] is not None, "%s of %s" % (signal, what))
            if t["failure"] not in ("start", "ready"):
                # Of what has ended nobody knows what it used, and so not what others did.
                eq(env["foreign_cpus"] is None, t["failure"] == "crashed", "foreign of " + what)
            eq([f for f in t["flags"] if expected and f.endswith("-unknown")], [], name)


@tap.case("a target that has no reply for the runner has hung; behind a slow load it is waited for longer")
def _():
    with Box() as before, Box() as after:
        silent = before.start("run", before.ini({"a": before.later("a", "hang-later")}), "--no-report",
                              "--out", before.at("out"), env={"FAKE_TARGET_AFTER": "2"})
        mute = after.start("run", after.ini(("a",)), "--no-report", "--out", after.at("out"),
                           env={"FAKE_TARGET": "mute-later", "FAKE_WRK_RATES": "a=4"})
        before.finish(silent).expect(1)
        after.finish(mute).expect(1)
        for own, when, answered in (before, "before", 0), (after, "after", 10):
            t, = Run(own.at("out")).trials
            eq((t["status"], t["failure"], t["rate"]), ("failed", "hung", None), when)
            found = re.match(r"no reply in ([0-9.]+) s to a request of the runner's own %s the window; "
                             r"%d replies came before$" % (when, answered), t["reason"])
            ok(found, "reason: %s" % t["reason"])
            load = t["load"]
            eq(load["requests"], 8 if answered else None, "requests")
            # A request of each connection at half the pace.
            more = 2e-6 * load["duration_us"] * 8 / load["requests"] if answered else 0
            ok(float(found.group(1)) >= 4.9 + more, "%s, not 5 s and %.1f" % (t["reason"], more))


def cells(run):
    with open(run.path("cells.csv"), encoding="utf-8", newline="") as f:
        return {row["target"]: row for row in csv.DictReader(f)}


for title, measured, table in (("targets", bad_targets, TARGETS),
                               ("generator", bad_generator, GENERATOR)):
    @tap.case("the report shows what failed as missing, with the reason: %s" % title)
    def _(measured=measured, table=table):
        run, _ = measured()
        rows = cells(run)
        markdown = run.text("report.md")
        report = {c["target"]: c for c in json.loads(run.text("report.json"))["cells"]}
        figures = [c for c in rows["ok"] if c.endswith(("_us", "_bytes", "rate", "_rps"))]
        ok(figures, "columns: %s" % list(rows["ok"]))
        for name, expected in table.items():
            row = rows[name]
            ok(name in report, "%s is not in report.json" % name)
            if expected is None:
                continue
            for column in figures:
                eq(row[column], "", "%s of %s" % (column, name))
            kinds = collections.Counter(r["failure"] for r in run.of(name))
            has(row["missing"], "requests_per_second: every trial failed: %s" % ", ".join(
                "%s %d" % pair for pair in kinds.items()), "missing")
            eq(report[name]["rounds"]["failed_by"], dict(kinds), "failed_by")
            has(markdown, expected[0], "report.md")
            has(markdown, run.of(name)[0]["reason"][:25].replace("_", "\\_"), "report.md")
            hasnt(json.dumps(report[name]), '"median": 0', "report.json")


@tap.case("the log of a plain terminal has one line a trial")
def _():
    _, result = bad_generator()
    lines = [n for n in result.err.splitlines() if "hello c=8 round 1" in n]
    eq(len(lines), len(GENERATOR), "lines")


@tap.case("a crash that comes with the Nth request is a failure of that trial alone")
def _():
    with Box() as own:
        folder = own.at("out")
        ini = own.ini({"a": own.later("a", "ok"), "b": own.later("b", "crash-later", sound=2)},
                      rounds="2")
        own.loopbench("run", ini, "--out", folder).expect(1)
        eq([t["status"] for t in Run(folder).of("b")], ["ok", "failed"], "b")
        eq([t["status"] for t in Run(folder).of("a")], ["ok", "ok"], "a")


for behaviour, part in (("exit", "b exited with status 3"), ("no-ready", "b is not ready"),
                        ("bad-json", "b: "), ("500", "status 500"),
                        ("never-answer", "b is not ready")):
    @tap.case("a target that cannot even be verified stops the run before it begins: " + behaviour)
    def _(behaviour=behaviour, part=part):
        with Box(FAKE_TARGET="b=" + behaviour) as own:
            # The others need not be waited for, nor be as quick.
            late = behaviour in ("no-ready", "never-answer")
            result = own.loopbench("run", own.ini(("b",), ready_timeout="2s") if late else own.ini())
            result.refused(3, part)
            ok(not os.path.exists(own.at("results")), "a folder was made")


def fake_servers(own, **options):
    return own.ini({}, chosen="libevent,libuv", null_server="yes",
                   servers=own.servers("libevent", "libuv", "null"), **options)


@tap.case("targets that are not wire-identical stop the run: 1, the difference, nothing stored")
def _():
    with Box(FAKE_TARGET="libuv=differs") as own:
        result = own.loopbench("run", fake_servers(own)).expect(1)
        has(result.err, "SERVER", "stderr")
        last = result.err.splitlines()[-1]
        has(last, "loopbench: nothing was measured: libuv", "last line")
        eq(result.out, "", "stdout")
        ok(not os.path.exists(own.at("results")), "a folder was made")


@tap.case("--no-verify measures them all the same, and the report says so")
def _():
    with Box(FAKE_TARGET="libuv=differs") as own:
        folder = own.at("out")
        own.loopbench("run", fake_servers(own), "--no-verify", "--out", folder).expect(0)
        run = Run(folder)
        eq(run.manifest["verified"], False, "verified")
        has(run.text("report.md").lower(), "not verified", "report.md")


@tap.case("verified targets are recorded as such")
def _():
    with Box() as own:
        folder = own.at("out")
        own.loopbench("run", fake_servers(own), "--out", folder).expect(0)
        run = Run(folder)
        eq(run.manifest["verified"], True, "verified")
        hasnt(run.text("report.md").lower(), "not verified", "report.md")


with box:
    status = tap.finish()
sys.exit(status)
