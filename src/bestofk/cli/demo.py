"""``bestofk demo``: the first answer, on data that come with the package."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

if TYPE_CHECKING:
    from bestofk.curves import Curve

Folder = Annotated[Path, typer.Option("--output", "-o", help="Folder for the data and the figure.")]


def demo(output: Folder = Path("bestofk-demo")) -> None:
    """Show two tuning curves on a random search that comes with bestofk.

    Writes the data (example.csv) and a figure into a folder, and prints what they say.

    Example: bestofk demo
    """
    from bestofk import curves, datasets
    from bestofk.cli.options import Format
    from bestofk.cli.output import remark, show
    from bestofk.errors import DataError, MissingPackageError

    data = output / "example.csv"
    try:
        output.mkdir(parents=True, exist_ok=True)
        data.write_bytes((files("bestofk.datasets") / "example.csv").read_bytes())
    except OSError as error:
        raise DataError(f"{output}: cannot be written: {error.strerror}.") from None
    searches = datasets.load_example()
    found = [curves.tuning_curve(search) for search in searches.values()]
    show(found, Format.table, every=False)
    typer.echo("\n" + _verdict(found[0], found[1]))
    try:
        from bestofk import plotting

        typer.echo(f"\nfigure: {plotting.save_plot(found, output / 'tuning-curves.png')}")
    except MissingPackageError as error:
        remark(f"no figure: {error}")
    typer.echo(f"data:   {data}")
    typer.echo(f"again:  bestofk curve {data} --score accuracy --by method")


def _verdict(a: Curve, b: Curve) -> str:
    """Say who leads where, by the point estimates."""
    ahead = np.sign(a.values - b.values)
    names = {1.0: a.label, -1.0: b.label, 0.0: "neither"}
    changes = [0, *(np.flatnonzero(np.diff(ahead)) + 1).tolist()]
    parts = [f"from {int(a.budgets[i])} trials on {names[ahead[i]]} leads" for i in changes[1:]]
    first = f"With a budget of 1 trial, {names[ahead[0]]} leads"
    return "; ".join([first, *parts]) + " (medians of the best accuracy, point estimates)."
