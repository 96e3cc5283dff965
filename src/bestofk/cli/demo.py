"""``bestofk demo``: a first search and its answer, and data for the examples of the help."""

from __future__ import annotations

import csv
import os
import shutil
import sys
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

from bestofk.scores.search import Search

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the data and the figure.")]


def demo(output: Folder = Path("bestofk-demo")) -> None:
    """Run a first search of two small models, and compare them.

    256 trials in a few seconds, recorded in a store (SQLite) in the folder, beside example data for
    the other commands; run again, it goes on where it stopped. Without the extra `search`, it
    compares a recorded search instead.

    Example: bestofk demo
    """
    from bestofk import datasets
    from bestofk.cli.output import remark, show
    from bestofk.comparison import compare
    from bestofk.errors import DataError, MissingPackageError

    try:
        data = _write_data(output)
    except OSError as error:
        raise DataError(f"{output}: cannot be written: {error.strerror}.") from None
    store = f"sqlite:///{output / 'bestofk.db'}"
    try:
        searches = _search(output, store)
        again = f"status ridge --store {store}"
    except MissingPackageError as error:
        remark(f"no search, a recorded one instead: {error.text}")
        searches = datasets.load_example()
        again = f"compare {data} --score accuracy --by method"
    found = compare.compare(searches, confidence=0.95)
    show([found], "table", every=False)
    try:
        from bestofk._base.chart import matplotlib

        typer.echo(f"\nfigure: {matplotlib.save([found.chart()], output / 'comparison.png')}")
    except MissingPackageError as error:
        remark(f"no figure: {error.text}")
    typer.echo(f"data:   {data} (two recorded searches, svm and forest)")
    typer.echo(f"next:   {_program()} {again}")


def _program() -> str:
    """Return how this program is called from here: by its name only if that is on the path."""
    called = Path(sys.argv[0])
    if shutil.which("bestofk") is not None or called.name != "bestofk":
        return "bestofk"
    return os.path.relpath(called)


def _search(folder: Path, store: str) -> dict[str, Search]:
    """Run a random search of each model on the half-moons."""
    from bestofk.datasets.moons import SPACES
    from bestofk.runner.run import run_search

    return {
        name: run_search(
            f"bestofk.datasets.moons:{name}",
            folder / f"{name}.toml",
            n_trials=128,
            seed=seed,  # their own, so that the searches are independent
            name=name,
            store=store,
            score="accuracy",
            bounds=(0, 1),
            n_workers=min(os.cpu_count() or 1, 4),
            progress=True,
        )
        for seed, name in enumerate(SPACES, start=1)
    }


def _write_data(folder: Path) -> Path:
    """Write recorded data, simulated attempts and repeats, and the spaces of the models."""
    from bestofk.datasets.attempts import simulated_attempts
    from bestofk.datasets.climbing import simulated_repeats
    from bestofk.datasets.moons import SPACES

    folder.mkdir(parents=True, exist_ok=True)
    for name in ("sst5_cnn.csv", "sst5_lboe.csv", "repetitions.csv", "example.csv"):
        text = (files("bestofk.datasets") / name).read_text(encoding="utf-8")
        (folder / name).write_text(text, encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["method"] == "svm"]
    used = ["number", "accuracy", "test_accuracy", "fit_seconds", "C", "gamma"]
    with (folder / "svm.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, used, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    (folder / "attempts.csv").write_text(simulated_attempts(), encoding="utf-8")
    (folder / "repeats.csv").write_text(simulated_repeats(), encoding="utf-8")
    for name, space in SPACES.items():
        (folder / f"{name}.toml").write_text(space, encoding="utf-8")
    return folder / "example.csv"
