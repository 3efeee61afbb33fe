#!/usr/bin/python3
"""`loopbench list`, `show` and `prune` on results as they lie about."""
import fcntl
import json
import os
import re
import shutil
import struct
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, tree, wait_for  # noqa: E402
from made import ID, judged_in_one, latest, made  # noqa: E402
from tap import Skip, Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()


def name(day):
    return ID % (day, day)


def results(box, *days):
    """Small runs of these days, the last one the latest."""
    paths = [made(box, day, rounds=6, levels="8") for day in days]
    latest(box, paths[-1])
    return paths


def lock(path):
    """Takes the lock of a runner that writes to the run; ends when the file is closed."""
    f = open(os.path.join(path, "trials.jsonl"), "r+b")
    # struct flock: write lock over the whole file; 37 is F_OFD_SETLK
    fcntl.fcntl(f, getattr(fcntl, "F_OFD_SETLK", 37),
                struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))
    return f


@tap.case("list shows every run, oldest first, with its state and whether it is validated")
def _():
    with Box() as box:
        has(box.loopbench("list").expect(0).out, "no runs in results")
        results(box, 2, 1)
        made(box, 3, name="published/mine", rounds=6, levels="8")
        made(box, 4, name="unjudged", rounds=1, levels="8")
        cut = made(box, 5, rounds=2, levels="8")
        path = os.path.join(cut, "manifest.json")
        text = open(path).read().replace('"complete"', '"running"')
        open(path, "w").write(text)
        os.truncate(os.path.join(cut, "trials.jsonl"), 0)
        os.mkdir(box.at("results", "foreign"))
        box.write("results/foreign/manifest.json", '{"name": "x"}')
        lines = box.loopbench("list").expect(0).out.splitlines()
        eq(len(lines), 6, "lines")
        for line, parts in zip(lines[1:], [
                [name(1), "2026-02-01 12:00", "complete", "validated", "libevent,libuv,h2o",
                 "hello", "(latest)"],
                [name(2), "complete"], ["published/mine", "complete"],
                ["unjudged", "not judged"], [name(5), "cut off", "no trials"]]):
            for part in parts:
                has(line, part)
        has(box.loopbench("list", "--results", "elsewhere").expect(0).out, "no runs in elsewhere")


@tap.case("where the control was judged in some of its cells only, it is said in how many")
def _():
    with Box() as box:
        path = judged_in_one(box, 1)
        made(box, 2, rounds=6, levels="8,16,32")
        head, partly, whole = box.loopbench("list").expect(0).out.splitlines()
        word = "validated in 1 of 3 cells"
        has(partly, "  complete     %s  quick " % word, "list")
        has(whole, "  complete     %s  quick " % "validated".ljust(len(word)), "list")
        eq(head.index("profile"), partly.index("quick"), "columns of list")
        has(box.loopbench("show", path).expect(0).out, "\nvalidated in 1 of 3 cells: the A/A", "show")
        has(box.loopbench("compare", path, path).expect(0).out, " rounds, validated in 1 of 3 cells",
            "compare")
        box.loopbench("report", path, env={"PATH": "/nonexistent"}).expect(3)  # there is no gnuplot
        with open(os.path.join(path, "report.json"), encoding="utf-8") as f:
            found = json.load(f)["findings"]
        eq(found["validity"], "validated", "for programs")
        cells = found["control_cells"]
        eq((cells["judged"], cells["measured"]), (1, 3), "for programs")
        with open(os.path.join(path, "report.md"), encoding="utf-8") as f:
            has(f.read(), "**Validated in 1 of 3 cells**: ", "report.md")


@tap.case("replays are listed below the runs, and a replay named in place of a run is said to be one")
def _():
    with Box() as box:
        results(box, 1)
        os.makedirs(box.at("results", "replay-x"))
        parts = [{"name": "one", "state": "measured", "reason": None, "left_out": []},
                 {"name": "two", "state": "left-out", "reason": "no", "left_out": []}]
        box.write(os.path.join("results", "replay-x", "parts.json"),
                  json.dumps({"format": "loopbench-replay", "format_version": 1, "replay": "x",
                              "options": {}, "parts": parts}))
        made(box, 2, folder="results/replay-x", name="one", rounds=1, levels="8")
        out = box.loopbench("list").expect(0).out
        has(out, "replay replay-x: 1 of 2 parts begun are measured")
        for command in ("show", "export", "reproduce"):
            box.loopbench(command, "replay-x").refused(2, "'replay-x' is a replay", "replay-x/PART")
        has(box.loopbench("show", "replay-x/one").expect(0).out, name(2))
        box.loopbench("prune", "--keep", "1").expect(0)
        ok(os.path.exists(box.at("results", "replay-x", "one")), "a part is no run to prune")


@tap.case("report takes a run by its name, as the others do")
def _():
    with Box() as box:
        results(box, 1)
        has(box.loopbench("report", name(1)).expect(0).out, "results/%s/report.html" % name(1))
        box.loopbench("report", "zebra").refused(2, "zebra")


