"""Our own files, as every page asks for them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response

from bestofk.web.shelf import UnknownSearchError

_MEDIA = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


def static_file(request: Request) -> Response:
    """Return one of our own files; no other can be named."""
    name = request.path_params["name"]
    found = _known().get(name)
    if found is None:
        raise UnknownSearchError("there is no such file here.")
    media = _MEDIA[name.rpartition(".")[2]]
    headers = {"cache-control": "private, max-age=3600", "vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["content-encoding"] = "gzip"
        return Response(_compressed(name), media_type=media, headers=headers)
    return Response(found(), media_type=media, headers=headers)


@cache
def _known() -> dict[str, Callable[[], bytes]]:
    """Return what reads our own files, by name."""
    ours = (files("bestofk.web") / "static").iterdir()
    shared = files("bestofk.render") / "templates" / "look.css"  # which reports hold a copy of
    return {
        item.name: cache(item.read_bytes)
        for item in (*ours, shared)
        if item.name.rpartition(".")[2] in _MEDIA
    }


@cache
def _compressed(name: str) -> bytes:
    return gzip.compress(_known()[name](), compresslevel=6, mtime=0)
