"""What every result has in common: one summary that text, HTML, JSON and tables all read."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from bestofk.errors import ArgumentError, MissingPackageError


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


def make_frame(columns: Mapping[str, NDArray[Any]], backend: Literal["pandas", "polars"]) -> Any:
    """Return the columns as a pandas or polars frame."""
    if backend not in ("pandas", "polars"):
        raise ArgumentError(f"`backend` must be 'pandas' or 'polars'; got {backend!r}.")
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=backend).to_native()
    except ImportError:
        raise MissingPackageError("to_frame()", f"narwhals and {backend}", "frames") from None


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


class Result:
    """A result: frozen, knows what made it and what to doubt, and shows itself.

    A kind of result says four things: `title`, in one line; `_facts()`, what made it; `_columns()`,
    its numbers by budget (or whatever its rows are); and `caveats`.
    """

    caveats: tuple[str, ...]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        raise NotImplementedError

    def _facts(self) -> dict[str, Any]:
        raise NotImplementedError

    def _columns(self) -> dict[str, NDArray[Any]]:
        raise NotImplementedError

    def _shown_rows(self) -> NDArray[np.intp]:
        return landmarks(next(iter(self._columns().values())))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, numbers and text, ready for strict JSON."""
        content = {**self._facts(), **self._columns(), "caveats": self.caveats}
        plain: dict[str, Any] = to_plain(content)
        return plain

    def to_frame(self, *, backend: Literal["pandas", "polars"] = "pandas") -> Any:
        """Return the numbers as a data frame, one row per budget.

        Parameters
        ----------
        backend : {"pandas", "polars"}
            Which kind of frame; needs the extra `frames`.
        """
        return make_frame(self._columns(), backend)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw on `ax`, or on a new figure, and return the matplotlib Axes."""
        from bestofk import plotting

        return plotting.plot(self, ax=ax, **options)

    def _length(self) -> int:
        return len(next(iter(self._columns().values())))

    def table(self, *, every: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return headings and formatted rows: the landmarks, or with `every` all of them."""
        columns = self._columns()
        rows = range(self._length()) if every else self._shown_rows()
        return list(columns), [[_cell(c[i]) for c in columns.values()] for i in rows]

    def __repr__(self) -> str:
        head, rows = self.table()
        lines = [self.title, *text_table(head, rows)]
        if len(rows) < self._length():
            lines.append(f"({len(rows)} of {self._length()} rows)")
        return "\n".join([*lines, *(f"! {c}" for c in self.caveats)])

    def _repr_html_(self) -> str:
        head, rows = self.table()
        cells = "".join(f"<th>{html.escape(h)}</th>" for h in head)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(c)}</td>" for c in row) + "</tr>" for row in rows
        )
        notes = "".join(f"<li>{html.escape(c)}</li>" for c in self.caveats)
        return (
            f"<p>{html.escape(self.title)}</p>"
            f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"
            + (f"<ul>{notes}</ul>" if notes else "")
        )


def _cell(value: Any) -> str:
    return value if isinstance(value, str) else format_number(float(value))


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, columns right-aligned."""
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    return [
        "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True))
        for row in (head, *rows)
    ]
