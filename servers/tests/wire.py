"""A raw HTTP/1 client: sends bytes as given, keeps the bytes it got."""

import re
import socket
import struct
import time

# Seconds; only reached when something is broken, however slow the machine is. Less than what the servers
# wait by default, and than a wait that a test asks for and does not mean to see the end of.
DEADLINE = 40.0


class Closed(Exception):
    """The server closed the connection before a whole reply had come."""


class Reply:
    """One reply: its raw bytes and their parts."""

    def __init__(self, head, body):
        self.raw = head + body
        self.body = body
        lines = head[:-4].decode("latin-1").split("\r\n")
        self.status_line = lines[0]
        self.status = int(lines[0].split(" ")[1])
        self.headers = [tuple(line.split(": ", 1)) for line in lines[1:]]

    def get(self, name):
        """Value of the first header of that name, in any letter case; None when there is none."""
        for key, value in self.headers:
            if key.lower() == name.lower():
                return value
        return None

    def dateless(self):
        """The raw bytes with Date's value replaced: what must be the same on every server."""
        return re.sub(rb"\r\nDate: [^\r]*\r\n", b"\r\nDate: *\r\n", self.raw, count=1)


class Client:
    """One connection; every wait is bounded by a deadline."""

    def __init__(self, address, deadline=DEADLINE, rcvbuf=None):
        family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        self.sock = socket.socket(family, socket.SOCK_STREAM)
        if rcvbuf:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, rcvbuf)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.deadline = deadline
        self.sock.settimeout(deadline)
        self.sock.connect(address)
        self.buffer = b""

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def close(self):
        self.sock.close()

    def abort(self):
        """Close with RST instead of FIN."""
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def send(self, data):
        self.sock.sendall(data)

    def try_send(self, data):
        """Send what the peer takes; a peer that has closed meanwhile is no error."""
        try:
            self.sock.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass

    def _fill(self):
        chunk = self.sock.recv(65536)
        if not chunk:
            raise Closed(f"closed after {self.buffer[:200]!r}")
        self.buffer += chunk

    def recv(self, head_only=False):
        """The next reply. head_only: the reply to HEAD, which has no body whatever its length says."""
        while b"\r\n\r\n" not in self.buffer:
            self._fill()
        end = self.buffer.index(b"\r\n\r\n") + 4
        head = self.buffer[:end]
        match = re.search(rb"\r\ncontent-length: *(\d+)\r\n", head, re.IGNORECASE)
        length = int(match.group(1)) if match and not head_only else 0
        if head.startswith(b"HTTP/1.1 100 "):
            length = 0
        while len(self.buffer) < end + length:
            self._fill()
        body = self.buffer[end : end + length]
        self.buffer = self.buffer[end + length :]
        return Reply(head, body)

    def ask(self, data, head_only=False):
        self.send(data)
        return self.recv(head_only)

    def read_to_end(self):
        """Everything until the server closes; a reset counts as an end."""
        data, self.buffer = self.buffer, b""
        try:
            while chunk := self.sock.recv(65536):
                data += chunk
        except ConnectionResetError:
            pass
        return data

    def is_silent(self, seconds=0.05):
        """True when nothing comes, and nothing is closed, for so long."""
        if self.buffer:
            return False
        self.sock.settimeout(seconds)
        try:
            self.sock.recv(1, socket.MSG_PEEK)
            return False
        except TimeoutError:
            return True
        finally:
            self.sock.settimeout(self.deadline)


def get(path="/hello", *headers, method="GET", version="1.1", host="x"):
    """Bytes of a request without a body."""
    lines = [f"{method} {path} HTTP/{version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    lines.extend(headers)
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def chunked(*parts, extension="", trailer=""):
    """A chunked body of the given parts."""
    out = b""
    for part in parts:
        out += f"{len(part):x}{extension}\r\n".encode() + part + b"\r\n"
    return out + b"0\r\n" + trailer.encode() + b"\r\n"


def wait_until(condition, seconds=DEADLINE, step=0.01):
    """Poll until condition() is true; False when the deadline passed."""
    end = time.monotonic() + seconds
    while True:
        if condition():
            return True
        if time.monotonic() > end:
            return False
        time.sleep(step)
