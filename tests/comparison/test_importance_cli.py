"""What `bestofk importance` takes for a hyperparameter."""

from __future__ import annotations

import json
import shlex
import sys

import numpy as np
import pytest

from bestofk.cli import main as program


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Run `bestofk importance` beside a file with a plain column and one with params_lr."""
    rng = np.random.default_rng(0)
    monkeypatch.chdir(tmp_path)
    for name, head in (("plain", "lr,acc"), ("named", "params_lr,acc")):
        rows = [f"{x},{y}" for x, y in rng.random((40, 2))]
        (tmp_path / f"{name}.csv").write_text("\n".join([head, *rows]) + "\n")

    def call(line):
        words = ["bestofk", "importance", *shlex.split(line), "--format", "json"]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit):
            program.main()
            raise SystemExit(0)
        return capsys.readouterr()

    return call


@pytest.mark.parametrize(
    "line", ["plain.csv --score acc --param lr", "plain.csv --param lr", "named.csv --param lr"]
)
def test_a_column_that_param_names_is_a_hyperparameter(run, line):
    """It was answered that the search has no hyperparameters."""
    plain = json.loads(run(line).out)
    assert (plain["kind"], plain["label"], plain["n"]) == ("importance", "lr", 40)


def test_one_that_is_not_there_is_refused(run):
    assert "there is no 'q' among 'lr', 'acc'" in run("plain.csv --score acc --param q").err
    assert "hyperparameter of the search ('lr'); got 'q'" in run("named.csv --param q").err
