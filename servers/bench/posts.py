"""POST /posts on both stores: figures without a target, for the database decides most of them."""

import os
import random
import statistics
import subprocess
import sys

from targets import Target

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "tests"))

import postgres  # noqa: E402

CONNECTIONS = 64


def wrk_posts(port, cpu, seconds):
    """Runs wrk; gives replies, errors, and the median and 99th percentile in ms."""
    process = subprocess.run(
        ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "-s", os.path.join(HERE, "posts.lua"),
         f"http://127.0.0.1:{port}/posts"],
        capture_output=True, text=True, timeout=seconds + 30, check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, {cpu}),
    )
    for line in process.stdout.splitlines():
        if line.startswith("counted "):
            replies, errors, p50, p99 = (int(word) for word in line.split()[1:])
            return replies, errors, p50 / 1000, p99 / 1000
    raise RuntimeError(f"wrk ended with {process.returncode} and no count: {process.stderr}")


def trial(name, cpus, arguments, seconds):
    """One fresh process: replies a second, its CPU in µs per request, median and 99th percentile."""
    target = Target(name, cpus[0], arguments=arguments)
    try:
        wrk_posts(target.port, cpus[1], 1)
        before = target.cpu_ns()
        replies, errors, p50, p99 = wrk_posts(target.port, cpus[1], seconds)
        used = target.cpu_ns() - before
    finally:
        target.stop()
    if errors or not replies:
        raise RuntimeError(f"{name} {' '.join(arguments)}: {replies} replies, {errors} errors")
    return replies / seconds, used / 1000 / replies, p50, p99


def rounds(servers, cpus, arguments, count, seconds, seed):
    """{name: [trial of each round]}, in an order of its own each round."""
    rng = random.Random(seed)
    out = {name: [] for name in servers}
    for _ in range(count):
        order = list(servers)
        rng.shuffle(order)
        for name in order:
            out[name].append(trial(name, cpus, arguments, seconds))
    return out


def report_store(title, data):
    print(f"\nPOST /posts on {title}, {CONNECTIONS} connections (median [least..greatest])")
    print(f"{'server':10}{'replies/s':>24}{'server CPU, µs/request':>32}{'p50 ms':>10}{'p99 ms':>10}")
    for name, trials in data.items():
        rate, cpu, p50, p99 = zip(*trials)
        rates = f"{statistics.median(rate):.0f} [{min(rate):.0f}..{max(rate):.0f}]"
        cpus = f"{statistics.median(cpu):.1f} [{min(cpu):.1f}..{max(cpu):.1f}]"
        print(f"{name:10}{rates:>24}{cpus:>32}{statistics.median(p50):10.2f}{statistics.median(p99):10.2f}")


def report(servers, cpus, count, seconds, seed):
    """Measures and prints both; PostgreSQL where it is installed."""
    report_store("SQLite (WAL, synchronous NORMAL)", rounds(servers, cpus, (), count, seconds, seed))
    if postgres.find_programs() is None:
        print("# PostgreSQL is not installed: no figures for it", file=sys.stderr)
        return
    with postgres.Postgres(fsync="on") as database:
        version = database.query("SHOW server_version")[0].split()[0]
        report_store(f"PostgreSQL {version} (its CPU not counted, its disk synced at every commit)",
                     rounds(servers, cpus, ("--db", database.url), count, seconds, seed))
