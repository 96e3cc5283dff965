"""A simultaneous confidence band for the distribution of one score.

Two step functions enclose the CDF F everywhere at once with the stated confidence, whatever F is.
Their shape depends on the number of scores alone: it is computed once and remembered.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Generic, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.cache import Remembered
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import format_number, percent
from bestofk._base.types import (
    BANDS,
    SIDES,
    BandKind,
    Bounds,
    Direction,
    Failed,
    FloatArray,
    FloatOrArray,
    Many,
    Sides,
)
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.numeric import huge
from bestofk.numeric.noncrossing.beta import Kind
from bestofk.numeric.noncrossing.critical import (
    LARGEST_SOLVED_BY_DEFAULT,
    Exact,
    cost_of,
    critical_band,
    is_slow,
)
from bestofk.numeric.noncrossing.critical_fit import LARGEST, LARGEST_FITTED
from bestofk.numeric.noncrossing.crossing import noncrossing
from bestofk.numeric.noncrossing.kolmogorov import ks_ends, ks_half_width
from bestofk.scores.convert import as_scores
from bestofk.scores.scores import AboutScores, Scores
from bestofk.scores.search import Search

EXACTLY = marked("exact=True", "exact=True in Python")
_MOST_STEPS = 2048
# The lower side of a curve comes from the upper one of the CDF, and the other way round.
TURNED: dict[Sides, Sides] = {"both": "both", "lower": "upper", "upper": "lower"}
_ROOM = 2**26  # bytes of boundaries that are remembered: 16 for each score


class CDFPoint(NamedTuple, Generic[FloatOrArray]):
    """A band for the CDF at one value (floats) or several (arrays)."""

    lower: FloatOrArray
    estimate: FloatOrArray
    upper: FloatOrArray


def chart_words(band: Drawn) -> str:
    """Return what a figure says of its areas, or that there are none."""
    confidence: float = band.confidence  # type: ignore[attr-defined]
    return "descriptive" if band.is_void else f"{percent(confidence)} band"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CDFBand(
    AboutScores,
    Drawn,
    facts="label n direction confidence band sides critical_level achieved_confidence "
    "achieved_error",
    columns="value=values lower upper",
    claims="lower upper confidence critical_level achieved_confidence achieved_error",
):
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
    band, sides : str
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
    band: BandKind
    sides: Sides
    caveats: tuple[Caveat, ...]

    @overload
    def at(self, y: float) -> CDFPoint[float]: ...
    @overload
    def at(self, y: Many) -> CDFPoint[FloatArray]: ...
    def at(self, y: ArrayLike) -> CDFPoint[float] | CDFPoint[FloatArray]:
        """Return the bounds on F(y) and the share of scores at or below y.

        Examples
        --------
        >>> cdf_band([0.25, 0.75], confidence=0.8).at(0.25).lower
        0.0
        """
        values = np.asarray(y, dtype=np.float64)
        low, high = self.scores.bounds  # no score lies beyond what was declared
        j = np.searchsorted(self.values, values, side="right")  # the number of scores <= y
        lower = np.where(values >= high, 1.0, np.concatenate([[0.0], self.lower])[j])
        upper = np.where(values < low, 0.0, np.concatenate([self.upper, [1.0]])[j])
        if values.ndim == 0:
            return CDFPoint(float(lower), float(j / self.n), float(upper))
        return CDFPoint(lower, j / self.n, upper)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        sides = "" if self.sides == "both" else f"{self.sides} side only, "
        sure = f"{percent(self.confidence)} simultaneous confidence, {self.band}"
        return (
            f"CDFBand {self.label!r}: distribution of one score, n = {self.n}, "
            f"{'descriptive' if self.is_void else sides + sure}"
        )

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.unique(np.linspace(0, self.n - 1, min(self.n, 12)).round().astype(np.intp))

    def chart(self) -> Chart:
        """Return the step functions of the band: at a score F is bounded by l_i and u_(i+1)."""
        x = np.unique(self.values[np.isfinite(self.values)])
        if not x.size:  # all are infinite: there is no axis to put them on
            x = np.zeros(1)
        if x.size > _MOST_STEPS:  # more than a figure can show
            x = x[np.linspace(0, x.size - 1, _MOST_STEPS).round().astype(np.intp)]
        room = np.array(0.05 * x[-1] - 0.05 * x[0] or 0.5)
        low, high = huge.difference(x[:1], room)[0], -huge.difference(-x[-1:], room)[0]
        edges = np.concatenate([[low], x, [high]])
        lower, share, upper = self.at(edges)
        sides = {} if self.is_void else {"lower": lower, "upper": upper}
        line = Series.of(self.label, edges, share, step=True, **sides)
        return Chart(
            x_label="score",
            what="share of trials ≤ score",
            band=chart_words(self),
            series=(line,),
            log_x=False,
        )


def cdf_band(
    scores: ArrayLike | Scores | Search,
    *,
    confidence: float = 0.95,
    band: BandKind = "ld-highest-density",
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
    band : {"ld-highest-density", "ld-equal-tailed", "ks", "dkw"}
        How the band is made: "ld-…" (Learned-Miller & DeStefano) is tight in the tails, where
        tuning curves live; "ks" and "dkw" have constant width.  All but "dkw" are exact.
    sides : {"both", "lower", "upper"}
        Bound F from both sides, or from one only and then more tightly.
    direction, bounds, failed
        As in `tuning_curve`.
    exact : {"auto", True, False}
        Whether to solve for the critical level of an "ld" band or to take it from a fit whose
        error is stated; "auto" solves up to n = 16,384.  Beyond 2^20 scores it is extrapolated, on
        the safe side.

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
    >>> cdf_band(Scores([0.25, 0.75], sampling="iid"), confidence=0.8)
    CDFBand 'scores': distribution of one score, n = 2, 80 % simultaneous confidence, \
ld-highest-density
    value   lower   upper
     0.25       0  0.6838
     0.75  0.3162       1
    """
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
    level = arguments.confidence(confidence)
    how = arguments.choice("band", band, BANDS)
    side = arguments.choice("sides", sides, SIDES)
    return make_cdf_band(sample, level, how, side, checked_exact(exact))


