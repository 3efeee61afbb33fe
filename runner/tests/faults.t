#!/usr/bin/python3
"""Faults made to happen to real servers under real wrk: each must end in its flag or its failure.

Every case is one or two trials of a second or two.
"""
import os
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import LOOPBENCH, SERVERS, Box, Run, count_lines, quote, wait_for  # noqa: E402
from tap import Skip, Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
CPUS = sorted(os.sched_getaffinity(0))
OPTIONS = ["--servers", SERVERS, "--targets", "libuv", "--aa-control", "off", "--no-null-server",
           "--no-verify", "--no-report", "--rounds", "1", "--duration", "1s", "--warmup", "0s",
           "--repeat-blocks", "0", "--workloads", "hello"]

SPIN = "import os\nos.sched_setaffinity(0, {%d})\nwhile True: pass"

# Answers soundly once (to be ready), then as its first argument says: "all" errors, or "half" of
# them; "silent" says nothing any more after 50 replies, "hang" none from then on; "one" leaves
# the 400th request unanswered; "late" stops 0.7 s after its 20th reply; "redirect" sends every 50th
# request of a connection elsewhere, which the runner's own do not reach; "sleepy" answers one after another and sleeps 10 ms over each.
SERVER = """#!/usr/bin/python3
import asyncio, sys, time
mode, port, seen, begun = sys.argv[1], int(sys.argv[2]), 0, 0
async def serve(reader, writer):
    global seen, begun
    here = 0
    while await reader.readuntil(b"\\r\\n\\r\\n"):
        seen += 1
        if mode == "sleepy" and seen > 1:
            time.sleep(0.01)
        if mode == "silent" and seen > 50 or mode == "hang" and seen > 1:
            await asyncio.sleep(3600)
        if mode == "one" and seen == 400:
            await asyncio.sleep(3600)
        begun = time.monotonic() if seen == 20 else begun
        if mode == "late" and seen > 20 and time.monotonic() > begun + 0.7:
            await asyncio.sleep(3600)
        here += 1
        if mode == "redirect" and here % 50 == 0:
            writer.write(b"HTTP/1.1 302 Found\\r\\nLocation: /x\\r\\nContent-Length: 0\\r\\n\\r\\n")
            continue
        bad = seen > 1 and (mode == "all" or mode == "half" and seen % 2 == 0)
        status = b"500 Internal Server Error" if bad else b"200 OK"
        writer.write(b"HTTP/1.1 " + status + b"\\r\\nContent-Type: text/plain\\r\\n"
                     b"Content-Length: 12\\r\\n\\r\\nHello world!")
async def main():
    def lost(loop, context):
        pass
    asyncio.get_running_loop().set_exception_handler(lost)
    server = await asyncio.start_server(serve, "127.0.0.1", port, backlog=1024)
    await server.serve_forever()
asyncio.run(main())
"""


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip("%s is not installed" % program)


def run(box, *options, **how):
    """A run with one libuv server; how["during"] is called with the process while it goes on."""
    during = how.pop("during", None)
    verify = how.pop("verify", False)
    words = ["run", *(o for o in OPTIONS if not verify or o != "--no-verify"), "--out", box.at("run"),
             *options]
    before = how.pop("before", None)
    if before:
        how["executable"] = shutil.which(before[0])
        words = before[1:] + [LOOPBENCH] + words
    process = box.start(*words, **how)
    try:
        if during:
            during()
    finally:
        result = box.finish(process)
    box.nothing_left(str(result))
    return result


def trials(box):
    return Run(box.at("run")).trials


def pids(box, part):
    return [pid for pid, line in box.running() if part in line and "loopbench" not in line]


def worked(pid):
    """Clock ticks of CPU that a process has used; 0 when it is gone."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
            fields = f.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    except OSError:
        return 0


def under_load(box, part):
    """The server's pid, once requests keep it busy."""
    def busy():
        servers = [p for p in pids(box, part) if worked(p) > 5] if pids(box, "wrk") else []
        return servers and servers[0]
    return wait_for(busy, "a busy server")


