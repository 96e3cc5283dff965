"""Whatever a source holds: a value, or one of our errors in one sentence."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.errors import BestofkError, DataError, arg, in_python, on_command_line, shortened
from bestofk.sources import registry
from tests.sources import mutated

pytest.importorskip("optuna")
pytest.importorskip("wandb")
pytest.importorskip("pyarrow")
ROOT = Path(__file__).parents[2]


def all_well(count: int, first: int = 0) -> None:
    """Read mutated inputs in a process of its own, whose memory is measured."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.sources.mutated", str(mutated.SEED), str(first), str(count)],
        check=True, capture_output=True, text=True, cwd=ROOT,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )  # fmt: skip
    found = json.loads(done.stdout)
    assert found["wrong"] == []
    assert found["inputs"] == count
    assert found["slowest"][0] < mutated.LONGEST
    assert found["peak"] < mutated.LARGEST


def test_a_few_hundred_mutated_inputs():
    found = mutated.run(mutated.SEED, 0, 300)
    assert found["wrong"] == []
    assert len(found["kinds"]) > 30  # all kinds of source
    assert found["slowest"][0] < mutated.LONGEST


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 2_500))
def test_ten_thousand_mutated_inputs(first):
    all_well(2_500, first)


@pytest.mark.wide
@pytest.mark.parametrize("first", range(0, 100_000, 10_000))
def test_a_hundred_thousand_mutated_inputs(first):
    all_well(10_000, first)


# As found by attack: each made another exception come out.
FOUND = {
    "a.log": b"[" * 60_000,
    "a.csv": b"a," * 200_000 + b"b\n",
    "b.csv": b'"' + b"a" * 200_000 + b'"\n',
    "c.csv": b"\r\n",
    "a.parquet": b"PAR1\xff\xff\xff\xff" * 9 + b"PAR1",
    "a.json": b"[" * 100_000,
    "b.json": b'{"columns": 1, "data": {}}',
    "a.db": b"SQLite format 3\x00" + b"\xff" * 5000,
    "run-a.wandb": b":W&B\xe1\xbe\x00" + b"\x00" * 100,
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_is_one_sentence(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(FOUND[name])
    with pytest.raises(BestofkError) as error:
        bk.read(path)
    assert len(str(error.value)) <= 400
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", ["x.csv", "x.jsonl", "x.json", "x.parquet", "x.wandb", "x.db"])
def test_a_folder_named_like_a_file_is_refused(name, tmp_path):
    (tmp_path / name).mkdir()
    with pytest.raises(DataError, match=r"folder|none of them|must be a"):
        bk.read(tmp_path / name)


def test_what_hydra_calls_a_day_may_be_none(tmp_path):
    pytest.importorskip("yaml")
    mutated.hydra_folder(tmp_path / "out")
    overrides = tmp_path / "out" / "0" / ".hydra" / "overrides.yaml"
    overrides.write_text("- day=2024-02-30\n- deep=" + "[" * 3000 + "\n- tag=!!python/x y\n")
    search = bk.read(tmp_path / "out", score="acc")
    assert search.params["day"][0] == "2024-02-30"


def test_a_file_of_mlflow_that_is_no_text_is_named(tmp_path):
    from tests.sources import recorded

    recorded.unpack("mlflow", tmp_path)
    path = next((tmp_path / "files" / "mlruns").rglob("params/lr"))
    path.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(DataError, match=r"params/lr: must be text in UTF-8"):
        bk.read(tmp_path / "files" / "mlruns", score="acc")


def test_an_error_of_a_source_is_one_sentence_and_keeps_its_cause(monkeypatch):
    class Source:
        NAME = "odd"

        def recognises(self, x):
            if x == "odd":
                return True
            raise RuntimeError

        def read(self, x, options):
            raise KeyError("a\nb" * 1000)

    monkeypatch.setattr(registry, "BUILT_IN", (Source(),))
    with pytest.raises(DataError, match="^odd: cannot be read: KeyError: ") as error:
        bk.read("odd")
    assert len(str(error.value)) <= 400
    assert "\n" not in str(error.value)
    assert isinstance(error.value.__cause__, KeyError)
    with pytest.raises(DataError, match="there is no such file"):
        bk.read("even")


def test_a_long_message_keeps_its_start_and_its_way_out():
    text = f"x.csv: {arg('score')} must be {'x' * 1000}. Pass {arg('take', 'last')}."
    short = shortened(text)
    assert in_python(short).startswith("x.csv: `score` must be xx")
    assert in_python(short).endswith('Pass take="last".')
    assert on_command_line(short).endswith("Pass --take last.")
    for words in (in_python, on_command_line):
        assert len(words(short)) <= 400
    assert len(in_python(shortened(arg("name", "y" * 5000) * 9))) <= 400
    assert shortened("as it was") == "as it was"
