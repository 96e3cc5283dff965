"""The score of a command that prints no JSON, found by a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bestofk.errors import ArgumentError
from bestofk.runner.work.output import open_plain

if TYPE_CHECKING:
    from bestofk.runner.work.outcome import Job

_EXAMPLE = "'val_acc[=:] *([0-9.]+)'"
_LONGEST = 1 << 16  # bytes of one line that are looked at; a progress bar may never end its line


def check_pattern(pattern: object, objective: object) -> str | None:
    """Return the pattern, or raise if it is none, or if a function is run."""
    if pattern is None:
        return None
    must = f"be a regular expression with the score as its only group, such as {_EXAMPLE}"
    try:
        groups = re.compile(str(pattern)).groups
    except (re.error, OverflowError, RecursionError) as error:
        raise ArgumentError(
            argument="score_pattern", must=must, got=f"{pattern!r} ({error})"
        ) from None
    if groups != 1:
        raise ArgumentError(
            argument="score_pattern", must=must, got=f"{pattern!r}, which has {groups} groups"
        )
    if not isinstance(objective, tuple):
        raise ArgumentError(
            argument="score_pattern",
            must="go with a command, whose output it is looked for in",
            got="a function",
            remedy="Return the score from the function.",
        )
    return str(pattern)


def find_score(job: Job, folder: Path) -> tuple[float, str] | None:
    r"""Return the last number that the pattern finds, and where: output, then error output.

    Examples
    --------
    >>> from bestofk.runner.work.outcome import Job
    >>> import tempfile
    >>> job = Job(name="cnn", objective=("train",), score="acc", direction="maximize",
    ...           bounds=(0, 1), score_pattern="val_acc[=:] *([0-9.]+)")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "stdout").write_text("val_acc=0.5\nval_acc: 0.75 (best)\nbye\n")
    ...     find_score(job, Path(folder))
    (0.75, 'line 2 of standard output')
    """
    assert job.score_pattern is not None
    wanted = re.compile(job.score_pattern)
    if job.metrics_file is not None:
        places = {job.metrics_file: job.metrics_file}
    else:
        places = {"stdout": "standard output", "stderr": "standard error"}
    for file, words in places.items():
        found: tuple[float, str] | None = None
        for number, line in _lines(folder / file):
            for match in wanted.finditer(line):
                value = _number(match[1])
                if value is not None:
                    found = (value, f"line {number} of {words}")
        if found is not None:
            return found
    return None


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a file with their numbers; a very long one comes in pieces."""
    try:
        with open_plain(path) as file:
            number = 1
            while piece := file.readline(_LONGEST):
                yield number, piece.decode("utf-8", errors="replace")
                number += piece.endswith(b"\n")
    except OSError:
        return


def _number(text: Any) -> float | None:
    """Return the number in a group; a full stop that ends a sentence is none of it."""
    try:
        return float(str(text).strip().rstrip("."))
    except ValueError:
        return None
