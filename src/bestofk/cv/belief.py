"""What the candidates' true scores may be, given a few repetitions: the part of every statement
about what another tuning would do.

Resampling the repetitions at hand takes their averages for the truth, and the candidate that was
lucky for the best: with 50 equal candidates and 5 repetitions it finds that another tuning would
repeat the choice in 40 of 100 cases; 2 of 100 is true.  Here the averages are first drawn
together, as far as noise explains that they differ (empirical Bayes), and then get fresh noise.

The distribution of true scores that this needs is estimated from the averages themselves: on a
grid of values, by maximum likelihood (Kiefer and Wolfowitz 1956; Jiang and Zhang 2009), or, for
upper limits of a loss, as a normal one whose spread is varied over all that the averages allow.
Noise is that of the paired difference to the leader, since all candidates of a repetition share
its folds.  None of this is exact; tests/cv/test_belief.py and bench/jkfold.py measure it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from bestofk._base.types import FloatArray

PRIOR_FREEDOM = 4.0  # a candidate's own variance counts against the pooled one as J-1 to this
CLOSE, CONTENDERS, FIELD = 2.0, 5.0, 10.0  # how many standard errors behind the leader
ATOMS, SHARP, SMOOTH = 40, 60, 2  # values of the grid; steps of EM for chances and for losses
# Noise is taken as larger than estimated when averages are drawn together, the more the fewer
# differences it was estimated from.  Found on simulated plateaus and two recorded tables.
WIDER, WIDER_IF_UNKNOWN = 1.1, 3.0
# An upper limit of a tuning's loss is a quantile over true scores, the largest over spreads.  The
# less averages are believed the more depends on the assumed normal shape, and the higher it is:
# from the first level, if nothing is believed, to the second.  No confidence levels, they were
# set by how often simulated pilots keep what the limit promises.
LIMITS = (0.75, 0.45)
SHRINKAGES = (0.001, 0.01, 0.1, 0.5)  # posterior quantiles of how far averages are to be believed
TRUTHS = 100  # true scores drawn for an upper limit
_REACH = 6.0  # those so many standard deviations of one repetition behind are never chosen


@dataclass(frozen=True, kw_only=True, eq=False)
class Field:
    """The candidates that could be chosen, with what is known about each.

    Attributes
    ----------
    places : array of int
        Their places among all candidates; of those that scored alike throughout, the first.
    means : array
        Their averages, on the partitions of the leader: a candidate that was dropped early is
        compared on the repetitions that it took part in.
    counts : array
        Their numbers of repetitions.
    variances : array
        Half the variance of a repetition's difference to the leader; NaN where it is not known.
    own : array
        The variance of a repetition's score less the mean score of that repetition; NaN likewise.
    leader : int
        Which of them has the best average among those with all repetitions.
    n_repeats : int
        The largest of `counts`.
    """

    places: NDArray[np.intp]
    means: FloatArray
    counts: FloatArray
    variances: FloatArray
    own: FloatArray
    leader: int
    n_repeats: int

    def noise(self) -> FloatArray:
        """Return variances of one repetition as they matter between the leader and its rivals."""
        return self._drawn(self.close())

    def wide_noise(self) -> FloatArray:
        """Return variances of one repetition within the whole field."""
        known = np.isfinite(self.own)
        return self._between(self.own, known, known)

    def close(self) -> NDArray[np.bool_]:
        """Tell who is close behind the leader; the best three at least."""
        best = np.argsort(-self.means, kind="stable")[:3]
        close = np.ones(self.means.size, dtype=bool)
        for _ in range(4):  # the noise of those that are far behind may be another
            close &= self.behind(self._drawn(close)) <= CLOSE
            close[best] = True
        return close

    def _drawn(self, rivals: NDArray[np.bool_]) -> FloatArray:
        known = np.isfinite(self.variances)
        known[self.leader] = False
        return self._between(self.variances, known, rivals)

    def _between(
        self, own: FloatArray, known: NDArray[np.bool_], rivals: NDArray[np.bool_]
    ) -> FloatArray:
        """Return variances that are drawn towards the average of the rivals'."""
        if not known.any():
            return np.zeros(own.size)
        rivals = known & rivals if (known & rivals).any() else known
        weight = np.where(known, (self.counts - 1) / (self.counts - 1 + PRIOR_FREEDOM), 0.0)
        drawn: FloatArray = weight * np.where(known, own, 0.0)
        drawn += (1 - weight) * own[rivals].mean()
        return drawn

    def behind(self, noise: FloatArray) -> FloatArray:
        """Return by how many standard errors of the paired difference each is behind."""
        gap = self.means[self.leader] - self.means
        errors = np.sqrt(2 * noise / self.counts)
        with np.errstate(divide="ignore", invalid="ignore"):
            found: FloatArray = np.where(gap <= 0, 0.0, gap / errors)
        return found


