"""Arguments, cleaned in one place: each function returns the value to compute with or raises."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base.types import DIRECTIONS, Bounds, Direction, Estimator, FloatArray, Statistic
from bestofk.errors import ArgumentError, DataError, arg

_T = TypeVar("_T", bound=str)


def choice(name: str, value: object, options: Iterable[_T]) -> _T:
    """Return the option that equals `value`."""
    options = tuple(options)
    for option in options:
        if value == option:
            return option
    close: list[str] = [o for o in options if str(value) and o.startswith(str(value))]
    close = close or get_close_matches(str(value), options, n=1)
    listing = ", ".join(repr(o) for o in options)
    raise ArgumentError(
        argument=name,
        must=f"be one of {listing}",
        got=repr(value),
        remedy=f"Did you mean {close[0]!r}?" if close else "",
    )


def is_number(value: object) -> bool:
    """Tell whether `value` is a real number and not a truth value, a duration or complex."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.timedelta64)


def direction(value: object) -> Direction:
    """Return "maximize" or "minimize"."""
    return choice("direction", value, DIRECTIONS)


def bounds(value: object) -> Bounds:
    """Return the pair (lowest, highest) possible score, infinite where None."""
    must = "be a pair (lowest, highest) with lowest < highest, None where open"
    if value is None:
        return (-math.inf, math.inf)
    try:
        pair: tuple[Any, Any] = tuple(value)  # type: ignore[assignment, arg-type]
        low, high = pair
    except (TypeError, ValueError):
        raise ArgumentError(argument="bounds", must=must, got=repr(value)) from None
    low = -math.inf if low is None else low
    high = math.inf if high is None else high
    if not (is_number(low) and is_number(high)) or not low < high:
        raise ArgumentError(argument="bounds", must=must, got=repr(value))
    return (float(low), float(high))


def statistic(value: object) -> tuple[Statistic, float | None]:
    """Return the statistic as the user knows it and its quantile level, None for the mean."""
    if isinstance(value, str) and value in ("mean", "median"):
        return value, None if value == "mean" else 0.5
    if is_number(value) and 0 < float(value) < 1:  # type: ignore[arg-type]
        return float(value), float(value)  # type: ignore[arg-type]
    raise ArgumentError(
        argument="statistic",
        must='be "median", "mean" or a quantile strictly between 0 and 1',
        got=repr(value),
    )


def confidence(value: object) -> float:
    """Return a confidence strictly between 0 and 1."""
    if is_number(value) and 0 < float(value) < 1:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    hint = ""
    if is_number(value) and 1 < float(value) < 100:  # type: ignore[arg-type]
        hint = f"Did you mean {float(value) / 100:g}?"  # type: ignore[arg-type]
    raise ArgumentError(
        argument="confidence", must="lie strictly between 0 and 1", got=repr(value), remedy=hint
    )


def vector(name: str, value: ArrayLike, *, nan: bool = False, way_out: str = "") -> FloatArray:
    """Return a fresh one-dimensional float64 array; NaN passes only when `nan` is true.

    `way_out` ends the message about a NaN.
    """
    array = numeric(name, value)
    if array.ndim != 1:
        raise DataError(
            argument=name,
            must="be one-dimensional, one number per trial",
            got=f"an array of shape {array.shape}",
        )
    if array.size == 0:
        raise DataError(f"{arg(name)} must hold at least one number; it is empty.")
    if not nan:
        refuse_nan(name, array, way_out)
    return array


def refuse_nan(name: str, array: FloatArray, way_out: str = "") -> None:
    """Raise if any entry is NaN, naming the first."""
    bad = np.argwhere(np.isnan(array))
    if bad.size:
        where = bad[0][0] if array.ndim == 1 else tuple(int(j) for j in bad[0])
        raise DataError(
            argument=name,
            must="not hold NaN",
            got=f"one at position {where} ({len(bad)} in all)",
            remedy=way_out.strip(),
        )


