"""What a picture shows, as plain data: lines, words, axes.  plotting.py draws it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bestofk._check import FloatArray
from bestofk._result import Result
from bestofk.curves import Curve
from bestofk.errors import ArgumentError


@dataclass(frozen=True, kw_only=True)
class Line:
    """One line: finite points in ascending order of x."""

    label: str
    x: FloatArray
    y: FloatArray
    step: bool


@dataclass(frozen=True, kw_only=True)
class Chart:
    """A picture of one or several curves over the budget."""

    x_label: str
    y_label: str
    log_x: bool
    lines: tuple[Line, ...]


def chart(results: Sequence[Result], *, log_x: bool | None = None) -> Chart:
    """Return what a picture of these results shows.

    Parameters
    ----------
    results : sequence of Curve
        What is drawn together.
    log_x : bool, optional
        Whether the budget axis is logarithmic; if left out, when it spans more than 64-fold.
    """
    curves = [r for r in results if isinstance(r, Curve)]
    if not curves or len(curves) != len(results):
        raise ArgumentError(f"a picture needs one or more curves; got {list(results)!r}.")
    span = max(c.budgets.max() for c in curves) / min(c.budgets.min() for c in curves)
    meanings = list(dict.fromkeys(c.meaning for c in curves))
    return Chart(
        x_label="budget (number of trials)",
        y_label=meanings[0] if len(meanings) == 1 else "score of the best of k",
        log_x=bool(span > 64) if log_x is None else log_x,
        lines=tuple(_line(c, name_it=len(meanings) > 1) for c in curves),
    )


def _line(curve: Curve, *, name_it: bool) -> Line:
    finite = np.flatnonzero(np.isfinite(curve.values))
    order = finite[np.argsort(curve.budgets[finite], kind="stable")]
    label = f"{curve.label}: {curve.meaning}" if name_it else curve.label
    return Line(label=label, x=curve.budgets[order], y=curve.values[order], step=curve.is_step)
