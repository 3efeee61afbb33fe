#!/usr/bin/python3
"""`loopbench replay`: verdicts on claims from runs that were made up, and replays of fakes: their
folders, what is left out, Ctrl-C and going on."""
import json
import os
import re
import shlex
import shutil
import signal
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import FAKE_TARGET, FAKE_WRK, Box, Run, count_lines, quote, tree, wait_for  # noqa: E402
from made import made  # noqa: E402
from tap import Tap, eq, has, hasnt, ok  # noqa: E402

tap = Tap()
box = Box(FAKE_WRK_SEED="3")

HEAD = "[replay]\ntitle = %s\nsource = R0, a test\nyear = 2011\nsummary = What it did.\n"
HOLDS, NOT, OPEN = "holds", "does not hold", "cannot be told"


def part(name="one", targets="libuv,h2o,libevent", levels="10,100", **options):
    text = "\n[part %s]\ntargets = %s\nworkloads = hello\nconnections = %s\n" % (name, targets, levels)
    return text + "".join("%s = %s\n" % (k.replace("_", "-"), v) for k, v in options.items())


def claim(name="c", title="A claim", why="Because.", **keys):
    text = "\n[claim %s]\ntitle = %s\nfigures = 1 and 2\nwhy = %s\n" % (name, title, why)
    return text + "".join("%s = %s\n" % (k.replace("_", "-"), v) for k, v in keys.items())


def replayed(name, text, parts=None, left_out=None, reason=None, title="A title"):
    """A replay's folder as `replay` leaves it; parts: name → options of the made-up run, or None
    for a part that was left out."""
    folder = box.at(name)
    os.makedirs(folder)
    box.write(os.path.join(name, "replay.ini"), HEAD % title + text)
    state = []
    for key, options in (parts or {"one": {}}).items():
        if options is not None:
            made(box, name=key, folder=name, **options)
        state.append({"name": key, "state": "left-out" if options is None else "measured",
                      "reason": reason if options is None else None,
                      "left_out": [{"target": t, "reason": r} for t, r in (left_out or {}).items()]})
    box.write(os.path.join(name, "parts.json"),
              json.dumps({"format": "loopbench-replay", "format_version": 1, "replay": name,
                          "options": {}, "parts": state}))
    return name


def judged(folder):
    """What `report` makes of it: claims by name."""
    box.loopbench("report", folder).expect(0)
    with open(box.at(folder, "replay.json"), encoding="utf-8") as f:
        return {c["name"]: c for c in json.load(f)["claims"]}


def text_of(folder, name):
    with open(box.at(folder, name), encoding="utf-8") as f:
        return f.read()


def check(claims, expected):
    eq({n: c["verdict"] for n, c in claims.items()}, expected, "verdicts")


# ---- verdicts

DEARER = {"one": {"cost": "h2o=1.2"}}  # 1.33 times libuv's


@tap.case("two targets of one run: by the run's own verdict, whichever stands first")
def _():
    found = judged(replayed("own", part() + "".join([
        claim("heavier", target="h2o", against_target="libuv", metric="cpu", expect="1.03.."),
        claim("lighter", target="h2o", against_target="libuv", metric="cpu", expect="..0.97"),
        claim("turned", target="libuv", against_target="h2o", metric="cpu", expect="..0.97"),
        claim("astride", target="h2o", against_target="libuv", metric="cpu", expect="1.3..1.301",
              at="10")]), DEARER))
    check(found, {"heavier": HOLDS, "lighter": NOT, "turned": HOLDS, "astride": OPEN})
    one, other = found["heavier"]["evidence"][0], found["turned"]["evidence"][0]
    eq(one["source"], "verdict", "source")
    ok(abs(one["lo"] * other["hi"] - 1) < 1e-9, "turned: %s %s" % (one, other))
    has(found["astride"]["evidence"][0]["why"], "on both sides of what is claimed")


@tap.case("the interval is the one that the run's own report prints")
def _():
    folder = replayed("same", part() + claim(target="h2o", against_target="libuv", metric="cpu",
                                             at="10", expect="1.03.."))
    mine = judged(folder)["c"]["evidence"][0]
    # Pictures take their time: without gnuplot there are none.
    box.loopbench("report", box.at(folder, "one"), env={"PATH": "/nowhere"}).expect(3)
    report = json.loads(text_of(folder, "one/report.json"))
    rows = [v for v in report["verdicts"]["rows"] if {v["a"], v["b"]} == {"h2o", "libuv"}
            and v["connections"] == 10 and v["figure"].startswith("cpu")]
    eq(len(rows), 1, "rows")
    lo, hi = rows[0]["lo"], rows[0]["hi"]
    lo, hi = (lo, hi) if rows[0]["a"] == "h2o" else (1 / hi, 1 / lo)
    ok(abs(mine["lo"] - lo) < 1e-6 and abs(mine["hi"] - hi) < 1e-6, (mine, rows[0]))


