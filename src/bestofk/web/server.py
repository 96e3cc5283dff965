"""The application, and running it."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bestofk.errors import ArgumentError, DataError, needing
from bestofk.render.jinja import compiled
from bestofk.web.guard import LOOPBACK, App, Guard, Receive, Scope, Send, new_token
from bestofk.web.shelf import Shelf

if TYPE_CHECKING:
    from bestofk.web.report_shelf import ReportShelf

_WILDCARDS = ("0.0.0.0", "::", "")


def make_app(
    shelf: Shelf | ReportShelf[Any, Any],
    *,
    token: str | None = None,
    hosts: frozenset[str] = LOOPBACK,
    any_address: bool = False,
) -> App:
    """Return the page as an ASGI application that only reads."""
    with needing("the page", "starlette and uvicorn", "show"):
        from starlette.applications import Starlette
        from starlette.routing import Route
    from bestofk.errors import BestofkError
    from bestofk.render.jinja import environment
    from bestofk.web.events import Events
    from bestofk.web.routes import Routes, answer_error

    environment("html")  # says so now if jinja2 is missing
    if isinstance(shelf, Shelf):
        routes = Routes(shelf)
        found = [*routes.all(), Route("/live/events", Events(routes).answer)]
    else:
        found = shelf.routes()
    inside = Starlette(
        routes=found, exception_handlers={BestofkError: answer_error, Exception: answer_error}
    )
    return Guard(_compressing(inside), token=token, hosts=hosts, any_address=any_address)


def _compressing(app: App) -> App:
    """Compress answers, but not the stream, which has to arrive as it is written."""
    from starlette.middleware.gzip import GZipMiddleware

    compressed: App = GZipMiddleware(app, minimum_size=1024, compresslevel=5)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        stream = scope.get("path") == "/live/events"
        await (app if stream else compressed)(scope, receive, send)

    return answer


def serve(
    shelf: Shelf | ReportShelf[Any, Any],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    with_token: bool = True,
    ready: Callable[[str], None] = print,
) -> None:
    """Serve the page until it is stopped; `ready` is told the address."""
    if not with_token and host not in LOOPBACK:
        raise ArgumentError(
            f"a page on {host} can be reached by others and needs a token; leave out --no-token."
        )
    if not with_token and is_shared():
        raise ArgumentError(
            "this machine has several users, who could all open the page; leave out --no-token."
        )
    with needing("the page", "starlette and uvicorn", "show"):
        import uvicorn
    token = new_token() if with_token else None
    any_address = host in _WILDCARDS
    names = LOOPBACK | {host} | ({socket.gethostname().lower()} if any_address else set())
    compiled()
    app = make_app(shelf, token=token, hosts=frozenset(names), any_address=any_address)
    bound = _bind(host, port)
    shown = f"[{host}]" if ":" in host else (socket.gethostname() if any_address else host)
    address = f"http://{shown}:{bound.getsockname()[1]}/"
    ready(f"{address}?token={token}" if token else address)
    _step_back()
    uvicorn.Server(settings(app)).run(sockets=[bound])


def settings(app: App) -> Any:
    """Return how uvicorn serves the page."""
    import uvicorn

    from bestofk.web.connection import patient_protocol

    return uvicorn.Config(
        app,
        http=patient_protocol(),
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
        lifespan="off",
    )


def exposure(host: str) -> str:
    """Return a warning if others can reach the page at that address, else nothing.

    Examples
    --------
    >>> exposure("127.0.0.1")
    ''
    """
    if host in LOOPBACK:
        return ""
    where = f"all addresses of this machine ({host})" if host in _WILDCARDS else host
    return (
        f"warning: the page listens on {where}, over plain HTTP: whoever can reach it and sees its "
        "address, token included, can read these searches. Safer: leave out --host and forward "
        "the port (ssh -L 8765:localhost:8765 THIS-MACHINE)"
    )


def is_shared() -> bool:
    """Tell whether more than one person has an account with a shell on this machine."""
    try:
        import pwd
    except ImportError:
        return False
    first = 501 if sys.platform == "darwin" else 1000  # before them come those of services
    people = [
        p
        for p in pwd.getpwall()
        if first <= p.pw_uid < 60_000 and not p.pw_shell.endswith(("nologin", "false"))
    ]
    return len({p.pw_uid for p in people} | {os.getuid()}) > 1


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio turns off Nagle's delay (40 ms an answer) only where it sees that this is TCP
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    # On Windows, SO_REUSEADDR would let another program listen on the same port.
    only_ours = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    bound.setsockopt(socket.SOL_SOCKET, only_ours, 1)
    try:
        bound.bind((host, port))
        bound.listen(128)  # who opens the address at once waits instead of being refused
    except (OSError, OverflowError) as error:
        bound.close()
        why = getattr(error, "strerror", None) or error
        raise DataError(f"{host}:{port}: cannot be listened on: {why}. Try --port 0.") from None
    return bound


def _step_back() -> None:
    """Let a search that runs on the same machine go first."""
    try:
        os.nice(5)
    except (OSError, AttributeError):
        return
