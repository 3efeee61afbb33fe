"""What is answered: endpoints, wire bytes, Date, persistence, pipelining, requests cut anywhere."""

import calendar
import json
import time

from tap import Failure, eq, ok
from wire import Client, chunked, get

HELLO = b"Hello world!"
JSON = b'{"test":1,"data":"hello world"}'

CASES = []
collected = {}  # check name -> {server name: bytes}; compared once all servers have answered


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def head_bytes(status, content_type, length, connection="keep-alive", extra=""):
    """The head every server sends, Date's value left out."""
    return (
        f"HTTP/1.1 {status}\r\nDate: *\r\nConnection: {connection}\r\nContent-Length: {length}\r\n"
        f"Server: loopbench\r\ncontent-type: {content_type}\r\n{extra}\r\n"
    ).encode()


def hello(connection="keep-alive"):
    return head_bytes("200 OK", "text/plain", len(HELLO), connection) + HELLO


def keep_for_comparison(server, name, reply):
    collected.setdefault(name, {})[server.name] = reply.dateless()


@case("GET / and /hello: the exact bytes")
def get_hello(server):
    with Client(server.address) as client:
        for path in ("/", "/hello", "/hello?a=b", "/?", "/hello?x=/../y%00"):
            reply = client.ask(get(path))
            eq(reply.dateless(), hello(), path)
            keep_for_comparison(server, f"GET {path}", reply)


@case("GET /json: the exact bytes")
def get_json(server):
    with Client(server.address) as client:
        reply = client.ask(get("/json"))
        eq(reply.dateless(), head_bytes("200 OK", "application/json", len(JSON)) + JSON, "/json")
        keep_for_comparison(server, "GET /json", reply)


@case("GET /html: a UTF-8 page with non-ASCII text")
def get_html(server):
    with Client(server.address) as client:
        reply = client.ask(get("/html"))
        eq(reply.status_line, "HTTP/1.1 200 OK")
        eq(reply.get("content-type"), "text/html; charset=utf-8")
        ok(any(byte > 127 for byte in reply.body), "no non-ASCII byte in the page")
        ok("<html" in reply.body.decode("utf-8").lower(), "no html element in the page")
        keep_for_comparison(server, "GET /html", reply)


@case("GET /stats: its shape, and that it counts")
def get_stats(server):
    with Client(server.address) as client:
        first = json.loads(client.ask(get("/stats")).body)
        eq(
            sorted(first),
            ["access_log", "connections", "cpu", "memory", "pid", "requests", "server", "versions", "workers"],
            "members",
        )
        eq(first["server"], server.name)
        eq(first["pid"], server.pid)
        eq(first["workers"], 1)
        eq(first["versions"], server.ready["versions"], "versions")
        eq(sorted(first["connections"]), ["accepted", "open"])
        eq(sorted(first["cpu"]), ["system_us", "user_us"])
        eq(sorted(first["memory"]), ["peak_rss_bytes", "rss_bytes"])
        eq(first["access_log"], {"lines": 0, "lost": 0}, "access_log")
        ok(first["memory"]["rss_bytes"] > 100_000, f"rss_bytes {first['memory']['rss_bytes']}")
        ok(first["memory"]["peak_rss_bytes"] >= first["memory"]["rss_bytes"], "peak below rss")
        for _ in range(10):
            client.ask(get("/hello"))
        with Client(server.address) as other:
            other.ask(get("/json"))
            second = json.loads(client.ask(get("/stats")).body)
            eq(second["requests"] - first["requests"], 12, "requests counted since")
            eq(second["connections"]["accepted"] - first["connections"]["accepted"], 1, "accepted since")
            eq(second["connections"]["open"] - first["connections"]["open"], 1, "open since")
        reply = client.ask(get("/stats"))
        eq(reply.get("content-type"), "application/json")
        cpu = json.loads(reply.body)["cpu"]
        ok(cpu["user_us"] + cpu["system_us"] > 0, f"no CPU time: {cpu}")


@case("unknown paths: 404 with a short text/html body")
def not_found(server):
    with Client(server.address) as client:
        paths = ("/nothing", "/hello/", "/Hello", "//hello", "/%68ello", "/hello/../json", "/hello;a", "/js")
        for path in paths:
            reply = client.ask(get(path))
            eq(reply.status_line, "HTTP/1.1 404 Not Found", path)
            ok(reply.get("content-type").startswith("text/html"), f"{path}: {reply.headers}")
            ok(0 < len(reply.body) < 1024, f"{path}: body of {len(reply.body)} bytes")
            keep_for_comparison(server, f"GET {path}", reply)
        eq(client.ask(get("/hello")).status, 200, "the request after a 404")


