"""Simulated evaluations: problems with known chances of success, so that pass@k is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Setting:
    """Problems drawn from a mixture, `n` attempts each.

    `parts` are (weight, p) for problems of one chance p or (weight, a, b) for Beta(a, b).
    """

    name: str
    n_problems: int
    n: int
    parts: tuple[tuple[float, ...], ...]
    pick: str = "best"

    def chances(self, rng, size):
        """Draw the chances of success of many problems."""
        which = rng.choice(len(self.parts), p=[part[0] for part in self.parts], size=size)
        out = np.empty(size)
        for i, (_, *part) in enumerate(self.parts):
            there = which == i
            count = int(there.sum())
            out[there] = part[0] if len(part) == 1 else rng.beta(*part, size=count)
        return out

    def counts(self, rng, n_evaluations):
        """Draw the numbers of successes of many evaluations, one per row."""
        return rng.binomial(self.n, self.chances(rng, (n_evaluations, self.n_problems)))

    def truth(self):
        """Return what k fresh attempts at a fresh problem are worth, for k = 1..n."""
        ks = np.arange(1, self.n + 1)
        total = np.zeros(self.n)
        for weight, *part in self.parts:
            if len(part) == 1:
                power = (part[0] if self.pick == "worst" else 1 - part[0]) ** ks
            else:
                a, b = part if self.pick == "worst" else part[::-1]
                power = np.cumprod((a + ks - 1) / (a + b + ks - 1))  # E p^k of Beta(a, b)
            total += weight * power
        return total if self.pick == "worst" else 1 - total


SETTINGS = (
    Setting("AIME-like, 30 x 16, 60 % unsolvable", 30, 16, ((0.6, 0.0), (0.4, 0.8, 1.2))),
    Setting("frontier, 30 x 32, 4 % solvable", 30, 32, ((0.96, 0.0), (0.04, 1.0, 3.0))),
    Setting("HumanEval-like, 164 x 10", 164, 10, ((0.08, 0.0), (0.14, 1.0, 1.0), (0.78, 1.0))),
    Setting("saturated, 164 x 5, Beta(8, .4)", 164, 5, ((1.0, 8.0, 0.4),)),
    Setting("GPQA-like, 198 x 8, Beta(.7, .6)", 198, 8, ((1.0, 0.7, 0.6),)),
    Setting(
        "tau-like pass^k, 50 x 4", 50, 4, ((0.4, 0.0), (0.4, 1.0, 1.0), (0.2, 1.0)), pick="worst"
    ),
    Setting("tiny, 5 x 3, uniform", 5, 3, ((1.0, 1.0, 1.0),)),
    Setting("skewed, 40 x 8, Beta(.05, 1)", 40, 8, ((1.0, 0.05, 1.0),)),
    Setting("long tail, 20 x 64", 20, 64, ((0.9, 0.3, 60.0), (0.1, 5.0, 1.0))),
    Setting("one attempt, 60 x 1, half solved", 60, 1, ((1.0, 0.5),)),
)
