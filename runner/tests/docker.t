#!/usr/bin/python3
"""The whole suite in containers, with a real engine: images, docker compose up, what is left, and
what goes wrong. Not part of `make check` (it takes minutes): `make check-docker`. Skipped, with the
reason, only where no engine or no Compose can be had."""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import ROOT, Run, wait_for  # noqa: E402
from engine import BASE, docker, hold, inspect, make_images, why_no_engine  # noqa: E402
from tap import Failure, Skip, Tap, eq, has, ok  # noqa: E402

tap = Tap()
SERVERS = ("libevent", "libuv", "h2o", "null")
IMAGES = ["loopbench-server-" + s for s in SERVERS] + ["loopbench-runner"]
ADDED_MAX = 15_000_000
SMOKE = {"PROFILE": "smoke", "WORKLOADS": "hello", "CONNECTIONS": "4", "TARGETS": "libevent,libuv"}


def compose():
    if subprocess.run(["docker", "compose", "version"], capture_output=True, check=False).returncode == 0:
        return ["docker", "compose"]
    return ["docker-compose"] if shutil.which("docker-compose") else []


WHY = why_no_engine() or ("" if compose() else "neither docker compose nor docker-compose is installed")


def case(title):
    def keep(function):
        @tap.case(title)
        def _():
            if WHY:
                raise Skip(WHY)
            make_images(IMAGES)
            function()
        return function
    return keep


