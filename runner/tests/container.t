#!/usr/bin/python3
"""Targets in containers and targets that run already, with a real engine: measured beside native
ones, held, and recorded when they go wrong; nothing of ours is left. Cases for which an engine is
needed are skipped, with the reason, where none can be had."""
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import SERVERS, Box, Run, quote, wait_for  # noqa: E402
from engine import BASE, LABEL, docker, hold, labelled, need_images, why_no_engine  # noqa: E402
from tap import Failure, Skip, Tap, eq, has, ok  # noqa: E402

tap = Tap()
WHY = why_no_engine()
IMAGE = "loopbench-server-libuv"
SHORT = ("--duration", "1s", "--warmup", "0s", "--rounds", "1", "--connections", "4", "--workloads", "hello",
         "--aa-control", "off", "--no-null-server", "--repeat-blocks", "0", "--no-report")

# A guest in a container: answers until it is told to misbehave, by a request or from its start. It may ask
# at another port whether its own is to be had.
GUEST = r"""
use IO::Socket::INET; $| = 1; $SIG{TERM} = sub { exit 0 };
my ($how, $port, $ask) = @ARGV; my ($n, @kept) = (0);
if ($ask) { IO::Socket::INET->new("127.0.0.1:$ask")->getline =~ /free/ or die "Address already in use"; }
my $s = IO::Socket::INET->new(LocalAddr => "0.0.0.0", LocalPort => $port, Listen => 100, ReuseAddr => 1) or die;
sleep 1000 if $how eq "mute";
while (my $c = $s->accept) { while (<$c>) { last unless /\S/ }
  print $c "HTTP/1.1 200 OK\r\nContent-Length: 12\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\nHello world!";
  close $c; $n++;
  if ($how eq "hog" && $n > 3) { push @kept, "x" x (64 << 20) for 1 .. 64 } }
"""


def engine_case(title):
    def keep(function):
        @tap.case(title)
        def _():
            if WHY:
                raise Skip(WHY)
            need_images([IMAGE])
            function()
            eq(labelled(LABEL), [], "containers left")
        return function
    return keep


def guest(box, how, place="host-network", ask="", **keys):
    """A configuration with a perl guest in a container. Returns its file."""
    box.write("guest.pl", GUEST)
    script = " ".join(GUEST.split("\n"))
    text = "[target guest]\nimage = %s\ncommand = perl -e %s %s {port} %s\n" % (BASE, quote(script), how, ask)
    for key, value in keys.items():
        text += "%s = %s\n" % (key.replace("_", "-"), value)
    return box.write("guest.ini", "[run]\ntargets = guest@%s\n%s" % (place, text))


def measure(box, *args, status=0):
    result = box.loopbench("run", *SHORT, "--servers", SERVERS, "--out", box.at("run"), *args)
    result.expect(status)
    return Run(box.at("run")), result


