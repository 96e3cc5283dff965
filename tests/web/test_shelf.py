"""The shelf: read again when something changes, and only then."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.render import library
from bestofk.runner.store.ledger import Ledger
from bestofk.web.shelf import Shelf, UnknownSearchError
from tests.web.conftest import make_file, make_store


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        self.now += 10.0
        return self.now


def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(tmp_path):
    path = make_file(tmp_path)
    shelf = Shelf([path], {"score": "accuracy"}, clock=Clock())
    before, version = shelf.get("svm"), shelf.version
    assert shelf.get("svm") is before
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("0.5,1\n")
    assert shelf.get("svm").search.n == before.search.n + 1
    assert shelf.version > version


def test_a_store_that_grows_is_read_again(tmp_path):
    url = make_store(tmp_path, names=["a"], n_trials=5)
    shelf = Shelf([url], clock=Clock())
    assert shelf.get("a").search.n == 5
    make_store(tmp_path, names=["a", "b"], n_trials=8)
    assert shelf.get("a").search.n == 8
    assert list(shelf.records()) == ["a", "b"]


def test_a_store_without_anything_new_is_the_same(tmp_path):
    shelf = Shelf([make_store(tmp_path, names=["a"], n_trials=5)], clock=Clock())
    before, version = shelf.get("a"), shelf.version
    os.utime(tmp_path / "runs.db", (1, 1))
    assert shelf.get("a") is before
    assert shelf.version == version


def test_of_a_store_that_grows_only_what_is_new_is_read(tmp_path, monkeypatch):
    """Trial 2 ends last: it and what came after the gap are read, the first two are not."""
    url = make_store(tmp_path, names=["a"], n_trials=5)
    whole = bk.read(url)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as db, db:
        late = db.execute("SELECT * FROM bestofk_trial WHERE number = 2").fetchone()
        db.execute("DELETE FROM bestofk_trial WHERE number = 2")
    shelf = Shelf([url], clock=Clock())
    assert shelf.get("a").search.states == ("complete",) * 2 + ("running",) + ("complete",) * 2
    starts, trials = [], Ledger.trials
    monkeypatch.setattr(
        Ledger, "trials", lambda *a, start: starts.append(start) or trials(*a, start=start)
    )
    with closing(sqlite3.connect(tmp_path / "runs.db")) as db, db:
        db.execute(f"INSERT INTO bestofk_trial VALUES ({','.join('?' * len(late))})", late)
    assert shelf.get("a").search.trials == whole.trials
    assert starts == [2]


def test_who_comes_while_another_reads_does_not_wait(tmp_path, monkeypatch):
    path = make_file(tmp_path)
    shelf = Shelf([path], {"score": "accuracy"}, clock=Clock())
    before, seen = shelf.get("svm"), []

    def slow(*args, **options):
        seen.append(shelf.get("svm"))  # waits for itself if it waits
        return library.records_in(*args, **options)

    monkeypatch.setattr("bestofk.web.shelf.records_in", slow)
    with Path(path).open("a", encoding="utf-8") as file:
        file.write("0.5,1\n")
    assert shelf.get("svm").search.n == before.search.n + 1
    assert seen == [before]


def test_a_file_that_goes_away_leaves_what_was_read_and_a_word_about_it(tmp_path):
    path = make_file(tmp_path)
    shelf = Shelf([path], {"score": "accuracy"}, clock=Clock())
    (tmp_path / "svm.csv").write_text("accuracy,seconds\nbad,1\n")
    assert shelf.get("svm").search.n == 40
    assert "must be a number" in shelf.problems[0]
    make_file(tmp_path)
    version = shelf.version
    assert shelf.get("svm").search.n == 40
    assert shelf.problems == []
    assert shelf.version > version


def test_a_problem_is_told_in_the_words_of_the_page(tmp_path):
    shelf = Shelf([make_file(tmp_path)], {"score": "accuracy"}, clock=Clock())
    (tmp_path / "svm.csv").write_text("other,seconds\n0.5,1\n")
    shelf.refresh()
    (problem,) = shelf.problems
    assert "svm.csv: score must name a column; there is no 'accuracy'" in problem


def test_methods_in_one_table_and_studies_in_one_storage_are_searches(tmp_path):
    (tmp_path / "two.csv").write_text("m,acc\na,1\na,2\nb,1\nb,3\n")
    shelf = Shelf([str(tmp_path / "two.csv")], {"score": "acc", "by": "m"})
    assert {name: r.search.n for name, r in shelf.records().items()} == {"a": 2, "b": 2}
    pytest.importorskip("optuna")
    for name in ("cnn", "rnn"):
        search = bk.Search({"acc": [0.5, 0.25]}, label=name, sampling="iid")
        bk.export(search, f"sqlite:///{tmp_path}/study.db")
    assert list(Shelf([str(tmp_path / "study.db")]).records()) == ["cnn", "rnn"]


def test_what_was_not_given_is_not_there(tmp_path):
    shelf = Shelf([make_file(tmp_path)], {"score": "accuracy"})
    for name in ("svm.csv", "../svm", str(tmp_path), ""):
        with pytest.raises(UnknownSearchError):
            shelf.get(name)


def test_what_cannot_be_read_is_told_at_once(tmp_path):
    with pytest.raises(bk.DataError, match="no such file"):
        Shelf([str(tmp_path / "none.csv")])


def test_searches_of_one_name_are_told_apart(tmp_path):
    (tmp_path / "other").mkdir()
    shelf = Shelf([make_file(tmp_path), make_file(tmp_path / "other")], {"score": "accuracy"})
    assert len(shelf.records()) == 2
