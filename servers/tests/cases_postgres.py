"""/posts on a real PostgreSQL: killed, stopped, hung; schemas. Every case starts its own servers."""

import os
import signal
import threading
import time

from cases_posts import ask, check_random, document, documents, request
from cases_sqlite import refused
from serverproc import Server, run_once
from tap import Failure, eq, ok
from wire import Client, get, wait_until

CASES = []
REASONS = (
    b"the database failed: nothing was stored",
    b"the connection to the database was lost: the document may or may not be stored",
    b"the database takes no request now: try later",
)


def case(name):
    def register(function):
        CASES.append((name, function))
        return function

    return register


def serve(name, database, *args):
    return Server(name, "--db", database.url, *args)


def end(server):
    server.terminate()
    eq(server.wait(), 0, "exit code")


def answers_again(server):
    """Polls until a request is stored."""

    def stored():
        with Client(server.address) as client:
            return client.ask(request()).status == 200

    ok(wait_until(stored), f"not well again: {server.stderr()}")


@case("a schema for each process: seeded, and gone at the end")
def schema(name, database):
    with serve(name, database) as server:
        eq(len(database.schemas()), 1, "schemas")
        found = ask(server)
        eq([each["id"] for each in found], list(range(101, 1, -1)), "ids")
        for each in found:
            check_random(each)
        rows = database.query(f"SELECT count(*), min(id), max(id) FROM {database.schemas()[0]}.posts")
        eq(rows, ["101|1|101"], "rows")
        with serve(name, database, "--workers", "2") as second:
            eq(len(database.schemas()), 2, "schemas of two")
            eq(ask(second)[0]["id"], 101, "the second one's first id")
            end(second)
        eq(len(database.schemas()), 1, "schemas after the second")
        end(server)
        eq(database.schemas(), [], "schemas at the end")
        eq(server.stderr(), "", "standard error")


@case("what a killed server left is dropped by the next, what a living one has is not")
def leftovers(name, database):
    with serve(name, database) as living, serve(name, database) as killed:
        ask(killed)
        eq(len(database.schemas()), 2, "schemas of two")
        killed.kill()
        # Its sessions end when PostgreSQL notices; the living one has made none but the keeper's.
        ok(wait_until(lambda: len(database.backends()) == 1), f"backends: {database.backends()}")
        with serve(name, database) as third:
            eq(len(database.schemas()), 2, "schemas after the third came")
            eq(ask(living)[0]["id"], 101, "the living one goes on")
            end(third)
        end(living)
    eq(database.schemas(), [], "schemas at the end")


@case("a --db that cannot be: one line, exit code 3")
def bad_url(name, database):
    refused(name, "postgresql://x@127.0.0.1:1/x", "Connection refused")
    refused(name, f"postgresql:///none?host={database.folder}&user=nobody", "does not exist")
    refused(name, f"postgresql:///postgres?host={database.folder}/no", "No such file or directory")
    refused(name, "postgresql://x?nonsense=1", "nonsense")
    for url in ("u:secret@[::1", "u:secret@[]/x", "u:secret@[::1]x/y", "u:se%zzcret@h/x", "u:secret%00@h/x",
                "h/x?password=secret&nonsense=1", "h/x?password=sec=ret"):
        _, _, err = run_once(name, "--listen", "127.0.0.1:0", "--db", f"postgresql://{url}")
        ok(err.count("\n") == 1 and "cret" not in err, f"{url}: a password in {err!r}")
    code, out, _ = run_once(name, "--listen", "127.0.0.1:0", "--db", "postgresql://")
    ok(code in (2, 3) and out == "", f"postgresql://: exit code {code}")


