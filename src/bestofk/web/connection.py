"""Connections that send no whole request are closed after a while."""

from __future__ import annotations

import asyncio
from typing import Any

PATIENCE = 10.0  # seconds for a request's head to arrive, from the connection or its first byte on


def patient_protocol() -> type[asyncio.Protocol]:
    """Return uvicorn's HTTP/1.1 in which a request has to be there in time; it waits for ever."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class PatientProtocol(H11Protocol):
        """Close a connection that is not busy with an answer and keeps its request to itself."""

        _deadline: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self._wait()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if self._is_busy():
                self._stop_waiting()
            elif self._deadline is None and not self.transport.is_closing():
                self._wait()  # a request that drips does not get more time

        def connection_lost(self, exc: Exception | None) -> None:
            self._stop_waiting()
            super().connection_lost(exc)

        def _is_busy(self) -> bool:
            return self.cycle is not None and not self.cycle.response_complete

        def _wait(self) -> None:
            self._deadline = self.loop.call_later(PATIENCE, self._give_up)

        def _stop_waiting(self) -> None:
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None

        def _give_up(self) -> None:
            self._deadline = None
            if not self._is_busy():
                self.transport.close()

    return PatientProtocol
