"""scikit-learn, as published today: fitted searches and their `cv_results_`."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.tools import scikit_learn
from tests.contracts import ToolContract
from tests.sources.said import kinds, said

pytest.importorskip("sklearn")
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, HalvingRandomSearchCV, RandomizedSearchCV

X, y = make_classification(n_samples=90, n_features=4, random_state=0)


class Fragile(ClassifierMixin, BaseEstimator):
    """Fails for large `C`."""

    def __init__(self, C=1.0):
        self.C = C

    def fit(self, X, y):
        if self.C > 5:
            raise ValueError("boom")
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.where(X[:, 0] > self.C / 10, *self.classes_[::-1])


def randomized(estimator=None, space=None, **options):
    search = RandomizedSearchCV(
        estimator or Fragile(),
        space or {"C": stats.loguniform(0.01, 100)},
        random_state=3,
        cv=3,
        error_score=np.nan,
        **{"n_iter": 12, **options},
    )
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return search.fit(X, y)


def trials_of(results, metric="score"):
    scores = [None if np.isnan(v) else float(v) for v in results[f"mean_test_{metric}"]]
    return [
        {"state": "failed" if s is None else "complete", "score": s, "params": p}
        for s, p in zip(scores, results["params"], strict=True)
    ]


class TestRandomizedSearch(ToolContract):
    source = scikit_learn

    def write(self, tmp_path):
        search = randomized()
        assert np.isnan(search.cv_results_["mean_test_score"]).any()
        return search, trials_of(search.cv_results_)

    def test_continuous_spaces_are_iid_and_cost_all_their_fits(self, tmp_path):
        fitted = randomized()
        search = bk.read(fitted)
        assert search.sampling == "iid"
        assert search.caveats == ()
        assert search.label == "Fragile"
        results = fitted.cv_results_
        assert search.costs == pytest.approx(
            3 * (results["mean_fit_time"] + results["mean_score_time"]), rel=1e-12
        )

    def test_a_failed_fit_says_so(self, tmp_path):
        search, _ = self.read(tmp_path)
        with pytest.raises(DataError, match="fitting or scoring failed in some fold"):
            search.scores()


class TestResults(ToolContract):
    source = scikit_learn

    def write(self, tmp_path):
        results = randomized().cv_results_
        return results, trials_of(results)

    def test_alone_they_do_not_say_how_they_were_drawn(self, tmp_path):
        assert self.read(tmp_path)[0].sampling == "unknown"


def test_lists_are_drawn_without_replacement():
    search = bk.read(randomized(space={"C": [0.1, 1, 2]}, n_iter=3))
    assert search.sampling == "without-replacement"
    said(search, "without-replacement", "draws without replacement", validity="void")
    assert not bk.check_iid(search).passed


def test_a_list_of_spaces_with_one_distribution_is_drawn_with_replacement():
    space = [{"C": [0.1, 1]}, {"C": stats.uniform(0, 1)}]
    assert bk.read(randomized(space=space)).sampling == "iid"


def test_a_grid_is_not_random():
    search = bk.read(GridSearchCV(Fragile(), {"C": [0.1, 1, 2]}, cv=3).fit(X, y))
    assert search.sampling == "without-replacement"
    said(search, "grid", "grid", validity="void")


def test_halving_compares_different_resources():
    fitted = HalvingRandomSearchCV(
        LogisticRegression(), {"C": stats.loguniform(0.01, 100)}, random_state=0, cv=3,
        min_resources=20, n_candidates=4,
    ).fit(X, y)  # fmt: skip
    results = fitted.cv_results_
    search = bk.read(fitted)
    assert search.n == len(results["params"]) > 4
    assert search.sampling == "adaptive"
    said(search, "mixed-rounds", "4 candidates over", "not comparable", validity="void")
    rounds = bk.read_all(fitted, by="iter")
    assert sum(s.n for s in rounds.values()) == search.n
    assert rounds["iter 0"].sampling == "iid"
    assert rounds["iter 0"].n == 4
    assert rounds["iter 1"].sampling == "adaptive"
    assert rounds["iter 0"].caveats == ()
    said(rounds["iter 1"], "survivors", "best of the round before", validity="void")


def test_several_metrics_take_the_one_refitted():
    fitted = randomized(LogisticRegression(), scoring=["accuracy", "f1"], refit="f1", n_iter=4)
    search = bk.read(fitted)
    assert search.metric == "f1"
    assert search.metrics["accuracy"].tolist() == fitted.cv_results_["mean_test_accuracy"].tolist()
    with pytest.raises(ArgumentError, match="`score` must name the metric"):
        bk.read(fitted.cv_results_)
    assert bk.read(fitted.cv_results_, score="f1").n == 4


def test_a_search_that_is_not_fitted_is_refused():
    with pytest.raises(DataError, match="RandomizedSearchCV must be fitted"):
        bk.read(RandomizedSearchCV(Fragile(), {"C": [1]}))


def test_our_own_search_is_read_as_it_says_itself():
    space = {"C": stats.loguniform(0.01, 10)}
    fitted = bk.cv.JKFoldSearchCV(
        LogisticRegression(),
        param_distributions=space,
        n_candidates=3,
        n_folds=3,
        n_repeats=1,
        random_state=0,
    )
    fitted.fit(X, y)
    search = bk.read(fitted, label="mine")
    assert search.trials == fitted.to_search().trials
    assert search.caveats == fitted.to_search().caveats
    assert search.label == "mine"
    with pytest.raises(ArgumentError, match="read with its own score"):
        bk.read(fitted, score="x")


@pytest.mark.parametrize("form", ["frame", "csv"])
def test_cv_results_as_a_table_are_the_search(tmp_path, form):
    pd = pytest.importorskip("pandas")
    fitted = randomized()
    whole = bk.read(fitted)
    x = pd.DataFrame(fitted.cv_results_)
    if form == "csv":
        x.to_csv(tmp_path / "cv.csv")
        x = tmp_path / "cv.csv"
    search = bk.read(x)
    assert search.metric == "mean_test_score"
    assert search.states == whole.states
    assert [t.score for t in search.trials] == [t.score for t in whole.trials]
    assert [t.params for t in search.trials] == [t.params for t in whole.trials]
    assert search.costs == pytest.approx(whole.costs, rel=1e-12)
    assert search.sampling == "unknown"


def test_halving_as_a_table_is_told():
    pd = pytest.importorskip("pandas")
    fitted = HalvingRandomSearchCV(
        LogisticRegression(), {"C": stats.loguniform(0.01, 1)}, random_state=0, cv=3
    ).fit(X, y)
    frame = pd.DataFrame(fitted.cv_results_)
    search = bk.read(frame)
    assert search.sampling == "adaptive"
    assert search.caveats == bk.read(fitted).caveats
    rounds = bk.read_all(frame, by="iter")
    first, *later = rounds.values()
    assert [s.n for s in (first, *later)] == [s.n for s in bk.read_all(fitted, by="iter").values()]
    assert kinds(first) == []
    assert later
    for search in later:
        said(search, "survivors", "only the best of the round before", validity="void")


def test_an_infinite_score_is_a_score():
    fitted = randomized(scoring=lambda _model, _x, _y: -np.inf, n_iter=2)
    search = bk.read(fitted)  # the second candidate cannot be fitted
    assert [t.score for t in search.trials] == [-np.inf, None]
    assert search.states == ("complete", "failed")
    assert search.notes.keys() == {1}
