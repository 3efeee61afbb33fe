#!/usr/bin/python3
"""`loopbench reproduce`: a recorded run is run again, and what comes out is said.

How ratios are judged is tested in test_compare.c; whether this machine disturbs the trials of the
moment decides which outcome is met here, so the cases hold the outcome against the verdicts."""
import collections
import copy
import functools
import json
import os
import re
import shutil
import stat
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import ROOT, Box, Run, tree  # noqa: E402
from tap import Skip, Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
box = Box(FAKE_WRK_SEED="3")
box.env["FAKE_WRK_COUNT"] = box.at("count")


@functools.cache
def first():
    ini = box.ini(rounds="6", seed="7")
    box.loopbench("run", ini, "--no-report", "--out", "first").expect(0)
    return Run(box.at("first"))


def runs():
    return sorted(os.listdir(box.at("results"))) if os.path.isdir(box.at("results")) else []


def protect(folder, mode):
    for where, _, files in os.walk(folder):
        for file in files:
            os.chmod(os.path.join(where, file), mode & ~0o111)
        os.chmod(where, mode)


def check_schema(told):
    try:
        import jsonschema
    except ImportError:
        return
    with open(os.path.join(ROOT, "docs", "schema", "reproduce.json")) as f:
        schema = jsonschema.Draft7Validator(json.load(f))
    eq([e.message for e in schema.iter_errors(told)], [], "reproduce.json against its schema")
    for change in (lambda t: t.update(format="x"), lambda t: t.pop("holds"),
                   lambda t: t.update(overall="fine"), lambda t: t["counts"].update(reversed=-1),
                   lambda t: t["ratios"][0].update(outcome="same"),
                   lambda t: t["ratios"][0]["before"].pop("margin"),
                   lambda t: t["ratios"][0]["change"].update(p="small")):
        bad = copy.deepcopy(told)
        change(bad)
        ok(list(schema.iter_errors(bad)), "a wrong reproduce.json is accepted")


@tap.case("it runs the recorded configuration as a new run, in a new order, and judges each ratio")
def _():
    old = first()
    before = {n: old.bytes(n) for n in tree(old.folder)}
    protect(old.folder, 0o555)
    done = box.loopbench("reproduce", "first", "--no-report")
    protect(old.folder, stat.S_IRWXU)
    eq({n: old.bytes(n) for n in tree(old.folder)}, before, "the old run")
    eq(len([n for n in runs() if n != "latest"]), 1, "new runs")
    new = Run(box.at("results", "latest"))
    eq(len(new.trials), len(old.trials), "trials")
    eq(new.manifest["reproduces"]["run_id"], old.manifest["run_id"], "what it repeats")
    for key in ("duration", "connections", "workloads", "targets", "rounds"):
        eq(new.manifest["options"][key], old.manifest["options"][key], key)
    ok(new.manifest["options"]["seed"] != "7", "the same order")
    has(done.out, "the same machine")
    last = done.out.strip().splitlines()[-1]
    outcomes = re.findall(r"a against b: (.*)", done.out)
    eq(len(outcomes), 5, "ratios")
    told = json.loads(new.text("reproduce.json"))
    eq([r["outcome"] for r in told["ratios"]], outcomes, "outcomes in reproduce.json")
    eq({o: n for o, n in told["counts"].items() if n}, dict(collections.Counter(outcomes)), "counts")
    eq(told["before"]["run_id"], old.manifest["run_id"], "before")
    eq(told["after"]["run_id"], new.manifest["run_id"], "after")
    eq((told["judged_by"], told["machine_differs"], told["holds"]), ("size", None, done.status == 0),
       "how it was judged")
    for r in told["ratios"]:
        for side in ("before", "after"):
            has(done.out, r[side]["text"])
    check_schema(told)
    has(new.text("reproduce.md"), last)
    has(box.loopbench("show", "latest").expect(0).out, "repeats      %s: %s (reproduce.md)" % (
        old.manifest["run_id"], last))
    hasnt(box.loopbench("show", "first").expect(0).out, "repeats")
    if set(outcomes) == {"unknown"}:
        has(last, "nothing could be judged: 5 ratios")
        eq(done.status, 1, "status")
    else:
        bad = [o for o in outcomes if o in ("not reproduced", "reversed")]
        eq(done.status, 1 if bad else 0, "status with %s" % outcomes)
        has(last, " of 5 ratios ")


@tap.case("the same seed gives the same order")
def _():
    old = first()
    box.loopbench("reproduce", "first", "--no-report", "--same-seed", "--out", "same")
    new = Run(box.at("same"))
    eq(new.manifest["options"]["seed"], "7", "seed")
    eq(new.planned(), old.planned(), "order")


