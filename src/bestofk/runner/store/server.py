"""A PostgreSQL server that goes away: connect again, with longer and longer pauses."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

# How long a driver tries to reach a server that has gone away; trials run on meanwhile.
PATIENCE = 60.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
# So that a connection that is cut without a word is noticed; a URL may say otherwise.
_DEFAULTS = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,
}


def connect_args(url: str) -> dict[str, int]:
    """Return the options of a connection that the URL does not give.

    Examples
    --------
    >>> "connect_timeout" in connect_args("postgresql+psycopg://db/a?connect_timeout=3")
    False
    """
    query = url.partition("?")[2]
    return {key: value for key, value in _DEFAULTS.items() if f"{key}=" not in query}


def pauses(given_up: Callable[[], bool]) -> Iterator[None]:
    """Pause before each attempt to connect, until the time is up or the user has given up."""
    end, pause = time.monotonic() + PATIENCE, _FIRST_PAUSE
    while time.monotonic() < end and not given_up():
        time.sleep(min(pause, max(end - time.monotonic(), 0.0)))
        pause = min(2 * pause, _LONGEST_PAUSE)
        yield