@tap.case("every command that reads a run says that its last trial was cut short, and no run is called -")
def _():
    with Box() as box:
        path = made(box, 1, rounds=6, levels="8")
        file = os.path.join(path, "trials.jsonl")
        os.truncate(file, os.path.getsize(file) - 10)
        for words in (["show", path], ["export", path], ["compare", path, path], ["report", path]):
            err = box.loopbench(*words).expect(0).err
            has(err, "trials.jsonl was cut short; that trial is left out\n", words[0])
        box.loopbench("run", box.ini(), "--out", "-").refused(2, "results are a folder")


@tap.case("a second report on a folder waits for the first, and takes away what a killed one left")
def _():
    with Box() as box:
        path = made(box, 1, rounds=2, levels="8")
        for left in ("cells.csv.4711.tmp", "report.md.4711.tmp", "mine.4711.tmp"):
            box.write(os.path.join(path, left), "half of")
        holder = os.open(path, os.O_RDONLY)
        fcntl.flock(holder, fcntl.LOCK_EX)
        process = box.start("report", path)

        def waits():
            ok(process.poll() is None, "it waits")
            with open("/proc/locks", encoding="ascii") as f:
                return re.search(r"-> FLOCK .* %d " % process.pid, f.read())
        wait_for(waits, "the report waits for the folder")
        ok(not os.path.exists(os.path.join(path, "cells.csv")), "nothing is written meanwhile")
        os.close(holder)
        box.finish(process).expect(0)
        ok(os.path.exists(os.path.join(path, "report.html")), "the report")
        eq([n for n in os.listdir(path) if n.endswith(".tmp")], ["mine.4711.tmp"],
           "what a killed report left is gone, and nothing else")


@tap.case("a run begun from the folder of a run, as its report says, is one of the results")
def _():
    with Box() as box:
        ini = box.ini(results="results")
        for folder in ("results/20260101-000000-0000", "results/published/mine"):
            box.loopbench("run", ini, "--out", folder).expect(0)
            with open(box.at(folder, "report.md"), encoding="utf-8") as f:
                words = re.search(r"^    loopbench (run config\.ini .*)$", f.read(), re.M).group(1)
            before = set(os.listdir(box.at("results")))
            box.loopbench(*words.split(), "--no-report", cwd=box.at(folder)).expect(0)
            ok("results" not in os.listdir(box.at(folder)), "nothing within the run")
            new = set(os.listdir(box.at("results"))) - before - {"latest"}
            eq(len(new), 1, "new results: %s" % new)


@tap.case("a damaged run is listed as damaged, and hides none")
def _():
    with Box() as box:
        paths = results(box, 1, 2)
        with open(os.path.join(paths[0], "trials.jsonl"), "r+b") as f:
            f.write(b"?")
        lines = box.loopbench("list").expect(0).out.splitlines()
        has(lines[1], "damaged")
        has(lines[2], "validated")


@tap.case("a run whose manifest is damaged is listed, and stays")
def _():
    with Box() as box:
        made(box, 1, rounds=6, levels="8")
        bad = made(box, 2, rounds=6, levels="8")
        box.write(os.path.join("results", name(2), "manifest.json"), "{")
        has(box.loopbench("list").expect(0).out, name(2) + "  damaged: its manifest.json cannot be read")
        box.loopbench("prune", "--keep", "1").expect(0)
        ok(os.path.isdir(bad), "it stays")
        shutil.rmtree(box.at("results", name(1)))
        has(box.loopbench("list").expect(0).out, "damaged")


@tap.case("show tells what a run was, by id, latest or folder")
def _():
    with Box() as box:
        paths = results(box, 1, 2)
        for word in ("latest", name(2), paths[1]):
            out = box.loopbench("show", word).expect(0).out
            for part in (name(2), "Example CPU", "libevent,libuv,h2o", "hello, 8 connections",
                         "CPU/req", "validated"):
                has(out, part)
            ok(out.index("validated: ") < out.index("CPU/req"), "validity stands first")
        box.loopbench("show", "nothing").refused(2, "no run 'nothing'")
        box.loopbench("show").refused(2, "name a run")


@tap.case("a run whose folder is called otherwise is named by its id, which list shows")
def _():
    with Box() as box:
        made(box, 1, name="mine", rounds=6, levels="8")
        out = box.loopbench("show", name(1)).expect(0).out
        has(out, name(1))
        box.loopbench("compare", name(1), "mine", "--metric", "cpu").expect(0)
        has(box.loopbench("list").expect(0).out, "mine (%s)" % name(1))
        made(box, 1, name="published/again", rounds=6, levels="8")
        box.loopbench("show", name(1)).refused(2, "2 runs in results have the id %s" % name(1))
        box.loopbench("show", "mine").expect(0)
        box.loopbench("show", name(2)).refused(2, "no run")


