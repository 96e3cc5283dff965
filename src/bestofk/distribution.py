"""A simultaneous confidence band for the distribution of one score.

Two step functions enclose the CDF F everywhere at once with the stated confidence, whatever F is.
Their shape depends on the number of scores alone: it is computed once and remembered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Bounds, Direction, Failed, FloatArray
from bestofk._result import Result, format_number
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric.beta import Kind
from bestofk.numeric.critical import Exact, Sides, critical_band
from bestofk.numeric.crossing import noncrossing
from bestofk.numeric.kolmogorov import ks_ends, ks_half_width
from bestofk.scores.convert import as_scores
from bestofk.scores.sample import AboutScores, Scores
from bestofk.scores.search import Search

Method: TypeAlias = Literal["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]
METHODS: tuple[Method, ...] = ("ld-highest-density", "ld-equal-tailed", "ks", "dkw")
SIDES: tuple[Sides, ...] = ("both", "lower", "upper")


class CDFPoint(NamedTuple):
    """A band for the CDF at one value (floats) or several (arrays)."""

    lower: Any
    estimate: Any
    upper: Any


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CDFBand(AboutScores, Result):
    """A simultaneous confidence band for the distribution function F of one score.

    Attributes
    ----------
    values : array
        The sorted scores x_(1) <= ... <= x_(n).
    lower, upper : array
        l_i <= F(x_(i)) and F(x_(i)-) <= u_i for every i: `lower` bounds F *at* each score,
        `upper` bounds it *just left of* it.  `at(y)` applies that.
    scores : Scores
        The sample.
    confidence : float
        The confidence asked for.
    achieved_confidence : float
        The confidence that holds when F is continuous; with ties it is at least that.
    achieved_error : float
        Bound on the numerical error of `achieved_confidence`.
    critical_level : float
        The coverage c of each single Beta interval for the "ld" methods, the half-width for "ks"
        and "dkw".
    method, sides : str
        How it was made.
    """

    values: FloatArray
    lower: FloatArray
    upper: FloatArray
    scores: Scores
    confidence: float
    achieved_confidence: float
    achieved_error: float
    critical_level: float
    method: Method
    sides: Sides
    caveats: tuple[str, ...]

    def at(self, y: ArrayLike) -> CDFPoint:
        """Return the bounds on F(y) and the share of scores at or below y.

        Examples
        --------
        >>> cdf_band([0.25, 0.75], confidence=0.8).at(0.25).lower
        0.0
        """
        values = np.asarray(y, dtype=np.float64)
        j = np.searchsorted(self.values, values, side="right")  # the number of scores <= y
        point = CDFPoint(
            np.concatenate([[0.0], self.lower])[j],
            j / self.n,
            np.concatenate([self.upper, [1.0]])[j],
        )
        return CDFPoint(*map(float, point)) if values.ndim == 0 else point

    @property
    def title(self) -> str:
        """One line that says what this is."""
        sides = "" if self.sides == "both" else f"{self.sides} side only, "
        return (
            f"CDFBand {self.label!r}: distribution of one score, n = {self.n}, {sides}"
            f"{format_number(100 * self.confidence)} % simultaneous confidence, {self.method}"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": self.label,
            "n": self.n,
            "direction": self.scores.direction,
            "confidence": self.confidence,
            "method": self.method,
            "sides": self.sides,
            "critical_level": self.critical_level,
            "achieved_confidence": self.achieved_confidence,
            "achieved_error": self.achieved_error,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {"values": self.values, "lower": self.lower, "upper": self.upper}

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.unique(np.linspace(0, self.n - 1, min(self.n, 12)).round().astype(np.intp))


def cdf_band(
    scores: ArrayLike | Scores | Search,
    *,
    confidence: float = 0.95,
    method: Method = "ld-highest-density",
    sides: Sides = "both",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
    exact: Exact = "auto",
) -> CDFBand:
    """Enclose the distribution of one score, everywhere at once, with the stated confidence.

    Holds for any distribution if the scores are independent draws from it: exactly if it is
    continuous, with at least the stated confidence if it has ties.

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores of one method's trials, unweighted.
    confidence : float
        Strictly between 0 and 1.
    method : {"ld-highest-density", "ld-equal-tailed", "ks", "dkw"}
        "ld-…" (Learned-Miller & DeStefano) is tight in the tails, where tuning curves live; "ks"
        and "dkw" have constant width.  All but "dkw" are exact.
    sides : {"both", "lower", "upper"}
        Bound F from both sides, or from one only and then more tightly.
    direction, bounds, failed
        As in `tuning_curve`.
    exact : {"auto", True, False}
        Whether to solve for the critical level of an "ld" method or to take it from a fit whose
        error is stated; "auto" solves up to n = 16,384.

    Returns
    -------
    CDFBand
        With `values`, `lower`, `upper`, `at(y)`, `critical_level` and
        `achieved_confidence`.

    Notes
    -----
    The level is solved from the exact non-crossing probability of uniform order statistics, not
    simulated: the same input gives the same bits.  See docs/methods-bands.md.

    References
    ----------
    .. [1] Learned-Miller, DeStefano. A probabilistic upper bound on differential entropy. IEEE
       Transactions on Information Theory 54, 2008.
    .. [2] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024, section 3.3.

    Examples
    --------
    >>> cdf_band([0.25, 0.75], confidence=0.8)
    CDFBand 'scores': distribution of one score, n = 2, 80 % simultaneous confidence, \
