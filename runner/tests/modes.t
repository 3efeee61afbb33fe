#!/usr/bin/python3
"""Workloads, modes and the check of replies under load, in whole runs: with fakes where the mode only
has to arrive, with the real servers and wrk where it has to be true."""
import ctypes.util
import os
import re
import shutil
import signal
import socket
import sys
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, Run, wait_for, FAKE_TARGET, SERVERS, quote  # noqa: E402
from tap import Skip, Tap, eq, has, hasnt, ok, plain_only  # noqa: E402

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../servers/tests"))
import postgres  # noqa: E402

tap = Tap()
ALL = "hello,json,html,posts,concat,fibonacci,render,wait,bytes,upload"


def fake_run(box, *args, env=None, status=0, **options):
    result = box.loopbench("run", box.ini(**options), "--no-report", "--out", box.at("out"),
                           *args, env=env).expect(status)
    run = Run(box.at("out"))
    shutil.rmtree(box.at("out"))
    return run, result


def real_run(box, *args, status=0):
    plain_only()
    if not shutil.which("wrk"):
        raise Skip("wrk is not installed")
    result = box.loopbench("run", "--servers", SERVERS, "--no-report", "--repeat-blocks", "0",
                           "--rounds", "1", "--warmup", "200ms", "--out", box.at("out"),
                           "--aa-control", "off", *args).expect(status)
    run = Run(box.at("out"))
    shutil.rmtree(box.at("out"))
    return run, result


@tap.case("the database is looked for once a trial, before its warm-up")
def _():
    if not ctypes.util.find_library("pq"):
        raise Skip("libpq is not installed")
    seen = []  # how often the load generator had run when somebody connected
    with Box() as box, socket.create_server(("127.0.0.1", 0)) as listener:
        counter = box.write("runs", "")

        def answer():
            while True:
                try:
                    connection = listener.accept()[0]
                except OSError:
                    return
                seen.append(os.path.getsize(counter))
                connection.close()
        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        url = "postgresql://127.0.0.1:%d/x?sslmode=disable&gssencmode=disable" % listener.getsockname()[1]
        run, _ = fake_run(box, "--db", url, warmup="1s", rounds="2", env={"FAKE_WRK_COUNT": counter})
        eq([t["status"] for t in run.trials], ["ok"] * 4, "trials")
        listener.shutdown(socket.SHUT_RDWR)
        thread.join()
    eq(seen, [0, 2, 4, 6], "runs of the load generator before each connection")


@tap.case("each mode is in the record, the manifest, the options and the dry run")
def _():
    with Box() as box:
        for args, words, plan in (
                ((), [], ""),
                (("--requests", "1000"), ["requests=1000"], None),
                (("--think-time", "5ms"), ["think=5ms"], None),
                (("--think-time", "1ms..3ms"), ["think=1..3ms"], None),
                (("--pipeline", "4"), ["pipeline=4"], None),
                (("--no-keepalive",), ["close"], None),
                (("--requests", "800", "--pipeline", "4", "--think-time", "2ms"),
                 ["requests=800", "think=2ms", "pipeline=4"], None)):
            run, _ = fake_run(box, *args)
            eq([t["mode"] for t in run.trials], [words] * 2, "mode of the trials")
            eq(run.manifest["plan"]["mode"], " ".join(words), "mode of the plan")
            eq(run.manifest["plan"]["window_us"], None if "requests=" in str(words) else 1000000,
               "window")
            shown = box.loopbench("run", box.ini(), "--dry-run", *args).expect(0).out
            line = re.search(r"^  mode +(.*)$", shown, re.M)
            eq(line.group(1) if line else "", " ".join(words), "mode of the dry run")


@tap.case("counted requests: exactly so many, their time, no window")
def _():
    with Box() as box:
        run, result = fake_run(box, "--requests", "1000")
        for t in run.trials:
            eq(t["load"]["requests"], 1000, "requests")
            ok(t["load"]["duration_us"] < 1000000, "a time of their own: %s" % t["load"])
            ok(abs(t["rate"] - 1000e6 / t["load"]["duration_us"]) < 0.01 * t["rate"], "rate")
        has(result.out, "Mode: requests=1000", "stdout")
        has(result.out, "  time ", "stdout")
        run, _ = fake_run(box, "--requests", "1000", env={"FAKE_WRK": "a=early,ok"}, status=1)
        eq([(t["status"], t["failure"]) for t in run.of("a")], [("failed", "generator")], "trial")
        has(run.of("a")[0]["reason"], "500 of 1000 requests", "reason")


