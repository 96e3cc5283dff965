"""``bestofk study`` as a user meets it."""

from __future__ import annotations

import csv
import inspect
import io
import json
import shutil
from dataclasses import MISSING, fields

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

import bestofk as bk
from bestofk.cli.jobs import n_jobs
from bestofk.cli.study import ROWS, Row, _command, _each, app
from tests import schema
from tests.cli import test_cli

run = test_cli.run


def test_study_json_has_facts_and_caveats(run):
    out = run("study coverage ys.csv --n 4 --band ks --samples 50 --jobs 1 --format json")[1]
    plain = json.loads(out)
    assert plain["n"] == 4
    assert plain["nominal"] == [0.95]
    assert any("how the trials were drawn is not known" in c["text"] for c in plain["caveats"])
    assert any("a search like it" in c["text"] for c in plain["caveats"])
    assert plain["validity"] == "assumed"
    (reason,) = plain["reasons"]
    assert reason.startswith("how the trials were drawn is not known")


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
        ("study coverage none.csv", 1, "there is no such file"),
        ("study coverage ys.csv --truth guess", 2, "'guess' is not one of 'kernel', 'bag'"),
        (
            "study coverage ys.csv --band bonferroni",
            2,
            "'bonferroni' is not one of 'ld-highest-density', 'ld-equal-tailed', 'ks', 'dkw', "
            "'bootstrap'",
        ),
        ("study coverage ys.csv --statistic mean", 2, "needs finite --bounds; got none. State"),
        ("study coverage ys.csv --seed -1", 2, "Invalid value for '--seed'"),
        ("study coverage one.csv", 2, "too much alike to be smoothed"),
        ("study wrong-model ys.csv", 2, "exactly two methods; got 1"),
        ("study width ys.csv --n 0", 2, "--n must be a whole number"),
        ("study wrong-model two.csv --by m --budgets 1.5", 2, "--budgets must be whole numbers"),
        ("study tuning none.csv --score a --params C", 1, "none.csv: there is no such file"),
        ("study tuning cv.csv --score acc --params C --repeats 1.5", 2, "--repeats must be whole"),
        ("study tuning cv.csv --score acc --params C --repeats 9", 2, "at most the 2 recorded"),
        ("study tuning cv.csv --score acc --params opt", 1, "column 'opt' must hold numbers"),
        ("study tuning cv.csv --score acc --params C --direction up", 2, "'maximize', 'minimize'"),
        ("study reach --sizes x", 2, "--sizes must look like"),
        ("study reach --sizes 10", 2, "--sizes must be at least two different numbers"),
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
    assert n_jobs(3) == 3
    assert n_jobs(None) >= 1


ATTEMPTS = "study attempts --samples 60 --jobs 1"
OWN = "bestofk-demo/attempts.csv --problem task_id --score passed --by model"


def test_study_attempts_prints_how_often_whole_curves_are_held(run):
    """The whole curve first, then coverage, width and bias at each k."""
    code, out, err = run(f"{ATTEMPTS} --k 1,4,16")
    assert code == 0
    heads = [line for line in out.splitlines() if line.startswith("Study")]
    assert [h.split(": ")[1].split(",")[0] for h in heads] == [
        "how often 0.95 intervals for pass@k hold at 3 k together",
        "coverage at each k of 0.95 intervals for pass@k",
        "mean width of 0.95 intervals for pass@k",
        "pass@k",
    ]
    assert all("n = 16, samples 60, seed 0, problems 30" in h for h in heads)
    assert "recorded attempts" in err
    found = json.loads(run(f"{ATTEMPTS} --format json")[1])
    assert found[0]["what"].endswith("hold the whole curve")
    assert [len(f["budgets"]) for f in found[1:]] == [16, 16, 16]
    for each in found:
        schema.validate(each)


