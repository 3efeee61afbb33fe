#!/usr/bin/python3
"""`loopbench export`: each format read back by what is meant to read it, and held against the run."""
import collections
import csv
import gzip
import io
import json
import math
import os
import re
import shutil
import stat
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

from command import Box, read_trials  # noqa: E402
from made import judged_in_one, made  # noqa: E402
from tap import Skip, Tap, eq, has, ok  # noqa: E402

tap = Tap()
box = Box()
RUN = made(box, 1, trouble=True, workloads="hello,json")
HOSTILE = made(box, 2, hostile=True)
TRIALS = read_trials(RUN)
SOUND = [t for t in TRIALS if t["status"] == "ok" and not any(f.endswith("-invalid") for f in t["flags"])]


def export(run, *words, status=0):
    return box.loopbench("export", run, *words).expect(status).out


def near(a, b, what):
    ok(math.isclose(a, b, rel_tol=1e-9), "%s: %r, %r" % (what, a, b))


def rates(trials):
    found = collections.defaultdict(list)
    for t in trials:
        if t["status"] == "ok":
            found[t["workload"], t["target"], t["connections"]].append(t["rate"])
    return found


@tap.case("csv holds every trial with its figures")
def _():
    rows = list(csv.DictReader(io.StringIO(export(RUN))))
    eq(len(rows), len(TRIALS), "rows")
    for row, trial in zip(rows, TRIALS):
        eq(row["target"], trial["target"], "target")
        eq(row["status"], trial["status"], "status")
        eq(row["counts"], "yes", "counts")
        if trial["status"] == "ok":
            near(float(row["requests_per_second"]), trial["rate"], "rate")
            eq(int(row["latency_p99_us"]), trial["raw"]["p99_us"], "p99")
            eq(int(row["rss_peak_bytes"]), trial["memory"]["peak_rss"], "peak")
        else:
            eq(row["requests_per_second"], "", "what was not measured")
            has(row["reason"], "signal 11")


@tap.case("json holds the same, and the manifest")
def _():
    data = json.loads(export(RUN, "--format", "json"))
    with open(os.path.join(RUN, "manifest.json"), encoding="utf-8") as f:
        eq(data["run"], json.load(f), "manifest")
    rows = list(csv.DictReader(io.StringIO(export(RUN))))
    eq(len(data["trials"]), len(rows), "trials")
    for row, trial in zip(rows, data["trials"]):
        eq(set(row), set(trial), "names")
        eq(row["cpu_us_per_request"] == "", trial["cpu_us_per_request"] is None, "missing")


@tap.case("memory of several processes is told from that of one, in every format")
def _():
    run = made(box, 4, rounds=6, levels="10")
    path = os.path.join(run, "trials.jsonl")
    with open(path, encoding="utf-8") as f:
        trials = [json.loads(line) for line in f]
    for t in trials:
        t["server"]["processes"] = 3 if t["target"] == "libuv" else 1
        for moment in ("idle", "loaded"):
            t["memory"][moment]["pss"] = 1000000 + t["round"]
        t["memory"]["peak_pss"] = 2000000 + t["round"]
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t) + "\n" for t in trials)
    for row, trial in zip(csv.DictReader(io.StringIO(export(run))), trials):
        several = trial["target"] == "libuv"
        eq(row["server_processes"], "3" if several else "1", "processes")
        eq(row["memory_kind"], "pss" if several else "rss", "kind")
        eq(int(row["pss_peak_bytes"]), trial["memory"]["peak_pss"], "PSS")
        eq(int(row["rss_peak_bytes"]), trial["memory"]["peak_pss" if several else "peak_rss"],
           "the figure")
    kinds = {(t["target"] == "libuv", t["memory_kind"], t["server_processes"])
             for t in json.loads(export(run, "--format", "json"))["trials"]}
    eq(kinds, {(True, "pss", 3), (False, "rss", 1)}, "json")
    for words in bench_lines(export(run, "--format", "benchstat")):
        eq(("peak-pss-B" in words, "peak-B" in words),
           (True, False) if "target=libuv/" in words[0] else (False, True), words[0])
    metrics = export(run, "--format", "openmetrics").splitlines()
    peaks = [m for m in metrics if m.startswith("loopbench_memory_peak_bytes{")]
    ok(peaks and all(('kind="pss"' in m) == ('target="libuv"' in m) for m in peaks), peaks)
    ok(any(re.match(r'loopbench_server_processes\{.*target="libuv".*\} 3$', m) for m in metrics),
       "processes")
    box.loopbench("report", run).expect(0)
    with open(os.path.join(run, "report.json"), encoding="utf-8") as f:
        cells = {c["target"]: c for c in json.load(f)["cells"]}
    eq((cells["libuv"]["memory_kind"], cells["libuv"]["processes"]), ("pss", 3), "report.json")
    eq((cells["h2o"]["memory_kind"], cells["h2o"]["processes"]), ("rss", 1), "report.json")
    with open(os.path.join(run, "cells.csv"), encoding="utf-8") as f:
        eq({(r["target"] == "libuv", r["memory_kind"]) for r in csv.DictReader(f)},
           {(True, "pss"), (False, "rss")}, "cells.csv")
    with open(os.path.join(run, "report.md"), encoding="utf-8") as f:
        row = next(line for line in f if line.startswith("| libuv |"))
    eq(row.count(" PSS"), 2, row)