@engine_case("natively, in a container and behind the bridge, interleaved in one run")
def _():
    with Box() as box:
        run, _ = measure(box, "--targets", "libuv,libuv@host-network,libuv@bridge", "--rounds", "2")
        eq(sorted({t["target"] for t in run.trials}), ["libuv", "libuv@bridge", "libuv@host-network"], "targets")
        pids = set()
        for t in run.trials:
            eq((t["status"], t["reason"]), ("ok", ""), t["target"])
            eq(t["server"]["source"], "proc", "source of CPU and memory")
            ok(t["server"]["cpu_ns"] > 0 and t["memory"]["idle"]["rss"] > 0 and t["memory"]["peak_rss"] > 0,
               "figures of %s: %s %s" % (t["target"], t["server"], t["memory"]))
            pids.add(t["server"]["pid"])
        eq(len(pids), len(run.trials), "fresh processes")
        # The native one may be built otherwise (with sanitizers); those in containers are the same.
        rss = [t["memory"]["loaded"]["rss"] for t in run.trials if "@" in t["target"]]
        ok(max(rss) < 3 * min(rss), "the same server's memory: %s" % rss)
        m = run.manifest
        eq(m["containers"]["engine"]["version"], docker("info", "--format", "{{.ServerVersion}}"), "engine")
        eq((m["containers"]["seen"], m["containers"]["limits"]),
           ("engine", {"memory": 1 << 30, "pids": 512, "files": 16384}), "limits")
        eq(m["containers"]["engine"]["storage_driver"], docker("info", "--format", "{{.Driver}}"), "storage driver")
        places = {t["name"]: (t["place"], t.get("image_id")) for t in m["targets"]}
        image = docker("image", "inspect", "--format", "{{.Id}}", IMAGE)
        eq(places, {"libuv": ("process", None), "libuv@host-network": ("container, host network", image),
                    "libuv@bridge": ("container, bridge network", image)}, "places")
        again = box.loopbench("report", box.at("run")).expect(0)
        has(run.text("report.md"), "libuv@bridge", "report")
        has(run.text("report.md"), "PSS must not be compared between places", "caution")
        ok(again.status == 0, "reported")


@engine_case("a container is held while it is measured")
def _():
    with Box() as box:
        process = box.start("run", *SHORT, "--servers", SERVERS, "--out", box.at("run"), "--targets",
                            "libuv@bridge,libuv@host-network", "--rounds", "2", "--server-cpus", "0",
                            "--container-files", "4096")
        networks = set()
        while process.poll() is None:
            for container in labelled(LABEL):
                if not docker("ps", "--quiet", "--filter", "id=" + container, check=False):
                    continue
                try:
                    seen = hold(container)
                except Failure as e:  # it may be gone by now
                    if "o such" in str(e):
                        continue
                    raise
                ok(seen["Config"]["User"] not in ("", "0", "root", "0:0"), "user %r" % seen["Config"]["User"])
                eq(seen["HostConfig"]["CpusetCpus"], "0", "CPUs")
                eq(seen["Mounts"], [], "mounts")
                # The image's own would ask the wrong port each second, on the measured CPU.
                eq((seen["Config"]["Healthcheck"]["Test"], seen["State"].get("Health")), (["NONE"], None), "health")
                eq([(u["Name"], u["Soft"], u["Hard"]) for u in seen["HostConfig"]["Ulimits"]],
                   [("nofile", 4096, 4096)], "files")
                networks.add(seen["HostConfig"]["NetworkMode"])
        box.finish(process).expect(0)
        eq(sorted(networks), ["bridge", "host"], "networks seen")


@engine_case("killed from outside: recorded, and the run goes on")
def _():
    with Box() as box:
        process = box.start("run", *SHORT, "--servers", SERVERS, "--out", box.at("run"), "--targets",
                            "libuv@host-network", "--rounds", "2", "--no-verify")
        first = wait_for(lambda: os.path.exists(box.at("run", "trials.jsonl")), "the run begun")
        ok(first, "begun")
        victim = wait_for(lambda: docker("ps", "--quiet", "--filter", "label=" + LABEL).split(), "a container")[0]
        docker("kill", victim)
        result = box.finish(process).expect(1)
        run = Run(box.at("run"))
        eq([t["status"] for t in run.trials], ["failed", "ok"], "trials of %s" % result)
        has(run.trials[0]["reason"], "somebody ended its container", "reason")


@engine_case("killed while the targets are checked: checked once more, and the run goes on")
def _():
    with Box() as box:
        process = box.start("run", *SHORT, "--servers", SERVERS, "--out", box.at("run"), "--targets",
                            "libuv@host-network,libuv@bridge")
        victim = wait_for(lambda: docker("ps", "--quiet", "--filter", "label=" + LABEL).split(), "a container")[0]
        docker("kill", victim, check=False)
        box.finish(process).expect(0)
        eq([t["status"] for t in Run(box.at("run")).trials], ["ok", "ok"], "trials")


