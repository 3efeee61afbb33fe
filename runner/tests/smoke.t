#!/usr/bin/python3
"""The real thing: servers, wrk, report, installation; and what the method takes for granted about
wrk. The run is left in BUILD/smoke-run, for the test of the JSON Schemas."""
import functools
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run, count_lines, tree, wait_for  # noqa: E402
from command import BUILD, FAKE_TARGET, LOOPBENCH, ROOT, SERVERS, quote  # noqa: E402
from tap import Skip, Tap, eq, has, ok, plain_only  # noqa: E402

tap = Tap()
SMOKE = os.path.join(BUILD, "smoke-run")
WRK = shutil.which("wrk")
GNUPLOT = shutil.which("gnuplot")


def need_wrk():
    if not WRK:
        raise Skip("wrk is not installed")


@functools.cache
def smoke_run():
    need_wrk()
    shutil.rmtree(SMOKE, ignore_errors=True)
    with Box() as box:
        how = ["run", "--profile", "smoke", "--workloads", "hello", "--repeat-blocks", "0", "--out",
               SMOKE] + ([] if GNUPLOT else ["--no-report"])
        result = box.loopbench(*how).expect(0)
        return Run(SMOKE), result


@tap.case("smoke run: every server, the A/A control and the null server are measured")
def _():
    run, result = smoke_run()
    eq(sorted(t["target"] for t in run.trials),
       ["h2o", "libevent", "libevent-again", "libuv", "null"], "targets")
    eq({t["status"] for t in run.trials}, {"ok"}, "status")
    eq(run.manifest["state"], "complete", "state")
    eq(run.manifest["verified"], True, "verified")
    has(result.err, "5 of 5 trials", "stderr")
    for target in ("h2o", "libevent", "libuv", "null"):
        has(result.out, target, "stdout")


@tap.case("smoke run: sane figures")
def _():
    run, _ = smoke_run()
    cpus = len(os.sched_getaffinity(0))
    for t in run.trials:
        load, server, memory = t["load"], t["server"], t["memory"]
        ok(t["rate"] > 100, "rate: %s" % t)
        ok(990000 <= load["duration_us"] < 5000000, "duration: %s" % load)
        eq(t["raw"]["samples"], load["requests"] - load["errors_timeout"], "raw samples")
        ok(t["corrected"]["samples"] >= t["raw"]["samples"], "corrected: %s" % t["corrected"])
        eq([load["errors_" + e] for e in ("connect", "read", "write", "timeout", "status")],
           [0] * 5, "errors")
        raw = t["raw"]
        order = [raw[k] for k in ("min_us", "p50_us", "p90_us", "p99_us", "p999_us", "max_us")]
        eq(order, sorted(order), "percentiles")
        ok(0 < raw["min_us"] <= raw["mean_us"] <= raw["max_us"], "latencies: %s" % raw)
        ok(0 < server["cpu_ns"] <= t["wall_s"] * 1e9 * cpus, "CPU: %s" % server)
        ok(0.1 < server["cpu_us_per_request"] < 5000, "CPU per request: %s" % server)
        ok(0 < load["cpu_s"] <= t["wall_s"] * cpus, "generator's CPU: %s" % load)
        # closed loop: all connections are waiting, or nearly so
        ok(0.1 < t["active_ratio"] < 1.05, "active: %s" % t["active_ratio"])
        ok(100000 < memory["idle"]["rss"] <= memory["peak_rss"], "memory: %s" % memory)
        ok(memory["loaded"]["rss"] <= memory["peak_rss"], "memory: %s" % memory)
        ok(load["bytes"] > 100 * load["requests"], "bytes: %s" % load)


