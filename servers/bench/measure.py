"""One measurement each: CPU per request, memory, allocations."""

import os
import random
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import time

from targets import Target, ask

HERE = os.path.dirname(os.path.abspath(__file__))
CONNECTIONS = 64
DEPTH = 16
WARM_UP = 0.3  # seconds
IDLE_CONNECTIONS = 4000


def wrk(port, cpu, depth, seconds, stop_after=None):
    """Runs wrk; gives the numbers of replies and of errors. stop_after ends it early."""
    process = subprocess.Popen(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", os.path.join(HERE, "count.lua"),
         f"http://127.0.0.1:{port}/hello", "--", str(depth)],
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
    )
    if stop_after is not None:
        time.sleep(stop_after)
        process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=seconds + 30)
    for line in out.splitlines():
        if line.startswith("counted "):
            replies, errors = line.split()[1:]
            return int(replies), int(errors)
    raise RuntimeError(f"wrk ended with {process.returncode} and no count")


def cpu_per_request(name, cpus, depth, seconds):
    """Server CPU in µs per request of one trial on a fresh process, and the rate seen."""
    target = Target(name, cpus[0])
    try:
        wrk(target.port, cpus[1], depth, seconds, stop_after=WARM_UP)
        before = target.cpu_ns()
        replies, errors = wrk(target.port, cpus[1], depth, seconds)
        used = target.cpu_ns() - before
    finally:
        target.stop()
    if errors or not replies:
        raise RuntimeError(f"{name}: {replies} replies, {errors} errors")
    return used / 1000 / replies, replies / seconds


def cpu_rounds(names, depths, cpus, rounds, seconds, seed):
    """{(name, depth): [µs per request of each round]}; each round runs all, in an order of its own."""
    rng = random.Random(seed)
    cells = [(name, depth) for name in names for depth in depths[name]]
    out = {cell: [] for cell in cells}
    for at in range(rounds):
        order = cells[:]
        rng.shuffle(order)
        for name, depth in order:
            used, rate = cpu_per_request(name, cpus, depth, seconds)
            out[name, depth].append(used)
            print(f"round {at + 1}/{rounds}  {name:9} depth {depth:2}  {used:7.3f} µs/request  {rate:9.0f}/s",
                  file=sys.stderr, flush=True)
    return out


def ratios(above, below):
    """Median, least and greatest of the rounds' ratios."""
    each = [a / b for a, b in zip(above, below)]
    return statistics.median(each), min(each), max(each)


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
