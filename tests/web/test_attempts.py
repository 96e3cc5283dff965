"""Attempts as a page."""

from __future__ import annotations

import os

import pytest

import bestofk as bk
from bestofk.datasets.attempts import simulated_attempts
from tests.web.conftest import HOSTILE

testclient = pytest.importorskip("starlette.testclient")


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "attempts.csv"
    found.write_text(simulated_attempts().replace("small,", f'"{HOSTILE}",'))
    return found


@pytest.fixture
def client(path):
    from bestofk.web.attempts import AttemptsShelf
    from bestofk.web.server import make_app

    shelf = AttemptsShelf([str(path)], lambda: bk.read_attempts(path, by="model"))
    return testclient.TestClient(
        make_app(shelf), base_url="http://127.0.0.1", raise_server_exceptions=False
    )


def test_the_page_shows_curves_difference_and_floor(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.text.count("<svg") == 3
    assert "certified ahead" in answer.text
    assert "pass@10 = .976 (95 % band over all k from 1 to 10" in answer.text
    assert "<script" not in answer.text
    assert "&lt;script&gt;" in answer.text


def test_the_address_says_pick_and_confidence(client):
    first = client.get("/attempts.json").json()
    assert [f["name"] for f in first["figures"]] == ["curves", "difference", "floor"]
    assert first["figures"][0]["chart"]["log_x"]
    worst = client.get("/attempts.json?pick=worst&confidence=0.9").json()
    assert "pass^10" in worst["verdict"]
    assert "90 %" in worst["table_caption"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("pick=first", "pick must be one of"),
        ("confidence=95", "confidence must lie strictly between 0 and 1"),
        ("confidence=x", "confidence must lie strictly between 0 and 1"),
        ("name=a", "the address may say confidence and pick"),
    ],
)
def test_what_an_address_may_not_say(client, query, message):
    answer = client.get(f"/attempts.json?{query}")
    assert answer.status_code == 400
    assert message in answer.json()["error"]


def test_a_file_that_changes_is_read_again(client, path):
    before = client.get("/attempts.json").json()["verdict"]
    path.write_text(simulated_attempts(19))
    os.utime(path, ns=(1, 1))
    assert client.get("/attempts.json").json()["verdict"] != before
    path.write_text("task_id\n")
    os.utime(path, ns=(2, 2))
    answer = client.get("/attempts.json")
    assert answer.status_code in (400, 422)
    assert "attempts.csv" in answer.json()["error"]
