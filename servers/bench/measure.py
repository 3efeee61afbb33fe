"""One measurement each: CPU per request, memory, allocations."""

import math
import os
import random
import resource
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from targets import Target, ask, cpu_ns

HERE = os.path.dirname(os.path.abspath(__file__))
CONNECTIONS = 64
DEPTH = 16
WARM_UP = 0.3  # seconds
IDLE_CONNECTIONS = 4000
MANY_CONNECTIONS = 10_000
MANY_FILES = 16_384
WAIT_MS = 10


class Load:
    """What wrk saw: replies and errors, and median and 99th percentile in µs."""

    def __init__(self, replies, errors, p50_us, p99_us):
        self.replies, self.errors, self.p50_us, self.p99_us = replies, errors, p50_us, p99_us


def wrk_start(port, cpu, depth, seconds, path, connections):
    return subprocess.Popen(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "-s", os.path.join(HERE, "count.lua"),
         f"http://127.0.0.1:{port}{path}", "--", str(depth)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
    )


class Unmeasured(RuntimeError):
    """wrk ended without a count: on a busy machine it may be told to stop before it has begun."""


def wrk_end(process, seconds):
    """Waits for wrk; gives a Load."""
    out, _ = process.communicate(timeout=seconds + 30)
    for line in out.splitlines():
        if line.startswith("counted "):
            return Load(*(int(word) for word in line.split()[1:]))
    raise Unmeasured(f"wrk ended with {process.returncode} and no count")


def wrk(port, cpu, depth, seconds, stop_after=None, path="/hello", connections=CONNECTIONS):
    """Runs wrk; gives a Load. stop_after ends it early."""
    process = wrk_start(port, cpu, depth, seconds, path, connections)
    if stop_after is not None:
        time.sleep(stop_after)
        process.send_signal(signal.SIGINT)
    return wrk_end(process, seconds)


def warm_up(port, cpu, depth, seconds, path, connections=CONNECTIONS):
    """wrk that is told to stop; nobody needs its figures."""
    try:
        wrk(port, cpu, depth, seconds, WARM_UP, path, connections)
    except Unmeasured:
        pass


class Cell:
    """What one trial measures: a server, a path, a pipelining depth, options of the server."""

    def __init__(self, name, depth=1, path="/hello", log=False):
        self.name, self.depth, self.path, self.log = name, depth, path, log

    def key(self):
        return self.name, self.depth, self.path, self.log


def cpu_per_request(cell, cpus, seconds):
    """Server CPU in µs per request of one trial on a fresh process, and the rate seen."""
    with tempfile.TemporaryDirectory(prefix="bench-log-") as folder:
        arguments = ("--access-log", os.path.join(folder, "access.log")) if cell.log else ()
        target = Target(cell.name, cpus[0], arguments=arguments)
        try:
            warm_up(target.port, cpus[1], cell.depth, seconds, cell.path)
            before = target.cpu_ns()
            load = wrk(target.port, cpus[1], cell.depth, seconds, None, cell.path)
            used = target.cpu_ns() - before
        finally:
            target.stop()
    if load.errors or not load.replies:
        raise RuntimeError(f"{cell.name}: {load.replies} replies, {load.errors} errors")
    return used / 1000 / load.replies, load.replies / seconds


def cpu_rounds(cells, cpus, rounds, seconds, seed):
    """{key: [µs per request of each round]}; each round runs all, in an order of its own."""
    rng = random.Random(seed)
    out = {cell.key(): [] for cell in cells}
    for at in range(rounds):
        order = cells[:]
        rng.shuffle(order)
        for cell in order:
            used, rate = cpu_per_request(cell, cpus, seconds)
            out[cell.key()].append(used)
            print(f"round {at + 1}/{rounds}  {cell.name:9} {cell.path} depth {cell.depth:2}{' log' if cell.log else ''}"
                  f"  {used:7.3f} µs/request  {rate:9.0f}/s", file=sys.stderr, flush=True)
    return out


def interval(values):
    """The 95% order-statistic interval of the median (docs/methodology.md): the innermost pair of
    ordered values that a binomial with p = 1/2 puts the median between; all of them where they are
    too few for that."""
    n = len(values)
    below, outside = 0, 0.0  # values left out at each end; chance that the median lies beyond one
    while below < (n - 1) // 2:
        outside += math.comb(n, below) / 2**n
        if outside > 0.025:
            break
        below += 1
    below = max(below - 1, 0)
    ordered = sorted(values)
    return ordered[below], ordered[n - 1 - below]


