"""Replies that come later, bodies that a client takes slowly, bodies that come slowly."""

import json
import selectors
import socket
import threading
import time
import zlib

from serverproc import Server
from tap import eq, ok
from wire import DEADLINE, Client, Closed, get, wait_until
from cases_replies import HELLO, head_bytes
from cases_workloads import bytes_block, sum_of

CASES = []
MIB = 1 << 20
OK = head_bytes("200 OK", "text/plain", 2) + b"OK"


def case(title):
    def register(function):
        CASES.append((title, function))
        return function

    return register


def open_connections(server):
    with Client(server.address) as client:
        return json.loads(client.ask(get("/stats")).body)["connections"]["open"] - 1


@case("GET /wait answers after its time")
def waits(name):
    with Server(name) as server, Client(server.address) as client:
        for ms in (0, 1, 10, 100):
            start = time.monotonic()
            eq(client.ask(get(f"/wait?ms={ms}")).dateless(), OK, f"ms={ms}")
            passed = (time.monotonic() - start) * 1000
            ok(passed >= ms, f"ms={ms}: {passed:.3f} ms passed")
        reply = client.ask(get("/wait?ms=5", method="HEAD"), head_only=True)
        eq((reply.status, reply.get("content-length")), (200, "2"), "HEAD")
        eq(client.ask(get("/hello")).body, HELLO, "the request after")


@case("100 connections wait at once, on no thread, and end in the order of their times")
def concurrent_waits(name):
    with Server(name) as server:
        with Client(server.address) as client:
            client.ask(get("/wait?ms=0"))
        threads = server.threads()
        clients = [Client(server.address) for _ in range(100)]
        selector = selectors.DefaultSelector()
        start = time.monotonic()
        times = {}
        for at, client in enumerate(clients):
            times[client] = 100 + (99 - at) * 8  # the last to ask is the first to be answered
            selector.register(client.sock, selectors.EVENT_READ, client)
            client.send(get(f"/wait?ms={times[client]}"))
        with Client(server.address) as other:
            eq(other.ask(get("/hello")).body, HELLO, "another client meanwhile")
        eq(server.threads(), threads, "threads while 100 wait")
        ended = []
        while len(ended) < len(clients):
            ready = selector.select(DEADLINE)
            ok(ready, f"{len(ended)} of 100 answered, then nothing for {DEADLINE} s")
            for key, _ in ready:
                client = key.data
                eq(client.recv().dateless(), OK)
                passed = (time.monotonic() - start) * 1000
                ok(passed >= times[client], f"ms={times[client]}: {passed:.2f} ms passed")
                ended.append(times[client])
                selector.unregister(client.sock)
        # Who is looked at together may have been answered in any order.
        late = max(before - after for before, after in zip(ended, ended[1:]))
        ok(ended[0] < ended[-1] and sum(ended[:50]) < sum(ended[50:]), f"order {ended}")
        ok(late < 400, f"one was {late} ms out of order: {ended}")
        for client in clients:
            client.close()


@case("waits on one connection are answered in the order they came, with what is between them")
def pipelined_waits(name):
    with Server(name) as server, Client(server.address) as client:
        plan = [("/wait?ms=60", b"OK"), ("/hello", HELLO), ("/wait?ms=1", b"OK"), ("/json", None),
                ("/wait?ms=30", b"OK"), ("/wait?ms=0", b"OK"), ("/bytes?n=100000", bytes_block(100_000))]
        start = time.monotonic()
        client.send(b"".join(get(path) for path, _ in plan))
        for path, body in plan:
            reply = client.recv()
            ok(reply.status == 200 and body in (None, reply.body), f"{path}: {reply.raw[:80]!r}")
        ok(time.monotonic() - start >= 0.06, "it came before the first wait was over")
        # What comes while a reply is waited for is kept, however it is cut.
        client.send(get("/wait?ms=80"))
        ok(client.is_silent(0.02), "an early reply")
        for byte in get("/json") + get("/hello"):
            client.send(bytes([byte]))
        eq([client.recv().status for _ in range(3)], [200, 200, 200], "statuses")
        client.send(get("/wait?ms=80") + get("/js"))
        ok(client.is_silent(0.02), "an early reply")
        client.send(b"")
        eq(client.recv().body, b"OK", "the wait")


