"""The logger `bestofk`, to which the library says what is not an answer; it prints nothing."""

from __future__ import annotations

import logging

logger = logging.getLogger("bestofk")
# Otherwise Python prints warnings of a logger that nobody listens to.
logger.addHandler(logging.NullHandler())


def say(text: str, *, shown: bool = False) -> None:
    """Say something; `shown` if the user has seen it already, beside a progress bar."""
    logger.warning("%s", text, extra={"shown": shown})
