"""Point estimates under a known truth: bias and variance, underestimates, wrong conclusions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.types import ESTIMATORS, Direction, FloatArray
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric import order
from bestofk.studies.result import Study, clopper_pearson
from bestofk.studies.simulate import MOST_TRIALS, Progress, in_blocks
from bestofk.studies.truth import Truth

# Of a table of samples, one sorted in ascending order per row, larger being better, and the
# budgets: the estimates, one row per sample.
Estimate: TypeAlias = Callable[[FloatArray, FloatArray], FloatArray]
_ENTRIES = 2**21  # scores in one block


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


def _sorted_samples(
    truth: Truth, count: int, n: int, rng: np.random.Generator, sign: float
) -> FloatArray:
    return np.sort(sign * truth.sample((count, n), rng), axis=1)


def _errors_block(
    count: int,
    rng: np.random.Generator,
    *,
    truth: Truth,
    n: int,
    budgets: FloatArray,
    estimators: dict[str, Estimate],
    target: FloatArray,
    sign: float,
) -> dict[str, tuple[FloatArray, ...]]:
    """Return sums of powers of the error, how often it is negative, and paired squares."""
    samples = _sorted_samples(truth, count, n, rng, sign)
    out: dict[str, tuple[FloatArray, ...]] = {}
    for name, estimate in estimators.items():
        with np.errstate(over="ignore", invalid="ignore"):  # beyond the largest number: infinite
            error = estimate(samples, budgets) - target
            out[name] = (
                error.sum(axis=0),
                (error**2).sum(axis=0),
                (error**4).sum(axis=0),
                (error < 0).sum(axis=0).astype(np.float64),
            )
    return out


def _simulate_errors(
    truth: Truth,
    n: int,
    budgets: FloatArray,
    estimators: Sequence[str] | Mapping[str, Estimate],
    n_samples: int,
    seed: int,
    direction: Direction,
    n_jobs: int,
    progress: Progress | None,
) -> tuple[FloatArray, dict[str, list[FloatArray]]]:
    functions = named(estimators)
    for name in functions:
        if name in ESTIMATORS:
            arguments.estimator_budgets(budgets, name, n)
    sign = 1.0 if arguments.direction(direction) == "maximize" else -1.0
    target = sign * truth.mean_curve(budgets, direction=direction)
    parts = in_blocks(
        partial(
            _errors_block,
            truth=truth,
            n=n,
            budgets=budgets,
            estimators=functions,
            target=target,
            sign=sign,
        ),
        n_samples,
        seed=seed,
        block=max(1, _ENTRIES // n),
        n_jobs=n_jobs,
        progress=progress,
    )
    sums = {
        name: [np.sum([p[name][i] for p in parts], axis=0) for i in range(4)] for name in functions
    }
    return target, sums


def estimation_error(
    truth: Truth,
    *,
    n: int,
    budgets: ArrayLike | None = None,
    estimators: Sequence[str] | Mapping[str, Estimate] = ("v", "u", "w"),
    n_samples: int = 10_000,
    seed: int = 0,
    direction: Direction = "maximize",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Measure bias, variance and mean squared error of estimates of the mean curve.

    Parameters
    ----------
    truth : Truth
        Where the samples come from.
    n : int
        Trials in one sample.
    budgets : array_like, optional
        The k; 1 to n if left out.
    estimators : sequence of str or mapping
        "v", "u", "w", "m", or functions of (sorted samples, budgets) by name.
    n_samples, seed, n_jobs, progress
        As in `in_blocks`.
    direction : {"maximize", "minimize"}
        Whether larger or smaller is better.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> found = estimation_error(DiscreteTruth([0, 1]), n=2, estimators=["u"], n_samples=400)
    >>> bool(abs(found["bias_u"]).max() < 0.1)
    True
    """
    size = arguments.whole("n", n, most=MOST_TRIALS)
    k = np.arange(1.0, size + 1) if budgets is None else arguments.budgets(budgets)
    target, sums = _simulate_errors(
        truth, size, k, estimators, n_samples, seed, direction, n_jobs, progress
    )
    sign = 1.0 if direction == "maximize" else -1.0
    columns: dict[str, Any] = {"budgets": k, "truth": sign * target}
    for name, (first, second, fourth, _) in sums.items():
        if not np.isfinite([first, second, fourth]).all():
            raise DataError(
                f"the errors of {name} are beyond the largest number. Use another unit."
            )
        bias, mse = first / n_samples, second / n_samples
        spread = np.maximum(mse - bias**2, 0.0)
        columns[f"bias_{name}"] = sign * bias
        columns[f"variance_{name}"] = spread * n_samples / max(1, n_samples - 1)
        columns[f"mse_{name}"] = mse
        columns[f"error_bias_{name}"] = np.sqrt(spread / n_samples)
        columns[f"error_mse_{name}"] = np.sqrt(
            np.maximum(fourth / n_samples - mse**2, 0.0) / n_samples
        )
    return Study(
        what="bias, variance and MSE of estimates of the mean of the best of k",
        label=truth.label,
        n=size,
        columns=columns,
        facts={"samples": n_samples, "seed": seed},
        direction=direction,
        drawn=tuple(name for name in columns if name.startswith("mse_")),
    )


