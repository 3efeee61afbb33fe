#!/usr/bin/python3
"""Writes the folder of a run that never took place: plausible figures from a seed.

For tests of whatever reads a run, and for looking at reports and plots without measuring. It knows
the format from docs/results-format.md and shares no code with the runner.

    synth_run.py DIR [--levels 10,100,500] [--rounds 11] [--workloads hello,json] [--seed 1]
                 [--hostile] [--trouble] [--light]
                 [--id RUN-ID] [--started TIME] [--model CPU] [--cost h2o=1.1,null=1]
                 [--drift 1.2] [--option NAME=VALUE] [--version libuv=1.50] [--no-null]
"""
import argparse
import gzip
import json
import math
import os
import random

# name, base, role, server CPU µs per request, idle MiB, bytes per connection, tail weight
TARGETS = [
    ("libevent", "libevent", "target", 6.95, 2.9, 900, 1.0),
    ("libuv", "libuv", "target", 7.10, 3.1, 1100, 1.1),
    ("h2o", "h2o", "target", 7.85, 5.2, 1400, 0.8),
    ("libevent-again", "libevent", "control", 6.95, 2.9, 900, 1.0),
    ("null", "null", "null", 6.60, 1.4, 300, 0.9),
]
HOSTILE = ["<script>alert(1)</script>", "a,b\n\"c\" | `d` _e_ {/Bold f}", "%s $(touch pwned) `touch pwned` @AT 'q' \\n & é"]
WORK = {"hello": 1.0, "json": 1.12, "html": 1.25}
CEILING = 125000.0


def percentile(values, counts, q):
    total = sum(counts)
    rank = max(1, math.ceil(q * total))
    seen = 0
    for v, n in zip(values, counts):
        seen += n
        if seen >= rank:
            return v
    return values[-1]


def summary(values, counts):
    total = sum(counts)
    return {
        "samples": total,
        "mean_us": round(sum(v * n for v, n in zip(values, counts)) / total, 3),
        "min_us": values[0],
        "p50_us": percentile(values, counts, 0.5),
        "p75_us": percentile(values, counts, 0.75),
        "p90_us": percentile(values, counts, 0.9),
        "p99_us": percentile(values, counts, 0.99),
        "p999_us": percentile(values, counts, 0.999),
        "max_us": values[-1],
    }


