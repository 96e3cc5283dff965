"""The pages: their numbers are the library's, their twins are strict JSON, names are harmless."""

from __future__ import annotations

import csv
import html
import io
import json
import re
import sys
from dataclasses import fields
from importlib.resources import files

import numpy as np
import pytest

import bestofk as bk
from bestofk._base.text import capital
from bestofk.curves.prediction import can_stop
from bestofk.errors import MissingPackageError, on_page
from bestofk.monitor.statement import statement_of
from bestofk.web.routes import PAGES
from bestofk.web.server import make_app
from bestofk.web.shelf import Shelf
from tests.render.test_reporting import outline
from tests.web.conftest import HOSTILE

ADDRESSES = [
    "/",
    f"/search?name={HOSTILE}",
    f"/compare?name=cnn&name={HOSTILE}",
    f"/trial?name={HOSTILE}&trial=3",
    f"/ask?name={HOSTILE}&about=importance",
    "/plan?budget=7",
    f"/live?name={HOSTILE}",
]


@pytest.mark.parametrize("address", ADDRESSES)
def test_names_are_harmless_and_shown_as_they_are(client, address):
    text = client.get(address).text
    page = outline(text)
    assert "alert('x')" not in text
    assert page.tags.count("script") == 1
    own = {"/static/page.js", "/static/figures.js", "/static/state.js", "/static/tables.js"}
    assert {x for x in page.links if x.endswith(".js")} == own
    assert all(link.startswith(("/", "#")) for link in page.links)
    if "plan" not in address:
        assert HOSTILE in "".join(page.text)


@pytest.mark.parametrize("address", ADDRESSES)
def test_every_page_has_a_twin_in_strict_json(client, address):
    path, _, query = address.partition("?")
    name = path.strip("/") or "index"
    answer = client.get(f"/{name}.json?{query}")
    assert answer.headers["content-type"].startswith("application/json")
    content = json.loads(answer.text, parse_constant=pytest.fail)
    assert set(content) == {f.name for f in fields(PAGES[name].kind)}


@pytest.mark.parametrize("name", PAGES)
def test_every_field_of_a_page_says_what_it_is(name):
    assert all(f.metadata["help"] for f in fields(PAGES[name].kind))


def test_the_search_page_shows_the_band_of_the_library(client, sources):
    got = client.get("/search.json?name=cnn&confidence=0.8&statistic=0.9").json()
    band = bk.tuning_band(bk.read(sources[0], name="cnn"), confidence=0.8, statistic=0.9)
    (series,) = got["chart"]["series"]
    for x, low, high in zip(*series["area"].values(), strict=True):
        at = band.at(x)
        assert (at.lower, at.upper) == (low, 1.0 if high is None else high)
    for x, y in zip(series["x"], series["y"], strict=True):
        assert band.at(x).estimate == y
    assert [r[0] for r in got["table"]["rows"]] == ["1", "2", "5", "10", "20", "30"]
    assert f"{band.at(10).upper:.4g}" in got["verdict"]


def test_left_out_points_change_nothing(client, sources):
    """Of a step function only the places where it changes are sent."""
    (series,) = client.get("/search.json?name=cnn&fields=chart").json()["chart"]["series"]
    band = bk.tuning_band(bk.read(sources[0], name="cnn"), confidence=0.9)
    x = np.array(series["area"]["x"])
    lower = np.array(series["area"]["lower"])
    for k, low in zip(band.budgets, band.lower, strict=True):
        assert lower[np.searchsorted(x, k, side="right") - 1] == low
    assert x.size < band.budgets.size


def test_the_comparison_is_that_of_the_library(client, sources):
    got = client.get(f"/compare.json?name=cnn&name={HOSTILE}&confidence=0.8").json()
    both = bk.read_all(sources[0], by="name")
    duel = bk.compare(both, confidence=0.8)
    assert got["verdict"] == on_page(duel.marked_verdict)
    for series, band in zip(got["chart"]["series"], duel.joint, strict=True):
        assert series["label"] == band.label
        for x, low, high in zip(*series["area"].values(), strict=True):
            at = band.at(x)
            assert (at.lower, at.upper) == (low, 1.0 if high is None else high)
    (gap,) = got["difference"]["series"]
    for x, low, high in zip(*gap["area"].values(), strict=True):
        ends = (-1.0 if low is None else low, 1.0 if high is None else high)  # open: the bounds
        assert duel.pairs[0].difference_at(x) == ends


@pytest.mark.parametrize("words", ["confidence=0.7", "axis=cost", "statistic=mean&low=2&high=9"])
def test_the_figure_while_dragging_is_that_of_the_whole_page(client, words):
    address = f"/compare.json?name=cnn&name={HOSTILE}&{words}"
    quick = client.get(f"{address}&fields=chart").json()
    assert quick["chart"] == client.get(address).json()["chart"]


def test_without_names_the_first_searches_are_compared(client):
    assert client.get("/compare.json").json()["labels"] == ["cnn", HOSTILE, "svm"]


