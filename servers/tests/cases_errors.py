"""What is refused: the status, the close, and the limits exactly at and one above.

`h2o` in a row names what h2o 2.2.5 does instead, where its parser settles the matter out of reach
(docs: servers/h2o/README.md). It is checked as strictly as the rest, so that the document stays true.
"""

import socket

from tap import eq, ok
from wire import Client, Closed, chunked, get
from cases_bodies import coded, length
from cases_replies import head_bytes, hello

CASES = []
HEAD_LIMIT = 16 * 1024
TARGET_LIMIT = 8 * 1024
MIB = 1 << 20

REASONS = {
    400: "Bad Request",
    413: "Content Too Large",
    414: "URI Too Long",
    417: "Expectation Failed",
    431: "Request Header Fields Too Large",
}


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def head(*lines, start="POST /hello HTTP/1.1", host="Host: x"):
    return "".join(f"{line}\r\n" for line in (start, host, *lines) if line is not None).encode("latin-1") + b"\r\n"


def raw(line, *lines):
    return head(*lines, start=line)


BODY5 = b"12345"

# name, bytes, status on all, {server: status} where it differs; status 0: closed without a reply
TABLE = [
    ("no HTTP at all", b"GARBAGE\r\n\r\n", 400, {}),
    ("a TLS hello", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x55" * 40, 400, {}),
    ("HTTP/0.9", b"GET /hello\r\n\r\n", 400, {}),
    ("HTTP/2.0 version", raw("GET /hello HTTP/2.0"), 400, {}),
    ("HTTP/3.0 version", raw("GET /hello HTTP/3.0"), 400, {}),
    ("version without a number", raw("GET /hello HTTP/x.y"), 400, {}),
    ("another protocol's name", raw("GET /hello ICAP/1.0"), 400, {}),
    ("the HTTP/2 preface", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\0\0\0\x04\0\0\0\0\0", 400, {}),
    ("an unknown method", raw("BREW /hello HTTP/1.1"), 400, {}),
    ("a method in lower case", raw("get /hello HTTP/1.1"), 400, {}),
    ("a target with a control character", raw("GET /he\x01llo HTTP/1.1"), 400, {}),
    ("a target with DEL", raw("GET /he\x7fllo HTTP/1.1"), 400, {}),
    ("no Host in 1.1", raw("GET /hello HTTP/1.1").replace(b"Host: x\r\n", b""), 400, {}),
    ("two Hosts", head("Host: y", start="GET /hello HTTP/1.1"), 400, {"h2o": 200}),
    ("two Hosts, with a body", head("Host: y", "Content-Length: 5") + BODY5, 400, {}),
    ("a header without a colon", head("Broken", start="GET /hello HTTP/1.1"), 400, {}),
    ("a header without a name", head(": value", start="GET /hello HTTP/1.1"), 400, {}),
    ("a blank before the colon", head("X-Name : value", start="GET /hello HTTP/1.1"), 400, {}),
    ("a blank in a name", head("X Name: value", start="GET /hello HTTP/1.1"), 400, {}),
    ("NUL in a name", head("X\0Name: value", start="GET /hello HTTP/1.1"), 400, {}),
    ("NUL in a value", head("X-Name: a\0b", start="GET /hello HTTP/1.1"), 400, {}),
    ("a lone carriage return in a value", head("X-Name: a\rb", start="GET /hello HTTP/1.1"), 400, {}),
    ("Content-Length: letters", head("Content-Length: abc") + BODY5, 400, {}),
    ("Content-Length: digits, then letters", head("Content-Length: 5x") + BODY5, 400, {}),
    ("Content-Length: negative", head("Content-Length: -5") + BODY5, 400, {}),
    ("Content-Length: with a plus", head("Content-Length: +5") + BODY5, 400, {}),
    ("Content-Length: hexadecimal", head("Content-Length: 0x5") + BODY5, 400, {}),
    ("Content-Length: a list", head("Content-Length: 5, 5") + BODY5, 400, {}),
    ("Content-Length: two numbers", head("Content-Length: 5 5") + BODY5, 400, {}),
    ("Content-Length: empty", head("Content-Length:") + BODY5, 400, {}),
    ("Content-Length: 2^64", head("Content-Length: 18446744073709551616") + BODY5, 400, {}),
    ("Content-Length: 30 digits", head("Content-Length: " + "9" * 30) + BODY5, 400, {}),
    ("two different Content-Lengths", head("Content-Length: 5", "Content-Length: 6") + BODY5 + b"6", 400, {}),
    ("two equal Content-Lengths", head("Content-Length: 5", "Content-Length: 5") + BODY5, 400, {}),
    ("Content-Length, then Transfer-Encoding",
     head("Content-Length: 5", "Transfer-Encoding: chunked") + chunked(BODY5), 400, {}),
    ("Transfer-Encoding, then Content-Length",
     head("Transfer-Encoding: chunked", "Content-Length: 5") + chunked(BODY5), 400, {}),
    ("two Transfer-Encodings",
     head("Transfer-Encoding: chunked", "Transfer-Encoding: chunked") + chunked(BODY5), 400, {}),
    ("Transfer-Encoding: unknown", head("Transfer-Encoding: xyz") + chunked(BODY5), 400, {}),
    ("Transfer-Encoding: gzip, chunked", head("Transfer-Encoding: gzip, chunked") + chunked(BODY5), 400, {}),
    ("Transfer-Encoding: chunked, gzip", head("Transfer-Encoding: chunked, gzip") + chunked(BODY5), 400, {}),
    ("Transfer-Encoding: identity", head("Transfer-Encoding: identity") + BODY5, 400, {}),
    ("Transfer-Encoding in HTTP/1.0",
     head("Transfer-Encoding: chunked", start="POST /hello HTTP/1.0") + chunked(BODY5), 400, {}),
    ("chunk size: no number", coded(b"zz\r\nabc\r\n0\r\n\r\n"), 400, {}),
    ("chunk size: negative", coded(b"-1\r\nabc\r\n0\r\n\r\n"), 400, {}),
    ("chunk size: 17 digits", coded(b"11111111111111111\r\n"), 400, {}),
    ("a chunk longer than it says", coded(b"3\r\nabcdef\r\n0\r\n\r\n"), 400, {}),
    ("an unknown expectation with a body", head("Expect: 200-ok", "Content-Length: 5") + BODY5, 417, {}),
]

# What one or both of the parsers take although they need not: facts to know, not targets.
LENIENT = [
    ("a folded header", head("X-Name: a", " b", start="GET /hello HTTP/1.1"), 200, {}),
    ("a Content-Length that begins on a second line",
     head("Content-Length:", " 5", start="GET /hello HTTP/1.1") + BODY5, 200, {"h2o": 400}),
    ("a Content-Length that goes on on a second line",
     head("Content-Length: 5", " 4", start="GET /hello HTTP/1.1") + BODY5, 400, {"h2o": 200}),
    ("a Transfer-Encoding that begins on a second line",
     head("Transfer-Encoding:", " chunked", start="GET /hello HTTP/1.1") + chunked(BODY5), 200, {"h2o": 400}),
    ("a Transfer-Encoding with a blank second line",
     head("Transfer-Encoding: chunked", " ", start="GET /hello HTTP/1.1") + chunked(BODY5), 400, {"h2o": 200}),
    ("a trailer without a colon",
     head("Transfer-Encoding: chunked", start="GET /hello HTTP/1.1") + b"0\r\nbad\r\n\r\n", 400, {"h2o": 200}),
    ("chunk size: 17 digits",
     head("Transfer-Encoding: chunked", start="GET /hello HTTP/1.1") + b"0" * 16 + b"3\r\nabc\r\n0\r\n\r\n", 200,
     {"h2o": 400}),
    ("chunk extension: an empty one",
     head("Transfer-Encoding: chunked", start="GET /hello HTTP/1.1") + b"3;\r\nabc\r\n0\r\n\r\n", 400, {"h2o": 200}),
    ("bare line feeds", b"GET /hello HTTP/1.1\nHost: x\n\n", 400, {"h2o": 200}),
    ("101 headers", head(*[f"X-{at}: v" for at in range(100)], start="GET /hello HTTP/1.1"), 200, {"h2o": 400}),
    ("two blanks before the target", raw("GET  /hello HTTP/1.1"), 200, {"h2o": 400}),
    ("HTTP/1.2 version", raw("GET /hello HTTP/1.2"), 400, {"h2o": 200}),
    ("a target beyond ASCII", raw("GET /caf\xe9 HTTP/1.1"), 400, {"h2o": 404}),
    ("a target without its slash", raw("GET hello HTTP/1.1"), 400, {"h2o": 404}),
    ("an empty line before a request", b"\r\n" + get("/hello"), 200, {}),
    ("two empty lines before a request", b"\r\n\r\n" + get("/hello"), 200, {"h2o": 400}),
    ("only empty lines", b"\r\n\r\n", None, {"h2o": 0}),
    ("chunk size: 0x3",
     head("Transfer-Encoding: chunked", start="GET /hello HTTP/1.1") + b"0x3\r\nabc\r\n0\r\n\r\n", 400, {"h2o": 200}),
    ("chunk size: a blank after it",
     head("Transfer-Encoding: chunked", start="GET /hello HTTP/1.1") + b"3 \r\nabc\r\n0\r\n\r\n", 400, {"h2o": 200}),
    ("Content-Length: a blank after it",
     head("Content-Length: 5 ", start="GET /hello HTTP/1.1") + BODY5, 200, {"h2o": 400}),
    ("Content-Length: a tab after it", head("Content-Length: 5\t") + BODY5, 400, {}),
    ("Transfer-Encoding: a tab after it",
     head("Transfer-Encoding: chunked\t") + chunked(BODY5), 400, {}),
    ("Content-Length: 10^19", head("Content-Length: 1" + "0" * 19) + BODY5, 413, {"h2o": 400}),
    ("Content-Length: 2^64-1", head("Content-Length: 18446744073709551615") + BODY5, 413, {"h2o": 400}),
    ("Transfer-Encoding: a blank after it",
     head("Transfer-Encoding: chunked ", start="GET /hello HTTP/1.1") + chunked(BODY5), 200, {"h2o": 400}),
]


def refused(client, name, status):
    """The next reply has that status, says close, and the connection ends after it."""
    if status == 0:
        eq(client.read_to_end(), b"", f"{name}: bytes")
        return
    try:
        reply = client.recv()
    except (Closed, ConnectionResetError) as end:
        raise AssertionError(f"{name}: no reply, expected {status}: {end}") from end
    eq(reply.status, status, f"{name}: status")
    eq(reply.get("connection"), "close", f"{name}: Connection")
    eq(client.read_to_end(), b"", f"{name}: bytes after the reply")


def check_row(server, name, request, status, differs):
    want = differs.get(server.name, status)
    with Client(server.address) as client:
        client.try_send(request)
        if want is None:
            ok(client.is_silent(), f"{name}: answered or closed")
        elif want in (0, *REASONS):
            refused(client, name, want)
        else:
            eq(client.recv().status, want, f"{name}: status")
    # Also behind a good request in the same packet.
    with Client(server.address) as client:
        client.try_send(get("/hello") + request)
        eq(client.recv().dateless(), hello(), f"{name}: the good request before it")
        if want in REASONS:
            refused(client, f"{name}, pipelined", want)


def rows():
    """The table as checks of one line each."""
    for name, request, status, differs in TABLE + LENIENT:
        yield f"refuses {name}" if status in REASONS else f"takes {name}", (
            lambda server, n=name, r=request, s=status, d=differs: check_row(server, n, r, s, d)
        )


def sized_head(total, **kwargs):
    """A GET head of exactly that many bytes, in headers of moderate length."""
    lines, base = [], len(head(start="GET /hello HTTP/1.1"))
    left = total - base
    while left > 0:
        take = left if left <= 4000 else min(left - 100, 3900)
        lines.append("X-Filler: " + "f" * (take - len("X-Filler: \r\n")))
        left -= take
    request = head(*lines, start="GET /hello HTTP/1.1", **kwargs)
    eq(len(request), total, "the test's own head")
    return request


@case("the bytes of error replies are those of any reply")
def error_bytes(server):
    requests = {
        400: get("/hello", host=None),
        413: head(f"Content-Length: {MIB + 1}"),
        414: get("/" + "a" * TARGET_LIMIT),
        431: sized_head(HEAD_LIMIT + 1),
        417: head("Expect: tea", "Content-Length: 1"),
    }
    for status, request in requests.items():
        with Client(server.address) as client:
            client.try_send(request)
            reason = REASONS[status]
            want = head_bytes(f"{status} {reason}", "text/plain", len(reason), "close") + reason.encode()
            eq(client.recv().dateless(), want, str(status))
            eq(client.read_to_end(), b"", f"after {status}")


@case("head limit: 16 KiB is taken, one byte more is 431")
def head_limit(server):
    with Client(server.address) as client:
        eq(client.ask(sized_head(HEAD_LIMIT)).dateless(), hello(), "at the limit")
        eq(client.ask(sized_head(HEAD_LIMIT) + get("/json")).dateless(), hello(), "at the limit, pipelined")
        eq(client.recv().status, 200, "the request after")
        client.try_send(sized_head(HEAD_LIMIT + 1))
        refused(client, "one above", 431)
    with Client(server.address) as client:
        client.try_send(get("/hello") + sized_head(HEAD_LIMIT + 1))
        eq(client.recv().status, 200, "before a pipelined one")
        refused(client, "pipelined, one above", 431)


@case("head limit: refused while it arrives, however long it would get")
def head_endless(server):
    for name, start, piece in (
        ("one endless value", b"GET /hello HTTP/1.1\r\nHost: x\r\nX-Endless: ", b"v" * 1000),
        ("endless headers", b"GET /hello HTTP/1.1\r\nHost: x\r\n", b"X-Name: value\r\n" * 50),
        ("one endless name", b"GET /hello HTTP/1.1\r\nHost: x\r\n", b"n" * 1000),
    ):
        with Client(server.address) as client:
            client.send(start)
            sent = 0
            client.sock.settimeout(0.02)
            while sent < 40 * 1024:
                client.try_send(piece)
                sent += len(piece)
                try:
                    if client.sock.recv(1, socket.MSG_PEEK):
                        break
                except TimeoutError:
                    pass
                except ConnectionResetError:
                    break
            client.sock.settimeout(client.deadline)
            refused(client, name, 431)


@case("target limit: 8 KiB is taken, one byte more is 414")
def target_limit(server):
    with Client(server.address) as client:
        target = "/hello?" + "q" * (TARGET_LIMIT - len("/hello?"))
        eq(client.ask(get(target)).dateless(), hello(), "at the limit")
        eq(client.ask(get("/hello")).dateless(), hello(), "the request after")
        client.try_send(get(target + "q"))
        refused(client, "one above", 414)
    with Client(server.address) as client:
        client.try_send(b"GET /" + b"a" * 20_000)
        refused(client, "without an end", 414)


@case("body limit: 1 MiB is taken, one byte more is 413")
def body_limit(server):
    with Client(server.address) as client:
        eq(client.ask(length(b"b" * MIB)).status, 405, "Content-Length at the limit")
        eq(client.ask(coded(chunked(*[b"c" * 65536] * 16))).status, 405, "chunked at the limit")
        eq(client.ask(coded(chunked(b"c" * MIB))).status, 405, "one chunk at the limit")
        eq(client.ask(get("/hello")).dateless(), hello(), "the request after")
    for name, request in (
        ("Content-Length one above, the head only", head(f"Content-Length: {MIB + 1}")),
        ("Content-Length far above, the head only", head("Content-Length: 9999999999")),
        ("Content-Length one above, with the body", length(b"b" * (MIB + 1))),
        ("chunked one above", coded(chunked(*[b"c" * 65536] * 16, b"d"))),
        ("chunked far above", coded(chunked(*[b"c" * 65536] * 60))),
    ):
        with Client(server.address) as client:
            client.try_send(request)
            refused(client, name, 413)


@case("body limit: a chunk announced too long is refused at once, by h2o once its bytes have come")
def chunk_announced(server):
    with Client(server.address) as client:
        client.send(head("Transfer-Encoding: chunked") + f"{MIB + 1:x}\r\n".encode())
        if server.name == "h2o":
            ok(client.is_silent(), "answered before a byte had come")
            client.send(b"b" * MIB)
            ok(client.is_silent(), "answered before the byte too many")
            client.send(b"b")
        refused(client, "a chunk one byte too long", 413)


@case("framing: a second length is refused before the body has come, by h2o once the head is whole")
def conflict_announced(server):
    request = head("Content-Length: 5", "Content-Length: 5")
    for cut in (0, 1):
        with Client(server.address) as client:
            client.send(request[: len(request) - cut])
            if cut and server.name == "h2o":
                ok(client.is_silent(), "answered before the head was whole")
                client.send(request[len(request) - cut :])
            refused(client, "a second length", 400)


@case("chunk extensions and trailers: 431 beyond 16 KiB, by h2o taken")
def extensions(server):
    for name, body in (
        ("an extension", chunked(b"abc", extension=";" + "e" * 2 * HEAD_LIMIT)),
        ("trailers", chunked(b"abc", trailer="X-Trailer: value\r\n" * 2000)),
    ):
        with Client(server.address) as client:
            client.try_send(coded(body, method="GET"))
            if server.name == "h2o":
                eq(client.recv().dateless(), hello(), name)
            else:
                refused(client, name, 431)


@case("a client still sending its body gets to read the 413")
def still_sending(server):
    for request in (head(f"Content-Length: {8 * MIB}"), head("Transfer-Encoding: chunked") + b"800000\r\n"):
        with Client(server.address) as client:
            client.send(request)
            for _ in range(32):
                client.try_send(b"b" * 65536)
            refused(client, "while sending", 413)


@case("other methods and targets: nothing breaks, the connection goes on or says close")
def odd_targets(server):
    for start in ("OPTIONS * HTTP/1.1", "CONNECT x:80 HTTP/1.1", "GET http://x/hello HTTP/1.1",
                  "GET http://x HTTP/1.1", "PROPFIND /hello HTTP/1.1", "M-SEARCH * HTTP/1.1"):
        with Client(server.address) as client:
            reply = client.ask(raw(start))
            want = 200 if "http:" in start else 404 if start[0] != "P" else 405
            eq(reply.status, want, start)
            eq(client.ask(get("/hello")).dateless(), hello(), f"{start}: the request after")
