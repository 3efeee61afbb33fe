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

print("1..3")
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
VERDICTS = (("apart", (1.134, 0.856, 1.315), "no verdict"), ("met by luck", (1.10, 0.9, 1.3), "no verdict"),
            ("near", (1.134, 1.10, 1.15), "OVER"), ("far over", (1.5, 1.2, 1.9), "OVER"), ("met", (1.0, 0.8, 1.1), "ok"))
given = [bench.judge_ratios(what, ratios, 1.12) for what, ratios, _ in VERDICTS]
right = all(said.startswith(word) for said, (_, _, word) in zip(given, VERDICTS))
right = right and bench.missed == ["near", "far over"] and bench.unjudged == ["apart", "met by luck"]
print("ok 3 - a limit among rounds far apart is not judged" if right else f"not ok 3 - {given}")
