"""Attempts whose number depends on the outcome: found, refused, and cured."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.attempts.protocol import FALSE_ALARM
from bestofk.curves.cdf_band import band_ends
from bestofk.numeric.attempts import first_positions, late_success_p_value

A = bk.Attempts


def until_success(rng, n_problems, most, p=None):
    """Return attempts at problems of chance p, each until its first success or `most`."""
    p = rng.beta(0.5, 2, n_problems) if p is None else np.broadcast_to(p, n_problems)
    rows = [rng.random(most) < chance for chance in p]
    stop = [int(r.argmax()) + 1 if r.any() else most for r in rows]
    return [r[:s].astype(float) for r, s in zip(rows, stop, strict=True)]


def of(rows, **options):
    return A(problems=range(len(rows)), scores=rows, **options)


def test_stopping_is_found_and_refused_as_a_fixed_number(rng):
    rows = until_success(rng, 60, 20)
    for options in ({}, {"stopped": "unrelated"}):
        with pytest.raises(bk.DataError, match='look as if they stopped.*stopped="success"'):
            bk.pass_curve(of(rows, **options))


def test_the_usual_estimate_is_wrong_on_stopped_attempts(rng):
    """The negative control: p = .02, and the first min n_i or all n_i as if fixed."""
    rows = until_success(rng, 4000, 60, p=0.02)
    usual = np.mean([r.mean() for r in rows])  # c_i / n_i
    assert usual > 0.05
    curve = bk.pass_curve(of(rows, stopped="success"))
    assert curve.at(1) == pytest.approx(0.02, abs=0.01)
    assert curve.at(60) == pytest.approx(1 - 0.98**60, abs=0.03)


def test_the_band_is_that_of_the_number_of_the_first_success(rng):
    rows = until_success(rng, 50, 12)
    made = bk.pass_band(of(rows, stopped="success"))
    first = np.array([r.argmax() + 1 if r.any() else np.inf for r in rows])
    lower, upper = band_ends(50, 0.95, "ld-highest-density")
    for k in range(1, 13):
        solved = int((first <= k).sum())
        assert made.at(k).estimate == pytest.approx(solved / 50)
        assert made.at(k).lower == (lower[solved - 1] if solved else 0)
        assert made.at(k).upper == (upper[solved] if solved < 50 else 1)
    assert (made.band, made.guarantee) == ("first-success", "proven")
    assert "attempts until the first success" in made.summary
    shown = bk.pass_band(of(rows, stopped="success"), band="dirichlet", n_resamples=199)
    assert shown.guarantee == "shown"


def test_it_is_known_up_to_the_smallest_number_of_attempts_without_success():
    rows = [[0, 1], [0, 0, 0], [0, 0, 0, 0, 0], [0, 0, 0, 0, 1]]
    made = bk.pass_curve(of(rows, stopped="success"))
    assert made.budgets.tolist() == [1, 2, 3]
    assert made.estimate.tolist() == [0, 0.25, 0.25]
    with pytest.raises(bk.ArgumentError, match="got 4, and 1 of 4 problems has fewer"):
        made.at(4)
    solved = bk.pass_curve(of([[0, 1], [1]], stopped="success"))
    assert solved.estimate.tolist() == [0.5, 1]


def test_counts_with_at_most_one_success_say_when_it_came():
    counts = A.of_counts("abc", [3, 4, 1], [1, 0, 1], stopped="success")
    assert bk.pass_curve(counts).estimate.tolist() == pytest.approx([1 / 3, 1 / 3, 2 / 3, 2 / 3])


def test_numbers_unrelated_to_the_scores_use_the_first_and_say_so(rng):
    rows = [(rng.random(n) < 0.4).astype(float) for n in (4, 6, 9, 5, 7, 8)]
    made = bk.pass_band(of(rows, stopped="unrelated"))
    assert made.n_attempts == 4
    assert "each problem's first 4 are used" in repr(made)
    expected = bk.pass_band(A.of_array([r[:4] for r in rows]))
    assert made.lower.tolist() == expected.lower.tolist()
    planned = bk.pass_curve(of(rows, planned=3))
    assert (
        planned.estimate.tolist()
        == bk.pass_curve(A.of_array([r[:3] for r in rows])).estimate.tolist()
    )
    assert "the number said to be planned" in repr(planned)


def test_a_planned_number_of_stopped_attempts_is_doubted(rng):
    rows = until_success(rng, 60, 20, p=0.05)
    rows = [r for r in rows if r.size >= 3]
    made = bk.pass_curve(of(rows, planned=3))
    assert "stopped-at-success" in [c.kind for c in made.caveats]


def test_attempts_without_an_order_are_not_tested():
    counts = A.of_counts(range(12), range(2, 14), [1] * 12)
    with pytest.raises(bk.DataError, match="same number of attempts"):
        bk.pass_curve(counts)


def test_the_first_success_has_the_stated_distribution():
    """All places of c among n, enumerated: the p-value of the latest is its chance."""
    for n, c in [(4, 1), (5, 2), (6, 3)]:
        sizes, correct = np.array([n]), np.array([c])
        latest = late_success_p_value(np.array([float(n - c + 1)]), sizes, correct, 99_999)
        chance = 1 / float(np.prod([(n - i) / (i + 1) for i in range(c)]))
        assert latest == pytest.approx(chance, abs=5 * np.sqrt(chance / 1e5))


@pytest.mark.parametrize("shape", ["few", "many", "skewed"])
def test_the_false_alarm_rate_is_at_most_the_stated_one(shape, rng):
    """Numbers unrelated to the scores; a binomial test with a false alarm in a million."""
    n_problems, most = {"few": (5, 6), "many": (40, 12), "skewed": (25, 40)}[shape]
    alarms, runs = 0, 600
    for _ in range(runs):
        sizes = rng.integers(1, most + 1, n_problems)
        if shape == "skewed":
            sizes = np.minimum(sizes, rng.integers(1, most + 1, n_problems))
        success = rng.random(sizes.sum()) < np.repeat(rng.beta(0.5, 1, n_problems), sizes)
        starts = np.r_[0, np.cumsum(sizes)[:-1]]
        correct = np.add.reduceat(success.astype(int), starts)
        p = late_success_p_value(first_positions(success, sizes), sizes, correct, 499)
        alarms += p <= FALSE_ALARM
    assert stats.binom.sf(alarms - 1, runs, FALSE_ALARM) > 1e-6


def test_stopped_attempts_are_found_almost_always(rng):
    """The power beside the false alarms: 20 problems are enough."""
    found = 0
    for _ in range(100):
        rows = until_success(rng, 20, 8, p=0.3)
        sizes = np.array([r.size for r in rows])
        success = np.concatenate(rows) == 1
        correct = np.array([int(r.sum()) for r in rows])
        first = first_positions(success, sizes)
        found += late_success_p_value(first, sizes, correct, 499) <= FALSE_ALARM
    assert found >= 95
