"""``bestofk search`` and its relatives as a user meets them."""

from __future__ import annotations

import csv
import io
import json

import pytest

import bestofk as bk

SPACE = """
x = { kind = "uniform", low = 0, high = 1 }
word = { kind = "choice", values = ["a b", "c;d"] }
"""
SEARCH = "search --name cnn --space space.toml --trials 4 --seed 7 "
ECHO = """-- echo '{{"score": {x}, "loss": 0.5}}'"""


@pytest.fixture
def run(tmp_path, monkeypatch, invoke):
    """Run the program in an empty folder with a space, in this process."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "space.toml").write_text(SPACE)

    return invoke


def test_a_command_is_searched_and_the_rest_of_the_line_is_its_own(run, tmp_path):
    code, out, err = run(SEARCH + "--workers 2 " + ECHO)
    assert code == 0, err
    assert out == "Search 'cnn': 4 trials (4 complete), score 'score', maximize, sampling iid\n"
    assert "cnn: 4 of 4 trials, best" in err
    assert bk.read("sqlite:///bestofk.db", name="cnn").n == 4


def test_a_function_is_searched(run):
    code, out, _ = run(SEARCH + "--score x2 --direction minimize tests.cli.test_search:square")
    assert code == 0
    assert "score 'x2', minimize" in out


def square(params, trial):
    return params["x"] ** 2


def test_the_same_command_extends_and_resume_goes_on(run):
    run(SEARCH + ECHO)
    assert "6 trials (6 complete)" in run(SEARCH.replace("4", "6") + ECHO)[1]
    assert "9 trials (9 complete)" in run("resume cnn --trials 9 --workers 2")[1]
    assert "9 trials (9 complete)" in run("resume cnn")[1]


def test_status_and_list(run):
    run(SEARCH + ECHO)
    run(SEARCH.replace("cnn", "bad") + "--keep-going -- false")
    facts = json.loads(run("status cnn --format json")[1])
    assert facts["ended"] == facts["n_trials"] == facts["complete"] == 4
    assert facts["best"] == max(t.score for t in bk.read("bestofk.db", name="cnn").trials)
    assert facts["best_params"]["x"] == facts["best"]
    assert not facts["running"]
    assert facts["hosts"]
    (row,) = csv.DictReader(io.StringIO(run("status cnn --format csv")[1]))
    assert json.loads(row["best_params"]) == facts["best_params"]
    assert "first_error  trial 0: the command ended with exit status 1" in run("status bad")[1]
    rows = json.loads(run("list --format json")[1])
    assert [(r["name"], r["ended"], r["failed"]) for r in rows] == [("cnn", 4, 0), ("bad", 4, 4)]
    assert run("list")[1].splitlines()[1].split()[:3] == ["cnn", "4", "4"]
    assert len(list(csv.DictReader(io.StringIO(run("list --format csv")[1])))) == 2


def test_export_has_a_column_for_everything(run, tmp_path):
    run(SEARCH + ECHO)
    search = bk.read("bestofk.db", name="cnn")
    rows = list(csv.DictReader(io.StringIO(run("export cnn")[1])))
    assert list(rows[0]) == ["number", "state", "x", "word", "score", "loss", "cost"]
    assert [float(r["x"]) for r in rows] == [t.params["x"] for t in search.trials]
    assert [r["word"] for r in rows] == [t.params["word"] for t in search.trials]
    lines = run("export cnn --format jsonl")[1].splitlines()
    assert [json.loads(line)["score"] for line in lines] == [t.score for t in search.trials]
    assert run("export cnn -o cnn.csv")[1] == ""
    again = bk.read("cnn.csv", score="score", cost="cost", state="state", params="x")
    assert again.scores().values.tolist() == search.scores().values.tolist()
    assert again.scores().costs.tolist() == search.costs.tolist()


def test_a_failed_trial_is_exported_without_a_score(run):
    run(SEARCH + "--keep-going -- false")
    rows = list(csv.DictReader(io.StringIO(run("export cnn")[1])))
    assert [(r["state"], r["score"]) for r in rows] == [("failed", "")] * 4


def test_a_clash_of_names_is_refused(run, tmp_path):
    (tmp_path / "space.toml").write_text("cost = [1, 2]")
    run(SEARCH + """-- echo '{{"score": 1}}'""")
    code, out, err = run("export cnn")
    assert code == 1
    assert out == ""
    assert "columns must have different names; 'cost' would come more than once" in err


def test_thresholds(run):
    code, out, _ = run(SEARCH + "--thresholds 5=2 tests.cli.test_search:reports")
    assert code == 0
    assert "4 trials (4 pruned)" in out


def reports(params, trial):
    trial.report(5, params["x"])


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        (SEARCH + "-- echo {y}", 2, "braces must hold one of x, word, trial.number"),
        (SEARCH + "nosuch:f", 1, "nosuch:f: the objective cannot be imported"),
        (SEARCH, 2, "Missing argument"),
        (SEARCH.replace("space.toml", "no.toml") + ECHO, 1, "no.toml: the space cannot be read"),
        (SEARCH + "--thresholds 5:2 " + ECHO, 2, "--thresholds must look like 5=0.6,20=0.8"),
        (SEARCH + "--resources GPU " + ECHO, 2, "--resources must look like GPU=1"),
        (SEARCH + "--dask tcp://x --dask-local 2 " + ECHO, 2, "exclude each other"),
        (SEARCH + "--store runs " + ECHO, 2, "--store must be sqlite:///FILE"),
        ("status cnn", 1, "sqlite:///bestofk.db: there is no such store"),
        ("resume cnn", 1, "there is no such store"),
        ("list --store sqlite:///no.db", 1, "there is no such store"),
        ("export cnn --format parquet", 2, "needs a file or a URL: -o FILE"),
        ("export cnn", 1, "bestofk.db"),
    ],
)
def test_failures_say_what_must_hold(run, line, code, message):
    got, out, err = run(line)
    assert (got, out) == (code, "")
    assert message in err
    assert "Traceback" not in err


def test_another_search_under_the_name_is_refused(run):
    run(SEARCH + ECHO)
    code, _, err = run(SEARCH.replace("--seed 7", "--seed 8") + ECHO)
    assert code == 2
    assert "search 'cnn' must go on as it began; seed: 7 before, 8 now" in err


def test_an_interrupt_says_how_to_go_on(run, monkeypatch):
    def stopped(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("bestofk.runner.run.drive", stopped)
    code, _, err = run(SEARCH + ECHO)
    assert code == 130
    assert "go on with: bestofk resume cnn --store sqlite:///bestofk.db" in err
