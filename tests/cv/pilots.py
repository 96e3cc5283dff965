"""Tables to draw pilots from, recorded and simulated, with the truth about what tunings choose."""

from __future__ import annotations

import numpy as np

from tests.cv.tables import FILES, recorded

JUDGED = ("1", "2", "3", "4")  # IMDB, part of speech, Reuters, LSTM width


class Recorded:
    """Pilots are partitions of a recorded table, drawn without replacement."""

    def __init__(self, folder, number):
        name, params, _ = FILES[number]
        self.table, _ = recorded(folder, name, params, 5)
        self.truth = self.table.mean(axis=0)

    def draw(self, n_repeats, rng):
        return self.table[rng.permutation(len(self.table))[:n_repeats]]

    def averages(self, n_repeats, count, rng):
        return np.array([self.draw(n_repeats, rng).mean(axis=0) for _ in range(count)])


class Simulated:
    """Normal noise, of size 1, on top of true scores and of what all share."""

    def __init__(self, truth, noise=1.0):
        self.truth, self.noise = np.asarray(truth, dtype=float), noise

    def draw(self, n_repeats, rng):
        shared = rng.normal(size=(n_repeats, 1))
        return self.truth + shared + self.noise * rng.normal(size=(n_repeats, self.truth.size))

    def averages(self, n_repeats, count, rng):
        noise = self.noise * rng.normal(size=(count, self.truth.size))
        return self.truth + (noise + rng.normal(size=(count, 1))) / np.sqrt(n_repeats)


def frequencies(source, n_repeats, rng, count=2000):
    """Return how often fresh tunings choose each, what they lose, and the SD of their score."""
    averages = source.averages(n_repeats, count, rng)
    chosen = averages.argmax(axis=1)
    shares = np.bincount(chosen, minlength=source.truth.size) / count
    lost = source.truth.max() - source.truth[chosen]
    return shares, float(lost.mean()), float(averages.max(axis=1).std())


def losses(source, most, rng, count=2000):
    """Return what tunings of 1 to `most` repetitions lose on average."""
    return np.array([frequencies(source, j, rng, count)[1] for j in range(1, most + 1)])


def fresh_tables():
    """Return sources that nothing was tuned on."""
    rng = np.random.default_rng(2024)
    return {
        "normal, 40": Simulated(0.5 * rng.normal(size=40)),
        "normal, 8": Simulated(0.5 * rng.normal(size=8)),
        "ridge": Simulated(-2 * np.abs(np.linspace(-1, 1.5, 25))),
        "plateau and slope": Simulated(np.r_[np.zeros(12), -np.linspace(0.2, 3, 18)]),
        "5 equal": Simulated(np.zeros(5)),
        "100 equal": Simulated(np.zeros(100)),
        "two far ahead": Simulated(np.r_[0.0, 0.1, np.full(9, -30.0)]),
        "uneven noise": Simulated(
            0.3 * rng.normal(size=30), noise=np.exp(0.3 * rng.normal(size=30))
        ),
    }
