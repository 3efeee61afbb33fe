"""Runs that were made up, as folders: what synth_run.py writes, placed like the results of runs."""
import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ID = "202602%02d-120000-%04x"


def made(box, day=1, name=None, folder="results", **options):
    """A run begun on that day of February; options as synth_run.py's. Returns its path."""
    run_id = ID % (day, day)
    path = box.at(folder, name or run_id)
    words = [os.path.join(HERE, "synth_run.py"), path, "--light", "--id", run_id,
             "--started", "2026-02-%02dT12:00:00.000Z" % day]
    options.setdefault("workloads", "hello")
    options.setdefault("levels", "10,100")
    options.setdefault("seed", day)
    for key, value in options.items():
        word = "--" + key.replace("_", "-")
        if isinstance(value, list):
            for one in value:
                words += [word, one]
        else:
            words += [word] if value is True else [word, str(value)]
    subprocess.run(words, check=True)
    return path


def disturb(path, target, *levels):
    """Every trial of that target at these levels was disturbed, so that none of them counts."""
    file = os.path.join(path, "trials.jsonl")
    with open(file, encoding="utf-8") as f:
        trials = [json.loads(line) for line in f]
    for t in trials:
        if t["target"] == target and t["connections"] in levels:
            t["flags"] = ["foreign-cpu-invalid"]
    with open(file, "w", encoding="utf-8") as f:
        f.writelines(json.dumps(t) + "\n" for t in trials)


def judged_in_one(box, day, **options):
    """A run of three cells in one of which alone the A/A control could be judged."""
    path = made(box, day, rounds=6, levels="8,16,32", **options)
    disturb(path, "libevent-again", 8, 32)
    return path


def latest(box, path):
    os.symlink(os.path.basename(path), box.at("results", "latest"))
