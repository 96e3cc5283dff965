"""Repeated searches compared: against slow references, laws, words, refusals, figures."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bestofk as bk
from bestofk._base.text import format_number
from bestofk.comparison.claim import parse_claim
from bestofk.errors import ArgumentError, DataError
from bestofk.numeric.noncrossing.two_sample import claims, solve
from bestofk.numeric.repeats import listed_ranks
from bestofk.numeric.sign_test import passed_on, sign_claims
from bestofk.repeats.certify import planned_tests
from tests.contracts import ResultContract

N = 32


def draw(rate, n=20, seed=0, label="tpe", first=0, **options):
    """Searches that gain a random part of what is left with each trial."""
    gains = np.random.default_rng(seed).exponential(size=(n, N)).cumsum(axis=1)
    made = {"seeds": range(first, first + n), "label": label} | options
    return bk.Repeats.of_array(1 - np.exp(-rate * gains), **made)


def two(fast=0.35, slow=0.1, n=20, **options):
    return (draw(fast, n, 1, "tpe", **options), draw(slow, n, 2, "random", 100, **options))


def shared(**options):
    a, b = two(**options)
    return a, replace(b, seeds=a.seeds)


def random_search(n=1500, seed=5, **options):
    scores = np.random.default_rng(seed).random(n)
    return bk.Scores(scores, **{"sampling": "iid", "label": "random", "bounds": (0, 1)} | options)


def strong(n=20, seed=3, **options):
    """Each trial as good as the best of 8 random ones."""
    scores = np.random.default_rng(seed).random((n, N)) ** (1 / 8)
    return bk.Repeats.of_array(scores, **{"seeds": range(n), "label": "tpe"} | options)


class TestRepeatsComparison(ResultContract):
    def make(self, label="cnn"):
        first, second = two()
        return bk.compare({label: first, "other": second}, budgets=[1, 4, 16])


class TestAgainstASearch(ResultContract):
    def make(self, label="cnn"):
        return bk.compare({label: strong(), "other": random_search(sampling="unknown")})


class TestPaired(ResultContract):
    def make(self, label="cnn"):
        first, second = shared()
        return bk.compare({label: first, "other": second}, paired=True)


# The numbers, against slow implementations.


def naive_sign(a, b, region, n, m):
    """Tell whether (#{A <= t}, #{B < t}) is in the region for every t, as the claim is defined."""

    def inside(x, y, limits):
        below, above, gap = (int(limit[0]) for limit in limits)
        return x <= below or y >= above or y * n - x * m >= gap

    ts = np.concatenate([a, b, a + 1e-9, b + 1e-9, [-np.inf, np.inf]])
    return all(inside((a <= t).sum(), (b < t).sum(), region) for t in ts)


@pytest.mark.parametrize(("n", "m", "size"), [(12, 12, 3), (20, 20, 10), (15, 30, 5)])
def test_claims_are_those_of_a_naive_test(n, m, size, rng):
    for _ in range(8):
        a = np.round(rng.normal(0.9, 1, (n, size)), 1).cumsum(axis=1)
        b = np.round(rng.normal(0.0, 1, (m, size)), 1).cumsum(axis=1)
        a, b = (np.maximum.accumulate(x, axis=1) for x in (a, b))
        one = bk.Repeats.of_array(a, seeds=range(n), label="a")
        two_ = bk.Repeats.of_array(b, seeds=range(100, 100 + m), label="b")
        ks = np.arange(1.0, size + 1)
        pair = bk.compare(one, two_, budgets=ks, basis="test").pairs[0]
        for k, test in enumerate(planned_tests(n, m, 0.5, 0.05 / size, size)):
            ours = naive_sign(a[:, k], b[:, k], test.for_a, n, m)
            theirs = naive_sign(b[:, k], a[:, k], test.for_b, m, n)
            expected = int(ours) - int(theirs)
            if expected:
                assert pair.signs[k] == expected
            elif pair.signs[k]:  # an end that was carried
                sides = pair.both if pair.signs[k] > 0 else pair.both[::-1]
                assert sides[0].lower[k] > sides[1].upper[k]


@pytest.mark.parametrize(("n", "m", "size"), [(12, 12, 10), (20, 20, 10), (9, 25, 4), (30, 30, 7)])
def test_the_errors_of_all_budgets_add_up_to_at_most_alpha(n, m, size):
    """The chance of a wrong claim, by summing over both counts of values up to the median."""
    x, y = np.arange(n + 1)[:, None], np.arange(m + 1)[None, :]
    chance = stats.binom.pmf(x, n, 0.5) * stats.binom.pmf(y, m, 0.5)
    total = 0.0
    for test in planned_tests(n, m, 0.5, 0.05 / size, size):
        a = (x <= test.for_a.below[0]) | (y >= test.for_a.above[0])
        a |= y * n - x * m >= test.for_a.gap[0]
        b = (y <= test.for_b.below[0]) | (x >= test.for_b.above[0])
        b |= x * m - y * n >= test.for_b.gap[0]
        total += chance[a | b].sum()
    assert total <= 0.05 * (1 + 1e-9)
    assert total > 0.05 / 2  # what whole ranks leave is spent


def test_intervals_are_order_statistics_of_each_method():
    a, b = two()
    found = bk.compare(a, b, basis="intervals", budgets=[2, 8, 32])
    ranks = listed_ranks(20, 0.5, 0.025, 3)
    for side, method in zip(found.sides, (a, b), strict=True):
        values = np.sort(method.best([2, 8, 32])[0], axis=0)
        lower = [values[r - 1, k] for k, r in enumerate(ranks.lower)]
        upper = [values[r - 1, k] for k, r in enumerate(ranks.upper)]
        np.testing.assert_array_equal(side.lower, np.maximum.accumulate(lower))
        np.testing.assert_array_equal(side.upper, np.minimum.accumulate(upper[::-1])[::-1])


def test_signs_are_counted_seed_by_seed():
    a, b = shared()
    order = np.random.default_rng(0).permutation(20)
    moved = replace(b, **{name: tuple(getattr(b, name)[i] for i in order)
                          for name in ("names", "scores", "seeds")})  # fmt: skip
    pair = bk.compare(a, moved, paired=True, budgets=[1, 8]).pairs[0]
    for k, budget in enumerate([1, 8]):
        wins = sum(x[:budget].max() > y[:budget].max() for x, y in zip(a.scores, b.scores,
                                                                      strict=True))  # fmt: skip
        assert pair.wins[k] == wins
        assert pair.losses[k] == 20 - wins


def closed(p, alpha):
    """Reject what every set of hypotheses that holds it rejects, each by its weights [Bretz]."""
    size = p.size

    def weights(members):
        share = dict.fromkeys(range(size), 1 / size)
        left = list(range(size))
        for gone in [h for h in range(size) if h not in members]:
            at = left.index(gone)
            near = left[max(at - 1, 0) : at] + left[at + 1 : at + 2]
            left.remove(gone)
            for h in near:
                share[h] += share[gone] / len(near)
            share[gone] = 0.0
        return share

    sets = [[h for h in range(size) if mask >> h & 1] for mask in range(1, 2**size)]
    gone = {tuple(s): any(p[h] <= weights(s)[h] * alpha * (1 + 1e-12) for h in s) for s in sets}
    return np.array([all(ok for s, ok in gone.items() if h in s) for h in range(size)])


@given(st.lists(st.sampled_from([0.004, 0.008, 0.0101, 0.013, 0.02, 0.026, 0.04, 0.2]),
                min_size=1, max_size=5))  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_shares_that_are_passed_on_are_a_closed_test(values):
    p = np.array(values)
    np.testing.assert_array_equal(passed_on(p, 0.05), closed(p, 0.05))


def test_sign_claims_at_one_budget_are_scipys():
    for n in (6, 9, 20):
        for wins in range(n + 1):
            expected = stats.binomtest(wins, n, alternative="greater").pvalue <= 0.025
            found = sign_claims(np.array([wins]), np.array([n - wins]), n, 0.05)[0]
            assert (found == 1) == expected


# Laws.


@pytest.mark.parametrize("options", [{}, {"basis": "intervals"}, {"paired": True}])
def test_exchanging_the_methods_changes_the_signs(options):
    a, b = shared() if "paired" in options else two()
    one, other = (bk.compare(x, y, **options).pairs[0] for x, y in ((a, b), (b, a)))
    np.testing.assert_array_equal(one.certified, other.certified)
    np.testing.assert_array_equal(one.signs, -other.signs)
    assert one.stretches == other.stretches
    assert one.speedup == other.speedup
    if one.lower is not None:
        np.testing.assert_array_equal(one.lower, -other.upper)


@pytest.mark.parametrize("options", [{}, {"basis": "intervals"}, {"paired": True}])
def test_a_monotone_transformation_changes_no_claim(options):
    a, b = shared() if "paired" in options else two(0.2, 0.1)
    turned = [replace(m, scores=tuple(np.exp(5 * s) for s in m.scores)) for m in (a, b)]
    one, other = (bk.compare(*m, **options).pairs[0] for m in ((a, b), turned))
    np.testing.assert_array_equal(one.signs, other.signs)
    np.testing.assert_array_equal(one.gaps, other.gaps)
    assert one.speedup == other.speedup


@pytest.mark.parametrize("options", [{}, {"basis": "intervals"}, {"statistic": 0.25}])
def test_minimizing_is_maximizing_the_negated(options):
    a, b = two()
    turned = [replace(m, scores=tuple(-s for s in m.scores), direction="minimize") for m in (a, b)]
    one = bk.compare(a, b, **options)
    if "statistic" in options:
        options = {"statistic": 0.75}
    other = bk.compare(*turned, **options)
    np.testing.assert_array_equal(one.pairs[0].certified, other.pairs[0].certified)
    np.testing.assert_allclose(one.pairs[0].lower, -other.pairs[0].upper, rtol=1e-12)
    assert one.pairs[0].stretches == other.pairs[0].stretches
    assert one.pairs[0].speedup == other.pairs[0].speedup


def test_minimizing_against_a_search_is_maximizing_the_negated():
    a, b = strong(), random_search()
    turned = replace(a, scores=tuple(-s for s in a.scores), direction="minimize")
    loss = random_search(direction="minimize", bounds=None)
    loss = bk.Scores(-b.values, direction="minimize", sampling="iid", label="random")
    one, other = bk.compare(a, b).pairs[0], bk.compare(turned, loss).pairs[0]
    np.testing.assert_array_equal(one.certified, other.certified)
    assert one.speedup == other.speedup


@pytest.mark.parametrize("basis", ["test", "intervals"])
def test_more_confidence_certifies_less(basis):
    a, b = two(0.25, 0.12)
    some = [np.flatnonzero(bk.compare(a, b, basis=basis, confidence=c).pairs[0].signs)
            for c in (0.8, 0.95, 0.999)]  # fmt: skip
    for less, more in pairwise(some[::-1]):
        assert set(less) <= set(more)


@pytest.mark.parametrize("basis", ["test", "intervals"])
def test_certified_means_off_zero_and_between_the_ends(basis):
    found = bk.compare(*two(), basis=basis)
    pair = found.pairs[0]
    assert (pair.signs != 0).any()
    off = (pair.lower > 0) | (pair.upper < 0)
    np.testing.assert_array_equal(pair.signs != 0, off)
    assert (pair.lower <= pair.difference).all()
    assert (pair.difference <= pair.upper).all()
    for side in found.sides:
        assert (side.lower <= side.estimate).all()
        assert (np.diff(side.lower) >= 0).all()


def test_a_stretch_says_that_all_budgets_between_are_certified():
    pair = bk.compare(strong(), random_search(), budgets=[2, 4, 8, 32]).pairs[0]
    every = bk.compare(strong(), random_search(), budgets=range(1, 33)).pairs[0]
    assert any(low < high for low, high, _ in pair.stretches)
    tpe, random = pair.both if pair.first == "tpe" else pair.both[::-1]
    for low, high, _ in pair.stretches:
        for k in range(int(low), int(high) + 1):
            last = int(np.searchsorted(pair.budgets, k, side="right")) - 1
            upper = random.band.evaluate(np.array([float(k)])).upper[0]
            assert tpe.lower[last] > upper
            assert pair.certified_at(k) == "tpe"
    assert len(every.budgets) == 32  # and a list of neighbours needs nothing between


def test_listed_budgets_alone_are_said_where_nothing_is_proven_between():
    a, b = two(0.35, 0.22)
    pair = bk.compare(a, b, budgets=[1, 2, 16, 32]).pairs[0]
    single = [k for k, high, _ in pair.stretches if k == high]
    assert single
    inside = [k for k in range(1, 33) if k not in (1, 2, 16, 32) and pair.certified_at(k)]
    for k in inside:
        assert any(low < k < high for low, high, _ in pair.stretches)


# Unequal lengths, costs, test scores.


def shortened(method, ends, **options):
    scores = tuple(s[:end] for s, end in zip(method.scores, ends, strict=True))
    return replace(method, scores=scores, planned=N, **options)


def test_what_a_short_repeat_might_have_found_is_counted_as_possible():
    a, b = two()
    full = bk.compare(a, b).pairs[0]
    cut = bk.compare(shortened(a, [N] * 18 + [3, 9]), b, unequal="interval")
    pair = cut.pairs[0]
    assert (pair.lower <= full.lower).all()
    assert (pair.upper >= full.upper).all()
    assert "beyond its end" in str(cut.caveats)
    better = shortened(b, [N] * 12 + [2] * 8)
    worse = bk.compare(a, better, unequal="interval").pairs[0]
    assert worse.certified_at(32) == ""  # any of the eight might have overtaken
    assert full.certified_at(32) == "tpe"


def test_budgets_beyond_the_shortest_repeat_are_left_out_and_keep_their_share():
    a, b = two()
    short = shortened(b, [N] * 19 + [10])
    found = bk.compare(a, short)
    assert found.budgets.max() <= 10
    (note,) = [c for c in found.caveats if c.kind == "budgets-left-out"]
    assert note.about == ("random",)
    whole = bk.compare(a, b)
    kept = found.budgets.size
    np.testing.assert_array_equal(found.pairs[0].lower, whole.pairs[0].lower[:kept])


def test_costs_are_an_axis():
    a, b = (replace(m, costs=tuple(np.full(N, 2.0) for _ in range(20))) for m in two())
    one = bk.compare(a, b, axis="cost", budgets=[8.0, 32.0, 64.0]).pairs[0]
    other = bk.compare(a, b, budgets=[4, 16, 32]).pairs[0]
    np.testing.assert_array_equal(one.signs, other.signs)
    with pytest.raises(ArgumentError, match="needs a list of `budgets`"):
        bk.compare(a, b, axis="cost")
    assert "a cost of" in bk.compare(a, b, axis="cost", budgets=[8.0, 32.0, 64.0]).verdict


def test_test_scores_do_not_only_rise_and_are_said_at_listed_budgets_only():
    a, b = two()
    a, b = (replace(m, tests=tuple(s - 0.01 * np.arange(N) / N for s in m.scores)) for m in (a, b))
    pair = bk.compare(a, b, of="test", budgets=[2, 8, 16, 32]).pairs[0]
    assert (pair.gaps == 0).all()
    assert all(low == high for low, high, _ in pair.stretches)
    assert pair.speedup is None
    assert pair.needed(8, of="tpe") == (0.0, math.inf)
    assert "median test score over 20 repeats" in bk.compare(a, b, of="test").verdict


# What is chosen, refused and said.


def test_the_basis_rests_on_seeds_and_numbers_alone():
    a, b = two()
    assert bk.compare(a, b).basis == "test"
    assert bk.compare(*shared()).basis == "intervals"
    assert bk.compare(*two(n=8), budgets=range(1, 4)).basis in ("test", "intervals")
    assert bk.compare(a, random_search()).basis == "intervals"
    five = [draw(0.2, 20, i, f"m{i}", 100 * i) for i in range(5)]
    assert bk.compare(five).basis == "intervals"
    assert bk.compare(five[:3]).basis == "test"


def test_the_test_certifies_more_than_intervals_do():
    more = less = 0
    for seed in range(20):
        a, b = draw(0.3, 20, seed), draw(0.2, 20, 1000 + seed, "random", 100)
        more += np.count_nonzero(bk.compare(a, b).pairs[0].signs)
        less += np.count_nonzero(bk.compare(a, b, basis="intervals").pairs[0].signs)
    assert more > less > 0


def test_a_search_may_come_first_or_last_or_be_named():
    a, b = strong(), random_search()
    search = bk.Search({"score": b.values}, sampling="iid", label="random", bounds=(0, 1))
    first = bk.compare(a, b).pairs[0]
    for methods in ((b, a), (search, a), ([search, a],), ({"random": search, "tpe": a},)):
        found = bk.compare(*methods)
        assert found.kind() == "repeats-comparison"
        assert found.pairs[0].stretches == first.stretches
        assert found.pairs[0].speedup == first.speedup


def test_repeats_of_random_search_can_be_one_search():
    runs = bk.Repeats.of_array(np.random.default_rng(0).random((30, N)), seeds=range(50, 80),
                               sampling="iid", label="random", bounds=(0, 1))  # fmt: skip
    alone, pooled = bk.compare(strong(), runs), bk.compare(strong(), runs.pooled())
    assert pooled.n == [20, 30 * N]
    assert [c.about for c in alone.caveats if c.kind == "poolable"] == [("random",)]
    assert "poolable" not in {c.kind for c in pooled.caveats}
    wide, narrow = (found.sides[1].upper - found.sides[1].lower for found in (alone, pooled))
    assert (narrow < wide).all()


def test_a_speedup_is_where_the_sides_say_so():
    pair = bk.compare(strong(), random_search(), budgets=[4, 8, 16]).pairs[0]
    found = pair.speedup
    tpe = pair.both[0]
    band = pair.both[1].band
    i = pair.place(found.budget)
    at = band.evaluate(np.array([found.at_least - 1, found.at_least])).upper
    assert at[0] < tpe.lower[i] <= at[1]
    enough = band.evaluate(np.array([found.at_most - 1, found.at_most])).lower
    assert enough[0] < tpe.upper[i] <= enough[1]
    assert found.factor > 1
    assert pair.needed(found.budget, of="tpe") == (found.at_least, found.at_most)
    with pytest.raises(ArgumentError, match="must be 'tpe' or 'random'"):
        pair.needed(4, of="cma")


def test_speedups_between_repeats_are_at_listed_budgets():
    pair = bk.compare(*two(0.6, 0.05)).pairs[0]
    found = pair.speedup
    assert found.winner == "tpe"
    assert found.at_least - 1 in pair.budgets
    one, other = pair.both
    i, j = pair.place(found.budget), pair.place(found.at_least - 1)
    assert one.lower[i] > other.upper[j]


def test_nothing_is_certified_of_an_adaptive_search():
    found = bk.compare(strong(), random_search(sampling="adaptive"))
    assert found.validity == "void"
    assert (found.pairs[0].signs == 0).all()
    assert found.pairs[0].speedup is None
    assert found.verdict.startswith("No confidence statement is possible for random")
    plain = found.to_dict()
    assert plain["confidence"] is None
    assert set(plain["certified"]) == {None}


def test_unknown_seeds_are_an_assumption():
    a, b = two()
    found = bk.compare(replace(a, seeds=None), b)
    assert found.validity == "assumed"
    assert found.verdict.startswith(
        "If the repeats are independent searches (not all seeds are stated): tpe is ahead of random"
    )
    assert bk.compare(a, b).validity == "holds"
    unsure = bk.compare(strong(), random_search(sampling="unknown"))
    assert unsure.verdict.startswith("If the trials are independent draws (nothing says so): tpe")


@pytest.mark.parametrize(
    ("n", "budgets", "said"),
    [
        (5, None, "5 repeats cannot certify a difference of medians at 95 %: 7 of each method can "
                  "at one budget, 10 at ten."),
        (8, range(1, 33), "8 repeats cannot certify a difference of medians at 95 % and 32 "
                          "budgets: 12 of each method can. List fewer budgets."),
    ],
)  # fmt: skip
def test_too_few_repeats_say_how_many_are_needed(n, budgets, said):
    found = bk.compare(*two(n=n), budgets=budgets)
    assert found.verdict == said
    assert (found.pairs[0].signs == 0).all()


@pytest.mark.parametrize("size", [1, 3, 10])
@pytest.mark.parametrize("options", [{}, {"paired": True}])
def test_so_many_repeats_are_needed_and_enough(size, options):
    ks = np.arange(1, size + 1)
    needed = dict(bk.compare(*shared(), budgets=ks, **options).n_needed)[size]

    def apart(n):
        a, b = (bk.Repeats.of_array(i + np.arange(n * N).reshape(n, N) / 1e4, seeds=range(n),
                                    label=str(i)) for i in (1, 0))  # fmt: skip
        b = b if options else replace(b, seeds=range(100, 100 + n))
        return bk.compare(a, b, budgets=ks, **options).pairs[0].signs

    assert (apart(needed) == 1).all()
    assert (apart(needed - 1) == 0).all()


@pytest.mark.parametrize(
    ("methods", "options", "message"),
    [
        (lambda: {"a": two()[0], "b": [0.1, 0.2]}, {}, "got list. Make repeats"),
        (lambda: [two()[0]], {}, "needs two or more methods; got 1"),
        (lambda: [two()[0], two()[0]], {}, "different labels; got 'tpe', 'tpe'"),
        (two, {"statistic": "mean"}, 'statistic="mean" is not compared over repeats'),
        (two, {"paired": True}, "paired repeats must have the same seeds; 20 seeds of tpe and 20"),
        (shared, {"basis": "test"}, "needs methods with seeds of their own; tpe and random share"),
        (shared, {"paired": True, "basis": "intervals"}, "has a test of its own"),
        (lambda: [strong(), random_search()], {"paired": True}, "'random' is a single search"),
        (lambda: [strong(), random_search()], {"basis": "test"}, "'random' is a single search"),
        (lambda: [strong(), random_search()], {"axis": "cost"}, "'random' is a single search"),
        (two, {"by": "lr"}, "`by` belongs to a comparison of searches, not of Repeats"),
        (two, {"simultaneous": "whole"}, "`simultaneous` belongs to a comparison of searches"),
        (two, {"budgets": [64]}, "every repeat reaches, at most 32 trials"),
        (lambda: [two()[0], replace(two()[1], direction="minimize")], {}, "one direction; got tpe"),
    ],
)  # fmt: skip
def test_refusals_are_one_sentence(methods, options, message):
    with pytest.raises((ArgumentError, DataError)) as error:
        bk.compare(methods(), **options)
    assert message in str(error.value)


def test_one_repeat_is_refused():
    with pytest.raises(DataError, match="needs two or more whole searches"):
        bk.compare(two()[0], draw(0.1, 1, 2, "random", 100))


def test_options_of_repeats_are_refused_of_searches():
    with pytest.raises(ArgumentError, match="`basis` belongs to a comparison of Attempts or"):
        bk.compare({"a": [0.1, 0.2], "b": [0.3, 0.4]}, basis="test")


def test_verdict_of_a_lead():
    found = bk.compare(strong(), random_search(), budgets=[4, 8, 16, 32])
    s = found.pairs[0].speedup
    assert found.verdict.startswith(
        "tpe is ahead of random from 4 to 8 and at 16 and 32 trials (median over 20 repeats, "
        "95 %). At 32 trials its median best is "
    )
    assert f"With {s.budget:g} trials it does what random needs at least {s.at_least:g} and at " \
        f"most {s.at_most:g} for." in found.verdict  # fmt: skip


def test_verdict_of_a_crossing():
    a = draw(0.5, 20, 1, "tpe")
    b = bk.Repeats.of_array(0.6 + 0.001 * np.random.default_rng(0).random((20, N)),
                            seeds=range(100, 120), label="steady")  # fmt: skip
    found = bk.compare(a, b, budgets=[1, 16, 32])
    assert found.verdict == (
        "It depends on the budget: steady is ahead at 1 trial, tpe is ahead from 16 to 32 trials "
        "(median over 20 repeats, 95 %). They cross between 1 and 16 trials."
    )
    assert found.pairs[0].crossings == ((1.0, 16.0),)


def test_verdict_of_paired_seeds_is_about_seeds():
    found = bk.compare(*shared(), paired=True, budgets=[1, 8, 32])
    assert found.verdict == (
        "tpe beats random in more than half of the seeds at 1, 8 and 32 trials (sign test over 20 "
        "seeds, 95 %). At 32 trials it is better in 20 of 20 and worse in 0."
    )
    assert "median" not in found.verdict
    assert found.pairs[0].crossings == ()
    assert found.rows.lower is None


def test_verdict_of_no_lead():
    a, b = two(0.15, 0.15)
    found = bk.compare(a, b, budgets=[1, 8, 32])
    assert found.verdict.startswith("No. From 20 repeats each you cannot claim that ")
    assert " at 1, 8 or 32 trials (95 %). At 32 trials it leads by " in found.verdict
    assert "any of the ten listed budgets from 1 to 32 trials" in bk.compare(a, b).verdict


def test_shared_seeds_are_said():
    found = bk.compare(*shared())
    assert "tpe and random share 20 seeds" in str([str(c) for c in found.caveats])


def test_a_claim_can_be_required():
    found = bk.compare(*two(), budgets=[1, 8, 32])
    assert parse_claim("tpe>random@32", found).judged(found)[0]
    assert not parse_claim("random>tpe@32", found).judged(found)[0]


def test_the_chart_shows_what_is_certified():
    found = bk.compare(*two(), budgets=[1, 8, 32])
    chart = found.chart()
    assert [s.line.label for s in chart.series] == ["tpe", "random"]
    assert all(s.area is not None for s in chart.series)
    assert chart.ribbon.stretches == tuple((a, b, 0) for a, b, _ in found.pairs[0].stretches)
    paired = bk.compare(*shared(), paired=True).chart()
    assert all(s.area is None for s in paired.series)
    assert "more than half of the seeds" in paired.ribbon.label


def test_three_methods_are_compared_in_pairs():
    a, b = two()
    found = bk.compare(a, b, strong(seeds=range(200, 220), label="cma"))
    assert [(p.first, p.second) for p in found.pairs] == [
        ("tpe", "random"), ("tpe", "cma"), ("random", "cma")
    ]  # fmt: skip
    assert len(found.to_dict()["difference"]) == 3 * found.budgets.size
    with pytest.raises(ArgumentError, match="must be two of tpe, random, cma"):
        found.pair("tpe", "x")


def test_the_level_is_that_of_the_list():
    """One budget of ten has a tenth of the error: fewer are certified than with it alone."""
    alone = solve(20, 20, [0.5], 0.05)
    shared_out = solve(20, 20, [0.5], 0.005)
    assert alone.for_a.above[0] < shared_out.for_a.above[0]


def apart_by(shift, n, m, budgets, options, seed, way):
    """Compare two methods with equal laws, the first of them shifted."""
    rng = np.random.default_rng(seed)
    one = bk.Repeats.of_array(rng.random((n, 8)) + shift, seeds=range(n), label="a", direction=way)
    if options.get("paired"):
        m = n
    scores = rng.random((m, 8))
    first = 0 if options.get("paired") else 100
    two = bk.Repeats.of_array(scores, seeds=range(first, first + m), label="b", direction=way)
    if options.get("search"):
        two = bk.Scores(rng.random(400), sampling="iid", label="b", direction=way)
    told = {k: v for k, v in options.items() if k != "search"}
    return bk.compare([one, two], budgets=budgets, **told)


@pytest.mark.parametrize(
    "options",
    [{}, {"basis": "test"}, {"basis": "intervals"}, {"paired": True}, {"search": True}],
    ids=str,
)
def test_what_repeats_cannot_show_they_never_do(options):
    rng = np.random.default_rng(19)
    silent = one_way = 0
    for seed in range(24):
        n, m = rng.integers(2, 45, 2).tolist()
        told = options | {"statistic": float(rng.choice([0.5, 0.9, 0.2]))}
        budgets = list(range(8, 8 - int(rng.choice([1, 4])), -1))
        way = str(rng.choice(["maximize", "minimize"]))

        def certified(shift, args=(n, m, budgets, told, seed, way)):
            return set(apart_by(shift, *args).pairs[0].certified) - {""}

        found = apart_by(0, n, m, budgets, told, seed, way)
        far = certified(9) | certified(-9)
        silent += "cannot certify" in found.verdict
        one_way += "cannot show that" in found.verdict
        if "cannot certify" in found.verdict:
            assert not far
        elif "cannot show that" in found.verdict:
            leader = found.verdict.partition("claim that ")[2][0]
            assert leader not in far
        elif not far:
            pytest.fail(f"nothing is said of too few: {found.verdict}")
    assert silent + one_way > 0  # the sentences are there to be wrong


def test_few_repeats_may_show_a_lead_in_a_high_quantile_though_not_the_opposite():
    """The negative control is what was said by the number of repeats alone: they cannot."""
    far = apart_by(9, 12, 60, [8], {"statistic": 0.9}, 0, "maximize")
    assert far.verdict.startswith(
        "a is ahead of b at 8 trials (0.9-quantile over 12 and 60 repeats"
    )
    assert "its 0.9-quantile of the best is" in far.verdict
    assert dict(far.n_needed)[1] > 12
    near = apart_by(-0.1, 12, 60, [8], {"statistic": 0.9}, 0, "maximize")
    assert near.verdict.startswith("No. From 12 repeats and 60 repeats you cannot claim that b is")
    assert near.verdict.endswith(" 12 repeats cannot show that, whatever they reach: 42 can.")


def test_methods_that_begin_alike_are_not_taken_for_independent():
    """Shared seeds that nobody states: half of A above the median where B is below it."""
    rng = np.random.default_rng(19)
    coins = rng.integers(0, 2, (4000, 24)).astype(float)
    a, b = np.sort(10 + coins, axis=1), np.sort(10 - coins, axis=1)
    wrong = (claims(solve(24, 24, [0.5], 0.05), a, b) != 0).mean()
    assert wrong > 0.06  # nominal 0.05: the test needs independent methods
    ranks = listed_ranks(24, 0.5, 0.025, 1)
    low, high = ranks.lower[0] - 1, ranks.upper[0] - 1
    errs = (a[:, low] > b[:, high]) | (b[:, low] > a[:, high])
    assert stats.binomtest(int(errs.sum()), 4000, 0.05, alternative="greater").pvalue > 1e-6
    same = rng.random((24, 5))
    one, two = (
        bk.Repeats.of_array(np.c_[same, 10 + way * coins[0]], label=label)
        for way, label in ((1, "a"), (-1, "b"))
    )
    found = bk.compare([one, two], budgets=[6])
    assert found.basis == "intervals"
    assert any("24 repeats of a and b begin with the same scores" in str(c) for c in found.caveats)
    with pytest.raises(ArgumentError, match="needs methods with seeds of their own; 24 repeats"):
        bk.compare([one, two], budgets=[6], basis="test")


def test_two_random_searches_beside_repeats_are_compared_too():
    better = bk.Scores(random_search(300).values + 2, sampling="iid", label="better")
    found = bk.compare([strong(), random_search(300), better])
    assert "better is ahead of random" in found.verdict
    assert "(median of the best, 300 trials, 95 %)" in found.verdict


def test_a_bound_in_words_never_claims_more_than_was_computed():
    costs = [123.456, 200.0, 400.0]
    one = bk.Repeats(names=range(12), scores=[[9.0 + i] for i in range(12)], seeds=range(12),
                     costs=[[10.0]] * 12, label="a")  # fmt: skip
    two = bk.Repeats(names=range(12), scores=[[0.1 * i, 20.0 + i] for i in range(12)],
                     seeds=range(20, 32), costs=[[10.0, 150.0]] * 12, label="b")  # fmt: skip
    found = bk.compare([one, two], axis="cost", budgets=[20.0, *costs], unequal="interval")
    said = found.pairs[0].speedup
    assert said.at_least == 123.456
    assert "needs at least 123.4 " in found.verdict
    assert "a is ahead of b from a cost of 20 to 123.4 (" in found.verdict
    assert format_number(said.at_least) == "123.5"  # rounded to the nearest it claims more


def test_an_interval_of_repeats_whose_seeds_are_unknown_says_so():
    one, two = (replace(r, seeds=None) for r in two_alike())
    said = bk.compare([one, two], budgets=[8]).verdict
    assert said.startswith("No. ")
    assert said.endswith(", if the repeats are independent searches (not all seeds are stated).")


def two_alike():
    return two(fast=0.1, slow=0.1)


def test_before_the_first_score_nothing_is_bounded_by_infinity():
    late = np.full((12, 4), np.nan)
    late[:, 3] = np.random.default_rng(0).random(12)
    none = bk.Repeats.of_array(late, seeds=range(12), label="late")
    some = bk.Repeats.of_array(1 + late[:, ::-1], seeds=range(20, 32), label="some")
    said = bk.compare([none, some], budgets=[1, 2]).verdict
    assert said.startswith("some is ahead of late from 1 to 2 trials")
    assert said.endswith("against none yet.")
    assert "inf" not in said
    band = bk.tuning_band(none, budgets=[1, 2])
    assert "none yet (95 % band over all budgets up to 2: none yet;" in band.summary
    assert "none yet (estimate" in bk.tuning_curve(none, budgets=[1]).summary
