"""One search, compared by the values of a hyperparameter."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Search
from tests.comparison.made_up import made_up


class TestByAHyperparameter:
    def test_values_and_bins(self, rng):
        search = made_up(rng)
        by_kind = bk.compare(search, by="kind", confidence=0.8)
        assert by_kind.labels == ("kind a", "kind b")
        by_lr = bk.compare(search, by="lr", n_bins=3, confidence=0.8)
        assert len(by_lr.labels) == 3
        assert sum(b.n for b in by_lr.bands) == 400
        assert by_lr.ranking(3)[0]["label"] == by_lr.labels[2]

    def test_every_trial_is_in_one_group_and_small_groups_are_said(self):
        search = Search({"s": np.arange(21.0)}, params={"k": ["a"] * 10 + ["b"] * 10 + ["c"]})
        found = bk.compare(search, by="k", confidence=0.8)
        assert found.labels == ("k a", "k b")
        assert any("fewer than 5 trials: k c" in str(c) for c in found.caveats)
        assert [c.kind for c in found.caveats][-1] == "too-few-trials"
        with pytest.raises(DataError, match="at least two values or bins"):
            bk.compare(Search({"s": [1, 2]}, params={"k": ["a", "b"]}), by="k")

    def test_the_axis_is_that_of_trials_unless_told(self, rng):
        search = made_up(rng, costs=rng.random(400) + 0.5)
        assert bk.compare(search, by="kind").axis == "trials"
        assert bk.compare(search, by="kind", axis="cost").axis == "cost"

    def test_only_one_search_can_be_split(self, rng):
        search = made_up(rng)
        with pytest.raises(ArgumentError, match="`by` splits one Search by a .*; got list"):
            bk.compare(search, search, by="kind")
        with pytest.raises(ArgumentError, match=r"hyperparameter of the search \('lr', 'kind'"):
            bk.compare(search, by="depth")
        with pytest.raises(ArgumentError, match="`n_bins` must be a whole number of at least 2"):
            bk.compare(search, by="lr", n_bins=1)
