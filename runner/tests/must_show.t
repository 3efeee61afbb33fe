#!/usr/bin/python3
"""scripts/must-show, on reports that were made up: what it counts."""
import argparse
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import sys

from tap import Tap, eq, has

HERE = os.path.dirname(os.path.abspath(__file__))
PATH = os.path.join(os.path.dirname(os.path.dirname(HERE)), "scripts", "must-show")
tap = Tap()


def load():
    sys.dont_write_bytecode = True
    loader = importlib.machinery.SourceFileLoader("must_show", PATH)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("must_show", loader))
    loader.exec_module(module)
    return module


def verdict(word, mean, se):
    return {"verdict": word, "ratio": 1 + mean, "lo": 1 + mean - 2 * se, "hi": 1 + mean + 2 * se,
            "log": {"mean": mean, "se": se, "df": 6}}


def row(word, mean, control):
    one = verdict(word, mean, 0.005)
    return dict(one, ungated=dict(one), text=word, connections=64, control=control,
                figure="cpu_us_per_request")


def report(found, cell, validity, cost_us):
    rounds = {"cpu_us_per_request": {"rounds": [cost_us] * 11}}
    return {"cells": [{"target": "libuv", "figures": rounds}],
            "findings": {"validity": validity, "reason": "because"},
            "verdicts": {"rows": [row(found, 0.1, False), row(cell, 0.01, True)],
                         "blocks": {"invalid": 0, "measured": 11, "repeated": 0}}}


def series(reports):
    """The output of a series of 10% that measured these, and whether it was met."""
    module = load()
    left = list(reports)
    module.run = lambda *_: left.pop(0)
    args = argparse.Namespace(tries=len(reports), rounds=None, target="libuv", connections="64")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        met = module.series_handicap(args, "", "ten", 7000.0)
    return out.getvalue(), met


@tap.case("a control whose run is not validated is not counted as clean, and both are told")
def _():
    out, met = series([report("higher", "no difference", "not validated", 7.0),
                       report("higher", "equivalent", "validated", 8.75)])
    eq(met, True, "met")
    has(out, "A/A: c=64   no difference", "the cell")
    has(out, "run: not validated: because", "the run")
    has(out, "the run was validated 1 times, its control's cell showed no difference 2 times", "sum")


@tap.case("a control that was not judged is not clean either")
def _():
    out, met = series([report("insufficient", "insufficient", "not judged", 7.0)])
    eq(met, False, "met")
    has(out, "the run was validated 0 times, its control's cell showed no difference 0 times", "sum")


@tap.case("the share that a handicap had in its own run is told")
def _():
    out, _ = series([report("higher", "equivalent", "validated", 8.75),
                     report("higher", "equivalent", "validated", 8.75)])
    has(out, "a handicap of 10% (8.0 to 10.0% of what each run measured)", "sum")


sys.exit(tap.finish())
