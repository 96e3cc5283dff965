"""How much comparisons of repeated searches certify, by what they rest on.

OMP_NUM_THREADS=1 python bench/repeats_compare.py

Simulated searches of 64 trials with seed 19: each trial of A is worth some random ones, or only
from trial 11 on, or both reach a plateau.  B is random search.
"""

from __future__ import annotations

import math

import numpy as np
from scipy import stats
from table import show

import bestofk as bk
from bestofk.numeric.noncrossing.two_sample import claims, solve
from bestofk.numeric.repeats import listed_ranks
from bestofk.numeric.sign_test import passed_on
from bestofk.repeats.certify import planned_tests

PATH = "bench/results/repeats_compare.md"
ALPHA, N = 0.05, 64
SETS = 200
STEP_DOWN = 1000
LIST = np.array([2, 3, 4, 6, 9, 13, 19, 28, 42, 64])  # the default list


def worth(rng, size, factor):
    return rng.random((*size, N)) ** (1 / factor)


def late(rng, size):
    return rng.random((*size, N)) ** np.where(np.arange(N) < 10, 1, 1 / 8)


LAWS = {
    "4 times": (lambda g, s: worth(g, s, 4), lambda g, s: worth(g, s, 1)),
    "8 times": (lambda g, s: worth(g, s, 8), lambda g, s: worth(g, s, 1)),
    "8 times, late": (late, lambda g, s: worth(g, s, 1)),
    "8 times, plateau": (
        lambda g, s: np.minimum(worth(g, s, 8), 0.97).round(3),
        lambda g, s: np.minimum(worth(g, s, 1), 0.97).round(3),
    ),
}


def repeats(scores, label, first=0):
    seeds = range(first, first + len(scores))
    return bk.Repeats.of_array(scores, seeds=seeds, label=label, bounds=(0, 1))


def by_basis():
    rng, rows = np.random.default_rng(19), []
    for law, (better, worse) in LAWS.items():
        for r in (10, 15, 20, 30, 50):
            found = {"test": [], "intervals": [], "paired": [], "1,500 random trials": []}
            for _ in range(SETS):
                a, b = better(rng, (r,)), worse(rng, (r,))
                one, two = repeats(a, "a"), repeats(b, "b", 100)
                trials = bk.Scores(worse(rng, (24,)).ravel()[:1500], sampling="iid", label="b")
                found["test"].append(bk.compare(one, two))
                found["intervals"].append(bk.compare(one, two, basis="intervals"))
                found["paired"].append(bk.compare(one, repeats(b, "b"), paired=True))
                found["1,500 random trials"].append(bk.compare(one, trials))
            rows.append([law, r, *(share(several) for several in found.values())])
    head = ["A's trials are worth", "repeats", "test (default)", "intervals", "paired",
            "against 1,500 random trials"]  # fmt: skip
    title = "Budgets certified, of ten up to 64 trials (in brackets: any at all), 95 %"
    show(PATH, f"{title}, {SETS} sets each (seed 19)", head, rows)


def share(several):
    signs = np.array([found.pairs[0].signs != 0 for found in several])
    return f"{signs.sum(axis=1).mean():.2f} ({signs.any(axis=1).mean():.2f})"


def p_values(a, b):
    """One-sided p-values of the two-sample test, as multiples of a fine grid of levels."""
    r, size = a.shape[1], LIST.size
    a, b = (np.sort(x, axis=1).transpose(0, 2, 1) for x in (a, b))
    levels = np.unique(np.r_[np.geomspace(ALPHA / size, ALPHA, 24),
                             2 * ALPHA / (2 * size - np.arange(size))])  # fmt: skip
    p = np.ones((2, len(a), size))
    for level in levels[::-1]:
        made = claims(solve(r, r, [0.5], level), a, b)[..., 0]
        for side, sign in enumerate((1, -1)):
            p[side][made == sign] = level / 2
    return p


def holm(p):
    flat = np.concatenate(p)
    order = np.argsort(flat)
    passed = np.cumprod(flat[order] <= ALPHA / (flat.size - np.arange(flat.size)) * (1 + 1e-9))
    out = np.zeros(flat.size, dtype=bool)
    out[order] = passed.astype(bool)
    return out[: p[0].size]


def last_first(p):
    """Test the largest budget first, at the full level, and the next only if it is certified."""
    return np.cumprod((p <= ALPHA / 2)[::-1])[::-1].astype(bool)


