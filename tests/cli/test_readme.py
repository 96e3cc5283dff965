"""The calls in README's table work as they are printed, on files of those names."""

from __future__ import annotations

import re

import numpy as np
import pytest

import bestofk as bk
from tests.conftest import ROOT
from tests.sources.attempt_files import humaneval

TABLE = (ROOT / "README.md").read_text().split("## Question → call")[1].split("\n\n")[1]
COMMANDS = re.findall(r"`bestofk ([^`]+)`", TABLE)


@pytest.fixture
def files(tmp_path, monkeypatch):
    """Make what the table speaks of: runs.csv, a.csv, b.csv, results.jsonl and tune.db."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    for name in ("runs", "a", "b"):
        rows = [f"{x},{lr}" for x, lr in zip(rng.random(40), rng.random(40), strict=True)]
        (tmp_path / f"{name}.csv").write_text("\n".join(["acc,lr", *rows, ""]))
    (tmp_path / "results.jsonl").write_text(humaneval())
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for seed in range(6):
        sampler = optuna.samplers.TPESampler(seed=seed)
        study = optuna.create_study(
            study_name=f"tpe-{seed}", storage="sqlite:///tune.db", sampler=sampler
        )
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=3)
    return tmp_path


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_every_command_of_the_table_works_as_printed(invoke):
    assert len(COMMANDS) > 10
    for command in COMMANDS:
        line = f"{command} --check" if command.startswith("serve") else command
        code, _, err = invoke(line)
        assert code == 0, f"{command}: {err}"


@pytest.mark.slow
@pytest.mark.usefixtures("files")
def test_every_call_of_the_table_works_as_printed():
    search, a, b = (bk.read(f"{name}.csv", score="acc", params="lr") for name in ("runs", "a", "b"))
    names = {
        "bk": bk, "search": search, "a": a, "b": b, "result": bk.tuning_curve(search),
        "results": [bk.tuning_curve(a), bk.tuning_curve(b)],
        "attempts": bk.read_attempts("results.jsonl")["results"],
    }  # fmt: skip
    calls = [c for c in re.findall(r"`((?:bk|result)\.[^`]+)`", TABLE) if "…" not in c]
    assert len(calls) > 10
    for call in calls:
        assert eval(call, names) is not None, call
