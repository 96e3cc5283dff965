"""How many trials each would decide between two methods at a budget, as a range from their scores.

The scores at hand are a pilot: one sample of what a larger search would draw from.  Each resampled
pilot is taken for the truth in turn and asked how many trials `compare` would need; what is
reported is the middle 80 % of the answers.  It is a bootstrap range, not a confidence interval: how
often it holds the true number was measured (docs/comparing.md), and pilots too small to see the
quantile that is compared give no range at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import special

from bestofk._base.text import capital
from bestofk._base.types import BandKind, Bounds, Direction, FloatArray
from bestofk.curves.budget_band import focused
from bestofk.curves.cdf_band import band_ends
from bestofk.numeric import needed
from bestofk.numeric.ecdf import single_score_level
from bestofk.numeric.noncrossing.critical import cost_of
from bestofk.numeric.noncrossing.kolmogorov import ks_ends
from bestofk.numeric.noncrossing.snapping import Asked

MIDDLE = 0.8  # the share of resampled pilots that a range holds
MOST_TRIALS = 20_000  # of each method, that anybody is told to run
GRID = np.unique(np.geomspace(2, MOST_TRIALS, 42).round())
_WHOLE = 30  # numbers of trials, from where bands are bounded on, that are all tried at least,
_MOST_WHOLE = 200  # and at most; in between, half as many as it takes to bound them
_RESAMPLES = 200
_MOST_LOOKED_UP = 300_000  # values times resampled pilots: keeps a range below 0.2 s
_FEWEST_RESAMPLES = 40
_LARGEST_PILOT = 4096
_FEWEST_BEYOND = 2.5  # scores of a pilot beyond the quantile, on average; see `pilot_needed`
_UNBOUNDED = (-math.inf, math.inf)


class TrialsNeeded(NamedTuple):
    """The middle 80 % of the numbers of trials each that resampled pilots ask for.

    Attributes
    ----------
    low, high : float
        Numbers of trials of each method; infinite if `MOST_TRIALS` are not enough.
    """

    low: float
    high: float

    def __str__(self) -> str:
        """In words, rounded outwards to two digits: "between 90 and 700 trials each"."""
        if math.isinf(self.low):
            return f"more than {MOST_TRIALS:,} trials each, if at all"
        low = f"{_two_digits(self.low, math.floor):,}"
        if math.isinf(self.high):
            return f"between {low} and {MOST_TRIALS:,} or more trials each, if at all"
        if self.low == self.high:
            return f"{self.low:,.0f} trials each"
        high = f"{_two_digits(self.high, math.ceil):,}"
        return f"between {low} and {high} trials each"

    def decides(self, where: str) -> str:
        """Return whether they would decide, as a sentence without its full stop.

        Examples
        --------
        >>> TrialsNeeded(93, 691).decides("at 5 trials")
        'Between 93 and 700 trials each would decide at 5 trials'
        >>> TrialsNeeded(93, math.inf).decides("at 5 trials")
        'Between 93 and 20,000 or more trials each, if at all, would decide at 5 trials'
        >>> TrialsNeeded(math.inf, math.inf).decides("at 5 trials")
        '20,000 trials each would not decide at 5 trials'
        """
        if math.isinf(self.low):
            return f"{MOST_TRIALS:,} trials each would not decide {where}"
        many = f"{self}{',' if math.isinf(self.high) else ''}"
        return f"{capital(many)} would decide {where}"


def trials_needed(
    first: FloatArray,
    second: FloatArray,
    *,
    budget: float,
    q: float,
    confidence: float,
    band: BandKind,
    asked: Asked | None = None,
    direction: Direction = "maximize",
    bounds: tuple[Bounds, Bounds] = (_UNBOUNDED, _UNBOUNDED),
    n_methods: int = 2,
    power: float = 0.8,
    rng: np.random.Generator | None = None,
) -> TrialsNeeded | None:
    """Return how many trials each would decide which method is better at a budget.

    To decide is to certify one of the two, whichever, with probability `power`: both bands of a
    comparison of `n_methods` methods lie apart at the budget.

    Parameters
    ----------
    first, second : array
        Scores of the two methods.
    budget, q
        The k and the quantile of the best of k that are compared.
    confidence : float
        Joint confidence of the comparison.
    band, direction, bounds
        As in `compare`; bounds of each method, where declared.
    asked : Asked, optional
        The budgets at which the bands hold together.  By default, all real ones.
    n_methods : int
        The number of methods that share the error.
    power : float
        The probability with which they are to be told apart.
    rng : Generator, optional
        Where pilots are resampled from.  By default, that of `power` with its default seed, so that
        both give the same range.

    Returns
    -------
    TrialsNeeded or None
        None if either sample has fewer scores than `pilot_needed`.

    Examples
    --------
    >>> scores = np.random.default_rng(0).normal(size=(2, 40)) + [[0.8], [0.0]]
    >>> options = {"budget": 5, "q": 0.5, "confidence": 0.95, "band": "ld-highest-density"}
    >>> print(trials_needed(*scores, **options))
    between 490 and 20,000 or more trials each, if at all
    >>> print(trials_needed(*scores, **options, asked=Asked("whole", 0.5)))
    between 410 and 20,000 or more trials each, if at all
    """
    rng = np.random.default_rng(0).spawn(1)[0] if rng is None else rng
    level = 1 - (1 - confidence) / n_methods
    setting = Setting(budget, q, level, band, direction == "minimize", asked)
    if min(len(first), len(second)) < pilot_needed(setting):
        return None
    pilots = upward_pilots(first, second, direction=direction, bounds=bounds, rng=rng)
    return TrialsNeeded(*needed.middle_of(needed_by(pilots, setting, power), MIDDLE))


class Setting(NamedTuple):
    """What is compared, and with which bands."""

    budget: float
    q: float
    confidence: float  # of one method's band
    band: BandKind
    minimize: bool
    asked: Asked | None = None  # None: bands for all real budgets


def pilot_needed(setting: Setting) -> int:
    """Return how many scores a pilot must have for a range from resampling it.

    With fewer than 2.5 of them beyond the quantile that is compared, on average, resampling hardly
    moves the quantile's estimate and the range is too low: of pilots of half this size, 0 to 100 %
    gave a range that held the true number; of this size or more, 63 to 100 %, over six pairs of
    distributions (tests/planning/test_needed.py).

    Examples
    --------
    >>> pilot_needed(Setting(5.0, 0.5, 0.975, "ld-highest-density", False))
    20
    """
    level = float(
        single_score_level(setting.q, np.array(setting.budget), minimize=setting.minimize)
    )
    return math.ceil(_FEWEST_BEYOND / max(min(level, 1 - level), 1e-18))


def needed_by(pilots: needed.Pilots, setting: Setting, power: float) -> FloatArray:
    """Return how many trials each of some pilots asks for to certify one of the two."""
    turned, grid = pilots.turned(), grid_of(setting)

    def chance(places: NDArray[np.intp]) -> FloatArray:
        found = np.empty(places.size)
        for place in np.unique(places):
            n, rows = int(grid[place]), np.flatnonzero(places == place)
            ranks = upward_ranks(n, setting)
            both = [needed.chance_first(p, n, ranks, rows) for p in (pilots, turned)]
            found[rows] = np.maximum(*both)
        return found

    found = needed.smallest_trials(chance, grid, power, len(pilots.below[0]))
    return np.asarray(np.ceil(found - 1e-9))


@lru_cache(maxsize=256)
def grid_of(setting: Setting) -> FloatArray:
    """Return the numbers of trials that are tried: `GRID`, and all from where bands are bounded on.

    There the chance jumps from 0, and then with each rank; later a rank more or less hardly
    matters.

    Examples
    --------
    >>> grid = grid_of(Setting(5.0, 0.5, 0.975, "ld-highest-density", False))
    >>> grid[(grid > 40) & (grid < 50)]
    array([46., 47., 48., 49.])
    """

    def is_bounded(n: int) -> bool:
        i, j = end_ranks(n, setting, exact=False)
        return i >= 1 and j <= n

    low, high = 0, 1
    while not is_bounded(high):
        if high >= MOST_TRIALS:
            return GRID
        low, high = high, min(2 * high, MOST_TRIALS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_bounded(middle) else (middle, high)
    more = min(_MOST_WHOLE, max(_WHOLE, high // 2))
    every = np.arange(max(1, low), min(MOST_TRIALS, high + more) + 1, dtype=np.float64)
    return np.union1d(GRID, every)


def upward_pilots(
    first: FloatArray,
    second: FloatArray,
    *,
    direction: Direction,
    bounds: tuple[Bounds, Bounds],
    rng: np.random.Generator,
    known: tuple[bool, bool] = (False, False),
) -> needed.Pilots:
    """Return resampled pilots, negated when minimizing so that larger is better."""
    x, y = (_thinned(np.asarray(scores, dtype=np.float64)) for scores in (first, second))
    if direction == "minimize":
        x, y = -x, -y
        (a, b), (c, d) = bounds
        bounds = ((-b, -a), (-d, -c))
    count = min(_RESAMPLES, max(_FEWEST_RESAMPLES, _MOST_LOOKED_UP // (x.size + y.size)))
    return needed.resampled_pilots(x, y, count, rng, bounds=bounds, known=known)


def upward_ranks(n: int, setting: Setting, *, exact: bool = False) -> needed.Ranks:
    """Return the ranks of both ends of a band, counted upward from the worst score."""
    i, j = end_ranks(n, setting, exact=exact)
    return (n + 1 - j, n + 1 - i) if setting.minimize else (i, j)


@lru_cache(maxsize=4096)
def end_ranks(n: int, setting: Setting, *, exact: bool) -> needed.Ranks:
    """Return i and j such that x_(i) and x_(j) are the ends of the band at the budget.

    0 and n + 1 stand for the bounds.  If not `exact`, the constants of the band come from their
    fit or expansion wherever there is one, fast at any n: good to 0.01 of a rank for all real
    budgets, to one rank for fewer.

    Examples
    --------
    >>> end_ranks(48, Setting(5.0, 0.5, 0.8, "ld-highest-density", False), exact=True)
    (35, 47)
    >>> whole = Setting(5.0, 0.5, 0.95, "ld-highest-density", False, Asked("whole", 0.5))
    >>> end_ranks(48, whole, exact=True)
    (35, 47)
    """
    if setting.asked is not None:
        found = focused(
            n, setting.confidence, setting.band, "both", setting.asked, rough=not exact
        ).spans
        low = int(np.searchsorted(found.bottoms, setting.budget, side="right"))
        high = int(np.searchsorted(found.tops, setting.budget, side="left")) + 1
        return (n + 1 - high, n + 1 - low) if setting.minimize else (low, high)
    p = single_score_level(setting.q, np.array(setting.budget), minimize=setting.minimize)
    lower, upper = _cdf_ends(n, setting.confidence, setting.band, exact)
    return int(np.searchsorted(upper, p)), int(np.searchsorted(lower, p)) + 1


def _cdf_ends(
    n: int, confidence: float, band: BandKind, exact: bool
) -> tuple[FloatArray, FloatArray]:
    alpha = -math.expm1(-cost_of(confidence, None))
    if band == "dkw":
        return ks_ends(n, math.sqrt(math.log(2 / alpha) / (2 * n)))
    if band == "ks" and n > 200 and not exact:
        # The first correction to Kolmogorov's limit: the width is off by less than 0.02 / n.
        return ks_ends(n, float(special.kolmogi(alpha)) / math.sqrt(n) - 1 / (6 * n))
    return band_ends(n, confidence, band, "auto" if exact else False)


def _thinned(scores: FloatArray) -> FloatArray:
    """Return at most `_LARGEST_PILOT` quantiles of the scores."""
    if scores.size <= _LARGEST_PILOT:
        return scores
    places = (np.arange(_LARGEST_PILOT) + 0.5) * (scores.size / _LARGEST_PILOT)
    return np.sort(scores)[places.astype(np.intp)]


def _two_digits(number: float, rounded: Callable[[float], int]) -> int:
    unit = int(10 ** max(0, len(str(int(number))) - 2))
    return rounded(number / unit) * unit
