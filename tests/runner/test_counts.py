"""What `status`, `list` and `export` read of a large store: counts and pieces, not all trials."""

from __future__ import annotations

import io
import json
import math
import sqlite3
import tracemalloc
from contextlib import closing

import pytest

import bestofk as bk
from bestofk._base.text import capital
from bestofk.curves.prediction import can_stop, prediction
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.tables import TrialRow
from bestofk.runner.summary import listed, summarise
from bestofk.sources import export_store as export_store_module
from bestofk.sources.export import export
from bestofk.sources.export_store import export_store
from tests.runner import objectives
from tests.runner.searches import SPACE

STATES = ("complete", "complete", "failed", "pruned")


def filled(path, n, *, gap=None, late=None, name="cnn", direction="maximize"):
    """Write a store of n trials without running them; without `gap`; a metric from `late` on."""
    url = f"sqlite:///{path}"
    options = {"seed": 7, "name": name, "store": url, "n_workers": 0, "direction": direction}
    bk.run_search(objectives.plain, SPACE, n_trials=1, **options)
    rows = []
    for i in (i for i in range(1, n) if i != gap):
        state, score = STATES[i % 4], math.sin(i)
        metrics = {"score": score, "loss": 1 - score} if state != "failed" else {}
        if late is not None and i >= late:
            metrics |= {"late": 1.5, "inf": math.inf, "nan": math.nan}
        rows.append(
            TrialRow(
                number=i, state=state, params={"x": i / n, "n": 3, "word": "c;d"},
                score=score if state != "failed" else None, metrics=metrics, cost=0.5,
                started=1e9 + i, ended=1e9 + i + 1, host="h", attempt=1,
                error="ValueError: no\nmore" if state == "failed" else "",
            )
        )  # fmt: skip
    with Ledger(url, create=True) as ledger:
        row = ledger.get(name)
        ledger.record(row, rows)
        ledger.update(row, n + 5, dict(row.options))
    return url


class Reads:
    """Counts the rows that a ledger hands out, and the most at once."""

    def __init__(self, monkeypatch):
        self.most = self.all = 0
        before = Ledger._execute

        def counted(ledger, *statement):
            rows = before(ledger, *statement)
            self.all += len(rows)
            self.most = max(self.most, len(rows))
            return rows

        monkeypatch.setattr(Ledger, "_execute", counted)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_a_summary_says_what_the_trials_say(tmp_path, direction):
    url = filled(tmp_path / "a.db", 200, gap=150, direction=direction)
    found = bk.read(url)
    ended = [t for t in found.trials if t.state != "running"]
    complete = [t for t in ended if t.state == "complete"]
    best = (max if direction == "maximize" else min)(complete, key=lambda t: t.score)
    with Ledger(url) as ledger:
        facts = summarise(ledger, ledger.get("cnn")).to_dict()
        (short,) = listed(ledger)
    for state in ("complete", "failed", "pruned"):
        assert facts[state] == [t.state for t in ended].count(state)
    assert (facts["ended"], facts["n_trials"]) == (199, 205)
    assert (facts["best"], facts["best_trial"]) == (best.score, best.number)
    assert facts["best_params"] == best.params
    assert facts["cost"] == pytest.approx(math.fsum(t.cost for t in ended), rel=1e-12)
    assert facts["first_error"] == "trial 2: ValueError: no"
    assert "(80 % confidence, whenever you look)" in facts["certain"]
    assert {key: facts[key] for key in short} == short
    json.dumps(facts, allow_nan=False)


def test_a_list_reads_as_much_of_many_trials_as_of_few(tmp_path, monkeypatch):
    counts = []
    for n in (50, 5000):
        url = filled(tmp_path / f"{n}.db", n)
        reads = Reads(monkeypatch)
        with Ledger(url) as ledger:
            listed(ledger)
        counts.append(reads.all)
        monkeypatch.undo()
    assert counts[0] == counts[1] < 20


def test_a_status_reads_no_more_than_the_scores_of_the_last_look(tmp_path, monkeypatch):
    url = filled(tmp_path / "a.db", 5000)
    reads = Reads(monkeypatch)
    monkeypatch.setattr(Ledger, "trials", lambda *_: pytest.fail("all trials were loaded"))
    with Ledger(url) as ledger:
        summarise(ledger, ledger.get("cnn"))
    assert reads.most <= 2560  # looks are at 10, 20, ..., 2560, 5120


@pytest.mark.parametrize("form", ["csv", "jsonl"])
@pytest.mark.parametrize("options", [{}, {"gap": 1500, "late": 2200}, {"gap": 1}])
def test_an_export_is_written_in_pieces_and_is_the_same_file(tmp_path, monkeypatch, form, options):
    url = filled(tmp_path / "a.db", 3000, **options)
    wanted = io.StringIO()
    export(bk.read(url), wanted, format=form)
    reads = Reads(monkeypatch)
    found = io.StringIO()
    export_store(url, "cnn", found, format=form)
    assert found.getvalue() == wanted.getvalue()
    assert reads.most <= 1000


def test_an_export_copies_digits_and_parses_only_what_is_unusual(tmp_path, monkeypatch):
    url = filled(tmp_path / "a.db", 5000)
    before, parsed = export_store_module._parsed, []
    monkeypatch.setattr(
        export_store_module, "_parsed", lambda *given: parsed.append(1) or before(*given)
    )
    for form in ("csv", "jsonl"):
        export_store(url, "cnn", io.StringIO(), format=form)
    assert len(parsed) == 2  # the first thousand trials of either


