"""A store is read back as the search that it holds, and resume_search continues it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.runner.store.ledger import Ledger
from tests.runner import objectives
from tests.runner.searches import ECHO, expected, params_of


def test_reading_back_gives_the_same_search(search, tmp_path):
    found = search(objectives.accident_prone, n_trials=3, n_workers=0)
    for where in (f"sqlite:///{tmp_path}/runs.db", str(tmp_path / "runs.db"), tmp_path / "runs.db"):
        read = bk.read(where, name="cnn")
        assert params_of(read) == params_of(found)
        assert read.states == found.states
        assert read.notes == found.notes
        assert read.costs.tolist() == found.costs.tolist()
    assert bk.read(tmp_path / "runs.db", label="mine").label == "mine"


def test_reading_a_store_says_which_searches_there_are(search, tmp_path):
    search(objectives.with_metrics, n_trials=2, n_workers=0, score="accuracy")
    search(objectives.plain, n_trials=2, n_workers=0, name="other")
    store = tmp_path / "runs.db"
    with pytest.raises(bk.DataError, match=r"holds 2 searches \('cnn', 'other'\)"):
        bk.read(store)
    with pytest.raises(bk.DataError, match="'cnn', 'other'; got 'third'"):
        bk.read(store, name="third")
    with pytest.raises(bk.ArgumentError, match="`by` names a column"):
        bk.read_all(store, by="x")
    with pytest.raises(bk.ArgumentError, match="'cnn' was run to maximize 'accuracy'"):
        bk.read(store, name="cnn", direction="minimize")
    with Ledger(f"sqlite:///{store}") as ledger:
        ledger.add("begun", ledger.get("cnn").facts, {}, 2, {})
    for by in ({"by": "name"}, {}):
        assert {k: v.n for k, v in bk.read_all(store, **by).items()} == {"cnn": 2, "other": 2}
    assert bk.read(store, name="cnn", bounds=(0, 1)).bounds == (0, 1)
    assert bk.read(store, name="cnn", score="loss", direction="minimize").metric == "loss"


def test_other_databases_are_not_ours(tmp_path):
    import sqlite3

    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE studies (x)")
    connection.commit()
    connection.close()
    (tmp_path / "text.db").write_text("hello")
    for name, why in {"other.db": "its tables are studies", "text.db": "is none of them",
                      "none.db": "no such file"}.items():  # fmt: skip
        with pytest.raises(bk.DataError, match=why):
            bk.read(tmp_path / name)


def test_a_trial_that_others_overtook_is_running(search, tmp_path):
    search(objectives.plain, n_trials=5, n_workers=0)
    import sqlite3

    with sqlite3.connect(tmp_path / "runs.db") as connection:
        connection.execute("DELETE FROM bestofk_trial WHERE number = 2")
    connection.close()
    read = bk.read(tmp_path / "runs.db")
    assert read.states[2] == "running"
    assert params_of(read) == expected(5)
    with pytest.raises(bk.DataError, match="trial 2 is still running"):
        read.scores()
    assert search(objectives.plain, n_trials=5, n_workers=0).states == ("complete",) * 5


def test_resume_goes_on_from_what_the_store_says(search, tmp_path):
    store = f"sqlite:///{tmp_path}/runs.db"
    search("tests.runner.objectives:plain", n_trials=3, n_workers=0)
    found = bk.resume_search("cnn", store=store, n_trials=6)
    assert params_of(found) == expected(6)
    search(ECHO, n_trials=2, n_workers=2, name="echo", timeout=30, thresholds={5: 0.1})
    assert bk.resume_search("echo", store=store, n_trials=4, n_workers=1).n == 4
    search(lambda p, t: 1, n_trials=1, n_workers=0, name="lambda")
    with pytest.raises(bk.DataError, match="can only be run from the script that defines it"):
        bk.resume_search("lambda", store=store)


def test_resume_goes_on_in_the_folder_where_the_search_ran(search, tmp_path, monkeypatch):
    """Elsewhere a command would not be found, and its trials would be recorded as failed."""
    (tmp_path / "train.sh").write_text("echo '{\"score\": 1}'")
    search(["sh", "train.sh"], n_trials=1)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    found = bk.resume_search("cnn", store="sqlite:///../runs.db", n_trials=3)
    assert found.states == ("complete",) * 3
    assert Path.cwd() == tmp_path / "elsewhere"
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    search(ECHO, n_trials=1, name="gone")
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(tmp_path / "gone")
    with pytest.raises(bk.DataError, match="'gone' ran in .*gone, which is not here"):
        bk.resume_search("gone", store="sqlite:///runs.db", n_trials=2)
