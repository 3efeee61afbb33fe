#!/usr/bin/python3
"""What a reader must see in plots and reports, and what a folder from elsewhere must not do to them:
every round is a point, a fragile verdict looks like one, damaged histograms are said and not drawn,
characters that turn or hide text are shown as question marks."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Tap, eq, ok

HERE = os.path.dirname(os.path.abspath(__file__))
LOOPBENCH = os.path.join(os.path.abspath(os.environ.get("BUILD", "build")), "bin", "loopbench")
INK, WHITE = "rgb( 34,  34,  34)", "rgb(255, 255, 255)"
HIDDEN = "\u202e\u2066\u200b\u009b"
tap = Tap()
tmp = tempfile.mkdtemp(prefix="loopbench-pictures-")


def loopbench(*words):
    return subprocess.run([LOOPBENCH, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          encoding="utf-8", timeout=240)


def made(name, *options):
    run = os.path.join(tmp, name)
    subprocess.run([os.path.join(HERE, "synth_run.py"), run, "--light", "--workloads", "hello",
                    *options], check=True)
    return run


def report(run):
    done = loopbench("report", run)
    eq(done.returncode, 0, "exit of report (%s)" % done.stderr)
    return done


def read(run, name):
    with open(os.path.join(run, name), encoding="utf-8") as f:
        return f.read()


def rewrite(run, name, change):
    text = change(read(run, name))
    with open(os.path.join(run, name), "w", encoding="utf-8") as f:
        f.write(text)


def points(text):
    """Of every panel and target: where its points are in the file, and where in the picture."""
    found = {}
    for m in re.finditer(r"<use xlink:href='#gpPt\d+' transform='translate\(([\d.]+),([\d.]+)\) "
                         r"scale\([\d.]+\)' color='([^']*)'", text):
        if m.group(3) != WHITE:
            found.setdefault(m.group(3), []).append((m.start(), float(m.group(1)), float(m.group(2))))
    return found


def check_rounds(rounds, folder):
    run = os.path.join(tmp, "rounds%d" % rounds)
    text = read(run, "plots/%srounds-cpu-hello.svg" % folder)
    found = points(text)
    eq(sum(map(len, found.values())), 2 * 5 * rounds, "points of two panels of five targets")
    first = min(p[0] for group in found.values() for p in group)
    boxes = text.rfind("fill-opacity", 0, first)
    ok(boxes > 0 or rounds < 6, "the boxes are behind the points")
    for panel in text.split("connections</tspan>")[:-1]:  # ended by its title
        at = panel.find(" scale(")
        ok("stroke='%s'" % INK not in panel[at:panel.rfind(" scale(")],
           "%d rounds, %s: a line over the points" % (rounds, folder or "wide"))
        behind = len(re.findall(r"<path stroke='%s'" % re.escape(INK), panel[:at]))
        ok((behind > 0) == (rounds > 1), "%d rounds: %d lines" % (rounds, behind))
    for group in found.values():
        ys = sorted(y for _, _, y in group)
        near = [b - a for a, b in zip(ys, ys[1:]) if b - a > 0.2]  # the other panel's are beside
        ok(not near or min(near) > 1.1, "%d rounds: points %.2f px apart" % (rounds, min(near or [9])))


@tap.case("every round is a point that nothing covers, be they few or many")
def _():
    for rounds in (1, 3, 11, 31):
        report(made("rounds%d" % rounds, "--levels", "10,100", "--rounds", str(rounds)))
        check_rounds(rounds, "")
        check_rounds(rounds, "narrow/")


@tap.case("a verdict that is fragile is dashed, and counted where the plot is described")
def _():
    run = made("fragile", "--rounds", "11", "--levels", "10,100")

    def outliers(text):
        """All but two rounds agree, and those are far on the other side: trimmed they say nothing,
        ranked they do."""
        trials = [json.loads(line) for line in text.splitlines()]
        base = {t["round"]: t["server"]["cpu_us_per_request"] for t in trials
                if t["connections"] == 100 and t["target"] == "libevent"}
        for t in trials:
            if t["connections"] == 100 and t["target"] == "h2o":
                t["server"]["cpu_us_per_request"] = base[t["round"]] * (
                    0.5 if t["round"] < 2 else 1.1 + 0.001 * t["round"])
        return "".join(json.dumps(t) + "\n" for t in trials)

    rewrite(run, "trials.jsonl", outliers)
    report(run)
    rows = [r.split(",") for r in read(run, "verdicts.csv").splitlines()]
    at = {name: i for i, name in enumerate(rows[0])}
    fragile = [r for r in rows[1:] if r[at["fragile"]] == "yes" and
               r[at["figure"]] == "cpu_us_per_request" and "libevent" in (r[at["a"]], r[at["b"]])]
    ok(fragile, "no fragile verdict")
    data = [line.split() for line in read(run, "plots/data/ratios-hello.dat").splitlines()
            if line and line[0] != "#"]
    eq(len([d for d in data if len(d) == 6 and d[5] == "1"]), len(fragile), "marked in the data")
    for folder in ("", "narrow/"):
        text = read(run, "plots/%sratios-hello.svg" % folder)
        ok("fragile" in text, "the subtitle")
        ok("stroke-dasharray" in text.partition("right is heavier")[0],
           "%s: a dashed interval" % (folder or "wide"))
    ok("(%d fragile)" % len(fragile) in read(run, "report.html"), "in words")


@tap.case("a verdict that is not fragile is not dashed")
def _():
    run = made("sound", "--rounds", "31", "--levels", "10,100")
    report(run)
    rows = [r.split(",") for r in read(run, "verdicts.csv").splitlines()]
    at = rows[0].index("fragile")
    eq([r for r in rows[1:] if r[at] == "yes" and r[5] == "cpu_us_per_request"], [], "fragile ones")
    ok("stroke-dasharray" not in read(run, "plots/ratios-hello.svg").partition("right is heavier")[0],
       "a dashed interval")


@tap.case("where the load generator was the limit, throughput is pale")
def _():
    for name, levels in (("rounds11", "10,100"), ("rounds1", "10,100"), ("few", "10")):
        run = os.path.join(tmp, name)
        if name == "few":
            report(made("few", "--rounds", "1", "--levels", levels))
        rows = [r.split(",") for r in read(run, "cells.csv").splitlines()]
        at = {n: i for i, n in enumerate(rows[0])}
        limited = [r for r in rows[1:] if r[at["client"]] == "limited" and r[at["target"]] != "null"]
        data = [line.split() for line in read(run, "plots/data/throughput-hello.dat").splitlines()]
        eq(len([d for d in data if len(d) == 5 and d[4] == "1"]), len(limited), "%s: marked" % name)
        ok(limited, "%s: no cell is limited" % name)
        text = read(run, "plots/throughput-hello.svg")
        ok("pale: a lower bound" in text, "%s: the subtitle" % name)
        # A half-transparent mark for each cell that is limited; hollow means the control.
        marks = len(re.findall(r"'#gpPt[^\n]*opacity='0.50'", text))
        ok(marks >= len(limited), "%s: %d pale marks" % (name, marks))
    cpu = read(os.path.join(tmp, "rounds11"), "plots/data/cpu-hello.dat").splitlines()
    ok(not [line for line in cpu if line.endswith(" 1")], "CPU per request has no lower bounds")


@tap.case("what of a percentile is too little to be stated is pale, in the page too")
def _():
    run = os.path.join(tmp, "rounds11")
    page = read(run, "report.html").partition("Latency percentiles")[2]
    for text in (read(run, "plots/percentiles-hello.svg"), page):
        ok(re.search(r"<path[^>]*opacity\s*=\s*[\"']0?\.5", text), "no pale curve")


@tap.case("a picture that stands alone has its own title, and its parts have none")
def _():
    folder = os.path.join(tmp, "rounds11", "plots")
    seen = 0
    for name in [n for f in (folder, folder + "/narrow") for n in
                 (os.path.join(f, n) for n in os.listdir(f)) if n.endswith(".svg")]:
        titles = re.findall("<title>(.*?)</title>", read("", name), re.S)
        eq(len(titles), 1, name)
        ok(titles[0].endswith(": hello") and "nuplot" not in titles[0], titles[0])
        seen += 1
    eq(seen, 18, "pictures")


@tap.case("histograms that cannot be read are said on top, and no curve is drawn of some rounds")
def _():
    whole = made("whole", "--rounds", "7", "--levels", "10,100")
    for name, keep, curves in (("cut", lambda n: 3000, 0), ("end", lambda n: n - 200, 9)):
        run = os.path.join(tmp, name)
        shutil.copytree(whole, run)
        path = os.path.join(run, "histograms.gz")
        os.truncate(path, keep(os.path.getsize(path)))
        done = report(run)
        ok("histograms cannot be read" in done.stderr, done.stderr)
        for page in ("report.md", "report.html"):
            text = read(run, page)
            head = text.partition("What was measured</h2>" if "html" in page else "## What was")[0]
            ok(re.search(r"\d+ of 70 latency histograms cannot be read", head), "%s on top" % page)
            ok(tmp not in text, "%s gives its folder away" % page)
        data = os.path.join(run, "plots/data/percentiles-hello.dat")
        eq(os.path.exists(data), curves > 0, "%s: curves" % name)
        if curves:
            blocks = re.split(r"\n\n\n", read(run, "plots/data/percentiles-hello.dat"))
            eq(len([b for b in blocks[0:20:2] if "NaN" not in b]), curves, "curves of all rounds")


@tap.case("a level without any curve has no axis that is made up")
def _():
    run = os.path.join(tmp, "level")
    shutil.copytree(os.path.join(tmp, "whole"), run)

    def lose(text):
        trials = [json.loads(line) for line in text.splitlines()]
        for t in trials:
            t["hist_offset"] += 10 ** 9 * (t["connections"] == 100)
        return "".join(json.dumps(t) + "\n" for t in trials)

    rewrite(run, "trials.jsonl", lose)
    report(run)
    text = read(run, "plots/percentiles-hello.svg")
    eq(len(re.findall(r">[0-9.]+ (?:µs|ms)<", text.partition("100 connections")[2])), 0, "ticks")
    ok(">n/a<" in text, "n/a")


@tap.case("gnuplot's complaint comes without the folders of this machine")
def _():
    run = os.path.join(tmp, "bad")
    shutil.copytree(os.path.join(tmp, "whole"), run)
    plots = os.path.join(tmp, "programs")
    shutil.copytree(os.path.join(HERE, "..", "..", "plots"), plots)
    with open(os.path.join(plots, "forest.gp"), "a") as f:
        f.write("plot nonsense\n")
    done = loopbench("report", run, "--plots", plots)
    eq(done.returncode, 3, "exit")
    for page in ("report.md", "report.html"):
        ok("gnuplot" in read(run, page) and tmp not in read(run, page), page)


@tap.case("characters that turn or hide text reach no output")
def _():
    run = made("hidden", "--rounds", "6", "--levels", "10", "--trouble")
    for name in ("trials.jsonl", "manifest.json", "plan.json"):
        rewrite(run, name, lambda t: t.replace('"libuv"', '"lib\u202euv"')
                .replace('"h2o"', '"h2\\u2066o"').replace("accept:", "acc\u200bept:")
                .replace('"jansson"', '"jan\u009bsson"').replace("signal 11", "sig\u202enal 11"))
    done = report(run)
    texts = {"stdout": done.stdout, "stderr": done.stderr}
    for folder, _, files in os.walk(run):
        for name in files:
            if name.endswith((".md", ".html", ".csv", ".svg", ".gp", ".dat")) or name == "report.json":
                texts[name] = read(folder, name)
    shutil.copytree(run, os.path.join(tmp, "box", "20260131-120000-9f3a"))
    for words in (("show", run), ("compare", run, run), ("list", "--results", os.path.join(tmp, "box")),
                  *(("export", run, "--format", f) for f in ("csv", "json", "openmetrics", "benchstat"))):
        done = loopbench(*words)
        texts[" ".join(words[:1] + words[3:])] = done.stdout + done.stderr
    for name, text in texts.items():
        found = [c for c in HIDDEN if c in text] + re.findall(r"\\u(?:202e|2066|200b|009b)", text, re.I)
        eq(found, [], name)
    ok("lib?uv" in texts["report.html"] and "lib?uv" in texts["report.md"] and
       "h2?o" in texts["report.json"] and "lib?uv" in texts["cells.csv"] and
       "lib?uv" in texts["ratios-hello.svg"], "they are shown with a mark")


@tap.case("so is one in an error about a configuration")
def _():
    path = os.path.join(tmp, "n.ini")
    with open(path, "w", encoding="utf-8") as f:
        f.write("[run]\nrounds = 1\n[target a\u202eb]\ncommand = x\n")
    done = loopbench("run", path, "--dry-run")
    eq(done.returncode, 2, "exit")
    ok("a?b" in done.stderr and "\u202e" not in done.stderr, done.stderr)


sys.exit(tap.finish_drawing(tmp))
