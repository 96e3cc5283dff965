"""Does a hyperparameter matter?"""

from __future__ import annotations

import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Search
from tests.contracts import ResultContract


def made_up(rng, n=400, **options):
    """Scores that depend strongly on `lr`, weakly on `kind` and not at all on `noise`."""
    lr, kind, noise = rng.random(n), rng.integers(0, 2, n), rng.random(n)
    score = -4 * (lr - 0.9) ** 2 + 0.1 * kind + 0.05 * rng.normal(size=n)
    params = {"lr": lr.tolist(), "kind": [["a", "b"][k] for k in kind], "noise": noise.tolist()}
    return Search({"score": score}, params=params, sampling="iid", label="net", **options)


class TestOne:
    def test_leaving_it_at_a_bad_value_costs_and_at_a_good_one_pays(self, rng):
        search = made_up(rng)
        bad = bk.importance(search, "lr", default=0.2, confidence=0.8)
        good = bk.importance(search, "lr", default=0.9, confidence=0.8)
        assert bad.risk[4] > 0.3
        assert bad.comparison.pairs[0].certified_at(5) == "tuned"
        assert good.risk[0] < 0
        assert good.comparison.pairs[0].certified_at(1) == "fixed"

    def test_minimizing_turns_the_sign_around(self, rng):
        search = made_up(rng)
        mirrored = Search(
            {"score": -search.metrics["score"]}, params=search.params, direction="minimize"
        )
        a = bk.importance(search, "lr", default=0.2, statistic="mean", confidence=0.8)
        b = bk.importance(mirrored, "lr", default=0.2, statistic="mean", confidence=0.8)
        np.testing.assert_allclose(a.risk, b.risk, rtol=1e-9)

    def test_a_discrete_value_is_taken_as_it_is(self, rng):
        search = made_up(rng)
        found = bk.importance(search, "kind", default="b")
        assert found.bin is None
        assert found.comparison.bands[1].n == search.params["kind"].count("b")

    def test_a_numeric_value_is_a_bin_of_the_nearest_trials_and_it_is_said(self, rng):
        search = made_up(rng)
        found = bk.importance(search, "lr", default=0.5, share=0.1)
        assert found.comparison.bands[1].n == 40
        assert found.bin[0] < 0.5 < found.bin[1]
        assert found.bin[1] - found.bin[0] < 0.2
        assert any("stand for lr = 0.5" in str(c) for c in found.caveats)
        edge = bk.importance(search, "lr", default=7.0, share=0.1)
        assert edge.bin[1] == max(search.params["lr"])

    def test_risk_is_the_difference_of_the_curves_inside_its_joint_interval(self, rng):
        found = bk.importance(made_up(rng), "lr", default=0.2, confidence=0.8)
        tuned, fixed = (b.estimate for b in found.comparison.bands)
        np.testing.assert_allclose(found.risk, tuned - fixed)
        assert (found.risk_low <= found.risk).all()
        assert (found.risk <= found.risk_high).all()

    def test_with_costs_it_is_compared_at_equal_cost(self, rng):
        search = made_up(rng, costs=rng.random(400) + 0.5)
        assert bk.importance(search, "lr", default=0.2).comparison.axis == "cost"
        assert bk.importance(search, "lr", default=0.2, axis="trials").comparison.axis == "trials"

    def test_no_default_means_a_typical_value(self, rng):
        search = made_up(rng)
        assert bk.importance(search, "noise").default == sorted(search.params["noise"])[200]
        assert bk.importance(search, "kind").default in ("a", "b")

    def test_the_joint_interval_is_turned_around_when_minimizing(self, rng):
        search = made_up(rng)
        mirrored = Search(
            {"score": -search.metrics["score"]},
            params=search.params,
            direction="minimize",
            bounds=(-3, 9),
        )
        up = Search({"score": search.metrics["score"]}, params=search.params, bounds=(-9, 3))
        a = bk.importance(up, "lr", default=0.2, statistic="mean", confidence=0.8)
        b = bk.importance(mirrored, "lr", default=0.2, statistic="mean", confidence=0.8)
        np.testing.assert_allclose(a.risk_low, b.risk_low, rtol=1e-9)
        np.testing.assert_allclose(a.risk_high, b.risk_high, rtol=1e-9)

    def test_a_conditional_parameter_is_judged_where_it_is_in_use(self, rng):
        values = [None if i % 2 else float(v) for i, v in enumerate(rng.random(100))]
        search = Search({"s": rng.random(100)}, params={"momentum": values})
        found = bk.importance(search, "momentum", default=0.5, share=0.2)
        assert found.comparison.bands[1].n == 10
        assert "momentum None" in bk.compare(search, by="momentum", n_bins=2).labels

    def test_exact_matches_alone_count_when_there_are_enough(self, rng):
        values = [1] * 30 + [5] * 40 + list(range(10, 40))
        search = Search({"s": rng.random(100)}, params={"k": values})
        found = bk.importance(search, "k", default=5)
        assert found.bin is None
        assert found.comparison.bands[1].n == 40
        between = bk.importance(search, "k", default=10)
        assert between.comparison.bands[1].n == 25

    def test_lists_are_values_like_others(self, rng):
        values = [[64], [64, 64]] * 20
        search = Search({"s": rng.random(40)}, params={"units": values})
        assert bk.importance(search, "units", default=[64]).comparison.bands[1].n == 20
        assert bk.compare(search, by="units").labels == ("units [64, 64]", "units [64]")

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"param": "lr", "default": math.nan}, "`default` must be a number"),
            ({"budget": [1, 2]}, "`budget` must be one positive, finite number"),
            ({"param": "depth"}, r"`param` must be a hyperparameter of the search \('lr', 'kind'"),
            ({"param": "lr", "share": 25}, "`share` must lie strictly between 0 and 1"),
            ({"param": "lr", "default": "x"}, "`default` must be a number, as the values are"),
            ({"default": 3}, "`default` must map names to values"),
            ({"param": "lr", "axis": "x"}, "`axis` must be one of"),
        ],
    )
    def test_bad_arguments(self, rng, options, message):
        with pytest.raises(ArgumentError, match=message):
            bk.importance(made_up(rng), **options)

    def test_too_few_trials_are_refused(self, rng):
        with pytest.raises(DataError, match="at least 5 trials at c; it has 0"):
            bk.importance(made_up(rng), "kind", default="c")
        with pytest.raises(ArgumentError, match="`search` must be a Search"):
            bk.importance([1, 2, 3])
        with pytest.raises(DataError, match="has no hyperparameters"):
            bk.importance(bk.read([1.0, 2.0]))


