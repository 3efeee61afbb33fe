#!/usr/bin/python3
"""`loopbench compare` as a person and a build use it, on runs that were made up."""
import json
import os
import re
import shutil
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


def without(name, source, keep):
    """A copy of a run with only those trials that keep() wants."""
    copy = os.path.join(box.at("results"), name)
    shutil.copytree(source, copy)
    with open(os.path.join(source, "trials.jsonl"), encoding="utf-8") as f:
        lines = [line for line in f if keep(json.loads(line))]
    with open(os.path.join(copy, "trials.jsonl"), "w", encoding="utf-8") as f:
        f.writelines(lines)
    return copy


@tap.case("a limit is not decided by a run that is not validated, whatever its figures say")
def _():
    bad = made(box, 20, name="bad", cost="libevent-again=1.25,h2o=2")
    for first, second, who in ((A, bad, "B"), (bad, A, "A")):
        out = box.loopbench("compare", first, second, "--fail-on", "cpu>50%").expect(1).out
        has(out, "cpu>50%%: not decided: %s is not validated; run it again" % who)
        has(out, who + " is not validated: it finds a difference where there is none")
    box.loopbench("compare", A, bad, "--fail-on", "cpu>50%", "--allow-undecided").expect(0)
    has(box.loopbench("compare", A, bad, "--markdown", "-").expect(0).out,
        "no change found here is to be believed")


@tap.case("what a run did not measure is named, is not decided, and does not change the level")
def _():
    few = without("few-levels", FIRST, lambda t: t["connections"] != 100)
    for first, second, who in ((A, few, "B"), (few, A, "A"), (few, few + "/.", "either run")):
        out = box.loopbench("compare", first, second, "--fail-on", "cpu>90%").expect(1).out
        has(out, "cpu>90%: not decided in 3 of 6 cells: hello, 100 connections, libevent: not "
            "measured in " + who)
        has(out, "not compared: hello, 100 connections, in %s: libevent, libuv, h2o" % who)
        has(out, "allows for 6 comparisons")
        has(box.loopbench("compare", first, second, "--markdown", "-").expect(0).out,
            "Not compared: hello, 100 connections, in %s: libevent, libuv, h2o" % who)
    gone = without("gone", FIRST, lambda t: t["target"] != "libuv")
    out = box.loopbench("compare", A, gone, "--fail-on", "cpu>90%").expect(1).out
    has(out, "only in A: libuv")
    has(out, "not decided in 2 of 6 cells: hello, 10 connections, libuv: not measured in B")
    has(out, "allows for 6 comparisons")
    box.loopbench("compare", A, gone, "--fail-on", "cpu>90%", "--allow-undecided").expect(0)


@tap.case("one run, twice, is said to be one")
def _():
    for words in ((), ("--markdown", "-")):
        has(box.loopbench("compare", A, A, *words).expect(0).out, "A and B are one run")
        hasnt(box.loopbench("compare", A, B, *words).expect(0).out, "are one run")


