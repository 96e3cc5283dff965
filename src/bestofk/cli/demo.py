"""``bestofk demo``: a first search and its answer, and data for the examples of the help."""

from __future__ import annotations

import csv
import os
import shutil
import sys
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bestofk.cli.console import quoted
from bestofk.scores.search import Search

if TYPE_CHECKING:
    from bestofk.comparison.comparison import Comparison

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the data and the figure.")]


def demo(output: Folder = Path("bestofk-demo")) -> None:
    """Run a first search of two small models, and compare them.

    512 trials in a few seconds, recorded in a store (SQLite) in the folder, beside example data for
    the other commands; run again, it goes on where it stopped. Without the extra `search`, and
    on Windows, it shows the same searches as they were recorded.

    Example: bestofk demo
    """
    from bestofk._base.text import text_table
    from bestofk.cli.output import remark
    from bestofk.errors import (
        ArgumentError,
        DataError,
        MissingPackageError,
        UnsupportedPlatformError,
        on_command_line,
    )

    try:
        _write_data(output)
    except OSError as error:
        raise DataError(f"{output}: cannot be written: {error.strerror}.") from None
    remark(f"data for the examples of the help: {output / 'example.csv'} and others beside it")
    try:
        searches = _search(output)
        again = _following(output)
    except (MissingPackageError, UnsupportedPlatformError) as error:
        remark(f"no search, a recorded one instead: {error.text}")
        searches = recorded()
        again = f"compare {_quoted(output / 'moons.csv')} --score accuracy --by method"
    except ArgumentError:  # what is searched is fixed, so another version has begun it
        raise DataError(
            f"{output} must be of this version's demo; its searches differ. Remove the folder, or "
            "name another with --output."
        ) from None
    found = answer(searches)
    head, rows = found.table(every=False)
    words = [on_command_line(line) for line in found._first_lines()]
    typer.echo("\n".join([found.title, *text_table(head, rows), "", *words, ""]))
    try:
        typer.echo(f"figure: {draw(found, output / 'comparison.png')}")
    except MissingPackageError as error:
        remark(f"no figure: {error.text}")
    typer.echo(f"next:   {_program()} {again}")


def answer(searches: dict[str, Search]) -> Comparison:
    """Return the comparison that the demo ends with."""
    from bestofk.comparison.compare import compare

    # As far as 256 trials bound a median curve from above; the searches have seeds of their own.
    return compare(searches, budgets=range(1, 31), confidence=0.95, independent=True)


def draw(found: Comparison, path: Path) -> Path:
    """Draw the demo's figure into a file; where the curves cross is wide on a log axis."""
    from bestofk._base.chart import matplotlib

    return matplotlib.save([found.chart()], path, log_x=True)


def recorded() -> dict[str, Search]:
    """Return the searches of the demo as they were recorded."""
    from bestofk.sources.registry import read_all

    with as_file(files("bestofk.datasets") / "moons.csv") as path:
        return read_all(
            path, score="accuracy", by="method", number="number", bounds=(0, 1), sampling="iid"
        )


def _following(folder: Path) -> str:
    """Return a command to go on with: the page, if it is installed."""
    store = _quoted(folder / "bestofk.db")
    if all(find_spec(name) for name in ("jinja2", "starlette", "uvicorn")):
        return f"serve {store}"
    return f"status network --store {store}"


def _program() -> str:
    """Return how this program is called from here: by its name only if that is on the path."""
    called = Path(sys.argv[0])
    if shutil.which("bestofk") is not None:
        return "bestofk"
    if called.stem == "bestofk":
        return _quoted(_from_here(called))
    return f"{_quoted(sys.executable)} -m bestofk"


def _from_here(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)


def _quoted(path: str | Path) -> str:
    return quoted([str(path)])


def _search(folder: Path) -> dict[str, Search]:
    """Run a random search of each model on the half-moons."""
    from bestofk.datasets.moons import SPACES
    from bestofk.runner.run import run_search

    return {
        name: run_search(
            f"bestofk.datasets.moons:{name}",
            folder / f"{name}.toml",
            n_trials=256,
            seed=seed,  # their own, so that the searches are independent
            name=name,
            store=f"sqlite:///{folder / 'bestofk.db'}",
            score="accuracy",
            bounds=(0, 1),
            n_workers=min(os.cpu_count() or 1, 4),
            progress=True,
        )
        for seed, name in enumerate(SPACES, start=1)
    }


def _write_data(folder: Path) -> None:
    """Write recorded data, simulated attempts and repeats, and the spaces of the models."""
    from bestofk.datasets.attempts import simulated_attempts
    from bestofk.datasets.climbing import simulated_repeats
    from bestofk.datasets.moons import SPACES

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("sst5_cnn.csv", "sst5_lboe.csv", "repetitions.csv", "moons.csv", "example.csv"):
        text = (files("bestofk.datasets") / name).read_text(encoding="utf-8")
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["method"] == "svm"]
    used = ["number", "accuracy", "test_accuracy", "fit_seconds", "C", "gamma"]
    with (folder / "svm.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, used, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    (folder / "attempts.csv").write_text(simulated_attempts(), encoding="utf-8", newline="\n")
    (folder / "repeats.csv").write_text(simulated_repeats(), encoding="utf-8", newline="\n")
    for name, space in SPACES.items():
        (folder / f"{name}.toml").write_text(space, encoding="utf-8", newline="\n")
