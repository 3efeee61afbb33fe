"""What the Python guests answer: bodies and nothing of HTTP, so that servers differ in how they serve."""

import html
import json
import os
import pathlib
import random
import sqlite3
import string
import time
import zlib

GREETING = b"Hello world!"
PAGE = (pathlib.Path(__file__).parent / "page.html").read_bytes()
LETTERS = string.ascii_letters + string.digits
POSTS = 100
FIBONACCI_MAX, WAIT_MAX_MS, BYTES_MAX = 35, 60_000, 16 * 1024 * 1024


def document():
    return json.dumps({"test": 1, "data": "hello world"}, separators=(",", ":")).encode()


def text(length):
    return "".join(random.choices(LETTERS, k=length))


def concat():
    """10,000 letters, appended one at a time."""
    out = ""
    for _ in range(10_000):
        out += random.choice(LETTERS)
    return out.encode()


def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def number(value, most):
    """A query parameter: decimal digits from 0 to most, else None."""
    good = value is not None and value.isascii() and value.isdigit() and len(value) <= 9
    return int(value) if good and int(value) <= most else None


_bytes = b""


def bytes_of(n):
    """n bytes of one block that grows to what was ever asked for: lines that begin with their offset."""
    global _bytes
    if len(_bytes) < n:
        tail = b" The quick brown fox jumps over the lazy dog, and back.\n"
        _bytes = b"".join(b"%08x" % at + tail for at in range(0, n, 64))
    return _bytes if len(_bytes) == n else _bytes[:n]


def upload(length, crc):
    return json.dumps({"length": length, "crc32": f"{crc:08x}"}, separators=(",", ":")).encode()


crc32 = zlib.crc32


def _made_posts():
    """The same in every process, in no order; some with what must be escaped."""
    made = random.Random(2012)
    endings = {
        7: ' <b>bold</b> & "quoted"',
        32: " <script>alert(\"it's me\");</script>",
        57: " Příliš žluťoučký kůň",
        82: " 1 < 2 && 'a' > 'b'",
    }
    return [
        {
            "id": i + 1,
            "author": "".join(made.choices(LETTERS, k=16)),
            "date": "2012-%02d-%02dT%02d:%02d:%02dZ"
            % tuple(made.randint(*of) for of in ((1, 12), (1, 28), (0, 23), (0, 59), (0, 59))),
            "content": "".join(made.choices(LETTERS, k=160)) + endings.get(i, ""),
        }
        for i in range(POSTS)
    ]


_posts = _made_posts()


def render():
    """A page of 100 posts, sorted and escaped for each request."""
    out = [
        '<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Posts &amp; replies</title></head>\n'
        f"<body>\n<h1>Posts &amp; replies</h1>\n<p>{len(_posts)} posts, newest first</p>\n"
    ]
    for post in sorted(_posts, key=lambda post: (post["date"], post["id"]), reverse=True):
        date = html.escape(post["date"])
        out.append(
            f'<article id="post-{post["id"]}">\n<h2>{html.escape(post["author"])}</h2>\n'
            f'<time datetime="{date}">{date}</time>\n<p>{html.escape(post["content"])}</p>\n</article>\n'
        )
    out.append("</body>\n</html>\n")
    return "".join(out).encode()


class Store:
    """Posts in an SQLite file that the workers of a server share; to be used by one thread."""

    def __init__(self, folder):
        self.db = sqlite3.connect(os.path.join(folder, "posts"), isolation_level=None, timeout=5)
        self.db.execute("PRAGMA journal_mode = WAL")
        self.db.execute("PRAGMA synchronous = NORMAL")
        self.db.execute("BEGIN IMMEDIATE")
        self.db.execute(
            "CREATE TABLE IF NOT EXISTS posts (id INTEGER PRIMARY KEY, author TEXT, date TEXT, content TEXT)"
        )
        if self.db.execute("SELECT count(*) FROM posts").fetchone()[0] == 0:
            self.db.executemany(
                "INSERT INTO posts (author, date, content) VALUES (?, ?, ?)",
                [self._made() for _ in range(POSTS)],
            )
        self.db.execute("COMMIT")

    @staticmethod
    def _made():
        now = time.time()
        date = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(now)) + f".{int(now * 1000) % 1000:03d}Z"
        return text(16), date, text(160)

    def post(self):
        """Stores a random document; the newest 100 as JSON."""
        self.db.execute("BEGIN IMMEDIATE")
        try:
            self.db.execute("INSERT INTO posts (author, date, content) VALUES (?, ?, ?)", self._made())
            rows = self.db.execute(
                "SELECT id, author, date, content FROM posts ORDER BY id DESC LIMIT ?", (POSTS,)
            ).fetchall()
        except sqlite3.Error:
            self.db.execute("ROLLBACK")
            raise
        self.db.execute("COMMIT")
        names = ("id", "author", "date", "content")
        return json.dumps([dict(zip(names, row)) for row in rows], separators=(",", ":")).encode()