@tap.case("two levels of one target, and one value, round by round")
def _():
    found = judged(replayed("levels", part() + "".join([
        claim("grows", target="h2o", at="100", against_at="10", metric="memory", expect="1.005.."),
        claim("flat", target="h2o", at="100", against_at="10", metric="memory", expect="..1.005"),
        claim("bytes", target="libuv", metric="bytes", expect="129..131"),
        claim("more", target="libuv", metric="bytes", expect="140.."),
        claim("all", target="libuv", metric="availability", expect="0.99..")])))
    check(found, {"grows": HOLDS, "flat": NOT, "bytes": HOLDS, "more": NOT, "all": HOLDS})
    eq(found["grows"]["evidence"][0]["source"], "rounds", "source")
    eq(len(found["bytes"]["evidence"]), 2, "levels")
    eq(found["bytes"]["evidence"][0]["value"], 130.0, "bytes")


@tap.case("two parts: each held against its null server, unless the claim says otherwise")
def _():
    text = part("one") + part("two")
    for name, expect, anchor in (("true", "1.1..1.3", "yes"), ("drift", "1.4..1.8", "no")):
        text += claim(name, part="two", target="libuv", against_part="one", metric="cpu", at="10",
                      expect=expect, anchor=anchor)
    found = judged(replayed("parts", text, {"one": {}, "two": {"cost": "libuv=1.2", "drift": "1.3",
                                                                "seed": 9}}))
    check(found, {"true": HOLDS, "drift": HOLDS})
    eq([found[n]["evidence"][0]["anchored"] for n in ("true", "drift")], [True, False], "anchored")
    eq(found["true"]["evidence"][0]["source"], "runs", "source")
    has(text_of("parts", "replay.md"), "drift between them is in it")


@tap.case("what happens in some trials is a share with its exact interval")
def _():
    keys = {"target": "h2o", "metric": "failed", "at": "100"}
    found = judged(replayed("share", part() + "".join([
        claim("some", expect="0.1..", **keys), claim("none", expect="..0.05", **keys),
        claim("most", expect="0.5..", **keys),
        claim("low", target="h2o", metric="failed", at="10", expect="..0.6"),
        claim("kinds", target="h2o", metric="errors", at="100", expect="0.5..")]),
        {"one": {"trouble": True}}))
    check(found, {"some": HOLDS, "none": NOT, "most": OPEN, "low": HOLDS, "kinds": HOLDS})
    some = found["some"]["evidence"][0]
    eq((some["hits"], some["valid"], some["planned"]), (6, 11, 11), "trials")
    eq(found["low"]["evidence"][0]["hits"], 0, "hits")


@tap.case("one round decides nothing, whatever it shows")
def _():
    found = judged(replayed("single", part() + "".join([
        claim("ratio", target="h2o", against_target="libuv", metric="cpu", expect="1.03.."),
        claim("value", target="libuv", metric="bytes", expect="140.."),
        claim("share", target="libuv", metric="failed", expect="0.5.."),
        claim("level", target="libuv", metric="memory", at="100", against_at="10", expect="9..")]),
        {"one": {"rounds": 1}}))
    check(found, dict.fromkeys(found, OPEN))
    for c in found.values():
        has(c["evidence"][0]["why"], "6 are needed" if c["metric"] != "cpu" else "needed", c["name"])


@tap.case("all levels must hold, and one that does not is enough")
def _():
    keys = {"target": "libuv", "against_target": "h2o", "metric": "cpu"}
    found = judged(replayed("each", part() + "".join([
        claim("every", expect="..0.97", **keys), claim("neither", expect="1.2..", **keys)]), DEARER))
    check(found, {"every": HOLDS, "neither": NOT})
    eq(len(found["every"]["evidence"]), 2, "levels")


@tap.case("throughput that the load generator limited decides nothing")
def _():
    found = judged(replayed("limited", part() + "".join([
        claim("rate", target="libuv", against_target="libevent", metric="throughput", at="100",
              expect="0.5..2"),
        claim("cost", target="libuv", against_target="libevent", metric="cpu", at="100",
              expect="0.5..2")])))
    check(found, {"rate": OPEN, "cost": HOLDS})
    has(found["rate"]["evidence"][0]["why"], "load generator was the limit")


