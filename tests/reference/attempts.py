"""What k attempts are worth, by enumerating all sets of k in fractions; and bands, term by term."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations
from math import comb


def enumerated(scores, k, pick="best", *, rewards=None, answers=None):
    """Return the mean over all sets of k attempts of what the set is worth."""
    total, sets = Fraction(0), 0
    for chosen in combinations(range(len(scores)), k):
        sets += 1
        values = [Fraction(scores[i]) for i in chosen]
        if pick == "best":
            total += max(values)
        elif pick == "worst":
            total += min(values)
        elif pick == "reward":
            top = max(rewards[i] for i in chosen)
            tied = [Fraction(scores[i]) for i in chosen if rewards[i] == top]
            total += sum(tied) / len(tied)
        else:
            votes = Counter(answers[i] for i in chosen if answers[i] is not None)
            if votes:
                most = max(votes.values())
                worth = {answers[i]: Fraction(scores[i]) for i in chosen}
                tied = [worth[a] for a, count in votes.items() if count == most]
                total += sum(tied) / len(tied)
    return total / sets


def pass_at_k(n, c, k):
    """Return 1 - C(n-c, k) / C(n, k)."""
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def mean_bounds(counts, n, k, low, high):
    """Return bounds on the mean of pass@k from bounds low[N], high[N] on a CDF, N of P below."""
    lower = upper = Fraction(0)
    for j in range(n):
        below = sum(c <= j for c in counts)
        step = pass_at_k(n, j + 1, k) - pass_at_k(n, j, k)
        lower += step * (1 - Fraction(high[below]))
        upper += step * (1 - Fraction(low[below]))
    return float(lower), float(upper)
