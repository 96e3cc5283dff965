"""How the trials of an Optuna study were drawn: what the sampler, the trials and the user say."""

from __future__ import annotations

import warnings

import pytest

import bestofk as bk
from bestofk._base.caveat import weakest
from tests.sources.said import kinds, said
from tests.sources.test_optuna import objective, random_study

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def sampled(sampler, n=14):
    def plain(trial):
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("y", 0, 1)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = optuna.create_study(sampler=sampler)
        study.optimize(plain, n_trials=n)
    return study


SAMPLERS = {
    "TPESampler": (lambda: optuna.samplers.TPESampler(seed=1), "adaptive", "sampler-default"),
    "NSGAIISampler": (lambda: optuna.samplers.NSGAIISampler(seed=1), "adaptive", "sampler-traces"),
    "GridSampler": (
        lambda: optuna.samplers.GridSampler({"x": [0, 0.5], "y": [0.1, 0.9]}, seed=1),
        "without-replacement",
        "sampler-traces",
    ),
    "CmaEsSampler": (
        lambda: pytest.importorskip("cmaes") and optuna.samplers.CmaEsSampler(seed=1),
        "adaptive",
        "sampler-traces",
    ),
    "QMCSampler": (
        lambda: optuna.samplers.QMCSampler(seed=1),
        "without-replacement",
        "sampler-declared",
    ),
}


@pytest.mark.parametrize("name", SAMPLERS)
def test_samplers_that_are_not_random_are_told(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = sampled(SAMPLERS[name][0](), 4)
    search = bk.read(study)
    assert search.sampling == SAMPLERS[name][1]
    assert search.direction == "minimize"
    said(search, SAMPLERS[name][2], name, validity="void")
    assert search.scores().caveats[-1].validity == "void"
    assert not bk.check_iid(search).passed


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_samplers_leave_traces_in_a_storage(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    made = {name: SAMPLERS[name][0] for name in ("GridSampler", "NSGAIISampler", "CmaEsSampler")}
    made["TPESampler"] = lambda: optuna.samplers.TPESampler(seed=1, n_startup_trials=2)
    for name, sampler in made.items():
        study = optuna.create_study(storage=url, study_name=name, sampler=sampler())
        study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_float("y", 0, 1), 4)
    searches = bk.read_all(url)
    for name, search in searches.items():
        assert search.sampling == SAMPLERS[name][1]
        said(search, "sampler-traces", f"traces of Optuna's {name}", validity="void")


def test_the_trace_of_a_sampler_that_needs_torch():
    key, sampler = "gp:relative_params:0", "GPSampler"
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    for i in range(3):
        study.add_trial(
            optuna.create_trial(
                params={"x": i / 3},
                distributions={"x": optuna.distributions.FloatDistribution(0, 1)},
                value=i / 3,
                system_attrs={key: 0},
            )
        )
    search = bk.read(study)
    assert search.sampling == "adaptive"
    said(search, "sampler-traces", sampler, validity="void")


def test_a_study_loaded_without_a_sampler_says_that_tpe_is_a_default(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    random_study(url)
    search = bk.read(optuna.load_study(study_name="cnn", storage=url))
    assert search.sampling == "adaptive"
    said(
        search,
        "sampler-default",
        "what load_study puts in when no sampler is given",
        'state it with sampling="iid"',
        validity="void",
    )


def claim(search):
    return weakest(c.validity for c in search.scores(failed="drop").caveats)


def test_a_statement_settles_a_default_sampler_but_not_its_traces(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    random_study(url)
    stated = bk.read(optuna.load_study(study_name="cnn", storage=url), sampling="iid")
    said(stated, "sampler-default", "what load_study puts in", validity="holds")
    said(stated, "sampling-stated-otherwise", "taken to be iid, as stated", validity="holds")
    assert claim(stated) == "assumed"  # some were pruned
    proven = sampled(optuna.samplers.TPESampler(seed=1, n_startup_trials=2), 4)
    stated = bk.read(proven, sampling="iid")
    said(stated, "sampler-traces", "TPESampler", validity="void")
    said(stated, "sampling-stated-otherwise", "the records say adaptive", validity="void")
    assert claim(stated) == "void"
    known_better = stated.scores(failed="drop").values
    assert bk.tuning_band(known_better).validity == "assumed"
    said(stated, "sampling-stated-otherwise", "say adaptive", validity="void")


def test_an_unknown_sampler_is_unknown():
    class MySampler(optuna.samplers.RandomSampler):
        pass

    search = bk.read(random_study(sampler=MySampler(seed=1)))
    assert search.sampling == "unknown"
    said(search, "sampler-unknown", "MySampler", validity="assumed")


def test_two_workers_with_the_same_seed_are_found(tmp_path):
    url = f"sqlite:///{tmp_path}/x.db"
    for _ in range(2):
        study = optuna.create_study(
            storage=url, study_name="s", load_if_exists=True,
            sampler=optuna.samplers.RandomSampler(seed=7),
        )  # fmt: skip
        study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=10)
    search = bk.read(study)
    assert search.n == 20
    assert search.sampling == "unknown"
    for proven in (search, bk.read(study, sampling="iid"), bk.read(url, sampling="iid")):
        said(
            proven,
            "repeated-settings",
            "10 of 20 trials have exactly the settings of an earlier",
            validity="void",
        )
        assert claim(proven) == "void"


def test_repeats_from_a_small_space_are_not_taken_for_copies():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=7))
    study.optimize(lambda t: t.suggest_int("layers", 1, 2), n_trials=10)
    assert bk.read(study).sampling == "iid"
    assert bk.read(study).caveats == ()


