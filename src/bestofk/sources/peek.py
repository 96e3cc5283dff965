"""How a file begins, by which a source knows its own."""

from __future__ import annotations

import os
from pathlib import Path


def first_bytes(x: str | os.PathLike[str], count: int) -> bytes:
    """Return the first bytes of a file; none if it may not be read or is no ordinary file.

    A pipe is left alone: what one source takes out of it is lost for the next.
    """
    try:
        if not Path(x).is_file():
            return b""
        with Path(x).open("rb") as file:
            return file.read(count)
    except (OSError, ValueError):
        return b""
