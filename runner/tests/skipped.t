#!/usr/bin/python3
"""How the suite reads its tests: a skipped case counts as skipped, with its reason, and as nothing else."""
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from tap import Tap, eq, has, hasnt  # noqa: E402

tap = Tap()
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
RUN_TEST = os.path.join(ROOT, "scripts", "run-test")
# As cmocka 1.1 writes it, and as later ones do.
SKIPPED = "1..3\\nok 1 - first\\n# skipped: wrk is not installed\\nnot ok 2 # SKIP second\\nok 3 # SKIP third\\n"


def run(text, status=0, by=(RUN_TEST,)):
    """A test that prints `text` and exits so, run as the suite does."""
    with tempfile.NamedTemporaryFile("w", suffix=".sh", delete=False) as f:
        f.write("#!/bin/sh\nprintf '%s'\nexit %d\n" % (text, status))
    os.chmod(f.name, 0o755)
    try:
        return subprocess.run([*by, f.name], capture_output=True, text=True, check=False)
    finally:
        os.unlink(f.name)


@tap.case("a skipped case is not failed, and says why")
def _():
    done = run(SKIPPED)
    eq(done.stdout, "1..3\nok 1 - first\nok 2 - second # SKIP wrk is not installed\n"
                    "ok 3 - third # SKIP no reason given\n")
    eq(done.returncode, 0, "status")


@tap.case("what failed, and whatever else is printed, stays as it is")
def _():
    text = "1..2\\nnot ok 1 - first\\n# why\\nok 2 - second # SKIP by a script\\n"
    done = run(text, status=1)
    eq(done.stdout, text.replace("\\n", "\n"))
    eq(done.returncode, 1, "status")


@tap.case("prove counts it as skipped")
def _():
    done = run(SKIPPED, by=("prove", "--verbose", "--exec", RUN_TEST))
    eq(done.returncode, 0, "status of prove")
    has(done.stdout, "Result: PASS")
    has(done.stdout, "# SKIP wrk is not installed")
    hasnt(done.stdout, "Failed")


@tap.case("a test that does not end is ended")
def _():
    done = run("1..1\\n' && sleep 100 && : '", by=(RUN_TEST, "1"))
    eq(done.returncode, 124, "status")


sys.exit(tap.finish())
