"""Bounds beyond the number of attempts."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from tests.contracts import ResultContract

COUNTS = [0] * 60 + [8] * 20 + [1, 3] * 10


def attempts(**options):
    return bk.Attempts.of_counts(range(100), 8, COUNTS, **options)


class TestPassBounds(ResultContract):
    def make(self, label="cnn"):
        return bk.pass_bounds(attempts(label=label), budgets=[8, 32])


@pytest.mark.parametrize("pick", ["best", "worst"])
@pytest.mark.parametrize("band", ["all-counts", "clopper-pearson"])
def test_up_to_n_they_are_the_band_or_sharper(pick, band):
    """The band takes the least of each; mixtures of binomials are fewer than distributions."""
    k = np.arange(1, 9)
    around = bk.pass_band(attempts(), pick=pick, band=band, budgets=k)
    within = bk.pass_bounds(attempts(), pick=pick, band=band, budgets=k)
    assert (within.lower >= around.lower - 1e-4).all()
    assert (within.upper <= around.upper + 1e-4).all()  # widened between points
    np.testing.assert_allclose(within.lower[-1], around.lower[-1], atol=2e-3)


def test_worst_mirrors_best():
    best = bk.pass_bounds(attempts(), budgets=[4, 30])
    failures = bk.Attempts.of_counts(range(100), 8, 8 - np.array(COUNTS))
    worst = bk.pass_bounds(failures, budgets=[4, 30], pick="worst")
    np.testing.assert_allclose(worst.lower, 1 - best.upper, atol=1e-9)
    np.testing.assert_allclose(worst.upper, 1 - best.lower, atol=1e-9)


def test_the_summary_says_that_it_is_no_estimate():
    found = bk.pass_bounds(attempts(), budgets=[32])
    assert found.summary.startswith("pass@32 is between .")
    assert "beyond-attempts" in {c.kind for c in found.caveats}
    assert "estimate" not in found.to_dict()


def test_dependent_attempts_are_told():
    same = bk.Attempts.of_counts(range(500), 10, [5] * 500, label="cached")
    with pytest.raises(DataError, match="cached: the numbers of successes fit no independent"):
        bk.pass_bounds(same, budgets=[20])


def test_refused():
    with pytest.raises(ArgumentError, match="whole numbers of attempts; got 2.5"):
        bk.pass_bounds(attempts(), budgets=[4, 2.5])
    with pytest.raises(ArgumentError, match="`pick` must be one of 'best', 'worst'"):
        bk.pass_bounds(attempts(), budgets=[4], pick="majority")
    scores = bk.Attempts.of_array(np.random.default_rng(0).random((9, 3)))
    with pytest.raises(DataError, match="need scores at the bounds"):
        bk.pass_bounds(scores, budgets=[4])


@pytest.mark.parametrize("k", [1e9, 1e15, 1e300, 10**400 // 10**100])
def test_huge_k(k):
    """Nothing overflows: the lower bound is that of many, the upper one says nothing."""
    found = bk.pass_bounds(attempts(), budgets=[10**6, k])
    assert found.lower[0] <= found.lower[1] <= found.upper[1] == 1
    assert found.lower[1] == pytest.approx(found.lower[0], abs=1e-4)


def test_bounds_grow_with_k_and_the_order_of_budgets_does_not_matter():
    k = [300, 9, 50, 9]
    found = bk.pass_bounds(attempts(), budgets=k)
    assert found.budgets.tolist() == [9, 50, 300]
    assert (np.diff(found.lower) >= 0).all()
    assert (np.diff(found.upper) >= 0).all()


def test_many_attempts_at_few_problems(rng):
    """20,000 attempts: a programme of as many constraints as problems, not as attempts."""
    many = bk.Attempts.of_counts(range(30), 20_000, rng.binomial(20_000, rng.beta(0.4, 0.8, 30)))
    around = bk.pass_band(many, budgets=[20_000], band="all-counts")
    found = bk.pass_bounds(many, budgets=[20_000, 40_000], band="all-counts")
    assert found.lower[0] == pytest.approx(around.lower[0], abs=2e-3)


def test_clusters_make_it_void():
    found = bk.pass_bounds(attempts(clusters=["a", "b"] * 50), budgets=[32])
    assert found.is_void
    assert found.to_dict()["upper"] == [None]
    assert "between" not in repr(found).splitlines()[0]
