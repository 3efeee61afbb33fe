#!/usr/bin/python3
"""loopbench count: with tools that are missing, slow, killed or lying. The real ones: count_real.t."""
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys

from command import FAKE_TARGET, HERE, Box, Run, wait_for
from tap import Skip, Tap, eq, has, hasnt, ok

tap = Tap()
PATIENCE = ("300ms", "1s", "5s", "20s")  # a busy machine gets nowhere in little
FEW = ("--requests-low", "20", "--requests-high", "60", "--no-report")


def tools(box, *names):
    """A PATH with fakes of these alone."""
    folder = box.at("tools")
    os.makedirs(folder, exist_ok=True)
    for name in names:
        os.symlink(os.path.join(HERE, "fake-counter"), os.path.join(folder, name))
    box.env["PATH"] = folder
    box.env["FAKE_COUNTER_RUNS"] = box.at("counter.runs")
    return folder


def count(box, *args, out="counts", targets=("a",), **env):
    config = box.ini(targets=targets, workloads="hello")
    return box.loopbench("count", config, "--out", box.at(out), *FEW, *args, env=env)


def records(box, out="counts"):
    with open(box.at(out, "counts.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def figure(box, key, out="counts", at=0):
    return records(box, out)[at]["figures"][key]


@tap.case("what is counted, by slope, part and name")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        result = count(box, targets=("a", "b")).expect(0)
        has(result.err, "[1/2] ", "progress")
        has(result.err, "100 instructions, 3.00 system calls", "progress")
        has(result.out, "agree to 0%", "table")
        run = Run(box.at("counts"))
        eq((run.manifest["kind"], run.manifest["state"]), ("count", "complete"), "manifest")
        eq(run.trials, [], "trials")
        eq(sorted(r["target"] for r in records(box)), ["a", "b"], "targets")
        r = records(box)[0]
        eq(r["requests"], {"low": 20, "high": 60}, "requests")
        eq(r["figures"]["instructions"],
           {"state": "settled", "per_request": 100.0, "spread": 0.0, "repeats": [100.0, 100.0],
            "reason": None}, "instructions")
        eq(r["parts"], {"event loop": 25.0, "parser": 0.0, "application": 75.0, "libc": 0.0,
                        "other": 0.0}, "parts")
        eq([(f["name"], f["object"], f["per_request"]) for f in r["functions"]],
           [("serve", "server-fake", 75.0), ("uv_run", "libuv.so.1", 25.0)], "functions")
        eq([(c["name"], c["per_request"]) for c in r["calls"]],
           [("epoll_wait", 1.0), ("read", 1.0), ("write", 1.0)], "calls")
        ok(r["figures"]["bytes_sent"]["per_request"] > 30, "bytes sent")
        ok(r["figures"]["bytes_received"]["per_request"] > 30, "bytes received")


@tap.case("connections and pipelines: whole turns, each in its own record")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        count(box, "--connections", "1,7", "--pipeline", "3").expect(0)
        eq([(r["connections"], r["pipeline"], r["requests"]) for r in
            sorted(records(box), key=lambda r: r["connections"])],
           [(1, 3, {"low": 21, "high": 60}), (7, 3, {"low": 21, "high": 63})], "records")
        eq({r["figures"]["instructions"]["per_request"] for r in records(box)}, {100.0}, "counts")
        eq({len(f["repeats"]) for r in records(box) for f in r["figures"].values()
            if f["state"] != "missing"}, {3}, "two that agree may do so by chance")


@tap.case("what is missing is named with its package, and the rest is counted")
def _():
    with Box() as box:
        tools(box, "strace")
        result = count(box).expect(0)
        has(result.err, "valgrind is not installed (package valgrind)", "stderr")
        eq(figure(box, "instructions")["state"], "missing", "instructions")
        has(figure(box, "instructions")["reason"], "package valgrind", "reason")
        eq(figure(box, "syscalls")["per_request"], 3.0, "calls")
    with Box() as box:
        tools(box)
        config = box.ini(targets=("a",), servers=box.servers("libuv"))
        result = box.loopbench("count", config, "--out", box.at("counts"), *FEW).expect(3)
        for part in ("nothing can be counted here", "package valgrind", "package strace"):
            has(result.err, part, "stderr")
        ok(not os.path.exists(box.at("counts")), "a folder was left")


WRONG = {"lies": "not the sum", "garbage": "line", "nothing": "left no",
         "killed": "Segmentation fault", "status": "status 9", "refuse": "not here"}
for first, second in (("lies", "killed"), ("garbage", "status"), ("nothing", "refuse")):
    def broken(first=first, second=second):
        with Box() as box:
            tools(box, "valgrind", "strace")
            for words in ((first, second), (second, first)):
                count(box, out=words[0], FAKE_COUNTER="valgrind=%s,strace=%s" % words).expect(1)
                for key, word in zip(("instructions", "syscalls"), words):
                    f = figure(box, key, words[0])
                    eq((f["state"], f["per_request"]), ("missing", None), key)
                    has(f["reason"], WRONG[word], key)
                eq(figure(box, "bytes_sent", words[0])["state"], "settled", "bytes")
    tap.case("tools that are wrong (%s, %s): a missing figure, with the reason"
             % (first, second))(broken)


@tap.case("a process that left no counts is missed, and so is one that was never counted")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        count(box, out="orphan", FAKE_COUNTER="valgrind=orphan").expect(1)
        f = figure(box, "instructions", "orphan")
        eq(f["state"], "missing", "a killed process")
        has(f["reason"], "process 77 was killed and left no counts", "a killed process")
        count(box, out="none", FAKE_EACH="0").expect(1)
        f = figure(box, "instructions", "none")
        eq(f["state"], "missing", "no instructions at all")
        has(f["reason"], "was not counted", "no instructions at all")


@tap.case("the reason for n/a is the true one: killed by us, crashed, not started by us")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        config = box.ini(targets=("a",), workloads="hello")
        with open(config, "a", encoding="utf-8") as f:
            f.write("stop-signal = KILL\n")
        box.loopbench("count", config, "--out", box.at("killed"), *FEW, "--no-verify").expect(1)
        for key in ("instructions", "syscalls"):
            has(figure(box, key, "killed")["reason"], "stopped by SIGKILL", key)
        count(box, "--no-verify", out="crashed", FAKE_TARGET="crash-later",
              FAKE_TARGET_AFTER="30").expect(1)
        for key in ("instructions", "bytes_received"):
            has(figure(box, key, "crashed")["reason"], "Segmentation fault", key)
    with Box() as box:
        tools(box, "valgrind", "strace")
        server = subprocess.Popen([FAKE_TARGET], stdout=subprocess.PIPE)  # not of the box
        try:
            port = json.loads(server.stdout.readline())["listening"].rpartition(":")[2]
            config = box.ini(targets=("a",), workloads="hello")
            with open(config, encoding="utf-8") as f:
                text = f.read().partition("command =")[0]
            box.write("run.ini", text + "url = http://127.0.0.1:%s\n" % port)
            box.loopbench("count", config, "--out", box.at("url"), *FEW, "--no-verify").expect(0)
        finally:
            server.kill()
            server.communicate()
        for key in ("instructions", "syscalls", "allocations"):
            has(figure(box, key, "url")["reason"], "loopbench did not start it", key)


@tap.case("the target has seen the end of its connections before it is told to stop")
def _():
    with Box() as box:
        tools(box)
        count(box, "--connections", "3", "--no-verify", FAKE_TARGET="slow-end").expect(0)
        eq(figure(box, "bytes_received")["state"], "settled", "bytes")


@tap.case("a tool that never starts the target is ended, and says so")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        for patience in PATIENCE:
            config = box.ini(targets=("a",), workloads="hello", ready_timeout=patience)
            result = box.loopbench("count", config, "--out", box.at("counts"), *FEW,
                                   env={"FAKE_COUNTER": "strace=hang"})
            if result.status != 3:  # when it was verified
                break
        result.expect(1)
        has(figure(box, "syscalls")["reason"], "not ready", "reason")
        eq(figure(box, "instructions")["per_request"], 100.0, "instructions")


@tap.case("pipelines and levels are told apart wherever they are shown")
def _():
    with Box() as box:
        tools(box, "valgrind")
        count(box, "--connections", "1", "--pipeline", "3", out="one").expect(0)
        count(box, "--pipeline", "3", "--connections", "1,7", out="piped").expect(0)
        result = box.loopbench("compare", "piped", "one", "--fail-on", "instructions>1%").expect(1)
        for part in ("only in A: a (hello, c=7, p=3)",
                     "not decided (a c=7 p=3, hello)"):
            has(result.out, part, "compare")
        box.loopbench("report", "piped")  # without gnuplot: no plots
        text = Run(box.at("piped")).text("report.md")
        for part in ("7 connections, pipeline 3", "that answered 21 requests", "60 to 63,"):
            has(text, part, "report")


@tap.case("what a runner that was killed left is swept, and what another uses is not")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        tmp = box.at("scratch")
        os.mkdir(tmp)
        for name in ("loopbench-count-old111", "loopbench-count-new111", "loopbench-other"):
            os.mkdir(os.path.join(tmp, name))
            box.write("scratch/%s/callgrind.1" % name, "x")
        for name in ("loopbench-count-old111", "loopbench-other"):
            os.utime(os.path.join(tmp, name), (1, 1))
        count(box, TMPDIR=tmp).expect(0)
        eq(sorted(os.listdir(tmp)), ["loopbench-count-new111", "loopbench-other"], "left")
        os.utime(os.path.join(tmp, "loopbench-count-new111"), (1, 1))
        fd = os.open(os.path.join(tmp, "loopbench-count-new111"), os.O_RDONLY)
        fcntl.flock(fd, fcntl.LOCK_EX)
        count(box, out="again", TMPDIR=tmp).expect(0)
        os.close(fd)
        eq(sorted(os.listdir(tmp)), ["loopbench-count-new111", "loopbench-other"], "left")


@tap.case("counts that do not settle say so")
def _():
    with Box() as box:
        tools(box, "valgrind")
        result = count(box, FAKE_COUNTER="drifts").expect(0)
        f = figure(box, "instructions")
        eq((f["state"], len(f["repeats"])), ("unsettled", 6), "figure")
        ok(f["spread"] > 0.05, "spread: %s" % f)
        has(result.out, "instructions did not settle: ", "table")


@tap.case("a target that cannot be counted is a failure, with the reason in every figure")
def _():
    with Box() as box:
        path = box.env["PATH"]
        box.env["PATH"] = tools(box, "valgrind", "strace") + ":" + path  # its script needs wc
        keys = ("instructions", "syscalls", "bytes_sent")
        reasons = []
        for patience in PATIENCE:
            targets = {"a": box.later("a" + patience, "never-answer")}
            config = box.ini(targets, workloads="hello", ready_timeout=patience)
            result = box.loopbench("count", config, "--out", box.at(patience), *FEW)
            if result.status == 3:  # when it was verified
                continue
            result.expect(1)
            has(result.out, "nothing was counted", "table")
            hasnt(result.out, "agree to", "table")
            reasons = [figure(box, key, out=patience)["reason"] for key in keys]
            if all("not answered" in reason for reason in reasons):
                return
        eq(reasons, ["not answered"] * len(keys), "reasons")


@tap.case("what makes no sense is refused in one line")
def _():
    with Box() as box:
        box.loopbench("count", "--requests-low", "9", "--requests-high", "9").refused(
            2, "--requests-high: 9 is not more than --requests-low 9")
        box.loopbench("count", "--add", "x", "--out", "y").refused(2, "--out")
        box.loopbench("count", "--add", "x").refused(2, "x")
        box.loopbench("count", "--rounds", "3").refused(2, "--rounds")
        box.loopbench("count", "--targets", "nobody").refused(2, "no target is called 'nobody'")
        box.loopbench("count", box.ini(keepalive="no")).refused(2, "connections that are kept")


@tap.case("an interrupt leaves no process, and what was counted")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        config = box.ini(targets=("a", "b"), workloads="hello")
        process = box.start("count", config, "--out", box.at("counts"), *FEW,
                            env={"FAKE_COUNTER": "valgrind=hang"})
        wait_for(lambda: any("callgrind" in line for _, line in box.running()), "valgrind")
        process.send_signal(signal.SIGINT)
        result = box.finish(process).expect(1)
        box.nothing_left(str(result))
        eq(Run(box.at("counts")).manifest["state"], "interrupted", "state")
        eq([r["target"] for r in records(box)], ["a"], "what was counted until then is kept")
        eq(figure(box, "syscalls")["per_request"], 3.0, "a tool that had ended")
        has(figure(box, "instructions")["reason"], "interrupted", "the one that had not")
        box.loopbench("run", "--resume", box.at("counts")).refused(2, "a run of counts")


@tap.case("counts are added to a run, shown and listed")
def _():
    with Box() as box:
        config = box.ini(targets=("a",), workloads="hello", rounds="6")
        box.loopbench("run", config, "--no-report", "--out", box.at("results", "r1")).expect(0)
        tools(box, "valgrind", "strace")
        for each in ("100", "200"):
            box.loopbench("count", "--add", box.at("results", "r1"), *FEW,
                          env={"FAKE_EACH": each}).expect(0)
        ok("kind" not in Run(box.at("results", "r1")).manifest, "it is a timed run still")
        shown = box.loopbench("show", box.at("results", "r1")).expect(0).out
        has(shown, "CPU/req", "times")
        has(shown, " 200 ", "the last count stands")
        hasnt(shown, " 100 ", "the last count stands")
        box.loopbench("count", box.ini(targets=("a",)), "--out", box.at("results", "r2"),
                      *FEW).expect(0)
        has(box.loopbench("list").expect(0).out, "counts", "list")
        has(box.loopbench("show", "results/r2").expect(0).out, "instructions", "show")
        box.loopbench("reproduce", "results/r2").refused(2, "counts alone")
        box.loopbench("export", "results/r2").refused(2, "counts alone")
        box.loopbench("run", config, "--no-report", "--out", box.at("results", "r3")).expect(0)
        out = box.loopbench("site", "results", "--out", "s").expect(0).out
        has(out, "s/index.html: 3 runs, 1 comparison")
        with open(box.at("s", "index.html"), encoding="utf-8") as f:
            page = f.read()
        for part in ("counts, not times", "runs/r2/counts.jsonl", "runs/r2/report.html"):
            has(page, part, "index")
        has(box.loopbench("site", "results/r1", "--compare", "r1,r2", "--out", "t").expect(2).err,
            "r2 holds counts alone", "a comparison of times that are not there")
        box.loopbench("compare", "results/r2", "results/r3").refused(2, "counts alone", "--add")


@tap.case("a target that only one run counts is named in full")
def _():
    with Box() as box:
        tools(box, "valgrind")
        count(box, targets=("alpha", "beta"), out="one").expect(0)
        count(box, targets=("alpha",), out="two").expect(0)
        has(box.loopbench("compare", "one", "two").expect(0).out, "only in A: beta (hello, c=1)")


@tap.case("what only one run counts is not decided, whichever it is, and a cut run is named")
def _():
    with Box() as box:
        tools(box, "valgrind")
        count(box, targets=("alpha", "beta"), out="one").expect(0)
        count(box, targets=("alpha",), out="two").expect(0)
        count(box, targets=("alpha", "beta"), out="cut").expect(0)
        with open(box.at("cut", "counts.jsonl"), "rb+") as f:
            f.truncate(len(f.read()) - 9)
        gate = ("--fail-on", "instructions>1%")
        for pair in (("one", "two"), ("two", "one"), ("cut", "one")):
            result = box.loopbench("compare", *pair, *gate).expect(1)
            has(result.out, "limit instructions>1%: not decided", str(pair))
        box.loopbench("compare", "two", "one", "--allow-undecided", *gate).expect(0)
        torn = "counts.jsonl was cut short and is left out"
        has(box.loopbench("compare", "cut", "one").expect(0).out, torn, "compare")
        has(box.loopbench("show", "cut").expect(0).out, torn, "show")
        box.loopbench("report", "cut")  # without gnuplot: no plots
        has(Run(box.at("cut")).text("report.md"), torn, "report")
        path = box.at("two", "manifest.json")
        with open(path, encoding="utf-8") as f:
            manifest = json.load(f)
        manifest["state"] = "interrupted"
        with open(path, "w", encoding="utf-8") as f:
            json.dump(manifest, f)
        has(box.loopbench("compare", "two", "one").expect(0).out,
            "A is not complete: interrupted", "compare")


@tap.case("a file cut at the end of a line is told by the manifest, and its limits are not decided")
def _():
    with Box() as box:
        tools(box, "valgrind")
        for out in ("whole", "cut"):
            count(box, targets=("alpha", "beta"), out=out).expect(0)
        eq(Run(box.at("cut")).manifest["count_lines"], 2, "lines")
        path = box.at("cut", "counts.jsonl")
        with open(path, encoding="utf-8") as f:
            first = f.readline()
        with open(path, "w", encoding="utf-8") as f:
            f.write(first)
        lost = "counts.jsonl has lost 1 of its lines"
        result = box.loopbench("compare", "cut", "cut", "--fail-on", "instructions>1%").expect(1)
        has(result.out, "A's " + lost, "compare")
        has(result.out, "not decided (lines that are gone of A ", "compare")
        has(box.loopbench("show", "cut").expect(0).out, lost, "show")
        has(box.loopbench("report", "cut").err, lost, "report")  # without gnuplot: no plots
        has(Run(box.at("cut")).text("report.md"), "lines of its counts.jsonl are gone", "report")
        box.loopbench("count", "--add", "cut", *FEW).expect(0)
        eq(Run(box.at("cut")).manifest["count_lines"], 3, "lines, added to")
        hasnt(box.loopbench("show", "cut").expect(0).out, lost, "show")


@tap.case("a cut line that had replaced a record leaves a limit undecided")
def _():
    with Box() as box:
        tools(box, "valgrind")
        for out in ("one", "two"):
            count(box, targets=("alpha",), out=out).expect(0)
        path = box.at("two", "counts.jsonl")
        with open(path, encoding="utf-8") as f:
            line = f.read()
        with open(path, "a", encoding="utf-8") as f:
            f.write(line[:-30])  # the same cell, counted again
        gate = ("--fail-on", "instructions>1%")
        for pair in (("one", "two"), ("two", "one")):
            result = box.loopbench("compare", *pair, *gate).expect(1)
            has(result.out, "limit instructions>1%: not decided (the last line of ", str(pair))
            box.loopbench("compare", *pair, "--allow-undecided", *gate).expect(0)
        with open(path, "w", encoding="utf-8") as f:
            f.write(line)
        box.loopbench("compare", "one", "two", *gate).expect(0)


@tap.case("compare gates on counts: kept, crossed, not decided")
def _():
    with Box() as box:
        tools(box, "valgrind", "strace")
        count(box, out="a").expect(0)
        count(box, out="same").expect(0)
        count(box, out="more", FAKE_EACH="104").expect(0)
        count(box, out="lost", FAKE_COUNTER="valgrind=lies").expect(1)

        def compare(other, *args):
            return box.loopbench("compare", box.at("a"), box.at(other), *args)
        gate = ("--fail-on", "instructions>1%,syscalls>1%")
        has(compare("same", *gate).expect(0).out, "limit instructions>1%: kept", "same")
        result = compare("more", *gate).expect(1)
        has(result.out, "more by 4% (counts agree to 0%)", "more")
        has(result.out, "limit instructions>1%: crossed (a c=1, hello)", "more")
        has(result.out, "limit syscalls>1%: kept", "more")
        compare("more", "--fail-on", "instructions>5%").expect(0)
        compare("more").expect(0)
        has(compare("more", "--baseline", "B", *gate).expect(0).out, "fewer by 3.85%", "swapped")
        has(compare("lost", *gate).expect(1).out, "limit instructions>1%: not decided", "lost")
        compare("lost", "--allow-undecided", *gate).expect(0)
        compare("same", "--fail-on", "cpu>5%").refused(2, "no times")
        compare("same", "--fail-on", "instruction>5%").refused(2, "no times")
        has(compare("same", "--markdown", "-", *gate).expect(0).out, "```", "markdown")


@tap.case("a report of counts alone, and of a run with counts")
def _():
    if not shutil.which("gnuplot"):
        raise Skip("gnuplot is not installed")
    with Box() as box:
        path = box.env["PATH"]
        tools(box, "valgrind", "strace")
        count(box, targets=("a", "b")).expect(0)
        box.env["PATH"] = path
        box.loopbench("report", box.at("counts")).expect(0)
        for name in ("report.md", "report.html", "report.json", "counts.csv",
                     "plots/instructions-hello.svg", "plots/syscalls-hello.png",
                     "plots/narrow/instructions-hello.svg", "plots/narrow/syscalls-hello.svg"):
            ok(os.path.getsize(box.at("counts", name)) > 100, name)
        run = Run(box.at("counts"))
        for name in ("report.md", "report.html"):
            has(run.text(name), "What one request costs", name)
            has(run.text(name), "uv_run", name)
        eq(len(json.loads(run.text("report.json"))["counts"]), 2, "report.json")
        eq(run.text("report.html").count('class="narrow'), 2, "pictures for a phone")
        with open(box.at("counts", "plots", "narrow", "instructions-hello.svg"),
                  encoding="utf-8") as f:
            text = f.read()
        for part in ("event loop", ">a<", ">b<", ">100<"):
            has(text, part, "a narrow picture")
        has(run.text("counts.csv"), "hello,1,1,a,instructions,settled,100,0,2,", "counts.csv")
        shutil.copytree(os.path.join(HERE, "golden", "report", "run"), box.at("both"))
        shutil.copy(box.at("counts", "counts.jsonl"), box.at("both", "counts.jsonl"))
        box.loopbench("report", box.at("both")).expect(0)
        both = Run(box.at("both"))
        has(both.text("report.html"), 'href="#counts"', "contents")
        has(both.text("report.md"), "## Latency, raw and corrected", "times")
        has(both.text("report.md"), "## What one request costs", "counts")
        ok(os.path.exists(box.at("both", "plots", "instructions-hello.svg")), "plot")


sys.exit(tap.finish())