def underestimates(
    truth: Truth,
    *,
    n: int,
    budgets: ArrayLike | None = None,
    estimators: Sequence[str] | Mapping[str, Estimate] = ("v", "u"),
    n_samples: int = 5000,
    confidence: float = 0.95,
    seed: int = 0,
    direction: Direction = "maximize",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Measure how often an estimate is worse than the truth: false-conclusion probing.

    Parameters
    ----------
    truth, n, budgets, estimators, direction, n_samples, seed, n_jobs, progress
        As in `estimation_error`.
    confidence : float
        Of the Clopper-Pearson interval around each share.

    References
    ----------
    .. [1] Tang et al. Showing Your Work Doesn't Always Work. ACL 2020, section 4.2.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> found = underestimates(DiscreteTruth(range(9)), n=5, budgets=[5], n_samples=400)
    >>> bool(found["share_v"][0] > found["share_u"][0])
    True
    """
    size, level = arguments.whole("n", n, most=MOST_TRIALS), arguments.confidence(confidence)
    k = np.arange(1.0, size + 1) if budgets is None else arguments.budgets(budgets)
    _, sums = _simulate_errors(
        truth, size, k, estimators, n_samples, seed, direction, n_jobs, progress
    )
    columns: dict[str, Any] = {"budgets": k}
    for name, (*_, below) in sums.items():
        columns[f"share_{name}"] = below / n_samples
        low, high = clopper_pearson(below, n_samples, confidence=level)
        columns[f"lower_{name}"], columns[f"upper_{name}"] = low, high
    return Study(
        what="share of estimates worse than the truth",
        label=truth.label,
        n=size,
        columns=columns,
        facts={"samples": n_samples, "seed": seed, "interval": level},
        direction=direction,
        drawn=tuple(name for name in columns if name.startswith("share_")),
    )


def _wrong_block(
    count: int,
    rng: np.random.Generator,
    *,
    better: Truth,
    worse: Truth,
    n: int,
    estimators: dict[str, Estimate],
    sign: float,
) -> dict[str, int]:
    k = np.array([float(n)])
    a, b = (_sorted_samples(t, count, n, rng, sign) for t in (better, worse))
    return {e: int((f(a, k) < f(b, k)).sum()) for e, f in estimators.items()}


def wrong_conclusions(
    better: Truth,
    worse: Truth,
    *,
    sizes: Sequence[int],
    estimators: Sequence[str] | Mapping[str, Estimate] = ("v", "u", "w"),
    n_samples: int = 50_000,
    confidence: float = 0.95,
    seed: int = 0,
    direction: Direction = "maximize",
    n_jobs: int = 1,
    progress: Progress | None = None,
) -> Study:
    """Measure how often the worse of two models looks better, when n trials estimate the best of n.

    Which is the worse one is decided at each n; `lead` is how far `better` is ahead there.

    Parameters
    ----------
    better, worse : Truth
        The two models; `better` must be so at the largest size.
    sizes : sequence of int
        The numbers of trials n, each of which is also the budget.
    estimators, direction, n_samples, seed, n_jobs, progress
        As in `estimation_error`.
    confidence : float
        Of the Clopper-Pearson interval around each share.

    References
    ----------
    .. [1] Dodge et al. Expected Validation Performance. Findings of EMNLP 2021, section 4.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> good, poor = DiscreteTruth([2, 4], label="good"), DiscreteTruth([1, 3], label="poor")
    >>> found = wrong_conclusions(good, poor, sizes=[2], n_samples=400)
    >>> bool(0 < found["share_v"][0] < 0.5)
    True
    """
    functions, level = named(estimators), arguments.confidence(confidence)
    sign = 1.0 if arguments.direction(direction) == "maximize" else -1.0
    wanted = [arguments.whole("sizes", int(s)) for s in sizes]
    budgets = np.array(wanted, dtype=np.float64)
    curves = [t.mean_curve(budgets, direction=direction) for t in (better, worse)]
    lead = sign * (curves[0] - curves[1])
    if not lead[budgets.argmax()] > 0:
        raise ArgumentError(
            f"`better` must be the better one at the budget {budgets.max():g}; {better.label!r} is "
            "not. Swap the two."
        )
    columns: dict[str, Any] = {"budgets": budgets, "lead": lead}
    counts: dict[str, list[int]] = {name: [] for name in functions}
    for place, size in enumerate(wanted):
        first, second = (better, worse) if lead[place] > 0 else (worse, better)
        parts = in_blocks(
            partial(
                _wrong_block, better=first, worse=second, n=size, estimators=functions, sign=sign
            ),
            n_samples,
            seed=seed + place,
            block=max(1, _ENTRIES // size),
            n_jobs=n_jobs,
        )
        for name in functions:
            counts[name].append(sum(p[name] for p in parts))
        if progress is not None:
            progress(place + 1, len(wanted))
    for name, found in counts.items():
        columns[f"share_{name}"] = np.array(found) / n_samples
        low, high = clopper_pearson(found, n_samples, confidence=level)
        columns[f"lower_{name}"], columns[f"upper_{name}"] = low, high
    return Study(
        what=f"how often the worse of {better.label!r} (ahead by `lead`) and {worse.label!r} looks "
        "the better",
        label=better.label,
        n=max(wanted),
        columns=columns,
        facts={"samples": n_samples, "seed": seed, "interval": level},
        direction=direction,
        drawn=tuple(name for name in columns if name.startswith("share_")),
    )
