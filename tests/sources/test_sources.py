"""The built-in sources: the contract, and what is special about each."""

from __future__ import annotations

import csv
import gzip
import json

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError
from bestofk.sources.files import arrays, csv_files, frames, json_lines
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
    source = csv_files

    def write(self, columns, tmp_path):
        return write_csv(columns, tmp_path / "runs.csv")

    def test_label_is_the_name_of_the_file(self, tmp_path):
        assert self.read(self.COLUMNS, tmp_path, score="accuracy").label == "runs"

    def test_message_names_file_row_line_and_cell(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text('score\n0.1\n0.15\n"0.2"\nN/A\n')
        with pytest.raises(DataError) as error:
            bk.tuning_curve(bk.read(path))
        assert str(error.value) == (
            "runs.csv, row 4 (line 5): `score` is not a number ('N/A'). Pass failed=\"worst\" to "
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
        with pytest.raises(DataError, match="must be text in UTF-8"):
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
        searches = bk.read_all(
            self.write(columns, tmp_path), score="accuracy", by=["model", "size"]
        )
        assert list(searches) == ["a / s", "b / s", "a / l"]

    def test_a_byte_order_mark_is_no_part_of_the_name(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("\ufeffscore\n0.5\n", encoding="utf-8")
        assert bk.read(path).metric == "score"

    def test_a_file_without_a_header_is_refused(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("0.5\n0.6\n")
        with pytest.raises(
            DataError, match=r"must hold the column names; it holds numbers \(0.5\)"
        ):
            bk.read(path)

    def test_delimiters_inside_quotes_and_in_tsv_do_not_count(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text('"a;b;c;d",score\nx,0.5\n')
        assert bk.read(path, score="score").scores().values.tolist() == [0.5]
        path = tmp_path / "runs.tsv"
        path.write_text("a, b, c\tscore\nx\t0.5\n")
        assert bk.read(path, score="score").scores().values.tolist() == [0.5]

    def test_what_is_no_gzip_is_refused(self, tmp_path):
        path = tmp_path / "runs.csv.gz"
        path.write_text("score\n0.5\n")
        with pytest.raises(DataError, match="cannot be read: Not a gzipped file"):
            bk.read(path)

    def test_an_unknown_state_is_refused_once_one_is_known(self, tmp_path):
        path = tmp_path / "runs.csv"
        path.write_text("score,state\n0.5,complete\n0.1,exploded\n")
        with pytest.raises(DataError, match=r"row 2 .*`state` must be one of .*; got 'exploded'"):
            bk.read(path, score="score")
        path.write_text("score,state\n0.5,Ohio\n0.1,Utah\n")
        assert bk.read(path, score="score").states == ("complete", "complete")

    def test_an_infinite_cost_is_refused_with_its_row(self, tmp_path):
        columns = {**self.COLUMNS, "seconds": [1.5, float("inf"), 3.5]}
        with pytest.raises(DataError, match=r"row 2 \(line 3\): `seconds` .*; it is inf"):
            self.read(columns, tmp_path, score="accuracy", cost="seconds")

    def test_repeated_and_broken_numbers_are_refused_with_their_row(self, tmp_path):
        columns = {**self.COLUMNS, "when": [1, 2, 1]}
        with pytest.raises(
            DataError, match=r"row 3 .*: `when` must be different .*; 1 also .* row 1"
        ):
            self.read(columns, tmp_path, score="accuracy", number="when")
        columns = {**self.COLUMNS, "when": [1, 2.5, None]}
        with pytest.raises(DataError, match=r"row 2 .*: `when` must be a whole number; got '2.5'"):
            self.read(columns, tmp_path, score="accuracy", number="when")


class TestJsonLines(SourceContract):
    source = json_lines

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

    def test_lists_are_parameters_like_others(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text(
            '{"s": 1, "config": {"layers": [64]}}\n{"s": 2, "config": {"layers": [64, 64]}}\n'
        )
        assert [t.params["layers"] for t in bk.read(path, score="s").trials] == [[64], [64, 64]]

    def test_text_and_numbers_may_be_mixed_if_all_are_numbers(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text('{"s": "1"}\n{"s": 2}\n{"s": null}\n')
        assert bk.read(path).scores(failed="drop").values.tolist() == [1, 2]

    def test_repeated_names_are_refused(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_text('{"s": 1, "s": 2}\n')
        with pytest.raises(DataError, match="line 1: names must be different; 's' comes more"):
            bk.read(path)
        path.write_text('{"a.b": 1, "a": {"b": 2}}\n')
        with pytest.raises(DataError, match=r"line 1: .* 'a\.b' does not"):
            bk.read(path)

    def test_bytes_that_are_not_text_are_refused(self, tmp_path):
        path = tmp_path / "runs.jsonl"
        path.write_bytes(b'{"s": "\xff"}')
        with pytest.raises(DataError, match="must be text in UTF-8"):
            bk.read(path)


@pytest.mark.parametrize("library", ["polars", "pyarrow"])
def test_nested_columns_of_a_frame_are_as_in_json_lines(library):
    make = {"polars": "DataFrame", "pyarrow": "table"}[library]
    columns = {
        "acc": [0.5, 0.25, 0.75],
        "config": [{"lr": 0.1, "net": {"act": "a"}}, {"lr": 0.2, "net": {"act": "b"}}, None],
    }
    table = getattr(pytest.importorskip(library), make)
    search = bk.read(table(columns), score="acc")
    assert search.params == {"lr": (0.1, 0.2, None), "net.act": ("a", "b", None)}
    assert search.metrics.keys() == {"acc"}
    with pytest.raises(DataError, match=r"must be different; 'config\.lr' comes more than once"):
        bk.read(table({**columns, "config.lr": [1, 2, 3]}), score="acc")


class TestPandas(SourceContract):
    source = frames

    def write(self, columns, tmp_path):
        return pytest.importorskip("pandas").DataFrame(columns)

    def test_columns_named_by_numbers(self):
        frame = pytest.importorskip("pandas").DataFrame([[1, 2], [3, 4]])
        assert bk.read(frame, score="1").scores().values.tolist() == [2, 4]

    def test_repeated_names_are_refused(self):
        frame = pytest.importorskip("pandas").DataFrame([[1, 2]], columns=["a", "a"])
        with pytest.raises(DataError, match="'a'"):
            bk.read(frame, score="a")

    def test_missing_values_of_every_kind_are_failed_trials(self):
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"s": pd.array([0.5, pd.NA], dtype="Float64"), "m": ["a", "b"]})
        assert bk.read(frame, score="s").states == ("complete", "failed")
        frame = pd.DataFrame({"s": [0.5, None], "m": pd.Categorical(["a", "b"])})
        assert list(bk.read_all(frame, score="s", by="m")) == ["a", "b"]


class TestPolars(SourceContract):
    source = frames

    def write(self, columns, tmp_path):
        return pytest.importorskip("polars").DataFrame(columns)

    def test_a_lazy_frame_must_be_collected(self):
        lazy = pytest.importorskip("polars").DataFrame({"a": [1.0]}).lazy()
        with pytest.raises(DataError, match=r"collected first: pass frame.collect\(\)"):
            bk.read(lazy)


class TestColumns(SourceContract):
    source = arrays

    def write(self, columns, tmp_path):
        return columns

    def test_columns_of_different_length_are_refused(self):
        with pytest.raises(DataError, match="same length; got 'a' 2, 'b' 1"):
            bk.read({"a": [1, 2], "b": [1]}, score="a")

    @pytest.mark.parametrize(
        "bad", [[0.5, True], [0.5, 1j], np.array([1 + 2j, 3]), [0.5, 10**400], [[1], [2, 3]]]
    )
    def test_mixtures_are_not_quietly_converted(self, bad):
        with pytest.raises(DataError, match=r"row [12]: `s` must be a number; got"):
            bk.read({"s": bad, "other": [1, 2]}, score="s")

    def test_masked_entries_and_repeated_names_are_refused(self):
        with pytest.raises(DataError, match="some are masked"):
            bk.read({"s": np.ma.array([1.0, 2], mask=[0, 1])})
        with pytest.raises(DataError, match="'0' comes more than once"):
            bk.read({0: [1.0], "0": [2.0]}, score="0")

    def test_methods_are_not_merged_by_their_names(self):
        columns = {"m": ["x / y", "x"], "q": ["z", "y / z"], "s": [1.0, 2.0]}
        with pytest.raises(DataError, match="'x / y / z' stands for more than one"):
            bk.read_all(columns, by=["m", "q"], score="s")
        assert list(bk.read_all({"m": ["none", "na"], "s": [1.0, 2.0]}, by="m")) == ["none", "na"]

    def test_params_of_two_conventions_keep_their_full_names(self):
        search = bk.read({"s": [1.0], "params_lr": [2], "config.lr": [3]}, score="s")
        assert search.trials[0].params == {"params_lr": 2, "config.lr": 3}

    def test_a_column_is_one_thing_only(self):
        with pytest.raises(ArgumentError, match="one thing only; 's' was named twice"):
            bk.read({"s": [1.0]}, score="s", cost="s")
        with pytest.raises(ArgumentError, match="`label` names a single method"):
            bk.read_all({"s": [1.0], "m": ["a"]}, by="m", label="x")


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


def test_an_array_has_no_columns():
    with pytest.raises(ArgumentError, match="an array of scores has no columns; got 'c', 'm'"):
        bk.read_all([1, 2], by="m", cost="c")


def test_a_range_is_an_array():
    assert bk.read(range(3)).scores().values.tolist() == [0, 1, 2]


def test_a_pandas_series_is_an_array():
    series = pytest.importorskip("pandas").Series([0.5, 0.7])
    assert bk.read(series).scores().values.tolist() == [0.5, 0.7]
    assert bk.tuning_curve(series).estimate.tolist() == [0.5, 0.7]