class Load:
    """Clients that send one request after another and count the answers, until told to stop."""

    def __init__(self, server, clients):
        self.server = server
        self.lock = threading.Lock()
        self.statuses = {}
        self.stored = []
        self.failures = []
        self.stopping = False
        self.threads = [threading.Thread(target=self._run, args=(i,)) for i in range(clients)]
        for thread in self.threads:
            thread.start()

    def _run(self, thread):
        try:
            with Client(self.server.address, deadline=30) as client:
                for number in range(1_000_000):
                    if self.stopping:
                        break
                    self._one(client, f"{thread}/{number}")
                ok(client.is_silent(), "an answer too many")
        except Exception as error:  # told by finish
            self.failures.append(error)

    def _one(self, client, author):
        reply = client.ask(request(document(author, "x")))
        with self.lock:
            self.statuses[reply.status] = self.statuses.get(reply.status, 0) + 1
        if reply.status == 200:
            own = [each["id"] for each in documents(reply) if each["author"] == author]
            eq(len(own), 1, f"{author} in its own reply")
            with self.lock:
                self.stored.append((own[0], author))
        else:
            eq((reply.status, reply.get("connection")), (503, "keep-alive"), "reply")
            ok(reply.body in REASONS, f"reason {reply.body!r}")

    def count(self, status):
        with self.lock:
            return self.statuses.get(status, 0)

    def wait_for(self, status, more):
        goal = self.count(status) + more
        if not wait_until(lambda: self.count(status) >= goal or self.failures, 30):
            raise Failure(f"no {more} more replies of {status}: {self.statuses}; {self.server.stderr()}")

    def finish(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()
        if self.failures:
            raise self.failures[0]


def check_rows(database, load, seeds=100):
    """Whatever was answered with 200 is there once; nothing is there that was not asked for."""
    table = f"{database.schemas()[0]}.posts"
    rows = {}
    for line in database.query(f"SELECT id, author FROM {table} WHERE author LIKE '%/%'"):
        number, author = line.split("|")
        ok(author not in rows, f"{author} was stored twice")
        rows[author] = int(number)
    for number, author in load.stored:
        eq(rows.get(author), number, f"id of {author}")
    ok(len(rows) <= len(load.stored) + load.count(503), "documents that nobody sent")
    eq(int(database.query(f"SELECT count(*) FROM {table}")[0]), len(rows) + seeds, "rows")


@case("killed under load: every request has one answer, and all is well when it is back")
def killed(name, database):
    with serve(name, database) as server:
        load = Load(server, 20)
        try:
            load.wait_for(200, 200)
            database.kill()
            load.wait_for(503, 50)
            with Client(server.address) as client:
                eq(client.ask(get("/hello")).status, 200, "hello without a database")
            database.start()
            load.wait_for(200, 200)
        finally:
            load.finish()
        check_rows(database, load)
        eq(server.stderr().count("\n"), 1, f"lines on stderr: {server.stderr()!r}")
        end(server)
    eq(database.schemas(), [], "schemas at the end")


@case("one backend killed with SIGKILL under load (PostgreSQL then restarts them all)")
def backend_killed(name, database):
    with serve(name, database) as server:
        load = Load(server, 20)
        try:
            load.wait_for(200, 100)
            os.kill(database.backends()[-1], signal.SIGKILL)
            load.wait_for(503, 1)
            load.wait_for(200, 200)
        finally:
            load.finish()
        check_rows(database, load)
        end(server)
    eq(database.schemas(), [], "schemas at the end")


@case("one connection ended by the administrator under load: the others go on")
def backend_ended(name, database):
    with serve(name, database, "--workers", "2") as server:
        load = Load(server, 20)
        try:
            for _ in range(5):
                load.wait_for(200, 50)
                database.query(f"SELECT pg_terminate_backend({database.backends()[-1]})")
            load.wait_for(200, 200)
        finally:
            load.finish()
        check_rows(database, load)
        end(server)


@case("stopped and started while nobody asks")
def restarted(name, database):
    with serve(name, database) as server:
        ask(server)
        database.stop()
        database.start()
        answers_again(server)
        eq(server.stderr().count("\n"), 1, f"lines on stderr: {server.stderr()!r}")
        end(server)
    eq(database.schemas(), [], "schemas at the end")


@case("a hung database: the loop goes on, 503 after 5 s, well again afterwards")
def hung(name, database):
    with serve(name, database) as server, Client(server.address) as client:
        ask(server)
        pids = database.backends()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            client.send(request())
            with Client(server.address) as other:
                for _ in range(50):
                    eq(other.ask(get("/hello")).status, 200, "hello meanwhile")
            ok(client.is_silent(), "an answer from a hung database")
            eq(client.recv().status, 503, "status")
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        answers_again(server)
        end(server)


@case("SIGTERM while the database hangs: 503 for what is in flight, and the server ends")
def terminated(name, database):
    with serve(name, database) as server, Client(server.address) as client:
        ask(server)
        pids = database.backends()
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            client.send(request())
            ok(client.is_silent(), "an answer from a hung database")
            server.terminate()
            eq(client.recv().status, 503, "status")
            eq(server.wait(15), 0, "exit code")
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
    # What it could not clean up, the next one does.
    ok(wait_until(lambda: not database.backends()), f"backends: {database.backends()}")
    with serve(name, database) as server:
        eq(len(database.schemas()), 1, "schemas")
        end(server)


@case("SIGTERM while the database is away: the server ends, and the next one cleans up")
def terminated_alone(name, database):
    with serve(name, database) as server:
        ask(server)
        database.kill()
        before = time.monotonic()
        end(server)
        ok(time.monotonic() - before < 15, "the end took long")
        database.start()
    with serve(name, database) as server:
        eq(len(database.schemas()), 1, "schemas")
        end(server)
    eq(database.schemas(), [], "schemas at the end")
