#!/usr/bin/python3
"""`loopbench compare` as a person and a build use it, on runs that were made up."""
import os
import re
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box  # noqa: E402
from made import latest, made  # noqa: E402
from tap import Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
box = Box()
FIRST = made(box, 1)
SECOND = made(box, 2, drift=1.3, cost="h2o=1.4", version=["libuv=1.50"])
latest(box, SECOND)
A, B = os.path.basename(FIRST), os.path.basename(SECOND)


def verdicts(text, metric="CPU per request"):
    """(level, target) → the words behind a row of the table."""
    found, level, target = {}, None, None
    for line in text.splitlines():
        heading = re.match(r"\w+, (\d+) connections?$", line)
        if heading:
            level = int(heading.group(1))
        elif level and metric in line:
            name = line[:20].strip()
            target = name or target
            found[level, target] = line[60:].strip()
        elif level and line[:20].strip():
            target = line[:20].strip()
    return found


@tap.case("what a slower machine did is cancelled by the null server, what a target did is found")
def _():
    out = box.loopbench("compare", A, "latest", "--metric", "cpu").expect(0).out
    rows = verdicts(out)
    eq(len(rows), 6, "rows")
    for (level, target), text in rows.items():
        if target == "h2o":
            ok(text.startswith("heavier by "), "%s %s: %s" % (level, target, text))
        else:
            ok(not text.startswith(("heavier", "leaner")), "%s %s: %s" % (level, target, text))
    has(out, "held against that of null")
    has(out, "allows for 6 comparisons")
    has(out, "differs: libuv, own: not recorded, and 1.50")


@tap.case("without an anchor the machine's change shows, and the output says that it would")
def _():
    out = box.loopbench("compare", FIRST, SECOND, "--metric", "cpu", "--anchor", "none").expect(0).out
    ok(all(t.startswith("heavier") for t in verdicts(out).values()), out)
    has(out, "would look like a change of the targets")
    bare = [made(box, d, name="bare%d" % d, no_null=True) for d in (3, 4)]
    has(box.loopbench("compare", *bare).expect(0).out, "Without an anchor")


@tap.case("the baseline is A unless it is said otherwise")
def _():
    out = box.loopbench("compare", A, B, "--metric", "cpu", "--baseline", "B").expect(0).out
    ok(all(t.startswith("leaner") for (_, n), t in verdicts(out).items() if n == "h2o"), out)
    has(out, "A against B")
    box.loopbench("compare", A, B, "--baseline", "h2o").refused(2, "neither A nor B")


@tap.case("a limit that is crossed ends with 1, one that is kept with 0")
def _():
    out = box.loopbench("compare", A, B, "--fail-on", "cpu>5%").expect(1).out
    has(out, "cpu>5%: crossed in 2 of 6 cells: hello, 10 connections, h2o: heavier by ")
    hasnt(out, "p99", "only metrics with a limit are judged")
    out = box.loopbench("compare", A, B, "--fail-on", "cpu>300%,p99>900%").expect(0).out
    has(out, "cpu>300%: kept in all 6 cells")
    has(out, "p99>900%: kept in all 6 cells")
    box.loopbench("compare", A, B, "--baseline", "B", "--fail-on", "cpu>25%").expect(0)


@tap.case("what cannot be told is not decided: 1, unless that is allowed")
def _():
    few = made(box, 5, name="few", rounds=5)
    out = box.loopbench("compare", A, few, "--fail-on", "cpu>50%").expect(1).out
    has(out, "cpu>50%: not decided in 6 of 6 cells")
    has(out, "insufficient (11 of 11 rounds valid against 5 of 5, 6 and 6 needed)")
    box.loopbench("compare", A, few, "--fail-on", "cpu>50%", "--allow-undecided").expect(0)
    # What is crossed fails all the same.
    out = box.loopbench("compare", A, B, "--fail-on", "throughput>1%,cpu>5%", "--allow-undecided")
    has(out.expect(1).out, "throughput>1%: ")


@tap.case("runs that are unlike are refused, the difference named")
def _():
    for how, says in [({"option": ["duration=2s"]}, "--duration: 1s, and 2s"),
                      ({"option": ["threads=2"]}, "--threads: 1, and 2"),
                      ({"option": ["think-time=5ms"]}, "--think-time: 0, and 5ms"),
                      ({"option": ["unheard-of=7"]}, "--unheard-of: unset, and 7"),
                      ({"levels": "10,500"}, "connections: [10,100], and [10,500]"),
                      ({"workloads": "json"}, 'workloads: ["hello"], and ["json"]')]:
        other = made(box, 6, name="unlike-%d" % len(os.listdir(box.at("results"))), rounds=6, **how)
        box.loopbench("compare", A, other).refused(2, "unlike", says)


@tap.case("runs of two machines are judged by direction, and decide no limit")
def _():
    other = made(box, 7, name="elsewhere", model="Another CPU", drift=2)
    out = box.loopbench("compare", A, other, "--metric", "cpu").expect(0).out
    has(out, "processor: Example CPU @ 2.40GHz, and Another CPU")
    has(out, "confirmed")
    hasnt(out, "heavier by 100")
    out = box.loopbench("compare", A, other, "--fail-on", "cpu>5%").expect(1).out
    has(out, "cpu>5%: not decided: the runs are from two machines")
    turned = made(box, 8, name="turned", model="Another CPU", cost="libuv=1.6,h2o=0.6")
    has(box.loopbench("compare", A, turned, "--metric", "cpu").expect(1).out, "contradicted: ")


@tap.case("Markdown says what the table says, to a file and to standard output")
def _():
    out = box.loopbench("compare", A, B, "--fail-on", "cpu>5%", "--markdown", "c.md").expect(1).out
    with open(box.at("c.md"), encoding="utf-8") as f:
        text = f.read()
    for words in verdicts(out).values():
        has(text, words)
    has(text, "crossed in 2 of 6 cells")
    only = box.loopbench("compare", A, B, "--fail-on", "cpu>5%", "--markdown", "-").expect(1).out
    eq(only, text, "Markdown on standard output")
    box.loopbench("compare", A, B, "--markdown", "no/such/folder/c.md").expect(3)


@tap.case("bad usage is one line that says what to do")
def _():
    for words, says in [(["--fail-on", "cpu"], "write cpu>5%"),
                        (["--fail-on", "cpu>5%,cpu>6%"], "two limits"),
                        (["--metric", "cpu", "--fail-on", "p99>5%"], "p99 is not among --metric"),
                        (["--metric", "ram"], "none is called 'ram'"),
                        (["--anchor", "zebra"], "'zebra' was not measured in both runs")]:
        box.loopbench("compare", A, B, *words).refused(2, says)
    box.loopbench("compare", A).refused(2, "name two runs")
    box.loopbench("compare", A, "nowhere").refused(2, "no run 'nowhere'", "loopbench list")


@tap.case("names out to break formats come out inert")
def _():
    runs = [made(box, d, name="hostile%d" % d, hostile=True) for d in (9, 10)]
    out = box.loopbench("compare", *runs, "--metric", "cpu").expect(0).out
    ok("\x1b" not in out and len(verdicts(out)) >= 6, out)
    text = box.loopbench("compare", *runs, "--metric", "cpu", "--markdown", "-").expect(0).out
    hasnt(text, "<script")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    eq({len(re.findall(r"(?<!\\)\|", line)) for line in rows}, {7}, "columns of the tables")


status = tap.finish()
box.__exit__(None, None, None)
sys.exit(status)
