#!/usr/bin/python3
"""Bad input: one line that says what, where and what to do; the right exit status; nothing made."""
import json
import os
import pwd
import shutil
import socket
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run, tree, FAKE_TARGET, FAKE_WRK, LOOPBENCH, SERVERS, quote  # noqa: E402
from tap import Skip, Tap, eq, has, ok  # noqa: E402

tap = Tap()
RUN = ["run", "--wrk", FAKE_WRK, "--servers", SERVERS, "--no-report"]

# arguments, exit status, what the line must hold
ARGUMENTS = [
    (["measure"], 2, ["no command is called 'measure'", "loopbench help"]),
    (["rum"], 2, ["no command is called 'rum'", "did you mean 'run'?"]),
    (["--rounds", "3"], 2, ["--rounds", "a command comes first", "loopbench help"]),
    (["run", "--round", "3"], 2, ["--round", "unknown option", "did you mean --rounds?"]),
    (["run", "--frobnicate"], 2, ["--frobnicate", "unknown option", "loopbench help run"]),
    (["run", "-r", "3"], 2, ["-r", "unknown option", "loopbench help run"]),
    (["report", "--rounds", "3", "x"], 2, ["--rounds", "unknown option"]),
    (["run", "--rounds"], 2, ["--rounds", "a value is missing"]),
    (["run", "--rounds", "--quiet"], 2, ["--rounds", "a value is missing"]),
    (["run", "--no-verify=yes"], 2, ["--no-verify", "takes no value"]),
    (["run", "a.ini", "b.ini"], 2, ["b.ini", "one operand too many"]),
    (["report"], 2, ["report", "name a results folder"]),
    (["help", "rnu"], 2, ["rnu"]),
    (["doctor", "x"], 2, ["x", "operand"]),
    (["run", "--targets", "libeven"], 2, ["--targets", "libeven", "did you mean 'libevent'?"]),
    (["run", "--targets", "tomcat"], 2, ["--targets", "no target is called 'tomcat'", "[target"]),
    (["run", "--targets", ""], 2, ["--targets"]),
    (["run", "--targets", "h2o,h2o"], 2, ["--targets", "h2o"]),
    (["verify", "libuf"], 2, ["libuf", "did you mean 'libuv'?"]),
    (["run", "--workloads", "jsom"], 2, ["--workloads", "jsom", "did you mean 'json'?"]),
    (["run", "--workloads", "everything"], 2, ["--workloads", "everything", "help run"]),
    (["run", "--profile", "quik"], 2, ["--profile", "quik", "quick"]),
    (["run", "--rounds", "0"], 2, ["--rounds", "0", "1"]),
    (["run", "--rounds", "-1"], 2, ["--rounds", "-1 is out of range", "from 1 to 10000"]),
    (["run", "--rounds", "many"], 2, ["--rounds", "many"]),
    (["run", "--rounds", "3x"], 2, ["--rounds", "3x"]),
    (["run", "--rounds", "99999999999999999999"], 2, ["--rounds"]),
    (["run", "--rounds", "10001"], 2, ["--rounds", "10000"]),
    (["run", "--connections", "10,,100"], 2, ["--connections"]),
    (["run", "--connections", "10,0"], 2, ["--connections"]),
    (["run", "--connections", "1000001"], 2, ["--connections", "1000000"]),
    (["run", "--connections", "10;100"], 2, ["--connections", "10;100"]),
    (["run", "--connections", "10,10"], 2, ["--connections", "10"]),
    (["run", "--duration", "1500ms"], 2, ["--duration", "whole", "2s"]),
    (["run", "--duration", "0s"], 2, ["--duration", "1s"]),
    (["run", "--duration", "2 parsecs"], 2, ["--duration", "2 parsecs"]),
    (["run", "--duration", "-2s"], 2, ["--duration"]),
    (["run", "--duration", "2h"], 2, ["--duration", "1h"]),
    (["run", "--warmup", "11m"], 2, ["--warmup", "10m"]),
    (["run", "--timeout", "1500ms"], 2, ["--timeout", "whole"]),
    (["run", "--threads", "3", "--connections", "9,10"], 2,
     ["10 connections", "3 threads", "divisible by 3"]),
    (["run", "--threads", "3"], 2, ["10 connections", "3 threads"]),  # of the profile's
    (["run", "--seed", "x"], 2, ["--seed", "x"]),
    (["run", "--seed", "18446744073709551616"], 2, ["--seed"]),
    (["run", "--margin", "nan"], 2, ["--margin"]),
    (["run", "--margin", "60"], 2, ["--margin", "50"]),
    (["run", "--aa-control", "nobody"], 2, ["--aa-control", "nobody", "on"]),
    (["run", "--targets", "null"], 2, ["null", "--no-null-server"]),
    (["run", "--handicap", "h2o"], 2, ["--handicap", "h2o"]),
    (["run", "--handicap", "nobody=5"], 2, ["--handicap", "nobody"]),
    (["run", "--server-cpus", "0-"], 2, ["--server-cpus", "0-"]),
    (["run", "--server-cpus", "0", "--generator-cpus", "0"], 2, ["CPU 0", "share none"]),
    (RUN + ["--server-cpus", "1000"], (2, 3), ["server-cpus", "1000"]),
    (["run", "nothing.ini"], 2, ["nothing.ini"]),
    (["run", "."], 2, ["."]),
    (["run", "--config", "nothing.ini"], 2, ["nothing.ini"]),
    (["run", ""], 2, []),
    (["report", "nowhere"], 2, ["nowhere"]),
    (["run", "--resume", "nowhere"], 2, ["nowhere"]),
    (["report", "tmp"], 2, ["tmp", "manifest.json", "not the folder of a run"]),
    (["run", "--resume", "tmp"], 2, ["tmp", "not the folder of a run"]),
    (["run", "--wrk", "no-such-wrk", "--servers", SERVERS], 3, ["no-such-wrk", "install"]),
    (["run", "--wrk", FAKE_WRK, "--servers", "nowhere"], 3, ["nowhere", "--servers"]),
    (["verify", "--servers", "nowhere"], 3, ["nowhere", "--servers"]),
    (["run", "--rounds", "x\ny\x1b[31mz"], 2, ["x?y?[31mz"]),
    (["run", "--out", "a\nb\x1b[31mc"], 2, ["a?b?[31mc", "control character"]),
]

