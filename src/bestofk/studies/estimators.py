"""Point estimates under a known truth: bias and variance, underestimates, wrong conclusions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import ESTIMATORS, FloatArray
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric import order
from bestofk.studies.design import ENTRIES, Design
from bestofk.studies.result import Study
from bestofk.studies.truth import Truth

# Of a table of samples, one sorted in ascending order per row, larger being better, and the
# budgets: the estimates, one row per sample.
Estimate: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]


def named(estimators: Sequence[str] | Mapping[str, Estimate]) -> dict[str, Estimate]:
    """Return the estimators by name; the known ones are "v", "u", "w" and "m".

    Examples
    --------
    >>> named(["v"])["v"](np.array([[1.0, 2.0]]), np.array([1.0]))
    array([[1.5]])
    """
    if isinstance(estimators, Mapping):
        return dict(estimators)
    chosen = [arguments.choice("estimators", e, ESTIMATORS) for e in estimators]
    return {e: partial(order.expected_max, estimator=e) for e in chosen}


def _errors_block(
    count: int,
    rng: np.random.Generator,
    *,
    design: Design[Truth],
    estimators: dict[str, Estimate],
    target: FloatArray,
) -> dict[str, FloatArray]:
    """Return sums of powers of the error, and how often it is negative."""
    samples = design.draw(count, rng, design.sign)
    out: dict[str, FloatArray] = {}
    for name, estimate in estimators.items():
        with np.errstate(over="ignore", invalid="ignore"):  # beyond the largest number: infinite
            error = estimate(samples, design.k) - target
            parts = [error, error**2, error**4, error < 0]
            out[name] = np.array([part.sum(axis=0, dtype=np.float64) for part in parts])
    return out


def _simulate_errors(
    design: Design[Truth], estimators: Sequence[str] | Mapping[str, Estimate]
) -> tuple[FloatArray, dict[str, FloatArray]]:
    """Return the truth, larger being better, and the sums over all samples."""
    functions = named(estimators)
    for name in functions:
        if name in ESTIMATORS:
            arguments.estimator_budgets(design.k, name, design.n)
    target = design.sign * design.truth.mean_curve(design.k, direction=design.direction)
    task = partial(_errors_block, estimators=functions, target=target)
    parts = design.simulate(task, block=ENTRIES // design.n)
    return target, {name: np.sum([p[name] for p in parts], axis=0) for name in functions}


def estimation_error(
    design: Design[Truth], *, estimators: Sequence[str] | Mapping[str, Estimate] = ("v", "u", "w")
) -> Study:
    """Measure bias, variance and mean squared error of estimates of the mean curve.

    Parameters
    ----------
    design : Design
        What is simulated.
    estimators : sequence of str or mapping
        "v", "u", "w", "m", or functions of (sorted samples, budgets) by name.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> design = Design(DiscreteTruth([0, 1]), n=2, n_samples=400)
    >>> bool(abs(estimation_error(design, estimators=["u"])["bias_u"]).max() < 0.1)
    True
    """
    target, sums = _simulate_errors(design, estimators)
    columns: dict[str, Any] = {"budgets": design.k, "truth": design.sign * target}
    count = design.n_samples
    for name, (first, second, fourth, _) in sums.items():
        if not np.isfinite([first, second, fourth]).all():
            raise DataError(
                f"the errors of {name} are beyond the largest number. Use another unit."
            )
        bias, mse = first / count, second / count
        spread = np.maximum(mse - bias**2, 0.0)
        columns[f"bias_{name}"] = design.sign * bias
        columns[f"variance_{name}"] = spread * count / max(1, count - 1)
        columns[f"mse_{name}"] = mse
        columns[f"error_bias_{name}"] = np.sqrt(spread / count)
        columns[f"error_mse_{name}"] = np.sqrt(np.maximum(fourth / count - mse**2, 0.0) / count)
    what = "bias, variance and MSE of estimates of the mean of the best of k"
    return design.study(what, columns, "mse_", measured="mean squared error")


def underestimates(
    design: Design[Truth], *, estimators: Sequence[str] | Mapping[str, Estimate] = ("v", "u")
) -> Study:
    """Measure how often an estimate is worse than the truth: false-conclusion probing.

    Parameters
    ----------
    design, estimators
        As in `estimation_error`.

    References
    ----------
    .. [1] Tang et al. Showing Your Work Doesn't Always Work. ACL 2020, section 4.2.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> found = underestimates(Design(DiscreteTruth(range(9)), n=5, budgets=[5], n_samples=400))
    >>> bool(found["share_v"][0] > found["share_u"][0])
    True
    """
    _, sums = _simulate_errors(design, estimators)
    columns: dict[str, Any] = {"budgets": design.k}
    for name, (*_, below) in sums.items():
        columns |= design.shares(below, "share", f"_{name}")
    what = "share of estimates worse than the truth"
    return design.study(what, columns, "share_", interval=design.interval)


def _wrong_block(
    count: int,
    rng: np.random.Generator,
    *,
    design: Design[Truth],
    other: Design[Truth],
    estimators: dict[str, Estimate],
) -> dict[str, int]:
    k = np.array([float(design.n)])
    a, b = (each.draw(count, rng, design.sign) for each in (design, other))
    return {e: int((f(a, k) < f(b, k)).sum()) for e, f in estimators.items()}


def wrong_conclusions(
    design: Design[Truth],
    worse: Truth,
    *,
    estimators: Sequence[str] | Mapping[str, Estimate] = ("v", "u", "w"),
) -> Study:
    """Measure how often the worse of two models looks better, when n trials estimate the best of n.

    Which is the worse one is decided at each n; `lead` is how far the design's truth is ahead.

    Parameters
    ----------
    design : Design
        The better model and what is simulated; each of its budgets is a number of trials n.
    worse : Truth
        The other model, worse at the largest budget.
    estimators
        As in `estimation_error`.

    References
    ----------
    .. [1] Dodge et al. Expected Validation Performance. Findings of EMNLP 2021, section 4.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> good, poor = DiscreteTruth([2, 4], label="good"), DiscreteTruth([1, 3], label="poor")
    >>> found = wrong_conclusions(Design(good, n=2, budgets=[2], n_samples=400), poor)
    >>> bool(0 < found["share_v"][0] < 0.5)
    True
    """
    functions, better, budgets = named(estimators), design.truth, design.k
    sizes = [arguments.whole("budgets", int(k) if k.is_integer() else k) for k in budgets.tolist()]
    curves = [t.mean_curve(budgets, direction=design.direction) for t in (better, worse)]
    lead = design.sign * (curves[0] - curves[1])
    if not lead[budgets.argmax()] > 0:
        raise ArgumentError(
            f"the truth of the design must be the better one at the budget {budgets.max():g}; "
            f"{better.label!r} is not. Swap the two."
        )
    counts: dict[str, list[int]] = {name: [] for name in functions}
    for place, size in enumerate(sizes):
        pair = (better, worse) if lead[place] > 0 else (worse, better)
        first, second = (
            replace(design, truth=t, n=size, seed=design.seed + place, progress=None) for t in pair
        )
        task = partial(_wrong_block, other=second, estimators=functions)
        parts = first.simulate(task, block=ENTRIES // size)
        for name in functions:
            counts[name].append(sum(p[name] for p in parts))
        if design.progress is not None:
            design.progress(place + 1, len(sizes))
    columns: dict[str, Any] = {"budgets": budgets, "lead": lead}
    for name, found in counts.items():
        columns |= design.shares(found, "share", f"_{name}")
    what = (
        f"how often the worse of {better.label!r} (ahead by `lead`) and {worse.label!r} looks the "
        "better"
    )
    whole = replace(design, n=max(sizes))
    study = whole.study(what, columns, "share_", interval=design.interval)
    measured = f"how often the worse looks the better, {better.label} and {worse.label}"
    return replace(study, x_label="number of trials of each", y_label=measured)
