#!/usr/bin/python3
"""/posts on SQLite and on a real PostgreSQL that this test starts, kills and starts again.

SERVERS="libuv h2o" in the environment limits the run.
"""

import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import cases_posts  # noqa: E402
import cases_postgres  # noqa: E402
import cases_sqlite  # noqa: E402
import postgres  # noqa: E402
from serverproc import Server  # noqa: E402
from tap import Tap, eq, ok  # noqa: E402


def run_common(tap, name, store, *args):
    """What must hold with any database; gives the raw refusals, to be compared."""
    with Server(name, *args) as server:
        for title, function in cases_posts.CASES:
            tap.run(f"{name}, {store}: {title}", function, server)
        refusals = cases_posts.bad_replies(server)
        tap.run(f"{name}, {store}: says nothing", lambda: eq(server.stderr(), "", "standard error"))
        server.terminate()
        tap.run(f"{name}, {store}: ends with 0", lambda: eq(server.wait(), 0, "exit code"))
    return refusals


def run_own(tap, name, cases, *args):
    """The cases of one kind of database."""
    for title, function in cases:
        try:
            tap.run(f"{name}: {title}", function, name, *args)
        except cases_sqlite.Skip as reason:
            tap.skip(f"{name}: {title}", str(reason))


def check_same(refusals):
    names = list(refusals)
    for other in names[1:]:
        for (body, _), mine, first in zip(cases_posts.BAD, refusals[other], refusals[names[0]]):
            eq(mine, first, f"{other} to {body[:50]!r}, compared with {names[0]}")
    ok(len(names) > 1, "only one to compare")


def main():
    names = os.environ.get("SERVERS", "libevent libuv h2o").split()
    tap = Tap()
    refusals = {}
    for name in names:
        refusals[f"{name} on SQLite"] = run_common(tap, name, "SQLite")
        run_own(tap, name, cases_sqlite.CASES)
    if postgres.find_programs() is None:
        tap.skip("PostgreSQL", "it is not installed: make deps-dev")
    else:
        with postgres.Postgres() as database:
            for name in names:
                refusals[f"{name} on PostgreSQL"] = run_common(tap, name, "PostgreSQL", "--db", database.url)
                run_own(tap, name, cases_postgres.CASES, database)
    tap.run("the same refusals everywhere", check_same, refusals)
    return tap.finish()


sys.exit(main())
