"""How often bands and scores are evaluated: counted calls."""

from __future__ import annotations

import importlib
from collections import Counter

import numpy as np
import pytest

import bestofk as bk
from bestofk import Scores
from bestofk.curves.band import Band


class CountingNumpy:
    """numpy, as one module sees it, with its sorts counted."""

    def __init__(self):
        self.sorts = 0

    def __getattr__(self, name):
        return getattr(np, name)

    def sort(self, *args, **options):
        self.sorts += 1
        return np.sort(*args, **options)


@pytest.fixture
def counts(monkeypatch):
    """Count the sorts of `Scores`, and the evaluations of each band by label and confidence."""
    numpy, evaluations = CountingNumpy(), Counter()
    monkeypatch.setattr(importlib.import_module("bestofk.scores.scores"), "np", numpy)
    evaluate = Band.evaluate

    def counted(band, budgets):
        evaluations[band.label, round(band.confidence, 9)] += 1
        return evaluate(band, budgets)

    monkeypatch.setattr(Band, "evaluate", counted)
    return numpy, evaluations


class TestCounts:
    """What `bestofk compare` prints costs one sort and one evaluation a method."""

    @pytest.mark.parametrize("axis", ["trials", "cost"])
    @pytest.mark.parametrize("statistic", ["median", "mean"])
    @pytest.mark.parametrize("kind", ["scores", "search"])
    def test_two_methods(self, counts, rng, kind, statistic, axis):
        numpy, evaluations = counts
        methods = {}
        for label, shift in (("x", 0.0), ("y", 1.0)):
            values, costs = rng.normal(shift, 1, 50), rng.uniform(1, 2, 50)
            if kind == "scores":
                methods[label] = Scores(values, costs=costs, bounds=(-99, 99))
            else:
                methods[label] = bk.Search({"s": values}, costs=costs, bounds=(-99, 99))
        options = {"unit_costs": 1.5} if axis == "cost" else {}
        text = repr(bk.compare(methods, statistic=statistic, axis=axis, confidence=0.9, **options))
        assert "confidence" in text
        assert "x - y" in text
        assert numpy.sorts == 2
        # a speed-up reads each band once more as the winner's and once as the loser's
        more = 2 if (statistic, axis) == ("median", "trials") and " beats " in text else 0
        assert evaluations == {(x, 0.95): 1 + more for x in "xy"}

    def test_three_methods(self, counts, rng):
        numpy, evaluations = counts
        found = bk.compare({x: rng.normal(size=30) for x in "xyz"}, confidence=0.7)
        assert "all methods together" in repr(found)
        assert numpy.sorts == 3
        # the verdict ranks the methods by their joint bands once more
        assert evaluations == {(x, 0.9): 2 for x in "xyz"}

    def test_the_table_is_printed_again_for_nothing(self, counts, rng):
        numpy, evaluations = counts
        found = bk.compare({x: rng.normal(size=30) for x in "xy"})
        repr(found)
        before = (numpy.sorts, evaluations.copy())
        repr(found)
        found.table(every=True)
        found.chart()
        assert (numpy.sorts, evaluations) == before
