"""How many repeats of a whole search: what a band at so many budgets takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.result import Result
from bestofk._base.text import counted, percent
from bestofk._base.types import SIDES, Direction, FloatArray, Sides, Statistic
from bestofk.errors import ArgumentError, arg
from bestofk.numeric import repeats as numeric
from bestofk.repeats import words

_SHOWN = (1, 2, 5, 10, 20, 50)
_MOST_BUDGETS = 10_000
_MOST_REPEATS = 100_000
_INDEPENDENT = Caveat(
    kind="independent-repeats",
    text="the repeats must be independent searches: a new seed for each, nothing shared",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RepeatsPlan(
    Result,
    facts="label n=repeats statistic direction confidence sides n_budgets needed affordable "
    "lower_rank upper_rank coverage verdict",
    columns="budgets=shown repeats=shown_needed coverage_then=shown_coverage",
):
    """How many repeats of a whole search bound what it reaches, at how many budgets together.

    Attributes
    ----------
    repeats : int
        The number of repeats: as given, or `needed`.
    n_budgets : int
        The number of budgets at which the band is to hold together.
    needed : int
        The smallest number of repeats with which it does.
    affordable : int
        At how many budgets `repeats` would hold together; 0 if at none.
    lower_rank, upper_rank : int or None
        Which of the ordered values of so many repeats are the ends at the last budget; None if
        that end is missing.
    coverage : float or None
        The exact confidence of all budgets together, at least; None if nothing is bounded.
    shown, shown_needed, shown_coverage : array
        For other numbers of budgets: the repeats that are needed, and the exact confidence.
    """

    schema: ClassVar[int] = 1
    label: ClassVar[str] = "plan"
    direction: ClassVar[Direction] = "maximize"

    repeats: int
    statistic: Statistic
    confidence: float
    sides: Sides
    n_budgets: int
    needed: int
    affordable: int
    lower_rank: int | None
    upper_rank: int | None
    coverage: float | None
    shown: FloatArray
    shown_needed: FloatArray
    shown_coverage: FloatArray
    caveats: tuple[Caveat, ...] = (_INDEPENDENT,)

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        sure, name = percent(self.confidence), f"the {words.name_of(self.statistic)}"
        if self.affordable < self.n_budgets:
            found = words.too_few(
                self.repeats, self.statistic, self.confidence, self.n_budgets, self.sides
            )
            return found.removesuffix(words.SHOWN) + self._one_sided
        assert self.coverage is not None
        many = self.n_budgets > 1
        kind = "band" if many else "interval"
        kind = kind if self.sides == "both" else f"{self.sides} bound"
        where = f"{counted(self.n_budgets, 'budget')} together" if many else "one budget"
        ends = " to ".join(str(r) for r in (self.lower_rank, self.upper_rank) if r is not None)
        sure_by = self.coverage if self.coverage > 0.99 else round(self.coverage, 3)
        first = (
            f"{counted(self.repeats, 'repeat')} give a {sure} {kind} for {name} at {where} "
            f"({percent(sure_by)} in fact): {'at the last, ' if many else ''}"
            f"rank {ends} of their ordered values."
        )
        if self.repeats > self.needed:
            return f"{first} {self.needed} are enough for that."
        one = numeric.needed(self._level, 1 - self.confidence, 1, self.sides)
        return f"{first} {one} are enough for one." if many and one < self.repeats else first

    @property
    def _level(self) -> float:
        q = arguments.statistic(self.statistic)[1]
        assert q is not None
        return q

    @property
    def _one_sided(self) -> str:
        """Say that one side is bounded though not both, if so."""
        if self.coverage is None:
            return ""
        side = "below" if self.upper_rank is None else "above"
        return f" They bound it from {side} only."

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"RepeatsPlan: {words.name_of(self.statistic)} over repeats, "
            f"{percent(self.confidence)}, {counted(self.repeats, 'repeat')} at "
            f"{counted(self.n_budgets, 'budget')}"
        )

    def _headlines(self) -> list[str]:
        return [self.verdict]


def plan_repeats(
    budgets: int | ArrayLike = 1,
    *,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    sides: Sides = "both",
    repeats: int | None = None,
) -> RepeatsPlan:
    """Say how many repeats of a whole search are needed to bound what it reaches.

    Exact for any sampler and any scores, before the first trial is run.

    Parameters
    ----------
    budgets : int or array_like
        At how many budgets the band is to hold together, or a list of them.
    confidence : float
        Confidence level of all of them together.
    statistic : "median" or float
        What is to be bounded: the median over repeats, or another quantile.
    sides : {"both", "lower", "upper"}
        On which sides.
    repeats : int, optional
        The number of repeats at hand.  By default, as many as are needed.

    Returns
    -------
    RepeatsPlan
        With `verdict`, `needed`, `affordable`, `lower_rank`, `upper_rank` and `coverage`.

    Examples
    --------
    >>> plan_repeats(10)
    9 repeats give a 95 % band for the median at 10 budgets together (96.1 % in fact): at the \
