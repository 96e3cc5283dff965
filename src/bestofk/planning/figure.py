"""The figures of plans, of power and of more trials, as plain data."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.chart.data import Chart, Series
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import FloatArray
from bestofk.numeric.more_trials import matched

if TYPE_CHECKING:
    from bestofk.planning.more_trials import MoreTrials
    from bestofk.planning.plan import Plan
    from bestofk.planning.power import Power

_POINTS, _FEWER = 16, 7  # numbers of trials that a figure evaluates, and if each takes long
_SLOW = 4096  # trials from which one number takes a tenth of a second
_HUGE = 2**14
_FURTHER = 49  # numbers of further trials
_EACH = "number of trials of each method"


def numbers_around(trials: int, most: int, *, slow: bool) -> NDArray[np.int64]:
    """Return numbers of trials from a quarter of `trials` to twice that many, fewer if `slow`.

    Examples
    --------
    >>> numbers_around(16, 1000, slow=True)
    array([ 4,  6,  8, 11, 16, 23, 32])
    """
    points = _FEWER if slow else _POINTS
    ends = max(1.0, trials / 4), float(min(2 * trials, max(most, trials)))
    found = np.round(np.geomspace(*ends, points)).astype(np.int64)
    whole: NDArray[np.int64] = np.unique(np.append(found, trials))
    return whole


def plan_chart(plan: Plan, reach_of: Callable[[int], float], most: int) -> Chart:
    """Return up to which budget each number of trials bounds the curve."""
    numbers = numbers_around(plan.trials, most, slow=plan.trials > _SLOW)
    if plan.trials > _HUGE and plan.simultaneous != "real":  # seconds for each: what costs little
        numbers = np.array([plan.trials // 256, plan.trials // 64, plan.trials])
    reach = np.array([plan.reach if n == plan.trials else reach_of(int(n)) for n in numbers])
    side = "above" if plan.direction == "maximize" else "below"
    here = arguments.fixed(np.array([float(plan.trials)]))
    label = f"{counted(plan.trials, 'trial')}: up to {format_number(np.floor(plan.reach))}"
    return Chart(
        x_label="number of trials",
        what="largest budget bounded",
        band=f"from {side}, {percent(plan.confidence)} confidence",
        series=(
            Series.of("reach", numbers.astype(np.float64), reach),
            Series.of(label, here, np.array([plan.reach])),
        ),
        log_x=False,
        base=plan.budget,
    )


def power_chart(power: Power, numbers: NDArray[np.int64], chances: FloatArray) -> Chart:
    """Return the chance of a certified difference by number of trials, and what is wanted.

    `chances` has a row for each of the numbers: the chance, and the ends of the range that
    resampled pilots give, NaN where there is none.
    """
    second = power.second_wins > power.first_wins
    who = power.second if second else power.first
    chance = max(power.first_wins, power.second_wins)
    middle, low, high = chances.T
    middle = np.where(numbers == power.trials, chance, middle)
    x = numbers.astype(np.float64)
    ranged = not power.is_void and not np.isnan(low).any()
    sides = {"lower": low, "upper": high} if ranged else {}
    wanted = "" if power.wanted is None else f"wanted: {percent(power.wanted)}"
    label = f"{counted(power.trials, 'trial')}: {100 * chance:.0f} %"
    return Chart(
        x_label=_EACH,
        what=f"chance that {who} is certified better",
        band="middle 80 % of resampled pilots" if ranged else "",
        series=(
            Series.of(f"compared at {counted(power.budget, 'trial')}", x, middle, **sides),
            Series.of(label, np.array([float(power.trials)]), np.array([chance])),
        ),
        log_x=False,
        base=power.wanted,
        said=wanted,
    )


def more_trials_chart(found: MoreTrials) -> Chart:
    """Return the chance of a better score by number of further trials, and what they reach."""
    if found.is_void:
        line = Series.of(found.label, found.ranks, found.ranked)
        return Chart(x_label="rank", what="score so far", series=(line,))
    left = found.scores.grid - found.n if found.scores.grid is not None else 10 * found.more
    ends = max(1.0, found.more / 8), float(max(found.more, min(8 * found.more, left)))
    grid = np.unique(np.round(np.geomspace(*ends, _FURTHER)))
    further = np.union1d(grid, [float(found.more)])
    reached = np.array([_reached(found, int(m)) for m in further])
    here, label = np.array([float(found.more)]), f"{found.more:,} more"
    share = percent(found.wanted)
    x_label = "number of further trials"
    return Chart(
        x_label=x_label,
        what="chance of a better score than the best so far, at most",
        series=(
            Series.of(found.label, further, further / (found.n + further)),
            Series.of(
                f"{label}: {percent(round(found.beaten, 3))}", here, np.array([found.beaten])
            ),
        ),
        log_x=True,
        below=Chart(
            x_label=x_label,
            what="best of the further trials, at least",
            band=f"{share} prediction bound",
            series=(Series.of("at least", further, reached, step=True),),
            log_x=True,
            base=float(found.ranked[0]),
            said=f"line: best of {found.n:,} so far",
        ),
    )


def _reached(found: MoreTrials, more: int) -> float:
    """Return the best score so far that is matched as often as wanted; NaN if none is."""
    enough = np.flatnonzero(matched(found.n, more) >= found.wanted - 1e-12)
    return float(found.ranked[enough[0]]) if enough.size else np.nan
