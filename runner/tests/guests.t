#!/usr/bin/python3
"""Bring your own server: guests found by their folders, `init`, `verify`, `targets`."""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run  # noqa: E402
from guest import Guests, SECTION, SERVER  # noqa: E402
from tap import Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()


@tap.case("a ninth guest is a folder and no line of code: run, verify, targets, report")
def _():
    with Guests() as box:
        box.guest("ninth")
        box.guest("absent", section="[target absent]\ncommand = no-such-program-%(how)s {port}\n"
                                    "package = some-package\n")
        box.guest("unbuilt", section="[target unbuilt]\ncommand = no-such-program-%(how)s {port}\n"
                                     "install = make unbuilt\n")
        brings = "not installed; `make unbuilt` brings it"
        listed = box.loopbench("targets", "--guests", box.guests).expect(0).out
        has(listed, "unbuilt\n  kind       guest\n  installed  no: " + brings, "targets")
        result = box.measure("--targets", "libuv,absent,ninth,unbuilt", "--workloads", "hello,json")
        result.expect(0)
        has(result.err, "absent is left out: not installed; `apt-get install some-package`", "stderr")
        has(result.err, "unbuilt is left out: " + brings, "stderr")
        run = Run(box.at("out"))
        eq({t["target"] for t in run.trials}, {"libuv", "ninth"}, "targets")
        eq({t["status"] for t in run.trials}, {"ok"}, "status")
        eq(run.manifest["left_out"],
           [{"name": "absent", "reason": "not installed", "package": "some-package"},
            {"name": "unbuilt", "reason": brings, "package": None}], "left out")
        entry = [t for t in run.manifest["targets"] if t["name"] == "ninth"][0]
        has(entry["versions"]["version"], "Python 3", "version")
        eq(entry["command"][2], "{dir}/server.py", "the command names no folder")
        sizes = {r["workload"]: r["head_bytes"] + r["body_bytes"] for r in entry["replies"]}
        eq(set(sizes), {"hello", "json"}, "verified")
        eq([r["same_body"] for r in entry["replies"]], [True, False], "bodies")
        report = run.text("report.md")
        has(report, "Servers that are not built in", "report")
        has(report, "absent was left out: not installed", "report")
        has(report, "whoever tests that a folder is enough", "report")
        has(run.text("config.ini"), "\n[target ninth]\nguest = yes\ncommand = /usr/bin/python3 -IS "
            "{dir}/server.py serve {host} {port} %s\n" % box.state, "config.ini")
        hasnt(run.text("config.ini"), "[target absent]", "config.ini")
        again = box.loopbench("verify", "--guests", box.guests, "ninth").expect(0)
        has(again.out, "ninth beside libevent", "verify")
        has(again.out, "same body", "verify")
        has(again.out, "A comparison would be fair but for the bytes: ninth sends", "verify")
        listed = box.loopbench("targets", "--guests", box.guests).expect(0)
        has(listed.out, "no: apt-get install some-package", "targets")
        has(listed.out, "whoever tests", "targets")


@tap.case("a run keeps what its guests were: a changed one is noticed, and not resumed with")
def _():
    with Guests() as box:
        box.guest("ninth")
        box.measure("--targets", "libuv,ninth", "--workloads", "hello").expect(0)
        ini = box.at("out", "config.ini")
        how = ("--guests", box.guests, "--no-report", "--quiet")
        same = box.loopbench("run", ini, *how, "--out", box.at("same")).expect(0)
        hasnt(same.err, "target.ini", "unchanged")
        eq(Run(box.at("same")).text("config.ini").split("[target")[1:],
           Run(box.at("out")).text("config.ini").split("[target")[1:], "sections")
        box.write("guests/ninth/target.ini", SECTION.replace("whoever", "somebody who") % {
            "name": "ninth", "how": "never-started", "state": box.state, "grace": "2s"})
        again = box.loopbench("run", ini, *how, "--out", box.at("again")).expect(0)
        note = "ninth ran as the configuration has it: its target.ini says something else now"
        has(again.err, "note: " + note, "stderr")
        eq(Run(box.at("again")).manifest["notes"], [note], "notes")
        has(Run(box.at("again")).text("config.ini"), "server.py serve {host}", "what ran")
        trials = Run(box.at("again")).text("trials.jsonl").splitlines(True)
        box.write("again/trials.jsonl", "".join(trials[:-1]))
        box.loopbench("run", "--resume", box.at("again")).refused(
            2, "the target.ini of ninth is not what it was when", "was begun")
        os.remove(os.path.join(box.guests, "ninth", "target.ini"))
        box.loopbench("run", ini, *how, "--out", box.at("none")).refused(
            2, "target 'ninth' is a guest, and there is none of that name in", "--guests")


