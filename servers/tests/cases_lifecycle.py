"""A server as a process: options, start, load it must bear, timeouts, end."""

import json
import os
import resource
import signal
import socket
import threading
import time

from serverproc import FULL, Server, run_once
from tap import eq, ok
from wire import DEADLINE, Client, Closed, get, wait_until
from cases_replies import HELLO, hello

CASES = []
OPTIONS = ("--listen", "--workers", "--backlog", "--idle-timeout", "--max-body", "--handicap-ns", "--access-log", "--version", "--help")

BAD_OPTIONS = (
    ("--nope",), ("nope",), ("-x",), ("--listen",), ("--listen", ""), ("--listen", "127.0.0.1"),
    ("--listen", "127.0.0.1:99999"), ("--listen", "127.0.0.1:-1"), ("--listen", "127.0.0.1:80x"),
    ("--listen", "no.such.name:80"), ("--listen", "::1:80"), ("--listen", "[::1]"), ("--listen", ":80"),
    ("--workers", "0"), ("--workers", "257"), ("--workers", "-1"), ("--workers", "two"), ("--workers", "1.5"),
    ("--workers", ""), ("--workers", "99999999999999999999999"), ("--backlog", "0"), ("--backlog", "x"),
    ("--idle-timeout", "soon"), ("--idle-timeout", "-1s"), ("--idle-timeout", "1y"), ("--idle-timeout", ""),
    ("--max-body", "-1"), ("--max-body", "1q"), ("--max-body", "much"), ("--handicap-ns", "-5"),
    ("--handicap-ns", "5us"), ("--handicap-ns",), ("--access-log",), ("--access-log", ""),
)


def case(title, *, full=False):
    """full: does not apply to server-null."""

    def register(function):
        CASES.append((title, function, full))
        return function

    return register