def test_enqueued_trials_are_told():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=7))
    study.enqueue_trial({"x": 0.5})
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=5)
    search = bk.read(study)
    assert search.n == 5
    assert search.sampling == "unknown"
    said(search, "enqueued", "1 of 5 trials were enqueued", validity="void")


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_retried_copies_are_told():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=7))
    study.optimize(objective, n_trials=3, catch=RuntimeError)
    optuna.storages.RetryHeartbeatStaleTrialCallback()(study, study.trials[2])
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=2)
    search = bk.read(study)
    assert search.n == 5
    assert search.trials[3].params["x"] == search.trials[2].params["x"]
    said(search, "retried", "1 of 5 trials run the settings of a failed one again", validity="void")
    assert "repeated-settings" not in kinds(search)


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
@pytest.mark.parametrize("name", ["TPESampler", "NSGAIISampler", "GridSampler", "CmaEsSampler"])
def test_samplers_leave_traces_in_the_table_of_trials(name, tmp_path):
    """They were dropped, and --sampling iid gave a certified band."""
    make = SAMPLERS[name][0]
    if name == "TPESampler":
        make = lambda: optuna.samplers.TPESampler(seed=1, n_startup_trials=2)
    study = sampled(make(), 6)
    path = tmp_path / "trials.csv"
    study.trials_dataframe().to_csv(path)
    for x in (study.trials_dataframe(), path):
        search = bk.read(x, direction="minimize")
        assert search.sampling == SAMPLERS[name][1]
        said(search, "sampler-traces", name, validity="void")
        stated = bk.read(x, direction="minimize", sampling="iid")
        said(stated, "sampler-traces", name, validity="void")
        assert bk.tuning_band(stated).is_void


def test_a_table_of_random_trials_has_no_traces_of_a_sampler():
    """Control: the column of an attribute without a value is no trace."""
    frame = sampled(optuna.samplers.RandomSampler(seed=1), 6).trials_dataframe()
    frame["system_attrs_tpe:relative_params:0"] = None
    assert kinds(bk.read(frame, direction="minimize")) == ["sampler-unknown"]
    assert not bk.tuning_band(bk.read(frame, direction="minimize", sampling="iid")).is_void


def test_enqueued_trials_are_told_from_the_table_as_well(tmp_path):
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=1))
    study.enqueue_trial({"x": 0.5})
    study.optimize(lambda trial: trial.suggest_float("x", 0, 1), 4)
    study.trials_dataframe().to_csv(tmp_path / "x.csv")
    search = bk.read(tmp_path / "x.csv", direction="minimize", sampling="iid")
    said(search, "enqueued", "1 of 4 trials were enqueued", validity="void")
