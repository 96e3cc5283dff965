"""Merged once: a naive judge at every budget."""

from __future__ import annotations

import math
from collections import Counter
from itertools import combinations, pairwise
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk import Scores

LABELS = ("a", "b", "c")


class Judge:
    """What holds at one budget by the definitions, from `tuning_band` alone, number by number."""

    def __init__(self, samples, units, confidence, statistic, cost):
        self.cost = cost
        self.direction = samples[0].direction
        self.units = dict(zip(LABELS, units, strict=True))
        shared = 1 - (1 - confidence) / len(samples)
        self.own, self.joint, self.bold = (
            {
                label: bk.tuning_band(
                    s, confidence=level, statistic=statistic, budgets=[1], simultaneous=which
                )
                for label, s in zip(LABELS, samples, strict=True)
            }
            # evidence is the paper's
            for level, which in ((confidence, "real"), (shared, None), (confidence, None))
        )

    def at(self, bands, label, budget):
        unit = self.units[label]
        whole = math.floor(budget / unit * (1 + 1e-9)) if self.cost else budget / unit
        return bands[label].at(whole)

    def better(self, x, y):
        return x > y if self.direction == "maximize" else x < y

    def leader(self, first, second, budget):
        x, y = (self.at(self.own, label, budget).estimate for label in (first, second))
        return first if self.better(x, y) else second if self.better(y, x) else ""

    def certified(self, first, second, budget, *, bands=None):
        """Who is better even if it is as bad, and the other as good, as its band allows."""
        x, y = (self.at(bands or self.joint, label, budget) for label in (first, second))
        if self.direction == "maximize":
            return first if x.lower > y.upper else second if y.lower > x.upper else ""
        return first if x.upper < y.lower else second if y.upper < x.lower else ""

    def evidence(self, first, second, budget, *, bands=None):
        x, y = (self.at(bands or self.own, label, budget) for label in (first, second))
        excluded = [not x.lower <= y.estimate <= x.upper, not y.lower <= x.estimate <= y.upper]
        if x.upper < y.lower or y.upper < x.lower:
            return "strong"
        return "fair" if all(excluded) else "weak" if any(excluded) else "none"

    def difference(self, first, second, budget):
        x, y = (self.at(self.joint, label, budget) for label in (first, second))
        low, high = x.lower - y.upper, x.upper - y.lower
        return -math.inf if math.isnan(low) else low, math.inf if math.isnan(high) else high

    def best(self, budget):
        """Who is certified better than each of the others."""
        for label in LABELS:
            others = [other for other in LABELS if other != label]
            if all(self.certified(label, other, budget) == label for other in others):
                return label
        return ""


class Drawn(NamedTuple):
    """Three samples, and how they are compared."""

    samples: list
    units: list
    confidence: float
    statistic: object
    options: dict

    @property
    def judge(self):
        cost = self.options["axis"] == "cost"
        return Judge(self.samples, self.units, self.confidence, self.statistic, cost)

    @property
    def comparison(self):
        return bk.compare(
            self.samples, confidence=self.confidence, statistic=self.statistic, **self.options
        )


def drawn(seed, *, direction, cost, statistic, confidence, ties=False, bounded=False, grid=False):
    """Three methods of different size, place and spread, often far enough apart to tell."""
    rng = np.random.default_rng(seed)
    samples, units = [], []
    for label in LABELS:
        n = int(rng.integers(1, 41))
        values = rng.normal(rng.choice([0.0, 1.0, 4.0, 20.0]), rng.choice([0.1, 1.0, 5.0]), n)
        values = np.round(values) if ties else values
        costs = rng.uniform(0.1, 7.0, n) if cost else None
        bounds = (-99.0, 99.0) if bounded else None
        samples.append(Scores(values, direction=direction, costs=costs, bounds=bounds, label=label))
        units.append(float(costs.mean()) if cost else 1.0)
    options = {"axis": "cost", "unit_costs": units} if cost else {"axis": "trials"}
    if grid:  # any budgets, in any order
        unit = max(units)
        options["budgets"] = unit * rng.uniform(1 if cost else 0.3, 45, int(rng.integers(1, 12)))
    return Drawn(samples, units, confidence, statistic, options)


SETTINGS = {
    "direction": st.sampled_from(["maximize", "minimize"]),
    "cost": st.booleans(),
    "statistic": st.sampled_from(["median", 0.2, 0.9]),
    "confidence": st.sampled_from([0.2, 0.8, 0.95]),
    "ties": st.booleans(),
    "bounded": st.booleans(),
    "grid": st.booleans(),
}


SEEDS = st.integers(0, 2**32)


