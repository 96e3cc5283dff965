"""Repeats of whole searches as a page."""

from __future__ import annotations

import csv
import html
import os
from dataclasses import fields

import numpy as np
import pytest
from typer.testing import CliRunner

import bestofk as bk
from bestofk.cli.main import app
from bestofk.datasets.climbing import simulated_repeats
from bestofk.render.report.repeats import RepeatsView, repeats_page
from bestofk.web.pages.repeats import REPEATS, choices_of
from bestofk.web.pages.reported import ReportedPage
from tests.web.conftest import HOSTILE

testclient = pytest.importorskip("starlette.testclient")

CONDITION = "If these budgets were chosen before anybody looked at the scores:"


def served(files, read, view=None):
    from bestofk.web.report_shelf import ReportShelf
    from bestofk.web.server import make_app

    shelf = ReportShelf(REPEATS, [str(file) for file in files], read, view or RepeatsView())
    return testclient.TestClient(
        make_app(shelf), base_url="http://127.0.0.1", raise_server_exceptions=False
    )


def drawn(n, trials, *, seeds, ahead=0.0, rng=0, **options):
    """Return repeats of random search, all scores raised by `ahead`."""
    scores = ahead + np.random.default_rng(rng).random((n, trials))
    return bk.Repeats.of_array(scores, seeds=seeds, **options)


@pytest.fixture
def path(tmp_path):
    found = tmp_path / "repeats.csv"
    found.write_text(simulated_repeats().replace("random,", f'"{HOSTILE}",'))
    return found


@pytest.fixture
def client(path):
    return served([path], lambda: bk.read_repeats(path, repeat="seed", by="method"))


@pytest.fixture(scope="module")
def shared():
    """Two methods with the same seeds, of unequal length, and test scores."""
    rng = np.random.default_rng(5)

    def method(ahead, label):
        lengths = [12] * 9 + [8]
        scores = [ahead + rng.random(n) for n in lengths]
        return bk.Repeats(
            names=range(10), scores=scores, tests=[s / 2 for s in scores], seeds=range(10),
            planned=12, label=label,
        )  # fmt: skip

    return {"one": method(0.0, "one"), "two": method(3.0, "two")}


def test_the_page_has_verdict_figure_table_and_caveats(client):
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.text.index('id="verdict"') < answer.text.index('id="chart"')
    assert "climb is ahead of" in answer.text
    assert "The bar says who is certified to be ahead" in answer.text
    assert "bestofk repeats --help" in answer.text
    assert 'href="/report.html"' in answer.text
    assert answer.text.count("<script") == 1  # ours
    assert "&lt;script&gt;" in answer.text
    assert 'href="/compare"' not in answer.text
    for name in ("of", "unequal", "paired", "failed"):  # nothing to choose from
        assert f'name="{name}"' not in answer.text


def test_the_twin_has_the_numbers_of_the_comparison(client, path):
    found = client.get("/repeats.json").json()
    assert set(found) == {f.name for f in fields(ReportedPage)}
    duel = bk.compare(bk.read_repeats(path, repeat="seed", by="method"))
    assert found["verdict"] == duel.verdict
    assert found["chart"]["log_x"]
    assert found["chart"]["ribbon"]["stretches"] == [[48, 48, 1]]
    assert found["table"]["rows"][-1][-1] == "climb"
    assert client.get("/repeats.json?fields=chart").json().keys() == {"chart"}


def test_one_method_has_its_band_and_paths(client, path):
    found = client.get("/repeats.json?name=climb&confidence=0.8&statistic=0.5").json()
    band = bk.tuning_band(
        bk.read_repeats(path, repeat="seed", by="method")["climb"], confidence=0.8
    )
    assert "80 % band" in found["verdict"]
    assert len(found["chart"]["paths"]) == 16
    assert found["table"]["head"] == ["budget", "estimate", "lower", "upper"]
    assert found["table"]["rows"][-1][2] == f"{band.lower[-1]:.4g}"
    assert "path of each of its repeats" in found["captions"]["chart"]


def test_the_report_is_behind_it(client):
    text = client.get("/report.html?name=climb").text
    assert text.count("<svg") == 2  # for a wide window and for a phone
    assert text.count('data-part="run"') == 32
    assert 'stroke-opacity="0.25"' in text
    assert "<script" not in text


