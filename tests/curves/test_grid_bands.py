"""Settings drawn without replacement from a grid: who knows its size, and what is said of it."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

import bestofk as bk
from bestofk import ArgumentError, DataError, Scores, Search
from bestofk.numeric.noncrossing.grid import quantile_ranks

SIZE = 60


@pytest.fixture
def grid(rng):
    return np.round(rng.normal(size=SIZE), 3)


def truth(grid, direction="maximize", q=0.5):
    return np.sort(grid)[quantile_ranks(grid.size, q, minimize=direction == "minimize") - 1]


class TestBand:
    def test_it_says_what_it_is_for(self, grid):
        band = bk.tuning_band(Scores(grid[:48], grid=SIZE))
        assert band.validity == "holds"
        what = "median of the best of k different settings of the grid of 60"
        assert (
            f"{what}, n = 48, maximize, 95 % confidence at all whole budgets, hypergeometric"
            in repr(band)
        )
        assert band.summary.startswith(
            "Median of the best of 10 different settings of the grid of 60"
        )
        assert "48 of the 60 settings of a grid were drawn at random" in repr(band)
        assert band.achieved_confidence == pytest.approx(0.9582, abs=5e-5)
        assert band.reach == 17
        assert bk.tuning_band(Scores(grid[:48], grid=SIZE), budgets=[17]).upper[0] < np.inf
        assert bk.tuning_band(Scores(grid[:48], grid=SIZE), budgets=[18]).upper[0] == np.inf

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("q", ["median", 0.8])
    def test_a_complete_grid_has_a_curve_without_error(self, grid, direction, q):
        sample = Scores(grid, grid=SIZE, direction=direction)
        band = bk.tuning_band(sample, statistic=q)
        exact = truth(grid, direction, 0.5 if q == "median" else q)
        for part in (band.lower, band.estimate, band.upper):
            np.testing.assert_array_equal(part, exact)
        assert "all 60 were run: the curve has no error" in band.summary
        np.testing.assert_array_equal(bk.tuning_curve(sample, statistic=q).estimate, exact)

    def test_the_mean_of_a_complete_grid_is_that_of_all_subsets(self, rng):
        scores = rng.normal(size=7)
        curve = bk.tuning_curve(Scores(scores, grid=7), statistic="mean")
        for k in range(1, 8):
            every = np.mean([max(s) for s in combinations(scores, k)])
            assert curve.at(k) == pytest.approx(every, rel=1e-12)
        assert curve.estimator == "u"
        with pytest.raises(ArgumentError, match='estimated by U; got estimator="v"'):
            bk.tuning_curve(Scores(scores, grid=7), statistic="mean", estimator="v")

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("scores", [(1, 2, 3, 4, 5, 6), (1, 1, 2, 2, 3, 3), (0, 0, 0, 0, 5, 6)])
    def test_every_draw_of_a_small_grid_with_ties(self, scores, direction):
        """Through the public door: the curve is enclosed in enough of the 15 draws, or of all."""
        exact, hits, draws = truth(np.array(scores), direction), 0, 0
        for draw in combinations(scores, 4):
            band = bk.tuning_band(
                Scores(draw, grid=6, direction=direction), confidence=0.8, budgets=range(1, 7)
            )
            assert (band.lower <= band.estimate).all()
            assert (band.estimate <= band.upper).all()
            hits += bool(((band.lower <= exact) & (exact <= band.upper)).all())
            draws += 1
        assert Fraction(hits, draws) >= Fraction(4, 5)
        assert hits / draws >= band.achieved_confidence - 1e-12  # ties only help

    def test_between_whole_budgets_the_safe_neighbours_hold(self, grid):
        for direction, sign in (("maximize", 1), ("minimize", -1)):
            band = bk.tuning_band(Scores(grid[:48], grid=SIZE, direction=direction))
            between, low, high = (band.at(k) for k in (2.5, 2, 3))
            near, far = (low, high) if sign > 0 else (high, low)
            assert (between.lower, between.upper) == (near.lower, far.upper)
            below = band.at(0.5)
            assert (below.lower if sign > 0 else below.upper) == -sign * np.inf

    def test_budgets_above_the_grid_buy_nothing_more(self, grid):
        band = bk.tuning_band(Scores(grid, grid=SIZE), budgets=[60, 100])
        assert band.upper[0] == band.upper[1]
        assert "budgets above the size of the grid, 60, buy no other settings" in repr(band)

    def test_refused(self, grid):
        sample = Scores(grid[:48], grid=SIZE)
        with pytest.raises(ArgumentError, match='is that of a quantile; got statistic="mean"'):
            bk.tuning_band(sample, statistic="mean")
        with pytest.raises(ArgumentError, match='has equal tails; got band="ks"'):
            bk.tuning_band(sample, band="ks")


class TestWhoKnows:
    def test_what_is_not_made_for_grids_claims_nothing(self, grid):
        sample = Scores(grid[:48], grid=SIZE)
        monitor = bk.Monitor()
        monitor.update(sample)
        results = [
            bk.cdf_band(sample),
            bk.compare({"a": sample, "b": Scores(grid[5:50], grid=SIZE)}),
            monitor.status(),
            bk.baselines.bootstrap_band(sample, n_resamples=20),
            bk.tuning_band(Scores(grid[:48], sampling="without-replacement")),
        ]
        assert [r.validity for r in results] == ["void"] * 5

    def test_more_trials_of_a_grid_are_those_that_are_left(self, grid):
        found = bk.more_trials(Scores(grid[:48], grid=SIZE), 12)
        assert found.validity == "holds"
        assert found.beaten == 0.2
        with pytest.raises(ArgumentError, match="at most the 12 settings of the grid that are"):
            bk.more_trials(Scores(grid[:48], grid=SIZE), 13)

    def test_failed_settings_are_part_of_the_grid(self, grid):
        values = grid.copy()
        values[[3, 7]] = np.nan
        search = Search({"acc": values[:48]}, grid=SIZE)
        worst = bk.tuning_band(search, failed="worst")
        assert worst.validity == "holds"
        assert bk.tuning_band(search, failed="drop").validity == "void"  # the size is not known

    def test_part_of_a_search_is_not_drawn_from_the_whole_grid(self, grid):
        search = Search(
            {"acc": grid[:48]}, grid=SIZE, params={"lr": [0.1, 0.2] * 24}, sampling="unknown"
        )
        assert search.sampling == "without-replacement"
        assert "grid of 60" in repr(search)
        assert bk.importance(search, "lr").validity == "void"

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"grid": 2}, DataError, "`grid` must be at least the number of trials, 3, each of"),
            ({"grid": 2.5}, ArgumentError, "`grid` must be a whole number"),
            ({"grid": 10**6}, ArgumentError, "`grid` must be at most 20,000"),
            ({"grid": 9, "sampling": "iid"}, ArgumentError, 'got sampling="iid"'),
            ({"grid": 9, "sampling": "adaptive"}, ArgumentError, "without replacement; got"),
        ],
    )
    def test_refused(self, options, error, message):
        for make in (Scores, lambda v, **o: Search({"a": v}, **o)):
            with pytest.raises(error, match=message):
                make([1, 2, 3], **options)
        with pytest.raises(error, match=message):
            bk.read([1, 2, 3], **options)

    def test_weights_have_no_grid(self):
        with pytest.raises(DataError, match="`grid` needs unweighted scores"):
            Scores([1, 2], weights=[0.5, 0.5], grid=4)

    def test_declared_when_reading(self, grid):
        read = bk.read({"acc": grid[:48], "lr": range(48)}, score="acc", params="lr", grid=SIZE)
        assert bk.tuning_band(read).validity == "holds"
        np.testing.assert_array_equal(
            bk.tuning_band(read).upper, bk.tuning_band(Scores(grid[:48], grid=SIZE)).upper
        )


class TestScikitLearn:
    SPACE = {"C": [0.1, 1.0, 10.0], "fit_intercept": [True, False]}  # noqa: RUF012

    @pytest.fixture
    def data(self, rng):
        x = rng.normal(size=(60, 3))
        return x, (x[:, 0] + rng.normal(size=60) > 0).astype(int)

    @pytest.mark.parametrize(("drawn", "size"), [(4, 6), (6, 6)])
    def test_a_randomized_search_over_lists_knows_its_grid(self, data, drawn, size):
        linear = pytest.importorskip("sklearn.linear_model")
        from sklearn.model_selection import RandomizedSearchCV

        found = RandomizedSearchCV(
            linear.LogisticRegression(), self.SPACE, n_iter=drawn, cv=2, random_state=0
        ).fit(*data)
        search = bk.read(found)
        assert (search.n, search.grid) == (drawn, size)
        settings = {tuple(t.params[name] for name in self.SPACE) for t in search.trials}
        assert settings <= set(product(*self.SPACE.values()))
        assert len(settings) == drawn
        assert bk.tuning_band(search).validity == "holds"

    def test_with_a_distribution_there_is_none(self, data):
        linear = pytest.importorskip("sklearn.linear_model")
        from scipy import stats
        from sklearn.model_selection import GridSearchCV, RandomizedSearchCV

        space = {"C": stats.loguniform(0.1, 10), "fit_intercept": [True, False]}
        drawn = RandomizedSearchCV(linear.LogisticRegression(), space, n_iter=3, cv=2).fit(*data)
        assert bk.read(drawn).grid is None
        full = bk.read(GridSearchCV(linear.LogisticRegression(), self.SPACE, cv=2).fit(*data))
        assert full.grid == 6
        assert "the curve has no error" in bk.tuning_band(full).summary
        iid = bk.read(drawn, sampling="iid")
        assert iid.grid is None
