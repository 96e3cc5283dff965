"""Does a hyperparameter matter?  One, at each of its values."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Search
from bestofk.scores.subset import in_use, usable
from tests.comparison.made_up import made_up
from tests.contracts import ResultContract

UNDECIDED = "not told apart from 0"


class TestOne:
    def test_each_value_has_its_loss_and_the_worst_is_said(self, rng):
        found = bk.importance(made_up(rng), "lr")
        assert [p.trials for p in found.places] == [100] * 4
        assert (np.diff(found.risk) < 0).all()  # the larger lr, the better
        assert found.worst_at == found.places[0].left_at
        assert found.places[0].finding == "loss"
        assert found.places[3].finding == "gain"
        assert found.worst_lower == max(p.lower for p in found.places)
        assert found.worst_upper == max(p.upper for p in found.places)
        assert all(p.lower <= p.risk <= p.upper for p in found.places)
        low, high = (f"{end:.4g}" for end in (found.worst_lower, found.worst_upper))
        assert found.verdict == (
            f"Leaving lr at a bad value costs {low} to {high} at {found.budget:g} trials (95 %). "
            f"By the estimates the worst is {found.worst_at}."
        )

    def test_leaving_it_at_a_bad_value_costs_and_at_a_good_one_pays(self, rng):
        search = made_up(rng)
        bad = bk.importance(search, "lr", default=0.2, confidence=0.8)
        good = bk.importance(search, "lr", default=0.9, confidence=0.8)
        assert bad.finding == "loss"
        low, high = (f"{end:.4g}" for end in bad.bin)
        assert f"Leaving lr near 0.2 ({low} to {high}) costs" in bad.verdict
        assert f"searched, against left near 0.2 ({low} to {high}); median" in bad.title
        assert good.finding == "gain"
        assert "Leaving lr near 0.9 (" in good.verdict
        assert ") is better than searching it, by" in good.verdict
        neutral = bk.importance(search, "noise", default=0.5)
        assert neutral.finding == UNDECIDED
        assert "The loss from leaving noise near 0.5 (" in neutral.verdict
        assert ") is not told apart from 0" in neutral.verdict
        exact = bk.importance(search, "kind", default="b", confidence=0.8)
        assert "eaving kind at b " in exact.verdict

    def test_minimizing_turns_the_sign_around(self, rng):
        search = made_up(rng)
        mirrored = Search(
            {"score": -search.metrics["score"]},
            params=search.params,
            direction="minimize",
            sampling="iid",
        )
        for options in ({}, {"default": 0.2}, {"statistic": 0.25}):
            a = bk.importance(search, "lr", budget=2, **options)
            if "statistic" in options:  # the best of k is a minimum: its other tail
                options = {"statistic": 0.75}
            b = bk.importance(mirrored, "lr", budget=2, **options)
            np.testing.assert_allclose(
                [p[3:5] for p in a.places], [p[3:5] for p in b.places], atol=1e-9
            )
            assert b.worst_lower <= b.worst_risk <= b.worst_upper

    def test_a_discrete_value_is_taken_as_it_is(self, rng):
        search = made_up(rng)
        found = bk.importance(search, "kind", default="b")
        assert found.bin is None
        assert found.places[0].trials == search.params["kind"].count("b")
        assert [p.left_at for p in bk.importance(search, "kind").places] == ["a", "b"]

    def test_a_numeric_value_is_a_bin_of_the_nearest_trials_and_it_is_said(self, rng):
        search = made_up(rng)
        found = bk.importance(search, "lr", default=0.5, share=0.1)
        assert found.places[0].trials == 40
        assert found.bin[0] < 0.5 < found.bin[1]
        assert found.bin[1] - found.bin[0] < 0.2
        assert any("stand for lr = 0.5" in str(c) for c in found.caveats)

    def test_a_value_beyond_all_that_were_searched_is_refused(self, rng):
        """Findings, R-A11: lr = 10 was judged by trials from 0.0001 to 0.1."""
        lr = 10 ** rng.uniform(-4, -1, 200)
        params = {"lr": lr.tolist(), "depth": rng.integers(1, 40, 200).tolist()}
        search = Search({"s": rng.random(200)}, params=params, sampling="iid")
        low, high = (f"{end:.4g}" for end in (lr.min(), lr.max()))
        for beyond in (10.0, 0.2, 1e-5, 0.0, -1):
            with pytest.raises(ArgumentError) as error:
                bk.importance(search, "lr", default=beyond)
            assert str(error.value) == (
                f"`default` must lie among the values searched, {low} to {high}; got {beyond:g}."
            )
        with pytest.raises(ArgumentError, match="values searched, 1 to 39; got 41"):
            bk.importance(search, default={"depth": 41})
        # The end of the range is no further than its last trials are apart.
        assert bk.importance(search, "lr", default=0.1, share=0.1).bin[1] == lr.max()
        assert bk.importance(search, "lr", default=1e-4, share=0.1).bin[0] == lr.min()

    def test_exact_matches_alone_count_when_there_are_enough(self, rng):
        values = [1] * 30 + [5] * 40 + list(range(10, 40))
        search = Search({"s": rng.random(100)}, params={"k": values})
        found = bk.importance(search, "k", default=5)
        assert found.bin is None
        assert found.places[0].trials == 40
        assert bk.importance(search, "k", default=10).places[0].trials == 25

    def test_lists_are_values_like_others(self, rng):
        values = [[64], [64, 64]] * 20
        search = Search({"s": rng.random(40)}, params={"units": values})
        assert bk.importance(search, "units", default=[64]).places[0].trials == 20
        assert bk.compare(search, by="units").labels == ("units [64, 64]", "units [64]")

    def test_costs_are_not_used_and_it_is_said(self, rng):
        plain = made_up(rng)
        costly = Search(
            dict(plain.metrics), params=plain.params, sampling="iid", costs=rng.random(400) + 0.5
        )
        a, b = (bk.importance(s, "lr") for s in (plain, costly))
        assert a.places == b.places
        assert "costs-unused" in {c.kind for c in b.caveats}
        assert "costs-unused" not in {c.kind for c in a.caveats}

    def test_failed_trials_count_as_they_are_told(self, rng):
        score = rng.random(80)
        kind = ["a", "b"] * 40
        score[::4] = math.nan  # all of kind a
        search = Search({"s": score}, params={"kind": kind}, sampling="iid", bounds=(0, 1))
        with pytest.raises(DataError, match="failed"):
            bk.importance(search, "kind")
        worst = bk.importance(search, "kind", failed="worst")
        assert (worst.n, [p.trials for p in worst.places]) == (80, [40, 40])
        drop = bk.importance(search, "kind", failed="drop")
        assert (drop.n, [p.trials for p in drop.places]) == (60, [20, 40])
        assert worst.places[0].risk > drop.places[0].risk
        assert usable(search, "drop").sum() == 60
        unbounded = Search({"s": score}, params={"kind": kind}, sampling="iid")
        assert bk.importance(unbounded, "kind", failed="worst").to_dict()["verdict"]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"param": "lr", "default": math.nan}, "`default` must be a number"),
            ({"budget": [1, 2]}, "`budget` must be one positive, finite number"),
            ({"param": "depth"}, r"`param` must be a hyperparameter of the search \('lr', 'kind'"),
            ({"param": "lr", "share": 25}, "`share` must lie strictly between 0 and 1"),
            ({"param": "lr", "default": "x"}, "`default` must be a number, as the values are"),
            ({"default": 3}, "`default` must map names to values"),
            ({"default": {"depth": 3}}, "`param` must be a hyperparameter"),
            ({"default": {"lr": None}}, "None means that a trial does not have .*; got None for"),
            ({"n_bins": 1}, "`n_bins` must be a whole number of at least 2"),
            ({"statistic": "mean"}, '`statistic` must be "median" or a quantile'),
        ],
    )
    def test_bad_arguments(self, rng, options, message):
        with pytest.raises(ArgumentError, match=message):
            bk.importance(made_up(rng), **options)

    def test_too_few_trials_are_refused(self, rng):
        with pytest.raises(DataError, match="kind must have at least 5 trials at c; it has 0"):
            bk.importance(made_up(rng), "kind", default="c")
        with pytest.raises(ArgumentError, match="`search` must be a Search"):
            bk.importance([1, 2, 3])
        with pytest.raises(DataError, match="has no hyperparameters"):
            bk.importance(bk.read([1.0, 2.0]))

    def test_too_few_trials_to_show_a_loss_are_said(self, rng):
        search = Search({"s": rng.random(24)}, params={"a": rng.random(24).tolist()})
        found = bk.importance(search, "a")
        assert found.budget == 1
        assert found.worst_lower == -math.inf
        said = [str(c) for c in found.caveats if c.kind == "too-few-trials"]
        assert said == [
            "a: to show a loss at 1 trial takes 8 trials in one quarter of a, about 32 in all, and "
            "there are 24"
        ]
        assert found.verdict.endswith(
            ": 24 trials are too few to bound the loss from leaving a at a bad value at 1 trial "
            "(95 %)."
        )
        table = bk.importance(dataclasses.replace(search, sampling="iid"))
        assert table.verdict == "24 trials are too few to bound any loss at 1 trial (95 %)."

    @pytest.mark.parametrize(
        ("options", "said"),
        [
            ({"param": "x"}, "in one quarter of x, about 220 in all"),
            ({"param": "x", "n_bins": 2}, "in one half of x, about 96 in all"),
            ({"param": "x", "n_bins": 5}, "in one of 5 bins of x, about 285 in all"),
            ({"param": "x", "default": 0.5}, "near 0.5, about 164 in all"),
            ({"param": "kind"}, "at one value of kind, about 96 in all"),
            ({"param": "kind", "default": "a"}, "at a, about 82 in all"),
        ],
    )
    def test_how_many_trials_it_takes_to_show_a_loss(self, options, said):
        rng = np.random.default_rng(0)
        params = {"x": rng.random(40).tolist(), "kind": ["a", "b"] * 20}
        search = Search({"s": rng.random(40)}, params=params)
        found = bk.importance(search, budget=7, **options)
        assert "to show a loss at 7 trials takes" in repr(found)
        assert f" trials {said}, and there are 40" in repr(found)

    def test_the_default_budget_says_why(self, rng):
        said = "losses are stated at 2 trials because most hyperparameters have no more than 50 "
        params = {name: rng.random(200).tolist() for name in "abc"}
        search = Search({"s": rng.random(200)}, params=params)
        assert said in repr(bk.importance(search))
        assert "budget-chosen" not in {c.kind for c in bk.importance(search, budget=2).caveats}
        few = bk.importance(Search({"s": np.arange(20)}, params={"a": list(range(20))}), "a")
        assert "no more than 5 trials at a value or in a bin: few even for that" in repr(few)

    def test_constant_scores_cost_nothing(self, rng):
        """Findings, R-A18: "the loss, 0 to 0, is not told apart from 0"."""
        params = {name: rng.random(200).tolist() for name in "ab"}
        search = Search({"s": np.ones(200)}, params=params, sampling="iid")
        table, one = bk.importance(search), bk.importance(search, "a", budget=2)
        assert table.verdict == "No hyperparameter costs anything at 2 trials (95 %)."
        assert one.verdict == "Leaving a at a bad value costs nothing at 2 trials (95 %)."

    def test_a_value_that_fails_costs_an_infinite_amount(self, rng):
        score = np.where(np.arange(200) % 2 == 0, math.nan, rng.random(200))
        params = {"kind": ["a", "b"] * 100, "x": rng.random(200).tolist()}
        search = Search({"s": score}, params=params, sampling="iid")
        table = bk.importance(search, failed="worst", budget=3)
        why = "at 3 trials (95 %): at kind a the median best of 3 trials is a failed one."
        assert table.verdict.startswith(
            f"Leaving kind at a bad value costs the most: an infinite amount {why}"
        )
        one = bk.importance(search, "kind", failed="worst", budget=3)
        assert one.verdict == f"Leaving kind at a bad value costs an infinite amount {why}"
        void = dataclasses.replace(search, sampling="adaptive")
        assert "costs an infinite amount at 3" in (
            bk.importance(void, "kind", failed="worst", budget=3).verdict
        )


class TestADefaultPickedAfterLooking:
    def test_the_value_of_the_best_trial_is_warned_of(self, rng):
        search = made_up(rng)
        best = search.params["lr"][int(np.argmax(search.metrics["score"]))]
        for picked in (best, float(f"{best:.4g}")):
            found = bk.importance(search, "lr", default=picked)
            assert found.caveats[0].kind == "default-of-best"
            assert found.validity == "assumed"
            assert found.verdict.startswith(
                "If the value was fixed before looking at the scores: leaving lr near"
            )
            assert "agrees with the value of the best trial" in found.reasons[0]
        table = bk.importance(search, default={"lr": best})
        assert table.validity == "assumed"

    def test_any_default_is_said_to_be_taken_as_fixed_before(self, rng):
        found = bk.importance(made_up(rng), "lr", default=0.31)
        assert found.validity == "holds"
        assert "taken to have been fixed before looking" in str(found.caveats[0])
        assert not any("looking" in str(c) for c in bk.importance(made_up(rng), "lr").caveats)


class TestAConditionalParameter:
    def test_it_is_judged_where_it_is_in_use(self, rng):
        values = [None if i % 2 else float(v) for i, v in enumerate(rng.random(100))]
        search = Search({"s": rng.random(100)}, params={"momentum": values})
        found = bk.importance(search, "momentum", default=0.5, share=0.2)
        assert (found.n, found.places[0].trials) == (50, 10)
        everywhere = bk.importance(search, "momentum")
        assert [p.trials for p in everywhere.places] == [25, 25]
        assert "momentum is judged among the 50 of 100 trials that have it" in repr(everywhere)
        assert "momentum None" in bk.compare(search, by="momentum", n_bins=2).labels

    def test_nan_is_none(self, rng):
        values = [math.nan if i % 2 else float(v) for i, v in enumerate(rng.random(100))]
        search = Search({"s": rng.random(100)}, params={"momentum": values})
        assert bk.importance(search, "momentum").n == 50
        assert in_use([None, math.nan, 0, "", False]).tolist() == [False, False, True, True, True]

    def test_none_is_never_a_value(self):
        """Findings, d15: "left at None"."""
        rng = np.random.default_rng(3)
        kernel = rng.choice(["rbf", "poly"], 200, p=[0.7, 0.3])
        degree = [int(rng.integers(2, 5)) if k == "poly" else None for k in kernel]
        score = np.where(kernel == "rbf", 0.7, 0.3) + 0.2 * rng.random(200)
        params = {"kernel": kernel.tolist(), "degree": degree}
        search = Search({"acc": score}, params=params, sampling="iid", bounds=(0, 1))
        found = bk.importance(search, "degree")
        assert [p.left_at for p in found.places] == ["2", "3", "4"]
        assert "None" not in found.title + found.verdict
        assert found.finding == UNDECIDED
        table = bk.importance(search)
        assert (table.items[0].param, table.items[0].finding) == ("kernel", "loss")


class TestImportanceContract(ResultContract):
    def make(self, label="cnn"):
        rng = np.random.default_rng(0)
        params = {label: rng.random(30).tolist()}
        return bk.importance(Search({"s": rng.random(30)}, params=params), label)
