"""`read` and `read_all`: which source reads what, and how many searches come back."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

import bestofk as bk
from bestofk.errors import ArgumentError, DataError, on_command_line
from bestofk.sources import registry


def test_what_no_source_recognises_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.xyz").touch()
    with pytest.raises(
        DataError, match=r"read\(\) takes a .*CSV file.*'study.xyz' is none of them"
    ):
        bk.read("study.xyz")
    with pytest.raises(DataError, match="an object of type object is none of them"):
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
    assert list(bk.read_all("study.xyz")) == ["xyz"]


def test_a_source_of_another_package_may_hold_several(monkeypatch):
    held = {name: bk.Search({"s": [1.0]}, label=name) for name in ("a", "b")}
    plugin = SimpleNamespace(
        NAME="xyz", recognises=lambda x: x == "study.xyz", read=lambda _x, _options: held
    )
    entry = SimpleNamespace(load=lambda: plugin)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: [entry])
    with pytest.raises(DataError) as error:
        bk.read("study.xyz")
    assert str(error.value) == (
        "study.xyz holds 2 searches ('a', 'b'). Use read_all() for all of them, or pick one with "
        'name="a".'
    )
    assert on_command_line(error.value.text) == (
        "study.xyz holds 2 searches ('a', 'b'). Name one of them."
    )
    assert bk.read("study.xyz", name="b") is held["b"]
    assert bk.read_all("study.xyz") == held
    assert bk.read_all("study.xyz", name="b") == {"b": held["b"]}
    held.clear()
    with pytest.raises(DataError, match="study.xyz must hold at least one search; it holds none"):
        bk.read("study.xyz")


def test_read_all_gives_a_single_search_by_its_label():
    search = bk.read({"s": [1.0, 2.0]}, label="cnn")
    found = bk.read_all({"s": [1.0, 2.0]}, label="cnn")
    assert list(found) == ["cnn"]
    assert found["cnn"].trials == search.trials


def test_a_name_picks_one_of_several_methods_and_is_refused_where_there_is_one():
    columns = {"m": ["a", "b", "a"], "s": [1.0, 2.0, 3.0]}
    assert list(bk.read_all(columns, by="m", name="b")) == ["b"]
    with pytest.raises(DataError, match="`name` must be one of 'a', 'b'; got 'c'"):
        bk.read_all(columns, by="m", name="c")
    for x in (columns, [1.0, 2.0]):
        with pytest.raises(ArgumentError, match="`name` picks one of several .*; got 'b'"):
            bk.read(x, score="s", name="b")


def test_read_takes_no_column_to_split_by():
    with pytest.raises(TypeError, match="by"):
        bk.read({"m": ["a"], "s": [1.0]}, by="m")


@pytest.mark.parametrize(
    ("call", "python", "command_line"),
    [
        (lambda: bk.read({"a": [1]}, score="b"), "`score` must name", "--score must name"),
        (lambda: bk.read({"a": [1]}, score=3), "`score` must be the", "--score must be the"),
        (
            lambda: bk.read({"a": [1], "b": [1]}),
            "`score` must name the column",
            "--score must name the column",
        ),
        (
            lambda: bk.read_all({"s": [1.0], "m": ["a"]}, by="m", label="x"),
            "`label` names a single method, and `by`",
            "--label names a single method, and --by",
        ),
        (lambda: bk.read("x.pkl"), "to read()", "to bestofk.read()"),
        (lambda: bk.read(object()), "read() takes a", "bestofk reads a"),
    ],
)
def test_the_command_line_words_arguments_as_options(call, python, command_line):
    with pytest.raises(bk.BestofkError) as error:
        call()
    assert python in str(error.value)
    assert command_line in on_command_line(error.value.text)


def test_the_head_of_a_file_is_opened_once(tmp_path, monkeypatch):
    path = tmp_path / "study.xyz"
    path.write_text("nothing")
    opened = []
    was = Path.open
    monkeypatch.setattr(Path, "open", lambda p, *a, **k: opened.append(p) or was(p, *a, **k))
    with pytest.raises(DataError, match="none of them"):
        bk.read(path)
    assert opened.count(path) == 1


def test_a_number_for_a_column_name_is_refused():
    with pytest.raises(ArgumentError, match="`score` must be the name of a column; got 3"):
        bk.read({"a": [1]}, score=3)
    with pytest.raises(ArgumentError, match="`params` must be the name of a column or several"):
        bk.read({"a": [1]}, params=[1])
