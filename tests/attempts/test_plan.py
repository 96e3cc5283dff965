"""Problems or attempts: the plan, its floor, and whether it comes true."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from tests.contracts import ResultContract

COUNTS = [0] * 10 + [10] * 10 + [2, 5] * 10


def pilot(**options):
    return bk.Attempts.of_counts(range(40), 10, COUNTS, **options)


class TestAttemptsPlan(ResultContract):
    def make(self, label="cnn"):
        return bk.plan_attempts(pilot(label=label), budget=2, half_width=0.08)


def test_where_problems_differ_more_problems_are_cheapest():
    plan = bk.plan_attempts(pilot(), budget=2, half_width=0.08)
    assert plan.attempts_each == 2
    assert plan.enough is None
    assert plan.floor > 0.08
    assert "no number of attempts gets below about ± .112." in plan.verdict


def test_where_problems_are_alike_more_attempts_are():
    counts = np.random.default_rng(0).binomial(16, 0.3, 200)
    plan = bk.plan_attempts(
        bk.Attempts.of_counts(range(200), 16, counts), budget=2, half_width=0.02
    )
    assert plan.attempts_each > 2


def test_what_a_problem_costs_moves_the_plan_to_more_attempts():
    each = [
        bk.plan_attempts(pilot(), budget=2, half_width=0.08, problem_cost=c).attempts_each
        for c in (0, 5, 50, 500)
    ]
    assert each == sorted(each)
    assert each[0] < each[-1]


def test_enough_attempts_are_just_enough():
    plan = bk.plan_attempts(pilot(), budget=2, half_width=0.125)
    again = bk.plan_attempts(pilot(), budget=2)
    assert plan.enough is not None
    assert f"{plan.enough} attempts each are enough" in plan.verdict
    assert again.enough == 10  # the half-width of the pilot takes the attempts of the pilot


@given(
    st.lists(st.integers(0, 12), min_size=3, max_size=12).filter(lambda c: len(set(c)) > 1),
    st.integers(1, 6),
    st.floats(0.01, 0.3),
)
def test_laws(counts, budget, half_width):
    attempts = bk.Attempts.of_counts(range(len(counts)), 12, counts)
    try:
        plan = bk.plan_attempts(attempts, budget=budget, half_width=half_width)
    except DataError:  # e.g. everything is solved within k attempts
        return
    assert (np.diff(plan.reached) <= 1e-12).all()
    assert (plan.reached >= plan.floor - 1e-12).all()
    assert (np.diff(plan.needed) <= 0).all()
    assert plan.problems >= 2
    assert plan.attempts_each >= budget
    worse = bk.plan_attempts(attempts, budget=budget, half_width=half_width / 2)
    spent = plan.problems * plan.attempts_each
    assert worse.problems * worse.attempts_each >= spent  # not so the problems alone


def test_worst_mirrors_best():
    failures = bk.Attempts.of_counts(range(40), 10, 10 - np.array(COUNTS))
    one = bk.plan_attempts(pilot(), budget=3, half_width=0.1)
    other = bk.plan_attempts(failures, budget=3, half_width=0.1, pick="worst")
    assert (one.problems, one.attempts_each) == (other.problems, other.attempts_each)


def test_refused():
    with pytest.raises(ArgumentError, match="needs a pilot with at least 12 attempts at each"):
        bk.plan_attempts(pilot(), budget=6)
    with pytest.raises(ArgumentError, match="`half_width` must be from 0.0001 to 1, the range"):
        bk.plan_attempts(pilot(), budget=2, half_width=0)
    with pytest.raises(ArgumentError, match="`problem_cost` must be a number of attempts"):
        bk.plan_attempts(pilot(), budget=2, problem_cost=-1)
    alike = bk.Attempts.of_counts(range(9), 10, [0] * 9)
    with pytest.raises(DataError, match="needs problems or attempts that differ"):
        bk.plan_attempts(alike, budget=2)


# --- rates instead of a pilot


def test_rates_are_the_limit_of_pilots():
    """Ever larger pilots with these shares of successes come to the same plan."""
    rates = np.array([0.0, 0.1, 0.3, 0.9])
    plan = bk.plan_attempts(rates, budget=3, half_width=0.1)
    n = 10_000
    close = bk.Attempts.of_counts(range(4), n, np.round(rates * n))
    other = bk.plan_attempts(close, budget=3, half_width=0.1)
    assert plan.between == pytest.approx(other.between, rel=1e-2)  # 3^2 / 10,000 per problem
    assert (plan.problems, plan.attempts_each) == (other.problems, other.attempts_each)
    assert plan.n_attempts is None
    assert "if the rates are right. With 4 such problems" in plan.verdict


def test_what_rates_promise_comes_true(rng):
    """Studies of the planned size, problems drawn with these rates."""
    rates = np.array([0.0] * 18 + [0.4] * 12)
    plan = bk.plan_attempts(rates, budget=2, half_width=0.05)
    n, problems = plan.attempts_each, plan.problems
    chances = rng.choice(rates, (4000, problems))
    wrong = n - rng.binomial(n, chances)
    values = 1 - wrong * (wrong - 1) / (n * (n - 1))
    spread = 1.96 * values.mean(axis=1).std() * np.sqrt(30 / 29)  # the rates are a sample, too
    assert spread == pytest.approx(0.05, rel=0.05)  # 4 SE of 4,000 studies


def test_worst_of_rates_mirrors_best():
    rates = np.array([0.0, 0.2, 0.5, 0.9])
    one = bk.plan_attempts(rates, budget=3, half_width=0.1)
    other = bk.plan_attempts(1 - rates, budget=3, half_width=0.1, pick="worst")
    np.testing.assert_allclose(one.reached, other.reached, rtol=1e-9)  # 1 - (1 - p) rounds


@pytest.mark.parametrize(
    ("rates", "options", "said"),
    [
        ([0.5, 0.2], {}, "rates have no half-width that could be the default; state `half_width`"),
        ([0.5], {"half_width": 0.1}, "`rates` must be the chance of a success"),
        ([0.5, 50], {"half_width": 0.1}, "from 0 to 1, at each of two or more problems"),
        ([0.5, np.nan], {"half_width": 0.1}, "from 0 to 1"),
        ([0.0, 0.0], {"half_width": 0.1}, "needs problems or attempts that differ"),
        ([0.5, 0.2], {"half_width": 0.1, "budget": 1001}, "`budget` must be at most 1,000"),
    ],
)
def test_rates_refused(rates, options, said):
    with pytest.raises((ArgumentError, DataError), match=said):
        bk.plan_attempts(rates, **({"budget": 2} | options))


def test_as_cheap_is_as_few_attempts_as_possible():
    """Problems that are alike: 1,000 x 1 attempts cost as much as 500 x 2."""
    plan = bk.plan_attempts([0.5, 0.5], budget=1, half_width=0.001)
    assert plan.attempts_each == 1
    assert plan.floor == 0
    assert "With 2 such problems 10,000 attempts each are not enough." in plan.verdict
    assert "± 0.001" in plan.verdict


def test_a_pilot_with_very_many_attempts():
    large = bk.Attempts.of_counts(range(4), 20_000, [0, 100, 10_000, 20_000])
    plan = bk.plan_attempts(large, budget=1000)
    assert plan.floor <= plan.half_width


def test_clusters_make_it_void():
    plan = bk.plan_attempts(pilot(clusters=["a", "b"] * 20), budget=2)
    assert plan.is_void
    assert plan.verdict.startswith("No confidence statement is possible")
    assert "cheapest" not in repr(plan)


def test_no_variance_between_is_said(rng):
    """Counts that spread less than chance: the variance between problems comes out negative."""
    even = bk.Attempts.of_counts(range(40), 10, [5, 4] * 20)
    plan = bk.plan_attempts(even, budget=1, half_width=0.05)
    assert "no-variance-between" in {c.kind for c in plan.caveats}
    assert plan.floor == 0


@pytest.mark.parametrize("attempts", [2, 8])
def test_the_half_width_comes_true(rng, attempts):
    """New studies of the planned size: the spread of their estimates is what the plan said."""
    draw = lambda size: rng.beta(0.4, 0.8, size)
    large = bk.Attempts.of_counts(range(4000), 16, rng.binomial(16, draw(4000)))
    plan = bk.plan_attempts(large, budget=2, half_width=0.05)
    row = int(np.flatnonzero(plan.sizes == attempts)[0])
    problems = int(plan.needed[row])
    counts = rng.binomial(attempts, draw((4000, problems)))
    wrong = attempts - counts
    values = 1 - wrong * (wrong - 1) / (attempts * (attempts - 1))
    spread = 1.96 * values.mean(axis=1).std()
    assert spread == pytest.approx(0.05, rel=0.06)  # 3 SE of 4,000 studies and of the pilot
