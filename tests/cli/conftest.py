"""The command line, run in the process of the tests."""

from __future__ import annotations

import shlex
import sys

import pytest

from bestofk.cli import main as program


@pytest.fixture
def invoke(monkeypatch, capsys):
    """Return a function that runs the program on words or a line: exit status, output, remarks."""

    def call(*words):
        given = shlex.split(words[0]) if len(words) == 1 else map(str, words)
        monkeypatch.setattr(sys, "argv", ["bestofk", *given])
        with pytest.raises(SystemExit) as stop:
            program.main()
            raise SystemExit(0)
        captured = capsys.readouterr()
        return stop.value.code or 0, captured.out, captured.err

    return call
