"""Which method is better at which budget, how sure, and where their curves cross.

Two kinds of statement, kept apart:

- *certified*: M methods get bands at 1 - (1-confidence)/M each, so that all hold together with the
  stated confidence under any dependence.  A beats B where A's band lies wholly on the better side
  of B's; one statement for all budgets at once.
- *evidence*, the heuristic of Lourie et al. 2024, section 2, from bands that each have the stated
  confidence: weak, one band excludes the other's estimate; fair, each does; strong, the bands do
  not overlap.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import Bounds, Direction, Failed, FloatArray, Statistic
from bestofk._result import Result, format_number, landmarks, to_plain
from bestofk.bands import Band, tuning_band
from bestofk.distribution import Method
from bestofk.duels import Pair, Range, in_words
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric.steps import runs, whole_runs
from bestofk.scores.convert import as_scores
from bestofk.scores.sample import Scores
from bestofk.scores.search import Search

Axis: TypeAlias = Literal["trials", "cost"]
AXES: tuple[Axis, ...] = ("trials", "cost")
_MOST_POINTS = 5000


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(Result):
    """Two or more methods, compared at every budget at once.

    Attributes
    ----------
    labels : tuple of str
        The methods.
    budgets : array
        The axis: numbers of trials, or total costs.
    axis : {"trials", "cost"}
        What the budgets are.
    bands : tuple of Band
        Each method's band with the stated confidence, which the evidence rests on.
    joint : tuple of Band
        Each method's band with its share of the error, which the certified statements rest on.
    unit_costs : tuple of float
        What one trial of each method costs on the axis: 1, or its mean cost.
    pairs : tuple of Pair
        The comparison of every two methods.
    confidence : float
        That everything certified is right.
    costs_known : bool
        Whether the mean costs were declared known; if not, what is certified on a cost axis holds
        given the mean costs.
    """

    labels: tuple[str, ...]
    budgets: FloatArray
    axis: Axis
    bands: tuple[Band, ...]
    joint: tuple[Band, ...]
    unit_costs: tuple[float, ...]
    confidence: float
    costs_known: bool
    caveats: tuple[str, ...]

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller is better."""
        return self.bands[0].direction

    @property
    def statistic(self) -> Statistic:
        """What is compared about the best of k."""
        return self.bands[0].statistic

    @property
    def unit(self) -> str:
        """What the axis counts, in words."""
        return "trials" if self.axis == "trials" else "cost units"

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The comparison of every two methods, in the order of the labels."""
        span = (float(self.budgets.min()), float(self.budgets.max()))
        return tuple(
            Pair(
                first=self.labels[i],
                second=self.labels[j],
                bands=(self.bands[i], self.bands[j]),
                joint=(self.joint[i], self.joint[j]),
                unit_costs=(self.unit_costs[i], self.unit_costs[j]),
                budgets=self.budgets,
                span=span,
                in_trials=self.axis == "trials",
            )
            for i in range(len(self.labels))
            for j in range(i + 1, len(self.labels))
        )

    def pair(self, first: str, second: str) -> Pair:
        """Return the comparison of two methods, in either order of their names."""
        for pair in self.pairs:
            if {pair.first, pair.second} == {first, second}:
                return pair
        listing = ", ".join(map(repr, self.labels))
        raise ArgumentError(f"`pair` needs two of {listing}; got {first!r} and {second!r}.")

    def ranking(self, budget: float) -> list[dict[str, Any]]:
        """Rank the methods at one budget, with the joint guarantee.

        Returns
        -------
        list of dict
            Best estimate first: ``label``, ``estimate``, ``lower``, ``upper``, and the best and the
            worst rank the method can have (``best_rank``, ``worst_rank``), all of which hold
            together, at all budgets, with the stated confidence.

        Examples
        --------
        >>> from bestofk.datasets import load_example
        >>> [row["label"] for row in compare(load_example()).ranking(10)]
        ['svm', 'forest']
        """
        wanted = np.array([_check.budget("budget", budget)])
        points = [b.at(wanted / c) for b, c in zip(self.joint, self.unit_costs, strict=True)]
        sign = 1.0 if self.direction == "maximize" else -1.0
        near = [
            float(p.lower[0] if sign > 0 else -p.upper[0]) for p in points
        ]  # at least this good
        far = [float(p.upper[0] if sign > 0 else -p.lower[0]) for p in points]  # at best this good
        rows = []
        for i, label in enumerate(self.labels):
            others = [j for j in range(len(self.labels)) if j != i]
            rows.append(
                {
                    "label": label,
                    "estimate": float(points[i].estimate[0]),
                    "lower": float(points[i].lower[0]),
                    "upper": float(points[i].upper[0]),
                    "best_rank": 1 + sum(near[j] > far[i] for j in others),
                    "worst_rank": len(self.labels) - sum(near[i] > far[j] for j in others),
                }
            )
        return sorted(rows, key=lambda row: -sign * row["estimate"])

    @cached_property
    def verdict(self) -> str:
        """The answer in plain language."""
        sure = f"{format_number(100 * self.confidence)} % confidence"
        if self.axis == "cost" and not self.costs_known:
            sure += " given the mean costs"
        if len(self.pairs) == 1:
            return self.pairs[0].sentences(sure, self.unit)
        return self._verdict_of_many(sure)

    @cached_property
    def best_ranges(self) -> tuple[Range, ...]:
        """Who is certified better than all others where; "" where nobody is.

        Judged at whole numbers of trials where there are at most 5,000, else on a fine grid.
        """
        low, high = float(self.budgets.min()), float(self.budgets.max())
        whole = self.axis == "trials" and math.floor(high) - math.ceil(low) < _MOST_POINTS
        if whole:
            at = np.arange(math.ceil(low), math.floor(high) + 1, dtype=np.float64)
        else:
            at = np.unique([*np.geomspace(low, high, _MOST_POINTS).tolist(), *self.budgets])
        if at.size == 0:
            return ()
        wins = np.zeros((len(self.labels), at.size), dtype=int)
        for pair in self.pairs:
            winner = pair.certified_at(at)
            for label in (pair.first, pair.second):
                wins[self.labels.index(label)] += winner == label
        sole = wins.max(axis=0) == len(self.labels) - 1
        names = [
            self.labels[i] if ok else "" for i, ok in zip(wins.argmax(axis=0), sole, strict=True)
        ]
        found = whole_runs(at, names) if whole else runs(at, names[:-1])
        return tuple(Range(*run) for run in found)

    def _verdict_of_many(self, sure: str) -> str:
        """Say who is certified best where, how many pairs are decided, and who leads at the end."""
        spoken: dict[str, list[Range]] = {}
        for r in self.best_ranges:
            spoken.setdefault(r.what, []).append(r)
        span = (float(self.budgets.min()), float(self.budgets.max()))
        parts = [
            f"{who} is the best {in_words(rs, span, self.unit)}"
            for who, rs in spoken.items()
            if who
        ]
        decided = sum(any(r.what for r in pair.certified_ranges) for pair in self.pairs)
        order = " > ".join(row["label"] for row in self.ranking(span[1]))
        return (
            f"With {sure}, all pairs together: "
            f"{'; '.join(parts) or 'no method is certified the best'}; "
            f"{decided} of {len(self.pairs)} pairs are decided at some budget. "
            f"By the point estimates at {format_number(span[1])} {self.unit}: {order}."
        )

    @property
    def title(self) -> str:
        """One line that says what this is."""
        sizes = ", ".join(
            f"{label} (n = {b.n})" for label, b in zip(self.labels, self.bands, strict=True)
        )
        return (
            f"Comparison of {sizes}: {self.bands[0].curve.meaning}, {self.direction}, "
            f"{format_number(100 * self.confidence)} % confidence, axis in {self.unit}"
        )

    def __repr__(self) -> str:
        head, body = super().__repr__().split("\n", 1)
        return f"{head}\n{self.verdict}\n{body}"

    def _facts(self) -> dict[str, Any]:
        return {
            "label": " vs ".join(self.labels),
            "labels": list(self.labels),
            "n": [band.n for band in self.bands],
            "statistic": self.statistic,
            "direction": self.direction,
            "confidence": self.confidence,
            "method": self.bands[0].method,
            "axis": self.axis,
            "unit_costs": list(self.unit_costs),
            "costs_known": self.costs_known,
            "verdict": self.verdict,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns: dict[str, list[Any]] = {}
        for pair in self.pairs:
            for name, values in pair.columns().items():
                columns.setdefault(name, []).append(values)
        return {name: _check.fixed(np.concatenate(parts)) for name, parts in columns.items()}

    def _shown_rows(self) -> NDArray[np.intp]:
        shown, size = landmarks(self.budgets), self.budgets.size
        return np.concatenate([shown + size * i for i in range(len(self.pairs))])

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain lists, numbers and text, ready for strict JSON."""
        plain: dict[str, Any] = to_plain(
            {
                **self._facts(),
                "budgets": self.budgets,
                "methods": [band.to_dict() for band in self.bands],
                "joint": [band.to_dict() for band in self.joint],
                "pairs": [pair.to_dict() for pair in self.pairs],
                "caveats": self.caveats,
            }
        )
        return plain


