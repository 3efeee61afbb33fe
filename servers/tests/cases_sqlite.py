"""/posts on SQLite: the file, its locks, a full disk. Every case starts its own servers."""

import contextlib
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile

from cases_posts import ask, check_random, document, documents, hammer, request
from serverproc import Server, run_once
from tap import Failure, eq, ok
from wire import Client, get, wait_until

CASES = []


class Skip(Exception):
    """The case cannot run here."""


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


@contextlib.contextmanager
def folder():
    path = tempfile.mkdtemp(prefix="loopbench-test-")
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def in_folder(path, **limits):
    """Run in the child: temporary files go there; a file may grow to limits['size'] only."""

    def prepare():
        os.environ["TMPDIR"] = path
        if "size" in limits:
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (limits["size"], limits["size"]))

    return prepare


def serve(name, *args, tmp=None, **limits):
    """A server whose TMPDIR is `tmp`."""
    saved = os.environ.get("TMPDIR")
    try:
        if tmp:
            os.environ["TMPDIR"] = tmp  # what the child inherits
        return Server(name, *args, preexec=in_folder(tmp, **limits) if tmp and limits else None)
    finally:
        if saved is None:
            os.environ.pop("TMPDIR", None)
        else:
            os.environ["TMPDIR"] = saved


def end(server):
    server.terminate()
    eq(server.wait(), 0, "exit code")


@case("the temporary file: made at the first request, gone at the end")
def temporary(name):
    with folder() as tmp, serve(name, tmp=tmp) as server:
        with Client(server.address) as client:
            eq(client.ask(get("/hello")).status, 200, "hello")
        eq(os.listdir(tmp), [], "before the first request")
        found = ask(server)
        eq([each["id"] for each in found], list(range(101, 1, -1)), "ids")
        for each in found:
            check_random(each)
        eq(len(os.listdir(tmp)), 1, "folders in use")
        end(server)
        eq(os.listdir(tmp), [], "at the end")
        eq(server.stderr(), "", "standard error")


@case("what a killed server left is removed by the next, what a living one has is not")
def leftovers(name):
    with folder() as tmp, serve(name, tmp=tmp) as living, serve(name, tmp=tmp) as killed:
        ask(living)
        ask(killed)
        eq(len(os.listdir(tmp)), 2, "folders of two")
        killed.kill()
        with serve(name, tmp=tmp) as third:
            ask(third)
            eq(len(os.listdir(tmp)), 2, "folders after the third came")
            eq(ask(living)[0]["id"], 102, "the living one goes on")
            end(third)
        end(living)
        eq(os.listdir(tmp), [], "at the end")


@case("--db sqlite:PATH: afresh for every process, kept at the end")
def named(name):
    with folder() as tmp:
        path = os.path.join(tmp, "a file.db")
        for _ in range(2):
            with Server(name, "--db", f"sqlite:{path}") as server:
                eq(ask(server)[0]["id"], 101, "the first id")
                eq(ask(server)[0]["id"], 102, "the second id")
                end(server)
        with contextlib.closing(sqlite3.connect(path)) as db:
            eq(db.execute("SELECT count(*) FROM posts").fetchone()[0], 102, "rows")
        eq(os.listdir(tmp), ["a file.db"], "files")


def refused(name, url, words, code=3):
    got, out, err = run_once(name, "--listen", "127.0.0.1:0", "--db", url)
    eq((got, out), (code, ""), f"{url}: exit code and stdout ({err!r})")
    eq(err.count("\n"), 1, f"{url}: lines on stderr: {err!r}")
    ok(err.startswith(f"server-{name}: --db") and words in err, f"{url}: {err!r} without {words!r}")


@case("a --db that cannot be: one line, exit code 2 or 3")
def bad_url(name):
    with folder() as tmp:
        foreign = os.path.join(tmp, "foreign.db")
        with contextlib.closing(sqlite3.connect(foreign)) as db:
            db.execute("CREATE TABLE precious (a)")
            db.commit()
        text = os.path.join(tmp, "text")
        with open(text, "w", encoding="ascii") as file:
            file.write("not a database, but long enough to be looked at: " * 20)
        for url in ("mysql://x", "sqlite:", "sqlite", "", "x"):
            refused(name, url, "sqlite:PATH or postgresql://", 2)
        refused(name, f"sqlite:{tmp}/no/such/folder", "No such file or directory")
        refused(name, f"sqlite:{tmp}", "name a file that can be written")
        refused(name, f"sqlite:{foreign}", "name another file")
        refused(name, f"sqlite:{text}", "not a database")
        with contextlib.closing(sqlite3.connect(foreign)) as db:
            eq(db.execute("SELECT count(*) FROM precious").fetchone()[0], 0, "what was in it")
        path = os.path.join(tmp, "used.db")
        with Server(name, "--db", f"sqlite:{path}") as server:
            refused(name, f"sqlite:{path}", "in use by another server")
            eq(ask(server)[0]["id"], 101, "the first server goes on")