def fault_server(box, mode):
    """A configuration whose target is SERVER in that mode."""
    box.write("server.py", SERVER, 0o755)
    return box.write("run.ini", "[run]\n[target fault]\ncommand = %s %s {port}\n" % (
        quote(box.at("server.py")), mode))


@tap.case("a neighbour on the generator's CPU is seen; the block is run again, then kept")
def _():
    needs("wrk")
    if len(CPUS) < 2:
        raise Skip("needs two CPUs")
    with Box() as box:
        neighbour = subprocess.Popen([sys.executable, "-c", SPIN % CPUS[1]])
        try:
            result = run(box, "--connections", "8", "--repeat-blocks", "100", "--server-cpus",
                         str(CPUS[0]), "--generator-cpus", str(CPUS[1])).expect(0)
        finally:
            neighbour.kill()
            neighbour.wait()
        found = trials(box)
        eq([t["attempt"] for t in found], [0, 1], "attempts")
        for t in found:
            ok("foreign-cpu-invalid" in t["flags"], "flags: %s" % t["flags"])
            ok(t["environment"]["foreign_cpus"] > 0.1, "foreign: %s" % t["environment"])
        has(result.err, "again: foreign-cpu ", "progress")
        has(result.err, "(libuv hello c=8 round 1)", "progress")
        has(result.err, "run again 1 time, as often as --repeat-blocks 100 allows", "progress")
        eq(Run(box.at("run")).manifest["options"]["repeat-blocks"], "100", "recorded")


def hung(box):
    """A run of a server that hangs as soon as it is measured, whose one block may be repeated."""
    ini = fault_server(box, "hang")
    result = run(box, ini, "--targets", "fault", "--connections", "8", "--repeat-blocks", "200",
                 "--server-cpus", str(CPUS[0]), "--generator-cpus", str(CPUS[-1])).expect(1)
    found = trials(box)
    for t in found:
        eq((t["status"], t["failure"], t["rate"]), ("failed", "hung", None), "trial")
        ok(t["environment"]["steal_ratio"] is not None, "environment: %s" % t["environment"])
        ok(t["environment"]["speed_after"] > 0, "environment: %s" % t["environment"])
        ok("unknown" not in t["flags"], "flags: %s" % t["flags"])
    return found, result


@tap.case("a trial that fails beside a neighbour is flagged; its block is run again, then kept")
def _():
    needs("wrk")
    if len(CPUS) < 2:
        raise Skip("needs two CPUs")
    with Box() as box:
        neighbour = subprocess.Popen([sys.executable, "-c", SPIN % CPUS[1]])
        try:
            found, result = hung(box)
        finally:
            neighbour.kill()
            neighbour.wait()
        eq([t["attempt"] for t in found], [0, 1, 2], "attempts")
        for t in found:
            ok("foreign-cpu-invalid" in t["flags"], "flags: %s" % t["flags"])
            ok(t["environment"]["foreign_cpus"] > 0.1, "foreign: %s" % t["environment"])
        has(result.err, "again: foreign-cpu ", "progress")
        has(result.err, "(fault hello c=8 round 1)", "progress")


@tap.case("a trial that fails on a quiet machine stays failed, and is not tried again")
def _():
    needs("wrk")
    with Box() as box:
        found, _ = hung(box)
        ok(found[0]["environment"]["foreign_cpus"] is not None, "foreign is read")
        disturbed = any(f.endswith("-invalid") for f in found[0]["flags"])
        eq(len(found) > 1, disturbed, "run again where it was disturbed: %s" % found[0]["flags"])


