"""Borrowing strength over neighbouring parameter values, where it pays."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from bestofk import ArgumentError
from bestofk.cv.race import Race
from bestofk.cv.replay import replay
from bestofk.cv.smooth import Smoother
from tests.cv.tables import FILES, recorded

EVERYONE = np.ones(40, dtype=bool)
DEPTH = {"depth": np.arange(40.0)}


def hill(rng, rows=2, height=2.0):
    place = np.linspace(-1, 1, 40)
    return rng.normal(size=(rows, 40)) + height * (1 - place**2)


class TestJudge:
    def test_a_smooth_hill_in_noise_is_smoothed(self, rng):
        truth = 2 * (1 - np.linspace(-1, 1, 40) ** 2)
        better = 0
        for _ in range(50):
            scores = hill(rng)
            found = Smoother(DEPTH, 40).judge(scores, EVERYONE)
            plain = scores.mean(axis=0)
            better += np.mean((found.values - truth) ** 2) < np.mean((plain - truth) ** 2)
            assert found.left <= 1
        assert better >= 48

    def test_scores_without_neighbourhood_are_left_alone(self, rng):
        """Effects that have nothing to do with the parameter's order, larger than the noise."""
        smoothed = 0
        for _ in range(50):
            scores = rng.normal(size=(3, 40)) + 3 * rng.normal(size=40)
            found = Smoother(DEPTH, 40).judge(scores, EVERYONE)
            smoothed += found.worth
            if not found.worth:
                np.testing.assert_array_equal(found.values, scores.mean(axis=0))
        assert smoothed == 0

    @pytest.mark.slow
    def test_effects_no_larger_than_the_noise_are_seldom_taken_for_smooth(self, rng):
        """Two repetitions cannot always tell; without the check of the misfit half of them fail."""
        truth = rng.normal(size=40)
        found = [
            Smoother(DEPTH, 40).judge(rng.normal(size=(2, 40)) + truth, EVERYONE)
            for _ in range(200)
        ]
        assert np.mean([f.worth for f in found]) < 0.3
        assert any("in the same way" in f.text for f in found)

    @pytest.mark.parametrize("spread", [0.0, 0.3, 0.7])
    def test_a_curve_that_is_mostly_noise_decides_nothing(self, spread, rng):
        """A flat curve predicts well where quality has nothing to do with the parameter."""
        truth, smoother = spread * rng.normal(size=40), Smoother(DEPTH, 40)
        found = [smoother.judge(rng.normal(size=(2, 40)) + truth, EVERYONE) for _ in range(200)]
        assert np.mean([f.worth for f in found]) < 0.05
        assert any("hardly rises above its own noise" in f.text for f in found)

    def test_one_that_stands_out_from_its_neighbours_is_not_smoothed_away(self, rng):
        scores = hill(rng, rows=3)
        scores[:, 5] += 8
        found = Smoother(DEPTH, 40).judge(scores, EVERYONE)
        assert not found.worth
        assert "stands out" in found.text or "less than" in found.text

    def test_the_order_and_scale_of_a_parameter_do_not_matter(self, rng):
        scores = hill(rng)
        turn = rng.permutation(40)
        plain = Smoother(DEPTH, 40).judge(scores, EVERYONE)
        logs = Smoother({"depth": np.exp(np.arange(40.0))[turn]}, 40)
        turned = logs.judge(scores[:, turn], EVERYONE)
        np.testing.assert_allclose(turned.values, plain.values[turn], rtol=1e-9)

    def test_categories_are_kept_apart(self, rng):
        """A jump between kinds is no slope: smoothing within each kind sees none of it."""
        kinds = ["a"] * 20 + ["b"] * 20
        scores = hill(rng) + np.where(np.array(kinds) == "a", 0, 50)
        params = {"depth": np.tile(np.arange(20.0), 2), "kind": kinds}
        found = Smoother(params, 40).judge(scores, EVERYONE)
        assert found.worth
        assert found.values[:20].max() < found.values[20:].min() - 40

    @pytest.mark.parametrize(
        ("params", "n", "rows", "reason"),
        [
            (None, 40, 2, "no parameter values were given"),
            ({"kind": ["a", "b"] * 20}, 40, 2, "no numeric parameter"),
            ({"on": [0, 1] * 20}, 40, 2, "four different values"),
            (DEPTH, 40, 1, "one repetition leaves none to judge by"),
            ({"depth": range(8)}, 8, 2, "8 candidates are fewer than 20"),
        ],
    )
    def test_it_says_why_it_did_nothing(self, params, n, rows, reason, rng):
        found = Smoother(params, n).judge(rng.normal(size=(rows, n)), np.ones(n, dtype=bool))
        assert not found.worth
        assert reason in found.text

    def test_repetitions_that_agree_exactly_need_no_smoothing(self):
        found = Smoother(DEPTH, 40).judge(np.tile(np.arange(40.0), (2, 1)), EVERYONE)
        assert "agree exactly" in found.text

    @pytest.mark.parametrize("kind", ["rows", "frame", "numbers", "table"])
    def test_parameters_come_in_any_form(self, kind, rng):
        pandas = pytest.importorskip("pandas")
        depth = DEPTH["depth"]
        given = {
            "rows": [{"depth": d} for d in depth],
            "frame": pandas.DataFrame({"depth": depth}),
            "numbers": depth.tolist(),
            "table": depth[:, None],
        }[kind]
        scores = hill(rng)
        one, other = (Smoother(p, 40).judge(scores, EVERYONE) for p in (DEPTH, given))
        np.testing.assert_array_equal(one.values, other.values)

    def test_parameters_must_match_the_candidates(self):
        with pytest.raises(ArgumentError, match="a mapping per candidate.*; got a list of str"):
            Smoother(["a", "b"], 2)
        with pytest.raises(ArgumentError, match="one entry per candidate, 3; got 2"):
            Smoother([{"a": 1}, {"a": 2}], 3)
        with pytest.raises(ArgumentError, match=r"`params\['a'\]` must hold one value per"):
            Smoother({"a": [1, 2]}, 3)