@pytest.mark.parametrize(
    ("kind", "start"), [("svg", b"<?xml"), ("png", b"\x89PNG"), ("pdf", b"%PDF")]
)
def test_the_figure(client, kind, start):
    assert client.get(f"/repeats.{kind}").content.startswith(start)


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("confidence=95", "confidence must lie strictly between 0 and 1"),
        ("statistic=mode", "statistic must"),
        ("statistic=mean", "“Statistic: mean” is not compared over repeats"),
        ("of=all", "of must be one of"),
        ("of=test", "“Of: its test score” needs the test score"),
        ("unequal=x", "unequal must be one of"),
        ("paired=maybe", "paired must be one of"),
        ("paired=true", "paired repeats must have the same seeds"),
        ("budgets=1.5", "budgets must be whole numbers of trials; got 1.5."),
        ("budgets=x", "budgets must be numbers with commas between them"),
        ("budgets=1e3", "budgets must be numbers with commas between them"),
        ("axis=hours", "axis must be one of"),
        ("budgets=99", "every repeat reaches, at most 48 trials; got 99."),
        ("colour=red", "the address may say confidence, statistic"),
    ],
)
def test_what_an_address_may_not_say(client, query, message):
    answer = client.get(f"/repeats.json?{query}")
    assert answer.status_code in (400, 422)
    assert message in answer.json()["error"]
    assert "Unequal lengths" not in answer.json()["error"]  # no repeat goes on
    page = client.get(f"/?{query}")
    assert page.status_code == answer.status_code
    assert answer.json()["error"] in html.unescape(page.text)
    assert 'id="controls"' in page.text  # the way out


def test_a_method_that_is_not_there(client):
    answer = client.get("/repeats.json?name=nobody")
    assert answer.status_code == 404
    assert "there is no method 'nobody'" in answer.json()["error"]


def test_budgets_chosen_while_looking_are_a_condition(client):
    """The negative control: nobody chose them on the page, or nothing is claimed with them."""
    for query, said in (
        ("", False),
        ("budgets=10,40", True),
        ("budgets=10,40&name=climb", True),
        ("budgets=10,40&name=climb&statistic=0.5&confidence=0.9999999", False),  # too few repeats
    ):
        verdict = client.get(f"/repeats.json?{query}").json()["verdict"]
        assert verdict.startswith(CONDITION) == said, query


def test_the_condition_is_one_of_every_line():
    methods = {
        name: drawn(12, 6, seeds=range(20 * i, 20 * i + 12), ahead=5 * i, rng=i, label=name)
        for i, name in enumerate("abc")
    }
    client = served([], lambda: methods)
    lines = client.get("/repeats.json?budgets=6").json()["verdict"].split("\n")
    assert lines[0] == CONDITION
    assert [line[:12] for line in lines[1:]] == ["b is ahead o", "c is ahead o", "c is ahead o"]
    some = client.get("/repeats.json?name=a&name=b").json()
    assert any("2 of 3 methods are compared" in note for note in some["notes"])
    every = client.get("/repeats.json").json()
    assert not any("methods are compared" in note for note in every["notes"])


def test_controls_for_what_the_repeats_have(shared):
    client = served([], lambda: shared)
    text = client.get("/").text
    assert all(f'name="{name}"' in text for name in ("of", "unequal", "paired"))
    assert 'value="mean"' not in text
    paired = client.get("/repeats.json?paired=true").json()
    assert "two beats one in more than half of the seeds" in paired["verdict"]
    assert paired["view"]["paired"] is True
    assert '<option value="true" selected>' in client.get("/?paired=true").text
    test = client.get("/repeats.json?of=test").json()
    assert "median test score" in test["verdict"]
    assert [row[0] for row in test["table"]["rows"]][-1] == "8"
    further = client.get("/repeats.json?unequal=interval").json()
    assert [row[0] for row in further["table"]["rows"]][-1] == "12"


def test_a_mean_can_be_chosen_for_one_method_with_bounds():
    method = drawn(9, 4, seeds=range(9), bounds=(0, 1))
    assert choices_of([method]).means
    assert not choices_of([method, method]).means
    assert not choices_of([drawn(9, 4, seeds=range(9))]).means
    client = served([], lambda: {"a": method})
    assert (
        "Mean best after 4 trials" in client.get("/repeats.json?statistic=mean").json()["verdict"]
    )


