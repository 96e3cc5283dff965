"""What is certified about repeated searches: by a test, by joint intervals, by paired seeds."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.curves.make_band import tuning_band
from bestofk.numeric import huge
from bestofk.numeric.noncrossing.two_sample import TwoSample, differences, implied_bands, solve
from bestofk.numeric.repeats import Ranks, carried, listed_ranks, order_ends
from bestofk.numeric.sign_test import sign_claims
from bestofk.repeats.curve import RepeatsCurve
from bestofk.repeats.enclosed import NEVER, Enclosed
from bestofk.repeats.pair import Basis, RepeatsPair
from bestofk.repeats.repeats import Repeats
from bestofk.scores.scores import Scores


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """What is compared, larger being better.

    Attributes
    ----------
    methods : tuple of Repeats or Scores
        Two or more, of one direction.
    curves : tuple of RepeatsCurve
        Those of the methods that are Repeats, at the first of the listed budgets.
    n_listed : int
        How many are listed; each has its share of alpha.
    q : float
        The level of the quantile once larger is better.
    alpha : float
        Largest chance of any wrong statement.
    """

    methods: tuple[Repeats | Scores, ...]
    curves: tuple[RepeatsCurve, ...]
    n_listed: int
    q: float
    alpha: float

    @property
    def budgets(self) -> FloatArray:
        """The budgets at which it is compared."""
        return self.curves[0].budgets

    @property
    def is_path(self) -> bool:
        """Whether what is compared only gets better."""
        return self.curves[0].of == "score"

    @property
    def share_of_a_test(self) -> float:
        """The part of alpha that each budget of each pair has."""
        return self.alpha / math.comb(len(self.methods), 2) / self.n_listed

    @property
    def minimize(self) -> bool:
        """Whether smaller scores are better."""
        return self.methods[0].direction == "minimize"

    @property
    def ends(self) -> tuple[float, float]:
        """The worst and the best that a score can be, larger being better."""
        low = min(m.bounds[0] for m in self.methods)
        high = max(m.bounds[1] for m in self.methods)
        return (-high, -low) if self.minimize else (low, high)


def _values(curve: RepeatsCurve) -> tuple[FloatArray, FloatArray]:
    """Return between what each repeat's best lies at each budget, larger being better."""
    low, high = curve.repeats.best(curve.budgets, axis=curve.axis, of=curve.of)
    return (-high, -low) if curve.direction == "minimize" else (low, high)


def planned_tests(n: int, m: int, q: float, share: float, size: int) -> list[TwoSample]:
    """Return the test of each of `size` budgets, which has a share of alpha.

    What one leaves of its share goes to the next, larger one.
    """
    tests, left = [], 0.0
    for _ in range(size):
        test = solve(n, m, [q], share + left)
        left += share - test.bound
        tests.append(test)
    return tests


def _enclosed(task: Task, curve: RepeatsCurve, lower: FloatArray, upper: FloatArray) -> Enclosed:
    """Return the ends of one method's quantile, carried over the budgets."""
    low, high = np.maximum(lower, task.ends[0]), np.minimum(upper, task.ends[1])
    if task.is_path:
        low, high = carried(low, high)
    middle = arguments.fixed(-curve.estimate if task.minimize else curve.estimate)
    return Enclosed(
        label=curve.label,
        n=curve.n,
        direction=curve.direction,
        axis=curve.axis,
        budgets=curve.budgets,
        estimate=middle,
        lower=arguments.fixed(np.minimum(low, middle)),
        upper=arguments.fixed(np.maximum(high, middle)),
    )


def _search(task: Task, sample: Scores) -> Enclosed:
    """Return the band of a random search at the listed budgets; it holds at all whole ones."""
    share = task.alpha / len(task.methods)
    statistic = task.curves[0].statistic
    band = tuning_band(sample, confidence=1 - share, statistic=statistic, budgets=task.budgets)
    low, middle, high = band.evaluate(task.budgets)
    if task.minimize:
        low, middle, high = -high, -middle, -low
    return Enclosed(
        label=sample.label,
        n=sample.n,
        direction=sample.direction,
        axis="trials",
        budgets=task.budgets,
        estimate=arguments.fixed(middle),
        lower=arguments.fixed(low),
        upper=arguments.fixed(high),
        band=band,
    )


Found = tuple[tuple[Enclosed, ...], list[RepeatsPair]]


def by_intervals(task: Task) -> Found:
    """Compare by the intervals of each method, which hold together whatever the methods share."""
    share, size = task.alpha / len(task.methods), task.budgets.size
    sides, curves = [], iter(task.curves)
    for method in task.methods:
        if isinstance(method, Scores):
            sides.append(_search(task, method))
            continue
        curve = next(curves)
        low, high, error = listed_ranks(curve.n, task.q, share, task.n_listed)
        ranks = Ranks(low[:size], high[:size], error)
        side = _enclosed(task, curve, *order_ends(*_values(curve), ranks))
        bounded = np.flatnonzero(ranks.lower > 0), np.flatnonzero(ranks.upper <= curve.n)
        first, last = int(bounded[0].min(initial=NEVER)), int(bounded[1].max(initial=-1))
        sides.append(replace(side, first_lower=first, last_upper=last))
    return tuple(sides), [
        _pair(task, one, two, "intervals", (one.can_lead(two), two.can_lead(one)))
        for one, two in combinations(sides, 2)
    ]