@tap.case("a baseline that is not installed is left out, and all pairs are compared")
def _():
    with Guests() as box:
        box.guest("absent", section="[target absent]\ncommand = nowhere-%(how)s {port}\n")
        result = box.measure("--targets", "libuv,h2o,absent", "--baseline", "absent",
                             "--workloads", "hello").expect(0)
        eq([line for line in result.err.splitlines() if "absent" in line],
           ["absent is left out: not installed; it was the baseline: all pairs are compared"], "stderr")
        ok("baseline" not in Run(box.at("out")).manifest["options"], "recorded as the baseline")


@tap.case("nothing is left to measure when the only guest is not installed: status 3")
def _():
    with Guests() as box:
        box.guest("absent", section="[target absent]\ncommand = nowhere-%(how)s {port}\n"
                                    "package = p\n")
        for words in (("verify", "absent"), ("run", "--targets", "absent")):
            box.loopbench(words[0], "--guests", box.guests, *words[1:]).refused(
                3, "nothing is left to measure", "absent", "apt-get install p")


@tap.case("wrong guests are refused, each in one line that names the file")
def _():
    wrong = (("[target other]\ncommand = x {port}\n", "target.ini:1", "[target w]"),
             ("[run]\nrounds = 1\n", "target.ini:1", "[target w]"),
             ("[target w]\ncommand = x {port}\n[target w2]\n", "target.ini:3", "one section"),
             ("; nothing\n", "target.ini", "no section"),
             ("probe = true\n[target w]\ncommand = x {port}\n", "target.ini:1", "before the section"),
             ("[target w]\nready = /\n", "target.ini:1", "no command"),
             ("[target w]\ncommand = x {port}\npaths = hello=x\n", "target.ini:3", "WORKLOAD=/PATH"),
             ("[target w]\ncommand = x {port}\npaths = nope=/\n", "paths", "'nope'"),
             ("[target w]\ncommand = x {port}\npackage = a;b\n", "target.ini:3", "package"),
             ("[target w]\ncommand = x {port} {dirr}\n", "target.ini:1", "{dirr}"),
             ("[target w]\ncommand = x {port}\nlog-options = {nope}\n", "target.ini:1", "{nope}"),
             ("[target w]\ncommand = x {port}\nstop-grace = -1s\n", "target.ini:3", "stop-grace"))
    with Guests() as box:
        os.mkdir(os.path.join(box.guests, "w"))
        for text, *parts in wrong:
            box.write("guests/w/target.ini", text)
            box.loopbench("verify", "--guests", box.guests, "w").refused(2, *parts)
        box.loopbench("verify", "--guests", box.guests, "none").refused(2, "none")
        box.loopbench("verify", "--guests", box.guests, "..").refused(2, "..")


@tap.case("a section of the user's wins over a guest of its name; a guest cannot log unless it says")
def _():
    with Guests() as box:
        box.guest("mine", how="never-started")
        box.write("server.py", SERVER)
        box.write("x.ini", "[target mine]\ncommand = /usr/bin/python3 -IS {dir}/server.py serve "
                  "{host} {port} %s\nready = /\nworkloads = hello\npaths = hello=/\n" % box.state)
        result = box.loopbench("verify", "--config", box.at("x.ini"), "--guests", box.guests, "mine")
        result.expect(0)
        hasnt(result.out, "/json", "verify")
        box.loopbench("run", "--guests", box.guests, "--targets", "mine", "--access-log", "on",
                      "--no-null-server").refused(2, "target 'mine' writes none")


