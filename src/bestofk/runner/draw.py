"""Draw: how a user says what a parameter is drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from bestofk.runner.distributions import (
    Choice,
    Constant,
    Distribution,
    Exponential,
    Integer,
    LogUniform,
    Normal,
    Quantised,
    Uniform,
    conditions,
)

When: TypeAlias = Mapping[str, Any]


class Draw:
    """What a parameter of a search is drawn from; `Space` and `run_search` take a dict of these.

    Each takes `when={"other": value}` (or a list of values): the parameter then exists only in
    trials where the other one has that value.

    Examples
    --------
    >>> Draw.loguniform(1e-5, 1e-1)
    LogUniform(when={}, low=1e-05, high=0.1)
    >>> print(Draw.uniform(0, 1, when={"optimizer": "sgd"}))
    uniform(low=0.0, high=1.0, when={"optimizer": ["sgd"]})
    """

    @staticmethod
    def uniform(low: float, high: float, *, when: When | None = None) -> Distribution:
        """Every number from `low` to `high` alike."""
        return Uniform(low=low, high=high, when=conditions(when))

    @staticmethod
    def loguniform(low: float, high: float, *, when: When | None = None) -> Distribution:
        """From `low` to `high`, every order of magnitude alike."""
        return LogUniform(low=low, high=high, when=conditions(when))

    @staticmethod
    def integer(
        low: int, high: int, *, log: bool = False, when: When | None = None
    ) -> Distribution:
        """Every whole number from `low` to `high` alike, both included; `log`: every magnitude."""
        return Integer(low=low, high=high, log=log, when=conditions(when))

    @staticmethod
    def quantised(
        low: float, high: float, step: float, *, when: When | None = None
    ) -> Distribution:
        """`low`, `low + step`, ... up to `high`, each alike."""
        return Quantised(low=low, high=high, step=step, when=conditions(when))

    @staticmethod
    def choice(
        values: Sequence[Any],
        *,
        weights: Sequence[float] | None = None,
        when: When | None = None,
    ) -> Distribution:
        """One of `values`, each alike or in proportion to `weights`."""
        given = None if weights is None else tuple(weights)
        return Choice(values=values, weights=given, when=conditions(when))  # type: ignore[arg-type]

    @staticmethod
    def exponential(
        scale: float, *, high: float, low: float = 0.0, when: When | None = None
    ) -> Distribution:
        """From `low` to `high`, rarer by a factor e for each `scale` further from `low`."""
        return Exponential(scale=scale, low=low, high=high, when=conditions(when))

    @staticmethod
    def normal(mean: float, std: float, *, when: When | None = None) -> Distribution:
        """Normal with this mean and standard deviation."""
        return Normal(mean=mean, std=std, when=conditions(when))

    @staticmethod
    def constant(value: Any, *, when: When | None = None) -> Distribution:
        """Always `value`."""
        return Constant(value=value, when=conditions(when))
