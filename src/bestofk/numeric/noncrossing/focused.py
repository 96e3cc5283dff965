"""The pointwise level that gives a band its confidence at the budgets asked about.

As in :mod:`bestofk.numeric.noncrossing.critical` each order statistic gets an interval that misses
with chance eta, and eta is the largest at which the statements hold together with the wanted
confidence; here those at some budgets only, see :mod:`bestofk.numeric.noncrossing.snapping`.

For a list, or all whole budgets, the coverage is a step function of eta: it changes only where an
end passes one of the levels. For a range of budgets it falls steadily, and jumps where an end
enters the range. Near its root these jumps are few. They are found, by inverting the ends, and
searched: the eta returned is the exact jump at which the coverage would fall below the confidence,
and the band is the one just before it; for a range, the root between two jumps as a rule.
"""

from __future__ import annotations

import json
import math
from bisect import bisect_left
from functools import cache
from importlib.resources import files
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bestofk._base.types import FloatArray, Sides
from bestofk.numeric.noncrossing.beta import Kind, eta_reaching, interval_ends, tail_quantiles
from bestofk.numeric.noncrossing.counts import Counts, within_limits
from bestofk.numeric.noncrossing.critical import SMALLEST_EPS, critical_level
from bestofk.numeric.noncrossing.crossing import NonCrossing, evaluate
from bestofk.numeric.noncrossing.snapping import Asked, Spans, limits, log_ends, spans
from bestofk.numeric.roots import increasing_root

LARGEST_SOLVED = 2**20  # beyond, the level of the band for all real budgets is taken
LARGEST_RANGE = 2**15  # the same for a range of budgets, where a step is made for each score
LARGEST_ETA = 0.999
TABLED = (0.8, 0.9, 0.95, 0.975, 0.99)  # confidences in the table, at the median
LARGEST_TABLED = 1024
_DENSE = 200.0  # whole budgets beyond are so close that their jumps are not looked at one by one
_LARGEST_SEARCHED = 2048  # scores up to which jumps are searched; beyond they are dense everywhere
_NARROW = 1e-4  # a bracket of log eta, or an error left to spend, that is not worth more work
_TOGETHER = 1e-10  # jumps at levels that differ by less, relative, are one
# Where to look first. With u = log log n and w = cost^0.1, the logarithm of the effective number
# of ranks of a two-sided band for whole budgets, q = 1/2, is about the sum of these times
# 1, u, u^2, u^3, w, u w, u^2 w: least squares over n = 8..65,536 and alpha = 1e-4..0.4. Coverage
# is a step function, so no smooth fit is good to more than 0.3 at n = 20 and 0.04 at n = 2,000.
_START = {
    "highest-density": (-1.594, -0.108, 2.165, -0.430, 3.890, -3.171, 0.344),
    "equal-tailed": (1.050, -0.798, 1.505, -0.220, -0.452, 0.081, -0.263),
}


Bools = NDArray[np.bool_]


class Focused(NamedTuple):
    """A band for the budgets asked about.

    Attributes
    ----------
    eta : float
        Chance of each single interval to miss.
    alpha : float
        Chance that a statement at any budget asked about is wrong, if the scores do not tie.
    error : float
        Bound on the absolute error of `alpha`.
    spans : Spans
        The budgets at which each order statistic bounds the curve.
    solved : bool
        False if the level is that of the band for all real budgets, which is smaller.
    """

    eta: float
    alpha: float
    error: float
    spans: Spans
    solved: bool


def focused_band(n: int, cost: float, kind: Kind, sides: Sides, asked: Asked) -> Focused:
    """Return the band that holds at the budgets asked about with confidence exp(-cost).

    Examples
    --------
    >>> band = focused_band(48, -math.log(0.95), "highest-density", "both", Asked("whole", 0.5))
    >>> round(band.eta, 5), round(1 - band.alpha, 5), int(band.spans.tops[-1])
    (0.01297, 0.95024, 7)
    """
    return _from_table(n, cost, kind, sides, asked) or solve(n, cost, kind, sides, asked)


def rough_band(n: int, cost: float, kind: Kind, sides: Sides, asked: Asked) -> Focused:
    """Return the band at about the right level, without solving for it: for planning.

    Examples
    --------
    >>> band = rough_band(48, -math.log(0.95), "highest-density", "both", Asked("whole", 0.5))
    >>> round(band.eta, 5)
    0.01297
    """
    problem = _Problem(n, cost, kind, sides, asked)
    eta = rough_level(n, cost, kind, sides, asked)
    return Focused(eta, problem.alpha, problem.alpha, problem.spans(eta), False)


