"""Tables as tools write them, and hostile files."""

from __future__ import annotations

import json
import math
import os
import pickle
import re
from pathlib import Path

import numpy as np
import pytest

import bestofk as bk
from bestofk._base.redact import redact
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.files import csv_files, json_lines, opening, parquet
from bestofk.sources.files.searches import to_searches
from bestofk.sources.options import ReadOptions
from tests.contracts import SourceContract
from tests.sources.said import said


class TestParquet(SourceContract):
    source = parquet

    def write(self, columns, tmp_path):
        pa = pytest.importorskip("pyarrow")
        import pyarrow.parquet as pq

        path = tmp_path / "runs.parquet"
        pq.write_table(pa.table({k: pa.array(v) for k, v in columns.items()}), path)
        return path

    def test_label_is_the_name_of_the_file(self, tmp_path):
        assert self.read(self.COLUMNS, tmp_path, score="accuracy").label == "runs"

    def test_what_is_no_parquet_is_refused(self, tmp_path):
        path = tmp_path / "runs.parquet"
        path.write_text("score\n0.5\n")
        with pytest.raises(DataError, match=r"runs.parquet: cannot be read"):
            bk.read(path)
        with pytest.raises(DataError, match="there is no such file"):
            bk.read(tmp_path / "none.parquet")


