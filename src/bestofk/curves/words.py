"""What a curve or a band says, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bestofk._base.caveat import Caveat, remedies
from bestofk._base.text import counted, format_number, percent
from bestofk._base.types import FloatArray, Statistic
from bestofk.numeric.noncrossing.snapping import Asked

# What says that nothing is known about how the trials were drawn.
ASSUMED = ("sampling-unknown", "sampler-unknown")
AT_REAL = "at all real budgets"
AT_TAIL = "from the worst quarter of the scores on"
IF_TAIL = "the hazard does not decrease in the tail (assumed)"
_FEW = 64
_SERIES = [m * 10.0**e for e in range(7) for m in (1, 2, 5)]


def budget_that_matters(most: float, budgets: FloatArray) -> float:
    """Return the largest of 1, 2, 5, 10, ... up to `most`, or what was asked for next to it.

    The scores have no say in `most`, so that what is said there is not chosen by the outcome.

    Examples
    --------
    >>> budget_that_matters(14.2, np.arange(1.0, 49.0))
    10.0
    >>> budget_that_matters(14.2, np.array([3.0, 7.0, 20.0]))
    7.0
    """
    wanted = max([k for k in _SERIES if k <= most], default=1.0)
    few = budgets.size <= _FEW  # those were chosen; more are a grid
    if (budgets == wanted).any() or (not few and budgets.min() <= wanted <= budgets.max()):
        return wanted
    within = budgets[budgets <= most]
    return float(within.max() if within.size else budgets.min())


def if_independent(caveats: Sequence[Caveat], also: str = "") -> tuple[str, str]:
    """Return the words before and after a statement that assumes independent draws, if it does.

    `also` is something else that it assumes.
    """
    open_ = [c for c in caveats if c.kind in ASSUMED and c.validity == "assumed"]
    ifs = [*(["the trials are independent draws (nothing says so)"] if open_ else []), also]
    assumed = " and ".join(part for part in ifs if part)
    return f"If {assumed}: " if assumed else "", remedies(open_)


def meaning_of(statistic: Statistic, of: str = "") -> str:
    """Return what the values of a curve are: "median of the best of k".

    Examples
    --------
    >>> meaning_of("mean", "test score "), meaning_of(0.9)
    ('mean test score of the best of k', '0.9-quantile of the best of k')
    """
    if isinstance(statistic, float):
        return f"{format_number(statistic)}-quantile of the best of k"
    return f"{statistic} {of}of the best of k"


def what_of(meaning: str, budget: float) -> str:
    """Return what a value is: "median best of 10 trials".

    Examples
    --------
    >>> what_of("median of the best of k", 1.0), what_of("0.9-quantile of the best of k", 10.0)
    ('median best of 1 trial', '0.9-quantile of the best of 10 trials')
    """
    if "best of k different" in meaning:  # settings of a grid
        return meaning.replace("best of k", f"best of {format_number(budget)}")
    trials = counted(budget, "trial")
    short = meaning.removesuffix(" of the best of k")
    if short in ("median", "mean"):
        return f"{short} best of {trials}"
    return meaning.replace("best of k", f"best of {trials}")


def held_over(asked: Asked | None) -> str:
    """Return over which budgets a band holds, in a few words.

    Examples
    --------
    >>> held_over(None), held_over(Asked("range", 0.5, (1.0, 4.8)))
    ('over all budgets', 'over budgets from 1 to 4.8')
    """
    if asked is None or asked.simultaneous == "whole":
        return "over all budgets"
    if asked.simultaneous == "listed":
        return "over the listed budgets"
    first, last = format_number(asked.budgets[0]), format_number(asked.budgets[-1])
    return f"over budgets from {first} to {last}"


def holds_for(asked: Asked) -> str:
    """Return at which budgets a band holds together, in words.

    Examples
    --------
    >>> holds_for(Asked("whole", 0.5)), holds_for(Asked("range", 0.5, (1.0, 4.8)))
    ('at all whole budgets', 'at all budgets from 1 to 4.8')
    """
    if asked.simultaneous == "whole":
        return "at all whole budgets"
    first, last = format_number(asked.budgets[0]), format_number(asked.budgets[-1])
    if asked.simultaneous == "range":
        return f"at all budgets from {first} to {last}"
    if len(asked.budgets) == 1:
        return f"at a budget of {first}"
    return f"at {len(asked.budgets)} listed budgets, {first} to {last}"


def band_sentence(
    what: str,
    lower: float,
    estimate: float,
    upper: float,
    confidence: float,
    over: str = "over all budgets",
) -> str:
    """Return the estimate with its band at one budget, which holds `over` some."""
    low, middle, high = map(format_number, (lower, estimate, upper))
    over = f"{percent(confidence)} band {over}"
    colon = over + ":"
    if lower == -math.inf and upper == math.inf:
        said = f"{colon} not bounded"
    elif upper == math.inf:
        said = f"{colon} at least {low}"
    elif lower == -math.inf:
        said = f"{colon} at most {high}"
    else:
        said = f"{over} {low} to {high}"
    return f"{what}: {middle} ({said})."


def complete_sentence(what: str, value: float, n: int) -> str:
    """Return a value of the curve of a grid of which every setting was run."""
    return f"{what}: {format_number(value)} (all {n:,} were run: the curve has no error)."


def reach_sentence(reach: float, n: int, direction: str, declared: float) -> str:
    """Return up to which budget the trials bound how good the best may be.

    `declared` is the bound of the scores on that side, infinite if there is none.
    """
    trials, s = (f"{n} trials", "") if n > 1 else ("1 trial", "s")
    side = "above" if direction == "maximize" else "below"
    if math.isinf(reach):
        return f" {trials} bound{s} it from {side} at every budget."
    if reach < 1 and math.isfinite(declared):
        return f" From {side}, {trials} say{s} no more than the bound of {format_number(declared)}."
    if reach < 1:
        return f" {trials} cannot bound it from {side}, not even for 1 trial."
    return f" {trials} bound{s} it from {side} up to a budget of {format_number(np.floor(reach))}."


def tail_sentence(n: int, direction: str, at: float, bound: float, own_reach: float) -> str:
    """Return how far the trials bound the curve with and without the assumption.

    Examples
    --------
    >>> tail_sentence(48, "maximize", 192.0, 0.543, 8.15)
    ' 48 trials bound it from above at every budget, at 192 trials by 0.543; without that \
assumption, up to a budget of 8.'
    """
    side = "above" if direction == "maximize" else "below"
    reach = math.floor(own_reach) if math.isfinite(own_reach) else own_reach
    alone = (
        "at every budget too"
        if math.isinf(own_reach)
        else "not even for 1 trial"
        if reach < 1
        else f"up to a budget of {format_number(reach)}"
    )
    return (
        f" {counted(n, 'trial')} bound it from {side} at every budget, at "
        f"{counted(at, 'trial')} by {format_number(bound)}; without that assumption, {alone}."
    )
