"""``bestofk importance``: does a hyperparameter matter?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from bestofk.cli import options as opts
from bestofk.errors import ArgumentError, DataError
from bestofk.scores.search import Search


@opts.takes_data
def importance(
    data: opts.DataOptions,
    param: Annotated[
        str | None, opts.opt("One hyperparameter, or column with one. Default: all, ranked.")
    ] = None,
    default: Annotated[
        str | None, opts.opt("Look at this value of it only. Default: all its values.")
    ] = None,
    budget: Annotated[
        float | None,
        opts.opt("Number of trials searched. Default: 10, or fewer if the trials are few."),
    ] = None,
    statistic: Annotated[str, opts.opt("median, or a quantile such as 0.9.")] = "median",
    confidence: opts.JointConfidence = 0.95,
    format: opts.FormatOption = "table",
    plot: opts.PlotOption = None,
) -> None:
    """Say what a hyperparameter left at a bad value costs.

    Each hyperparameter is left at each of its values in turn while the others are searched. They
    are ranked by the largest loss, with intervals that hold together.

    Example: bestofk importance bestofk-demo/svm.csv --score accuracy --params C,gamma
    """
    from bestofk.cli import output
    from bestofk.comparison import importance
    from bestofk.sources.files.cells import to_param

    output.check_figure(plot)
    searches = list(_searches(data, param).values())
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
        budget=budget,
        confidence=confidence,
        statistic=opts.parse_statistic(statistic),
        failed=data.failed,
    )
    output.show([found], format, every=False)
    output.save([found], plot)
    output.refuse_void([found], strict=data.strict)


def _searches(data: opts.DataOptions, param: str | None) -> dict[str, Search]:
    """Read the files; a column that --param names is a hyperparameter, said so or not."""
    named = [] if data.params is None else data.params.split(",")
    if param is None or param in named:
        return data.searches()
    wider = replace(data, params=",".join([*named, param]))
    try:
        found = data.searches()
    except (ArgumentError, DataError):  # perhaps for want of it: more than one column of numbers
        return wider.searches()
    if all(param in search.params for search in found.values()):
        return found
    try:
        return wider.searches()
    except ArgumentError:  # no such column
        if any(search.params for search in found.values()):
            return found  # `importance` lists those that there are
        raise
