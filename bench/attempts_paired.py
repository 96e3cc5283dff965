"""Proven intervals for the mean of paired differences: what was tried, and how wide they are.

python bench/attempts_paired.py [humaneval_counts.csv]

Differences lie in [-1, 1]; every interval is one of three in a list, at 1 - .05/3.  Widths are
those of 10 simulated evaluations each, as multiples of the normal interval's.
"""

from __future__ import annotations

import csv
import math
import sys
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from bestofk.curves.cdf_band import band_ends
from bestofk.numeric import betting
from bestofk.numeric.attempts import anderson, count_values
from bestofk.numeric.betting import betting_interval
from bestofk.numeric.dirichlet import simultaneous_band

ALPHA = 0.05 / 3
ORDERS = 20


def normal(x):
    half = -ndtri(ALPHA / 2) * x.std(ddof=1) / math.sqrt(x.size)
    return x.mean() - half, x.mean() + half


def hoeffding(x):
    half = math.sqrt(math.log(2 / ALPHA) / (2 * x.size))
    return x.mean() - half, x.mean() + half


def empirical_bernstein(x):
    """Maurer and Pontil 2009, theorem 4, each side at alpha / 2."""
    log = math.log(4 / ALPHA)
    half = math.sqrt(2 * x.var(ddof=1) * log / x.size) + 7 * log / (3 * (x.size - 1))
    return x.mean() - half, x.mean() + half


def from_cdf_band(x):
    """Anderson's bound with the exact band of all counts."""
    ends = band_ends(x.size, 1 - ALPHA, "ld-highest-density")
    low, high = anderson(x[:, None], *ends, (0.0, 1.0))
    return float(low[0]), float(high[0])


def phan(x, weights):
    """Phan, Thomas and Learned-Miller 2021, with a linear function of the ordered values.

    The largest mean bound over all samples whose weighted sum is no larger, by duality: vectors of
    steps are the extreme points, and the two constraints leave one multiplier to search.
    """

    def upper(values):
        ordered, size = np.sort(values), values.size
        u = np.sort(np.random.default_rng(0).random((1000, size)), axis=1)
        gains = u[:, -1:] - np.concatenate([np.zeros((1000, 1)), u[:, :-1]], axis=1)  # from j on
        costs = np.cumsum(weights[::-1])[::-1]
        spent = float(weights @ ordered)
        best = np.full(1000, np.inf)
        for multiplier in np.geomspace(0.05, 20, 250):
            inner = np.maximum((gains - multiplier * costs).max(axis=1), 0.0)
            np.minimum(best, multiplier * spent + inner, out=best)
        return float(np.quantile(1 - u[:, -1] + best, 1 - ALPHA / 2, method="higher"))

    return 1 - upper(1 - x), upper(x)


def phan_of_mean(x):
    return phan(x, np.full(x.size, 1 / x.size))


def phan_of_anderson(x):
    lower, _ = band_ends(x.size, 1 - ALPHA, "ld-highest-density")
    return phan(x, np.diff(lower, prepend=0.0))


def from_capital(capital):
    """The interval of the candidates against which neither capital reaches 2 / alpha."""

    def lower(x):
        low, high = normal(x)
        grid = np.linspace(max(x.mean() - 2 * (high - low), 1e-3), x.mean(), 161)
        return grid[max(np.flatnonzero(capital(x, grid) < (1 - 1e-6) * 2 / ALPHA)[0] - 1, 0)]

    return lambda x: (lower(x), 1 - lower(1 - x))


def mixture(x, grid):
    """Bets of all sizes at once, log-uniform: no order, no randomness."""
    shares = np.geomspace(0.01, 0.99, 60)
    logs = np.zeros((shares.size, grid.size))
    for value, count in zip(*np.unique(x, return_counts=True), strict=True):
        logs += count * np.log1p(shares[:, None] / grid * (value - grid))
    return np.exp(logs).mean(axis=0)


