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
    page = ask_page([of_search("a", ordered)], View(), "iid")
    check = bk.check_iid(ordered)
    assert check.verdict == "not IID"
    assert page.verdict.startswith("No: ")
    assert all(finding in page.verdict for finding in check.findings)
    few = bk.Search({"accuracy": [0.5, 0.5, 0.5]}, sampling="iid", label="a")
    assert bk.check_iid(few).verdict == "cannot tell"
    told = ask_page([of_search("a", few)], View(), "iid").verdict
    assert told.startswith("It cannot be told: ")


def test_what_is_no_question_is_refused(client):
    answer = client.get("/ask.json?name=cnn&about=life")
    assert answer.status_code == 400
    found = answer.json()["error"]
    assert "`about` must be among more, importance, iid, power; got 'life'." in found
    two = client.get("/ask.json?name=cnn&name=svm&about=iid")
    assert two.json()["error"] == "the address must name one search, name=…; got 2."


def pair_of(client, **words):
    names = [("name", "cnn"), ("name", "svm")]
    return client.get("/ask.json", params=[*names, ("about", "power"), *words.items()])


def test_how_many_trials_tell_two_apart_is_what_the_library_says(client, sources):
    pilots = bk.read(sources[0], name="cnn"), bk.read(sources[1], score="accuracy")
    wanted = bk.power(*pilots, budget=3, confidence=0.8)
    got = pair_of(client, budget=3, confidence=0.8).json()
    assert got["verdict"].startswith(wanted.verdict.removesuffix("."))
    assert got["labels"] == ["cnn", "svm"]
    head, rows = wanted.table()
    assert got["table"] == {"head": head, "rows": rows}
    assert got["chart"]["series"][0]["x"] == wanted.chart().series[0].line.x.tolist()
    other = pair_of(client, budget=2, confidence=0.8).json()
    assert other["verdict"] != got["verdict"]
    text = html.unescape(client.get("/ask?name=cnn&name=svm&about=power&budget=3").text)
    assert "their comparison" in text


def test_without_a_budget_it_is_the_one_that_the_comparison_speaks_of(client):
    duel = client.get("/compare.json?name=cnn&name=svm&fields=budget,verdict").json()
    assert f"At {duel['budget']:g} trials" in duel["verdict"]
    assert (
        pair_of(client).json()["verdict"]
        == pair_of(client, budget=duel["budget"]).json()["verdict"]
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"statistic": "mean"}, "for the mean this takes minutes"),
        ({"axis": "cost"}, "trials are counted at equal numbers of trials"),
        ({"budget": "x"}, "`budget` must be a number"),
    ],
)
def test_what_is_not_counted_says_so_in_a_sentence(client, words, message):
    answer = pair_of(client, **words)
    assert answer.status_code == 400
    assert answer.json()["error"].startswith(message)


def test_three_searches_are_not_told_apart_two_by_two(client):
    three = [("name", n) for n in client.get("/compare.json?fields=labels").json()["labels"]]
    answer = client.get("/ask.json", params=[*three, ("about", "power")])
    assert answer.status_code == 400
    assert "exactly two; got 3. Tick two of them." in answer.json()["error"]


def test_the_page_of_a_comparison_of_two_asks_it(client):
    shut = client.get("/compare?name=cnn&name=svm").text
    assert 'data-about="power"><summary>' in shut
    assert '<section id="asking" aria-labelledby="ask-title">' in shut
    assert "see “Ask more” in the comparison of the two" in shut  # in the verdict
    opened = client.get("/compare?name=cnn&name=svm&open=power&budget=7").text
    assert 'data-about="power" open>' in opened
    assert 'id="budget" min="1" max="10000" step="any" value="7"' in opened
    assert '<section id="asking" aria-labelledby="ask-title" hidden>' in client.get("/compare").text


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
