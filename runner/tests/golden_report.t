#!/usr/bin/python3
"""Reports of a fixed run, golden/report/run, against those in golden/report/expected: what changes in
a report changes here, where a person sees it. Pictures are left out: they are gnuplot's.

    UPDATE=1 runner/tests/golden_report.t    writes them anew; look at the difference before you commit
"""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import Tap, eq, ok

HERE = os.path.dirname(os.path.abspath(__file__))
GOLDEN = os.path.join(HERE, "golden", "report")
LOOPBENCH = os.path.join(os.environ.get("BUILD", "build"), "bin", "loopbench")
FILES = ("report.md", "report.json", "report.html", "cells.csv", "verdicts.csv")
tap = Tap()
tmp = tempfile.mkdtemp(prefix="loopbench-golden-")


def short(match):
    """The last digits of a sum depend on the compiler."""
    return "%.7g" % float(match.group())


def stable(name, text):
    if name == "report.html":
        text = re.sub(r"<svg .*?</svg>\n", "<svg></svg>\n", text, flags=re.S)
        text = re.sub(r"<style>.*?</style>", "<style></style>", text, flags=re.S)
    if name == "report.json":
        text = json.dumps(json.loads(text), indent=1, ensure_ascii=False) + "\n"
    return re.sub(r"-?\d+\.\d{5,}(?:e[-+]\d+)?", short, text)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def report(folder):
    return subprocess.run([LOOPBENCH, "report", folder], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True, timeout=120)


@tap.case("the fixed run is reported")
def _():
    shutil.copytree(os.path.join(GOLDEN, "run"), os.path.join(tmp, "run"))
    done = report(os.path.join(tmp, "run"))
    eq(done.returncode, 0, "exit of report (%s)" % done.stdout)


def compare(name):
    got = stable(name, read(os.path.join(tmp, "run", name)))
    path = os.path.join(GOLDEN, "expected", name)
    if os.environ.get("UPDATE"):
        with open(path, "w", encoding="utf-8") as f:
            f.write(got)
    want = read(path)
    lines = list(difflib.unified_diff(want.splitlines(), got.splitlines(), "expected", "got", "", "",
                                      1))
    ok(not lines, "%s is not as expected; UPDATE=1 %s writes it anew\n%s" %
       (name, "runner/tests/golden_report.t", "\n".join(lines[:60])))


for file in FILES:
    tap.case("%s is as expected" % file)(lambda name=file: compare(name))


@tap.case("a figure that changes shows")
def _():
    run = os.path.join(tmp, "changed")
    shutil.copytree(os.path.join(GOLDEN, "run"), run)
    lines = read(os.path.join(run, "trials.jsonl")).splitlines()
    for i, line in enumerate(lines):
        trial = json.loads(line)
        if trial["status"] == "ok":
            trial["server"]["cpu_us_per_request"] *= 1.3
        lines[i] = json.dumps(trial)
    with open(os.path.join(run, "trials.jsonl"), "w") as f:
        f.write("\n".join(lines) + "\n")
    eq(report(run).returncode, 0, "exit")
    for name in FILES[:4]:
        ok(stable(name, read(os.path.join(run, name))) !=
           read(os.path.join(GOLDEN, "expected", name)), "%s is the same" % name)


sys.exit(tap.finish_drawing(tmp))
