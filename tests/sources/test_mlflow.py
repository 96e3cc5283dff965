"""MLflow: tracking folders, databases and frames, as recorded; the slow tests run MLflow itself."""

from __future__ import annotations

import shutil
import sqlite3

import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.files import frames
from bestofk.sources.tools import databases, mlflow_runs
from tests.contracts import SourceContract, ToolContract
from tests.sources import recorded
from tests.sources.said import said

TRIALS = [
    *(
        {
            "state": "complete",
            "score": (i + 1) / 3,
            "params": {"lr": 0.1 * (i + 1), "act": "relu" if i % 2 else "gelu", "i": i},
        }
        for i in range(4)
    ),
    {"state": "failed", "score": None, "params": {"lr": 0.5}},
    {"state": "failed", "score": 0.25, "params": {}},
    {"state": "running", "score": None, "params": {"lr": 0.7}},
]


@pytest.fixture(scope="session")
def recording(tmp_path_factory):
    folder = tmp_path_factory.mktemp("mlflow")
    recorded.unpack("mlflow", folder)
    return folder


@pytest.fixture(scope="session")
def real(tmp_path_factory):
    pytest.importorskip("mlflow")
    return recorded.made_once("mlflow", tmp_path_factory.getbasetemp())


class MlflowContract(ToolContract):
    options = {"score": "acc"}  # noqa: RUF012

    @pytest.fixture(autouse=True)
    def _made(self, recording):
        self.made = recording

    def test_states_notes_and_caveats(self, tmp_path):
        search, _ = self.read(tmp_path)
        assert search.label == "cnn"
        assert search.sampling == "unknown"
        said(search, "killed", "1 of 7 runs were killed")
        said(search, "not-ended", "1 of 7 trials had not ended")
        assert search.metrics["val/loss"][0] == 0.5
        assert (search.costs[:4] >= 0).all()
        with pytest.raises(DataError, match="run .* was failed, and 2 more"):
            search.scores()


class TestFolder(MlflowContract):
    source = mlflow_runs

    def write(self, tmp_path):
        shutil.copytree(self.made / "files" / "mlruns", tmp_path / "mlruns", dirs_exist_ok=True)
        return tmp_path / "mlruns", TRIALS

    def test_an_experiments_own_folder_will_do(self, tmp_path):
        folder, _ = self.write(tmp_path)
        (inside,) = (f for f in folder.iterdir() if f.name.isdigit() and f.name != "0")
        assert bk.read(inside, score="acc").n == 7

    def test_several_experiments_are_read_by_experiment(self, tmp_path):
        folder, _ = self.write(tmp_path)
        (inside,) = (f for f in folder.iterdir() if f.name.isdigit() and f.name != "0")
        last = folder / ("9" * 20)  # sorts after whatever number MLflow drew
        shutil.copytree(inside, last)
        meta = last / "meta.yaml"
        meta.write_text(meta.read_text().replace("name: cnn", "name: rnn"))
        with pytest.raises(
            DataError, match=r"holds 2 experiments \('.*', 'rnn'\). Use read_all\(\) .* with name="
        ):
            bk.read(folder, score="acc")
        for options in ({}, {"by": "experiment"}):
            searches = bk.read_all(folder, score="acc", **options)
            assert {k: s.n for k, s in searches.items()} == {"cnn": 7, "rnn": 7}
        assert bk.read(folder, score="acc", name="rnn").label == "rnn"
        with pytest.raises(DataError, match="`name` must be one of 'cnn', 'rnn'; got 'gnn'"):
            bk.read(folder, score="acc", name="gnn")

    def test_a_damaged_file_is_refused_by_name(self, tmp_path):
        folder, _ = self.write(tmp_path)
        metric = next(folder.rglob("metrics/acc"))
        metric.write_text("1 2 3 4 five\n0.5\n")
        with pytest.raises(DataError, match="time, value, step; got"):
            bk.read(folder, score="acc")


