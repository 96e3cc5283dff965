"""The distributions that a parameter can have; draw.py is how users write them.

Each of our own distributions takes exactly one uniform number and inverts its distribution
function, so that what a trial draws depends on nothing but the bit generator, whose stream numpy
keeps stable, and the position of the parameter among the sorted names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from bestofk._base import arguments
from bestofk.errors import ArgumentError, arg

# With more values than this, a uniform double no longer reaches all of them equally often.
_MOST_INTEGERS = 2**48


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """What a parameter is drawn from and, if it is conditional, in which trials it exists."""

    kind: ClassVar[str] = ""
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def draw(self, u: float) -> Any:
        """Return the value at the uniform number `u` in [0, 1)."""
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Return the numbers that define the distribution, without the options that are unset."""
        found = {}
        for f in fields(self):
            value = getattr(self, f.name)
            unset = (f.default is None or f.default is False) and value is f.default
            if f.name != "when" and not unset:
                found[f.name] = list(value) if isinstance(value, tuple) else value
        return found

    def spec(self) -> dict[str, Any]:
        """Return the distribution as it is written in a space file."""
        when = {"when": {name: list(values) for name, values in sorted(self.when.items())}}
        return {"kind": self.kind, **self.numbers(), **(when if self.when else {})}

    def __str__(self) -> str:
        inside = ", ".join(f"{k}={json.dumps(v)}" for k, v in self.spec().items() if k != "kind")
        return f"{self.kind}({inside})"


@dataclass(frozen=True, kw_only=True)
class Uniform(Distribution):
    """Uniform distribution on an interval."""

    kind = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        _interval(self)

    def draw(self, u: float) -> float:
        """Return the number at `u`."""
        return min(self.low + (self.high - self.low) * u, self.high)


@dataclass(frozen=True, kw_only=True)
class LogUniform(Distribution):
    """Uniform distribution of the logarithm."""

    kind = "loguniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        _interval(self, positive=True)

    def draw(self, u: float) -> float:
        """Return the number whose logarithm is at `u`."""
        low, high = math.log(self.low), math.log(self.high)
        return min(max(math.exp(low + (high - low) * u), self.low), self.high)


@dataclass(frozen=True, kw_only=True)
class Integer(Distribution):
    """Uniform or log-uniform distribution on whole numbers, both ends included."""

    kind = "integer"
    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if not is_whole(value) and not (isinstance(value, float) and value.is_integer()):
                raise _refusal(name, "an integer", "be a whole number", repr(value))
            object.__setattr__(self, name, int(value))
        if not self.low <= self.high or self.high - self.low >= _MOST_INTEGERS:
            raise ArgumentError(
                "an integer needs low <= high, fewer than 2^48 apart; "
                f"got low={self.low}, high={self.high}."
            )
        if self.log and self.low < 1:
            raise ArgumentError(f"an integer with log needs low >= 1; got low={self.low}.")

    def draw(self, u: float) -> int:
        """Return the whole number at `u`."""
        if self.log:  # log-uniform from low - 1/2 to high + 1/2, rounded, as in Optuna
            low, high = math.log(self.low - 0.5), math.log(self.high + 0.5)
            return min(max(round(math.exp(low + (high - low) * u)), self.low), self.high)
        return min(self.low + math.floor((self.high - self.low + 1) * u), self.high)


@dataclass(frozen=True, kw_only=True)
class Quantised(Distribution):
    """Uniform distribution on equally spaced numbers."""

    kind = "quantised"
    low: float
    high: float
    step: float

    def __post_init__(self) -> None:
        whole = is_whole(self.low) and is_whole(self.step)
        for name in ("low", "high", "step"):
            value = _number(name, getattr(self, name))
            object.__setattr__(self, name, int(value) if whole and name != "high" else value)
        if not (self.low <= self.high and self.step > 0) or self.count >= _MOST_INTEGERS:
            raise ArgumentError(
                "a quantised parameter needs low <= high and step > 0; "
                f"got low={self.low:g}, high={self.high:g}, step={self.step:g}."
            )

    @property
    def count(self) -> int:
        """Number of values; `high` is one of them if it is a whole number of steps from `low`."""
        low, high, step = (Decimal(repr(v)) for v in (self.low, self.high, self.step))
        return int((high - low) / step) + 1

    def draw(self, u: float) -> float:
        """Return the number whose step is at `u`."""
        index = min(math.floor(self.count * u), self.count - 1)
        if isinstance(self.low, int):
            return self.low + index * self.step
        # In decimal arithmetic, so that 3 steps of 0.1 are 0.3.
        return float(Decimal(repr(self.low)) + index * Decimal(repr(self.step)))


