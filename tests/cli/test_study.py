"""``bestofk study`` as a user meets it."""

from __future__ import annotations

import csv
import io
import json

import pytest

from bestofk.cli.jobs import n_jobs
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