def ordered_bets(x, grid, kind, aim, combine="mean"):
    """Final capitals by order: bets that aim at a capital by the end."""
    rng = np.random.default_rng(0)
    ordered = x[np.argsort(rng.random((ORDERS, x.size)), axis=1)]
    spread = betting._deviations(ordered)
    goal = math.log(aim * 2 / ALPHA)
    left = np.full((ORDERS, grid.size), goal)
    for i in range(x.size):
        to_come = x.size - i
        if kind == "star":
            bet = np.sqrt(2 * left / to_come) / spread[:, i : i + 1]
        else:
            share = np.exp(-left)
            z = ndtri(share)
            bet = np.exp(-0.5 * z * z) / (share * spread[:, i : i + 1])
            bet /= math.sqrt(2 * math.pi * to_come)
        bet = np.where(left <= 1e-9, 0.0, np.minimum(bet, 0.99 / grid))
        left = np.maximum(left - np.log1p(bet * (ordered[:, i : i + 1] - grid)), 0.0)
    capital = np.exp(goal - left)
    if combine == "one":
        return capital[0]
    if combine == "running":
        return (np.cumsum(capital, axis=0) / np.arange(1, ORDERS + 1)[:, None]).max(axis=0)
    return capital.mean(axis=0)


def plug_in(x):
    return betting_interval(x, (0.0, 1.0), 1 - ALPHA, bets="plug-in")


def replicating(x):
    return betting_interval(x, (0.0, 1.0), 1 - ALPHA)


def dirichlet(x):
    low, high = simultaneous_band(x[:, None], (0.0, 1.0), 1 - ALPHA)
    return float(low[0]), float(high[0])


WAYS = {
    "normal (1.96 SE and the like)": ("no", normal),
    "Dirichlet, at one k": ("measured", dirichlet),
    "Hoeffding": ("yes", hoeffding),
    "empirical Bernstein (Maurer, Pontil 2009)": ("yes", empirical_bernstein),
    "Anderson, from the exact band": ("yes", from_cdf_band),
    "Phan et al. 2021, mean": ("yes", phan_of_mean),
    "Phan et al. 2021, Anderson's weights": ("yes", phan_of_anderson),
    "bets of all sizes, mixed": ("yes", from_capital(mixture)),
    "plug-in bets (Waudby-Smith, Ramdas), 20 orders": ("yes", plug_in),
    "STaR bets (Voráček, Orabona 2025), 1 order": (
        "yes", from_capital(lambda x, g: ordered_bets(x, g, "star", 1.0, "one"))),
    "STaR bets, 20 orders": ("yes", from_capital(lambda x, g: ordered_bets(x, g, "star", 1.5))),
    "replicating bets, 1 order": (
        "yes", from_capital(lambda x, g: ordered_bets(x, g, "option", 1.0, "one"))),
    "replicating bets, 20 orders, aim 1": (
        "yes", from_capital(lambda x, g: ordered_bets(x, g, "option", 1.0))),
    "replicating bets, 20 orders, aim 1.5 (used)": ("yes", replicating),
    "the same, best running mean of the orders": (
        "if orders are drawn anew",
        from_capital(lambda x, g: ordered_bets(x, g, "option", 1.5, "running"))),
}  # fmt: skip


def simulated(rng):
    """Differences as evaluations have them: many zeros, few large ones."""
    return {
        "30, sparse": np.where(rng.random(30) < 0.4, rng.uniform(-0.6, 1, 30), 0.0),
        "164, like code": rng.choice(
            [-1, -0.5, -0.1, 0, 0.1, 0.5, 1], 164, p=[0.03, 0.05, 0.1, 0.57, 0.12, 0.08, 0.05]
        ),
        "198, wide": rng.binomial(8, 0.6, 198) / 8 - rng.binomial(8, rng.beta(0.7, 0.6, 198)) / 8,
        "500, small": rng.choice([-0.2, -0.1, 0, 0.1, 0.2], 500, p=[0.05, 0.1, 0.6, 0.15, 0.1]),
    }


