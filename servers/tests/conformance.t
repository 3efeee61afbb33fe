#!/usr/bin/python3
"""Conformance of the servers over raw sockets: what they answer, and what they refuse.

Every check runs against each server; the replies are then compared between them, byte for byte.
SERVERS="libuv h2o" in the environment limits the run.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_bodies  # noqa: E402
import cases_errors  # noqa: E402
import cases_null  # noqa: E402
import cases_replies  # noqa: E402
from serverproc import FULL, Server  # noqa: E402
from tap import Tap, eq, ok  # noqa: E402
from wire import Client, get, wait_until  # noqa: E402


def cases_of(name):
    if name == "null":
        yield from cases_null.CASES
        return
    yield from cases_replies.CASES
    yield from cases_bodies.CASES
    yield from cases_errors.CASES
    yield from cases_errors.rows()


def check_alive(server):
    ok(server.alive(), f"exit {server.process.poll()}: {server.stderr()}")
    with Client(server.address) as client:
        eq(client.ask(get("/hello")).status, 200, "a last request")
    eq(server.stderr(), "", "standard error")


def check_descriptors(server, before):
    settled = wait_until(lambda: server.descriptors() <= before)
    ok(settled, f"{server.descriptors()} descriptors open, {before} before the checks")


def main():
    names = os.environ.get("SERVERS", "libevent libuv h2o null").split()
    tap = Tap()
    for name in names:
        try:
            server = Server(name)
        except (OSError, RuntimeError) as error:
            tap.run(f"{name}: starts", lambda error=error: ok(False, str(error)))
            continue
        with server:
            before = server.descriptors()
            for title, function in cases_of(name):
                tap.run(f"{name}: {title}", function, server)
            tap.run(f"{name}: is alive and has said nothing", check_alive, server)
            tap.run(f"{name}: no descriptor leaked", check_descriptors, server, before)
            server.terminate()
            tap.run(f"{name}: ends with 0", lambda server=server: eq(server.wait(), 0, "exit code"))
    full = [name for name in names if name in FULL]
    if len(full) > 1:
        tap.run(f"same bytes from {', '.join(full)}", cases_replies.compare_servers, full)
    return tap.finish()


sys.exit(main())
