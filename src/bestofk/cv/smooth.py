"""Borrowing strength over neighbouring parameter values.

The expected score is a smooth function of a numeric parameter, most of the noise of
cross-validation is not: a local quadratic fit along the numeric parameters removes noise that
would take many repetitions to average away.  On a plateau, at a jump, or where the noise of
neighbours is alike there is nothing to remove and something to lose.  So repetitions judge: one
is left out, the others are smoothed, and the error in predicting it is compared with the error of
the plain average.  Their difference, as a share of the error that the noise of the average could
have caused at all, is the gain; 1 means that all of that noise went and no bias came.  A single
candidate that stands out from its neighbours by more than noise is not smoothed away: then nothing
is smoothed, nor if the repetitions differ from the smooth curve in the same way, nor if the curve
itself is hardly more than noise: where quality has nothing to do with the parameter, a flat curve
predicts well, and its highest point means nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError

# One mapping per candidate, a sequence of values per parameter, a data frame, or plain numbers.
Params: TypeAlias = Any

# Widths of the fit's Gaussian weights, as shares of a parameter's range.
WIDTHS = (0.05, 0.08, 0.11, 0.15, 0.2, 0.3, 0.5, 0.8)
FEWEST_CANDIDATES = 20  # with fewer, racing is cheap and a fitted peak is no steadier
MOST_CANDIDATES = 2000  # smoothing matrices grow with the square
FEWEST_VALUES = 4  # a number with fewer different values is kept apart like a category
LEAST_GAIN = 0.15
STANDS_OUT = 4.0  # standard errors above its neighbours; by chance once in 30,000 candidates
MOST_MISFIT = 0.6  # what all repetitions miss in the same way, in units of the averages' variance
LEAST_SIGNAL = 4.0  # what all repetitions' curves have in common, in units of a curve's own noise


@dataclass(frozen=True, kw_only=True)
class Smoothing:
    """What smoothing makes of some repetitions.

    Attributes
    ----------
    values : array
        The smoothed averages; the plain ones where nothing was gained.
    gain : float
        Share of the removable noise that was removed, as judged by left-out repetitions.
    left : float
        Share of the averages' noise variance that is left in `values`.
    worth : bool
        Whether the gain is large enough.
    text : str
        What was done, or why not.
    """

    values: FloatArray
    gain: float
    left: float
    worth: bool
    text: str


def as_columns(params: Params, n_candidates: int) -> dict[str, list[Any]]:
    """Return the parameters by name, one value per candidate; None where one has no value."""
    if hasattr(params, "columns"):  # a data frame
        params = {str(name): list(params[name]) for name in params.columns}
    elif not isinstance(params, Mapping) and _are_numbers(params):
        table = np.array(params, dtype=np.float64).reshape(len(params), -1)
        params = {f"parameter {i}": table[:, i] for i in range(table.shape[1])}
    if isinstance(params, Mapping):
        columns = {str(name): list(values) for name, values in params.items()}
    else:
        rows = list(params)
        if not all(isinstance(row, Mapping) for row in rows):
            raise ArgumentError(
                "`params` must be a mapping per candidate, a mapping of columns, a data frame or "
                f"plain numbers; got a {type(params).__name__} of {type(rows[0]).__name__}."
            )
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {str(name): [row.get(name) for row in rows] for name in names}
        if len(rows) != n_candidates:
            raise ArgumentError(
                f"`params` must hold one entry per candidate, {n_candidates}; got {len(rows)}."
            )
    for name, values in columns.items():
        if len(values) != n_candidates:
            raise ArgumentError(
                f"`params[{name!r}]` must hold one value per candidate, {n_candidates}; "
                f"got {len(values)}."
            )
    return columns


def _are_numbers(params: Any) -> bool:
    """Tell whether parameters came as plain numbers: one, or a row of them, per candidate."""
    try:
        return bool(np.array(params).dtype.kind in "iuf")
    except ValueError:  # rows of different length
        return False


def numeric_columns(columns: Mapping[str, list[Any]]) -> dict[str, FloatArray]:
    """Return the parameters whose values are all finite numbers."""
    found = {}
    for name, values in columns.items():
        if all(arguments.is_number(v) for v in values):
            array = np.array([float(v) for v in values])
            if np.isfinite(array).all():
                found[name] = array
    return found


class Smoother:
    """Smooths scores of candidates over their numeric parameters.

    Categories (and numbers with fewer than four different values) are kept apart: only candidates
    that agree in all of them are neighbours.  A numeric value counts by its place among the
    values tried, so that 0.001, 0.01, 0.1 are as far apart as 1, 2, 3.

    Examples
    --------
    >>> smoother = Smoother({"depth": range(30), "kind": ["a"] * 30}, 30)
    >>> smoother.names, smoother.why_not
    (('depth',), '')
    """

    def __init__(self, params: Params | None, n_candidates: int) -> None:
        columns = {} if params is None else as_columns(params, n_candidates)
        numbers = {
            name: values
            for name, values in numeric_columns(columns).items()
            if np.unique(values).size >= FEWEST_VALUES
        }
        self.names = tuple(numbers)
        self.why_not = ""
        if params is None:
            self.why_not = "not smoothed: no parameter values were given"
        elif not numbers:
            self.why_not = "not smoothed: no numeric parameter has four different values or more"
        kept_apart = [values for name, values in columns.items() if name not in numbers]
        keys = [repr(key) for key in zip(*kept_apart, strict=True)] or [""] * n_candidates
        self._group = np.unique(keys, return_inverse=True)[1].ravel()
        self._places = np.empty((n_candidates, len(numbers)))
        for i, values in enumerate(numbers.values()):
            levels, place = np.unique(values, return_inverse=True)
            self._places[:, i] = place.ravel() / (levels.size - 1)
        self._banks: dict[bytes, list[FloatArray]] = {}

    def judge(self, scores: FloatArray, who: NDArray[np.bool_]) -> Smoothing:
        """Smooth the averages of the candidates `who`; `scores` has a row per repetition."""
        plain = scores[:, who].mean(axis=0)
        n_repeats, count = len(scores), int(who.sum())
        reason = self.why_not
        if not reason and count < FEWEST_CANDIDATES:
            reason = f"not smoothed: {count} candidates are fewer than {FEWEST_CANDIDATES}"
        if not reason and count > MOST_CANDIDATES:
            reason = f"not smoothed: {count} candidates are more than {MOST_CANDIDATES}"
        if not reason and n_repeats < 2:
            reason = "not smoothed: one repetition leaves none to judge by"
        if reason:
            return Smoothing(values=plain, gain=0.0, left=1.0, worth=False, text=reason)
        # What all candidates share in a repetition is no matter of choice.
        centred = scores[:, who] - scores[:, who].mean(axis=1, keepdims=True)
        others = (centred.sum(axis=0) - centred) / (n_repeats - 1)
        bank = self._bank(who)
        plain_error = float(((centred - others) ** 2).sum())
        if plain_error <= 1e-24 * float((scores[:, who] ** 2).sum()):
            reason = "not smoothed: the repetitions agree exactly"
            return Smoothing(values=plain, gain=0.0, left=1.0, worth=False, text=reason)
        errors = np.array([((centred - others @ fit.T) ** 2).sum() for fit in bank])
        # Widths share the say by how well they predict: the likelihood of the left-out scores,
        # whose error variance the plain average tells.
        weights = np.exp(-0.5 * (errors - errors.min()) * count * n_repeats / plain_error)
        weights /= weights.sum()
        combined = np.tensordot(weights, np.array(bank), axes=1)
        error = float(((centred - others @ combined.T) ** 2).sum())
        # Plain error: s² (1 + 1/(J-1)) per score, of which s²/(J-1), a J-th, is the average's.
        gain = (plain_error - error) / (plain_error / n_repeats)
        left = float((combined**2).sum() / count)
        width = float(weights @ np.array(WIDTHS))
        named = " and ".join(self.names)
        judged = f"left-out repetitions credit it with {max(0.0, gain):.0%} of the removable noise"
        if gain < LEAST_GAIN:
            text = f"not smoothed over {named}: {judged}, less than {LEAST_GAIN:.0%}"
            return Smoothing(values=plain, gain=gain, left=1.0, worth=False, text=text)
        values = plain.mean() + combined @ (plain - plain.mean())
        spread = float(((centred - centred.mean(axis=0)) ** 2).sum())
        variance = spread / ((n_repeats - 1) * (count - 1)) / n_repeats
        curves = centred @ combined.T
        why_not = ""
        if _stands_out(plain, values, combined, variance):
            why_not = "one candidate stands out from its neighbours"
        elif _in_common(centred - curves) > MOST_MISFIT * variance:
            why_not = "all repetitions differ from the smooth curve in the same way"
        elif _in_common(curves) < LEAST_SIGNAL * left * variance:
            why_not = "the smooth curve hardly rises above its own noise"
        if why_not:
            text = f"not smoothed over {named}: {why_not}"
            return Smoothing(values=plain, gain=gain, left=1.0, worth=False, text=text)
        text = f"smoothed over {named}, width {width:.2g} of the range: {judged}"
        return Smoothing(values=values, gain=gain, left=left, worth=True, text=text)

    def _bank(self, who: NDArray[np.bool_]) -> list[FloatArray]:
        """Return the smoothing matrix of every width, for the candidates `who`."""
        key = who.tobytes()
        if key not in self._banks:
            if len(self._banks) >= 64:  # dropped candidates make ever new subsets
                self._banks.clear()
            places, group = self._places[who], self._group[who]
            self._banks[key] = [_local_quadratic(places, group, width) for width in WIDTHS]
        return self._banks[key]


def _stands_out(plain: FloatArray, values: FloatArray, fit: FloatArray, variance: float) -> bool:
    """Tell whether a candidate is better than all smoothed ones, and its neighbours, by far."""
    excess = plain - values
    error = np.sqrt(variance * ((np.eye(len(fit)) - fit) ** 2).sum(axis=1))
    far = (excess > STANDS_OUT * error) & (plain > values.max())
    return bool(far.any())


def _in_common(rows: FloatArray) -> float:
    """Return the mean square of what rows of different repetitions have in common.

    Noise is independent from one repetition to another, so products of their rows average to the
    square of what is not noise.
    """
    n_repeats, count = rows.shape
    products = rows.sum(axis=0) ** 2 - (rows**2).sum(axis=0)
    return float(products.sum() / (n_repeats * (n_repeats - 1) * count))


def _local_quadratic(places: FloatArray, group: NDArray[Any], width: float) -> FloatArray:
    """Return H with H y the values at each place of the quadratics fitted around it.

    Gaussian weights, within the group only, each parameter's own square but no products; the
    smallest-norm solution where a fit has too few points.
    """
    count = len(places)
    fit = np.zeros((count, count))
    for i in range(count):
        near = np.flatnonzero(group == group[i])
        away = places[near] - places[i]
        root = np.exp(-0.25 * (away**2).sum(axis=1) / width**2)
        design = np.column_stack([np.ones(near.size), away, away**2]) * root[:, None]
        fit[i, near] = np.linalg.pinv(design, rcond=1e-6)[0] * root
    return fit
