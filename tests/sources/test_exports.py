"""Export: every trial, to the last digit, and back again."""

from __future__ import annotations

import io
import json
import math

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError

nan = math.nan


def search(**options):
    return bk.Search(
        {
            "acc": [0.1 + 0.2, nan, 1 / 3, 0.5, nan, math.inf],
            "test": [1 / 7, nan, 0.3, nan, nan, 0.1],
        },
        **{
            "metric": "acc",
            "test": "test",
            "params": {
                "lr": [1e-5, 0.25, 3.0, 1e300, 0.1, 5e-324],
                "layers": [1, 2, 3, 2**60, -1, 0],
                "act": ["relu", None, 'a,"b\n', "ü", "x", "1"],
                "bias": [True, False, True, None, True, False],
            },
            "costs": [1.5, nan, 0.1 + 0.2, 1e-7, 3.0, 12345678.9],
            "states": ("complete", "failed", "complete", "pruned", "running", "complete"),
            "numbers": [2, 3, 5, 7, 11, 13],
            "direction": "minimize",
            "bounds": (0, math.inf),
            "label": "cnn",
            "sampling": "without-replacement",
            "notes": {3: "it blew up"},
            "caveats": ("a doubt",),
            **options,
        },
    )


def same(a, b):
    assert [repr(t) for t in a.trials] == [repr(t) for t in b.trials]
    for name in ("metric", "test", "direction", "bounds", "label", "sampling", "caveats", "notes"):
        assert getattr(a, name) == getattr(b, name), name
    assert np.array_equal(a.numbers, b.numbers)


def test_optuna_and_back_is_the_identity(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path}/study.db"
    bk.export(search(), url)
    same(bk.read(url), search())
    bk.export(search(label="rnn", costs=None, test=None), url)
    same(bk.read(url, by="study")["rnn"], search(label="rnn", costs=None, test=None))


def test_the_example_goes_through_optuna_unchanged(tmp_path):
    optuna = pytest.importorskip("optuna")
    svm = bk.load_example()["svm"]
    storage = optuna.storages.InMemoryStorage()
    bk.export(svm, storage)
    same(bk.read(storage), svm)


def test_optuna_shows_what_was_exported(tmp_path):
    optuna = pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path}/study.db"
    bk.export(search(), url)
    study = optuna.load_study(study_name="cnn", storage=url)
    assert study.direction.name == "MINIMIZE"
    assert study.metric_names == ["acc"]
    assert [t.state.name for t in study.trials] == [
        "COMPLETE", "FAIL", "COMPLETE", "PRUNED", "RUNNING", "COMPLETE"
    ]  # fmt: skip
    assert study.best_value == 0.1 + 0.2
    assert study.best_params["lr"] == 1e-5
    assert study.trials[0].user_attrs["test"] == 1 / 7
    assert study.trials[0].duration.total_seconds() == 1.5


def test_a_study_that_exists_is_not_written_over(tmp_path):
    pytest.importorskip("optuna")
    url = f"sqlite:///{tmp_path}/study.db"
    bk.export(search(), url)
    with pytest.raises(DataError, match="already a study 'cnn'"):
        bk.export(search(), url)


def test_what_optuna_cannot_hold_is_refused():
    optuna = pytest.importorskip("optuna")
    for params, words in (
        ([[1], [2]], r"`p` holds \[1\]"),
        ([nan, "a"], "no NaN"),
        ([1, True], "cannot tell apart"),
    ):
        with pytest.raises(DataError, match=words):
            bk.export(
                bk.Search({"acc": [1.0, 2.0]}, params={"p": params}),
                optuna.storages.InMemoryStorage(),
            )


@pytest.mark.parametrize("end", ["csv", "jsonl", "parquet"])
def test_files_come_back_to_the_last_digit(tmp_path, end):
    if end == "parquet":
        pytest.importorskip("pyarrow")
    path = tmp_path / f"cnn.{end}"
    given = search()
    bk.export(given, path)
    back = bk.read(
        path, score="acc", test="test", params=["lr", "layers", "act", "bias"], cost="cost",
        number="number", direction="minimize", bounds=(0, None),
    )  # fmt: skip
    assert back.label == "cnn"
    assert np.array_equal(back.metrics["acc"], given.metrics["acc"], equal_nan=True)
    assert np.array_equal(back.metrics["test"], given.metrics["test"], equal_nan=True)
    assert np.array_equal(back.costs, given.costs, equal_nan=True)
    assert back.states == given.states
    assert back.numbers.tolist() == given.numbers.tolist()
    assert back.params["lr"] == given.params["lr"]
    assert back.params["layers"] == given.params["layers"]
    if end != "csv":  # CSV has no kinds: an empty cell is empty, "1" is a number, True is text
        assert back.params["act"] == given.params["act"]
        assert back.params["bias"] == given.params["bias"]


def test_columns_are_in_the_order_promised():
    file = io.StringIO()
    bk.export(search(), file, format="csv")
    assert file.getvalue().splitlines()[0] == "number,state,lr,layers,act,bias,acc,test,cost"


def test_json_lines_are_strict():
    file = io.StringIO()
    bk.export(search(), file, format="jsonl")

    def refuse(name):
        raise ValueError(name)

    rows = [json.loads(line, parse_constant=refuse) for line in file.getvalue().splitlines()]
    assert rows[1]["acc"] is None
    assert rows[5]["acc"] == "inf"


@pytest.mark.parametrize("name", ["acc", "state", "number", "cost"])
def test_a_clash_of_names_is_refused(name):
    clash = bk.Search({"acc": [1.0]}, params={name: [2]}, costs=[1.0])
    with pytest.raises(DataError, match=f"must have different names; '{name}'"):
        bk.export(clash, io.StringIO(), format="csv")


def test_nothing_is_written_over_and_nothing_is_left_half(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("mine")
    with pytest.raises(DataError, match="already such a file"):
        bk.export(search(), path)
    assert path.read_text() == "mine"
    mixed = bk.Search({"acc": [1.0, 2.0]}, params={"p": [1, "a"]})
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="values of one kind; `p` holds several"):
        bk.export(mixed, tmp_path / "x.parquet")
    assert [p.name for p in tmp_path.iterdir()] == ["x.csv"]
    with pytest.raises(DataError, match="cannot be written"):
        bk.export(search(), tmp_path / "none" / "x.csv")


def test_formats_and_targets_are_checked():
    with pytest.raises(ArgumentError, match="cannot be told from 'x.xlsx'"):
        bk.export(search(), "x.xlsx")
    with pytest.raises(ArgumentError, match="`format` must be one of"):
        bk.export(search(), "x.csv", format="excel")
    with pytest.raises(ArgumentError, match="export\\(\\) takes a Search"):
        bk.export([1, 2], "x.csv")


def test_a_password_is_never_shown():
    pytest.importorskip("optuna")
    with pytest.raises(DataError) as error:
        bk.export(search(), "postgresql://ann:s3cr3t@127.0.0.1:9/x")
    assert "s3cr3t" not in str(error.value)
