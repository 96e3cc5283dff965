"""The built-in sources: the contract, and what is special about each."""

from __future__ import annotations

import csv
import gzip
import json
from types import SimpleNamespace

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from bestofk.sources import arrays, csvfile, frames, jsonlines, registry
from tests.contracts import SourceContract


def write_csv(columns, path, **options):
    with path.open("w", newline="") as file:
        writer = csv.writer(file, **options)
        writer.writerow(columns)
        rows = zip(*columns.values(), strict=True)
        writer.writerows([["" if v is None else v for v in row] for row in rows])
    return path


def records(columns):
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


class TestCsv(SourceContract):
    source = csvfile

    def write(self, columns, tmp_path):
        return write_csv(columns, tmp_path / "runs.csv")

    def test_label_is_the_name_of_the_file(self, tmp_path):
        assert self.read(self.COLUMNS, tmp_path, score="accuracy").label == "runs"

    def test_message_names_file_row_line_and_cell(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("score\n0.1\n\n0.2\nN/A\n")
        with pytest.raises(DataError) as error:
            bk.tuning_curve(bk.read(path))
        assert str(error.value) == (
            "runs.csv, row 3 (line 5): `score` is not a number ('N/A'). Pass failed=\"worst\" to "
            'count it as the worst score, or failed="drop" to leave it out.'
        )

    @pytest.mark.parametrize("delimiter", [",", ";", "\t"])
    def test_the_delimiter_is_found(self, tmp_path, delimiter):
        path = write_csv(self.COLUMNS, tmp_path / "runs.csv", delimiter=delimiter)
        assert bk.read(path, score="accuracy").scores().values.tolist() == list(self.SCORES)

    def test_byte_order_mark_and_gzip(self, tmp_path):
        path = tmp_path / "runs.csv.gz"
        path.write_bytes(gzip.compress("\ufeffscore\n0.5\n".encode()))
        search = bk.read(path)
        assert search.metric == "score"
        assert search.label == "runs"

    def test_a_short_row_is_refused(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("a,b\n1,2\n3\n")
        with pytest.raises(DataError, match=r"row 2 \(line 3\): must have 2 fields.*it has 1"):
            bk.read(path, score="a")

    def test_repeated_headers_are_refused(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("a,b,a\n1,2,3\n")
        with pytest.raises(DataError, match="column names must be different; 'a'"):
            bk.read(path, score="a")

    def test_an_empty_file_is_refused(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("")
        with pytest.raises(DataError, match="first line must hold the column names"):
            bk.read(path)

    def test_a_file_that_is_not_there_is_refused(self, tmp_path):
        with pytest.raises(DataError, match="no such file"):
            bk.read(tmp_path / "none.csv")

    def test_bytes_that_are_not_text_are_refused(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_bytes(b"score\n0.5\n\xff\xfe\x00\n")
        with pytest.raises(DataError, match="cannot be read as CSV"):
            bk.read(path)

    def test_a_number_with_an_underscore_is_not_a_score(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("score\n1_0\n")
        with pytest.raises(DataError, match="must be a number; got '1_0'"):
            bk.read(path, score="score")

    def test_a_state_column_is_read(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("score,state\n0.5,COMPLETE\n0.2,pruned\n,FAIL\n,running\n")
        search = bk.read(path, score="score")
        assert search.states == ("complete", "pruned", "failed", "running")

    def test_params_are_numbers_where_they_are(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("score,params_lr,params_layers,params_act,params_x\n0.5,1e-3,2,relu,\n")
        assert bk.read(path).trials[0].params == {
            "lr": 1e-3, "layers": 2, "act": "relu", "x": None
        }  # fmt: skip

    def test_start_order_can_come_from_a_column(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("score,when\n0.5,7\n0.9,3\n")
        search = bk.read(path, score="score", number="when")
        assert search.numbers.tolist() == [3, 7]
        assert search.scores().values.tolist() == [0.9, 0.5]

    def test_further_columns_of_numbers_are_kept_as_metrics(self, tmp_path):
        search = self.read(self.COLUMNS, tmp_path, score="accuracy")
        assert search.scores(metric="seconds").values.tolist() == [1.5, 2.5, 3.5]

    def test_a_missing_cost_of_a_complete_trial_is_refused(self, tmp_path):
        columns = {**self.COLUMNS, "seconds": [1.5, None, 3.5]}
        with pytest.raises(
            DataError,
            match=r"row 2 \(line 3\): `seconds` must be .* for a complete trial; it is missing",
        ):
            self.read(columns, tmp_path, score="accuracy", cost="seconds")

    def test_a_score_outside_the_bounds_is_refused_with_its_row(self, tmp_path):
        with pytest.raises(DataError, match=r"row 3 \(line 4\): `accuracy` must lie within the bo"):
            self.read(self.COLUMNS, tmp_path, score="accuracy", bounds=(0, 0.5))

    def test_several_columns_can_name_the_method(self, tmp_path):
        columns = {**self.COLUMNS, "size": ["s", "s", "l"]}
        searches = self.read(columns, tmp_path, score="accuracy", by=["model", "size"])
        assert list(searches) == ["a / s", "b / s", "a / l"]


class TestJsonLines(SourceContract):
    source = jsonlines

    def write(self, columns, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text("".join(json.dumps(r) + "\n" for r in records(columns)))
        return path

    def test_nested_objects_become_columns(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text('{"config": {"lr": 0.1, "net": {"depth": 3}}, "acc": 0.5}\n')
        search = bk.read(path)
        assert search.trials[0].params == {"lr": 0.1, "net.depth": 3}
        assert search.metric == "acc"

    def test_a_file_cut_short_is_refused_with_its_line(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text('{"acc": 0.5}\n{"acc": 0.')
        with pytest.raises(
            DataError, match=r"runs.jsonl, line 2: must be a JSON object.*cut short"
        ):
            bk.read(path)

    def test_a_line_that_is_no_object_is_refused(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text("[1, 2]\n")
        with pytest.raises(DataError, match=r"line 1: must be a JSON object; got '\[1, 2\]"):
            bk.read(path)


class TestPandas(SourceContract):
    source = frames

    def write(self, columns, tmp_path):
        return pytest.importorskip("pandas").DataFrame(columns)


class TestPolars(SourceContract):
    source = frames

    def write(self, columns, tmp_path):
        return pytest.importorskip("polars").DataFrame(columns)


class TestColumns(SourceContract):
    source = arrays

    def write(self, columns, tmp_path):
        return columns

    def test_columns_of_different_length_are_refused(self):
        with pytest.raises(DataError, match="same length; got 'a' 2, 'b' 1"):
            bk.read({"a": [1, 2], "b": [1]}, score="a")


class TestRecords(SourceContract):
    source = arrays

    def write(self, columns, tmp_path):
        return records(columns)

    def test_no_rows_are_refused(self, tmp_path):  # an empty list holds no records to tell it by
        with pytest.raises(DataError, match="at least one number"):
            bk.read([], score="accuracy")


def test_an_array_is_a_search():
    search = bk.read(np.array([0.5, np.nan]), label="cnn", direction="minimize")
    assert search.label == "cnn"
    assert search.states == ("complete", "failed")
    with pytest.raises(DataError, match="position 1 is NaN"):
        search.scores()


def test_a_pandas_series_is_an_array():
    series = pytest.importorskip("pandas").Series([0.5, 0.7])
    assert bk.read(series).scores().values.tolist() == [0.5, 0.7]
    assert bk.tuning_curve(series).values.tolist() == [0.5, 0.7]


def test_what_no_source_recognises_is_refused():
    with pytest.raises(
        DataError, match=r"read\(\) takes a .*CSV file.*'study.xyz' is none of them"
    ):
        bk.read("study.xyz")
    with pytest.raises(DataError, match="a object is none of them"):
        bk.read(object())


def test_other_packages_register_sources(monkeypatch):
    plugin = SimpleNamespace(
        NAME="xyz",
        recognises=lambda x: x == "study.xyz",
        read=lambda _x, options: bk.Search({"s": [1.0]}, label=options.label or "xyz"),
    )
    entry = SimpleNamespace(load=lambda: plugin)
    monkeypatch.setattr(
        "importlib.metadata.entry_points", lambda group: [entry] * (group == registry.GROUP)
    )
    assert bk.read("study.xyz").label == "xyz"


def test_a_number_for_a_column_name_is_refused():
    with pytest.raises(ArgumentError, match="`score` must be the name of a column; got 3"):
        bk.read({"a": [1]}, score=3)
    with pytest.raises(ArgumentError, match="`params` must be the name of a column or several"):
        bk.read({"a": [1]}, params=[1])
