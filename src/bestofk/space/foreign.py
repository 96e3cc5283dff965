"""Parameters in the notation of other packages: lists, scipy, Optuna and allentune."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bestofk.errors import ArgumentError
from bestofk.space.distributions import (
    Choice,
    Constant,
    Distribution,
    Integer,
    LogUniform,
    Quantised,
    Uniform,
    conditions,
    key,
    plain_value,
)

_STRATEGY = "sampling strategy"


@dataclass(frozen=True, kw_only=True)
class ScipyDistribution(Distribution):
    """A frozen scipy distribution, drawn with its own `rvs`."""

    kind = "scipy"
    name: str
    args: tuple[Any, ...] = ()
    kwds: Mapping[str, Any] = field(default_factory=dict)
    frozen: Any = field(compare=False, repr=False)

    def draw_with(self, rng: np.random.Generator) -> Any:
        """Return a value drawn from the generator."""
        return plain_value(np.asarray(self.frozen.rvs(random_state=rng)).item())

    def numbers(self) -> dict[str, Any]:
        """Return the name and the arguments that define the distribution."""
        args = {"args": list(self.args)} if self.args else {}
        return {"name": self.name, **args, **({"kwds": dict(self.kwds)} if self.kwds else {})}

    @classmethod
    def of(cls, frozen: Any) -> ScipyDistribution:
        """Make one from a frozen distribution, which scikit-learn's random search takes as well."""
        kind = type(frozen.dist)
        own = kind.__module__.startswith("scipy.stats")
        name = frozen.dist.name if own else f"{kind.__module__}:{kind.__qualname__}"
        if any(np.ndim(v) for v in (*frozen.args, *frozen.kwds.values())):
            raise ArgumentError(
                "a scipy distribution must be of one number, not of several; "
                f"got {frozen.args or frozen.kwds!r}."
            )
        args = tuple(plain_value(v) for v in frozen.args)
        return cls(name=name, args=args, kwds=plain_value(frozen.kwds), frozen=frozen)

    @classmethod
    def of_spec(cls, given: Mapping[str, Any]) -> ScipyDistribution:
        """Make one from what a space file or the store says."""
        import scipy.stats

        maker = getattr(scipy.stats, str(given.get("name")), None)
        if not hasattr(maker, "rvs") or not callable(maker):
            raise ArgumentError(
                f"{key('name')} must be a distribution of scipy.stats; got {given.get('name')!r}."
            )
        args, kwds = tuple(given.get("args", ())), dict(given.get("kwds", {}))
        try:
            frozen = maker(*args, **kwds)
        except TypeError as error:
            raise ArgumentError(f"scipy.stats.{given['name']}: {error}") from None
        when = conditions(given.get("when"))
        return cls(name=given["name"], args=args, kwds=kwds, frozen=frozen, when=when)


def from_foreign(given: Any) -> Distribution | None:
    """Return the distribution that another package's notation means, or None if it is ours."""
    if isinstance(given, list | tuple | np.ndarray):
        return Choice(values=tuple(given))
    if isinstance(given, Mapping) and _STRATEGY in given:
        return _allentune(given)
    if hasattr(given, "rvs"):
        if not hasattr(given, "dist"):
            raise ArgumentError(
                "a scipy distribution must be frozen, as scipy.stats.uniform(0, 1); "
                f"got {type(given).__name__}."
            )
        return ScipyDistribution.of(given)
    return _optuna(given)


def _allentune(given: Mapping[str, Any]) -> Distribution:
    strategy = given[_STRATEGY]
    if strategy not in ("uniform", "loguniform", "integer", "choice"):
        raise ArgumentError(
            "of allentune's strategies uniform, loguniform, integer and choice are read; "
            f"got {strategy!r}."
        )
    needed = "choices" if strategy == "choice" else "bounds"
    if set(given) != {_STRATEGY, needed} or not isinstance(given[needed], list):
        raise ArgumentError(
            f"allentune's {strategy} must have a list of {needed!r} and nothing else; "
            f"got {dict(given)!r}."
        )
    if strategy == "choice":
        return Choice(values=tuple(given["choices"]))
    if len(given["bounds"]) != 2:
        raise ArgumentError(f"allentune's bounds must be two numbers; got {given['bounds']!r}.")
    low, high = given["bounds"]
    if strategy == "integer":
        ends = Integer(low=low, high=high)
        return replace(ends, high=ends.high - 1)  # allentune's randint excludes the upper end
    return (Uniform if strategy == "uniform" else LogUniform)(low=low, high=high)


def _optuna(given: Any) -> Distribution | None:
    optuna = sys.modules.get("optuna.distributions")
    if optuna is None or not isinstance(given, optuna.BaseDistribution):
        return None
    if isinstance(given, optuna.CategoricalDistribution):
        return Choice(values=tuple(given.choices))
    low, high = given.low, given.high
    if isinstance(given, optuna.FloatDistribution):
        if low == high:
            return Constant(value=low)
        if given.log:
            return LogUniform(low=low, high=high)
        if given.step is None:
            return Uniform(low=low, high=high)
        return Quantised(low=float(low), high=high, step=float(given.step))
    if isinstance(given, optuna.IntDistribution):
        if given.log or given.step == 1:
            return Integer(low=low, high=high, log=given.log)
        return Quantised(low=low, high=high, step=given.step)
    raise ArgumentError(f"this Optuna distribution is not known: {given!r}.")
