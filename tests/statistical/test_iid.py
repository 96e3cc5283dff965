"""The check of independence flags random searches as seldom as it says, and others reliably.

At most 2 % of truly random searches are flagged, whatever the space, the ties and the number of
trials.  All the tests here together raise a false alarm once in a million runs with other seeds;
a check that does not split its false alarms over its tests must be caught.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bestofk.iid import check_iid
from bestofk.scores.search import Search

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-6
DESIGN = 0.02
N_SEARCHES = 500
SIZES = [5, 10, 50, 200]


def continuous(rng, n):
    lr, dropout = 10 ** rng.uniform(-5, 0, n), rng.random(n)
    score = -((np.log10(lr) + 3) ** 2) - dropout + 0.1 * rng.normal(size=n)
    return Search({"score": score}, params={"lr": lr, "dropout": dropout}, sampling="iid")


def discrete(rng, n):
    """24 settings and no noise: scores and settings repeat all the time."""
    depth, width, act = rng.integers(1, 4, n), rng.integers(1, 5, n), rng.integers(0, 2, n)
    score = (depth - 2) ** 2 + width / 8 + act
    names = [["relu", "tanh"][a] for a in act]
    params = {"depth": depth.tolist(), "width": width.tolist(), "act": names}
    return Search({"score": score}, params=params, sampling="iid", direction="minimize")


def heavy_ties(rng, n):
    """Accuracies on 20 items; whole numbers with many levels, of which some repeat."""
    score = rng.binomial(20, 0.9, n) / 20
    params = {"units": rng.integers(1, 1000, n).tolist(), "layers": rng.integers(1, 9, n).tolist()}
    return Search({"score": score}, params=params, sampling="iid")


def nearly_constant(rng, n):
    score = np.where(rng.random(n) < 0.05, 0.9, 0.1)
    rare = [("on" if u < 0.03 else "off") for u in rng.random(n)]
    params = {"switch": rare, "fixed": [1] * n, "seldom": (rng.random(n) < 0.1).tolist()}
    return Search({"score": score}, params=params, sampling="iid")


def conditional(rng, n):
    """A category with a parameter of its own; some trials fail, the last few are running."""
    opt = rng.choice(["sgd", "adam", "rms"], n, p=[0.5, 0.4, 0.1])
    momentum = [float(u) if o == "sgd" else None for o, u in zip(opt, rng.random(n), strict=True)]
    score = rng.normal(size=n) + (opt == "adam")
    states = np.where(rng.random(n) < 0.1, "failed", "complete").astype(object)
    states[n - n // 8 :] = "running"
    states[0] = "complete"
    score[states != "complete"] = math.nan
    return Search(
        {"score": score}, params={"opt": opt.tolist(), "momentum": momentum}, sampling="iid",
        states=tuple(states), costs=rng.exponential(size=n),
    )  # fmt: skip


def skewed(rng, n):
    """Settings from a table, popular ones far more often: repeats that are not even."""
    row = np.minimum(rng.geometric(0.05, n), 60)
    table = np.random.default_rng(0).random((61, 2))
    return Search({"score": table[row, 0]}, params={"c": table[row, 1].tolist()}, sampling="iid")


def many_params(rng, n):
    params = {f"x{i}": rng.random(n) for i in range(6)}
    params |= {f"k{i}": rng.integers(0, 3, n).tolist() for i in range(6)}
    return Search({"score": rng.standard_cauchy(n)}, params=params, sampling="iid")


def scores_only(rng, n):
    return np.round(rng.beta(8, 2, n), 2)


KINDS = [
    continuous,
    discrete,
    heavy_ties,
    nearly_constant,
    conditional,
    skewed,
    many_params,
    scores_only,
]


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda k: k.__name__)
def test_random_searches_are_flagged_at_most_as_often_as_stated(kind, n, rng):
    flagged = sum(not check_iid(kind(rng, n)).passed for _ in range(N_SEARCHES))
    share = FALSE_ALARM / (len(KINDS) * len(SIZES))
    print(f"{kind.__name__:16} n = {n:3}: {flagged / N_SEARCHES:.4f}")
    assert flagged <= stats.binom.isf(share, N_SEARCHES, DESIGN)


def test_a_check_that_does_not_split_its_false_alarms_would_be_caught(rng):
    flagged = 0
    for _ in range(N_SEARCHES):
        p = check_iid(heavy_ties(rng, 50)).p_values
        flagged += bool((p <= DESIGN).any())
    assert flagged > stats.binom.isf(FALSE_ALARM / (len(KINDS) * len(SIZES)), N_SEARCHES, DESIGN)


def power(make, rng, runs=200):
    return np.mean([not check_iid(make(rng)).passed for _ in range(runs)])


def seed_used_twice(rng):
    half = rng.random(25)
    noise = 0.1 * rng.normal(size=50)
    return Search({"score": np.tile(half, 2) + noise}, params={"x": np.tile(half, 2)})


def two_workers_with_one_seed(rng):
    """Both draw the same settings in the same order; how they interleave is chance."""
    settings = rng.random(25)
    turn = rng.permuted(np.repeat([0, 1], 25))
    place = np.where(turn == 0, np.cumsum(turn == 0), np.cumsum(turn == 1)) - 1
    x = settings[place]
    return Search({"score": x + rng.normal(size=50)}, params={"x": x})


def drifting(rng):
    return rng.normal(size=100) + np.linspace(0, 2, 100)


def moving_average(rng):
    return np.convolve(rng.normal(size=101), [1, 1], "valid")


def shuffled_grid(rng):
    cells = rng.permutation(60)
    params = {
        "a": (cells % 3).tolist(),
        "b": (cells // 3 % 4).tolist(),
        "c": (cells // 12).tolist(),
    }
    return Search({"score": rng.normal(size=60)}, params=params)


@pytest.mark.parametrize(
    ("make", "least"),
    [
        (seed_used_twice, 1.0),
        (two_workers_with_one_seed, 1.0),
        (drifting, 0.95),
        (moving_average, 0.9),
        (shuffled_grid, 1.0),
    ],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_searches_that_are_not_random_are_flagged(make, least, rng):
    share = power(make, rng)
    print(f"{make.__name__:26}: {share:.3f}")
    assert share >= least


def test_tpe_searches_of_100_trials_are_flagged():
    """All of 120 were when this was written, on this and two other objectives."""
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial):
        lr = trial.suggest_float("lr", 1e-5, 1, log=True)
        layers = trial.suggest_int("layers", 1, 6)
        opt = trial.suggest_categorical("opt", ["sgd", "adam", "rms"])
        momentum = trial.suggest_float("momentum", 0, 1) if opt == "sgd" else 0.9
        noise = 0.1 * np.random.default_rng(trial.number).normal()
        return (np.log10(lr) + 3) ** 2 + 0.3 * abs(layers - 3) + (momentum - 0.9) ** 2 + noise

    flagged = 0
    for seed in range(20):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
        study.optimize(objective, n_trials=100)
        params = {
            name: [t.params.get(name) for t in study.trials]
            for name in ("lr", "layers", "opt", "momentum")
        }
        losses = [t.value for t in study.trials]
        flagged += not check_iid(
            Search({"loss": losses}, params=params, direction="minimize")
        ).passed
    assert flagged >= 18
