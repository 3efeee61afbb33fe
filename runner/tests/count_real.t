#!/usr/bin/python3
"""loopbench count with the real valgrind and strace, which take their time."""
import json
import os
import shutil
import sys

from command import SERVERS, Box, quote
from tap import Skip, Tap, eq, has, ok

tap = Tap()
FEW = ("--requests-low", "20", "--requests-high", "60", "--no-report")


def records(box, out):
    with open(box.at(out, "counts.jsonl"), encoding="utf-8") as f:
        return [json.loads(line) for line in f]


def needs(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip("%s is not installed" % program)
    with open(os.path.join(SERVERS, "server-libuv"), "rb") as f:
        if b"__asan_init" in f.read():
            raise Skip("valgrind cannot run a program with AddressSanitizer")


def valgrind_alone(box):
    """A PATH on which nothing else is."""
    folder = box.at("alone")
    os.mkdir(folder)
    for name in ("valgrind", "valgrind.bin"):  # Debian's is a script that calls its neighbour
        if shutil.which(name):
            os.symlink(shutil.which(name), os.path.join(folder, name))
    return folder


@tap.case("the real valgrind: a worker that is killed takes its counts with it")
def _():
    needs("valgrind")
    with Box() as box:
        box.env["PATH"] = valgrind_alone(box)
        server = os.path.join(SERVERS, "server-libuv")
        for how in ("KILL", "TERM"):
            box.write(how, "#!/bin/sh\ntrap 'kill -%s $p; wait $p; exit 0' TERM\n"
                      "%s \"$@\" &\np=$!\nwait\n" % (how, quote(server)), 0o755)
        config = box.ini(targets={how: "%s --listen {host}:{port}" % quote(box.at(how))
                                  for how in ("KILL", "TERM")}, workloads="hello")
        box.loopbench("count", config, "--out", box.at("counts"), *FEW, "--no-verify",
                      "--servers", SERVERS).expect(1)
        by = {r["target"]: r["figures"]["instructions"] for r in records(box, "counts")}
        ok(by["TERM"]["per_request"] > 1000, "TERM: %s" % by["TERM"])
        eq(by["KILL"]["state"], "missing", "KILL: %s" % by["KILL"])
        has(by["KILL"]["reason"], "was killed and left no counts", "KILL")


@tap.case("the real tools: counts come out again, and a known handicap is read back")
def _():
    needs("valgrind", "strace")
    loops = (1000, 21000)
    handicapped = ["by%d" % n for n in loops]
    config = "[run]\ntargets = libevent,libuv,h2o%s\n" + "".join(
        "\n[target by" + str(n) + "]\ncommand = {servers}/server-libuv --listen {host}:{port} "
        "--handicap-loops " + str(n) + "\nannounces = yes\n" for n in loops)
    with Box() as box:
        seen = {}
        # Once is enough for system calls: then only valgrind is there.
        alone = valgrind_alone(box)
        for turn in range(2):
            chosen = "," + ",".join(handicapped) if turn == 0 else ""
            if turn == 1:
                box.env["PATH"] = alone
            name = box.write("run%d.ini" % turn, config % chosen)
            out = box.at("real%d" % turn)
            result = box.loopbench(
                "count", name, "--targets", "libevent,libuv,h2o" + chosen, "--servers", SERVERS,
                "--requests-low", "200", "--requests-high", "1400", "--no-report", "--no-verify",
                "--out", out)
            ok(result.status in (0, 1), str(result))  # 1: strace may not trace everywhere
            for r in records(box, "real%d" % turn):
                f = r["figures"]
                eq(f["instructions"]["state"], "settled", "%s: %s" % (r["target"], f))
                seen.setdefault(r["target"], []).append(f["instructions"]["per_request"])
                allocations = f["allocations"]["per_request"]  # h2o's date needs one a second
                ok(allocations < 0.01, "%s: %s allocations" % (r["target"], allocations))
                if f["syscalls"]["state"] == "missing":  # ptrace may be forbidden, too
                    ok(f["syscalls"]["reason"], "a reason")
                else:
                    ok(f["syscalls"]["per_request"] < 3.01, "%s: %s" % (r["target"], r["calls"]))
        for target in ("libevent", "libuv", "h2o"):
            least, most = min(seen[target]), max(seen[target])
            eq(len(seen[target]), 2, target)
            ok(most / least < 1.001, "%s: %s" % (target, seen[target]))
        less, more = (seen[name][0] for name in handicapped)
        between = 2 * (loops[1] - loops[0])
        ok(abs((more - less) / between - 1) < 0.0015, "%d were read as %g" % (between, more - less))
        call = less - seen["libuv"][0] - 2 * loops[0]  # what it takes to call it
        ok(0 < call < 25, "%g more than 2 x %d" % (call, loops[0]))


sys.exit(tap.finish())