last, rank 1 to 9 of their ordered values. 6 are enough for one.
    RepeatsPlan: median over repeats, 95 %, 9 repeats at 10 budgets
    budgets  repeats  coverage_then
          1        6         0.9688
          2        7         0.9688
          5        8         0.9609
         10        9         0.9609
         20       10         0.9512
         50       11         0.9512
    ! the repeats must be independent searches: a new seed for each, nothing shared
    >>> print(plan_repeats(repeats=5).verdict)
    5 repeats cannot give a 95 % interval for a median: 6 are needed for one budget, 9 for ten.
    """
    level = arguments.confidence(confidence)
    name, q = arguments.statistic(statistic)
    if q is None:
        raise ArgumentError(
            "a mean has no number of repeats from which on it is bounded: its interval narrows "
            f"with every one. Pass {arg('statistic', 'median')} or a quantile."
        )
    which = arguments.choice("sides", sides, SIDES)
    if isinstance(budgets, Sequence) or (isinstance(budgets, np.ndarray) and budgets.ndim):
        size = int(np.unique(arguments.budgets(budgets)).size)
    else:
        size = arguments.whole("budgets", budgets, most=_MOST_BUDGETS)
    alpha = 1 - level
    needed = numeric.needed(q, alpha, size, which)
    if needed > _MOST_REPEATS:
        raise ArgumentError(
            argument="statistic",
            must=f"be a quantile that {_MOST_REPEATS:,} repeats can bound",
            got=f"one that needs {needed:,}",
        )
    n = needed
    if repeats is not None:
        n = arguments.whole("repeats", repeats, most=_MOST_REPEATS)
    ranks = numeric.listed_ranks(n, q, alpha, size, which)
    shown = np.unique([*_SHOWN, size])
    each = [numeric.needed(q, alpha, int(k), which) for k in shown]
    shown = shown[np.array(each) <= _MOST_REPEATS]
    each = each[: shown.size]  # they grow
    errors = [
        numeric.listed_ranks(r, q, alpha, int(k), which).error
        for r, k in zip(each, shown, strict=True)
    ]
    low, high = int(ranks.lower[-1]), int(ranks.upper[-1])
    return RepeatsPlan(
        repeats=n,
        statistic=name,
        confidence=level,
        sides=which,
        n_budgets=size,
        needed=needed,
        affordable=numeric.affordable(n, q, alpha, which),
        lower_rank=low if low > 0 else None,
        upper_rank=high if high <= n else None,
        coverage=None if ranks.bounded(n) is None else 1 - ranks.error,
        shown=arguments.fixed(shown.astype(np.float64)),
        shown_needed=arguments.fixed(np.array(each, dtype=np.float64)),
        shown_coverage=arguments.fixed(1 - np.array(errors)),
    )