@case("wrong method: 405 with Allow, then the connection goes on")
def wrong_method(server):
    with Client(server.address) as client:
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"):
            for path in ("/", "/hello", "/json", "/html", "/stats"):
                reply = client.ask(get(path, method=method))
                eq(reply.status_line, "HTTP/1.1 405 Method Not Allowed", f"{method} {path}")
                eq(reply.get("allow"), "GET, HEAD", f"{method} {path} Allow")
                keep_for_comparison(server, f"{method} {path}", reply)
        eq(client.ask(get("/nothing", method="POST")).status, 404, "POST to an unknown path")
        eq(client.ask(get("/hello")).status, 200, "the request after")


@case("HEAD: the head of GET, no body")
def head(server):
    with Client(server.address) as client:
        for path in ("/", "/hello", "/json", "/html", "/nothing"):
            want = client.ask(get(path)).dateless()
            reply = client.ask(get(path, method="HEAD"), head_only=True)
            eq(reply.dateless(), want[: want.index(b"\r\n\r\n") + 4], f"HEAD {path}")
            ok(client.is_silent(0.02), f"HEAD {path}: bytes after the head")
        reply = client.ask(get("/stats", method="HEAD"), head_only=True)
        eq(reply.status, 200, "HEAD /stats")
        eq(client.ask(get("/hello")).dateless(), hello(), "GET after HEAD")


def coarse_time():
    """Seconds by the kernel's clock of tick resolution, which a server may use for Date."""
    return time.clock_gettime(5)  # CLOCK_REALTIME_COARSE


def check_date(client):
    before = int(coarse_time())
    value = client.ask(get("/hello")).get("date")
    after = int(time.time())
    seconds = calendar.timegm(time.strptime(value, "%a, %d %b %Y %H:%M:%S GMT"))
    ok(before <= seconds <= after, f"Date {value} = {seconds}, expected {before} to {after}")
    eq(time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(seconds)), value, "Date's form")


@case("Date is true to the second, also after a pause")
def date(server):
    with Client(server.address) as client:
        check_date(client)
        # A pause in which the server sleeps, ending just as a second begins.
        end = int(coarse_time()) + 2
        while coarse_time() < end:
            time.sleep(max(end - coarse_time(), 0.001))
        for _ in range(200):
            check_date(client)


@case("keep-alive: 500 requests on one connection")
def keep_alive(server):
    with Client(server.address) as client:
        for _ in range(500):
            eq(client.ask(get("/hello")).dateless(), hello())


@case("Connection: close, in any letter case and in lists")
def connection_close(server):
    for line in (
        "Connection: close",
        "connection: CLOSE",
        "CONNECTION: Close",
        "Connection: foo, close",
        "Connection: close, foo",
        "Connection: keep-alive, close",
        "Connection:close",
        "Connection: \t close \t ",
        "Connection: foo\r\nConnection: close",
    ):
        with Client(server.address) as client:
            client.send(get("/hello", *line.split("\r\n")))
            eq(client.recv().dateless(), hello("close"), line)
            eq(client.read_to_end(), b"", f"{line}: after the reply")


@case("Connection with other tokens keeps a 1.1 connection")
def connection_other(server):
    for line in ("Connection: keep-alive", "Connection: foo", "Connection: closed", "Connection: Keep-Alive, TE",
                 "X-Connection: close"):
        with Client(server.address) as client:
            eq(client.ask(get("/hello", line)).dateless(), hello(), line)
            eq(client.ask(get("/hello")).dateless(), hello(), f"{line}: the next request")


@case("HTTP/1.0 closes; with keep-alive it goes on; Host is not required")
def http10(server):
    for host in ("x", None):
        with Client(server.address) as client:
            client.send(get("/hello", version="1.0", host=host))
            eq(client.recv().dateless(), hello("close"), "1.0")
            eq(client.read_to_end(), b"", "after the reply")
        for line in ("Connection: keep-alive", "connection: Keep-Alive"):
            with Client(server.address) as client:
                for _ in range(3):
                    reply = client.ask(get("/hello", line, version="1.0", host=host))
                    eq(reply.dateless(), hello("keep-alive"), f"1.0 {line}")
                client.send(get("/hello", version="1.0", host=host))
                eq(client.recv().dateless(), hello("close"), "1.0 without keep-alive at last")
                eq(client.read_to_end(), b"", "after the last reply")


