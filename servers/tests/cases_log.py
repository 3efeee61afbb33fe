"""The access log: complete, renamed under load, on a full disk."""

import json
import os
import re
import resource
import signal
import tempfile
import threading

from serverproc import Server, run_once
from tap import eq, ok
from wire import Client, get, wait_until

CASES = []
LINE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (\d{3}) (\S+) (\S+) (\d+)\n")


def case(title):
    def register(function):
        CASES.append((title, function))
        return function

    return register


def read_lines(path):
    """(status, method, path, bytes) of each line; every line must be whole."""
    with open(path, encoding="ascii") as file:
        lines = file.readlines()
    out = []
    for at, line in enumerate(lines):
        match = LINE.fullmatch(line)
        ok(match, f"line {at + 1} of {os.path.basename(path)}: {line!r}")
        out.append((int(match[1]), match[2], match[3], int(match[4])))
    return out


def log_counts(server):
    with Client(server.address) as client:
        return json.loads(client.ask(get("/stats")).body)["access_log"]


REQUESTS = (
    # bytes, what its line says
    (get("/hello"), (200, "GET", "/hello", 12)),
    (get("/hello?a=b"), (200, "GET", "/hello", 12)),
    (get("/hello", method="HEAD"), (200, "HEAD", "/hello", 0)),
    (get("/nothing"), (404, "GET", "/nothing", 50)),
    (get("/hello", method="DELETE"), (405, "DELETE", "/hello", 18)),
    (get("/hello", method="M-SEARCH"), (405, "M-SEARCH", "/hello", 18)),
    (get("/fibonacci?n=99"), (400, "GET", "/fibonacci", 75)),
    (get("/wait?ms=1"), (200, "GET", "/wait", 2)),
    (get("/concat"), (200, "GET", "/concat", 10000)),
    (get("/bytes?n=100000"), (200, "GET", "/bytes", 100000)),
    (get("/upload", "Content-Length: 3", method="POST") + b"abc", (200, "POST", "/upload", 31)),
    (get("http://x/hello"), (200, "GET", "/hello", 12)),
)


@case("--access-log: a line for each request, all there after SIGTERM")
def complete(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "access.log")
        with Server(name, "--access-log", path) as server:
            with Client(server.address) as client:
                for request, line in REQUESTS:
                    client.ask(request, head_only=line[1] == "HEAD")
                client.send(get("/json") * 500)
                for _ in range(500):
                    client.recv()
            eq(log_counts(server), {"lines": 512, "lost": 0}, "counts")
            server.terminate()
            eq(server.wait(), 0, "exit code")
            eq(server.stderr(), "", "standard error")
        lines = read_lines(path)
        eq(lines[: len(REQUESTS)], [line for _, line in REQUESTS], "the first lines")
        eq(lines[len(REQUESTS) : -1], [(200, "GET", "/json", 31)] * 500, "the lines of /json")
        eq(lines[-1][:3], (200, "GET", "/stats"), "the last line")
        eq(len(lines), 513, "lines")


@case("--access-log: what is refused, and clients that go away, are in it")
def refused(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "access.log")
        with Server(name, "--access-log", path) as server:
            for request in (
                b"GARBAGE\r\n\r\n",
                get("/hello", host=None),
                get("/upload", f"Content-Length: {2 << 20}", method="POST"),
                get("/" + "a" * 9000),
                get("/hello", "X-Long: " + "a" * 17000),
                get("/hello", "Expect: tea", "Content-Length: 1"),
            ):
                with Client(server.address) as client:
                    client.try_send(request)
                    client.read_to_end()
            client = Client(server.address)
            client.send(get("/wait?ms=60000"))
            ok(wait_until(lambda: log_counts(server)["lines"] >= 7), "no line of /stats")
            client.abort()
            server.terminate()
            eq(server.wait(), 0, "exit code")
        lines = read_lines(path)
        statuses = [line[0] for line in lines if line[2] != "/stats"]
        eq(statuses, [400, 400, 413, 414, 431, 417, 499], "statuses")
        eq(lines[1], (400, "GET", "/hello", 11), "the line of the request without a Host")