class TestRace:
    def test_what_it_did_is_said(self, rng):
        race = Race(40, max_repeats=10, params=DEPTH, smooth="auto")
        for row in hill(rng, rows=10):
            race.add(row)
        assert race.smoothing_decided
        assert "smoothed over depth" in race.what_smoothing_did
        assert f"candidate {race.choose()} leads and runs on alone" in race.what_smoothing_did
        assert race.repeats[race.choose()] == 10
        assert Race(2, max_repeats=2).what_smoothing_did == "not smoothed: not asked for"

    def test_a_failed_candidate_is_left_out(self, rng):
        rows = hill(rng, rows=6)
        rows[0, 20] = np.nan
        race = Race(40, max_repeats=6, params=DEPTH, smooth="auto")
        for row in rows:
            race.add(row)
        assert race.choose() != 20

    def test_full_smooths_in_the_end(self, rng):
        race = Race(40, strategy="full", max_repeats=2, params=DEPTH, smooth="auto")
        for row in hill(rng):
            race.add(row)
        assert race.smoothing_decided
        assert race.repeats.tolist() == [2] * 40


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_on_imdb_it_costs_less_and_chooses_better(seed, data_folder):
    """Regret is the loss of accuracy on the 49,000 reviews not used for tuning."""
    name, params, _ = FILES["1"]
    table, values = recorded(data_folder, name, params, 5)
    with (data_folder / "jkfold_cv" / "imdb_rf_truth.csv").open() as file:
        truth = np.array([float(r["accuracy"]) for r in csv.DictReader(file)])
    same = {"n_repeats": 20, "n_replays": 2000, "rng": seed}
    full = replay(table, **same)
    smooth = replay(table, params=values, strategy="race", smooth="auto", **same)
    assert smooth.cost <= 2.5
    assert (truth.max() - truth[smooth.chosen]).mean() <= (truth.max() - truth[full.chosen]).mean()
    assert smooth.smoothed.mean() > 0.9


@pytest.mark.slow
def test_on_reuters_it_falls_back_to_the_race(data_folder):
    """Whole rows of that grid are one plateau."""
    name, params, _ = FILES["3"]
    table, values = recorded(data_folder, name, params, 5)
    same = {"n_repeats": 16, "n_replays": 300, "rng": 1, "strategy": "race"}
    race, smooth = replay(table, **same), replay(table, params=values, smooth="auto", **same)
    assert (race.chosen == smooth.chosen).mean() > 0.98
    assert smooth.cost <= race.cost * 1.01
