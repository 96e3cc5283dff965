"""What m more trials would do: an exact prediction from the ranks alone, without a model."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, weakest
from bestofk._base.chart.data import Chart
from bestofk._base.result import Drawn
from bestofk._base.text import percent
from bestofk._base.types import Bounds, Direction, Failed, FloatArray
from bestofk.curves.prediction import at_least, at_most, more_of, ordinal, trials
from bestofk.curves.words import ASSUMED, if_independent
from bestofk.errors import ArgumentError, DataError, in_python
from bestofk.numeric.more_trials import matched
from bestofk.planning.figure import more_trials_chart
from bestofk.scores.convert import as_scores
from bestofk.scores.grid import caveats_on_grid
from bestofk.scores.scores import AboutScores, Scores
from bestofk.scores.search import Search

MOST = 10**12


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class MoreTrials(
    AboutScores,
    Drawn,
    facts="label n more direction wanted matched_rank beaten verdict",
    columns="rank=ranks score=ranked matched",
    claims="matched_rank beaten matched",
):
    """How often the best of m more trials is as good as the best so far, the second best, ...

    Attributes
    ----------
    more : int
        The number of further trials, m.
    matched : array
        For the best score so far, the second best and so on: the probability, at least, with which
        one of the further trials is at least as good.
    beaten : float
        The probability, at most, with which one is strictly better than the best so far.
    matched_rank : int or None
        The best rank that is matched with a probability of at least `wanted`; None if no rank
        is.

    Examples
    --------
    >>> from bestofk import more_trials
    >>> found = more_trials([0.5, 0.6, 0.7], 3)
    >>> found.beaten, found.matched.round(2).tolist()
    (0.5, [0.5, 0.8, 0.95])
    """

    scores: Scores
    more: int
    wanted: float
    matched: FloatArray
    beaten: float
    caveats: tuple[Caveat, ...]

    @property
    def ranks(self) -> FloatArray:
        """1 for the best score so far, 2 for the second best, ..., n for the worst."""
        return np.arange(1.0, self.n + 1)

    @property
    def ranked(self) -> FloatArray:
        """The scores, the best first."""
        ordered = self.scores.sorted_values
        return ordered[::-1] if self.direction == "maximize" else ordered

    @property
    def matched_rank(self) -> int | None:
        """The best rank that is matched with a probability of at least `wanted`."""
        # An exact 0.8 must not be missed by the rounding of a product.
        reached = np.flatnonzero(self.matched >= self.wanted - 1e-12)
        return int(reached[0]) + 1 if reached.size else None

    @property
    def verdict(self) -> str:
        """The answer in plain language."""
        return in_python(self._marked_verdict())

    def _marked_verdict(self) -> str:
        if self.is_void:
            return f"What {more_of(self.more)} would do is not known."
        before, after = if_independent(self.caveats)
        beat, match = ("beats", "matches") if self.more == 1 else ("beat", "match")
        rank = self.matched_rank or self.n
        which = f"the {ordinal(rank)}best so far" if rank > 1 else "it"
        low = ""
        if self.matched_rank is None:
            which = "the worst so far" if rank > 1 else "it"
            low = f"; no score so far reaches {percent(self.wanted)}"
        return (
            f"{before}{more_of(self.more)} {beat} the best so far in at most "
            f"{at_most(self.beaten)} of searches of {trials(self.n)}, and {match} or {beat} "
            f"{which} in at least {at_least(float(self.matched[rank - 1]))}{low}.{after}"
        )

    def _headlines(self) -> list[str]:
        return [self._marked_verdict()]

    @property
    def _unsaid(self) -> tuple[Caveat, ...]:
        return tuple(c for c in super()._unsaid if self.is_void or c.kind not in ASSUMED)

    def chart(self) -> Chart:
        """Return the chance of a better score by number of further trials, and what they reach."""
        return more_trials_chart(self)

    def _shown_rows(self) -> NDArray[np.intp]:
        shown = super()._shown_rows()
        spoken_of = [] if self.matched_rank is None else [self.matched_rank - 1]
        return np.union1d(shown, spoken_of).astype(np.intp)

    @property
    def title(self) -> str:
        """One line that says what this is."""
        what = "the scores so far" if self.is_void else "how often each score so far is matched"
        return (
            f"MoreTrials {self.label!r}: {what}, n = {self.n}, {self.more:,} more, {self.direction}"
        )


def more_trials(
    scores: ArrayLike | Scores | Search,
    more: int,
    *,
    wanted: float = 0.8,
    direction: Direction | None = None,
    bounds: Bounds | None = None,
    failed: Failed = "raise",
) -> MoreTrials:
    """Predict how often further trials match the best so far, the second best and so on.

    Exact for independent draws from any distribution: equal for continuous scores, at least as
    often with ties.  No model is fitted.

    Parameters
    ----------
    scores : array_like, Scores or Search
        Scores of one method's trials, unweighted.
    more : int
        The number of further trials, fixed in advance.
    wanted : float
        `verdict` speaks of the best rank that is matched with at least this probability.
    direction, bounds, failed
        As in `tuning_curve`.  Failed trials that count as the worst score may fail again; if they
        are dropped, `more` counts trials that succeed.

    Returns
    -------
    MoreTrials
        With `verdict`, `matched`, `beaten` and `matched_rank`.

    Notes
    -----
    All n + m trials are equally likely to be the best ones, also if they are different settings
    drawn from a grid.  So the best of m further ones stays
    below the j-th smallest of n with probability Gamma(j+m) Gamma(n+1) / (Gamma(j) Gamma(n+m+1)),
    less with ties, and one is strictly better than all n with probability m / (n+m), less with
    ties.

    It is a prediction made before either search: the share of searches of n trials in which it
    comes true.  It is not the probability given these scores: after a lucky search it is smaller,
    after an unlucky one larger.  It does not hold for several numbers of further trials together,
    nor if the scores decided when to stop at n.

    Examples
    --------
    >>> found = more_trials(Scores(range(48), sampling="iid"), 144, wanted=0.75)
    >>> print(found.verdict)
    144 more trials beat the best so far in at most 75 % of searches of 48 trials, and match or \
