"""Numbers, tables and plain values as every view of bestofk shows them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray


def format_number(value: float) -> str:
    """Return a number as every view of bestofk shows it: four significant digits.

    Examples
    --------
    >>> format_number(0.891234), format_number(12.0), format_number(float("-inf"))
    ('0.8912', '12', '-inf')
    """
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    if value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return f"{value:.4g}"


def percent(share: float) -> str:
    """Return a share of at most 1 as a percentage, never rounded up to 100.

    Examples
    --------
    >>> percent(0.95), percent(0.99999999), percent(1.0)
    ('95 %', '99.999999 %', '100 %')
    """
    value = 100 * share
    if 0 < 1 - share < 5e-5:  # four digits would say 100
        digits = math.ceil(-math.log10(100 * (1 - share)))
        return f"{value:.{digits}f}".rstrip("0") + " %"
    return f"{format_number(value)} %"


def capital(text: str) -> str:
    """Return a text with its first letter capital, the others as they are.

    Examples
    --------
    >>> capital("median best of 5 trials")
    'Median best of 5 trials'
    """
    return text[:1].upper() + text[1:]


def counted(count: float, word: str) -> str:
    """Return a number with what it counts.

    Examples
    --------
    >>> counted(1, "trial"), counted(2.5, "trial")
    ('1 trial', '2.5 trials')
    """
    return f"{format_number(count)} {word}{'' if count == 1 else 's'}"


def in_series(names: Sequence[str]) -> str:
    """Return names as one reads them: a, b and c.

    Examples
    --------
    >>> in_series(["a", "b", "c"])
    'a, b and c'
    """
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last


def landmarks(budgets: NDArray[np.float64], most: int = 12) -> NDArray[np.intp]:
    """Return the places of the budgets worth printing: all if few, else 1, 2, 5, 10, ... and last.

    Examples
    --------
    >>> landmarks(np.arange(1.0, 49.0)) + 1
    array([ 1,  2,  5, 10, 20, 48])
    """
    if budgets.size <= most:
        return np.arange(budgets.size)
    if (np.diff(budgets) <= 0).any() or (budgets != np.floor(budgets)).any():
        return np.unique(np.linspace(0, budgets.size - 1, most).round().astype(np.intp))
    largest = max(1, math.ceil(math.log10(budgets.max())) + 1)
    series = [m * 10**e for e in range(largest) for m in (1, 2, 5)]
    shown = np.isin(budgets, series)
    shown[[0, -1]] = True
    return np.flatnonzero(shown)


def to_plain(value: Any) -> Any:
    """Return `value` as strict JSON takes it: lists, plain numbers, null for an infinite one."""
    if isinstance(value, np.ndarray):
        return [to_plain(v) for v in value.tolist()]
    if isinstance(value, Mapping):
        return {str(key): to_plain(v) for key, v in value.items()}
    if isinstance(value, list | tuple):
        return [to_plain(v) for v in value]
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, float):
        assert not math.isnan(value), "a NaN in a result is a bug"
        if math.isinf(value):
            return None
        return int(value) if value == int(value) and abs(value) < 1e15 else value
    return value


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, columns right-aligned."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows)
    ]
