"""How often a comparison of repeated searches is wrong, where the truth is known.

Binomial tests have a false-alarm rate of one in a million; seeds are fixed.  The quick versions run
always, 1,000 comparisons in make test-slow, 10,000 with vectorised claims in make test-wide.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest
from scipy import special, stats

import bestofk as bk
from bestofk.numeric.noncrossing.two_sample import claims, implied_bands, solve
from bestofk.numeric.repeats import listed_ranks
from bestofk.numeric.sign_test import sign_claims
from bestofk.repeats.certify import planned_tests

FALSE_ALARM = 1e-6
ALPHA = 0.05
N = 32
KS = np.arange(1, N + 1)
SIZES = [pytest.param(25, id="quick"), pytest.param(1_000, id="slow", marks=pytest.mark.slow)]


def repeats(scores, label, first=0, **options):
    n = len(scores)
    return bk.Repeats(
        names=range(n), scores=list(scores), seeds=range(first, first + n), label=label, **options
    )


@dataclass(frozen=True)
class Drawn:
    """The scores of two methods, one row per repeat, or of a random search in one row."""

    a: Any
    b: Any
    shared: bool = False
    made: dict[str, Any] = field(default_factory=dict)
    ask: dict[str, Any] = field(default_factory=dict)
    third: Any = None

    @property
    def is_search(self):
        return np.ndim(self.b[0]) == 0

    def compare(self):
        first = 0 if self.shared else len(self.a)
        methods = {"a": repeats(self.a, "a", **self.made)}
        if self.is_search:
            methods["b"] = bk.Scores(self.b, sampling="iid", label="b", **self.made)
        else:
            methods["b"] = repeats(self.b, "b", first, **self.made)
        if self.third is not None:
            methods["c"] = repeats(self.third, "c", 500, **self.made)
        return bk.compare(methods, **self.ask)


def learning(rng, size, rate=0.15):
    """Each trial gains a random part of what is left: 1 - best = exp(-rate G), G gamma."""
    return 1 - np.exp(-rate * np.cumsum(rng.exponential(size=(size, N)), axis=1))


def learned(rate):
    return 1 - np.exp(-rate * special.gammaincinv(KS, 0.5))


def skewed(rng, size, sign):
    """Median 100 k at every k, skewed one way or the other, unrelated from trial to trial."""
    return 100 * KS + sign * (rng.exponential(size=(size, N)) - np.log(2))


def lucky_above(rng, size):
    """Random search; the best tenth of the searches is lucky, which leaves the median alone."""
    scores = rng.random((size, N))
    best = scores.max(axis=1)
    return np.where((best > 0.9 ** (1 / N))[:, None], scores + 1, scores)


def cut(rng, scores):
    return [s[: rng.integers(N // 3, N + 1)] for s in scores]


def until(scores, target):
    """End each repeat when it has reached a target, so that its length tells of its scores."""
    best = np.maximum.accumulate(scores, axis=1)
    ends = np.where(best[:, -1] >= target, (best >= target).argmax(axis=1) + 1, N)
    return [s[:end] for s, end in zip(scores, ends, strict=True)]


def equal(rng):
    return Drawn(rng.random((12, N)), rng.random((12, N)))


def unrelated(rng):
    return Drawn(KS + rng.random((10, N)), KS + rng.random((15, N)))


def mirrored(rng):
    return Drawn(skewed(rng, 40, 1), skewed(rng, 40, -1))


def hardest(rng, size=20, ks=KS):
    """Return what errs as often as the test allows: medians of 10 k, above which A is far ahead.

    B is far below them, or at them, which is one half of the time and a little more.
    """
    return (
        10 * ks + rng.integers(0, 2, (size, ks.size)),
        10 * ks - rng.integers(0, 2, (size, ks.size)),
    )


def hardest_for_the_test(rng):
    return Drawn(*hardest(rng))


def mirrored_intervals(rng):
    return Drawn(skewed(rng, 40, 1), skewed(rng, 40, -1), ask={"basis": "intervals"})


def heavy_ties(rng):
    return Drawn(*(np.floor(3 * learning(rng, 20)) / 3 for _ in "ab"))


def coin(rng):
    """All are 0 or 1, each with one half, and so is the median: any of the two, or between."""
    return Drawn(*(np.repeat(rng.integers(0, 2, (20, 1)), N, 1) for _ in "ab"))


def plateaus(rng):
    return Drawn(*(np.repeat(learning(rng, 15)[:, ::8], 8, axis=1) for _ in "ab"))


def lucky(rng):
    return Drawn(lucky_above(rng, 20), rng.random((20, N)), ask={"budgets": [N]})


def cut_common(rng):
    a, b = (cut(rng, learning(rng, 20)) for _ in "ab")
    return Drawn(a, b, made={"planned": N})


def until_common(rng):
    a, b = until(learning(rng, 20), 0.9), list(learning(rng, 20))
    return Drawn(a, b, made={"planned": N})


def until_interval(rng):
    a, b = until(learning(rng, 20), 0.9), cut(rng, learning(rng, 20))
    return Drawn(a, b, made={"planned": N}, ask={"unequal": "interval"})


def shared_opposite(rng):
    """The same seeds, and whatever is good for one is bad for the other."""
    u = rng.random((15, N))
    return Drawn(KS + u, KS + 1 - u, shared=True)


def three(rng):
    a, b, third = KS + rng.random((3, 14, N))
    return Drawn(a, b, third=third)


def minimize(rng):
    return Drawn(-skewed(rng, 20, 1), -skewed(rng, 20, -1), made={"direction": "minimize"})


def quantile(rng):
    """The .8-quantiles are equal; the medians are not."""
    a = 100 * KS + rng.normal(size=(25, N)) - stats.norm.ppf(0.8)
    b = 100 * KS + 3 * (rng.normal(size=(25, N)) - stats.norm.ppf(0.8))
    return Drawn(a, b, ask={"statistic": 0.8})


def against_search(rng):
    return Drawn(rng.random((20, N)), rng.random(400))


def against_pooled(rng):
    """The search is made of the very repeats it is compared with."""
    own = rng.random((20, N))
    return Drawn(own, own.ravel())


def against_search_minimize(rng):
    a, b = rng.integers(0, 9, (14, N)) / 9, rng.integers(0, 9, 300) / 9
    return Drawn(a, b, made={"direction": "minimize"})


def paired_mirrored(rng):
    """Neither is better in more than half of the seeds, but one is better by more."""
    gain = np.where(rng.random((20, N)) < 0.5, 5 * rng.random((20, N)), -rng.random((20, N)))
    base = rng.normal(size=(20, 1))
    return Drawn(100 * KS + base + gain, 100 * KS + base, shared=True, ask={"paired": True})


def paired_ties(rng):
    """One half of the seeds are wins of a, some are ties, the others losses."""
    u = rng.random((20, N))
    gain = np.where(u < 0.5, 1, np.where(u < 0.7, 0, -1))
    base = 10 * KS + rng.random((20, 1))
    return Drawn(base + gain, base, shared=True, ask={"paired": True})


NULL = [
    equal, unrelated, mirrored, hardest_for_the_test, mirrored_intervals, heavy_ties, coin,
    plateaus, lucky, cut_common, until_common, until_interval, shared_opposite, three, minimize,
    quantile, against_search, against_pooled, against_search_minimize, paired_mirrored, paired_ties,
]  # fmt: skip


def seeded(name, size):
    return np.random.default_rng([19, zlib.crc32(name.encode()), size])


FLAT = {"heavy_ties", "coin", "plateaus", "against_search_minimize"}  # fewer trials may do as well


def says_anything(found, flat=False):
    """Tell whether any of the methods, which are alike, is said to be ahead of another."""
    for pair in found.pairs:
        if (pair.signs != 0).any() or pair.speedup is not None:
            return True
        if pair.basis == "signs":
            continue
        for k in pair.budgets.tolist():  # alike: k trials are worth k trials
            for label in (pair.first, pair.second):
                least, most = pair.needed(k, of=label)
                if least > k or (most < k and not flat):
                    return True
    return False


def not_more_than(errors, size, share=ALPHA):
    print(f"{errors} of {size}, nominal {share:g}")
    return stats.binomtest(errors, size, share, alternative="greater").pvalue > FALSE_ALARM


@pytest.mark.parametrize("draw", NULL, ids=lambda draw: draw.__name__)
def test_methods_that_are_alike_are_told_apart_in_few_comparisons(draw):
    rng = seeded(draw.__name__, 25)
    flat = draw.__name__ in FLAT
    assert not_more_than(sum(says_anything(draw(rng).compare(), flat) for _ in range(25)), 25)


# Speed-ups and what is enough are judged here too, which vectorised claims leave out.
WHOLE = [mirrored, hardest_for_the_test, cut_common, until_common, three, against_search]


@pytest.mark.slow
@pytest.mark.parametrize("draw", WHOLE, ids=lambda draw: draw.__name__)
def test_nothing_is_said_of_methods_that_are_alike_in_most_comparisons(draw):
    rng, size = seeded(draw.__name__, 1_000), 1_000
    assert not_more_than(sum(says_anything(draw(rng).compare()) for _ in range(size)), size)


def known(scores, ks, minimize, interval):
    """Return between what the best after each of ks lies, larger being better: rows are repeats."""
    low, high = [], []
    for row in scores:
        best = np.maximum.accumulate(-np.asarray(row) if minimize else row)
        value = best[np.minimum(ks, best.size) - 1]
        low.append(value)
        high.append(np.where(ks > best.size, np.inf, value) if interval else value)
    return np.array(low), np.array(high)


def ends_of(low, high, lower, upper):
    """Return the carried order statistics, sets x budgets, of rank `lower` and `upper`."""
    low, high = (np.sort(x, axis=1) for x in (low, high))
    nothing = np.full((len(low), 1, low.shape[2]), np.inf)
    low, high = np.hstack([-nothing, low]), np.hstack([high, nothing])
    k = np.arange(low.shape[2])
    first, last = low[:, lower, k], high[:, np.asarray(upper) - 1, k]
    return np.maximum.accumulate(first, axis=1), np.minimum.accumulate(last[:, ::-1], axis=1)[
        :, ::-1
    ]


def claimed(several, found):
    """Return who is claimed to be ahead in each of several sets that were drawn alike, K columns.

    `found` is the comparison of one of them, which says how: no score has a say in that.
    """
    ks, size = found.budgets.astype(int), found.budgets.size
    minimize, interval = found.direction == "minimize", several[0].ask.get("unequal") == "interval"
    q = 0.5 if found.statistic == "median" else found.statistic
    sides = [[known(d.a, ks, minimize, interval) for d in several]]
    if not several[0].is_search:
        sides.append([known(d.b, ks, minimize, interval) for d in several])
    sides = [[np.array(x) for x in zip(*side, strict=True)] for side in sides]
    (a_low, a_high), (b_low, b_high) = sides[0], sides[-1]
    n, m = a_low.shape[1], b_low.shape[1]
    if found.basis == "signs":
        wins, losses = (a_low > b_high).sum(axis=1), (b_low > a_high).sum(axis=1)
        return np.array([sign_claims(w, x, n, ALPHA) for w, x in zip(wins, losses, strict=True)])
    signs = np.zeros((len(several), size), dtype=int)
    if found.basis == "test":
        tests = planned_tests(n, m, q, ALPHA / found.n_listed, size)
        for k, test in enumerate(tests):
            a, b, c, d = (np.sort(x[..., k], axis=1) for x in (a_low, b_high, a_high, b_low))
            signs[:, k] = (claims(test, a, b)[:, 0] > 0).astype(int) - (
                claims(test, c, d)[:, 0] < 0
            )
        ranks = [np.array([r[0] for r in several]) for several in
                 zip(*(implied_bands(test) for test in tests), strict=True)]  # fmt: skip
        ours, theirs = ranks[:2], ranks[2:]
    else:
        ours, theirs = (listed_ranks(r, q, ALPHA / 2, found.n_listed)[:2] for r in (n, m))
        ours, theirs = ([r[:size] for r in ranks] for ranks in (ours, theirs))
    one = ends_of(a_low, a_high, *ours)
    if several[0].is_search:  # the ranks of its ends are those of any sample of its size
        trials = np.sort([-d.b if minimize else d.b for d in several], axis=1)
        places = bk.tuning_band(bk.Scores(np.arange(1.0, trials.shape[1] + 1), sampling="iid"),
                                confidence=1 - ALPHA / 2, budgets=found.budgets)  # fmt: skip
        nothing = np.full((len(trials), 1), np.inf)
        trials = np.hstack([-nothing, trials, nothing])
        n_trials = trials.shape[1] - 1
        lower, upper = (
            np.clip(end, 0, n_trials).astype(int) for end in (places.lower, places.upper)
        )
        two = trials[:, lower], trials[:, upper]
    else:
        two = ends_of(b_low, b_high, *theirs)
    signs[one[0] > two[1]] = 1
    signs[two[0] > one[1]] = -1
    return signs


BATCHED = [draw for draw in NULL if draw.__name__ not in ("three", "cut_common", "until_common")]


@pytest.mark.parametrize("draw", BATCHED, ids=lambda draw: draw.__name__)
def test_vectorised_claims_are_those_of_compare(draw):
    rng = seeded(draw.__name__, 1)
    several = [draw(rng) for _ in range(6)]
    # Apart, so that something is claimed.
    shift = -1 if several[0].made.get("direction") == "minimize" else 1
    moved = [replace(d, a=[np.asarray(row) + shift * 0.6 * i for row in d.a])
             for i, d in enumerate(several)]  # fmt: skip
    found = [d.compare() for d in moved]
    signs = claimed(moved, found[0])
    assert signs.any()
    np.testing.assert_array_equal(signs, [f.pairs[0].signs for f in found])


@pytest.mark.parametrize(
    "size",
    [
        pytest.param(1_000, id="slow", marks=pytest.mark.slow),
        pytest.param(10_000, id="wide", marks=pytest.mark.wide),
    ],
)
@pytest.mark.parametrize("draw", BATCHED, ids=lambda draw: draw.__name__)
def test_methods_that_are_alike_are_told_apart_in_few_of_many_comparisons(draw, size):
    rng = seeded(draw.__name__, size)
    found, errors = draw(rng).compare(), 0
    for _ in range(size // 500):
        errors += int((claimed([draw(rng) for _ in range(500)], found) != 0).any(axis=1).sum())
    assert not_more_than(errors, size)


def is_wrong(found, truths):
    """Tell whether anything that a comparison says of "a" and "b" is wrong."""
    pair = found.pairs[0]
    a, b = (truths[label] for label in (pair.first, pair.second))
    at = pair.budgets.astype(int) - 1
    apart = (a - b)[at]
    wrong = bool((pair.lower > apart).any() or (pair.upper < apart).any())
    for low, high, who in pair.stretches:
        span = (a - b)[int(low) - 1 : int(high)]
        wrong |= bool(((span if who == pair.first else -span) <= 0).any())
    for of, other in ((pair.first, pair.second), (pair.second, pair.first)):
        for k in pair.budgets.tolist():
            least, most = pair.needed(k, of=of)
            goal = truths[of][int(k) - 1]
            needed = int(np.searchsorted(truths[other], goal)) + 1
            beyond = needed > truths[other].size
            wrong |= bool((least > needed and not beyond) or most < needed)
    return wrong


def fast_and_slow(rng):
    drawn = Drawn(learning(rng, 20, 0.3), learning(rng, 20, 0.15))
    return drawn, {"a": learned(0.3), "b": learned(0.15)}


def crossing_curves(rng):
    """One starts better, the other ends better."""
    a = learning(rng, 25, 0.25)
    start = 0.45 + 0.5 * learning(rng, 25, 0.04)
    truth = 0.45 + 0.5 * learned(0.04)
    return Drawn(a, start), {"a": learned(0.25), "b": truth}


def learner_against_random(rng):
    truth = 0.5 ** (1 / np.arange(1, 4000))
    return Drawn(rng.random((20, N)) ** 0.2, rng.random(600)), {"a": truth**0.2, "b": truth}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("basis", ["test", "intervals"])
@pytest.mark.parametrize("draw", [fast_and_slow, crossing_curves], ids=lambda d: d.__name__)
def test_all_that_is_said_is_right_at_once(draw, basis, size):
    rng = seeded(draw.__name__ + basis, size)
    errors = 0
    for _ in range(size):
        drawn, truths = draw(rng)
        errors += is_wrong(replace(drawn, ask={"basis": basis}).compare(), truths)
    assert not_more_than(errors, size)


@pytest.mark.parametrize("size", SIZES)
def test_all_that_is_said_against_a_random_search_is_right_at_once(size):
    rng = seeded("learner", size)
    errors = said = 0
    for _ in range(size):
        drawn, truths = learner_against_random(rng)
        found = drawn.compare()
        errors += is_wrong(found, truths)
        said += found.pairs[0].speedup is not None
    print(f"a speed-up in {said} of {size}")
    assert said > size / 2
    assert not_more_than(errors, size)


def test_mann_whitney_does_not_certify_a_median():
    rng = np.random.default_rng(19)
    a, b = skewed(rng, 2000 * 40, 1)[:, 0], skewed(rng, 2000 * 40, -1)[:, 0]
    p = stats.mannwhitneyu(a.reshape(2000, 40), b.reshape(2000, 40), axis=1).pvalue
    errors = int((p < ALPHA).sum())
    assert 0.28 < errors / 2000 < 0.36
    assert not not_more_than(errors, 2000)


def test_the_sign_test_does_not_certify_a_median_either():
    """Of independent repeats with equal medians and mirrored skew one wins in most pairs."""
    rng = np.random.default_rng(19)
    a, b = skewed(rng, 2000 * 150, 1)[:, 0], skewed(rng, 2000 * 150, -1)[:, 0]
    wins = (a > b).reshape(2000, 150).sum(axis=1)
    errors = int((stats.binom.sf(wins - 1, 150, 0.5) < ALPHA / 2).sum())
    assert not not_more_than(errors, 2000)


@pytest.mark.parametrize(("share", "holds"), [(1.0, False), (0.1, True)])
def test_the_test_at_its_full_level_at_each_of_ten_budgets_errs_too_often(share, holds):
    rng = np.random.default_rng(19)
    test = solve(20, 20, [0.5], share * ALPHA)
    errors = 0
    for _ in range(1000):
        a, b = hardest(rng, ks=KS[:10])
        errors += bool(claims(test, np.sort(a, axis=0).T, np.sort(b, axis=0).T).any())
    assert not_more_than(errors, 1000) == holds