beat it in at least 75 %.
    >>> more_trials(Scores(range(48), sampling="iid"), 48).matched[:3].round(4)
    array([0.5   , 0.7526, 0.8789])
    """
    m = arguments.whole("more", more, most=MOST)
    share = arguments.probability("wanted", wanted)
    sample = as_scores(scores, direction=direction, bounds=bounds, failed=failed, on_grid=True)
    if sample.weights is not None:
        raise DataError("more_trials needs unweighted scores. Leave out the weights.")
    if sample.grid is not None and m > sample.grid - sample.n:
        left = f"the {sample.grid - sample.n:,} settings of the grid that are left"
        raise ArgumentError(argument="more", must=f"be at most {left}", got=f"{m:,}")
    return MoreTrials(
        scores=sample,
        more=m,
        wanted=share,
        matched=arguments.fixed(matched(sample.n, m)),
        beaten=m / (sample.n + m),
        caveats=(*caveats_on_grid(sample), *_notes(sample, m)),
    )


def _notes(sample: Scores, more: int) -> list[Caveat]:
    if weakest(c.validity for c in caveats_on_grid(sample)) == "void":
        return []  # nothing is predicted
    text = (
        f"this is the share of searches of {trials(sample.n)} in which it comes true, not the "
        f"probability given these scores; it does not hold for several numbers of further trials "
        f"together, nor if the scores decided to stop at {sample.n:,}"
    )
    found = [Caveat(kind="prediction", text=text)]
    if any(c.kind == "failed-dropped" for c in sample.caveats):
        text = f"the {more:,} more are trials that succeed, since failed ones were left out"
        found.append(Caveat(kind="more-succeed", text=text))
    return found
