"""Why a bound that is shown is infinite, and the way out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.text import counted, format_number
from bestofk._base.types import BANDS, FloatArray, Statistic
from bestofk.errors import marked
from bestofk.scores.scores import Scores

if TYPE_CHECKING:
    from bestofk.curves.band import Band

_RAREST = math.log(2) / 1000  # of a trial beyond the bound: `plan` refuses ever rarer ones


def why_infinite(band: Band) -> tuple[Caveat, ...]:
    """Return why a bound of a band is infinite that was asked for, if one is.

    The band of a mean has a caveat of its own.
    """
    if band.is_void or band.statistic == "mean":
        return ()
    shown = {"below": ("lower", band.lower), "above": ("upper", band.upper)}
    asked = {side: part for side, (name, part) in shown.items() if band.sides in ("both", name)}
    open_ = [side for side, part in asked.items() if np.isinf(part).any()]
    few = f"{counted(band.n, 'trial')} {'is' if band.n == 1 else 'are'} too few to bound"
    more = "more trials bound it too"
    far = "above" if band.direction == "maximize" else "below"
    usual = band.simultaneous == "whole" and band.band == BANDS[0] and band.scores.grid is None
    if far in open_ and usual:
        most = float(band.budgets.max())
        more = planned(most, band.confidence, band.statistic, band.direction, "it")
    why = f"{few} the curve from {' and '.join(open_)}"
    return unbounded(why, [band.scores], [*asked.values()], more)


def unbounded(
    why: str, samples: Sequence[Scores], shown: Sequence[FloatArray], more: str = ""
) -> tuple[Caveat, ...]:
    """Return why bounds among those `shown` are infinite, if any is, and what to do about it.

    Nothing is said of samples with infinite scores: these may be what is shown.

    Parameters
    ----------
    why : str
        Why, as a sentence without its full stop.
    samples : sequence of Scores
        What the bounds come from.
    shown : sequence of array
        The bounds.
    more : str
        What to do if the scores have no limits.
    """
    if not any(np.isinf(part).any() for part in shown):
        return ()
    if any(np.isinf(s.sorted_values).any() for s in samples):
        return ()
    if all(s.sorted_values[0] >= 0 and s.sorted_values[-1] <= 1 for s in samples):
        limits = marked("bounds=(0, 1)", "--bounds 0,1", "bounds 0 and 1")
        remedy = f"if no score can leave 0 to 1, pass {limits}"
    else:
        limits = marked("bounds=(low, high)", "--bounds LOW,HIGH", "bounds")
        remedy = f"if no score can leave some limits, pass {limits}"
    remedy += f"; {more}" if more else ""
    return (Caveat(kind="unbounded", text=f"where the table says inf, {why}", remedy=remedy),)


def planned(
    budget: float, confidence: float, statistic: Statistic, direction: str, curve: str
) -> str:
    """Return what says how many trials bound a curve up to a budget, with the options it takes.

    A plan is about the side of the better scores: a small quantile may take more on the other one.

    Examples
    --------
    >>> from bestofk.errors import on_command_line
    >>> on_command_line(planned(20.0, 1 - 0.05 / 3, "median", "maximize", "it"))
    'bestofk plan --budget 20 --confidence 0.9834 says how many trials bound it from above'
    """
    q = statistic if isinstance(statistic, float) else 0.5
    rare = -math.log(q if direction == "maximize" else 1 - q) / budget
    if rare < _RAREST:
        return f"more trials bound {curve} too"
    given = {"budget": format_number(math.ceil(budget))}
    if confidence != 0.95:
        level = math.ceil(confidence * 1e4 - 1e-6) / 1e4  # not less than is needed
        given["confidence"] = str(level if level < 1 else confidence)
    if statistic != "median":
        given["statistic"] = f"{statistic:g}"
    python = [f"{name}={value}" for name, value in given.items()]
    options = [f"--{name} {value}" for name, value in given.items()]
    if direction != "maximize":
        python.append(f'direction="{direction}"')
        options.append(f"--direction {direction}")
    called = marked(
        f"bk.plan({', '.join(python)})", f"bestofk plan {' '.join(options)}", "the page Plan"
    )
    side = "above" if direction == "maximize" else "below"
    return f"{called} says how many trials bound {curve} from {side}"