def by_test(task: Task) -> Found:
    """Compare every two by the two-sample test; what it implies for each method holds with it."""
    values = [_values(curve) for curve in task.curves]
    size, share = task.budgets.size, task.share_of_a_test
    ends = [(np.full(size, -np.inf), np.full(size, np.inf)) for _ in values]
    apart = []
    for i, j in combinations(range(len(values)), 2):
        (a_low, a_high), (b_low, b_high) = (
            tuple(np.sort(side, axis=0) for side in values[m]) for m in (i, j)
        )
        lower, upper = np.empty((2, size))
        tests = planned_tests(len(a_low), len(b_low), task.q, share, size)
        for k, test in enumerate(tests):
            # whatever the unknown values are: the worst case of either claim
            lower[k] = differences(test, a_low[:, k], b_high[:, k], task.ends).lower[0]
            upper[k] = differences(test, a_high[:, k], b_low[:, k], task.ends).upper[0]
            ranks = implied_bands(test)
            for m, low, high, (below, above) in (
                (i, a_low, a_high, (ranks.a_lower, ranks.a_upper)),
                (j, b_low, b_high, (ranks.b_lower, ranks.b_upper)),
            ):
                least = np.r_[-np.inf, low[:, k]][below[0]]
                greatest = np.r_[high[:, k], np.inf][above[0] - 1]
                ends[m][0][k] = max(ends[m][0][k], least)
                ends[m][1][k] = min(ends[m][1][k], greatest)
        lower, upper = (
            np.where(np.isnan(d), end, d) for d, end in ((lower, -np.inf), (upper, np.inf))
        )
        able = any(t.reaches[0][0] for t in tests), any(t.reaches[1][0] for t in tests)
        apart.append((i, j, lower, upper, able))
    sides = tuple(_enclosed(task, c, *e) for c, e in zip(task.curves, ends, strict=True))
    return sides, [
        _pair(task, sides[i], sides[j], "test", able, low, high) for i, j, low, high, able in apart
    ]


def _pair(
    task: Task,
    one: Enclosed,
    two: Enclosed,
    basis: Basis,
    can_lead: tuple[bool, bool],
    lower: FloatArray | float = -np.inf,
    upper: FloatArray | float = np.inf,
) -> RepeatsPair:
    """Return who is ahead: by the difference, larger being better, and by what encloses both."""
    low = np.maximum(lower, _less(one.lower, two.upper, -np.inf))
    high = np.minimum(upper, _less(one.upper, two.lower, np.inf))
    signs = np.where(low > 0, 1, np.where(high < 0, -1, 0)).astype(np.int8)
    gaps = (one.lower[:-1] > two.upper[1:]).astype(np.int8)
    gaps -= two.lower[:-1] > one.upper[1:]
    if not task.is_path:
        gaps = np.zeros_like(gaps)
    raw = (-high, -low) if task.minimize else (low, high)
    return RepeatsPair(
        both=(one, two),
        lower=arguments.fixed(raw[0]),
        upper=arguments.fixed(raw[1]),
        wins=None,
        losses=None,
        signs=arguments.fixed(signs),
        gaps=arguments.fixed(gaps),
        basis=basis,
        is_path=task.is_path,
        can_lead=can_lead,
        caveats=(),
    )


def _less(a: FloatArray, b: FloatArray, unknown: float) -> FloatArray:
    """Return a - b, and `unknown` where both are the same infinity."""
    found = huge.difference(a, b)
    return np.where(np.isnan(found), unknown, found)


def by_signs(task: Task) -> Found:
    """Compare repeats in the order of their seeds: who is better in more than half of them."""
    nothing = np.full(task.budgets.size, np.inf)
    sides = tuple(_enclosed(task, curve, -nothing, nothing) for curve in task.curves)
    values = [_values(curve) for curve in task.curves]
    # The error of budgets that are left out is not spent on others.
    share = task.share_of_a_test * task.budgets.size
    found = []
    best = np.full(task.budgets.size, sides[0].n)
    able = bool(sign_claims(best, 0 * best, sides[0].n, share).any())
    for i, j in combinations(range(len(sides)), 2):
        wins = (values[i][0] > values[j][1]).sum(axis=0)
        losses = (values[j][0] > values[i][1]).sum(axis=0)
        signs = sign_claims(wins, losses, sides[i].n, share)
        found.append(
            RepeatsPair(
                both=(sides[i], sides[j]),
                lower=None,
                upper=None,
                wins=arguments.fixed(wins),
                losses=arguments.fixed(losses),
                signs=arguments.fixed(signs),
                gaps=np.zeros(max(task.budgets.size - 1, 0), dtype=np.int8),
                basis="signs",
                is_path=task.is_path,
                can_lead=(able, able),
                caveats=(),
            )
        )
    return sides, found
