"""The page of a void search describes: no headline, figure, table or twin claims anything."""

from __future__ import annotations

import html
import json
import re

import numpy as np
import pytest

import bestofk as bk
from bestofk.render.record import of_search
from bestofk.render.view import View
from bestofk.web.pages.compare import compare_page
from bestofk.web.pages.index import index_page
from bestofk.web.pages.live import live_page
from bestofk.web.pages.search import search_page
from bestofk.web.server import make_app
from bestofk.web.shelf import Shelf
from tests.render.test_validity import claims, search

TPE = {"sampling": "adaptive"}


@pytest.fixture(scope="module")
def serve(tmp_path_factory):
    testclient = pytest.importorskip("starlette.testclient")

    def app(**samplings):
        folder, sources = tmp_path_factory.mktemp("void"), []
        for name, shift in zip(samplings, (0, 6, 3), strict=False):
            rng = np.random.default_rng(shift)
            path = folder / f"{name}.csv"
            pairs = zip(rng.beta(2 + shift, 2, 48), rng.exponential(size=48), strict=True)
            rows = [f"{score:.3f},{cost:.4f}" for score, cost in pairs]
            path.write_text("\n".join(["accuracy,seconds", *rows]))
            sources.append(str(path))
        shelf = Shelf(sources, {"score": "accuracy", "cost": "seconds", "sampling": "iid"})
        for name, record in shelf._records.items():
            object.__setattr__(record.search, "sampling", samplings[name])
        return testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")

    return app


def seen(text):
    """Return what a reader sees or is read aloud; hidden controls are neither."""
    text = re.sub(r"<(label|option|div)[^>]*hidden[^>]*>.*?</\1>", "", text, flags=re.DOTALL)
    words = re.findall(r'(?:aria-label|title)="([^"]*)"', text)
    return html.unescape(" ".join([re.sub(r"<[^>]+>", " ", text), *words]))


def twin(got):
    """Return the words and keys of a twin that state something; the controls do not."""
    return json.dumps({k: v for k, v in got.items() if k not in ("view", "about")})


@pytest.mark.parametrize("page", ["search", "live"])
@pytest.mark.parametrize("words", ["", "&statistic=mean", "&statistic=0.9&band=dkw"])
def test_the_page_of_a_void_search_claims_nothing(serve, page, words):
    void, sound = serve(x="adaptive"), serve(x="iid")
    address = f"/{page}?name=x{words}"
    assert claims(seen(void.get(address).text)) == []
    assert claims(seen(sound.get(address).text)) != []
    assert "read them with bestofk repeats" in html.unescape(void.get(address).text)  # the way out
    assert "read them with bestofk repeats" not in sound.get(address).text
    got = void.get(address.replace("?", ".json?")).json()
    assert claims(twin(got)) == []
    assert got["verdict"].startswith("No confidence statement is possible")
    assert got["validity"] == "void"
    assert got["standing"] == "void: descriptive only"
    assert len(got["reasons"]) == 1
    assert all(series["area"] is None for series in got["chart"]["series"])
    assert got["table"]["head"] == ["budget", "estimate"]
    other = sound.get(address.replace("?", ".json?")).json()
    assert (other["validity"], other["standing"], other["reasons"]) == ("holds", "", [])
    assert all(series["area"] is not None for series in other["chart"]["series"])


@pytest.mark.parametrize("page", ["search", "compare"])
def test_downloads_of_void_searches_claim_nothing(serve, page):
    void, sound = serve(x="adaptive", y="adaptive"), serve(x="iid", y="iid")
    names = "name=x" if page == "search" else "name=x&name=y"
    for kind in ("csv", "tex", "svg"):
        text = void.get(f"/{page}.{kind}?{names}").text
        assert claims(text) == []
        assert not {"lower", "certified", "difference_low"} & set(text.split("\n")[0].split(","))
    assert "confiden" in claims(sound.get(f"/{page}.tex?{names}").text)
    head = sound.get(f"/{page}.csv?{names}").text.split("\n")[0]
    assert ("lower" if page == "search" else "certified") in head


