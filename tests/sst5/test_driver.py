"""The driver of the search on SST-5: slices, results, recorded searches."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

import bestofk as bk
from tests.sst5.conftest import EXAMPLE


def result_of(run, model, number, **changes):
    params = run.trial_params(run.space_of(model), run.SEEDS[model], number)
    return {
        **{"model": model, "number": number, "params": params, "state": "complete"},
        **{"accuracy": 0.4, "test_accuracy": 0.41, "epochs": 20, "best_epoch": 10, "seconds": 2.5},
        **changes,
    }


def write_lines(path, results):
    path.write_text("".join(json.dumps(r) + "\n" for r in results))
    return str(path)


def test_results_become_a_store_and_a_table(run, tmp_path, capsys):
    failed = {"model": "cnn", "number": 1, "state": "failed", "error": "diverged", "seconds": 1.0}
    failed["params"] = result_of(run, "cnn", 1)["params"]
    lines = [result_of(run, "cnn", 2), failed, result_of(run, "lboe", 0)]
    first = write_lines(tmp_path / "a.jsonl", lines)
    second = write_lines(tmp_path / "b.jsonl", [result_of(run, "cnn", 0, accuracy=0.3), lines[0]])
    store = tmp_path / "sst5.db"
    run.main(["collect", first, second, "--store", str(store), "--csv", str(tmp_path)])
    search = bk.read(f"sqlite:///{store}", name="sst5-cnn")
    assert search.states == ("complete", "failed", "complete")
    assert "diverged" in search.notes[1]
    assert search.costs[[0, 2]].tolist() == [2.5, 2.5]
    with (tmp_path / "sst5_cnn.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["number"], r["state"], r["accuracy"], r["seconds"]) for r in rows] == [
        ("0", "complete", "0.3", "2.5"),
        ("1", "failed", "", "1.0"),
        ("2", "complete", "0.4", "2.5"),
    ]
    assert float(rows[2]["learning_rate"]) == lines[0]["params"]["learning_rate"]
    assert "sst5-lboe': 1 trial (" in capsys.readouterr().out


def test_trials_after_a_gap_are_left_out(run, tmp_path, capsys):
    """A slice that ran out of time has more of the fast trials among its last."""
    path = write_lines(tmp_path / "a.jsonl", [result_of(run, "lboe", n) for n in (0, 1, 3)])
    run.main(["collect", path, "--store", str(tmp_path / "s.db")])
    shown = capsys.readouterr()
    assert "lboe: trial 2 is missing; the 1 after it are left out" in shown.err
    assert "2 trials" in shown.out


def test_results_of_other_parameters_are_refused(run, tmp_path):
    other = result_of(run, "lboe", 0)
    other["params"]["dropout"] += 1e-12
    path = write_lines(tmp_path / "a.jsonl", [other])
    with pytest.raises(SystemExit, match="lboe, trial 0: must have run with"):
        run.main(["collect", path, "--store", str(tmp_path / "s.db")])
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("change", [{"vectors": "glove"}, {"plateau_mode": "min"}, {"epochs": 2}])
def test_a_look_at_other_settings_is_never_recorded_as_the_search(run, tmp_path, change):
    other = result_of(run, "lboe", 0)
    other["params"] |= change
    path = write_lines(tmp_path / "a.jsonl", [other])
    with pytest.raises(SystemExit, match="made with --epochs, --vectors or --plateau-mode"):
        run.main(["collect", path, "--store", str(tmp_path / "s.db")])


def test_a_line_cut_off_by_a_crash_is_left_out(run, tmp_path, capsys):
    path = tmp_path / "a.jsonl"
    write_lines(path, [result_of(run, "lboe", 0)])
    path.write_text(path.read_text() + '{"model": "lboe", "num')
    assert [r["number"] for r in run.read_results([path])] == [0]
    assert "a line is not whole" in capsys.readouterr().err


def test_trials_run_again_are_held_against_the_recorded_ones(run, tmp_path, capsys):
    recorded = next(t for t in bk.datasets.load_sst5()["lboe"].trials if t.state == "complete")
    again = result_of(run, "lboe", recorded.number, accuracy=recorded.score + 0.01)
    run.main(["check", write_lines(tmp_path / "a.jsonl", [again])])
    assert "1 trials: the same parameters, accuracies within 0.0100" in capsys.readouterr().out
    failed = {**again, "state": "failed", "error": "diverged"}
    with pytest.raises(SystemExit, match="lboe, trial 0: complete, again failed"):
        run.main(["check", write_lines(tmp_path / "b.jsonl", [failed])])


def test_drawing_needs_numpy_alone():
    """The machine that trains may have PyTorch and numpy and nothing else."""
    code = """
