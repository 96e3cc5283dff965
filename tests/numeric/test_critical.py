"""Critical levels: published and closed-form values, laws, extremes, coverage."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bestofk.numeric.noncrossing import critical
from bestofk.numeric.noncrossing.critical import band_ends, critical_level
from bestofk.numeric.noncrossing.crossing import noncrossing
from tests.reference.exact_noncrossing import noe

KINDS = ("equal-tailed", "highest-density")

# eta to 12 digits, found by two independent programs that agree on all of them.
# n: equal-tailed at 80, 95, 99 %, then highest-density at 80, 95, 99 %.
ETA = {
    2: "0.113765147481 0.0265331546269 0.00512998956427 0.1 0.025 0.005",
    5: "0.056729206787 0.012271379564 0.00225873689455 "
    "0.0543014462272 0.0122758075982 0.00229512550195",
    10: "0.0357655657796 0.00738498583848 0.00131064518264 "
    "0.0360968480471 0.00772689326934 0.00138610014245",
    48: "0.0157248361421 0.00301491912075 0.000502377616663 "
    "0.016904636609 0.00331408226258 0.000556919891365",
    256: "0.00853989861562 0.00156966258653 0.000252162913146 "
    "0.00923171572512 0.0017179733173 0.000277494623972",
}


@pytest.mark.parametrize("n", ETA)
def test_tabulated_levels(n):
    wanted = map(float, ETA[n].split())
    for kind in KINDS:
        for confidence in (0.80, 0.95, 0.99):
            got = critical_level(n, confidence=confidence, kind=kind)
            # 5e-12: half a unit in the twelfth digit of the table.
            assert got.eta == pytest.approx(next(wanted), rel=5e-12)
            assert got.exact
            assert got.error < 1e-11
            assert got.confidence == pytest.approx(confidence, rel=1e-14)


@pytest.mark.parametrize(
    ("n", "kind", "level"),
    [
        (10, "equal-tailed", 0.9642344342),
        (48, "equal-tailed", 0.9842751639),
        (10, "highest-density", 0.9639031520),
        (48, "highest-density", 0.9830953634),
    ],
)
def test_levels_at_eighty_percent(n, kind, level):
    assert critical_level(n, confidence=0.8, kind=kind).level == pytest.approx(level, abs=5.1e-11)


@pytest.mark.parametrize(
    ("n", "confidence", "eta"),
    [(10, 0.95, 0.00794338), (10, 0.8, 0.0408036), (48, 0.95, 0.00334891), (48, 0.8, 0.0187593)],
)
def test_one_sided_levels(n, confidence, eta):
    for kind in KINDS:  # one definition for both kinds
        for sides in ("lower", "upper"):
            got = critical_level(n, confidence=confidence, kind=kind, sides=sides)
            assert got.eta == pytest.approx(eta, rel=1.3e-6)  # half a unit in the last digit given


@pytest.mark.parametrize("confidence", [0.001, 0.3, 0.499, 0.5, 0.501, 0.8, 0.999, 1 - 1e-9])
def test_closed_forms(confidence):
    for sides in ("both", "lower", "upper"):
        for kind in KINDS:
            one = critical_level(1, confidence=confidence, kind=kind, sides=sides)
            assert one.eta == pytest.approx(1 - confidence, rel=1e-12)
    eta = (1 - confidence) / 2 if confidence >= 0.5 else (1 - math.sqrt(confidence / 2)) ** 2
    # 3e-12: 1 - confidence keeps seven digits fewer than alpha at 1 - 1e-9, exactly as given here.
    assert critical_level(2, confidence=confidence).eta == pytest.approx(eta, rel=3e-12)


def test_two_ranks_one_sided_in_closed_form():
    # P(U_(1) >= a, U_(2) >= b) = integral over t from b to 1 of 2 (t - a) = (1-b) (1 + b - 2a).
    got = critical_level(2, alpha=0.3, sides="lower")
    (first, second), _ = band_ends(2, got.eta, "equal-tailed", "lower")
    assert (1 - second) * (1 + second - 2 * first) == pytest.approx(0.7, rel=1e-11)


ALPHAS = (0.999, 0.5, 1e-3, 1e-9, 1e-15)


@pytest.mark.parametrize("n", [1, 2, 3, 6])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", ["both", "lower", "upper"])
def test_extreme_confidences_hold_in_exact_arithmetic(n, kind, sides):
    for alpha in ALPHAS:
        got = critical_level(n, alpha=alpha, kind=kind, sides=sides)
        lower, upper = band_ends(n, got.eta, kind, sides)
        # Upper ends next to 1 are rounded at 1e-16; their exact mirrors are not.
        if sides == "both":
            upper = [1 - Fraction(x) for x in lower[::-1]]
        if sides == "upper" and alpha < 1e-3:
            continue  # the mirror of "lower", which is judged exactly
        missed = 1 - noe(lower, upper)
        # 1e-10 is what is promised; 1e-11 is what is found.
        assert float(missed) == pytest.approx(alpha, rel=2e-11, abs=0)
        assert float(1 - missed) == pytest.approx(1 - alpha, rel=2e-11, abs=0)


@pytest.mark.parametrize("sides", ["both", "lower", "upper"])
@pytest.mark.parametrize("kind", KINDS)
def test_the_band_has_the_stated_alpha(kind, sides):
    for n, alpha in ((20, 0.2), (47, 1e-6), (200, 0.9), (1000, 0.05), (3000, 0.01)):
        got = critical_level(n, alpha=alpha, kind=kind, sides=sides)
        achieved = noncrossing(*band_ends(n, got.eta, kind, sides), symmetric=sides == "both")
        # Upper ends next to 1 are rounded by 1e-16, each of n ranks of density about n.
        rounding = 1e-16 * n if sides == "upper" else 0.0
        assert abs(achieved.alpha - got.alpha) <= got.error + rounding
        assert got.error <= 1e-10 * min(alpha, 1 - alpha)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 120),
    alpha=st.floats(1e-6, 0.99),
    factor=st.floats(1.001, 3.0),
    kind=st.sampled_from(KINDS),
    sides=st.sampled_from(["both", "lower"]),
)
def test_laws(n, alpha, factor, kind, sides):
    got = critical_level(n, alpha=alpha, kind=kind, sides=sides)
    # Bonferroni and a single rank bound eta; it grows with alpha; a larger n needs a smaller eta.
    assert alpha / n * (1 - 1e-11) <= got.eta <= alpha * (1 + 1e-11)
    more = critical_level(n, alpha=min(alpha * factor, 0.999), kind=kind, sides=sides)
    assert more.eta > got.eta
    if kind == "equal-tailed" or n > 1:  # at n = 1 the highest-density interval is a definition
        assert critical_level(n + 1, alpha=alpha, kind=kind, sides=sides).eta < got.eta
    # One side, at the same eta in one tail, misses less often than two.
    if sides == "both":
        half = noncrossing(*band_ends(n, got.eta / 2, "equal-tailed", "lower"))
        if kind == "equal-tailed":
            assert alpha / 2 * (1 - 1e-9) <= half.alpha <= alpha * (1 + 1e-9)


def test_alpha_and_confidence_are_the_same_question():
    assert critical_level(30, alpha=0.25) == critical_level(30, confidence=0.75)
    for wrong in ({}, {"alpha": 0.1, "confidence": 0.9}):
        with pytest.raises(ValueError, match="exactly one of `confidence` and `alpha`"):
            critical_level(30, **wrong)


def test_a_repeated_call_is_remembered_and_a_fresh_one_gives_the_same_bits():
    first = critical_level(77, confidence=0.9)
    hits = critical._solved.cache_info().hits
    assert critical_level(77, confidence=0.9) is first
    assert critical._solved.cache_info().hits == hits + 1
    critical._solved.cache_clear()
    assert critical_level(77, confidence=0.9) == first


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 5, 16, 48, 200])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sides", ["both", "lower", "upper"])
def test_simulated_coverage_is_the_stated_one(n, kind, sides):
    confidence, draws = 0.8, 100_000
    rng = np.random.default_rng((n, len(kind), len(sides)))
    samples = [np.sort(rng.random((draws // 10, n)), axis=1) for _ in range(10)]

    def plausible(eta, rule=np.all):
        lower, upper = band_ends(n, eta, kind, sides)
        inside = sum(int(np.sum(rule((lower <= u) & (u <= upper), axis=1))) for u in samples)
        # Two-sided, false alarm one in a million.
        return stats.binomtest(inside, draws, confidence).pvalue > 1e-6

    eta = critical_level(n, confidence=confidence, kind=kind, sides=sides).eta
    assert plausible(eta)
    # Negative controls: a level for confidence 0.83, and the level of another n.
    assert not plausible(critical_level(n, confidence=0.83, kind=kind, sides=sides).eta)
    assert not plausible(critical_level(n + 1 + n // 2, confidence=0.8, kind=kind, sides=sides).eta)
