"""What a terminal cannot show is printed in ASCII; words are quoted as its shell takes them."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest

from bestofk.cli import console, demo, report
from bestofk.cli.main import main


def printed_in(encoding, arguments, monkeypatch):
    """Run a command whose standard output and error have an encoding; return its code and both."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding, newline="\r\n") for _ in range(2)]
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    monkeypatch.setattr(sys, "argv", ["bestofk", *arguments])
    with pytest.raises(SystemExit) as left:
        main()
    for stream in streams:
        stream.flush()
    out, err = (stream.buffer.getvalue().decode(stream.encoding) for stream in streams)
    return left.value.code, out, err


@pytest.mark.parametrize(("encoding", "theta"), [("cp1252", r"\u03b8"), ("utf-8", "θ")])
def test_what_the_output_cannot_show_is_printed_all_the_same(
    encoding, theta, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    table = "accuracy,method\n" + "".join(f"0.{i}{i},θ\n0.{i}5,café\n" for i in range(1, 9))
    (tmp_path / "runs.csv").write_text(table, encoding="utf-8")
    arguments = ["compare", "runs.csv", "--score", "accuracy", "--by", "method"]
    code, out, _ = printed_in(encoding, arguments, monkeypatch)
    assert code == 0
    assert theta in out
    assert "café" in out
    code, out, _ = printed_in(encoding, [*arguments, "--format", "csv"], monkeypatch)
    assert (code, "θ" in out, "\r" in out) == (0, True, False)
    code, _, err = printed_in(encoding, ["curve", "runs.csv", "--score", "θ"], monkeypatch)
    assert (code, theta in err) == (2, True)


def test_our_own_signs_have_a_counterpart_in_ascii():
    assert "σ ± 1 … ≤ 2 – “3”".encode("ascii", "bestofk") == rb'\u03c3 +- 1 ... <= 2 - "3"'
    assert "a\udcffb".encode("utf-8", "bestofk") == b"a\xffb"


def test_who_chose_how_letters_are_replaced_keeps_it(monkeypatch):
    chosen = io.TextIOWrapper(io.BytesIO(), "ascii", errors="replace")
    monkeypatch.setattr(sys, "stdout", chosen)
    console.show_anything()
    assert chosen.errors == "replace"


@pytest.mark.parametrize(
    ("word", "as_typed"),
    [
        (r"bestofk-demo\moons.csv", r"bestofk-demo\moons.csv"),
        (r"C:\My runs\a.csv", r'"C:\My runs\a.csv"'),
        ("C:\\My runs\\", '"C:\\My runs\\\\"'),
        ('say "no"', r'"say \"no\""'),
        ("1,2", '"1,2"'),  # a list for PowerShell
        ("a&b", '"a&b"'),
        ("", '""'),
    ],
)
def test_words_are_quoted_as_the_shells_of_windows_take_them(word, as_typed, monkeypatch):
    monkeypatch.setattr(console, "WINDOWS", True)
    assert console.quoted(["bestofk", word]) == f"bestofk {as_typed}"


def test_commands_to_paste_are_quoted_for_the_shell_at_hand(monkeypatch):
    monkeypatch.setattr(sys, "argv", ["bestofk", "report", "my runs.csv"])
    monkeypatch.setattr(console, "WINDOWS", False)
    assert report.command_line() == "bestofk report 'my runs.csv'"
    monkeypatch.setattr(console, "WINDOWS", True)
    assert report.command_line() == 'bestofk report "my runs.csv"'
    assert report.table_command("curve", 0.9) == 'bestofk curve "my runs.csv" --confidence 0.9'


def test_a_program_on_another_drive_is_called_by_its_whole_path(monkeypatch):
    def on_another_drive(path):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(console, "WINDOWS", False)
    called = str(Path("envs", "bestofk"))
    monkeypatch.setattr(sys, "argv", [called, "demo"])
    monkeypatch.setattr(demo.shutil, "which", lambda name: None)
    monkeypatch.setattr(demo.os.path, "relpath", on_another_drive)
    assert demo._program() == console.quoted([called])


def test_patterns_are_files_where_the_shell_leaves_them_to_programs(tmp_path, monkeypatch):
    for name in ("b.csv", "a.csv", "notes.txt"):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    words = ["compare", "*.csv", "--score", "acc", "no*.db", "--by=*"]
    monkeypatch.setattr(console, "WINDOWS", False)
    assert console.expanded(words) == words
    monkeypatch.setattr(console, "WINDOWS", True)
    assert console.expanded(words) == [
        "compare", "a.csv", "b.csv", "--score", "acc", "no*.db", "--by=*",
    ]  # fmt: skip
