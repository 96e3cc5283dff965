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
