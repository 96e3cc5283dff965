"""Draws follow their distributions, depend on (space, seed, number) alone, are independent."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from bestofk import space
from bestofk.space.sampler import trial_params, trial_seed
from bestofk.space.space import Space

SPACE = Space(
    {
        "uniform": space.uniform(-1, 3),
        "loguniform": space.loguniform(1e-5, 1e-1),
        "integer": space.integer(-2, 7),
        "loginteger": space.integer(1, 20, log=True),
        "quantised": space.quantised(0, 1, 0.1),
        "choice": ["a", "b", "c"],
        "weighted": space.choice(["a", "b", "c", "d"], weights=[1, 5, 0, 2]),
        "exponential": space.exponential(0.5, low=1, high=3),
        "normal": space.normal(1, 2),
        "gamma": scipy.stats.gamma(2.5, scale=3),
        "poisson": scipy.stats.poisson(1.5),
        "constant": 4,
        "conditional": space.uniform(0, 1, when={"choice": "a"}),
    }
)
LOG = math.log(20.5) - math.log(0.5)
CONTINUOUS = {
    "uniform": scipy.stats.uniform(-1, 4),
    "loguniform": scipy.stats.loguniform(1e-5, 1e-1),
    "exponential": scipy.stats.truncexpon(4, loc=1, scale=0.5),
    "normal": scipy.stats.norm(1, 2),
    "gamma": scipy.stats.gamma(2.5, scale=3),
    "conditional": scipy.stats.uniform(0, 1),
}
DISCRETE = {
    "integer": dict.fromkeys(range(-2, 8), 0.1),
    "loginteger": {i: math.log((i + 0.5) / (i - 0.5)) / LOG for i in range(1, 21)},
    "quantised": {i / 10: 1 / 11 for i in range(11)},
    "choice": dict.fromkeys("abc", 1 / 3),
    "weighted": {"a": 1 / 8, "b": 5 / 8, "d": 2 / 8},
    "poisson": {i: scipy.stats.poisson(1.5).pmf(i) for i in range(40)},
    "constant": {4: 1.0},
}
LEVEL = 1e-6


def draws(n, seed=11):
    rows = [trial_params(SPACE, seed, i) for i in range(n)]
    return {name: [r[name] for r in rows if name in r] for name in SPACE.params}


def p_value_discrete(values, probabilities):
    counts = Counter(values)
    assert set(counts) <= set(probabilities)
    n = len(values)
    kept = [k for k, p in probabilities.items() if n * p >= 5]
    observed = np.array([counts[k] for k in kept], float)
    expected = np.array([n * probabilities[k] for k in kept])
    rest = n - observed.sum(), n - expected.sum()
    if rest[1] >= 5:
        observed, expected = np.append(observed, rest[0]), np.append(expected, rest[1])
    else:
        expected = expected * observed.sum() / expected.sum()
    if len(observed) == 1:
        return 1.0
    return scipy.stats.chisquare(observed, expected).pvalue


@pytest.fixture(scope="module")
def some():
    return draws(5000)


def check_all(found):
    for name, distribution in CONTINUOUS.items():
        assert scipy.stats.kstest(found[name], distribution.cdf).pvalue > LEVEL, name
    for name, probabilities in DISCRETE.items():
        assert p_value_discrete(found[name], probabilities) > LEVEL, name


def test_draws_follow_their_distribution(some):
    check_all(some)


@pytest.mark.slow
def test_a_hundred_thousand_draws_follow_their_distribution():
    check_all(draws(100_000))


def test_a_slightly_wrong_distribution_would_be_caught(some):
    assert (
        scipy.stats.kstest(some["loguniform"], scipy.stats.loguniform(1e-5, 2e-1).cdf).pvalue
        < LEVEL
    )
    wrong = dict.fromkeys(range(-2, 7), 1 / 9) | {7: 0.0}
    assert p_value_discrete(some["integer"], {**wrong, 7: 1e-3}) < LEVEL


def test_both_ends_of_an_integer_are_drawn(some):
    assert {min(some["integer"]), max(some["integer"])} == {-2, 7}


def test_streams_of_different_seeds_and_trials_are_independent():
    """Neighbouring seeds and trials: correlations of normals within 5 standard errors of 0."""
    n = 4000
    plane = Space({"x": space.normal(0, 1), "y": space.normal(0, 1)})
    x, y = (
        np.array([[trial_params(plane, s, i)[k] for i in range(n)] for s in (0, 1)])
        for k in ("x", "y")
    )
    pairs = [(x[0], x[1]), (x[0], y[0]), (x[0][1:], x[0][:-1]), (x[0][1:], x[1][:-1])]
    for a, b in pairs:
        assert abs(np.corrcoef(a, b)[0, 1]) < 5 / math.sqrt(n)
    assert not set(x[0]) & set(x[1])


def test_a_seed_for_the_training_is_not_what_the_parameters_drew():
    seeds = [trial_seed(s, i) for s in range(5) for i in range(200)]
    assert len(set(seeds)) == len(seeds)


@given(st.permutations(range(12)), st.integers(0, 2**64))
def test_the_order_of_trials_does_not_matter(order, seed):
    alone = {i: trial_params(SPACE, seed, i) for i in range(12)}
    assert {i: trial_params(SPACE, seed, i) for i in order} == alone


@given(st.floats(0, 1, exclude_max=True))
def test_every_uniform_number_gives_a_value_inside(u):
    for name, low, high in [
        ("uniform", -1, 3), ("loguniform", 1e-5, 1e-1), ("integer", -2, 7), ("loginteger", 1, 20),
        ("quantised", 0, 1), ("exponential", 1, 3), ("normal", -50, 50),
    ]:  # fmt: skip
        assert low <= SPACE.params[name].draw(u) <= high
    assert SPACE.params["weighted"].draw(u) != "c"
