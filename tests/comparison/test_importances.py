"""Does a hyperparameter matter?  All of them at once."""

from __future__ import annotations

import dataclasses
import math
import time

import numpy as np
import pytest

import bestofk as bk
from bestofk import DataError, Search
from bestofk.cli.output import _csv
from bestofk.scores.subset import by_value, is_seed
from tests.comparison.made_up import made_up
from tests.contracts import ResultContract


class TestAll:
    def test_the_riskiest_comes_first(self, rng):
        table = bk.importance(made_up(rng))
        assert table.items[0].param == "lr"
        assert (np.diff([row.lower for row in table.rows]) <= 0).all()
        assert "Importance of 3 hyperparameters of 'net'" in table.title
        span = f"{table.rows[0].lower:.4g} to {table.rows[0].upper:.4g}"
        assert table.verdict == (
            f"Leaving lr at a bad value costs the most: {span} at 5 trials (95 %). "
            "kind and noise are not told apart from 0."
        )
        mixed = bk.importance(made_up(rng), default={"kind": "b"})
        assert {item.param: item.default for item in mixed.items} == {
            "lr": None, "kind": "b", "noise": None
        }  # fmt: skip

    def test_seeds_are_left_out_and_it_is_said(self, rng):
        names = ["seed", "train.seed", "random_state", "model__random_state", "dataSeed", "RNG"]
        names += ["Random-Seed", "PYTHONHASHSEED_SEED", "rng_seed"]
        assert all(map(is_seed, names))
        assert not any(map(is_seed, ["seedling", "state", "random_rotation", "strange", "lr"]))
        lr = made_up(rng)
        params = {**lr.params, "seed": list(range(400))}
        search = Search(dict(lr.metrics), params=params, sampling="iid")
        table = bk.importance(search)
        assert "seed" not in [item.param for item in table.items]
        assert table.verdict.endswith(" seed is not a hyperparameter and was left out.")
        assert dict(table.skipped) == {"seed": "is not a hyperparameter and was left out"}
        both = Search(dict(lr.metrics), params={**params, "rng": params["seed"]}, sampling="iid")
        said = "seed and rng are not hyperparameters and were left out."
        assert bk.importance(both).verdict.endswith(said)
        assert bk.importance(search, "seed").param == "seed"  # one may ask for it

    def test_what_cannot_be_judged_is_said(self):
        search = Search(
            {"s": np.arange(40.0)},
            params={
                "id": [f"run{i}" for i in range(40)],
                "lr": list(range(40)),
                "one": [3] * 40,
                "gone": [None] * 40,
            },
        )
        table = bk.importance(search)
        assert list(table.skipped) == ["id", "one", "gone"]
        said = [str(c) for c in table.caveats if c.kind == "not-judged"]
        assert said == [
            "id has no two values or bins with at least 5 trials each",
            "one has the same value in all trials that have it",
            "gone is None in all trials",
        ]
        nothing = Search({"s": [1, 2]}, params={"id": ["x", "y"], "seed": [1, 2]}, label="net")
        with pytest.raises(DataError) as error:
            bk.importance(nothing)
        assert str(error.value) == (
            "net: no hyperparameter can be judged: id has no two values or bins with at least 5 "
            "trials each; seed is not a hyperparameter and was left out."
        )

    def test_rare_values_are_said(self, rng):
        search = Search({"s": rng.random(43)}, params={"k": ["a"] * 20 + ["b"] * 20 + ["c"] * 3})
        found = bk.importance(search, "k")
        assert [p.left_at for p in found.places] == ["a", "b"]
        assert "values of k with fewer than 5 trials were not looked at: c" in repr(found)

    def test_values_that_look_alike_stay_apart(self):
        groups = by_value(["1", 1] * 10, 4)
        assert list(groups) == ["1", "'1'"]
        close = by_value([1 + i * 1e-9 for i in range(40)], 4)
        assert [int(inside.sum()) for inside in close.values()] == [10] * 4

    def test_the_budget_does_not_look_at_the_scores(self, rng):
        budgets = set()
        for _ in range(5):
            params = {name: list(range(200)) for name in "abc"}
            search = Search({"s": rng.normal(size=200)}, params=params)
            budgets.add(bk.importance(search).budget)
        assert budgets == {2.0}

    def test_nothing_shown_is_said(self, rng):
        params = {name: rng.random(200).tolist() for name in "abc"}
        table = bk.importance(Search({"s": rng.random(200)}, params=params, sampling="iid"))
        assert table.verdict.startswith(
            "No hyperparameter is shown to cost anything at 2 trials (95 %). The closest is leaving"
        )
        assert table.verdict.endswith(", is not told apart from 0.")

    def test_a_void_search_has_estimates_only(self, rng):
        sound = made_up(rng)
        adaptive = Search(dict(sound.metrics), params=sound.params, sampling="adaptive")
        table = bk.importance(adaptive)
        assert table.validity == "void"
        assert table.verdict.startswith("By the estimates alone, leaving lr at a bad value costs")
        plain = table.to_dict()
        assert plain["lower"] == plain["upper"] == plain["finding"] == [None] * 3
        assert plain["confidence"] is None
        assert plain["risk"] == sorted(plain["risk"], reverse=True)
        assert np.isneginf([row.lower for row in table.rows]).all()
        text = repr(table)
        assert text.startswith("No confidence statement is possible")
        assert not any(word in text for word in ("95", "lower", "told apart", "loss"))
        one = bk.importance(adaptive, "lr")
        for void in (one, table):  # the last column is `finding`
            assert all(line.endswith(",") for line in _csv([void]).splitlines()[1:])
        assert (one.worst_lower, one.worst_upper, one.finding) == (-math.inf, math.inf, "")
        assert one.verdict.startswith("By the estimates alone, leaving lr at a bad value costs ")

    def test_assumed_is_said_first(self, rng):
        sound = made_up(rng)
        table = bk.importance(Search(dict(sound.metrics), params=sound.params))
        assert table.verdict.startswith(
            "If the trials are independent draws (which is not stated): leaving lr at a bad value "
        )

    def test_12_parameters_of_200_trials_take_less_than_a_second(self, rng):
        params = {f"p{i}": rng.random(200).tolist() for i in range(12)}
        search = Search({"s": rng.random(200)}, params=params)
        start = time.perf_counter()
        bk.importance(search)
        assert time.perf_counter() - start < 1