def test_a_comparison_of_void_searches_claims_nothing(serve):
    void, sound = serve(x="adaptive", y="adaptive"), serve(x="iid", y="iid")
    assert claims(seen(void.get("/compare").text)) == []
    got = void.get("/compare.json").json()
    assert claims(twin(got)) == []
    assert got["chart"]["ribbon"] is None
    assert all(s["area"] is None for f in ("chart", "difference") for s in got[f]["series"])
    assert sound.get("/compare.json").json()["chart"]["ribbon"]["stretches"]


def test_sound_searches_keep_their_statements_beside_a_void_one(serve):
    client = serve(forest="iid", svm="iid", tpe="adaptive")
    got = client.get("/compare.json").json()
    assert got["standing"] == "void for tpe: descriptive only"
    assert got["validity"] == "void"
    assert "svm beats forest" in got["verdict"]
    assert [s["area"] is not None for s in got["chart"]["series"]] == [True, True, False]
    assert got["chart"]["ribbon"]["stretches"]
    pairs = {s["label"]: s["area"] is not None for s in got["difference"]["series"]}
    assert list(pairs.values()) == [True, False, False]
    assert [row[0] for row in got["ranks"]["rows"]] == ["svm", "forest", "tpe"]
    text = client.get("/compare").text
    assert 'class="wide sure">Confidence' in text  # there is something to choose
    assert html.escape(got["standing"]) in text


def test_the_badge_says_what_holds_and_nothing_if_all_does(serve):
    def badge(sampling):
        text = serve(x=sampling).get("/search?name=x").text
        return re.search(r'<p id="validity"[^>]*>(.*?)</p>', text)[0]

    assert "void: descriptive only" in badge("adaptive")
    assert ">assumed<" in badge("unknown")
    assert badge("iid").endswith(" hidden></p>")
    assert "hidden" not in badge("adaptive") + badge("unknown")


def test_the_list_marks_void_searches(serve):
    client = serve(x="adaptive", y="iid")
    got = client.get("/index.json").json()["searches"]
    assert [(s["label"], s["validity"]) for s in got] == [("x", "void"), ("y", "holds")]
    assert client.get("/").text.count("void: descriptive only") == 1


def test_a_cost_axis_starts_at_one_trial_of_every_search(serve):
    """Also where a range of trials was set before: the page clears it (state.js)."""
    client = serve(x="iid", y="iid")
    got = client.get("/compare.json?axis=cost").json()
    assert got["validity"] == "void"
    assert claims(twin({**got, "verdict": ""})) == []
    assert client.get("/compare.json?axis=cost&high=20").status_code == 200
    low = client.get("/compare.json?axis=cost&low=0.001")
    assert low.status_code == 400
    assert "pay for one trial of every method" in low.json()["error"]
    limited = client.get("/compare.json?axis=cost&cost_limit=20").json()
    assert limited["validity"] == "holds"
    assert limited["view"]["cost_limit"] == 20
    assert 'name="cost_limit"' in client.get("/compare").text
    assert 'name="cost_limit"' not in client.get("/search?name=x").text


def test_many_searches_have_a_row_each_and_no_figure_of_all_their_differences():
    records = [of_search(f"m{i}", search(f"m{i}", float(i), costs=None)) for i in range(9)]
    page = compare_page(records, View())
    assert len(page.ranks.rows) == len(page.table.rows) == 9
    assert page.difference == {}
    assert len(page.notes) <= len({c.kind for c in page.caveats})
    assert compare_page(records[:3], View()).difference["series"]


def test_pages_agree_with_the_library():
    void = search(**TPE)
    record = of_search("x", void)
    pages = [search_page(record, View()), live_page(record, View())]
    for page in pages:
        assert page.validity == bk.tuning_band(void).validity
        reasons = [c for c in bk.tuning_band(void).caveats if c.validity != "holds"]
        assert page.reasons == tuple(c.on_page() for c in reasons)
    assert index_page([record]).searches[0].validity == "void"
    assert not any("holds at every moment" in note for note in pages[1].notes)
    sound = live_page(of_search("x", search()), View())
    assert any("holds at every moment" in note for note in sound.notes)
