"""Questions about one search: the answers are the library's."""

from __future__ import annotations

import html

import numpy as np
import pytest

import bestofk as bk
from bestofk.render.record import of_search
from bestofk.render.view import View
from bestofk.web.pages.ask import QUESTIONS, ask_page


@pytest.mark.parametrize("about", QUESTIONS)
def test_answers_are_those_of_the_library(client, sources, about):
    search = bk.read(sources[0], name="cnn")
    wanted = {
        "more": lambda: bk.more_trials(search, search.n),
        "importance": lambda: bk.importance(search, confidence=0.8),
        "iid": lambda: bk.check_iid(search),
    }[about]()
    got = client.get(f"/ask.json?name=cnn&about={about}&confidence=0.8").json()
    head, rows = wanted.table()
    assert got["table"] == {"head": head, "rows": rows}
    assert got["question"] == QUESTIONS[about]
    assert got["verdict"]
    if about == "iid":
        assert (wanted.verdict, wanted.passed) == ("consistent with IID", True)
        assert got["verdict"].startswith("Nothing was flagged (of independent draws at most 2 %")
    else:
        assert got["verdict"] == wanted.verdict
    text = html.unescape(client.get(f"/ask?name=cnn&about={about}&confidence=0.8").text)
    assert got["verdict"] in text


def test_the_page_of_a_search_asks_them_all(client):
    text = html.unescape(client.get("/search?name=cnn").text)
    for about, question in QUESTIONS.items():
        assert f'data-about="{about}"' in text
        assert question in text


def test_a_check_that_finds_something_says_what():
    ordered = bk.Search({"accuracy": np.linspace(0, 1, 60)}, sampling="iid", label="a")
    page = ask_page(of_search("a", ordered), View(), "iid")
    check = bk.check_iid(ordered)
    assert check.verdict == "not IID"
    assert page.verdict.startswith("No: ")
    assert all(finding in page.verdict for finding in check.findings)
    few = bk.Search({"accuracy": [0.5, 0.5, 0.5]}, sampling="iid", label="a")
    assert bk.check_iid(few).verdict == "cannot tell"
    told = ask_page(of_search("a", few), View(), "iid").verdict
    assert told.startswith("It cannot be told: ")


def test_what_is_no_question_is_refused(client):
    answer = client.get("/ask.json?name=cnn&about=life")
    assert answer.status_code == 400
    assert "`about` must be among more, importance, iid; got 'life'." in answer.json()["error"]


def test_a_void_search_is_answered_without_a_claim(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    from bestofk.web.server import make_app
    from bestofk.web.shelf import Shelf
    from tests.render.test_validity import claims

    (tmp_path / "f.csv").write_text(
        "score,lr\n" + "".join(f"0.{i * 37 % 97:02d},{i % 7}\n" for i in range(1, 41))
    )
    answers = []
    for sampling in ("adaptive", "iid"):
        shelf = Shelf(
            [str(tmp_path / "f.csv")], {"score": "score", "params": ["lr"], "sampling": sampling}
        )
        client = testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")
        answers.append(
            [client.get(f"/ask.json?name=f&about={about}").json() for about in QUESTIONS]
        )
    for about, void, sound in zip(QUESTIONS, *answers, strict=True):
        if about != "iid":
            assert void["validity"] == "void"
            assert claims(void["verdict"]) == []
            assert "No confidence statement is possible" in void["verdict"]
            assert sound["validity"] == "holds"
            assert not sound["verdict"].startswith("No confidence")
    assert claims(answers[1][0]["verdict"]) != []
