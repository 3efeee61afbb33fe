"""aiohttp's web server: asyncio, one process a worker."""

import asyncio
import concurrent.futures
import logging
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "shared"))

import aiohttp  # noqa: E402
from aiohttp import web  # noqa: E402

import work  # noqa: E402
import workers  # noqa: E402

TEXT, HTML = "text/plain", "text/html"
JSON, BYTES = "application/json", "application/octet-stream"
routes = web.RouteTableDef()


def reply(content_type, body, charset=None):
    return web.Response(body=body, content_type=content_type, charset=charset)


def parameter(request, name, most):
    values = request.query.getall(name, [])
    number = work.number(values[0], most) if len(values) == 1 else None
    if number is None:
        raise web.HTTPBadRequest(text=f"give {name} once, a whole number from 0 to {most}")
    return number


@routes.get("/")
@routes.get("/hello")
async def hello(_request):
    return reply(TEXT, work.GREETING)


@routes.get("/json")
async def document(_request):
    return reply(JSON, work.document())


@routes.get("/html")
async def page(_request):
    return reply(HTML, work.PAGE, "utf-8")


@routes.get("/concat")
async def concat(_request):
    return reply(TEXT, work.concat())


@routes.get("/render")
async def render(_request):
    return reply(HTML, work.render(), "utf-8")


@routes.get("/fibonacci")
async def fibonacci(request):
    return reply(TEXT, str(work.fibonacci(parameter(request, "n", work.FIBONACCI_MAX))).encode())


@routes.get("/wait")
async def wait(request):
    await asyncio.sleep(parameter(request, "ms", work.WAIT_MAX_MS) / 1000)
    return reply(TEXT, b"OK")


@routes.get("/bytes")
async def send_bytes(request):
    return reply(BYTES, work.bytes_of(parameter(request, "n", work.BYTES_MAX)))


@routes.post("/upload")
async def upload(request):
    length = crc = 0
    async for chunk in request.content.iter_any():
        length += len(chunk)
        crc = work.crc32(chunk, crc)
    return reply(JSON, work.upload(length, crc))


@routes.post("/posts")
async def posts(request):
    await request.read()
    # SQLite waits for the disk, so it waits in a thread.
    body = await asyncio.get_running_loop().run_in_executor(request.app["thread"], request.app["post"])
    return reply(JSON, body)


async def on_startup(_app):
    """Takes the place of aiohttp's signal handlers, which are there: a worker is told by the runner, which tells
    all processes, and by its supervisor, and the second would end it in the midst of its end."""
    loop = asyncio.get_running_loop()
    told = False

    def stop():
        nonlocal told
        if not told:
            told = True
            raise web.GracefulExit

    for signum in workers.STOP:
        loop.add_signal_handler(signum, stop)
    workers.ready()


def application(folder):
    store = None

    def post():
        nonlocal store
        store = store or work.Store(folder)
        return store.post()

    app = web.Application()
    app.add_routes(routes)
    app.on_startup.append(on_startup)
    app["thread"] = concurrent.futures.ThreadPoolExecutor(1)
    app["post"] = post
    return app


def main():
    given = workers.options("aiohttp", aiohttp.__version__)

    def serve(folder):
        log = None
        if given.access_log:
            log = logging.getLogger("aiohttp.access")
            log.setLevel(logging.INFO)
            log.propagate = False
            log.addHandler(logging.FileHandler(given.access_log))
        web.run_app(application(folder), sock=workers.listener(given), backlog=given.backlog,
                    access_log=log, print=None, shutdown_timeout=1)

    return workers.run(given, serve)


sys.exit(main())
