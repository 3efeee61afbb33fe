"""Request bodies: read off and ignored, then the next request is answered."""

from tap import eq, ok
from wire import Client, chunked, get
from cases_replies import hello

CASES = []
MIB = 1 << 20


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def post(body_header, body, method="POST", path="/hello"):
    return get(path, body_header, method=method) + body


def length(body, **kwargs):
    return post(f"Content-Length: {len(body)}", body, **kwargs)


def coded(body, **kwargs):
    return post("Transfer-Encoding: chunked", body, **kwargs)


@case("Content-Length bodies of 0 bytes to 1 MiB are read off")
def content_length(server):
    with Client(server.address) as client:
        for size in (0, 1, 11, 4095, 4096, 4097, 65536, 100_000, MIB):
            for method, status in (("POST", 405), ("GET", 200)):
                eq(client.ask(length(b"G" * size, method=method)).status, status, f"{method} with {size} bytes")
                eq(client.ask(get("/hello")).dateless(), hello(), f"after {method} with {size} bytes")


@case("chunked bodies: sizes, extensions, trailers, letter case")
def chunked_bodies(server):
    bodies = (
        chunked(),
        chunked(b"a"),
        chunked(b"abc", b"defgh", b"G" * 70_000),
        chunked(b"x" * 11, extension=";name=value"),
        chunked(b"x", extension=';name="quoted value"'),
        chunked(b"x" * 26, trailer="Expires: never\r\nX-Check: 1\r\n"),
        b"00A\r\n0123456789\r\n0000\r\n\r\n",
        b"a\r\n0123456789\r\n0\r\n\r\n",
    )
    with Client(server.address) as client:
        for body in bodies:
            eq(client.ask(coded(body)).status, 405, f"chunked {body[:30]!r}")
            eq(client.ask(get("/hello")).dateless(), hello(), f"after {body[:30]!r}")
        eq(client.ask(post("transfer-encoding: Chunked", chunked(b"a"))).status, 405, "Chunked")
        eq(client.ask(get("/hello")).dateless(), hello(), "after Chunked")


@case("a body that looks like a request is not answered")
def body_like_request(server):
    with Client(server.address) as client:
        inner = get("/nothing")
        client.send(length(inner, method="GET") + coded(chunked(inner), method="GET") + get("/json"))
        eq([client.recv().status for _ in range(3)], [200, 200, 200], "statuses")
        ok(client.is_silent(0.02), "a reply too many")


@case("a body sent in small pieces")
def body_in_pieces(server):
    with Client(server.address) as client:
        text = coded(chunked(*[b"piece"] * 50))
        for at in range(0, len(text), 7):
            client.send(text[at : at + 7])
        eq(client.recv().status, 405, "chunked in pieces")
        text = length(b"p" * 5000)
        for at in range(0, len(text), 97):
            client.send(text[at : at + 97])
        eq(client.recv().status, 405, "Content-Length in pieces")
        eq(client.ask(get("/hello")).dateless(), hello(), "the request after")


@case("Expect: 100-continue is answered once the head is accepted")
def expect_continue(server):
    for header, body in (
        ("Content-Length: 5", b"12345"),
        ("Transfer-Encoding: chunked", chunked(b"12345")),
    ):
        with Client(server.address) as client:
            client.send(get("/hello", "Expect: 100-continue", header, method="POST"))
            interim = client.recv()
            eq(interim.raw, b"HTTP/1.1 100 Continue\r\n\r\n", f"{header}: interim reply")
            client.send(body)
            eq(client.recv().status, 405, f"{header}: final reply")
            eq(client.ask(get("/hello")).dateless(), hello(), f"{header}: the request after")


@case("Expect: 100-continue with the body sent at once")
def expect_with_body(server):
    with Client(server.address) as client:
        client.send(get("/hello", "Expect: 100-Continue", "Content-Length: 5", method="POST") + b"12345" + get("/json"))
        reply = client.recv()
        if reply.status == 100:  # allowed either way once the body is here
            reply = client.recv()
        eq(reply.status, 405, "final reply")
        eq(client.recv().status, 200, "the request after")


@case("Expect: 100-continue of HTTP/1.0 is ignored, by h2o answered")
def expect_old(server):
    with Client(server.address) as client:
        client.send(get("/hello", "Expect: 100-continue", "Content-Length: 5", method="POST", version="1.0"))
        if server.name == "h2o":
            eq(client.recv().raw, b"HTTP/1.1 100 Continue\r\n\r\n", "interim reply")
        else:
            ok(client.is_silent(), "an interim reply")
        client.send(b"12345")
        eq(client.recv().status, 405, "final reply")
        eq(client.read_to_end(), b"", "after it")


@case("Expect: 100-continue with one byte too many is 413, by h2o 100 first")
def expect_one_too_many(server):
    with Client(server.address) as client:
        client.send(get("/hello", "Expect: 100-continue", f"Content-Length: {MIB + 1}", method="POST"))
        if server.name == "h2o":
            eq(client.recv().raw, b"HTTP/1.1 100 Continue\r\n\r\n", "interim reply")
            client.send(b"b" * (MIB + 1))
        eq(client.recv().status, 413, "reply")
        eq(client.read_to_end(), b"", "after it")


@case("Expect: 100-continue with a length over the limit is 413, not 100")
def expect_too_large(server):
    with Client(server.address) as client:
        client.send(get("/hello", "Expect: 100-continue", f"Content-Length: {4 * MIB}", method="POST"))
        reply = client.recv()
        eq(reply.status, 413, "reply")
        eq(reply.get("connection"), "close", "Connection")
        eq(client.read_to_end(), b"", "after it")