ld-highest-density
    values    lower   upper
      0.25        0  0.6838
      0.75   0.3162       1
    """
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
    level = _check.confidence(confidence)
    how = _check.choice("method", method, METHODS)
    side = _check.choice("sides", sides, SIDES)
    if not (isinstance(exact, bool) or exact == "auto"):
        raise ArgumentError(f'`exact` must be True, False or "auto"; got {exact!r}.')
    if sample.weights is not None:
        raise DataError(
            f"{sample.label}: a confidence band needs unweighted scores, each one independent "
            "trial. Leave out the weights."
        )
    shape = _shape(sample.n, level, how, side, exact)
    return CDFBand(
        values=_check.fixed(np.sort(sample.values)),
        lower=shape.lower,
        upper=shape.upper,
        scores=sample,
        confidence=level,
        achieved_confidence=shape.achieved,
        achieved_error=shape.error,
        critical_level=shape.critical,
        method=how,
        sides=side,
        caveats=(*sample.caveats, *_band_doubts(sample, how, shape)),
    )


class _Shape(NamedTuple):
    """The boundaries of a band, which depend on n alone and not on the scores."""

    lower: FloatArray
    upper: FloatArray
    critical: float
    achieved: float
    error: float
    solved: bool


def _shape(n: int, confidence: float, method: Method, sides: Sides, exact: Exact) -> _Shape:
    remember = _small_shape if n <= 16_384 else _large_shape
    return remember(n, confidence, method, sides, exact)


def _compute_shape(n: int, confidence: float, method: Method, sides: Sides, exact: Exact) -> _Shape:
    if method in ("ks", "dkw"):
        if method == "ks":
            width, alpha, error = ks_half_width(n, confidence=confidence, sides=sides)
            lower, upper = ks_ends(n, width, sides)
        else:
            width = math.sqrt(math.log((2 if sides == "both" else 1) / (1 - confidence)) / (2 * n))
            lower, upper = ks_ends(n, width, sides)
            # What it really achieves, where that is quickly known; else what it promises.
            alpha, error = 1 - confidence, 0.0
            if n <= 16_384:
                alpha = noncrossing(lower, upper, symmetric=sides == "both").alpha
                error = 1e-10
        return _Shape(_check.fixed(lower), _check.fixed(upper), width, 1 - alpha, error, True)
    kind: Kind = "highest-density" if method == "ld-highest-density" else "equal-tailed"
    found, (lower, upper) = critical_band(
        n, confidence=confidence, kind=kind, sides=sides, exact=exact
    )
    return _Shape(
        _check.fixed(lower),
        _check.fixed(upper),
        found.level,
        found.confidence,
        found.error,
        found.exact,
    )


# A repeated call is free; large bands are few, 16 MB each at n = 10^6.
_small_shape = lru_cache(maxsize=128)(_compute_shape)
_large_shape = lru_cache(maxsize=2)(_compute_shape)


def _band_doubts(sample: Scores, method: Method, shape: _Shape) -> list[str]:
    doubts = []
    distinct = np.unique(sample.values).size
    if distinct < sample.n:
        doubts.append(
            f"{sample.n - distinct} of {sample.n} scores repeat another: with ties the band is "
            "conservative, it holds with at least the stated confidence"
        )
    if method == "dkw":
        doubts.append(
            f"the DKW band is conservative: it achieves {format_number(100 * shape.achieved)} %"
            if shape.error
            else "the DKW band is conservative"
        )
    if not shape.solved:
        doubts.append(
            "the critical level comes from a fit, not from solving: the achieved confidence is "
            f"{shape.achieved:.6g} to within {shape.error:.1g} (exact=True solves)"
        )
    return doubts