@case("a client that ends its side while it waits is answered; one that resets is forgotten at once")
def gone_while_waiting(name):
    with Server(name) as server:
        with Client(server.address) as client:
            client.ask(get("/wait?ms=0"))  # what timers need is there from the first one on
        ok(wait_until(lambda: open_connections(server) == 0), "the first client")
        before = server.descriptors()
        with Client(server.address) as client:
            client.send(get("/wait?ms=60"))
            client.sock.shutdown(socket.SHUT_WR)
            eq(client.recv().body, b"OK", "after a half-close")
            eq(client.read_to_end(), b"", "bytes after it")
        clients = [Client(server.address) for _ in range(50)]
        for client in clients:
            client.send(get("/wait?ms=60000"))
        ok(wait_until(lambda: open_connections(server) == 50), "50 waiting connections")
        for client in clients:
            client.abort()
        ok(wait_until(lambda: open_connections(server) == 0), f"{open_connections(server)} of 50 are still open")
        # Closed in the usual way: noticed when the reply is due. With something pipelined behind, too.
        for more in (b"", get("/hello") * 3, get("/hel")[:9]):
            for how in ("close", "abort"):
                clients = [Client(server.address) for _ in range(20)]
                for client in clients:
                    client.send(get("/wait?ms=100") + more)
                for client in clients:
                    getattr(client, how)()
        ok(wait_until(lambda: open_connections(server) == 0), f"{open_connections(server)} are still open")
        ok(wait_until(lambda: server.descriptors() <= before), f"{server.descriptors()} descriptors, {before} before")
        ok(server.alive(), f"exit {server.process.poll()}")
        with Client(server.address) as client:
            eq(client.ask(get("/wait?ms=1")).dateless(), OK, "afterwards")
        eq(server.stderr(), "", "standard error")


@case("--idle-timeout does not count the time that the server takes")
def wait_longer_than_idle(name):
    with Server(name, "--idle-timeout", "200ms") as server, Client(server.address) as client:
        eq(client.ask(get("/wait?ms=700")).dateless(), OK, "the wait")
        eq(client.ask(get("/hello")).body, HELLO, "the request after")


@case("SIGTERM: who waits is answered, with Connection: close, then exit 0")
def terminate_waiting(name):
    with Server(name, "--workers", "2") as server:
        clients = [Client(server.address) for _ in range(20)]
        for client in clients:
            client.send(get("/wait?ms=2500"))
        ok(wait_until(lambda: open_connections(server) == 20), "20 waiting connections")
        server.terminate()
        for client in clients:
            eq(client.recv().dateless(), OK.replace(b"keep-alive", b"close"), "the reply")
            eq(client.read_to_end(), b"", "bytes after it")
        eq(server.wait(), 0, "exit code")
        eq(server.stderr(), "", "standard error")


@case("SIGTERM: who waits for too long is cut, exit 0 all the same")
def terminate_waiting_long(name):
    with Server(name) as server:
        clients = [Client(server.address) for _ in range(3)]
        for client in clients:
            client.send(get("/wait?ms=60000"))
        ok(wait_until(lambda: open_connections(server) == 3), "3 waiting connections")
        server.terminate()
        eq(server.wait(), 0, "exit code")
        for client in clients:
            eq(client.read_to_end(), b"", "bytes")
        eq(server.stderr(), "", "standard error")


