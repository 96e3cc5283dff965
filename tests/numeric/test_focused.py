"""Levels of bands for the budgets asked about: published values, exact coverage, the largest."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bestofk.numeric.noncrossing import focused
from bestofk.numeric.noncrossing.beta import interval_ends, tail_quantiles
from bestofk.numeric.noncrossing.critical import band_ends, critical_level
from bestofk.numeric.noncrossing.crossing import noncrossing
from bestofk.numeric.noncrossing.focused import focused_band, rough_band, solve
from bestofk.numeric.noncrossing.snapping import Asked

KINDS = ("highest-density", "equal-tailed")
HD = "highest-density"
WHOLE = Asked("whole", 0.5)
REAL = Asked("real", 0.5)


def listed(*budgets, q=0.5):
    return Asked("listed", q, tuple(float(k) for k in budgets))


def upto(last):
    return listed(*range(1, last + 1))


def cost(confidence):
    return -math.log1p(confidence - 1)


def band_of(n, confidence, asked=WHOLE, kind=HD, sides="both"):
    return focused_band(n, cost(confidence), kind, sides, asked)


def ranks(band, budgets):
    """Return (j, r) at some budgets: Y_(j) bounds from below, Y_(r) from above."""
    k = np.asarray(budgets, dtype=float)
    j = np.searchsorted(band.spans.bottoms, k, side="right")
    return j, 1 + np.searchsorted(band.spans.tops, k, side="left")


def coverage(spans, q):
    """Return P(l' <= U <= u') of a band as it is read, by the ends of the order statistics."""
    with np.errstate(divide="ignore"):
        lower, upper = np.exp(math.log(q) / spans.tops), np.exp(math.log(q) / spans.bottoms)
    return noncrossing(lower, upper)


def coverage_at(eta, n, kind, sides, asked):
    """Return the coverage at another level, snapped by the definition, in levels not in budgets."""
    q = asked.q
    if sides == "both":
        lower, upper = interval_ends(n, eta, kind)
    else:
        lower, upper = tail_quantiles(n, eta)
        lower, upper = (lower, np.ones(n)) if sides == "lower" else (np.zeros(n), upper)
    lower, upper = np.maximum.accumulate(lower), np.minimum.accumulate(upper[::-1])[::-1]
    if asked.simultaneous == "range":
        first, last = (q ** (1 / k) for k in asked.budgets)
        low = np.where(lower < first, 0.0, np.minimum(lower, last))
        high = np.where(upper >= last, 1.0, np.maximum(upper, first))
    elif asked.simultaneous == "listed":
        levels = q ** (1 / np.array(asked.budgets))
        low = np.append(0.0, levels)[np.searchsorted(levels, lower, side="right")]
        high = np.append(levels, 1.0)[np.searchsorted(levels, upper, side="right")]
    else:
        with np.errstate(divide="ignore"):
            k = np.floor(math.log(q) / np.log(lower))
            low = np.where(k < 1, 0.0, q ** (1 / np.maximum(k, 1)))
            # Next to 1 the mirror has the digits.
            log_upper = np.log1p(-tail_or_mirror(lower, upper, sides, n, eta))
            k = np.floor(math.log(q) / np.minimum(log_upper, -1e-300)) + 1
        high = np.where(upper >= 1.0, 1.0, q ** (1 / k))
    return noncrossing(low, high)


def tail_or_mirror(lower, upper, sides, n, eta):
    """Return 1 - u to its digits: the lower end of the mirrored rank."""
    if sides == "both":
        return np.where(upper > 0.5, lower[::-1], 1 - upper)
    if sides == "upper":
        return np.where(upper > 0.5, tail_quantiles(n, eta)[0][::-1], 1 - upper)
    return 1 - upper


class TestPublishedValues:
    """Those of the derivation, to the digits printed there; found by another program."""

    @pytest.mark.parametrize(
        ("confidence", "n", "real", "whole", "of_list", "widths", "reaches"),
        [
            (0.80, 48, 0.01690, 0.05264, 0.10165, (14.75, 12.25, 10.75), (8, 11)),
            (0.80, 256, 0.00923, 0.03007, 0.03890, (22.2, 18.5, 17.7), (37, 50)),
            (0.95, 48, 0.00331, 0.01297, 0.02344, (18.0, 15.3, 14.5), (5, 7)),
            (0.95, 256, 0.00172, 0.00679, 0.00823, (26.4, 23.0, 22.4), (27, 35)),
            (0.95, 1024, 0.00115, 0.00426, 0.00461, (30.9, 27.4, 27.1), (104, 130)),
        ],
    )
    def test_the_table(self, confidence, n, real, whole, of_list, widths, reaches):
        last = n // 10
        bands = [band_of(n, confidence, asked) for asked in (REAL, WHOLE, upto(last))]
        for band, eta, width in zip(bands, (real, whole, of_list), widths, strict=True):
            assert band.eta == pytest.approx(eta, abs=5.1e-6)
            j, r = ranks(band, np.arange(1, last + 1))
            assert np.mean(r - j) == pytest.approx(width, abs=0.0501)
        assert [math.floor(band.spans.tops[-1]) for band in bands[:2]] == list(reaches)

    @pytest.mark.parametrize(
        ("n", "confidence", "asked", "eta", "achieved", "digits"),
        [
            (48, 0.80, WHOLE, 0.05264, 0.80299, 5),
            (48, 0.95, WHOLE, 0.01297, 0.95024, 5),
            (256, 0.95, WHOLE, 0.00679, 0.9512, 4),
            (48, 0.80, upto(4), 0.10165, 0.8173, 4),
            (48, 0.80, upto(12), 0.05264, 0.8180, 4),
            (48, 0.80, Asked("range", 0.5, (1.0, 4.8)), 0.043813, 0.8000, 4),
            (48, 0.95, Asked("range", 0.5, (1.0, 4.8)), 0.007936, 0.9500, 4),
            (48, 0.95, upto(4), 0.02344, None, 0),
            (1024, 0.95, upto(102), 0.00461, None, 0),
        ],
    )
    def test_levels_and_exact_coverage(self, n, confidence, asked, eta, achieved, digits):
        band = band_of(n, confidence, asked)
        printed = 6 if asked.simultaneous == "range" else 5
        assert band.eta == pytest.approx(eta, abs=0.51 * 10**-printed)
        if achieved is not None:
            assert 1 - band.alpha == pytest.approx(achieved, abs=0.51 * 10**-digits)
        assert coverage(band.spans, 0.5).alpha == pytest.approx(band.alpha, abs=1e-12)

    def test_ranks(self):
        j, r = ranks(band_of(48, 0.95), [1, 2, 5, 10])
        assert [*zip(j, r, strict=True)] == [(16, 33), (26, 42), (35, 47), (39, 49)]  # 49: none
        j, r = ranks(band_of(256, 0.95), [1, 2, 5, 10])
        assert [*zip(j, r, strict=True)] == [(106, 151), (161, 201), (207, 237), (227, 249)]

    def test_between_whole_budgets_it_is_wider_than_the_band_for_real_ones(self):
        whole, real = band_of(256, 0.95), band_of(256, 0.95, REAL)
        j, r = ranks(whole, [1.5])
        assert (j[0], r[0]) == (106, 201)
        j, r = ranks(real, [1.5])
        assert (j[0], r[0]) == (137, 186)


@pytest.mark.parametrize("n", [1, 2, 5, 48, 256, 1000])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", ["both", "lower", "upper"])
def test_real_is_the_band_of_the_paper(n, kind, sides):
    for confidence in (0.51, 0.8, 0.95, 0.999):  # at 0.5 an end of n = 1 is a level to the bit
        band = band_of(n, confidence, REAL, kind, sides)
        level = critical_level(n, confidence=confidence, kind=kind, sides=sides)
        assert band.eta == pytest.approx(level.eta, rel=1e-10)
        assert band.alpha == pytest.approx(1 - confidence, rel=1e-9)
        lower, upper = band_ends(n, level.eta, kind, sides)
        k = np.array([0.4, 1.0, 2.3, 7.0, 30.0])
        p = 0.5 ** (1 / k)
        j, r = ranks(band, k)
        np.testing.assert_array_equal(j, [np.sum(upper < x) for x in p])
        np.testing.assert_array_equal(r, [1 + np.sum(lower < x) for x in p])


@pytest.mark.parametrize("n", [3, 20, 48, 500])
@pytest.mark.parametrize("k", [1, 4, 10])
def test_one_budget_is_the_binomial_interval(n, k):
    for kind in KINDS:
        for sides in ("both", "lower", "upper"):
            band = band_of(n, 0.9, listed(k), kind, sides)
            (j,), (r,) = ranks(band, [k])
            p = 0.5 ** (1 / k)
            exact = stats.binom.cdf(r - 1, n, p) - stats.binom.cdf(j - 1, n, p)
            assert 1 - band.alpha == pytest.approx(exact, abs=1e-12)
            assert exact >= 0.9 - 1e-12
            # One rank less on a side that says something would be too little (one-sided: exactly).
            if sides == "lower" and r <= n:
                assert stats.binom.cdf(r - 2, n, p) < 0.9
            if sides == "upper" and j >= 1:
                assert 1 - stats.binom.cdf(j, n, p) < 0.9


ASKED = st.one_of(
    st.builds(lambda q: Asked("whole", q), st.sampled_from([0.1, 0.5, 0.9])),
    st.builds(
        lambda q, ks: Asked("listed", q, tuple(sorted(ks))),
        st.sampled_from([0.1, 0.5, 0.9]),
        st.sets(st.sampled_from([0.6, 1.0, 2.0, 2.5, 4.0, 10.0, 33.0, 150.0]), min_size=1),
    ),
    st.builds(
        lambda q, first, factor: Asked("range", q, (first, first * factor)),
        st.sampled_from([0.1, 0.5, 0.9]),
        st.floats(0.3, 5.0),
        st.floats(1.001, 50.0),
    ),
)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 60),
    alpha=st.one_of(st.floats(0.001, 0.9), st.sampled_from([1e-4, 1e-9])),
    kind=st.sampled_from(KINDS),
    sides=st.sampled_from(["both", "lower", "upper"]),
    asked=ASKED,
)
def test_a_band_holds_as_often_as_it_says(n, alpha, kind, sides, asked):
    band = focused_band(n, -math.log1p(-alpha), kind, sides, asked)
    achieved = coverage(band.spans, asked.q)
    # Truncation at 1e-12 of alpha, rounding of the levels at 1e-16 n.
    assert achieved.alpha <= alpha * (1 + 1e-9) + 1e-13
    assert achieved.alpha == pytest.approx(band.alpha, rel=1e-9, abs=1e-13)
    assert band.solved
    if sides == "upper":
        assert (band.spans.tops == 0).all()
    if sides == "lower":
        assert np.isinf(band.spans.bottoms).all()
    # As large as can be: no more at a level a little above, unless nothing is ever missed.
    if band.eta < focused.LARGEST_ETA * (1 - 1e-9):
        more = coverage_at(band.eta * (1 + 1.1e-4), n, kind, sides, asked)
        assert more.alpha > alpha * (1 - 1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", [2, 7, 48, 256, 1024, 2048])
def test_the_level_is_the_largest(n, kind):
    """Just after the jump that is returned the band misses too often."""
    some = [WHOLE, upto(max(1, n // 10)), listed(1, 2, 5, 10), Asked("listed", 0.9, (1.0, 3.0))]
    for confidence in (0.8, 0.95) if n < 200 else (0.9,):
        for asked in some:
            band = band_of(n, confidence, asked, kind)
            alpha = 1 - confidence
            assert coverage(band.spans, asked.q).alpha <= alpha + 1e-12
            before = coverage_at(band.eta * (1 - 1e-6), n, kind, "both", asked)
            assert before.alpha <= alpha + 1e-12
            if band.eta >= focused.LARGEST_ETA * (1 - 1e-9):
                continue
            # Whole budgets beyond 200 are not searched one by one: there the level is within 1e-4.
            exact = asked.simultaneous == "listed" or n <= 48
            after = coverage_at(
                band.eta * (1 + (1e-6 if exact else 1.1e-4)), n, kind, "both", asked
            )
            assert after.alpha > alpha


def random_case(rng, largest):
    n = int(np.exp(rng.uniform(0, math.log(largest))))
    confidence = float(rng.choice([0.5, 0.8, 0.9, 0.95, 0.975, 0.99, rng.uniform(0.3, 0.999)]))
    q = float(rng.choice([0.5, 0.5, 0.1, 0.9]))
    kind, sides = rng.choice(KINDS), rng.choice(["both", "both", "lower", "upper"])
    size = int(rng.integers(1, 12))
    budgets = np.unique(np.round(np.exp(rng.uniform(-0.5, math.log(2 * n + 2), size)), 2))
    which = rng.choice(["whole", "listed", "range"])
    if which == "whole":
        return n, confidence, str(kind), str(sides), Asked("whole", q), np.arange(1.0, 2 * n + 9)
    if which == "range":
        ends = (float(budgets[0]), float(budgets[-1]) + 0.01)
        return (
            n,
            confidence,
            str(kind),
            str(sides),
            Asked("range", q, ends),
            np.geomspace(*ends, 200),
        )
    return (
        n,
        confidence,
        str(kind),
        str(sides),
        Asked("listed", q, tuple(budgets.tolist())),
        budgets,
    )


@pytest.mark.parametrize(
    ("seed", "cases", "largest"),
    [(0, 150, 100), *(pytest.param(s, 425, 2000, marks=pytest.mark.slow) for s in (1, 2))],
)
def test_at_its_budgets_a_band_lies_inside_that_for_all_real_ones(seed, cases, largest):
    rng, narrower = np.random.default_rng(seed), 0
    for _ in range(cases):
        n, confidence, kind, sides, asked, budgets = random_case(rng, largest)
        band = focused_band(n, cost(confidence), kind, sides, asked)
        real = focused_band(n, cost(confidence), kind, sides, Asked("real", asked.q))
        j, r = ranks(band, budgets)
        j_real, r_real = ranks(real, budgets)
        assert (j >= j_real).all()
        assert (r <= r_real).all()
        assert band.eta >= real.eta * (1 - 1e-12)
        narrower += bool((j > j_real).any() or (r < r_real).any())
    assert narrower > 0.6 * cases  # and as a rule strictly


def test_two_negative_controls():
    """What a band does not hold for: exact coverage of the wrong ways to read one."""
    # The unsnapped ends of "whole", read as a band for the distribution.
    eta = band_of(48, 0.8).eta
    as_cdf = noncrossing(*interval_ends(48, eta, HD), symmetric=True).probability
    assert as_cdf == pytest.approx(0.53, abs=0.005)
    # The ranks of a listed band, read between its budgets.
    asked = listed(1, 2, 5, 10, 20)
    eta = band_of(256, 0.95, asked).eta
    at_listed = coverage_at(eta * (1 - 1e-9), 256, HD, "both", asked).probability
    between = coverage_at(eta, 256, HD, "both", Asked("range", 0.5, (1.0, 20.0))).probability
    whole = coverage_at(eta, 256, HD, "both", upto(20)).probability
    assert at_listed >= 0.95
    assert between < 0.87
    assert whole < 0.92


class TestTable:
    def test_entries_are_the_levels_that_are_solved_for(self):
        table, rng = focused._table(), np.random.default_rng(4)
        for kind in KINDS:
            assert [*table[kind]] == [repr(c) for c in focused.TABLED]
            for confidence in focused.TABLED:
                entries = table[kind][repr(confidence)]
                assert len(entries) == focused.LARGEST_TABLED
                small, large = rng.integers(1, 200, 3), rng.integers(200, 1025, 1)
                for n in (*small.tolist(), *large.tolist()):
                    eta = solve(n, cost(confidence), kind, "both", WHOLE).eta
                    assert entries[n - 1] == pytest.approx(1e9 * eta, abs=1.001)
                    assert entries[n - 1] <= 1e9 * eta * (1 + 1e-9)

    def test_a_wrong_entry_costs_time_and_not_coverage(self, monkeypatch):
        right = focused_band(60, cost(0.95), HD, "both", WHOLE)
        wrong = copy.deepcopy(focused._table())
        wrong[HD]["0.95"][59] = int(1.05 * wrong[HD]["0.95"][59])
        monkeypatch.setattr(focused, "_table", lambda: wrong)
        assert focused._from_table(60, cost(0.95), HD, "both", WHOLE) is None
        got = focused_band(60, cost(0.95), HD, "both", WHOLE)
        assert got.eta == pytest.approx(right.eta, abs=1.1e-9)
        np.testing.assert_array_equal(got.spans.tops, right.spans.tops)
        np.testing.assert_array_equal(got.spans.bottoms, right.spans.bottoms)

    def test_table_and_solution_are_the_same_band(self):
        for n in (1, 2, 10, 48, 333):
            for confidence in (0.8, 0.99):
                read = focused_band(n, cost(confidence), HD, "both", WHOLE)
                solved = solve(n, cost(confidence), HD, "both", WHOLE)
                np.testing.assert_array_equal(read.spans.tops, solved.spans.tops)
                np.testing.assert_array_equal(read.spans.bottoms, solved.spans.bottoms)
                assert read.alpha == pytest.approx(solved.alpha, rel=1e-10)


def test_extreme_confidences():
    for n in (1, 2, 10, 100):
        for alpha in (1e-15, 1e-12, 1e-6, 0.5, 0.999):
            for asked in (WHOLE, listed(1, 3), Asked("range", 0.5, (1.0, 3.0))):
                band = focused_band(n, -math.log1p(-alpha), HD, "both", asked)
                achieved = coverage(band.spans, 0.5)
                assert achieved.alpha <= alpha * (1 + 1e-9)


def test_many_scores_are_solved_on_the_safe_side():
    for n in (4096, 16_384):
        band = band_of(n, 0.95)
        achieved = coverage(band.spans, 0.5)
        assert achieved.alpha == pytest.approx(band.alpha, rel=1e-8)
        # Within 1e-4 of the largest level, or of the error; steps are larger than that.
        assert 0.05 * (1 - 2e-3) < achieved.alpha <= 0.05
        assert coverage_at(band.eta * (1 + 1e-3), n, HD, "both", WHOLE).alpha > 0.05
    for largest, asked in (
        (focused.LARGEST_SOLVED, WHOLE),
        (focused.LARGEST_RANGE, Asked("range", 0.5, (1.0, 9.0))),
    ):
        beyond = band_of(largest + 1, 0.95, asked)
        assert not beyond.solved
        assert beyond.eta == critical_level(largest + 1, confidence=0.95).eta


def test_the_rough_level_is_near():
    for n, error in ((48, 0.2), (300, 0.045), (1024, 0.045), (5000, 0.045)):
        for confidence in (0.8, 0.85, 0.93, 0.95, 0.97, 0.995):
            rough = rough_band(n, cost(confidence), HD, "both", WHOLE)
            exact = focused_band(n, cost(confidence), HD, "both", WHOLE)
            assert not rough.solved
            assert rough.eta == pytest.approx(exact.eta, rel=error)
            for side, exact_side in zip(
                ranks(rough, [1, 2, 5]), ranks(exact, [1, 2, 5]), strict=True
            ):
                assert (abs(side - exact_side) <= 1).all()


def test_a_range_jumps_where_an_end_enters_it():
    """Its coverage is not continuous: at n = 1 nothing is said until an end is in the range."""
    asked = Asked("range", 0.1, (1.0, 2.0))
    band = focused_band(1, -math.log1p(-0.0625), "equal-tailed", "both", asked)
    assert band.eta == pytest.approx(0.2, rel=1e-12)  # l = eta / 2 is the level of 1 trial
    assert band.alpha == 0
    assert coverage_at(0.2 * (1 + 1e-9), 1, "equal-tailed", "both", asked).alpha > 0.0625
    rng = np.random.default_rng(8)
    for _ in range(12):
        n, first = int(rng.integers(1, 60)), float(rng.uniform(0.5, 3))
        asked = Asked("range", 0.5, (first, first * float(rng.uniform(1.001, 3))))
        confidence = float(rng.uniform(0.3, 0.99))
        band = band_of(n, confidence, asked)
        assert 1 - confidence >= coverage(band.spans, 0.5).alpha - 1e-11
        if band.eta < 0.99:
            after = coverage_at(band.eta * (1 + 1e-8), n, HD, "both", asked)
            assert after.alpha > 1 - confidence


def test_more_confidence_and_more_budgets_widen_a_band():
    rng = np.random.default_rng(6)
    for _ in range(8):
        n = int(rng.integers(2, 150))
        kind = KINDS[int(rng.integers(2))]
        first, second = sorted(rng.uniform(0.5, 0.99, 2))
        some, more = listed(1, 5), listed(1, 2, 5, 11)
        assert band_of(n, first, more, kind).eta >= band_of(n, second, more, kind).eta
        assert band_of(n, first, some, kind).eta >= band_of(n, first, more, kind).eta
        assert band_of(n, first, more, kind).eta >= band_of(n, first, WHOLE, kind).eta * (
            1 - 1.1e-4
        )