for arguments, status, parts in ARGUMENTS:
    @tap.case(" ".join(a.replace(SERVERS, "SERVERS").replace(FAKE_WRK, "FAKE").replace("#", "")
                       for a in arguments).encode("unicode_escape").decode())
    def _(arguments=arguments, status=status, parts=parts):
        with Box() as box:
            result = box.loopbench(*arguments)
            wanted = status if isinstance(status, tuple) else (status,)
            ok(result.status in wanted, str(result))
            result.refused(result.status, *parts)
            eq(tree(box.path), ["tmp"], "files")

# the text of a configuration, line that is wrong, what the message must hold
A = "[target a]\ncommand = x {port}\n"
FILES = [
    ("unknown key", "[run]\nrounds = 3\nruonds = 3\n", 3, ["ruonds", "rounds"]),
    ("unknown section", "[run]\n[runn]\n", 2, ["runn"]),
    ("an option that is none of a file's", "[run]\nout = x\n", 2, ["out"]),
    ("a bad value", "; comment\n[run]\n\nrounds = three\n", 4, ["rounds", "three"]),
    ("out of range", "[run]\nrounds = 0\n", 2, ["rounds"]),
    ("not whole seconds", "[run]\nduration = 1500ms\n", 2, ["duration", "whole"]),
    ("a key twice", "[run]\nrounds = 3\nseed = 1\nrounds = 4\n", 4, ["rounds"]),
    ("a target twice", A + A, 3, ["'a'", "already"]),
    ("a built-in target", "[target h2o]\ncommand = x {port}\n", 1, ["h2o", "built in"]),
    ("a target without a name", "[target]\ncommand = x {port}\n", 1, ["target"]),
    ("an unknown key of a target", "[target a]\ncomand = x\n", 2, ["comand", "command"]),
    ("a target without a command", "[run]\n\n[target a]\nready = /\n", 3, ["'a'", "command"]),
    ("a command without {port}", "[target a]\ncommand = x\n", 1, ["{port}"]),
    ("an open quote", "[target a]\ncommand = 'x {port}\n", 2, ["command", "quote"]),
    ("an unknown placeholder", "[target a]\ncommand = x {prot} {port}\n", 1, ["{prot}"]),
    ("an unknown signal", "[target a]\nstop-signal = NEVER\n", 2, ["NEVER", "TERM"]),
    ("a bad value before any section", "rounds = none\n", 1, ["rounds"]),
    ("no key at all", "[run]\nrounds\n", 2, []),
    ("an open bracket", "[run\n", 1, ["bracket"]),
    ("an overlong line", "[run]\nworkloads = " + "x" * 100000 + "\n", 2, ["too long"]),
    ("an overlong key", "[run]\n" + "k" * 500 + " = 1\n", 2, ["shorten it"]),
    ("an overlong section", "[run]\n[" + "s" * 500 + "]\n", 2, ["too long"]),
    ("a NUL", b"[run]\nrounds = 3\x00\n", 2, ["control byte"]),
    ("an escape", b"[run]\nrounds = \x1b[2J\n", 2, ["control byte"]),
    ("not UTF-8", b"[run]\nprofile = \xe9\n", 2, ["UTF-8"]),
    ("UTF-16", "[run]\nrounds = 3\n".encode("utf-16"), 1, []),
    ("an unknown target in the list", "[run]\ntargets = h2o,h3o\n", 2, ["h3o", "h2o"]),
    ("an unknown workload in the list", "[run]\nworkloads = hallo\n", 2, ["hallo", "hello"]),
    ("c not divisible by threads", "[run]\nthreads = 3\nconnections = 9,10\n", 3,
     ["10 connections", "3 threads"]),
]

