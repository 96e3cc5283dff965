"""At which budgets a band of repeats is made: a list that the scores have no say in."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.text import counted, format_number
from bestofk._base.types import Axis, FloatArray, Sides
from bestofk.errors import ArgumentError, arg
from bestofk.numeric import repeats as numeric
from bestofk.repeats.repeats import SLACK, Repeats

MOST = 10  # budgets in a list that nobody stated


def default_list(planned: int, size: int) -> FloatArray:
    """Return about geometric whole numbers, `size` of them or fewer, up to the planned length.

    Examples
    --------
    >>> default_list(64, 10)
    array([ 2.,  3.,  4.,  6.,  9., 13., 19., 28., 42., 64.])
    >>> default_list(64, 3), default_list(4, 10)
    (array([ 4., 16., 64.]), array([1., 2., 3., 4.]))
    """
    size = min(size, planned)
    found: list[int] = []
    for left in range(size, 0, -1):
        before = found[-1] if found else 1
        # Each step at the ratio that those to come need; the last one ends at the planned length.
        step = round(before * (planned / before) ** (1 / left))
        found.append(min(max(step, before + 1 if found else 1), planned - left + 1))
    return np.array(found, dtype=np.float64)


def affordable(n_repeats: int, q: float | None, alpha: float, sides: Sides) -> int:
    """Return how many budgets a list has that nobody stated: as many as R repeats afford, up to 10.

    If they cannot have both ends at any budget, as many as they can have one at.  Ten if they can
    have none, where only estimates are shown, and for a mean (None), which has ends at any number.

    Examples
    --------
    >>> [affordable(n, 0.5, 0.05, "both") for n in (3, 6, 8, 20)], affordable(20, 0.9, 0.05, "both")
    ([10, 1, 6, 10], 10)
    """
    if q is None:
        return MOST
    found = numeric.affordable(n_repeats, q, alpha, sides)
    if not found and sides == "both" and q != 0.5:
        found = max(numeric.affordable(n_repeats, q, alpha, side) for side in ("lower", "upper"))
    return min(found, MOST) or MOST


def listed_budgets(
    repeats: Repeats, budgets: ArrayLike | None, axis: Axis, size: int
) -> FloatArray:
    """Return the list of budgets, ascending and each once: as stated, or by the planned length."""
    if budgets is None:
        if axis == "cost":
            raise ArgumentError(
                f"{arg('axis', 'cost')} needs a list of {arg('budgets')}: total costs, chosen "
                "before looking at what the searches cost."
            )
        return default_list(repeats.n_planned, size)
    wanted = np.unique(arguments.budgets(budgets))
    refuse_fractions(wanted, axis)
    return wanted


def refuse_fractions(budgets: FloatArray, axis: Axis) -> None:
    """Raise unless budgets that are numbers of trials are whole."""
    bad = budgets[budgets != np.floor(budgets)]
    if axis == "trials" and bad.size:
        raise ArgumentError(
            argument="budgets", must="be whole numbers of trials", got=f"{bad[0]:g}"
        )


def common_end(repeats: Repeats, axis: Axis) -> float:
    """Return the budget up to which every repeat is known."""
    return float(repeats.lengths.min() if axis == "trials" else repeats.totals.min())


def within(repeats: Repeats, budgets: FloatArray, axis: Axis) -> NDArray[np.bool_]:
    """Tell which budgets every repeat is known at; refuse a list without any."""
    end = common_end(repeats, axis)
    kept = budgets <= end * (1 + SLACK)
    if not kept.any():
        what = counted(end, "trial") if axis == "trials" else f"a cost of {format_number(end)}"
        raise ArgumentError(
            argument="budgets",
            must=f"hold one that every repeat reaches, at most {what}",
            got=format_number(float(budgets.min())),
            remedy=f"{arg('unequal', 'interval')} goes on where some have ended."
            if budgets.min() <= ending(repeats, axis)
            else "",
        )
    return kept


def refuse_beyond(repeats: Repeats, budgets: FloatArray, axis: Axis) -> None:
    """Raise if a repeat has ended before one of the budgets."""
    end = common_end(repeats, axis)
    if budgets.size and budgets.max() > end * (1 + SLACK):
        raise ArgumentError(
            argument="budgets",
            must=f"be at most {format_number(end)}, where the first repeat ends",
            got=format_number(float(budgets.max())),
            remedy=f"{arg('unequal', 'interval')} goes on.",
        )


def ending(repeats: Repeats, axis: Axis) -> float:
    """Return the largest budget that any repeat is known at."""
    return float(repeats.lengths.max() if axis == "trials" else repeats.totals.max())
