"""How many repetitions and folds: advice before a tuning, from a pilot where there is one.

The paper's rule (Moss et al. 2018, section 7): a fit spent on another partition steadies the
choice more than one spent on another fold, so keep the number of folds small, but three at least,
and spend the budget on repetitions.  A pilot tells what each further repetition still brings.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.chart.data import Chart, Series
from bestofk._base.result import Drawn
from bestofk._base.rng import Rng, make_rng
from bestofk._base.text import format_number
from bestofk._base.types import FloatArray
from bestofk.cv.race import check_tolerance
from bestofk.cv.table import SAME_DATA, as_table
from bestofk.errors import ArgumentError, DataError

_RULE_OF_THUMB = Caveat(
    kind="rule-of-thumb",
    text="without a pilot this is a rule of thumb: it knows nothing about your scores",
)
LEAST_FOLDS = 3  # with two folds the training sets have no row in common


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Advice(Drawn, facts="label n direction recommended=_recommended why", columns=""):
    """How many repetitions of how many folds to run.

    Attributes
    ----------
    n_folds, n_repeats : int
        What is recommended.
    why : str
        The reason in words.
    plans : dict of array
        What was weighed up, a row per plan: `n_folds`, `n_repeats`, `fits` (of one candidate) and
        `noise`, the standard deviation of an average over `n_repeats` as a share of that of one
        repetition.  With a pilot also `score_sd` and `score_sd_error`, the standard deviation of
        the chosen candidate's score over tunings and the error with which the pilot knows it;
        `same_choice`, the share of tunings that choose what the whole pilot chooses; and
        `expected_loss`, what the choice loses against that, by the pilot's means.
    """

    n_folds: int
    n_repeats: int
    why: str
    plans: Mapping[str, FloatArray]
    n: int
    caveats: tuple[Caveat, ...]
    label: ClassVar[str] = "advice"
    direction: ClassVar[str] = "maximize"

    @property
    def _recommended(self) -> dict[str, int]:
        return {"n_folds": self.n_folds, "n_repeats": self.n_repeats}

    @property
    def title(self) -> str:
        """One line that says what this is."""
        times = "repetition" if self.n_repeats == 1 else "repetitions"
        return f"Advice: {self.n_repeats} {times} of {self.n_folds} folds, since {self.why}"

    def _columns(self) -> dict[str, NDArray[Any]]:
        return dict(self.plans)

    def _shown_rows(self) -> NDArray[np.intp]:
        repeats = self.plans["n_repeats"]
        chosen = (self.plans["n_folds"] == self.n_folds) & (repeats == self.n_repeats)
        return np.flatnonzero(np.isin(repeats, [1, 2, 3, 5, 10, 20, 50, 100]) | chosen)

    def chart(self) -> Chart:
        """Return what the choice loses, or without a pilot its noise, against the fits."""
        known = "expected_loss" in self.plans
        lines = []
        for folds in np.unique(self.plans["n_folds"]):
            mine = self.plans["n_folds"] == folds
            y = self.plans["expected_loss" if known else "noise"][mine]
            lines.append(Series.of(f"{folds:.0f} folds", self.plans["fits"][mine], y))
        return Chart(
            x_label="fits of one candidate",
            what="expected loss of the choice" if known else "noise against one repetition",
            series=tuple(lines),
            log_x=False,
        )


def recommend(
    pilot: ArrayLike | Mapping[int, ArrayLike] | None = None,
    *,
    n_folds: int = 5,
    n_repeats: int = 20,
    budget: int | None = None,
    tolerance: float = 0.0,
    n_resamples: int = 2000,
    rng: Rng = 0,
) -> Advice:
    """Say how many repetitions of how many folds to tune with.

    The rule is the paper's [1]_: few folds, many repetitions.  A pilot, a table of some
    repetitions, says from where on more of them hardly change the choice.

    Parameters
    ----------
    pilot : array_like of shape (repetitions, candidates), or mapping of such, optional
        Scores of a pilot with `n_folds` folds, larger being better; or such tables by their number
        of folds, which are then compared at equal numbers of fits.
    n_folds : int
        The folds of the pilot; without one, those you would like.
    n_repeats : int
        The most repetitions to think of.
    budget : int, optional
        How many fits of one candidate can be afforded: folds times repetitions.  A race spends
        about a quarter of it on an average candidate.
    tolerance : float
        The expected loss of score at which more repetitions are not worth their fits.  At 0 the
        advice is what the budget allows.
    n_resamples : int
        How many tunings are resampled from the pilot, for each number of repetitions.
    rng : int, SeedSequence or Generator
        Seed of the resampling.

    References
    ----------
    .. [1] Moss, Leslie, Rayson. Using J-K-fold Cross Validation to Reduce Variance When Tuning NLP
       Models. COLING 2018.

    Examples
    --------
    >>> advice = recommend(n_folds=10, budget=20)
    >>> advice.n_folds, advice.n_repeats
    (5, 4)
    >>> noise = np.random.default_rng(0).normal(size=(30, 6))
    >>> recommend(noise + np.arange(6), tolerance=0.1, budget=100).n_repeats
    2
    """
    most = arguments.whole("n_repeats", n_repeats)
    wanted = arguments.whole("n_folds", n_folds, least=2)
    allowed = None if budget is None else arguments.whole("budget", budget)
    tolerance = check_tolerance(tolerance)
    count = arguments.whole("n_resamples", n_resamples)
    if pilot is None:
        return _by_rule(wanted, most, allowed)
    tables = _tables(pilot, wanted)
    generator = make_rng(rng)
    plans: dict[str, list[float]] = {}
    for folds, table in tables.items():
        for repeats in range(1, _affordable(folds, most, allowed) + 1):
            row = {"n_folds": float(folds), "n_repeats": repeats, "fits": folds * repeats}
            row |= _resampled(table, repeats, count, generator)
            for name, value in row.items():
                plans.setdefault(name, []).append(float(value))
    return _weighed(
        {name: np.array(values) for name, values in plans.items()},
        {folds: len(table) for folds, table in tables.items()},
        tolerance,
    )


def _by_rule(wanted: int, most: int, allowed: int | None) -> Advice:
    """Without a pilot: few folds, and repetitions for the rest of the budget."""
    folds = min(wanted, 5) if allowed is not None else wanted
    if allowed is not None and allowed < folds:
        folds = max(2, min(folds, allowed))
    folds = folds if folds >= LEAST_FOLDS or (allowed or LEAST_FOLDS) < LEAST_FOLDS else LEAST_FOLDS
    repeats = _affordable(folds, most, allowed)
    tried = np.arange(1.0, repeats + 1)
    why = "a fit on another partition steadies the choice more than one on another fold"
    if folds < wanted:
        why += f" ({folds} folds rather than {wanted})"
    if allowed is not None:
        why += f", and {allowed} fits of a candidate allow no more"
    return Advice(
        n_folds=folds,
        n_repeats=repeats,
        why=why,
        plans={
            "n_folds": arguments.fixed(np.full(repeats, float(folds))),
            "n_repeats": arguments.fixed(tried),
            "fits": arguments.fixed(folds * tried),
            "noise": arguments.fixed(1 / np.sqrt(tried)),
        },
        n=0,
        caveats=(_RULE_OF_THUMB,),
    )


def _affordable(folds: int, most: int, allowed: int | None) -> int:
    if allowed is None:
        return most
    if allowed < folds:
        raise ArgumentError(
            argument="budget",
            must=f"allow one repetition, {folds} fits of each candidate",
            got=f"{allowed}",
        )
    return min(most, allowed // folds)


def _tables(pilot: Any, n_folds: int) -> dict[int, FloatArray]:
    given = dict(pilot) if isinstance(pilot, Mapping) else {n_folds: pilot}
    if not given:
        raise DataError("`pilot` must hold at least one table; it is empty.")
    tables = {}
    for folds, values in given.items():
        table = as_table(values, "pilot")
        table = table[:, ~np.isnan(table).any(axis=0)]
        if len(table) < 2 or table.shape[1] == 0:
            raise DataError(
                "`pilot` must hold two repetitions or more, and a candidate that was scored in all "
                f"of them; got {len(table)} repetitions."
            )
        tables[arguments.whole("n_folds", folds, least=2)] = table
    return tables


def _resampled(
    table: FloatArray, repeats: int, count: int, rng: np.random.Generator
) -> dict[str, float]:
    """Tune `count` times on `repeats` rows drawn with replacement."""
    n = len(table)
    drawn = rng.multinomial(repeats, np.full(n, 1 / n), size=count)
    averages = drawn @ table / repeats
    chosen = averages.argmax(axis=1)
    means = table.mean(axis=0)
    # Rows drawn with replacement vary by (n-1)/n of what fresh ones would.
    sd = float(averages.max(axis=1).std(ddof=1)) * math.sqrt(n / (n - 1)) if count > 1 else 0.0
    return {
        "noise": 1 / math.sqrt(repeats),
        "score_sd": sd,
        "score_sd_error": sd / math.sqrt(2 * (n - 1)),
        "same_choice": float((chosen == means.argmax()).mean()),
        "expected_loss": float((means.max() - means[chosen]).mean()),
    }


def _weighed(plans: dict[str, FloatArray], sizes: dict[int, int], tolerance: float) -> Advice:
    loss, fits = plans["expected_loss"], plans["fits"]
    enough = np.flatnonzero(loss <= tolerance) if tolerance > 0 else np.array([], dtype=np.intp)
    few = np.flatnonzero(plans["n_folds"] >= LEAST_FOLDS)
    pool = few if few.size else np.arange(fits.size)
    good = np.intersect1d(enough, pool)
    if good.size:
        i = int(good[np.lexsort((loss[good], fits[good]))[0]])
        why = f"the choice then loses {format_number(float(loss[i]))} on average, little enough"
    else:
        # The most repetitions of each number of folds; of these the one that loses least.
        folds, repeats = plans["n_folds"], plans["n_repeats"]
        last = [j for j in pool if repeats[j] == repeats[folds == folds[j]].max()]
        i = int(min(last, key=lambda j: (loss[j], folds[j])))
        loses = f"loses {format_number(float(loss[i]))} on average"
        if tolerance > 0:
            why = f"nothing in reach loses as little as {format_number(tolerance)}; this {loses}"
        else:
            why = f"that is what can be afforded; the choice then {loses}"
    return Advice(
        n_folds=int(plans["n_folds"][i]),
        n_repeats=int(plans["n_repeats"][i]),
        why=why,
        plans={name: arguments.fixed(values) for name, values in plans.items()},
        n=max(sizes.values()),
        caveats=(
            Caveat(
                kind="pilot-rough",
                text=f"a pilot of {min(sizes.values())} repetitions takes its own averages for the "
                "truth, so losses are rough",
            ),
            SAME_DATA,
        ),
    )
