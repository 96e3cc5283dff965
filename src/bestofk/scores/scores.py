"""Scores: a sample of scores, one per trial of one method, with its direction and its doubts."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, Caveated, as_caveats
from bestofk._base.text import format_number
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.errors import DataError, arg
from bestofk.numeric import huge
from bestofk.scores.trial import SAMPLINGS, Sampling, grid_size, with_sampling

_NAN_WAY_OUT = (
    f" If the trial failed, keep it in a Search and call scores({arg('failed', 'worst')})."
)


@dataclass(frozen=True, eq=False, repr=False)
class Scores(Caveated):
    """A sample of scores, one per trial of one method, in start order.

    Parameters
    ----------
    values : array_like
        The scores.  Infinite ones are allowed (a diverged run), NaN is not.
    direction : {"maximize", "minimize"}
        Whether larger or smaller is better.
    bounds : (low, high), optional
        What a score can be at all, e.g. ``(0, 1)`` for accuracy; None where open.
    costs : array_like, optional
        What each trial cost (seconds, epochs, dollars): finite and not negative.
    mean_cost : float, optional
        The mean cost of a trial, if not that of `costs`: failed trials cost too, also if their
        scores are left out.
    test : array_like, optional
        The test score of each trial, when `values` are validation scores.
    weights : array_like, optional
        Probability of each score, not negative and summing to 1; equal when not given.
    label : str
        The method's name in tables and figures.
    sampling : {"iid", "without-replacement", "adaptive", "unknown"}
        How the settings were drawn.  By default it is not known: results then say that they assume
        independent draws.
    seed : int, optional
        The seed that the settings were drawn from, as in `Search`.
    grid : int, optional
        The number of settings of the grid from which these were drawn at random without
        replacement; curves and bands are then those of k different settings of it.
    metric : str
        What the score is, such as "accuracy": the name of a figure's axis.
    caveats : sequence of Caveat or str
        What anyone who reads a result made from these scores has to know.

    Examples
    --------
    >>> Scores([0.72, 0.83, 0.92], bounds=(0, 1), label="cnn")
    Scores 'cnn': 3 scores from 0.72 to 0.92, maximize, bounds 0 to 1
    """

    values: FloatArray
    direction: Direction = field(default="maximize", kw_only=True)
    bounds: Bounds = field(default=(-math.inf, math.inf), kw_only=True)
    costs: FloatArray | None = field(default=None, kw_only=True)
    mean_cost: float | None = field(default=None, kw_only=True)
    test: FloatArray | None = field(default=None, kw_only=True)
    weights: FloatArray | None = field(default=None, kw_only=True)
    label: str = field(default="scores", kw_only=True)
    sampling: Sampling = field(default="unknown", kw_only=True)
    seed: int | None = field(default=None, kw_only=True)
    grid: int | None = field(default=None, kw_only=True)
    metric: str = field(default="", kw_only=True)
    caveats: tuple[Caveat, ...] = field(default=(), kw_only=True)

    if TYPE_CHECKING:  # what it takes is wider than what it keeps

        def __init__(
            self,
            values: ArrayLike,
            *,
            direction: Direction = ...,
            bounds: tuple[float | None, float | None] | None = ...,
            costs: ArrayLike | None = ...,
            mean_cost: float | None = ...,
            test: ArrayLike | None = ...,
            weights: ArrayLike | None = ...,
            label: str = ...,
            sampling: Sampling = ...,
            seed: int | None = ...,
            grid: int | None = ...,
            metric: str = ...,
            caveats: str | Iterable[Caveat | str] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        values = arguments.vector("values", self.values, way_out=_NAN_WAY_OUT)
        arguments.choice("sampling", self.sampling, SAMPLINGS)
        grid, sampling = grid_size(self.grid, self.sampling, values.size)
        bounds = arguments.bounds(self.bounds)
        arguments.refuse_outside(values, bounds, "values")
        clean: dict[str, Any] = {
            "values": arguments.fixed(values),
            "direction": arguments.direction(self.direction),
            "bounds": bounds,
            "costs": self._beside("costs", self.costs, values.size),
            "test": self._beside("test", self.test, values.size),
            "weights": self._beside("weights", self.weights, values.size),
            "label": str(self.label),
            "sampling": sampling,
            "grid": grid,
            "metric": str(self.metric),
            "caveats": with_sampling(as_caveats(self.caveats), sampling),
        }
        if clean["costs"] is not None:
            arguments.refuse_costs(clean["costs"])
        if clean["weights"] is not None:
            if grid is not None:
                raise DataError(f"{arg('grid')} needs unweighted scores. Leave out the weights.")
            arguments.refuse_weights(clean["weights"])
        if self.mean_cost is None and clean["costs"] is not None:
            clean["mean_cost"] = huge.mean(clean["costs"])
        for name, value in clean.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def _beside(name: str, value: ArrayLike | None, n: int) -> FloatArray | None:
        if value is None:
            return None
        array = arguments.vector(name, value)
        if array.size != n:
            raise DataError(
                argument=name, must="have one entry per score", got=f"{array.size} for {n} scores"
            )
        return arguments.fixed(array)

    @property
    def n(self) -> int:
        """The number of trials."""
        return int(self.values.size)

    @property
    def best(self) -> float:
        """The best score."""
        return float(self.values.max() if self.direction == "maximize" else self.values.min())

    @property
    def worst(self) -> float:
        """The bound on the bad side, which a failed trial counts as; infinite if there is none."""
        return self.bounds[0 if self.direction == "maximize" else 1]

    @cached_property
    def sorted_values(self) -> FloatArray:
        """The scores in ascending order."""
        ordered: FloatArray = arguments.fixed(np.sort(self.values))
        return ordered

    def __len__(self) -> int:
        return self.n

    def __repr__(self) -> str:
        low, high = (format_number(float(x)) for x in (self.values.min(), self.values.max()))
        text = f"Scores {self.label!r}: {self.n} scores from {low} to {high}, {self.direction}"
        if self.bounds != (-math.inf, math.inf):
            text += f", bounds {format_number(self.bounds[0])} to {format_number(self.bounds[1])}"
        told = [c for c in self.caveats if c.kind != "sampling-unknown"]
        return "\n".join([text, *(f"! {c}" for c in told)])


class AboutScores:
    """What a result made from one sample takes over from it; `scores` is the sample."""

    scores: Scores

    @property
    def label(self) -> str:
        """The method's name."""
        return self.scores.label

    @property
    def n(self) -> int:
        """The number of trials."""
        return self.scores.n

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller is better."""
        return self.scores.direction
