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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import COST_AXIS, TRIALS_AXIS, Chart, Ribbon, Series
from bestofk._base.result import Drawn
from bestofk._base.text import format_number, landmarks
from bestofk._base.types import AXES, BANDS, Axis, BandKind, Bounds, Direction, Failed, Statistic
from bestofk.comparison import verdict as words
from bestofk.comparison.merged import Field
from bestofk.comparison.methods import Method, as_samples, common_grid, split_by, unit_cost
from bestofk.comparison.pair import Pair, Range
from bestofk.curves.cdf_band import refuse_weights
from bestofk.curves.tuning import make_curve
from bestofk.errors import ArgumentError
from bestofk.numeric.steps import stretches, whole_stretches

_MEAN_COSTS = Caveat(
    kind="mean-costs",
    text="the budget axis uses each method's mean cost per trial as if it were known: statements "
    "hold given the mean costs",
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Comparison(
    Field,
    Drawn,
    facts="label labels n statistic direction confidence band axis unit_costs costs_known verdict",
):
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
        Joint confidence level of all certified statements.
    costs_known : bool
        Whether the mean costs were declared known; if not, what is certified on a cost axis holds
        given the mean costs.
    """

    PARTS: ClassVar = ("budget", "methods", "joint", "pairs")

    labels: tuple[str, ...]
    axis: Axis
    costs_known: bool
    remarks: tuple[Caveat, ...]

    @cached_property
    def caveats(self) -> tuple[Caveat, ...]:  # type: ignore[override]
        """What a reader has to know, of each method and of the comparison as a whole."""
        return (*(c.of(b.label) for b in self.joint for c in b.caveats), *self.remarks)

    @property
    def label(self) -> str:
        """All methods in one name."""
        return " vs ".join(self.labels)

    @property
    def n(self) -> list[int]:
        """The number of trials of each method."""
        return [curve.n for curve in self.curves]

    @property
    def direction(self) -> Direction:
        """Whether larger or smaller is better."""
        return self.curves[0].direction

    @property
    def statistic(self) -> Statistic:
        """What is compared about the best of k."""
        return self.curves[0].statistic

    @property
    def unit(self) -> str:
        """What the axis counts, in words."""
        return "trials" if self.axis == "trials" else "cost units"

    @property
    def _span(self) -> tuple[float, float]:
        return float(self.budgets.min()), float(self.budgets.max())

    @cached_property
    def pairs(self) -> tuple[Pair, ...]:
        """The comparison of every two methods, in the order of the labels."""
        count = len(self.labels)
        return tuple(
            Pair(
                first=self.labels[i],
                second=self.labels[j],
                places=(i, j),
                field=self,
                in_trials=self.axis == "trials",
            )
            for i in range(count)
            for j in range(i + 1, count)
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
        at = arguments.budget("budget", budget)
        points = [b.at(at / c) for b, c in zip(self.joint, self.unit_costs, strict=True)]
        sign = 1.0 if self.direction == "maximize" else -1.0
        near = [p.lower if sign > 0 else -p.upper for p in points]  # at least this good
        far = [p.upper if sign > 0 else -p.lower for p in points]  # at best this good
        rows = []
        for i, label in enumerate(self.labels):
            others = [j for j in range(len(self.labels)) if j != i]
            rows.append(
                {
                    "label": label,
                    **points[i]._asdict(),
                    "best_rank": 1 + sum(near[j] > far[i] for j in others),
                    "worst_rank": len(self.labels) - sum(near[i] > far[j] for j in others),
                }
            )
        return sorted(rows, key=lambda row: -sign * float(row["estimate"]))

    @cached_property
    def verdict(self) -> str:
        """The answer in plain language."""
        sure = f"{format_number(100 * self.confidence)} % confidence"
        if self.axis == "cost" and not self.costs_known:
            sure += " given the mean costs"
        if len(self.pairs) == 1:
            return words.of_two(self.pairs[0], sure, self.unit)
        order = [row["label"] for row in self.ranking(self._span[1])]
        return words.of_many(self.best_ranges, self.pairs, order, self._span, sure, self.unit)

    @cached_property
    def best_ranges(self) -> tuple[Range, ...]:
        """Who is certified better than all others where; "" where nobody is.

        In trials, whole numbers of them.
        """
        merged = self.merged_joint
        best = np.zeros(merged.points.size, dtype=np.int16)  # nobody
        for i in range(len(self.labels)):
            others = np.delete(merged.upper, i, axis=0).max(axis=0)
            best[merged.lower[i] > others] = i + 1
        names = ["", *self.labels]
        if self.axis == "trials" and merged.whole.size:
            states = best[merged.places(merged.whole)].tolist()
            found = whole_stretches(merged.whole, [names[s] for s in states])
        else:
            found = stretches(merged.edges, [names[s] for s in merged.pieces(best).tolist()])
        return tuple(Range(*run) for run in found)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        sizes = ", ".join(
            f"{label} (n = {n})" for label, n in zip(self.labels, self.n, strict=True)
        )
        return (
            f"Comparison of {sizes}: {self.curves[0].meaning}, {self.direction}, "
            f"{format_number(100 * self.confidence)} % confidence, axis in {self.unit}"
        )

    def _headlines(self) -> list[str]:
        return [self.verdict]

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns: dict[str, list[Any]] = {}
        for pair in self.pairs:
            for name, values in pair.columns().items():
                columns.setdefault(name, []).append(values)
        return {name: arguments.fixed(np.concatenate(parts)) for name, parts in columns.items()}

    def _shown_rows(self) -> NDArray[np.intp]:
        shown, size = landmarks(self.budgets), self.budgets.size
        return np.concatenate([shown + size * i for i in range(len(self.pairs))])

    def _parts(self) -> dict[str, Any]:
        return {
            "budget": self.budgets,
            "methods": [band.to_dict() for band in self.bands],
            "joint": [band.to_dict() for band in self.joint],
            "pairs": [pair.to_dict() for pair in self.pairs],
        }

    def chart(self) -> Chart:
        """Return the joint bands, which the ribbon rests on, over the axis of the comparison."""
        step = self.curves[0].is_step
        series = []
        for i, label in enumerate(self.labels):
            low, middle, high = self.merged_joint.band_at_budgets(i)
            line = Series.of(label, self.budgets, middle, step=step, lower=low, upper=high)
            series.append(line)
        stretches_of = self.pairs[0].certified_ranges if len(self.pairs) == 1 else self.best_ranges
        found = tuple((r.low, r.high, self.labels.index(r.what)) for r in stretches_of if r.what)
        return Chart(
            x_label=TRIALS_AXIS if self.axis == "trials" else COST_AXIS,
            what=self.curves[0].meaning,
            band=f"{format_number(100 * self.confidence)} % jointly",
            series=tuple(series),
            ribbon=Ribbon(label=f"certified best{'' if found else ': nowhere'}", stretches=found),
        )

    def difference_chart(self) -> Chart:
        """Return the difference of each two methods with its joint interval.

        An interval that lies off zero certifies who is better.
        """
        merged, step = self.merged_joint, self.curves[0].is_step
        series = []
        for pair in self.pairs:
            middles = [merged.band_at_budgets(i)[1] for i in pair.places]
            with np.errstate(invalid="ignore"):
                middle = middles[0] - middles[1]
            columns = pair.columns()
            series.append(
                Series.of(
                    f"{pair.first} − {pair.second}",
                    self.budgets,
                    middle,
                    step=step,
                    lower=columns["difference_low"],
                    upper=columns["difference_high"],
                )
            )
        return replace(
            self.chart(),
            what="difference of the curves",
            band="",
            series=tuple(series),
            ribbon=None,
            base=0.0,
        )


def compare(
    methods: Mapping[str, Method] | Iterable[Method] | Method,
    *others: Method,
    confidence: float = 0.95,
    statistic: Statistic = "median",
    budgets: ArrayLike | None = None,
    axis: Axis = "trials",
    costs_known: bool = False,
    by: str | None = None,
    n_bins: int = 4,
    band: BandKind = "ld-highest-density",
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
    methods : mapping of str to scores, sequence of Scores or Search, or one of these
        Two or more methods; a sequence takes their labels.
    *others : array_like, Scores or Search
        The other methods, if `methods` is only one.
    confidence : float
        Joint confidence level of all certified statements.
    statistic : "median", "mean" or float
        What is compared about the best of k.
    budgets : array_like, optional
        Where to compare: numbers of trials, or total costs.  By default, from 1 trial to the
        smallest number of trials of any method; with axis="cost", from one trial of the most
        expensive method to the smallest total cost.
    axis : {"trials", "cost"}
        Compare at equal numbers of trials, or at equal cost: a total cost C buys a method
        C / (its mean cost per trial) trials.
    costs_known : bool
        Whether the mean costs are known and not estimated.  If not, statements on a cost axis read
        "given the mean costs".
    by : str, optional
        With a single Search: compare its trials at the different values of this hyperparameter; a
        numeric one with many values is cut into `n_bins` bins of equally many trials.
    n_bins : int
        Number of bins.
    band : str
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
    >>> example = load_example()
    >>> compare(example["svm"], example["forest"]).pair("svm", "forest").certified_at(5)
    'svm'
    >>> compare(example["forest"], by="min_samples_leaf", n_bins=2).labels
    ('min_samples_leaf 1 to 11', 'min_samples_leaf 12 to 20')
    """
    level = arguments.confidence(confidence)
    kind = arguments.choice("axis", axis, AXES)
    how = arguments.choice("band", band, BANDS)
    name = arguments.statistic(statistic)[0]
    given: Any = [methods, *others] if others else methods
    left_out: list[Caveat] = []
    if by is not None:
        given, left_out = split_by(given, by, arguments.whole("n_bins", n_bins, least=2))
    samples = as_samples(given, direction=direction, bounds=bounds, failed=failed)
    for sample in samples:
        refuse_weights(sample)
    units = tuple(unit_cost(s) if kind == "cost" else 1.0 for s in samples)
    grid = common_grid(samples, units, kind) if budgets is None else arguments.budgets(budgets)
    estimator = "v" if name == "mean" else None
    curves = tuple(
        make_curve(s, name, estimator, "score", grid / unit)  # type: ignore[arg-type]
        for s, unit in zip(samples, units, strict=True)
    )
    remarks = [_MEAN_COSTS] if kind == "cost" and not costs_known else []
    return Comparison(
        labels=tuple(s.label for s in samples),
        curves=curves,
        unit_costs=units,
        budgets=arguments.fixed(grid),
        confidence=level,
        band=how,
        axis=kind,
        costs_known=bool(costs_known),
        remarks=(*remarks, *left_out),
    )
