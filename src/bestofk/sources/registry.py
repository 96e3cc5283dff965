"""`read` and `read_all`: one call for everything that holds a search, or several."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, TypeAlias, cast

from bestofk._base.redact import redact
from bestofk._base.types import Bounds, Direction
from bestofk.errors import BestofkError, DataError, marked
from bestofk.scores.search import Search
from bestofk.scores.trial import Sampling
from bestofk.sources.attempts import kinds
from bestofk.sources.files import (
    arrays,
    csv_files,
    folders,
    frames,
    json_files,
    json_lines,
    parquet,
    pickles,
)
from bestofk.sources.files.opening import first_bytes, named
from bestofk.sources.files.searches import to_searches
from bestofk.sources.files.table import Table
from bestofk.sources.found import Found, to_search
from bestofk.sources.options import ReadOptions, Take
from bestofk.sources.refusals import in_one_sentence, shown
from bestofk.sources.tools import (
    databases,
    hydra_jobs,
    mlflow_runs,
    optuna_studies,
    ray_tune,
    scikit_learn,
    wandb_runs,
)

GROUP = "bestofk.sources"
Read: TypeAlias = Search | Found | Table | Mapping[str, Search | Found]


class Source(Protocol):
    """What a source has to offer; a module with these three names will do.

    One that says how its files are called (`SUFFIXES`) or how they begin (`begins(head)`) is not
    asked whether it recognises a file.
    """

    NAME: str

    def recognises(self, x: object, /) -> bool:
        """Tell, quickly and without importing anything heavy, whether `x` is of this kind."""

    def read(self, x: Any, options: ReadOptions, /) -> Read:
        """Return the search in `x`, or what was found of it, or a dict of several by label.

        A source that holds several asks `options.pick` which of them to read.
        """


TABLES = (csv_files, json_lines, json_files, parquet, folders, frames, arrays)
TOOLS = (optuna_studies, databases, scikit_learn, ray_tune, wandb_runs, mlflow_runs, hydra_jobs)
# The first that recognises something reads it: tools before tables, tables before plain arrays.
BUILT_IN = cast("tuple[Source, ...]", (pickles, *TOOLS, *TABLES))


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
    cost: str | None = None,
    test: str | None = None,
    params: str | Sequence[str] | None = None,
    state: str | None = None,
    number: str | None = None,
    trial: str | None = None,
    take: Take | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    label: str | None = None,
    sampling: Sampling | None = None,
    grid: int | None = None,
    name: str | None = None,
) -> Search:
    """Read a search from a file, a database, a folder, a data frame or another tool's object.

    No trial is dropped: one whose score is missing is read as failed, and what it counts as is said
    where the scores are used, as in ``tuning_curve(search, failed="worst")``.  A source that holds
    several searches is refused unless `name` picks one; `read_all` reads them all.

    Parameters
    ----------
    x : path, URL, data frame, array_like, mapping or object of a tool
        What holds the trials: an array or a table in start order (CSV, JSON, Parquet, pandas,
        polars), the store of `run_search`, an Optuna study or storage, a scikit-learn search,
        results of Ray Tune, runs of MLflow or W&B (also as ``wandb:entity/project/sweep``), a
        folder of Hydra, of Lightning's CSVLogger or of CSV files.
    score : str, optional
        Column or metric with the scores.  By default, the one that the tool optimised, or the only
        column that can be it.
    cost, test : str, optional
        Columns with the cost of a trial and with its test score.  By default, the cost is the
        duration in seconds that a tool recorded, if any.
    params : str or sequence of str, optional
        Columns with hyperparameters.  By default, those named ``params_…`` or ``config.…``.
    state : str, optional
        Column that says complete, failed, pruned or running.
    number : str, optional
        Column with the start order.
    trial : str, optional
        Column that tells the trials apart, in a table with several rows for each, such as a log
        with one row per epoch.  Such a table is refused without it.
    take : {"last", "best"}, optional
        Which row of a trial counts: that of the last step, by the column epoch, step or iteration,
        or that with the best score.
    direction, bounds, label
        As in `Scores`.  If `direction` is None, it is the tool's own, or "maximize" if the tool
        states none; a score that looks like a loss, such as val_loss, is then refused.
    sampling : {"iid", "without-replacement", "adaptive", "unknown"}, optional
        How the settings were drawn.  By default, what the source tells; a table tells nothing, so
        "unknown".  What the records say against a statement stays a caveat.
    grid : int, optional
        The number of settings of the grid from which they were drawn at random without
        replacement, as in `Scores`.  By default, what the source tells: scikit-learn's searches do.
    name : str, optional
        Name of a search in a store, of a study in an Optuna storage or of an MLflow experiment.
        If None, there must be only one.

    Returns
    -------
    Search
        The trials, with what the source says about how they were drawn as caveats.

    See Also
    --------
    read_all : Read every search of a source, or split a table by a column.

    Examples
    --------
    >>> read({"lr": [0.1, 0.2], "accuracy": [0.8, 0.9]}, score="accuracy", params="lr")
    Search 'dict': 2 trials (2 complete), score 'accuracy', maximize, sampling unknown
    """
    (search,) = _read(**locals()).values()  # each argument by its name
    return search


def read_all(
    x: Any,
    *,
    by: str | Sequence[str] | None = None,
    score: str | None = None,
    cost: str | None = None,
    test: str | None = None,
    params: str | Sequence[str] | None = None,
    state: str | None = None,
    number: str | None = None,
    trial: str | None = None,
    take: Take | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    label: str | None = None,
    sampling: Sampling | None = None,
    grid: int | None = None,
    name: str | None = None,
) -> dict[str, Search]:
    """Read every search of a source, by its label.

    Parameters
    ----------
    x : path, URL, data frame, array_like, mapping or object of a tool
        As in `read`.
    by : str or sequence of str, optional
        What tells the methods apart: the columns of a table that name the method; "study",
        "experiment", "sweep" or "iter" for Optuna, MLflow, W&B and successive halving; "name" for
        the store of `run_search`.  By default, a store, an Optuna storage or an MLflow folder gives
        all that it holds, and anything else is a single search.
    score, cost, test, params, state, number, trial, take
        As in `read`: which column is what.
    direction, bounds, label, sampling, grid, name
        As in `read`.

    Returns
    -------
    dict of str to Search
        The searches by label, in the order in which they appear.

    Examples
    --------
    >>> trials = {"model": ["cnn", "lstm", "cnn"], "accuracy": [0.7, 0.8, 0.9]}
    >>> searches = read_all(trials, by="model")
    >>> list(searches)
    ['cnn', 'lstm']
    >>> searches["cnn"].scores().values
    array([0.7, 0.9])
    """
    return _read(**locals(), every=True)


def _read(x: Any, **given: Any) -> dict[str, Search]:
    """Return the searches in `x` by label; a single one unless `every` is given."""
    with in_one_sentence(shown(x)):
        options = ReadOptions.of(**given)
        found = searches_of(opened(x, options), options, shown(x))
        if options.grid is None:
            return found
        return {label: replace(search, grid=options.grid) for label, search in found.items()}


def opened(x: Any, options: ReadOptions) -> Read:
    """Return what the source of `x` finds in it."""
    there = str(Path(x).expanduser()) if isinstance(x, str) and x.startswith("~") else x
    source = source_of(there)
    if source is None:
        raise DataError(_refusal(there))
    return source.read(there, options)


def searches_of(found: Read, options: ReadOptions, what: str) -> dict[str, Search]:
    """Return what a source found as searches by label."""
    if isinstance(found, Table):
        found = to_searches(found, options)
    if isinstance(found, Found):
        found = to_search(found, options)
    if isinstance(found, Search):
        return {found.label: found}
    each = replace(options, name=None, by=())
    picked = {name: found[name] for name in options.pick(found, what)}
    made = {
        name: to_search(one, each) if isinstance(one, Found) else one
        for name, one in picked.items()
    }
    return made if len(made) > 1 or options.by else {one.label: one for one in made.values()}


def source_of(x: object) -> Source | None:
    """Return the first source that recognises `x`."""
    head = first_bytes(x) if isinstance(x, str | os.PathLike) else b""
    return next((source for source in sources() if _recognised(source, x, head)), None)


def _recognised(source: Source, x: object, head: bytes) -> bool:
    """Tell whether a source can read `x`: a file by its name, else by how it begins."""
    suffixes, begins = getattr(source, "SUFFIXES", ()), getattr(source, "begins", None)
    try:
        if head and (suffixes or begins):
            return named(*suffixes)(x) or (begins is not None and begins(head))
        return source.recognises(x)
    except BestofkError:
        raise
    except Exception:  # no path: too long to be one; or of a kind that the source cannot look at
        return False


def _refusal(x: object) -> str:
    """Return why nothing recognised `x`."""
    is_path = isinstance(x, str | os.PathLike)
    why = _of_path(os.fsdecode(x)) if is_path else ""  # type: ignore[arg-type]
    if why:
        return f"{shown(x)}: {why}"
    what = redact(repr(str(x)[:200]))[:100] if is_path else shown(x)
    kinds = (
        "a CSV file, JSON, JSON lines or Parquet, a data frame, an array, a database by its URL, "
        "or what Optuna, scikit-learn, Ray Tune, W&B, MLflow, Hydra or Lightning left"
    )
    return f"{marked('read() takes', 'bestofk reads')} {kinds}; {what} is none of them."


def _of_path(name: str) -> str:
    """Return what keeps a path or URL from being read, whatever is in it."""
    if name.startswith(("http://", "https://")):
        way = marked(
            "pass what mlflow.search_runs() returns", "save what mlflow.search_runs() returns"
        )
        return (
            "nothing but a database is read over the network. Download it; of an MLflow server "
            f"{way}."
        )
    if "://" in name:
        return "must be the URL of a database (sqlite, postgresql, mysql, …) or the path of a file."
    path = Path(name)
    try:
        path.stat()
        if not os.access(path, os.R_OK):
            return "may not be read: permission denied."
    except (FileNotFoundError, NotADirectoryError):
        return "there is no such file or folder."
    except (OSError, ValueError):  # text that is no path, such as a whole file
        return ""
    if path.suffix.lower() == ".eval":
        kinds.refuse_search("inspect_ai", path.name)
    if path.suffix.lower() in (".zip", ".bz2", ".xz", ".zst", ".7z", ".tar"):
        return "must be unpacked first; of compressed files only those ending in .gz are read."
    return ""
