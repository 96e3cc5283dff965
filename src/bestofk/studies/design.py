"""What a study simulates: checked once, then read by every study."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.errors import ArgumentError
from bestofk.studies.result import Study, clopper_pearson
from bestofk.studies.simulate import MOST_TRIALS, Progress, in_blocks

ENTRIES = 2**21  # scores in one block
T_co = TypeVar("T_co", covariant=True)


@dataclass(frozen=True, eq=False)
class Design(Generic[T_co]):
    """Samples of a known truth: how many, how large, and what is measured on them.

    Parameters
    ----------
    truth : Truth or Benchmark
        Where the samples come from; its `label` names the study.
    n : int
        Trials in one sample, or attempts at each problem.
    budgets : array_like, optional
        The k; 1 to n if left out.
    confidence : float
        Nominal level of the intervals and bands that are studied.
    n_samples : int
        Number of simulated samples.
    seed : int
        Fixes everything.
    direction : {"maximize", "minimize"}
        Whether larger or smaller is better.
    bounds : (low, high), optional
        What a score can be at all.
    interval : float
        Confidence of the Clopper-Pearson interval around each measured share.
    n_jobs, progress
        As in `in_blocks`.

    Attributes
    ----------
    k : array
        The budgets, as numbers.
    sign : float
        1 if larger is better, else -1.

    Examples
    --------
    >>> from bestofk.studies.truth import DiscreteTruth
    >>> Design(DiscreteTruth([0, 1]), n=3).k
    array([1., 2., 3.])
    """

    truth: T_co
    n: int = field(kw_only=True)
    budgets: ArrayLike | None = field(default=None, kw_only=True)
    confidence: float = field(default=0.95, kw_only=True)
    n_samples: int = field(default=1000, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    direction: Direction = field(default="maximize", kw_only=True)
    bounds: Bounds = field(default=(-math.inf, math.inf), kw_only=True)
    interval: float = field(default=0.95, kw_only=True)
    n_jobs: int = field(default=1, kw_only=True)
    progress: Progress | None = field(default=None, kw_only=True, repr=False)
    k: FloatArray = field(init=False, repr=False)
    sign: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not hasattr(self.truth, "sample"):
            raise ArgumentError(
                argument="truth",
                must="be a distribution to draw from, such as DiscreteTruth(scores)",
                got=f"an object of type {type(self.truth).__name__}",
            )
        checked: dict[str, Any] = {
            "n": arguments.whole("n", self.n, most=MOST_TRIALS),
            "confidence": arguments.confidence(self.confidence),
            "n_samples": arguments.whole("n_samples", self.n_samples),
            "seed": arguments.whole("seed", self.seed, least=0),
            "direction": arguments.direction(self.direction),
            "bounds": arguments.bounds(self.bounds),
            "interval": arguments.confidence(self.interval),
            "n_jobs": arguments.whole("n_jobs", self.n_jobs),
        }
        given = self.budgets
        k = np.arange(1.0, checked["n"] + 1) if given is None else arguments.budgets(given)
        checked["k"] = arguments.fixed(k)
        checked["sign"] = 1.0 if checked["direction"] == "maximize" else -1.0
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"progress": None}  # it stays with the process that shows it

    def simulate(self, task: Callable[..., Any], *, block: int) -> list[Any]:
        """Call ``task(count, rng, design=self)`` until all samples are simulated, `block` each."""
        return in_blocks(
            partial(task, design=self),
            self.n_samples,
            seed=self.seed,
            block=max(1, block),
            n_jobs=self.n_jobs,
            progress=self.progress,
        )

    def draw(self: Design[Any], count: int, rng: np.random.Generator, sign: float = 1) -> Any:
        """Return samples times `sign`, one sorted in ascending order per row."""
        return np.sort(sign * self.truth.sample((count, self.n), rng), axis=1)

    def shares(self, counts: Any, what: str = "coverage", of: str = "") -> dict[str, FloatArray]:
        """Return which share of the samples `counts` are, with its interval, as columns."""
        low, high = clopper_pearson(counts, self.n_samples, confidence=self.interval)
        share = np.asarray(counts) / self.n_samples
        return {f"{what}{of}": share, f"lower{of}": low, f"upper{of}": high}

    def study(
        self: Design[Any],
        what: str,
        columns: dict[str, Any],
        drawn: str = "",
        *,
        measured: str = "",
        x_label: str = "",
        **facts: Any,
    ) -> Study:
        """Return what was found; a figure shows the columns that begin with one of `drawn`.

        Its vertical axis is named after what is `measured`, by default `what`, and the truth.
        """
        return Study(
            what=what,
            label=self.truth.label,
            n=self.n,
            columns=columns,
            facts={"samples": self.n_samples, "seed": self.seed, **facts},
            direction=self.direction,
            drawn=tuple(n for n in columns if n.startswith(tuple(drawn.split()))),
            x_label=x_label,
            y_label=f"{measured or what}, {self.truth.label}",
        )