def test_a_cost_axis(client, sources):
    got = client.get("/search.json?name=cnn&axis=cost&fields=chart").json()["chart"]
    scores = bk.read(sources[0], name="cnn").scores()
    assert got["x_label"] == "budget (total cost, at the estimated mean cost of a trial)"
    assert got["series"][0]["area"] is None  # a band over trials is none over estimated costs
    assert got["series"][0]["x"][0] == pytest.approx(scores.mean_cost)
    two = client.get(f"/compare.json?name=cnn&name={HOSTILE}&axis=cost").json()
    assert two["verdict"].startswith("At the estimated mean costs")
    assert two["validity"] == "void"
    assert two["chart"]["ribbon"] is None
    assert "certified best" not in two["table"]["head"]
    limited = client.get(f"/compare.json?name=cnn&name={HOSTILE}&axis=cost&cost_limit=100").json()
    assert limited["validity"] == "holds"
    assert all(series["area"] for series in limited["chart"]["series"])
    assert limited["table"]["head"][-1] == "certified best"
    cheap = client.get(f"/compare.json?name=cnn&name={HOSTILE}&axis=cost&cost_limit=1e-9")
    assert cheap.status_code == 422
    assert "no trial may cost more than cost_limit" in cheap.json()["error"]
    none = client.get("/search.json?name=svm&axis=cost")
    assert none.status_code == 422
    assert "cost of every trial" in none.json()["error"]


def test_a_range_of_budgets_and_the_other_direction(client, sources):
    got = client.get("/search.json?name=cnn&low=3&high=9&direction=minimize").json()
    assert [r[0] for r in got["table"]["rows"]] == list("3456789")
    worst = bk.tuning_band(bk.read(sources[0], name="cnn"), confidence=0.9, direction="minimize")
    assert got["chart"]["series"][0]["y"][0] == worst.at(3).estimate


def test_the_unbiased_estimator_is_drawn_without_a_band(client):
    got = client.get("/search.json?name=cnn&statistic=mean&estimator=u").json()
    assert got["chart"]["series"][0]["area"] is None
    assert got["cdf"] == {}


def test_the_plan_is_that_of_the_library(client):
    got = client.get("/plan.json?budget=20&confidence=0.8").json()
    assert got["trials"] == bk.plan(budget=20, confidence=0.8).trials


def test_live_is_what_a_monitor_says(client, sources):
    got = client.get("/live.json?name=cnn&confidence=0.8").json()
    monitor = bk.Monitor(confidence=0.8, methods=["cnn"], horizon=30)
    monitor.update({"cnn": bk.read(sources[0], name="cnn")})
    summary, answer = got["verdict"].rsplit("\n", 1)
    assert summary == monitor.status().summary
    said = statement_of(monitor.status().band())
    assert said.startswith("the median best of 20 trials is ")
    assert answer == capital(can_stop(said, 30, 0))
    assert (got["ended"], got["planned"], got["running"]) == (30, 30, False)
    assert got["chart"]["series"][0]["area"]["lower"][0] == monitor.status().band().lower[0]


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
@pytest.mark.parametrize("page", ["search", "compare"])
def test_figures(client, page, kind, start):
    names = f"name={HOSTILE}" + ("&name=cnn" if page == "compare" else "")
    answer = client.get(f"/{page}.{kind}?{names}")
    assert answer.content.startswith(start)
    name = answer.headers["content-disposition"].partition('filename="')[2].rstrip('"')
    assert name.removesuffix(f".{kind}").replace("-", "").isalnum()


def test_data_as_csv_and_latex(client, sources):
    rows = list(csv.DictReader(io.StringIO(client.get("/search.csv?name=cnn").text)))
    band = bk.tuning_band(bk.read(sources[0], name="cnn"), confidence=0.9)
    assert [float(r["upper"]) for r in rows] == band.upper.tolist()
    table = client.get(f"/compare.tex?name=cnn&name={HOSTILE}").text
    assert r"\toprule" in table
    assert r"\caption{Median of the best of k by number of trials: estimate [lower" in table
    one = client.get("/search.tex?name=cnn").text
    assert "maximize, 90 \\% confidence at all whole budgets" in one
    real = client.get("/search.tex?name=cnn&simultaneous=real").text
    assert "maximize, 90 \\% confidence at all real budgets" in real
    assert r"\input{y}" not in table
    assert r"\textbackslash{}input\{y\}" in table


@pytest.mark.parametrize(
    "address", ["search?name=svm", "compare", "live?name=svm", "plan", "search?name=cnn"]
)
def test_caveats_are_objects_with_a_sentence_in_the_words_of_the_page(client, address):
    """The page shows the sentences, and speaks of its controls and not of Python's arguments."""
    path, _, query = address.partition("?")
    page = client.get(f"/{path}.json?{query}").json()
    got = page["caveats"]
    fields = {"kind", "about", "text", "remedy", "validity", "sentence"}
    assert all(set(caveat) == fields for caveat in got)
    text = client.get(f"/{address}").text
    shown = re.search(r'<ul id="caveats">(.*?)</ul>', text, flags=re.S)[1]
    items = [html.unescape(item) for item in re.findall(r"<li>(.*?)</li>", shown, flags=re.S)]
    assert items == page["notes"]
    assert page["verdict"] in html.unescape(text)
    items += [caveat["sentence"] for caveat in got] + [page["verdict"], *page.get("reasons", [])]
    assert not any(re.search(r"\w+=[\"']|= to \w|\bread\(", item) for item in items)
    if "svm" in address:
        assert "sampling-unknown" in {caveat["kind"] for caveat in got}
        assert any("sampling iid" in item for item in items)


