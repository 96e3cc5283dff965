"""The live page's stream: one event whenever the search has changed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from anyio import to_thread
from starlette.requests import Request
from starlette.responses import StreamingResponse

from bestofk.errors import BestofkError
from bestofk.web.request import Asked
from bestofk.web.routes import BusyError, Routes
from bestofk.web.shelf import RUNNING_EVERY

_HEARTBEAT = 15.0  # seconds after which silence is broken, so that a gone reader is noticed
MOST_STREAMS = 200


class Events:
    """Streams of server-sent events, all fed from the same shelf."""

    def __init__(self, routes: Routes) -> None:
        self._routes = routes
        self._open = 0

    async def answer(self, request: Request) -> StreamingResponse:
        """Answer with a stream that ends when the reader leaves."""
        words = self._routes.read(request, "live")
        await to_thread.run_sync(self._routes.json_of, "live", words)  # refuse before streaming
        if self._open >= MOST_STREAMS:
            raise BusyError(
                f"at most {MOST_STREAMS} live views can be open at a time. Close one of them."
            )
        return StreamingResponse(self._stream(words), media_type="text/event-stream")

    async def _stream(self, words: Asked) -> AsyncIterator[bytes]:
        sent, silent = b"", 0.0
        self._open += 1
        try:
            yield b"retry: 2000\n\n"
            while True:
                try:
                    body = await to_thread.run_sync(self._routes.json_of, "live", words)
                except BestofkError as error:
                    said = " ".join(str(error).split())  # a line break would end the message
                    yield f"event: problem\ndata: {said}\n\n".encode()
                    return
                if body != sent:
                    sent, silent = body, 0.0
                    yield b"data: " + body + b"\n\n"
                elif silent >= _HEARTBEAT:
                    silent = 0.0
                    yield b": still here\n\n"
                await asyncio.sleep(RUNNING_EVERY)
                silent += RUNNING_EVERY
        finally:
            self._open -= 1
