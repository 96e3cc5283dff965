"""The effect of one hyperparameter: tuning curves at its different values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bestofk import _check
from bestofk._check import Failed
from bestofk.comparison import AXES, Axis, Comparison, compare
from bestofk.errors import DataError
from bestofk.groups import FEWEST, by_value, subset, values_of
from bestofk.scores.search import Search


def effect(
    search: Search,
    param: str,
    *,
    n_bins: int = 4,
    axis: Axis | None = None,
    failed: Failed = "raise",
    **options: Any,
) -> Comparison:
    """Compare the tuning curves at the different values of one hyperparameter.

    Parameters
    ----------
    search : Search
        Trials with hyperparameters.
    param : str
        The hyperparameter; a numeric one with many values is cut into bins of equally many trials.
    n_bins : int
        How many bins.
    axis, failed
        As in `importance`.
    **options
        As in `compare`.

    Examples
    --------
    >>> from bestofk.datasets import load_example
    >>> effect(load_example()["forest"], "min_samples_leaf", n_bins=2).labels
    ('min_samples_leaf 1 to 11', 'min_samples_leaf 12 to 20')
    """
    count = _check.whole("n_bins", n_bins, least=2)
    groups = by_value(values_of(search, param), count)
    parts = {f"{param} {value}": subset(search, inside) for value, inside in groups.items()}
    small = {label: s.n for label, s in parts.items() if s.n < FEWEST}
    kept = {label: s for label, s in parts.items() if label not in small}
    if len(kept) < 2:
        raise DataError(
            f"{param!r} must have at least two values or bins with {FEWEST} trials each; "
            f"got {', '.join(f'{label} ({s.n})' for label, s in parts.items())}."
        )
    found = compare(kept, axis=cost_axis(search, axis), failed=failed, **options)
    if small:
        note = f"left out for having fewer than {FEWEST} trials: {', '.join(small)}"
        found = replace(found, caveats=(*found.caveats, note))
    return found


def cost_axis(search: Search, axis: Axis | None) -> Axis:
    """Return the axis to compare on: that of cost if there are costs and nothing else is said."""
    if axis is None:
        return "trials" if search.costs is None else "cost"
    return _check.choice("axis", axis, AXES)
