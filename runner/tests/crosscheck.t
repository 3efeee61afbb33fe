#!/usr/bin/python3
"""`loopbench crosscheck`: the same cell by several load generators, with fake ones and once for real."""
import json
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import FAKE_WRK, HERE, SERVERS, Box, Run  # noqa: E402
from tap import Skip, Tap, eq, has, hasnt, ok, plain_only  # noqa: E402

tap = Tap()
TOOLS = ("ab", "h2load", "siege")


def tools(box, names=TOOLS):
    """A PATH with nothing but these, all of them fakes."""
    folder = box.at("bin")
    os.makedirs(folder, exist_ok=True)
    for name in names:
        os.symlink(os.path.join(HERE, "fake-tool"), os.path.join(folder, name))
    return {"PATH": folder}


def check(box, *args, env=None, status=0, rounds=1, names=TOOLS):
    result = box.loopbench("crosscheck", "--servers", SERVERS, "--wrk", FAKE_WRK, "--rounds",
                           str(rounds), "--warmup", "0", "--repeat-blocks", "0", "--out",
                           box.at("out"), *args, env=dict(tools(box, names), **(env or {})))
    return result.expect(status)


def judged(folder):
    """{generator: its part of crosscheck.json} of the only cell."""
    with open(os.path.join(folder, "crosscheck.json"), encoding="utf-8") as f:
        found = json.load(f)
    eq(len(found["cells"]), 1, "cells")
    return {g["generator"]: g for g in found["cells"][0]["generators"]}


def again(box, change):
    """The run in out/ with each trial changed, reported anew."""
    path = box.at("out", "trials.jsonl")
    with open(path, encoding="utf-8") as f:
        trials = [json.loads(line) for line in f]
    for t in trials:
        change(t)
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t) + "\n" for t in trials)
    box.loopbench("report", box.at("out"), env={"PATH": os.environ["PATH"]})
    return judged(box.at("out"))


def said(side):
    return "\n".join(side["says"])


RATES = {"wrk": 100000.0, "ab": 50000.0, "h2load": 100500.0, "siege": 99000.0}