def test_too_few_repeats_show_their_paths():
    client = served([], lambda: {"a": drawn(3, 4, seeds=range(3))})
    found = client.get("/repeats.json").json()
    assert "3 repeats cannot give a 95 % interval for a median" in found["verdict"]
    assert len(found["chart"]["paths"]) == 3
    assert found["chart"]["series"][0]["area"] is None


def test_against_a_random_search(path, tmp_path, monkeypatch):
    """The command: the random search's file is watched too."""
    other = tmp_path / "long.csv"
    with other.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["score"])
        rows.writerows([x] for x in np.random.default_rng(2).random(400) / 2)
    kept = []
    monkeypatch.setattr("bestofk.web.server.serve", lambda shelf, **_: kept.append(shelf))
    words = ["serve", str(path), "--repeat", "seed", "--by", "method", "--against", str(other)]
    result = CliRunner().invoke(app, [*words, "--confidence", "0.9"])
    assert result.exit_code == 0, result.output
    (shelf,) = kept
    assert list(shelf.held()) == [HOSTILE, "climb", "long"]
    report = shelf.page({}, ["climb", "long"])
    assert "climb is ahead of long" in report.verdict
    assert "90 %" in report.verdict
    other.write_text("score\n0.99\n0.98\n0.97\n")
    os.utime(other, ns=(1, 1))
    assert shelf.page({}, ["climb", "long"]).verdict != report.verdict


def test_options_that_are_not_about_repeats(path):
    words = ["serve", str(path), "--repeat", "seed", "--by", "method", "--check"]
    assert CliRunner().invoke(app, words).output.split("\n")[1] == "climb"
    for option in (
        ["--band", "dkw"],
        ["--statistic", "mean", "--estimator", "u"],
        ["--problem", "seed"],
    ):
        result = CliRunner().invoke(app, [*words, *option])
        assert result.exit_code != 0
        assert "is not about repeats of whole searches" in str(result.exception) + result.output


def test_files_that_change_are_read_again(tmp_path):
    """A folder is looked into: each file in it is a repeat."""
    for i in range(3):
        (tmp_path / f"tpe-{i}.csv").write_text(f"score\n0.{i + 1}\n0.{i + 2}\n")
    client = served([tmp_path], lambda: bk.read_repeats(tmp_path))
    last = client.get("/repeats.json").json()["table"]["rows"][-1]
    (tmp_path / "tpe-0.csv").write_text("score\n0.7\n0.8\n")
    os.utime(tmp_path / "tpe-0.csv", ns=(1, 1))
    assert client.get("/repeats.json").json()["table"]["rows"][-1] != last


def test_a_report_has_a_line_for_every_two():
    methods = {n: drawn(9, 4, seeds=range(9 * i, 9 * i + 9), rng=i) for i, n in enumerate("abc")}
    page = repeats_page(methods, RepeatsView())
    assert page.verdict.startswith("No. You cannot claim that any of a, b and c")


@pytest.fixture(scope="module")
def costly():
    """Two methods whose trials cost something."""
    rng = np.random.default_rng(3)
    methods = {
        label: bk.Repeats.of_array(
            ahead + rng.random((12, 10)), costs=1 + rng.random((12, 10)), label=label
        )
        for ahead, label in enumerate(("plain", "learns"))
    }
    return served([], lambda: methods), methods


def test_budgets_may_be_total_costs(costly):
    client, methods = costly
    assert 'name="axis"' in client.get("/").text
    found = client.get("/repeats.json?axis=cost&budgets=4.5,9").json()
    duel = bk.compare([*methods.values()], axis="cost", budgets=[4.5, 9])
    assert found["verdict"].endswith(duel.verdict)
    assert found["chart"]["x_label"].startswith("budget (total cost")
    assert [row[0] for row in found["table"]["rows"]] == ["4.5", "9"]
    trials = client.get("/repeats.json?budgets=4,9").json()
    assert trials["chart"]["x_label"] == "budget (number of trials)"


def test_total_costs_are_listed_by_whoever_looks(costly):
    client, _ = costly
    answer = client.get("/repeats.json?axis=cost")
    assert answer.status_code == 400
    assert answer.json()["error"].startswith("“Budget in: total cost” needs a list of budgets")


def test_without_costs_there_is_no_such_axis(client):
    assert 'name="axis"' not in client.get("/").text
