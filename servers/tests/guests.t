#!/usr/bin/python3
"""The guests (servers/guests): each by its own target.ini, over raw sockets, where its runtime is installed.

GUESTS="nginx node" in the environment limits the run.
"""

import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_guests as cases  # noqa: E402
import guestimage  # noqa: E402
from guestproc import GUESTS, KEYS, Running, guests, log_file  # noqa: E402
from serverproc import BUILD, Server  # noqa: E402
from tap import Tap, eq, ok  # noqa: E402


def check_description(guest, readme):
    eq(guest.sections, [f"target {guest.name}"], "sections")
    eq(sorted(set(guest.say) - KEYS), [], "keys unknown to this test")
    for key in ("about", "workloads", "probe", "version", "image"):
        ok(guest.say.get(key), f"{key} is missing")
    for placeholder in ("{host}", "{port}", "{workers}"):
        ok(placeholder in guest.say["command"], f"no {placeholder} in the command")
    ok("{log}" in guest.say.get("log-options", ""), "no {log} in log-options")
    eq(sorted(set(guest.workloads) - set(cases.REQUESTS)), [], "unknown workloads")
    eq(guest.say["image"], f"loopbench-guest-{guest.name}", "image")
    ok(f"| `{guest.name}` |" in readme, "no row in the README")
    ok(guest.say["about"] in readme, "the README says something else about who would use it")


def check_sources():
    """What can be said of a source without running it."""
    for path in sorted(GUESTS.rglob("*.py")):
        compile(path.read_text(encoding="utf-8"), str(path), "exec")
    for path in sorted(GUESTS.rglob("start")):
        subprocess.run(["sh", "-n", str(path)], check=True)
    for path in sorted(GUESTS.rglob("*.js")) if shutil.which("node") else ():
        subprocess.run(["node", "--check", str(path)], check=True)


# Two workers; a second signal comes just when the first of them was reaped.
SUPERVISED = """
import argparse, os, signal, sys
sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
import workers
def and_a_signal(wait):
    def waited(*args):
        done = wait(*args)
        signal.raise_signal(signal.SIGTERM)
        return done
    return waited
def serve(folder):
    for signum in workers.STOP:
        signal.signal(signum, signal.SIG_DFL)
    workers.ready()
    os.kill(os.getppid(), signal.SIGTERM)
    signal.pause()
os.wait, os.waitpid = and_a_signal(os.wait), and_a_signal(os.waitpid)
sys.exit(workers.run(argparse.Namespace(workers=2), serve))
"""


def check_supervisor():
    done = subprocess.run([sys.executable, "-c", SUPERVISED, str(GUESTS / "shared")], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=30, check=False)
    eq((done.returncode, done.stderr), (0, ""), "status and errors")


def files():
    return sorted(str(path) for path in GUESTS.rglob("*"))


def run_guest(tap, guest, reference):
    name = guest.name
    tap.run(f"{name}: tells its version", lambda: ok(guest.ask("version")[1], "nothing"))
    with Running(guest) as one:
        few = cases.threads(one)
        for workload in guest.workloads:
            tap.run(f"{name}: {workload}", cases.check_workload, one, workload, reference)
        tap.run(f"{name}: HEAD", cases.check_head, one)
        tap.run(f"{name}: another path", cases.check_missing, one)
        tap.run(f"{name}: bad parameters", cases.check_bad_parameter, one, guest)
        tap.run(f"{name}: bad requests", cases.check_garbage, one)
        with Running(guest, workers=3, backlog=99) as three:
            if "{backlog}" in guest.say["command"]:
                tap.run(f"{name}: backlog", cases.check_backlog, three, 99)
            tap.run(f"{name}: workers", cases.check_workers, few, three)
            tap.run(f"{name}: workers end together", cases.check_stop_together, three)
        log, path = log_file()
        with log, Running(guest, workers=2, log=path) as two:
            tap.run(f"{name}: access log", cases.check_log, two, log)
        tap.run(f"{name}: ends and leaves nothing", cases.check_stop, one)
    tap.run(f"{name}: port taken", cases.check_port_taken, guest)


def try_guest(tap, guest, reference):
    """A guest that does not start fails, and the next is tried."""
    try:
        run_guest(tap, guest, reference)
    except RuntimeError as error:
        tap.run(f"{guest.name}: starts", ok, False, str(error))


def main():
    tap = Tap()
    chosen = os.environ.get("GUESTS", "").split()
    readme = (GUESTS / "README.md").read_text(encoding="utf-8")
    before = files()
    with Server("libuv") as server:
        reference = cases.reference_bodies(server)
    tap.run("the page is the one of our servers",
            lambda: eq((GUESTS / "shared" / "page.html").read_bytes(), reference["html"], "page"))
    tap.run("sources", check_sources)
    tap.run("Python workers: a signal may come when one has just ended", check_supervisor)
    for guest in guests():
        if chosen and guest.name not in chosen:
            continue
        tap.run(f"{guest.name}: target.ini", check_description, guest, readme)
        # Only what is compiled here differs under a sanitizer.
        if os.path.basename(BUILD) == "asan" and "{servers}" not in guest.say["command"]:
            tap.skip(guest.name, "not compiled here: tested without the sanitizer")
            continue
        if guest.ask("probe")[0] != 0:
            tap.skip(guest.name, f"not installed: {guest.say.get('package', 'see its README')}")
        else:
            try_guest(tap, guest, reference)
        why = guestimage.why_not(guest.say["image"])
        if why:
            tap.skip(f"{guest.name}: image", why)
        else:
            tap.run(f"{guest.name}: image", guestimage.check_image, guest)
    tap.run("no file was made in the folder of guests", lambda: eq(files(), before, "files"))
    return tap.finish()


sys.exit(main())
