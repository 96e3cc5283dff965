"""The check of independence: what it flags, what it lets pass, what it says."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.errors import ArgumentError, DataError
from bestofk.iid import check_iid
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search
from tests.contracts import ResultContract

VALUES = np.random.default_rng(1).normal(size=60).tolist()


def row(check, test):
    """Return p-value, flag and explanation of one test."""
    place = check.tests.tolist().index(test)
    return check.p_values[place], bool(check.flagged[place]), str(check.explanations[place])


def strict(check):
    """Return the check after a way through strict JSON."""
    return json.loads(json.dumps(check.to_dict(), allow_nan=False))


def fixed(seed=0):
    """Return a generator whose draws pass: one random search in fifty would not."""
    return np.random.default_rng(seed)


def random_search(rng, n=60, **options):
    lr, opt = 10 ** rng.uniform(-5, 0, n), rng.choice(["sgd", "adam"], n)
    momentum = [float(u) if o == "sgd" else None for u, o in zip(rng.random(n), opt, strict=True)]
    score = -((np.log10(lr) + 3) ** 2) + 0.1 * rng.normal(size=n)
    params = {"lr": lr, "opt": opt.tolist(), "momentum": momentum}
    return Search({"score": score}, params=params, **{"sampling": "iid", **options})


class TestContract(ResultContract):
    def make(self, label="cnn"):
        return check_iid(Search({"score": VALUES}, label=label))

    def test_the_figure_has_every_trial_and_names_what_is_flagged(self):
        figure = self.make().chart()
        np.testing.assert_array_equal(figure.series[0].line.y, VALUES)
        assert not figure.series[0].line.joined
        assert figure.note == "nothing flagged"
        values = [*np.arange(40.0), np.nan]
        figure = check_iid(Search({"score": values}, direction="minimize")).chart()
        assert "scores: trend" in figure.note
        assert figure.series[1].line.x.tolist() == [40]
        assert figure.series[1].line.y.tolist() == [39]  # the worst

    def test_text_of_the_user_in_explanations_is_escaped(self):
        n = 40
        search = Search({"score": VALUES[:n]}, params={"<b>lr</b>": list(range(n))})
        page = check_iid(search)._repr_html_()
        assert "<b>" not in page
        assert "&lt;b&gt;lr" in page


class TestFlags:
    def test_a_tpe_search(self):
        """The real one, 150 trials; the random sampler on the same objective passes."""
        optuna = pytest.importorskip("optuna")
        optuna.logging.set_verbosity(optuna.logging.ERROR)

        def objective(trial):
            x, y = trial.suggest_float("x", -5, 5), trial.suggest_float("y", -5, 5)
            return (x - 1) ** 2 + (y + 2) ** 2

        def run(sampler):
            study = optuna.create_study(sampler=sampler)
            study.optimize(objective, n_trials=150)
            return Search(
                {"loss": [t.value for t in study.trials]},
                params={k: [t.params[k] for t in study.trials] for k in "xy"},
                direction="minimize",
            )

        adaptive = check_iid(run(optuna.samplers.TPESampler(seed=1)))
        assert adaptive.verdict == "not IID"
        assert row(adaptive, "scores: trend")[1]
        assert "later scores are lower" in " ".join(adaptive.findings)
        assert check_iid(run(optuna.samplers.RandomSampler(seed=1))).passed

    def test_a_search_that_climbs_from_the_best_so_far(self, rng):
        x, loss = [0.9], [0.36]
        for _ in range(99):
            x.append(rng.normal(x[int(np.argmin(loss))], 0.05))
            loss.append((x[-1] - 0.3) ** 2)
        check = check_iid(Search({"loss": loss}, params={"x": x}, direction="minimize"))
        assert row(check, "scores: trend")[1]
        assert "`x`" in row(check, "params: trend")[2]

    @pytest.mark.parametrize("way", [1, -1])
    def test_a_sorted_file(self, way):
        check = check_iid(np.sort(VALUES)[::way])
        assert check.verdict == "not IID"
        assert not check.passed
        word = "higher" if way == 1 else "lower"
        correlation = f"(rank correlation with start order {way:.2f})"
        assert check.findings[0] == f"scores: trend: later scores are {word} {correlation}"

    def test_a_sorted_file_of_five(self):
        """Two of 120 orders are as regular: 0.0167, and the other test is hopeless."""
        check = check_iid([1, 2, 3, 4, 5])
        assert row(check, "scores: trend")[0] == pytest.approx(2 / 120, rel=1e-12)
        assert check.verdict == "not IID"
        assert row(check, "scores: neighbours")[2] == "too few trials to tell"
        assert check.level == 0.02

    def test_a_grid_in_order(self, rng):
        cells = np.arange(60)
        params = {"a": (cells // 20).tolist(), "b": [["x", "y"][c % 2] for c in cells]}
        check = check_iid(Search({"score": rng.normal(size=60)}, params=params))
        assert row(check, "params: trend")[1]
        assert "in `b` than chance allows" in row(check, "params: neighbours")[2]

    def test_a_shuffled_list_gone_through_without_replacement(self):
        rng = fixed()
        cells = rng.permutation(60)[:40]
        params = {"a": (cells % 4).tolist(), "b": (cells // 4 % 3).tolist(), "c": cells // 12}
        check = check_iid(Search({"score": rng.normal(size=40)}, params=params))
        assert check.findings == (
            "repeats: too few: none of 40 settings repeats in a space of 60, as if drawn without "
            "replacement",
        )

    def test_a_seed_used_twice(self, rng):
        x = np.tile(rng.random(20), 2)
        check = check_iid(Search({"score": x + rng.normal(size=40)}, params={"x": x}))
        assert row(check, "repeats: too even")[1]
        assert row(check, "repeats: distance")[2] == (
            "20 of 40 settings equal those 20 trials earlier, as when a seed is used twice or a "
            "list is gone through again"
        )

    def test_a_seed_used_twice_in_a_discrete_space(self, rng):
        x = np.tile(rng.integers(0, 6, 40), 2)
        check = check_iid(Search({"score": rng.normal(size=80)}, params={"x": x.tolist()}))
        assert row(check, "repeats: distance")[1]

    def test_two_workers_with_one_seed(self, rng):
        """They interleave as chance has it, so that the copies come at no fixed distance."""
        settings, turn = rng.random(25), rng.permuted(np.repeat([0, 1], 25))
        place = np.where(turn == 0, np.cumsum(turn == 0), np.cumsum(turn == 1)) - 1
        x = settings[place]
        check = check_iid(Search({"score": rng.normal(size=50)}, params={"x": x}))
        assert row(check, "repeats: too even")[2] == (
            "25 of 50 settings repeat an earlier one, too evenly for independent draws"
        )

    def test_a_drifting_score(self, rng):
        check = check_iid(rng.normal(size=100) + np.linspace(0, 3, 100))
        assert row(check, "scores: trend")[1]

    def test_scores_that_narrow(self, rng):
        check = check_iid(rng.normal(size=200) * np.linspace(1, 0.1, 200))
        assert "later scores vary less" in row(check, "scores: trend")[2]

    def test_a_category_that_comes_later(self, rng):
        opt = ["sgd" if rng.random() > i / 80 else "adam" for i in range(80)]
        check = check_iid(Search({"score": rng.normal(size=80)}, params={"opt": opt}))
        assert "`opt` is " in row(check, "params: trend")[2]
        assert "often later on" in row(check, "params: trend")[2]

    def test_failures_in_a_row(self, rng):
        score = rng.normal(size=60)
        score[40:] = math.nan
        check = check_iid(score)
        assert row(check, "scores: trend")[1]
        assert row(check, "unfinished trials")[2] == "20 failed of 60 trials"

    @pytest.mark.parametrize("sampling", ["adaptive", "without-replacement"])
    def test_what_the_metadata_say(self, sampling):
        rng = fixed()
        check = check_iid(random_search(rng, sampling=sampling))
        assert check.verdict == "not IID"
        assert len(check.findings) == 1
        word = sampling.replace("-", " ")
        assert re.match(rf"known to be (drawn )?{word}", check.findings[0])

    def test_repeats_of_what_is_known_to_be_continuous(self):
        rng = fixed()
        x = rng.random(50)
        x[30] = x[3]
        search = Search({"score": rng.normal(size=50)}, params={"x": x}, sampling="iid")
        assert check_iid(search).passed
        check = check_iid(search, continuous="x")
        assert check.findings == (
            "continuous: x: 1 values of `x` repeat, which draws from a continuous distribution "
            "cannot",
        )


class TestCompletionOrder:
    def search(self, rng, slope, **options):
        n = 60
        cost = rng.exponential(size=n)
        score = slope * cost + 0.1 * rng.normal(size=n)
        score[-10:] = math.nan
        states = ("complete",) * 50 + ("running",) * 10
        return Search({"score": score}, states=states, sampling="iid", **{"costs": cost, **options})

    def test_running_trials_matter_when_scores_go_with_costs(self, rng):
        check = check_iid(self.search(rng, 1.0))
        assert row(check, "completion order")[1:] == (
            True,
            "10 of 60 trials are still running and costly ones score higher: what has finished "
            "favours cheap settings",
        )

    def test_they_do_not_when_scores_do_not(self):
        rng = fixed()
        check = check_iid(self.search(rng, 0.0))
        assert row(check, "completion order")[2].endswith("no relation of scores to costs found")
        assert check.passed

    def test_without_costs_it_cannot_be_told(self, rng):
        check = check_iid(self.search(rng, 1.0, costs=None))
        assert "completion order" not in check.tests
        assert any("without costs it cannot be told" in str(c) for c in check.caveats)

    def test_without_running_trials_costs_do_not_matter(self, rng):
        cost = rng.exponential(size=50)
        check = check_iid(Search({"score": cost}, costs=cost))
        assert "completion order" not in check.tests


class TestPasses:
    def test_a_random_search(self):
        rng = fixed()
        check = check_iid(random_search(rng))
        assert check.verdict == "consistent with IID"
        assert check.passed
        assert check.findings == ("none of 4 tests finds a departure",)
        assert not check.flagged.any()
        assert check.level == 0.02 / 4

    def test_unknown_sampling_is_a_remark(self):
        rng = fixed()
        check = check_iid(random_search(rng, sampling="unknown"))
        assert check.passed
        assert any("not declared" in str(c) for c in check.caveats)
        assert not any("declared" in str(c) for c in check_iid(random_search(rng)).caveats[1:])

    def test_repeats_that_chance_gives_a_discrete_space(self):
        rng = fixed()
        params = {"a": rng.integers(0, 3, 100).tolist(), "b": rng.integers(0, 4, 100).tolist()}
        check = check_iid(Search({"score": rng.normal(size=100)}, params=params))
        assert check.passed
        assert "88 of 100 settings repeat" in row(check, "repeats: too even")[2]

    def test_most_random_searches(self, rng):
        """2 % by design; 12 of 100 would come about once in a million."""
        assert sum(not check_iid(random_search(rng, 30)).passed for _ in range(100)) < 12


class TestSmallAndOdd:
    @pytest.mark.parametrize("scores", [[1], [1, 2], [3, 2, 1], [5.0] * 50, [math.inf] * 9])
    def test_what_nothing_can_be_told_from(self, scores):
        check = check_iid(scores)
        assert check.verdict == "cannot tell"
        assert check.passed
        assert check.findings == ("too few trials that differ for any test to find anything",)
        assert [p for p in strict(check)["p_value"] if p is not None and p < 0.02] == []

    def test_declared_sampling_decides_where_nothing_else_can(self):
        assert check_iid(Search({"score": [1]}, sampling="adaptive")).verdict == "not IID"

    @pytest.mark.parametrize("state", ["failed", "running", "pruned"])
    def test_no_score_at_all(self, state):
        search = Search({"score": [math.nan] * 9}, states=(state,) * 9, params={"x": [1] * 9})
        assert check_iid(search).verdict == "cannot tell"

    def test_missing_numbers_are_reported(self):
        check = check_iid(Search({"score": [0.1, 0.2]}, numbers=[3, 7]))
        text = row(check, "unfinished trials")[2]
        assert text == "every trial is complete; 3 numbers in the start order are not there"

    def test_values_of_any_kind(self, rng):
        x = [1, 1.0, None, math.nan, True, "a", [1], {"k": 2}, (3,), 10**400] * 3
        search = Search({"score": rng.normal(size=30)}, params={"x": x, "y": [[i] for i in x]})
        plain = strict(check_iid(search))
        assert plain["verdict"] == "not IID"
        # a list of ten gone through three times; without `y` 1 is 1.0 and None is NaN
        assert "20 of 30 settings equal those 10 trials earlier" in " ".join(plain["findings"])
        alone = check_iid(search, params=["x"])
        assert "22 of 30 settings repeat" in row(alone, "repeats: too even")[2]

    @given(
        st.lists(st.sampled_from([-math.inf, 0.0, 0.5, 1.0, math.nan]), min_size=1, max_size=12),
        st.sampled_from(["maximize", "minimize"]),
    )
    def test_any_scores_give_an_answer(self, scores, direction):
        check = check_iid(Search({"score": scores}, direction=direction))
        p = check.p_values[np.isfinite(check.p_values)]
        assert ((p > 0) & (p <= 1)).all()
        assert check.passed == (not check.flagged.any())
        assert strict(check)["passed"] == check.passed


class TestWords:
    def test_what_is_not_found_is_not_called_absent(self):
        """A p-value of 0.06 does not say that there is no drift."""
        check = check_iid(random_search(fixed()))
        assert check.passed
        for name in ("scores: trend", "params: trend", "scores: neighbours", "params: neighbours"):
            _, flagged, said = row(check, name)
            assert not flagged
            assert said.startswith("no ")
            assert said.endswith(" found")

    def test_repeats_that_are_not_flagged_are_only_not_found(self, rng):
        x = rng.integers(0, 6, 60).tolist()
        check = check_iid(Search({"score": rng.normal(size=60)}, params={"x": x}, sampling="iid"))
        for name in check.tests:
            if name.startswith("repeats") and not row(check, name)[1]:
                assert "found" in row(check, name)[2]

    @pytest.mark.parametrize("sampling", ["adaptive", "without-replacement"])
    def test_what_records_show_is_not_called_declared(self, sampling):
        check = check_iid(Search({"score": VALUES}, sampling=sampling))
        assert "known to be" in check.findings[0]
        assert "declared" not in check.findings[0]
        assert "known to be" in row(check, "declared sampling")[2]


class TestLaws:
    def test_the_same_call_gives_the_same_answer(self, rng):
        search = random_search(rng)
        assert check_iid(search).to_dict() == check_iid(search).to_dict()

    def test_scores_and_arrays_give_what_a_search_without_params_gives(self):
        wanted = check_iid(Search({"score": VALUES}, label="scores")).to_dict()
        assert check_iid(VALUES).to_dict() == wanted
        assert check_iid(Scores(VALUES)).to_dict() == wanted

    def test_increasing_transformations_change_nothing(self, rng):
        a = random_search(rng)
        params = {**a.params, "lr": np.log(a.params["lr"])}
        b = Search({"score": np.exp(a.metrics["score"])}, params=params, sampling="iid")
        assert check_iid(a).p_values.tolist() == check_iid(b).p_values.tolist()

    def test_direction_changes_nothing_but_what_a_failure_counts_as(self):
        up, down = (
            check_iid(Search({"score": VALUES}, direction=d)) for d in ("maximize", "minimize")
        )
        assert up.p_values.tolist() == down.p_values.tolist()

    def test_false_alarms_are_split_over_the_tests(self, rng):
        search = random_search(rng)
        assert check_iid(search, false_alarm=0.1).level == pytest.approx(0.025, rel=1e-12)
        assert check_iid(search, params=[]).level == 0.01

    def test_a_counter_can_be_left_out(self):
        rng = fixed()
        a = random_search(rng)
        b = Search(
            {"score": a.metrics["score"]}, params={**a.params, "seed": range(60)}, sampling="iid"
        )
        assert "`seed`" in check_iid(b).findings[0]
        assert check_iid(a).passed
        assert check_iid(b, params=["lr", "opt", "momentum"]).passed


class TestRefusals:
    @pytest.mark.parametrize(
        ("value", "hint"), [(2, " Did you mean 0.02?"), (0, ""), ("a", ""), (True, ""), (90, "")]
    )
    def test_false_alarm_out_of_range(self, value, hint):
        with pytest.raises(ArgumentError, match="must lie between 0.001 and 0.5; got") as error:
            check_iid(VALUES, false_alarm=value)
        assert str(error.value).endswith(f"{value!r}.{hint}")

    @pytest.mark.parametrize("argument", ["params", "continuous"])
    def test_parameters_that_are_not_there(self, argument, rng):
        message = f"`{argument}` must name hyperparameters of the search; got 'LR'. It has 'lr',"
        with pytest.raises(ArgumentError, match=message):
            check_iid(random_search(rng), **{argument: ["LR"]})
        with pytest.raises(ArgumentError, match="got 'LR'. It has none"):
            check_iid(VALUES, **{argument: ["LR"]})

    @pytest.mark.parametrize("rng", [-1, None, 2.5])
    def test_rng_is_a_whole_number(self, rng):
        with pytest.raises(ArgumentError, match="`rng` must be a whole number of at least 0"):
            check_iid(VALUES, rng=rng)

    def test_a_file_name_or_several_methods(self):
        with pytest.raises(DataError, match="Read a file with read"):
            check_iid("runs.csv")
        with pytest.raises(DataError, match="those of one method"):
            check_iid({"a": VALUES})

    def test_weights_are_not_looked_at_and_that_is_said(self):
        check = check_iid(Scores([1, 2], weights=[0.5, 0.5]))
        assert any("weights" in str(c) for c in check.caveats)


def test_text_shows_verdict_findings_and_every_test():
    text = repr(check_iid(list(range(9))))
    assert text.splitlines()[0] == (
        "IIDCheck 'scores': not IID, n = 9, maximize, false alarm at most 2 %"
    )
    assert "- scores: trend: later scores are higher" in text
    assert "unfinished trials                 no  every trial is complete" in text