def check_tiling(ranges, low, high):
    """Ranges follow each other from end to end, and neighbours differ."""
    assert (ranges[0].low, ranges[-1].high) == (low, high)
    for before, after in pairwise(ranges):
        assert before.high == after.low
        assert before.what != after.what


def inside(found, rng):
    """Some real budgets within a range; those of one too narrow to have any are left out."""
    if found.low == found.high:
        return [found.low]
    if found.high - found.low < 1e-9 * found.high:
        return []
    return (found.low + (found.high - found.low) * rng.uniform(1e-3, 1 - 1e-3, 3)).tolist()


class TestNaiveJudge:
    @given(SEEDS, st.fixed_dictionaries(SETTINGS))
    def test_columns_and_single_budgets(self, seed, settings):
        case = drawn(seed, **settings)
        found, judge = case.comparison, case.judge
        rng = np.random.default_rng(seed)
        low, high = float(found.budgets.min()), float(found.budgets.max())
        elsewhere = rng.uniform((1 if settings["cost"] else 0.2) * low, 2 * high, 3).tolist()
        assert [(p.first, p.second) for p in found.pairs] == list(combinations(LABELS, 2))
        for pair in found.pairs:
            names = (pair.first, pair.second)
            columns = pair.columns()
            size = found.budgets.size
            assert {len(column) for column in columns.values()} == {size}
            # all of few budgets, some of the 256 of an axis of costs
            for i in {0, size - 1, *rng.permutation(size)[:30].tolist()}:
                k = float(found.budgets[i])
                assert columns["budget"][i] == k
                assert (columns["first"][i], columns["second"][i]) == names
                assert columns["leader"][i] == judge.leader(*names, k)
                assert columns["certified"][i] == judge.certified(*names, k)
                interval = columns["difference_low"][i], columns["difference_high"][i]
                assert interval == judge.difference(*names, k)
            for k in [*found.budgets.tolist()[:3], *elsewhere]:
                assert pair.leader_at(k) == judge.leader(*names, k)
                assert pair.certified_at(k) == judge.certified(*names, k)
                assert pair.evidence_at(k) == judge.evidence(*names, k)
                assert pair.difference_at(k) == judge.difference(*names, k)

    @given(SEEDS, st.fixed_dictionaries(SETTINGS))
    def test_ranges_hold_at_every_real_budget(self, seed, settings):
        case = drawn(seed, **settings)
        found, judge = case.comparison, case.judge
        rng = np.random.default_rng(seed)
        low, high = float(found.budgets.min()), float(found.budgets.max())
        for pair in found.pairs:
            for ranges, naive in (
                (pair.leader_ranges, judge.leader),
                (pair.certified_ranges, judge.certified),
                (pair.evidence_ranges, judge.evidence),
            ):
                check_tiling(ranges, low, high)
                for r in ranges:
                    for k in inside(r, rng):
                        assert naive(pair.first, pair.second, k) == r.what
            shares = dict.fromkeys(("none", "weak", "fair", "strong"), 0.0)
            for r in pair.evidence_ranges:
                shares[r.what] += (r.high - r.low) / (high - low) if high > low else 1.0
            assert pair.evidence_shares == pytest.approx(shares, rel=1e-12)

    @given(SEEDS, st.fixed_dictionaries(SETTINGS))
    def test_the_best_of_all(self, seed, settings):
        case = drawn(seed, **settings)
        found, judge = case.comparison, case.judge
        rng = np.random.default_rng(seed)
        low, high = float(found.budgets.min()), float(found.budgets.max())
        whole = np.arange(math.ceil(low), math.floor(high) + 1)
        if settings["cost"] or not whole.size:
            check_tiling(found.best_ranges, low, high)
            for r in found.best_ranges:
                for k in inside(r, rng):
                    assert judge.best(k) == r.what
            return
        told = [(k, r.what) for r in found.best_ranges for k in range(int(r.low), int(r.high) + 1)]
        assert told == [(k, judge.best(k)) for k in whole.tolist()]

    def test_everything_occurs_among_such_samples(self):
        """Otherwise the judge would have nothing to judge."""
        seen = Counter()
        for seed in range(60):
            case = drawn(
                seed, direction="maximize", cost=bool(seed % 2), statistic="median", confidence=0.8
            )
            found = case.comparison
            seen.update(f"best {bool(r.what)}" for r in found.best_ranges)
            for pair in found.pairs:
                seen.update(f"leader {r.what}" for r in pair.leader_ranges)
                seen.update(f"certified {r.what}" for r in pair.certified_ranges)
                seen.update(f"evidence {r.what}" for r in pair.evidence_ranges)
        wanted = [f"{kind} {who}" for kind in ("leader", "certified") for who in LABELS]
        wanted += [f"evidence {level}" for level in ("none", "weak", "fair", "strong")]
        wanted += ["certified ", "best True", "best False"]
        assert min(seen[what] for what in wanted) >= 5

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_a_judge_with_the_wrong_bands_disagrees(self, direction):
        """Bands at the stated confidence certify more than they may; joint ones show less."""
        bolder = shyer = turned = 0
        for seed in range(40):
            case = drawn(seed, direction=direction, cost=False, statistic="median", confidence=0.8)
            found, judge = case.comparison, case.judge
            opposite = case.judge
            opposite.direction = "minimize" if direction == "maximize" else "maximize"
            for pair in found.pairs:
                names = (pair.first, pair.second)
                for k in found.budgets.tolist():
                    who, level = pair.certified_at(k), pair.evidence_at(k)
                    bold = judge.certified(*names, k, bands=judge.bold)
                    assert who in ("", bold)
                    bolder += who != bold
                    shyer += level != judge.evidence(*names, k, bands=judge.joint)
                    turned += who != opposite.certified(*names, k)
        assert min(bolder, shyer, turned) >= 10


