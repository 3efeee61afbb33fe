#!/usr/bin/python3
"""`loopbench report` as a person uses it, on runs that were made up: what it writes, what agrees with
what, what it refuses, and that no name can break out of any format."""
import csv
import gzip
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as xml

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.environ.get("BUILD", "build")
LOOPBENCH = os.path.join(BUILD, "bin", "loopbench")
count = failures = 0


def ok(good, what, why=""):
    global count, failures
    count += 1
    failures += not good
    print("%sok %d - %s" % ("" if good else "not ", count, what))
    if not good and why != "":
        print("# " + str(why).replace("\n", "\n# "))


def synth(folder, *options):
    subprocess.run([os.path.join(HERE, "synth_run.py"), folder, "--light", *options], check=True)
    return folder


def report(folder, env=None):
    return subprocess.run([LOOPBENCH, "report", folder], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=300,
                          env=dict(os.environ, **(env or {})))


def read(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        return f.read()


def one_line(text):
    return text.count("\n") == 1 and text.startswith("loopbench: ")


def is_png(path):
    with open(path, "rb") as f:
        return f.read(8) == b"\x89PNG\r\n\x1a\n"


def pictures(folder):
    plots = os.path.join(folder, "plots")
    return sorted(n for n in os.listdir(plots) if n.endswith((".svg", ".png")))


def check_pictures(folder, workloads, what, without=()):
    kinds = [k for k in ("throughput", "cpu", "latency", "memory", "percentiles", "rounds-cpu",
                         "rounds-throughput", "memory-time", "ratios") if k not in without]
    want = sorted("%s-%s.%s" % (k, w, e) for k in kinds for w in workloads for e in ("svg", "png"))
    found = pictures(folder)
    ok(found == want, "%s: every plot as SVG and PNG, and nothing else" % what, found)
    bad = ""
    for name in found:
        path = os.path.join(folder, "plots", name)
        if name.endswith(".png"):
            bad += "" if is_png(path) else name + " is no PNG. "
        else:
            try:
                xml.parse(path)
            except xml.ParseError as e:
                bad += "%s: %s. " % (name, e)
    ok(not bad, "%s: the pictures are well formed" % what, bad)


def check_agreement(folder):
    """cells.csv, report.json and the trials themselves say the same."""
    rows = list(csv.DictReader(read(folder, "cells.csv").splitlines()))
    cells = json.loads(read(folder, "report.json"))["cells"]
    ok(len(rows) == len(cells) > 0, "as many cells in cells.csv as in report.json")
    trials = [json.loads(line) for line in read(folder, "trials.jsonl").splitlines()]
    bad = ""
    for row, cell in zip(rows, cells):
        key = (row["workload"], int(row["connections"]), row["target"])
        if key != (cell["workload"], cell["connections"], cell["target"]):
            bad += "%s is not %s. " % (key, cell["target"])
        for name, figure in cell["figures"].items():
            for part, column in (("median", name), ("lo", name + "_lo"), ("hi", name + "_hi")):
                text = row[column]
                if (figure[part] is None) != (text == ""):
                    bad += "%s %s missing in one. " % (key, column)
                elif text and abs(float(text) - figure[part]) > 1e-6 * abs(figure[part]):
                    bad += "%s %s: %s, %s. " % (key, column, text, figure[part])
        mine = [t["rate"] for t in trials if (t["workload"], t["connections"], t["target"]) == key
                and t["status"] == "ok"]
        if abs(statistics.median(mine) - float(row["requests_per_second"])) > 1e-3:
            bad += "%s: not the median of its trials. " % (key,)
        rank = {11: 2, 5: 0}[len(mine)]
        low = sorted(mine)[rank - 1] if rank else None
        if (row["requests_per_second_lo"] == "") != (rank == 0) or \
                (low and abs(low - float(row["requests_per_second_lo"])) > 1e-3):
            bad += "%s: not the interval of its trials. " % (key,)
    ok(not bad, "cells.csv and report.json agree with each other and with the trials", bad)


def test_full(tmp):
    run = synth(os.path.join(tmp, "a run"), "--trouble")
    done = report(run)
    ok(done.returncode == 0, "a report of a run with failures", done.stderr)
    check_pictures(run, ["hello", "json"], "two workloads")
    check_agreement(run)
    text = read(run, "report.md")
    links = re.findall(r"!\[[^]]*\]\(([^)]*)\)", text)
    ok(len(links) == 18 and all(os.path.exists(os.path.join(run, link)) for link in links),
       "report.md shows each plot by a relative link", links)
    for what, part in [
            ("the closed loop", "closed loop"),
            ("the failures with their reason", "6 of 11 trials failed (crashed)"),
            ("the server's last output, without its control characters", "Too many open files"),
            ("why a percentile is missing", "fewer than 5000 samples"),
            ("lower bounds", "≥ 12"),
            ("the A/A control", "libevent-again / libevent"),
            ("the machine", "6.1.0-18-amd64"),
            ("what could not be read", "governor could not be read"),
            ("how to run it again", "loopbench run config.ini --results .. --seed 42"),
            ("flags and in how many rounds", "steal-invalid:1"),
            ("raw and corrected latency", "Latency, raw and corrected")]:
        ok(part in text, "report.md says %s" % what, part)
    ok("\x1b" not in text, "report.md holds no control characters")
    ok(not re.search(r"\| 0(\.0+)?( µs| ms)? \|.*n/a", text), "what is missing is not shown as 0")
    first = {n: read(run, n) for n in ("report.md", "report.html", "report.json", "cells.csv")}
    report(run)
    ok(all(read(run, n) == first[n] for n in first), "the same run gives the same report again")
    left = [n for _, _, names in os.walk(run) for n in names if n.endswith(".tmp")]
    ok(not left, "no temporary file is left", left)


def test_single_level(tmp):
    run = synth(os.path.join(tmp, "smoke"), "--rounds", "1", "--levels", "8", "--workloads",
                "hello")
    done = report(run)
    ok(done.returncode == 0, "one round at one level", done.stderr)
    check_pictures(run, ["hello"], "one round at one level", without=["ratios"])
    ok("too few for intervals" in read(run, "report.md") or
       "with fewer there is none" in read(run, "report.md"), "no interval is invented")


def test_hostile(tmp):
    run = synth(os.path.join(tmp, "it's `a` $(run) %s"), "--hostile", "--workloads", "hello,../x y")
    done = report(run)
    ok(done.returncode == 0, "hostile names of targets, workloads and the folder", done.stderr)
    ok(not [d for d, _, names in os.walk(tmp) if "pwned" in names] and
       not os.path.exists("pwned"), "nothing was executed")
    text = read(run, "report.md")
    ok("<script" not in text, "no HTML in report.md")
    bad = ""
    width = 0
    for line in text.splitlines():
        mine = len(re.findall(r"(?<!\\)\|", line)) if line.startswith("|") else 0
        bad += line + "\n" if mine and width and mine != width else ""
        width = mine
    ok(not bad, "no name adds a column to a table", bad)
    rows = list(csv.reader(read(run, "cells.csv").splitlines()))
    ok(len({len(r) for r in rows}) == 1, "no name adds a field to cells.csv")
    names = {c["target"] for c in json.loads(read(run, "report.json"))["cells"]}
    ok("<script>alert(1)</script>" in names, "report.json holds the names as they are")
    svg = read(run, "plots/cpu-hello.svg")
    tree = xml.fromstring(svg)
    ok(not [e for e in tree.iter() if e.tag.lower().endswith("script")], "no script in an SVG")
    ok("%s $(touch pwned)" in "".join(tree.itertext()), "a name is drawn as it is")
    ok(all(os.path.dirname(os.path.relpath(os.path.join(d, n), run)) in ("", "plots", "plots/data",
                                                                         "plots/narrow")
           for d, _, files in os.walk(run) for n in files), "no file outside its folder")


def test_gaps(tmp):
    """A target without a figure at one level is marked there, in its colour, and says why."""
    run = synth(os.path.join(tmp, "gaps"), "--rounds", "6", "--levels", "10,100,500", "--workloads",
                "hello")
    lines = []
    for line in read(run, "trials.jsonl").splitlines():
        r = json.loads(line)
        if r["target"] == "h2o" and r["connections"] == 100:
            kind = "timeout" if r["round"] == 0 else "refused"
            r.update(status="failed", failure=kind, reason="it did not answer")
        lines.append(json.dumps(r) + "\n")
    with open(os.path.join(run, "trials.jsonl"), "w") as f:
        f.writelines(lines)
    report(run)
    settings = read(run, "plots/data/cpu-hello.gp")
    at = re.search(r"GAPP\[1\] = 1; GAPAT\[1\] = ([0-9.]+); GAPT\[1\] = 3\nGAPS = 1\n", settings)
    ok(at and 60 < float(at.group(1)) < 150, "the gap of one target is marked at its level",
       re.findall("GAP.*", settings))
    for name in ("plots/cpu-hello.svg", "plots/narrow/cpu-hello.svg"):
        text = "".join(xml.fromstring(read(run, name)).itertext())
        ok("×" in text and "no figure" in text, "%s shows it and says what it means" % name, text)
    for plot in ("percentiles", "memory-time"):
        settings = read(run, "plots/data/%s-hello.gp" % plot)
        ok("GAPP[1] = 2; GAPAT[1] = 100; GAPT[1] = 3\nGAPS = 1\n" in settings,
           "%s: the curve that is not there is marked in its panel" % plot,
           re.findall("GAP.*", settings))
        for name in ("plots/%s-hello.svg", "plots/narrow/%s-hello.svg"):
            text = "".join(xml.fromstring(read(run, name % plot)).itertext())
            ok("× h2o" in text and "×: no curve" in re.sub(r"\s+", " ", text),
               "%s says whose it is" % (name % plot), text)
    row = [r for r in csv.DictReader(read(run, "cells.csv").splitlines())
           if r["target"] == "h2o" and r["connections"] == "100"][0]
    ok("requests_per_second: every trial failed: refused 5, timeout 1" in row["missing"],
       "cells.csv says how the trials failed", row["missing"])
    ok("array NAP" in read(run, "plots/data/rounds-cpu-hello.gp") and
       "n/a" in "".join(xml.fromstring(read(run, "plots/rounds-cpu-hello.svg")).itertext()),
       "an empty strip is marked")


def test_damage(tmp):
    run = synth(os.path.join(tmp, "damage"), "--rounds", "6", "--levels", "10", "--workloads",
                "hello")
    trials = os.path.join(run, "trials.jsonl")
    good = read(run, "trials.jsonl")
    with open(trials, "a") as f:
        f.write('{"seq":999,"att')
    done = report(run)
    ok(done.returncode == 0 and "cut short" in done.stderr and "cut short" in read(run, "report.md"),
       "a torn last line is left out, and said", done.stderr)
    with open(trials, "w") as f:
        f.write(good.replace("\n", "\n?", 1))
    done = report(run)
    ok(done.returncode == 2 and one_line(done.stderr) and "trials.jsonl:2" in done.stderr,
       "a damaged line is refused by file and line", done.stderr)
    with open(trials, "w") as f:
        f.write(good)

    path = os.path.join(run, "histograms.gz")
    with open(path, "rb") as f:
        hists = f.read()
    with open(path, "wb") as f:
        f.write(hists[:40] + b"\xff" * 20 + hists[60:])
    done = report(run)
    ok(done.returncode == 0 and "histograms.gz" in done.stderr and
       "histograms.gz" in read(run, "report.md"), "a damaged histogram is said", done.stderr)
    with open(path, "wb") as f:
        f.write(hists)
    with gzip.open(path) as f:
        lines = f.read().decode().splitlines()
    ok(len(lines) == 30 and all(json.loads(line)["unit"] == "us" for line in lines),
       "zcat gives one JSON line a trial")

    manifest = os.path.join(run, "manifest.json")
    kept = read(run, "manifest.json")
    for what, text, says in [("newer", kept.replace('"format_version": 1', '"format_version": 7'),
                              "newer"),
                             ("foreign", '{"name": "x"}', "not the manifest"),
                             ("damaged", kept[:100], "not JSON")]:
        with open(manifest, "w") as f:
            f.write(text)
        done = report(run)
        ok(done.returncode == 2 and one_line(done.stderr) and says in done.stderr,
           "a %s manifest is refused" % what, done.stderr)
    with open(manifest, "w") as f:
        f.write(kept.replace('"complete"', '"running"'))
    done = report(run)
    ok(done.returncode == 0 and "cut off" in done.stderr and "not complete" in
       read(run, "report.md"), "an unfinished run is reported as unfinished", done.stderr)
    ok("continue it with run --resume" in done.stderr, "how to go on is said", done.stderr)
    done = report(run, {"LOOPBENCH_REPORT_SHOWN": "there"})
    ok(done.returncode == 0 and "cut off" in done.stderr and "--resume" not in done.stderr,
       "but not in a container, where nothing can go on", done.stderr)

    for what, folder in [("no folder", os.path.join(tmp, "none")), ("a file", trials),
                         ("another folder", tmp)]:
        done = report(folder)
        ok(done.returncode == 2 and one_line(done.stderr), "%s is refused" % what, done.stderr)
    os.truncate(trials, 0)
    with open(manifest, "w") as f:
        f.write(kept)
    done = report(run)
    ok(done.returncode == 2 and one_line(done.stderr) and "no trial" in done.stderr and
       "gone" in done.stderr,
       "a run without a trial is refused", done.stderr)


def test_no_gnuplot(tmp):
    run = synth(os.path.join(tmp, "no gnuplot"), "--rounds", "1", "--levels", "8", "--workloads",
                "hello")
    done = report(run, {"PATH": tmp})
    ok(done.returncode == 3 and one_line(done.stderr) and "install the package gnuplot" in
       done.stderr, "without gnuplot: exit 3, naming the package", done.stderr)
    ok("gnuplot" in read(run, "report.md") and read(run, "cells.csv") != "" and
       not pictures(run), "the texts are written nevertheless, and say that plots are missing")


def main():
    if not os.access(LOOPBENCH, os.X_OK):
        print("Bail out! %s is not built" % LOOPBENCH)
        return 1
    tmp = tempfile.mkdtemp(prefix="loopbench-report-")
    try:
        if shutil.which("gnuplot"):
            test_full(tmp)
            test_single_level(tmp)
            test_hostile(tmp)
            test_gaps(tmp)
            test_damage(tmp)
        else:
            ok(False, "gnuplot is installed (make deps)")
        test_no_gnuplot(tmp)
    finally:
        shutil.rmtree(tmp)
    print("1..%d" % count)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
