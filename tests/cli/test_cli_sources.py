"""The command line on what other tools left: files, folders, URLs."""

from __future__ import annotations

import json

import pytest

import bestofk as bk
from tests.cli import test_cli
from tests.sources import recorded

run = test_cli.run  # the fixture


def study(tmp_path, name, values, direction="maximize"):
    pytest.importorskip("optuna")
    search = bk.Search({"acc": values}, label=name, direction=direction, sampling="iid")
    bk.export(search, f"sqlite:///{tmp_path}/study.db")


def test_a_database_by_its_url_and_by_its_file(run, tmp_path):
    study(tmp_path, "cnn", [0.5, 0.25, 0.75], "minimize")
    for where in (f"sqlite:///{tmp_path}/study.db", "sqlite:///study.db", "study.db"):
        code, out, _ = run(f"curve {where} --format json --budgets 1,2")
        assert code == 0
        assert json.loads(out)["direction"] == "minimize"
        assert json.loads(out)["estimate"] == [0.5, 0.25]
        assert json.loads(out)["caveats"] == []


def test_several_studies(run, tmp_path):
    study(tmp_path, "cnn", [0.5, 0.25, 0.75])
    study(tmp_path, "rnn", [0.5, 0.25])
    code, out, _ = run("curve study.db --format json")
    assert code == 0
    assert [curve["label"] for curve in json.loads(out)] == ["cnn", "rnn"]
    code, out, _ = run("compare study.db --by study --format json")
    assert code == 0
    assert json.loads(out)["labels"] == ["cnn", "rnn"]
    assert run("compare study.db --format json")[1] == out


def test_one_of_several_studies_is_asked_for(run, tmp_path):
    study(tmp_path, "cnn", [0.5, 0.25, 0.75])
    study(tmp_path, "rnn", [0.5, 0.25])
    code, out, err = run("importance study.db")
    assert (code, out) == (2, "")
    assert "importance looks at one method; got 2: 'cnn', 'rnn'" in err
    assert "what bestofk export writes of one" in err
    assert run("export rnn --store sqlite:///study.db -o rnn.csv")[0] == 0
    assert json.loads(run("curve rnn.csv --format json --score acc")[1])["n"] == 2


def test_a_report_and_a_page_have_all_that_a_source_holds(run, tmp_path):
    study(tmp_path, "cnn", [0.5, 0.25, 0.75])
    study(tmp_path, "rnn", [0.5, 0.25])
    assert run("serve study.db --check")[1].splitlines() == ["cnn", "rnn"]
    assert run("report study.db -o all.md")[0] == 0
    assert "Tuning report: cnn, rnn" in (tmp_path / "all.md").read_text()
    (tmp_path / "two.csv").write_text("m,acc\na,1\na,2\nb,1\nb,3\n")
    assert run("serve two.csv --by m --check")[1].splitlines() == ["a", "b"]


def test_folders(run, tmp_path):
    recorded.unpack("mlflow", tmp_path)
    recorded.unpack("ray", tmp_path)
    code, out, err = run("curve files/mlruns --score acc --failed drop --format json")
    assert code == 0
    assert json.loads(out)["label"] == "cnn"
    assert "killed" in err
    code, out, _ = run("check grid --score acc")
    assert "not IID" in out
    code, _, err = run("curve files --score acc")
    assert code == 1
    assert "is none of them" in err


def test_a_password_never_appears(run):
    url = "postgresql://ann:s3cr3t@127.0.0.1:9/x"
    for line in (f"curve {url}", f"curve {url} {url}", f"curve {url} --direction up"):
        code, out, err = run(line)
        assert code in (1, 2)
        assert "s3cr3t" not in out + err


def log(tmp_path):
    rows = [f"r{t},{e},{0.5 + 0.01 * e + 0.001 * t:.3f}" for t in range(8) for e in (1, 2, 3)]
    (tmp_path / "log.csv").write_text("\n".join(["run_id,epoch,val_loss", *rows, ""]))


@pytest.mark.parametrize("command", ["curve", "check", "report", "serve --check"])
def test_a_log_is_refused_with_the_options_that_read_it(run, tmp_path, command):
    log(tmp_path)
    code, out, err = run(f"{command} log.csv --score val_loss --direction minimize")
    assert (code, out) == (1, "")
    assert (
        "log.csv has 3 rows for each run_id. Pass --trial run_id --take last (or best) to get one "
        "score per trial."
    ) in err


def test_one_row_of_each_trial_is_taken(run, tmp_path):
    log(tmp_path)
    best = {}
    for take in ("last", "best"):
        options = f"--trial run_id --take {take} --direction minimize --format json"
        code, out, _ = run(f"curve log.csv {options} --budgets 1:8")
        assert code == 0
        assert json.loads(out)["n"] == 8
        best[take] = json.loads(out)["estimate"][-1]
    assert best == {"last": 0.53, "best": 0.51}
    code, _, err = run("curve log.csv --take last")
    assert code == 2
    assert "name the column that tells the trials apart with --trial" in err


def test_a_loss_is_refused_until_its_direction_is_stated(run, tmp_path):
    (tmp_path / "x.csv").write_text("val_loss\n0.5\n0.4\n")
    code, _, err = run("curve x.csv")
    assert code == 2
    assert "val_loss looks like a loss. Say --direction minimize (or maximize)." in err
    assert run("curve x.csv --direction minimize")[0] == 0


def test_attempts_are_refused(run, tmp_path):
    rows = [f"t{i},{(i + j) % 2}" for i in range(6) for j in range(4)]
    (tmp_path / "r.csv").write_text("\n".join(["task_id,passed", *rows, ""]))
    code, _, err = run("curve r.csv --score passed")
    assert code == 1
    assert "r.csv holds several attempts at each of 6 problems (task_id), not one search." in err
    assert "Use: bestofk passk r.csv --problem task_id --score passed." in err


def test_a_blank_line_of_one_column_is_a_missing_score(run, tmp_path):
    (tmp_path / "x.csv").write_text("score\n0.5\n\n0.4\n")
    code, _, err = run("curve x.csv")
    assert code == 1
    assert "x.csv, row 2 (line 3): `score` is not a number (empty). Pass --failed worst" in err
    code, out, _ = run("curve x.csv --failed worst --bounds 0,1 --format json")
    assert (code, json.loads(out)["n"]) == (0, 3)
