"""Quantiles by their definition, in exact fractions where the level is rational."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def quantile(scores: Sequence[float], p: Fraction) -> float:
    """Return the smallest score y with p <= F(y)."""
    for y in sorted(scores):
        if p <= Fraction(sum(x <= y for x in scores), len(scores)):
            return y
    return max(scores)
