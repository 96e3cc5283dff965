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
_N = TypeVar("_N", bound=np.generic)


def choice(name: str, value: object, options: Iterable[_T]) -> _T:
    """Return the option that equals `value`."""
    options = tuple(options)
    close: list[str] = []
    if isinstance(value, str):
        for option in options:
            if value == option:
                return option
        close = [o for o in options if value and o.startswith(value)]
        close = close or get_close_matches(value[:60], options, n=1)
    listing = ", ".join(repr(o) for o in options)
    raise ArgumentError(
        argument=name,
        must=f"be one of {listing}",
        got=short(value),
        remedy=f"Did you mean {close[0]!r}?" if close else "",
    )


def is_number(value: object) -> bool:
    """Tell whether `value` is a real number and not a truth value, a duration or complex."""
    return isinstance(value, Real | Decimal) and not isinstance(value, bool | np.timedelta64)


def as_float(value: object) -> float:
    """Return a number as a float, infinite beyond 1.8e308; NaN for what is not a number.

    Examples
    --------
    >>> as_float(2), as_float(-(10**400)), as_float("2")
    (2.0, -inf, nan)
    """
    if not is_number(value):
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    except ValueError:  # a signalling Decimal
        return math.nan


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
        raise ArgumentError(argument="bounds", must=must, got=short(value)) from None
    low = -math.inf if low is None else as_float(low)
    high = math.inf if high is None else as_float(high)
    if not low < high:
        raise ArgumentError(argument="bounds", must=must, got=short(value))
    return (low, high)


def statistic(value: object) -> tuple[Statistic, float | None]:
    """Return the statistic as the user knows it and its quantile level, None for the mean."""
    if isinstance(value, str) and value in ("mean", "median"):
        return value, None if value == "mean" else 0.5
    q = as_float(value)
    if 0 < q < 1:
        return q, q
    raise ArgumentError(
        argument="statistic",
        must='be "median", "mean" or a quantile strictly between 0 and 1',
        got=short(value),
    )


def confidence(value: object) -> float:
    """Return a confidence strictly between 0 and 1."""
    level = as_float(value)
    if 0 < level < 1:
        return level
    hint = f"Did you mean {level / 100:g}?" if 1 < level < 100 else ""
    raise ArgumentError(
        argument="confidence", must="lie strictly between 0 and 1", got=short(value), remedy=hint
    )


def vector(name: str, value: ArrayLike, *, nan: bool = False, way_out: str = "") -> FloatArray:
    """Return a fresh one-dimensional float64 array; NaN passes only when `nan` is true.

    `way_out` ends the message about a NaN.
    """
    array = numeric(name, value)
    refuse_shape(name, array, 1, "be one-dimensional, one number per trial")
    if array.size == 0:
        raise DataError(f"{arg(name)} must hold at least one number; it is empty.")
    if not nan:
        refuse_nan(name, array, way_out)
    return array


def refuse_shape(name: str, array: NDArray[Any], ndim: int, must: str) -> None:
    """Raise unless an array has so many dimensions."""
    if array.ndim != ndim:
        raise DataError(argument=name, must=must, got=f"an array of shape {array.shape}")


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
        raise DataError(argument=name, must="be numbers, one per trial", got=short(value))
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
    raise DataError(f"{arg(name)} must be numbers; position {position} is {kind} ({short(item)}).")


def short(value: object) -> str:
    """Return what came, in at most 60 characters of one line.

    Examples
    --------
    >>> short([1, 2]), short(10**5000), len(short("a" * 99))
    ('[1, 2]', 'a number of type int', 60)
    """
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # an int of more digits than Python writes
        return f"a number of type {type(value).__name__}"
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
            argument="budgets", must="be a number or a list of numbers", got=short(value)
        ) from None
    bad = array[~(np.isfinite(array) & (array > 0))]
    if bad.size:
        raise ArgumentError(argument="budgets", must="be positive and finite", got=f"{bad[0]:g}")
    return array


def budget(name: str, value: Any) -> float:
    """Return a single budget."""
    number = as_float(value)
    if not 0 < number < math.inf:
        raise ArgumentError(argument=name, must="be one positive, finite number", got=short(value))
    return number


def probability(name: str, value: object) -> float:
    """Return a number strictly between 0 and 1."""
    number = as_float(value)
    if not 0 < number < 1:
        raise ArgumentError(argument=name, must="lie strictly between 0 and 1", got=short(value))
    return number


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
    if estimator in ("u", "m") and array.max(initial=0) > n:
        raise ArgumentError(
            f"the {estimator.upper()} estimator needs budgets of at most n = {n}, the number of "
            f"trials; got {array.max():g}. Run more trials, or see {arg('estimator', 'v')} and its "
            "caveat."
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


def budgets_between(budgets: FloatArray) -> FloatArray:
    """Return the whole budgets from the smallest to the largest, and the given ones among them.

    Examples
    --------
    >>> budgets_between(np.array([1.0, 2.5, 5.0])).tolist()
    [1.0, 2.0, 2.5, 3.0, 4.0, 5.0]
    """
    low, high = float(budgets.min()), float(budgets.max())
    if not high - low < 2.0**53:  # whole numbers are further apart there
        return np.unique(budgets)
    first, count = math.ceil(low), math.floor(high) - math.ceil(low) + 1
    between = default_budgets(count) + (first - 1) if count > 0 else np.empty(0)
    return np.unique(np.concatenate([budgets, between]))


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


def refuse_costs(costs: FloatArray, where: Callable[[int], str] = "position {}".format) -> None:
    """Raise unless every cost is finite and not negative."""
    bad = np.flatnonzero(~(np.isfinite(costs) & (costs >= 0)))
    if bad.size:
        i = int(bad[0])
        got = f"{costs[i]:g} at {where(i)}"
        raise DataError(argument="costs", must="be finite and not negative", got=got)


def refuse_weights(weights: FloatArray) -> None:
    """Raise unless the weights are probabilities that sum to 1."""
    if (weights < 0).any():
        where = int(np.flatnonzero(weights < 0)[0])
        raise DataError(
            argument="weights",
            must="not be negative",
            got=f"{weights[where]:g} at position {where}",
        )
    try:
        total = math.fsum(weights.tolist())
    except OverflowError:
        total = math.inf
    if not abs(total - 1) <= 1e-9:
        raise DataError(
            argument="weights",
            must="sum to 1",
            got=f"a sum of {total:.10g}",
            remedy="Divide them by their sum.",
        )


def texts(value: str | Iterable[str]) -> tuple[str, ...]:
    """Return one text or several as a tuple."""
    if isinstance(value, str):
        return (value,)
    try:
        return tuple(value)
    except TypeError:
        raise ArgumentError(f"a name or several are expected; got {short(value)}.") from None


def whole(name: str, value: object, *, least: int = 1, most: int | None = None) -> int:
    """Return a whole number of at least `least` and, if given, at most `most`."""
    number = isinstance(value, Integral) and not isinstance(value, bool)
    if not number or int(value) < least:  # type: ignore[call-overload]
        raise ArgumentError(
            argument=name, must=f"be a whole number of at least {least}", got=short(value)
        )
    found = int(value)  # type: ignore[call-overload]
    if most is not None and found > most:
        raise ArgumentError(argument=name, must=f"be at most {most:,}", got=short(value))
    return int(found)


def fixed(array: NDArray[_N]) -> NDArray[_N]:
    """Return the array, made read-only."""
    array.setflags(write=False)
    return array
