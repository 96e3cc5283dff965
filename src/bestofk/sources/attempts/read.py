"""`read_attempts`: one call for tables of attempts, counts, and what evaluation tools leave."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
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
    inspect_sets,
    kinds,
    livecodebench,
    lm_eval,
    swebench,
    tau,
)
from bestofk.sources.attempts.opened import Opened, Opener, inside
from bestofk.sources.attempts.options import AttemptOptions
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.attempts.tables import to_attempts
from bestofk.sources.files import arrays, csv_files, frames, json_files, json_lines, parquet
from bestofk.sources.files.attempts import PERHAPS_PROBLEMS, PROBLEMS
from bestofk.sources.files.opening import file_stem, named
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions
from bestofk.sources.refusals import in_one_sentence, shown

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
        above.  Several paths are read one by one, but SWE-bench reports are together the attempts
        of one model.  A folder stands for the files of one known tool in it; in a folder of
        inspect_ai logs, runs of one model and task that are alike in all settings are joined, and
        what is not clear is refused.
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
    return attempts_in(source, Opener(), **given)


def attempts_in(source: Any, opener: Opener, **given: Any) -> dict[str, Attempts]:
    """Read attempts as `read_attempts` does, from files that may have been looked at before."""
    with in_one_sentence(shown(source)):
        options = AttemptOptions.of(**given)
        several = _paths(source)
        found: dict[str, Attempts] = {}
        for path, one in _all(several, options, opener) if several else [_other(source)]:
            with in_one_sentence(shown(path)):
                for label, made in to_attempts(one, options).items():
                    free = label if label not in found else f"{shown(path)}: {label}"
                    found[free] = made if free == label else replace(made, label=free)
        return found


def is_recognised(source: object, opener: Opener | None = None) -> bool:
    """Tell whether a file or folder is of a format that needs no arguments to be read."""
    try:
        return (opener or Opener()).is_recognised(_path(source))
    except Exception:  # no path, or not to be read: it is said elsewhere what is wrong
        return False


def _path(source: Any) -> Path:
    return Path(source).expanduser()


def _paths(source: Any) -> list[Path] | None:
    """Return one or several paths as such, None if the source is something else."""
    if isinstance(source, str | os.PathLike):
        return [_path(source)]
    if isinstance(source, list | tuple) and source:
        if all(isinstance(one, str | os.PathLike) for one in source):
            return [_path(one) for one in source]
    return None


def _all(
    paths: Sequence[Path], options: AttemptOptions, opener: Opener
) -> list[tuple[Path, Recorded]]:
    """Return what files and folders hold: SWE-bench reports together, any other one by one."""
    reports: list[tuple[Path, Any]] = []
    found: list[tuple[Path, Recorded]] = []
    folders = {path.resolve() for path in paths if path.is_dir()}
    for path in paths:
        with in_one_sentence(shown(path)):
            if path.resolve().parent in folders:
                raise DataError(
                    f"{shown(path)}: a file must be named once; its folder is named, too."
                )
            if path.is_dir():
                found += [(path, one) for one in _of_folder(path, options, opener)]
                continue
            opened = opener.take(path)
            if opened.kind == "SWE-bench":
                reports.append((path, opened.held))
            else:
                found.append((path, _of_file(opened, options)))
    if reports:
        source = reports[0][0].name if len(reports) == 1 else f"{len(reports)} reports"
        found.insert(0, (reports[0][0], _of_reports(reports, source, None)))
    if len(found) > 1 and options.label is not None:
        raise ArgumentError("a label names the attempts of one file; there are several.")
    return found


def _other(source: Any) -> tuple[Any, Recorded]:
    """Return what a frame, a mapping or records hold."""
    reader = frames if frames.recognises(source) else arrays
    if not reader.recognises(source):
        raise DataError(f"read_attempts() reads {_KINDS}; got {shown(source)}.")
    table = reader.read(source, ReadOptions())
    if not isinstance(table, Table):
        raise DataError(
            "attempts need to know their problem: pass a table with a column for it, or make "
            "Attempts.of_array() of a matrix with a row per problem."
        )
    return source, _of_table(replace(table, label=table.source))


def _of_file(opened: Opened, options: AttemptOptions) -> Recorded:
    """Return what one file holds, in the shape of a tool or as a table."""
    path, label, source = opened.path, opened.label, opened.path.name
    if opened.kind == "inspect_ai":
        return _of_log(opened, options).found
    if opened.text is not None and opened.kind is not None:
        read: Callable[..., Recorded]
        read = livecodebench.of_records if opened.kind == "LiveCodeBench" else tau.of_records
        with json_files.as_json(source):
            return read(json_files.elements(opened.text), source, label)
    if opened.kind == "tau2-bench":
        return tau.of_object(opened.held, path, label)
    if opened.kind == "evalplus":
        return evalplus.of_object(opened.held, source, label)
    if json_files.recognises(path):
        table = json_files.read(path, ReadOptions())
        if not isinstance(table, Table):
            raise DataError(f"{source}: must be {_KINDS}; it is an array of numbers.")
        return _of_table(table)
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


def _of_log(opened: Opened, options: AttemptOptions) -> inspect_sets.Log:
    """Return a log of inspect_ai."""
    path = opened.path
    held = inspect_logs.loaded(path) if opened.held is None else opened.held
    found = inspect_logs.of_object(held, path.name, opened.label, partial=options.partial)
    inspect_logs.refuse_unsaid(found, options.roles.get("score"))
    return inspect_sets.Log(
        name=path.name,
        about=held["eval"],
        plan=held.get("plan"),
        status=str(held.get("status") or "success"),
        found=found,
    )


def _of_folder(folder: Path, options: AttemptOptions, opener: Opener) -> list[Recorded]:
    """Return what the files of known tools in a folder hold; others in it do not count."""
    source = folder.resolve().name
    reports: list[tuple[Path, Any]] = []
    logs: list[inspect_sets.Log] = []
    found: list[Recorded] = []
    for path in inside(folder):
        opened = opener.take(path)
        if opened.kind == "SWE-bench":
            reports.append((path, opened.held))
        elif opened.kind == "inspect_ai":
            logs.append(_of_log(opened, options))
        elif opened.kind is not None:
            found.append(_of_file(opened, options))
    if bool(reports) + bool(logs) + bool(found) > 1:
        raise DataError(
            f"{source}: a folder of attempts must hold files of one tool; it holds those of "
            "several. Name the files."
        )
    if reports:
        return [_of_reports(reports, source, source)]
    if not (logs or found):
        raise DataError(
            f"{source}: a folder of attempts must hold reports of SWE-bench, logs of inspect_ai or "
            "files of another known tool; it holds none. Name the files."
        )
    return inspect_sets.joined(logs) if logs else found


def _of_reports(reports: Sequence[tuple[Path, Any]], source: str, label: str | None) -> Recorded:
    """Return the attempts in reports, in the order of their names, numbers by size."""
    ordered = sorted(reports, key=lambda r: [(len(w), w) for w in re.split(r"(\d+)", r[0].name)])
    named_reports = [(str(file_stem(p, *json_files.SUFFIXES)), held) for p, held in ordered]
    return swebench.of_reports(named_reports, source, label)