@tap.case("of a block that was run again only one attempt counts")
def _():
    again = made(box, 3, rounds=2, levels="10")
    path = os.path.join(again, "trials.jsonl")
    with open(path, encoding="utf-8") as f:
        lines = f.readlines()
    with open(path, "a", encoding="utf-8") as f:
        for line in lines[:5]:
            t = json.loads(line)
            t.update(attempt=1, hist_offset=None, hist_length=None)
            f.write(json.dumps(t) + "\n")
    rows = list(csv.DictReader(io.StringIO(export(again))))
    eq(collections.Counter((r["attempt"], r["counts"]) for r in rows),
       {("0", "no"): 5, ("0", "yes"): 5, ("1", "yes"): 5}, "attempts")


@tap.case("selectors choose, and what they leave nothing of is refused")
def _():
    rows = list(csv.DictReader(io.StringIO(export(
        RUN, "--target", "libuv", "--workload", "json", "--connections", "100"))))
    eq({(r["target"], r["workload"], r["connections"]) for r in rows}, {("libuv", "json", "100")},
       "chosen")
    box.loopbench("export", RUN, "--target", "zebra").refused(2, "holds no such cell")
    box.loopbench("export", RUN, "--format", "xml").refused(2, "'xml'", "openmetrics")
    box.loopbench("export", "nowhere").refused(2, "no run 'nowhere'")


@tap.case("--out writes a file, whole or not at all")
def _():
    eq(export(RUN, "--out", "x.csv"), "", "standard output")
    with open(box.at("x.csv"), encoding="utf-8", newline="") as f:
        eq(f.read(), export(RUN), "the file")
    box.loopbench("export", RUN, "--out", "no/such/x.csv").expect(3)
    eq(export(RUN, "--out", "-"), export(RUN), "- is standard output")
    os.mkdir(box.at("folder"))
    os.symlink("folder", box.at("to-folder"))
    for name in ("folder", "to-folder", "./folder/"):
        box.loopbench("export", RUN, "--out", name).refused(2, name, "is a folder", "name a file")
    eq(os.listdir(box.at("folder")), [], "files in the folder")
    ok(not os.path.exists(box.at("-")), "no file called -")


@tap.case("--out replaces no link, no FIFO and no device")
def _():
    whole = export(RUN)
    os.makedirs(box.at("there"))
    os.symlink("there/kept.csv", box.at("link.csv"))
    for _ in range(2):  # of a file that is not there yet, and of one that is
        export(RUN, "--out", "link.csv")
        ok(os.path.islink(box.at("link.csv")), "the link stays")
        with open(box.at("there", "kept.csv"), encoding="utf-8", newline="") as f:
            eq(f.read(), whole, "what it leads to")
    os.mkfifo(box.at("fifo"))
    reader = subprocess.Popen(["cat", box.at("fifo")], stdout=subprocess.PIPE)
    export(RUN, "--out", "fifo")
    eq(reader.communicate(timeout=60)[0].decode(), whole, "through the FIFO")
    ok(stat.S_ISFIFO(os.lstat(box.at("fifo")).st_mode), "the FIFO stays")
    # Through links, so that a failure replaces a link of the box and no device of the machine.
    for device, status in (("/dev/null", 0), ("/dev/full", 3)):
        os.symlink(device, box.at("device"))
        done = box.loopbench("export", RUN, "--out", "device").expect(status)
        ok(os.readlink(box.at("device")) == device, "the link to %s stays" % device)
        ok(status == 0 or "cannot write device: No space left" in done.err, done.err)
        os.unlink(box.at("device"))


def bench_lines(text):
    pattern = re.compile(r"^Benchmark\S+ [1-9]\d*( \S+ \S+)+$")
    lines = [line for line in text.splitlines() if line.startswith("Benchmark")]
    for line in lines:
        ok(pattern.match(line), line)
    return [line.split() for line in lines]