import sys
for name in ("scipy", "typer", "sqlalchemy", "pebble", "cloudpickle", "sklearn"):
    sys.modules[name] = None
import run, slices
print(slices.trial_params(slices.space_of("cnn"), slices.SEEDS["cnn"], 17)["num_filters"])
slices.describe_machine()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=EXAMPLE, check=True, capture_output=True, text=True
    )
    assert int(done.stdout) == bk.datasets.load_sst5()["cnn"].trials[17].params["num_filters"]


def test_slices_add_up_to_the_search(run, torch, tiny, tmp_path, capsys):
    """Two slices, one of them by other workers, hold what one process gives trial by trial."""
    import data
    import train

    out = tmp_path / "out"
    words = ["slice", "--data", str(tiny), "--device", "cpu", "--models", "lboe", "--epochs", "2"]
    run.main([*words, "--out", str(out), "--trials", "2", "--workers", "1"])
    earlier = ["--done", str(out / "results.jsonl")]
    run.main([*words, "--out", str(out / "2"), "--trials", "4", "--workers", "2", *earlier])
    first, second = (run.read_results([o / "results.jsonl"]) for o in (out, out / "2"))
    assert sorted(r["number"] for r in first) == [0, 1]
    assert sorted(r["number"] for r in second) == [2, 3]
    small = train.Data(data.load(tiny), "cpu")
    for result in first + second:
        params = run.trial_params(run.space_of("lboe"), run.SEEDS["lboe"], result["number"])
        trial = SimpleNamespace(seed=run.trial_seed(run.SEEDS["lboe"], result["number"]))
        again = train.objective(params | {"epochs": 2}, trial, model="lboe", data=small)
        assert {k: result[k] for k in again if k != "seconds"} == {
            k: v for k, v in again.items() if k != "seconds"
        }
    assert json.loads((out / "machine.json").read_text())["torch"] == torch.__version__
    assert "2 trials and 4 steps" in capsys.readouterr().err


def test_no_trial_starts_when_the_time_is_up(run, torch, tiny, tmp_path, capsys):
    words = ["slice", "--data", str(tiny), "--device", "cpu", "--out", str(tmp_path / "out")]
    run.main([*words, "--seconds", "0", "--trials", "3", "--workers", "1"])
    assert (tmp_path / "out" / "results.jsonl").read_text() == ""
    assert "6 left" in capsys.readouterr().err


def test_run_search_gives_the_same_trials(run, torch, tiny, tmp_path, capsys):
    import data
    import train

    store = tmp_path / "sst5.db"
    words = ["search", "lboe", "--data", str(tiny), "--store", str(store), "--trials", "2"]
    run.main([*words, "--device", "cpu", "--workers", "0"])
    assert "sst5-lboe': 2 trials (2 complete)" in capsys.readouterr().out
    found = bk.read(f"sqlite:///{store}", test="test_accuracy")
    small = train.Data(data.load(tiny), "cpu")
    for trial in found.trials:
        seeded = SimpleNamespace(seed=run.trial_seed(run.SEEDS["lboe"], trial.number))
        again = train.objective(trial.params, seeded, model="lboe", data=small)
        assert trial.score == again["accuracy"]
        assert trial.metrics["test_accuracy"] == again["test_accuracy"]
