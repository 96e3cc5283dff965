"""``bestofk reproduce`` and ``bestofk study`` as a user meets them."""

from __future__ import annotations

import csv
import io
import json

import pytest

from bestofk.cli import reproduce
from bestofk.lab import registry
from tests.cli import test_cli

run = test_cli.run


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    monkeypatch.setenv("BESTOFK_DATA", str(tmp_path / "nowhere"))


def test_list_names_everything(run):
    code, out, _ = run("reproduce --list")
    assert code == 0
    names = list(registry.reproductions())
    assert [line.split()[0] for line in out.splitlines()] == names
    assert [item["id"] for item in json.loads(run("reproduce --list --format json")[1])] == names
    rows = csv.DictReader(io.StringIO(run("reproduce --list --format csv")[1]))
    assert [row["id"] for row in rows] == names


def test_reproduce_writes_figure_numbers_and_verdict(run, tmp_path):
    code, out, err = run("reproduce dodge2021-fig1 -o out --jobs 1")
    assert code == 0
    assert out.startswith("dodge2021-fig1: holds.")
    assert "files: out/dodge2021-fig1" in err
    folder = tmp_path / "out" / "dodge2021-fig1"
    names = {p.name for p in folder.iterdir()}
    assert names == {"figure.pdf", "figure.png", "verdict.json", "numbers.json", "moments.csv"}
    verdict = json.loads((folder / "verdict.json").read_text())
    assert verdict["holds"] is True
    assert verdict["claim"].startswith("Bias: W below V")
    assert verdict["figures"]["unique_values"] > 9000
    rows = list(csv.DictReader(io.StringIO((folder / "moments.csv").read_text())))
    assert len(rows) == 30


def test_json_is_the_verdict(run):
    out = run("reproduce dodge2021-tables23 --format json")[1]
    assert json.loads(out)["id"] == "dodge2021-tables23"


def test_the_seed_fixes_the_figures(run):
    outs = [
        json.loads(run(f"reproduce dodge2021-fig1 --format json --seed {s} --jobs {j}")[1])
        for s, j in ((1, 1), (1, 2), (2, 1))
    ]
    assert outs[0]["figures"] == outs[1]["figures"]
    assert outs[0]["figures"] != outs[2]["figures"]


@pytest.mark.usefixtures("no_data")
def test_without_data_it_says_so_and_exits_with_zero(run):
    code, out, err = run("reproduce tang2020-fig3")
    assert code == 0
    assert "not available" in out
    assert "BESTOFK_DATA must name a folder" in err


@pytest.mark.usefixtures("no_data")
def test_all_makes_an_index(run, tmp_path, monkeypatch):
    few = ("dodge2021-fig1", "dodge2021-tables23", "tang2020-fig3")
    found = {name: registry.find(name) for name in few}
    monkeypatch.setattr(registry, "reproductions", lambda: found)
    code, out, err = run("reproduce all -o out --jobs 1")
    assert code == 0
    assert "Of 3 figures and tables 2 hold, 0 do not, and 1 are not available." in out
    assert "tang2020-fig3: not available" in err
    page = (tmp_path / "out" / "index.html").read_text()
    assert "src='dodge2021-fig1/figure.png'" in page
    assert len(json.loads((tmp_path / "out" / "verdicts.json").read_text())) == 3


def test_study_json_has_facts_and_doubts(run):
    out = run("study coverage ys.csv --n 4 --method ks --samples 50 --jobs 1 --format json")[1]
    plain = json.loads(out)
    assert plain["n"] == 4
    assert plain["nominal"] == [0.8]
    assert any("how the trials were drawn is not known" in c for c in plain["caveats"])
    assert any("a search like it" in c for c in plain["caveats"])


def test_study_csv_is_whole_and_a_plot_is_drawn(run, tmp_path):
    line = "study underestimates ys.csv --n 30 --samples 50 --jobs 1 --format csv --plot u.png"
    rows = list(csv.DictReader(io.StringIO(run(line)[1])))
    assert len(rows) == 30
    assert (tmp_path / "u.png").stat().st_size > 3000


