"""What every guest must do, whatever it is written in."""

import contextlib
import json
import os
import re
import signal
import socket
import struct

from guestproc import Running
from tap import eq, ok
from wire import Client, get, wait_until

LETTERS = re.compile(rb"[A-Za-z0-9]{10000}")
UPLOAD = bytes(range(256)) * 256
SOON = 20  # seconds, however slow the machine is: less than the waits that an end must cut short

# Workload: request, media type. Bodies that are not the same each time are checked by the functions below;
# the others must be those of our own servers.
REQUESTS = {
    "hello": (get("/hello"), "text/plain"),
    "json": (get("/json"), "application/json"),
    "html": (get("/html"), "text/html"),
    "fibonacci": (get("/fibonacci?n=20"), "text/plain"),
    "wait": (get("/wait?ms=10"), "text/plain"),
    "bytes": (get("/bytes?n=1024"), "application/octet-stream"),
    "upload": (get("/upload", f"Content-Length: {len(UPLOAD)}", method="POST") + UPLOAD, "application/json"),
    "concat": (get("/concat"), "text/plain"),
    "render": (get("/render"), "text/html"),
    "posts": (get("/posts", "Content-Length: 0", method="POST"), "application/json"),
}


def check_concat(client, body):
    ok(LETTERS.fullmatch(body), "concat: not 10,000 letters and digits")
    ok(len(set(body)) > 50, "concat: the letters are not random")
    ok(client.ask(REQUESTS["concat"][0]).body != body, "concat: the same twice")


def check_render(_client, body):
    text = body.decode()
    eq(len(re.findall(r'<article id="post-\d+">', text)), 100, "articles")
    dates = re.findall(r'datetime="([^"]+)"', text)
    eq(dates, sorted(dates, reverse=True), "newest first")
    ok("<script" not in text and "&lt;script&gt;" in text, "render: markup is not escaped")
    ok("ů" in text, "render: no text beyond ASCII")