class TestAll:
    def test_the_riskiest_comes_first(self, rng):
        table = bk.importance(made_up(rng), default={"lr": 0.2, "kind": "a"}, confidence=0.8)
        assert [item.param for item in table.items] == ["lr", "kind", "noise"]
        risks = table._columns()["risk"]
        assert (np.diff(risks) <= 0).all()
        assert "Importance of 3 hyperparameters of 'net'" in table.title

    def test_what_cannot_be_judged_is_said(self):
        search = Search(
            {"s": np.arange(40.0)},
            params={"id": [f"run{i}" for i in range(40)], "lr": list(range(40))},
        )
        table = bk.importance(search)
        assert list(table.skipped) == ["id"]
        assert any(
            str(c).startswith("id was not judged") for c in table.caveats if c.kind == "not-judged"
        )


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


class TestImportanceContract(ResultContract):
    def make(self, label="cnn"):
        rng = np.random.default_rng(0)
        params = {label: rng.random(30).tolist()}
        return bk.importance(Search({"s": rng.random(30)}, params=params), label)


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
            pair = bk.compare(
                [
                    bk.Scores(search.values[i], costs=search.costs[i], label=label)
                    for i, label in ((tuned, "tuned"), (fixed, "fixed"))
                ],
                axis="cost",
                confidence=0.8,
            ).pairs[0]
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
