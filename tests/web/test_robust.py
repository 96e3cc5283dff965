"""Whatever an address says: an answer, never a 500, never something of the machine."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bestofk.web.routes import PAGES
from tests.web.conftest import HOSTILE

KEYS = ["name", "confidence", "statistic", "band", "estimator", "direction", "failed", "axis",
        "low", "high", "log_x", "costs_known", "param", "trial", "draw", "fields", "budget",
        "token", "x"]  # fmt: skip
WORDS = ["", "cnn", "svm", HOSTILE, "../../etc/passwd", "0.8", "0.99999", "1e-300", "nan", "inf",
         "-1", "1e308", "0", "1", "median", "mean", "0.5", "ks", "dkw", "u", "w", "v", "maximize",
         "minimize", "worst", "drop", "raise", "cost", "trials", "chart", "chart,table", "7",
         "1e6", "0x10", "١", "1_0", "%00", "\0", "x" * 500]  # fmt: skip
QUERY = st.lists(
    st.tuples(
        st.sampled_from(KEYS) | st.text(max_size=8), st.sampled_from(WORDS) | st.text(max_size=20)
    ),
    max_size=5,
)
PATHS = [f"/{name}{end}" for name in PAGES for end in ("", ".json")]
PATHS += ["/search.csv", "/compare.csv", "/search.tex", "/compare.tex", "/"]


def check(answer):
    assert answer.status_code in (200, 400, 404, 414, 422), answer.text[:500]
    assert "Traceback" not in answer.text
    assert "site-packages" not in answer.text
    assert "root:" not in answer.text
    if answer.headers.get("content-type", "").startswith("application/json"):
        json.loads(answer.text, parse_constant=pytest.fail)


@given(path=st.sampled_from(PATHS), query=QUERY)
def test_any_words_get_an_answer(client, path, query):
    check(client.get(path, params=query))


VIEW = st.fixed_dictionaries(
    {},
    optional={
        "confidence": st.sampled_from(["0.001", "0.5", "0.99", "0.999999"]),
        "statistic": st.sampled_from(["median", "mean", "0.001", "0.999"]),
        "band": st.sampled_from(["ks", "dkw", "ld-equal-tailed", "ld-highest-density"]),
        "estimator": st.sampled_from(["u", "v", "w", ""]),
        "direction": st.sampled_from(["maximize", "minimize", ""]),
        "failed": st.sampled_from(["raise", "worst", "drop"]),
        "axis": st.sampled_from(["trials", "cost"]),
        "low": st.sampled_from(["0.001", "1", "29.5", "1000"]),
        "high": st.sampled_from(["0.5", "1", "40", "1e6"]),
        "log_x": st.sampled_from(["0", "1", ""]),
    },
)
SHOWN = st.sampled_from(["/search", "/compare", "/live", "/search.json", "/compare.json"])


@given(view=VIEW, path=SHOWN)
def test_any_view_gets_an_answer(client, path, view):
    names = ["cnn", HOSTILE] if "compare" in path else ["cnn"]
    check(client.get(path, params=[*(("name", n) for n in names), *view.items()]))


@pytest.mark.parametrize(
    ("address", "status", "message"),
    [
        ("/search.json", 400, "must name one search"),
        ("/search.json?name=nobody", 404, "no search of that name"),
        ("/search.json?name=cnn&confidence=95", 400, "Did you mean 0.95"),
        ("/search.json?name=cnn&confidence=1&confidence=2", 400, "must be given once"),
        ("/search.json?name=cnn&colour=red", 400, "no part of a view"),
        ("/search.json?name=cnn&method=ks", 400, "`method` is no part of a view"),
        ("/search.json?name=cnn&band=bonferroni", 400, "band must be one of 'ld-highest-density'"),
        ("/search.json?name=cnn&estimator=u", 400, r"Choose \u201cStatistic: mean\u201d."),
        ("/search.json?name=svm&axis=cost", 422, "Pass cost."),
        ("/search.json?name=cnn&fields=secret", 400, "`fields` must be among"),
        ("/compare.json?name=cnn", 400, "two or more searches; got 1"),
        ("/plan.json?budget=1e9", 400, "up to 10,000"),
        ("/plan.json?statistic=mean", 400, "mean"),
        ("/plan.json?budget=10000&band=ks&statistic=0.99", 400, "Use `bestofk plan`"),
        ("/plan.json?budget=10000&confidence=0.999999", 400, "some 2,000 trials"),
        ("/live/events?name=nobody", 404, "no search of that name"),
        ("/search.json?" + "&".join(["name=a"] * 30), 400, "at most 20 searches"),
    ],
)
def test_what_cannot_be_shown_says_why(client, address, status, message):
    answer = client.get(address)
    assert answer.status_code == status
    assert message in answer.text


def test_an_unexpected_error_tells_nothing(shelf, monkeypatch):
    testclient = pytest.importorskip("starlette.testclient")
    from bestofk.web import routes
    from bestofk.web.server import make_app

    def broken(shelf, words):
        raise RuntimeError("/home/ann/secret.csv")

    page = routes.Page(kind=routes.PlanPage, build=broken)
    monkeypatch.setitem(routes.PAGES, "plan", page)
    client = testclient.TestClient(
        make_app(shelf), base_url="http://localhost", raise_server_exceptions=False
    )
    for path in ("/plan", "/plan.json"):
        answer = client.get(path)
        assert answer.status_code == 500
        assert "secret" not in answer.text
        assert "content-security-policy" in answer.headers
