"""Non-crossing probabilities in exact rational arithmetic, two ways, for small n.

Both take any numbers that Fraction takes (a float is taken as the binary fraction it is) and
return a Fraction without any rounding. They share nothing with bestofk, nor with each other.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import factorial


def envelopes(
    lower: Sequence[float], upper: Sequence[float]
) -> tuple[list[Fraction], list[Fraction]]:
    """The monotone boundaries that describe the same event, cut to [0, 1]."""
    low = [min(max(Fraction(x), Fraction(0)), Fraction(1)) for x in lower]
    high = [min(max(Fraction(x), Fraction(0)), Fraction(1)) for x in upper]
    for i in range(1, len(low)):
        low[i] = max(low[i], low[i - 1])
        high[-1 - i] = min(high[-1 - i], high[-i])
    return low, high


def noe(lower: Sequence[float], upper: Sequence[float]) -> Fraction:
    """Recursion over the cells between boundary values, after Noé (1972).

    Weight of m points below a boundary value: sum over arrangements of prod (width^k / k!).
    """
    low, high = envelopes(lower, upper)
    n = len(low)
    values = sorted({*low, *high, Fraction(0), Fraction(1)})
    weights = [Fraction(int(m == 0)) for m in range(n + 1)]
    for left, right in pairwise(values):
        width = right - left
        moved = [
            sum((weights[m - k] * width**k / factorial(k) for k in range(m + 1)), start=Fraction(0))
            for m in range(n + 1)
        ]
        # At the value `right`: at most as many points as there are lower boundaries before it,
        # at least as many as there are upper boundaries up to it.
        most = sum(x < right for x in low)
        least = sum(x <= right for x in high)
        weights = [w if least <= m <= most else Fraction(0) for m, w in enumerate(moved)]
    return factorial(n) * weights[n]


def steck(lower: Sequence[float], upper: Sequence[float]) -> Fraction:
    """Determinant of Steck (1971): n! det[(upper_i - lower_j)_+^(j-i+1) / (j-i+1)!]."""
    low, high = envelopes(lower, upper)
    n = len(low)
    matrix = [
        [
            max(high[i] - low[j], Fraction(0)) ** (j - i + 1) / factorial(j - i + 1)
            if j - i + 1 >= 0
            else Fraction(0)
            for j in range(n)
        ]
        for i in range(n)
    ]
    result = Fraction(factorial(n))
    for column in range(n):
        pivot = next((row for row in range(column, n) if matrix[row][column]), None)
        if pivot is None:
            return Fraction(0)
        if pivot != column:
            matrix[column], matrix[pivot] = matrix[pivot], matrix[column]
            result = -result
        result *= matrix[column][column]
        for row in range(column + 1, n):
            factor = matrix[row][column] / matrix[column][column]
            for k in range(column, n):
                matrix[row][k] -= factor * matrix[column][k]
    return result