@engine_case("fewer files than the connections need")
def _():
    with Box() as box:
        box.loopbench("run", *SHORT, "--servers", SERVERS, "--targets", "libuv@bridge", "--container-files", "64").refused(
            2, "4 connections need 72 open files, a container has 64", "--container-files")


@engine_case("out of memory: recorded as that")
def _():
    with Box() as box:
        run, _ = measure(box, "--config", guest(box, "hog"), "--no-verify", "--duration", "20s", status=1)
        eq(run.trials[0]["status"], "failed", "status")
        has(run.trials[0]["reason"], "out of memory (limit 1 GiB)", "reason")


@engine_case("a guest in a container, behind the bridge")
def _():
    with Box() as box:
        run, _ = measure(box, "--config", guest(box, "sound", "bridge"))
        eq(run.trials[0]["status"], "ok", "status: %s" % run.trials[0]["reason"])
        ok(run.trials[0]["server"]["cpu_ns"] > 0, "CPU")


@engine_case("its port is taken by somebody else: started again, under the same name")
def _():
    words = ["free", "taken", "free"]  # as it is checked; and in its trial
    told = []
    with Box() as box, socket.create_server(("127.0.0.1", 0)) as listener:
        def tell():
            for word in words:
                connection = listener.accept()[0]
                told.append(word)
                connection.sendall(word.encode() + b"\n")
                connection.close()
        threading.Thread(target=tell, daemon=True).start()
        run, _ = measure(box, "--config", guest(box, "sound", ask=str(listener.getsockname()[1])))
        eq((run.trials[0]["status"], run.trials[0]["reason"]), ("ok", ""), "status")
        eq(told, words, "what its starts were told")


@engine_case("never healthy: one line, and nothing is left")
def _():
    with Box() as box:
        result = box.loopbench("run", *SHORT, "--out", box.at("run"), "--config", guest(box, "mute"),
                               "--ready-timeout", "2s")
        result.refused(3, "guest@host-network is not ready after 2.0 s")


@engine_case("an image that is not there")
def _():
    with Box() as box:
        ini = box.write("x.ini", "[run]\ntargets = x@bridge\n[target x]\nimage = loopbench-no-such\ncommand = x {port}\n")
        box.loopbench("run", *SHORT, "--config", ini).refused(3, "the image loopbench-no-such is not there", "make images")


@engine_case("interrupted: nothing is left")
def _():
    with Box() as box:
        process = box.start("run", *SHORT, "--servers", SERVERS, "--out", box.at("run"), "--targets",
                            "libuv@host-network,libuv@bridge", "--rounds", "50")
        wait_for(lambda: docker("ps", "--quiet", "--filter", "label=" + LABEL), "a container")
        process.send_signal(signal.SIGINT)
        box.finish(process).expect(1)
        box.nothing_left()


@engine_case("killed outright: the next run removes what that one left")
def _():
    with Box() as box:
        process = box.start("run", *SHORT, "--servers", SERVERS, "--out", box.at("killed"), "--targets",
                            "libuv@host-network", "--rounds", "50")
        wait_for(lambda: docker("ps", "--quiet", "--filter", "label=" + LABEL), "a container")
        process.kill()
        process.communicate()
        measure(box, "--targets", "libuv@host-network")


@tap.case("no engine answers: one line with the remedy")
def _():
    with Box() as box:
        if not shutil.which("docker"):
            raise Skip("docker is not installed")
        box.env["DOCKER_HOST"] = "unix://" + box.at("no-such.sock")
        box.loopbench("run", *SHORT, "--servers", SERVERS, "--targets", "libuv@bridge").refused(
            3, "target 'libuv@bridge'", "the Docker engine does not answer; start it")


