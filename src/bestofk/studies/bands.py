"""Confidence bands under a known truth: how often they hold it, and how wide they are.

The two sides of a band for a quantile are order statistics whose ranks depend on n alone, and those
of a band for the mean are sums over the order statistics with weights that depend on n alone.  So a
band is worked out once, on ranks, by the library itself, and then applied to all samples.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import BandKind, FloatArray, Simultaneous, Statistic
from bestofk.curves import words
from bestofk.curves.band import Band
from bestofk.curves.budget_band import BudgetBand
from bestofk.curves.cdf_band import kind_of
from bestofk.curves.make_band import tuning_band
from bestofk.errors import ArgumentError, arg
from bestofk.numeric import huge
from bestofk.numeric.steps import jump_budgets
from bestofk.studies.design import ENTRIES, Design
from bestofk.studies.result import Study
from bestofk.studies.truth import Truth, quantile_curve


@dataclass(frozen=True, kw_only=True, eq=False)
class Sides:
    """Both sides of a band at some budgets, as rules for sorted samples with the bounds around."""

    lower: FloatArray
    upper: FloatArray

    def apply(self, padded: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return both sides of the band of each sample; `padded` has the bounds at its ends."""
        if self.lower.ndim == 1:  # ranks
            return padded[:, self.lower.astype(np.intp)], padded[:, self.upper.astype(np.intp)]
        # Rounding leaves weights of 1e-17 where there is none; an infinite bound would see them.
        lower, upper = (np.where(np.abs(w) < 1e-15, 0.0, w) for w in (self.lower, self.upper))
        return huge.weighted_sums(padded, lower), huge.weighted_sums(padded, upper)


def band_sides(n: int, budgets: FloatArray, *, statistic: Statistic, **options: Any) -> Sides:
    """Work out a band once for all samples of n scores; a list or range is that of `budgets`.

    The options are those of `tuning_band`.

    Examples
    --------
    >>> sides = band_sides(48, np.array([2.0]), confidence=0.95, band="ld-highest-density",
    ...                    statistic="median", direction="maximize")
    >>> int(sides.lower[0]), int(sides.upper[0])
    (26, 42)
    """
    options |= {"statistic": statistic, "budgets": budgets}
    if statistic != "mean":
        found = _band_of_ranks(n, options)
        return Sides(lower=found.lower, upper=found.upper)
    # A side is linear in (bound, x_(1), …, x_(n), bound): its weights follow from the samples that
    # are 0 up to some rank and 1 beyond, padded with the bounds 0 and 1.
    lower, upper = np.empty((2, n + 2, budgets.size))
    lower[0] = upper[0] = 1.0  # all ones
    for zeros in range(n + 1):
        step = np.repeat([0.0, 1.0], [zeros, n - zeros])
        found = tuning_band(step, bounds=(0, 1), **options)
        lower[zeros + 1], upper[zeros + 1] = found.lower, found.upper
    # The value at `zeros` is the total weight of the ranks above it.
    return Sides(
        lower=np.append(lower[:-1] - lower[1:], lower[-1:], axis=0),
        upper=np.append(upper[:-1] - upper[1:], upper[-1:], axis=0),
    )


def _band_of_ranks(n: int, options: dict[str, Any]) -> Band:
    """Return the band of the scores 1 to n: its sides are ranks."""
    return tuning_band(np.arange(1.0, n + 1), bounds=(0, n + 1), **options)


def _all_jumps(band: Band, q: float) -> FloatArray:
    """Return the budgets at which a band is easiest to leave, of those that it holds for.

    For all real budgets, on both sides of every jump.  For fewer, the last up to which and the
    first from which each score bounds the curve: those are whole, or in the list.
    """
    base = band.base
    if not isinstance(base, BudgetBand):
        levels = np.concatenate([base.lower * (1 - 1e-9), base.upper * (1 + 1e-9)])
        return jump_budgets(levels, q, minimize=band.direction == "minimize")
    tops, bottoms = base.tops[base.tops > 0], base.bottoms[np.isfinite(base.bottoms)]
    if base.simultaneous == "range":
        first, last = base.asked.budgets
        tops, bottoms = tops * (1 - 1e-9), bottoms * (1 + 1e-9)
        return np.asarray(np.clip(np.concatenate([tops, bottoms]), first, last))
    return np.asarray(np.unique(np.concatenate([tops, bottoms])))


def _padded(design: Design[Truth], count: int, rng: np.random.Generator) -> FloatArray:
    """Return sorted samples with the bounds at their ends."""
    padded = np.pad(design.draw(count, rng), ((0, 0), (1, 1)))
    padded[:, 0], padded[:, -1] = design.bounds
    return padded


def _coverage_block(
    count: int,
    rng: np.random.Generator,
    *,
    design: Design[Truth],
    rules: list[tuple[Sides, FloatArray]],
) -> tuple[FloatArray, FloatArray]:
    padded = _padded(design, count, rng)
    at_each, at_all = np.zeros((len(rules), design.k.size)), np.zeros(len(rules))
    for i, (sides, target) in enumerate(rules):
        lower, upper = sides.apply(padded)
        inside = (lower <= target) & (target <= upper)
        at_each[i] = inside[:, : design.k.size].sum(axis=0)
        at_all[i] = inside.all(axis=1).sum()
    return at_each, at_all