def certified(problems, n, draw, share, seed=18, repeats=1000):
    """How often a lead is certified somewhere in a list of three k, by bets and by Dirichlet.

    A share of the problems is harder for the second model: p becomes p^3.  Counted are the pairs in
    which a difference of 0 is rejected, without which no lead is certified.
    """
    rng = np.random.default_rng(seed)
    p = draw(rng, (repeats, problems))
    other = np.where(rng.random(p.shape) < share, p**3, p)
    table = count_values(n, np.array([1.0, n // 2, n]))
    values = table[rng.binomial(n, p)] - table[rng.binomial(n, other)]
    places = np.argsort(np.random.default_rng(0).random((ORDERS, problems)), axis=1)
    found = {}
    for name, test in (("plug-in", betting._plug_in), ("replicating", betting._replicating)):
        ahead = np.zeros(repeats, dtype=bool)
        for column in np.moveaxis((1 + values) / 2, 2, 0):
            ordered = np.moveaxis(column[:, places], 0, 2)
            spread = np.stack([betting._deviations(o.T).T for o in ordered])
            ahead |= test(ordered, spread, np.full(repeats, 0.5), ALPHA / 2)
        found[name] = ahead.mean()
    shown = [(simultaneous_band(v, (-1.0, 1.0), 0.95, 0, 999)[0] > 0).any() for v in values]
    return {**found, "Dirichlet (shown)": np.mean(shown)}


def power() -> None:
    def like_code(rng, shape):
        return np.where(
            rng.random(shape) < 0.78,
            1.0,
            np.where(rng.random(shape) < 0.36, 0.0, rng.random(shape)),
        )

    cases = {
        "198 x 8, Beta(.7, .6), a fifth harder": (
            198, 8, lambda rng, shape: rng.beta(0.7, 0.6, shape), 0.2),
        "164 x 10, like code, three fifths harder": (164, 10, like_code, 0.6),
    }  # fmt: skip
    print("\n| 1,000 pairs, list of three k, 95 % | plug-in | replicating | Dirichlet (shown) |")
    print("| --- | --- | --- | --- |")
    for name, case in cases.items():
        print(f"| {name} | {' | '.join(f'{v:.3f}' for v in certified(*case).values())} |")


def main() -> None:
    columns = list(simulated(np.random.default_rng(0)))
    widths = {name: {c: [] for c in columns} for name in WAYS}
    rng = np.random.default_rng(18)
    for _ in range(10):
        for column, d in simulated(rng).items():
            x = (1 + d) / 2
            for name, (_, way) in WAYS.items():
                low, high = way(x)
                widths[name][column].append(high - low)
    usual = {c: np.mean(widths["normal (1.96 SE and the like)"][c]) for c in columns}
    real = None
    if len(sys.argv) > 1:
        with Path(sys.argv[1]).open(encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        right = {
            m: {r["problem"]: int(r["correct"]) for r in rows if r["model"] == m}
            for m in ("gpt-4", "gpt-3.5-turbo")
        }
        names = sorted(right["gpt-4"])
        real = np.array([right["gpt-4"][p] - right["gpt-3.5-turbo"][p] for p in names]) / 10
    head = [
        "interval",
        "proven",
        *(["gpt-4 - gpt-3.5, k = 1"] if real is not None else []),
        *columns,
    ]
    print(f"| {' | '.join(head)} |\n|{' --- |' * len(head)}")
    for name, (proven, way) in WAYS.items():
        cells = [name, proven]
        if real is not None:
            low, high = (2 * end - 1 for end in way((1 + real) / 2))
            cells.append(f"[{low:.3f}, {high:.3f}]")
        cells += [f"{np.mean(widths[name][c]) / usual[c]:.2f}" for c in columns]
        print(f"| {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
    power()
