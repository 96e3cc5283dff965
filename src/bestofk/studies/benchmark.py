"""A benchmark whose problems have known chances: what evaluations are simulated from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import Failed, FloatArray, Scope
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.protocol import prepared
from bestofk.attempts.words import SCOPES
from bestofk.errors import ArgumentError, DataError

Counted: TypeAlias = Literal["best", "worst"]


@dataclass(frozen=True, eq=False)
class Benchmark:
    """Problems with known chances of success, of which an evaluation tries some.

    Parameters
    ----------
    rates : array_like
        The chance of success of one attempt at each problem.
    n_problems : int, optional
        Problems in one evaluation.  By default, as many as there are.
    scope : {"population", "benchmark"}
        Whether they are drawn with replacement, and intervals are about the problems that they are
        drawn from; or without, and intervals are about the problems drawn.
    pick : {"best", "worst"}
        Whether one of k attempts must succeed (pass@k) or all of them (pass^k).
    label : str
        The name in tables.

    Examples
    --------
    >>> Benchmark([0, 0.5]).curve(np.array([1.0, 2.0]))
    array([0.25 , 0.375])
    """

    rates: FloatArray
    n_problems: int | None = field(default=None, kw_only=True)
    scope: Scope = field(default="population", kw_only=True)
    pick: Counted = field(default="best", kw_only=True)
    label: str = field(default="benchmark", kw_only=True)

    def __post_init__(self) -> None:
        rates = arguments.vector("rates", self.rates)
        if (outside := rates[(rates < 0) | (rates > 1)]).size:
            raise ArgumentError(argument="rates", must="lie between 0 and 1", got=f"{outside[0]:g}")
        arguments.choice("scope", self.scope, SCOPES)
        arguments.choice("pick", self.pick, ("best", "worst"))
        size = rates.size if self.n_problems is None else self.n_problems
        most = rates.size if self.scope == "benchmark" else None
        object.__setattr__(self, "rates", arguments.fixed(rates))
        checked = arguments.whole("n_problems", size, least=2, most=most)
        object.__setattr__(self, "n_problems", checked)

    @classmethod
    def of(cls, attempts: Attempts, *, failed: Failed = "raise", **options: Any) -> Benchmark:
        """Return problems that are solved as often as in these attempts."""
        ready = prepared(attempts, failed)
        if ready.first is not None or not ready.attempts.is_binary:
            raise DataError(
                f"{attempts.label}: the truth of a study needs a fixed number of attempts with "
                "scores at the bounds, 0 for wrong and 1 for right."
            )
        rates = ready.attempts.correct / ready.n
        return cls(rates, **{"label": attempts.label, **options})

    def sample(self, count: int, rng: np.random.Generator) -> FloatArray:
        """Draw the chances of the problems of `count` evaluations, one per row."""
        shape, all_of_them = (count, int(self.n_problems or 0)), self.rates.size
        if self.scope == "population":
            return self.rates[rng.integers(0, all_of_them, size=shape)]
        if shape[1] == all_of_them:
            return np.broadcast_to(self.rates, shape)
        places = np.broadcast_to(np.arange(all_of_them), (count, all_of_them))
        drawn: FloatArray = self.rates[rng.permuted(places, axis=1)[:, : shape[1]]]
        return drawn

    def curve(self, budgets: FloatArray, rates: FloatArray | None = None) -> FloatArray:
        """Return pass@k or pass^k of all the problems, or of those of each row of `rates`."""
        chances = self.rates if rates is None else rates
        if self.pick == "worst":
            return np.stack([(chances**k).mean(axis=-1) for k in budgets], axis=-1)
        return np.stack([1 - ((1 - chances) ** k).mean(axis=-1) for k in budgets], axis=-1)
