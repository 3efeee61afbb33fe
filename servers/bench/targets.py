"""Starts what is measured: the servers of this tree, and nginx as a yardstick."""

import json
import os
import resource
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

START_DEADLINE = 10.0

# The same header set, as near as nginx can: its own Server value, its own order.
NGINX_CONFIG = """
daemon off;
worker_processes 1;
pid {prefix}/nginx.pid;
error_log stderr error;
worker_rlimit_nofile 20000;
events {{ worker_connections 16384; }}
http {{
    access_log off;
    server_tokens off;
    default_type text/plain;
    keepalive_requests 1000000000;
    keepalive_timeout 75s;
    client_body_temp_path {prefix}/body;
    proxy_temp_path {prefix}/proxy;
    fastcgi_temp_path {prefix}/fastcgi;
    uwsgi_temp_path {prefix}/uwsgi;
    scgi_temp_path {prefix}/scgi;
    server {{
        listen 127.0.0.1:{port};
        location = /hello {{ return 200 "Hello world!"; }}
    }}
}}
"""


class Target:
    """A running server, pinned to one CPU. arguments: options of ours; files: the file limit."""

    def __init__(self, name, cpu, env=None, arguments=(), files=None):
        self.name = name
        self.prefix = None
        if name == "nginx":
            self.prefix = tempfile.mkdtemp(prefix="bench-nginx-")
            self.port = free_port()
            config = os.path.join(self.prefix, "nginx.conf")
            with open(config, "w", encoding="ascii") as file:
                file.write(NGINX_CONFIG.format(prefix=self.prefix, port=self.port))
            command = [nginx_binary(), "-p", self.prefix, "-c", config]
        else:
            command = [server_binary(name), "--listen", "127.0.0.1:0", *arguments]

        def prepare():
            os.sched_setaffinity(0, {cpu})
            if files is not None:
                resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))

        self.process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if name == "nginx" else None,
            env={**os.environ, **(env or {})},
            preexec_fn=prepare,
        )
        if name != "nginx":
            self.port = self._read_port()
        self._wait_ready()

    def _read_port(self):
        if not select.select([self.process.stdout], [], [], START_DEADLINE)[0]:
            self.stop()
            raise RuntimeError(f"{self.name}: no ready line within {START_DEADLINE} s")
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.name}: exit {self.process.wait()} at start")
        return int(json.loads(line)["listening"].rsplit(":", 1)[1])

    def _wait_ready(self):
        """Ready means that a real request was answered."""
        end = time.monotonic() + START_DEADLINE
        while True:
            try:
                with self.connect() as client:
                    ask(client)
                    return
            except OSError as error:
                if time.monotonic() > end or self.process.poll() is not None:
                    self.stop()
                    raise RuntimeError(f"{self.name}: does not answer: {error}") from error
                time.sleep(0.01)

    def connect(self):
        client = socket.create_connection(("127.0.0.1", self.port), timeout=START_DEADLINE)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return client

    def requests(self):
        """What a server of ours has answered so far."""
        try:
            with self.connect() as client:
                client.sendall(b"GET /stats HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")
                with client.makefile("rb") as reply:
                    return json.loads(reply.read().partition(b"\r\n\r\n")[2])["requests"]
        except OSError as error:
            raise RuntimeError(f"{self.name}: does not answer /stats: {error}") from error

    def pids(self):
        """The process and its children (nginx: master and worker)."""
        pids = [self.process.pid]
        with open(f"/proc/{pids[0]}/task/{pids[0]}/children", encoding="ascii") as file:
            pids.extend(int(pid) for pid in file.read().split())
        return pids

    def cpu_ns(self):
        """CPU time of all threads so far, by the scheduler's own clock."""
        return sum(cpu_ns(pid) for pid in self.pids())

    def rss_bytes(self):
        """Resident memory, counted page by page (statm may lag behind)."""
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as file:
                for line in file:
                    if line.startswith("Rss:"):
                        total += int(line.split()[1]) * 1024
        return total

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        code = self.process.wait()
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
        if self.prefix:
            shutil.rmtree(self.prefix, ignore_errors=True)
        return code


def cpu_ns(pid):
    """CPU time of all threads of a process so far, by the scheduler's own clock."""
    total = 0
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat", encoding="ascii") as file:
            total += int(file.read().split()[0])
    return total


def server_binary(name):
    return os.path.join(os.environ.get("BUILD", "build"), "bin", f"server-{name}")


def nginx_binary():
    return shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


REQUEST = b"GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"


def ask(client, request=REQUEST):
    """One request, one reply of the known body."""
    client.sendall(request)
    reply = b""
    while not reply.endswith(b"Hello world!"):
        chunk = client.recv(4096)
        if not chunk:
            raise OSError(f"closed after {reply!r}")
        reply += chunk
    return reply