class Project:
    """One project of Compose with a results folder of its own; nothing of it may be left."""
    count = 0

    def __init__(self, owner=None, **env):
        Project.count += 1
        self.name = "lbtest%d-%d" % (os.getpid(), Project.count)
        self.results = tempfile.mkdtemp(prefix="loopbench-docker-")
        self.owner = owner or (os.getuid(), os.getgid())
        os.chown(self.results, *self.owner)
        self.env = {k: v for k, v in os.environ.items() if k not in SMOKE}
        self.env.update(SMOKE, COMPOSE_PROJECT_NAME=self.name, RESULTS=self.results, COMPOSE_ANSI="never", **env)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        left = self.left()
        self.compose("down", "--volumes", "--timeout", "1")
        shutil.rmtree(self.results, ignore_errors=True)
        if kind is None and left:
            raise Failure("left of the project: %s" % left)

    def left(self):
        mine = "label=com.docker.compose.project=" + self.name
        return [kind + " " + line for kind in ("container", "network", "volume")
                for line in docker(kind, "ls", *(["--all"] if kind == "container" else []), "--filter", mine,
                                   "--quiet").split()]

    def start(self, *argv):
        return subprocess.Popen(argv, cwd=ROOT, env=self.env, text=True, stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def finish(self, process, seconds=240):
        try:
            out, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.terminate()
            out, _ = process.communicate()
            raise Failure("not done within %d s:\n%s" % (seconds, out[-3000:]))
        return process.returncode, out

    def bench(self):
        return self.finish(self.start("make", "-s", "bench-docker"))

    def compose(self, *args):
        return self.finish(self.start(*compose(), *args))

    def container(self, service):
        """The id of a service's container, or ""."""
        return docker("ps", "--all", "--quiet", "--no-trunc", "--filter",
                      "label=com.docker.compose.project=" + self.name, "--filter",
                      "label=com.docker.compose.service=" + service)

    def runs(self):
        return [Run(os.path.join(self.results, n)) for n in sorted(os.listdir(self.results))
                if n != "latest" and not n.startswith(".")]

    def trials(self):
        """How many are on disk while it runs."""
        area = os.path.join(self.results, ".loopbench")
        try:
            return sum(len(open(os.path.join(area, n, "trials.jsonl"), encoding="utf-8").readlines())
                       for n in os.listdir(area) if n[0].isdigit())
        except OSError:
            return 0

    def tree_owners(self):
        owners = set()
        for where, folders, files in os.walk(self.results):
            for name in folders + files:
                st = os.lstat(os.path.join(where, name))
                owners.add((st.st_uid, st.st_gid))
        return owners


def check_schema(run):
    try:
        import jsonschema
    except ImportError:
        raise Failure("python3-jsonschema is not installed (make deps-dev)")
    for name, instances in (("manifest", [run.manifest]), ("trial", run.trials)):
        with open(os.path.join(ROOT, "docs", "schema", name + ".json"), encoding="utf-8") as f:
            validator = jsonschema.Draft7Validator(json.load(f))
        for i in instances:
            validator.validate(i)


def check_sound(project, out, targets=("libevent", "libevent-again", "libuv", "null")):
    """A whole run as natively: everything measured, everything handed over."""
    runs = project.runs()
    eq(len(runs), 1, "runs in the results folder after\n%s" % out)
    run = runs[0]
    check_schema(run)
    eq(sorted({t["target"] for t in run.trials}), sorted(targets), "targets")
    for t in run.trials:
        eq((t["status"], t["server"]["source"]), ("ok", "proc"), "%s: %s" % (t["target"], t["reason"]))
        ok(t["server"]["cpu_ns"] > 0 and t["memory"]["idle"]["pss"] > 0 and t["memory"]["peak_rss"] > 0,
           "figures of %s" % t["target"])
    eq(project.tree_owners(), {project.owner}, "owners of the results")
    ok(os.path.exists(run.path("report.md")) and os.listdir(run.path("plots")), "report and plots")
    eq(os.path.basename(run.folder), run.manifest["run_id"], "name of the folder")
    eq([n for n in os.listdir(project.results) if n.startswith(".")], [], "working folders left")
    return run


@case("images hold a binary and its libraries, no compiler, and are small")
def _():
    base = int(docker("image", "inspect", "--format", "{{.Size}}", BASE))
    for s in SERVERS:
        image = "loopbench-server-" + s
        added = int(docker("image", "inspect", "--format", "{{.Size}}", image)) - base
        ok(0 < added <= ADDED_MAX, "%s adds %d bytes to its base" % (image, added))
    for image in IMAGES:
        found = docker("run", "--rm", "--pull", "never", "--entrypoint", "sh", image, "-c",
                       "for p in cc gcc clang make ld as; do command -v $p; done; true")
        eq(found, "", "tools in %s" % image)


@case("docker compose up: healthy, measured, reported, handed over, ended by itself; held meanwhile")
def _():
    with Project(owner=(12345, 54321) if os.getuid() == 0 else None) as p:
        process = p.start(*compose(), "up")
        wait_for(lambda: p.trials() > 0 or process.poll() is not None, "the first trial", 120)
        ok(process.poll() is None, "it ended: %s" % (process.communicate()[0] if process.poll() is not None else ""))
        cpus = set()
        for service in SERVERS + ("runner", "results"):
            seen = hold(p.container(service))
            host, what = seen["HostConfig"], service
            if service == "results":
                eq(sorted(c.replace("CAP_", "") for c in host["CapAdd"]), ["CHOWN", "DAC_OVERRIDE", "KILL"], what)
                eq(host["NetworkMode"], "none", what)
                continue
            eq((host["CapAdd"] or [], seen["Config"]["User"]), ([], "65532:65532"), what)
            ok(host["PidMode"] == "container:" + p.container("results"), "%s: pid %s" % (what, host["PidMode"]))
            if service != "runner":
                eq(seen["State"]["Health"]["Status"], "healthy", what)
                eq(seen["Mounts"], [], what)
            limits = docker("exec", p.container(service), "cat", "/proc/self/limits")
            ok(limits, "limits of %s" % what)
            with open("/proc/%d/limits" % seen["State"]["Pid"], encoding="ascii") as f:
                files = [line.split()[3:5] for line in f if line.startswith("Max open files")]
            eq(files, [["16384", "16384"]], "files of %s" % what)
            cpus.add((service == "runner", host["CpusetCpus"]))
        eq(len(cpus), 2, "CPU sets of servers and runner: %s" % cpus)
        status, out = p.finish(process)
        eq(status, 0, "exit status of\n%s" % out)
        has(out, "none failed", "summary")
        eq({s: inspect(p.container(s))["State"]["ExitCode"] for s in SERVERS + ("runner", "results")},
           dict.fromkeys(SERVERS + ("runner", "results"), 0), "exit codes")
        run = check_sound(p, out)
        # Nobody asked the engine: what can be seen from inside.
        facts = run.manifest["containers"]
        eq((facts["started_by"], facts["seen"], facts.get("engine")), ("compose", "inside", None), "facts")
        eq((facts["limits"]["memory"], facts["limits"]["files"]), (1 << 30, 16384), "limits")
        ok(facts["root_filesystem"] and facts["addresses"], "facts: %s" % facts)
        # The last lines: where the caller finds it, and what makes the report again.
        has(out, "results are in %s/%s" % (p.results, run.manifest["run_id"]), "output")
        has(out, "report and plots: docker compose run --rm report " + run.manifest["run_id"], "output")
        os.remove(run.path("report.md"))
        status, out = p.compose("run", "--rm", "report", run.manifest["run_id"])
        eq(status, 0, out)
        has(out, "%s/%s/report.md" % (p.results, run.manifest["run_id"]), "output of report")
        ok(os.path.exists(run.path("report.md")), "report")
        eq(p.tree_owners(), {p.owner}, "owners after report")
        status, out = p.compose("run", "--rm", "report", "nosuch")
        eq(status, 2, out)
        has(out, "no results folder %s/nosuch" % p.results, "output of report")
        status, out = p.compose("down", "--volumes")
        eq(status, 0, out)


@case("make bench-docker: the same, with a clean down and the engine's facts; one at a time")
def _():
    with Project(NOFILE="8192") as p:
        process = p.start("make", "-s", "bench-docker")
        wait_for(lambda: p.container("runner") or process.poll() is not None, "a container", 600)  # it builds what is not current
        second, said = p.bench()
        ok(second != 0, "a second one beside it:\n%s" % said)
        has(said, "another run of this project goes on here", "output of the second")
        ok(len(said.splitlines()) <= 2, "lines of %s" % said)  # and make's own
        status, out = p.finish(process)
        eq(status, 0, "exit status of\n%s" % out)
        run = check_sound(p, out)
        has(out, "report and plots: %s run --rm report" % " ".join(compose()), "output")
        facts = run.manifest["containers"]
        eq(facts["engine"]["version"], docker("info", "--format", "{{.ServerVersion}}"), "engine")
        eq(facts["engine"]["storage_driver"], docker("info", "--format", "{{.Driver}}"), "storage driver")
        eq(facts["images"]["server-libuv"], docker("image", "inspect", "--format", "{{.Id}}", "loopbench-server-libuv"),
           "image id")
        eq((facts["seen"], facts["network"]), ("engine", "compose, bridge, internal"), "facts")
        eq([facts["limits"][n] for n in ("memory", "pids", "files")], [1 << 30, 512, 8192], "limits")


@tap.case("settings: the environment over .env over the default")
def _():
    if not compose():
        raise Skip("neither docker compose nor docker-compose is installed")
    with tempfile.TemporaryDirectory() as tmp:
        os.mkdir(os.path.join(tmp, "scripts"))
        shutil.copy(os.path.join(ROOT, "scripts/compose"), os.path.join(tmp, "scripts"))

        def base(**env):
            clean = {k: v for k, v in os.environ.items() if k != "BASE_IMAGE"}
            return subprocess.run([os.path.join(tmp, "scripts/compose"), "base"], env=dict(clean, **env), text=True,
                                  capture_output=True, timeout=60, check=True).stdout
        eq(base(), "debian:bookworm-slim\n", "default")
        with open(os.path.join(tmp, ".env"), "w", encoding="ascii") as f:
            f.write('BASE_IMAGE="there:%s"\n' % ("x" * 100))
        eq(base(), "there:%s\n" % ("x" * 100), ".env")
        eq(base(BASE_IMAGE="env:1"), "env:1\n", "environment")


@tap.case("RESULTS as a bare name is a folder, not a volume")
def _():
    with tempfile.TemporaryDirectory() as tmp:
        os.mkdir(os.path.join(tmp, "scripts"))
        for name in ("scripts/compose", "docker-compose.yml"):
            shutil.copy(os.path.join(ROOT, name), os.path.join(tmp, name))
        with open(os.path.join(tmp, "docker"), "w", encoding="ascii") as f:
            f.write('#!/bin/sh\n[ "$1 $2" != "compose up" ] || echo "<$RESULTS>"\n')
        os.chmod(f.name, 0o755)
        for given, passed in (("out", "./out"), ("a/b", "./a/b"), ("./out", "./out"), (tmp + "/out", tmp + "/out")):
            done = subprocess.run([os.path.join(tmp, "scripts/compose"), "bench"], text=True, capture_output=True, timeout=60,
                                  env=dict(os.environ, PATH=tmp + ":" + os.environ["PATH"], RESULTS=given), check=False)
            has(done.stdout, "<%s>" % passed, "RESULTS of %s" % done)
            ok(os.path.isdir(os.path.join(tmp, given)), "the folder %s" % given)


@case("a server ends, another's container is killed: recorded, the others are measured")
def _():
    with Project(ROUNDS="3") as p:
        process = p.start(*compose(), "up")
        wait_for(lambda: p.trials() > 0 or process.poll() is not None, "the first trial", 120)
        docker("kill", p.container("libuv"))
        status, out = p.finish(process)
        run = p.runs()[0]
        check_schema(run)
        eq({t["target"] for t in run.trials if t["status"] == "failed"}, {"libuv"}, "failed targets")
        ok(sum(t["status"] == "ok" for t in run.of("libevent")) >= 2, "the others are measured")
        has(out, "failed", "summary")
        eq(inspect(p.container("runner"))["State"]["ExitCode"], 1, "exit code of the runner")
        eq(status in (0, 1), True, "compose")
        p.compose("down", "--volumes")


@case("two projects on one results folder: the second is refused, the first is left alone")
def _():
    with Project(ROUNDS="3") as p, Project() as second:
        second.env["RESULTS"] = p.results
        process = p.start(*compose(), "up")
        wait_for(lambda: p.trials() > 0 or process.poll() is not None, "the first trial", 120)
        _, said = second.finish(second.start(*compose(), "up"), 100)
        ok(process.poll() is None and p.trials() > 0, "the first has ended:\n%s" % said)
        has(said, "loopbench: another run is writing to this results folder", "output of the second")
        eq(inspect(second.container("runner"))["State"]["ExitCode"], 3, "exit code of its runner")
        second.compose("down", "--volumes")
        status, out = p.finish(process)
        eq(status, 0, "exit status of\n%s" % out)
        check_sound(p, out)
        p.compose("down", "--volumes")


@case("bench-docker ends when a container does: said, and what was measured is there")
def _():
    with Project(ROUNDS="100") as p:
        process = p.start("make", "-s", "bench-docker")
        wait_for(lambda: p.trials() > 0 or process.poll() is not None, "the first trial", 120)
        docker("kill", p.container("libuv"))
        status, out = p.finish(process)
        ok(status != 0, "exit status of\n%s" % out)
        eq(p.runs()[0].manifest["state"], "interrupted", "state")
        eq((p.left(), p.tree_owners()), ([], {p.owner}), "left, and owners")


@case("down in mid-run: what was measured is handed over, earlier results are intact")
def _():
    with Project(ROUNDS="200") as p:
        with open(os.path.join(p.results, "earlier"), "w", encoding="ascii") as f:
            f.write("kept")
        process = p.start(*compose(), "up")
        wait_for(lambda: p.trials() > 1 or process.poll() is not None, "trials", 120)
        status, out = p.compose("down", "--volumes")
        eq(status, 0, out)
        _, out = p.finish(process)
        with open(os.path.join(p.results, "earlier"), encoding="ascii") as f:
            eq(f.read(), "kept", "earlier results")
        os.remove(os.path.join(p.results, "earlier"))
        run = p.runs()[0]
        eq(run.manifest["state"], "interrupted", "state after\n%s" % out)
        ok(len(run.trials) >= 2, "trials")
        eq(p.tree_owners(), {p.owner}, "owners")


@case("interrupted by Ctrl-C: nothing is left")
def _():
    with Project(ROUNDS="200") as p:
        process = p.start("make", "-s", "bench-docker")
        wait_for(lambda: p.trials() > 0 or process.poll() is not None, "trials", 120)
        for pid in children(process.pid):
            os.kill(pid, signal.SIGINT)
        status, _ = p.finish(process)
        ok(status != 0, "exit status %d" % status)
        eq(p.left(), [], "left")
        ok(p.runs()[0].trials, "what was measured")


def children(pid):
    """A terminal interrupts the whole group: the process and all its descendants."""
    found = [pid]
    for at in found:
        try:
            with open("/proc/%d/task/%d/children" % (at, at), encoding="ascii") as f:
                found += [int(n) for n in f.read().split()]
        except OSError:
            pass
    return found


@case("more files than the engine allows: said, not crashed")
def _():
    with Project(NOFILE="1000000000") as p:
        status, out = p.bench()
        ok(status != 0, "it went well:\n%s" % out)
        has(out, "NOFILE=1000000000: this engine gives a container at most", "output")
        eq(p.runs(), [], "results")


@case("CPUs that are not there, results that cannot be written: said")
def _():
    with Project(SERVER_CPUS="4000") as p:
        status, out = p.bench()
        ok(status != 0 and "4000" in out, "exit status %d\n%s" % (status, out))
    if os.getuid() != 0:
        return
    with Project() as p:
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,nr_inodes=5", "tmpfs", p.results], check=True)
        try:
            with open(os.path.join(p.results, "earlier"), "wb") as f:
                f.write(b"k")
            status, out = p.bench()
            ok(status != 0, "it went well:\n%s" % out)
            ok("cannot write to the results folder" in out or "No space left" in out, "output\n%s" % out)
            with open(os.path.join(p.results, "earlier"), "rb") as f:
                eq(f.read(), b"k", "earlier results")
            eq(p.left(), [], "left")
        finally:
            subprocess.run(["umount", p.results], check=True)


@case("posts on PostgreSQL in a container of its own, which ends with the others")
def _():
    with Project(COMPOSE_PROFILES="postgres", WORKLOADS="posts") as p:
        status, out = p.finish(p.start(*compose(), "up"), 150)
        eq(status, 0, "exit status of\n%s" % out)
        eq({s: inspect(p.container(s))["State"]["ExitCode"] for s in SERVERS + ("runner", "results", "postgres")},
           dict.fromkeys(SERVERS + ("runner", "results", "postgres"), 0), "exit codes")
        p.compose("down", "--volumes")
        run = check_sound(p, out, targets=("libevent", "libevent-again", "libuv"))
        ok(all(t["load"]["errors_status"] == 0 for t in run.trials), "errors")
    eq({tuple(t["mode"]) for t in run.trials}, {("db=postgresql",)}, "mode")
    ok(all(t["environment"]["database_cpus"] > 0 for t in run.trials), "the database's CPU is seen")


@tap.case("no Compose, no engine, no docker: one line with the remedy")
def _():
    with tempfile.TemporaryDirectory() as tmp:
        for tool in ("sh", "dirname", "make", "cat", "git", "uname", "pkg-config", "cc"):
            if shutil.which(tool):
                os.symlink(shutil.which(tool), os.path.join(tmp, tool))

        def bad(part, docker_script):
            if docker_script:
                path = os.path.join(tmp, "docker")
                with open(path, "w", encoding="ascii") as f:
                    f.write("#!/bin/sh\n" + docker_script)
                os.chmod(path, 0o755)
            done = subprocess.run([os.path.join(ROOT, "scripts/compose"), "bench"], env={"PATH": tmp}, text=True,
                                  capture_output=True, timeout=60, check=False)
            eq(done.returncode, 3, "exit status of %s%s" % (done.stdout, done.stderr))
            has(done.stderr, part, "message")
            eq(done.stderr.count("\n"), 1, "lines of %r" % done.stderr)

        bad("docker is not here", "")
        bad("neither the Compose plugin", "exit 1\n")
        bad("the Docker engine does not answer", '[ "$1" = compose ]\n')
        bad("group docker", '[ "$1" = compose ] || { echo permission denied; exit 1; }\n')
        bad("make base-image", '[ "$1" = compose ] || [ "$1" = info ]\n')


sys.exit(tap.finish())