@tap.case("what is missing cannot be told, and says why")
def _():
    text = part(targets="libuv,h2o,node") + part("two", targets="libuv")
    text += claim("gone", part="one", target="node", against_target="h2o", metric="cpu",
                  expect="1..")
    text += claim("part", part="two", target="libuv", metric="bytes", expect="1..")
    folder = replayed("missing", text, {"one": {}, "two": None},
                      left_out={"node": "not installed; apt-get install nodejs"},
                      reason="no room for 4000 connections")
    found = judged(folder)
    check(found, {"gone": OPEN, "part": OPEN})
    eq(found["gone"]["evidence"][0]["why"],
       "node was left out: not installed; apt-get install nodejs", "why")
    has(found["part"]["evidence"][0]["why"], "no room for 4000 connections")
    md = text_of(folder, "replay.md")
    has(md, "node was left out: not installed; apt-get install nodejs")
    has(md, "part two was not measured: no room for 4000 connections")


# ---- pages

@tap.case("the pages say each claim, what was measured then and now, the verdict and why")
def _():
    folder = replayed("pages", part(title="The first part", about="As it was.") + claim(
        title="h2o costs more", why="It does more.", target="h2o", against_target="libuv",
        metric="cpu", expect="1.03.."), DEARER)
    judged(folder)
    for name in ("replay.md", "replay.html"):
        page = text_of(folder, name)
        for word in ("A title", "R0, a test", "2011", "What it did.", "h2o costs more", "1 and 2",
                     "It does more.", HOLDS, "The first part", "As it was.",
                     "by the run's own verdict" if name.endswith("md") else "own verdict"):
            has(page, word, name)
        ok(re.search(r"1\.\d{3} \[1\.\d{3}, 1\.\d{3}\]", page), "no interval in %s" % name)
    page = text_of(folder, "replay.html")
    has(page, '<span class="chip yes">holds</span>')
    hasnt(page, "<script")
    hasnt(page, 'href="one/report.html"')  # it was not made
    box.write(os.path.join(folder, "one", "report.html"), "")
    judged(folder)
    has(text_of(folder, "replay.html"), 'href="one/report.html"')


@tap.case("they are made from what is on disk alone, and come out the same")
def _():
    folder = replayed("again", part() + claim(target="libuv", metric="bytes", expect="129..131"))
    judged(folder)
    names = ("replay.md", "replay.html", "replay.json")
    before = {n: text_of(folder, n) for n in names}
    shutil.move(box.at(folder), box.at("elsewhere"))
    judged("elsewhere")
    eq({n: text_of("elsewhere", n) for n in names}, before, "pages")
    for n in names:
        hasnt(before[n], box.path, n)


@tap.case("no text breaks out of a page")
def _():
    odd = "<script>alert(1)</script> | `x` *y* </td>"
    folder = replayed("odd", part(title=odd, about=odd) + claim(
        title=odd, why=odd, target="libuv", metric="bytes", expect="129..131"), title=odd,
        left_out={odd: odd})
    judged(folder)
    page = text_of(folder, "replay.html")
    hasnt(page, "<script")
    hasnt(page, " </td> ")
    rows = [line for line in text_of(folder, "replay.md").splitlines() if line.startswith("| ")]
    for line in rows:
        hasnt(line, "<script")


@tap.case("a damaged record or file is refused in one line")
def _():
    folder = replayed("bad", part())
    for name, text, says in (("parts.json", "{}", "not the record of a replay"),
                             ("parts.json", "[", "not the record of a replay"),
                             ("replay.ini", "[replay]\ntitle\n", "replay.ini:2: ")):
        before = text_of(folder, name)
        box.write(os.path.join(folder, name), text)
        box.loopbench("report", folder).refused(2, says)
        box.write(os.path.join(folder, name), before)
    os.remove(box.at(folder, "replay.ini"))
    box.loopbench("report", folder).refused(2, "replay.ini")


@tap.case("a part whose run is damaged is missing, and the others are judged")
def _():
    text = part("one") + part("two")
    for name in ("one", "two"):
        text += claim(name, part=name, target="libuv", metric="bytes", expect="129..131")
    folder = replayed("torn", text, {"one": {}, "two": {}})
    box.write(os.path.join(folder, "two/manifest.json"), "{")
    found = judged(folder)
    check(found, {"one": HOLDS, "two": OPEN})
    has(found["two"]["evidence"][0]["why"], "part two cannot be read")


# ---- replays

def fakes(name, parts, *claims, targets=("a", "b")):
    text = HEAD % "Fakes" + parts + "".join(claims)
    for t in targets:
        text += "\n[target %s]\ncommand = %s --name %s\nannounces = yes\n" % (t, quote(FAKE_TARGET), t)
    return box.write(name + ".ini", text)


