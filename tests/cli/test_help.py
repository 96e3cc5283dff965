"""The help, the commands that packages add, and completion."""

from __future__ import annotations

import inspect
import os
import re
import subprocess
import sys
from importlib.metadata import EntryPoint
from typing import get_args

import pytest
import typer

from bestofk._base.types import Axis, BandKind, Direction, Estimator, Failed
from bestofk.cli import group
from bestofk.cli import main as program
from bestofk.cli.options import Format
from bestofk.cli.store import ExportFormat
from bestofk.cli.study import StudiedBand, Truth
from bestofk.scores.trial import Sampling
from tests.cli import test_cli

run = test_cli.run


def greet(name: str = "you") -> None:
    """Greet somebody."""
    typer.echo(f"hello {name}")


@pytest.fixture
def add(monkeypatch):
    """Let packages add these commands and no others: name and what the entry point says."""

    def of(**commands):
        found = [EntryPoint(n, value, group.COMMANDS) for n, value in commands.items()]
        monkeypatch.setattr(group, "entry_points", lambda group: found)

    return of


def summaries(text):
    """Return the names and summaries of each section of a help, by its title."""
    parts = re.split(r"^(\w+):\n", text, flags=re.M)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    del found["Options"]
    return {
        title: dict(re.findall(r"^  (\S+) +(\S.*)$", rows, flags=re.M))
        for title, rows in found.items()
    }


@pytest.mark.parametrize("words", ["--help", "study --help"])
def test_no_summary_is_cut_at_80_columns(run, monkeypatch, words):
    """Each is the first sentence of its command's docstring, whole and on one line."""
    monkeypatch.setenv("COLUMNS", "80")
    out = run(words)[1]
    shown = {name: text for rows in summaries(out).values() for name, text in rows.items()}
    command = typer.main.get_command(program.app)
    if "study" in words:
        command = command.commands["study"]
    assert set(command.commands) <= set(shown)
    for name, text in shown.items():
        assert text.endswith("."), name
        assert not text.endswith("..."), name
        if name in command.commands:
            described = inspect.cleandoc(command.commands[name].help)
            assert described.startswith(text), name
    assert max(map(len, out.splitlines())) <= 80


def test_a_summary_that_is_too_long_would_be_seen(run, monkeypatch):
    """The test above can fail: a window half as wide cuts some."""
    monkeypatch.setenv("COLUMNS", "52")
    assert "..." in run("--help")[1]


def test_the_help_has_sections(run, add):
    add(reproduce="tests.cli.test_help:greet")
    found = summaries(run("--help")[1])
    assert list(found) == ["Analyse", "Run", "Show", "Reproduce"]
    ours = {title: tuple(rows) for title, rows in found.items() if title != "Reproduce"}
    assert ours == group.SECTIONS
    assert found["Reproduce"] == {"reproduce": "Greet somebody."}
    add()
    assert list(summaries(run("--help")[1])) == ["Analyse", "Run", "Show"]


def test_every_command_is_in_a_section():
    listed = {name for names in group.SECTIONS.values() for name in names}
    assert listed == set(typer.main.get_command(program.app).commands)


@pytest.mark.parametrize(
    "line",
    ["curve ys.csv", "plan --budget 5", "study reach --sizes 5,9", "curve --help", "--version"],
)
def test_our_own_commands_look_for_no_others(run, monkeypatch, line):
    monkeypatch.setattr(group, "entry_points", lambda group: pytest.fail("looked up"))
    assert run(line)[0] == 0


@pytest.mark.parametrize(("line", "code"), [("--help", 0), ("bogus", 2)])
def test_help_and_unknown_commands_look_for_others(run, monkeypatch, line, code):
    asked = []
    monkeypatch.setattr(group, "entry_points", lambda group: asked.append(group) or ())
    assert run(line)[0] == code
    assert set(asked) == {"bestofk.commands"}