for title, text, line, parts in FILES:
    @tap.case("configuration: %s, named with file and line" % title)
    def _(text=text, line=line, parts=parts):
        with Box() as box:
            box.write("bad config.ini", text)
            for how in (["run", "bad config.ini"], ["run", "--config", "bad config.ini",
                                                    "--dry-run"]):
                result = box.loopbench(*how)
                result.refused(2, "bad config.ini:%d: " % line, *parts)
                eq(tree(box.path), ["bad config.ini", "tmp"], "files")


@tap.case("configuration: an endless file is refused, and so is a device")
def _():
    with Box() as box:
        with open(box.at("huge"), "wb") as f:
            f.truncate(1 << 33)
        for name in ("huge", "/dev/zero"):
            box.loopbench("run", name).refused(2, name)


@tap.case("configuration: no permission to read it")
def _():
    with Box() as box:
        box.ini(name="secret.ini")
        os.chmod(box.at("secret.ini"), 0)
        nobody(box, "run", "secret.ini").refused(2, "secret.ini", "ermission")


def nobody(box, *arguments, **how):
    """loopbench by a user who owns nothing here."""
    if os.geteuid() != 0:
        return box.loopbench(*arguments, **how)
    if not shutil.which("setpriv"):
        raise Skip("setpriv is not installed")
    os.chmod(box.path, 0o755)
    os.chmod(box.tmp, 0o777)
    program = box.at("program")  # where everybody may reach it, wherever the tree is
    shutil.copy(LOOPBENCH, program)
    user = pwd.getpwnam("nobody")
    words = ["setpriv", "--reuid", str(user.pw_uid), "--regid", str(user.pw_gid), "--clear-groups",
             program] + list(arguments)
    return through(box, words, **how)


def through(box, words, **how):
    """Runs a command line that becomes loopbench."""
    process = box.start(*words[1:], executable=shutil.which(words[0]), **how)
    return box.finish(process)


def shell(box, script, *arguments, **how):
    """Runs sh with loopbench as "$0"."""
    return through(box, ["sh", "-c", script, LOOPBENCH] + list(arguments), **how)


@tap.case("results: not writable for this user")
def _():
    with Box() as box:
        for name in ("fake-wrk", "fake-target"):
            shutil.copy(os.path.join(os.path.dirname(FAKE_WRK), name), box.at(name))
        ini = box.ini({"a": "'%s' --name a" % box.at("fake-target")}, wrk=box.at("fake-wrk"))
        os.mkdir(box.at("results"), 0o555)
        result = nobody(box, "run", ini, "--no-report")
        result.refused(3, box.at("results"), "ermission")
        result = nobody(box, "run", ini, "--no-report", "--out", box.at("new"))
        result.refused(3, box.at("new"), "ermission")
        os.mkdir(box.at("mine"), 0o555)
        result = nobody(box, "run", ini, "--no-report", "--out", box.at("mine"))
        result.refused(3, box.at("mine"), "ermission")
        eq(os.listdir(box.at("results")), [], "results")


