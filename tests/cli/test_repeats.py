"""``bestofk repeats``, ``compare --repeat`` and ``plan-repeats``."""

from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest

import bestofk as bk
from bestofk.datasets.climbing import simulated_repeats
from tests.cli import test_cli

run = test_cli.run

SHARED = "--repeat seed --by method"


@pytest.fixture
def told(run, tmp_path):
    """A folder with the simulated repeats, one file for each method, and a random search."""
    text = simulated_repeats()
    (tmp_path / "repeats.csv").write_text(text)
    rows = list(csv.DictReader(io.StringIO(text)))
    for method in ("climb", "random"):
        of = [row for row in rows if row["method"] == method]
        lines = ["seed,trial,score", *(f"{r['seed']},{r['trial']},{r['score']}" for r in of)]
        (tmp_path / f"{method}.csv").write_text("\n".join(lines))
        paired = [f"{int(r['seed']) % 100},{r['trial']},{r['score']}" for r in of]
        (tmp_path / f"{method}_paired.csv").write_text("\n".join([lines[0], *paired]))
    scores = 0.6 * np.random.default_rng(1).beta(1, 3, 400)
    (tmp_path / "one.csv").write_text("score\n" + "\n".join(map(str, scores)))
    return run


def test_the_band_is_that_of_the_library(told, tmp_path):
    code, out, err = told(f"repeats repeats.csv {SHARED} --format json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    repeats = bk.read_repeats(tmp_path / "repeats.csv", repeat="seed", by="method")
    bands = [bk.tuning_band(one) for one in repeats.values()]
    assert found == json.loads(json.dumps([band.to_dict() for band in bands]))
    assert [band["label"] for band in found] == ["random", "climb"]


def test_the_first_line_is_the_answer(told):
    code, out, err = told("repeats climb.csv --budgets 4,16,48")
    assert code == 0
    assert out.startswith("Median best after 48 trials: 0.8")
    assert "95 % band over all budgets up to 48" in out.splitlines()[0]
    assert err == ""


def test_options_reach_the_band(told, tmp_path):
    words = "--statistic 0.25 --confidence 0.8 --budgets 8,24 --sides lower --planned 60"
    found = json.loads(told(f"repeats climb.csv {words} --format json")[1])
    repeats = bk.read_repeats(tmp_path / "climb.csv", planned=60)["climb"]
    band = bk.tuning_band(repeats, statistic=0.25, confidence=0.8, budgets=[8, 24], sides="lower")
    assert found == json.loads(json.dumps(band.to_dict()))


def test_a_figure_and_csv(told, tmp_path):
    code, out, err = told("repeats climb.csv --format csv --plot climb.png")
    assert code == 0
    assert out.startswith("label,n,statistic,")
    assert "figure: climb.png" in err
    assert (tmp_path / "climb.png").stat().st_size > 3000


def test_too_few_repeats_say_how_many_are_needed(told, tmp_path):
    lines = (tmp_path / "climb.csv").read_text().splitlines()
    (tmp_path / "few.csv").write_text("\n".join(lines[: 1 + 5 * 48]))
    code, out, _ = told("repeats few.csv")
    assert code == 0
    assert out.startswith("5 repeats cannot give a 95 % interval for a median: 6 are needed")
    (tmp_path / "one_repeat.csv").write_text("\n".join(lines[: 1 + 48]))
    code, _, err = told("repeats one_repeat.csv")
    assert code == 1
    assert "needs two or more whole searches with new seeds; got one" in err


def test_methods_of_one_file_or_of_several_are_compared(told):
    code, one, _ = told(f"compare repeats.csv {SHARED} --format json")
    assert code == 0
    several = json.loads(told("compare random.csv climb.csv --repeat seed --format json")[1])
    assert json.loads(one) == several
    assert several["kind"] == "repeats-comparison"
    assert several["verdict"].startswith("climb is ahead of random")


def test_paired_repeats_are_compared_one_by_one(told):
    code, out, err = told("compare climb_paired.csv random_paired.csv --repeat seed --paired")
    assert code == 0, err
    assert "more than half of the seeds" in out
    code, _, err = told("compare climb.csv random.csv --repeat seed --paired")
    assert code == 1
    assert "paired repeats must have the same seeds" in err
    assert err.strip().endswith("or leave out --paired.")


def test_a_random_search_stands_beside_repeats(told):
    words = "compare climb.csv --against one.csv --sampling iid --format json"
    code, out, err = told(f"{words}")
    assert code == 0, err
    found = json.loads(out)
    assert found["verdict"].startswith("climb is ahead of one")
    assert "does what one needs at least" in found["verdict"]
    again = json.loads(told(f"{words} --label learns")[1])
    assert again["verdict"].startswith("learns is ahead of one")


def test_a_required_claim_is_judged(told):
    assert told(f"compare repeats.csv {SHARED} --require climb>random@48")[0] == 0
    assert told(f"compare repeats.csv {SHARED} --require random>climb@48")[0] == 3


def test_a_search_that_learns_is_shown_the_way(told, tmp_path):
    optuna = pytest.importorskip("optuna")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    storage = JournalStorage(JournalFileBackend(str(tmp_path / "tpe.log")))
    for seed in range(6):
        sampler = optuna.samplers.TPESampler(seed=seed, n_startup_trials=2)
        study = optuna.create_study(
            study_name=f"tpe-{seed}", storage=storage, sampler=sampler, direction="maximize"
        )
        study.optimize(lambda t: -(t.suggest_float("x", -1, 1) ** 2), n_trials=6)
    out = told("compare tpe.log --by study")[1]
    assert "read them with bestofk repeats" in out
    code, out, err = told("repeats tpe.log --budgets 6 --seed name")
    assert code == 0
    assert out.startswith("Median best after 6 trials: -")
    assert "6 repeats)" in out
    assert err == ""


def test_how_many_repeats(told):
    code, out, _ = told("plan-repeats")
    assert code == 0
    assert out.startswith("9 repeats give a 95 % band for the median at 10 budgets together")
    assert told("plan-repeats --budgets 4,16")[1].startswith("7 repeats give a 95 % band")
    assert told("plan-repeats --repeats 5 --budgets 1")[1].startswith("5 repeats cannot give")
    found = json.loads(told("plan-repeats --budgets 1 --format json")[1])
    assert (found["kind"], found["needed"]) == ("repeats-plan", 6)


def test_what_is_said_of_the_random_search_is_not_said_of_the_repeats(told):
    """TPE is no random search because it is compared with one."""
    code, _, err = told("compare climb.csv --against one.csv --sampling iid")
    assert code == 0
    assert "repeats of random search" not in err


def test_refusals_say_the_way_out(told, tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for seed in range(2):
        text = "\n".join(["number,value", *(f"{k},{k * 0.1 + seed}" for k in range(3))])
        (folder / f"tpe-{seed}.csv").write_text(text)
    (folder / "notes.txt").write_text("hello")
    code, _, err = told("repeats runs")
    assert (code, err.count("\n")) == (1, 1)
    assert "Every file in 'runs' counts as a repeat: take out what is none." in err
    code, _, err = told("compare climb.csv --repeat seed")
    assert (code, err.count("\n")) == (2, 1)
    assert "say --by, or a random search as --against" in err
    code, _, err = told("plan-repeats --budgets 1e9")
    assert (code, "must be at most 10,000; got 1000000000." in err) == (2, True)


def test_notes_speak_the_language_of_the_command_line(told):
    words = "compare climb_paired.csv random_paired.csv --repeat seed"
    err = told(words)[2]
    assert "(--paired compares them seed by seed)" in err
