#!/usr/bin/python3
"""`loopbench run` and `report` as commands, against a fake load generator and fake targets."""
import functools
import json
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run, read_trials, tree  # noqa: E402
from tap import Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
STORED = {"manifest.json", "config.ini", "plan.json", "trials.jsonl", "histograms.gz"}
MADE = {"report.md", "report.json", "cells.csv", "plots"}
PLOTS = ["throughput", "cpu", "latency", "memory", "percentiles"]
box = Box()


@functools.cache
def whole_run():
    """A run with everything: two targets, the A/A control, the null server, two workloads."""
    ini = box.ini(name="whole.ini", connections="4,8", rounds="2", warmup="900ms", aa_control="on",
                  null_server="yes", workloads="hello,json", seed="7", servers=box.servers("null"))
    result = box.loopbench("run", ini).expect(0)
    folders = [n for n in os.listdir(box.at("results")) if n != "latest"]
    eq(len(folders), 1, "folders of runs")
    return Run(box.at("results", folders[0])), result


def cell(trial):
    return (trial["round"], trial["workload"], trial["connections"], trial["target"])


@tap.case("a run writes every file of docs/results-format.md")
def _():
    run, _ = whole_run()
    there = set(os.listdir(run.folder))
    ok(STORED | MADE <= there, "missing: %s" % (STORED | MADE - there))
    for workload in ("hello", "json"):
        for plot in PLOTS:
            svg = run.bytes("plots/%s-%s.svg" % (plot, workload))
            ok(b"<svg" in svg[:1000] and b"</svg>" in svg[-200:], "%s.svg is no picture" % plot)
            png = run.bytes("plots/%s-%s.png" % (plot, workload))
            eq(png[:8], b"\x89PNG\r\n\x1a\n", plot)
    eq([n for n in tree(run.folder) if n.endswith(".tmp")], [], "half-written files")


@tap.case("every planned trial is stored once, in the plan's order")
def _():
    run, _ = whole_run()
    eq(list(map(cell, run.trials)), run.planned(), "trials")
    eq([t["seq"] for t in run.trials], list(range(len(run.trials))), "seq")
    eq({t["attempt"] for t in run.trials}, {0}, "attempts")
    # hello for a, b, a-again and null; the null server knows no /json
    eq(len(run.trials), 2 * 2 * (4 + 3), "number of trials")
    eq(run.manifest["plan"]["trials"], len(run.trials), "in the manifest")


@tap.case("each block holds every target once, the A/A control and the null server among them")
def _():
    run, _ = whole_run()
    for block in run.plan["blocks"]:
        want = ["a", "a-again", "b"] + (["null"] if block["workload"] == "hello" else [])
        eq(sorted(block["order"]), want, "order")
    eq({t["role"] for t in run.of("a-again")}, {"control"}, "role of a-again")
    eq({t["base"] for t in run.of("a-again")}, {"a"}, "base of a-again")
    eq({t["role"] for t in run.of("null")}, {"null"}, "role of null")
    ok(len({tuple(b["order"]) for b in run.plan["blocks"]}) > 1, "the order is always the same")