def compare(
    methods: Mapping[str, ArrayLike | Scores | Search] | Iterable[ArrayLike | Scores | Search],
    *,
    confidence: float = 0.8,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    axis: Axis = "trials",
    costs_known: bool = False,
    method: Method = "ld-highest-density",
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> Comparison:
    """Say which method is better at which budget, how sure, and where the curves cross.

    What is certified holds for all methods and all budgets together with the stated confidence if
    each method's trials are independent draws from its search distribution; the methods may share
    configurations.

    Parameters
    ----------
    methods : mapping of str to scores, or sequence of Scores or Search
        Two or more methods; a sequence takes their labels.
    confidence : float
        That everything certified is right.
    statistic : "median", "mean" or float
        What is compared about the best of k.
    budgets : array_like, optional
        Where to compare: numbers of trials, or total costs.  Left out: from 1 trial to the smallest
        number of trials of any method; with axis="cost", from one trial of the dearest method to
        the smallest total cost.
    axis : {"trials", "cost"}
        Compare at equal numbers of trials, or at equal cost: a total cost C buys a method
        C / (its mean cost per trial) trials.
    costs_known : bool
        That the mean costs are known and not estimated.  Otherwise statements on a cost axis read
        "given the mean costs".
    method : str
        How bands are made, as in `tuning_band`.
    direction, bounds, failed
        As in `tuning_curve`.

    Returns
    -------
    Comparison
        With `verdict`, `pairs`, `pair(a, b)`, `ranking(k)`, `to_frame()`, `to_dict()`, `plot()`.

    References
    ----------
    .. [1] Lourie, Cho, He. Show Your Work with Confidence. NAACL 2024, sections 2 and 3.1.

    Examples
    --------
    >>> from bestofk.datasets import load_example
    >>> duel = compare(load_example(), confidence=0.95)
    >>> duel.pair("svm", "forest").certified_at(5)
    'svm'
    """
    level = _check.confidence(confidence)
    kind = _check.choice("axis", axis, AXES)
    samples = _samples(methods, direction=direction, bounds=bounds, failed=failed)
    units = tuple(unit_cost(s) if kind == "cost" else 1.0 for s in samples)
    grid = common_grid(samples, units, kind) if budgets is None else _check.budgets(budgets)
    share = 1 - (1 - level) / len(samples)

    def bands_at(c: float) -> tuple[Band, ...]:
        return tuple(
            tuning_band(s, confidence=c, statistic=statistic, method=method, budgets=grid / unit)
            for s, unit in zip(samples, units, strict=True)
        )

    bands = bands_at(level)
    caveats = [f"{b.label}: {c}" for b in bands for c in b.caveats]
    if kind == "cost" and not costs_known:
        caveats.append(
            "the budget axis uses each method's mean cost per trial as if it were known: "
            "statements hold given the mean costs"
        )
    return Comparison(
        labels=tuple(s.label for s in samples),
        budgets=_check.fixed(grid),
        axis=kind,
        bands=bands,
        joint=bands_at(share),
        unit_costs=units,
        confidence=level,
        costs_known=bool(costs_known),
        caveats=tuple(caveats),
    )


def _samples(methods: Any, **options: Any) -> list[Scores]:
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
            "`methods` must be two or more methods, as a mapping of names to scores or a list of "
            f"Scores or Search; got {type(methods).__name__}."
        )
    else:
        samples = [as_scores(data, **options) for data in methods]
        if samples and all(s.label == "scores" for s in samples):  # plain arrays
            samples = [replace(s, label=f"method {i}") for i, s in enumerate(samples, start=1)]
    if len(samples) < 2:
        raise ArgumentError(f"`methods` must be two or more; got {len(samples)}.")
    labels = [s.label for s in samples]
    if len(set(labels)) < len(labels):
        raise ArgumentError(
            f"methods must have different labels; got {', '.join(map(repr, labels))}. "
            "Pass a mapping of names to scores."
        )
    if len({s.direction for s in samples}) > 1:
        listing = ", ".join(f"{s.label}: {s.direction}" for s in samples)
        raise ArgumentError(f"methods must have one direction; got {listing}.")
    return samples


def unit_cost(sample: Scores) -> float:
    """Return what one trial costs on the average."""
    if sample.mean_cost is None:
        raise DataError(
            f"{sample.label}: comparing at equal cost needs the cost of every trial; got none. "
            "Pass cost= to read() or costs= to Scores()."
        )
    mean = sample.mean_cost
    if not mean > 0:
        raise DataError(
            f"{sample.label}: the mean cost per trial must be positive; it is {mean:g}."
        )
    return mean


def common_grid(samples: Sequence[Scores], units: Sequence[float], axis: Axis) -> FloatArray:
    """Return the budgets at which all methods can be compared."""
    if axis == "trials":
        return _check.default_budgets(min(s.n for s in samples))
    totals = [s.n * unit for s, unit in zip(samples, units, strict=True)]
    low = max(units)
    high = min(totals) if min(totals) > low else max(totals)
    return np.geomspace(low, high, 256)
