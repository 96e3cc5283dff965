"""How steady a choice by repeated cross-validation is: what another seed would have changed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Bars, Chart, Series
from bestofk._base.chart.intervals import Intervals
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import format_number
from bestofk._base.types import FloatArray
from bestofk.cv.belief import choice_chances, expected_loss, field_of
from bestofk.cv.smooth import as_columns, numeric_columns
from bestofk.cv.table import SAME_DATA, as_table
from bestofk.errors import DataError

_RIVAL = 0.05  # chance of being chosen from which a candidate is not told apart from the choice
_LONGEST = 40  # letters of a parameter's value in the title


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Variability(
    Drawn,
    facts="label n=n_repeats direction chosen score_sd score_sd_error param_sds param_sd_errors "
    "expected_loss",
    columns="candidate=_candidates mean=means sd=sds error=errors selected",
):
    """The internal variability of a tuning: over random partitions of the same data.

    Attributes
    ----------
    means, sds, errors : array
        Of each candidate over its repetitions: mean score, standard deviation, standard error.
    selected : array or None
        The estimated chance that a tuning on as many other partitions of the same data chooses
        each candidate; None with one repetition, which says nothing about that.
    chosen : int
        The candidate with the best mean.
    chosen_params : dict
        Its parameters; empty if none were given.
    score_sd : float
        Standard deviation of the chosen candidate's score over tunings.
    param_sds : dict
        Standard deviation of each numeric parameter of the choice over tunings, by `selected`.
    score_sd_error, param_sd_errors
        The standard errors of these standard deviations, which come from few repetitions.
    axis, positions : str, array
        What a figure has along its axis: the one numeric parameter that varies, or the number of
        the candidate.
    expected_loss : float or None
        How much the choice is expected to lose against the best candidate; a rough estimate.
    n_repeats : int
        The number of repetitions behind it.

    Examples
    --------
    >>> table = [[0.7, 0.8, 0.9], [0.72, 0.79, 0.88], [0.71, 0.83, 0.87]]
    >>> found = variability(table, n_resamples=50)
    >>> found.chosen, found.means.round(3).tolist()
    (2, [0.71, 0.807, 0.883])
    """

    means: FloatArray
    sds: FloatArray
    errors: FloatArray
    selected: FloatArray | None
    chosen: int
    chosen_params: Mapping[str, object]
    score_sd: float | None
    score_sd_error: float | None
    param_sds: Mapping[str, float]
    param_sd_errors: Mapping[str, float]
    expected_loss: float | None
    axis: str
    positions: FloatArray
    n_repeats: int
    caveats: tuple[Caveat, ...]
    schema: ClassVar[int] = 2
    label: ClassVar[str] = "variability"
    direction: ClassVar[str] = "maximize"

    @property
    def _candidates(self) -> FloatArray:
        numbers: FloatArray = arguments.fixed(np.arange(float(self.means.size)))
        return numbers

    @property
    def title(self) -> str:
        """One line that says what this is."""
        params = ", ".join(f"{name} = {_shown(v)}" for name, v in self.chosen_params.items())
        which = f" ({params})" if params else ""
        head = f"Candidate {self.chosen} of {self.means.size}{which} is chosen"
        if self.selected is None:
            return f"{head}; one repetition does not say how steady that is"
        chance = f"{100 * float(self.selected[self.chosen]):.0f}"
        return (
            f"{head}; a tuning on {self.n_repeats} other partitions of the same data would choose "
            f"it again with a chance of about {chance} %"
        )

    def _shown_rows(self) -> NDArray[np.intp]:
        first = self.means if self.selected is None else self.selected
        return np.lexsort((-self.means, -first))[:12]

    def chart(self) -> Chart:
        """Return each candidate's mean, one internal SD to both sides, and its chance.

        Candidates that one number does not order stand under each other, the likeliest choice at
        the top, those in colour that another tuning might choose.
        """
        if self.axis == "candidate":
            return self._candidates_chart()
        order = np.argsort(self.positions, kind="stable")
        order = order[np.isfinite(self.means[order])]
        x, mean, sd = self.positions[order], self.means[order], self.sds[order]
        return Chart(
            x_label=self.axis,
            what="mean score ± SD of one repetition",
            series=(Series.of("mean score", x, mean, lower=mean - sd, upper=mean + sd),),
            bars=None
            if self.selected is None
            else Bars(label="chance of being chosen again", x=x, heights=self.selected[order]),
        )

    def _candidates_chart(self) -> Chart:
        shown = self._shown_rows()
        shown = shown[np.isfinite(self.means[shown])]
        again = self.selected
        rival = np.zeros(shown.size, dtype=bool) if again is None else again[shown] >= _RIVAL
        mean, sd = self.means[shown], self.sds[shown]
        words = () if again is None else tuple(f"{100 * chance:.0f} %" for chance in again[shown])
        return Chart(
            x_label="mean score ± SD of one repetition",
            what="",
            series=(),
            intervals=Intervals(
                names=tuple(f"candidate {i}" for i in shown.tolist()),
                middle=mean,
                low=mean - sd,
                high=mean + sd,
                places=tuple(0 if one else None for one in rival.tolist()),
                words=words,
                heading="chosen again" if words else "",
            ),
        )


def variability(
    matrix: ArrayLike,
    *,
    params: Sequence[Mapping[str, Any]] | None = None,
    n_resamples: int = 2000,
    rng: Rng = 0,
) -> Variability:
    """Say how steady the choice among candidates is, from a table of repetitions.

    For fixed data the repetitions are independent draws of a partition, so statements about what
    another seed would change are legitimate; they say nothing about other data.  They are
    estimates: see Notes.

    Parameters
    ----------
    matrix : array_like of shape (repetitions, candidates)
        The score of each candidate in each repetition, larger being better; NaN where it did not
        run.  Candidates of one repetition share its partition.
    params : sequence of mapping, optional
        The parameters of each candidate.
    n_resamples : int
        How many tunings are resampled for `score_sd`.
    rng : int, SeedSequence or Generator
        Seed of the resampling.

    Notes
    -----
    `selected` does not resample the repetitions, which would take the luckiest candidate for the
    best.  Averages are drawn together as far as noise explains that they differ, and fresh noise
    is added (bestofk.cv.belief).  On the paper's recorded tables the chance of the choice is
    overstated by at most 0.04 and understated by up to 0.25, where one candidate is truly best; on
    simulated ones by at most 0.07 and 0.25 (bench/results/jkfold.md).  `expected_loss` is right on
    average over the recorded tables, on a single one between 0.6 and 1.9 times the truth, and too
    large where several candidates are equally good.

    Examples
    --------
    >>> found = variability([[0.5, 0.7], [0.6, 0.8], [0.55, 0.75]], params=[{"C": 1}, {"C": 10}])
    >>> found.chosen, found.selected.tolist()
    (1, [0.0, 1.0])
    >>> found.title.partition(";")[0]
    'Candidate 1 of 2 (C = 10) is chosen'
    """
    table = as_table(matrix, "matrix")
    n_repeats, n_candidates = table.shape
    counts = np.count_nonzero(~np.isnan(table), axis=0)
    # A candidate that was dropped is compared on what it has.
    complete = counts == counts.max()
    if counts.max() == 0:
        raise DataError("`matrix` must hold at least one score; all are NaN.")
    with np.errstate(invalid="ignore"):
        means = np.where(counts > 0, np.nansum(table, axis=0) / np.maximum(counts, 1), -np.inf)
        squares = np.nansum((table - means) ** 2, axis=0) / np.maximum(counts - 1, 1)
    sds = np.where(counts > 1, np.sqrt(squares), 0.0)
    field = field_of(table)
    chosen = int(field.places[field.leader])
    rows = table[~np.isnan(table[:, complete]).any(axis=1)][:, complete]
    count = arguments.whole("n_resamples", n_resamples)
    caveats = [SAME_DATA]
    if n_repeats == 1:
        text = "one repetition says nothing about its own variability"
        caveats.append(Caveat(kind="one-repetition", text=text, validity="void"))
    if not complete.all():
        text = (
            f"{n_candidates - int(complete.sum())} of {n_candidates} candidates were dropped or "
            "failed on the way: dropped ones are judged by the repetitions they had, failed ones "
            "count as never chosen"
        )
        caveats.append(Caveat(kind="dropped-candidates", text=text))
    columns = {} if params is None else as_columns(params, n_candidates)
    numbers = numeric_columns(columns)
    selected: FloatArray | None = None
    score_sd, loss = None, None
    param_sds: dict[str, float] = {}
    if len(rows) > 1:
        selected = np.zeros(n_candidates)
        selected[field.places] = choice_chances(field)
        score_sd = sd_of_best(rows, len(rows), count, make_rng(rng))
        loss = expected_loss(field)
        param_sds = {name: _sd(values, selected) for name, values in numbers.items()}
    # A standard deviation that rests on n repetitions has a relative error of 1/sqrt(2(n-1)).
    relative = 1 / math.sqrt(2 * (len(rows) - 1)) if len(rows) > 1 else math.inf
    axis, positions = _axis(columns, numbers, n_candidates)
    return Variability(
        means=arguments.fixed(means),
        sds=arguments.fixed(sds),
        errors=arguments.fixed(sds / np.sqrt(np.maximum(counts, 1))),
        selected=None if selected is None else arguments.fixed(selected),
        chosen=chosen,
        chosen_params={n: v[chosen] for n, v in columns.items() if v[chosen] is not None},
        score_sd=score_sd,
        score_sd_error=None if score_sd is None else score_sd * relative,
        param_sds=param_sds,
        param_sd_errors={n: sd * relative for n, sd in param_sds.items()},
        axis=axis,
        positions=arguments.fixed(positions),
        expected_loss=loss,
        n_repeats=n_repeats,
        caveats=tuple(caveats),
    )


def _shown(value: Any) -> str:
    text = format_number(float(value)) if arguments.is_number(value) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def sd_of_best(rows: FloatArray, times: int, count: int, rng: np.random.Generator) -> float:
    """Return how much the best average of `times` rows varies over tunings that draw them anew."""
    n = len(rows)
    drawn = rng.multinomial(times, np.full(n, 1 / n), size=max(count, 2))
    # Rows drawn with replacement vary by (n-1)/n of what fresh ones would.
    return float((drawn @ rows / times).max(axis=1).std(ddof=1)) * math.sqrt(n / (n - 1))


def _sd(values: FloatArray, chances: FloatArray) -> float:
    """Return the standard deviation of a value that has each of `values` with its chance."""
    possible = chances > 0
    values, chances = values[possible], chances[possible]
    mean = float(chances @ values)
    return math.sqrt(max(0.0, float(chances @ (values - mean) ** 2)))


def _axis(
    columns: Mapping[str, list[Any]], numbers: Mapping[str, FloatArray], n_candidates: int
) -> tuple[str, FloatArray]:
    """Return the numeric parameter that alone tells candidates apart, or their numbers."""
    told_apart = [name for name, values in columns.items() if len(set(map(repr, values))) > 1]
    if len(told_apart) == 1 and told_apart[0] in numbers:
        return told_apart[0], numbers[told_apart[0]]
    return "candidate", np.arange(float(n_candidates))
