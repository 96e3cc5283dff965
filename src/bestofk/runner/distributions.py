"""Distributions: what a parameter can be drawn from; draw.py is how users write them.

Each of our own distributions takes exactly one uniform number and inverts its distribution
function, so that what a trial draws depends on nothing but the bit generator, whose stream numpy
keeps, and the parameter's place in the sorted names.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from bestofk import _check
from bestofk.errors import ArgumentError

# Beyond this many values a uniform double no longer reaches each of them equally often.
_MOST_INTEGERS = 2**48


@dataclass(frozen=True, kw_only=True)
class Distribution:
    """One parameter: what it is drawn from and, if it is conditional, when it exists."""

    kind: ClassVar[str] = ""
    when: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)

    def draw(self, u: float) -> Any:
        """Return the value at the uniform number `u` in [0, 1)."""
        return self._at(u)

    def _at(self, u: float) -> Any:
        raise NotImplementedError

    def numbers(self) -> dict[str, Any]:
        """Return what tells this distribution from others of its kind; unset options left out."""
        found = {}
        for f in fields(self):
            value = getattr(self, f.name)
            unset = (f.default is None or f.default is False) and value is f.default
            if f.name != "when" and not unset:
                found[f.name] = list(value) if isinstance(value, tuple) else value
        return found

    def spec(self) -> dict[str, Any]:
        """Return the distribution as a space file writes it."""
        when = {"when": {name: list(values) for name, values in sorted(self.when.items())}}
        return {"kind": self.kind, **self.numbers(), **(when if self.when else {})}

    def __str__(self) -> str:
        inside = ", ".join(f"{k}={json.dumps(v)}" for k, v in self.spec().items() if k != "kind")
        return f"{self.kind}({inside})"


@dataclass(frozen=True, kw_only=True)
class Uniform(Distribution):
    """Every number of an interval alike."""

    kind = "uniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        _interval(self)

    def _at(self, u: float) -> float:
        return min(self.low + (self.high - self.low) * u, self.high)


@dataclass(frozen=True, kw_only=True)
class LogUniform(Distribution):
    """Every order of magnitude alike."""

    kind = "loguniform"
    low: float
    high: float

    def __post_init__(self) -> None:
        _interval(self, positive=True)

    def _at(self, u: float) -> float:
        low, high = math.log(self.low), math.log(self.high)
        return min(max(math.exp(low + (high - low) * u), self.low), self.high)


@dataclass(frozen=True, kw_only=True)
class Integer(Distribution):
    """Whole numbers, both ends included."""

    kind = "integer"
    low: int
    high: int
    log: bool = False

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            value = getattr(self, name)
            if isinstance(value, float) and value.is_integer():
                object.__setattr__(self, name, int(value))
            elif isinstance(value, bool) or not isinstance(value, int | np.integer):
                raise ArgumentError(
                    f"`{name}` of an integer must be a whole number; got {value!r}."
                )
            else:
                object.__setattr__(self, name, int(value))
        if not self.low <= self.high or self.high - self.low >= _MOST_INTEGERS:
            raise ArgumentError(
                "an integer needs low <= high, fewer than 2^48 apart; "
                f"got low={self.low}, high={self.high}."
            )
        if self.log and self.low < 1:
            raise ArgumentError(f"an integer with log needs low >= 1; got low={self.low}.")

    def _at(self, u: float) -> int:
        if self.log:  # log-uniform over low - 1/2 to high + 1/2, rounded: as Optuna does
            low, high = math.log(self.low - 0.5), math.log(self.high + 0.5)
            return min(max(round(math.exp(low + (high - low) * u)), self.low), self.high)
        return min(self.low + math.floor((self.high - self.low + 1) * u), self.high)


@dataclass(frozen=True, kw_only=True)
class Quantised(Distribution):
    """Equal steps."""

    kind = "quantised"
    low: float
    high: float
    step: float

    def __post_init__(self) -> None:
        whole = all(
            isinstance(v, int | np.integer) and not isinstance(v, bool)
            for v in (self.low, self.step)
        )
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
        """How many values there are; `high` is one of them if it is a whole step away."""
        low, high, step = (Decimal(repr(v)) for v in (self.low, self.high, self.step))
        return int((high - low) / step) + 1

    def _at(self, u: float) -> float:
        index = min(math.floor(self.count * u), self.count - 1)
        if isinstance(self.low, int):
            return self.low + index * self.step
        # in decimals: 3 steps of 0.1 are 0.3
        return float(Decimal(repr(self.low)) + index * Decimal(repr(self.step)))


@dataclass(frozen=True, kw_only=True)
class Choice(Distribution):
    """One of some values."""

    kind = "choice"
    values: tuple[Any, ...]
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        values: Any = self.values
        if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
            raise ArgumentError(f"`values` of a choice must be a list; got {self.values!r}.")
        object.__setattr__(self, "values", tuple(plain_value(v) for v in self.values))
        if not self.values:
            raise ArgumentError("a choice needs at least one value; got none.")
        if self.weights is not None:
            if not isinstance(self.weights, Sequence | np.ndarray):
                raise ArgumentError(f"`weights` of a choice must be a list; got {self.weights!r}.")
            weights = tuple(float(_number("weights", w)) for w in self.weights)
            total = math.fsum(weights)
            if len(weights) != len(self.values) or min(weights) < 0 or not total > 0:
                raise ArgumentError(
                    "`weights` of a choice must be one number per value, none negative, "
                    f"not all zero; got {list(weights)} for {len(self.values)} values."
                )
            object.__setattr__(self, "weights", weights)

    def _at(self, u: float) -> Any:
        if self.weights is None:
            return self.values[min(math.floor(len(self.values) * u), len(self.values) - 1)]
        ends = np.cumsum(self.weights)
        index = int(np.searchsorted(ends, u * ends[-1], side="right"))
        return self.values[min(index, int(np.flatnonzero(self.weights)[-1]))]


@dataclass(frozen=True, kw_only=True)
class Exponential(Distribution):
    """An exponential, cut off."""

    kind = "exponential"
    scale: float
    low: float = 0.0
    high: float

    def __post_init__(self) -> None:
        _interval(self)
        if not (scale := _number("scale", self.scale)) > 0:
            raise ArgumentError(f"`scale` of an exponential must be positive; got {scale:g}.")
        object.__setattr__(self, "scale", scale)

    def _at(self, u: float) -> float:
        # F(x) = (1 - exp(-(x - low)/scale)) / (1 - exp(-(high - low)/scale)), inverted
        reached = -math.expm1(-(self.high - self.low) / self.scale)
        return min(self.low - self.scale * math.log1p(-u * reached), self.high)


@dataclass(frozen=True, kw_only=True)
class Normal(Distribution):
    """A normal."""

    kind = "normal"
    mean: float
    std: float

    def __post_init__(self) -> None:
        for name in ("mean", "std"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        if not self.std > 0:
            raise ArgumentError(f"`std` of a normal must be positive; got {self.std:g}.")

    def _at(self, u: float) -> float:
        from scipy.special import ndtri

        # The middle of the cell of 2^-53 that u stands for: u = 0 would give -inf.
        return self.mean + self.std * float(ndtri(u + 2.0**-54))


@dataclass(frozen=True, kw_only=True)
class Constant(Distribution):
    """Always the same."""

    kind = "constant"
    value: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", plain_value(self.value))

    def _at(self, u: float) -> Any:
        return self.value


KINDS: dict[str, type[Distribution]] = {
    c.kind: c
    for c in (Uniform, LogUniform, Integer, Quantised, Choice, Exponential, Normal, Constant)
}


def conditions(when: object) -> dict[str, tuple[Any, ...]]:
    """Return `when` as a dict from parameter to the values under which it holds."""
    if when is None:
        return {}
    if not isinstance(when, Mapping) or not all(isinstance(name, str) for name in when):
        raise ArgumentError(
            f'`when` must map another parameter to its value: {{"optimizer": "sgd"}}; got {when!r}.'
        )
    return {
        name: tuple(plain_value(v) for v in (values if isinstance(values, list) else [values]))
        for name, values in when.items()
    }


def same_value(a: Any, b: Any) -> bool:
    """Tell whether two plain values are the same; true is not 1."""
    return isinstance(a, bool) == isinstance(b, bool) and bool(a == b)


def plain_value(value: Any) -> Any:
    """Return a value as JSON keeps it: tuples become lists, numpy numbers plain ones."""
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
        f"dict of these, since it is stored; got {value!r}. Draw a name and look the object up."
    )


def _number(name: str, value: object) -> float:
    if not _check.is_number(value) or not math.isfinite(float(value)):  # type: ignore[arg-type]
        raise ArgumentError(f"`{name}` must be a finite number; got {value!r}.")
    return float(value)  # type: ignore[arg-type]


def _interval(of: Any, *, positive: bool = False) -> None:
    for name in ("low", "high"):
        object.__setattr__(of, name, _number(name, getattr(of, name)))
    if not 0 < of.high - of.low < math.inf or (positive and of.low <= 0):
        wanted = "0 < low < high" if positive else "low < high"
        raise ArgumentError(f"{of.kind} needs {wanted}; got low={of.low:g}, high={of.high:g}.")