@tap.case("a pipelined run publishes no latency")
def _():
    with Box() as box:
        run, result = fake_run(box, "--pipeline", "4")
        for t in run.trials:
            for group in ("raw", "corrected"):
                eq({v for k, v in t[group].items() if k != "samples"}, {None}, group)
            eq(t["hist_offset"], None, "histogram")
            ok(t["active_ratio"] > 0.5, "active share: %s" % t["active_ratio"])
        hasnt(result.err, "p99", "progress")


@tap.case("what cannot be combined is refused before anything starts")
def _():
    with Box() as box:
        for args, word in (
                (["--pipeline", "4", "--no-keepalive"], "leave out --pipeline or --no-keepalive"),
                (["--requests", "10", "--pipeline", "4"], "choose a multiple of 4"),
                (["--requests", "4"], "choose at least 8"),
                (["--pipeline", "1024", "--connections", "100"], "choose fewer"),
                (["--pipeline", "16", "--workloads", "upload"], "pipeline fewer"),
                (["--think-time", "1500us"], "whole milliseconds"),
                (["--think-time", "3ms..2ms"], "ends before it begins"),
                (["--think-time", "2s"], "give a longer --duration"),
                (["--workloads", "wait:ms=2000"], "give a longer --timeout"),
                (["--workloads", "wait:ms=1500"], "give a longer --duration"),
                (["--access-log", "on"], "put {log} into its command"),
                (["--db", "sqlite:"], "names no file; write sqlite:PATH"),
                (["--workloads", "posts", "--db", "sqlite:/x"],
                 "target 'a' stores in a database of its own"),
                (["--db", "mysql://x"], "neither sqlite:PATH nor postgresql://"),
                (["--db", "postgresql://me:secret@host/db"], "PGPASSFILE"),
                (["--db", "postgresql://me:se?cret@host/db"], "PGPASSFILE"),
                (["--db", "postgresql://host/db?password=secret"], "PGPASSFILE"),
                (["--db", "postgresql://host/db?a=b&p%61ssword=secret"], "PGPASSFILE"),
                (["--db", "postgresql://host/db?sslpassword=secret"], "PGPASSFILE"),
                (["--workloads", "hello:n=1"], "hello takes no parameter"),
                (["--workloads", "bytes:n=01"], "write it like bytes:n=1024"),
                (["--workloads", "bytes:n=16777217"], "from 0 to 16777216"),
                (["--workloads", "bytes:m=1"], "write it like bytes:n=1024"),
                (["--workloads", "bytes:n=1;rm"], "write it like bytes:n=4096"),
                (["--workloads", "bytes:n"], "write it like bytes:n=4096"),
                (["--workloads", "byts:n=1"], "did you mean 'bytes'?")):
            box.loopbench("run", box.ini(), *args).refused(2, word)
        ok(not os.path.exists(box.at("results")), "nothing was made")


@tap.case("a parameter is part of the name, everywhere")
def _():
    with Box() as box:
        run, result = fake_run(box, "--workloads", "bytes:n=300,bytes,fibonacci:n=5,wait:ms=0")
        names = ["bytes:n=300", "bytes", "fibonacci:n=5", "wait:ms=0"]
        eq(run.manifest["plan"]["workloads"], names, "workloads")
        eq(sorted({t["workload"] for t in run.trials}), sorted(names), "workloads of the trials")
        has(result.out, "bytes:n=300, 8 connections", "stdout")
        folder = box.at("again")
        box.loopbench("run", box.ini(), "--workloads", "bytes:n=300", "--out", folder,
                      "--no-report").expect(0)
        has(open(os.path.join(folder, "config.ini"), encoding="utf-8").read(),
            "workloads = bytes:n=300\n", "config.ini")
        box.loopbench("report", folder).expect(0)
        has(open(os.path.join(folder, "report.md"), encoding="utf-8").read(), "bytes:n=300",
            "report.md")


@tap.case("a reply that is wrong under load fails the trial, and says what differs")
def _():
    with Box() as box:
        targets = {"a": "%s --name a" % quote(FAKE_TARGET), "b": box.later("b", "corrupt-later")}
        for warmup in ("300ms", "0s"):
            if os.path.exists(box.at("b.starts")):
                os.remove(box.at("b.starts"))
            run, result = fake_run(box, "--warmup", warmup, status=1, targets=targets)
            eq([t["status"] for t in run.of("a")], ["ok"], "the sound one")
            ok(run.of("a")[0]["replies_checked"] >= 1, "replies were checked")
            t = run.of("b")[0]
            eq((t["status"], t["failure"]), ("failed", "content"), "the other")
            has(t["reason"], "body of a reply to /hello is not 'Hello world!'", "reason")
            eq(t["rate"], None, "rate")
        os.remove(box.at("b.starts"))
        run, _ = fake_run(box, "--no-verify", targets=targets)
        eq([t["status"] for t in run.trials], ["ok"] * 2, "nobody looked")
        eq([t["replies_checked"] for t in run.trials], [None] * 2, "replies checked")