def rough_level(n: int, cost: float, kind: Kind, sides: Sides, asked: Asked) -> float:
    """Return about the right level eta, in microseconds.

    Where a level is tabled it is that. Else it is off by up to 20 % at n = 48 and 4 % from n = 300
    on, for a two-sided band for whole budgets at the median, which moves a rank by one at most;
    at n = 20, and for other bands, it may be off by a factor of 2.
    """
    x = _start(_Problem(n, cost, kind, sides, asked))
    if n <= LARGEST_TABLED and sides == "both" and asked == Asked("whole", 0.5):
        costs = [-math.log1p(confidence - 1) for confidence in reversed(TABLED)]
        known = [1e-9 * _table()[kind][repr(confidence)][n - 1] for confidence in reversed(TABLED)]
        x = float(np.interp(math.log(cost), np.log(costs), [_x_of(eta) for eta in known]))
        x += min(0.0, math.log(cost) - math.log(costs[0]))  # beyond the table: one to one
    return min(_eta_of(x), LARGEST_ETA)


def top_excess(n: int, cost: float, kind: Kind, asked: Asked, budget: float) -> float:
    """Return by how much a two-sided band fails to bound the curve from above up to a budget.

    Coverage falls as eta rises, so the band does if and only if it still holds at the eta at which
    its last rank passes the budget: one evaluation, where solving takes several. It is at most 0
    then. Beside its root it changes by about log(q) / budget with each score more.

    Examples
    --------
    >>> cost, asked = -math.log(0.95), Asked("whole", 0.5)
    >>> [top_excess(48, cost, "highest-density", asked, k) <= 0 for k in (7.0, 8.0)]
    [True, False]
    """
    problem = _Problem(n, cost, kind, "both", asked)
    passing = _eta_passing(problem, np.array([budget]), np.array([n - 1]), np.array([True]))
    eta = max(float(passing[0]), 1e-100)
    if eta > LARGEST_ETA:
        return math.inf
    point = _try(problem, _x_of(eta) + _TOGETHER)
    # A level beyond the middle of the last rank's interval is passed by its upper end only.
    return point.excess if point.spans.tops[-1] >= budget else math.inf


def solve(n: int, cost: float, kind: Kind, sides: Sides, asked: Asked) -> Focused:
    """Return the band of `focused_band` without the help of the table."""
    problem = _Problem(n, cost, kind, sides, asked)
    largest = LARGEST_SOLVED if asked.is_list else LARGEST_RANGE
    if n > largest or asked.simultaneous == "real":
        level = critical_level(n, alpha=-math.expm1(-cost), kind=kind, sides=sides)
        return Focused(level.eta, level.alpha, level.error, problem.spans(level.eta), False)
    return _by_steps(problem) if asked.is_list else _in_range(problem)


def _from_table(n: int, cost: float, kind: Kind, sides: Sides, asked: Asked) -> Focused | None:
    """Return the band at a level that was solved for beforehand, confirmed; None if it was not."""
    if n > LARGEST_TABLED or sides != "both" or asked != Asked("whole", 0.5):
        return None
    for confidence in TABLED:
        if math.isclose(cost, -math.log1p(confidence - 1), rel_tol=1e-12):
            problem = _Problem(n, cost, kind, sides, asked)
            point = _try(problem, _x_of(1e-9 * _table()[kind][repr(confidence)][n - 1]))
            if point.excess <= 0:
                return problem.found(_eta_of(point.x), point.spans, point.alpha)
    return None


@cache
def _table() -> dict[str, dict[str, list[int]]]:
    text = files("bestofk.numeric.noncrossing").joinpath("focused_table.json").read_text("utf-8")
    table: dict[str, dict[str, list[int]]] = json.loads(text)
    return table