ODD_PARAMS = [
    {"x": 1, "n": 3.0, "word": "c;d"},
    {"x": -0.0, "n": 10**30, "word": "true"},
    {"x": 1e300, "n": -5e-324, "word": ""},
    {"x": True, "n": None, "word": "null"},
    {"x": False, "n": 1e16, "word": "é"},
    {"x": 2, "word": " a, b"},
    {"n": 2, "word": '"'},
    {"x": 2, "n": 2, "word": "a\nb\\"},
    {"word": "w", "x": 1, "n": 2},
    {"x": [1, 2], "n": 1, "word": "inf"},
    {"x": "5", "n": "1e5", "word": "%s"},
    {},
]
ODD_METRICS = [
    {"loss": 1.5, "score": 0.5, "a%b": 2.0},
    {"loss": 3, "score": 0.5, "a%b": 1e22},
    {"loss": math.nan, "score": 0.25, "a%b": math.inf},
    {"score": 0.5},
    {"loss": -1e-7, "score": 1e-300},
    {"loss": math.nan, "score": 1e16, "a%b": -0.0},
    {"loss": 1.0},
    {},
]


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_an_export_is_the_same_file_whatever_trials_hold(tmp_path, monkeypatch, form):
    url = f"sqlite:///{tmp_path / 'a.db'}"
    bk.run_search(objectives.plain, SPACE, n_trials=1, seed=7, name="cnn", store=url, n_workers=0)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        usual = json.dumps(ODD_METRICS[0])
        connection.execute("UPDATE bestofk_trial SET score = 0.5, metrics = ?", [usual])
    rows = []
    for i in range(1, 400):
        # First a usual trial, so that all the odd ones come after it is known what is usual.
        params = ODD_PARAMS[i // 3 % len(ODD_PARAMS)] if i > 5 else ODD_PARAMS[0]
        metrics = ODD_METRICS[i % len(ODD_METRICS)] if i > 5 else ODD_METRICS[0]
        score = -math.inf if metrics == {"loss": 1.0} else metrics.get("score")
        rows.append(
            TrialRow(
                number=i, state="failed" if score is None else "complete", params=params,
                score=score, metrics=metrics, cost=0.1 * i, started=1e9, ended=1e9 + 1, host="h",
                attempt=1, error="",
            )
        )  # fmt: skip
    with Ledger(url, create=True) as ledger:
        ledger.record(ledger.get("cnn"), rows)
    wanted = io.StringIO()
    export(bk.read(url), wanted, format=form)
    for at_once in (1, 2, 1000):
        monkeypatch.setattr(export_store_module, "_AT_ONCE", at_once)
        found = io.StringIO()
        export_store(url, "cnn", found, format=form)
        assert found.getvalue() == wanted.getvalue()


def test_an_export_is_a_look_at_the_results(tmp_path):
    url = filled(tmp_path / "a.db", 20)
    with Ledger(url) as ledger:
        before = ledger.get("cnn").looks
    export_store(url, "cnn", io.StringIO(), format="csv")
    with Ledger(url) as ledger:
        assert (*before, 25) == ledger.get("cnn").looks


def test_an_export_of_trials_during_which_the_clock_was_set_back_is_the_same_file(tmp_path):
    url = filled(tmp_path / "a.db", 20)
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection, connection:
        connection.execute("UPDATE bestofk_trial SET cost = -3599, ended = 0 WHERE number = 4")
    wanted, found = io.StringIO(), io.StringIO()
    export(bk.read(url), wanted, format="csv")
    export_store(url, "cnn", found, format="csv")
    assert found.getvalue() == wanted.getvalue()
    assert "-3599" not in found.getvalue()


def test_an_export_to_a_file_holds_no_more_of_many_trials_than_of_few(tmp_path):
    peaks = []
    for n in (2000, 8000):
        url = filled(tmp_path / f"{n}.db", n)
        tracemalloc.start()
        export_store(url, "cnn", tmp_path / f"{n}.csv", format="csv")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.5 * peaks[0]


def test_a_summary_answers_can_i_stop(tmp_path):
    url = filled(tmp_path / "a.db", 200, gap=150)
    with Ledger(url) as ledger:
        row = ledger.get("cnn")
        facts = summarise(ledger, row).to_dict()
        assert facts["can_stop"] == capital(can_stop(facts["certain"], 199, 205 - 199))
        for width, answer in (("0.001", "Not yet: the band of 'cnn' is "), ("9", "Stop: the band")):
            stopping = {**row.options, "stop_when": f"width<{width}@2", "confidence": 0.8}
            ledger.update(row, row.n_trials, stopping)
            row = ledger.get("cnn")
            said = summarise(ledger, row).to_dict()["can_stop"]
            assert said.startswith(answer)
            assert "wide at budget 2" in said
            assert said.endswith(
                prediction(199, 6, running=True) + ", 1,791 more in at least 90 %."
            )
        ledger.update(row, row.n_trials, {**row.options, "stop_when": "this>gone@2"})
        assert summarise(ledger, ledger.get("cnn")).can_stop == facts["can_stop"]
