#!/usr/bin/python3
"""`loopbench calibrate`: what it judges, on runs that never took place, and once for real."""
import contextlib
import json
import os
import random
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import synth_run  # noqa: E402
from command import SERVERS, Box, Run  # noqa: E402
from tap import Skip, Tap, eq, has, ok  # noqa: E402

tap = Tap()
BASE_US = 7.0
PERCENTS = (3, 5, 10, 20)


def name(percent):
    return "libuv+%d" % percent


def made(box, measured, rounds=11, noise=0.012, control=0.0, flags=lambda target, round_: []):
    """A calibration whose handicaps show as `measured` ({3: 0.03, …}), reported."""
    folder = box.at("made")
    shutil.rmtree(folder, ignore_errors=True)
    synth_run.TARGETS = [("libuv", "libuv", "target", BASE_US, 3.1, 1100, 1.1)] + [
        (name(p), "libuv", "target", BASE_US, 3.1, 1100, 1.1) for p in PERCENTS] + [
        ("libuv-again", "libuv", "control", BASE_US, 3.1, 1100, 1.1),
        ("null", "null", "null", 6.6, 1.4, 300, 0.9)]
    argv, sys.argv = sys.argv, ["synth_run", folder, "--light", "--levels", "64", "--workloads",
                                "hello", "--rounds", str(rounds)]
    with contextlib.ExitStack() as stack:
        stack.callback(setattr, sys, "argv", argv)
        synth_run.main()
    rng = random.Random(5)
    effect = {name(p): measured[p] for p in PERCENTS}
    effect["libuv-again"] = control
    path = os.path.join(folder, "trials.jsonl")
    with open(path, encoding="utf-8") as f:
        trials = [json.loads(line) for line in f]
    for t in trials:
        t["server"]["cpu_us_per_request"] = (
            BASE_US * (1 + effect.get(t["target"], 0)) * rng.lognormvariate(0, noise))
        t["flags"] = flags(t["target"], t["round"])
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t) + "\n" for t in trials)
    path = os.path.join(folder, "manifest.json")
    with open(path, encoding="utf-8") as f:
        manifest = json.load(f)
    manifest["kind"] = "calibrate"
    manifest["calibration"] = {
        "base": "libuv", "cpu_us": [7.1, 7.0, 6.9],
        "handicaps": [{"target": name(p), "percent": p, "ns": 70 * p} for p in PERCENTS]}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(manifest, f)
    box.loopbench("report", folder).expect(0)
    with open(os.path.join(folder, "calibration.json"), encoding="utf-8") as f:
        found = json.load(f)
    with open(os.path.join(folder, "calibration.md"), encoding="utf-8") as f:
        return found, f.read()


EXACT = {p: p / 100 for p in PERCENTS}


@tap.case("handicaps as large as they should be are found, and the control is clean")
def _():
    with Box() as box:
        found, text = made(box, EXACT)
        eq(found["calibrated"], True, "calibrated")
        eq([h["found"] for h in found["handicaps"]][2:], [True, True], "10 and 20%")
        for h in found["handicaps"]:
            ok(h["lo"] < 1 + h["percent"] / 100 < h["hi"], "the interval misses: %s" % h)
            ok(abs(h["nominal_percent"] - h["percent"]) < 0.2, "nominal: %s" % h)
            eq(h["ungated"]["ratio"], h["ratio"], "ungated")
        eq(found["control"]["validated"], True, "control")
        eq(found["control"]["false_alarms"], 0, "false alarms")
        has(text, "calibrated: the control does not differ", "calibration.md")
        has(text, "| 700 ns | +10.0% |", "calibration.md")
        has(text, "These are 4 ratios, fixed before the run. report.md shows", "calibration.md")
        with open(box.at("made", "report.md"), encoding="utf-8") as f:
            has(f.read(), "so its intervals of the same ratios are narrower", "report.md")


@tap.case("more rounds show smaller differences, and one of forty ratios larger ones")
def _():
    with Box() as box:
        found, _ = made(box, EXACT)
        sizes = found["smallest_shown"]
        eq([s["rounds"] for s in sizes], [11, 17, 31], "rounds")
        few = [s["few_ratios"] for s in sizes]
        eq(sorted(few, reverse=True), few, "by rounds")
        for s in sizes:
            ok(0 < s["few_ratios"] < s["many_ratios"], "size: %s" % s)
        louder, _ = made(box, EXACT, noise=0.024)
        ok(1.5 < louder["smallest_shown"][0]["few_ratios"] / few[0] < 2.6, "twice the noise")


@tap.case("a handicap of 10% that is not found is said, with its size")
def _():
    with Box() as box:
        found, text = made(box, EXACT | {10: 0.0})
        eq(found["calibrated"], False, "calibrated")
        has(found["conclusion"], "a handicap of 10% was not found", "conclusion")
        has(text, "not calibrated", "calibration.md")


