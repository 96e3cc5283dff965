"""Optuna, as published today: study objects, storages, journal files, and the known traps."""

from __future__ import annotations

import shutil
import sqlite3
import sys

import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.tools import databases, optuna_studies
from tests.contracts import ToolContract
from tests.sources.said import said

optuna = pytest.importorskip("optuna")
optuna.logging.set_verbosity(optuna.logging.ERROR)


def objective(trial):
    x = trial.suggest_float("x", 0, 1)
    trial.suggest_int("layers", 1, 4)
    trial.suggest_categorical("act", ["relu", "gelu"])
    trial.set_user_attr("test", x / 3)
    if trial.number == 2:
        raise RuntimeError("boom")
    if trial.number == 4:
        trial.report(0.1 + 0.2, 1)
        raise optuna.TrialPruned
    return x / 3


def random_study(storage=None, sampler=None, n=8, name="cnn", direction="maximize", **options):
    study = optuna.create_study(
        storage=storage,
        study_name=name,
        direction=direction,
        sampler=sampler or optuna.samplers.RandomSampler(seed=1),
        **options,
    )
    study.optimize(objective, n_trials=n, catch=RuntimeError)
    return study


def trials_of(study):
    states = {"COMPLETE": "complete", "FAIL": "failed", "PRUNED": "pruned", "RUNNING": "running"}
    return [
        {"state": states[t.state.name], "score": t.value, "params": t.params} for t in study.trials
    ]


