#!/usr/bin/python3
"""bench-servers on a busy machine: wrk that is told to stop before it has begun gives no count."""
import importlib.machinery
import importlib.util
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "bench"))

import measure  # noqa: E402

print("1..4")
with tempfile.TemporaryDirectory() as folder:
    wrk = os.path.join(folder, "wrk")
    with open(wrk, "w", encoding="ascii") as file:
        file.write("#!/bin/sh\nkill -INT $$\n")
    os.chmod(wrk, 0o755)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]
    cpu = min(os.sched_getaffinity(0))
    measure.warm_up(1, cpu, 1, 1, "/hello")
    print("ok 1 - a warm-up without a count is one all the same")
    try:
        measure.wrk(1, cpu, 1, 1)
        print("not ok 2 - a window without a count is told apart")
    except measure.Unmeasured as error:
        print("ok 2 - a window without a count is told apart" if "-2" in str(error) else f"not ok 2 - {error}")

loader = importlib.machinery.SourceFileLoader("bench_servers", os.path.join(HERE, os.pardir, "bench", "bench-servers"))
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(bench)
VERDICTS = (("above", (1.134, 0.856, 1.315), "above 1.12, not certain"),
            ("below", (1.10, 0.9, 1.3), "below 1.12, not certain"), ("at", (1.12, 1.12, 1.13), "below 1.12, not"),
            ("near", (1.134, 1.121, 1.15), "OVER"), ("far over", (1.5, 1.2, 1.9), "OVER"), ("met", (1.0, 0.8, 1.12), "ok"))
given = [bench.judge_ratios(what, ratios, 1.12) for what, ratios, _ in VERDICTS]
right = all(said.startswith(word) for said, (_, _, word) in zip(given, VERDICTS))
right = right and bench.missed == ["near", "far over"] and [u.split()[0] for u in bench.untold] == ["above", "below", "at"]
print("ok 3 - a limit within the interval is neither met nor missed" if right else f"not ok 3 - {given}")

# Ranks of the 95% interval of a median, from tables of the sign test.
RANKS = {1: (1, 1), 5: (1, 5), 6: (1, 6), 8: (1, 8), 9: (2, 8), 11: (2, 10), 17: (5, 13), 31: (10, 22)}
found = {n: measure.interval([n - i for i in range(n)]) for n in RANKS}
print("ok 4 - the interval of a median" if found == RANKS else f"not ok 4 - {found}")
