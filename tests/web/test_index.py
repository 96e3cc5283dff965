"""The first page: a card a search, running ones first, and what they say together."""

from __future__ import annotations

import html
import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import on_page
from bestofk.render.record import Record, of_search
from bestofk.render.view import View
from bestofk.web.pages.index import index_page
from bestofk.web.pages.live import monitor_of
from bestofk.web.server import make_app
from bestofk.web.shelf import Shelf
from tests.web.conftest import HOSTILE


def record(label="a", shift=0.0, n=40, **options):
    rng = np.random.default_rng(round(10 * shift))
    settings = {"sampling": "iid", "bounds": (0, 1), **options}
    search = bk.Search({"accuracy": rng.beta(2 + shift, 2, n)}, label=label, **settings)
    return of_search(label, search)


def running(found, planned=60):
    return Record(label=found.label, search=found.search, planned=planned, running=True)


def cards(text):
    return re.findall(r'<li class="card.*?</li>', text, flags=re.DOTALL)


def test_the_verdict_on_top_is_that_of_the_comparison(client, sources):
    got = client.get("/index.json").json()
    assert got["compared"] == ["cnn", HOSTILE, "svm"]
    assert got["verdict"] == client.get("/compare.json").json()["verdict"]
    text = html.unescape(client.get("/").text)
    assert text.index(got["verdict"]) < text.index('<ul class="cards"')


def test_every_search_has_a_card_with_its_curve(client):
    text = client.get("/").text
    found = cards(text)
    assert len(found) == 3
    assert all(card.count("<svg") == 1 and 'data-part="area"' in card for card in found)
    for card in found:
        ET.fromstring(re.search(r"<svg.*</svg>", card)[0])
    assert "30 of 30 trials; ended" in found[0]
    assert HOSTILE in html.unescape(found[1])


def test_running_searches_come_first_and_are_not_compared():
    a, b, c = record("a"), record("b", 6.0), running(record("c", 3.0))
    page = index_page([a, b, c])
    assert [s.label for s in page.searches] == ["c", "a", "b"]
    assert page.compared == ("a", "b")
    duel = bk.compare({"a": a.search, "b": b.search})
    assert page.verdict == on_page(duel.marked_verdict)
    assert index_page([a, c]).verdict == ""


def test_a_running_search_shows_the_band_that_holds_at_every_moment():
    live, ended = running(record("a")), record("a")
    status = monitor_of(live, View())
    assert status.band().looks
    (with_looks,), (fixed,) = index_page([live]).searches, index_page([ended]).searches
    assert with_looks.svg != fixed.svg
    early = index_page([running(record("a", n=5))]).searches[0]
    assert (early.svg, early.problem) == ("", "")


def test_what_has_no_curve_says_why_and_the_others_are_shown(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    (tmp_path / "f.csv").write_text('score\n0.5\n""\n0.7\n')
    (tmp_path / "g.csv").write_text("score\n0.5\n0.6\n0.7\n")
    shelf = Shelf([str(tmp_path / "f.csv"), str(tmp_path / "g.csv")])
    client = testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")
    first, second = client.get("/index.json").json()["searches"]
    assert first["svg"] == ""
    assert "Choose “Failed: count as worst” to count it" in first["problem"]
    assert second["svg"]
    assert "1 failed" in cards(client.get("/").text)[0]
    none = index_page([Record(label="x", search=None, planned=9, running=True)]).searches[0]
    assert none.problem == "No trial has ended yet."


def test_the_list_offers_what_failed_trials_may_count_as(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    (tmp_path / "f.csv").write_text('score\n0.5\n""\n0.7\n')
    (tmp_path / "g.csv").write_text("score\n0.5\n0.6\n0.7\n")
    options = {"bounds": (0, 1)}
    shelf = Shelf([str(tmp_path / "f.csv"), str(tmp_path / "g.csv")], options)
    client = testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")
    assert "Some trials failed" in client.get("/").text
    counted = client.get("/?failed=worst").text
    assert "Some trials failed" not in counted
    assert 'href="/search?name=f&amp;failed=worst"' in counted
    assert [s["problem"] for s in client.get("/index.json?failed=worst").json()["searches"]] == [
        "",
        "",
    ]
    alone = Shelf([str(tmp_path / "g.csv")], options)
    client = testclient.TestClient(make_app(alone), base_url="http://127.0.0.1")
    assert "Some trials failed" not in client.get("/").text


def test_pictures_of_the_same_values_share_a_vertical_axis():
    """Else a poor search would look like a good one."""
    heights = []
    for entry in index_page([record("a"), record("b", 6.0)]).searches:
        lines = re.findall(r'data-part="line" d="M[\d.]+ ([\d.]+)', entry.svg)
        heights.append(float(lines[0]))
    assert heights[1] < heights[0]  # b is better at one trial: nearer to the top


def test_a_source_that_cannot_be_read_again_says_what_to_do(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    path = tmp_path / "g.csv"
    path.write_text("score\n0.5\n0.6\n0.7\n")
    times = iter(range(0, 10**6, 100))
    shelf = Shelf([str(path)], clock=lambda: float(next(times)))
    client = testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")
    path.write_text("score\nx\n")
    text = client.get("/").text
    assert 'role="alert"' in text
    assert "Shown is what was read before" in text
    assert len(cards(text)) == 1
