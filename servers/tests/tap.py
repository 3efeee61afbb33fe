"""TAP for script tests: one line a check, what was got and expected when it fails."""

import sys
import traceback


class Failure(Exception):
    """A check that did not hold; its text becomes the diagnostic."""


def show(value, limit=400):
    """Value as one readable line of bounded length."""
    text = repr(value)
    return text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)"


def eq(got, expected, what="value"):
    """Fail unless got equals expected."""
    if got != expected:
        raise Failure(f"{what}: got {show(got)}\n{what}: expected {show(expected)}")


def ok(condition, what):
    """Fail with what when condition does not hold."""
    if not condition:
        raise Failure(what)


class Tap:
    """Numbers and prints the checks; finish() prints the plan and gives the exit status."""

    def __init__(self):
        self.count = 0
        self.failed = 0

    def run(self, name, function, *args, **kwargs):
        """One check: function raises (Failure or anything else) when it does not hold."""
        self.count += 1
        try:
            function(*args, **kwargs)
        except Failure as failure:
            self._not_ok(name, str(failure))
        except Exception:  # a broken connection is a failed check, not a broken test
            self._not_ok(name, traceback.format_exc())
        else:
            print(f"ok {self.count} - {name}", flush=True)

    def skip(self, name, reason):
        """A check that does not apply, with the reason."""
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {reason}", flush=True)

    def _not_ok(self, name, text):
        self.failed += 1
        print(f"not ok {self.count} - {name}", flush=True)
        for line in text.rstrip().splitlines():
            print(f"# {line}", flush=True)

    def finish(self):
        print(f"1..{self.count}", flush=True)
        if self.failed:
            print(f"# {self.failed} of {self.count} failed", file=sys.stderr, flush=True)
        return 1 if self.failed else 0