def test_only_our_own_files_are_static(client):
    assert client.get("/static/page.js").headers["content-type"].startswith("text/javascript")
    for address in ADDRESSES:  # what a page asks for is ours, and there
        for link in outline(client.get(address).text).links:
            if link.startswith("/static/"):
                assert client.get(link).status_code == 200
    for name in (
        "%2e%2e%2fserver.py",
        "..%5cserver.py",
        "%2e%2e",
        "page.js%00",
        "/etc/passwd",
        "x.js",
    ):
        assert client.get(f"/static/{name}").status_code == 404


def test_searches_of_the_index(client):
    got = client.get("/index.json").json()["searches"]
    assert [(s["label"], s["trials"], s["running"]) for s in got] == [
        ("cnn", 30, False),
        (HOSTILE, 30, False),
        ("svm", 40, False),
    ]


def test_a_failed_trial_is_refused_with_ways_out(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    (tmp_path / "f.csv").write_text('score\n0.5\n""\n0.7\n')
    client = testclient.TestClient(
        make_app(Shelf([str(tmp_path / "f.csv")])), base_url="http://localhost"
    )
    assert client.get("/").status_code == 200
    answer = client.get("/search?name=f")
    assert answer.status_code == 422
    assert "data-failed" in answer.text
    other = client.get("/search?name=f&failed=worst&axis=cost")
    assert other.status_code == 422
    assert "data-failed" not in other.text
    worst = client.get("/search.json?name=f&failed=worst").json()
    assert worst["table"]["rows"][0] == ["1", "0.5", "-inf", "inf"]
    assert worst["chart"]["series"][0]["area"]["lower"][0] is None
    assert any("count as the worst score" in c["sentence"] for c in worst["caveats"])


def test_the_script_of_figures_is_small():
    static = files("bestofk.web") / "static"
    assert len((static / "figures.js").read_text().splitlines()) <= 300
    assert sum(len(item.read_bytes()) for item in static.iterdir()) < 60_000


@pytest.mark.parametrize("package", ["starlette.applications", "jinja2"])
def test_a_missing_package_is_told_with_its_extra(shelf, monkeypatch, package):
    from bestofk.render.jinja import environment

    environment.cache_clear()
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingPackageError, match=r"pip install \"bestofk\[show\]\""):
        make_app(shelf)
    environment.cache_clear()


def test_a_page_takes_what_bands_hold_for(client, sources):
    search = bk.read(sources[0], name="cnn")
    for words, chosen in (("", None), ("&simultaneous=", None), ("&simultaneous=real", "real")):
        plain = client.get(f"/search.json?name=cnn{words}").json()
        assert plain["view"]["simultaneous"] == chosen
        band = bk.tuning_band(search, confidence=0.9, simultaneous=chosen)
        area = plain["chart"]["series"][0]["area"]
        assert area["lower"] == band.at(area["x"]).lower.tolist()
        page = client.get(f"/search?name=cnn{words}").text
        assert '<select name="simultaneous"' in page
        assert ('<option value="real" selected>' in page) == (chosen == "real")
        assert client.get(f"/live.json?name=cnn{words}").status_code == 200
        assert client.get(f"/compare.json?name=cnn&name=svm{words}").status_code == 200


def test_on_a_page_budgets_are_not_chosen_before_looking(client):
    for chosen in ("listed", "range"):
        answer = client.get(f"/search.json?name=cnn&low=1&high=5&simultaneous={chosen}")
        assert answer.status_code == 400
        assert "where budgets are chosen while looking" in answer.text


def test_the_plan_takes_it_too(client):
    whole, real = (
        client.get(f"/plan.json?budget=20{words}").json() for words in ("", "&simultaneous=real")
    )
    assert whole["trials"] == bk.plan(budget=20, confidence=0.9).trials
    assert real["trials"] == bk.plan(budget=20, confidence=0.9, simultaneous="real").trials
    assert whole["trials"] < real["trials"]


def test_a_page_that_is_kept_follows_its_source(tmp_path):
    testclient = pytest.importorskip("starlette.testclient")
    now = [100.0]
    (tmp_path / "f.csv").write_text("score\n" + "0.5\n0.6\n" * 6)
    shelf = Shelf([str(tmp_path / "f.csv")], clock=lambda: now[0])
    client = testclient.TestClient(make_app(shelf), base_url="http://127.0.0.1")
    pages = []
    for scores in ("0.5\n0.6\n" * 6, "0.25\n0.75\n" * 9):
        (tmp_path / "f.csv").write_text(f"score\n{scores}")
        now[0] += 60
        first, again = (client.get("/search?name=f").text for _ in range(2))
        assert first == again
        pages.append(first)
    assert "0.75" in pages[1]
    assert "0.75" not in pages[0]