def known(t):
    """Figures of which everything that is to be said is known."""
    g = t["load"]["generator"]
    rate = RATES[g]
    t["flags"] = []
    t["rate"] = rate * (1 + 0.002 * t["round"])
    t["load"].update(requests=int(rate), cpu_s=0.5, duration_us=1000000, thread_busy=0.5,
                     bytes=int(rate) * (157 if g != "siege" else 12))
    t["server"].update(requests=int(rate), cpus_used=0.5, cpu_ns=int(rate) * 7000, accepted=64,
                       switches_voluntary=int(rate) // 50)
    if g == "ab":
        t["load"].update(thread_busy=1.0, cpu_s=1.0)
        t["server"]["cpu_ns"] *= 2
    if g == "h2load":
        t["server"]["requests"] += 60
    if g == "siege":
        t["rate"] *= 1 + (0.2 if t["round"] % 2 else -0.2)
        t["server"].update(requests=98000, accepted=70, switches_voluntary=98000)


@tap.case("every generator measures in every round, in an order of its own; what is said is in figures")
def _():
    with Box() as box:
        result = check(box, "--seed", "7", rounds=6)
        run = Run(box.at("out"))
        eq(run.manifest["kind"], "crosscheck", "kind")
        eq([g["name"] for g in run.manifest["generators"]], ["wrk"] + list(TOOLS), "generators")
        eq([t["generator"] for t in run.manifest["targets"]], ["wrk"] + list(TOOLS), "targets")
        eq({t["base"] for t in run.trials}, {"libuv"}, "base")
        eq(len(run.trials), 24, "trials")
        eq({t["status"] for t in run.trials}, {"ok"}, "status")
        for t in run.trials:
            eq(t["target"], "libuv-by-" + t["load"]["generator"], "target")
        ok(len({tuple(b["order"]) for b in run.plan["blocks"]}) > 2, "orders")
        by = {t["load"]["generator"]: t for t in run.trials}
        eq([by[g]["load"]["latency_step_us"] for g in ("wrk",) + TOOLS], [1, 1, 1, 10000], "steps")
        eq([by[g]["load"]["threads"] for g in ("wrk",) + TOOLS], [1, 1, 1, 64], "threads")
        eq([by[g]["server"]["requests"] for g in TOOLS], [20, 20, 20], "the server's count")
        eq([by[g]["raw"]["samples"] for g in TOOLS], [None, 20, None], "samples")
        eq(by["siege"]["raw"]["p50_us"], None, "siege's p50")
        eq(by["ab"]["hist_offset"], None, "ab's histogram")
        for part in ("of wrk's rate", "h2load", "its times are multiples of 10 ms"):
            has(result.out, part, "stdout")
        text = run.text("crosscheck.md")
        for part in ("# Cross-check", "## libuv, hello, 64 connections", "| siege 4.0.7 |",
                     "| ab 2.3 |"):
            has(text, part, "crosscheck.md")
        has(run.text("config.ini"), "generators = wrk,ab,h2load,siege", "config.ini")
        ok(not os.path.exists(run.path("report.md")), "a report of its own was not asked for")
        found = again(box, known)
        has(said(found["wrk"]), "it counts as many requests as the server: 600000", "wrk")
        hasnt(said(found["wrk"]), "its rate", "wrk")
        eq(found["wrk"]["rate_of_wrk"], None, "wrk against itself")
        ab = said(found["ab"])
        has(ab, "its rate: 0.50 [0.50, 0.50] of wrk's", "ab")
        has(ab, "it was the limit, not the server: its one thread was busy 100% of the time, the "
                "server used 0.50 of its 1 CPU", "ab")
        has(ab, "the server's CPU for a request: 2.00 [2.00, 2.00] of wrk's", "ab")
        has(ab, "a request costs it 4.0 times the CPU it costs wrk (20.0 against 5.0 us)", "ab")
        eq(found["ab"]["client"], "limited", "ab's client")
        h2load = said(found["h2load"])
        has(h2load, "its rate agrees with wrk's within 3%", "h2load")
        has(h2load, "it counts 603000 requests, the server 603360: 360 more, no more than the 384 "
                    "that can be under way when 6 trials end", "h2load")
        siege = said(found["siege"])
        has(siege, "its rate: no difference from wrk's shown", "siege")
        has(siege, "it counts 594000 requests, the server only 588000: 6000 that the server never "
                   "saw", "siege")
        has(siege, "the server went to sleep 1.00 times a request, under wrk 0.02 times", "siege")
        has(siege, "the server accepted 70 connections in a trial of 64", "siege")
        has(siege, "it counts 12.0 bytes a reply, wrk 157.0", "siege")
        has(siege, "its times are multiples of 10 ms, and it tells no percentiles", "siege")


@tap.case("a rate that may hold late replies is said to")
def _():
    def late(t):
        known(t)
        if t["load"]["generator"] == "siege" and t["round"] == 1:
            t["load"]["errors_timeout"] = None

    with Box() as box:
        check(box, rounds=6)
        found = again(box, late)
        has(said(found["siege"]), "in 1 of 6 trials it does not tell how many replies came later than "
                                  "the timeout: its rate may hold late ones", "siege")
        hasnt(said(found["ab"]), "late", "ab")


@tap.case("too few valid blocks are said to be insufficient, and a disturbed trial is left out")
def _():
    def disturb(t):
        t["flags"] = ["foreign-cpu-invalid"] if t["round"] < 2 else []

    with Box() as box:
        check(box, rounds=6, names=("ab",))
        found = again(box, disturb)
        has(said(found["ab"]), "its rate: insufficient to compare with wrk's (4 of 6 blocks valid, "
                               "6 needed); with the disturbed trials", "ab")
        has(said(found["ab"]), "2 of 6 trials were disturbed by the machine", "ab")
        eq(found["ab"]["rate_of_wrk"]["verdict"], "insufficient", "verdict")
        has(Run(box.at("out")).text("crosscheck.md"), "| insufficient |", "crosscheck.md")


@tap.case("a generator that lies, tears or fails is a failure with its reason; the others go on")
def _():
    with Box() as box:
        result = check(box, env={"FAKE_TOOL": "ab=torn,h2load=lie,siege=exit3"}, status=1)
        run = Run(box.at("out"))
        by = {t["load"]["generator"]: t for t in run.trials}
        eq({g: by[g]["status"] for g in by},
           {"wrk": "ok", "ab": "failed", "h2load": "failed", "siege": "failed"}, "status")
        eq({by[g]["failure"] for g in TOOLS}, {"generator"}, "failure")
        has(by["ab"]["reason"], "ab: the output is not usable", "ab")
        has(by["h2load"]["reason"], "h2load: the figures contradict each other", "h2load")
        has(by["siege"]["reason"], "siege exited with status 3: fake-tool: something", "siege")
        has(result.out, "1 of 1 trials failed, the first so: h2load: the figures", "stdout")
        eq(judged(box.at("out"))["ab"]["figures"]["requests_per_second"]["median"], None, "rate")


@tap.case("requests that the server never saw show")
def _():
    with Box() as box:
        check(box, env={"FAKE_TOOL": "h2load=more"}, names=("h2load",))
        has(said(judged(box.at("out"))["h2load"]),
            "it counts 40 requests, the server only 20: 20 that the server never saw", "h2load")


@tap.case("what is not installed is left out with a line that names its package")
def _():
    with Box() as box:
        result = check(box, names=("h2load",))
        lines = [x for x in result.err.splitlines() if x.startswith("loopbench: ")]
        eq(lines, ["loopbench: ab is not installed (Debian: apt install apache2-utils): left out",
                   "loopbench: siege is not installed (Debian: apt install siege): left out"],
           "lines")
        eq(sorted(judged(box.at("out"))), ["h2load", "wrk"], "generators")
    with Box() as box:
        result = check(box, names=(), status=3)
        has(result.err, "no load generator to hold wrk against: install one (Debian: apt install "
                        "apache2-utils, nghttp2-client or siege)", "stderr")
        ok(not os.path.exists(box.at("out")), "a folder without a run")
    with Box() as box:
        result = check(box, env={"FAKE_TOOL": "siege=other"}, names=("siege",), status=3)
        has(result.err, "siege is version 4.1.6: only the output of 4.0.x is known", "stderr")


@tap.case("what it cannot do is refused in one line")
def _():
    with Box() as box:
        env = tools(box)
        for args, what in (
                (("--generators", "curl"), "no load generator is called 'curl'"),
                (("--workloads", "upload"), "sends a plain GET only"),
                (("--workloads", "nothing"), "no workload is called 'nothing'"),
                (("--requests", "10"), "--requests: unknown option"),
                (("--threads", "3"), "64 connections cannot be shared evenly by 3"),
                (("x",), "one operand too many")):
            box.loopbench("crosscheck", "--servers", SERVERS, "--wrk", FAKE_WRK, "--out",
                          box.at("out"), *args, env=env).refused(2, what)
        result = box.loopbench("crosscheck", "--servers", SERVERS, "--wrk", box.at("no-wrk"),
                               "--out", box.at("out"), env=env)
        result.refused(3, "no-wrk is not installed")
        result = box.loopbench("crosscheck", "--dry-run", "--servers", SERVERS, "--wrk", FAKE_WRK,
                               "--generators", "ab", env=env).expect(0)
        has(result.out, "libuv-by-wrk, libuv-by-ab", "dry run")
        ok(not os.path.exists(box.at("out")), "a folder was left")


@tap.case("an interrupted one is resumed as any run, and cannot be reproduced as one")
def _():
    with Box() as box:
        check(box, rounds=2, names=("ab",))
        path = box.at("out", "trials.jsonl")
        with open(path, encoding="utf-8") as f:
            lines = f.readlines()
        with open(path, "w", encoding="utf-8") as f:
            f.writelines(lines[:1])
        path = box.at("out", "manifest.json")
        with open(path, encoding="utf-8") as f:
            manifest = json.load(f)
        with open(path, "w", encoding="utf-8") as f:
            json.dump(dict(manifest, state="interrupted"), f)
        os.unlink(box.at("out", "crosscheck.json"))
        env = {"PATH": box.at("bin")}
        result = box.loopbench("run", "--resume", box.at("out"), "--no-report", env=env).expect(0)
        has(result.out, "of wrk's rate", "stdout")
        eq(len(Run(box.at("out")).trials), 4, "trials")
        eq(sorted(judged(box.at("out"))), ["ab", "wrk"], "generators")
        box.loopbench("reproduce", box.at("out"), env=env).refused(2, "is a cross-check")


@tap.case("the real ones, where they are installed, count what the server counts")
def _():
    plain_only()
    there = [name for name in TOOLS if shutil.which(name)]
    if not shutil.which("wrk") or not there:
        raise Skip("wrk and another load generator are not installed")
    with Box() as box:
        box.loopbench("crosscheck", "--servers", SERVERS, "--rounds", "1", "--warmup", "200ms",
                      "--connections", "8", "--repeat-blocks", "0", "--generators",
                      ",".join(there), "--out", box.at("out"))
        run = Run(box.at("out"))
        for t in run.trials:
            eq((t["status"], t["reason"]), ("ok", ""), "trial by " + t["load"]["generator"])
            told, served = t["load"]["requests"], t["server"]["requests"]
            ok(0 <= served - told <= 8, "%s counts %d, the server %d" % (
                t["load"]["generator"], told, served))
            ok(t["load"]["cpu_s"] > 0 and t["server"]["cpu_ns"] > 0, "CPU of both")
        ok(not os.path.exists(box.at(".siege")), "siege left its files")


sys.exit(tap.finish())
