"""How steady a choice by repeated cross-validation is: what another seed would have changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk import _check
from bestofk._check import FloatArray
from bestofk._result import Result, format_number
from bestofk._rng import Rng, make_rng
from bestofk.errors import ArgumentError, DataError


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Variability(Result):
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
    param_sds: Mapping[str, float]
    expected_loss: float
    n_repeats: int
    caveats: tuple[str, ...]

    @property
    def title(self) -> str:
        """One line that says what this is."""
        return (
            f"Variability of {self.means.size} candidates over {self.n_repeats} repetitions: "
            f"candidate {self.chosen} is chosen, and in "
            f"{format_number(100 * float(self.selected[self.chosen]))} % of resampled tunings"
        )

    def _facts(self) -> dict[str, Any]:
        return {
            "label": "variability",
            "n": self.n_repeats,
            "direction": "maximize",
            "chosen": self.chosen,
            "score_sd": self.score_sd,
            "param_sds": dict(self.param_sds),
            "expected_loss": self.expected_loss,
        }

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {
            "candidate": _check.fixed(np.arange(float(self.means.size))),
            "mean": self.means,
            "sd": self.sds,
            "error": self.errors,
            "selected": self.selected,
        }

    def _shown_rows(self) -> NDArray[np.intp]:
        return np.argsort(-self.selected, kind="stable")[:12]

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Refuse: there is no picture of it yet."""
        raise ArgumentError("variability has no picture yet; see to_frame() for its numbers.")


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
    rng : None, int, SeedSequence or Generator
        Where they come from.

    Examples
    --------
    >>> found = variability([[0.5, 0.7], [0.6, 0.8], [0.55, 0.75]])
    >>> found.chosen, found.selected.tolist()
    (1, [0.0, 1.0])
    """
    table = _check.numeric("matrix", matrix)
    if table.ndim != 2 or table.size == 0:
        raise DataError(
            f"`matrix` must have a row per repetition and a column per candidate; "
            f"got shape {table.shape}."
        )
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
    picks = _resampled(rows, _check.whole("n_resamples", n_resamples), make_rng(rng))
    places = np.flatnonzero(complete)
    best = picks.argmax(axis=1)
    chosen = int(places[rows.mean(axis=0).argmax()])
    selected = np.bincount(places[best], minlength=n_candidates) / len(picks)
    top = picks.max(axis=1)
    of_chosen = picks[:, int(np.flatnonzero(places == chosen)[0])]
    caveats = [] if n_repeats > 1 else ["one repetition says nothing about its own variability"]
    return Variability(
        means=_check.fixed(means),
        sds=_check.fixed(sds),
        errors=_check.fixed(sds / np.sqrt(np.maximum(counts, 1))),
        selected=_check.fixed(selected),
        chosen=chosen,
        score_sd=float(top.std(ddof=1)) if len(picks) > 1 else 0.0,
        param_sds=_param_sds(params, places[best]),
        expected_loss=float(np.mean(top - of_chosen)),
        n_repeats=n_repeats,
        caveats=("statements are about other partitions of the same data", *caveats),
    )


def _resampled(rows: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """Return the averages of tunings that draw as many repetitions, with replacement."""
    drawn = rng.multinomial(len(rows), np.full(len(rows), 1 / len(rows)), size=count)
    averages: FloatArray = drawn @ rows / len(rows)
    return averages


def _param_sds(
    params: Sequence[Mapping[str, Any]] | None, chosen: NDArray[np.intp]
) -> dict[str, float]:
    if params is None:
        return {}
    names = [n for n in params[0] if all(_check.is_number(p.get(n)) for p in params)]
    return {n: float(np.std([params[i][n] for i in chosen], ddof=1)) for n in names}
