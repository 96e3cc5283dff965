"""Chances of winning among independent normals."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from bestofk.cv.chances import winning_chances


def test_two_have_a_closed_form(rng):
    for _ in range(50):
        means, spreads = rng.normal(size=2), rng.uniform(0.3, 2, 2)
        chances, best = winning_chances(means, spreads)
        sd = np.hypot(*spreads)
        gap = means[0] - means[1]
        first = ndtr(gap / sd)
        density = np.exp(-0.5 * (gap / sd) ** 2) / np.sqrt(2 * np.pi)
        assert chances == pytest.approx([first, 1 - first], abs=1e-6)  # the rule's own error
        expected = means[0] * first + means[1] * (1 - first) + sd * density
        assert best == pytest.approx(expected, abs=1e-6)


def test_many_agree_with_simulation(rng):
    """400,000 draws: five standard errors of a share are at most 0.004."""
    means, spreads = rng.normal(size=6), np.full(6, 0.7)
    drawn = means + spreads * rng.normal(size=(400_000, 6))
    chances, best = winning_chances(means, spreads)
    shares = np.bincount(drawn.argmax(axis=1), minlength=6) / len(drawn)
    assert chances == pytest.approx(shares, abs=0.004)
    assert best == pytest.approx(drawn.max(axis=1).mean(), abs=0.005)
    assert chances.sum() == pytest.approx(1, abs=1e-6)


def test_equal_ones_have_equal_chances_and_order_does_not_matter(rng):
    chances, _ = winning_chances(np.zeros(7), np.ones(7))
    assert chances == pytest.approx(np.full(7, 1 / 7), rel=1e-7)
    means = rng.normal(size=5)
    turn = rng.permutation(5)
    one, other = (winning_chances(m, np.ones(5))[0] for m in (means, means[turn]))
    assert other == pytest.approx(one[turn], rel=1e-12)