class _Problem:
    """One band to be solved for, on the scales of `critical`: x = log(-log(1 - eta))."""

    def __init__(self, n: int, cost: float, kind: Kind, sides: Sides, asked: Asked) -> None:
        self.n, self.cost, self.kind, self.sides, self.asked = n, cost, kind, sides, asked
        self.alpha, self.confidence = -math.expm1(-cost), math.exp(-cost)
        self.y_wanted = math.log(cost)
        self.eps = max(1e-12 * min(self.alpha, self.confidence) / n, SMALLEST_EPS)
        self.sum_lost = self.alpha < 0.01 or n > 4096
        self._warm: dict[str, FloatArray] = {}

    def spans(self, eta: float) -> Spans:
        """Return the ends at a level, as budgets."""
        both = self.sides == "both"
        ends = interval_ends(self.n, eta, self.kind, self._warm) if both else None
        found = spans(*log_ends(*(ends or tail_quantiles(self.n, eta))), self.asked)
        if self.sides == "upper":
            return found._replace(tops=np.zeros(self.n))
        return found if both else found._replace(bottoms=np.full(self.n, np.inf))

    def missed(self, found: Spans) -> NonCrossing:
        """Return the chance that the statements hold, and that they do not."""
        if self.asked.is_list:
            which = limits(found, self.asked.q)
            if not which.rest.size:
                return NonCrossing(1.0, 0.0)
            return within_limits(self.n, *which, eps=self.eps, sum_lost=self.sum_lost)
        log_q = math.log(self.asked.q)
        with np.errstate(divide="ignore"):
            lower, upper = np.exp(log_q / found.tops), np.exp(log_q / found.bottoms)
        return evaluate(lower, upper, eps=self.eps, sum_lost=self.sum_lost)

    def excess(self, chance: NonCrossing) -> float:
        """Return y less what is wanted: above 0 if the band misses too often."""
        probability, alpha = chance
        if probability <= 0.0:
            return math.inf
        if alpha <= 0.0:
            return -math.inf
        cost = -math.log1p(-alpha) if alpha < 0.5 else -math.log(probability)
        return math.log(cost) - self.y_wanted

    def found(self, eta: float, budgets: Spans, alpha: float) -> Focused:
        error = 1e-11 * min(self.alpha, self.confidence)
        return Focused(eta, alpha, error, budgets, True)


class _Point(NamedTuple):
    """A level that was tried."""

    x: float
    excess: float
    spans: Spans
    alpha: float


def _try(problem: _Problem, x: float) -> _Point:
    budgets = problem.spans(_eta_of(x))
    chance = problem.missed(budgets)
    return _Point(x, problem.excess(chance), budgets, chance.alpha)


def _by_steps(problem: _Problem) -> Focused:
    """Solve for a list of budgets: bracket the root, search the jumps in it, then narrow it."""
    low, high = _bracket(problem)
    if high is not None and problem.n <= _LARGEST_SEARCHED:
        low, high, end = _search(problem, low, high)
        if high is None:  # the band does not change up to the next jump: its level is that
            return problem.found(end, low.spans, low.alpha)
    spent = -_NARROW if problem.n > _LARGEST_SEARCHED else 0.0  # of many scores no more is asked
    while high is not None and high.x - low.x > _NARROW and low.excess < spent:
        low, high = _narrowed(problem, low, high)
    return problem.found(_eta_of(low.x), low.spans, low.alpha)


def _in_range(problem: _Problem) -> Focused:
    """Solve for a range of budgets: bracket the root, search the jumps in it, then solve."""
    low, high = _bracket(problem)
    if high is not None:
        low, high, end = _search(problem, low, high)
        if high is None:
            return problem.found(end, low.spans, low.alpha)
        x, _ = increasing_root(
            lambda x: _try(problem, x).excess,
            start=low.x + _share(low, high) * (high.x - low.x),
            low=low.x,
            high=high.x,
            tolerance=1e-12,
        )
        low = _try(problem, x)
    return problem.found(_eta_of(low.x), low.spans, low.alpha)


def _narrowed(problem: _Problem, low: _Point, high: _Point) -> tuple[_Point, _Point]:
    """Return a bracket at most half as wide, if possible next to where a line passes 0."""
    width = high.x - low.x
    aim, near = low.x + _share(low, high) * width, max(0.02 * width, 0.4 * _NARROW)
    for x in (aim - near, aim + near, 0.5 * (low.x + high.x)):
        if low.x < x < high.x:
            point = _try(problem, x)
            low, high = (point, high) if point.excess <= 0 else (low, point)
        if high.x - low.x <= 0.5 * width:
            break
    return low, high


def _share(low: _Point, high: _Point) -> float:
    """Return where in a bracket a straight line passes 0."""
    if not (math.isfinite(high.excess) and math.isfinite(low.excess)):
        return 0.5
    return -low.excess / (high.excess - low.excess)


def _start(problem: _Problem) -> float:
    """Return a level to begin with."""
    n, w = max(problem.n, 8), min(problem.cost, 1.0) ** 0.1
    u = math.log(math.log(n))
    terms = (1.0, u, u * u, u**3, w, u * w, u * u * w)
    ranks = math.exp(sum(c * t for c, t in zip(_START[problem.kind], terms, strict=True)))
    if problem.asked.simultaneous == "listed":
        ranks = min(ranks, 0.5 + 0.4 * len(problem.asked.budgets))
    if problem.sides != "both":
        ranks *= 0.7
    return problem.y_wanted - math.log(min(max(ranks, 0.5), problem.n))


