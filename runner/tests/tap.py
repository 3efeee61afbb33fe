"""TAP for the script tests: cases are functions, run in order, each failing by an exception.

    tap = Tap()

    @tap.case("two and two are four")
    def _():
        eq(2 + 2, 4, "sum")

    sys.exit(tap.finish())

Words on the command line run only the cases whose title holds one of them.
"""
import os
import shutil
import sys
import traceback


class Failure(Exception):
    """A check that did not hold; its text becomes the diagnostic."""


class Skip(Exception):
    """A case that does not apply here; its text says why."""


def show(value, limit=1500):
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= limit else "%s… (%d characters)" % (text[:limit], len(text))


def ok(condition, what):
    """Fails with `what` when the condition does not hold."""
    if not condition:
        raise Failure(what)


def eq(got, expected, what="value"):
    if got != expected:
        raise Failure("%s: got      %s\n%s: expected %s" % (what, show(got), what, show(expected)))


def has(text, part, what="text"):
    """Fails unless `part` is in `text`."""
    if part not in text:
        raise Failure("%s: without %s\n%s" % (what, show(part), show(text)))


def hasnt(text, part, what="text"):
    if part in text:
        raise Failure("%s: with %s\n%s" % (what, show(part), show(text)))


def plain_only():
    """Skips a case that tests other programs, or ours by them: once is enough."""
    if os.environ.get("SANITIZE"):
        raise Skip("tested without the sanitizers")


class Tap:
    def __init__(self):
        self.cases = []

    def case(self, title):
        def keep(function):
            self.cases.append((title, function))
            return function
        return keep

    def finish(self):
        """Runs the cases; returns the exit status."""
        words = sys.argv[1:]
        chosen = [c for c in self.cases if not words or any(w in c[0] for w in words)]
        failed = 0
        print("1..%d" % len(chosen), flush=True)
        for number, (title, function) in enumerate(chosen, 1):
            note, why = "", ""
            try:
                function()
            except Skip as skip:
                note = " # SKIP %s" % skip
            except Failure as failure:
                why = str(failure) or "failed"
            except Exception:  # a broken case is a failed one, and the others still run
                why = traceback.format_exc()
            failed += bool(why)
            print("%sok %d - %s%s" % ("not " if why else "", number, title, note))
            for line in why.rstrip().splitlines():
                print("# " + line)
            sys.stdout.flush()
        return 1 if failed else 0

    def finish_drawing(self, folder):
        """The same of cases that need gnuplot; `folder`, where they have worked, goes."""
        try:
            if shutil.which("gnuplot"):
                return self.finish()
            print("Bail out! gnuplot is not installed (make deps)")
            return 1
        finally:
            shutil.rmtree(folder)