SHORT = {"duration": "1s", "warmup": "0", "null_server": "no", "aa_control": "off",
         "repeat_blocks": "0"}
RATIO = {"target": "a", "against_target": "b", "metric": "cpu", "expect": "1.."}


def replay(*words, **how):
    return box.loopbench("replay", *words, "--wrk", FAKE_WRK, "--no-report", **how)


def parts_of(folder):
    return json.loads(text_of(folder, "parts.json"))


@tap.case("parts are ordinary runs in folders of their own; results/latest stays")
def _():
    ini = fakes("plain", part("one", "a,b,zebra", "8", **SHORT) + part("two", "a", "4", **SHORT),
                claim(part="one", **RATIO))
    done = replay("./plain.ini", "--rounds", "1").expect(0)
    folder = "results/replay-plain"
    for name, trials in (("one", 2), ("two", 1)):
        run = Run(box.at(folder, name))
        eq(len(run.trials), trials, "trials of " + name)
        eq(run.manifest["state"], "complete", "state")
        eq(run.manifest["replay"], {"id": "plain", "part": name}, "what it is part of")
    ok(not os.path.lexists(box.at("results", "latest")), "latest")
    record = parts_of(folder)
    eq([(p["name"], p["state"]) for p in record["parts"]],
       [("one", "measured"), ("two", "measured")], "parts")
    with open(ini, encoding="utf-8") as f:
        line = 1 + f.read().splitlines().index("[part one]")
    eq(record["parts"][0]["left_out"],
       [{"target": "zebra", "reason":
         "plain.ini:%d: part one: no target is called 'zebra'; describe it in a [target zebra] section" % line}],
       "left out")
    has(done.err, "part one without zebra: plain.ini:%d: part one: no target" % line)
    has(done.out, "1 claims: 0 hold, 0 do not hold, 1 cannot be told")
    with open(ini, encoding="utf-8") as f:
        eq(text_of(folder, "replay.ini"), f.read(), "its file")
    replay("./plain.ini").refused(2, "holds a replay already", "--resume", "--out")
    replay("./plain.ini", "--rounds", "1", "--out", "other", "--quiet").expect(0)
    ok(os.path.exists(box.at("other", "replay.html")), "elsewhere")


@tap.case("what a target of a shipped replay does not serve is told of it, and admitted in the file")
def _():
    done = box.loopbench("replay", "r4", "--profile", "smoke", "--dry-run").expect(0)
    for target in ("node", "vertx"):
        has(done.err, "part posts without %s: r4.ini:22: workloads: %s does not serve 'posts'" % (target, target))
        hasnt(done.err, "part render without " + target)
    with open("replays/r4.ini", encoding="utf-8") as f:
        has(" ".join(f.read().split()), "(posts-ratio, posts-memory) cannot be told, whatever is installed")


@tap.case("a part that cannot be measured is left out, and the others are")
def _():
    fakes("machine", part("huge", "a", "900000", **SHORT) + part("two", "a", "4", **SHORT),
          claim(part="huge", target="a", metric="bytes", expect="1.."))
    done = replay("./machine.ini", "--rounds", "1").expect(0)
    record = {p["name"]: p for p in parts_of("results/replay-machine")["parts"]}
    eq([record[n]["state"] for n in ("huge", "two")], ["left-out", "measured"], "states")
    lines = [line for line in done.err.splitlines() if "part huge is left out" in line]
    eq(len(lines), 1, "lines")
    has(text_of("results/replay-machine", "replay.md"), "part huge was not measured: ")


@tap.case("where nothing can be measured the status says so")
def _():
    fakes("nothing", part("one", "zebra", "8", **SHORT))
    done = replay("./nothing.ini").expect(3)
    has(done.err, "no part of the replay could be measured")


@tap.case("a smoke replay is one round at the lowest level")
def _():
    fakes("smoke", part("one", "a,b", "64,8", requests="10000", **SHORT))
    replay("./smoke.ini", "--profile", "smoke", "--out", "short").expect(0)
    run = Run(box.at("short", "one"))
    eq([(t["connections"], t["mode"]) for t in run.trials], [(8, ["requests=300"])] * 2, "trials")


@tap.case("a dry run prints the plan of each part and writes nothing")
def _():
    fakes("dry", part("one", "a,b", "8", **SHORT) + part("two", "a", "4", **SHORT))
    before = tree(box.path)
    done = replay("./dry.ini", "--dry-run", "--rounds", "3").expect(0)
    eq(tree(box.path), before, "files")
    has(done.out, "6 trials")
    has(done.out, "3 trials")


