"""Trials that one statement needs: by opda's band, by ours, and by the two-sample test.

The statement: the median best of 5 trials of A exceeds that of B, with 95 % confidence. Needed is
the number of trials of each at which 4 of 5 studies certify it. Recorded searches are taken as the
truth, and trials are drawn from them with replacement; four laws are simulated.

Joint bands have 97.5 % each, as in `compare`, and certify where the lower side of A is above the
upper side of B: A_(j) > B_(r), whose chance is computed. The power of the test is simulated, 3,000
pairs at each n. Power is a sawtooth in n: the first n that reaches 0.80 is given, and in brackets
the one from which on it stays there (within the next 20 %).

opda's band is ours for all real budgets, up to the error of its simulation; the first table shows
that. Needs opda, and BESTOFK_DATA for DeBERTa and Reuters. About 2 minutes.
"""

from __future__ import annotations

import csv
import math
import os
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from scipy import special, stats
from table import show

from bestofk.datasets import load_example, load_sst5
from bestofk.numeric.noncrossing.critical import critical_band
from bestofk.numeric.noncrossing.focused import focused_band
from bestofk.numeric.noncrossing.snapping import Asked
from bestofk.numeric.noncrossing.two_sample import claims, solve

RESULTS = "bench/results/headline.md"
SEED = 17
K, POWER, CONFIDENCE = 5, 0.8, 0.95
LEVEL = 0.5 ** (1 / K)
LISTED = tuple(float(k) for k in range(1, 11))
ASKED = {
    "real": Asked("real", 0.5),
    "whole": Asked("whole", 0.5),
    "listed": Asked("listed", 0.5, LISTED),
}
PAIRS, LARGEST = 3000, 1500
PREFACE = """# Trials that one statement needs

`BESTOFK_DATA=FOLDER python bench/headline.py` (seed 17; its head says how). Power and width are
sawtooths in the number of trials: the first number that is enough, and in brackets the one from
which on every larger number is (of the power: within the next 20 %). "Saved" compares first with
first and brackets with brackets; of widths, both with n. Power of bands is computed, that of the
test simulated with 3,000 pairs at each number of trials.

"""


@cache
def ranks(n: int, simultaneous: str, confidence: float) -> tuple[int, int]:
    """Return the ranks (0, n+1: none) between which the median best of K lies."""
    cost = -math.log1p(confidence - 1)
    found = focused_band(n, cost, "highest-density", "both", ASKED[simultaneous]).spans
    j = int(np.searchsorted(found.bottoms, K, side="right"))
    return j, 1 + int(np.searchsorted(found.tops, K, side="left"))