def test_study_minimizes(run):
    line = "study error ys.csv --n 3 --samples 500 --jobs 1 --direction minimize --format json"
    plain = json.loads(run(line)[1])
    assert plain["direction"] == "minimize"
    assert plain["truth"][0] > plain["truth"][-1]
    assert plain["bias_v"][-1] > 0


def test_study_tuning_reads_repetitions(run, tmp_path):
    rows = [f"{r},{c},{0.5 + 0.01 * ((r * 7 + c) % 5)}" for r in range(12) for c in (1, 10)]
    (tmp_path / "cv.csv").write_text("\n".join(["rep,C,acc", *rows]))
    out = run("study tuning cv.csv --score acc --repetition rep --params C --repeats 1,4")[1]
    assert "Study 'cv'" in out
    assert len(out.splitlines()) == 4
    line = "study tuning cv.csv --score acc --repetition rep --params C --format json"
    assert json.loads(run(line)[1])["repeats"] == [1, 2, 4, 8]
    short = "\n".join(["rep,C,acc", *rows[:6]])
    (tmp_path / "cv.csv").write_text(short)
    assert json.loads(run(line)[1])["repeats"] == [1, 2]
    found = json.loads(run(f"{line} --direction minimize")[1])
    assert found["direction"] == "minimize"


@pytest.mark.parametrize(
    ("line", "code", "message"),
    [
        ("reproduce", 2, "needs the name of a figure or table, or --list"),
        ("reproduce tang2020-fig9", 2, "there is no figure or table 'tang2020-fig9'"),
        ("reproduce dodge2021-tables23 -o ys.csv", 1, "cannot be written"),
        ("study coverage none.csv", 1, "there is no such file"),
        ("study coverage ys.csv --truth guess", 2, "`--truth` must be one of 'kernel', 'bag'"),
        ("study coverage ys.csv --method bonferroni", 2, "'dkw', 'bootstrap'; got 'bonferroni'"),
        ("study coverage ys.csv --statistic mean", 2, "needs finite `bounds`; got none. State"),
        ("study coverage ys.csv --seed -1", 2, "Invalid value for '--seed'"),
        ("study coverage one.csv", 2, "too much alike to be smoothed"),
        ("reproduce dodge2021-fig1 --seed -1", 2, "Invalid value for '--seed'"),
        ("study wrong-model ys.csv", 2, "exactly two methods; got 1"),
        ("study width ys.csv --n 0", 2, "`n` must be a whole number"),
        ("study wrong-model two.csv --by m --budgets 1.5", 2, "--budgets must be whole numbers"),
        ("study tuning none.csv --score a --params C", 1, "none.csv: there is no such file"),
        ("study tuning cv.csv --score acc --params C --repeats 1.5", 2, "--repeats must be whole"),
        ("study tuning cv.csv --score acc --params C --repeats 9", 2, "at most the 2 recorded"),
        ("study tuning cv.csv --score acc --params opt", 1, "column 'opt' must hold numbers"),
        ("study tuning cv.csv --score acc --params C --direction up", 2, "'maximize', 'minimize'"),
        ("study reach --sizes x", 2, "--sizes must look like"),
        ("study reach --sizes 10", 2, "`sizes` must be at least two different numbers"),
    ],
)
def test_failures_say_what_must_hold(run, tmp_path, line, code, message):
    for name, text in {
        "one.csv": "score\n0.5",
        "two.csv": "m,score\na,1\na,2\nb,1\nb,3",
        "cv.csv": "repetition,C,opt,acc\n1,1,a,0.5\n1,2,b,0.6\n2,1,a,0.7\n2,2,b,0.6",
    }.items():
        (tmp_path / name).write_text(text)
    got, out, err = run(line)
    assert got == code
    assert message in err
    assert "Traceback" not in err
    assert out == ""


def test_one_process_per_core_unless_told():
    assert reproduce.n_jobs(3) == 3
    assert reproduce.n_jobs(None) >= 1
