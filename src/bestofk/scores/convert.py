"""`as_scores`: `Scores` from whatever a verb of the library was given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.types import FAILED, Bounds, Direction, Failed
from bestofk.errors import DataError, arg, marked
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search, listing


def as_scores(
    data: ArrayLike | Scores | Search,
    *,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    on_grid: bool = False,
) -> Scores:
    """Return `Scores` from whatever a verb of the library was given.

    An array takes `direction` ("maximize" if None) and `bounds`; `Scores` and `Search` have their
    own, which these replace when given.  Only a verb that takes a grid into account (`on_grid`)
    is told its size.
    """
    found = _scores(data, direction, bounds, failed)
    return found if on_grid or found.grid is None else replace(found, grid=None)


def _scores(
    data: ArrayLike | Scores | Search,
    direction: Direction | None,
    bounds: Bounds | None,
    failed: Failed,
) -> Scores:
    arguments.choice("failed", failed, FAILED)
    changes: dict[str, Any] = {}
    if direction is not None:
        changes["direction"] = arguments.direction(direction)
    if bounds is not None:
        changes["bounds"] = arguments.bounds(bounds)
    if isinstance(data, Scores):
        return replace(data, **changes) if changes else data
    if isinstance(data, Search):
        return (replace(data, **changes) if changes else data).scores(failed=failed)
    if isinstance(data, Mapping):
        raise DataError(
            "`scores` must be those of one method; got a mapping with the keys "
            f"{listing(data)}. Pick one."
        )
    if isinstance(data, str | os.PathLike):
        name = arguments.short(data)
        raise DataError(f"`scores` must be numbers; got {name}. Read a file with read({name}).")
    if hasattr(type(data), "columns"):  # a data frame of any library
        call = marked("bk.read(frame, score=…)", "its file and --score")
        raise DataError(f"`scores` must be numbers; got a data frame. Read it with {call}.")
    if failed != "raise":
        values = arguments.vector("scores", data, nan=True)
        search = Search({"scores": values}, label="scores", **changes)
        return search.scores(failed=failed)
    way_out = f" Pass {arg('failed', 'worst')} to count a failed trial as the worst score."
    return Scores(arguments.vector("scores", data, way_out=way_out), **changes)