def lines(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def allentune_rows():
    """As `allentune report` writes them: metrics, configuration, seeds, folder."""
    return [
        {
            "directory": f"/logs/run_{n}/trial/",
            "best_epoch": 3, "epoch": 5, "best_validation_accuracy": n / 7,
            "training_accuracy": 0.9, "validation_loss": 0.1, "training_duration": 60.5 + n,
            "trainer.optimizer.lr": 0.1 * n, "model.encoder.type": "cnn",
            "random_seed": str(100 + n),
        }
        for n in (10, 2, 1)
    ]  # fmt: skip


def test_allentune(tmp_path):
    path = lines(tmp_path / "results.jsonl", allentune_rows())
    search = bk.read(path, score="best_validation_accuracy")
    assert [t.score for t in search.trials] == [1 / 7, 2 / 7, 10 / 7]
    assert search.costs.tolist() == [61.5, 62.5, 70.5]
    assert search.params["trainer.optimizer.lr"] == (0.1, 0.2, 1.0)
    assert "model.encoder.type" not in search.params
    assert search.sampling == "unknown"
    said(search, "left-out", "did not finish")
    said(bk.check_iid(search), "left-out", "did not finish")


def test_allentune_folders_of_ray_and_reports_without_folders(tmp_path):
    rows = allentune_rows()
    for row in rows:
        row["directory"] = row["directory"].replace("/trial", "_2020-07-26_14-57-28lfw_dbkq/trial")
    search = bk.read(lines(tmp_path / "a.jsonl", rows), score="best_validation_accuracy")
    assert [t.score for t in search.trials] == [1 / 7, 2 / 7, 10 / 7]
    for row in rows:
        del row["directory"]
    search = bk.read(lines(tmp_path / "b.jsonl", rows), score="best_validation_accuracy")
    assert [t.score for t in search.trials] == [10 / 7, 2 / 7, 1 / 7]
    assert search.costs.tolist() == [70.5, 62.5, 61.5]
    assert search.params["trainer.optimizer.lr"] == (1.0, 0.2, 0.1)
    said(search, "unordered", "the start order is not known")


@pytest.mark.parametrize("curve", [[[0, "x"]], [5], "abc", [[]], 7, [{"time": "soon"}]])
def test_learning_curves_of_something_else_are_refused_with_the_row(tmp_path, curve):
    rows = [{"iteration": i, "learning_curve": c} for i, c in enumerate([[[0, 0.5]], curve])]
    with pytest.raises(DataError, match=r"row 2 \(line 2\): a learning curve must be .*; got"):
        bk.read(lines(tmp_path / "x.jsonl", rows), score="score_max")


def test_opda_learning_curves_of_objects(tmp_path):
    rows = [
        {"iteration": 2, "nan_train_loss": True, "lr": 9.0, "learning_curve": []},
        {
            "iteration": 1, "nan_train_loss": False, "lr": 0.5,
            "learning_curve": [
                {"time": 1.5, "epoch": 0, "top_1": 0.3}, {"time": 3.5, "epoch": 1, "top_1": 0.2}
            ],
        },
    ]  # fmt: skip
    search = bk.read(lines(tmp_path / "x.results.jsonl", rows), score="top_1_max")
    assert [t.score for t in search.trials] == [0.3, None]
    assert search.numbers.tolist() == [1, 2]
    assert search.states == ("complete", "failed")
    assert search.metrics["top_1_last"][0] == 0.2
    assert search.costs[0] == 3.5
    assert search.params == {"lr": (0.5, 9.0)}
    assert search.label == "x.results"


def test_opda_learning_curves_of_pairs(tmp_path):
    rows = [
        {"iteration": 1, "learning_rate": 0.5,
         "learning_curves": {"matched": [[1000, 0.5], [2000, 0.4]], "mismatched": [[1000, 0.1]]}},
    ]  # fmt: skip
    search = bk.read(lines(tmp_path / "x.jsonl", rows), score="matched_max")
    assert search.trials[0].score == 0.5
    assert set(search.metrics) == {
        "matched_max", "matched_min", "matched_last",
        "mismatched_max", "mismatched_min", "mismatched_last",
    }  # fmt: skip
    assert search.costs is None
    with pytest.raises(ArgumentError, match="more than one column of numbers"):
        bk.read(tmp_path / "x.jsonl")


def csv(tmp_path, text):
    path = tmp_path / "runs.csv"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def test_semicolons_decimal_commas_quotes_blank_lines_and_a_byte_order_mark(tmp_path):
    text = (
        '\ufeffname;score;lr\r\n\r\n"a;b";0,25;1e-3\r\n\r\n"say ""hi""";1,5e-1;0,5\r\nc;;2\r\n\r\n'
    )
    search = bk.read(csv(tmp_path, text), score="score", params="lr")
    assert [t.score for t in search.trials] == [0.25, 0.15, None]
    assert search.params["lr"] == (1e-3, 0.5, 2)


def test_a_comma_that_may_mean_thousands_is_refused(tmp_path):
    path = csv(tmp_path, "score;x\n1,234;a\n2,500;b\n")
    with pytest.raises(DataError, match=r"`score`.*1,234.*decimal comma or thousands"):
        bk.read(path, score="score")
    path = csv(tmp_path, "score;x\n1,234;a\n2,5;b\n")
    assert bk.read(path, score="score").scores().values.tolist() == [1.234, 2.5]


def test_a_file_of_both_marks_is_refused(tmp_path):
    path = csv(tmp_path, "score;x\n1,25;a\n2.5;b\n")
    with pytest.raises(DataError, match="`score` must be a number; got '1,25'"):
        bk.read(path, score="score")


def test_repeated_headers_are_refused(tmp_path):
    with pytest.raises(DataError, match="column names must be different; 'a'"):
        bk.read(csv(tmp_path, "a,a,b\n1,2,3\n"), score="b")


def test_a_quote_that_never_closes_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read as CSV"):
        bk.read(csv(tmp_path, 'a,b\n1,"2\n3,4\n'), score="a")


def test_a_field_without_end_is_refused(tmp_path):
    with pytest.raises(DataError, match="cannot be read as CSV: field larger than"):
        bk.read(csv(tmp_path, "a,b\n1," + "x" * 200_000 + "\n"), score="a")


def test_whole_numbers_for_long_and_then_others_stay_eight_bytes_a_cell(tmp_path):
    text = "score\n" + "1\n" * 5_000 + "0.5\n" * 10
    with opening.open_text(csv(tmp_path, text.encode())) as lines:
        column = csv_files._table(lines, "runs.csv", frozenset()).columns["score"]
    assert column.dtype == np.float64
    assert column.sum() == 5_005


def test_null_bytes_are_refused(tmp_path):
    with pytest.raises(DataError, match="NUL|line contains|must be a number"):
        bk.read(csv(tmp_path, b"a\n1\n\x002\n"), score="a")


@pytest.mark.slow
def test_a_million_rows_are_read_as_numbers_not_as_text(tmp_path):
    n = 1_000_000
    path = tmp_path / "runs.csv"
    values = np.random.default_rng(0).random(n)
    with path.open("w") as file:
        file.write("score,i,word\n")
        file.writelines(f"{v},{i},w\n" for i, v in enumerate(values.tolist()))
    with opening.open_text(path) as text:
        table = csv_files._table(text, "runs.csv", frozenset())
    assert table.columns["score"].dtype == np.float64
    assert table.columns["i"].dtype == np.int64
    assert len({id(word) for word in table.columns["word"]}) == 1
    search = to_searches(table, ReadOptions(score="score"))
    assert search.n == n
    assert np.array_equal(search.scores().values, values)


def test_more_rows_than_can_be_held_are_refused_clearly(tmp_path, monkeypatch):
    monkeypatch.setattr(opening, "MOST_CELLS", 10)
    with pytest.raises(DataError, match=r"more than 10 cells.*Keep the columns that matter"):
        bk.read(csv(tmp_path, "score\n" + "1\n" * 20))


def test_numbers_that_name_methods_stay_as_written(tmp_path):
    searches = bk.read_all(csv(tmp_path, "m,s\n01,1\n1,2\n1e0,3\n"), by="m", score="s")
    assert list(searches) == ["01", "1", "1e0"]


class Trap:
    def __reduce__(self):
        return (exec, ("raise SystemExit('a pickle was loaded')",))


@pytest.mark.parametrize(
    "name", ["study.pkl", "search.joblib", "x.pickle", "runs.csv", "x.db", "x"]
)
def test_a_pickle_is_never_loaded(tmp_path, name):
    path = tmp_path / name
    path.write_bytes(pickle.dumps(Trap()))
    with pytest.raises(DataError, match="a pickle is never loaded"):
        bk.read(path)


def test_passwords_are_taken_out_of_everything_shown():
    from bestofk._base.redact import redact

    for url in (
        "postgresql://ann:p@ss/w:rd@db:5432/x",
        "postgresql://ann:p%40ss@db/x?sslmode=require&password=abc",
        "mysql+pymysql://:hunter2@db/x",
    ):
        shown = redact(f"cannot open {url!r}")
        for secret in ("p@ss/w:rd", "p%40ss", "hunter2", "abc"):
            assert secret not in shown
        assert "***" in shown
    assert redact("sqlite:///a/b.db") == "sqlite:///a/b.db"
    assert redact("the password is p@ss", "x://ann:p%40ss@db") == "the password is ***"


@pytest.mark.parametrize("x", ["a,b\n1,2\n" * 1000, "x\0y", "x\0.csv", "", "/", "."])
def test_text_that_is_no_path_is_refused(x):
    with pytest.raises(DataError, match=r"read\(\) takes a .* none of them"):
        bk.read(x)


REFUSALS = {
    " ": "there is no such file or folder",
    "-": "there is no such file or folder",
    "none.db": "there is no such file or folder",
    "runs.csv.bz2": "must be unpacked first; .* ending in .gz are read",
    "http://ann:s3cr3t@host:5000": r"nothing but .* pass what mlflow.search_runs\(\) returns",
    "https://ann:s3cr3t@host/runs.csv": "nothing but a database is read over the network",
    "s3://bucket/runs.parquet": "must be the URL of a database .* or the path of a file",
    "file:///tmp/runs.jsonl": "must be the URL of a database .* or the path of a file",
}


@pytest.mark.parametrize("x", REFUSALS)
def test_each_refusal_is_one_sentence_about_what_was_given(x, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("runs.csv.bz2").touch()
    for given in (x, Path(x)):
        with pytest.raises(DataError) as error:
            bk.read(given)
        assert "s3cr3t" not in str(error.value)
    with pytest.raises(DataError, match=f"^{re.escape(redact(x))}: {REFUSALS[x]}"):
        bk.read(x)


def test_what_may_not_be_read_says_so(tmp_path, monkeypatch):
    (tmp_path / "study.db").touch()
    monkeypatch.setattr("os.access", lambda _path, _mode: False)  # root may read everything
    with pytest.raises(DataError, match=r"study.db: may not be read: permission denied"):
        bk.read(tmp_path / "study.db")


@pytest.mark.parametrize(
    "name", ["p.csv", "p.jsonl", "p.json", "p.parquet", "p.wandb", "p.db", "p"]
)
def test_a_pipe_which_may_have_no_end_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(DataError, match=r"regular file|no such file|none of them|must be a file"):
        bk.read(tmp_path / name)


@pytest.mark.parametrize("text", ["acc,lr\n0.5,\0001\n", "acc,lr\n0.5,1\n".encode("utf-16-le")])
def test_nul_characters_are_refused(tmp_path, text):
    path = tmp_path / "runs.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(DataError, match=r"line [12]: must be text .* NUL character. Is it UTF-16"):
        bk.read(path, score="acc")


def test_json_lines_are_the_same_read_in_parts(tmp_path, monkeypatch):
    rows = [
        {"acc": 0.5, "n": 1, "p": 1, "s": "a"},
        {"acc": 0.25, "n": 2**70, "p": 0.5, "s": "b", "late": [1, 2]},
        {"acc": 1, "n": 3, "p": "x", "late": None},
        {},
        {"acc": 0.125, "n": 4, "p": True, "s": "a", "late": 2},
    ]
    path = tmp_path / "runs.jsonl"
    path.write_text("\n\n".join(map(json.dumps, rows)))
    names = ["n", "p", "s", "late"]
    for size in (1, 2, 3, 100):
        monkeypatch.setattr(json_lines, "_CHUNK", size)
        search = bk.read(path, score="acc", params=names)
        assert repr([t.score for t in search.trials]) == "[0.5, 0.25, 1.0, None, 0.125]"
        assert repr(search.params) == repr(
            {name: tuple(row.get(name) for row in rows) for name in names}
        )
        assert search.notes == {3: "runs.jsonl, row 4 (line 7): `acc` is not a number (empty)"}
    monkeypatch.setattr(opening, "MOST_CELLS", 20)
    with pytest.raises(DataError, match="holds more than 20 cells"):
        bk.read(path, score="acc")


def test_json_that_python_cannot_hold_is_refused_with_the_line(tmp_path):
    path = tmp_path / "runs.jsonl"
    for text in ("9" * 5000, "[" * 100_000 + "]" * 100_000):
        path.write_text('{"acc": 1}\n{"acc": 1, "x": ' + text + "}\n")
        with pytest.raises(DataError, match="line 2: cannot be read"):
            bk.read(path, score="acc")


def test_lines_of_spaces_are_blank(tmp_path):
    path = csv(tmp_path, "score,lr\n1,2\n   \n3,4\n\n")
    search = bk.read(path, score="score")
    assert search.metrics["lr"].tolist() == [2, 4]


def test_a_metric_that_is_infinite_throughout_is_kept(tmp_path):
    path = csv(tmp_path, "score,loss\n1,inf\n3,inf\n")
    assert bk.read(path, score="score").metrics["loss"].tolist() == [math.inf, math.inf]


def test_the_home_folder_is_expanded(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    csv(tmp_path, "score\n1\n")
    assert bk.read("~/runs.csv").n == 1