@tap.case("init writes a file that verify finds; it is not written over; wrong names are refused")
def _():
    with Box() as box:
        has(box.loopbench("init", "mine").expect(0).out, "mine.ini", "init")
        before = box.at("mine.ini")
        with open(before, encoding="utf-8") as f:
            text = f.read()
        result = box.loopbench("verify", "mine").expect(0)
        has(result.out, "A comparison would be fair", "verify")
        has(result.out, "mine still runs the server of the skeleton", "verify")
        box.loopbench("init", "mine").refused(2, "mine.ini is there already")
        with open(before, encoding="utf-8") as f:
            eq(f.read(), text, "mine.ini")
        for name in ("libuv", "../x", ".x", "a@bridge", "all", "-x"):
            eq(box.loopbench("init", "--", name).status, 2, name)
        eq(sorted(os.listdir(box.path)), ["mine.ini", "tmp"], "files")
        box.loopbench("verify", "other").refused(2, "no target is called 'other'")


@tap.case("every key of the skeleton is one that is read")
def _():
    with Box() as box:
        box.loopbench("init", "mine").expect(0)
        with open(box.at("mine.ini"), encoding="utf-8") as f:
            text = f.read()
        skipped = ("url", "process", "restart-signal", "cwd")  # not beside a command, or not there
        lines = [line[1:] if line.startswith(";") and line[1:2].isalpha()
                 and line[1:].split(" = ")[0] not in skipped else line
                 for line in text.splitlines()]
        for said in ("paths", "stop-grace", "dies-by-signal", "about", "image", "log-options"):
            ok(any(line.startswith(said + " = ") for line in lines), said)
        box.write("mine.ini", "\n".join(lines).replace("node --version", "true"))
        result = box.loopbench("targets", "--config", "mine.ini").expect(0)
        has(result.out, "my own server", "targets")


@tap.case("a server that answers wrongly, or nothing: status 1, and what to say")
def _():
    with Guests() as box:
        box.guest("bad", section=SECTION.replace("json=/api", "json=/"))
        result = box.loopbench("verify", "--guests", box.guests, "bad").expect(1)
        has(result.out, "Not to be compared: 1 workload is answered wrongly", "verify")
        box.guest("none", section=SECTION.replace("workloads = hello,json\n", "")
                  .replace("hello=/ json=/api", "hello=/x"))
        result = box.loopbench("verify", "--guests", box.guests, "none").expect(1)
        has(result.out, "none serves no workload", "verify")


@tap.case("a server that prints more than a pipe holds, for each request: verified all the same")
def _():
    with Guests() as box:
        box.guest("talker", "prints")
        result = box.loopbench("verify", "--guests", box.guests, "talker").expect(0)
        has(result.out, "A comparison would be fair but for the bytes", "verify")


@tap.case("a server that closes connections without a word: not fair where they are kept")
def _():
    with Guests() as box:
        box.guest("dropper", "drops")
        result = box.loopbench("verify", "--guests", box.guests, "dropper").expect(0)
        has(result.out, "Not fair on kept connections: dropper closes them", "verify")


@tap.case("targets: folders that cannot be guests, and a folder of guests that is not there, are told of")
def _():
    with Guests() as box:
        for name in ("good", "a b", "libuv"):
            box.guest(name)
        box.guest("odd", section="[target odd]\ncomand = x\n")
        listed = box.loopbench("targets", "--guests", box.guests).expect(0)
        for why in ("guest: 'a b' is not a name", "guest libuv: a server of ours is called so",
                    "guest odd: target.ini:2: a target has no 'comand'"):
            has(listed.err, why, "stderr")
        has(listed.out, "\ngood\n", "stdout")
        box.loopbench("targets", "--guests", "/no/such").refused(2, "guests: cannot read /no/such: No such")


sys.exit(tap.finish())
