"""How often `importance` is wrong, in simulated searches whose truth is known.

Binomial tests have a false-alarm rate of one in a million; seeds are fixed.  The quick versions run
always, 1,000 studies in make test-slow, 10,000 in make test-wide.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import optimize, special, stats

import bestofk as bk
from bestofk import Search
from bestofk.comparison.confined import level, loss, quantile

FALSE_ALARM = 1e-6
CONFIDENCE = 0.95
SIZES = [
    pytest.param(200, id="quick"),
    pytest.param(1_000, id="slow", marks=pytest.mark.slow),
    pytest.param(10_000, id="wide", marks=pytest.mark.wide),
]


def not_more_than(errors, studies, share):
    """Tell whether the errors seen are no more than a share of the studies allows."""
    print(f"{errors} of {studies}, nominal {share:.3g}")
    return stats.binomtest(errors, studies, share, alternative="greater").pvalue > FALSE_ALARM


def conditional_space(rng, n=200):
    """Draw 13 parameters of all kinds, of which 4 exist under one value of `optimizer` only."""
    sgd = rng.random(n) < 0.5
    params = {
        "dropout": rng.random(n),
        "width": rng.integers(16, 513, n),
        "layers": rng.integers(1, 9, n),
        "warmup": rng.integers(0, 20, n),
        "decay": 10 ** rng.uniform(-6, -2, n),
        "batch": rng.choice([16, 32, 64, 128], n),
        "activation": rng.choice(["relu", "gelu", "tanh"], n),
        "norm": rng.random(n) < 0.5,
        "seed": rng.integers(0, 10**6, n),
    }
    params = {"lr": 10 ** rng.uniform(-5, -1, n)} | params
    lists = {name: values.tolist() for name, values in params.items()}
    lists["optimizer"] = np.where(sgd, "sgd", "adam").tolist()
    for name, there in (("momentum", sgd), ("beta2", ~sgd), ("schedule", ~sgd), ("nesterov", sgd)):
        values = rng.random(n) < 0.5 if name == "nesterov" else rng.random(n)
        lists[name] = [v if t else None for v, t in zip(values.tolist(), there, strict=True)]
    return lists


def only_lr(params, rng):
    lr = np.log10(params["lr"])
    return 0.9 - 0.1 * (lr + 3) ** 2 + 0.05 * rng.normal(size=lr.size)


def only_the_parent(params, rng):
    adam = np.array(params["optimizer"]) == "adam"
    return np.where(adam, 0.7, 0.3) + 0.2 * rng.random(adam.size)


def nothing(params, rng):
    return rng.standard_t(2, size=len(params["lr"]))


def ties(params, rng):
    return rng.integers(0, 4, len(params["lr"])) / 4


LAWS = {only_lr: {"lr"}, only_the_parent: {"optimizer"}, nothing: set(), ties: set()}


class TestParametersThatDoNothing:
    """The share of searches in which any of 12 or more of them is shown to cost something."""

    @pytest.mark.parametrize("studies", SIZES)
    @pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
    def test_together_they_are_told_apart_no_more_often_than_said(self, law, studies):
        errors = first = 0
        for i in range(studies):
            rng = np.random.default_rng([17, i])
            params = conditional_space(rng)
            search = Search({"acc": law(params, rng)}, params=params, sampling="iid")
            table = bk.importance(search, confidence=CONFIDENCE)
            shown = {item.param for item in table.items if item.finding != "not told apart from 0"}
            errors += bool(shown - LAWS[law])
            first += table.items[0].param in LAWS[law]
        assert not_more_than(errors, studies, 1 - CONFIDENCE)
        if LAWS[law]:
            assert first >= 0.95 * studies
            print(f"the one that matters is first in {first} of {studies}")

    def test_a_test_of_each_value_without_its_share_of_the_error_finds_some(self):
        """The wrong way: a rank test of each quarter of each parameter, all at the full error."""
        errors = 0
        for i in range(200):
            rng = np.random.default_rng([18, i])
            ranks = stats.rankdata(rng.normal(size=200))
            quarter = np.argsort(rng.random((12, 200)), axis=1).reshape(48, 50)
            sums, spread = ranks[quarter].sum(axis=1), np.sqrt(50 * 150 * 201 / 12)
            errors += (sums.min() - 50 * 100.5) / spread < stats.norm.ppf(0.05)
        assert not not_more_than(errors, 200, 1 - CONFIDENCE)

    def test_a_conditional_one_measured_against_all_trials_is_its_parent(self):
        """Findings, d1: `momentum`, which does nothing, was certified in 200 of 200 searches."""
        wrong = right = 0
        p = level(0.5, 2, minimize=False)
        for i in range(60):
            rng = np.random.default_rng([19, i])
            params = conditional_space(rng)
            score = only_the_parent(params, rng)
            there = np.array([v is not None for v in params["momentum"]])
            low = there & np.array([v is not None and v < 0.5 for v in params["momentum"]])
            whole, part = (
                quantile(np.sort(score[w]), p, 1e-3, (0, 1)) for w in (there | True, low)
            )
            wrong += loss(whole, part, minimize=False).lower > 0
            search = Search({"acc": score}, params=params, sampling="iid", bounds=(0, 1))
            right += bk.importance(search, "momentum").finding != "not told apart from 0"
        assert wrong == 60
        assert not_more_than(right, 60, 0.05)


class TestIntervals:
    """Do all intervals of one parameter that matters hold together?"""

    NOISE = 0.1

    def mean_score(self, lr):
        return -4 * (lr - 0.8) ** 2

    def truth(self, lr, k):
        """Return the median of the best of k of scores whose lr is drawn from the given ones."""
        p, means = 0.5 ** (1 / k), self.mean_score(lr)

        def excess(y):
            return special.ndtr((y - means) / self.NOISE).mean() - p

        return optimize.brentq(excess, means.min() - 1, means.max() + 1)

    @pytest.mark.parametrize("studies", SIZES)
    def test_of_all_bins_and_of_the_worst(self, studies):
        uniform = (np.arange(4_000) + 0.5) / 4_000
        missed = missed_worst = 0
        for i in range(studies):
            rng = np.random.default_rng([20, i])
            lr = rng.random(120)
            score = self.mean_score(lr) + self.NOISE * rng.normal(size=120)
            search = Search({"s": score}, params={"lr": lr.tolist()}, sampling="iid")
            found = bk.importance(search, "lr", budget=2, confidence=0.8)
            whole = self.truth(uniform, 2)
            true = [whole - self.truth(lr[inside], 2) for inside in found.inside]
            missed += any(
                not p.lower <= t <= p.upper for p, t in zip(found.places, true, strict=True)
            )
            missed_worst += not found.worst_lower <= max(true) <= found.worst_upper
        assert not_more_than(missed, studies, 0.2)
        assert not_more_than(missed_worst, studies, 0.2)

    @pytest.mark.parametrize("studies", SIZES)
    def test_a_default_fixed_before_and_one_picked_afterwards(self, studies):
        """Findings, d12: the value of the best trial, called a default, looks better than it is."""
        wrong, fixed, picked = 0, [], []
        for i in range(studies):
            rng = np.random.default_rng([21, i])
            score, x = rng.random(100), rng.random(100)
            search = Search({"s": score}, params={"x": x.tolist()}, sampling="iid")
            before = bk.importance(search, "x", default=0.5, budget=5)
            wrong += before.finding != "not told apart from 0"
            fixed.append(before.worst_risk)
            of_best = float(x[score.argmax()])
            after = bk.importance(search, "x", default=of_best, budget=5)
            assert after.validity == "assumed"
            picked.append(after.worst_risk)
        assert not_more_than(wrong, studies, 1 - CONFIDENCE)
        print(f"mean loss: fixed before {np.mean(fixed):.4f}, picked {np.mean(picked):.4f}, true 0")
        assert stats.ttest_rel(picked, fixed, alternative="less").pvalue < FALSE_ALARM