class TestDatabase(MlflowContract):
    source = databases

    def write(self, tmp_path):
        tmp_path.mkdir(exist_ok=True)
        shutil.copy(self.made / "db" / "ml.db", tmp_path / "ml.db")
        return tmp_path / "ml.db", TRIALS

    def test_the_url_will_do(self, tmp_path):
        path, _ = self.write(tmp_path)
        assert bk.read(f"sqlite:///{path}", score="acc").n == 7

    def test_deleted_and_parent_runs_are_told(self, tmp_path):
        path, _ = self.write(tmp_path)
        with sqlite3.connect(path) as database:
            (first,), (second,) = database.execute(
                "SELECT run_uuid FROM runs ORDER BY start_time LIMIT 2"
            ).fetchall()
            database.execute("UPDATE runs SET lifecycle_stage='deleted' WHERE run_uuid=?", (first,))
            database.execute(
                "INSERT INTO tags (key, value, run_uuid) "
                "SELECT 'mlflow.parentRunId', ?, run_uuid FROM runs WHERE status='KILLED'",
                (second,),
            )
        database.close()
        search = bk.read(path, score="acc")
        assert search.n == 5
        said(search, "left-out", "1 deleted runs are left out")
        said(search, "parent-runs", "1 parent runs")

    def test_other_columns_are_refused_clearly(self, tmp_path):
        path, _ = self.write(tmp_path)
        with sqlite3.connect(path) as database:
            database.execute("ALTER TABLE latest_metrics RENAME COLUMN is_nan TO nan")
        database.close()
        with pytest.raises(DataError, match="cannot be read as an MLflow database.*is_nan"):
            bk.read(path, score="acc")


class TestFrame(SourceContract):
    """A frame of `mlflow.search_runs` is a table; one with MLflow's columns is put in order."""

    source = frames

    def write(self, columns, tmp_path):
        import pandas as pd

        n = len(next(iter(columns.values())))
        own = {"run_id": list("abc")[:n], "experiment_id": ["1"] * n, "status": ["FINISHED"] * n}
        return pd.DataFrame(
            {**{f"metrics.{k}" if k != "model" else k: v for k, v in columns.items()}, **own}
        )

    test_no_trial_is_lost_and_scores_keep_their_last_digit = None
    test_a_column_that_is_not_there_is_refused_with_the_list = None


@pytest.mark.slow
class TestRealFolder(TestFolder):
    @pytest.fixture(autouse=True)
    def _made(self, real):
        self.made = real


@pytest.mark.slow
class TestRealDatabase(TestDatabase):
    @pytest.fixture(autouse=True)
    def _made(self, real):
        self.made = real


@pytest.mark.parametrize("kind", ["files", "db"])
def test_a_frame_of_runs_is_the_experiment(recording, kind):
    is_the_experiment(recording / kind)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["files", "db"])
def test_a_real_frame_of_runs_is_the_experiment(real, kind):
    is_the_experiment(real / kind)


def is_the_experiment(folder):
    frame = pytest.importorskip("pandas").read_parquet(folder / "frame.parquet")
    search = bk.read(frame, score="acc")
    assert [t.state for t in search.trials] == [t["state"] for t in TRIALS]
    assert [t.score for t in search.trials] == [t["score"] for t in TRIALS]
    assert [t.params["lr"] for t in search.trials] == [t["params"].get("lr") for t in TRIALS]
    said(search, "killed", "1 of 7 runs were killed")
    frame.to_csv(folder / "runs.csv", index=False)
    for other in (folder / "runs.csv", folder / "frame.parquet"):
        back = bk.read(other, score="acc")
        assert back.states == search.states
        assert [t.score for t in back.trials] == [t.score for t in search.trials]
        assert [t.params for t in back.trials] == [t.params for t in search.trials]


def test_a_full_grid_shows():
    columns = {
        "run_id": list("abcd"), "experiment_id": ["0"] * 4, "status": ["FINISHED"] * 4,
        "metrics.acc": [0.1, 0.2, 0.3, 0.4], "params.a": list("xxyy"), "params.b": list("1212"),
    }  # fmt: skip
    search = bk.read(columns, score="acc")
    assert search.sampling == "without-replacement"
    said(search, "grid", "grid", validity="void")
    assert not bk.check_iid(search).passed
    stated = bk.read(columns, score="acc", sampling="iid")
    assert stated.sampling == "iid"
    said(stated, "grid", validity="void")
    said(stated, "sampling-stated-otherwise", "say without-replacement", validity="void")
    with pytest.raises(ArgumentError, match="more than one|no column"):
        bk.read({**columns, "metrics.f1": [1.0] * 4})


def test_a_frame_of_several_experiments_is_told():
    columns = {
        "run_id": list("abc"), "experiment_id": ["0", "1", "1"], "status": ["FINISHED"] * 3,
        "metrics.acc": [0.1, 0.2, 0.3],
    }  # fmt: skip
    search = bk.read(columns, score="acc")
    assert search.n == 3
    said(search, "mixed-experiments", "the runs are of 2 experiments", validity="void")
    parts = bk.read_all(columns, score="acc", by="experiment_id")
    assert {name: (s.n, s.caveats) for name, s in parts.items()} == {"0": (1, ()), "1": (2, ())}