def numeric(name: str, value: ArrayLike) -> FloatArray:
    """Return `value` as float64 of any shape, refusing truth values, text and complex numbers."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise DataError(f"{arg(name)} must hold a number everywhere; some entries are masked.")
    if isinstance(value, str | bytes | Mapping):
        raise DataError(argument=name, must="be numbers, one per trial", got=_short(value))
    try:
        raw = np.asarray(value)
    except ValueError:
        raise DataError(
            argument=name, must="be one-dimensional", got="rows of unequal length"
        ) from None
    if isinstance(value, list | tuple):
        # np.asarray turns [1, "a"] into text and [True, 2.5] into 1.0: look at what came.
        came = np.asarray(value, dtype=object)
        if raw.dtype.kind not in "iuf" or any(isinstance(v, bool | np.bool_) for v in came.flat):
            raw = came
    if raw.dtype.kind in "iuf":
        return np.array(raw, dtype=np.float64)
    out = np.empty(raw.shape)
    for position, item in np.ndenumerate(raw.astype(object)):
        out[position] = _to_float(name, position, item)
    return out


def _to_float(name: str, place: tuple[int, ...], item: object) -> float:
    position = place[0] if len(place) == 1 else place
    if item is None:
        return math.nan
    if is_number(item):
        try:
            return float(item)  # type: ignore[arg-type]
        except OverflowError:
            raise DataError(
                f"{arg(name)} must be numbers up to 1.8e308; position {position} is larger."
            ) from None
    kinds: list[tuple[Any, str]] = [
        ((bool, np.bool_), "a truth value"),
        ((complex, np.complexfloating), "a complex number"),
        (str, "text"),
    ]
    kind = next((k for t, k in kinds if isinstance(item, t)), f"of type {type(item).__name__}")
    raise DataError(f"{arg(name)} must be numbers; position {position} is {kind} ({_short(item)}).")


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def budgets(value: ArrayLike) -> FloatArray:
    """Return the budgets as a one-dimensional float64 array, in the order they came."""
    array = points(value)
    if array.ndim > 1 or array.size == 0:
        raise ArgumentError(
            argument="budgets", must="be a number or a list of numbers", got=f"shape {array.shape}"
        )
    return np.atleast_1d(array)


def points(value: ArrayLike) -> FloatArray:
    """Return budgets of any shape as float64."""
    try:
        scalar = np.ndim(value) == 0 and not isinstance(value, np.ndarray)
        array = numeric("budgets", np.array(value, dtype=object) if scalar else value)
    except DataError as error:
        raise ArgumentError(error.text) from None
    except ValueError:  # rows of unequal length
        raise ArgumentError(
            argument="budgets", must="be a number or a list of numbers", got=_short(value)
        ) from None
    bad = array[~(np.isfinite(array) & (array > 0))]
    if bad.size:
        raise ArgumentError(argument="budgets", must="be positive and finite", got=f"{bad[0]:g}")
    return array


def budget(name: str, value: Any) -> float:
    """Return a single budget."""
    if not (is_number(value) and 0 < float(value) < math.inf):
        raise ArgumentError(argument=name, must="be one positive, finite number", got=repr(value))
    return float(value)


def probability(name: str, value: object) -> float:
    """Return a number strictly between 0 and 1."""
    if not (is_number(value) and 0 < float(value) < 1):  # type: ignore[arg-type]
        raise ArgumentError(argument=name, must="lie strictly between 0 and 1", got=repr(value))
    return float(value)  # type: ignore[arg-type]


def estimator_budgets(array: FloatArray, estimator: Estimator, n: int) -> None:
    """Refuse the budgets at which an estimator of the mean is not defined."""
    if estimator == "v":
        return
    fraction = array[array != np.floor(array)]
    if fraction.size:
        raise ArgumentError(
            f"the {estimator.upper()} estimator needs whole-number budgets; got {fraction[0]:g}. "
            f"{arg('estimator', 'v')} takes any positive budget."
        )
    if estimator == "u" and array.max(initial=0) > n:
        raise ArgumentError(
            f"the U estimator needs budgets of at most n = {n}, the number of trials; "
            f"got {array.max():g}. Run more trials, or see {arg('estimator', 'v')} and its caveat."
        )


def default_budgets(n: int) -> FloatArray:
    """Return 1..n up to n = 1,024, and beyond it 512 geometric integers including 1 and n."""
    if n <= 1024:
        return np.arange(1.0, n + 1)
    # Rounding a geometric grid repeats small integers.  Taking each step at the ratio that the
    # points still to come need gives 512 different ones, consecutive until the ratio exceeds 2.
    grid = [1]
    for left in range(511, 0, -1):
        step = grid[-1] * (n / grid[-1]) ** (1 / left)
        grid.append(max(grid[-1] + 1, round(step)))
    return np.array(grid, dtype=np.float64)


def refuse_outside(
    values: FloatArray,
    bounds: Bounds,
    name: str,
    where: Callable[[int], str] = "position {}".format,
) -> None:
    """Raise if a value lies outside the bounds, naming the first."""
    low, high = bounds
    outside = np.flatnonzero((values < low) | (values > high))
    if outside.size:
        i = int(outside[0])
        raise DataError(
            f"{where(i)}: `{name}` must lie within the bounds {low:g} to "
            f"{high:g}; got {values[i]:g} ({outside.size} in all). "
            f"Widen {arg('bounds')} or fix the data."
        )


def refuse_costs(costs: FloatArray) -> None:
    """Raise unless every cost is finite and not negative."""
    bad = np.flatnonzero(~(np.isfinite(costs) & (costs >= 0)))
    if bad.size:
        raise DataError(
            argument="costs",
            must="be finite and not negative",
            got=f"{costs[bad[0]]:g} at position {bad[0]}",
        )


def refuse_weights(weights: FloatArray) -> None:
    """Raise unless the weights are probabilities that sum to 1."""
    if (weights < 0).any():
        where = int(np.flatnonzero(weights < 0)[0])
        raise DataError(
            argument="weights",
            must="not be negative",
            got=f"{weights[where]:g} at position {where}",
        )
    total = math.fsum(weights.tolist())
    if abs(total - 1) > 1e-9:
        raise DataError(
            argument="weights",
            must="sum to 1",
            got=f"a sum of {total:.10g}",
            remedy="Divide them by their sum.",
        )


def texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return one text or several as a tuple."""
    return (value,) if isinstance(value, str) else tuple(value)


def whole(name: str, value: object, *, least: int = 1) -> int:
    """Return a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise ArgumentError(
            argument=name, must=f"be a whole number of at least {least}", got=repr(value)
        )
    return int(value)


def fixed(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array, made read-only."""
    array.setflags(write=False)
    return array