@tap.case("a reply that waits for nothing, or stores nothing, is found before a run and in it")
def _():
    with Box() as box:
        for behaviour, workload, check, reason in (
                ("no-wait", "wait:ms=100", "wait?ms=100: waits", "not 100"),
                ("no-store", "posts", "/posts: stores", "is the same as the one before")):
            said = box.loopbench("verify", "--config", box.ini(), "--targets", "b",
                                 env={"FAKE_TARGET": "b=" + behaviour}).expect(1)
            has(said.out, check.replace("ms=100", "ms=10"), "verify")
            targets = {"a": "%s --name a" % quote(FAKE_TARGET), "b": box.later("b", behaviour)}
            run, _ = fake_run(box, "--workloads", workload, "--warmup", "300ms", status=1,
                              targets=targets)
            eq([t["status"] for t in run.of("a")], ["ok"], "the sound one")
            t = run.of("b")[0]
            eq((t["status"], t["failure"]), ("failed", "content"), "the other")
            has(t["reason"], reason, "reason")
            os.remove(box.at("b.starts"))


@tap.case("the report says which database a server that is not ours stores in")
def _():
    with Box() as box:
        for workload, said in (("posts", True), ("hello", False)):
            folder = box.at(workload)
            box.loopbench("run", box.ini(), "--workloads", workload, "--out", folder).expect(0)
            with open(os.path.join(folder, "report.md"), encoding="utf-8") as f:
                eq("a database of its own" in f.read(), said, workload)


@tap.case("a target that stores elsewhere than in --db is named by verify, unless it says it does not")
def _():
    with Box() as box:
        apart = "%s stores in a database of its own, not in that of --db"
        where = ("--db", "sqlite:" + box.at("db"))
        config = box.ini()
        hasnt(box.loopbench("verify", "--config", config).expect(0).out, apart % "a", "no --db")
        with open(config, "a", encoding="utf-8") as f:
            f.write("shares-db = yes\n")  # of b, the last
        out = box.loopbench("verify", "--config", config, *where).expect(0).out
        has(out, apart % "a", "it says nothing")
        hasnt(out, apart % "b", "it says that it does")
        posts = ("--workloads", "posts", "--targets", "b", "--out", box.at("b")) + where
        box.loopbench("run", config, *posts).expect(0)
        run = Run(box.at("b"))
        eq([t.get("shares_db") for t in run.manifest["targets"]], [True], "manifest")
        hasnt(run.text("report.md"), "a database of its own", "report")
        has(run.text("config.ini"), "shares-db = yes\n", "config.ini")
        box.loopbench("run", config, "--workloads", "posts", *where).refused(2, "target 'a'",
                                                                            "shares-db = yes")


@tap.case("trials of two modes are not reported as one run")
def _():
    with Box() as box:
        folder = box.at("mixed")
        box.loopbench("run", box.ini(), "--out", folder, "--no-report").expect(0)
        path = os.path.join(folder, "trials.jsonl")
        with open(path, encoding="utf-8") as f:
            lines = f.read()
        first, rest = lines.split("\n", 1)
        with open(path, "w", encoding="utf-8") as f:
            f.write(first.replace('"mode":[]', '"mode":["close"]') + "\n" + rest)
        box.loopbench("report", folder).refused(2, "mixes trials of mode 'close'")


@tap.case("nothing is left of the load generator when the runner is killed")
def _():
    with Box(FAKE_WRK="hang") as box:
        process = box.start("run", box.ini(), "--out", box.at("out"), "--no-report")
        wait_for(lambda: [line for _, line in box.running() if "fake-wrk" in line
                          and "window" in line], "the load generator runs")
        process.send_signal(signal.SIGKILL)
        process.communicate()
        wait_for(lambda: not box.running(), "its processes are gone")
        box.nothing_left()


@tap.case("every workload on every server of ours, with the real wrk")
def _():
    with Box() as box:
        run, result = real_run(box, "--workloads", ALL, "--connections", "4", "--duration", "1s",
                               "--no-null-server")
        eq([(t["target"], t["workload"], t["reason"]) for t in run.trials if t["status"] != "ok"],
           [], "failed trials")
        eq(len(run.trials), 30, "trials")
        for t in run.trials:
            eq(t["load"]["errors_status"], 0, "%s %s: errors" % (t["target"], t["workload"]))
            ok(t["replies_checked"] >= 1, "%s %s: checked" % (t["target"], t["workload"]))


