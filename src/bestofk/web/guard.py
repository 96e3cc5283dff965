"""Who may ask, and the headers of every answer.

The page listens on this machine only, but any site that the browser visits could ask it: by its
name pointed here (DNS rebinding, hence the check of Host), or from another user's account on the
same machine (hence the token).
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias
from urllib.parse import parse_qsl, urlencode

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "x-frame-options": "DENY",
}
LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
MOST_QUERY = 8192
MOST_PATH = 256


class Guard:
    """Lets through what may pass, and gives every answer its headers.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    token : str or None
        What the first address must hold; None lets everybody on this machine in.
    hosts : iterable of str
        The names under which the page may be asked for.
    any_address : bool
        Whether a numeric address is a good name too: for a server that listens on all of them.
    """

    def __init__(
        self,
        app: App,
        *,
        token: str | None,
        hosts: Iterable[str] = LOOPBACK,
        any_address: bool = False,
    ) -> None:
        self._app, self._token, self._any_address = app, token, any_address
        self._hosts = {host.lower() for host in hosts}
        digest = hashlib.sha256((token or "").encode()).hexdigest()
        self._cookie = f"bestofk-{digest[:12]}"  # cookies do not tell ports apart, names do

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await _answer(send, *refusal)
            return
        if self._token is not None and not self._is_known(scope):
            await self._welcome(scope, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                own = {name for name, _ in message.get("headers", [])}
                message["headers"] = [
                    *message.get("headers", []),
                    *(h for h in _headers() if h[0] not in own),
                ]
            await send(message)

        await self._app(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        if scope["method"] not in ("GET", "HEAD"):
            return 405, "this page can only be read"
        hosts = [value for name, value in scope["headers"] if name == b"host"]
        if len(hosts) != 1 or not self._may_be_called(hosts[0].decode("latin-1")):
            return 421, "this page does not go by that name"
        if len(scope.get("query_string", b"")) > MOST_QUERY or len(scope["path"]) > MOST_PATH:
            return 414, "the address is too long"
        return None

    def _may_be_called(self, host: str) -> bool:
        name = host.lower()
        if name.startswith("["):
            name, _, port = name[1:].partition("]")
            port = port.removeprefix(":")
        else:
            name, _, port = name.partition(":")
        if port and not port.isdigit():
            return False
        if name.rstrip(".") in self._hosts:
            return True
        if not self._any_address:
            return False
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True

    def _is_known(self, scope: Scope) -> bool:
        assert self._token is not None
        for name, value in scope["headers"]:
            text = value.decode("latin-1")
            if name == b"authorization" and _same(text, f"Bearer {self._token}"):
                return True
            if name == b"cookie":
                try:
                    jar = SimpleCookie(text)
                except CookieError:
                    continue
                if self._cookie in jar and _same(jar[self._cookie].value, self._token):
                    return True
        return False

    async def _welcome(self, scope: Scope, send: Send) -> None:
        """Take the token out of the address and remember it, or refuse."""
        assert self._token is not None
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        given = [value for name, value in query if name == "token"]
        if len(given) != 1 or not _same(given[0], self._token):
            await _answer(send, 403, "open the address that `bestofk serve` printed")
            return
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        # a path that begins with two slashes would lead to another host
        path = "/" + scope["path"].lstrip("/\\")
        where = path if path.isascii() and path.isprintable() else "/"
        cookie = f"{self._cookie}={self._token}; HttpOnly; SameSite=Lax; Path=/"
        await _answer(
            send, 303, "", {"location": where + (f"?{rest}" if rest else ""), "set-cookie": cookie}
        )


def new_token() -> str:
    """Return a token that nobody guesses."""
    return secrets.token_urlsafe(24)


def _same(given: str, wanted: str) -> bool:
    return hmac.compare_digest(given.encode(), wanted.encode())


def _headers() -> list[tuple[bytes, bytes]]:
    found = {"cache-control": "no-store", **HEADERS}
    return [(name.encode(), value.encode()) for name, value in found.items()]


async def _answer(
    send: Send, status: int, text: str, headers: dict[str, str] | None = None
) -> None:
    body = f"{text}\n".encode() if text else b""
    own = {"content-type": "text/plain; charset=utf-8", "content-length": str(len(body))}
    extra = [(n.encode(), v.encode("latin-1")) for n, v in {**own, **(headers or {})}.items()]
    await send({"type": "http.response.start", "status": status, "headers": [*_headers(), *extra]})
    await send({"type": "http.response.body", "body": body})