def field_of(table: FloatArray) -> Field:
    """Return the candidates of a table that could be chosen; NaN after the last of a column's
    scores means that it was dropped, NaN before a score that it failed.

    Examples
    --------
    >>> found = field_of(np.array([[1.0, 3.0, 3.0], [2.0, 5.0, 5.0], [3.0, 4.0, 4.0]]))
    >>> found.places.tolist(), found.leader, found.variances.tolist()
    ([0, 1], 1, [0.5, 0.0])
    """
    finite = ~np.isnan(table)
    counts = finite.sum(axis=0)
    fine = (counts > 0) & (finite == (np.arange(len(table))[:, None] < counts)).all(axis=0)
    if not fine.any():  # all failed somewhere: whoever has most scores
        fine = counts == counts.max()
    most = int(counts[fine].max())
    complete = fine & (counts == most)
    # Added up row by row, as `Race` and numpy.mean do, so that ties fall as they do there.
    first = int(np.where(complete, table[:most].mean(axis=0), -np.inf).argmax())
    places = np.flatnonzero(fine & ~_like_another(table, counts, fine))
    if first not in places:
        places = np.sort(np.append(places, first))
    level = table[:most, complete].mean(axis=1)
    apart = table[:most, places] - level[:, None]
    versus = table[:most, places] - table[:most, [first]]
    n = np.count_nonzero(~np.isnan(apart), axis=0)
    adjusted = np.nansum(apart, axis=0) / n + level.mean()
    variances = _variance(versus, n) / 2
    alone = int(complete.sum()) == 1
    # A mean over k candidates, the one itself among them or not, takes its part of the noise.
    k = int(complete.sum())
    part = np.where(complete[places], k / max(k - 1, 1), k / (k + 1))
    return Field(
        places=places,
        means=adjusted,
        counts=n.astype(np.float64),
        variances=variances,
        own=variances if alone else part * _variance(apart, n),
        leader=int(np.flatnonzero(places == first)[0]),
        n_repeats=most,
    )


def _variance(columns: FloatArray, n: NDArray[np.intp]) -> FloatArray:
    """Return the variance of each column's n scores; NaN for one score."""
    centred = columns - np.nansum(columns, axis=0) / n
    with np.errstate(invalid="ignore", divide="ignore"):
        found: FloatArray = np.where(n > 1, np.nansum(centred**2, axis=0) / (n - 1), np.nan)
    return found