@tap.case("benchstat's format has a line for each trial that counts")
def _():
    lines = bench_lines(export(RUN, "--format", "benchstat"))
    eq(len(lines), len(SOUND), "lines")
    mine = collections.defaultdict(list)
    for words in lines:
        unit = "req/s" if "req/s" in words else "limited-req/s"
        mine[words[0]].append(float(words[words.index(unit) - 1]))
    for (workload, target, level), values in rates(SOUND).items():
        name = "Benchmark%s/target=%s/connections=%d" % (workload.capitalize(), target, level)
        near(sum(mine[name]), sum(values), name)


@tap.case("benchstat's format leaves out what was disturbed, and carries what qualifies a figure")
def _():
    text = export(RUN, "--format", "benchstat")
    ok(any(t["flags"] for t in TRIALS if t["status"] == "ok"), "the run has a disturbed trial")
    has(text, "# %d of %d trials are left out: they failed or were disturbed\n"
        % (len(TRIALS) - len(SOUND), len(TRIALS)))
    has(export(made(box, 1, name="good"), "--format", "benchstat"), "validated: yes\n")
    has(text, "Unit limited-req/s better=higher\n")
    has(export(made(box, 20, name="bad", cost="libevent-again=1.25"), "--format", "benchstat"),
        "validated: no\n")
    has(export(judged_in_one(box, 21, name="partly"), "--format", "benchstat"),
        "validated: in 1 of 3 cells\n")
    has(export(made(box, 22, name="short", rounds=1), "--format", "benchstat"),
        "validated: not judged\n")
    cells = {(c["workload"], int(c["connections"]), c["target"]): c["client"] for c in report_cells()}
    ok(len(set(v == "limited" for v in cells.values())) == 2, "some cells are limited: %s" % cells)
    for words in bench_lines(text):
        name = re.match(r"Benchmark(\w+)/target=(.+)/connections=(\d+)$", words[0])
        key = (name.group(1).lower(), int(name.group(3)), name.group(2))
        ok(("limited-req/s" in words) == (cells[key] == "limited"), "%s: %s" % (words, cells[key]))


def report_cells():
    box.loopbench("report", RUN).expect(0)
    with open(os.path.join(RUN, "cells.csv"), encoding="utf-8", newline="") as f:
        return list(csv.DictReader(f))


@tap.case("names out to break it stay one word, and stay apart")
def _():
    names = {w[0] for w in bench_lines(export(HOSTILE, "--format", "benchstat"))}
    eq(len(names), 10, "names")
    ok(all(re.match(r"^BenchmarkHello/target=[\w.+:%-]+/connections=\d+$", n) for n in names), names)