@tap.case("results: a file in the way, a folder below a file, a place that takes none")
def _():
    with Box() as box:
        box.write("file", "")
        ini = box.ini()
        before = tree(box.path)
        for options, status, name in ((["--out", "file"], 2, "file"),
                                      (["--out", "file/x"], (2, 3), "file"),
                                      (["--results", "file"], (2, 3), "file"),
                                      (["--results", "file/x"], (2, 3), "file"),
                                      (["--out", "/proc/loopbench"], 3, "/proc/loopbench"),
                                      (["--results", "/proc/loopbench"], 3, "/proc/loopbench"),
                                      (["--out", "x" * 300], (2, 3), "xxx"),
                                      (["--out", "y/" * 3000], 2, "y/")):
            result = box.loopbench("run", ini, "--no-report", *options)
            wanted = status if isinstance(status, tuple) else (status,)
            ok(result.status in wanted, str(result))
            result.refused(result.status, name)
            eq(tree(box.path), before, "files after %s" % options)


@tap.case("results: --out is not empty; latest is a file; nothing of it is touched")
def _():
    with Box() as box:
        os.mkdir(box.at("full"))
        box.write("full/mine", "precious")
        os.mkdir(box.at("results"))
        box.write("results/latest", "precious")
        ini = box.ini()
        before = tree(box.path)
        box.loopbench("run", ini, "--no-report", "--out", "full").refused(
            2, "full is not empty", "--out", "--resume")
        box.loopbench("run", ini, "--no-report").refused(2, "latest", "in the way")
        eq(tree(box.path), before, "files")


@tap.case("results: no space left is one line, and what was measured is kept")
def _():
    with Box() as box:
        # A limit on the size of a file stands for the full disk.
        ini = box.ini(rounds="40", trial_margin="5m")
        result = shell(box, 'ulimit -f 40; exec "$0" "$@"', "run", ini, "--no-report", "--quiet",
                       "--out", "out")
        ok(result.status == 3, str(result))
        # What hurts on this machine is said when a run begins.
        lines = [x for x in result.err.splitlines() if not x.startswith("warning: ")]
        eq(len(lines), 1, "lines: %s" % result)
        has(result.err, "cannot write to", "stderr")
        has(result.err, "trials are kept", "stderr")
        kept = Run(box.at("out"))
        ok(0 < len(kept.trials) < 80, "trials: %d" % len(kept.trials))
        eq(kept.manifest["state"], "interrupted", "state")
        box.nothing_left()


@tap.case("wrk: missing, not executable, a folder, printing garbage, too old, silent")
def _():
    with Box() as box:
        box.write("data", "no program")
        box.write("garbage", "#!/bin/sh\necho '\\033[31mhello'\n", 0o755)
        box.write("nothing", "#!/bin/sh\nexit 0\n", 0o755)
        box.write("broken", "#!/no/such/interpreter\n", 0o755)
        ini = box.ini()
        before = tree(box.path)
        for name, part in (("data", "not a program"), (".", "not a program"), ("garbage", "is this wrk"),
                           ("nothing", "is this wrk"), ("broken", "cannot start"),
                           ("/bin/true", "is this wrk"), ("absent", "install")):
            where = name if name[0] == "/" else "./" + name
            result = box.loopbench("run", ini, "--no-report", "--wrk", where)
            result.refused(3, where, part)
        result = box.loopbench("run", ini, "--no-report", env={"FAKE_WRK_VERSION": "4.0.2"})
        result.refused(3, "4.0.2", "4.1")
        eq(tree(box.path), before, "files")


@tap.case("wrk: not on the PATH")
def _():
    with Box() as box:
        result = box.loopbench("run", box.ini(wrk="wrk"), "--no-report", env={"PATH": "/nowhere"})
        result.refused(3, "wrk is not installed", "apt install wrk")
        result = box.loopbench("run", box.ini(wrk="/etc/passwd"), "--no-report")
        result.refused(3, "/etc/passwd is not a program that can be executed", "--wrk")


@tap.case("gnuplot: missing before a run is told before it is measured; --no-report goes without")
def _():
    with Box() as box:
        os.mkdir(box.at("path"))
        os.symlink(sys.executable, box.at("path/python3"))
        path = {"PATH": box.at("path")}
        ini = box.ini()
        result = box.loopbench("run", ini, env=path)
        result.refused(3, "gnuplot is not installed", "gnuplot-nox", "--no-report")
        ok(not os.path.exists(box.at("results")), "a folder was made")
        box.loopbench("run", ini, "--no-report", env=path).expect(0)


