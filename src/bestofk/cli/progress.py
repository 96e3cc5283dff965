"""A progress bar on standard error, where there is somebody to see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def bar(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Give a function that is told how many parts are done; None if nobody is watching."""
    if not sys.stderr.isatty():
        yield None
        return
    import typer

    with typer.progressbar(length=100, label=label, file=sys.stderr) as shown:
        yield lambda done, total: shown.update(100 * done // total - shown.pos)