@tap.case("records hold figures: rate, latency, CPU, memory, and a fresh process each")
def _():
    run, _ = whole_run()
    for t in run.trials:
        eq(t["status"], "ok", "status of %d" % t["seq"])
        good = t["load"]["requests"] - t["load"]["errors_status"] - t["load"]["errors_timeout"]
        ok(abs(t["rate"] - good * 1e6 / t["load"]["duration_us"]) < 0.01, "rate: %s" % t)
        eq(t["raw"]["samples"], t["load"]["requests"], "samples of the raw histogram")
        ok(t["corrected"]["samples"] >= t["raw"]["samples"], "corrected: %s" % t)
        ok(t["server"]["cpu_ns"] > 0, "CPU: %s" % t)
        ok(t["memory"]["idle"]["rss"] > 100000, "idle RSS: %s" % t)
        ok(t["memory"]["peak_rss"] >= t["memory"]["idle"]["rss"] // 2, "peak RSS: %s" % t)
    pids = [t["server"]["pid"] for t in run.trials]
    ok(all(x != y for x, y in zip(pids, pids[1:])), "a process was used again: %s" % pids)


@tap.case("the machine's speed is that before the block, and around each of its trials")
def _():
    run, _ = whole_run()
    blocks = {}
    for t in run.trials:
        blocks.setdefault((t["block"], t["attempt"]), []).append(t["environment"])
    for key, seen in blocks.items():
        ok(len(seen) > 1, "block %s" % (key,))
        eq({e["speed_block"] for e in seen}, {seen[0]["speed_before"]}, "before block %s" % (key,))
        eq([e["speed_before"] for e in seen[1:]], [e["speed_after"] for e in seen[:-1]], "between")


@tap.case("histograms.gz holds one line a trial, and the offsets find each")
def _():
    import gzip
    run, _ = whole_run()
    data = run.bytes("histograms.gz")
    lines = [json.loads(line) for line in gzip.decompress(data).splitlines()]
    eq([(h["seq"], h["attempt"]) for h in lines], [(t["seq"], 0) for t in run.trials], "lines")
    for t in run.trials:
        part = data[t["hist_offset"]:t["hist_offset"] + t["hist_length"]]
        h = json.loads(gzip.decompress(part))
        eq(sum(h["counts"]), t["load"]["requests"], "histogram of %d" % t["seq"])


@tap.case("results/latest is a link to the run, within the folder")
def _():
    run, _ = whole_run()
    link = box.at("results", "latest")
    eq(os.readlink(link), os.path.basename(run.folder), "link")
    eq(run.manifest["run_id"], os.path.basename(run.folder), "run id")
    eq(run.manifest["state"], "complete", "state")


@tap.case("the seed reproduces the plan; another seed another one; auto is recorded")
def _():
    run, _ = whole_run()
    ini = box.at("whole.ini")
    orders = []
    for n, seed in enumerate(("8", "8", "9")):
        folder = box.at("seed %d" % n)
        box.loopbench("run", ini, "--out", folder, "--no-report", "--seed", seed, "--rounds", "1",
                      "--no-verify").expect(0)
        orders.append(Run(folder).plan["blocks"])
    eq(orders[0], orders[1], "order of the same seed")
    ok(orders[0] != orders[2], "seeds 8 and 9 give the same order")
    ok([b for b in run.plan["blocks"] if b["round"] == 0] != orders[0], "and so does 7")
    drawn = []
    for n in "12":
        folder = box.at("auto " + n)
        box.loopbench("run", ini, "--out", folder, "--no-report", "--seed", "auto", "--rounds",
                      "1", "--no-verify").expect(0)
        drawn.append(Run(folder).manifest["options"]["seed"])
    ok(drawn[0].isdigit() and drawn[0] != drawn[1], "seeds: %s" % drawn)


@tap.case("config.ini of a run, run again, gives the same plan and the same options")
def _():
    run, _ = whole_run()
    folder = box.at("again")
    box.loopbench("run", run.path("config.ini"), "--out", folder, "--no-report").expect(0)
    again = Run(folder)
    eq(again.bytes("plan.json"), run.bytes("plan.json"), "plan.json")
    eq(again.bytes("config.ini"), run.bytes("config.ini"), "config.ini")
    eq(again.manifest["options"], run.manifest["options"], "options")


@tap.case("stdout carries the tables and nothing else; stderr the rest")
def _():
    _, result = whole_run()
    has(result.out, "hello, 4 connections", "stdout")
    has(result.out, "a-again", "stdout")
    hasnt(result.out, "results are in", "stdout")
    has(result.err, "28/28", "stderr")
    has(result.err, "28 of 28 trials", "stderr")
    has(result.err, "none failed", "stderr")
    has(result.err, "results are in " + box.at("results"), "stderr")
    hasnt(result.err, "\x1b", "stderr")
    hasnt(result.err, "\r", "stderr")


@tap.case("--quiet says only where the results are; --out takes blanks and UTF-8")
def _():
    folder = box.at("příliš žluťoučký kůň", "a run")
    result = box.loopbench("run", box.ini(), "--quiet", "--out", folder).expect(0)
    hasnt(result.err, "1/2", "stderr")
    has(result.err, "'%s'" % folder, "stderr")
    has(result.out, "hello, 8 connections", "stdout")
    ok(STORED | MADE <= set(os.listdir(folder)), "files: %s" % os.listdir(folder))
    eq(Run(folder).manifest["state"], "complete", "state")


@tap.case("--out leaves results/latest alone")
def _():
    whole_run()
    before = os.readlink(box.at("results", "latest"))
    box.loopbench("run", box.ini(), "--out", box.at("elsewhere"), "--no-report").expect(0)
    eq(os.readlink(box.at("results", "latest")), before, "latest")


@tap.case("--no-report stores without a report; report makes it later and names it")
def _():
    folder = box.at("later")
    box.loopbench("run", box.ini(), "--out", folder, "--no-report").expect(0)
    eq(set(os.listdir(folder)), STORED, "files")
    result = box.loopbench("report", folder).expect(0)
    eq(result.out, "%s/report.md\n%s/report.html\n" % (folder, folder), "stdout")
    ok(STORED | MADE <= set(os.listdir(folder)), "files: %s" % os.listdir(folder))


@tap.case("--dry-run prints the plan and makes and starts nothing")
def _():
    with Box() as own:
        ini = own.ini({"a": own.later("a", "ok")}, connections="4,8", rounds="3", aa_control="on",
                      seed="5")
        before = tree(own.path)
        result = own.loopbench("run", ini, "--dry-run").expect(0)
        eq(result.err, "", "stderr")
        for part in ("12 trials in 6 blocks, 3 rounds", "a-again (A/A control)", "hello", "4, 8",
                     "seed", "5", "The first round"):
            has(result.out, part, "stdout")
        eq(tree(own.path), before, "files")


@tap.case("a failed trial makes the exit status 1, and the others are measured")
def _():
    with Box(FAKE_WRK="b=exit3") as own:
        folder = own.at("out")
        result = own.loopbench("run", own.ini(rounds="2"), "--out", folder).expect(1)
        has(result.err, "2 failed", "stderr")
        run = Run(folder)
        eq([t["status"] for t in run.of("a")], ["ok"] * 2, "a")
        eq([t["status"] for t in run.of("b")], ["failed"] * 2, "b")
        eq(run.manifest["state"], "complete", "state")
        ok(MADE <= set(os.listdir(folder)), "no report: %s" % os.listdir(folder))


@tap.case("what is known to hurt is said when a run begins, and in its report")
def _():
    with Box() as own:
        folder = own.at("out")
        result = own.loopbench("run", own.ini(), "--backlog", "1", "--connections", "40", "--out",
                               folder).expect(0)
        for text, where in (result.err, "stderr"), (Run(folder).text("report.md"), "report.md"):
            eq(text.count("backlog: a listen queue of 1 for 40 connections"), 1, where)


@tap.case("a disturbed block is run again, at most twice, whole, and all of it is kept")
def _():
    with Box() as own:
        # Burns a CPU, which is foreign to server, generator and runner.
        burner = subprocess.Popen([sys.executable, "-c", "while True: pass"])
        try:
            folder = own.at("out")
            result = own.loopbench("run", own.ini(repeat_blocks="200", rounds="2"), "--out",
                                   folder).expect(0)
        finally:
            burner.kill()
            burner.wait()
        run = Run(folder)
        for block in range(2):
            trials = [t for t in run.trials if t["block"] == block]
            attempts = sorted(t["attempt"] for t in trials)
            eq(attempts, [0, 0, 1, 1, 2, 2], "attempts of block %d" % block)
            for attempt in range(3):
                names = [t["target"] for t in trials if t["attempt"] == attempt]
                eq(names, run.plan["blocks"][block]["order"], "order of attempt %d" % attempt)
        flags = {f for t in run.trials for f in t["flags"]}
        ok("foreign-cpu-invalid" in flags, "flags: %s" % flags)
        # Each twice, and of two trials: what is counted is blocks, here and there.
        has(result.err, ", none failed, 2 blocks run again\n", "last lines")
        has(run.text("report.md"), " 2 of 2 blocks run again, ", "report")


def report_files(folder):
    """Everything that a report made: its bytes, with the folder's own name taken out."""
    files = {}
    for name in tree(folder):
        if name in STORED or os.path.isdir(os.path.join(folder, name)):
            continue
        with open(os.path.join(folder, name), "rb") as f:
            files[name] = f.read().replace(folder.encode(), b"FOLDER")
    return files


@tap.case("report from the folder moved elsewhere gives the same bytes")
def _():
    run, _ = whole_run()
    first = box.at("moved", "once")
    second = box.at("moved", "a second time ü")
    shutil.copytree(run.folder, first)
    box.loopbench("report", first).expect(0)
    before = report_files(first)
    os.rename(first, second)
    for name in list(before):
        os.unlink(os.path.join(second, name))
    box.loopbench("report", second + "/", cwd="/").expect(0)
    after = report_files(second)
    eq(sorted(after), sorted(before), "files")
    for name, data in before.items():
        ok(after[name] == data, "%s differs" % name)
    ok(len(before) > 30, "files: %s" % sorted(before))


@tap.case("the report says what was measured, how and how to run it again")
def _():
    run, _ = whole_run()
    text = run.text("report.md")
    for part in ("closed loop", "loopbench run", "config.ini", "a-again", "null", "hello", "json",
                 "2 rounds"):
        has(text, part, "report.md")
    csv = run.text("cells.csv").splitlines()
    eq(len(csv), 1 + 2 * (4 + 3), "rows of cells.csv, with the head")
    report = json.loads(run.text("report.json"))
    eq((report["format"], report["format_version"]), ("loopbench-report", 1), "report.json")


def path_without(own, *missing):
    """A PATH on which everything is but what is named."""
    folder = own.at("path")
    os.mkdir(folder)
    for name in ("sh", "python3", "wc", "wrk", "uname", "env"):
        found = shutil.which(name)
        if found and name not in missing:
            os.symlink(found, os.path.join(folder, name))
    return folder


@tap.case("report without gnuplot writes all but the plots and says so in one line")
def _():
    run, _ = whole_run()
    with Box() as own:
        folder = own.at("run")
        shutil.copytree(run.folder, folder)
        for name in report_files(folder):
            os.unlink(os.path.join(folder, name))
        result = own.loopbench("report", folder, env={"PATH": path_without(own, "gnuplot")})
        result.refused(3, "no plots", "gnuplot is not installed", "gnuplot-nox")
        there = set(os.listdir(folder))
        ok({"report.md", "report.json", "cells.csv"} <= there, "files: %s" % there)
        eq([n for n in tree(folder) if n.endswith((".svg", ".png", ".tmp"))], [], "pictures")
        with open(os.path.join(folder, "report.md"), encoding="utf-8") as f:
            text = f.read()
        has(text, "gnuplot is not installed", "report.md")
        hasnt(text, ".svg)", "report.md")


@tap.case("a gnuplot that fails: its last words, the rest is written, nothing half-drawn")
def _():
    run, _ = whole_run()
    with Box() as own:
        folder = own.at("run")
        shutil.copytree(run.folder, folder)
        path = path_without(own)
        own.write("path/gnuplot", "#!/bin/sh\necho 'line 0: undefined style' >&2\nexit 1\n", 0o755)
        result = own.loopbench("report", folder, env={"PATH": path})
        result.refused(3, "gnuplot exited with status 1", "undefined style")
        eq([n for n in tree(folder) if n.endswith((".svg", ".png", ".tmp"))], [], "pictures")


@tap.case("verify tells what it checked; a difference is named and the status is 1")
def _():
    with Box() as own:
        how = ["verify", "--servers", own.servers("libevent", "libuv", "null"), "--targets",
               "libevent,libuv"]
        result = own.loopbench(*how).expect(0)
        has(result.out, "libuv", "stdout")
        eq(result.err, "", "stderr")
        result = own.loopbench(*how, env={"FAKE_TARGET": "libuv=differs"}).expect(1)
        has(result.out, "SERVER", "stdout")


@tap.case("figures of a fake run are those of its seed: the whole way loses nothing")
def _():
    with Box(FAKE_WRK_SEED="3", FAKE_WRK_RATES="a=50000,b=55000") as own:
        for name in ("one", "two"):
            own.loopbench("run", own.ini(seed="1"), "--out", own.at(name),
                          "--no-report").expect(0)
        one, two = read_trials(own.at("one")), read_trials(own.at("two"))
        eq([(t["load"]["requests"], t["raw"]) for t in one],
           [(t["load"]["requests"], t["raw"]) for t in two], "figures")
        rates = {t["target"]: t["rate"] for t in one}
        ok(45000 < rates["a"] < 55000 and 50000 < rates["b"] < 61000, "rates: %s" % rates)


@tap.case("nothing is left running or lying about")
def _():
    box.nothing_left()


with box:
    status = tap.finish()
sys.exit(status)
