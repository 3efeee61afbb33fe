"""SIGHUP: the same process id, everything else fresh."""

import json
import os
import signal

from serverproc import Server
from tap import eq, ok
from wire import Client, get, wait_until
from cases_lifecycle import CASES, case
from cases_replies import hello

__all__ = ["CASES"]


def renewed(server):
    """The address that the ready line after a renewal tells."""
    server.ready = json.loads(server._read_line())  # pylint: disable=protected-access
    host, port = server.ready["listening"].rsplit(":", 1)
    server.address = (host, int(port))


def start_code(pid):
    """What changes when a process executes a program: where its stack lies and its peak memory."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        return file.read().rsplit(")", 1)[1].split()[25]


@case("SIGHUP makes it a fresh process under the same PID")
def renew(name):
    with Server(name, "--workers", "2") as server:
        before = start_code(server.pid)
        mask = os.sched_getaffinity(0)
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).dateless(), hello())
            server.process.send_signal(signal.SIGHUP)
            client.read_to_end()
        renewed(server)
        eq(server.ready["pid"], server.pid, "pid")
        eq(server.ready["workers"], 2, "the same arguments")
        ok(start_code(server.pid) != before, "the stack lies where it lay")
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).dateless(), hello())
        with open(f"/proc/{server.pid}/comm", encoding="ascii") as file:
            eq(file.read().strip(), f"server-{name}", "name")
        pinned = set()
        for task in os.listdir(f"/proc/{server.pid}/task"):
            pinned |= os.sched_getaffinity(int(task))
        eq(len(pinned), min(2, len(mask)), "CPUs of its two workers")
        server.terminate()
        eq(server.wait(), 0, "exit code")
        eq(server.stderr(), "", "standard error")


@case("again and again, without a descriptor left over")
def renew_often(name):
    with Server(name) as server:
        first = server.descriptors()
        for _ in range(3):
            server.process.send_signal(signal.SIGHUP)
            renewed(server)
            with Client(server.address) as client:
                client.ask(get("/hello"))
            ok(wait_until(lambda: server.descriptors() == first), f"{server.descriptors()} descriptors, at first {first}")
        server.terminate()
        eq(server.wait(), 0, "exit code")


@case("SIGTERM after SIGHUP ends it")
def renew_then_end(name):
    with Server(name) as server:
        with Client(server.address) as client:
            client.send(b"GET /hello HTTP/1.1\r\nHost: x\r\n")  # in flight: the drain waits for it
            # It cannot be anew before the second has come, however busy the machine is.
            os.kill(server.pid, signal.SIGSTOP)
            os.kill(server.pid, signal.SIGHUP)
            os.kill(server.pid, signal.SIGTERM)
            os.kill(server.pid, signal.SIGCONT)
            os.kill(server.pid, signal.SIGHUP)
            client.send(b"\r\n")
            eq(server.wait(), 0, "exit code")
        eq(server.process.stdout.read(), b"", "no second ready line")
        eq(server.stderr(), "", "standard error")


@case("nohup: an ignored SIGHUP stays ignored")
def renew_ignored(name):
    with Server(name, preexec=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as server:
        with Client(server.address) as client:
            client.ask(get("/hello"))
            os.kill(server.pid, signal.SIGHUP)
            eq(client.ask(get("/hello")).dateless(), hello())
        server.terminate()
        eq(server.wait(), 0, "exit code")
        eq(server.process.stdout.read(), b"", "no second ready line")
