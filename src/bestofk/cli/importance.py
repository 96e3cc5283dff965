"""``bestofk importance``: does a hyperparameter matter?"""

from __future__ import annotations

from typing import Annotated

from bestofk._base.types import Axis
from bestofk.cli import options as opts
from bestofk.errors import ArgumentError


@opts.takes_data
def importance(
    data: opts.DataOptions,
    param: Annotated[str | None, opts.opt("One hyperparameter. Default: all, ranked.")] = None,
    default: Annotated[str | None, opts.opt("Value it is left at. Default: a typical one.")] = None,
    statistic: opts.StatisticOption = "median",
    confidence: opts.JointConfidence = 0.95,
    axis: Annotated[
        Axis | None, opts.opt("Equal trials or equal cost. Default: cost if there are.")
    ] = None,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say what is lost by leaving a hyperparameter untuned.

    Without --param every hyperparameter is left at a typical value in turn, and they are ranked.

    Example: bestofk importance bestofk-demo/svm.csv --score accuracy --params C,gamma
    """
    from bestofk.cli import output
    from bestofk.comparison import importance
    from bestofk.sources.files.cells import to_param

    output.check_figure(plot)
    searches = list(data.searches().values())
    if len(searches) != 1:
        raise ArgumentError(
            f"importance looks at one method; got {len(searches)}: "
            f"{', '.join(repr(s.label) for s in searches)}. Give one file without --by; of a store "
            "with several searches, what bestofk export writes of one."
        )
    if default is not None and param is None:
        raise ArgumentError("--default belongs to one hyperparameter: give --param too.")
    found = importance.importance(
        searches[0],
        param,
        default=None if default is None else to_param(default),
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        axis=axis,
        failed=data.failed,
    )
    headline = getattr(found, "verdict", None)
    output.show([found], format, every=False, headline=headline)
    output.save([found], plot)
