"""A parametric guess of the tuning curve, opda's noisy quadratic, judged by the exact band."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import TRIALS_AXIS, Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.text import capital, counted, format_number, percent
from bestofk._base.types import Bounds, Direction, Failed, FloatArray, Statistic
from bestofk.curves import words
from bestofk.curves.band import Band
from bestofk.curves.cdf_band import chart_words
from bestofk.curves.make_band import tuning_band
from bestofk.errors import ArgumentError, DataError, arg, in_python
from bestofk.numeric import noisy_quadratic as model
from bestofk.numeric.hazard import level_heights
from bestofk.scores.scores import AboutScores, Scores
from bestofk.scores.search import Search

GUESS = Caveat(
    kind="guess",
    text="a guess from a parametric model: no interval goes with it, and how far it is off beyond "
    "the reach of the exact band is not known",
    remedy="use tuning_band for a statement with a confidence",
    validity="assumed",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NoisyQuadratic(
    AboutScores,
    Drawn,
    facts="label n statistic direction best_possible worst_possible effective_parameters noise "
    "spacing confidence summary",
    columns="budget=budgets estimate inside_band",
    claims="inside_band confidence",
):
    """A guess of the tuning curve: a fitted quadratic with normal noise, without an interval.

    Attributes
    ----------
    budgets, estimate : array
        The curve of the fitted law.
    inside_band : array
        Whether it lies inside the exact band there.
    best_possible, worst_possible : float
        Fitted score of the best and of the worst setting, without noise.
    effective_parameters : int
        Fitted number of hyperparameters that matter, 1 to 10.
    noise : float
        Fitted standard deviation of the noise.
    spacing : float
        What the fit maximizes: mean logarithm of the spacings, 0 for a perfect fit.
    band : Band
        The exact band that judges it.

    Examples
    --------
    >>> guess = noisy_quadratic(np.linspace(0.1, 0.9, 40) ** 0.5)
    >>> guess.effective_parameters, round(guess.best_possible, 2)
    (1, 0.9)
    """

    budgets: FloatArray
    estimate: FloatArray
    best_possible: float
    worst_possible: float
    effective_parameters: int
    noise: float
    spacing: float
    band: Band
    caveats: tuple[Caveat, ...]

    @property
    def scores(self) -> Scores:  # type: ignore[override]
        """The sample."""
        return self.band.scores

    @property
    def statistic(self) -> Statistic:
        """Of what the curve is: "median" or a quantile of the best of k."""
        return self.band.statistic

    @property
    def confidence(self) -> float:
        """The confidence of the band."""
        return self.band.confidence

    @property
    def inside_band(self) -> NDArray[np.bool_]:
        """Whether the guess lies inside the exact band at each budget."""
        lower, _, upper = self.band.evaluate(self.budgets)
        return np.asarray((lower <= self.estimate) & (self.estimate <= upper))

    @property
    def summary(self) -> str:
        """What the fit says, and what the exact band says of it, in words."""
        return in_python(self.marked_summary)

    @property
    def marked_summary(self) -> str:
        """The summary with its arguments still marked, for other places than Python."""
        last = int(np.argmax(self.budgets))
        what = words.what_of(words.meaning_of(self.statistic), float(self.budgets[last]))
        matter = "matters" if self.effective_parameters == 1 else "matter"
        said = (
            f"A guess: {what} {format_number(float(self.estimate[last]))}; best possible score "
            f"without noise {format_number(self.best_possible)} ("
            f"{counted(self.effective_parameters, 'hyperparameter')} that {matter}, noise "
            f"{format_number(self.noise)})."
        )
        if self.is_void:
            return said
        before, after = words.if_independent(self.caveats)
        judged = self._judgement()
        return f"{said} {before}{judged if before else capital(judged)}{after}"

    def _judgement(self) -> str:
        band = f"the exact {percent(self.confidence)} band"
        outside = np.sort(self.budgets[~self.inside_band])
        if not outside.size:
            return f"it lies inside {band} at every budget shown."
        first, last = format_number(float(outside[0])), format_number(float(outside[-1]))
        where = f"between {first} and {last}" if outside.size > 1 else f"at {first}"
        share = f"{outside.size} of {counted(self.budgets.size, 'budget')}"
        return f"it leaves {band} at {share}, {where}, and the data contradict it there."

    def _headlines(self) -> list[str]:
        return [self.marked_summary]

    @property
    def _unsaid(self) -> tuple[Caveat, ...]:
        return tuple(c for c in super()._unsaid if self.is_void or c.kind not in words.ASSUMED)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"NoisyQuadratic {self.label!r}: {words.meaning_of(self.statistic)}, n = {self.n}, "
            f"{self.direction}, a guess without an interval"
        )

    def chart(self) -> Chart:
        """Return the guess beside the exact band."""
        guess = Series.of(f"{self.label}: noisy quadratic (a guess)", self.budgets, self.estimate)
        (exact,) = self.band.chart().series
        return Chart(
            x_label=TRIALS_AXIS,
            what=words.meaning_of(self.statistic),
            band=chart_words(self.band),
            series=(exact, guess),
        )


def noisy_quadratic(
    scores: ArrayLike | Scores | Search,
    *,
    statistic: Statistic = "median",
    confidence: float = 0.95,
    budgets: ArrayLike | None = None,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> NoisyQuadratic:
    """Guess the tuning curve from a quadratic with noise, and let the exact band judge the guess.

    A guess, not an estimate with a guarantee: no interval goes with it.

    Parameters
    ----------
    scores : array_like, Scores or Search
        The scores of one method's trials: finite, unweighted, at least three different ones.
    statistic : "median" or float
        What is said about the best of k.
    confidence : float
        Confidence level of the band.
    budgets, direction, bounds, failed
        As in `tuning_curve`.

    Returns
    -------
    NoisyQuadratic
        With `best_possible`, `effective_parameters`, `noise`, `budgets`, `estimate`,
        `inside_band` and `plot()`.

    Notes
    -----
    Near the best setting a smooth score is a quadratic function of the hyperparameters: the score
    of a random setting is b - (b - a) V^(2/c) + o Z when maximizing, with V uniform and Z normal
    [1]_.  The four parameters have the largest product of spacings, tied scores grouped.

    References
    ----------
    .. [1] opda 0.8, opda.parametric.NoisyQuadraticDistribution.

    Examples
    --------
    >>> scores = Scores([0.59, 0.86, 0.94, 0.81, 0.68, 0.90, 0.93, 0.75], sampling="iid")
    >>> guess = noisy_quadratic(scores)
    >>> guess.effective_parameters, round(guess.best_possible, 2)
    (1, 0.95)
    """
    name, q = arguments.statistic(statistic)
    if q is None:
        raise ArgumentError(
            f"the guess is that of a quantile; got {arg('statistic', 'mean')}. "
            f"Pass {arg('statistic', 'median')}."
        )
    band = tuning_band(
        scores,
        statistic=name,
        confidence=confidence,
        budgets=budgets,
        direction=direction,
        bounds=bounds,
        failed=failed,
    )
    sample, minimize = band.scores, band.direction == "minimize"
    sign = -1.0 if minimize else 1.0
    if not np.isfinite(sample.values).all():
        raise DataError(
            f"{sample.label}: the fit needs finite scores; "
            f"{int(np.isinf(sample.values).sum())} of {sample.n} are infinite."
        )
    data = model.group(sign * sample.values)
    if data.values.size < 3:
        raise DataError(
            f"{sample.label}: the fit needs at least three different scores; "
            f"got {data.values.size}."
        )
    law, spacing = model.fit(data)
    heights = level_heights(1 - q if minimize else q, band.budgets)
    return NoisyQuadratic(
        budgets=band.budgets,
        estimate=arguments.fixed(sign * model.quantiles(law, heights)),
        best_possible=sign * law.best,
        worst_possible=sign * law.worst,
        effective_parameters=law.effective,
        noise=law.noise,
        spacing=spacing,
        band=band,
        caveats=(*sample.caveats, GUESS),
    )
