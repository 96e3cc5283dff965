"""Attempts as a page."""

from __future__ import annotations

import html
import os
from dataclasses import fields

import numpy as np
import pytest

import bestofk as bk
from bestofk.datasets.attempts import simulated_attempts
from bestofk.render.report.attempts import AttemptsView, attempts_page
from bestofk.web.pages.attempts import ATTEMPTS, AttemptsPage
from tests.web.conftest import HOSTILE

testclient = pytest.importorskip("starlette.testclient")


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "attempts.csv"
    found.write_text(simulated_attempts().replace("small,", f'"{HOSTILE}",'))
    return found


@pytest.fixture
def client(path):
    from bestofk.web.report_shelf import ReportShelf
    from bestofk.web.server import make_app

    shelf = ReportShelf(
        ATTEMPTS, [str(path)], lambda: bk.read_attempts(path, by="model"), AttemptsView()
    )
    return testclient.TestClient(
        make_app(shelf), base_url="http://127.0.0.1", raise_server_exceptions=False
    )


def test_the_page_shows_curves_difference_and_floor(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert [answer.text.count(f'id="{name}"') for name in ("chart", "difference", "floor")] == [
        1
    ] * 3
    assert "certified ahead" in answer.text
    assert "pass@10 = .976 (95 % band over all k from 1 to 10" in answer.text
    assert answer.text.count("<script") == 1  # ours
    assert "&lt;script&gt;" in answer.text
    assert 'href="/compare"' not in answer.text


def test_the_report_is_behind_it(client):
    answer = client.get("/report.html?pick=worst")
    assert answer.text.count("<svg") == 6  # for a wide window and for a phone
    assert "pass^10" in answer.text
    assert "<script" not in answer.text


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_the_figure(client, kind, start):
    assert client.get(f"/attempts.{kind}").content.startswith(start)


def test_every_field_says_what_it_is():
    assert all(f.metadata["help"] for f in fields(AttemptsPage))


def test_the_address_says_pick_and_confidence(client):
    first = client.get("/attempts.json").json()
    assert set(first) == {f.name for f in fields(AttemptsPage)}
    assert all(first[name]["log_x"] for name in ("chart", "difference", "floor"))
    assert first["view"]["pick"] == "best"
    worst = client.get("/attempts.json?pick=worst&confidence=0.9").json()
    assert "pass^10" in worst["verdict"]
    assert "90 %" in worst["table_caption"]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("pick=first", "pick must be one of"),
        ("confidence=95", "confidence must lie strictly between 0 and 1"),
        ("confidence=x", "confidence must lie strictly between 0 and 1"),
        ("scope=all", "scope must be one of"),
        ("simultaneous=range", "simultaneous must be one of"),
        ("failed=x", "failed must be one of"),
        ("budgets=1.5", "budgets must be whole numbers with commas between them"),
        ("budgets=1,99", "budgets must be at most 10"),
        ("budgets=" + "1," * 65, "budgets must be at most 64 numbers"),
        ("pick=" + "x" * 500, "must be at most 400 characters"),
        ("pick=majority", "pick majority needs the answer of every attempt"),
        ("scope=benchmark&budgets=9", "needs at least 18 attempts"),
        ("fields=nothing", "`fields` must be among"),
        ("colour=red", "the address may say confidence, pick"),
    ],
)
def test_what_an_address_may_not_say(client, query, message):
    answer = client.get(f"/attempts.json?{query}")
    assert answer.status_code in (400, 422)
    assert message in answer.json()["error"]
    if not query.startswith("fields"):
        page = client.get(f"/?{query}")
        assert page.status_code == answer.status_code
        assert answer.json()["error"] in html.unescape(page.text)
        assert 'id="controls"' in page.text  # the way out


def test_a_model_that_is_not_there(client):
    answer = client.get("/attempts.json?name=nobody")
    assert answer.status_code == 404
    assert "there is no model 'nobody'" in answer.json()["error"]


def test_one_of_two_models(client):
    found = client.get("/attempts.json?name=large").json()
    assert found["labels"] == ["large"]
    assert found["difference"] == {}
    assert found["captions"]["difference"] == ""
    assert found["table"]["head"] == ["k", "large"]


def test_about_these_problems_only(client):
    found = client.get("/attempts.json?scope=benchmark").json()
    assert "these 164 problems only" in found["verdict"]
    assert "as a sample" not in found["verdict"]
    assert found["floor"] == found["difference"] == {}
    assert "approximate interval at each k" in found["captions"]["chart"]
    assert not any("independent draws" in text for text in found["assumptions"])
    report = client.get("/report.html?scope=benchmark").text
    assert "of which these are taken as independent draws" not in report


def test_k_chosen_while_looking_are_a_condition(client):
    """The negative control: k that nobody chose on the page, and bands that hold at all k."""
    condition = "If these k were chosen before anybody looked at the scores:"
    for query, said in (
        ("", False),
        ("budgets=2,4", True),
        ("budgets=2,4&simultaneous=whole", False),
        ("budgets=2,4&name=large", False),
    ):
        verdict = client.get(f"/attempts.json?{query}").json()["verdict"]
        assert verdict.startswith(condition) == said, query


def test_models_chosen_while_looking_are_said():
    rng = np.random.default_rng(3)
    models = {name: bk.Attempts.of_array(rng.random((40, 4)) < 0.5) for name in "abc"}
    view = AttemptsView()
    for names, said in (("ab", True), ("abc", False), ("a", False)):
        report = attempts_page({n: models[n] for n in names}, view)
        page = ATTEMPTS.shown(report, tuple(names), view, among=3, chosen=False)
        assert any("2 of 3 models are compared" in note for note in page.notes) == said


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
