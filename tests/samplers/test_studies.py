"""Repeated studies of Optuna: a study that was killed goes on as if nothing had happened."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import bestofk as bk
from tests.samplers.conftest import EXAMPLE

SAMPLERS = ("tpe", "cmaes", "random")
N = 16  # TPE learns from the 11th trial on, CMA-ES from its first generation of seven or eight


class Killed(BaseException):
    """Ends a study in the middle of a trial."""


def facts(rows):
    return [{name: row[name] for name in row if name != "seconds"} for row in rows]


@pytest.fixture
def counted(samplers, monkeypatch):
    """The settings that are measured; measuring one more than `limit` ends the study."""
    measured, limit = [], [10**6]
    measure = samplers.objectives.Objective.measure

    def watched(self, params):
        if len(measured) >= limit[0]:
            raise Killed
        measured.append(dict(params))
        return measure(self, params)

    monkeypatch.setattr(samplers.objectives.Objective, "measure", watched)
    monkeypatch.setattr(samplers.studies, "warm_up", lambda *_: None)  # only for the seconds
    return measured, limit


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_killed_study_goes_on_as_the_uninterrupted_one(samplers, counted, sampler, tmp_path):
    run_study, (measured, limit) = samplers.studies.run_study, counted
    whole = run_study("wine", sampler, 3, N, tmp_path / "whole.jsonl")
    measured.clear()
    path = tmp_path / "killed.jsonl"
    for limit[0] in (1, 9, 13):
        with pytest.raises(Killed):
            run_study("wine", sampler, 3, N, path)
        with path.open("a") as file:  # and while a line was being written
            file.write('{"number": 9, "par')
    limit[0] = 10**6
    assert facts(run_study("wine", sampler, 3, N, path)) == facts(whole)
    assert facts(samplers.studies.read_lines(path)) == facts(whole)
    assert measured == [row["params"] for row in whole]  # none twice


def test_a_new_sampler_with_the_same_seed_would_not_do(samplers, counted, tmp_path):
    """Negative control: a sampler that starts anew draws its first settings again."""
    whole = samplers.studies.run_study("wine", "tpe", 3, N, tmp_path / "whole.jsonl")
    study = samplers.studies.new_study("wine", "tpe", 1003)
    space = samplers.objectives.OBJECTIVES["wine"].space
    for row in whole[:8]:
        import optuna

        study.add_trial(
            optuna.create_trial(params=row["params"], distributions=space, value=row["score"])
        )
    assert study.ask(space).params != whole[8]["params"]
    assert counted[0]


def test_a_study_of_another_seed_or_version_is_refused(samplers, counted, tmp_path):
    path = tmp_path / "a.jsonl"
    rows = samplers.studies.run_study("wine", "random", 0, 3, path)
    rows[1]["params"]["C"] *= 1 + 1e-12
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(ValueError, match="a.jsonl, trial 1: was run with .* now asks for"):
        samplers.studies.run_study("wine", "random", 0, 4, path)
    assert len(counted[0]) == 3


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_a_study_is_what_anybody_gets_from_optuna(samplers, counted, sampler, tmp_path):
    """The same seed, an objective that suggests one parameter after another, `optimize`."""
    import optuna

    rows = samplers.studies.run_study("wine", sampler, 5, N, tmp_path / "a.jsonl")
    objective = samplers.objectives.OBJECTIVES["wine"]

    def suggested(trial):
        params = {
            name: trial.suggest_float(name, low, high, log=log)
            for name, (low, high, log) in objective.box.items()
        }
        return objective.measure(params)["score"]

    make = getattr(optuna.samplers, samplers.studies.SAMPLERS[sampler])
    study = optuna.create_study(
        direction="maximize", sampler=make(seed=samplers.studies.SEEDS[sampler] + 5)
    )
    study.optimize(suggested, n_trials=N)
    assert [t.params for t in study.trials] == [row["params"] for row in rows]
    assert counted[0]


def test_methods_share_no_settings(samplers):
    """With one seed for both, TPE's first ten settings are those of random search."""
    same = [settings_of(samplers, name, 7) for name in ("tpe", "random")]
    assert same[0] == same[1]
    seeds = samplers.studies.SEEDS
    own = [settings_of(samplers, name, seeds[name]) for name in ("tpe", "random")]
    assert not set(map(str, own[0])) & set(map(str, own[1]))
    assert min(abs(a - b) for a in seeds.values() for b in seeds.values() if a != b) >= 1000


def settings_of(samplers, name, seed):
    study = samplers.studies.new_study("wine", name, seed)
    asked = [study.ask(samplers.objectives.OBJECTIVES["wine"].space) for _ in range(10)]
    return [trial.params for trial in asked]


def test_studies_become_a_table_and_repeats(samplers, tmp_path, capsys):
    words = ["--out", str(tmp_path), "--csv", str(tmp_path), "--objectives", "wine"]
    words += ["--samplers", "random", "--repeats", "2", "--trials", "3", "--random", "4"]
    words += ["--workers", "0"]
    samplers.run.main(["search", *words])
    samplers.run.main(["collect", *words])
    shown = capsys.readouterr().out
    assert "Search 'wine-random': 2 trials (2 complete), score 'best'" in shown
    assert "Search 'wine-search': 4 trials (4 complete)" in shown
    assert "6 trials written" in shown
    assert "4 trials written" in shown
    table = gzip.decompress((tmp_path / "repeats.csv.gz").read_bytes()).decode().splitlines()
    assert table[0] == "objective,sampler,seed,number,score,test,seconds"
    assert [line.split(",")[2] for line in table[1:]] == ["3000"] * 3 + ["3001"] * 3
    found = bk.read(tmp_path / "repeats_random.csv.gz", score="score", params=("C", "gamma"))
    assert found.n == 4
    best = [max(float(r.split(",")[4]) for r in table[i : i + 3]) for i in (1, 4)]
    again = bk.read(f"sqlite:///{tmp_path / 'samplers.db'}", name="wine-random")
    assert again.metrics["best"].tolist() == best
    with pytest.raises(SystemExit, match="002.jsonl: must have 3 trials; has 0. Run search first"):
        samplers.run.main(["collect", *words, "--repeats", "3"])


@pytest.mark.slow
def test_nothing_is_lost_or_repeated_when_the_driver_is_killed(samplers, tmp_path):
    """SIGKILL in the middle of a study of each sampler that learns, then the same command again."""
    names = ("tpe", "cmaes")
    words = ["--objectives", "wine", "--samplers", *names, "--repeats", "1", "--random", "0"]
    command = [sys.executable, EXAMPLE / "run.py", "search", *words, "--out", tmp_path]
    kills = 0
    for goal in (12, 40, 64 + 12, 64 + 40):
        driver = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while driver.poll() is None and n_lines(tmp_path) < goal:
            time.sleep(0.002)
        if driver.poll() is None:
            kills += 1
            os.kill(driver.pid, signal.SIGKILL)
        driver.wait()
    subprocess.run(command, check=True, capture_output=True)
    assert kills >= 2
    for name in names:
        path = samplers.studies.lines_path(tmp_path, "wine", name, 0)
        whole = samplers.studies.run_study("wine", name, 0, 64, tmp_path / f"{name}.jsonl")
        assert [row["number"] for row in whole] == list(range(64))
        assert facts(samplers.studies.read_lines(path)) == facts(whole)


def n_lines(folder):
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("*/*.jsonl"))