class Recorded:
    """Two recorded searches as the truth, the better one at K first."""

    def __init__(self, first: np.ndarray, second: np.ndarray) -> None:
        pair = sorted((np.sort(first), np.sort(second)), key=self.best)
        self.b, self.a = pair
        self.values = np.unique(np.concatenate(pair))

    @staticmethod
    def best(x: np.ndarray) -> float:
        """Return the median of the best of K drawn with replacement."""
        return float(x[math.ceil(x.size * LEVEL) - 1])

    @property
    def truth(self) -> tuple[float, float]:
        """The median best of K of A and of B."""
        return self.best(self.a), self.best(self.b)

    def draw(self, rng: np.random.Generator, size: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return so many searches of n trials of each."""
        return rng.choice(self.a, (size, n)), rng.choice(self.b, (size, n))

    def above(self, n: int, j: int, r: int) -> float:
        """Return P(A_(j) > B_(r))."""
        at_most = np.searchsorted(self.a, self.values, side="right") / self.a.size
        below = np.searchsorted(self.b, self.values, side="left") / self.b.size
        mass = np.diff(special.betainc(j, n + 1 - j, at_most), prepend=0.0)
        return float(mass @ special.betainc(r, n + 1 - r, below))


class Shifted:
    """A law, and the same law some standard deviations worse."""

    def __init__(self, law, by: float) -> None:
        self.law, self.by = law, by * law.std()

    @property
    def truth(self) -> tuple[float, float]:
        """The median best of K of A and of B."""
        return float(self.law.ppf(LEVEL)) + self.by, float(self.law.ppf(LEVEL))

    def draw(self, rng: np.random.Generator, size: int, n: int) -> tuple[np.ndarray, np.ndarray]:
        """Return so many searches of n trials of each."""
        a, b = (self.law.rvs((size, n), random_state=rng) for _ in range(2))
        return a + self.by, b

    def above(self, n: int, j: int, r: int) -> float:
        """Return P(A_(j) > B_(r)), by the midpoint rule in the chance of A_(j)."""
        u = special.betaincinv(j, n + 1 - j, (np.arange(500) + 0.5) / 500)
        return float(special.betainc(r, n + 1 - r, self.law.cdf(self.law.ppf(u) + self.by)).mean())


Pair = Recorded | Shifted


def column(path: Path, name: str, **where: str) -> np.ndarray:
    with path.open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if all(row[k] == v for k, v in where.items())]
    return np.array([float(row[name]) for row in rows])


def pairs() -> dict[str, Pair]:
    folder = Path(os.environ["BESTOFK_DATA"])
    sst5 = [search.scores().sorted_values for search in load_sst5().values()]
    digits = [search.scores().sorted_values for search in load_example().values()]
    deberta = [
        column(folder / "deberta_mnli" / f"{name}.csv", "matched_best")
        for name in ("debertav3", "deberta")
    ]
    reuters = [column(folder / "reuters_hedwig.csv", "f1", model=m) for m in ("mlp", "lstm")]
    exponential = stats.gamma(1)
    negative = type("Negative", (), {
        "std": lambda _: 1.0,
        "ppf": lambda _, p: -exponential.isf(p),
        "cdf": lambda _, x: exponential.sf(-x),
        "rvs": lambda _, size, random_state: -random_state.exponential(1, size),
    })()  # fmt: skip
    return {
        "SST-5: CNN, LBoE": Recorded(*sst5),
        "digits: SVM, forest": Recorded(*digits),
        "MultiNLI: DeBERTaV3, DeBERTa": Recorded(*deberta),
        "Reuters: MLP, LSTM": Recorded(*reuters),
        "normal, 1 SD apart": Shifted(stats.norm(), 1.0),
        "uniform, .5 SD apart": Shifted(stats.uniform(), 0.5),
        "-exponential, .5 SD apart": Shifted(negative, 0.5),
        "t with 3 d.f., 1 SD apart": Shifted(stats.t(3), 1.0),
    }


def by_bands(pair: Pair, n: int, simultaneous: str) -> float:
    """Return the chance that joint bands certify the statement."""
    j, r = ranks(n, simultaneous, 1 - (1 - CONFIDENCE) / 2)
    return pair.above(n, j, r) if j >= 1 and r <= n else 0.0


def by_test(pair: Pair, n: int) -> float:
    """Return the share of simulated pairs for which the two-sample test claims it."""
    test = solve(n, n, 0.5 ** (1 / np.array(LISTED)), 1 - CONFIDENCE)
    a, b = (np.sort(x) for x in pair.draw(np.random.default_rng([SEED, n]), PAIRS, n))
    return float(np.mean(claims(test, a, b)[:, K - 1] == 1))


def needed(power: Callable[[int], float]) -> tuple[int, int]:
    """Return the first n whose power is enough, and the one from which on it is."""
    coarse, last = 8, 0
    while power(coarse) < POWER and coarse < LARGEST:
        coarse = max(coarse + 2, round(coarse * 1.1))
    first = next(n for n in range(max(5, round(coarse / 1.3)), coarse + 1) if power(n) >= POWER)
    for n in range(first, round(1.2 * first) + 2):
        if power(n) < POWER:
            last = n
    return first, max(first, last + 1)


def share_saved(of: tuple[int, int], by: tuple[int, int]) -> str:
    """Return how much fewer there are, first to first and for good to for good."""
    low, high = sorted(100 * (1 - x / y) for x, y in zip(by, of, strict=True))
    return f"{low:.0f} %" if round(low) == round(high) else f"{low:.0f} to {high:.0f} %"


def opda() -> None:
    """Show that opda's band and ours for all real budgets are one."""
    from opda.nonparametric import EmpiricalDistribution

    rows = []
    for n in (48, 184):
        confidence = 1 - (1 - CONFIDENCE) / 2
        scores = np.arange(1.0, n + 1)
        start = time.process_time()
        low, _, high = EmpiricalDistribution.confidence_bands(
            scores, confidence, a=0.0, b=n + 1.0, method="ld_highest_density", n_jobs=1,
            generator=np.random.default_rng(SEED),
        )  # fmt: skip
        spent = time.process_time() - start
        # Its lower CDF gives the upper side of the curve.
        theirs = [int(d.quantile_tuning_curve(K)) for d in (high, low)]
        ends = critical_band(n, confidence=confidence)[1][0]
        gap = float(np.max(np.abs(low.cdf(scores) - ends)))
        rows.append([n, f"{gap:.1e}", f"{theirs[0]}, {theirs[1]}",
                     "{}, {}".format(*ranks(n, "real", confidence)), f"{spent:.0f} s"])  # fmt: skip
    head = ["n", "largest difference of the lower ends", "opda 0.8: ranks at k = 5",
            "ours, real: ranks at k = 5", "opda's CPU time"]  # fmt: skip
    title = "opda's highest-density band at 97.5 % is ours for all real budgets (seed 17)"
    show(RESULTS, title, head, rows)


def trials() -> None:
    rows = []
    for name, pair in pairs().items():
        found = [needed(cache(lambda n, s=s, pair=pair: by_bands(pair, n, s))) for s in ASKED]
        found.append(needed(cache(lambda n, pair=pair: by_test(pair, n))))
        a, b = pair.truth
        saved = [share_saved(found[0], other) for other in (found[1], found[3])]
        rows.append([name, f"{a:.3g}, {b:.3g}", *(f"{x} ({y})" for x, y in found), *saved])
        print(rows[-1], flush=True)
    head = ["A, B", "median best of 5", "opda's band = ours, real", "ours, whole",
            "ours, listed 1..10", "two-sample test, 1..10", "saved by whole",
            "saved by the test"]  # fmt: skip
    title = (
        "Trials of each until 4 of 5 studies certify, at 95 %, that the median best of 5 of A "
        "exceeds that of B (seed 17)"
    )
    show(RESULTS, title, head, rows, append=True)


def widths() -> None:
    def width(n: int, simultaneous: str, confidence: float) -> float:
        j, r = ranks(n, simultaneous, confidence)
        return (r - j) / (n + 1) if j >= 1 and r <= n else math.inf

    rows = []
    for confidence in (0.8, 0.95):
        for n in (48, 128, 256, 512, 1024):
            wanted = width(n, "real", confidence)
            row: list[object] = [f"{100 * confidence:.0f} %", n, f"{wanted:.4f}"]
            for simultaneous in ("whole", "listed"):
                sizes = range(10, n + 1)
                found = [width(m, simultaneous, confidence) <= wanted for m in sizes]
                first = sizes[found.index(True)]
                for_good = max(m for m, ok in zip(sizes, found, strict=True) if not ok) + 1
                row.append(f"{first} ({for_good})")
                row.append(share_saved((n, n), (first, for_good)))
            rows.append(row)
    head = ["confidence", "n, real", "width at k = 5, in levels", "whole: trials", "saved",
            "listed 1..10: trials", "saved"]  # fmt: skip
    title = "Trials that give the width at k = 5 of the real band of n; highest density"
    show(RESULTS, title, head, rows, append=True)


if __name__ == "__main__":
    start = time.perf_counter()
    opda()
    trials()
    widths()
    path = Path(__file__).parents[1] / RESULTS
    path.write_text(PREFACE + path.read_text())
    print(f"({time.perf_counter() - start:.0f} s)")
