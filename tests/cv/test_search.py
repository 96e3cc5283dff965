"""JKFoldSearchCV: as good a scikit-learn citizen as GridSearchCV, and what it adds."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings

import joblib
import numpy as np
import pytest
from scipy import stats
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.exceptions import FitFailedWarning, NotFittedError
from sklearn.linear_model import Ridge, SGDClassifier
from sklearn.metrics import accuracy_score, make_scorer
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneOut,
    RandomizedSearchCV,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils.estimator_checks import check_estimator

import bestofk as bk
from bestofk.cv import tasks
from bestofk.cv.search import JKFoldSearchCV
from bestofk.errors import ArgumentError
from tests.conftest import ROOT

IRIS = load_iris(return_X_y=True)
TREE = DecisionTreeClassifier(random_state=0)
DEPTHS = {"max_depth": [1, 2, 3, 5]}


class Scripted(ClassifierMixin, BaseEstimator):
    """Its score is `quality`, plus `noise` times a number that depends on the test rows alone."""

    def __init__(self, quality=0.0, noise=0.0, fail=False, own_noise=0.0):
        self.quality, self.noise, self.fail, self.own_noise = quality, noise, fail, own_noise

    def fit(self, X, y, sample_weight=None):
        if self.fail:
            raise RuntimeError("this candidate cannot be fitted")
        self.classes_ = np.unique(y)
        self.weighted_ = sample_weight is not None
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])

    def score(self, X, y=None):
        rows = np.random.default_rng(np.asarray(X)[:, 0].astype(np.int64))
        own = np.random.default_rng([int(1e6 * abs(self.quality)), *map(int, np.asarray(X)[:, 0])])
        return float(self.quality + self.noise * rows.normal() + self.own_noise * own.normal())


ROWS = np.column_stack([np.arange(40.0), np.ones(40)]), np.arange(40) % 2


def search(estimator=TREE, grid=None, **options):
    if grid is None and "param_distributions" not in options:
        grid = DEPTHS
    return JKFoldSearchCV(estimator, grid, **{"random_state": 0, "n_repeats": 3, **options})


def score_columns(fitted):
    """All of cv_results_ but the times, ready to be compared."""
    return {
        name: column if name == "params" else column.tolist()
        for name, column in fitted.cv_results_.items()
        if not name.endswith("_time")
    }


def assert_same(one, other):
    np.testing.assert_equal(score_columns(one), score_columns(other))
    assert one.best_index_ == other.best_index_
    assert one.best_params_ == other.best_params_


# ---------------------------------------------------------------- a scikit-learn citizen


@pytest.mark.slow
@pytest.mark.parametrize(
    ("estimator", "grid", "strategy"),
    [(Ridge(), {"alpha": [0.1, 1.0]}, "race"), (TREE, {"max_depth": [1, 3]}, "full")],
    ids=["Ridge, race", "tree, full"],
)
def test_estimator_checks_end_as_those_of_grid_search(estimator, grid, strategy):
    ours = JKFoldSearchCV(
        estimator, grid, n_folds=2, n_repeats=2, strategy=strategy, error_score="raise",
        random_state=0,
    )  # fmt: skip
    theirs = GridSearchCV(estimator, grid, cv=2, error_score="raise")

    def ends(searching):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            checks = check_estimator(searching, on_fail=None, on_skip=None)
        return [(check["check_name"], check["status"]) for check in checks]

    found = ends(ours)
    assert found == ends(theirs)
    assert ("check_dtype_object", "passed") in found
    assert len([end for _, end in found if end == "passed"]) > 40


def test_clone_and_parameters_survive():
    ours = search(n_folds=4, tolerance=0.01, strategy="full")
    assert clone(ours).get_params().keys() == ours.get_params().keys()
    assert clone(ours).set_params(estimator__max_depth=7).estimator.max_depth == 7
    assert "n_folds=4" in repr(ours)


def test_fit_leaves_the_arguments_alone():
    splitter = StratifiedKFold(3, shuffle=True)
    ours = search(cv=splitter).fit(*IRIS)
    assert ours.cv is splitter
    assert splitter.random_state is None
    failing = search(cv=splitter, scoring="no such score")
    with pytest.raises(ValueError, match="scoring"):
        failing.fit(*IRIS)
    assert failing.cv is splitter


def test_it_predicts_scores_and_pickles_like_any_search():
    ours = search().fit(*IRIS)
    assert ours.predict(IRIS[0]).tolist() == ours.best_estimator_.predict(IRIS[0]).tolist()
    assert ours.score(*IRIS) == ours.best_estimator_.score(*IRIS)
    assert ours.n_features_in_ == 4
    assert ours.classes_.tolist() == [0, 1, 2]
    assert ours.predict_proba(IRIS[0]).shape == (150, 3)
    again = pickle.loads(pickle.dumps(ours))
    assert_same(ours, again)


def test_pipelines():
    pipe = make_pipeline(StandardScaler(), TREE)
    ours = search(pipe, {"decisiontreeclassifier__max_depth": [1, 3]}).fit(*IRIS)
    assert ours.best_params_ == {"decisiontreeclassifier__max_depth": 3}


def test_without_scikit_learn_it_says_what_to_install():
    code = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import bestofk.cv.race, bestofk.cv.folds, bestofk.cv.results\n"
        "from bestofk.errors import MissingPackageError\n"
        "try:\n    import bestofk.cv.search\n"
        "except MissingPackageError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT
    )
    assert done.stdout == 'JKFoldSearchCV needs scikit-learn: pip install "bestofk[sklearn]"\n'


# ---------------------------------------------------------------- agreement with GridSearchCV


@pytest.mark.parametrize("seed", range(5))
def test_one_full_repetition_selects_what_grid_search_selects(seed):
    X, y = make_classification(90, 6, n_informative=3, flip_y=0.2, random_state=seed)
    grid = {"max_depth": [1, 2, 3, 4, 6], "min_samples_leaf": [1, 3, 9]}
    ours = search(TREE, grid, n_repeats=1, strategy="full", random_state=seed).fit(X, y)
    same_folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    theirs = GridSearchCV(TREE, grid, cv=same_folds).fit(X, y)
    assert ours.best_index_ == theirs.best_index_
    assert ours.best_score_ == theirs.best_score_
    for name in ("mean_test_score", "rank_test_score"):
        assert ours.cv_results_[name].tolist() == theirs.cv_results_[name].tolist()
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


@pytest.mark.parametrize(
    "cv",
    [
        KFold(3),
        KFold(4, shuffle=True, random_state=3),
        LeaveOneOut(),
        ShuffleSplit(4, random_state=1),
        list(KFold(3).split(np.ones(60))),
    ],
    ids=["KFold", "KFold shuffled", "LeaveOneOut", "ShuffleSplit", "list"],
)
def test_one_repetition_takes_any_splitter_as_it_is(cv):
    X, y = (a[:60] for a in load_diabetes(return_X_y=True))
    tree, options = DecisionTreeRegressor(random_state=0), {"scoring": "neg_mean_absolute_error"}
    ours = search(tree, DEPTHS, cv=cv, n_repeats=1, strategy="full", **options).fit(X, y)
    theirs = GridSearchCV(tree, DEPTHS, cv=cv, **options).fit(X, y)
    assert ours.cv_results_["mean_test_score"].tolist() == pytest.approx(
        theirs.cv_results_["mean_test_score"].tolist(), rel=1e-15
    )
    assert ours.best_index_ == theirs.best_index_
    assert ours.n_splits_ == theirs.n_splits_


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_the_columns_of_grid_search_have_its_values(strategy):
    """On the same splits, for the candidates that took part in all of them."""
    options = {"scoring": ["accuracy", "f1_macro"], "refit": "accuracy", "return_train_score": True}
    ours = search(strategy=strategy, **options).fit(*IRIS)
    splits = [pair for s in ours.splitters_ for pair in s.split(*IRIS)]
    theirs = GridSearchCV(TREE, DEPTHS, cv=splits, **options).fit(*IRIS)
    everywhere = ours.cv_results_["n_repeats"] == 3
    assert everywhere.any()
    for name, column in theirs.cv_results_.items():
        if name.startswith("split"):
            number, rest = name.removeprefix("split").split("_", 1)
            name = f"split{int(number) // 5}_{int(number) % 5}_{rest}"
        assert name in ours.cv_results_
        if name.startswith(("mean_te", "mean_tr", "std_te", "std_tr", "split")):
            # Sums in another order: a few units in the last place.
            np.testing.assert_allclose(
                ours.cv_results_[name][everywhere], column[everywhere], rtol=1e-12, atol=1e-15
            )
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    assert str(ours.cv_results_["param_max_depth"]) == str(theirs.cv_results_["param_max_depth"])


def test_random_candidates_are_those_of_randomized_search():
    space = {"max_depth": stats.randint(1, 9), "max_features": stats.uniform(0.1, 0.9)}
    ours = search(param_distributions=space, n_candidates=6, n_repeats=1).fit(*IRIS)
    theirs = RandomizedSearchCV(TREE, space, n_iter=6, random_state=0).fit(*IRIS)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]


def test_parameters_that_not_all_candidates_have_are_masked():
    grid = [{"max_depth": [1, 2]}, {"min_samples_leaf": [3], "criterion": ["gini", "entropy"]}]
    ours = search(TREE, grid, n_repeats=1).fit(*IRIS).cv_results_
    theirs = GridSearchCV(TREE, grid).fit(*IRIS).cv_results_
    for name in ("param_max_depth", "param_min_samples_leaf", "param_criterion"):
        assert ours[name].mask.tolist() == theirs[name].mask.tolist()
        assert ours[name].dtype == theirs[name].dtype
        assert ours[name].tolist() == theirs[name].tolist()


# ---------------------------------------------------------------- partitions and randomness


def test_candidates_share_the_folds_of_a_repetition_and_repetitions_do_not():
    grid = {"quality": [0.0, 0.25, 0.5]}
    ours = search(Scripted(noise=1.0), grid, strategy="full", n_repeats=4).fit(*ROWS)
    noise = ours.repeat_scores_ - [0.0, 0.25, 0.5]
    np.testing.assert_allclose(noise, noise[:, :1] * np.ones(3), rtol=1e-12)
    assert np.unique(noise[:, 0]).size == 4


def test_a_partition_depends_on_its_number_and_the_seed_alone():
    long = search(n_repeats=5, strategy="full").fit(*IRIS)
    short = search(n_repeats=2, strategy="race").fit(*IRIS)
    for j in range(2):
        assert long.splitters_[j].random_state == short.splitters_[j].random_state
    other = search(n_repeats=2, random_state=1).fit(*IRIS)
    assert {s.random_state for s in other.splitters_}.isdisjoint(
        s.random_state for s in long.splitters_
    )


def test_stratified_for_classifiers_plain_for_regressors_and_multilabel():
    assert all(isinstance(s, StratifiedKFold) for s in search().fit(*IRIS).splitters_)
    regression = search(DecisionTreeRegressor(random_state=0)).fit(*IRIS)
    assert all(type(s) is KFold and s.shuffle for s in regression.splitters_)
    many = np.column_stack([IRIS[1] == 0, IRIS[1] == 1]).astype(int)
    assert all(type(s) is KFold for s in search().fit(IRIS[0], many).splitters_)


def test_folds_can_be_counted_by_n_folds_or_cv():
    assert search(n_folds=3).fit(*IRIS).n_splits_ == 3
    assert search(cv=4).fit(*IRIS).n_splits_ == 4
    assert_same(search(n_folds=3).fit(*IRIS), search(cv=3).fit(*IRIS))


def test_the_splitters_own_seed_makes_the_first_partition():
    def seeds(cv, random_state):
        fitted = search(cv=cv, random_state=random_state, strategy="full").fit(*IRIS)
        return [s.random_state for s in fitted.splitters_]

    seeded = StratifiedKFold(5, shuffle=True, random_state=7)
    assert seeds(seeded, 0)[0] == seeds(seeded, None)[0] == 7
    assert seeds(seeded, None) == seeds(seeded, None)
    assert seeds(seeded, 0)[1:] == seeds(None, 0)[1:]
    assert seeds(seeded, 1)[1:] != seeds(seeded, 0)[1:]
    assert seeds(None, 5)[0] == 5
    assert seeds(None, None) != seeds(None, None)


def test_a_random_state_object_is_used_up():
    state = np.random.RandomState(0)
    first = search(random_state=state, n_repeats=1).fit(*IRIS)
    second = search(random_state=state, n_repeats=1).fit(*IRIS)
    assert first.splitters_[0].random_state != second.splitters_[0].random_state


@pytest.mark.parametrize(
    ("cv", "options"),
    [
        (GroupKFold(4, shuffle=True), {}),
        (StratifiedGroupKFold(4, shuffle=True), {}),
        (GroupShuffleSplit(3), {"strategy": "full"}),
    ],
    ids=lambda x: type(x).__name__,
)
def test_groups_stay_together(cv, options):
    groups = np.repeat(np.arange(30), 5)
    order = np.random.default_rng(0).permutation(150)
    X, y = IRIS[0][order], IRIS[1][order]
    ours = search(cv=cv, **options).fit(X, y, groups=groups)
    assert len({s.random_state for s in ours.splitters_}) == 3
    for splitter in ours.splitters_:
        for train, test in splitter.split(X, y, groups):
            assert not set(groups[train]) & set(groups[test])


@pytest.mark.parametrize(
    ("backend", "n_jobs"), [("loky", 2), ("threading", 3)], ids=["processes", "threads"]
)
@pytest.mark.parametrize("strategy", ["race", "full"])
def test_workers_cannot_change_the_answer(backend, n_jobs, strategy):
    options = {"n_repeats": 4, "strategy": strategy}
    alone = search(**options).fit(*IRIS)
    with joblib.parallel_config(backend):
        together = search(n_jobs=n_jobs, **options).fit(*IRIS)
    assert_same(alone, together)


@pytest.mark.slow
def test_dask_workers_cannot_change_the_answer():
    distributed = pytest.importorskip("distributed")
    alone = search(n_repeats=4).fit(*IRIS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.Client(n_workers=2, threads_per_worker=1, dashboard_address=None) as client,
            joblib.parallel_config("dask", client=client),
        ):
            together = search(n_repeats=4, n_jobs=-1).fit(*IRIS)
    assert_same(alone, together)


# ---------------------------------------------------------------- what repetition adds


def test_averages_errors_and_counts_over_repetitions():
    ours = search(Scripted(noise=1.0), {"quality": [0.0, 0.5]}, strategy="full", n_repeats=6)
    results = ours.fit(*ROWS).cv_results_
    repeats = np.array([results[f"repeat{j}_test_score"] for j in range(6)])
    folds = np.array([results[f"split{j}_{i}_test_score"] for j in range(6) for i in range(5)])
    np.testing.assert_array_equal(repeats, ours.repeat_scores_)
    np.testing.assert_allclose(repeats, folds.reshape(6, 5, 2).mean(axis=1), rtol=1e-12)
    np.testing.assert_allclose(results["mean_test_score"], repeats.mean(axis=0), rtol=1e-12)
    np.testing.assert_allclose(results["std_test_score"], folds.std(axis=0), rtol=1e-12)
    np.testing.assert_allclose(
        results["se_test_score"], repeats.std(axis=0, ddof=1) / np.sqrt(6), rtol=1e-12
    )
    assert results["n_repeats"].tolist() == [6, 6]
    assert results["dropped_at"].tolist() == [0, 0]
    assert (ours.n_repeats_, ours.n_splits_, ours.n_fits_) == (6, 5, 60)


def test_one_repetition_has_no_standard_error():
    assert np.isnan(search(n_repeats=1).fit(*IRIS).cv_results_["se_test_score"]).all()


def test_a_candidate_far_behind_is_dropped_and_says_when():
    grid = {"quality": [0.1, 0.0, 9.0, 0.2]}
    ours = search(Scripted(noise=1.0, own_noise=0.1), grid, n_repeats=8).fit(*ROWS)
    results = ours.cv_results_
    assert ours.best_index_ == 2
    assert results["n_repeats"][2] == 8 == ours.n_repeats_
    assert results["dropped_at"][2] == 0
    for i in (0, 1, 3):
        received = results["n_repeats"][i]
        assert 1 < received < 8
        assert results["dropped_at"][i] == received
        for j in range(8):
            assert np.isnan(results[f"split{j}_0_test_score"][i]) == (j >= received)
            assert np.isnan(results[f"repeat{j}_test_score"][i]) == (j >= received)
        assert np.isfinite(results["mean_test_score"][i])
    assert ours.n_fits_ == 5 * results["n_repeats"].sum() < 5 * 8 * 4
    assert results["rank_test_score"][2] == 1


def test_rank_one_is_the_choice():
    for seed in range(4):
        X, y = make_classification(60, 5, n_informative=3, flip_y=0.3, random_state=seed)
        ours = search(random_state=seed, n_repeats="auto", max_repeats=6).fit(X, y)
        assert ours.cv_results_["rank_test_score"][ours.best_index_] == 1
        assert ours.best_score_ == ours.cv_results_["mean_test_score"][ours.best_index_]
        assert ours.n_repeats_ <= 6


def test_auto_is_capped_and_full_takes_the_cap():
    assert search(n_repeats="auto", max_repeats=3).fit(*IRIS).n_repeats_ <= 3
    full = search(n_repeats="auto", max_repeats=3, strategy="full").fit(*IRIS)
    assert full.cv_results_["n_repeats"].tolist() == [3, 3, 3, 3]


def test_a_wide_tolerance_stops_early():
    grid = {"quality": [0.0, 0.001, 0.002]}
    estimator = Scripted(own_noise=0.01)
    patient = search(estimator, grid, n_repeats="auto", max_repeats=9).fit(*ROWS)
    hasty = search(estimator, grid, n_repeats="auto", max_repeats=9, tolerance=1.0).fit(*ROWS)
    assert hasty.n_repeats_ < patient.n_repeats_


def test_variability_is_that_of_the_repetitions():
    fitted = search(n_repeats=6, strategy="full").fit(*IRIS)
    assert fitted.variability_.to_dict() == fitted.variability_.to_dict()
    assert fitted.best_index_ in range(4)
    with pytest.raises(AttributeError):
        search().variability_


# ---------------------------------------------------------------- awkward candidates and data


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_a_failing_candidate_is_last_and_not_chosen(strategy):
    grid = [{"quality": [0.1, 0.3], "fail": [False]}, {"quality": [9.0], "fail": [True]}]
    ours = search(Scripted(own_noise=0.01), grid, strategy=strategy)
    with pytest.warns(FitFailedWarning), pytest.warns(UserWarning, match="non-finite"):
        ours.fit(*ROWS)
    results = ours.cv_results_
    assert ours.best_params_ == {"quality": 0.3, "fail": False}
    assert np.isnan(results["mean_test_score"]).tolist() == [False, False, True]
    assert results["rank_test_score"].tolist()[2] == 3
    assert results["n_repeats"][2] == (1 if strategy == "race" else 3)
    trials = ours.to_search()
    assert trials.states == ("complete", "complete", "failed")


def test_a_failing_candidate_can_count_as_a_number_or_stop_the_search():
    grid = [{"quality": [0.3]}, {"fail": [True]}]
    with pytest.warns(FitFailedWarning):
        ours = search(Scripted(), grid, error_score=-1.0).fit(*ROWS)
    assert ours.cv_results_["mean_test_score"].tolist() == [pytest.approx(0.3), -1.0]
    with pytest.raises(RuntimeError, match="cannot be fitted"):
        search(Scripted(), grid, error_score="raise").fit(*ROWS)


def test_all_candidates_failing_is_refused_as_in_grid_search():
    with pytest.raises(ValueError, match="All the 5 fits failed"):
        search(Scripted(), {"fail": [True]}).fit(*ROWS)


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_a_nan_score_is_a_failure_and_all_nan_chooses_the_first_with_a_warning(strategy):
    def scorer(estimator, X, y):
        return np.nan if estimator.quality > 1 else estimator.quality

    ours = search(Scripted(), {"quality": [2.0, 0.5, 0.4]}, scoring=scorer, strategy=strategy)
    with pytest.warns(UserWarning, match="non-finite"):
        ours.fit(*ROWS)
    assert ours.best_params_ == {"quality": 0.5}
    ours = search(Scripted(), {"quality": [2.0, 3.0]}, scoring=scorer, strategy=strategy)
    with pytest.warns(UserWarning, match="non-finite"):
        ours.fit(*ROWS)
    assert ours.best_index_ == 0
    assert ours.cv_results_["rank_test_score"].tolist() == [1, 1]


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_constant_scores_choose_the_first(strategy):
    grid = {"fail": [False, 0, None]}
    ours = search(Scripted(quality=0.5), grid, strategy=strategy).fit(*ROWS)
    assert ours.best_score_ == 0.5
    if strategy == "full":
        assert ours.best_index_ == 0
        assert ours.cv_results_["rank_test_score"].tolist() == [1, 1, 1]


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_one_candidate(strategy):
    ours = search(grid={"max_depth": [2]}, strategy=strategy, n_repeats=4).fit(*IRIS)
    assert ours.best_params_ == {"max_depth": 2}
    assert ours.cv_results_["n_repeats"].tolist() == [4]


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_two_folds(strategy):
    ours = search(n_folds=2, strategy=strategy).fit(*IRIS)
    assert ours.n_splits_ == 2
    assert np.isfinite(ours.best_score_)


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_a_class_with_fewer_members_than_folds(strategy):
    """As in scikit-learn: a warning if some class is that small, an error if all are."""
    y = np.array([0] * 20 + [1] * 18 + [2] * 2)
    ours = search(Scripted(), {"quality": [0.1, 0.2]}, strategy=strategy)
    with pytest.warns(UserWarning, match="least populated class in y has only 2 members"):
        ours.fit(ROWS[0], y)
    assert ours.best_params_ == {"quality": 0.2}
    with pytest.raises(ValueError, match="cannot be greater than the number of members"):
        ours.fit(ROWS[0][:8], [0, 0, 1, 1, 2, 2, 3, 3])


# ---------------------------------------------------------------- several metrics, refit


BOTH = {"accuracy": "accuracy", "few": make_scorer(accuracy_score, greater_is_better=False)}


def test_the_metric_that_refit_names_decides():
    best = search(scoring=BOTH, refit="accuracy", strategy="full").fit(*IRIS)
    worst = search(scoring=BOTH, refit="few", strategy="full").fit(*IRIS)
    assert best.best_index_ != worst.best_index_ == 0
    assert {"mean_test_few", "se_test_few", "rank_test_few", "repeat0_test_few"} <= set(
        best.cv_results_
    )
    assert "mean_test_score" not in best.cv_results_
    raced = search(scoring=BOTH, refit="few", n_repeats=5).fit(*IRIS)
    assert raced.best_index_ == 0
    assert raced.to_search().metric == "few"
    assert raced.to_search(metric="accuracy").metric == "accuracy"


def test_a_race_by_several_metrics_is_refused_before_fitting():
    message = 'needs `refit` to name the one that decides; got refit=False.*strategy="full"'
    with pytest.raises(ArgumentError, match=message):
        search(Scripted(fail=True), scoring=BOTH, refit=False).fit(*ROWS)


def test_several_metrics_without_refit():
    ours = search(scoring=BOTH, refit=False, strategy="full").fit(*IRIS)
    assert not hasattr(ours, "best_index_")
    assert not hasattr(ours, "repeat_scores_")
    assert not hasattr(ours, "variability_")
    assert ours.cv_results_["rank_test_accuracy"].min() == 1
    with pytest.raises(ArgumentError, match="`metric` must be one of 'accuracy', 'few'; got False"):
        ours.to_search()


def test_refit_can_be_a_function_of_the_results():
    ours = search(refit=lambda results: int(np.argmin(results["mean_test_score"]))).fit(*IRIS)
    assert ours.best_index_ == 0
    assert not hasattr(ours, "best_score_")
    assert ours.best_estimator_.max_depth == 1


def test_without_refit_the_choice_is_still_made():
    ours = search(refit=False).fit(*IRIS)
    assert ours.best_params_
    assert not hasattr(ours, "best_estimator_")


def test_scoring_by_a_function_that_gives_several_metrics():
    def both(estimator, X, y):
        accuracy = accuracy_score(y, estimator.predict(X))
        return {"right": accuracy, "wrong": 1 - accuracy}

    assert search(scoring=both, refit="wrong", n_repeats=4).fit(*IRIS).best_index_ == 0
    with pytest.raises(ArgumentError, match="needs `refit` to name"):
        search(scoring=both).fit(*IRIS)


# ---------------------------------------------------------------- metadata, callbacks, words


def test_fit_parameters_reach_the_estimator():
    ours = search(Scripted(), {"quality": [0.1]}).fit(*ROWS)
    assert not ours.best_estimator_.weighted_
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the scorer takes no weights, scikit-learn says
        ours.fit(*ROWS, sample_weight=np.ones(40))
    assert ours.best_estimator_.weighted_


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_metadata_routing(strategy):
    import sklearn

    groups = np.repeat(np.arange(30), 5)
    weights = np.linspace(1, 2, 150)
    seen = []

    class Recorder(SGDClassifier):
        def fit(self, X, y, sample_weight=None):
            seen.append(sample_weight is not None)
            return super().fit(X, y, sample_weight=sample_weight)

    with sklearn.config_context(enable_metadata_routing=True):
        estimator = Recorder(random_state=0).set_fit_request(sample_weight=True)
        estimator.set_score_request(sample_weight=False)
        ours = JKFoldSearchCV(
            estimator, {"alpha": [1e-3, 1e-1]}, cv=GroupKFold(3, shuffle=True), n_repeats=2,
            strategy=strategy, random_state=0,
        )  # fmt: skip
        ours.fit(*IRIS, groups=groups, sample_weight=weights)
        assert "'groups': True" in str(ours.get_metadata_routing())
    assert seen == [True] * (ours.n_fits_ + 1)


@pytest.mark.parametrize("strategy", ["race", "full"])
def test_callbacks_hear_of_every_fit(strategy):
    pytest.importorskip("sklearn.callback")

    class Counter:
        def __init__(self):
            self.names = []

        def setup(self, estimator, context):
            pass

        def on_fit_task_begin(self, estimator, context):
            self.names.append(context.task_name)

        def on_fit_task_end(self, estimator, context):
            self.names.append(f"end {context.task_name}")

        def teardown(self, estimator, context):
            pass

    counter = Counter()
    ours = search(strategy=strategy).set_callbacks(counter).fit(*IRIS)
    names = counter.names
    assert names.count("candidate-split-evaluation") == ours.n_fits_
    assert names.count("search") == names.count("end search") == 1
    if strategy == "race":
        assert names.count("repetition") == names.count("end repetition") == ours.n_repeats_


def test_the_tree_of_tasks_does_not_travel_where_nobody_listens(monkeypatch):
    told = []
    monkeypatch.setattr(tasks, "option", lambda task: told.append(task) or {})
    search(n_repeats=2).fit(*IRIS)
    assert told == [None, None]


def test_verbose_counts_the_fits(capsys):
    search(n_repeats=2, strategy="full", verbose=1).fit(*IRIS)
    assert "Fitting 10 folds for each of 4 candidates, totalling 40 fits" in capsys.readouterr().out
    search(n_repeats=2, verbose=1).fit(*IRIS)
    assert "Fitting 5 folds for each of 4 candidates" in capsys.readouterr().out


# ---------------------------------------------------------------- as a Search


def test_a_random_search_becomes_a_search_of_independent_trials():
    space = {"max_depth": stats.randint(1, 9), "min_samples_leaf": [1, 2, 5]}
    ours = search(param_distributions=space, n_candidates=7, n_repeats=4, strategy="full")
    trials = ours.fit(*IRIS).to_search(label="tree", bounds=(0, 1))
    assert (trials.n, trials.label, trials.sampling) == (7, "tree", "iid")
    assert trials.direction == "maximize"
    scores = trials.scores()
    assert scores.values.tolist() == ours.cv_results_["mean_test_score"].tolist()
    assert [t.params for t in trials.trials] == ours.cv_results_["params"]
    seconds = ours.cv_results_["mean_fit_time"] * 5 * ours.cv_results_["n_repeats"]
    np.testing.assert_allclose(scores.costs, seconds, rtol=1e-12)
    assert any("same data and the same partitions" in str(c) for c in scores.caveats)
    band = bk.tuning_band(trials)
    assert any("same data" in str(caveat) for caveat in band.caveats)


def test_a_race_warns_of_uneven_scores_and_full_does_not():
    grid = {"quality": [0.0, 9.0]}
    raced = search(Scripted(own_noise=0.1), grid, n_repeats=6).fit(*ROWS).to_search()
    assert any("dropped early" in str(caveat) for caveat in raced.caveats)
    assert raced.sampling == "without-replacement"
    full = search(Scripted(own_noise=0.1), grid, strategy="full").fit(*ROWS).to_search()
    assert len(full.caveats) == 1


def test_after_a_race_nothing_is_certified():
    """How long a candidate runs depends on its scores: the trials are not independent draws."""
    space = {"quality": stats.uniform(0, 9)}
    options = {"param_distributions": space, "n_candidates": 12, "n_repeats": 6}
    fitted = search(Scripted(own_noise=0.1), **options).fit(*ROWS)
    assert np.ptp(fitted.cv_results_["n_repeats"]) > 0
    raced = fitted.to_search(bounds=(-9, 9))
    assert raced.sampling == "adaptive"
    band = bk.tuning_band(raced)
    assert band.validity == "void"
    assert any("the candidates raced" in reason for reason in band.reasons)
    full = search(Scripted(own_noise=0.1), **options, strategy="full").fit(*ROWS)
    assert full.to_search().sampling == "iid"
    assert bk.tuning_band(full.to_search(bounds=(-9, 9))).validity == "holds"


def test_a_race_stopped_by_its_scores_is_not_iid_either():
    space = {"quality": stats.uniform(0, 0.001)}
    fitted = search(
        Scripted(own_noise=0.01), param_distributions=space, n_candidates=3, n_repeats="auto",
        tolerance=0.5,
    ).fit(*ROWS)  # fmt: skip
    assert fitted.n_repeats_ == 2
    assert np.ptp(fitted.cv_results_["n_repeats"]) == 0
    assert fitted.to_search().sampling == "adaptive"


def test_grids_and_lists_are_drawn_without_replacement():
    assert search().fit(*IRIS).to_search().sampling == "without-replacement"
    listed = search(param_distributions=DEPTHS, n_candidates=3).fit(*IRIS)
    assert listed.to_search().sampling == "without-replacement"
    mixed = [{"max_depth": [1, 2]}, {"max_features": stats.uniform(0.1, 0.9)}]
    assert (
        search(param_distributions=mixed, n_candidates=3, strategy="full")
        .fit(*IRIS)
        .to_search()
        .sampling
        == "iid"
    )


def test_a_search_needs_a_fit():
    with pytest.raises(NotFittedError, match=r"to_search\(\) needs a fitted JKFoldSearchCV"):
        search().to_search()


# ---------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_folds": 1}, "`n_folds` must be a whole number of at least 2; got 1"),
        ({"n_repeats": 0}, '`n_repeats` must be a whole number of at least 1, or "auto"; got 0'),
        ({"n_repeats": "many"}, "`n_repeats` must be a whole number .* got 'many'"),
        ({"max_repeats": 1.5}, "`max_repeats` must be a whole number of at least 1; got 1.5"),
        ({"strategy": "rase"}, "`strategy` must be one of 'race', 'full'; got 'rase'"),
        ({"tolerance": -1}, "`tolerance` must be 0 or more; got -1"),
        ({"tolerance": float("nan")}, "`tolerance` must be 0 or more; got nan"),
        ({"grid": []}, "`param_grid` must hold at least one candidate"),
        ({"param_distributions": DEPTHS, "grid": DEPTHS}, "either .* got both of them"),
        ({"cv": KFold(3)}, "must split anew for each repetition.*shuffle=True.*n_repeats=1"),
        ({"cv": LeaveOneOut()}, r"takes `random_state`.*got LeaveOneOut\(\)"),
        ({"cv": GroupKFold(3)}, "shuffle=True"),
        ({"cv": [([0], [1])]}, "must split anew for each repetition"),
        (
            {"param_distributions": DEPTHS, "n_candidates": 0},
            "`n_candidates` must be a whole number of at least 1; got 0",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ArgumentError, match=message):
        search(**options).fit(*IRIS)


def test_no_candidates_at_all():
    with pytest.raises(ArgumentError, match="either `param_grid` or .* got neither of them"):
        JKFoldSearchCV(TREE).fit(*IRIS)


# ---------------------------------------------------------------- smoothing


def test_smoothing_settles_the_choice_with_fewer_fits_and_says_so():
    X, y = load_diabetes(return_X_y=True)
    grid = {"alpha": np.geomspace(1e-3, 1e2, 30).tolist()}
    options = {"n_repeats": 10, "strategy": "race"}
    plain = search(Ridge(), grid, **options).fit(X, y)
    smooth = search(Ridge(), grid, smooth="auto", **options).fit(X, y)
    assert plain.smoothing_ == "not smoothed: not asked for"
    assert smooth.smoothing_.startswith("after repetition 2: ")
    assert smooth.n_fits_ <= plain.n_fits_
    assert smooth.cv_results_["rank_test_score"][smooth.best_index_] == 1


def test_smoothing_needs_numeric_parameters():
    ours = search(TREE, {"criterion": ["gini", "entropy"]}, smooth="auto").fit(*IRIS)
    assert "no numeric parameter" in ours.smoothing_
    with pytest.raises(ArgumentError, match='`smooth` must be False or "auto"; got True'):
        search(smooth=True).fit(*IRIS)


def test_smooth_full_with_one_repetition_is_still_grid_search():
    ours = search(n_repeats=1, strategy="full", smooth="auto").fit(*IRIS)
    assert ours.best_index_ == int(ours.cv_results_["mean_test_score"].argmax())