@tap.case("target: its program is missing, not executable, or its folder is not there")
def _():
    with Box() as box:
        box.write("data", "no program")
        for command, cwd, part in (("./absent {port}", None, "./absent"),
                                   ("./data {port}", None, "./data"),
                                   ("%s --x" % quote(FAKE_TARGET), "/nowhere", "/nowhere")):
            ini = box.ini({"a": command})
            if cwd:
                with open(ini, "a", encoding="utf-8") as f:
                    f.write("cwd = %s\n" % cwd)
            result = box.loopbench("run", ini, "--no-report")
            result.refused(3, "target 'a'", part)
            ok(not os.path.exists(box.at("results")), "a folder was made")


@tap.case("target: its fixed port is in use")
def _():
    with Box() as box, socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        program = os.path.join(SERVERS, "server-libuv")
        ini = box.ini({"a": "%s --listen 127.0.0.1:%d" % (quote(program), port)})
        result = box.loopbench("run", ini, "--no-report")
        result.refused(3, "a exited with status 3", str(port), "in use")
        ok(not os.path.exists(box.at("results")), "a folder was made")


@tap.case("files: a hard limit below 2c + 64 is refused with the remedy; a soft one is raised")
def _():
    with Box() as box:
        ini = box.ini(connections="100")
        result = shell(box, 'ulimit -Sn 200; ulimit -Hn 200; exec "$0" "$@"', "run", ini,
                       "--no-report")
        result.refused(3, "100 connections", "264", "200", "ulimit -Hn 264", "at most 68")
        ok(not os.path.exists(box.at("results")), "a folder was made")
        shell(box, 'ulimit -Sn 200; exec "$0" "$@"', "run", ini, "--no-report").expect(0)


@tap.case("files: a target that may open fewer than c + 64 is refused with the remedy")
def _():
    with Box() as box:
        def ini(limit):
            command = "ulimit -n %d; exec %s --name a" % (limit, quote(FAKE_TARGET))
            return box.ini({"a": "sh -c %s" % quote(command)}, connections="8,40")
        result = box.loopbench("run", ini(103), "--no-report")
        result.refused(3, "a may open 103 files", "40 connections need 104", "ulimit -n 104",
                       "at most 39 connections")
        ok(not os.path.exists(box.at("results")), "a folder was made")
        box.nothing_left()
        box.loopbench("run", ini(104), "--no-report").expect(0)


@tap.case("files: processes that share the connections need their part each, and it is said")
def _():
    with Box() as box:
        def ini(limit, more=""):
            command = ("ulimit -n %d; for i in 1 2 3; do sleep 600 & done; exec %s --name a%s"
                       % (limit, quote(FAKE_TARGET), more))
            return box.ini({"a": "sh -c %s" % quote(command)}, connections="40")
        done = box.loopbench("run", ini(74), "--no-report").expect(0)
        has(done.err, "note: a may open 74 files in each of 4 processes: 40 connections fit only")
        box.loopbench("run", ini(73), "--no-report").refused(3, "in each of 4 processes")
        # One worker by its own command: the others are not for connections.
        result = box.loopbench("run", ini(74, "; : {workers}"), "--no-report")
        result.refused(3, "a may open 74 files, and 40 connections need 104")


@tap.case("TMPDIR: not needed")
def _():
    with Box() as box:
        box.loopbench("run", box.ini(), "--no-report", env={"TMPDIR": "/nowhere"}).expect(0)


def spoil_state(data):
    data["state"] = "excellent"


def spoil_format(data):
    data["format"] = "other"


def spoil_version(data):
    data["format_version"] = 99


MANIFESTS = [
    ("another format", spoil_format, ["manifest.json", "not the manifest"]),
    ("a newer version", spoil_version, ["manifest.json", "99", "1"]),
    ("an unknown state", spoil_state, ["manifest.json", "state"]),
]


def make_run(box):
    folder = box.at("a run")
    box.loopbench("run", box.ini(), "--no-report", "--quiet", "--out", folder).expect(0)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as f:
        manifest = json.load(f)
    manifest["state"] = "interrupted"  # so that --resume would go on
    rewrite(folder, "manifest.json", json.dumps(manifest))
    return folder