@tap.case("a handicap of 10% with too few valid blocks was not looked for, which is not missed")
def _():
    def disturbed(target, round_):
        return ["foreign-cpu-invalid"] if target == name(10) and round_ < 6 else []
    with Box() as box:
        found, text = made(box, EXACT, flags=disturbed)
        eq(found["calibrated"], False, "calibrated")
        eq(found["control"]["validated"], True, "control")
        has(found["conclusion"], "a handicap of 10% could not be judged, having too few valid "
            "blocks (5 of 11, 6 needed)", "conclusion")
        has(text, "too few blocks", "calibration.md")
        found, _ = made(box, EXACT | {20: 0.0}, flags=disturbed)
        has(found["conclusion"], "a handicap of 20% was not found", "conclusion")


@tap.case("without plots the rest of the report is made anew all the same")
def _():
    with Box() as box:
        made(box, EXACT)
        path = box.write("made/calibration.md", "stale")
        box.loopbench("report", box.at("made"), "--plots", box.at("nowhere")).expect(2)
        with open(path, encoding="utf-8") as f:
            has(f.read(), "calibrated: the control does not differ", "calibration.md")


@tap.case("small handicaps may be missed")
def _():
    with Box() as box:
        found, _ = made(box, EXACT | {3: 0.0, 5: 0.0})
        eq(found["calibrated"], True, "calibrated")
        eq([h["found"] for h in found["handicaps"]], [False, False, True, True], "found")


@tap.case("a control that differs from itself is a false alarm, and nothing is calibrated")
def _():
    with Box() as box:
        found, text = made(box, EXACT, control=0.08)
        eq(found["calibrated"], False, "calibrated")
        eq(found["control"]["false_alarms"], 1, "false alarms")
        has(found["conclusion"], "differ from itself", "conclusion")
        has(text, "FALSE ALARM", "calibration.md")


@tap.case("invalid blocks are left out, and shown ungated")
def _():
    def disturbed(target, round_):
        return ["foreign-cpu-invalid"] if round_ < 8 else []
    with Box() as box:
        found, text = made(box, EXACT, flags=disturbed)
        eq(found["calibrated"], False, "calibrated")
        has(found["conclusion"], "too few valid blocks (3 of 11, 6 needed); calibrate when nothing "
            "else uses the machine", "conclusion")
        step = found["handicaps"][3]
        eq((step["verdict"], step["found"]), ("insufficient", False), "gated")
        eq((step["ungated"]["verdict"], step["ungated"]["blocks"]["valid"]), ("higher", 11),
           "ungated")
        eq(found["noise"]["trials_invalid"], 56, "invalid trials")
        eq(found["smallest_shown"][0]["few_ratios"] is None, False, "three blocks have a spread")
        has(text, "too few blocks", "calibration.md")


@tap.case("what calibrate cannot do is refused in one line")
def _():
    with Box() as box:
        box.loopbench("calibrate", "--targets", "libuv,h2o").refused(2, "--targets: calibrate")
        box.loopbench("calibrate", "--targets", "null").refused(
            2, "--targets: calibrate measures one of loopbench's own servers; name libevent")
        box.loopbench("calibrate", "--connections", "8,64").refused(2, "--connections: calibrate")
        box.loopbench("calibrate", "--handicap", "libuv=3").refused(2, "--handicap")
        box.loopbench("calibrate", "x").refused(2, "one operand too many")


@tap.case("a real one stores a run like any other, with its own files beside it")
def _():
    if not shutil.which("wrk"):
        raise Skip("wrk is not installed")
    with Box() as box:
        folder = box.at("real")
        result = box.loopbench("calibrate", "--servers", SERVERS, "--targets", "h2o", "--rounds",
                               "1", "--warmup", "0s", "--connections", "8", "--no-report", "--out",
                               folder, "--repeat-blocks", "0")
        result.expect(1)
        has(result.out, "not calibrated: the A/A control has too few valid blocks", "stdout")
        table, _, sizes = result.out.partition("\n\n  smallest difference shown")
        ok(sizes, "stdout: %s" % result.out)
        eq(table.splitlines()[-1], "  the run's report allows for more than these 4 ratios: its "
           "intervals are wider", "the last line of the table")
        run = Run(folder)
        eq(run.manifest["kind"], "calibrate", "kind")
        eq([t["name"] for t in run.manifest["targets"]],
           ["h2o", "h2o+3", "h2o+5", "h2o+10", "h2o+20", "h2o-again", "null"], "targets")
        eq(run.manifest["options"]["baseline"], "h2o", "baseline")
        eq({t["status"] for t in run.trials}, {"ok"}, "trials")
        before = run.manifest["calibration"]
        eq(len(before["cpu_us"]), 3, "trials before")
        cost = sorted(before["cpu_us"])[1]
        for h in before["handicaps"]:
            ok(abs(h["ns"] - cost * 10 * h["percent"]) <= 1, "handicap: %s of %s" % (h, cost))
        has(run.text("config.ini"), "{servers}/server-h2o", "config.ini")
        found = json.loads(run.text("calibration.json"))
        eq(found["calibrated"], False, "calibrated")
        eq(found["target"], "h2o", "target")
        has(run.text("calibration.md"), "# Calibration", "calibration.md")


sys.exit(tap.finish())