@tap.case("--db sqlite: with several targets: each has a file of its own")
def _():
    with Box() as box:
        folder = box.at("db")
        os.mkdir(folder)
        url = "sqlite:" + os.path.join(folder, "posts")
        run, _ = real_run(box, "--targets", "libuv,h2o", "--workloads", "posts", "--connections",
                          "4", "--duration", "1s", "--db", url)
        eq([(t["status"], t["mode"]) for t in run.trials if t["target"] != "null"],
           [("ok", ["db=sqlite"])] * 2, "trials")
        left = [name for name in os.listdir(folder) if name[-4:] not in ("-wal", "-shm")]
        eq(sorted(left), ["posts-h2o", "posts-libuv"], "files")
        box.loopbench("verify", "--servers", SERVERS, "--targets", "libuv,libevent", "--db",
                      url).expect(0)
        run, _ = real_run(box, "--targets", "libuv", "--workloads", "posts", "--connections", "4",
                          "--duration", "1s", "--no-null-server", "--db", url)
        ok(os.path.exists(os.path.join(folder, "posts")), "the file itself, of one alone")


@tap.case("an access log that was thrown away fails the trial")
def _():
    plain_only()
    with Box() as box:
        box.write("libuv", "#!/bin/sh\nulimit -f 8\nexec %s/server-libuv \"$@\"\n"
                  % quote(SERVERS), 0o755)
        os.mkdir(box.at("some"))
        os.rename(box.at("libuv"), box.at("some", "server-libuv"))
        run, _ = real_run(box, "--servers", box.at("some"), "--targets", "libuv", "--workloads",
                          "hello", "--connections", "4", "--duration", "1s", "--no-null-server",
                          "--access-log", "on", "--no-verify", status=1)
        eq([t["status"] for t in run.trials], ["failed"], "status")
        ok(re.search(r"the access log has \d+ lines for \d+ replies", run.trials[0]["reason"]),
           run.trials[0]["reason"])
        eq(run.trials[0]["rate"], None, "rate")


def right_lengths(run):
    """The length of checked replies is known, and not held against what has another for its mode."""
    for t in run.trials:
        ok(t["reply_bytes"] and t["load"]["bytes"], "bytes: %s" % t)
        hasnt(" ".join(t["flags"]), "reply-size", "flags")


@tap.case("each mode with the real wrk: exact counts, no errors, a log that is written")
def _():
    with Box() as box:
        base = ("--targets", "libuv,h2o", "--workloads", "hello", "--connections", "4",
                "--no-null-server")
        run, _ = real_run(box, *base, "--requests", "500", "--no-keepalive")
        eq([t["load"]["requests"] for t in run.trials], [500] * 2, "requests")
        eq([t["load"]["errors_read"] for t in run.trials], [0] * 2, "read errors")
        eq([t["active_ratio"] for t in run.trials], [None] * 2, "active share")
        right_lengths(run)
        run, _ = real_run(box, *base, "--think-time", "20ms", "--access-log", "on")
        for t in run.trials:
            eq(t["mode"], ["think=20ms", "access-log"], "mode")
            ok(t["load"]["requests"] <= 4 * 55, "at most a request each 20 ms: %s" % t["load"])
            # Without the intended idleness it would be near 0; a busy machine starts late.
            ok(0.4 < t["active_ratio"] < 1.05, "intended idleness: %s" % t["active_ratio"])
        run, _ = real_run(box, *base, "--pipeline", "8")
        eq([t["load"]["requests"] % 8 for t in run.trials if t["load"]["requests"] < 8], [],
           "whole batches")
        eq({t["raw"]["p50_us"] for t in run.trials}, {None}, "latency")
        right_lengths(run)


@tap.case("posts on a real PostgreSQL: what the database used is counted apart")
def _():
    if not postgres.find_programs():
        raise Skip("postgresql is not installed")
    with Box() as box, postgres.Postgres(listen_addresses="127.0.0.1") as db:
        run, _ = real_run(box, "--targets", "libuv,h2o", "--workloads", "posts", "--connections",
                          "4", "--no-null-server", "--db", db.url)
        eq([(t["target"], t["reason"]) for t in run.trials if t["status"] != "ok"], [], "failed")
        eq(len(run.trials), 2, "trials")
        for t in run.trials:
            eq(t["mode"], ["db=postgresql"], "mode")
            # It stores every request: no less than a tenth of what the servers need for them.
            ok(t["environment"]["database_cpus"] > 0.1 * t["server"]["cpus_used"],
               "%s: the database's CPU: %s" % (t["target"], t["environment"]))
            ok(t["environment"]["foreign_cpus"] is not None, "others' CPU is known")
        eq(db.schemas(), [], "schemas left behind")


sys.exit(tap.finish())
