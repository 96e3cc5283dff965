"""`read_attempts`: one call for tables of attempts, counts, and what evaluation tools leave."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from bestofk._base.redact import redact
from bestofk._base.types import Bounds, Direction, Failed
from bestofk.attempts.attempts import Attempts, Stopped
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.attempts import (
    evalplus,
    humaneval,
    inspect_logs,
    kinds,
    livecodebench,
    lm_eval,
    swebench,
    tau,
)
from bestofk.sources.attempts.options import AttemptOptions
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.attempts.tables import to_attempts
from bestofk.sources.files import arrays, csv_files, frames, json_files, json_lines, parquet
from bestofk.sources.files.attempts import PERHAPS_PROBLEMS, PROBLEMS
from bestofk.sources.files.opening import bounded_text, file_stem, named, open_text
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import in_one_sentence

_WAY_OUT = "Write problem, attempt and score alone, as JSON lines."
_MOST_TEXT = 256 * 2**20  # characters of a JSON file, most of which are solutions or messages
_MOST_REPORTS = 1000
_TABLES = (csv_files, json_lines, parquet)
_KINDS = (
    "a table or counts (CSV, JSON, JSON lines, Parquet, a data frame), results of HumanEval, "
    "evalplus, tau-bench, tau2-bench or LiveCodeBench, a log of inspect_ai, or SWE-bench reports"
)


def read_attempts(
    source: Any,
    *,
    problem: str | None = None,
    score: str | None = None,
    attempt: str | None = None,
    reward: str | None = None,
    answer: str | None = None,
    cost: str | None = None,
    cluster: str | None = None,
    by: str | Sequence[str] | None = None,
    n: str | None = None,
    correct: str | None = None,
    partial: float | None = None,
    stopped: Stopped | None = None,
    attempts: int | None = None,
    failed: Failed = "raise",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    label: str | None = None,
) -> dict[str, Attempts]:
    """Read attempts at many problems, by the label of the method that made them.

    A file whose format is unmistakable needs no arguments: results of HumanEval, evalplus,
    tau-bench, tau2-bench or LiveCodeBench, a log of inspect_ai, SWE-bench reports.

    Parameters
    ----------
    source : path, data frame, mapping, or sequence of records or paths
        A table with one row per attempt, or one row per problem with counts; or one of the files
        above.  A folder of SWE-bench reports, or several of their paths, are the attempts of one
        model; any other paths are read one by one.
    problem : str, optional
        Column that tells the problems apart.  By default, the one with a name such as task_id.
    score : str, optional
        Column with the score of each attempt, such as 0 or 1, true or false; or the scorer of an
        inspect_ai log, or "base" or "plus" for evalplus.
    attempt : str, optional
        Column with the number of the attempt.  By default, one called attempt, trial, sample or
        epoch, or the order of the rows.
    reward, answer, cost : str, optional
        Columns with what picks one of several attempts, what an attempt answered, and its cost.
    cluster : str, optional
        Column with the group of a problem, such as its repository or template.
    by : str or sequence of str, optional
        Columns that tell the methods apart, such as the model.
    n, correct : str, optional
        Columns of counts: the number of attempts at a problem and how many were correct.
    partial : float, optional
        What a partially correct answer (P in a log of inspect_ai) counts as, from 0 to 1.
    stopped, attempts
        Why the number of attempts varies: `stopped` as in `Attempts`, or the number that was
        planned for every problem.
    failed : {"raise", "worst", "drop"}
        What an attempt without a score counts as.  By default, it is read as it is, and what uses
        it asks.
    direction, bounds, label
        As in `Attempts`.

    Returns
    -------
    dict of str to Attempts
        The attempts by label, in the order in which they appear.

    Examples
    --------
    >>> rows = {"task_id": ["a", "a", "b", "b"], "passed": [True, False, False, False]}
    >>> read_attempts(rows)["dict"]
    Attempts 'dict': 2 problems, 2 attempts each, maximize, bounds 0 to 1
    """
    given = {name: value for name, value in locals().items() if name != "source"}
    with in_one_sentence(_shown(source)):
        options = AttemptOptions.of(**given)
        several = _paths(source)
        if several is None:
            return to_attempts(_read(source, options), options)
        return _each(several, options)


def is_recognised(source: object) -> bool:
    """Tell whether a file or folder is of a format that needs no arguments to be read."""
    try:
        return _kind(Path(source)) is not None  # type: ignore[arg-type]
    except Exception:  # no path, or not to be read: it is said elsewhere what is wrong
        return False


def _shown(x: object) -> str:
    """Return what a source is called in a message."""
    if isinstance(x, str | os.PathLike):
        return redact(os.fsdecode(x))[:200]
    return f"an object of type {type(x).__name__}"


def _paths(source: Any) -> list[Path] | None:
    """Return several paths as such, None if the source is something else."""
    if isinstance(source, list | tuple) and source:
        if all(isinstance(one, str | os.PathLike) for one in source):
            return [Path(one) for one in source]
    return None


def _each(paths: Sequence[Path], options: AttemptOptions) -> dict[str, Attempts]:
    """Return what several files hold: SWE-bench reports together, any other one by one."""
    if len(paths) > 1 and options.label is not None:
        raise ArgumentError("a label names the attempts of one file; there are several.")
    reports = [path for path in paths if _kind(path) == "SWE-bench" and not path.is_dir()]
    found: dict[str, Attempts] = {}
    if reports:
        together = f"{len(reports)} reports"
        found |= to_attempts(_of_reports(reports, together, None), options)
    for path in paths:
        if path in reports:
            continue
        with in_one_sentence(_shown(path)):
            for label, one in to_attempts(_read(path, options), options).items():
                free = label if label not in found else f"{redact(path)}: {label}"
                found[free] = one if free == label else replace(one, label=free)
    return found


def _read(source: Any, options: AttemptOptions) -> Recorded:
    """Return what one source holds."""
    if isinstance(source, str | os.PathLike):
        return _of_path(Path(source).expanduser(), options)
    reader = frames if frames.recognises(source) else arrays
    if not reader.recognises(source):
        raise DataError(f"read_attempts() reads {_KINDS}; got {_shown(source)}.")
    table = reader.read(source, ReadOptions())
    if not isinstance(table, Table):
        raise DataError(
            "attempts need to know their problem: pass a table with a column for it, or make "
            "Attempts.of_array() of a matrix with a row per problem."
        )
    return _of_table(replace(table, label=table.source))


def _of_path(path: Path, options: AttemptOptions) -> Recorded:
    if path.is_dir():
        return _of_folder(path)
    if path.suffix.lower() == inspect_logs.SUFFIX:
        found = inspect_logs.of_file(path, path.stem, partial=options.partial)
        inspect_logs.refuse_unsaid(found, options.roles.get("score"))
        return found
    if json_files.recognises(path):
        return _of_json(path, options)
    for reader in _TABLES:
        if named(*reader.SUFFIXES)(path):
            return _of_table(reader.read(path, _as_text(options)))
    if not path.exists():
        raise DataError(f"{redact(path)}: there is no such file or folder.")
    raise DataError(f"{redact(path)}: must be {_KINDS}, by the end of its name; it is none.")


def _as_text(options: AttemptOptions) -> ReadOptions:
    """Return what a CSV file is read with: names of problems and answers stay as written."""
    roles = ("problem", "answer", "cluster")
    columns = {options.roles[role] for role in roles if role in options.roles}
    if "problem" not in options.roles:
        columns |= PROBLEMS | PERHAPS_PROBLEMS
    return ReadOptions(by=tuple({*columns, *options.by}))


def _of_table(table: Table) -> Recorded:
    lm_eval.refuse(table.columns, table.source)
    if kinds.of_columns(table.columns) == "HumanEval":
        return humaneval.of_table(table)
    return Recorded(table=table)


def _of_json(path: Path, options: AttemptOptions) -> Recorded:
    """Return what a JSON file holds, in the shape of a tool or as a table."""
    label, source = file_stem(path, *json_files.SUFFIXES), path.name
    text = bounded_text(path, _WAY_OUT, most=_MOST_TEXT)
    if text.lstrip()[:1] == "[":
        kind = kinds.of_record(_first(text))
        if kind is not None:
            read: Callable[..., Recorded]
            read = livecodebench.of_records if kind == "LiveCodeBench" else tau.of_records
            with json_files.as_json(source):
                return read(json_files.elements(text), source, label)
    else:
        held = json_files.loaded(text, source)
        kind = kinds.of_object(held) if isinstance(held, dict) else None
        if kind == "inspect_ai":
            found = inspect_logs.of_object(held, source, label, partial=options.partial)
            inspect_logs.refuse_unsaid(found, options.roles.get("score"))
            return found
        if kind == "SWE-bench":
            return swebench.of_reports([(str(label), held)], source, label)
        if kind is not None:
            of_object = evalplus.of_object if kind == "evalplus" else tau.of_object
            return of_object(held, source, label)
    table = json_files.read(path, ReadOptions())
    if not isinstance(table, Table):
        raise DataError(f"{source}: must be {_KINDS}; it is an array of numbers.")
    return _of_table(table)


def _first(text: str) -> Mapping[str, Any]:
    """Return the first record of an array; nothing if it is none."""
    try:
        first = next(json_files.elements(text), None)
    except json.JSONDecodeError:
        first = None
    return first if isinstance(first, dict) else {}


def _of_folder(folder: Path) -> Recorded:
    paths = [p for p in folder.iterdir() if json_files.recognises(p) and p.is_file()]
    reports = [p for p in paths[: _MOST_REPORTS + 1] if _kind(p) == "SWE-bench"]
    source = folder.resolve().name
    if not reports:
        raise DataError(
            f"{source}: a folder of attempts must hold reports of SWE-bench; it holds none. Name "
            "the files."
        )
    if len(paths) > _MOST_REPORTS:
        raise DataError(f"{source}: must hold at most {_MOST_REPORTS:,} reports; it holds more.")
    return _of_reports(reports, source, source)


def _of_reports(paths: Sequence[Path], source: str, label: str | None) -> Recorded:
    """Return the attempts in reports, in the order of their names, numbers by size."""
    ordered = sorted(paths, key=lambda p: [(len(w), w) for w in re.split(r"(\d+)", p.name)])
    found = [
        (
            str(file_stem(path, *json_files.SUFFIXES)),
            json_files.loaded(bounded_text(path, _WAY_OUT, most=_MOST_TEXT), path.name),
        )
        for path in ordered
    ]
    return swebench.of_reports(found, source, label)


def _kind(path: Path) -> kinds.Kind | None:
    """Return the tool that wrote a file, if its format is unmistakable."""
    if path.is_dir():
        inside = (p for p in path.iterdir() if json_files.recognises(p) and p.is_file())
        return next((k for k in map(_kind, islice(inside, 20)) if k == "SWE-bench"), None)
    if path.suffix.lower() == inspect_logs.SUFFIX:
        return "inspect_ai"
    if named(*json_lines.SUFFIXES)(path):
        with open_text(path) as lines:
            first = json.loads(lines.readline())
        return kinds.of_columns(first) if isinstance(first, dict) else None
    if not json_files.recognises(path):
        return None
    text = bounded_text(path, _WAY_OUT, most=_MOST_TEXT)
    if text.lstrip()[:1] == "[":
        return kinds.of_record(_first(text))
    held = json_files.loaded(text, path.name)
    return kinds.of_object(held) if isinstance(held, dict) else None