def rewrite(folder, name, text):
    with open(os.path.join(folder, name), "wb") as f:
        f.write(text if isinstance(text, bytes) else text.encode())


def snapshot(folder):
    return {n: os.path.isfile(os.path.join(folder, n)) and open(os.path.join(folder, n),
                                                               "rb").read() for n in tree(folder)}


def both_refuse(box, folder, *parts, resume=True, report=True):
    before = snapshot(folder)
    if report:
        box.loopbench("report", folder).refused(2, *parts)
        eq(snapshot(folder) == before, True, "untouched by report")
    if resume:
        box.loopbench("run", "--resume", folder, "--no-report").refused(2, *parts)
        eq(snapshot(folder) == before, True, "untouched by --resume")


for title, change, parts in MANIFESTS:
    @tap.case("results folder: %s is refused by report and --resume, and not touched" % title)
    def _(change=change, parts=parts):
        with Box() as box:
            folder = make_run(box)
            data = json.load(open(os.path.join(folder, "manifest.json"), encoding="utf-8"))
            change(data)
            rewrite(folder, "manifest.json", json.dumps(data))
            both_refuse(box, folder, *parts)


@tap.case("results folder: a manifest that is no JSON, empty, a list, or a folder")
def _():
    with Box() as box:
        folder = make_run(box)
        for text in ("", "not json", "[]", "null", '{"format":"loopbench-run"}', b"\xff\xfe",
                     "{" * 10000):
            rewrite(folder, "manifest.json", text)
            both_refuse(box, folder, "manifest.json")
        os.unlink(os.path.join(folder, "manifest.json"))
        os.mkdir(os.path.join(folder, "manifest.json"))
        both_refuse(box, folder, "manifest.json")


@tap.case("results folder: a damaged line is named with file and line")
def _():
    with Box() as box:
        folder = make_run(box)
        path = os.path.join(folder, "trials.jsonl")
        good = open(path, "rb").read().splitlines(keepends=True)
        eq(len(good), 2, "lines")
        for bad in (b"not json\n", b"{}\n", b"\n", good[0].replace(b'"seq":0', b'"seq":-5'),
                    good[0].replace(b'"hello"', b'7'), good[0][:200] + b"\n", b"\0" * 50 + b"\n",
                    b"x" * 100000 + b"\n"):
            rewrite(folder, "trials.jsonl", bad + good[1])
            both_refuse(box, folder, "trials.jsonl:1:", "; put it back, or remove the line")
        rewrite(folder, "trials.jsonl", good[0] + good[0] + good[1])
        both_refuse(box, folder, "trials.jsonl:2:", "twice")


@tap.case("results folder: a line of what the run did not measure is damaged; without it, it is resumed")
def _():
    with Box() as box:
        folder = make_run(box)
        path = os.path.join(folder, "trials.jsonl")
        good = open(path, "rb").read().splitlines(keepends=True)
        for key, value, says in (("target", "stranger", "no target 'stranger'"),
                                 ("workload", "nothing", "no workload 'nothing'"),
                                 ("connections", 4711, "no level of 4711 connections"),
                                 ("round", 77, "round 77 of a run of 1")):
            line = json.loads(good[1])
            ok(key in line, "%s is recorded" % key)
            line[key] = value
            rewrite(folder, "trials.jsonl", good[0] + json.dumps(line).encode() + b"\n")
            both_refuse(box, folder, "trials.jsonl:2: damaged line: ", says,
                        "; put it back, or remove the line")
        rewrite(folder, "trials.jsonl", good[0])
        box.loopbench("run", "--resume", folder, "--no-report", "--quiet").expect(0)
        eq(len(Run(folder).trials), 2, "trials")


