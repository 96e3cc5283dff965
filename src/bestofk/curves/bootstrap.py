"""Percentile bootstrap intervals: the baseline of the literature, which fails for tuning curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import TRIALS_AXIS, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import percent
from bestofk._base.types import Bounds, Direction, Estimator, Failed, FloatArray
from bestofk.curves.tuning import Curve, tuning_curve
from bestofk.errors import DataError
from bestofk.numeric.resample import bootstrap_estimates
from bestofk.scores.convert import as_scores
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

FAILS = Caveat(
    kind="bootstrap-fails",
    text="a percentile bootstrap does not reach its confidence for tuning curves: on the data of "
    "Tang et al. (2020), at a nominal 95 % and 50 trials, it covers the truth about 75 % of the "
    "time at budget 20 and 50 % at budget 50; how far it falls short depends on the data; it is "
    "pointwise, and the estimate may lie outside",
    remedy="use tuning_band",
    validity="assumed",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class BootstrapBand(
    Drawn,
    facts="label=curve.label n=curve.n statistic=curve.statistic estimator=curve.estimator "
    "direction=curve.direction confidence band n_resamples",
    columns="budget=budgets estimate lower upper",
    claims="lower upper confidence",
):
    """Pointwise percentile bootstrap intervals for the mean tuning curve.

    Attributes
    ----------
    budgets, estimate, lower, upper : array
        The intervals; the estimate may lie outside.
    curve : Curve
        The estimate.
    confidence : float
        Nominal, pointwise, and not achieved.
    n_resamples : int
        The number of bootstrap samples.

    Examples
    --------
    >>> band = bootstrap_band([1, 2, 3, 4, 5], budgets=[2], n_resamples=200)
    >>> band.estimate.round(3).tolist()
    [3.8]
    """

    schema: ClassVar[int] = 2

    budgets: FloatArray
    estimate: FloatArray
    lower: FloatArray
    upper: FloatArray
    curve: Curve
    confidence: float
    n_resamples: int
    caveats: tuple[Caveat, ...]
    band: ClassVar[str] = "percentile-bootstrap"

    @property
    def title(self) -> str:
        """One line that says what this is."""
        how = f"nominal {percent(self.confidence)} pointwise (fails to cover)"
        return (
            f"BootstrapBand {self.curve.label!r}: {self.curve.meaning}, n = {self.curve.n}, "
            f"{self.curve.direction}, {'descriptive' if self.is_void else how}, "
            f"{self.n_resamples} resamples"
        )

    def chart(self) -> Chart:
        """Return the curve with its intervals."""
        lower, upper = (None, None) if self.is_void else (self.lower, self.upper)
        line = Series.of(self.curve.label, self.budgets, self.estimate, lower=lower, upper=upper)
        return Chart(x_label=TRIALS_AXIS, what=self.curve.meaning, series=(line,))


def bootstrap_band(
    scores: ArrayLike | Scores | Search,
    *,
    confidence: float = 0.95,
    estimator: Estimator = "v",
    budgets: ArrayLike | None = None,
    n_resamples: int = 5000,
    rng: Rng = 0,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> BootstrapBand:
    """Return percentile bootstrap intervals for the mean curve, which do not hold.

    Their coverage falls far below nominal as the budget approaches the number of trials; they are
    here for comparison and for the papers' figures.  Use `tuning_band`.

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores of one method's trials, unweighted.
    confidence : float
        Nominal confidence at each single budget.
    estimator : {"v", "u", "w", "m"}
        What is bootstrapped.
    budgets : array_like, optional
        As in `tuning_curve`.
    n_resamples : int
        The number of bootstrap samples.
    rng : int, SeedSequence or Generator
        Seed of the bootstrap samples.
    direction, bounds, failed
        As in `tuning_curve`.

    Returns
    -------
    BootstrapBand
        With `budgets`, `estimate`, `lower`, `upper` and `plot()`.

    References
    ----------
    .. [1] Tang, Lee, Xin, Liu, Yu, Lin. Showing Your Work Doesn't Always Work. ACL 2020, section 4.

    Examples
    --------
    >>> band = bootstrap_band([1, 2, 3, 4, 5], budgets=[2], n_resamples=200, rng=0)
    >>> bool(band.lower[0] <= band.upper[0])
    True
    """
    level = arguments.confidence(confidence)
    count = arguments.whole("n_resamples", n_resamples)
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed)
    curve = tuning_curve(sample, statistic="mean", estimator=estimator, budgets=budgets)
    generator = make_rng(rng)
    if sample.weights is not None or not np.isfinite(sample.values).all():
        raise DataError("a bootstrap band needs finite, unweighted scores.")
    assert curve.estimator is not None
    sign = -1.0 if sample.direction == "minimize" else 1.0
    drawn = sign * bootstrap_estimates(
        np.sort(sign * sample.values), curve.budgets, curve.estimator, count, generator
    )
    lower, upper = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return BootstrapBand(
        budgets=curve.budgets,
        estimate=curve.estimate,
        lower=arguments.fixed(lower),
        upper=arguments.fixed(upper),
        curve=curve,
        confidence=level,
        n_resamples=count,
        caveats=(*curve.caveats, *(() if curve.is_void else (FAILS,))),
    )