def test_study_attempts_takes_files_and_simulates_evaluations_like_them(run, demo_files, tmp_path):
    shutil.copytree(demo_files, tmp_path / "bestofk-demo")
    found = json.loads(run(f"{ATTEMPTS} {OWN} --k 1,10 --format json")[1])
    assert [f["label"] for f in found] == ["small"] * 4 + ["large"] * 4
    assert {(f["n"], f["problems"]) for f in found} == {(10, 164)}
    rows = bk.read_attempts("bestofk-demo/attempts.csv", by="model")["small"]
    assert found[3]["truth"][0] == pytest.approx(np.mean(rows.correct / 10))
    line = f"{ATTEMPTS} {OWN} --problems 30 --attempts 4 --format json"
    assert {(f["n"], f["problems"]) for f in json.loads(run(line)[1])} == {(4, 30)}
    (tmp_path / "counts.csv").write_text("q,tries,right\na,8,0\nb,8,3\nc,8,8\n")
    line = f"{ATTEMPTS} counts.csv --problem q --n tries --correct right --format json"
    found = json.loads(run(line)[1])
    assert (found[0]["n"], found[0]["problems"]) == (8, 3)
    assert found[3]["truth"][0] == pytest.approx((3 / 8 + 1) / 3)


def test_study_attempts_about_the_benchmark_pass_all_and_stopped(run):
    one = json.loads(run(f"{ATTEMPTS} --scope benchmark --problems 400 --format json")[1])
    assert one[0]["band"] == ["normal", "mean-se", "plug-in-se"]
    assert one[1]["budgets"] == list(range(1, 9))
    two = json.loads(run(f"{ATTEMPTS} --pick worst --format json")[1])
    assert two[3]["what"].startswith("pass^k")
    assert two[3]["truth"][0] > two[3]["truth"][-1]
    three = json.loads(run(f"{ATTEMPTS} --stopped success --format json")[1])
    assert three[0]["band"] == ["first-success", "direct-se", "usual-se"]
    assert three[3]["usual"][0] > 0.05


def test_study_attempts_draws(run, tmp_path):
    assert run(f"{ATTEMPTS} --k 1,4,16 --plot a.png")[0] == 0
    assert (tmp_path / "a.png").stat().st_size > 10_000


def test_a_figure_that_cannot_be_written_is_refused_before_anything_is_simulated(run):
    code, _, err = run("study attempts --samples 1000000000 --plot none/a.png")
    assert code == 1
    assert "none" in err


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_row_of_the_table_is_a_command_with_its_options(row):
    """Those of its data and its own, with their defaults; the help is that of the row."""
    command = typer.main.get_command(app).commands[row.name]
    wanted = {f.name: f.default for f in fields(row.data)} | dict(row.own)
    found = {p.name: p for p in command.params if p.name != "help"}
    assert set(found) == set(wanted)
    for name, default in wanted.items():
        assert found[name].required == (default is MISSING)
        if default not in (MISSING, None):
            assert found[name].default == default, name
    assert inspect.cleandoc(row.help) == inspect.cleandoc(command.help)


def test_a_new_row_is_a_new_command(run, monkeypatch):
    """Name, what runs, help, and defaults of options that there are."""
    row = Row(
        "spread", _each("estimators.estimation_error"), "Say.", own={"samples": 7, "truth": "bag"}
    )
    other = typer.Typer()
    other.command(name=row.name)(_command(row))
    other.command(name="x")(lambda: None)
    result = CliRunner().invoke(other, ["spread", "ys.csv", "--n", "3", "--jobs", "1"])
    assert result.exit_code == 0
    assert "samples 7" in result.output


def test_what_is_said_about_files_needs_a_file(run):
    code, _, said = run("study attempts --score passed")
    assert code == 2
    assert "--score must come with the file that it is about; none was given." in said


def test_a_truth_has_the_same_number_of_attempts_at_every_problem(run, tmp_path):
    """What passk advises for such a file describes the simulation here, and would not help."""
    (tmp_path / "stopped.csv").write_text("problem,score\na,0\na,1\nb,1\nc,0\nc,0\nc,1\n")
    code, _, said = run("study attempts stopped.csv")
    assert code == 1
    assert "must have the same number of attempts" in said
    assert "--stopped" not in said


def test_without_a_file_it_says_whose_attempts_they_are(run):
    assert "load_countdown" in run("study attempts --samples 50 --k 1")[2]