@tap.case("Ctrl-C ends it, nothing is left running, and --resume goes on as it was begun")
def _():
    fakes("stopped", part("one", "a,b", "8", **SHORT) + part("two", "a", "4", **SHORT),
          claim(part="one", **RATIO))
    folder = "else where"
    trials = box.at(folder, "one", "trials.jsonl")
    process = box.start("replay", "./stopped.ini", "--wrk", FAKE_WRK, "--no-report", "--rounds",
                        "4", "--out", folder)
    wait_for(lambda: count_lines(trials) >= 3, "three trials")
    process.send_signal(signal.SIGINT)
    done = box.finish(process).expect(1)
    box.nothing_left(str(done))
    eq([(p["name"], p["state"]) for p in parts_of(folder)["parts"]], [("one", "interrupted")],
       "parts")
    has(text_of(folder, "replay.md"), "part two was not measured yet")
    said = [line for line in done.err.splitlines() if line.startswith("interrupted; go on with: loopbench ")]
    words = shlex.split(said[0].split(": loopbench ")[1])
    box.loopbench(*words, "--rounds", "4").refused(2, "--rounds with --resume")
    box.loopbench(*words, "--no-report").expect(0)
    eq([(p["name"], p["state"]) for p in parts_of(folder)["parts"]],
       [("one", "measured"), ("two", "measured")], "parts")
    eq([len(Run(box.at(folder, n)).trials) for n in ("one", "two")], [8, 4], "trials")


@tap.case("Ctrl-C while a part is looked at, before it is measured: status 1, and it is still to come")
def _():
    ini = fakes("asked", part("one", "a", "8", **SHORT) + part("two", "b", "4", **SHORT))
    with open(ini, encoding="utf-8") as f:
        text = f.read()
    box.write("asked.ini", text + "probe = sleep 600\n")  # of b
    for options in (("--rounds", "1"), ("--dry-run",)):
        process = box.start("replay", "./asked.ini", "--wrk", FAKE_WRK, "--no-report", *options)
        wait_for(lambda: any("sleep 600" in line for _, line in box.running()), "b is asked for")
        process.send_signal(signal.SIGINT)
        done = box.finish(process).expect(1)
        hasnt(done.err, "left out")
        has(done.err, "interrupted")
        box.nothing_left(str(done))
    eq([(p["name"], p["state"]) for p in parts_of("results/replay-asked")["parts"]],
       [("one", "measured"), ("two", "pending")], "parts")


@tap.case("Ctrl-C while the plots of a part are drawn: the part is kept, the next is not begun")
def _():
    fakes("drawn", part("one", "a", "8", **SHORT) + part("two", "a", "4", **SHORT))
    os.mkdir(box.at("path"))
    box.write("path/gnuplot", "#!/bin/sh\ncase $1 in --version) echo gnuplot 5.4;; "
              "*) exec sleep 600;; esac\n", 0o755)
    env = {**box.env, "PATH": box.at("path") + ":" + os.environ["PATH"]}
    process = box.start("replay", "./drawn.ini", "--wrk", FAKE_WRK, "--rounds", "1", env=env)
    wait_for(lambda: any("sleep 600" in line for _, line in box.running()), "drawing")
    process.send_signal(signal.SIGINT)
    done = box.finish(process).expect(1)
    has(done.err, "interrupted; go on with: ")
    eq([(p["name"], p["state"]) for p in parts_of("results/replay-drawn")["parts"]],
       [("one", "measured")], "parts")
    box.nothing_left(str(done))


@tap.case("what is asked for wrongly is refused in one line")
def _():
    box.loopbench("replay").refused(2, "r1, r2, r3, r4")
    box.loopbench("replay", "r9").refused(2, "no replay is called 'r9'")
    box.loopbench("replay", "./none.ini").refused(2, "none.ini")
    box.write("odd.ini", "[replay]\ntitel = x\n")
    box.loopbench("replay", "odd.ini").refused(2, "odd.ini:2: unknown name 'titel'")
    fakes("fine", part("one", "a,b", "8", **SHORT))
    box.loopbench("replay", "fine.ini", "--resume").refused(2, "is not the folder of a replay")
    box.write("full/x", "") if os.path.isdir(box.at("full")) else os.mkdir(box.at("full"))
    box.write("full/x", "")
    box.loopbench("replay", "fine.ini", "--out", "full").refused(2, "full")
    box.loopbench("replay", "fine.ini", "--targets", "a").refused(2, "--targets: unknown option")


with box:
    status = tap.finish()
sys.exit(status)