@tap.case("repeats end with their allowance, and a resumed run goes on counting")
def _():
    needs("wrk")
    if len(CPUS) < 2:
        raise Skip("needs two CPUs")
    with Box() as box:
        neighbour = subprocess.Popen([sys.executable, "-c", SPIN % CPUS[1]])
        trace = box.at("run", "trials.jsonl")
        try:
            # 34% of 3 blocks, rounded up, are 2: the first block takes them both.
            process = box.start("run", *OPTIONS, "--out", box.at("run"), "--connections", "8",
                                "--rounds", "3", "--repeat-blocks", "34", "--server-cpus",
                                str(CPUS[0]), "--generator-cpus", str(CPUS[1]))
            wait_for(lambda: count_lines(trace) >= 2, "two trials")
            process.send_signal(signal.SIGINT)
            box.finish(process).expect(1)
            before = count_lines(trace)
            ok(2 <= before < 5, "%d trials before the interrupt" % before)
            result = box.loopbench("run", "--resume", box.at("run"), "--no-report").expect(0)
        finally:
            neighbour.kill()
            neighbour.wait()
        found = [(t["round"], t["attempt"]) for t in trials(box)]
        eq(found, [(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)], "rounds and attempts")
        has(result.err, "disturbed blocks were run again 2 times", "progress")
        # One block, twice: the last lines and the report count blocks, and the same ones.
        has(result.err, ", 1 block run again\n", "last lines")
        box.loopbench("report", box.at("run")).expect(0)
        has(Run(box.at("run")).text("report.md"), "1 of 3 blocks run again", "report")


@tap.case("a server stopped for 300 ms shows in max, in p99.9 and as a stall of all connections")
def _():
    needs("wrk")
    with Box() as box:
        def stop():
            pid = under_load(box, "server-libuv")
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.3)  # the fault itself
            os.kill(pid, signal.SIGCONT)
        run(box, "--connections", "400", "--duration", "2s", during=stop).expect(0)
        t, = trials(box)
        ok(t["raw"]["max_us"] >= 290000, "max: %s" % t["raw"])
        ok(t["raw"]["p999_us"] >= 250000, "p99.9: %s" % t["raw"])
        ok(t["stall_us"] >= 250000, "stall: %s" % t["stall_us"])
        ok("stall-warn" in t["flags"], "flags: %s" % t["flags"])


@tap.case("a listen queue that is too short is an overflow")
def _():
    needs("wrk")
    # A server that accepts as fast as wrk connects keeps even a queue of one short: not every time.
    for _ in range(5):
        with Box() as box:
            run(box, "--connections", "1000", "--backlog", "1", "--duration", "1s")
            t, = trials(box)
            eq("listen-overflows-invalid" in t["flags"],
               t["environment"]["listen_overflows"] > 0, "flags: %s" % t["flags"])
            if t["environment"]["listen_overflows"] > 0:
                return
    ok(False, "no overflow in five runs")


