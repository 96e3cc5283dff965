"""The example scripts run, and the recorded data are what they make."""

from __future__ import annotations

import csv
import importlib.util

import pytest

from tests.conftest import ROOT


def example(name):
    pytest.importorskip("sklearn")
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def digits():
    return example("search_digits")


@pytest.mark.parametrize(("method", "number"), [("svm", 0), ("svm", 255), ("forest", 7)])
def test_a_recorded_trial_can_be_run_again_by_its_number(digits, method, number):
    with (ROOT / "src/bestofk/datasets/example.csv").open() as file:
        rows = {(r["method"], int(r["number"])): r for r in csv.DictReader(file)}
    again, recorded = digits.run(method, number), rows[method, number]
    for name in again:
        if name not in ("method", "fit_seconds"):
            assert float(recorded[name]) == pytest.approx(again[name], rel=1e-12), name


def test_the_script_writes_what_can_be_read(digits, tmp_path, capsys):
    import bestofk as bk

    digits.main(str(tmp_path / "runs.csv"), "2")
    assert "4 trials written" in capsys.readouterr().out
    searches = bk.read_all(tmp_path / "runs.csv", score="accuracy", by="method", number="number")
    assert {name: s.n for name, s in searches.items()} == {"svm": 2, "forest": 2}


def test_recorded_repetitions_can_be_made_again():
    with (ROOT / "src/bestofk/datasets/repetitions.csv").open() as file:
        recorded = list(csv.reader(file))
    again = example("repeat_wine").rows(1)
    assert [[str(cell) for cell in row] for row in again] == recorded[1 : 1 + len(again)]
    assert len(recorded) == 1 + 32 * len(again)
