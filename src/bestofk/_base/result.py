"""What every result has in common, derived from what it declares."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from bestofk._base import notebook
from bestofk._base.caveat import Caveat, Caveated, Validity, grouped, void_line
from bestofk._base.chart.data import Chart
from bestofk._base.text import counted, format_number, landmarks, text_table, to_plain
from bestofk._base.types import Scale
from bestofk.errors import ArgumentError, MissingPackageError, in_python

if TYPE_CHECKING:
    import pandas
    import polars
    from matplotlib.axes import Axes


def make_frame(columns: Mapping[str, NDArray[Any]], backend: Literal["pandas", "polars"]) -> Any:
    """Return the columns as a pandas or polars frame."""
    if backend not in ("pandas", "polars"):
        raise ArgumentError(argument="backend", must="be 'pandas' or 'polars'", got=repr(backend))
    try:
        import narwhals as nw

        return nw.from_dict(dict(columns), backend=backend).to_native()
    except ImportError:
        also = " polars" if backend == "polars" else ""
        needed = f"narwhals and {backend}"
        raise MissingPackageError("to_frame()", needed, "frames", also=also) from None


class Result(Caveated):
    """A result: frozen, knows what made it, what it may claim and what to know about it.

    A kind of result declares its facts, single values that say what made it and what it says as a
    whole, and its columns, arrays of equal length; both by the names of its fields or properties
    (``class Curve(Result, facts="label n", columns="budget=budgets estimate")``, the name in tables
    and JSON first where it is another; a path such as ``n=curve.n`` leads through parts, and
    through a tuple of parts to an array).  A column that is a single value is a table of one row,
    one that is None is left out.  What states a guarantee is also named in `claims`: it is null in
    JSON and left out of tables if the result is void.  Text, HTML, JSON, CSV and data frames are
    made of these, and docs/schema says what JSON holds.
    """

    schema: ClassVar[int] = 1  # of the JSON; a changed field changes the number
    _declared: ClassVar[dict[str, dict[str, str]]] = {"facts": {}, "columns": {}, "claims": {}}

    def __init_subclass__(
        cls, facts: str = "", columns: str = "", claims: str = "", **options: Any
    ) -> None:
        super().__init_subclass__(**options)
        if facts or columns:
            cls._declared = {
                "facts": _names(facts),
                "columns": _names(columns),
                "claims": _names(claims),
            }

    @property
    def title(self) -> str:
        """One line that says what this is."""
        raise NotImplementedError

    @property
    def warning(self) -> str:
        """The line that stands first if the result is void; empty if it is not."""
        return in_python(self._marked_warning())

    def _marked_warning(self) -> str:
        return void_line(self.caveats)

    @property
    def _unsaid(self) -> tuple[Caveat, ...]:
        """The caveats that the warning and the headlines do not say already."""
        return tuple(c for c in self.caveats if c.validity != "void")

    @classmethod
    def kind(cls) -> str:
        """Return the name of this kind of result, as JSON has it: "cost-curve"."""
        return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", cls.__name__).lower()

    def _void_names(self) -> frozenset[str]:
        return frozenset(self._declared["claims"]) if self.is_void else frozenset()

    def _facts(self) -> dict[str, Any]:
        void = self._void_names()
        facts = self._declared["facts"]
        return {n: None if n in void else _follow(self, path) for n, path in facts.items()}

    def _columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns; NaN where a void result would claim something."""
        void = self._void_names()
        found = {name: _follow(self, path) for name, path in self._declared["columns"].items()}
        columns = {name: _as_column(value) for name, value in found.items() if value is not None}
        return {n: np.full(c.shape, np.nan) if n in void else c for n, c in columns.items()}

    def _parts(self) -> dict[str, Any]:
        """Return what JSON has instead of columns, as `PARTS` names it: results within this one."""
        return {}

    def _shown_rows(self) -> NDArray[np.intp]:
        first = next(iter(self._columns().values()))
        return landmarks(first) if first.dtype.kind == "f" else np.arange(first.size)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, numbers and text, ready for strict JSON."""
        void = self._void_names()
        columns = {n: [None] * c.size if n in void else c for n, c in self._columns().items()}
        plain: dict[str, Any] = to_plain(
            {
                "kind": self.kind(),
                "schema": self.schema,
                "validity": self.validity,
                "reasons": self.reasons,
                **self._facts(),
                **(self._parts() or columns),
                "caveats": [caveat.to_dict() for caveat in self.caveats],
            }
        )
        return plain

    def to_frame(
        self, *, backend: Literal["pandas", "polars"] = "pandas"
    ) -> pandas.DataFrame | polars.DataFrame:
        """Return the numbers as a data frame, one row per budget.

        Parameters
        ----------
        backend : {"pandas", "polars"}
            Which kind of frame; needs the extra `frames`.
        """
        frame: pandas.DataFrame | polars.DataFrame = make_frame(self._columns(), backend)
        return frame

    def _length(self) -> int:
        return len(next(iter(self._columns().values())))

    def table(self, *, every: bool = False) -> tuple[list[str], list[list[str]]]:
        """Return headings and formatted rows: the landmarks, or with `every` all of them."""
        void = self._void_names()
        columns = {n: column for n, column in self._columns().items() if n not in void}
        rows = range(self._length()) if every else self._shown_rows()
        return list(columns), [[_cell(c[i]) for c in columns.values()] for i in rows]

    def _headlines(self) -> list[str]:
        """Return the answer in words."""
        return []

    def _first_lines(self) -> list[str]:
        """Return what stands before the title: why nothing is guaranteed, and the answer.

        Arguments in them are still marked.
        """
        return [*([self._marked_warning()] if self.is_void else []), *self._headlines()]

    def __repr__(self) -> str:
        head, rows = self.table()
        lines = [*map(in_python, self._first_lines()), self.title, *text_table(head, rows)]
        if len(rows) < self._length():
            lines.append(f"({len(rows)} of {self._length()} rows)")
        return "\n".join([*lines, *(f"! {note}" for note in grouped(self._unsaid))])

    def _answers(self) -> list[str]:
        """Return what a notebook shows first: the answer in words, or else what this is."""
        lines = list(map(in_python, self._first_lines()))
        said = str(getattr(self, "summary", "") or getattr(self, "verdict", ""))
        new = bool(said) and " ".join(said.splitlines()) not in " ".join(lines)
        return [*lines, *([said] if new else [])] or [self.title]

    def _standing(self) -> tuple[Validity, tuple[str, ...], str]:
        """Return what a notebook colours: the validity, why, and the words if others."""
        return self.validity, self.reasons, ""

    def _figure_html(self) -> str:
        return ""

    def _repr_html_(self) -> str:
        head, rows = self.table()
        length = self._length()
        shown = counted(length, "row")
        shown = f"{len(rows)} of {shown}" if len(rows) < length else shown
        answers = self._answers()
        notes = grouped(self._unsaid)
        return "".join(
            [
                notebook.answer(answers, *self._standing()),
                self._figure_html(),
                "" if self.title in answers else notebook.small(self.title),
                notebook.folded(f"Table ({shown})", notebook.table(head, rows)),
                notebook.caveats(notes, is_open=self.validity != "holds"),
            ]
        )


class Drawn(Result):
    """A result with a figure, which it builds as plain data."""

    def chart(self) -> Chart:
        """Return what the figure of this result shows, as plain data."""
        raise NotImplementedError

    def plot(
        self,
        ax: Axes | None = None,
        *,
        log_x: bool | None = None,
        scale: Scale | None = None,
        **line: Any,
    ) -> Axes:
        """Draw on `ax`, or on a new figure, and return the matplotlib Axes.

        A second result that is drawn on the same axes takes the next colour, and a legend says
        which is which.  Your rcParams are followed wherever they differ from matplotlib's own.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        log_x : bool, optional
            Whether the horizontal axis is logarithmic.  By default, if it spans more than 64-fold.
        scale : {"score", "error"}, optional
            "error" shows what is left to the best possible score, on a logarithmic axis.  By
            default it is chosen if that falls to a tenth or less: for accuracies near 1.
        **line
            Options of matplotlib's lines, such as ``color``, ``label`` and ``linewidth``.
        """
        from bestofk._base.chart import matplotlib

        drawn: Axes = matplotlib.plot([self.chart()], ax, log_x=log_x, scale=scale, **line)
        return drawn

    def _figure_html(self) -> str:
        from bestofk._base.chart.svg import to_svg

        width, height = notebook.FIGURE
        return to_svg(self.chart(), width=width, height=height)


def _follow(value: Any, path: str) -> Any:
    """Return what a path of attributes leads to; through a tuple, an array with one entry each."""
    for name in path.split("."):
        if isinstance(value, tuple):
            value = np.array([getattr(part, name) for part in value])
        else:
            value = getattr(value, name)
    return value


def _as_column(value: Any) -> NDArray[Any]:
    column = value if isinstance(value, np.ndarray) else np.array([value], dtype=np.float64)
    column = column.astype(object) if column.dtype.kind == "U" else column
    column.setflags(write=False)
    return column


def _names(words: str) -> dict[str, str]:
    """Read a declaration: names, or name=source."""
    pairs = [word.partition("=") for word in words.split()]
    return {name: source or name for name, _, source in pairs}


def _cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    number = float(value)
    return "" if math.isnan(number) else format_number(number)
