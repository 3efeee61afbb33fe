"""The workloads: what they answer, and what the parameters of their queries may be."""

import html
import json
import re
import string
import zlib

from tap import eq, ok
from wire import Client, chunked, get
from cases_replies import head_bytes, keep_for_comparison

CASES = []
MIB = 1 << 20
LETTERS = frozenset((string.ascii_letters + string.digits).encode())

# path, parameter, greatest value, a value that is answered at once
PARAMETERS = (
    ("/fibonacci", "n", 35, 3),
    ("/wait", "ms", 60000, 0),
    ("/bytes", "n", 16 * MIB, 5),
)


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def bytes_block(size):
    """The first bytes of the block that /bytes serves."""
    lines = size // 64 + 1
    tail = " The quick brown fox jumps over the lazy dog, and back.\n"
    return "".join(f"{line * 64:08x}{tail}" for line in range(lines)).encode()[:size]


@case("parameters: missing, twice, no number, out of range are 400 with one line of reason")
def parameters(server):
    with Client(server.address) as client:
        for path, name, most, good in PARAMETERS:
            bad = {
                "is missing": ("", "?", "?other=1", f"?{name.upper()}=1", f"?{name}x=1", f"?x{name}=1"),
                "is given more than once": (f"?{name}=1&{name}=1", f"?{name}=1&a=b&{name}=", f"?{name}&{name}"),
                "is not a number": [f"?{name}{text}" for text in
                                    ("", "=", "=x", "=1x", "=-1", "=+1", "=1.0", "=0x1", "=%31", "=1,2", "==1")],
                "is out of range": [f"?{name}={value}" for value in
                                    (most + 1, 10 * most, 2**64 - 1, 2**64, 2**64 + 1, "9" * 100)],
            }
            for wrong, queries in bad.items():
                reason = f"The parameter {name} {wrong}: give it once, a whole number from 0 to {most}.".encode()
                want = head_bytes("400 Bad Request", "text/plain", len(reason)) + reason
                for query in queries:
                    reply = client.ask(get(path + query))
                    eq(reply.dateless(), want, path + query)
                    keep_for_comparison(server, f"GET {path}{query[:60]}", reply)
                eq(client.ask(get(path + queries[0], method="HEAD"), head_only=True).raw[-4:], b"\r\n\r\n", "HEAD")
            for query in (f"?{name}={good}", f"?{name}=00{good}", f"?a=b&{name}={good}&c", f"?&{name}={good}&&"):
                eq(client.ask(get(path + query)).status, 200, path + query)
            eq(client.ask(get(f"{path}?{name}={good}", method="POST")).status, 405, f"POST {path}")


@case("GET /fibonacci: the numbers")
def fibonacci(server):
    numbers = [0, 1]
    while len(numbers) <= 30:
        numbers.append(numbers[-1] + numbers[-2])
    with Client(server.address) as client:
        for n in (0, 1, 2, 3, 10, 20, 25, 30):
            body = str(numbers[n]).encode()
            reply = client.ask(get(f"/fibonacci?n={n}"))
            eq(reply.dateless(), head_bytes("200 OK", "text/plain", len(body)) + body, f"n={n}")
            keep_for_comparison(server, f"GET /fibonacci?n={n}", reply)


@case("GET /fibonacci: the work grows with n, for every request")
def fibonacci_work(server):
    def used(client, n):
        def cpu():
            stats = json.loads(client.ask(get("/stats")).body)["cpu"]
            return stats["user_us"] + stats["system_us"]

        before = cpu()
        for _ in range(40):
            client.ask(get(f"/fibonacci?n={n}"))
        return cpu() - before

    with Client(server.address) as client:
        used(client, 20)
        small, large = used(client, 20), used(client, 30)
        # By the definition it is 123 times the calls; a request costs something besides.
        ok(large >= 10 * small, f"CPU of 40 requests: {large} µs with n=30, {small} µs with n=20")


@case("GET /concat: 10,000 letters and digits, others each time")
def concat(server):
    with Client(server.address) as client:
        seen = set()
        for _ in range(20):
            reply = client.ask(get("/concat"))
            eq(reply.status_line, "HTTP/1.1 200 OK")
            eq(reply.get("content-type"), "text/plain")
            eq(len(reply.body), 10000, "length")
            eq(set(reply.body) - LETTERS, set(), "other bytes")
            eq(len(set(reply.body)), len(LETTERS), "different letters")
            seen.add(reply.body)
        eq(len(seen), 20, "different bodies of 20")
        eq(client.ask(get("/concat", method="HEAD"), head_only=True).get("content-length"), "10000", "HEAD")


