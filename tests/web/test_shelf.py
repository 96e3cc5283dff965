"""The shelf: read again when something changes, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

import bestofk as bk
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
    with Path(path).open("a") as file:
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


def test_a_file_that_goes_away_leaves_what_was_read_and_a_word_about_it(tmp_path):
    path = make_file(tmp_path)
    shelf = Shelf([path], {"score": "accuracy"}, clock=Clock())
    (tmp_path / "svm.csv").write_text("accuracy,seconds\nbad,1\n")
    assert shelf.get("svm").search.n == 40
    assert "must be a number" in shelf.problems[0]


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
