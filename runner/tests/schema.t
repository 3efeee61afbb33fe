#!/usr/bin/python3
"""The JSON Schemas in docs/ describe what is really written: a run made up, and real ones where
there are any (BUILD/smoke-run). Needs python3-jsonschema."""
import copy
import glob
import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    print("1..0 # SKIP python3-jsonschema is not installed (make deps-dev)")
    sys.exit(0)

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, "..", "..", "docs", "schema")
BUILD = os.environ.get("BUILD", "build")
count = failures = 0


def ok(good, what, why=""):
    global count, failures
    count += 1
    failures += not good
    print("%sok %d - %s" % ("" if good else "not ", count, what))
    if not good and why:
        print("# " + str(why).replace("\n", "\n# "))


def schema(name):
    with open(os.path.join(DOCS, name + ".json")) as f:
        s = json.load(f)
    jsonschema.Draft7Validator.check_schema(s)
    return jsonschema.Draft7Validator(s)


def first_error(validator, instance):
    error = jsonschema.exceptions.best_match(validator.iter_errors(instance))
    return "" if error is None else "%s: %s" % ("/".join(map(str, error.path)), error.message)


def check_run(folder, what, trial, manifest):
    with open(os.path.join(folder, "manifest.json")) as f:
        why = first_error(manifest, json.load(f))
    ok(not why, "%s: manifest.json" % what, why)
    bad = ""
    lines = 0
    with open(os.path.join(folder, "trials.jsonl")) as f:
        for line in f:
            lines += 1
            why = first_error(trial, json.loads(line))
            if why and not bad:
                bad = "line %d: %s" % (lines, why)
    ok(lines > 0 and not bad, "%s: %d lines of trials.jsonl" % (what, lines), bad or "no line")


def replay_folders():
    """Real ones, where smoke.t has left any."""
    return [d for d in glob.glob(os.path.join(BUILD, "smoke-replay*"))
            if os.path.exists(os.path.join(d, "replay.json"))]


def check_replay(folder, parts, replay):
    for name, validator in (("parts.json", parts), ("replay.json", replay)):
        with open(os.path.join(folder, name)) as f:
            good = json.load(f)
        why = first_error(validator, good)
        ok(not why, "%s: %s" % (os.path.basename(folder), name), why)
        for key in list(good):
            bad = dict(good)
            del bad[key]
            if not first_error(validator, bad):
                ok(False, "%s without %s is refused" % (name, key))


def main():
    trial, manifest = schema("trial"), schema("manifest")
    schema("reproduce")  # held against real output in reproduce.t
    ok(True, "all schemas are valid draft-07")
    with tempfile.TemporaryDirectory() as tmp:
        run = os.path.join(tmp, "a run")
        subprocess.run([os.path.join(HERE, "synth_run.py"), run, "--light", "--rounds", "2",
                        "--trouble"], check=True)
        check_run(run, "made-up run", trial, manifest)
        with open(os.path.join(run, "trials.jsonl")) as f:
            good = json.loads(f.readline())
        with open(os.path.join(run, "manifest.json")) as f:
            good_manifest = json.load(f)

    # A schema that accepts anything would pass all of the above.
    for what, change in [
            ("a rate as text", lambda r: r.update(rate="fast")),
            ("a negative count", lambda r: r["load"].update(requests=-1)),
            ("no target", lambda r: r.pop("target")),
            ("an unknown failure", lambda r: r.update(status="failed", failure="odd")),
            ("ok with a failure", lambda r: r.update(failure="hung")),
            ("memory without pss", lambda r: r["memory"]["idle"].pop("pss")),
            ("a flag of two words", lambda r: r.update(flags=["a b"])),
    ]:
        bad = copy.deepcopy(good)
        change(bad)
        ok(first_error(trial, bad), "a trial with %s is refused" % what)
    for what, change in [
            ("a foreign format", lambda m: m.update(format="x")),
            ("a newer version", lambda m: m.update(format_version=2)),
            ("an odd state", lambda m: m.update(state="odd")),
            ("no run id", lambda m: m.pop("run_id")),
    ]:
        bad = copy.deepcopy(good_manifest)
        change(bad)
        ok(first_error(manifest, bad), "a manifest with %s is refused" % what)

    parts, replay = schema("parts"), schema("replay")
    ok(True, "the schemas of replays are valid draft-07")
    for folder in replay_folders():
        check_replay(folder, parts, replay)
    real = [d for d in glob.glob(os.path.join(BUILD, "smoke-run*"))
            if os.path.exists(os.path.join(d, "manifest.json"))]
    for folder in real:
        check_run(folder, "real run " + os.path.basename(folder), trial, manifest)
    if not real:
        print("# no real run under %s yet" % BUILD)
    print("1..%d" % count)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
