"""server-null: the bytes of /hello for every head, whatever is asked."""

import threading
import time

from tap import eq, ok
from wire import Client, get
from cases_replies import date, hello, keep_for_comparison

CASES = []


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


@case("GET /hello: the same bytes as the others")
def get_hello(server):
    with Client(server.address) as client:
        for path in ("/", "/hello", "/nothing"):
            reply = client.ask(get(path))
            eq(reply.dateless(), hello(), path)
        keep_for_comparison(server, "GET /hello", reply)


@case("pipelining: 2,000 requests in bursts, nothing lost")
def pipelining(server):
    for requests in (get("/hello") * 16, get("/hello") * 200):
        with Client(server.address) as client:
            for _ in range(10):
                client.send(requests)
            for at in range(requests.count(b"GET") * 10):
                eq(client.recv().dateless(), hello(), f"reply {at}")
            ok(client.is_silent(0.02), "bytes after the last reply")


@case("requests cut at every byte")
def cut(server):
    text = get("/hello", "Accept: */*") + get("/x")
    with Client(server.address) as client:
        for at in range(1, len(text)):
            client.send(text[:at])
            time.sleep(0)
            client.send(text[at:])
            for _ in range(2):
                eq(client.recv().dateless(), hello(), f"cut at {at}")
        for byte in text:
            client.send(bytes([byte]))
        for _ in range(2):
            eq(client.recv().dateless(), hello(), "byte by byte")
        ok(client.is_silent(0.02), "bytes after the last reply")


@case("Date is true to the second, also after a pause")
def null_date(server):
    date(server)


@case("a client that reads slowly gets every reply whole")
def slow_reader(server):
    total = 20_000
    with Client(server.address, rcvbuf=4096) as client:
        sender = threading.Thread(target=client.send, args=(get("/hello") * total,))
        sender.start()
        for at in range(total):
            eq(client.recv().dateless(), hello(), f"reply {at}")
        sender.join()
        ok(client.is_silent(0.02), "bytes after the last reply")
