#!/usr/bin/python3
"""The servers as processes: options, start, load they must bear, timeouts, end.

SERVERS="libuv h2o" in the environment limits the run.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from cases_renew import CASES  # noqa: E402
from serverproc import FULL  # noqa: E402
from tap import Tap  # noqa: E402


def main():
    tap = Tap()
    for name in os.environ.get("SERVERS", "libevent libuv h2o null").split():
        for title, function, full in CASES:
            if name in FULL or not full:
                tap.run(f"{name}: {title}", function, name)
    return tap.finish()


sys.exit(main())
