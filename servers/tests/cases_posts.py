"""POST /posts as a client sees it, whatever the database: every case takes a running server."""

import datetime
import json
import re
import threading

from tap import eq, ok
from wire import Client, chunked, get, wait_until

CASES = []
NEWEST = 100
RANDOM = {"author": re.compile(r"[A-Za-z0-9]{16}"), "content": re.compile(r"[A-Za-z0-9]{160}")}


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def request(body=b"", path="/posts"):
    return get(path, f"Content-Length: {len(body)}", method="POST") + body


def document(author, content, **more):
    return json.dumps({"author": author, "content": content, **more}).encode()


def documents(reply):
    """The documents of a 200, checked for what holds always."""
    eq(reply.status, 200, f"status ({reply.body[:200]!r})")
    eq(reply.get("content-type"), "application/json", "content type")
    eq(reply.get("connection"), "keep-alive", "Connection")
    found = json.loads(reply.body.decode("utf-8"))
    eq(len(found), NEWEST, "documents")
    for each in found:
        eq(list(each), ["id", "author", "date", "content"], "members")
    ids = [each["id"] for each in found]
    eq(ids, sorted(ids, reverse=True), "ids, newest first")
    eq(len(set(ids)), NEWEST, "different ids")
    return found


def ask(server, body=b""):
    with Client(server.address) as client:
        return documents(client.ask(request(body)))


def check_random(each):
    for name, pattern in RANDOM.items():
        ok(pattern.fullmatch(each[name]), f"{name}: {each[name]!r}")


