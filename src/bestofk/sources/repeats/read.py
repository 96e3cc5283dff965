"""`read_repeats`: one call for the repeats of whole searches, whatever holds them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.repeats.repeats import Repeats
from bestofk.scores.search import Search
from bestofk.scores.trial import Sampling
from bestofk.sources.files import folders, frames
from bestofk.sources.files.table import Table, listing
from bestofk.sources.refusals import in_one_sentence, shown
from bestofk.sources.registry import TOOLS, opened, searches_of, source_of
from bestofk.sources.repeats.methods import by_method, guessed, named
from bestofk.sources.repeats.names import told_by
from bestofk.sources.repeats.options import BY_NAME, PARTS, RepeatOptions
from bestofk.sources.repeats.tables import wholes_in
from bestofk.sources.repeats.together import SWEEPS, Whole, sampler_of, to_repeats
from bestofk.sources.tools import wandb_runs
from bestofk.sources.tools.optuna_samplers import SAMPLERS, sampler_name

_MOST_FILES = 10_000


def read_repeats(
    source: Any,
    *,
    repeat: str | None = None,
    by: str | Sequence[str] | None = None,
    score: str | None = None,
    step: str | None = None,
    cost: str | None = None,
    test: str | None = None,
    seed: str | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    sampling: Sampling | None = None,
    planned: int | None = None,
    label: str | None = None,
) -> dict[str, Repeats]:
    """Read repeats of whole searches, by the label of the method that was repeated.

    No trial is dropped: one that failed or was pruned counts as a trial without a score.  A search
    that still runs counts up to its first unfinished trial.

    Parameters
    ----------
    source : path, data frame, mapping, object of a tool, or a sequence of these
        A table with columns such as run, step and value, one row per trial; an Optuna storage or
        journal, or a list of studies; the runs of W&B sweeps; a folder of files, or a list of
        files, each one repeat in anything that `read` reads.  In a folder, the files of a folder
        inside are the repeats of one method.
    repeat : str, optional
        Column that tells the repeats of a table apart.  By default, one called repeat, seed, run,
        study or the like; without one, a file is one repeat.  Else "study", "sweep", "experiment",
        "name" or "file", which is the default where the source has these.
    by : str or sequence of str, optional
        What tells the methods apart: columns of a table, or settings that are the same in all
        trials of a search; of W&B sweeps also "method".  By default, the method is the name of the
        study or file without its last number: tpe-0, tpe_seed1 and "tpe run 2" are repeats of tpe.
        That of a sweep is bayes, random or grid.
    score : str, optional
        Column or metric with the score of each trial, or the best so far.  By default, the one
        that the tool optimised, the only column that can be it, or one called score, value or best.
    step : str, optional
        Column with the number of the trial within its repeat.  By default, one called step, trial,
        iteration or number, or the order of the rows.
    cost, test : str, optional
        Columns with the cost of each trial and with its test score.
    seed : str, optional
        Column with the seed of the repeat; of studies and sweeps, a setting that is the same in
        all trials; or "name": the number in the name of each study or file is its seed.  By
        default, a column called seed, if it is the same in all trials of a repeat, and the number
        behind the word seed in a name.
    direction, bounds, sampling
        As in `read`.
    planned : int, optional
        The number of trials that was planned for every repeat.
    label : str, optional
        Name of the method: all searches are taken for its repeats.

    Returns
    -------
    dict of str to Repeats
        The repeats by label, in the order in which they appear.

    See Also
    --------
    tuning_band : A band for the median over the repeats.

    Examples
    --------
    >>> rows = {"seed": [0, 0, 1, 1], "step": [1, 2, 1, 2], "value": [0.5, 0.7, 0.6, 0.4]}
    >>> read_repeats(rows, label="tpe")["tpe"]
    Repeats 'tpe': 2 repeats, 2 trials each, maximize
    """
    given = {name: value for name, value in locals().items() if name != "source"}
    called = _called(source)
    with in_one_sentence(called):
        options = RepeatOptions.of(**given)
        parts = list(_parts(source))
        wholes = [whole for part in parts for whole in _at(part, _read(part, options))]
        if not wholes:
            raise DataError(f"{called}: there must be at least one search; there is none.")
        methods = by_method(wholes, options, called)
        return {
            method: to_repeats(method, named(own), options, called, guessed(own))
            for method, own in methods.items()
        }


@dataclass(frozen=True, kw_only=True)
class _Part:
    """Something that holds one search or several: what it is called, and its method if known."""

    x: Any
    full: str | None = None
    method: str | None = None
    folder: str | None = None


def _called(source: Any) -> str:
    """Return what a source is called in a message."""
    if isinstance(source, list | tuple) and len(source) == 1:
        return _called(source[0])
    if _is_several(source):
        paths = all(isinstance(one, str | os.PathLike) for one in source)
        return f"{len(source)} {'files' if paths else 'searches'}"
    return shown(source)


def _parts(source: Any) -> Iterator[_Part]:
    """Yield what is to be read, one by one."""
    if isinstance(source, Mapping) and source and all(map(_holds, source.values())):
        for name, x in source.items():
            if isinstance(x, list | tuple):
                yield from (replace(part, method=str(name)) for part in _parts(x))
            else:
                yield _Part(x=x, full=str(name))
    elif isinstance(source, list | tuple) and not source:
        raise DataError("there must be at least one search; got none.")
    elif _is_several(source):
        for x in source:
            yield from _parts(x) if _is_folder(x) else [_Part(x=x, full=_stem(x))]
    elif _is_folder(source):
        yield from _in_folder(Path(source).expanduser())
    else:
        yield _Part(x=source, full=_stem(source))


def _is_several(source: Any) -> bool:
    return isinstance(source, list | tuple) and bool(source) and all(map(_holds_one, source))


def _holds(x: Any) -> bool:
    return _holds_one(x) if not isinstance(x, list | tuple) else bool(x) and all(map(_is_object, x))


def _holds_one(x: Any) -> bool:
    return isinstance(x, str | os.PathLike) or _is_object(x)


def _is_object(x: Any) -> bool:
    """Tell whether something is a search, a data frame or the object of a tool that holds one."""
    if isinstance(x, Search) or frames.recognises(x):
        return True
    if isinstance(x, str | os.PathLike | Mapping | list | tuple):
        return False
    # a single run is one trial
    return type(x).__name__ != "Run" and any(tool.recognises(x) for tool in TOOLS)


def _stem(x: Any) -> str | None:
    """Return the name of a file without its suffix, None if it is something else."""
    if not isinstance(x, str | os.PathLike) or "://" in os.fspath(x):
        return None
    name = Path(x).name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def _is_folder(x: Any) -> bool:
    """Tell whether `x` is a folder of files, and not what a tool left."""
    if not isinstance(x, str | os.PathLike) or "\0" in os.fspath(x):
        return False
    if not Path(x).expanduser().is_dir():
        return False
    folder = Path(x).expanduser()
    return source_of(folder) in (None, folders) and not folders.versions(folder)


def _in_folder(folder: Path) -> Iterator[_Part]:
    """Yield the files of a folder; those of a folder inside are of one method."""
    inside = sorted((p for p in folder.iterdir() if p.name[0] not in "._"), key=_by_numbers)
    if not inside:
        raise DataError(
            f"{folder.resolve().name}: a folder of repeats must hold files; it is empty."
        )
    if len(inside) > _MOST_FILES:
        raise DataError(
            f"{folder.resolve().name}: must hold at most {_MOST_FILES:,} files; it holds more."
        )
    for path in inside:
        if not _is_folder(path):
            yield _Part(x=path, full=_stem(path), folder=folder.resolve().name)
            continue
        within = list(_in_folder(path))
        told = {part.method or _method_of(part) for part in within}
        for part in within:
            more = f" / {part.method or _method_of(part)}" if len(told) > 1 else ""
            yield replace(part, method=f"{path.name}{more}")


def _method_of(part: _Part) -> str:
    """Return the method that the name of a file tells, empty if it tells none."""
    told = told_by(part.full or "")
    return "" if told is None else told.method


def _by_numbers(path: Path) -> list[tuple[int, str]]:
    """Return what files are sorted by: their names, numbers by size."""
    return [(len(w) if w.isdecimal() else 0, w) for w in re.split(r"(\d+)", path.name)]


def _read(part: _Part, options: RepeatOptions) -> list[Whole]:
    """Return the searches in one part; of a folder it is said that all its files count."""
    try:
        return _wholes(part, options)
    except DataError as error:
        if part.folder is None:
            raise
        raise DataError(
            f"{error.text} Every file in {part.folder!r} counts as a repeat: take out what is none."
        ) from None


def _wholes(part: _Part, options: RepeatOptions) -> list[Whole]:
    """Return the searches in one part."""
    called = shown(part.x)
    with in_one_sentence(called):
        if isinstance(part.x, Search):
            return [_of_search(part.x, part.full or part.x.label, part, options)]
        of_sweeps = _is_wandb(part.x)
        held = opened(part.x, options.of_search(**({"by": "sweep"} if of_sweeps else {})))
        if isinstance(held, Table):
            if part.full is not None:
                held = replace(held, label=part.full)
            return [_placed(whole, part, options) for whole in wholes_in(held, options)]
        _refuse_columns(options, called)
        told = options.of_search(**({"by": "sweep"} if of_sweeps else {}))
        found = searches_of(held, told, called)
        if of_sweeps and "no sweep" in found:
            raise DataError(
                f"{called}: every run must belong to a sweep, which is one repeat; "
                f"{found['no sweep'].n} do not. Leave these out."
            )
        alone = len(found) == 1 and part.full is not None and not of_sweeps
        return [
            _of_search(search, str(part.full) if alone else name, part, options)
            for name, search in found.items()
        ]


def _at(part: _Part, wholes: Sequence[Whole]) -> list[Whole]:
    """Return the searches of a part with where they stand."""
    if not isinstance(part.x, str | os.PathLike) or "://" in os.fspath(part.x):
        return list(wholes)
    place = part.full if len(wholes) > 1 else Path(part.x).expanduser().resolve().parent.name
    return [replace(whole, place=place) for whole in wholes]


def _is_wandb(x: Any) -> bool:
    is_path = isinstance(x, str | os.PathLike) and not str(x).startswith("wandb:")
    return not is_path and wandb_runs.recognises(x)


def _refuse_columns(options: RepeatOptions, called: str) -> None:
    """Refuse what only a table has to be told."""
    if options.step is not None:
        raise ArgumentError(
            f"{arg('step')} names a column of a table; {called} says it by itself. Leave it out."
        )
    if options.repeat is not None and options.repeat not in PARTS:
        raise ArgumentError(
            f"{arg('repeat')} names a column of a table; {called} tells its repeats apart by "
            f"itself. Leave it out; got {options.repeat!r}."
        )


def _of_search(search: Search, full: str, part: _Part, options: RepeatOptions) -> Whole:
    """Return a search as a repeat of the method that `by` names, if it does."""
    is_study = type(part.x).__module__.startswith("optuna.") and hasattr(part.x, "sampler")
    sampler = sampler_name(part.x.sampler) if is_study else sampler_of(search)
    if sampler is not None and SAMPLERS.get(sampler, search.sampling) != search.sampling:
        sampler = None  # stated otherwise, or some settings were chosen by hand
    of_sweep = SWEEPS.get(search.sampling) if _is_wandb(part.x) else None
    seed = None
    if options.seed not in (None, BY_NAME):
        seed = _constant(search, "seed", str(options.seed), full)
    found = Whole(search=search, full=full, method=part.method, sampler=sampler, seed=seed)
    if options.by:
        values = [
            of_sweep if name == "method" and of_sweep else _constant(search, "by", name, full)
            for name in options.by
        ]
        return replace(found, method=" / ".join(values), name=full if of_sweep else None)
    if of_sweep is not None:
        return replace(found, method=options.label or of_sweep, name=full)
    return found


def _constant(search: Search, argument: str, name: str, full: str) -> str:
    """Return the setting or metric that all trials of a search have in common."""
    held: dict[str, Sequence[Any]] = {k: v.tolist() for k, v in search.metrics.items()}
    held |= search.params
    same = {k: v for k, v in held.items() if len(set(map(str, v))) == 1 and str(v[0]) != "nan"}
    if name not in same:
        there = f"such are {listing(same)}" if same else "there is none"
        raise ArgumentError(
            f"{full}: {arg(argument)} must name a setting that is the same in all trials of a "
            f"search; got {name!r}, and {there}."
        )
    value = same[name][0]
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def _placed(whole: Whole, part: _Part, options: RepeatOptions) -> Whole:
    """Return a search of a table with what the place of its file tells."""
    if part.method is None or options.by:
        return whole
    return replace(whole, method=part.method)
