#!/usr/bin/python3
"""Bring your own server: guests found by their folders, `init`, `verify`, `targets`; and guests that
misbehave, each of which must be ended and accounted for, whatever it does."""

import os
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run, wait_for, FAKE_WRK  # noqa: E402
from tap import Skip, Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()

# One file and one section: all that a guest takes. What it does besides serving is its first word.
SERVER = r'''
import os, signal, socket, sys, threading, time
HOW, HOST, PORT, STATE = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
REPLIES = {"/": ("text/plain", b"Hello world!"),
           "/api": ("application/json", b'{ "test": 1, "data": "hello world" }')}

def note(name):
    with open(os.path.join(STATE, name), "a") as f:
        f.write("%d\n" % os.getpid())

def reply(conn, path):
    kind, body = REPLIES.get(path, ("text/plain", b"no"))
    status = b"200 OK" if path in REPLIES else b"404 Not Found"
    conn.sendall(b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                 % (status, kind.encode(), len(body), body))

def talk(conn):
    buf = b""
    while True:
        data = conn.recv(65536)
        if not data:
            return
        buf += data
        while b"\r\n\r\n" in buf:
            head, _, buf = buf.partition(b"\r\n\r\n")
            if HOW == "prints":
                os.write(1, b"x" * 70000 + b"\n")
            reply(conn, head.split()[1].decode())
            if HOW == "drops":
                conn.close()
                return

def serve(listener):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=talk, args=(conn,), daemon=True).start()

def fork(f):
    pid = os.fork()
    if pid == 0:
        try:
            f()
        finally:
            os._exit(0)
    return pid

def sleep():
    time.sleep(600)

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setsid()
    note("deaf")
    time.sleep(600)

def burn():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass

def double():
    os.setsid()
    fork(lambda: (note("orphan"), time.sleep(600)))

listener = socket.create_server((HOST, PORT), backlog=128)
note("main")
if HOW == "daemon":
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    note("daemon")
elif HOW == "workers":
    for _ in range(2):
        fork(lambda: (note("worker"), serve(listener)))
elif HOW == "leaks":
    fork(double)
    fork(deaf)
elif HOW == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif HOW == "crash":
    fork(double)
    def later():
        while not os.path.exists(os.path.join(STATE, "crash")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGSEGV)
    threading.Thread(target=later, daemon=True).start()
elif HOW == "burns":
    def keep():
        while True:
            os.waitpid(fork(burn), 0)
            note("burnt")
    threading.Thread(target=keep, daemon=True).start()
elif HOW == "grows":
    blocks = []
    def more():
        while True:
            blocks.append(bytearray(os.urandom(1 << 16)))
            time.sleep(0.01)
    threading.Thread(target=more, daemon=True).start()
serve(listener)
'''

SECTION = """[target %(name)s]
command = /usr/bin/python3 -IS {dir}/server.py %(how)s {host} {port} %(state)s
ready = /
cwd = {dir}
workloads = hello,json
paths = hello=/ json=/api
probe = /usr/bin/python3 --version
version = /usr/bin/python3 --version
package = python3-minimal
about = whoever tests that a folder is enough
stop-grace = %(grace)s
"""


def text_of(path):
    with open(path, encoding="ascii") as f:
        return f.read()


class Guests(Box):
    """A box with a folder of guests."""

    def __init__(self, **env):
        super().__init__(**env)
        self.guests = self.at("guests")
        self.state = self.at("state")
        os.mkdir(self.guests)
        os.mkdir(self.state)

    def guest(self, name, how="serve", grace="2s", section=SECTION):
        os.mkdir(os.path.join(self.guests, name))
        self.write("guests/%s/server.py" % name, SERVER)
        self.write("guests/%s/target.ini" % name,
                   section % {"name": name, "how": how, "state": self.state, "grace": grace})

    def go(self, *args, **options):
        """A run of one trial a target, by the fake generator."""
        settings = {"connections": "8", "rounds": "1", "warmup": "0s", "duration": "1s",
                    "wrk": FAKE_WRK, "repeat-blocks": "0", "out": self.at("out")}
        settings.update(options)
        words = [w for k, v in settings.items() for w in ("--" + k, v)]
        return self.start("run", "--guests", self.guests, "--no-null-server", "--no-aa-control",
                          "--quiet", *words, *args)

    def measure(self, *args, **options):
        result = self.finish(self.go(*args, **options))
        self.nothing_left(str(result))
        return result

    def noted(self, name):
        path = os.path.join(self.state, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="ascii") as f:
            return f.read().split()


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


@tap.case("workers: all are measured and ended; memory is their PSS, and the report says so")
def _():
    with Guests() as box:
        box.guest("many", "workers")
        box.measure("--targets", "many").expect(0)
        run = Run(box.at("out"))
        trial = run.of("many")[0]
        eq(trial["status"], "ok", "status")
        eq(trial["server"]["processes"], 3, "processes")
        idle, loaded = trial["memory"]["idle"], trial["memory"]["loaded"]
        ok(trial["memory"]["peak_rss"] == max(idle["rss"], loaded["rss"]), "peak: %s" % trial)
        if idle["pss"] is None:
            raise Skip("PSS cannot be read here")
        ok(idle["pss"] < idle["rss"], "PSS shares pages: %s" % idle)
        has(run.text("report.md"), "their PSS, which counts a page they share once", "report")


