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
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import format_number
from bestofk._base.types import FloatArray
from bestofk.cv.smooth import as_columns, numeric_columns
from bestofk.cv.table import SAME_DATA, as_table
from bestofk.errors import DataError


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
    selected : array
        The share of resampled tunings that choose each candidate.
    chosen : int
        The candidate with the best mean.
    score_sd : float
        Standard deviation of the chosen candidate's score over resampled tunings.
    param_sds : dict
        Standard deviation of each numeric parameter of the choice over resampled tunings.
    score_sd_error, param_sd_errors
        The standard errors of these standard deviations, which come from few repetitions.
    axis, positions : str, array
        What a figure has along its axis: the one numeric parameter that varies, or the number of
        the candidate.
    expected_loss : float
        How much the choice is expected to lose against the best candidate of a resampled tuning.
    n_repeats : int
        The number of repetitions behind it.
    """

    means: FloatArray
    sds: FloatArray
    errors: FloatArray
    selected: FloatArray
    chosen: int
    score_sd: float
    score_sd_error: float
    param_sds: Mapping[str, float]
    param_sd_errors: Mapping[str, float]
    expected_loss: float
    axis: str
    positions: FloatArray
    n_repeats: int
    caveats: tuple[Caveat, ...]
    label: ClassVar[str] = "variability"
    direction: ClassVar[str] = "maximize"

    @property
    def _candidates(self) -> FloatArray:
        numbers: FloatArray = arguments.fixed(np.arange(float(self.means.size)))
        return numbers

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"Variability of {self.means.size} candidates over {self.n_repeats} repetitions: "
            f"candidate {self.chosen} is chosen, and in "
            f"{format_number(100 * float(self.selected[self.chosen]))} % of resampled tunings"
        )

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.argsort(-self.selected, kind="stable")[:12]

    def chart(self) -> Chart:
        """Return each candidate's mean, one internal SD to both sides, and how often it wins."""
        order = np.argsort(self.positions, kind="stable")
        order = order[np.isfinite(self.means[order])]
        x, mean, sd = self.positions[order], self.means[order], self.sds[order]
        return Chart(
            x_label=self.axis,
            what="mean score ± SD of one repetition",
            series=(Series.of("mean score", x, mean, lower=mean - sd, upper=mean + sd),),
            bars=Bars(label="share of tunings that choose it", x=x, heights=self.selected[order]),
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
    another seed would change are legitimate; they say nothing about other data.

    Parameters
    ----------
    matrix : array_like of shape (repetitions, candidates)
        The score of each candidate in each repetition, larger being better; NaN where it did not
        run.  Candidates of one repetition share its partition.
    params : sequence of mapping, optional
        The parameters of each candidate.
    n_resamples : int
        How many tunings are resampled, each from as many repetitions as there are.
    rng : int, SeedSequence or Generator
        Seed of the resampling.

    Examples
    --------
    >>> found = variability([[0.5, 0.7], [0.6, 0.8], [0.55, 0.75]])
    >>> found.chosen, found.selected.tolist()
    (1, [0.0, 1.0])
    """
    table = as_table(matrix, "matrix")
    n_repeats, n_candidates = table.shape
    counts = np.count_nonzero(~np.isnan(table), axis=0)
    # A candidate that was dropped fell behind: it is compared on what it has, but never chosen.
    complete = counts == counts.max()
    if counts.max() == 0:
        raise DataError("`matrix` must hold at least one score; all are NaN.")
    with np.errstate(invalid="ignore"):
        means = np.where(counts > 0, np.nansum(table, axis=0) / np.maximum(counts, 1), -np.inf)
        squares = np.nansum((table - means) ** 2, axis=0) / np.maximum(counts - 1, 1)
    sds = np.where(counts > 1, np.sqrt(squares), 0.0)
    rows = table[~np.isnan(table[:, complete]).any(axis=1)][:, complete]
    picks = _resampled(rows, arguments.whole("n_resamples", n_resamples), make_rng(rng))
    places = np.flatnonzero(complete)
    best = picks.argmax(axis=1)
    chosen = int(places[rows.mean(axis=0).argmax()])
    selected = np.bincount(places[best], minlength=n_candidates) / len(picks)
    top = picks.max(axis=1)
    of_chosen = picks[:, int(np.flatnonzero(places == chosen)[0])]
    caveats = [SAME_DATA]
    if n_repeats == 1:
        text = "one repetition says nothing about its own variability"
        caveats.append(Caveat(kind="one-repetition", text=text))
    if not complete.all():
        text = (
            f"{n_candidates - int(complete.sum())} of {n_candidates} candidates were dropped or "
            "failed on the way and count as never chosen"
        )
        caveats.append(Caveat(kind="dropped-candidates", text=text))
    score_sd = float(top.std(ddof=1)) if len(picks) > 1 else 0.0
    columns = {} if params is None else as_columns(params, n_candidates)
    numbers = numeric_columns(columns)
    param_sds = _param_sds(numbers, places[best])
    # A standard deviation that rests on n repetitions has a relative error of 1/sqrt(2(n-1)).
    relative = 1 / math.sqrt(2 * (len(rows) - 1)) if len(rows) > 1 else math.inf
    axis, positions = _axis(columns, numbers, n_candidates)
    return Variability(
        means=arguments.fixed(means),
        sds=arguments.fixed(sds),
        errors=arguments.fixed(sds / np.sqrt(np.maximum(counts, 1))),
        selected=arguments.fixed(selected),
        chosen=chosen,
        score_sd=score_sd,
        score_sd_error=score_sd * relative if score_sd else 0.0,
        param_sds=param_sds,
        param_sd_errors={n: sd * relative if sd else 0.0 for n, sd in param_sds.items()},
        axis=axis,
        positions=arguments.fixed(positions),
        expected_loss=float(np.mean(top - of_chosen)),
        n_repeats=n_repeats,
        caveats=tuple(caveats),
    )


def _resampled(rows: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Return the averages of tunings that draw as many repetitions, with replacement."""
    drawn = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=count)
    averages: FloatArray = drawn @ rows / len(rows)
    return averages


def _param_sds(numbers: Mapping[str, FloatArray], chosen: NDArray[np.intp]) -> dict[str, float]:
    return {
        name: float(np.std(values[chosen], ddof=1)) if chosen.size > 1 else 0.0
        for name, values in numbers.items()
    }


def _axis(
    columns: Mapping[str, list[Any]], numbers: Mapping[str, FloatArray], n_candidates: int
) -> tuple[str, FloatArray]:
    """Return the numeric parameter that alone tells candidates apart, or their numbers."""
    told_apart = [name for name, values in columns.items() if len(set(map(repr, values))) > 1]
    if len(told_apart) == 1 and told_apart[0] in numbers:
        return told_apart[0], numbers[told_apart[0]]
    return "candidate", np.arange(float(n_candidates))