def _bracket(problem: _Problem) -> tuple[_Point, _Point | None]:
    """Return a level that holds and one that does not, None if all hold."""
    most, margin = _x_of(LARGEST_ETA), 0.002 + 0.3 / math.sqrt(problem.n)
    point = _try(problem, min(_start(problem), most))
    if point.excess > 0:
        high = point
        while point.excess > 0:
            high = point
            point = _try(problem, high.x - margin - min(high.excess, 1.0))
            margin *= 3
        return point, high
    low = point
    while low.x < most:
        point = _try(problem, min(low.x + margin - max(low.excess, -1.0), most))
        if point.excess > 0:
            return low, point
        low, margin = point, 3 * margin
    return low, None


def _search(problem: _Problem, low: _Point, high: _Point) -> tuple[_Point, _Point | None, float]:
    """Return a bracket between two neighbouring jumps.

    It has no upper end if every level between the two holds: then that of the later jump comes
    with it.
    """
    jumps = [x for x in _jumps(problem, low.spans, high.spans).tolist() if low.x < x < high.x]
    held, too_many = -1, len(jumps)  # it holds after jump `held`, and not after `too_many`
    turn = 0
    while too_many - held > 1:
        aim = bisect_left(jumps, low.x + _share(low, high) * (high.x - low.x))
        turn += 1
        if turn % 3 == 0:
            aim = (held + too_many) // 2
        middle = min(max(aim, held + 1), too_many - 1)
        point = _try(problem, jumps[middle] + _TOGETHER)
        if point.excess <= 0:
            held, low = middle, point
        else:
            too_many, high = middle, point
    if too_many == len(jumps):
        return low, high, math.inf
    before = _try(problem, jumps[too_many] - _TOGETHER)
    if before.excess <= 0:
        return before, None, _eta_of(jumps[too_many])
    return low, before, math.inf


def _jumps(problem: _Problem, low: Spans, high: Spans) -> FloatArray:
    """Return the levels at which ends pass budgets between two others, ascending, each once."""
    rank, budget, is_top = _passing(low, high, problem.asked)
    with np.errstate(divide="ignore"):  # a level of 0 is passed by none
        x = np.sort(np.log(-np.log1p(-_eta_passing(problem, budget, rank, is_top))))
    finite: FloatArray = x[np.isfinite(x)]
    return finite[np.diff(finite, prepend=-np.inf) > 4 * _TOGETHER]  # mirror images as a rule


def _passing(low: Spans, high: Spans, asked: Asked) -> tuple[Counts, FloatArray, Bools]:
    """Return every rank and budget that joins the spans between two levels, and on which side."""
    found: list[tuple[int, float, bool]] = []
    for i in np.flatnonzero(high.tops != low.tops).tolist():
        some = _listed(low.tops[i], high.tops[i], asked)
        found += [(i, k, True) for k in some if k > low.tops[i]]
    for i in np.flatnonzero(high.bottoms != low.bottoms).tolist():
        some = _listed(high.bottoms[i], low.bottoms[i], asked)
        found += [(i, k, False) for k in some if k < low.bottoms[i]]
    rank, budget, is_top = zip(*found, strict=True) if found else ((), (), ())
    return np.array(rank, np.intp), np.array(budget, float), np.array(is_top, bool)


def _listed(first: float, last: float, asked: Asked) -> list[float]:
    """Return the budgets asked about from one to another, of a range its ends, dense ones left out.

    An end enters a range from below at its first budget, from above at its last.
    """
    if asked.simultaneous != "whole":
        return [k for k in asked.budgets if first <= k <= last]
    if first > _DENSE:
        return []
    return np.arange(first, min(last, _DENSE) + 1.0).tolist()


def _eta_passing(problem: _Problem, budget: FloatArray, rank: Counts, is_top: Bools) -> FloatArray:
    """Return the level eta at which the end of a rank passes a budget."""
    i, n = rank + 1.0, problem.n
    rest = -np.expm1(math.log(problem.asked.q) / budget)
    if problem.sides == "both":
        return eta_reaching(1.0 - rest, n, i, problem.kind)
    below, above = special.betainc(i, n + 1 - i, 1.0 - rest), special.betainc(n + 1 - i, i, rest)
    return np.asarray(np.where(is_top, below, above))


def _x_of(eta: float) -> float:
    return math.log(-math.log1p(-eta))


def _eta_of(x: float) -> float:
    return -math.expm1(-math.exp(x))