def step_down():
    rng, rows = np.random.default_rng(19), []
    for law, (better, worse) in LAWS.items():
        for r in (12, 20, 30):
            a, b = (np.maximum.accumulate(d(rng, (STEP_DOWN, r)), axis=2)[..., LIST - 1]
                    for d in (better, worse))  # fmt: skip
            signs = np.stack([stats.binom.sf((x > y).sum(axis=1) - 1, r, 0.5)
                              for x, y in ((a, b), (b, a))])  # fmt: skip
            for name, p in (("medians", p_values(a, b)), ("signs", signs)):
                ways = [
                    p[0] <= ALPHA / 2 / LIST.size * (1 + 1e-9),
                    [holm((x, y)) for x, y in zip(*p, strict=True)],
                    [passed_on(x, ALPHA / 2 * (1 + 1e-9)) for x in p[0]],
                    [last_first(x) for x in p[0]],
                ]
                ways = [np.array(way) for way in ways]
                rows.append([law, r, name, *(f"{w.sum(axis=1).mean():.2f}" for w in ways),
                             f"{ways[0].any(axis=1).mean():.2f}",
                             f"{ways[3].any(axis=1).mean():.2f}"])  # fmt: skip
    head = ["A's trials are worth", "repeats", "of", "equal shares", "Holm", "passed to neighbours",
            "last budget first", "any, equal shares", "any, last first"]  # fmt: skip
    title = f"Budgets certified by the order of the tests, {STEP_DOWN:,} sets each (seed 19)"
    show(PATH, title, head, rows, append=True)


def by_methods():
    """Test and intervals where every two of several methods are compared."""
    rng, rows = np.random.default_rng(19), []
    better, worse = LAWS["8 times"]
    for r in (15, 20, 30):
        drawn = (d(rng, (STEP_DOWN, r)) for d in (better, worse))
        a, b = (np.sort(np.maximum.accumulate(x, axis=2)[..., LIST - 1], axis=1) for x in drawn)
        k = np.arange(LIST.size)
        row = [r]
        for n_methods in (2, 3, 4, 5, 6, 10):
            share = ALPHA / math.comb(n_methods, 2) / LIST.size
            tests = planned_tests(r, r, 0.5, share, LIST.size)
            by_test = sum(np.mean(claims(t, a[..., i], b[..., i])[:, 0] > 0)
                          for i, t in enumerate(tests))  # fmt: skip
            ranks = listed_ranks(r, 0.5, ALPHA / n_methods, LIST.size)
            low = np.hstack([np.full((STEP_DOWN, 1, LIST.size), -np.inf), a])[:, ranks.lower, k]
            high = np.hstack([b, np.full((STEP_DOWN, 1, LIST.size), np.inf)])[:, ranks.upper - 1, k]
            low = np.maximum.accumulate(low, axis=1)
            high = np.minimum.accumulate(high[:, ::-1], axis=1)[:, ::-1]
            row.append(f"{by_test:.2f} / {(low > high).mean(axis=0).sum():.2f}")
        rows.append(row)
    head = ["repeats", *(f"{m} methods" for m in (2, 3, 4, 5, 6, 10))]
    title = f"Budgets certified of each pair, test / intervals, {STEP_DOWN:,} sets each (seed 19)"
    show(PATH, title, head, rows, append=True)


def headline():
    rng, rows = np.random.default_rng(19), []
    for factor in (4, 8):
        for r in (20, 40):
            for n in (850, 2000, 5000):
                at = []
                for _ in range(100):
                    tpe = repeats(worth(rng, (r,), factor), "tpe")
                    trials = bk.Scores(rng.random(n), sampling="iid", label="random")
                    found = bk.compare(tpe, trials, budgets=[10, 20, 40, 64])
                    at.append([found.pairs[0].needed(k, of="tpe")[0] for k in (10, 20, 40)])
                rows.append([factor, r, n, *np.median(at, axis=0).astype(int)])
    head = ["A trial is worth", "repeats", "random trials", "10", "20", "40"]
    title = "So many trials random search needs at least for what 10, 20 and 40 do"
    show(PATH, f"{title}: median of 100, 95 % (seed 19)", head, rows, append=True)


if __name__ == "__main__":
    by_basis()
    step_down()
    by_methods()
    headline()
