"""Command templates, filled in without a shell, so that every value stays one argument.

A template such as ``python train.py --lr {lr}`` is a list of words; ``{lr}`` inside a word is
replaced by the value.  ``{trial.number}``, ``{trial.seed}``, ``{trial.folder}`` and
``{trial.slot}`` can be used as well, and ``{{`` and ``}}`` stand for single braces.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from bestofk.errors import ArgumentError
from bestofk.runner.work.outcome import BadScoreError, Job, Task, metrics_of
from bestofk.runner.work.output import lines_from_the_end, read_plain, tail
from bestofk.runner.work.pattern import find_score

SPECIAL = ("trial.number", "trial.seed", "trial.folder", "trial.slot")
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
# A parameter of such a name would change how the command itself is found or loaded.
_RESERVED = {"PATH", "HOME", "IFS", "LD_PRELOAD", "LD_LIBRARY_PATH", "PYTHONPATH", "PYTHONHOME"}


def check_template(words: Sequence[str], params: Collection[str]) -> tuple[str, ...]:
    """Return the words of a template, or raise if it names an unknown parameter."""
    words = tuple(words)
    if not words or not all(isinstance(word, str) for word in words):
        raise ArgumentError(f"a command must be a list of words; got {words!r}.")
    for word in words:
        for match in _FIELD.finditer(word):
            name = match[1]
            if name is None and match[0] in ("{", "}"):
                raise ArgumentError(
                    f"a brace in a command must be doubled or hold a parameter; got {word!r}."
                )
            if name is not None and name not in params and name not in SPECIAL:
                raise ArgumentError(
                    f"a command's braces must hold one of {', '.join([*params, *SPECIAL])}; "
                    f"got {word!r}. Double them for a plain brace."
                )
    clash = sorted(_RESERVED & set(params))
    if clash:
        raise ArgumentError(
            "parameters reach a command as environment variables too, so that none can be called "
            f"{clash[0]}. Give it another name."
        )
    return words


def render(words: Sequence[str], values: Mapping[str, Any]) -> list[str]:
    """Return the words of a command with the values filled in.

    A word with a parameter that this trial does not have is left out, together with the option
    before it if it has no other value.

    Examples
    --------
    >>> render(["--lr", "{lr}", "--name={name}", "{{x}}"], {"lr": 0.1, "name": "a b; $(c)"})
    ['--lr', '0.1', '--name=a b; $(c)', '{x}']
    >>> render(["train", "--momentum", "{momentum}", "--fast"], {})
    ['train', '--fast']
    """
    out: list[str] = []
    bare_option = False
    for word in words:
        names = [m[1] for m in _FIELD.finditer(word) if m[1] is not None]
        if any(name not in values for name in names):
            if bare_option:
                out.pop()
            bare_option = False
            continue
        out.append(_FIELD.sub(lambda m: _filled(m, values), word))
        bare_option = word.startswith("-") and not names and "=" not in word
    return out


def _filled(match: re.Match[str], values: Mapping[str, Any]) -> str:
    if match[1] is None:
        return match[0][0]  # one of the two braces
    return text_of(values[match[1]])


def text_of(value: Any) -> str:
    """Return a value as a command receives it: text unchanged, everything else as JSON."""
    return value if isinstance(value, str) else json.dumps(value)


def environment(job: Job, task: Task, folder: Path, slot: int) -> dict[str, str]:
    """Return the environment variables of a command, with its parameters and its trial."""
    return {
        **os.environ,
        **{name: text_of(value) for name, value in task.params.items()},
        "BESTOFK_SEARCH": job.name,
        "BESTOFK_TRIAL": str(task.number),
        "BESTOFK_SEED": str(task.seed),
        "BESTOFK_FOLDER": str(folder),
        "BESTOFK_SLOT": str(slot),
        "BESTOFK_PARAMS": json.dumps(dict(task.params)),
    }


def read_metrics(job: Job, folder: Path) -> dict[str, float]:
    """Return the metrics of a command from its metrics file or its last JSON line."""
    if job.score_pattern is not None:
        match = find_score(job, folder)
        if match is None:
            raise BadScoreError(
                f"no match of {job.score_pattern!r} with a number in what the command printed "
                f"(see {folder / 'stdout'})"
            )
        return metrics_of({job.score: match[0]}, job)
    if job.metrics_file is not None:
        path = folder / job.metrics_file
        try:
            text = read_plain(path)
        except (OSError, UnicodeDecodeError) as error:
            raise BadScoreError(f"{job.metrics_file} cannot be read in {folder}: {error}") from None
        try:
            return metrics_of(_parsed(text), job)
        except (ValueError, RecursionError):
            pass  # it may hold JSON lines
        where, lines = str(path), reversed(text.splitlines())
    else:
        where, lines = "standard output", lines_from_the_end(folder / "stdout", b"{")
    for line in lines:
        found = json_line(line)
        if found is not None:
            return metrics_of(found, job)
    raise BadScoreError(
        f'no JSON line such as {{"{job.score}": 0.9}} on {where} (see {folder / "stdout"})'
    )


def json_line(line: str) -> dict[str, Any] | None:
    """Return the JSON object in a line, or None if it holds something else."""
    line = line.strip()
    if not line.startswith("{"):
        return None
    try:
        found = _parsed(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _parsed(text: str) -> Any:
    """Return what JSON holds; a whole number too large for a float is infinite, as 1e400 is."""
    return json.loads(
        text, parse_int=lambda digits: float(digits) if len(digits) > 400 else int(digits)
    )


def last_words(path: Path) -> str:
    """Return the last lines that a command wrote, for the text of an error."""
    try:
        lines = [line for line in tail(path).splitlines() if line.strip()]
    except OSError:
        return ""
    return "\n".join(lines[-10:])[-2000:]
