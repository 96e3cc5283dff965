"""Variance components of pass@k: unbiased by enumeration in fractions, and right for new data."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.numeric.components import share_failing, variance_components


def binomial(n, p):
    return [comb(n, c) * p**c * (1 - p) ** (n - c) for c in range(n + 1)]


def true_within(n, k, p):
    """The variance of the estimate from n attempts at a problem with chance p."""
    g = [1 - Fraction(comb(n - c, k), comb(n, k)) for c in range(n + 1)]
    law = binomial(n, p)
    mean = sum(w * x for w, x in zip(law, g, strict=True))
    return sum(w * (x - mean) ** 2 for w, x in zip(law, g, strict=True))


@pytest.mark.parametrize(("n", "k"), [(2, 1), (4, 1), (4, 2), (6, 3)])
def test_both_components_are_unbiased(n, k):
    """Over all counts of two problems whose chances are drawn from three."""
    law_of_p = {Fraction(0): Fraction(1, 2), Fraction(1, 3): Fraction(1, 4), Fraction(4, 5): Fraction(1, 4)}  # noqa: E501  # fmt: skip
    value = {p: 1 - (1 - p) ** k for p in law_of_p}
    mean = sum(w * value[p] for p, w in law_of_p.items())
    between = sum(w * (value[p] - mean) ** 2 for p, w in law_of_p.items())
    sizes = np.array([k, k + 1, n, 3 * n])
    within = [sum(w * true_within(int(m), k, p) for p, w in law_of_p.items()) for m in sizes]
    law = [sum(w * binomial(n, p)[c] for p, w in law_of_p.items()) for c in range(n + 1)]
    found_between, found_within = 0.0, np.zeros(sizes.size)
    for a in range(n + 1):
        for b in range(n + 1):
            got = variance_components(np.array([a, b]), n, k, sizes)
            chance = float(law[a] * law[b])
            found_between += chance * got[0]
            found_within += chance * got[1]
    assert found_between == pytest.approx(float(between), rel=1e-10)
    np.testing.assert_allclose(found_within, [float(w) for w in within], rtol=1e-10)


@given(st.lists(st.integers(0, 10), min_size=2, max_size=8), st.integers(1, 5))
def test_within_falls_with_the_number_of_attempts(counts, k):
    attempts = np.arange(k, 40)
    _, within = variance_components(np.array(counts), 10, k, attempts)
    assert (within >= -1e-15).all()
    assert (np.diff(within) <= 1e-15).all()


@given(st.lists(st.integers(0, 10), min_size=2, max_size=8), st.integers(1, 5))
def test_together_they_are_the_variance_seen(counts, k):
    """At the number of attempts of the data: the sample variance of the problems' estimates."""
    counts = np.array(counts)
    between, within = variance_components(counts, 10, k, np.array([10]))
    values = share_failing(counts, 10, np.array([float(k)]))[:, 0]
    unbiased = np.mean(values**2 - share_failing(counts, 10, np.array([2.0 * k]))[:, 0])
    assert between + unbiased == pytest.approx(values.var(ddof=1), abs=1e-12)
    if k == 1:  # otherwise another estimate of the same variance
        assert within[0] == pytest.approx(unbiased, abs=1e-12)


def test_the_plug_in_variance_is_biased():
    """A wrong way: p-hat (1 - p-hat) for a single attempt, with 2 attempts at each problem."""
    p = Fraction(1, 3)
    law = [float(w) for w in binomial(2, p)]
    right = [variance_components(np.array([c, c]), 2, 1, np.array([1]))[1][0] for c in range(3)]
    wrong = [c / 2 * (1 - c / 2) for c in range(3)]
    assert np.dot(law, right) == pytest.approx(2 / 9)
    assert np.dot(law, wrong) < 0.6 * 2 / 9