class TestImportanceTableContract(ResultContract):
    def make(self, label="cnn"):
        rng = np.random.default_rng(0)
        params = {"lr": rng.random(30).tolist()}
        return bk.importance(Search({"s": rng.random(30)}, params=params, label=label))


class TestEpochsOfDeberta:
    """Lourie et al. 2024, Figures 4 and 20: tuning epochs against leaving them at 3, at equal cost.

    The paper draws 48 and 245 trials.  Over 200 such draws the share of the axis at each level is
    printed by `pytest -s`; at 245 the tuned one never leads.
    """

    @pytest.mark.parametrize("size", [48, 245])
    def test_shares_of_the_axis(self, data_folder, size):
        search = bk.read(
            data_folder / "deberta_mnli" / "debertav3.csv", score="matched_best", cost="epochs",
            sampling="iid",
        ).scores()  # fmt: skip
        default = np.flatnonzero(search.costs == 3)
        assert default.size >= 245
        rng = np.random.default_rng(20)
        shares = dict.fromkeys(("none", "weak", "fair", "strong"), 0.0)
        tuned_leads = 0
        for _ in range(200):
            tuned = rng.choice(search.n, size, replace=False)
            fixed = rng.choice(default, size, replace=False)
            found = bk.compare(
                [
                    bk.Scores(search.values[i], label=label)
                    for i, label in ((tuned, "tuned"), (fixed, "fixed"))
                ],
                axis="cost",
                unit_costs=[float(search.costs[tuned].mean()), 3.0],
                confidence=0.8,
                budgets=np.geomspace(3.1, 3 * size, 256),
            )
            # as the paper does: fractions of trials count
            units = tuple(dataclasses.replace(unit, whole=False) for unit in found.units)
            pair = dataclasses.replace(found, units=units).pairs[0]
            for level, share in pair.evidence_shares.items():
                shares[level] += share / 200
            tuned_leads += any(
                r.what == "tuned" and pair.evidence_at(math.sqrt(r.low * r.high)) != "none"
                for r in pair.leader_ranges
            )
        print(size, {k: round(v, 3) for k, v in shares.items()}, "tuned leads:", tuned_leads)
        assert sum(shares.values()) == pytest.approx(1)
        assert shares["strong"] < 0.05
        if size == 245:
            assert tuned_leads == 0
