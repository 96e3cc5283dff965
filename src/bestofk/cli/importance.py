"""``bestofk importance``: does a hyperparameter matter?"""

from __future__ import annotations

from typing import Annotated

import typer

from bestofk.cli.options import (
    DataOptions,
    Format,
    FormatOption,
    PlotOption,
    StatisticOption,
    parse_statistic,
    takes_data,
)
from bestofk.errors import ArgumentError


@takes_data
def importance(
    data: DataOptions,
    param: Annotated[
        str | None, typer.Option("--param", help="One hyperparameter; else all, ranked.")
    ] = None,
    default: Annotated[
        str | None, typer.Option("--default", help="Value it is left at; else a typical one.")
    ] = None,
    statistic: StatisticOption = "median",
    confidence: Annotated[float, typer.Option("--confidence", help="Joint confidence.")] = 0.8,
    axis: Annotated[
        str | None,
        typer.Option("--axis", help="trials or cost; cost if the trials have costs."),
    ] = None,
    format: FormatOption = Format.table,
    plot: PlotOption = None,
) -> None:
    """Say what is lost by leaving a hyperparameter at a value instead of tuning it.

    Without --param every hyperparameter is left at a typical value in turn, and they are ranked.

    Example: bestofk importance bestofk-demo/svm.csv --score accuracy --params C,gamma
    """
    from bestofk import importances
    from bestofk.cli import output
    from bestofk.sources.cells import to_param

    output.check_figure(plot)
    searches = list(data.searches().values())
    if len(searches) != 1:
        raise ArgumentError(
            f"importance looks at one method; got {len(searches)}: "
            f"{', '.join(repr(s.label) for s in searches)}. Give one file without --by."
        )
    if default is not None and param is None:
        raise ArgumentError("--default belongs to one hyperparameter: give --param too.")
    found = importances.importance(
        searches[0],
        param,
        default=None if default is None else to_param(default),
        confidence=confidence,
        statistic=parse_statistic(statistic),
        axis=axis,  # type: ignore[arg-type]
        failed=data.failed,  # type: ignore[arg-type]
    )
    headline = found.verdict if isinstance(found, importances.Importance) else None
    output.show([found], format, every=False, headline=headline)
    output.save([found], plot)
