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
from bestofk.cv.belief import field_of, tuning_losses
from bestofk.cv.race import check_tolerance
from bestofk.cv.table import SAME_DATA, as_table, refuse_dropped
from bestofk.cv.variability import sd_of_best
from bestofk.errors import ArgumentError, DataError

_RULE_OF_THUMB = Caveat(
    kind="rule-of-thumb",
    text="without a pilot this is a rule of thumb: it knows nothing about your scores",
)
LEAST_PILOT = 4  # the shortest pilots that were simulated
LEAST_FOLDS = 3  # with two folds the training sets have no row in common


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Advice(Drawn, facts="label n direction recommended=_recommended within why", columns=""):
    """How many repetitions of how many folds to run.

    Attributes
    ----------
    n_folds, n_repeats : int
        What is recommended; where nothing in reach will do, the best there is.
    within : bool or None
        Whether the expected loss of the choice is then within the tolerance.  None without a
        pilot or without a tolerance.
    why : str
        The reason in words.
    plans : dict of array
        What was weighed up, a row per plan: `n_folds`, `n_repeats`, `fits` (of one candidate) and
        `noise`, the standard deviation of an average over `n_repeats` as a share of that of one
        repetition.  With a pilot also `score_sd` and `score_sd_error`, the standard deviation of
        the chosen candidate's score over tunings and the error with which the pilot knows it;
        `expected_loss`, what the choice of such a tuning loses on average against the best
        candidate, a rough estimate; and `loss_limit`, an upper limit of it.

    Examples
    --------
    >>> advice = recommend(budget=20)
    >>> advice.n_folds, advice.n_repeats
    (5, 4)
    """

    n_folds: int
    n_repeats: int
    within: bool | None
    why: str
    plans: Mapping[str, FloatArray]
    n: int
    caveats: tuple[Caveat, ...]
    schema: ClassVar[int] = 2
    label: ClassVar[str] = "advice"
    direction: ClassVar[str] = "maximize"

    @property
    def _recommended(self) -> dict[str, int]:
        return {"n_folds": self.n_folds, "n_repeats": self.n_repeats}

    @property
    def title(self) -> str:
        """One line that says what this is."""
        times = "repetition" if self.n_repeats == 1 else "repetitions"
        if self.within is False:
            return f"Not within {self.n_repeats} {times} of {self.n_folds} folds: {self.why}"
        return f"Advice: {self.n_repeats} {times} of {self.n_folds} folds, since {self.why}"

    def _columns(self) -> dict[str, NDArray[Any]]:
        return dict(self.plans)

    def _shown_rows(self) -> NDArray[np.intp]:
        repeats = self.plans["n_repeats"]
        chosen = (self.plans["n_folds"] == self.n_folds) & (repeats == self.n_repeats)
        return np.flatnonzero(np.isin(repeats, [1, 2, 3, 5, 10, 20, 50, 100]) | chosen)

    def chart(self) -> Chart:
        """Return how much the choice loses at most, or without a pilot its noise, by the fits."""
        known = "loss_limit" in self.plans
        lines = []
        for folds in np.unique(self.plans["n_folds"]):
            mine = self.plans["n_folds"] == folds
            y = self.plans["loss_limit" if known else "noise"][mine]
            lines.append(Series.of(f"{folds:.0f} folds", self.plans["fits"][mine], y))
        return Chart(
            x_label="fits of one candidate",
            what="upper limit of the expected loss" if known else "noise against one repetition",
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
    n_resamples: int = 3000,
    rng: Rng = 0,
) -> Advice:
    """Say how many repetitions of how many folds to tune with.

    The rule is the paper's [1]_: few folds, many repetitions.  A pilot, a table of some
    repetitions, says how many keep the expected loss of the choice within `tolerance`, or that
    none in reach do; that is measured in simulations, not proven: see Notes.

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
        The expected loss of score at which more repetitions are not worth their fits: how much
        worse than the best candidate the chosen one is, on average over tunings.  At 0 the
        advice is what the budget allows.
    n_resamples : int
        How many tunings are simulated from the pilot, for each number of repetitions.
    rng : int, SeedSequence or Generator
        Seed of the simulation.

    Returns
    -------
    Advice
        With `n_folds`, `n_repeats`, the `plans` that were thought of, and `why`.

    Notes
    -----
    Candidates' true scores are drawn from what the pilot says about them, averages being drawn
    together as far as noise explains that they differ; how far that is, is varied over all that
    the pilot allows, and the worst counts (bestofk.cv.belief).  What was promised held in at
    least 80 % of pilots of 4 to 10 repetitions in 17 of 19 settings, recorded and simulated
    (tests/cv/test_belief.py), in 76 % with 5 candidates, and in half of them where one candidate
    was a little ahead of 20 equal ones;
    the price is that more repetitions are advised than needed, in the median up to two and a half
    times as many, and more where many candidates are about equally good.

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
        tried = np.arange(1, _affordable(folds, most, allowed) + 1)
        found = {"n_folds": np.full(tried.size, folds), "n_repeats": tried, "fits": folds * tried}
        found |= _simulated(table, tried, count, generator)
        for name, values in found.items():
            plans.setdefault(name, []).extend(values.tolist())
    return _weighed(
        {name: np.array(values, dtype=np.float64) for name, values in plans.items()},
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
        within=None,
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
        refuse_dropped(table, "pilot")
        table = table[:, ~np.isnan(table).any(axis=0)]
        if len(table) < 2 or table.shape[1] == 0:
            raise DataError(
                "`pilot` must hold two repetitions or more, and a candidate that was scored in all "
                f"of them; got {len(table)} repetitions."
            )
        tables[arguments.whole("n_folds", folds, least=2)] = table
    return tables


def _simulated(
    table: FloatArray, tried: NDArray[np.intp], count: int, rng: np.random.Generator
) -> dict[str, NDArray[Any]]:
    """Tune `count` times with each number of repetitions."""
    n = len(table)
    sds = np.array([sd_of_best(table, times, count, rng) for times in tried])
    loss, limit = tuning_losses(field_of(table), tried, rng, count)
    return {
        "noise": 1 / np.sqrt(tried),
        "score_sd": sds,
        "score_sd_error": sds / math.sqrt(2 * (n - 1)),
        "expected_loss": loss,
        "loss_limit": limit,
    }


def _weighed(plans: dict[str, FloatArray], sizes: dict[int, int], tolerance: float) -> Advice:
    limit, fits = plans["loss_limit"], plans["fits"]
    folds, repeats = plans["n_folds"], plans["n_repeats"]
    few = np.flatnonzero(folds >= LEAST_FOLDS)
    pool = few if few.size else np.arange(fits.size)
    enough = [j for j in pool if tolerance > 0 and _from_here(limit, folds, int(j)) <= tolerance]
    within: bool | None = None
    if enough:
        i = min(enough, key=lambda j: (fits[j], limit[j]))
        within = True
        why = (
            f"the expected loss of the choice is then within {format_number(tolerance)} (upper "
            f"limit {format_number(float(limit[i]))})"
        )
    else:
        # The most repetitions of each number of folds; of these the one that loses least.
        last = [j for j in pool if repeats[j] == repeats[folds == folds[j]].max()]
        i = min(last, key=lambda j: (limit[j], folds[j]))
        loses = f"the expected loss of the choice can be as large as {format_number(limit[i])}"
        if tolerance > 0:
            within = False
            why = f"{loses} then, above the tolerance of {format_number(tolerance)}"
            if len(sizes) > 1:
                why += ", and with the other numbers of folds too"
        else:
            why = f"that is what can be afforded; {loses} then"
    text = (
        f"measured, not proven: from pilots of {LEAST_PILOT} to 10 repetitions, what is promised "
        "about the expected loss held in at least 80 % of pilots in 17 of 19 settings, recorded "
        "and simulated, in 76 % with 5 candidates, and in half of them where one candidate was a "
        "little ahead of 20 equal ones"
    )
    if min(sizes.values()) < LEAST_PILOT:
        text += f"; this pilot has {min(sizes.values())}"
    return Advice(
        n_folds=int(folds[i]),
        n_repeats=int(repeats[i]),
        within=within,
        why=why,
        plans={name: arguments.fixed(values) for name, values in plans.items()},
        n=max(sizes.values()),
        caveats=(Caveat(kind="pilot-rough", text=text), SAME_DATA),
    )


def _from_here(limit: FloatArray, folds: FloatArray, i: int) -> float:
    """Return the largest limit from a plan on, among those with as many folds."""
    return float(limit[i:][folds[i:] == folds[i]].max())