@tap.case("what too few rounds are left of says that they were disturbed")
def _():
    bad = os.path.join(box.at("results"), "disturbed")
    shutil.copytree(FIRST, bad)
    with open(os.path.join(FIRST, "trials.jsonl"), encoding="utf-8") as f:
        trials = [json.loads(line) for line in f]
    for t in trials:
        t["flags"] = ["steal-invalid"] if t["target"] == "libuv" and t["round"] < 7 else []
    with open(os.path.join(bad, "trials.jsonl"), "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t) + "\n" for t in trials)
    has(box.loopbench("compare", B, bad, "--metric", "cpu").expect(0).out,
        "insufficient (11 of 11 rounds valid against 4 of 11, 6 and 6 needed; 0 and 7 were disturbed)")


@tap.case("an option that is set in one run only is none in the other")
def _():
    runs = [made(box, d, name="option%d" % d, option=["handicap=" + v]) for d, v in ((15, ""), (16, "h2o=9"))]
    has(box.loopbench("compare", *runs).expect(0).out, "differs: handicap: none, and h2o=9")


@tap.case("a target that the base run did not have has no limit to cross")
def _():
    gone = without("base", FIRST, lambda t: t["target"] != "libuv")
    path = os.path.join(gone, "manifest.json")
    with open(path, encoding="utf-8") as f:
        manifest = json.load(f)
    manifest["targets"] = [t for t in manifest["targets"] if t["name"] != "libuv"]
    with open(path, "w", encoding="utf-8") as f:
        json.dump(manifest, f)
    out = box.loopbench("compare", gone, A, "--fail-on", "cpu>90%").expect(0).out
    has(out, "cpu>90%: kept in all 4 cells")
    has(out, "only in B: libuv")


@tap.case("where the null server knows no workload, its figure of another in the same round stands in")
def _():
    runs = [made(box, day, name="two%d" % day, workloads="hello,json", levels="10,100,500",
                 seed=seed, drift=drift) for day, seed, drift in ((11, 1, 1), (12, 4, 1.2))]
    out = box.loopbench("compare", *runs, "--metric", "cpu").expect(0).out
    eq(out.count(" (anchored by round)"), 9, "rows of json, marked")
    hasnt(out, "not anchored")
    has(out, "Where it does not answer a workload, its figure of hello with as many connections")
    ok(re.search(r"Its own CPU per request moved by \+1\d.\d% to \+2\d.\d% between the runs", out), out)
    for text in verdicts(out).values():
        ok(not text.startswith(("heavier", "leaner")), text)
    hasnt(box.loopbench("compare", *runs, "--fail-on", "cpu>5%,throughput>5%").out, "crossed")
    has(box.loopbench("compare", *runs, "--metric", "throughput").out,
        "throughput is held against the load generator's speed")


@tap.case("a row without any anchor decides no limit where others have one")
def _():
    runs = [without("adrift%d" % n, run, lambda t: t["target"] != "null" or t["connections"] == 10)
            for n, run in enumerate((FIRST, SECOND))]
    out = box.loopbench("compare", *runs, "--fail-on", "cpu>15%").expect(1).out
    has(out, "3 comparisons have no anchor")
    has(out, "cpu>15%: crossed in 1 of 6 cells: hello, 10 connections, h2o: ")
    out = box.loopbench("compare", *runs, "--fail-on", "cpu>90%").expect(1).out
    has(out, "not decided in 3 of 6 cells: hello, 100 connections, libevent: heavier by ")


@tap.case("what is not decided for want of rounds says how many it needs")
def _():
    out = box.loopbench("compare", A, made(box, 14, name="same"), "--fail-on", "cpu>2%").expect(1).out
    needs = re.search(r"cpu>2%: not decided .*; a target that did not change needs about (\d+) rounds", out)
    ok(needs and 11 < int(needs.group(1)) < 1000, out)
    bare = [made(box, d, name="bare-%d" % d, no_null=True) for d in (3, 4)]
    has(box.loopbench("compare", *bare, "--fail-on", "cpu>90%").expect(0).out,
        "cpu>90%: kept in all 6 cells; without an anchor, a change of the machine looks the same")


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
    has(text, "is the change without an anchor, of trimmed means")
    only = box.loopbench("compare", A, B, "--fail-on", "cpu>5%", "--markdown", "-").expect(1).out
    eq(only, text, "Markdown on standard output")
    box.loopbench("compare", A, B, "--markdown", "no/such/folder/c.md").expect(3)
    os.symlink("c.md", box.at("link.md"))
    box.loopbench("compare", A, B, "--markdown", "link.md").expect(0)
    ok(os.path.islink(box.at("link.md")), "a link stays")
    with open(box.at("c.md"), encoding="utf-8") as f:
        hasnt(f.read(), "crossed in", "what it leads to is written")


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