@tap.case("names out to break a terminal come out inert")
def _():
    with Box() as box:
        made(box, 1, name="a\x1b[31m\nb", rounds=6, levels="8", hostile=True)
        for command in (["list"], ["show", "a\x1b[31m\nb"]):
            out = box.loopbench(*command).expect(0).out
            ok("\x1b" not in out, out)
        eq(len(box.loopbench("list").out.splitlines()), 2, "lines")


@tap.case("prune keeps the newest, and says what went")
def _():
    with Box() as box:
        results(box, 1, 2, 3, 4)
        made(box, 1, name="published/" + name(1), rounds=6, levels="8")
        before = tree(box.at("results"))
        out = box.loopbench("prune", "--keep", "2", "--dry-run").expect(0).out
        has(out, "would remove  " + name(1))
        has(out, "2 of 4 runs would be removed")
        eq(tree(box.at("results")), before, "after a dry run")
        out = box.loopbench("prune", "--keep", "2").expect(0).out
        has(out, "removed       " + name(2))
        has(out, "2 of 4 runs removed")
        eq(sorted(os.listdir(box.at("results"))), sorted([name(3), name(4), "latest", "published"]),
           "what is left")
        eq(os.listdir(box.at("results", "published")), [name(1)], "published")
        has(box.loopbench("prune", "--keep", "2").expect(0).out, "0 of 2 runs removed")


@tap.case("prune never takes the latest, a run being written, or what is not ours")
def _():
    with Box() as box:
        paths = results(box, 2, 3, 4, 1)  # the latest is the oldest
        made(box, 1, name="by-hand", rounds=6, levels="8")
        made(box, 1, name=name(9), rounds=6, levels="8")  # another run's name
        os.mkdir(box.at("results", name(8)))
        box.write("results/%s/precious" % name(8), "x")
        shutil.copytree(paths[0], box.at("outside"))
        os.symlink(box.at("outside"), box.at("results", name(7)))
        with lock(paths[0]):
            out = box.loopbench("prune", "--keep", "1").expect(0).out
            has(out, "kept          %s: it is being written" % name(2))
        has(out, "kept          %s: it is the latest" % name(1))
        has(out, "kept          by-hand: its folder is not called by its run id")
        has(out, "removed       " + name(3))
        left = os.listdir(box.at("results"))
        for kept in (name(1), name(2), name(4), name(7), name(8), name(9), "by-hand", "latest"):
            ok(kept in left, "%s is gone" % kept)
        ok(name(3) not in left, "%s is there" % name(3))
        eq(len(os.listdir(box.at("outside"))), 5, "files behind a link")


@tap.case("prune keeps a run in whose folder somebody put something, and names it")
def _():
    with Box() as box:
        results(box, *range(1, 9))
        for day, folder in ((2, "plots"), (5, "plots/narrow"), (6, "plots/data")):
            os.makedirs(box.at("results", name(day), folder))
        box.write("results/%s/notes.txt" % name(1), "mine")
        box.write("results/%s/plots/photo.jpg" % name(2), "mine")
        os.mkdir(box.at("results", name(3), "more"))
        os.symlink(box.at("results", name(8)), box.at("results", name(4), "report.md"))
        box.write("results/%s/plots/narrow/x.svg" % name(5), "ours, made by a report")
        box.write("results/%s/report.md.123.tmp" % name(6), "ours, left by a writer that was killed")
        for dry in (["--dry-run"], []):
            out = box.loopbench("prune", "--keep", "1", *dry).expect(0).out
            for day, file in ((1, "notes.txt"), (2, "plots/photo.jpg"), (3, "more"), (4, "report.md")):
                has(out, "kept          %s: %s in it is not loopbench's" % (name(day), file))
            has(out, "3 of 8 runs")
        eq(sorted(os.listdir(box.at("results"))),
           sorted([name(d) for d in (1, 2, 3, 4, 8)] + ["latest"]), "what is left")
        with open(box.at("results", name(1), "notes.txt")) as f:
            eq(f.read(), "mine", "the note")
        os.unlink(box.at("results", name(1), "notes.txt"))
        has(box.loopbench("prune", "--keep", "1").expect(0).out, "removed       " + name(1))


@tap.case("a reported run is all loopbench's")
def _():
    if not shutil.which("gnuplot"):
        raise Skip("gnuplot is not installed")
    with Box() as box:
        paths = results(box, 1, 2)
        box.loopbench("report", paths[0]).expect(0)
        has(box.loopbench("prune", "--keep", "1").expect(0).out, "removed       " + name(1))


@tap.case("prune wants to be told how many stay")
def _():
    with Box() as box:
        results(box, 1)
        box.loopbench("prune").refused(2, "--keep 10")
        box.loopbench("prune", "--keep", "0").refused(2, "--keep")
        box.loopbench("prune", "--keep", "-1").expect(2)
        hasnt(box.loopbench("list").out, "no runs")


sys.exit(tap.finish())