def _like_another(
    table: FloatArray, counts: NDArray[np.intp], fine: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Tell who scored like an earlier candidate, or like one that ran longer, in all it ran."""
    alike = np.zeros(counts.size, dtype=bool)
    for times in np.unique(counts[fine]):
        if times < 2:
            continue
        who = np.flatnonzero(fine & (counts >= times))
        _, member = np.unique(table[:times, who], axis=1, return_inverse=True)
        member = member.ravel()
        # Of each group the one that stays: with most repetitions, then the first.
        order = np.lexsort((who, -counts[who], member))
        stays = np.zeros(who.size, dtype=bool)
        stays[order[np.r_[True, np.diff(member[order]) > 0]]] = True
        alike[who[~stays & (counts[who] == times)]] = True
    return alike


def choice_chances(field: Field) -> FloatArray:
    """Return with what chance a fresh tuning chooses each candidate of the field.

    Fresh averages have independent noise of the same size as those at hand.
    """
    chances = np.zeros(field.means.size)
    noise = field.noise()
    who = np.flatnonzero(field.behind(noise) <= CONTENDERS)
    if who.size == 1 or noise[who].max() <= 1e-24 * max(1.0, float(np.abs(field.means).max()) ** 2):
        chances[field.leader] = 1.0
        return chances
    freedom = (field.n_repeats - 1) * max(1, int(field.close().sum()) - 1)
    wider = WIDER * (1 + WIDER_IF_UNKNOWN / freedom)
    values, weights = _believed(field.means[who], wider * noise[who] / field.counts[who], SHARP)
    spread = np.sqrt(np.maximum(noise[who], noise[who].max() * 1e-6) / field.n_repeats)
    points = np.linspace(
        values[0] - 3 * spread.max(), values[-1] + 5 * spread.max(), _points(values, spread)
    )
    below, density = np.zeros((points.size, who.size)), np.zeros((points.size, who.size))
    for value, weight in zip(values, weights.T, strict=True):
        z = (points[:, None] - value) / spread
        below += weight * ndtr(z)
        density += weight * np.exp(-0.5 * z * z) / spread
    logs = np.log(np.maximum(below, 1e-300))
    found = (density * np.exp(logs.sum(axis=1, keepdims=True) - logs)).sum(axis=0)
    chances[who] = found / found.sum()
    return chances


def _points(values: FloatArray, spread: FloatArray) -> int:
    """Return how many points a grid needs: four for the narrowest spread, within reason."""
    width = values[-1] - values[0] + 8 * spread.max()
    return int(np.clip(4 * width / spread.min(), 160, 1000))


def _believed(means: FloatArray, noise: FloatArray, steps: int) -> tuple[FloatArray, FloatArray]:
    """Return a grid of true scores and each candidate's weights on it.

    The distribution of true scores begins uniform and is fitted by `steps` of EM: few keep it
    smooth, many find the clusters that maximum likelihood has.
    """
    values = np.linspace(means.min(), means.max(), ATOMS)
    noise = np.maximum(noise, noise.max() * 1e-6)
    log = -0.5 * (means[:, None] - values) ** 2 / noise[:, None]
    likelihood = np.exp(log - log.max(axis=1, keepdims=True))
    prior = np.full(ATOMS, 1 / ATOMS)
    for _ in range(steps):
        weights = likelihood * prior
        weights /= weights.sum(axis=1, keepdims=True)
        prior = weights.mean(axis=0)
    weights = likelihood * prior
    weights /= weights.sum(axis=1, keepdims=True)
    return values, weights


def expected_loss(field: Field) -> float:
    """Return how much the leader is expected to lose against the best candidate.

    Right on average over data sets, but not for each: how far the best is ahead of the others is
    more than a few repetitions can tell.
    """
    noise = field.noise()
    who = np.flatnonzero(field.behind(noise) <= CONTENDERS)
    if who.size == 1 or noise[who].max() <= 0:
        return 0.0
    values, weights = _believed(field.means[who], noise[who] / field.counts[who], SMOOTH)
    at_most = np.prod(weights.cumsum(axis=1), axis=0)
    best = float((values * np.diff(at_most, prepend=0.0)).sum())
    own = float(values @ weights[int(np.flatnonzero(who == field.leader)[0])])
    return max(0.0, best - own)


def tuning_losses(
    field: Field, repeats: NDArray[np.intp], rng: np.random.Generator, count: int
) -> tuple[FloatArray, FloatArray]:
    """Return what fresh tunings lose on average, and an upper limit of it.

    Parameters
    ----------
    field : Field
        From a pilot.
    repeats : array of int
        Numbers of repetitions of the tunings.
    rng : Generator
        What they are drawn from.
    count : int
        How many tunings are simulated for each number and each of the spreads in `SHRINKAGES`.
    """
    n_truths = min(TRUTHS, count)
    truths, noise, believed = _truths(field, rng, n_truths)
    best = truths.max(axis=2)
    lost = np.zeros((len(SHRINKAGES), n_truths, len(repeats)))
    per_truth = max(1, count // n_truths)
    for _ in range(per_truth):
        luck = rng.normal(size=truths.shape[1:]) * np.sqrt(noise)
        for j, times in enumerate(repeats):
            chosen = (truths + luck / math.sqrt(times)).argmax(axis=2)
            own = np.take_along_axis(truths, chosen[:, :, None], axis=2)[:, :, 0]
            lost[:, :, j] += best - own
    lost /= per_truth
    # What is lost more seldom than once in all these tunings is not seen.
    unseen = np.sqrt(2 * noise.max() / repeats) / count
    levels = LIMITS[0] + believed * (LIMITS[1] - LIMITS[0])
    limits = [np.quantile(one, q, axis=0) for one, q in zip(lost, levels, strict=True)]
    means = lost.mean(axis=1)
    return means[-1], np.maximum(np.max(limits, axis=0), means[-1]) + unseen


def _truths(
    field: Field, rng: np.random.Generator, count: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Draw true scores for each spread in `SHRINKAGES`; return them, the noise and the shares.

    With averages m_i ~ N(t_i, s_i²) and t_i ~ N(c, T²) the share B = T²/(T² + s²) of what
    averages differ by is believed; uniform a priori, it has the posterior on a grid below.
    """
    noise = field.wide_noise()
    reach = _REACH * math.sqrt(2 * noise.max())
    who = np.flatnonzero(field.means >= field.means[field.leader] - reach)
    means, noise = field.means[who], noise[who]
    errors = noise / field.counts[who]
    luck = rng.normal(size=(count, who.size))
    near = field.behind(field.noise())[who] <= FIELD
    k = int(near.sum())
    truths = np.repeat((means + np.sqrt(errors) * luck)[None], len(SHRINKAGES), axis=0)
    believed = np.ones(len(SHRINKAGES))
    if k > 2 and errors[near].max() > 0:
        common, centre = errors[near].mean(), means[near].mean()
        shares = (np.arange(100) + 0.5) / 100
        total = common / (1 - shares)
        log = -0.5 * (k - 1) * np.log(total) - 0.5 * ((means[near] - centre) ** 2).sum() / total
        posterior = np.exp(log - log.max()).cumsum()
        believed = shares[np.searchsorted(posterior / posterior[-1], SHRINKAGES)]
        for truth, share in zip(truths, believed, strict=True):
            between = common * share / (1 - share)
            belief = between / (between + errors[near])
            drawn = np.sqrt(belief * errors[near]) * luck[:, near]
            truth[:, near] = centre + belief * (means[near] - centre) + drawn
    return truths, noise, believed