class TestMean:
    """The curves of a mean are smooth and judged on a grid: what is told must hold all the same."""

    @staticmethod
    def three(level, last, axis):
        """A method that is certified best from some budget on, but not beyond a later one."""
        n = 1000
        rare, costs = np.repeat([0.5, 0.9], [n - 50, 50]), np.ones(n)
        methods = [
            Scores(rare, bounds=(0, 0.9), costs=costs, label="rare"),
            Scores(np.full(n, level), bounds=(0, 0.9001), costs=costs, label="steady"),
            Scores(np.full(n, 0.1), bounds=(0, 0.2), costs=costs, label="poor"),
        ]
        found = bk.compare(methods, statistic="mean", budgets=[1, last], confidence=0.8, axis=axis)
        pair = found.pair("rare", "steady")
        assert [r.what for r in pair.certified_ranges] == ["steady", "", "rare", ""]
        return found, pair

    @pytest.mark.parametrize(("level", "last"), [(0.885, 1e4), (0.883, 1e6), (0.872, 1e9)])
    def test_no_whole_budget_is_certified_that_is_not(self, level, last):
        """On a long axis several whole budgets lie in one piece, and a change among them."""
        found, pair = self.three(level, last, "trials")
        whole = np.arange(1, 2001)
        holds = pair.certified_at(whole)
        stretches = [r for rs in pair.certified_stretches().values() for r in rs]
        for ranges in (stretches, found.best_ranges):
            assert {r.what for r in ranges} == {"steady", "", "rare"}
            for low, high, what in ranges:
                if what:
                    assert set(holds[(whole >= low) & (whole <= high)]) == {what}

    @pytest.mark.parametrize(("level", "last"), [(0.875, 1e4), (0.88, 1e4), (0.885, 1e6)])
    def test_no_cost_is_certified_that_is_not(self, level, last):
        """Not even within the piece of the grid in which it changes."""
        found, pair = self.three(level, last, "cost")
        for ranges in (pair.certified_ranges, found.best_ranges):
            assert {r.what for r in ranges} == {"steady", "", "rare"}
            for low, high, what in ranges:
                if what:
                    assert set(pair.certified_at(np.linspace(low, high, 20_001))) == {what}

    @given(SEEDS, st.sampled_from(["maximize", "minimize"]), st.booleans(), st.booleans())
    def test_ranges_claim_nothing_that_does_not_hold(self, seed, direction, cost, grid):
        case = drawn(
            seed, direction=direction, cost=cost, statistic="mean", confidence=0.8, bounded=True,
            grid=grid,
        )  # fmt: skip
        found, judge, rng = case.comparison, case.judge, np.random.default_rng(seed)
        low, high = float(found.budgets.min()), float(found.budgets.max())
        for pair in found.pairs:
            names = (pair.first, pair.second)
            check_tiling(pair.certified_ranges, low, high)
            check_tiling(pair.leader_ranges, low, high)
            for r in pair.certified_ranges:
                for k in inside(r, rng) if r.what else []:
                    assert judge.certified(*names, k) == r.what
            for r in pair.leader_ranges:
                for k in inside(r, rng) if r.what else []:
                    assert judge.leader(*names, k) == r.what
        for r in found.best_ranges:
            for k in (r.low, r.high, *inside(r, rng)) if r.what else []:
                at = k if cost else float(round(k))
                assert judge.best(at) == r.what
