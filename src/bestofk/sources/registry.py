"""`read`: one call for everything that holds a search."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

from bestofk._check import Bounds, Direction
from bestofk._secrets import redact
from bestofk.errors import DataError
from bestofk.scores.search import Sampling, Search
from bestofk.sources import (
    arrays,
    csvfile,
    databases,
    frames,
    hydrajobs,
    jsonlines,
    mlflowruns,
    optunastudies,
    parquet,
    pickles,
    raytune,
    scikit,
    wandbruns,
)
from bestofk.sources.options import ReadOptions

GROUP = "bestofk.sources"


class Source(Protocol):
    """What a source has to offer; a module with these three names will do."""

    NAME: str

    def recognises(self, x: object, /) -> bool:
        """Tell, quickly and without importing anything heavy, whether `x` is of this kind."""

    def read(self, x: Any, options: ReadOptions, /) -> Search | dict[str, Search]:
        """Return the search in `x`, or with `options.by` a dict of searches."""


# The first that recognises something reads it: tools before tables, tables before plain arrays.
BUILT_IN = cast(
    "tuple[Source, ...]",
    (
        pickles,
        optunastudies,
        databases,
        scikit,
        raytune,
        wandbruns,
        mlflowruns,
        hydrajobs,
        frames,
        csvfile,
        jsonlines,
        parquet,
        arrays,
    ),
)


def sources() -> Iterator[Source]:
    """Yield the sources of bestofk, then those that installed packages register."""
    yield from BUILT_IN
    from importlib.metadata import entry_points

    for entry in entry_points(group=GROUP):
        try:
            yield entry.load()
        except ImportError as error:
            raise DataError(
                f"the source {entry.name!r}, which a package registers, cannot be loaded: {error}."
            ) from None


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
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    label: str | None = None,
    sampling: Sampling | None = None,
    name: str | None = None,
) -> Any:
    """Read a search from a file, a database, a folder, a data frame or another tool's object.

    No trial is dropped: one whose score is missing is read as failed.

    Parameters
    ----------
    x : path, URL, data frame, array_like, mapping or object of a tool
        What holds the trials: an array or a table in start order (CSV, JSON lines, Parquet, pandas,
        polars), the store of `run_search`, an Optuna study or storage, a scikit-learn search,
        results of Ray Tune, runs of W&B or MLflow, a Hydra folder.
    score : str, optional
        The column or metric with the scores.  Left out, it is what the tool optimised, or guessed
        if only one column can be it.
    by : str or sequence of str, optional
        The column that names the method, when several methods share a file; "name" for all
        searches of a store; "study", "experiment", "sweep" or "iter" for Optuna, MLflow, W&B and
        successive halving.
    cost, test : str, optional
        The columns with the cost of a trial and with its test score.  Tools say the cost by
        themselves: how long a trial took, in seconds.
    params : str or sequence of str, optional
        The columns with hyperparameters.  Left out, those named ``params_…`` or ``config.…``.
    state : str, optional
        The column that says complete, failed, pruned or running.
    number : str, optional
        The column with the start order.
    direction, bounds, label
        As in `Scores`; a direction left out is the tool's own, "maximize" where none is stated.
    sampling : {"iid", "without-replacement", "adaptive", "unknown"}, optional
        How the settings were drawn.  Left out, what the source tells; a table does not, so
        "unknown".  What the records say against it stays a caveat.
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
    if isinstance(x, str) and x.startswith("~"):
        x = str(Path(x).expanduser())
    for source in sources():
        if _recognised(source, x):
            return source.read(x, options)
    raise DataError(_refusal(x))


def _recognised(source: Source, x: object) -> bool:
    try:
        return source.recognises(x)
    except (OSError, ValueError):  # no path: too long to be one, or it may not be looked at
        return False


def _refusal(x: object) -> str:
    """Return why nothing recognised `x`."""
    is_path = isinstance(x, str | os.PathLike)
    why = _of_path(os.fsdecode(x)) if is_path else ""  # type: ignore[arg-type]
    if why:
        return f"{redact(x)[:200]}: {why}"
    what = redact(repr(str(x)))[:200] if is_path else f"a {type(x).__name__}"
    tables = (csvfile, jsonlines, parquet, frames, arrays)
    tools = [source for source in BUILT_IN if source not in (pickles, *tables)]
    kinds = ", ".join(source.NAME for source in (*tables, *tools))
    return f"read() takes a {kinds}; {what} is none of them."


def _of_path(name: str) -> str:
    """Return what keeps a path or URL from being read, whatever is in it."""
    if name.startswith(("http://", "https://")):
        return (
            "nothing but a database is read over the network. Download it; of an MLflow server "
            "pass what mlflow.search_runs() returns."
        )
    if "://" in name:
        return "must be the URL of a database (sqlite, postgresql, mysql, …) or the path of a file."
    path = Path(name)
    try:
        if "\0" not in name and not path.exists():
            return "there is no such file or folder."
        if not os.access(path, os.R_OK):
            return "may not be read: permission denied."
    except (OSError, ValueError):
        return ""
    if path.suffix.lower() in (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar"):
        return "must be unpacked first; of compressed files only those ending in .gz are read."
    return ""
