"""Evaluations under a known truth: how often intervals for pass@k hold it, and how wide they are.

An evaluation tries each of some problems n times.  A problem enters by its number of successes, or
by the number of the first if it was tried until then: by one of n + 1 outcomes.  How many problems
had each outcome decides every interval here, so that products with a few tables make the intervals
of all evaluations at once, all but "dirichlet".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import percent
from bestofk._base.types import FloatArray
from bestofk.attempts.sides import refuse_above_half
from bestofk.attempts.words import ATTEMPTS_AXIS
from bestofk.curves.cdf_band import band_ends
from bestofk.errors import ArgumentError, arg
from bestofk.numeric import attempts as numeric
from bestofk.numeric.dirichlet import resamples_needed, simultaneous_band
from bestofk.studies.benchmark import Benchmark
from bestofk.studies.design import ENTRIES, Design
from bestofk.studies.result import Study, clopper_pearson

Pair: TypeAlias = tuple[FloatArray, FloatArray]
# By what is studied: the bands of `pass_band`, then means of estimates with 1.96 standard errors.
POPULATION = ("all-counts", "clopper-pearson", "listed", "dirichlet", "mean-se", "plug-in-se")
BENCHMARK = ("normal", "mean-se", "plug-in-se")
STOPPED = ("first-success", "direct-se", "usual-se")
_CURVES = 2**24  # values of all random curves of all "dirichlet" bands, a few seconds
_BLOCK = 128  # evaluations
_LEAST = 100  # such bands, however long each takes


class Covered(NamedTuple):
    """What a study of evaluations finds, a row per interval or per k and a column per interval."""

    whole: Study
    """How often the truth is inside at all k; least and mean coverage at one k; mean width."""
    coverage: Study
    """How often the truth is inside at each k."""
    width: Study
    """The mean width at each k."""
    bias: Study
    """The truth, and how far the mean of each estimate is from it."""


@dataclass(frozen=True, kw_only=True, eq=False)
class _Plan:
    """What is to be made of the outcomes: tables with a row per outcome, or per number of them."""

    bands: tuple[str, ...]
    stopped: bool
    n_resamples: int
    values: dict[str, FloatArray]
    ends: dict[str, Pair]
    z: float

    def sides(self, name: str, counts: NDArray[np.intp], design: Design[Benchmark]) -> Pair:
        """Return both sides of an interval for every evaluation, a row of `counts` each."""
        k, size = design.k, counts.sum(axis=1, keepdims=True)
        if name in self.ends:
            below = np.cumsum(counts, axis=1)[:, : design.n]
            if self.stopped:
                solved = below[:, k.astype(np.intp) - 1]
                return self.ends[name][0][solved], self.ends[name][1][solved]
            low, high = (end[below] for end in self.ends[name])
            return (1 - high) @ self.values["steps"], (1 - low) @ self.values["steps"]
        if name == "dirichlet":
            return self._dirichlet(counts, design)
        g = self.values[_ESTIMATE[name]]
        mean = counts @ g / size
        if name == "normal":
            variance = counts @ self.values["within"] / size**2
            half = numeric.normal_half_width(variance, design.confidence)
            known = variance > 0
            return (
                np.where(known, np.maximum(mean - half, 0.0), 0.0),
                np.where(known, np.minimum(mean + half, 1.0), 1.0),
            )
        spread = np.maximum(counts @ g**2 - size * mean**2, 0.0) / (size - 1)
        return mean - self.z * np.sqrt(spread / size), mean + self.z * np.sqrt(spread / size)

    def _dirichlet(self, counts: NDArray[np.intp], design: Design[Benchmark]) -> Pair:
        table, places = self.values["unbiased"], np.arange(counts.shape[1])
        mirrored = design.truth.pick == "worst"
        table = 1 - table if mirrored else table  # the random weights are those of pass_band
        found = [
            simultaneous_band(
                table[np.repeat(places, row)], (0.0, 1.0), design.confidence, 0, self.n_resamples
            )
            for row in counts
        ]
        lower, upper = np.moveaxis(np.array(found), 1, 0)
        return (1 - upper, 1 - lower) if mirrored else (lower, upper)


_ESTIMATE = {
    "normal": "unbiased",
    "mean-se": "unbiased",
    "plug-in-se": "plug-in",
    "direct-se": "direct",
    "usual-se": "usual",
}


def _plan(
    design: Design[Benchmark], bands: tuple[str, ...], stopped: bool, resamples: int
) -> _Plan:
    k, n, size = design.k, design.n, int(design.truth.n_problems or 0)
    alpha = 1 - design.confidence
    every = np.arange(size + 1)

    def all_counts(level: float) -> Pair:
        return numeric.cdf_at(every, *band_ends(size, level, "ld-highest-density"))

    ends = {}
    if stopped:
        tries = np.arange(1.0, n + 2)[:, None]  # n + 1: not solved
        solved = (tries <= k).astype(np.float64)
        usual = np.where(tries <= k, 1.0, np.where(tries <= n, k / tries, 0.0))
        values = {"direct": solved, "usual": usual}
        ends["first-success"] = all_counts(design.confidence)
    else:
        share = np.arange(n + 1)[:, None] / n
        values = {"unbiased": numeric.count_values(n, k), "plug-in": 1 - (1 - share) ** k}
        values["steps"] = numeric.count_steps(n, k)
        ends["all-counts"] = all_counts(design.confidence)
        ends["clopper-pearson"] = numeric.clopper_pearson(every, size, alpha / n)
        ends["listed"] = all_counts(1 - alpha / k.size if k.size > 1 else design.confidence)
    if "normal" in bands:
        once, twice = (1 - numeric.count_values(n, m * k) for m in (1, 2))
        values["within"] = once**2 - twice
    z = float(numeric.normal_half_width(np.ones(1), design.confidence)[0])
    return _Plan(bands=bands, stopped=stopped, n_resamples=resamples, values=values, ends=ends, z=z)


def _outcomes(
    chances: FloatArray, n: int, stopped: bool, rng: np.random.Generator
) -> NDArray[np.intp]:
    """Return how many problems of each evaluation (row) had each of the n + 1 outcomes."""
    if stopped:  # the first success, counted from 0; n if there is none
        first = rng.geometric(np.maximum(chances, 1e-12)) - 1
        drawn = np.where(chances > 0, np.minimum(first, n), n)
    else:
        drawn = rng.binomial(n, chances)
    rows = np.arange(len(chances))[:, None] * (n + 1)
    flat = np.bincount((rows + drawn).ravel(), minlength=len(chances) * (n + 1))
    return flat.reshape(len(chances), n + 1)


def _evaluations_block(
    count: int, rng: np.random.Generator, *, design: Design[Benchmark], plan: _Plan, stride: int
) -> dict[str, FloatArray]:
    """Return sums over evaluations: of each interval and, under another name, of each estimate.

    All k attempts are right unless one of them fails: with ``pick="worst"`` failures are counted
    as successes, which mirrors all intervals.
    """
    truth, k = design.truth, design.k
    chances = truth.sample(count, rng)
    same, mirrored = truth.scope == "population", truth.pick == "worst"
    counts = _outcomes(1 - chances if mirrored else chances, design.n, plan.stopped, rng)
    target = truth.curve(k)[None] if same else truth.curve(k, chances)
    target = 1 - target if mirrored else target
    out = {}
    for name in plan.bands:
        used = slice(None, None, stride if name == "dirichlet" else 1)
        aim = target if same else target[used]
        lower, upper = plan.sides(name, counts[used], design)
        inside = (lower <= aim + 1e-12) & (aim - 1e-12 <= upper)  # sums differ by rounding
        sums = [inside.sum(axis=0), (upper - lower).sum(axis=0)]
        whole = np.full(k.size, inside.all(axis=1).sum())
        out[name] = np.array([*sums, whole, np.full(k.size, len(inside))], dtype=np.float64)
    for name in {_ESTIMATE[b]: 0 for b in plan.bands if b in _ESTIMATE}:
        error = counts @ plan.values[name] / counts.sum(axis=1, keepdims=True) - target
        error = -error if mirrored else error
        out[f"bias {name}"] = np.array([error.sum(axis=0), (error**2).sum(axis=0)])
    return out


def attempts_coverage(
    design: Design[Benchmark],
    *,
    bands: Sequence[str] | None = None,
    stopped: bool = False,
    n_resamples: int = 999,
) -> Covered:
    """Measure how often intervals for pass@k hold the truth: the whole curve, and at each k.

    The bands of `pass_band`, and the error bars in use: the mean over problems with 1.96 standard
    errors (at 95 %), of the unbiased estimate ("mean-se") and of 1 - (1 - c/n)^k ("plug-in-se").

    Parameters
    ----------
    design : Design
        What is simulated; its truth is a `Benchmark`, its n the number of attempts at each problem.
        "listed" is made for its budgets, "normal" for k up to half the number of attempts, which
        are the budgets by default if intervals are about the problems drawn.
    bands : sequence of str, optional
        Which intervals.  By default, all that there are for the scope of the benchmark.
    stopped : bool
        Whether each problem is tried until its first success, n times at most.  Then the exact band
        of the first success stands beside error bars of the share solved within k attempts
        ("direct-se") and of the estimate for a fixed number of attempts ("usual-se").
    n_resamples : int
        Number of random weightings of each "dirichlet" band; where these would take long, fewer of
        them are made, and `whole` says how many.

    Returns
    -------
    Covered
        The studies `whole`, `coverage`, `width` and `bias`.

    Examples
    --------
    >>> truth = Benchmark([0] * 6 + [0.2, 0.3, 0.5, 0.9], n_problems=30)
    >>> design = Design(truth, n=16, n_samples=200)
    >>> found = attempts_coverage(design, bands=["all-counts", "mean-se"])
    >>> bool(found.whole["coverage"][0] > 0.95 > found.whole["coverage"][1])
    True
    """
    truth = design.truth
    if not isinstance(truth, Benchmark):
        raise ArgumentError(
            argument="truth",
            must="be a Benchmark, made by Benchmark.of(attempts)",
            got=f"an object of type {type(truth).__name__}",
        )
    if stopped and (truth.scope, truth.pick) != ("population", "best"):
        other = arg("pick", "worst") if truth.pick == "worst" else arg("scope", "benchmark")
        raise ArgumentError(
            f"attempts that stop at the first success have intervals for the best of k and about "
            f"such problems only; got {other}. Leave it out."
        )
    about = BENCHMARK if truth.scope == "benchmark" else STOPPED if stopped else POPULATION
    names = about if bands is None else tuple(arguments.choice("bands", b, about) for b in bands)
    if "normal" in names and design.budgets is None:
        design = replace(design, budgets=np.arange(1.0, max(1, design.n // 2) + 1))
    k = design.k
    if (k != np.floor(k)).any() or k.max() > design.n:
        raise ArgumentError(
            argument="budgets",
            must=f"be whole numbers of attempts, at most {design.n}",
            got=f"{k[(k != np.floor(k)) | (k > design.n)][0]:.15g}",
        )
    if "normal" in names:
        refuse_above_half(k, design.n)
    resamples = arguments.whole("n_resamples", n_resamples, least=99, most=10**6)
    plan = _plan(design, names, stopped, resamples)
    few = max(_LEAST, _CURVES // (resamples * k.size))
    task = partial(_evaluations_block, plan=plan, stride=-(-design.n_samples // few))
    block = ENTRIES // 8 // max(int(truth.n_problems or 0), design.n)
    parts = design.simulate(task, block=min(block, _BLOCK))
    sums = {name: np.sum([p[name] for p in parts], axis=0) for name in parts[0]}
    return _found(design, plan, sums)


def _found(design: Design[Benchmark], plan: _Plan, sums: dict[str, FloatArray]) -> Covered:
    truth, k = design.truth, design.k
    held = {name: sums[name][0] / sums[name][3] for name in plan.bands}
    widths = {name: sums[name][1] / sums[name][3] for name in plan.bands}
    together, counts = (np.array([sums[name][i][0] for name in plan.bands]) for i in (2, 3))
    lower, upper = clopper_pearson(together, counts, confidence=design.interval)
    facts: dict[str, Any] = {"problems": truth.n_problems, "scope": truth.scope}
    meaning = "pass^k" if truth.pick == "worst" else "pass@k"
    what = f"{design.confidence:g} intervals for {meaning}"
    if plan.stopped:
        what += " from attempts until the first success"
    every = np.array_equal(k, np.arange(1.0, design.n + 1))
    together_at = "the whole curve" if every else f"at {k.size} k together"
    whole = {
        "band": np.array(plan.bands),
        "coverage": together / counts,
        "lower": lower,
        "upper": upper,
        "pointwise_least": np.array([shares.min() for shares in held.values()]),
        "pointwise_mean": np.array([shares.mean() for shares in held.values()]),
        "width": np.array([width.mean() for width in widths.values()]),
        "evaluations": counts,
    }
    error = max(float(np.sqrt(h * (1 - h) / sums[n][3]).max()) for n, h in held.items())
    count, bias, worst = design.n_samples, {}, 0.0
    for name in (n for n in sums if n.startswith("bias ")):
        first, second = sums[name] / count
        bias[name.removeprefix("bias ")] = first
        worst = max(worst, float(np.sqrt(np.maximum(second - first**2, 0.0) / count).max()))
    found = Covered(
        whole=design.study(
            f"how often {what} hold {together_at}",
            whole,
            "coverage",
            measured=f"coverage of {meaning} {'as a whole' if every else together_at}",
            **facts,
            interval=design.interval,
        ),
        coverage=design.study(
            f"coverage at each k of {what}",
            {"budgets": k, **held},
            " ".join(held),
            measured=f"coverage of {meaning}",
            x_label=ATTEMPTS_AXIS,
            **facts,
            largest_error=error,
        ),
        width=design.study(
            f"mean width of {what}",
            {"budgets": k, **widths},
            " ".join(held),
            x_label=ATTEMPTS_AXIS,
            **facts,
        ),
        bias=design.study(
            f"{meaning}, and the bias of its estimates",
            {"budgets": k, "truth": truth.curve(k), **bias},
            " ".join(bias),
            measured=f"bias of estimates of {meaning}",
            x_label=ATTEMPTS_AXIS,
            **facts,
            largest_error=worst,
        ),
    )
    if "dirichlet" not in widths or (widths["dirichlet"] < 1).any():
        return found
    empty = _says_nothing(plan.n_resamples, design.confidence)
    about = {n: replace(getattr(found, n), caveats=empty) for n in ("whole", "coverage", "width")}
    return found._replace(**about)


def _says_nothing(n_resamples: int, confidence: float) -> tuple[Caveat, ...]:
    """Return why no "dirichlet" band that was made excludes any value, if it is the weightings."""
    needed = resamples_needed(confidence)
    if n_resamples >= needed:
        return ()
    text = (
        f'the "dirichlet" band says nothing: it goes from 0 to 1 at every k, because '
        f"{n_resamples:,} random weightings are too few for a confidence of {percent(confidence)}; "
        f"{needed:,} is the least number"
    )
    return (Caveat(kind="too-few-resamples", text=text),)