@case("pipelining: 16 mixed requests in one packet are answered in order")
def pipelining(server):
    plan = [
        get("/hello"), get("/json"), get("/hello", method="HEAD"), get("/html"), get("/nothing"),
        get("/hello", method="DELETE"), get("/json", method="HEAD"), get("/"),
        get("/hello", "Content-Length: 5", method="POST") + b"12345", get("/json"),
        get("/hello", "Transfer-Encoding: chunked", method="POST") + chunked(b"abc", b"d"),
        get("/hello"), get("/html", method="HEAD"), get("/hello", "Content-Length: 3") + b"GET",
        get("/"), get("/json"),
    ]
    eq(len(plan), 16, "the plan")
    single = []
    for request in plan:
        with Client(server.address) as client:
            single.append(client.ask(request, request.startswith(b"HEAD")).dateless())
    for repeat in range(3):
        with Client(server.address) as client:
            client.send(b"".join(plan))
            for at, (request, want) in enumerate(zip(plan, single)):
                got = client.recv(request.startswith(b"HEAD")).dateless()
                eq(got, want, f"repeat {repeat}, reply {at}")
            ok(client.is_silent(0.02), "bytes after the last reply")


@case("pipelining: 2,000 requests in one burst, nothing lost")
def pipelining_deep(server):
    with Client(server.address) as client:
        for _ in range(10):
            client.send(get("/hello") * 200)
        for at in range(2000):
            eq(client.recv().dateless(), hello(), f"reply {at}")
        ok(client.is_silent(0.02), "bytes after the last reply")


@case("pipelining: nothing after Connection: close is answered")
def pipelining_close(server):
    with Client(server.address) as client:
        client.send(get("/hello") + get("/json", "Connection: close") + get("/hello") * 3)
        eq(client.recv().dateless(), hello(), "first")
        eq(client.recv().get("connection"), "close", "second")
        eq(client.read_to_end(), b"", "after the closing reply")


@case("requests cut at every byte")
def cut(server):
    first = get("/hello?q=1", "Accept: text/plain", "X-Long: " + "v" * 40)
    for text in (
        first + get("/json"),
        get("/hello", "Content-Length: 7", method="POST") + b"GET / H" + get("/json"),
        get("/hello", "Transfer-Encoding: chunked", method="POST")
        + chunked(b"0\r\n\r\n", b"xyz", extension=";a=b", trailer="T: v\r\n")
        + get("/json"),
    ):
        with Client(server.address) as client:
            want = client.ask(text).dateless()
            want_next = client.recv().dateless()
            for at in range(1, len(text)):
                client.send(text[:at])
                client.send(text[at:])
                eq(client.recv().dateless(), want, f"cut at {at}")
                eq(client.recv().dateless(), want_next, f"cut at {at}, next")
            for byte in text:
                client.send(bytes([byte]))
            eq(client.recv().dateless(), want, "byte by byte")
            eq(client.recv().dateless(), want_next, "byte by byte, next")


@case("one empty line before a request is skipped")
def leading_crlf(server):
    with Client(server.address) as client:
        for _ in range(3):
            eq(client.ask(b"\r\n" + get("/hello")).dateless(), hello())


@case("header names in any case, values with blanks, obs-text and long cookies are accepted")
def headers(server):
    with Client(server.address) as client:
        for extra in (
            "X:", "x-empty:   ", "ACCEPT:*/*", "Cookie: " + "a" * 4000, "X-Latin: caf\xe9",
            "X-Tab:\ta\tb\t", "!#$%&'*+-.^_`|~09: tokens",
        ):
            eq(client.ask(get("/hello", extra)).dateless(), hello(), extra[:40])
        many = [f"X-{at}: {at}" for at in range(90)]
        eq(client.ask(get("/hello", *many)).dateless(), hello(), "90 headers")


@case("Upgrade: h2c and websocket are ignored")
def upgrade(server):
    for lines in (
        ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABkAAQAAP__"),
        ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
        ("Upgrade: h2c",),
    ):
        with Client(server.address) as client:
            eq(client.ask(get("/hello", *lines)).dateless(), hello(), lines[0])
            eq(client.ask(get("/json")).body, JSON, f"{lines[0]}: the next request")


@case("half-close: requests sent before it are answered, then the server closes")
def half_close(server):
    import socket

    with Client(server.address) as client:
        client.send(get("/hello") + get("/json"))
        client.sock.shutdown(socket.SHUT_WR)
        eq(client.recv().dateless(), hello(), "first")
        eq(client.recv().body, JSON, "second")
        eq(client.read_to_end(), b"", "end")
    with Client(server.address) as client:
        client.send(get("/hello")[:-2])
        client.sock.shutdown(socket.SHUT_WR)
        rest = client.read_to_end()
        ok(rest == b"" or rest.startswith(b"HTTP/1.1 400 "), f"after half a request: {rest[:80]!r}")


def compare_servers(names):
    """Every reply kept for comparison is the same on all servers that answered it."""
    for check, replies in sorted(collected.items()):
        missing = [name for name in names if name not in replies]
        if missing:
            raise Failure(f"{check}: no reply kept from {', '.join(missing)}")
        first = replies[names[0]]
        for name in names[1:]:
            eq(replies[name], first, f"{check}: {name} against {names[0]}")
