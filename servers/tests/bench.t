#!/usr/bin/python3
"""bench-servers on a busy machine: wrk that is told to stop before it has begun gives no count."""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir, "bench"))

import measure  # noqa: E402

print("1..2")
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
