"""What a score's name says: a loss needs a direction, a test score is not to be chosen by."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, on_command_line
from bestofk.scores.names import looks_like_loss, matching_test, validation_of
from tests.sources.said import kinds, said

LOSSES = """loss val_loss valLoss ValLoss eval/loss metrics.test.err test-error RMSE val_mae MSELoss
nll PPL perplexity WER dev_cer bpb latency_ms p99Latency cost total_cost error_rate loss2
valid_logloss logLoss hingeloss neg_log_lik negLogLik negative_log_likelihood FID fid50k mape sMAPE
brier brier_score deviance rmsle val_cross_entropy crossentropy"""
NO_LOSSES = """accuracy closseness lossless terror maestro score f1 auc reward neg_log_loss
mean_test_neg_mean_squared_error costume latencyless errorless perplexed log_likelihood glossy
neg_brier_score neg_mean_poisson_deviance entropy confidence fidelity"""


@pytest.mark.parametrize("name", LOSSES.split())
def test_a_loss_without_a_direction_is_refused_in_one_sentence(name):
    assert looks_like_loss(name)
    for build in (lambda: bk.read({name: [0.5, 0.4]}), lambda: bk.Search({name: [0.5, 0.4]})):
        with pytest.raises(ArgumentError) as error:
            build()
        told = f'{name} looks like a loss. Say direction="minimize" (or "maximize").'
        assert str(error.value) == told
        assert on_command_line(error.value.text) == (
            f"{name} looks like a loss. Say --direction minimize (or maximize)."
        )


@pytest.mark.parametrize("name", NO_LOSSES.split())
def test_other_names_need_no_direction(name):
    assert bk.read({name: [0.5, 0.4]}).direction == "maximize"


@pytest.mark.parametrize("direction", ["minimize", "maximize"])
def test_a_stated_direction_is_taken(direction, tmp_path):
    assert bk.read({"val_loss": [0.5]}, direction=direction).direction == direction
    assert bk.Search({"val_loss": [0.5]}, direction=direction).direction == direction
    path = tmp_path / "x.csv"
    path.write_text("val_loss\n0.5\n0.4\n")
    assert bk.read(path, direction=direction).scores().direction == direction
    assert bk.read([0.5, 0.4], score="val_loss", direction=direction).direction == direction
    with pytest.raises(ArgumentError, match="looks like a loss"):
        bk.read([0.5, 0.4], score="val_loss")


def test_only_the_score_has_to_have_a_direction():
    assert bk.read({"acc": [0.5], "loss": [0.1]}, score="acc").direction == "maximize"


def test_another_metric_that_looks_like_a_loss_is_not_maximized():
    search = bk.Search({"acc": [0.5], "loss": [0.1]}, metric="acc", sampling="iid")
    with pytest.raises(ArgumentError, match="loss looks like a loss"):
        search.scores(metric="loss")
    assert search.scores(metric="loss", direction="minimize").direction == "minimize"
    down = bk.Search({"mse": [0.5], "mae": [0.1]}, metric="mse", direction="minimize")
    said(down.scores(metric="mae"), "direction-assumed", "when it is smaller")


def test_the_direction_that_a_study_states_counts():
    optuna = pytest.importorskip("optuna")
    study = optuna.create_study(direction="minimize", sampler=optuna.samplers.RandomSampler(seed=1))
    with warnings.catch_warnings(action="ignore"):
        study.set_metric_names(["val_loss"])
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), 2)
    assert bk.read(study).direction == "minimize"


def test_the_direction_that_a_store_states_counts_for_its_own_score_only(tmp_path):
    store = tmp_path / "s.db"
    bk.run_search(
        both,
        space=bk.space.Space({"x": bk.space.uniform(0, 1)}),
        n_trials=3,
        seed=1,
        score="loss",
        direction="minimize",
        store=f"sqlite:///{store}",
        name="a",
        n_workers=0,
    )
    assert bk.read(store).direction == "minimize"
    assert bk.read(store, score="acc").direction == "maximize"
    with pytest.raises(ArgumentError, match="err looks like a loss"):
        bk.read(store, score="err")
    assert bk.read(store, score="err", direction="minimize").direction == "minimize"
    with pytest.raises(ArgumentError, match="was run to minimize 'loss'"):
        bk.read(store, direction="maximize")


def both(params, trial):
    x = params["x"]
    return {"loss": x, "acc": 1 - x, "err": x / 2}


def test_scorers_of_scikit_learn_are_better_when_larger():
    columns = {"params": [{"C": 1}, {"C": 2}], "mean_test_loss": [-1.0, -2.0]}
    assert bk.read(columns, score="loss").direction == "maximize"


@pytest.mark.parametrize(("left", "said"), [(1, "and 1 more such trial."), (2, "such trials.")])
def test_one_more_trial_is_one(left, said):
    nan = float("nan")
    search = bk.Search({"acc": [0.5] + [nan] * (1 + left)})
    with pytest.raises(bk.DataError, match="1 failed, and") as error:
        search.scores()
    assert said in str(error.value)


# --- validation and test scores


def optimistic(n=200):
    """The data of finding d7: noisy splits of 400 rows."""
    rng = np.random.default_rng(0)
    quality = rng.normal(0.80, 0.01, n)
    return {"val": quality + rng.normal(0, 0.02, n), "test": quality + rng.normal(0, 0.02, n)}


def test_the_best_validation_score_is_told_with_its_test_score():
    metrics = optimistic()
    search = bk.Search(metrics, metric="val", test="test", sampling="iid", bounds=(0, 1))
    best = int(np.argmax(metrics["val"]))
    (caveat,) = search.scores().caveats
    assert caveat.kind == "validation-best"
    assert str(caveat) == (
        f"the best validation score is {metrics['val'][best]:.4g}; the same trial's test score is "
        f"{metrics['test'][best]:.4g}"
    )
    assert metrics["val"][best] > metrics["test"][best] + 0.02
    assert "validation-best" in kinds(bk.tuning_band(search))


def test_the_gap_is_of_the_best_trial_in_the_direction_of_the_search():
    metrics = {"val_loss": [0.3, 0.1, 0.2], "test_loss": [0.5, 0.6, 0.7]}
    search = bk.Search(metrics, metric="val_loss", direction="minimize")  # known by its name
    said(search.scores(), "validation-best", "is 0.1; the same trial's test score is 0.6")


def test_a_score_is_called_a_validation_score_only_if_it_is_one():
    for metric, what in (("acc", "validation score"), ("train_acc", "`train_acc`")):
        search = bk.Search({metric: [0.5], "held_out": [0.4]}, metric=metric, test="held_out")
        said(search.scores(), "validation-best", f"the best {what} is 0.5")


def test_no_gap_is_told_where_none_is_known():
    nan = float("nan")
    unknown = bk.Search({"val": [0.3, 0.5], "test": [0.2, nan]}, metric="val", test="test")
    assert "validation-best" not in kinds(unknown.scores())
    other = bk.Search({"val_acc": [0.3, 0.5], "test_f1": [0.2, 0.1]}, metric="val_acc")
    assert "validation-best" not in kinds(other.scores())
    failed = bk.Search({"val": [nan, nan, 0.1], "test": [0.2, 0.1, 0.3]}, metric="val", test="test")
    said(
        failed.scores(failed="worst"),
        "validation-best",
        "is 0.1; the same trial's test score is 0.3",
    )


@pytest.mark.parametrize(
    ("test", "validation"),
    [("test_acc", "val_acc"), ("test/acc", "valid/acc"), ("testAcc", "devAcc")],
)
def test_choosing_by_the_test_score_is_told(test, validation):
    search = bk.read({test: [0.5, 0.6], validation: [0.5, 0.6], "other": [1, 2]}, score=test)
    said(search.scores(), "scored-on-test", f"`{test}` is a test score", f'score="{validation}"')
    (told,) = (c for c in search.scores().caveats if c.kind == "scored-on-test")
    assert f"--score {validation} --test {test}" in told.on_command_line()


def test_a_declared_test_score_is_one_whatever_its_name():
    search = bk.Search({"acc": [0.5, 0.6], "held_out": [0.4, 0.5]}, metric="acc", test="held_out")
    said(search.scores(metric="held_out", direction="maximize"), "scored-on-test", "`acc` is there")


@pytest.mark.parametrize("metrics", [["test_acc"], ["mean_test_score", "mean_train_score"]])
def test_a_test_score_alone_is_all_there_is(metrics):
    search = bk.read({name: [0.5, 0.6] for name in metrics}, score=metrics[0])
    assert kinds(search.scores()) == ["sampling-unknown"]


def test_partners_are_found_by_the_rest_of_their_names():
    names = ["test_acc", "test_f1", "val_f1", "val_acc"]
    assert validation_of("test_acc", names) == "val_acc"
    assert matching_test("val_f1", names) == "test_f1"
    assert validation_of("acc", names) is matching_test("acc", names) is None