@tap.case("results folder: trials.jsonl is missing; plan.json or config.ini is damaged or missing")
def _():
    with Box() as box:
        folder = make_run(box)
        os.rename(os.path.join(folder, "trials.jsonl"), box.at("kept"))
        both_refuse(box, folder, "trials.jsonl", resume=False)
        result = box.loopbench("run", "--resume", folder)
        ok(result.status in (2, 3), str(result))
        result.refused(result.status, "trials.jsonl")
        os.rename(box.at("kept"), os.path.join(folder, "trials.jsonl"))
        for name in ("plan.json", "config.ini"):
            good = open(os.path.join(folder, name), "rb").read()
            for bad in (b"", b"{\"format\":1}", b"[run\n", None):
                if name == "config.ini" and not bad:
                    continue  # an empty one is a configuration
                os.unlink(os.path.join(folder, name))
                if bad is not None:
                    rewrite(folder, name, bad)
                result = box.loopbench("run", "--resume", folder, "--no-report")
                ok(result.status in (2, 3), str(result))
                result.refused(result.status, name)
                rewrite(folder, name, good)
        plan = json.load(open(os.path.join(folder, "plan.json"), encoding="utf-8"))
        plan["targets"][0]["name"] = plan["targets"][0]["base"] = "stranger"
        plan["blocks"][0]["order"] = ["stranger" if t == "a" else t
                                      for t in plan["blocks"][0]["order"]]
        rewrite(folder, "plan.json", json.dumps(plan))
        rewrite(folder, "trials.jsonl", "")
        result = box.loopbench("run", "--resume", folder, "--no-report")
        result.refused(2, "plan.json is not as it was")
        eq(Run(folder).manifest["state"], "interrupted", "state")


@tap.case("results folder: --resume that cannot begin leaves it interrupted, not running")
def _():
    with Box() as box:
        folder = make_run(box)
        rewrite(folder, "trials.jsonl", "")
        for env in ({"FAKE_WRK_VERSION": "4.0.2"}, {"FAKE_TARGET": "b=exit"}):
            box.loopbench("run", "--resume", folder, "--no-report", env=env).refused(3)
            eq(Run(folder).manifest["state"], "interrupted", "state")
        box.loopbench("run", "--resume", folder, "--no-report").expect(0)


@tap.case("results folder: damaged histograms take their curves, not the report")
def _():
    with Box() as box:
        folder = make_run(box)
        data = open(os.path.join(folder, "histograms.gz"), "rb").read()
        rewrite(folder, "histograms.gz", data[:20] + b"\0\0\0\0" + data[24:])
        result = box.loopbench("report", folder).expect(0)
        has(result.err, "histograms.gz", "stderr")
        ok(os.path.exists(os.path.join(folder, "report.md")), "no report.md")
        ok(os.path.exists(os.path.join(folder, "plots/throughput-hello.svg")), "no plot")


@tap.case("results folder: read-only for this user")
def _():
    with Box() as box:
        folder = make_run(box)
        result = nobody(box, "report", folder).expect(3)
        has(result.err.splitlines()[-1], "cannot write %s" % folder, "stderr")
        has(result.err.splitlines()[-1], "see that you may write there", "stderr")
        out = os.path.join(folder, "below", "run")
        nobody(box, "run", box.ini(), "--no-report", "--out", out).refused(
            3, "cannot create the folder", "ermission", "choose another place")


@tap.case("results folder: a file of the run is gone")
def _():
    with Box() as box:
        folder = make_run(box)
        os.unlink(os.path.join(folder, "plan.json"))
        box.loopbench("run", "--resume", folder).refused(2, "plan.json: No such file", "put it back")


@tap.case("stdout: closed or full is one line and status 3")
def _():
    with Box() as box:
        for words in (["help"], ["version"], ["help", "run"], ["run", box.ini(), "--dry-run"]):
            for where in ("/dev/full", "&-"):
                result = shell(box, 'exec "$0" "$@" >%s' % where, *words)
                result.refused(3, "standard output")


@tap.case("stdout: a full one does not spoil a run")
def _():
    with Box() as box:
        result = shell(box, 'exec "$0" "$@" >/dev/full', "run", box.ini(), "--out", "out")
        result.expect(3)
        has(result.err.splitlines()[-1], "standard output", "last line")
        eq(Run(box.at("out")).manifest["state"], "complete", "state")


@tap.case("stdout and stderr: closed do not end up in the results")
def _():
    with Box() as box:
        result = shell(box, 'exec "$0" "$@" >&- 2>&- <&-', "run", box.ini(), "--out", "out")
        ok(result.status == 3, str(result))
        run = Run(box.at("out"))
        eq(len(run.trials), 2, "trials")
        eq(run.manifest["state"], "complete", "state")
        ok(os.path.exists(run.path("report.md")), "no report")


@tap.case("stdout: a reader that has gone is no crash")
def _():
    with Box() as box:
        reading, writing = os.pipe()
        os.close(reading)
        process = box.start("help", "run", stdout=writing)
        os.close(writing)
        result = box.finish(process)
        ok(result.status in (3, -13), str(result))


sys.exit(tap.finish())