def ratios(above, below):
    """Median of the rounds' ratios, and the ends of its interval."""
    each = [a / b for a, b in zip(above, below)]
    return statistics.median(each), *interval(each)


def memory(name, cpus):
    """Idle RSS in bytes, and what each of many idle keep-alive connections adds to it."""
    target = Target(name, cpus[0])
    clients = []
    try:
        idle = target.rss_bytes()
        for _ in range(IDLE_CONNECTIONS):
            client = target.connect()
            clients.append(client)
            ask(client)
        loaded = target.rss_bytes()
    finally:
        for client in clients:
            client.close()
        target.stop()
    return idle, (loaded - idle) / IDLE_CONNECTIONS


def allocations(name, cpus, library):
    """Allocations per request: the count of many requests less that of fewer, so start-up falls out."""
    few, many = 200, 5200
    with tempfile.NamedTemporaryFile() as file:
        file.write(struct.pack("Q", 0))
        file.flush()

        def read():
            file.seek(0)
            return struct.unpack("Q", file.read(8))[0]

        target = Target(name, cpus[0], {"LD_PRELOAD": library, "ALLOCCOUNT_FILE": file.name})
        try:
            if read() == 0:
                raise RuntimeError(f"{name}: {library} counted nothing at all")
            with target.connect() as client:
                for _ in range(few):
                    ask(client)
                before = read()
                for _ in range(many - few):
                    ask(client)
                after = read()
        finally:
            target.stop()
    return (after - before) / (many - few)


def busy_ticks(cpus):
    """Time that these CPUs have not been idle so far, in seconds."""
    busy = 0
    with open("/proc/stat", encoding="ascii") as file:
        for line in file:
            words = line.split()
            if words[0] in {f"cpu{cpu}" for cpu in cpus}:
                ticks = [int(word) for word in words[1:9]]
                busy += sum(ticks) - ticks[3] - ticks[4]
    return busy / os.sysconf("SC_CLK_TCK")


class WaitLoad:
    """/wait at so many connections: replies/s, percentiles in ms, and parts of a CPU used by the
    server, by wrk, and by others on the CPUs of these two, while wrk sends (not while it starts and
    ends)."""

    def __init__(self, name, cpus, connections, seconds):
        target = Target(name, cpus[0])
        path = f"/wait?ms={WAIT_MS}"
        try:
            warm_up(target.port, cpus[1], 1, seconds, path, connections)
            process = wrk_start(target.port, cpus[1], 1, seconds, path, connections)
            try:
                time.sleep(WARM_UP)
                before = self._used(target, process, cpus)
                time.sleep(max(0.1, seconds - 2 * WARM_UP))
                after = self._used(target, process, cpus)
            finally:
                load = wrk_end(process, seconds)
        finally:
            target.stop()
        if load.errors:
            raise RuntimeError(f"{name}: {load.errors} errors at {path}")
        passed, *used = (b - a for a, b in zip(before, after))
        self.rate, self.server, self.client, busy = (each / passed for each in used)
        self.p50_ms, self.p99_ms = load.p50_us / 1000, load.p99_us / 1000
        self.others = max(0.0, busy - self.server - self.client)

    @staticmethod
    def _used(target, process, cpus):
        requests = target.requests()
        return time.monotonic(), requests, target.cpu_ns() / 1e9, cpu_ns(process.pid) / 1e9, busy_ticks(cpus)

    def busier(self):
        """The side that used more CPU, and how much."""
        return ("server", self.server) if self.server >= self.client else ("wrk", self.client)


def many_connections(name, cpus):
    """Opens many connections to a server whose file limit is not much higher, asks each twice; gives
    the number served both times and the memory that each added."""
    target = Target(name, cpus[0], files=MANY_FILES)
    clients = []
    served = 0
    try:
        idle = target.rss_bytes()
        for _ in range(MANY_CONNECTIONS):
            client = target.connect()
            clients.append(client)
            ask(client)
        loaded = target.rss_bytes()
        for client in clients:
            ask(client)
            served += 1
    except OSError as error:
        print(f"{name}: {error} with {len(clients)} connections", file=sys.stderr)
    finally:
        for client in clients:
            client.close()
        target.stop()
    return served, (loaded - idle) / MANY_CONNECTIONS if served else 0.0
