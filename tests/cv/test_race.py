"""Racing, replaying and variability on tables of repetitions."""

from __future__ import annotations

import csv
import gzip

import numpy as np
import pytest

from bestofk import ArgumentError, DataError
from bestofk.cv.race import Race
from bestofk.cv.replay import replay
from bestofk.cv.variability import variability
from tests.contracts import ResultContract


def run(race, rows):
    for row in rows:
        if race.done:
            break
        race.add(row)
    return race


class TestRace:
    def test_full_is_the_first_maximum_of_the_averages(self, rng):
        rows = rng.integers(0, 4, (8, 5)) / 4
        race = run(Race(5, strategy="full", max_repeats=8), rows)
        assert race.choose() == int(rows.mean(axis=0).argmax())
        assert race.repeats.tolist() == [8] * 5
        assert race.dropped_at.tolist() == [0] * 5

    def test_a_hopeless_candidate_is_dropped_and_a_close_one_is_not(self, rng):
        noise = rng.normal(0, 0.01, (10, 3))
        race = run(Race(3, max_repeats=10), noise + np.array([0.9, 0.9, 0.2]))
        assert race.dropped_at[2] == 2
        assert race.repeats[2] == 2
        assert race.choose() in (0, 1)

    def test_the_last_one_runs_on_to_the_cap(self):
        race = run(Race(2, max_repeats=6), [[0.9, 0.1], [0.91, 0.1]] * 3)
        assert race.repeats.tolist() == [6, 2]
        assert race.done
        assert not race.active.any()

    def test_noise_shared_by_all_does_not_matter(self, rng):
        luck = rng.normal(0, 1, (10, 1))
        race = run(Race(2, max_repeats=10), luck + np.array([0.0, 0.1]))
        assert race.choose() == 1
        assert race.dropped_at[0] == 2

    def test_a_failed_score_drops_its_candidate_at_once(self):
        race = Race(2, max_repeats=3)
        race.add([0.9, np.nan])
        assert race.dropped_at.tolist() == [0, 1]
        assert race.choose() == 0

    def test_constant_scores_and_one_candidate_are_defined(self):
        assert run(Race(3, max_repeats=4), [[0.5] * 3] * 4).choose() == 0
        assert run(Race(1, max_repeats=4), [[0.5]] * 4).repeats.tolist() == [4]
        assert run(Race(2, max_repeats=1), [[0.5, 0.6]]).choose() == 1
        assert run(Race(2, max_repeats=3), [[np.nan, np.nan]]).choose() == 0

    def test_a_tolerance_stops_when_little_can_be_lost(self, rng):
        rows = 0.9 + rng.normal(0, 0.001, (20, 2))
        assert len(run(Race(2, max_repeats=20, tolerance=0.01), rows).scores) == 2
        assert len(run(Race(2, max_repeats=20, tolerance=1e-9), rows).scores) > 2


class TestReplay:
    def test_equal_candidates_are_chosen_equally_often(self, rng):
        """Chi-square with four degrees of freedom exceeds 35 once in two million."""
        table = rng.normal(size=(4000, 5))
        chosen = replay(table, strategy="race", n_repeats=10, n_replays=1000, rng=1).chosen
        counts = np.bincount(chosen, minlength=5)
        assert ((counts - 200) ** 2 / 200).sum() < 35

    def test_one_clearly_best_is_kept(self, rng):
        """Ahead of every other by one SD of the paired difference, sqrt(2) of a single one."""
        table = rng.normal(size=(2000, 10)) + np.where(np.arange(10) == 7, np.sqrt(2), 0)
        chosen = replay(table, strategy="race", n_repeats=20, n_replays=500, rng=1).chosen
        assert (chosen == 7).mean() >= 0.99

    def test_strategies_see_the_same_repetitions(self, rng):
        table = rng.normal(size=(50, 4))
        full = replay(table, n_repeats=50, n_replays=3)
        assert len(set(full.chosen)) == 1
        a, b = (replay(table, n_repeats=5, n_replays=40, rng=3).scores for _ in range(2))
        assert np.array_equal(a, b)

    def test_a_race_costs_less(self, rng):
        table = rng.normal(size=(200, 20)) + np.linspace(0, 5, 20)
        race = replay(table, strategy="race", n_repeats=10, n_replays=50)
        assert race.repeats_spent.mean() < 5
        assert (replay(table, n_repeats=10, n_replays=5).repeats_spent == 10).all()

    def test_bad_arguments(self):
        with pytest.raises(ArgumentError, match="at most the 2 recorded repetitions; got 3"):
            replay([[1.0], [2.0]], n_repeats=3)
        with pytest.raises(DataError, match="a row per repetition"):
            replay([1.0, 2.0], n_repeats=1)
        with pytest.raises(ArgumentError, match="`strategy` must be one of"):
            replay([[1.0], [2.0]], n_repeats=1, strategy="sprint")