@tap.case("docker is not installed, lies, or fails: one line")
def _():
    with Box() as box:
        os.mkdir(box.at("bin"))
        for tool in ("wrk", "gnuplot"):
            os.symlink(shutil.which(tool) or "/bin/false", box.at("bin", tool))
        box.env["PATH"] = box.at("bin")
        args = ("run", *SHORT, "--servers", SERVERS, "--targets", "libuv@bridge")
        box.loopbench(*args).refused(3, "docker is not there", "install")
        for script, part in [("exit 0", "does not answer"), ("echo oops >&2; exit 1", "docker: oops"),
                             ("echo permission denied >&2; exit 1", "group docker"), ("kill -9 $$", "signal 9")]:
            box.write("bin/docker", "#!/bin/sh\n%s\n" % script, 0o755)
            box.loopbench(*args).refused(3, part)


@tap.case("what cannot be is refused before anything is done")
def _():
    with Box() as box:
        def bad(text, *parts, targets="x"):
            ini = box.write("bad.ini", "[run]\ntargets = %s\n%s" % (targets, text))
            box.loopbench("run", *SHORT, "--config", ini).refused(2, *parts)
        bad("[target x]\nurl = ftp://a:1\n", "is not http://HOST:PORT")
        bad("[target x]\nurl = http://a:0\n", "is not http://HOST:PORT")
        bad("[target x]\nurl = http://a:1/path\n", "is not http://HOST:PORT")
        bad("[target x]\nurl = http://a:1\ncommand = x {port}\n", "runs already", "command")
        bad("[target x]\nurl = http://a:1\nrestart-signal = HUP\n", "process")
        bad("[target x]\nprocess = x\ncommand = x {port}\n", "url")
        bad("[target libuv]\ncommand = x {port}\n", "built in")
        bad("[target y@bridge]\ncommand = x {port}\n", "behind @")
        bad("[target x]\ncommand = x {port}\n", "no image", targets="x@bridge")
        bad("", "no target is called 'y'", targets="y@bridge")
        bad("[target libuv]\nurl = http://a:1\n", "runs already", targets="libuv@bridge")