@tap.case("children that come and go: they are part of it")
def _():
    with Guests() as box:
        box.guest("burner", "burns")
        box.measure("--targets", "burner").expect(0)
        trial = Run(box.at("out")).of("burner")[0]
        eq(trial["status"], "ok", "status: %s" % trial["reason"])
        ok(trial["server"]["cpu_ns"] > 0 and trial["server"]["processes"] > 1, str(trial["server"]))


@tap.case("it daemonises: measured where it went, and ended")
def _():
    with Guests() as box:
        box.guest("demon", "daemon")
        box.measure("--targets", "demon").expect(0)
        trial = Run(box.at("out")).of("demon")[0]
        eq(trial["status"], "ok", "status: %s" % trial["reason"])
        ok(str(trial["server"]["pid"]) in box.noted("daemon"), "pid: %s" % trial["server"])
        ok(trial["server"]["cpu_ns"] is not None and trial["memory"]["idle"]["rss"] > 0, "figures")


@tap.case("it leaves orphans in sessions of their own, one deaf to SIGTERM: killed, and told")
def _():
    with Guests() as box:
        box.guest("leaky", "leaks", grace="300ms")
        box.measure("--targets", "leaky", "--no-verify").expect(1)
        ok(box.noted("orphan") and box.noted("deaf"), "nothing was left")
        eq([t["failure"] for t in Run(box.at("out")).of("leaky")], ["stop"], "its trial")


@tap.case("it ignores SIGTERM: killed after its own grace, recorded, with the remedy; others are measured")
def _():
    with Guests() as box:
        box.guest("deaf", "deaf", grace="200ms")
        for how in ("--no-verify", "--verify"):
            out = box.at("out" + how)
            result = box.measure("--targets", "libevent,deaf", how, out=out).expect(1)
            has(result.err, "note: deaf did not stop within 0.2 s", "stderr")
            run = Run(out)
            eq([(t["status"], t["failure"]) for t in run.of("deaf")], [("failed", "stop")], "trials")
            has(run.of("deaf")[0]["reason"], "stop-signal", "the remedy")
            eq([t["status"] for t in run.of("libevent")], ["ok"], "the other's trials")
        result = box.finish(box.start("verify", "deaf", "--guests", box.guests)).expect(1)
        has(result.err, "note: deaf did not stop within 0.2 s", "verify")
        box.nothing_left(str(result))


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


@tap.case("it grows: what it holds is seen, and it is ended")
def _():
    with Guests() as box:
        box.guest("grower", "grows")
        box.measure("--targets", "grower").expect(0)
        memory = Run(box.at("out")).of("grower")[0]["memory"]
        ok(memory["peak_rss"] > memory["idle"]["rss"], "memory: %s" % memory)


@tap.case("it crashes and leaves an orphan: the trial says so, the orphan is gone")
def _():
    with Guests(FAKE_WRK="hang") as box:
        box.guest("fragile", "crash")
        run = box.go("--targets", "fragile", "--no-verify")
        wait_for(lambda: any("fake-wrk" in line and " window " in line
                             for _, line in box.running()), "the generator hangs")
        box.write("state/crash", "")
        result = box.finish(run).expect(1)
        box.nothing_left(str(result))
        trial = Run(box.at("out")).of("fragile")[0]
        eq((trial["status"], trial["failure"]), ("failed", "crashed"), "trial")
        has(trial["reason"], "signal 11", "reason")
        ok(len(box.noted("orphan")) == 2, "orphans: %s" % box.noted("orphan"))


for how, sign in (("leaks", "deaf"), ("daemon", "daemon")):
    @tap.case("%s: its guard alone is killed: nothing of it is left, and the trial says so" % how)
    def _(how=how, sign=sign):
        with Guests(FAKE_WRK="hang") as box:
            box.guest("lonely", how, grace="300ms")
            run = box.go("--targets", "lonely", "--no-verify")
            wait_for(lambda: any("fake-wrk" in line and " window " in line
                                 for _, line in box.running()), "the generator hangs")
            for pid in text_of("/proc/%d/task/%d/children" % (run.pid, run.pid)).split():
                if text_of("/proc/%s/comm" % pid) == "loopbench-guard\n":
                    os.kill(int(pid), signal.SIGKILL)
            result = box.finish(run).expect(1)
            box.nothing_left(str(result))
            for pid in box.noted(sign):
                ok(not os.path.exists("/proc/" + pid), "%s %s is left" % (sign, pid))
            eq([t["status"] for t in Run(box.at("out")).of("lonely")], ["failed"], "its trial")


# The grace is far longer than the test: it is the guard that ends them, not the runner.
for how, sign in (("serve", "main"), ("daemon", "daemon"), ("leaks", "deaf"), ("deaf", "main"),
                  ("workers", "worker")):
    @tap.case("the runner is killed outright under a guest that does this: %s; nothing is left" % how)
    def _(how=how, sign=sign):
        with Guests(FAKE_WRK="hang") as box:
            box.guest("g", how, grace="5m")
            run = box.go("--targets", "g", "--no-verify")
            wait_for(lambda: box.noted(sign), "the guest runs")
            run.send_signal(signal.SIGKILL)
            eq(box.finish(run).status, -signal.SIGKILL, "status")
            wait_for(lambda: not box.running(), "nothing is left: %s" % box.running())


sys.exit(tap.finish())