@case("GET /render: 100 posts, newest first, every value escaped")
def render(server):
    with Client(server.address) as client:
        reply = client.ask(get("/render"))
        eq(reply.status_line, "HTTP/1.1 200 OK")
        eq(reply.get("content-type"), "text/html; charset=utf-8")
        page = reply.body.decode("utf-8")
        posts = re.findall(
            r'<article id="post-(\d+)">\n<h2>(\w{16})</h2>\n<time datetime="([^"]+)">([^<]+)</time>\n<p>([^<]*)</p>\n</article>',
            page,
        )
        eq(len(posts), 100, "posts")
        eq(sorted(int(post[0]) for post in posts), list(range(1, 101)), "ids")
        dates = [post[2] for post in posts]
        eq(dates, sorted(dates, reverse=True), "dates")
        eq(dates, [post[3] for post in posts], "dates in the text")
        for post in posts:
            text = html.unescape(post[4])
            ok(len(text) >= 160, f"post {post[0]}: {len(text)} characters")
            eq(html.escape(text, quote=True).replace("&#x27;", "&#39;"), post[4], f"post {post[0]} escaped")
        ok("<script" not in page, "a script element")
        contents = [html.unescape(post[4]) for post in posts]
        eq(sum("<script>" in text for text in contents), 1, "posts with a script element in their text")
        ok(page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"), "the page's ends")
        ok(any(byte > 127 for byte in reply.body), "no non-ASCII byte in the page")
        eq(client.ask(get("/render")).body, reply.body, "the second page")
        eq(client.ask(get("/render", method="HEAD"), head_only=True).get("content-length"), str(len(reply.body)), "HEAD")
        keep_for_comparison(server, "GET /render", reply)


@case("GET /bytes: any number up to 16 MiB, the right ones")
def many_bytes(server):
    block = bytes_block(16 * MIB)
    with Client(server.address) as client:
        for size in (0, 1, 63, 64, 65, 1024, 4095, 4096, 4097, 65535, 65536, 65537, 1_000_000, 16 * MIB):
            reply = client.ask(get(f"/bytes?n={size}"))
            head = head_bytes("200 OK", "application/octet-stream", size)
            eq(reply.dateless()[: len(head)], head, f"head with n={size}")
            ok(reply.body == block[:size], f"n={size}: other bytes than expected")
            head = client.ask(get(f"/bytes?n={size}", method="HEAD"), head_only=True)
            eq(head.get("content-length"), str(size), f"HEAD n={size}")
        client.send(get("/bytes?n=3000000") + get("/hello") + get("/bytes?n=10") + get("/bytes?n=70000") + get("/hello"))
        for size in (3_000_000, None, 10, 70_000, None):
            reply = client.recv()
            ok(reply.body == (b"Hello world!" if size is None else block[:size]), f"pipelined, {size}: other bytes")
        keep_for_comparison(server, "GET /bytes?n=5000", client.ask(get("/bytes?n=5000")))


def upload(client, headers, body, pieces=None):
    """Sends the body whole or in pieces of so many bytes; gives the reply."""
    text = get("/upload", *headers, method="POST") + body
    if pieces is None:
        return client.ask(text)
    for at in range(0, len(text), pieces):
        client.send(text[at : at + pieces])
    return client.recv()


def sum_of(body):
    return f'{{"length":{len(body)},"crc32":"{zlib.crc32(body):08x}"}}'.encode()


@case("POST /upload: length and CRC-32 of any body")
def uploads(server):
    noise = b"".join(zlib.crc32(str(at).encode()).to_bytes(4, "big") for at in range(MIB // 4))
    with Client(server.address) as client:
        for size in (0, 1, 9, 4095, 4096, 4097, 65536, 100_000, MIB):
            body = noise[:size]
            want = head_bytes("200 OK", "application/json", len(sum_of(body))) + sum_of(body)
            reply = upload(client, [f"Content-Length: {size}"], body)
            eq(reply.dateless(), want, f"{size} bytes")
            keep_for_comparison(server, f"POST /upload {size}", reply)
            parts = [body[at : at + 10_007] for at in range(0, size, 10_007)]
            reply = upload(client, ["Transfer-Encoding: chunked"], chunked(*parts))
            eq(reply.dateless(), want, f"{size} bytes, chunked")
        eq(upload(client, [], b"").body, sum_of(b""), "no body")
        body = noise[:5000]
        eq(upload(client, ["Content-Length: 5000"], body, 97).body, sum_of(body), "in pieces")
        text = chunked(*[body[at : at + 50] for at in range(0, 5000, 50)], extension=";a=b", trailer="X-Sum: 1\r\n")
        eq(upload(client, ["Transfer-Encoding: chunked"], text, 7).body, sum_of(body), "chunked, in pieces")
        two = get("/upload", "Content-Length: 3", method="POST") + b"abc"
        client.send(two + two + get("/hello"))
        eq([client.recv().body for _ in range(3)], [sum_of(b"abc"), sum_of(b"abc"), b"Hello world!"], "pipelined")
        for method in ("GET", "PUT"):
            reply = client.ask(get("/upload", "Content-Length: 3", method=method) + b"abc")
            eq((reply.status, reply.get("allow")), (405, "POST"), method)


@case("POST /upload: the limit, and Expect: 100-continue")
def upload_limit(server):
    for headers, body in (
        ([f"Content-Length: {MIB + 1}"], b""),
        (["Transfer-Encoding: chunked"], f"{MIB + 1:x}\r\n".encode() + b"x" * (MIB + 1) + b"\r\n0\r\n\r\n"),
    ):
        with Client(server.address) as client:
            client.try_send(get("/upload", *headers, method="POST") + body)
            reply = client.recv()
            eq((reply.status, reply.get("connection")), (413, "close"), headers[0])
    with Client(server.address) as client:
        client.send(get("/upload", "Expect: 100-continue", "Content-Length: 4", method="POST"))
        eq(client.recv().status, 100, "interim reply")
        eq(client.ask(b"abcd").body, sum_of(b"abcd"), "final reply")