@tap.case("a dry run says what differs and measures nothing")
def _():
    before = runs()
    first()
    out = box.loopbench("reproduce", "first", "--dry-run").expect(0).out
    has(out, "versions, flags and settings are as recorded")
    has(out, "12 trials")
    eq(runs(), before, "runs")


@tap.case("the report and the site say what came out; a damaged outcome is refused by name")
def _():
    if not shutil.which("gnuplot"):
        raise Skip("gnuplot is not installed")
    first()
    box.loopbench("reproduce", "first", "--out", "shown")
    new = Run(box.at("shown"))
    overall = json.loads(new.text("reproduce.json"))["overall"]
    for name in ("report.md", "report.html"):
        has(new.text(name), "Repeats an earlier run")
        has(new.text(name), first().manifest["run_id"])
    has(box.loopbench("site", "shown", "--out", "site").expect(0).out, "1 run")
    with open(box.at("site", "index.html"), encoding="utf-8") as f:
        has(f.read(), "%s: %s" % (overall, first().manifest["run_id"]))
    ok(os.path.exists(box.at("site", "runs", "shown", "reproduce.json")), "data")
    told = json.loads(new.text("reproduce.json"))
    for text, why in (("{", "not JSON"), ("[]", "not the outcome"),
                      (json.dumps(dict(told, format_version=2)), "another version"),
                      (json.dumps(dict(told, counts={})), "counts is missing or odd")):
        box.write("shown/reproduce.json", text)
        for command in (["report"], ["show"]):
            box.loopbench(*command, "shown").refused(2, "shown/reproduce.json", why)


def changed(folder, change):
    """A copy of the first run with another manifest."""
    os.mkdir(box.at(folder))
    for name in tree(first().folder):
        box.write(os.path.join(folder, name), first().bytes(name))
    manifest = json.loads(first().text("manifest.json"))
    change(manifest)
    box.write(os.path.join(folder, "manifest.json"), json.dumps(manifest))
    return folder


@tap.case("versions that differ are named, and do not stop it")
def _():
    def other(m):
        m["loopbench"]["commit"] = "feedfacecafe"
        m["targets"][0]["versions"] = {"libuv": "0.1"}
    out = box.loopbench("reproduce", changed("other", other), "--dry-run").expect(0).out
    has(out, "differs: commit: feedfacecafe, and ")
    has(out, "differs: a, libuv: 0.1, and ")


@tap.case("another machine is named, and judged by direction")
def _():
    def other(m):
        m["machine"]["cpu"]["model"] = "Another CPU"
    folder = changed("elsewhere", other)
    out = box.loopbench("reproduce", folder, "--dry-run").expect(0).out
    has(out, "another machine, so only directions will be judged: processor: Another CPU, and ")
    done = box.loopbench("reproduce", folder, "--no-report", "--out", "there")
    outcomes = set(re.findall(r"a against b: (.*)", done.out))
    told = json.loads(Run(box.at("there")).text("reproduce.json"))
    eq(told["judged_by"], "direction", "judged by")
    has(told["machine_differs"], "Another CPU")
    ok(all(v is None for r in told["ratios"] for v in r["change"].values()), "sizes")
    check_schema(told)
    ok(outcomes <= {"confirmed", "inconclusive", "contradicted", "unknown"}, outcomes)
    eq(done.status, 0 if "confirmed" in outcomes and "contradicted" not in outcomes else 1, "status")


@tap.case("what cannot be repeated here is refused before anything is measured")
def _():
    def other(m):
        m["generator"]["version"] = "9.9"
    before = runs()
    folder = changed("generator", other)
    done = box.loopbench("reproduce", folder).refused(3, "cannot repeat", "9.9")
    hasnt(done.err, "1/12")
    ini = os.path.join(changed("gone", lambda m: None), "config.ini")
    text = first().text("config.ini")
    box.write(ini, text.replace("fake-target", "no-such-program"))
    box.loopbench("reproduce", "gone").expect(3)
    box.write(ini, text + "\nunheard-of = 1\n")
    box.loopbench("reproduce", "gone").refused(2, "gone/config.ini", "unheard-of")
    box.loopbench("reproduce", changed("kind", lambda m: m.update(kind="calibrate"))).refused(
        2, "loopbench calibrate")
    box.loopbench("reproduce", "nowhere").refused(2, "no run 'nowhere'")
    box.loopbench("reproduce", "first", "--rounds", "3").refused(2, "--rounds")
    eq(runs(), before, "runs")


status = tap.finish()
box.__exit__(None, None, None)
sys.exit(status)