class TestVariability:
    def test_of_a_clear_winner(self):
        found = variability([[0.5, 0.7], [0.6, 0.8], [0.55, 0.75]], params=[{"C": 1}, {"C": 10}])
        assert found.chosen == 1
        assert found.param_sds == {"C": 0.0}
        assert found.expected_loss == 0
        np.testing.assert_allclose(found.sds, 0.05)
        np.testing.assert_allclose(found.errors, 0.05 / np.sqrt(3))

    def test_of_a_toss_up(self, rng):
        found = variability(rng.normal(size=(20, 2)), params=[{"k": 0}, {"k": 1}])
        assert 0 < found.selected[0] < 1
        assert found.param_sds["k"] > 0
        assert found.expected_loss > 0

    def test_a_dropped_candidate_is_never_selected(self):
        found = variability([[0.5, 0.9], [0.5, 0.1], [0.5, np.nan]])
        assert found.selected.tolist() == [1.0, 0.0]

    def test_bad_tables(self):
        with pytest.raises(DataError, match="a row per repetition"):
            variability([1.0, 2.0])
        with pytest.raises(DataError, match="all are NaN"):
            variability([[np.nan, np.nan]])


class TestVariabilityContract(ResultContract):
    def make(self, label="cnn"):
        return variability([[0.5, 0.7], [0.6, 0.8]])

    test_html_escapes_the_users_words = None  # there are none
    test_text_shows_label_and_caveats = None
    test_plot_draws_on_the_axes_it_is_given = None

    def test_it_has_no_picture_yet(self):
        with pytest.raises(ArgumentError, match="no picture yet"):
            self.make().plot()


def recorded(folder, name, params, k):
    """Return a (partition x candidate) table in the order of the file, and the candidates."""
    with gzip.open(folder / "jkfold_cv" / name, "rt") as file:
        rows = [r for r in csv.DictReader(file) if r["k_folds"] == str(k)]
    candidates = {}
    partitions = {}
    for row in rows:
        key = tuple(row[p] for p in params)
        place = candidates.setdefault(key, len(candidates))
        partitions.setdefault(row["partition"], {})[place] = float(row["accuracy"])
    table = [[p[i] for i in range(len(candidates))] for p in partitions.values()]
    return np.array(table), np.array([[float(v) for v in key] for key in candidates])


TABLES = {  # table: file, parameters, nominal number of partitions (None: those in the file)
    "1": ("imdb_rf.csv.gz", ["max_features"], {5: 1000, 10: 1000, 20: 500}),
    "2": ("pos_lr.csv.gz", ["C"], {5: 1000, 10: 1000}),
    "3": ("reuters_svm.csv.gz", ["C", "gamma"], {5: 1000, 10: 1000}),
    "4": ("lstm_width.csv.gz", ["lstm_width"], {}),
}


@pytest.mark.parametrize("number", TABLES)
def test_full_reproduces_the_papers_tables(number, data_folder):
    """Moss et al. 2018, Tables 1-4, from their own partitions, as recomputed in tables.csv."""
    name, params, nominal = TABLES[number]
    with (data_folder / "jkfold_cv" / "tables.csv").open() as file:
        wanted = [r for r in csv.DictReader(file) if r["table"] == number]
    loaded = {}
    checked = 0
    for row in wanted:
        j, k = int(row["J"]), int(row["K"])
        if k not in loaded:
            loaded[k] = recorded(data_folder, name, params, k)
        table, candidates = loaded[k]
        groups = nominal.get(k, len(table)) // j - 1
        chosen, scores = [], []
        for g in range(groups):
            rows = table[g * j : (g + 1) * j]
            race = run(Race(table.shape[1], strategy="full", max_repeats=len(rows)), rows)
            chosen.append(race.choose())
            scores.append(race.averages[chosen[-1]])
        quantity = row["quantity"]
        if quantity == "sd_accuracy_percent":
            got = 100 * np.std(scores, ddof=1)
        elif quantity.startswith("sd_"):
            axis = 1 if quantity.endswith("gamma") else 0
            got = np.std(candidates[chosen, axis], ddof=1)
        else:
            continue
        assert got == pytest.approx(float(row["recomputed"]), rel=2e-3), (row, groups)
        checked += 1
    assert checked >= 6