@contextlib.contextmanager
def locked(path):
    """Holds SQLite's write lock."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN IMMEDIATE")
        yield
        db.execute("ROLLBACK")


@case("the loop goes on while another process holds the lock; then all are answered")
def not_blocked(name):
    with folder() as tmp:
        path = os.path.join(tmp, "posts.db")
        with Server(name, "--db", f"sqlite:{path}") as server, Client(server.address) as other:
            ask(server)
            waiting = [Client(server.address) for _ in range(10)]
            with locked(path):
                for client in waiting:
                    client.send(request())
                for _ in range(50):
                    eq(other.ask(get("/hello")).status, 200, "hello meanwhile")
                ok(all(client.is_silent(0.01) for client in waiting), "an answer while the lock is held")
            firsts = sorted(documents(client.recv())[0]["id"] for client in waiting)
            eq(firsts, list(range(102, 112)), "their ids")
            eq(server.stderr(), "", "standard error")


@case("a lock held too long is answered with 503")
def lock_too_long(name):
    with folder() as tmp:
        path = os.path.join(tmp, "posts.db")
        with Server(name, "--db", f"sqlite:{path}") as server, Client(server.address) as client:
            with locked(path):
                reply = client.ask(request())
                eq((reply.status, reply.get("connection")), (503, "keep-alive"), "reply")
                eq(reply.body, b"the database failed: nothing was stored", "reason")
            eq(documents(client.ask(request()))[0]["id"], 101, "afterwards")
            eq(server.stderr(), f"server-{name}: /posts: database is locked\n", "standard error")


@case("SIGTERM while requests wait for the database: they are answered first")
def terminated(name):
    with folder() as tmp:
        path = os.path.join(tmp, "posts.db")
        with Server(name, "--db", f"sqlite:{path}") as server, Client(server.address) as client:
            ask(server)
            with locked(path):
                client.send(request())
                ok(client.is_silent(), "answered at once")
                server.terminate()
                ok(client.is_silent(), "answered or closed by SIGTERM")
            reply = client.recv()
            eq((reply.status, reply.get("connection")), (200, "close"), "reply")
            eq(client.read_to_end(), b"", "after it")
            eq(server.wait(), 0, "exit code")


@case("SIGTERM while a lock is held on and on: the server ends all the same")
def terminated_locked(name):
    with folder() as tmp:
        path = os.path.join(tmp, "posts.db")
        with Server(name, "--db", f"sqlite:{path}") as server, Client(server.address) as client:
            with locked(path):
                client.send(request())
                ok(client.is_silent(), "answered at once")
                server.terminate()
                eq(server.wait(15), 0, "exit code")


@case("a full disk: 503, alive, and well again when there is room")
def full_disk(name):
    if os.geteuid() != 0:
        raise Skip("mounting a small file system needs root")
    with folder() as tmp:
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", tmp], check=False, capture_output=True)
        if mount.returncode != 0:
            raise Skip("a small file system cannot be mounted here")
        try:
            fill_up(name, tmp)
        finally:
            subprocess.run(["umount", "-l", tmp], check=True)


def fill_up(name, tmp):
    filler = os.path.join(tmp, "filler")
    with serve(name, tmp=tmp) as server, Client(server.address) as client:
        eq(documents(client.ask(request()))[0]["id"], 101, "while there is room")
        with open(filler, "wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"x" * 4096)
        statuses = set()
        for _ in range(200):
            reply = client.ask(request())
            statuses.add(reply.status)
            eq(reply.get("connection"), "keep-alive", "Connection")
            ok(reply.status in (200, 503), f"status {reply.status}")
            eq(client.ask(get("/hello")).status, 200, "hello")
        ok(503 in statuses, "the disk was never full")
        os.unlink(filler)
        eq(documents(client.ask(request())) != [], True, "with room again")
        eq(server.stderr(), f"server-{name}: /posts: database or disk is full\n", "standard error")
        end(server)


@case("a file that cannot grow: 503, alive")
def file_limit(name):
    with folder() as tmp, serve(name, tmp=tmp, size=200_000) as server, Client(server.address) as client:
        large = request(document("a", "x" * 4000))
        statuses = [client.ask(large).status for _ in range(100)]
        eq(statuses[0], 200, "the first")
        eq(set(statuses), {200, 503}, "statuses")
        eq(statuses[-1], 503, "the last")
        eq(client.ask(get("/hello")).status, 200, "hello")
        eq(set(server.stderr().splitlines()), {f"server-{name}: /posts: disk I/O error"}, "standard error")
        end(server)


@case("no place for the temporary file: 503, said once")
def no_place(name):
    with folder() as tmp:
        gone = os.path.join(tmp, "gone")
        with serve(name, tmp=gone) as server, Client(server.address) as client:
            for _ in range(3):
                eq(client.ask(request()).status, 503, "posts")
                eq(client.ask(get("/hello")).status, 200, "hello")
            eq(server.stderr(), f"server-{name}: /posts: no temporary file in {gone}: "
                                "No such file or directory: set TMPDIR\n", "standard error")
            os.mkdir(gone)
            eq(documents(client.ask(request()))[0]["id"], 101, "once there is one")
            end(server)


@case("two workers share the store")
def two_workers(name):
    with folder() as tmp, serve(name, "--workers", "2", tmp=tmp) as server:
        before = ask(server)[0]["id"]
        hammer(server, 20, 10, lambda client, thread, number: documents(client.ask(request())))
        eq(ask(server)[0]["id"], before + 201, "the next id")
        if not wait_until(lambda: len(os.listdir(tmp)) == 1):
            raise Failure(f"files: {os.listdir(tmp)}")
        end(server)
        eq(os.listdir(tmp), [], "at the end")