@tap.case("smoke run: the manifest names machine, build, versions and options")
def _():
    run, _ = smoke_run()
    m = run.manifest
    for path in ("loopbench.version", "loopbench.commit", "loopbench.compiler", "loopbench.flags",
                 "machine", "versions", "generator.version", "cpus.server", "options.rounds",
                 "plan.seed"):
        at = m
        for key in path.split("."):
            at = (at or {}).get(key)
        ok(at not in (None, "", {}), "%s is missing: %s" % (path, at))
    for target in m["targets"]:
        ok(target["base"] == "null" or target.get("versions"), "versions: %s" % target)


@tap.case("smoke run: the report stands, with its plots")
def _():
    run, _ = smoke_run()
    if not GNUPLOT:
        raise Skip("gnuplot is not installed")
    for name in ("report.md", "report.json", "cells.csv", "plots/throughput-hello.svg",
                 "plots/percentiles-hello.png"):
        ok(os.path.getsize(run.path(name)) > 200, name)


@tap.case("a server that falls silent under the real wrk: hung, not a rate of 0")
def _():
    need_wrk()
    # A fresh process answers its ready request and nothing after it.
    with Box(FAKE_TARGET="b=hang-later,ok", FAKE_TARGET_AFTER="2") as box:
        ini = box.ini({"b": "%s --name b" % quote(FAKE_TARGET)}, wrk=WRK, verify="no",
                      trial_margin="8s")
        box.loopbench("run", ini, "--no-report", "--out", "out").expect(1)
        trial = Run(box.at("out")).of("b")[0]
        eq((trial["status"], trial["failure"], trial["rate"]), ("failed", "hung", None), "trial")
        has(trial["reason"], "no reply completed", "reason")


@tap.case("a warm-up shorter than a second is ended by SIGINT")
def _():
    run, _ = smoke_run()
    for t in run.trials:  # asked to end after 200 ms, of which its start takes some; given 2 s
        ok(0 < t["warmup_us"] < 1950000, "warm-up: %s" % t["warmup_us"])
    ok(max(t["warmup_us"] for t in run.trials) > 100000, "none had its time")


# ---- wrk itself ----

DUMP = """
function done(summary, latency, requests)
   local out = io.open(os.getenv("DUMP"), "w")
   out:write(string.format("duration %.0f requests %.0f timeout %.0f status %.0f\\n",
      summary.duration, summary.requests, summary.errors.timeout, summary.errors.status))
   out:write(string.format("p100 %.0f max %.0f\\n", latency:percentile(100), latency.max))
   for i = 1, #latency do
      local value, count = latency(i)
      out:write(string.format("%.0f %.0f\\n", value, count))
   end
   out:close()
end
"""


