"""gevent's pywsgi: one greenlet a connection, one process a worker."""

import os
import socket
import sys
from urllib.parse import parse_qs

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shared"))

import gevent  # noqa: E402
from gevent.pywsgi import WSGIServer  # noqa: E402
from gevent.threadpool import ThreadPool  # noqa: E402

import work  # noqa: E402
import workers  # noqa: E402

TEXT, HTML = "text/plain", "text/html; charset=utf-8"
JSON, BYTES = "application/json", "application/octet-stream"


class Application:
    """WSGI: one method a path."""

    def __init__(self, folder):
        self.folder = folder
        self.thread = None  # SQLite waits for the disk, so it waits in a thread of gevent's pool
        self.store = None
        self.routes = {
            ("GET", "/"): self.hello,
            ("GET", "/hello"): self.hello,
            ("GET", "/json"): lambda _: (JSON, work.document()),
            ("GET", "/html"): lambda _: (HTML, work.PAGE),
            ("GET", "/concat"): lambda _: (TEXT, work.concat()),
            ("GET", "/render"): lambda _: (HTML, work.render()),
            ("GET", "/fibonacci"): self.fibonacci,
            ("GET", "/wait"): self.wait,
            ("GET", "/bytes"): self.bytes,
            ("POST", "/upload"): self.upload,
            ("POST", "/posts"): self.posts,
        }

    def __call__(self, environ, start_response):
        method = environ["REQUEST_METHOD"]
        path = environ["PATH_INFO"]
        route = self.routes.get(("GET" if method == "HEAD" else method, path))
        answer = route(environ) if route else None
        status = "200 OK"
        if answer is None:
            known = route or any(of == path for _, of in self.routes)
            status = "400 Bad Request" if route else "405 Method Not Allowed" if known else "404 Not Found"
            answer = TEXT, status.encode()
        kind, body = answer
        start_response(status, [("Content-Type", kind), ("Content-Length", str(len(body)))])
        return [] if method == "HEAD" else [body]

    @staticmethod
    def hello(_environ):
        return TEXT, work.GREETING

    @staticmethod
    def parameter(environ, name, most):
        values = parse_qs(environ["QUERY_STRING"]).get(name, [])
        return work.number(values[0], most) if len(values) == 1 else None

    def fibonacci(self, environ):
        n = self.parameter(environ, "n", work.FIBONACCI_MAX)
        return None if n is None else (TEXT, str(work.fibonacci(n)).encode())

    def wait(self, environ):
        ms = self.parameter(environ, "ms", work.WAIT_MAX_MS)
        if ms is None:
            return None
        gevent.sleep(ms / 1000)
        return TEXT, b"OK"

    def bytes(self, environ):
        n = self.parameter(environ, "n", work.BYTES_MAX)
        return None if n is None else (BYTES, work.bytes_of(n))

    @staticmethod
    def upload(environ):
        length = crc = 0
        while chunk := environ["wsgi.input"].read(65536):
            length += len(chunk)
            crc = work.crc32(chunk, crc)
        return JSON, work.upload(length, crc)

    def posts(self, environ):
        environ["wsgi.input"].read()
        if self.thread is None:
            self.thread = ThreadPool(1)
        return JSON, self.thread.apply(self._post)

    def _post(self):
        if self.store is None:
            self.store = work.Store(self.folder)
        return self.store.post()


def main():
    given = workers.options("gevent", gevent.__version__)

    def serve(folder):
        log = open(given.access_log, "a", 1, encoding="utf-8") if given.access_log else None
        listener = workers.listener(given)
        # pywsgi writes head and body one after the other: without this, the body waits for the client's delayed
        # acknowledgement, 40 ms. Servers that run gevent in production (gunicorn) set it, too.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        server = WSGIServer(listener, Application(folder), log=log)
        server.start()  # before a signal may stop it
        for signum in workers.STOP:
            gevent.signal_handler(signum, server.stop, 1)
        workers.ready()
        server.serve_forever(stop_timeout=1)
        if log:
            log.close()

    return workers.run(given, serve)


sys.exit(main())