def histogram(rng, requests, mean_us, tail, light):
    """A lognormal body and a thin tail of stalls, as few or as many values as asked for."""
    draws = 300 if light else 3000
    weight = requests / draws
    found = {}
    for _ in range(draws):
        v = max(20, int(mean_us * rng.lognormvariate(-0.06, 0.32)))
        found[v] = found.get(v, 0) + weight
    for _ in range(draws // 40):
        v = int(mean_us * (1.6 + rng.paretovariate(1.7) * tail))
        found[v] = found.get(v, 0) + weight / 12
    values = sorted(found)
    counts = [max(1, int(found[v])) for v in values]
    counts[len(counts) // 2] += max(0, requests - sum(counts))
    return values, counts


def memory(idle_mib, grown, rng):
    rss = int((idle_mib * 1048576 + grown) / 4096) * 4096
    file = int(rss * 0.6 / 4096) * 4096
    return {"rss": rss, "anon": rss - file, "file": file, "shmem": 0,
            "pss": int(rss * 0.7), "socket": 4096 * rng.randrange(1, 40)}


def series(idle, loaded, rng):
    """RSS each 100 ms of the window: up from idle to loaded in the first third."""
    ms = [100 * i + rng.randrange(3) for i in range(11)]
    return {"ms": ms, "rss": [int((idle + (loaded - idle) * min(1, (i + 1) / 4)) / 4096) * 4096
                              for i in range(11)]}


def record(rng, target, workload, connections, light, cost, spell):
    name, base, role, cpu, idle, per_connection, tail = target
    ceiling = CEILING / spell  # the load generator runs on the same machine
    spell *= rng.lognormvariate(0, 0.03) * (1.2 if rng.random() < 0.03 else 1.0)
    cpu_us = cpu * cost.get(name, 1.0) * WORK.get(workload, 1.0) * spell * (1 + 0.25 / math.sqrt(connections))
    able = 1e6 / cpu_us * (1 - math.exp(-connections / 6))
    rate = min(able, ceiling * rng.lognormvariate(0, 0.015) * (1 - math.exp(-connections / 5)))
    duration_us = 1000000 + rng.randrange(4000)
    requests = int(rate * duration_us / 1e6)
    values, counts = histogram(rng, requests, connections / rate * 1e6, tail, light)
    requests = sum(counts)
    rate = requests / duration_us * 1e6
    raw = summary(values, counts)
    corrected = dict(raw, samples=int(requests * 1.2))
    for key in ("p50_us", "p75_us", "p90_us", "p99_us", "p999_us"):
        corrected[key] = min(raw["max_us"], int(raw[key] * 1.3))
    cpu_ns = int(cpu_us * 1000 * requests)
    grown = per_connection * connections
    idle_now, loaded_now = memory(idle, 0, rng), memory(idle, grown, rng)
    return {
        "role": role, "base": base, "status": "ok", "failure": None, "reason": "", "output": "",
        "wall_s": 1.9, "warmup_us": 500000,
        "load": {"generator": "wrk", "threads": 1, "duration_us": duration_us,
                 "requests": requests, "bytes": requests * 130, "errors_connect": 0,
                 "errors_read": 0, "errors_write": 0, "errors_timeout": 0, "errors_status": 0,
                 "cpu_s": 0.93, "thread_busy": min(0.99, rate / ceiling)},
        "rate": rate, "raw": raw, "corrected": corrected, "active_ratio": 0.993,
        "server": {"pid": 4711, "cpu_ns": cpu_ns, "user_ns": cpu_ns // 3,
                   "system_ns": cpu_ns - cpu_ns // 3, "switches_voluntary": 900,
                   "switches_involuntary": 12, "cpus_used": cpu_ns / duration_us / 1000,
                   "cpu_us_per_request": cpu_us},
        "memory": {"idle": idle_now, "loaded": loaded_now,
                   "peak_rss": memory(idle, grown * 1.15 + 65536, rng)["rss"],
                   "series": series(idle_now["rss"], loaded_now["rss"], rng)},
        "environment": {"steal_ratio": 0.001, "foreign_cpus": 0.004, "foreign_error": 0.0, "runner_cpus": 0.003,
                        "throttled": None, "listen_overflows": 0, "listen_drops": 0,
                        "retransmits": 0, "time_wait": connections, "conntrack": connections, "speed_before": 812.5,
                        "speed_after": 811.0},
        "flags": [],
    }, values, counts


NO_MEMORY = {"rss": None, "anon": None, "file": None, "shmem": None, "pss": None, "socket": None}
NO_LATENCY = {k: None for k in ("samples", "mean_us", "min_us", "p50_us", "p75_us", "p90_us",
                                "p99_us", "p999_us", "max_us")}


def fail(rec, failure, reason, output):
    rec.update(status="failed", failure=failure, reason=reason, output=output, rate=None,
               raw=dict(NO_LATENCY), corrected=dict(NO_LATENCY), active_ratio=None)
    rec["load"].update(requests=None, bytes=None, duration_us=None, errors_connect=None,
                       errors_read=None, errors_write=None, errors_timeout=None,
                       errors_status=None, thread_busy=None, cpu_s=None)
    rec["server"] = dict.fromkeys(rec["server"])
    rec["memory"]["loaded"] = dict(NO_MEMORY)
    rec["memory"]["series"] = None


def trouble(rec, name, level, levels, round_):
    """One target in difficulties at the highest level, one block disturbed."""
    if name == "h2o" and level == levels[-1]:
        if round_ % 2 == 0:
            fail(rec, "crashed", "the server was ended by signal 11 (Segmentation fault)",
                 "accept: Too many open files\n\x1b[31mfatal\x1b[0m")
            return False
        rec["load"]["errors_timeout"] = 3
        rec["load"]["errors_read"] = 14
    if name == "libuv" and level == levels[0] and round_ == 2:
        rec["flags"] = ["steal-invalid", "speed-warn"]
    return True


def manifest(args, targets, levels, workloads, trials):
    blocks = args.rounds * len(levels) * len(workloads)
    versions = dict(v.split("=", 1) for v in args.version)
    return {
        "format": "loopbench-run", "format_version": 1, "run_id": args.id,
        "started": args.started, "ended": "2026-01-31T12:05:12.000Z",
        "state": "complete",
        "loopbench": {"version": "0.1.0", "commit": "0123456789ab",
                      "compiler": "cc (Debian 12.2.0-14) 12.2.0", "flags": "-std=c17 -O2",
                      "server_flags": "-O3 -flto"},
        "command": ["loopbench", "run", "--profile", "quick"],
        "options": {"profile": "quick", "rounds": args.rounds, "seed": "42", "workers": "1",
                    "connections": ",".join(map(str, levels)),
                    **dict(o.split("=", 1) for o in args.option)},
        "plan": {"profile": "quick", "seed": "42", "rounds": args.rounds, "workloads": workloads,
                 "connections": levels, "warmup_us": 500000, "window_us": 1000000,
                 "blocks": blocks, "trials": trials},
        "targets": [{"name": t[0], "base": t[1], "role": t[2], "server": t[1],
                     "versions": {"libevent": "2.1.12", "llhttp": "6.0.11",
                                  **({"own": versions[t[1]]} if t[1] in versions else {})},
                     "command": ["server-" + t[1], "--listen", "127.0.0.1:0"]} for t in targets],
        "generator": {"name": "wrk", "version": "4.1.0", "threads": 1},
        "cpus": {"server": "0", "generator": "1", "note": None},
        "machine": {"kernel": "6.1.0-18-amd64", "os": "Debian GNU/Linux 12 (bookworm)",
                    "cpu": {"model": args.model, "online": 2, "smt": False,
                            "governor": None},
                    "memory_bytes": 8 << 30, "virtualisation": "kvm"},
        "versions": {"gnuplot": "5.4", "libuv": "1.44.2", "jansson": "2.14"},
        "verified": True,
        "notes": ["The CPU frequency governor could not be read."],
    }


def main():
    p = argparse.ArgumentParser()
    p.add_argument("dir")
    p.add_argument("--levels", default="10,100,500")
    p.add_argument("--rounds", type=int, default=11)
    p.add_argument("--workloads", default="hello,json")
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--hostile", action="store_true", help="names out to break every format")
    p.add_argument("--trouble", action="store_true", help="failures, errors and flags")
    p.add_argument("--light", action="store_true", help="coarse histograms, ten times faster")
    p.add_argument("--id", default="20260131-120000-9f3a")
    p.add_argument("--started", default="2026-01-31T12:00:00.000Z")
    p.add_argument("--model", default="Example CPU @ 2.40GHz")
    p.add_argument("--cost", default="", help="CPU per request of targets, times so much")
    p.add_argument("--drift", type=float, default=1.0, help="the whole machine, slower by so much")
    p.add_argument("--option", action="append", default=[], help="another recorded option")
    p.add_argument("--version", action="append", default=[], help="another version of a target")
    p.add_argument("--no-null", action="store_true", help="without the null server")
    args = p.parse_args()
    rng = random.Random(args.seed)
    levels = [int(x) for x in args.levels.split(",")]
    workloads = args.workloads.split(",")
    targets = [t for t in TARGETS if t[2] != "null" or not args.no_null]
    cost = {k: float(v) for k, v in (c.split("=") for c in args.cost.split(",") if c)}
    if args.hostile:
        targets = [(HOSTILE[i] if i < 3 else t[0], HOSTILE[i] if i < 3 else t[1]) + t[2:]
                   for i, t in enumerate(targets)]
    os.makedirs(args.dir, exist_ok=True)

    seq = block = offset = 0
    plan = []
    with open(os.path.join(args.dir, "trials.jsonl"), "w") as lines, \
            open(os.path.join(args.dir, "histograms.gz"), "wb") as hists:
        for round_ in range(args.rounds):
            cells = [(w, c) for w in workloads for c in levels]
            rng.shuffle(cells)
            for workload, connections in cells:
                order = [t for t in targets if workload == "hello" or t[2] != "null"]
                rng.shuffle(order)
                plan.append({"round": round_, "workload": workload, "connections": connections,
                             "targets": [t[0] for t in order]})
                for target in order:
                    rec, values, counts = record(rng, target, workload, connections, args.light,
                                                 cost, args.drift)
                    rec.update(seq=seq, attempt=0, round=round_, block=block, target=target[0],
                               workload=workload, connections=connections,
                               started="2026-01-31T12:%02d:%02d.000Z" % (seq // 60 % 60, seq % 60))
                    rec["hist_offset"] = rec["hist_length"] = None
                    if not args.trouble or trouble(rec, target[0], connections, levels, round_):
                        text = json.dumps({"seq": seq, "attempt": 0, "unit": "us",
                                           "values": values, "counts": counts},
                                          separators=(",", ":")) + "\n"
                        member = gzip.compress(text.encode(), 6, mtime=0)
                        hists.write(member)
                        rec["hist_offset"], rec["hist_length"] = offset, len(member)
                        offset += len(member)
                    lines.write(json.dumps(rec, separators=(",", ":")) + "\n")
                    seq += 1
                block += 1
    with open(os.path.join(args.dir, "plan.json"), "w") as f:
        json.dump(plan, f)
    with open(os.path.join(args.dir, "config.ini"), "w") as f:
        f.write("[run]\nprofile = quick\nseed = 42\nrounds = %d\n" % args.rounds)
    with open(os.path.join(args.dir, "manifest.json"), "w") as f:
        json.dump(manifest(args, targets, levels, workloads, seq), f, indent=2)


if __name__ == "__main__":
    main()