@dataclass(frozen=True, kw_only=True)
class Choice(Distribution):
    """One of several values, equally likely or weighted."""

    kind = "choice"
    values: tuple[Any, ...]
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        values: Any = self.values
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise _refusal("values", "a choice", "be a list", repr(values))
        object.__setattr__(self, "values", tuple(plain_value(v) for v in values))
        if not self.values:
            raise ArgumentError("a choice needs at least one value; got none.")
        if self.weights is not None:
            if not isinstance(self.weights, Sequence | np.ndarray):
                raise _refusal("weights", "a choice", "be a list", repr(self.weights))
            weights = tuple(float(_number("weights", w)) for w in self.weights)
            if len(weights) != len(values) or min(weights) < 0 or not math.fsum(weights) > 0:
                must = "be one number per value, none negative, not all zero"
                got = f"{list(weights)} for {len(values)} values"
                raise _refusal("weights", "a choice", must, got)
            object.__setattr__(self, "weights", weights)

    def draw(self, u: float) -> Any:
        """Return the value whose share of [0, 1) holds `u`."""
        if self.weights is None:
            return self.values[min(math.floor(len(self.values) * u), len(self.values) - 1)]
        ends = np.cumsum(self.weights)
        index = int(np.searchsorted(ends, u * ends[-1], side="right"))
        return self.values[min(index, int(np.flatnonzero(self.weights)[-1]))]


@dataclass(frozen=True, kw_only=True)
class Exponential(Distribution):
    """Exponential distribution truncated to an interval."""

    kind = "exponential"
    scale: float
    low: float = 0.0
    high: float

    def __post_init__(self) -> None:
        _interval(self)
        if not (scale := _number("scale", self.scale)) > 0:
            raise _refusal("scale", "an exponential", "be positive", f"{scale:g}")
        object.__setattr__(self, "scale", scale)

    def draw(self, u: float) -> float:
        """Return the number at which the distribution function is `u`."""
        # F(x) = (1 - exp(-(x - low)/scale)) / (1 - exp(-(high - low)/scale)), inverted
        reached = -math.expm1(-(self.high - self.low) / self.scale)
        return min(self.low - self.scale * math.log1p(-u * reached), self.high)


@dataclass(frozen=True, kw_only=True)
class Normal(Distribution):
    """Normal distribution."""

    kind = "normal"
    mean: float
    std: float

    def __post_init__(self) -> None:
        for name in ("mean", "std"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        if not self.std > 0:
            raise _refusal("std", "a normal", "be positive", f"{self.std:g}")

    def draw(self, u: float) -> float:
        """Return the number at which the distribution function is `u`."""
        from scipy.special import ndtri

        # The middle of the cell of width 2^-53 that u stands for, since u = 0 would give -inf.
        return self.mean + self.std * float(ndtri(u + 2.0**-54))


@dataclass(frozen=True, kw_only=True)
class Constant(Distribution):
    """The same value in every trial."""

    kind = "constant"
    value: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", plain_value(self.value))

    def draw(self, u: float) -> Any:
        """Return the value, whatever `u` is."""
        return self.value


KINDS: dict[str, type[Distribution]] = {
    c.kind: c
    for c in (Uniform, LogUniform, Integer, Quantised, Choice, Exponential, Normal, Constant)
}


def conditions(when: object) -> dict[str, tuple[Any, ...]]:
    """Return `when` as a dict from each parameter to the values under which the condition holds."""
    if when is None:
        return {}
    if not isinstance(when, Mapping) or not all(isinstance(name, str) for name in when):
        raise ArgumentError(
            f"{key('when')} must map another parameter to its value: "
            f'{{"optimizer": "sgd"}}; got {when!r}.'
        )
    return {
        name: tuple(plain_value(v) for v in (values if isinstance(values, list) else [values]))
        for name, values in when.items()
    }


def same_value(a: Any, b: Any) -> bool:
    """Tell whether two plain values are the same.  True and 1 are not."""
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def plain_value(value: Any) -> Any:
    """Return a value as JSON keeps it: tuples become lists, numpy scalars plain numbers."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, list | tuple | np.ndarray):
        return [plain_value(v) for v in value]
    if isinstance(value, Mapping) and all(isinstance(k, str) for k in value):
        return {k: plain_value(v) for k, v in value.items()}
    if value is None or isinstance(value, str | bool | int):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    raise ArgumentError(
        "a value of a parameter must be text, a finite number, true or false, None, or a list or "
        f"dict of these, since it is stored; got {value!r}. Draw a name and "
        "look the object up in the objective."
    )


def key(name: str) -> str:
    """Name an argument of a distribution in a message.

    On the command line it is a key of the space file and not an option.

    Examples
    --------
    >>> str(ArgumentError(f"{key('low')} must be a number."))
    '`low` must be a number.'
    """
    return arg(name, option=repr(name))


def is_whole(value: object) -> bool:
    """Tell whether a value is a whole number, which True and 1.0 are not."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _refusal(name: str, of: str, must: str, got: str) -> ArgumentError:
    return ArgumentError(f"{key(name)} of {of} must {must}; got {got}.")


def _number(name: str, value: object) -> float:
    if not arguments.is_number(value) or not math.isfinite(float(value)):  # type: ignore[arg-type]
        raise ArgumentError(f"{key(name)} must be a finite number; got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _interval(of: Any, *, positive: bool = False) -> None:
    for name in ("low", "high"):
        object.__setattr__(of, name, _number(name, getattr(of, name)))
    if not 0 < of.high - of.low < math.inf or (positive and of.low <= 0):
        wanted = "0 < low < high" if positive else "low < high"
        raise ArgumentError(f"{of.kind} needs {wanted}; got low={of.low:g}, high={of.high:g}.")