class Running:
    """A server that somebody else has started, under a name of its own."""

    def __init__(self, box, name="libuv"):
        self.comm = "lb-%d" % (os.getpid() % 100000)
        program = box.at(self.comm)
        shutil.copy(os.path.join(SERVERS, "server-" + name), program)
        # In its own session and without the box's mark: it is not the run's to end.
        first = subprocess.Popen([program, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
        listening = json.loads(first.stdout.readline())["listening"]
        first.terminate()
        first.communicate()
        self.command = [program, "--listen", listening]
        self.url = "http://" + listening
        self.begin()

    def begin(self):
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)
        self.process.stdout.readline()

    def again(self):
        self.__exit__()
        self.begin()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@tap.case("a server that runs already: seen in /proc and renewed for every trial")
def _():
    with Box() as box, Running(box) as server:
        ini = box.write("url.ini", "[run]\ntargets = libuv\n[target libuv]\nurl = %s\nprocess = %s\nrestart-signal = HUP\n"
                        % (server.url, server.comm))
        run, _ = measure(box, "--config", ini, "--rounds", "2")
        for t in run.trials:
            eq((t["status"], t["server"]["source"], t["server"]["pid"]), ("ok", "proc", server.process.pid), t["reason"])
            ok(t["server"]["cpu_ns"] > 0 and t["memory"]["peak_rss"] > 0, "figures")
        eq(run.manifest["targets"][0]["place"], "external", "place")
        # One for the check of replies, one for each trial.
        server.process.terminate()
        renewals = server.process.communicate()[0].count('"listening"')
        eq(renewals, 3, "renewals")
        eq(server.process.returncode, 0, "exit status")
        # What was dumped can be read again.
        has(run.text("config.ini"), "restart-signal = HUP", "config.ini")


@tap.case("a server that runs already and is not seen: its own /stats, and n/a without")
def _():
    with Box() as box, Running(box) as server:
        ini = box.write("url.ini", "[run]\ntargets = there\n[target there]\nurl = %s\n" % server.url)
        run, _ = measure(box, "--config", ini)
        t = run.trials[0]
        eq((t["status"], t["server"]["source"], t["server"]["pid"]), ("ok", "stats", None), "source")
        ok(t["server"]["cpu_ns"] > 0 and t["memory"]["peak_rss"] > 0 and t["memory"]["idle"]["rss"] > 0, "figures")
        eq(t["memory"]["idle"]["pss"], None, "PSS")
        eq([f for f in t["flags"] if f.endswith("-unknown")], ["foreign-cpu-unknown", "throttled-unknown"],
           "flags")
        box.loopbench("report", box.at("run")).expect(0)
        has(run.text("report.md"), "of one CPU) is unknown: of there in 1 of 1 trials", "report.md")
    with Box() as box, Running(box, "null") as server:
        ini = box.write("url.ini", "[run]\ntargets = there\n[target there]\nurl = %s\n" % server.url)
        run, _ = measure(box, "--config", ini)
        t = run.trials[0]
        eq((t["status"], t["server"]["source"], t["server"]["cpu_ns"], t["memory"]["peak_rss"]),
           ("ok", "none", None, None), "figures")
        box.loopbench("report", box.at("run")).expect(0)


@tap.case("a server that runs already goes wrong: recorded, or said in one line")
def _():
    with Box() as box, Running(box) as server:
        url = "[run]\ntargets = there\n[target there]\nurl = %s\nprocess = %s\n"
        ini = box.write("url.ini", url % (server.url, server.comm))
        process = box.start("run", *SHORT, "--out", box.at("run"), "--config", ini, "--rounds", "2", "--no-verify",
                            "--ready-timeout", "1s")
        wait_for(lambda: os.path.exists(box.at("run", "trials.jsonl")), "the run begun")
        server.process.kill()
        server.process.wait()
        box.finish(process).expect(1)
        run = Run(box.at("run"))
        eq({t["status"] for t in run.trials}, {"failed"}, "trials")
        has(run.trials[-1]["reason"], "no process '%s' is to be seen" % server.comm, "reason")
        ini = box.write("url.ini", url % (server.url, "no-such-name"))
        box.loopbench("run", *SHORT, "--config", ini, "--ready-timeout", "1s").refused(3, "no process 'no-such-name'")
        ini = box.write("url.ini", "[run]\ntargets = there\n[target there]\nurl = %s\n" % server.url)
        box.loopbench("run", *SHORT, "--config", ini, "--ready-timeout", "1s").refused(3, "not ready")


@tap.case("a server that runs already ends between two trials and is started again: recorded")
def _():
    with Box() as box, Running(box) as server:
        # The other target's start hands over to this test and waits: then the first is not measured.
        asked = box.at("asked")
        script = box.write("other", "#!/bin/sh\n: >%s\nwhile [ -e %s ]; do sleep 0.02; done\n"
                           "exec %s/server-null --listen 127.0.0.1:$1\n" % (asked, asked, SERVERS), 0o755)
        ini = box.write("url.ini", "[run]\ntargets = there,other\n[target there]\nurl = %s\nprocess = %s\n"
                        "restart-signal = HUP\n[target other]\ncommand = %s {port}\n" % (server.url, server.comm, script))
        process = box.start("run", *SHORT, "--out", box.at("run"), "--config", ini, "--rounds", "3", "--no-verify")
        while wait_for(lambda: os.path.exists(asked) or process.poll() is not None, "the other's start or the end") and \
                process.poll() is None:
            if os.path.exists(box.at("run", "trials.jsonl")):  # not while the targets are checked, both at once
                server.again()
            os.remove(asked)
        box.finish(process).expect(1)
        failed = [t for t in Run(box.at("run")).trials if t["status"] != "ok"]
        eq({t["target"] for t in failed}, {"there"}, "failed targets")
        for t in failed:
            has(t["reason"], "there ended between two trials and was started again", "reason")


sys.exit(tap.finish())
