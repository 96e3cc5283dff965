"""The expected maximum by counting every draw, in exact fractions.  Slow and obvious."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, permutations
from math import factorial, prod


def by_counting(scores: Sequence[Fraction], k: int, estimator: str) -> Fraction:
    """Average the maximum over all draws of size k: strings, subsets, multisets, permutations."""
    total, weight = Fraction(0), 0
    for draw, count in _draws(sorted(scores), k, estimator):
        total += count * max(draw)
        weight += count
    return total / weight


def _draws(
    scores: Sequence[Fraction], k: int, estimator: str
) -> Iterator[tuple[tuple[Fraction, ...], int]]:
    places = range(len(scores))
    if estimator == "u":
        draws = ((c, 1) for c in combinations(places, k))
    elif estimator == "permutations":
        draws = ((c, 1) for c in permutations(places, k))
    elif estimator == "w":
        draws = ((c, 1) for c in combinations_with_replacement(places, k))
    elif estimator == "v":  # the strings with the same letters are k! / prod(multiplicity!)
        draws = (
            (c, factorial(k) // prod(factorial(c.count(i)) for i in set(c)))
            for c in combinations_with_replacement(places, k)
        )
    else:
        raise ValueError(estimator)
    for places_drawn, count in draws:
        yield tuple(scores[i] for i in places_drawn), count