def cpu_seconds(pid):
    """CPU time of all threads, from the scheduler's own count."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total / 1e9


def one_line(text, what):
    ok(text.endswith("\n") and text.count("\n") == 1 and text.strip(), f"{what} is not one line: {text!r}")


@case("the ready line")
def ready_line(name):
    with Server(name) as server:
        ready = server.ready
        eq(sorted(ready), ["listening", "pid", "server", "versions", "workers"], "members")
        eq(ready["server"], name, "server")
        eq(ready["pid"], server.pid, "pid")
        eq(ready["workers"], 1, "workers")
        ok(ready["listening"].startswith("127.0.0.1:") and server.address[1] > 0, ready["listening"])
        if name in FULL:
            ok(name in ready["versions"], f"versions {ready['versions']}")
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).dateless(), hello())
        server.terminate()
        eq(server.wait(), 0, "exit code")
        eq(server.process.stdout.read(), b"", "output after the ready line")
        eq(server.stderr(), "", "standard error")


@case("an IPv6 address")
def ipv6(name):
    if not os.path.exists("/proc/net/if_inet6") or "00000001 01" not in open("/proc/net/if_inet6", encoding="ascii").read():
        return  # a machine without ::1
    with Server(name, listen="[::1]:0") as server:
        ok(server.ready["listening"].startswith("[::1]:"), server.ready["listening"])
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).dateless(), hello())


@case("--help and --version")
def help_and_version(name):
    code, out, err = run_once(name, "--help")
    eq((code, err), (0, ""), "--help")
    for option in OPTIONS:
        ok(option in out, f"--help does not name {option}")
    code, out, err = run_once(name, "--version")
    eq((code, err), (0, ""), "--version")
    one_line(out, "--version")
    ok(out.startswith(f"server-{name} "), out)


@case("bad options: exit 2, one line")
def bad_options(name):
    for args in BAD_OPTIONS:
        code, out, err = run_once(name, *args)
        eq(code, 2, f"{args}: exit code")
        eq(out, "", f"{args}: standard output")
        one_line(err, f"{args}: standard error")


@case("port in use: exit 3, one line, with one worker and with two")
def port_in_use(name):
    for workers in ("1", "2"):
        with Server(name, "--workers", workers) as server:
            for again in ("1", "2"):
                code, out, err = run_once(name, "--listen", server.ready["listening"], "--workers", again)
                eq(code, 3, f"{workers} workers, then {again}: exit code")
                eq(out, "", "standard output")
                one_line(err, "standard error")
                ok(server.ready["listening"] in err, f"the address is not named: {err}")


@case("--max-body is a limit", full=True)
def max_body(name):
    with Server(name, "--max-body", "10") as server:
        with Client(server.address) as client:
            eq(client.ask(get("/hello", "Content-Length: 10") + b"0123456789").status, 200, "10 bytes")
            eq(client.ask(get("/hello", "Transfer-Encoding: chunked") + b"a\r\n0123456789\r\n0\r\n\r\n").status, 200, "10, chunked")
            client.send(get("/hello", "Content-Length: 11") + b"0123456789a")
            eq(client.recv().status, 413, "11 bytes")
        with Client(server.address) as client:
            client.send(get("/hello", "Transfer-Encoding: chunked") + b"b\r\n0123456789a\r\n0\r\n\r\n")
            eq(client.recv().status, 413, "11, chunked")


@case("--handicap-ns burns that much CPU per request")
def handicap(name):
    requests, each_ns = 200, 200_000
    with Server(name, "--handicap-ns", str(each_ns)) as server, Client(server.address) as client:
        client.ask(get("/hello"))
        before = cpu_seconds(server.pid)
        for _ in range(requests):
            client.ask(get("/hello"))
        used = cpu_seconds(server.pid) - before
        ok(used > 0.8 * requests * each_ns / 1e9, f"{used:.4f} s of CPU, expected about {requests * each_ns / 1e9}")


@case("--workers 2: both serve, /stats counts both", full=True)
def two_workers(name):
    with Server(name, "--workers", "2") as server:
        eq(server.ready["workers"], 2, "workers")
        ok(server.threads() >= 2, f"{server.threads()} threads")
        clients = [Client(server.address) for _ in range(64)]
        for client in clients:
            eq(client.ask(get("/hello")).dateless(), hello())
        stats = json.loads(clients[0].ask(get("/stats")).body)
        eq(stats["workers"], 2, "workers in /stats")
        eq(stats["requests"], 65, "requests in /stats")
        eq(stats["connections"], {"accepted": 64, "open": 64}, "connections in /stats")
        for client in clients:
            client.close()
        with Client(server.address) as client:
            ok(
                wait_until(lambda: json.loads(client.ask(get("/stats")).body)["connections"]["open"] == 1),
                "connections stay open in /stats",
            )
        server.terminate()
        eq(server.wait(), 0, "exit code")
        eq(server.stderr(), "", "standard error")


@case("slow and silent clients are dropped after --idle-timeout, at no cost to others", full=True)
def idle_timeout(name):
    with Server(name, "--idle-timeout", "700ms") as server:
        silent = Client(server.address)
        half_head = Client(server.address)
        half_head.send(get("/hello")[:-5])
        half_body = Client(server.address)
        half_body.send(get("/hello", "Content-Length: 10") + b"12345")
        idle = Client(server.address)
        eq(idle.ask(get("/hello")).dateless(), hello(), "the client that falls idle")
        dripping = Client(server.address)
        drip_ended = threading.Event()

        def drip():
            try:
                for byte in b"GET /hello HTTP/1.1\r\nHost: x\r\nX-Slow: " + b"s" * 2000:
                    dripping.sock.send(bytes([byte]))
                    time.sleep(0.02)
            except OSError:
                drip_ended.set()

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        waiting = {"silent": silent, "half a head": half_head, "half a body": half_body, "idle": idle}
        end = time.monotonic() + DEADLINE
        busy = Client(server.address)
        asked = 0
        while (waiting or not drip_ended.is_set()) and time.monotonic() < end:
            eq(busy.ask(get("/hello")).dateless(), hello(), "a client asking all the time")
            asked += 1
            for what, client in list(waiting.items()):
                if not client.is_silent(0.01):
                    rest = client.read_to_end()
                    ok(rest == b"" or rest.startswith(b"HTTP/1.1 408 "), f"{what}: {rest[:80]!r}")
                    del waiting[what]
        ok(not waiting, f"not dropped: {', '.join(waiting)}")
        ok(drip_ended.is_set(), "a client sending a byte now and then was not dropped")
        eq(busy.ask(get("/hello")).dateless(), hello(), f"the busy client after {asked} requests")


@case("a client that never reads is bounded, dropped in time, and costs no one else", full=True)
def never_reads(name):
    with Server(name, "--idle-timeout", "1s") as server:
        with Client(server.address) as client:
            client.ask(get("/html"))
        before = server.rss_bytes()
        glutton = Client(server.address, rcvbuf=4096)
        glutton.sock.settimeout(0.2)
        sent = 0
        try:
            while sent < 64 << 20:
                sent += glutton.sock.send(get("/html") * 200)
        except TimeoutError:
            pass
        except (BrokenPipeError, ConnectionResetError):
            pass
        ok(sent < 64 << 20, f"the server took {sent} bytes of requests nobody reads the replies of")
        grown = server.rss_bytes() - before
        ok(grown < 16 << 20, f"memory grew by {grown} bytes")
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).dateless(), hello(), "another client")

        def only_one_left():
            with Client(server.address) as other:
                return json.loads(other.ask(get("/stats")).body)["connections"]["open"] == 1

        ok(wait_until(only_one_left, step=0.05), "the client that never reads was not dropped")
        glutton.close()


@case("a slow reader of a large burst gets every reply, in order", full=True)
def slow_reader(name):
    with Server(name) as server, Client(server.address, rcvbuf=4096) as client:
        plan = (get("/html") + get("/json") + get("/hello", method="HEAD") + get("/nothing")) * 3000
        sender = threading.Thread(target=client.send, args=(plan,))
        sender.start()
        first = None
        for at in range(3000):
            group = [client.recv(head_only=turn == 2).dateless() for turn in range(4)]
            first = first or group
            eq(group, first, f"group {at}")
        sender.join()
        ok(client.is_silent(0.02), "bytes after the last reply")


@case("1,000 connections opened and dropped, some by reset, in mid-request: nothing leaks")
def many_connections(name):
    with Server(name) as server:
        with Client(server.address) as client:
            client.ask(get("/hello"))
        before = server.descriptors()
        texts = (b"", get("/hello"), get("/hello")[:20], get("/hello", "Content-Length: 9") + b"1234", get("/hello") * 50)
        for turn in range(10):
            clients = [Client(server.address) for _ in range(100)]
            for at, client in enumerate(clients):
                client.try_send(texts[at % len(texts)])
            for at, client in enumerate(clients):
                if (at + turn) % 2:
                    client.abort()
                else:
                    client.close()
        ok(wait_until(lambda: server.descriptors() <= before), f"{server.descriptors()} descriptors, {before} before")
        ok(server.alive(), f"exit {server.process.poll()}")
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).dateless(), hello(), "afterwards")
            if name in FULL:
                connections = json.loads(client.ask(get("/stats")).body)["connections"]
                eq(connections, {"accepted": 1002, "open": 1}, "connections in /stats")
        eq(server.stderr(), "", "standard error")


@case("500 connections at once are all served")
def concurrent(name):
    with Server(name) as server:
        clients = [Client(server.address) for _ in range(500)]
        for _ in range(3):
            for client in clients:
                client.send(get("/hello"))
            for client in clients:
                eq(client.recv().dateless(), hello())
        for client in clients:
            client.close()


@case("the file limit reached: no spinning, and service once descriptors are free")
def file_limit(name):
    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (48, 48))

    with Server(name, preexec=limit) as server:
        clients = []
        for _ in range(80):
            try:
                clients.append(Client(server.address))
            except (ConnectionError, TimeoutError):
                pass
        eq(clients[0].ask(get("/hello")).dateless(), hello(), "the first client")
        start, before = time.monotonic(), cpu_seconds(server.pid)
        time.sleep(0.3)  # the window in which a spinning server would burn a whole CPU
        spent = cpu_seconds(server.pid) - before
        ok(spent < 0.5 * (time.monotonic() - start), f"{spent:.3f} s of CPU in 0.3 s of nothing")
        eq(clients[0].ask(get("/hello")).dateless(), hello(), "the first client again")
        for client in clients:
            client.close()

        def served():
            try:
                with Client(server.address) as client:
                    return client.ask(get("/hello")).body == HELLO
            except (Closed, ConnectionError):
                return False

        ok(wait_until(served), "no service after the descriptors were given back")


@case("SIGTERM and SIGINT: idle connections are closed, exit 0")
def terminate_idle(name):
    for number in (signal.SIGTERM, signal.SIGINT):
        for workers in ("1", "2"):
            with Server(name, "--workers", workers) as server:
                clients = [Client(server.address) for _ in range(20)]
                for client in clients[:10]:
                    client.ask(get("/hello"))
                server.process.send_signal(number)
                for client in clients:
                    eq(client.read_to_end(), b"", "bytes on an idle connection")
                eq(server.wait(), 0, f"exit code, {workers} workers")
                eq(server.stderr(), "", "standard error")
                try:
                    Client(server.address).close()
                    ok(False, "still accepts")
                except ConnectionRefusedError:
                    pass


def refuses(address):
    try:
        Client(address).close()
        return False
    except ConnectionRefusedError:
        return True


@case("SIGTERM: a request that was on its way to an idle connection is answered", full=True)
def terminate_grace(name):
    # A machine that pauses this test for 50 ms spoils a try, but not every one of them.
    for _ in range(10):
        with Server(name) as server:
            clients = [Client(server.address) for _ in range(4)]
            for client in clients[:2]:
                client.ask(get("/hello"))
            server.process.send_signal(signal.SIGTERM)
            ok(wait_until(lambda: refuses(server.address)), "still accepts after SIGTERM")
            told = []
            for client in clients:
                try:
                    client.send(get("/hello"))
                    told.append(client.read_to_end())
                except OSError:
                    told.append(b"")
            eq(server.wait(), 0, "exit code")
        if all(t.startswith(b"HTTP/1.1 200 ") and b"close" in t for t in told):
            return
    ok(False, f"not answered: {told}")


@case("SIGTERM with requests in flight: what was begun is answered, then exit 0", full=True)
def terminate_in_flight(name):
    with Server(name) as server:
        bursts = [Client(server.address) for _ in range(8)]
        for client in bursts:
            client.send(get("/json") * 100)
        for client in bursts:
            client.recv()  # being served: the rest is in flight
        halves = Client(server.address)
        halves.send(get("/hello", "Content-Length: 10") + b"12345")
        with Client(server.address) as client:
            client.ask(get("/hello"))
        server.terminate()

        def refuses():
            try:
                Client(server.address, deadline=1).close()
                return False
            except OSError:
                return True

        ok(wait_until(refuses), "still accepts after SIGTERM")
        halves.try_send(b"67890")
        reply = halves.recv()
        eq(reply.dateless(), hello("close"), "the request that was half sent")
        for client in bursts:
            text = client.read_to_end()
            ok(text.endswith(b'{"test":1,"data":"hello world"}'), f"a reply was cut: {text[-60:]!r}")
        eq(server.wait(), 0, "exit code")


@case("SIGTERM under load: every client sees whole replies, exit 0")
def terminate_under_load(name):
    with Server(name) as server:
        problems = []
        begun = threading.Barrier(5)

        def load():
            client = Client(server.address)
            count = 0
            try:
                while True:
                    client.send(get("/hello"))
                    if client.recv().body != HELLO:
                        problems.append("another body")
                    count += 1
                    if count == 20:
                        begun.wait()
            except Closed:
                if client.buffer:
                    problems.append(f"a reply was cut: {client.buffer!r}")
            except (BrokenPipeError, ConnectionResetError):
                pass  # closed between our two requests
            except threading.BrokenBarrierError:
                problems.append("not all clients got going")

        threads = [threading.Thread(target=load) for _ in range(4)]
        for thread in threads:
            thread.start()
        begun.wait(timeout=DEADLINE)
        server.terminate()
        for thread in threads:
            thread.join(DEADLINE)
        eq(problems, [], "problems")
        eq(server.wait(), 0, "exit code")


@case("SIGTERM with a client that never ends: exit 0 all the same", full=True)
def terminate_stuck(name):
    with Server(name) as server:
        stuck = Client(server.address)
        stuck.send(get("/hello", "Content-Length: 10") + b"1")
        server.terminate()
        eq(server.wait(), 0, "exit code")
        stuck.close()