def checked_exact(exact: Exact) -> Exact:
    """Return `exact`, if it is one of what it can be."""
    if isinstance(exact, bool) or (isinstance(exact, str) and exact == "auto"):
        return exact
    raise ArgumentError(
        argument="exact", must='be True, False or "auto"', got=arguments.short(exact)
    )


def make_cdf_band(
    sample: Scores, confidence: float, band: BandKind, sides: Sides = "both", exact: Exact = "auto"
) -> CDFBand:
    """Return the band of a sample, from arguments that were checked."""
    refuse_weights(sample)
    void = sample.is_void
    shape = _says_nothing(sample.n) if void else _shape(sample.n, confidence, band, sides, exact)
    return CDFBand(
        values=sample.sorted_values,
        lower=shape.lower,
        upper=shape.upper,
        scores=sample,
        confidence=confidence,
        achieved_confidence=shape.achieved,
        achieved_error=shape.error,
        critical_level=shape.critical,
        band=band,
        sides=sides,
        caveats=(*sample.caveats, *(() if void else _caveats(sample, band, shape))),
    )


def refuse_weights(sample: Scores) -> None:
    """Raise if the scores carry weights: a band needs independent trials."""
    if sample.weights is not None:
        raise DataError(
            f"{sample.label}: a confidence band needs unweighted scores, each one independent "
            "trial. Leave out the weights."
        )


class _Shape(NamedTuple):
    """The boundaries of a band, which depend on n alone and not on the scores."""

    lower: FloatArray
    upper: FloatArray
    critical: float
    achieved: float
    error: float
    solved: bool


def _says_nothing(n: int) -> _Shape:
    """Return the only band for trials that are not independent draws: from 0 to 1 everywhere."""
    zeros, ones = arguments.fixed(np.zeros(n)), arguments.fixed(np.ones(n))
    return _Shape(zeros, ones, critical=0.0, achieved=1.0, error=0.0, solved=True)


def band_ends(
    n: int, confidence: float, band: BandKind, exact: Exact = "auto"
) -> tuple[FloatArray, FloatArray]:
    """Return the two boundaries of the band of n trials, whatever their scores."""
    shape = _shape(n, confidence, band, "both", exact)
    return shape.lower, shape.upper


