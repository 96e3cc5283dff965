"""`plot`: several results in one figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from bestofk._base.result import Drawn
from bestofk._base.types import Scale
from bestofk.errors import ArgumentError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot(
    results: Drawn | Iterable[Drawn] | Mapping[str, Drawn],
    ax: Axes | None = None,
    *,
    log_x: bool | None = None,
    scale: Scale | None = None,
) -> Axes:
    """Draw several curves or bands together, and return the matplotlib Axes.

    Parameters
    ----------
    results : result, or several
        What `tuning_curve`, `tuning_band` and the like return, with the same horizontal axis.
    ax, log_x, scale
        As in the `plot` of a result.

    Returns
    -------
    matplotlib Axes
        What was drawn on.

    Examples
    --------
    >>> from bestofk import tuning_curve
    >>> curves = [tuning_curve([0.7, 0.9], budgets=[1, 2]), tuning_curve([0.8, 0.85, 0.9])]
    >>> plot(curves).get_xlabel()
    'budget (number of trials)'
    """
    from bestofk._base.chart import matplotlib

    several = [results] if isinstance(results, Drawn) else results
    several = list(several.values() if isinstance(several, Mapping) else several)
    other = next((one for one in several if not isinstance(one, Drawn)), None)
    if other is not None:
        raise ArgumentError(
            argument="results",
            must="be results with a figure, as tuning_curve or tuning_band return them",
            got=f"a {type(other).__name__}",
        )
    drawn: Axes = matplotlib.plot([r.chart() for r in several], ax, log_x=log_x, scale=scale)
    return drawn