def band_coverage(
    design: Design[Truth],
    *,
    confidences: Sequence[float] | None = None,
    band: BandKind = "ld-highest-density",
    simultaneous: Simultaneous | None = None,
    statistic: Statistic = "median",
) -> Study:
    """Measure how often a band holds the true curve: everywhere at once, and at each budget.

    For quantiles "everywhere" means at all budgets that the band is for: all whole ones, all real
    ones (checked on both sides of every jump), or those of the range or list; for the mean, at the
    budgets of the design.

    Parameters
    ----------
    design : Design
        What is simulated; pointwise coverage is measured at its budgets.  The mean needs finite
        bounds.
    confidences : sequence of float, optional
        Nominal levels, all of which see the same samples.  By default, that of the design.
    band, simultaneous, statistic
        As in `tuning_band`.

    Examples
    --------
    >>> from scipy import stats
    >>> from bestofk.studies.truth import ParametricTruth
    >>> design = Design(ParametricTruth(stats.uniform()), n=8, n_samples=400, confidence=0.8)
    >>> bool(abs(band_coverage(design)["coverage"][0] - 0.8) < 0.1)
    True
    """
    given = (design.confidence,) if confidences is None else confidences
    levels = [arguments.confidence(c) for c in given]
    (name, q), k = arguments.statistic(statistic), design.k
    if q is None and not np.isfinite(design.bounds).all():
        raise ArgumentError(
            f"a band for the mean needs finite {arg('bounds')}; got none. State the range of the "
            "score."
        )
    rules, what = [], f"coverage of {band} bands for the {name} curve"
    options: Any = {
        "band": band,
        "statistic": name,
        "direction": design.direction,
        "simultaneous": simultaneous,
    }
    for level in levels:
        if q is None:
            target = design.truth.mean_curve(k, direction=design.direction)
            sides = band_sides(design.n, k, confidence=level, **options)
        else:
            of_ranks = _band_of_ranks(design.n, {"confidence": level, "budgets": k, **options})
            at = np.append(k, _all_jumps(of_ranks, q))
            target = quantile_curve(design.truth, at, q=q, direction=design.direction)
            lower, _, upper = of_ranks.evaluate(at)
            sides = Sides(lower=lower, upper=upper)
            if isinstance(of_ranks.base, BudgetBand):
                where = words.holds_for(of_ranks.base.asked)
                what = f"coverage {where} of {band} bands for the {name} curve"
        rules.append((sides, target))
    widest = max(target.size for _, target in rules)
    parts = design.simulate(partial(_coverage_block, rules=rules), block=ENTRIES // widest)
    at_each, at_all = (np.sum([p[i] for p in parts], axis=0) for i in (0, 1))
    columns = {
        "nominal": np.array(levels),
        **design.shares(at_all),
        "pointwise_least": at_each.min(axis=1) / design.n_samples,
        "pointwise_mean": at_each.mean(axis=1) / design.n_samples,
    }
    measured = f"coverage of the {name} curve"
    drawn = "coverage lower upper"
    return design.study(what, columns, drawn, measured=measured, interval=design.interval)


def _width_block(
    count: int, rng: np.random.Generator, *, design: Design[Truth], rules: dict[str, Sides]
) -> dict[str, tuple[FloatArray, FloatArray]]:
    padded = _padded(design, count, rng)
    out = {}
    for name, sides in rules.items():
        lower, upper = sides.apply(padded)
        finite = np.isfinite(upper) & np.isfinite(lower)
        width = huge.difference(np.where(finite, upper, 0.0), np.where(finite, lower, 0.0))
        with np.errstate(over="ignore"):  # a mean beyond the largest number is said to be infinite
            out[name] = width.sum(axis=0), finite.sum(axis=0).astype(np.float64)
    return out


def band_width(
    design: Design[Truth],
    *,
    bands: Sequence[BandKind] = ("ld-highest-density", "ld-equal-tailed", "ks", "dkw"),
    simultaneous: Simultaneous | None = None,
    statistic: Statistic = "median",
) -> Study:
    """Measure the mean width of bands at each budget, where both sides are finite.

    Parameters
    ----------
    design : Design
        What is simulated; without bounds a side is infinite beyond the reach.
    bands : sequence of str
        The bands that are compared; all see the same samples.
    simultaneous : str, optional
        What the "ld" bands hold for, as in `tuning_band`; "ks" and "dkw" do at all real budgets.
    statistic
        As in `tuning_band`.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> found = band_width(Design(DiscreteTruth(range(99)), n=20, budgets=[1], bounds=(0, 99)))
    >>> bool(found["ks"][0] <= found["dkw"][0])
    True
    """
    name = arguments.statistic(statistic)[0]
    rules = {
        str(m): band_sides(
            design.n,
            design.k,
            confidence=design.confidence,
            band=m,
            statistic=name,
            direction=design.direction,
            simultaneous=None if kind_of(m) is None else simultaneous,
        )
        for m in bands
    }
    parts = design.simulate(partial(_width_block, rules=rules), block=ENTRIES // design.n)
    columns: dict[str, Any] = {"budgets": design.k}
    for m in rules:
        total, finite = (np.sum([p[m][i] for p in parts], axis=0) for i in (0, 1))
        columns[m] = np.where(finite > 0, total / np.maximum(finite, 1), np.inf)
        columns[f"share_finite_{m}"] = finite / design.n_samples
    what = f"mean width of {design.confidence:g} bands for the {name} curve"
    return design.study(what, columns, " ".join(rules))