def load(address, stop, counts, at):
    """Asks all the time; counts what was answered."""
    with Client(address) as client:
        while not stop.is_set():
            client.send(get("/hello") * 20)
            for _ in range(20):
                client.recv()
                counts[at] += 1


@case("--access-log: renamed and SIGUSR1 under load, two workers: not a line is lost")
def rotated(name):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "access.log")
        with Server(name, "--access-log", path, "--workers", "2") as server:
            stop, counts = threading.Event(), [0] * 4
            threads = [threading.Thread(target=load, args=(server.address, stop, counts, at)) for at in range(4)]
            for thread in threads:
                thread.start()
            names = []
            for turn in range(5):
                seen = sum(counts)
                ok(wait_until(lambda seen=seen: sum(counts) > seen + 200), "the load stopped")
                names.append(f"{path}.{turn}")
                os.rename(path, names[-1])
                server.process.send_signal(signal.SIGUSR1)
                ok(wait_until(lambda: os.path.exists(path)), "not reopened after SIGUSR1")
            stop.set()
            for thread in threads:
                thread.join(20)
            server.terminate()
            eq(server.wait(), 0, "exit code")
            eq(server.stderr(), "", "standard error")
        each = [len(read_lines(file)) for file in [*names, path]]
        eq(sum(each), sum(counts), f"lines in {each}")
        ok(all(count > 0 for count in each[:-1]), f"lines in {each}")


@case("--access-log on a full disk: lines are lost with a count, requests never")
def full_disk(name):
    with Server(name, "--access-log", "/dev/full") as server:
        with Client(server.address) as client:
            for _ in range(300):
                eq(client.ask(get("/hello")).body, b"Hello world!")
        ok(wait_until(lambda: log_counts(server)["lost"] >= 300), f"counts {log_counts(server)}")
        server.terminate()
        eq(server.wait(), 0, "exit code")
        said = server.stderr()
        match = re.fullmatch(
            rf"server-{name}: --access-log /dev/full: (\d+) of (\d+) lines lost: No space left on device\n", said
        )
        ok(match and match[1] == match[2], said)


@case("--access-log at a size limit: whole lines up to it, the rest counted")
def size_limit(name):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "access.log")
        with Server(name, "--access-log", path, preexec=limit) as server:
            with Client(server.address) as client:
                for _ in range(10):
                    client.send(get("/hello") * 40)
                    for _ in range(40):
                        eq(client.recv().body, b"Hello world!")
                    seen = log_counts(server)
                    ok(wait_until(lambda seen=seen: log_counts(server)["lines"] > seen["lines"]), "counts stay")
            server.terminate()
            eq(server.wait(), 0, "exit code")
            match = re.search(r": (\d+) of (\d+) lines lost: File too large\n", server.stderr())
            ok(match, server.stderr())
        with open(path, encoding="ascii") as file:
            whole = [line for line in file if LINE.fullmatch(line)]
        eq(len(whole), int(match[2]) - int(match[1]), "whole lines in the file")
        ok(len(whole) > 80, f"{len(whole)} lines in 5000 bytes")


@case("--access-log that cannot be opened: exit 3, one line")
def cannot_open(name):
    for path in ("/nonexistent/access.log", "/"):
        code, out, err = run_once(name, "--listen", "127.0.0.1:0", "--access-log", path)
        eq((code, out), (3, ""), path)
        ok(err.count("\n") == 1 and f"--access-log {path}: " in err, err)


@case("SIGUSR1 without a log does nothing")
def no_log(name):
    with Server(name) as server, Client(server.address) as client:
        client.ask(get("/hello"))
        server.process.send_signal(signal.SIGUSR1)
        for _ in range(50):
            eq(client.ask(get("/hello")).status, 200)
        server.terminate()
        eq(server.wait(), 0, "exit code")
