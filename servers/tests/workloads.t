#!/usr/bin/python3
"""The workloads over raw sockets, replies that come later, the access log: on every server, with the
replies compared between them.

SERVERS="libuv h2o" in the environment limits the run.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_log  # noqa: E402
import cases_replies  # noqa: E402
import cases_waiting  # noqa: E402
import cases_workloads  # noqa: E402
from serverproc import FULL, Server  # noqa: E402
from tap import Tap, eq  # noqa: E402


def main():
    tap = Tap()
    names = [name for name in os.environ.get("SERVERS", " ".join(FULL)).split() if name in FULL]
    for name in names:
        with Server(name) as server:
            for title, function in cases_workloads.CASES:
                tap.run(f"{name}: {title}", function, server)
            tap.run(f"{name}: has said nothing", lambda server=server: eq(server.stderr(), "", "standard error"))
        for title, function in cases_waiting.CASES + cases_log.CASES:
            tap.run(f"{name}: {title}", function, name)
    if len(names) > 1:
        tap.run(f"same bytes from {', '.join(names)}", cases_replies.compare_servers, names)
    return tap.finish()


sys.exit(main())