@case("an empty body stores random characters among 100 documents")
def random_document(server):
    with Client(server.address) as client:
        first = documents(client.ask(request()))
        second = documents(client.ask(request()))
    check_random(first[0])
    check_random(second[0])
    eq(second[0]["id"], first[0]["id"] + 1, "id of the next one")
    eq(second[1:], first[:-1], "the others")
    ok(first[0]["content"] != second[0]["content"], "the same content twice")
    date = datetime.datetime.strptime(second[0]["date"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)
    age = (datetime.datetime.now(datetime.timezone.utc) - date).total_seconds()
    ok(-5 < age < 60, f"date {second[0]['date']} is {age} s ago")


TEXTS = (
    ("a", "b"),
    ("Jiří Ω", 'quotes " and \\ and / and \t\n\r\x01\x1f\x7f'),
    ("日本語", "🙂 " * 100 + "\u2028\uffff"),
    ("x" * 64, "y" * 4096),
    ("ž" * 64, "🙂" * 4096),
    ("'; DROP TABLE posts; --", "<script>alert(1)</script>"),
)


@case("a JSON body is stored as it is")
def json_document(server):
    with Client(server.address) as client:
        for author, content in TEXTS:
            first = documents(client.ask(request(document(author, content))))[0]
            eq((first["author"], first["content"]), (author, content), "stored")
            raw = json.dumps({"content": content, "author": author}, ensure_ascii=False, indent=1)
            first = documents(client.ask(request(raw.encode())))[0]
            eq((first["author"], first["content"]), (author, content), "stored, sent as UTF-8")
        before = documents(client.ask(request()))
        eq([each["content"] for each in before[1:3]], [TEXTS[-1][1]] * 2, "still there")


@case("a chunked body, and bodies in small pieces")
def chunked_document(server):
    body = document("chunks", "of one document")
    with Client(server.address) as client:
        head = get("/posts", "Transfer-Encoding: chunked", method="POST")
        eq(documents(client.ask(head + chunked(body)))[0]["author"], "chunks", "one chunk")
        pieces = [body[at : at + 3] for at in range(0, len(body), 3)]
        eq(documents(client.ask(head + chunked(*pieces)))[0]["author"], "chunks", "chunks of three")
        check_random(documents(client.ask(head + chunked()))[0])
        whole = request(body)
        for at in range(0, len(whole), 5):
            client.send(whole[at : at + 5])
        eq(documents(client.recv())[0]["author"], "chunks", "in pieces of five")


@case("pipelined requests are answered in order")
def pipelined(server):
    names = [f"order {i}" for i in range(20)]
    with Client(server.address) as client:
        client.send(b"".join(request(document(name, "x")) + get("/hello") for name in names))
        for name in names:
            eq(documents(client.recv())[0]["author"], name, "document")
            eq(client.recv().body, b"Hello world!", "what was behind it")


MEMBER = b'{"author":"a","content":"b"}'
BAD = (
    (b"{", "the body is not JSON: line 1 column 1: "),
    (b"x", "the body is not JSON: line 1 column 1: "),
    (b" ", "the body is not JSON: line 1 column 1: "),
    (MEMBER + b"x", "the body is not JSON: "),
    (MEMBER[:-1], "the body is not JSON: "),
    (b'{"author":"a","content":"b",}', "the body is not JSON: "),
    (b"{'author':'a','content':'b'}", "the body is not JSON: "),
    (b'{"author":"\xff","content":"b"}', "the body is not JSON: "),
    (b'{"author":"\\ud800","content":"b"}', "the body is not JSON: "),
    (b'{"author":"a\nb","content":"b"}', "the body is not JSON: "),
    (b'{"author":"a","author":"a","content":"b"}', "the body is not JSON: "),
    (b"[]", "the body must be a JSON object"),
    (b'"author"', "the body must be a JSON object"),
    (b"null", "the body must be a JSON object"),
    (b"{}", 'the member "author" is missing'),
    (b'{"content":"b"}', 'the member "author" is missing'),
    (b'{"author":"a"}', 'the member "content" is missing'),
    (b'{"Author":"a","content":"b"}', 'the member "author" is missing'),
    (b'{"author":1,"content":"b"}', '"author" must be a string'),
    (b'{"author":"a","content":null}', '"content" must be a string'),
    (b'{"author":"a","content":["b"]}', '"content" must be a string'),
    (b'{"author":"","content":"b"}', '"author" must have 1 to 64 characters'),
    (document("x" * 65, "b"), '"author" must have 1 to 64 characters'),
    (document("ž" * 65, "b"), '"author" must have 1 to 64 characters'),
    (document("a", ""), '"content" must have 1 to 4096 characters'),
    (document("a", "x" * 4097), '"content" must have 1 to 4096 characters'),
    (document("a\0", "b"), '"author" must not contain U+0000'),
    (document("a", "b", date="x"), 'the only members of a document are "author" and "content"'),
    (b"[" * 2000, "the body is nested too deeply"),
    (b'{"a":' * 2000, "the body is nested too deeply"),
    (MEMBER + b" " * 65536, "the body is over 65536 bytes"),
)


@case("a bad body is refused with its reason, the connection kept, nothing stored")
def bad_bodies(server):
    with Client(server.address) as client:
        before = documents(client.ask(request()))[0]["id"]
        for body, reason in BAD:
            for text in (request(body), get("/posts", "Transfer-Encoding: chunked", method="POST") + chunked(body)):
                reply = client.ask(text)
                line = reply.body.decode("ascii")
                eq(reply.status_line, "HTTP/1.1 400 Bad Request", f"{body[:50]!r}")
                eq(reply.get("connection"), "keep-alive", "Connection")
                eq(reply.get("content-type"), "text/plain", "content type")
                ok(line.startswith(reason), f"{body[:50]!r}: {line!r}, expected {reason!r}")
                ok(line.isprintable(), f"not one line of text: {line!r}")
        eq(documents(client.ask(request()))[0]["id"], before + 1, "the next id")


def bad_replies(server):
    """The raw refusals, to be compared between servers."""
    with Client(server.address) as client:
        return [client.ask(request(body)).dateless() for body, _ in BAD]


@case("other methods")
def methods(server):
    with Client(server.address) as client:
        for method in ("GET", "HEAD", "PUT"):
            body = b"" if method != "PUT" else MEMBER
            reply = client.ask(
                get("/posts", f"Content-Length: {len(body)}", method=method) + body, head_only=method == "HEAD")
            eq((reply.status, reply.get("allow")), (405, "POST"), method)
        eq(client.ask(request(path="/posts/")).status, 404, "/posts/")


def hammer(server, threads, each, work):
    """Runs work(client, thread, number) on so many connections at once; failures are raised."""
    failures = []

    def run(thread):
        try:
            with Client(server.address) as client:
                for number in range(each):
                    work(client, thread, number)
        except Exception as error:  # told to the main thread
            failures.append(error)

    running = [threading.Thread(target=run, args=(thread,)) for thread in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    if failures:
        raise failures[0]


@case("50 connections: each reply holds its own document, none is lost")
def concurrent(server):
    before = ask(server)[0]["id"]
    lock = threading.Lock()
    ids = []

    def work(client, thread, number):
        name = f"{thread}/{number}"
        own = [each for each in documents(client.ask(request(document(name, "x")))) if each["author"] == name]
        eq(len(own), 1, f"own document {name} in the reply")
        with lock:
            ids.append(own[0]["id"])

    hammer(server, 50, 10, work)
    eq(sorted(ids), list(range(before + 1, before + 501)), "ids given")
    eq(ask(server)[0]["id"], before + 501, "the next id")


@case("clients that are gone before their answer")
def gone(server):
    before = ask(server)[0]["id"]
    for at in range(60):
        client = Client(server.address)
        client.send(request() * (1 + at % 3))
        if at % 2:
            client.abort()
        else:
            client.close()
    with Client(server.address) as client:
        eq(client.ask(get("/hello")).status, 200, "another client")
    latest = []

    def settled():
        latest.append(ask(server)[0]["id"])
        return len(latest) > 2 and latest[-1] == latest[-2] + 1 == latest[-3] + 2

    ok(wait_until(settled), "the store does not settle")
    ok(before < latest[-1] <= before + 120 + len(latest), f"ids went from {before} to {latest[-1]}")