def check_posts(client, body):
    first = json.loads(body)
    then = json.loads(client.ask(REQUESTS["posts"][0]).body)
    for posts in (first, then):
        eq([post["id"] for post in posts], list(range(posts[0]["id"], posts[0]["id"] - 100, -1)), "ids")
        for post in posts:
            ok(re.fullmatch("[A-Za-z0-9]{16}", post["author"]), "author")
            ok(re.fullmatch("[A-Za-z0-9]{160}", post["content"]), "content")
            ok(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", post["date"]), "date")
    eq(then[0]["id"], first[0]["id"] + 1, "the one just stored")
    eq(then[1:], first[:99], "the others")


CHECKS = {"concat": check_concat, "render": check_render, "posts": check_posts}


def reference_bodies(server):
    """What one of our own servers answers, where that is the same each time."""
    with Client(server.address) as client:
        return {name: client.ask(REQUESTS[name][0]).body for name in REQUESTS if name not in CHECKS}


def check_workload(running, name, reference):
    request, kind = REQUESTS[name]
    with Client(running.address) as client:
        reply = client.ask(request)
        eq(reply.status, 200, "status")
        eq((reply.get("Content-Type") or "").split(";")[0], kind, "content type")
        if name in CHECKS:
            CHECKS[name](client, reply.body)
        else:
            eq(reply.body, reference[name], "body")
            eq(client.ask(request).body, reference[name], "second body on the connection")


def check_head(running):
    with Client(running.address) as client:
        reply = client.ask(get("/hello", method="HEAD"), head_only=True)
        eq((reply.status, reply.get("Content-Length")), (200, "12"), "reply to HEAD")
        eq(client.ask(get("/hello")).body, b"Hello world!", "the next on the connection")


def check_missing(running):
    with Client(running.address) as client:
        eq(client.ask(get("/nothing/here")).status, 404, "status")
        eq(client.ask(get("/hello")).body, b"Hello world!", "the next on the connection")
        eq(client.ask(get("/hellos")).status, 404, "status of a longer path")


def check_bad_parameter(running, guest):
    for name, path in (("fibonacci", "/fibonacci?n="), ("wait", "/wait?ms="), ("bytes", "/bytes?n=")):
        for value in ("", "x", "-1", "1e3", "99999999", "9" * 400) if name in guest.workloads else ():
            with Client(running.address) as client:
                eq(client.ask(get(path + value)).status, 400, f"status of {path}{value[:20]}")


def check_garbage(running):
    """Bad requests must not end a server."""
    for data in (b"\x16\x03\x01\x02\x00\x01\x00\x01", b"GET\r\n\r\n", b"GET / HTTP/1.1\r\nContent-Length: x\r\n\r\n"):
        with Client(running.address) as client:
            client.try_send(data)
            client.abort()
    with Client(running.address) as client:
        eq(client.ask(get("/hello")).body, b"Hello world!", "body")


def listen_queue(port):
    """The longest queue of the sockets listening on a port of 127.0.0.1 or all addresses (sock_diag(7))."""
    request = struct.pack("=BBBBI48s", socket.AF_INET, socket.IPPROTO_TCP, 0, 0, 1 << 10, b"")
    found = []
    with socket.socket(socket.AF_NETLINK, socket.SOCK_DGRAM, 4) as diag:  # NETLINK_SOCK_DIAG
        diag.settimeout(5)
        diag.send(struct.pack("=IHHII", 16 + len(request), 20, 0x301, 1, 0) + request)
        while True:
            data = diag.recv(1 << 16)
            while len(data) >= 16:
                length, kind = struct.unpack_from("=IH", data)
                if kind in (2, 3):  # error, done
                    return max(found) if found else None
                # inet_diag_msg: the source port in network order, idiag_wqueue is the limit of the queue
                (sport,) = struct.unpack_from("!H", data, 16 + 4)
                (wqueue,) = struct.unpack_from("=I", data, 16 + 4 + 48 + 8)
                if sport == port:
                    found.append(wqueue)
                data = data[(length + 3) & ~3 :]


def check_backlog(running, backlog):
    try:
        got = listen_queue(running.address[1])
    except OSError as error:
        ok(False, f"the kernel does not say: {error}")
    eq(got, backlog, "listen queue")


def threads(running):
    """Of all its processes, once it has answered."""
    with Client(running.address) as client:
        client.ask(get("/hello"))
    return sum(count for _, count in running.tree())


def check_workers(few, running):
    """More workers are more threads or processes; `few` are those of one worker."""
    ok(wait_until(lambda: threads(running) > few), f"{threads(running)} threads, {few} with one worker")


def check_stop(running):
    """With an idle connection, and a request in flight; nothing may be left. Who waits for its clients longer
    than the runner waits by default says so, and gets none."""
    patient = "stop-grace" in running.guest.say
    with Client(running.address) as idle, Client(running.address) as busy:
        idle.ask(get("/hello"))
        if "wait" in running.guest.workloads:
            busy.send(get("/wait?ms=30000"))
        if patient:
            idle.close()
            busy.close()
        status = running.stop()
        ok(status in (0, -signal.SIGTERM), f"exit status {status}: {running.output()}")
        ok(wait_until(lambda: not running.tree(), SOON), f"processes left: {running.tree()}")
        eq(running.left(), [], "files left")


def check_stop_together(running):
    """Told as the runner does it, all processes at once; whoever supervises tells its workers again. More than
    once and with requests in flight, so that the second signal is certain to come while a worker ends."""
    signum = getattr(signal, "SIG" + running.guest.say.get("stop-signal", "TERM"))

    def told_and_ended():
        if running.process.poll() is None:
            os.killpg(running.process.pid, signum)
        return running.process.poll() is not None

    with contextlib.ExitStack() as stack:
        for _ in range(8 if "wait" in running.guest.workloads else 0):
            stack.enter_context(Client(running.address)).send(get("/wait?ms=30000"))
        ok(wait_until(told_and_ended, SOON, 0.001), f"it does not end: {running.output()}")
        status = running.process.returncode
        ok(status in (0, -signum), f"exit status {status}: {running.output()}")
        ok(not re.search("Traceback|Error|Exit", running.output()), f"it complains: {running.output()}")
        ok(wait_until(lambda: not running.tree(), SOON), f"processes left: {running.tree()}")


def check_log(running, file, requests=20):
    """One line for each request, in whatever form; the last are there once it has ended."""
    file.truncate(0)  # as the runner empties it before a trial
    for _ in range(requests):
        with Client(running.address) as client:
            client.ask(get("/hello"))
    status = running.stop()
    ok(status in (0, -signal.SIGTERM), f"exit status {status}: {running.output()}")
    file.seek(0)
    lines = file.read().splitlines()
    eq(len(lines), requests, "lines")
    ok(all("/hello" in line for line in lines), f"a line without its path: {lines[:2]}")


def check_port_taken(guest):
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with Running(guest, port=taken.getsockname()[1], wait=False) as running:
            ok(running.process.wait(timeout=SOON) != 0, "exit status 0")
            ok(running.output(), "it says nothing")
            ok(wait_until(lambda: not running.tree(), SOON), "processes left")
