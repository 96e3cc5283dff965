"""The methods that are compared: their samples, what their trials cost, their common axis."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.pairs import refuse_same
from bestofk._base.types import Axis, FloatArray
from bestofk.errors import ArgumentError, DataError, arg, in_python, marked, on_command_line
from bestofk.scores.convert import as_scores
from bestofk.scores.overlap import overlap_caveats
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from bestofk.scores.subset import FEWEST, by_value, subset, values_of

Method: TypeAlias = ArrayLike | Scores | Search


def split_by(search: Any, param: str, n_bins: int) -> tuple[dict[str, Search], list[Caveat]]:
    """Split the trials of one search by the values of a hyperparameter."""
    if not isinstance(search, Search):
        raise ArgumentError(
            f"{arg('by')} splits one Search by a hyperparameter; got {type(search).__name__}."
        )
    groups = by_value(values_of(search, param, "by"), n_bins)
    parts = {f"{param} {value}": subset(search, inside) for value, inside in groups.items()}
    small = [label for label, s in parts.items() if s.n < FEWEST]
    kept = {label: s for label, s in parts.items() if label not in small}
    if len(kept) < 2:
        raise DataError(
            f"{param!r} must have at least two values or bins with {FEWEST} trials each; "
            f"got {_listed([f'{label} ({s.n})' for label, s in parts.items()])}."
        )
    text = f"left out for having fewer than {FEWEST} trials: {_listed(small)}"
    return kept, [Caveat(kind="too-few-trials", text=text)] if small else []


def _listed(items: Sequence[str]) -> str:
    """Return items one after the other, at most eight, each of at most 60 characters."""
    more = len(items) - 8
    shown = (item if len(item) <= 60 else f"{item[:57]}..." for item in items[:8])
    return ", ".join(shown) + (f" and {more} more" if more > 0 else "")


def as_samples(methods: Any, **options: Any) -> list[Scores]:
    """Return the methods' samples, with different labels and one direction."""
    if isinstance(methods, Mapping):
        samples = [
            replace(as_scores(data, **options), label=str(label)) for label, data in methods.items()
        ]
    elif (
        isinstance(methods, Scores | Search | str)
        or not isinstance(methods, Iterable)
        or (isinstance(methods, np.ndarray) and methods.ndim != 2)
    ):
        raise ArgumentError(
            "a comparison needs two or more methods, as a mapping of names to scores or one after "
            f"the other; got {type(methods).__name__}."
        )
    else:
        samples = [as_scores(data, **options) for data in methods]
        if samples and all(s.label == "scores" for s in samples):  # plain arrays
            samples = [replace(s, label=f"method {i}") for i, s in enumerate(samples, start=1)]
    if len(samples) < 2:
        raise ArgumentError(_too_few(samples))
    refuse_same([s.label for s in samples], "scores")
    if len({s.direction for s in samples}) > 1:
        listing = ", ".join(f"{s.label}: {s.direction}" for s in samples)
        raise ArgumentError(f"methods must have one direction; got {listing}.")
    return samples


def _too_few(samples: Sequence[Scores]) -> str:
    """Return that there is one method or none, and how to get more."""
    needs = f"a comparison needs two or more methods; got {len(samples)}. "
    way = "Name the column that tells them apart with --by"
    said = "Pass a mapping of names to scores, or one method after the other."
    for caveat in (c for sample in samples for c in sample.caveats if c.kind == "unsplit"):
        way = caveat.remedy[:1].upper() + caveat.remedy[1:]
        said = f"{in_python(way)}."
    held = f"but {samples[0].label} holds one" if samples else "but there is none"
    return marked(
        f"{needs}{said}",
        f"compare needs at least two methods, {held}. {on_command_line(way)}, or pass a second "
        "file.",
        f"{needs}Choose another search.",
    )


def shared_trials(methods: Any) -> tuple[Caveat, ...]:
    """Return the caveats about searches that share trials or differ in their spaces."""
    given = methods.items() if isinstance(methods, Mapping) else ((None, m) for m in methods)
    return overlap_caveats(
        m if label is None else replace(m, label=str(label))
        for label, m in given
        if isinstance(m, Search)
    )


def common_grid(samples: Sequence[Scores], units: Sequence[float], axis: Axis) -> FloatArray:
    """Return the budgets at which all methods can be compared."""
    if axis == "trials":
        return arguments.default_budgets(min(s.n for s in samples))
    totals = [s.n * float(unit) for s, unit in zip(samples, units, strict=True)]
    if not np.isfinite(totals).all():
        raise DataError("the trials of a method must cost less than 1.8e308. Use a larger unit.")
    low = max(units)
    high = min(totals) if min(totals) > low else max(totals)
    return np.geomspace(low, high, 256)