@case("/bytes: clients that do not read cost a bounded buffer and are dropped; one that reads slowly is not")
def slow_bytes(name):
    block = bytes_block(16 * MIB)
    with Server(name, "--idle-timeout", "500ms") as server:
        with Client(server.address) as client:
            ok(client.ask(get(f"/bytes?n={16 * MIB}")).body == block, "other bytes")
        before = server.rss_bytes()
        stuck = [Client(server.address, rcvbuf=4096) for _ in range(20)]
        for client in stuck:
            client.send(get(f"/bytes?n={16 * MIB}"))
        slow = Client(server.address, rcvbuf=65536)
        slow.send(get(f"/bytes?n={16 * MIB}"))
        got = bytearray()
        start = time.monotonic()
        most = 0
        while len(got) < len(block):
            piece = slow.sock.recv(256 * 1024)
            ok(piece, f"dropped after {len(got)} bytes and {time.monotonic() - start:.2f} s")
            got += piece
            most = max(most, server.rss_bytes() - before)
            # About 1.5 s in all: three times the timeout, at a steady pace.
            time.sleep(max(0.0, start + 1.5 * len(got) / len(block) - time.monotonic()))
        while b"\r\n\r\n" not in got or len(got) < got.index(b"\r\n\r\n") + 4 + len(block):
            piece = slow.sock.recv(65536)
            ok(piece, f"dropped after {len(got)} bytes")
            got += piece
        ok(got[got.index(b"\r\n\r\n") + 4 :] == block, "other bytes for the slow reader")
        ok(most < 2 * MIB, f"memory grew by {most} bytes for 21 replies of 16 MiB")
        slow.close()
        ok(wait_until(lambda: open_connections(server) == 0), f"{open_connections(server)} clients that do not read")
        for client in stuck:
            client.close()


@case("/bytes: aborted in the middle, nothing leaks")
def aborted_bytes(name):
    with Server(name) as server:
        before = server.descriptors()
        for how in ("close", "abort"):
            clients = [Client(server.address) for _ in range(20)]
            for client in clients:
                client.send(get(f"/bytes?n={16 * MIB}") + get("/concat") * 20 + get(f"/bytes?n={16 * MIB}"))
                client.sock.recv(1000)
            for client in clients:
                getattr(client, how)()
        ok(wait_until(lambda: open_connections(server) == 0), f"{open_connections(server)} are still open")
        ok(wait_until(lambda: server.descriptors() <= before), f"{server.descriptors()} descriptors, {before} before")
        eq(server.stderr(), "", "standard error")


@case("/upload of 64 MiB: the right sum, and what is kept of it in memory")
def large_upload(name):
    piece = zlib.compress(bytes_block(MIB), 0)[:MIB]
    count = 64
    with Server(name, "--max-body", "64m") as server, Client(server.address) as client:
        client.ask(get("/hello"))
        before = server.rss_bytes()
        most = 0
        crc = 0
        client.send(get("/upload", "Transfer-Encoding: chunked", method="POST"))
        for _ in range(count):
            client.send(f"{MIB:x}\r\n".encode() + piece + b"\r\n")
            crc = zlib.crc32(piece, crc)
            most = max(most, server.rss_bytes() - before)
        client.send(b"0\r\n\r\n")
        eq(client.recv().body, f'{{"length":{count * MIB},"crc32":"{crc:08x}"}}'.encode(), "reply")
        if name != "h2o":  # which gathers a body before the application sees it
            ok(most < MIB, f"memory grew by {most} bytes")


@case("a slow upload is dropped after --idle-timeout, others are served")
def slow_upload(name):
    with Server(name, "--idle-timeout", "500ms") as server, Client(server.address) as client:
        client.send(get("/upload", "Content-Length: 100000", method="POST"))
        ended = threading.Event()

        def drip():
            try:
                while True:
                    client.sock.send(b"x")
                    time.sleep(0.02)
            except OSError:
                ended.set()

        threading.Thread(target=drip, daemon=True).start()
        with Client(server.address) as other:
            body = b"y" * 1000
            end = time.monotonic() + DEADLINE
            while not ended.is_set() and time.monotonic() < end:
                eq(other.ask(get("/upload", "Content-Length: 1000", method="POST") + body).body, sum_of(body), "another")
        ok(ended.is_set(), "not dropped")


@case("/render, /concat and /bytes under SIGTERM: whole replies")
def terminate_bodies(name):
    with Server(name) as server:
        clients = [Client(server.address) for _ in range(6)]
        for client, path in zip(clients, ("/render", "/concat", f"/bytes?n={8 * MIB}") * 2):
            client.send(get(path) * 3)
        first = [client.recv() for client in clients]
        server.terminate()
        for client, reply in zip(clients, first):
            try:
                while True:
                    eq(len(client.recv().body), len(reply.body), "length of a body")
            except (Closed, ConnectionResetError):
                eq(client.buffer, b"", "a reply that was cut")
        eq(server.wait(), 0, "exit code")
