"""What `importance` answers with: one hyperparameter, or the table of all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import FEW, TRIALS_AXIS, Chart, Series
from bestofk._base.chart.intervals import Intervals
from bestofk._base.result import Drawn
from bestofk._base.text import counted, percent
from bestofk._base.types import Direction, FloatArray, Statistic
from bestofk.comparison import importance_words as words
from bestofk.curves.words import meaning_of
from bestofk.numeric import ecdf


class Place(NamedTuple):
    """One value or bin at which a hyperparameter can be left, and what is lost there."""

    left_at: str
    trials: int
    risk: float
    lower: float
    upper: float
    finding: str


class _Found(Drawn):
    """A result with the column `finding`, which is empty if the result is void."""

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns = super()._columns()
        if self.is_void:
            columns["finding"] = np.full(columns["finding"].shape, "", dtype=object)
        return columns


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Importance(
    _Found,
    facts="label=param n direction statistic confidence budget default=_default bin worst_at "
    "worst_risk worst_lower worst_upper verdict",
    columns="left_at=places.left_at trials=places.trials risk=places.risk lower=places.lower "
    "upper=places.upper finding=places.finding",
    claims="confidence worst_lower worst_upper lower upper finding",
):
    """What is lost by leaving a hyperparameter at a value instead of searching it.

    Attributes
    ----------
    param : str
        The hyperparameter.
    n : int
        The number of trials that have it.
    budget : float
        The number of trials of the search, k, at which the loss is stated.
    places : tuple of Place
        Each value or bin, with the loss of leaving it there: `left_at`, `trials`, `risk` (the
        estimate, positive where searching is better), `lower`, `upper` and `finding` ("loss",
        "gain" or "not told apart from 0").
    worst_at, worst_risk, worst_lower, worst_upper
        The largest loss over these places, where it is by the estimates, and its interval.
    default : object
        The only value that was looked at, if one was given.
    bin : (low, high) or None
        The values that stand for the default, if it is a bin.
    confidence : float
        The confidence with which all intervals hold together, at this budget; in an
        `ImportanceTable`, those of all its hyperparameters.

    Examples
    --------
    >>> from bestofk import datasets, importance
    >>> found = importance(datasets.load_example()["svm"], "gamma")
    >>> found.places[0].left_at, found.places[0].finding
    ('1.134e-05 to 0.000236', 'loss')
    """

    schema: ClassVar[int] = 2

    param: str
    direction: Direction
    statistic: Statistic
    confidence: float
    budget: float
    default: object
    bin: tuple[float, float] | None
    places: tuple[Place, ...]
    among: FloatArray
    inside: tuple[NDArray[np.bool_], ...]
    caveats: tuple[Caveat, ...]

    @property
    def n(self) -> int:
        """The number of trials that have the hyperparameter."""
        return self.among.size

    @property
    def _default(self) -> Any:
        plain = isinstance(self.default, str | int | float | bool) or self.default is None
        return self.default if plain else str(self.default)

    @property
    def risk(self) -> FloatArray:
        """What is lost at each place, by the estimates."""
        return arguments.fixed(np.array([place.risk for place in self.places]))

    @property
    def _worst(self) -> Place:
        return max(self.places, key=lambda place: place.risk)

    @property
    def worst_at(self) -> str:
        """The value or bin at which most is lost, by the estimates."""
        return self._worst.left_at

    @property
    def worst_risk(self) -> float:
        """The largest loss over the places, by the estimates."""
        return self._worst.risk

    @property
    def worst_lower(self) -> float:
        """The lower end of the interval for the largest loss."""
        return max(place.lower for place in self.places)

    @property
    def worst_upper(self) -> float:
        """The upper end of the interval for the largest loss."""
        return max(place.upper for place in self.places)

    @property
    def finding(self) -> str:
        """Whether the largest loss is told apart from 0: "loss", "gain", or that it is not."""
        return "" if self.is_void else words.finding(self.worst_lower, self.worst_upper)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        at = "at each of its values" if self.default is None else words.at_default(self)
        return (
            f"Importance of {self.param!r}: searched, against left {at}; "
            f"{meaning_of(self.statistic)} at {words.trials(self.budget)}, n = {self.n}"
        )

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        return words.of_one(self)

    def _headlines(self) -> list[str]:
        return [self.verdict]

    def chart(self) -> Chart:
        """Return what is lost at each place; if they are few, under the estimated curves."""
        samples = {f"{self.param} searched": self.among}
        samples |= {
            f"{self.param} {place.left_at}": self.among[inside]
            for place, inside in zip(self.places, self.inside, strict=True)
        }
        largest = max(self.budget, *(place.trials for place in self.places))
        budgets = arguments.default_budgets(int(largest))
        q = arguments.statistic(self.statistic)[1]
        assert q is not None
        p = ecdf.single_score_level(q, budgets, minimize=self.direction == "minimize")
        lines = [
            Series.of(
                label, budgets, np.sort(sample)[ecdf.quantile_rank(p, sample.size) - 1], step=True
            )
            for label, sample in samples.items()
        ]
        rows = [(f"left {p.left_at}", p.risk, p.lower, p.upper) for p in self.places]
        if len(lines) > FEW:  # which would not be told apart
            return _losses(self, rows, [0 if p.lower > 0 else None for p in self.places])
        return Chart(
            x_label=TRIALS_AXIS,
            what=meaning_of(self.statistic),
            series=tuple(lines),
            below=_losses(self, rows, range(1, len(rows) + 1)),
        )


def _losses(
    found: Importance | ImportanceTable,
    rows: Sequence[tuple[str, float, float, float]],
    places: Sequence[int | None],
) -> Chart:
    """Return names with what is lost by leaving them, with its interval unless it is void."""
    names, middle, low, high = zip(*rows, strict=True)
    nothing = np.full(len(rows), np.nan)
    sure = "" if found.is_void else f" ({percent(found.confidence)}, jointly)"
    return Chart(
        x_label=f"loss at {words.trials(found.budget)}{sure}",
        what="",
        series=(),
        base=0.0,
        intervals=Intervals(
            names=names,
            middle=np.array(middle),
            low=nothing if found.is_void else np.array(low),
            high=nothing if found.is_void else np.array(high),
            places=tuple(places),
        ),
    )


class ImportanceRow(NamedTuple):
    """One hyperparameter in the table, at the place where leaving it loses most."""

    param: str
    left_at: str
    trials: int
    among: int
    risk: float
    lower: float
    upper: float
    finding: str


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ImportanceTable(
    _Found,
    facts="label n direction statistic confidence budget skipped verdict",
    columns="param=rows.param left_at=rows.left_at trials=rows.trials among=rows.among "
    "risk=rows.risk lower=rows.lower upper=rows.upper finding=rows.finding",
    claims="confidence lower upper finding",
):
    """All hyperparameters of a search, the riskiest to leave at a bad value first.

    They are sorted by what is lost at least, the lower end of the interval; if the result is void,
    by the estimates.

    Attributes
    ----------
    items : tuple of Importance
        One per hyperparameter, ranked.
    rows : tuple of ImportanceRow
        What the table shows: `risk` is the largest loss over the places of each hyperparameter,
        `left_at` where it is by the estimates, `trials` how many trials are there of `among`, those
        that have the hyperparameter.
    budget : float
        The number of trials of the search, k, at which all losses are stated.
    confidence : float
        The confidence with which the intervals of all hyperparameters hold together.
    skipped : dict
        Hyperparameters that were not judged, and why.

    Examples
    --------
    >>> from bestofk import datasets, importance
    >>> [item.param for item in importance(datasets.load_example()["svm"]).items]
    ['C', 'gamma']
    """

    schema: ClassVar[int] = 2

    label: str
    direction: Direction
    n: int
    statistic: Statistic
    confidence: float
    budget: float
    items: tuple[Importance, ...]
    skipped: Mapping[str, str]
    caveats: tuple[Caveat, ...]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        what = counted(len(self.items), "hyperparameter")
        return (
            f"Importance of {what} of {self.label!r}, n = {self.n}: "
            f"what is lost by leaving each at its worst value, {meaning_of(self.statistic)} at "
            f"{words.trials(self.budget)}"
        )

    @property
    def rows(self) -> tuple[ImportanceRow, ...]:
        """What the table shows, in the order of the items."""
        return tuple(
            ImportanceRow(
                item.param,
                item.worst_at,
                item._worst.trials,
                item.n,
                item.worst_risk,
                item.worst_lower,
                item.worst_upper,
                item.finding,
            )
            for item in self.items
        )

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        return words.of_all(self)

    def _headlines(self) -> list[str]:
        return [self.verdict]

    def chart(self) -> Chart:
        """Return what is lost by leaving each at its worst value, in colour where it is shown."""
        rows = [(f"{r.param} {r.left_at}", r.risk, r.lower, r.upper) for r in self.rows]
        return _losses(self, rows, [0 if r.lower > 0 else None for r in self.rows])