def test_a_package_adds_a_command(run, add):
    add(greet="tests.cli.test_help:greet")
    assert run("greet --name ann") == (0, "hello ann\n", "")
    assert "Greet somebody." in run("greet -h")[1]
    code, _, err = run("greet --nonsense")
    assert code == 2
    assert "No such option" in err
    assert "--nonsense" in err


def test_a_package_cannot_replace_our_own(run, add):
    add(plan="tests.cli.test_help:greet")
    assert "hello" not in run("plan --budget 5")[1]
    assert run("--help")[1].count("  plan ") == 1


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ("nosuch.module:f", "No module named 'nosuch'"),
        ("tests.cli.test_help:nosuch", "has no attribute 'nosuch'"),
    ],
)
def test_a_command_that_cannot_be_loaded_is_told_in_one_sentence(run, add, value, why):
    add(broken=value)
    for line in ("broken", "broken x --option y", "broken --help"):
        code, out, err = run(line)
        assert (code, out) == (1, "")
        assert err.startswith("bestofk: the command 'broken', which a package adds, cannot be ")
        assert why in err
        assert err.count("\n") == 1
    code, out, _ = run("--help")
    assert code == 0
    assert summaries(out)["Reproduce"] == {"broken": "Cannot be loaded; call it to see why."}


def test_reproduce_without_its_package_says_how_to_get_it(run, add):
    add()
    for line in ("reproduce", "reproduce --list"):
        code, out, err = run(line)
        assert (code, out) == (2, "")
        assert err.endswith("pip install ./reproduction\n")
        assert err.count("\n") == 1


BANDS = get_args(BandKind)
COMPLETIONS = {
    "bestofk curve --band ": BANDS,
    "bestofk curve --band ld": [b for b in BANDS if b.startswith("ld")],
    "bestofk curve --failed ": get_args(Failed),
    "bestofk curve --direction ": get_args(Direction),
    "bestofk curve --estimator ": get_args(Estimator),
    "bestofk curve --sampling ": get_args(Sampling),
    "bestofk compare --axis ": get_args(Axis),
    "bestofk plan --format ": get_args(Format),
    "bestofk export --format ": get_args(ExportFormat),
    "bestofk study coverage --band ": get_args(StudiedBand),
    "bestofk study coverage --truth ": get_args(Truth),
    "bestofk stu": ["study"],
    "bestofk study w": ["wrong-model", "width"],
    "bestofk curve --confi": ["--confidence"],
}


@pytest.fixture
def program_on_path(tmp_path):
    """The program as a script of that name, which completion is tied to."""
    script = tmp_path / "bin" / "bestofk"
    script.parent.mkdir()
    script.write_text(f"#!{sys.executable}\nfrom bestofk.cli.main import main\nmain()\n")
    script.chmod(0o755)
    return {**os.environ, "PATH": f"{script.parent}:{os.environ['PATH']}"}


@pytest.mark.slow
def test_completion_offers_commands_options_and_choices(program_on_path):
    """Bash asks for the words after `--show-completion`, as it does when Tab is pressed."""
    # without this variable the shell is guessed from the parent process
    guessing = {"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = subprocess.run(
        ["bestofk", "--show-completion", "bash"],
        env={**program_on_path, **guessing}, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    function = re.search(r"^(\w+)\(\)", shown, flags=re.M)[1]
    asked = [
        f"COMP_WORDS=({' '.join(w or repr('') for w in words)}); COMP_CWORD={len(words) - 1}; "
        f'{function} bestofk; echo "${{COMPREPLY[*]}}"'
        for words in (line.split(" ") for line in COMPLETIONS)
    ]
    done = subprocess.run(
        ["bash", "--norc", "-c", "\n".join([shown, *asked])],
        env=program_on_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stderr == ""
    offered = [line.split() for line in done.stdout.splitlines()]
    for line, expected, found in zip(COMPLETIONS, COMPLETIONS.values(), offered, strict=True):
        assert found == list(expected), line
