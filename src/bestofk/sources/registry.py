"""`read`: one call for everything that holds a search."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any, Protocol, cast

from bestofk._check import Bounds, Direction
from bestofk.errors import DataError
from bestofk.scores.search import Sampling, Search
from bestofk.sources import arrays, csvfile, frames, jsonlines, store
from bestofk.sources.options import ReadOptions

GROUP = "bestofk.sources"


class Source(Protocol):
    """What a source has to offer; a module with these three names will do."""

    NAME: str

    def recognises(self, x: object, /) -> bool:
        """Tell, quickly and without importing anything heavy, whether `x` is of this kind."""

    def read(self, x: Any, options: ReadOptions, /) -> Search | dict[str, Search]:
        """Return the search in `x`, or with `options.by` a dict of searches."""


BUILT_IN = cast("tuple[Source, ...]", (frames, csvfile, jsonlines, store, arrays))


def sources() -> Iterator[Source]:
    """Yield the sources of bestofk, then those that installed packages register."""
    yield from BUILT_IN
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        yield entry.load()


def read(
    x: Any,
    *,
    score: str | None = None,
    by: str | Sequence[str] | None = None,
    cost: str | None = None,
    test: str | None = None,
    params: str | Sequence[str] | None = None,
    state: str | None = None,
    number: str | None = None,
    direction: Direction = "maximize",
    bounds: Bounds | None = None,
    label: str | None = None,
    sampling: Sampling | None = None,
    name: str | None = None,
) -> Any:
    """Read a search from an array, a dict, a CSV or JSON lines file, a data frame or a store.

    No trial is dropped: one whose score is missing is read as failed.

    Parameters
    ----------
    x : array_like, mapping, path, data frame or URL
        What holds the trials, one row each, in start order; or the store of `run_search`.
    score : str, optional
        The column with the scores.  Left out, it is guessed if only one column can be it.
    by : str or sequence of str, optional
        The column that names the method, when several methods share a file; "name" for all
        searches of a store.
    cost, test : str, optional
        The columns with the cost of a trial and with its test score.
    params : str or sequence of str, optional
        The columns with hyperparameters.  Left out, those named ``params_…`` or ``config.…``.
    state : str, optional
        The column that says complete, failed, pruned or running.
    number : str, optional
        The column with the start order.
    direction, bounds, label
        As in `Scores`.
    sampling : {"iid", "without-replacement", "adaptive", "unknown"}, optional
        How the settings were drawn; a file does not say, so "unknown" unless stated.
    name : str, optional
        Which search of a store; may be left out if there is only one.

    Returns
    -------
    Search or dict of Search
        A dict by method when `by` is given.

    Examples
    --------
    >>> read({"lr": [0.1, 0.2], "accuracy": [0.8, 0.9]}, score="accuracy", params="lr")
    Search 'dict': 2 trials (2 complete), score 'accuracy', maximize, sampling unknown
    """
    options = ReadOptions.of(
        score=score,
        by=by,
        cost=cost,
        test=test,
        params=params,
        state=state,
        number=number,
        direction=direction,
        bounds=bounds,
        label=label,
        sampling=sampling,
        name=name,
    )
    for source in sources():
        if source.recognises(x):
            return source.read(x, options)
    kinds = ", ".join(source.NAME for source in BUILT_IN)
    what = repr(os.fspath(x)) if isinstance(x, str | os.PathLike) else f"a {type(x).__name__}"
    raise DataError(f"read() takes a {kinds}; {what} is none of them.")