class Silent:
    """A listener that takes requests and never answers; knows who has asked."""

    def __init__(self):
        self.listener = socket.socket()
        self.listener.bind(("127.0.0.1", 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        self.asked = []
        self.thread = threading.Thread(target=self.take, daemon=True)
        self.thread.start()

    def take(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.hear, args=(client,), daemon=True).start()

    def hear(self, client):
        try:
            data = client.recv(4096)
            if data:
                self.asked.append(data)
                client.recv(4096)  # until it goes
        except OSError:
            pass
        client.close()

    def close(self):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()


def wrk(port, *options, path="/hello", script=None, box=None):
    need_wrk()
    words = [WRK, *options]
    env = dict(os.environ)
    if script:
        words += ["-s", box.write("dump.lua", script)]
        env["DUMP"] = box.at("dump")
    words.append("http://127.0.0.1:%d%s" % (port, path))
    return subprocess.run(words, env=env, capture_output=True, text=True, timeout=60, check=False)


class Server:
    def __init__(self, name):
        self.process = subprocess.Popen([os.path.join(SERVERS, "server-" + name), "--listen",
                                         "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        self.port = int(json.loads(self.process.stdout.readline())["listening"].split(":")[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=60)


@tap.case("wrk: opens floor(c/t) connections a thread and drops the rest; loopbench refuses that")
def _():
    plain_only()
    silent = Silent()
    result = wrk(silent.port, "-t2", "-c5", "-d1s")
    silent.close()
    eq(result.returncode, 0, "exit status")
    eq(len(silent.asked), 4, "connections")
    with Box() as box:
        box.loopbench("run", "--threads", "2", "--connections", "5").refused(
            2, "5 connections", "2 threads")


@tap.case("wrk: zero replies print nan and exit 0")
def _():
    plain_only()
    silent = Silent()
    result = wrk(silent.port, "-t1", "-c2", "-d1s")
    silent.close()
    eq(result.returncode, 0, "exit status")
    has(result.stdout, "nan%", "stdout")
    has(result.stdout, "0 requests in", "stdout")


@tap.case("wrk: SIGINT ends it early with status 0")
def _():
    plain_only()
    need_wrk()
    silent = Silent()
    process = subprocess.Popen([WRK, "-t1", "-c1", "-d60s", "http://127.0.0.1:%d/" % silent.port],
                               stdout=subprocess.PIPE, text=True)
    try:
        wait_for(lambda: silent.asked, "wrk asks")

        def ended():
            # One that comes before its handler is set, or just before its sleep, is lost.
            process.send_signal(signal.SIGINT)
            return process.poll() is not None
        wait_for(ended, "wrk ends")
        eq(process.returncode, 0, "exit status")
        has(process.communicate()[0], "requests in", "stdout")
    finally:
        process.kill()
        process.wait()
        silent.close()


@tap.case("wrk: refused connections are an error with status 1")
def _():
    plain_only()
    with socket.socket() as bound:  # and nobody listens, nor can anybody meanwhile
        bound.bind(("127.0.0.1", 0))
        result = wrk(bound.getsockname()[1], "-t1", "-c1", "-d1s")
    eq(result.returncode, 1, "exit status")
    has(result.stdout + result.stderr, "unable to connect", "output")


def recover(counts, interval):
    """method.md section 4: the raw histogram from the corrected one."""
    raw = dict(counts)
    for n in sorted(counts, reverse=True):
        if n < 2 * interval:
            break
        m = n - interval
        while raw.get(n, 0) > 0 and m > interval:
            raw[m] = raw.get(m, 0) - raw[n]
            m -= interval
    return {value: count for value, count in raw.items() if count}


@tap.case("wrk: done() gets the corrected histogram, from which the raw one comes back exactly; "
          "percentile(100) is 0")
def _():
    plain_only()
    need_wrk()
    with Server("libuv") as server, Box() as box:
        result = wrk(server.port, "-t1", "-c8", "-d1s", script=DUMP, box=box)
        eq(result.returncode, 0, result.stdout + result.stderr)
        with open(box.at("dump"), encoding="ascii") as f:
            lines = f.read().splitlines()
    head = dict(zip(lines[0].split()[::2], map(int, lines[0].split()[1::2])))
    p100, largest = map(int, re.fullmatch(r"p100 (\d+) max (\d+)", lines[1]).groups())
    counts = dict(tuple(map(int, line.split())) for line in lines[2:])
    eq(p100, 0, "percentile(100)")
    eq(largest, max(counts), "max")
    samples = head["requests"] - head["timeout"]
    ok(sum(counts.values()) > samples, "nothing was corrected in %d replies" % samples)
    interval = head["duration"] // (head["requests"] // 8)
    raw = recover(counts, interval)
    ok(min(raw.values()) > 0, "negative counts: %s" % raw)
    eq(sum(raw.values()), samples, "raw samples")


@tap.case("wrk: error replies count as requests; loopbench's rate leaves them out")
def _():
    plain_only()
    need_wrk()
    with Server("libuv") as server, Box() as box:
        wrk(server.port, "-t1", "-c2", "-d1s", path="/nothing", script=DUMP, box=box)
        with open(box.at("dump"), encoding="ascii") as f:
            words = f.readline().split()
    requests, status = int(words[3]), int(words[7])
    ok(requests > 0, "requests: %s" % words)
    eq(status, requests, "errors by status")


# ---- installation ----

def make(*words):
    env = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    # -o all: install what is built, whatever it was built with.
    result = subprocess.run(["make", "-C", ROOT, "-o", "all", "BUILD=" + BUILD, *words], env=env,
                            capture_output=True, text=True, timeout=120, check=False)
    eq(result.returncode, 0, "make %s: %s" % (words, result.stdout + result.stderr))


@tap.case("smoke replay: r1 on the servers that are here, which decides nothing")
def _():
    need_wrk()
    folder = os.path.join(BUILD, "smoke-replay")
    shutil.rmtree(folder, ignore_errors=True)
    with Box() as box:
        result = box.loopbench("replay", "r1", "--profile", "smoke", "--no-report", "--out", folder)
        result.expect(0)
        has(result.out, "15 claims: 0 hold, 0 do not hold, 15 cannot be told", "stdout")
    with open(os.path.join(folder, "parts.json"), encoding="utf-8") as f:
        parts = json.load(f)["parts"]
    eq([(p["name"], p["state"]) for p in parts],
       [("hello", "measured"), ("close", parts[1]["state"]), ("log", "measured"),
        ("wait", "measured")], "parts")
    # Part close is of guests only, which need not be installed.
    ok(parts[1]["state"] in ("measured", "left-out"), parts[1])
    for part in parts[0], parts[2], parts[3]:
        run = Run(os.path.join(folder, part["name"]))
        ok({"libevent", "libuv", "h2o"} <= {t["target"] for t in run.trials}, "our servers")
        ok(all("requests=300" in t["mode"] for t in run.trials), "mode")
    ok(os.path.exists(os.path.join(folder, "replay.html")), "no page")


@tap.case("make install: runs from anywhere, finds its servers and plot programs; make uninstall "
          "leaves nothing")
def _():
    need_wrk()
    with Box() as box:
        dest = box.at("dest dir")
        where = ["DESTDIR=" + dest, "PREFIX=/opt/loop bench"]
        make("install", *where)
        root = os.path.join(dest, "opt/loop bench")
        files = [n for n in tree(root) if os.path.isfile(os.path.join(root, n))]
        for name in ("bin/loopbench", "libexec/loopbench/server-h2o",
                     "share/loopbench/plots/style.gp", "share/loopbench/replays/r1.ini"):
            ok(name in files, "%s is not installed: %s" % (name, files))
        program = os.path.join(root, "bin/loopbench")
        result = box.loopbench("verify", executable=program, cwd="/").expect(0)
        has(result.out, "h2o", "stdout")
        result = box.loopbench("replay", "r1", "--dry-run", executable=program, cwd="/").expect(0)
        has(result.err, "part 1 of 4, hello", "stderr")
        if GNUPLOT:
            run = box.at("run")
            shutil.copytree(smoke_run()[0].folder, run)
            shutil.rmtree(os.path.join(run, "plots"))
            box.loopbench("report", run, executable=program, cwd="/").expect(0)
            ok(os.path.exists(os.path.join(run, "plots/throughput-hello.svg")), "no plots")
        make("uninstall", *where)
        left = [n for n in tree(dest) if not os.path.isdir(os.path.join(dest, n))]
        eq(left, [], "left by uninstall")


@tap.case("loopbench by a relative path and by the PATH finds its servers")
def _():
    with Box() as box:
        for words in ([os.path.relpath(LOOPBENCH, ROOT)], ["env", "loopbench"]):
            result = subprocess.run(
                words + ["run", "--dry-run", "--profile", "smoke"], cwd=ROOT, timeout=60,
                env=dict(box.env, PATH=SERVERS + ":" + os.environ["PATH"]), capture_output=True,
                text=True, check=False)
            eq((result.returncode, result.stderr), (0, ""), "status")
            has(result.stdout, "trials in 3 blocks", "stdout")


sys.exit(tap.finish())
