"""A guest of the tests, which misbehaves as it is told, and a box that holds such guests."""
import os

from command import FAKE_WRK, Box

# One file and one section: all that a guest takes. What it does besides serving is its first word.
SERVER = r'''
import os, signal, socket, sys, threading, time
HOW, HOST, PORT, STATE = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
REPLIES = {"/": ("text/plain", b"Hello world!"),
           "/api": ("application/json", b'{ "test": 1, "data": "hello world" }')}

def note(name):
    with open(os.path.join(STATE, name), "a") as f:
        f.write("%d\n" % os.getpid())

def reply(conn, path):
    kind, body = REPLIES.get(path, ("text/plain", b"no"))
    status = b"200 OK" if path in REPLIES else b"404 Not Found"
    conn.sendall(b"HTTP/1.1 %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
                 % (status, kind.encode(), len(body), body))

def talk(conn):
    buf = b""
    while True:
        data = conn.recv(65536)
        if not data:
            return
        buf += data
        while b"\r\n\r\n" in buf:
            head, _, buf = buf.partition(b"\r\n\r\n")
            if HOW == "prints":
                os.write(1, b"x" * 70000 + b"\n")
            reply(conn, head.split()[1].decode())
            if HOW == "drops":
                conn.close()
                return

def serve(listener):
    while True:
        conn, _ = listener.accept()
        threading.Thread(target=talk, args=(conn,), daemon=True).start()

def fork(f):
    pid = os.fork()
    if pid == 0:
        try:
            f()
        finally:
            os._exit(0)
    return pid

def sleep():
    time.sleep(600)

def deaf():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.setsid()
    note("deaf")
    time.sleep(600)

def burn():
    end = time.process_time() + 0.4
    while time.process_time() < end:
        pass

def double():
    os.setsid()
    fork(lambda: (note("orphan"), time.sleep(600)))

listener = socket.create_server((HOST, PORT), backlog=128)
note("main")
if HOW == "daemon":
    if os.fork():
        os._exit(0)
    os.setsid()
    if os.fork():
        os._exit(0)
    note("daemon")
elif HOW == "workers":
    for _ in range(2):
        fork(lambda: (note("worker"), serve(listener)))
elif HOW == "leaks":
    fork(double)
    fork(deaf)
elif HOW == "deaf":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif HOW == "crash":
    fork(double)
    def later():
        while not os.path.exists(os.path.join(STATE, "crash")):
            time.sleep(0.01)
        os.kill(os.getpid(), signal.SIGSEGV)
    threading.Thread(target=later, daemon=True).start()
elif HOW == "burns":
    def keep():
        while True:
            os.waitpid(fork(burn), 0)
            note("burnt")
    threading.Thread(target=keep, daemon=True).start()
elif HOW == "grows":
    blocks = []
    def more():
        while True:
            blocks.append(bytearray(os.urandom(1 << 16)))
            time.sleep(0.01)
    threading.Thread(target=more, daemon=True).start()
serve(listener)
'''

SECTION = """[target %(name)s]
command = /usr/bin/python3 -IS {dir}/server.py %(how)s {host} {port} %(state)s
ready = /
cwd = {dir}
workloads = hello,json
paths = hello=/ json=/api
probe = /usr/bin/python3 --version
version = /usr/bin/python3 --version
package = python3-minimal
about = whoever tests that a folder is enough
stop-grace = %(grace)s
"""


def text_of(path):
    with open(path, encoding="ascii") as f:
        return f.read()


class Guests(Box):
    """A box with a folder of guests."""

    def __init__(self, **env):
        super().__init__(**env)
        self.guests = self.at("guests")
        self.state = self.at("state")
        os.mkdir(self.guests)
        os.mkdir(self.state)

    def guest(self, name, how="serve", grace="2s", section=SECTION):
        os.mkdir(os.path.join(self.guests, name))
        self.write("guests/%s/server.py" % name, SERVER)
        self.write("guests/%s/target.ini" % name,
                   section % {"name": name, "how": how, "state": self.state, "grace": grace})

    def go(self, *args, **options):
        """A run of one trial a target, by the fake generator."""
        settings = {"connections": "8", "rounds": "1", "warmup": "0s", "duration": "1s",
                    "wrk": FAKE_WRK, "repeat-blocks": "0", "out": self.at("out")}
        settings.update(options)
        words = [w for k, v in settings.items() for w in ("--" + k, v)]
        return self.start("run", "--guests", self.guests, "--no-null-server", "--no-aa-control",
                          "--quiet", *words, *args)

    def measure(self, *args, **options):
        result = self.finish(self.go(*args, **options))
        self.nothing_left(str(result))
        return result

    def noted(self, name):
        path = os.path.join(self.state, name)
        if not os.path.exists(path):
            return []
        with open(path, encoding="ascii") as f:
            return f.read().split()
