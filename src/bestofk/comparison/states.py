"""Two methods at some budgets: who leads, who is certified better, the rule-of-thumb evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base.types import FloatArray

Names: TypeAlias = NDArray[np.str_]
State: TypeAlias = NDArray[np.int8]


class View(NamedTuple):
    """Both methods at some budgets, larger being better, whatever the direction."""

    estimate: tuple[FloatArray, FloatArray]
    lower: tuple[FloatArray, FloatArray]
    upper: tuple[FloatArray, FloatArray]


def lead_of(view: View) -> State:
    """Return 1 where the first method's estimate is better, -1 where the second's is, or 0."""
    a, b = view.estimate
    return (a > b).astype(np.int8) - (a < b).astype(np.int8)


def certified_of(view: View) -> State:
    """Return 1 where the first method is certified better, -1 where the second is, else 0."""
    (la, lb), (ua, ub) = view.lower, view.upper
    return (la > ub).astype(np.int8) - (lb > ua).astype(np.int8)


def evidence_of(view: View) -> State:
    """Return the level of evidence, 0 to 3, that Lourie et al. 2024, section 2, suggest."""
    (ea, eb), (la, lb), (ua, ub) = view
    first_excludes = (eb < la) | (eb > ua)
    second_excludes = (ea < lb) | (ea > ub)
    apart = (la > ub) | (lb > ua)
    level = first_excludes.astype(np.int8) + second_excludes
    return np.where(apart, 3, level).astype(np.int8)


def named(state: State, budgets: ArrayLike, names: Sequence[str]) -> str | Names:
    """Return names for states, one if there is one budget."""
    found = np.array(names)[state]
    return str(found[0]) if np.ndim(budgets) == 0 else found.reshape(np.shape(budgets))