@tap.case("the real benchstat reads it and finds the same medians")
def _():
    program = shutil.which("benchstat")
    if not program and shutil.which("go"):
        try:
            subprocess.run(["go", "install", "golang.org/x/perf/cmd/benchstat@latest"], check=True,
                           env=dict(os.environ, GOBIN=box.at("gobin")), timeout=120,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            program = box.at("gobin", "benchstat")
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
            pass
    if not program:
        raise Skip("benchstat is not installed, and go cannot install it")
    for run in (RUN, HOSTILE):
        with open(box.write("bench.txt", export(run, "--format", "benchstat"))) as f:
            done = subprocess.run([program, "-format", "csv", f.name], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True)
        eq(done.returncode, 0, done.stderr)
        ok("syntax" not in done.stderr and "cannot" not in done.stderr, done.stderr)
        if run == RUN:
            tables = [t for t in done.stdout.split("\n\n") if re.search(r",(limited-)?req/s,", t)]
            for (workload, target, level), values in rates(SOUND).items():
                name = "%s/target=%s/connections=%d" % (workload.capitalize(), target, level)
                found = next(filter(None, (re.search("^%s,([^,]+)," % re.escape(name), table, re.M)
                                           for table in tables)), None)
                ok(found, "without %s\n%s" % (name, done.stdout))
                ok(math.isclose(float(found.group(1)), statistics.median(values), rel_tol=1e-6),
                   "%s: %s" % (name, found.group(1)))


def check_openmetrics(text):
    """The rules that matter, where no parser is installed."""
    ok(text.endswith("# EOF\n") and text.count("# EOF") == 1, "it ends with # EOF")
    family, seen, samples = None, set(), set()
    sample = re.compile(r'^([a-z_:][a-z0-9_:]*)\{((?:[a-z_]+="(?:[^"\\\n]|\\[\\"n])*",?)*)\} (\S+)$')
    for line in text.splitlines()[:-1]:
        if line.startswith("# TYPE "):
            family = line.split()[2]
            ok(family not in seen, "%s comes twice" % family)
            seen.add(family)
            continue
        if line.startswith("# "):
            eq(line.split()[2], family, "metadata of another family")
            continue
        match = sample.match(line)
        ok(match, line)
        ok(match.group(1).startswith(family), line)
        float(match.group(3))
        ok(match.groups()[:2] not in samples, "%s comes twice" % line)
        samples.add(match.groups()[:2])


@tap.case("OpenMetrics is read by Prometheus' parser")
def _():
    try:
        from prometheus_client.openmetrics.parser import text_string_to_metric_families
    except ImportError:
        raise Skip("python3-prometheus-client is not installed; the next case looks closely")
    for run in (RUN, HOSTILE):
        families = {f.name: f for f in
                    text_string_to_metric_families(export(run, "--format", "openmetrics"))}
        ok(families["loopbench_latency_seconds"].type == "histogram", "histograms")
        if run == HOSTILE:
            names = {s.labels["target"] for s in families["loopbench_requests_per_second"].samples}
            ok("<script>alert(1)</script>" in names, names)


@tap.case("OpenMetrics holds the run's medians and histograms")
def _():
    for run in (RUN, HOSTILE):
        check_openmetrics(export(run, "--format", "openmetrics"))
    text = export(RUN, "--format", "openmetrics")
    for (workload, target, level), values in rates(TRIALS).items():
        part = 'target="%s",role="[a-z]+",workload="%s",connections="%d"' % (target, workload, level)
        found = re.search(r'requests_per_second\{[^}]*%s,stat="median"\} (\S+)' % part, text)
        near(float(found.group(1)), float("%.10g" % statistics.median(values)), part)
        counts = [int(n) for n in re.findall(r'_bucket\{[^}]*%s,le="[^"]+"\} (\d+)' % part, text)]
        eq(counts, sorted(counts), "buckets")
        total = re.search(r'_count\{[^}]*%s\} (\d+)' % part, text).group(1)
        eq(counts[-1], int(total), "the last bucket")


def merged(run, workload, target, level):
    histogram = collections.Counter()
    with open(os.path.join(run, "histograms.gz"), "rb") as f:
        data = f.read()
    for t in read_trials(run):
        if (t["workload"], t["target"], t["connections"]) == (workload, target, level) and \
                t["status"] == "ok" and t["hist_offset"] is not None:
            member = data[t["hist_offset"]:t["hist_offset"] + t["hist_length"]]
            line = json.loads(gzip.decompress(member))
            for value, count in zip(line["values"], line["counts"]):
                histogram[value] += count
    return histogram


@tap.case("hgrm is the merged histogram of one cell")
def _():
    text = export(RUN, "--format", "hgrm", "--target", "libuv", "--workload", "hello",
                  "--connections", "100")
    lines = text.splitlines()
    eq(lines[0].split(), ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"], "heading")
    eq(lines[1], "", "second line")
    rows = [line.split() for line in lines[2:] if not line.startswith("#")]
    histogram = merged(RUN, "hello", "libuv", 100)
    total = sum(histogram.values())
    values = sorted(histogram)
    below = {}
    seen = 0
    for v in values:
        seen += histogram[v]
        below["%.3f" % (v / 1000)] = seen
    ok(len(rows) > 40, "rows")
    for row in rows:
        eq(below[row[0]], int(row[2]), "count at %s ms" % row[0])
        ok(int(row[2]) >= float(row[1]) * total - 1e-6, "percentile %s" % row[1])
    for one, two in zip(rows, rows[1:]):
        ok(float(one[1]) < float(two[1]) and float(one[0]) <= float(two[0]), "%s, %s" % (one, two))
    eq(rows[-1][1:], ["1.000000000000", str(total)], "the last row")
    mean = sum(v * n for v, n in histogram.items()) / total
    sd = math.sqrt(sum((v - mean) ** 2 * n for v, n in histogram.items()) / total)
    numbers = [float(x) for x in re.findall(r"= +([\d.]+)", text)]
    eq(numbers, [float("%.3f" % (mean / 1000)), float("%.3f" % (sd / 1000)),
                 float("%.3f" % (values[-1] / 1000)), total, 1, len(values)], "footer")


@tap.case("hgrm of more than one cell, or of none with latency, is refused")
def _():
    box.loopbench("export", RUN, "--format", "hgrm").refused(2, "one cell, and 18 are chosen")
    bare = made(box, 4, rounds=1, levels="8")
    path = os.path.join(bare, "trials.jsonl")
    lines = [dict(json.loads(line), hist_offset=None, hist_length=None) for line in open(path)]
    with open(path, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t) + "\n" for t in lines)
    box.loopbench("export", bare, "--format", "hgrm", "--target", "h2o").refused(1, "no latency")


@tap.case("a damaged histogram is said")
def _():
    bad = made(box, 5, rounds=1, levels="8")
    with open(os.path.join(bad, "histograms.gz"), "r+b") as f:
        f.seek(30)
        f.write(b"\xff" * 40)
    box.loopbench("export", bad, "--format", "openmetrics").refused(2, "histograms.gz")


status = tap.finish()
box.__exit__(None, None, None)
sys.exit(status)