def _shape(n: int, confidence: float, band: BandKind, sides: Sides, exact: Exact) -> _Shape:
    kind = kind_of(band)
    if kind is not None and is_slow(n, sides, exact):
        raise ArgumentError(_too_slow(n, sides, exact))
    return _remembered(n, confidence, band, sides, exact)


def kind_of(band: BandKind) -> Kind | None:
    """Return which Beta intervals a band is made from, None if from none."""
    kinds: dict[str, Kind] = {
        "ld-highest-density": "highest-density",
        "ld-equal-tailed": "equal-tailed",
    }
    return kinds.get(band)


def _too_slow(n: int, sides: Sides, exact: Exact) -> str:
    """Say why a band is not solved for, and what to do."""
    if exact is True:
        what, most = f"{EXACTLY} solves for", LARGEST_FITTED
    elif sides == "both":
        what, most = "an ld band takes", LARGEST
    else:
        what, most = f"an ld band of one side takes, without {EXACTLY},", LARGEST_SOLVED_BY_DEFAULT
    return f"{what} at most {most:,} scores; got {n:,}. Use {arg('band', 'ks')}."


def _compute_shape(n: int, confidence: float, band: BandKind, sides: Sides, exact: Exact) -> _Shape:
    if band in ("ks", "dkw"):
        if band == "ks":
            width, alpha, error = ks_half_width(n, confidence=confidence, sides=sides)
            lower, upper = ks_ends(n, width, sides)
        else:
            missed = -math.expm1(-cost_of(confidence, None))
            width = math.sqrt(math.log((2 if sides == "both" else 1) / missed) / (2 * n))
            lower, upper = ks_ends(n, width, sides)
            # What it really achieves, where that is quickly known; else what it promises.
            alpha, error = 1 - confidence, 0.0
            if n <= 16_384:
                alpha = noncrossing(lower, upper, symmetric=sides == "both").alpha
                error = 1e-10
        return _Shape(arguments.fixed(lower), arguments.fixed(upper), width, 1 - alpha, error, True)
    kind = kind_of(band)
    assert kind is not None
    found, (lower, upper) = critical_band(
        n, confidence=confidence, kind=kind, sides=sides, exact=exact
    )
    return _Shape(
        arguments.fixed(lower),
        arguments.fixed(upper),
        found.level,
        found.confidence,
        found.error,
        found.exact,
    )


# A repeated call is free up to 4 million scores; larger ones take a second or two.
_remembered = Remembered(
    _compute_shape, n_bytes=lambda shape: shape.lower.nbytes + shape.upper.nbytes, room=_ROOM
)


def ties_of(sample: Scores) -> list[Caveat]:
    """Return the caveat about scores that tie, if some do."""
    values = sample.sorted_values
    if any(c.kind == "failed-worst" for c in sample.caveats):  # that failures tie is no news
        values = values[values != sample.worst]
    if not (values[1:] == values[:-1]).any():
        return []
    text = "some scores tie, so the band holds with at least the stated confidence"
    return [Caveat(kind="ties", text=text)]


def _caveats(sample: Scores, band: BandKind, shape: _Shape) -> list[Caveat]:
    found = ties_of(sample)
    if band == "dkw":
        achieves = f": it achieves {format_number(100 * shape.achieved)} %" if shape.error else ""
        found.append(Caveat(kind="dkw", text=f"the DKW band is conservative{achieves}"))
    if not shape.solved and sample.n > LARGEST_FITTED:
        text = (
            f"the critical level is extrapolated from {LARGEST_FITTED:,} scores, on the safe side: "
            f"the band holds with up to {shape.error:.1g} more than the stated confidence"
        )
        found.append(Caveat(kind="fitted-level", text=text))
    elif not shape.solved:
        text = (
            "the critical level comes from a fit, not from solving: the achieved confidence is "
            f"{shape.achieved:.6g} to within {shape.error:.1g}"
        )
        remedy = f"{EXACTLY} solves"
        found.append(Caveat(kind="fitted-level", text=text, remedy=remedy))
    return found
