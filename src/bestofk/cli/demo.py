"""``bestofk demo``: the first answer, on data that come with the package."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the data and the figure.")]


def demo(output: Folder = Path("bestofk-demo")) -> None:
    """Compare two methods on a random search that comes with bestofk.

    Writes the data and a figure into a folder, and prints what they say.

    Example: bestofk demo
    """
    from bestofk import comparison, datasets
    from bestofk.cli.options import Format
    from bestofk.cli.output import remark, show
    from bestofk.errors import DataError, MissingPackageError

    try:
        data = _write_data(output)
    except OSError as error:
        raise DataError(f"{output}: cannot be written: {error.strerror}.") from None
    found = comparison.compare(datasets.load_example(), confidence=0.95)
    show([found], Format.table, every=False, headline=f"\n{found.verdict}\n")
    try:
        from bestofk import plotting

        typer.echo(f"\nfigure: {plotting.save_plot(found, output / 'comparison.png')}")
    except MissingPackageError as error:
        remark(f"no figure: {error}")
    typer.echo(f"data:   {data}")
    typer.echo(f"again:  bestofk compare {data} --score accuracy --by method --confidence 0.95")


def _write_data(folder: Path) -> Path:
    """Write the recorded search, both methods in one file and the SVM alone in another."""
    folder.mkdir(parents=True, exist_ok=True)
    text = (files("bestofk.datasets") / "example.csv").read_text(encoding="utf-8")
    (folder / "example.csv").write_text(text, encoding="utf-8")
    rows = [row for row in csv.DictReader(text.splitlines()) if row["method"] == "svm"]
    used = ["number", "accuracy", "test_accuracy", "fit_seconds", "C", "gamma"]
    with (folder / "svm.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, used, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return folder / "example.csv"