class TestStudy(ToolContract):
    source = optuna_studies

    def write(self, tmp_path):
        study = random_study()
        return study, trials_of(study)

    def test_random_sampler_is_iid_with_durations_and_attributes(self, tmp_path):
        search, _ = self.read(tmp_path)
        assert search.sampling == "iid"
        assert search.label == "cnn"
        assert search.metric == "value"
        assert (search.costs >= 0).all()
        assert search.metrics["test"][0] == search.metrics["value"][0]
        assert search.states[2] == "failed"
        with pytest.raises(DataError, match="trial 2 failed"):
            search.scores()

    def test_pruned_trials_carry_a_caveat(self, tmp_path):
        search, _ = self.read(tmp_path)
        assert search.states[4] == "pruned"
        assert search.trials[4].score == 0.1 + 0.2
        said(search, "pruned", "1 of 8 trials were pruned", validity="assumed")


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A storage written once by Optuna, and its trials."""
    path = tmp_path_factory.mktemp("optuna") / "study.db"
    study = random_study(f"sqlite:///{path}")
    return path, trials_of(study)


class TestStorage(ToolContract):
    source = databases

    @pytest.fixture(autouse=True)
    def _made(self, made):
        self.made, self.trials = made

    def write(self, tmp_path):
        tmp_path.mkdir(exist_ok=True)
        shutil.copy(self.made, tmp_path / "study.db")
        return f"sqlite:///{tmp_path}/study.db", self.trials

    def test_a_storage_does_not_say_the_sampler(self, tmp_path):
        search, _ = self.read(tmp_path)
        assert search.sampling == "unknown"
        said(search, "sampler-unknown", "does not say which sampler", validity="assumed")

    def test_the_file_itself_will_do(self, tmp_path):
        self.write(tmp_path)
        assert bk.read(tmp_path / "study.db").n == 8

    @pytest.mark.parametrize("name", ["a b", "a#b", "a?b", "a%20b", "a{b}", "ü&c=d", "a@b:c"])
    def test_files_with_odd_names(self, tmp_path, name):
        self.write(tmp_path)
        (tmp_path / "study.db").rename(tmp_path / name)
        assert bk.read(tmp_path / name).n == 8
        if "?" not in name:
            assert bk.read(f"sqlite:///{tmp_path}/{name}").n == 8
        assert [p.name for p in tmp_path.iterdir()] == [name]

    def test_a_url_may_be_quoted(self, tmp_path):
        self.write(tmp_path)
        (tmp_path / "study.db").rename(tmp_path / "a b.db")
        assert bk.read(f"sqlite:///{tmp_path}/a%20b.db").n == 8

    def test_several_studies_are_read_by_study(self, tmp_path):
        url, _ = self.write(tmp_path)
        random_study(url, name="rnn", n=3, direction="minimize")
        with pytest.raises(
            DataError,
            match=r"holds 2 studies \('cnn', 'rnn'\). Use read_all\(\) .*, or pick one with name=",
        ):
            bk.read(url)
        for options in ({}, {"by": "study"}):
            searches = bk.read_all(url, **options)
            assert {k: s.n for k, s in searches.items()} == {"cnn": 8, "rnn": 3}
            assert searches["rnn"].direction == "minimize"

    def test_one_of_several_studies_is_picked_by_name(self, tmp_path):
        url, _ = self.write(tmp_path)
        random_study(url, name="rnn", n=3, direction="minimize")
        assert bk.read(url, name="rnn").n == 3
        assert bk.read(url, name="rnn", label="mine").label == "mine"
        assert list(bk.read_all(url, name="rnn")) == ["rnn"]
        with pytest.raises(DataError, match="`name` must be one of 'cnn', 'rnn'; got 'gnn'"):
            bk.read(url, name="gnn")
        with pytest.raises(ArgumentError, match="`label` names a single method, .* 2 studies"):
            bk.read_all(url, label="mine")

    def test_a_storage_object_is_read(self, tmp_path):
        url, _ = self.write(tmp_path)
        assert bk.read(optuna.storages.RDBStorage(url)).n == 8

    def test_a_file_that_is_not_there_is_not_made(self, tmp_path):
        with pytest.raises(DataError, match="there is no such file"):
            bk.read(f"sqlite:///{tmp_path}/none.db")
        assert not list(tmp_path.iterdir())

    def test_a_database_in_memory_is_refused(self):
        with pytest.raises(DataError, match="must name a file"):
            bk.read("sqlite:///:memory:")

    def test_a_locked_database_is_refused_clearly(self, tmp_path, monkeypatch):
        url, _ = self.write(tmp_path)
        holder = sqlite3.connect(tmp_path / "study.db", isolation_level=None)
        monkeypatch.setattr(databases, "PATIENCE", 0.1)
        holder.execute("BEGIN EXCLUSIVE")
        try:
            with pytest.raises(DataError, match="database is locked"):
                bk.read(url)
        finally:
            holder.close()

    def test_a_newer_schema_is_refused_clearly(self, tmp_path):
        url, _ = self.write(tmp_path)
        with sqlite3.connect(tmp_path / "study.db") as database:
            database.execute("UPDATE alembic_version SET version_num = 'v99.0.0.a'")
        database.close()
        with pytest.raises(DataError, match=r"no longer compatible .* updating optuna"):
            bk.read(url)

    def test_other_tables_are_refused_by_name(self, tmp_path):
        with sqlite3.connect(tmp_path / "x.db") as database:
            database.execute("CREATE TABLE cats (name)")
        database.close()
        with pytest.raises(DataError, match=r"must hold .* an Optuna storage .*tables are cats"):
            bk.read(f"sqlite:///{tmp_path}/x.db")

    def test_damage_is_refused_clearly(self, tmp_path):
        (tmp_path / "x.db").write_bytes(b"SQLite format 3\x00" + b"\xff" * 5000)
        with pytest.raises(DataError, match="cannot be opened"):
            bk.read(tmp_path / "x.db")

    def test_an_empty_storage_is_refused(self, tmp_path):
        optuna.storages.RDBStorage(f"sqlite:///{tmp_path}/x.db")
        with pytest.raises(DataError, match="at least one study"):
            bk.read(tmp_path / "x.db")
        optuna.create_study(storage=f"sqlite:///{tmp_path}/x.db", study_name="new")
        with pytest.raises(DataError, match="at least one trial"):
            bk.read(tmp_path / "x.db")


class TestJournal(ToolContract):
    source = optuna_studies

    def write(self, tmp_path):
        from optuna.storages import JournalStorage
        from optuna.storages.journal import JournalFileBackend

        tmp_path.mkdir(exist_ok=True)
        path = tmp_path / "journal.log"
        storage = JournalStorage(JournalFileBackend(str(path)))
        if path.exists() and path.stat().st_size:
            return path, trials_of(optuna.load_study(study_name="cnn", storage=storage))
        return path, trials_of(random_study(storage))

    def test_a_journal_that_looks_like_json_lines_is_still_a_journal(self, tmp_path):
        path, _ = self.write(tmp_path)
        renamed = path.rename(tmp_path / "journal.jsonl")
        assert bk.read(renamed).n == 8


def test_trials_waiting_and_running_are_kept():
    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=7))
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=3)
    study.ask()
    study.enqueue_trial({"x": 0.5})
    search = bk.read(study)
    assert search.states == ("complete",) * 3 + ("running",) * 2
    said(
        search,
        "not-ended",
        "2 of 5 trials had not ended (1 of them waiting)",
        "favours fast trials",
    )
    with pytest.raises(DataError, match="is still running"):
        search.scores()


@pytest.mark.filterwarnings("ignore::optuna.exceptions.ExperimentalWarning")
def test_several_objectives_need_a_name_and_have_their_own_direction():
    study = optuna.create_study(
        directions=["maximize", "minimize"], sampler=optuna.samplers.RandomSampler(seed=1)
    )
    study.set_metric_names(["acc", "loss"])
    study.optimize(lambda t: (t.suggest_float("x", 0, 1), 0.5), n_trials=3)
    with pytest.raises(ArgumentError, match="`score` must name the metric .* 'acc', 'loss'"):
        bk.read(study)
    assert bk.read(study, score="loss").direction == "minimize"
    with pytest.raises(ArgumentError, match="must be 'minimize' for 'loss', as the search was run"):
        bk.read(study, score="loss", direction="maximize")


def test_a_cost_can_be_a_user_attribute():
    study = random_study(n=2)
    assert bk.read(study, cost="test").costs.tolist() == bk.read(study).metrics["test"].tolist()


def test_an_attribute_named_as_the_objective_makes_no_score():
    def failing(trial):
        trial.set_user_attr("value", 3.0)
        if trial.number == 1:
            raise RuntimeError
        if trial.number == 2:
            raise optuna.TrialPruned
        return trial.suggest_float("x", 0, 1)

    study = optuna.create_study(sampler=optuna.samplers.RandomSampler(seed=7))
    study.optimize(failing, n_trials=4, catch=RuntimeError)
    search = bk.read(study)
    assert [t.score for t in search.trials] == [t.value for t in study.trials]
    assert search.metrics["user_attrs_value"].tolist() == [3.0] * 4


def test_a_password_is_never_shown():
    secret = "s3cr3t"
    for url in (
        f"postgresql://ann:{secret}@127.0.0.1:9/studies",
        f"mysql+nothing://ann:{secret}@127.0.0.1:9/studies",
        f"ftp://ann:{secret}@127.0.0.1:9/studies",
    ):
        with pytest.raises(DataError) as error:
            bk.read(url)
        assert secret not in str(error.value)
        assert "***" in str(error.value)
        assert error.value.__suppress_context__ or error.value.__context__ is None


def test_a_missing_driver_gives_the_pip_line(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymysql", None)
    with pytest.raises(DataError, match=r"ann:\*\*\*@.* driver .*: pip install pymysql"):
        bk.read("mysql+pymysql://ann:s3cr3t@127.0.0.1:9/studies")


def test_trials_dataframe_and_its_csv_are_the_study(tmp_path):
    study = random_study()
    frame = study.trials_dataframe()
    whole = bk.read(study)
    frame.to_csv(tmp_path / "trials.csv", index=False)
    for x in (frame, tmp_path / "trials.csv"):
        search = bk.read(x)
        assert search.states == whole.states
        assert search.metric == "value"
        assert [t.score for t in search.trials] == [t.score for t in whole.trials]
        assert [t.params for t in search.trials] == [t.params for t in whole.trials]
        assert search.costs == pytest.approx(whole.costs, abs=2e-6)  # a frame keeps microseconds
        said(search, "sampler-unknown", "does not say which sampler", validity="assumed")
