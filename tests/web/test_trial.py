"""The page of one trial, and the figures and rows that lead to it."""

from __future__ import annotations

import json

import pytest

import bestofk as bk
from bestofk.web.server import make_app
from bestofk.web.shelf import Shelf
from tests.web.conftest import HOSTILE

testclient = pytest.importorskip("starlette.testclient")


def broken(params, trial):
    if trial.number == 3:
        raise ValueError("<b>no such file</b>")
    return {"accuracy": params["x"]}


@pytest.fixture(scope="module")
def failing(tmp_path_factory):
    """A store in which one trial failed, and its page."""
    store = f"sqlite:///{tmp_path_factory.mktemp('trial')}/runs.db"
    bk.run_search(broken, {"x": bk.space.uniform(0, 1)}, n_trials=12, seed=0, name="a",
                  store=store, score="accuracy", n_workers=0)  # fmt: skip
    client = testclient.TestClient(make_app(Shelf([store])), base_url="http://127.0.0.1")
    return store, client


def test_a_trial_has_its_params_score_and_duration(client, sources):
    got = client.get("/trial.json?name=cnn&trial=5").json()
    trial = bk.read(sources[0], name="cnn").trials[5]
    facts = dict(got["facts"])
    assert facts["state"] == got["state"] == "complete"
    assert facts["accuracy"] == f"{trial.score:.4g}"
    assert facts["duration"].endswith(" s")
    assert dict(got["params"]["rows"])["x"] == f"{trial.params['x']:.4g}"
    assert dict(got["metrics"]["rows"])["loss"] == f"{trial.metrics['loss']:.4g}"
    assert got["error"] == ""


def test_a_failed_trial_says_why_and_its_words_are_harmless(failing):
    _, client = failing
    got = client.get("/trial.json?name=a&trial=3").json()
    assert got["state"] == "failed"
    assert "<b>no such file</b>" in got["error"]
    text = client.get("/trial?name=a&trial=3").text
    assert "<b>no such" not in text
    assert "&lt;b&gt;no such file&lt;/b&gt;" in text
    page = client.get("/search?name=a&failed=worst").text
    assert '<tr class="failed"><th scope="row"><a href="/trial?name=a&amp;trial=3">' in page


@pytest.mark.parametrize(
    ("words", "status"),
    [("trial=99", 404), ("trial=-1", 400), ("trial=x", 400), ("", 404), ("trial=1&draw=tall", 400)],
)
def test_a_trial_that_is_not_there(client, words, status):
    assert client.get(f"/trial.json?name=cnn&{words}").status_code == status
    assert client.get(f"/trial?name=cnn&{words}").status_code == status


def test_a_trial_of_a_file_has_what_the_file_has(client):
    got = client.get("/trial.json?name=svm&trial=0").json()
    assert [name for name, _ in got["facts"]] == ["state", "accuracy"]


def test_the_history_has_every_score_and_the_best_so_far(failing, client, sources):
    got = client.get("/search.json?name=cnn&fields=history").json()["history"]
    points, best = got["series"]
    scores = [t.score for t in bk.read(sources[0], name="cnn").trials]
    assert points["joined"] is False
    assert points["y"] == scores
    assert best["y"][-1] == max(scores)
    assert best["y"] == sorted(best["y"])
    _, other = failing
    numbers = other.get("/search.json?name=a&failed=worst&fields=history").json()["history"]
    assert 3 not in numbers["series"][0]["x"]
    worst = client.get("/search.json?name=cnn&direction=minimize&fields=history").json()
    assert worst["history"]["series"][1]["y"][-1] == min(scores)


def test_a_hyperparameter_is_chosen_for_the_scatter_plot(client):
    first = client.get("/search.json?name=cnn&fields=scatter,svg").json()
    assert first["scatter"]["x_label"] == "x"
    assert set(first["svg"]) == {"scatter"}
    other = client.get("/search.json?name=cnn&param=<b>kind&fields=scatter,svg&draw=narrow").json()
    assert other["scatter"]["x_names"] == ["<i>a</i>", "b"]
    assert set(other["svg"]["scatter"]) == {"narrow"}
    assert "&lt;i&gt;a&lt;/i&gt;" in other["svg"]["scatter"]["narrow"]
    assert client.get("/search.json?name=cnn&param=nobody").status_code == 400


@pytest.mark.parametrize("address", ["search?name=cnn", f"compare?name=cnn&name={HOSTILE}"])
def test_the_first_page_holds_the_figures_of_its_twin(client, address):
    path, _, query = address.partition("?")
    got = client.get(f"/{path}.json?{query}").json()["svg"]
    text = client.get(f"/{address}").text
    for drawn in got.values():
        assert set(drawn) == {"wide", "narrow"}
        for svg in drawn.values():
            assert svg in text
            assert "<script" not in svg


def test_while_dragging_one_figure_of_one_size_is_drawn(client):
    for page in ("search?name=cnn", f"compare?name=cnn&name={HOSTILE}"):
        address = page.replace("?", ".json?")
        quick = client.get(f"/{address}&fields=svg&draw=narrow&confidence=0.7").json()
        whole = client.get(f"/{address}&confidence=0.7").json()["svg"]["chart"]["narrow"]
        assert quick == {"svg": {"chart": {"narrow": whole}}}
    got = client.get("/search.json?name=cnn&fields=chart,svg&draw=wide").json()
    assert set(got) == {"chart", "svg"}
    assert list(got["svg"]) == ["chart"]
    assert list(got["svg"]["chart"]) == ["wide"]
    assert json.dumps(got).count("<svg") == 1
