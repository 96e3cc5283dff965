"""A store remembers that a page has shown the results of a search, and a longer search says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from urllib.parse import quote

import pytest

import bestofk as bk
from bestofk.errors import DataError
from bestofk.render.library import records_in
from bestofk.runner.store.sqlite_file import unwritable
from bestofk.web import shelf as shelf_module
from bestofk.web.server import make_app
from bestofk.web.shelf import NOTE_EVERY, Shelf
from tests.web.conftest import make_store

testclient = pytest.importorskip("starlette.testclient")


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def store(tmp_path):
    """Two searches that nobody has looked at, as after a run in the background."""
    make_store(tmp_path, names=["a", "b"], n_trials=12)
    with closing(sqlite3.connect(tmp_path / "runs.db")) as db, db:
        db.execute("DELETE FROM bestofk_look")
    return tmp_path / "runs.db"


def looks(path):
    with closing(sqlite3.connect(path)) as db:
        return sorted(
            db.execute(
                "SELECT name, l.n_trials FROM bestofk_look l JOIN bestofk_search s "
                "ON l.search_id = s.id"
            )
        )


def client_of(path, clock=None):
    shelf = Shelf([str(path)], clock=clock) if clock else Shelf([str(path)])
    return testclient.TestClient(
        make_app(shelf), base_url="http://127.0.0.1", raise_server_exceptions=False
    )


@pytest.mark.parametrize("address", ["/plan?budget=5", "/live?name=a", "/live.json?name=a"])
def test_pages_that_hold_at_every_moment_are_no_look(store, address):
    assert client_of(store).get(address).status_code == 200
    assert looks(store) == []


@pytest.mark.parametrize("address", ["/", "/index.json"])
def test_the_list_is_a_look_at_the_results_it_shows(store, address, monkeypatch):
    """Of a running search it shows what holds at every moment, which is none."""
    assert client_of(store).get(address).status_code == 200
    assert looks(store) == [("a", 12), ("b", 12)]
    with closing(sqlite3.connect(store)) as db, db:
        db.execute("DELETE FROM bestofk_look")
    monkeypatch.setattr("bestofk.render.record.is_running", lambda *_, **__: True)
    running = client_of(store)
    assert running.get("/index.json").json()["verdict"] == ""
    assert running.get(address).status_code == 200
    assert looks(store) == []


@pytest.mark.parametrize("address", ["/search?name=nobody", "/search?name=a&confidence=7"])
def test_what_is_refused_is_no_look(store, address):
    assert client_of(store).get(address).status_code in (400, 404)
    assert looks(store) == []


@pytest.mark.parametrize("end", ["", ".json", ".csv", ".tex", ".svg"])
def test_the_results_of_a_search_are_a_look(store, end):
    assert client_of(store).get(f"/search{end}?name=a").status_code == 200
    assert looks(store) == [("a", 12)]


def test_a_comparison_is_a_look_at_all_that_it_compares(store):
    assert client_of(store).get("/compare").status_code == 200
    assert looks(store) == [("a", 12), ("b", 12)]


def test_a_look_is_noted_once_and_again_after_a_longer_plan(store, monkeypatch):
    noted, before = [], shelf_module.record_look
    monkeypatch.setattr(
        shelf_module, "record_look", lambda *given: noted.append(given) or before(*given)
    )
    clock = Clock()
    client = client_of(store, clock)
    for _ in range(3):
        client.get("/search?name=a")
        client.get("/search.json?name=a&fields=verdict")
        clock.now += 10 * NOTE_EVERY
    assert len(noted) == 1
    assert "extended" not in client.get("/search?name=a").text
    make_store(store.parent, names=["a"], n_trials=20)
    clock.now += 10
    shown = client.get("/search?name=a").text
    assert "extended from 12 to 20 trials after its results had been read" in shown
    assert len(noted) == 2
    assert looks(store) == [("a", 12), ("a", 20)]


def test_a_search_that_nobody_saw_before_it_was_extended_says_nothing(store):
    """The negative control: without a page there is no caveat."""
    client_of(store).get("/live?name=a")
    make_store(store.parent, names=["a"], n_trials=20)
    assert not bk.read(str(store), name="a").caveats


def test_searches_of_one_name_in_two_stores_are_told_apart(store, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    make_store(other, names=["a"], n_trials=12)
    with closing(sqlite3.connect(other / "runs.db")) as db, db:
        db.execute("DELETE FROM bestofk_look")
    shelf = Shelf([str(store), str(other / "runs.db")])
    client = testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")
    label = list(shelf.records())[-1]
    assert client.get(f"/search?name={quote(label)}").status_code == 200
    assert (looks(store), looks(other / "runs.db")) == ([], [("a", 12)])


def test_a_store_that_cannot_be_written_is_shown_all_the_same(store, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_, **__: False)
    assert "immutable" in unwritable(store)
    answer = client_of(store).get("/search?name=a")
    assert answer.status_code == 200
    assert looks(store) == []


def test_a_store_that_another_is_writing_is_shown_and_the_look_is_noted_later(store):
    clock = Clock()
    client = client_of(store, clock)
    with closing(sqlite3.connect(store)) as busy:
        busy.execute("BEGIN IMMEDIATE")
        assert client.get("/search?name=a").status_code == 200
        busy.rollback()
    assert looks(store) == []
    client.get("/search?name=a")
    assert looks(store) == []  # it is not tried at every request
    clock.now += NOTE_EVERY
    client.get("/search?name=a")
    assert looks(store) == [("a", 12)]


def test_a_store_that_is_gone_is_no_obstacle(store, monkeypatch):
    def gone(*_):
        raise DataError("there is no such store.")

    monkeypatch.setattr(shelf_module, "record_look", gone)
    assert client_of(store).get("/search?name=a").status_code == 200


def test_a_report_is_a_look(store):
    records_in(str(store))
    assert looks(store) == [("a", 12), ("b", 12)]