def quota_group():
    """A new control group allowed a fifth of a CPU: (folder to enter, all folders to remove)."""
    with open("/proc/self/mountinfo", encoding="utf-8") as f:
        mounts = [(line.split()[4], line.split(" - ")[1].split()) for line in f]
    name = "loopbench-test-%d" % os.getpid()
    for point, (kind, _, options) in mounts:
        v1 = kind == "cgroup" and "cpu" in options.split(",")
        if not v1 and kind != "cgroup2":
            continue
        folder = os.path.join(point, name)
        try:
            if not v1:
                with open(os.path.join(point, "cgroup.subtree_control"), encoding="ascii") as f:
                    if "cpu" not in f.read().split():
                        continue
            os.mkdir(folder)
        except OSError:
            continue
        try:
            limits = (("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "20000")) if v1 else (
                ("cpu.max", "20000 100000"),)
            for file, value in limits:
                with open(os.path.join(folder, file), "w", encoding="ascii") as f:
                    f.write(value)
            return folder
        except OSError:
            os.rmdir(folder)
    raise Skip("no cpu controller of a control group can be written here")


def remove_group(folder):
    def gone():
        try:
            os.rmdir(folder)
            return True
        except OSError:
            return False
    wait_for(gone, "the control group to be empty")


@tap.case("a CPU quota that bites is throttling")
def _():
    needs("wrk")
    folder = quota_group()
    try:
        with Box() as box:
            def enter():
                with open(os.path.join(folder, "cgroup.procs"), "w", encoding="ascii") as f:
                    f.write("0")
            run(box, "--connections", "8", preexec_fn=enter).expect(0)
            t, = trials(box)
            ok(t["environment"]["throttled"] > 0, "environment: %s" % t["environment"])
            ok("throttled-invalid" in t["flags"], "flags: %s" % t["flags"])
    finally:
        remove_group(folder)


@tap.case("a quota of the server's own control group is throttling, too")
def _():
    needs("wrk")
    folder = quota_group()
    try:
        with Box() as box:
            command = "echo 0 >%s && exec %s --listen 127.0.0.1:{port}" % (
                quote(os.path.join(folder, "cgroup.procs")),
                quote(os.path.join(SERVERS, "server-libuv")))
            ini = box.write("run.ini", "[run]\n[target slow]\ncommand = sh -c %s\n" % quote(command))
            run(box, ini, "--targets", "slow", "--connections", "8").expect(0)
            t, = trials(box)
            ok(t["environment"]["throttled"] > 0, "environment: %s" % t["environment"])
            ok("throttled-invalid" in t["flags"], "flags: %s" % t["flags"])
    finally:
        remove_group(folder)


@tap.case("half the replies are errors: only the good ones are throughput, and it is flagged")
def _():
    needs("wrk")
    with Box() as box:
        run(box, fault_server(box, "half"), "--targets", "fault", "--connections", "4").expect(0)
        t, = trials(box)
        load = t["load"]
        ok(0 < load["errors_status"] < load["requests"], "load: %s" % load)
        good = (load["requests"] - load["errors_status"]) / load["duration_us"] * 1e6
        ok(abs(t["rate"] - good) < 1e-6 * good, "rate %s, good replies %s" % (t["rate"], good))
        ok("errors-warn" in t["flags"], "flags: %s" % t["flags"])


@tap.case("a server that answers nothing but errors has failed")
def _():
    needs("wrk")
    with Box() as box:
        result = run(box, fault_server(box, "all"), "--targets", "fault", "--connections",
                     "4").expect(1)
        t, = trials(box)
        eq((t["status"], t["failure"]), ("failed", "other"), "status")
        has(t["reason"], "every reply was an error", "reason")
        eq(t["load"]["errors_status"], t["load"]["requests"], "errors")
        eq(t["rate"], None, "rate")
        has(result.err, "every reply was an error", "progress")


@tap.case("what the warm-up leaves to a slow server is answered before the window, though it only sleeps")
def _():
    needs("wrk")
    with Box() as box:
        # Of 200 requests that are left, each takes 10 ms: the whole of a window.
        run(box, fault_server(box, "sleepy"), "--targets", "fault", "--connections", "200", "--warmup", "500ms",
            "--timeout", "10s", verify=True).expect(0)
        t, = trials(box)
        eq((t["status"], t["reason"]), ("ok", ""), "trial")
        ok(30 < t["rate"] < 110, "rate %s, 100 is what it can" % t["rate"])


@tap.case("one connection of 500 that hangs is found")
def _():
    needs("wrk")
    with Box() as box:
        run(box, fault_server(box, "one"), "--targets", "fault", "--connections", "500",
            "--duration", "4s").expect(0)
        t, = trials(box)
        eq(t["load"]["silent"], 1, "silent connections")
        ok("silent-warn" in t["flags"], "flags: %s" % t["flags"])


@tap.case("a server that falls silent early in the window hangs: a recorded failure")
def _():
    needs("wrk")
    with Box() as box:
        result = run(box, fault_server(box, "silent"), "--targets", "fault", "--connections", "4")
        t, = trials(box)
        ok(0 < t["load"]["requests"] <= 50, "load: %s" % t["load"])
        ok(t["active_ratio"] < 0.5, "active: %s" % t["active_ratio"])
        ok("silent-warn" in t["flags"], "flags: %s" % t["flags"])
        if "foreign-cpu-invalid" in t["flags"]:
            return  # a machine that others keep busy may be why: invalid, but no proof of a hang
        result.expect(1)
        eq((t["status"], t["failure"], t["rate"]), ("failed", "hung", None), "trial")
        has(t["reason"], "4 of 4 connections received nothing in the last half of the window; %d "
            "replies came before" % t["load"]["requests"], "reason")
        has(result.err, "hung", "progress")


@tap.case("a server that falls silent late has no reply for the runner: a recorded failure")
def _():
    needs("wrk")
    with Box() as box:
        run(box, fault_server(box, "late"), "--targets", "fault", "--connections", "4",
            verify=True).expect(1)
        t, = trials(box)
        eq((t["status"], t["failure"], t["rate"]), ("failed", "hung", None), "trial")
        ok(re.match(r"no reply in ([5-9]|[0-9]{2,})\.[0-9] s to a request of the runner's own after the window; "
                    r"[0-9]+ replies came before$", t["reason"]), "reason: %s" % t["reason"])


@tap.case("a status that no generator counts as an error is flagged by the replies' length")
def _():
    needs("wrk")
    with Box() as box:
        run(box, fault_server(box, "redirect"), "--targets", "fault", "--connections", "4",
            "--warmup", "1s", verify=True).expect(0)
        t, = trials(box)
        eq(t["load"]["errors_status"], 0, "load: %s" % t["load"])
        eq(t["reply_bytes"], len("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                                 "Content-Length: 12\r\n\r\nHello world!"), "checked replies")
        ok("reply-size-warn" in t["flags"], "flags: %s" % t["flags"])


@tap.case("a server that answers nothing at all hangs: a recorded failure")
def _():
    needs("wrk")
    with Box() as box:
        box.write("server.py", SERVER.replace("seen > 50", "seen > 1"), 0o755)
        ini = box.write("run.ini", "[run]\n[target fault]\ncommand = %s silent {port}\n" % quote(
            box.at("server.py")))
        result = run(box, ini, "--targets", "fault", "--connections", "4").expect(1)
        t, = trials(box)
        eq((t["status"], t["failure"]), ("failed", "hung"), "status")
        eq(t["rate"], None, "rate")
        has(result.err, "hung", "progress")


# What tells of a disturbed machine. A wait or a full queue of the length that is flagged, where
# others caused it, is flagged by one of these too.
NOISE = ("foreign-cpu-", "steal-", "speed-shift-", "throttled-")
# What the kernel counts for all programs of a network namespace.
NETWORK = ("listen-", "retransmits-", "ports-", "conntrack-")


def alone():
    """What to put before a program so that the kernel's network counters are its own: [] = nothing."""
    words = ["unshare", "--map-root-user", "--net", sys.executable, "-c",
             "import fcntl, os, socket, struct, sys\n"
             "fcntl.ioctl(socket.socket(), 0x8914, struct.pack('16sh14x', b'lo', 0x49))\n"
             "os.execvp(sys.argv[1], sys.argv[1:])"]  # SIOCSIFFLAGS: IFF_UP, _LOOPBACK, _RUNNING
    tried = shutil.which("unshare") and subprocess.run(words + ["true"], capture_output=True, check=False)
    return words if tried and tried.returncode == 0 else []


@tap.case("a quiet run of a sound server has none of these flags")
def _():
    needs("wrk")
    before = alone()
    others = () if before else NETWORK
    for _ in range(10):
        with Box() as box:
            run(box, "--connections", "64", before=before).expect(0)
            t, = trials(box)
        if any(flag.startswith(NOISE) for flag in t["flags"]):
            continue
        eq([flag for flag in t["flags"] if not flag.startswith(others)], [], "flags of a quiet run")
        return
    raise Skip("the machine was busy in each of ten runs")


sys.exit(tap.finish())
