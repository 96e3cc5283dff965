"""Mutated files of every format that holds attempts: input i of a seed is always the same input.

Run alone for figures: python -m tests.sources.mutated_attempts 20261118 0 10000
"""

from __future__ import annotations

import io
import json
import sys
import tempfile
import warnings
import zipfile
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

import bestofk as bk
from bestofk.errors import BestofkError, on_command_line
from tests.memory import peak_bytes
from tests.sources import attempt_files, recorded
from tests.sources.mutated import CELLS, LONGEST, LONGEST_SENTENCE, Late, changed, one_of, timed
from tests.strict import every_warning_fails

SEED = 20261118
OPTIONS: dict[str, list[Any]] = {
    "problem": ["problem", "task_id", "nope", "id"],
    "score": ["score", "passed", "match", "base", "nope"],
    "attempt": ["attempt", "trial"],
    "answer": ["answer", "score"],
    "by": ["model", ["problem", "score"]],
    "n": ["n"],
    "partial": [0.5, 3],
    "stopped": ["success", "unrelated"],
    "attempts": [1, 2],
    "failed": ["worst", "drop"],
    "bounds": [(0, 2), (0, None)],
    "direction": ["minimize"],
}


def make(folder: Path) -> tuple[dict[str, Path], Path]:
    """Write the files that are mutated, and a folder of reports."""
    files = {}
    for name, data in attempt_files.files().items():
        files[name] = folder / name
        files[name].write_bytes(data)
    recorded.unpack("inspect", folder)
    files |= {name: folder / name for name in ("sums.json", "sums.eval")}
    files["deflated.eval"] = folder / "deflated.eval"
    held = attempt_files.inspect_log()
    with zipfile.ZipFile(files["deflated.eval"], "w", zipfile.ZIP_STORED) as packed:
        packed.writestr("header.json", json.dumps({k: held[k] for k in ("version", "eval")}))
        packed.writestr("summaries.json", json.dumps(held["samples"]))
    reports = folder / "reports"
    reports.mkdir()
    for i in range(4):
        (reports / f"m.run_{i}.json").write_text(json.dumps(attempt_files.swebench(i)))
    return files, reports


def shaken(rng: np.random.Generator, held: Any) -> Any:
    """Return JSON of the same shape in which something inside is something else."""
    odd = [c for c in CELLS if isinstance(c, str | int | float | list | dict | None | bool)]
    place = held
    while isinstance(place, dict | list) and place:
        keys = list(place) if isinstance(place, dict) else range(len(place))
        key = one_of(rng, list(keys))
        inner = place[key]
        if not isinstance(inner, dict | list) or not inner or rng.random() < 0.2:
            if isinstance(place, dict) and rng.random() < 0.3:
                del place[key]
            else:
                place[key] = deepcopy(one_of(rng, odd))
            break
        place = inner
    return held


def look(x: Any, given: dict[str, Any]) -> str:
    """Read an input and use what came; return what is wrong about it, nothing if all is well."""
    try:
        with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
            for attempts in bk.read_attempts(x, **given).values():
                repr(attempts)
                with suppress(BestofkError):
                    bk.pass_curve(attempts, failed="worst")
    except BestofkError as error:
        for text in (str(error), on_command_line(error.text)):
            if not text.strip() or len(text) > LONGEST_SENTENCE or "\n" in text.strip():
                return f"a message of {len(text)} characters: {text[:150]!r}"
        return ""
    except Late:
        return f"took more than {LONGEST:g} s"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return f"printed {said.getvalue()[:80]!r}" if said.getvalue() else ""


def run(seed: int, first: int, count: int) -> dict[str, Any]:
    """Read `count` mutated inputs; return how many of each kind, what went wrong, the slowest."""
    wrong: list[str] = []
    kinds: Counter[str] = Counter()
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        files, reports = make(Path(name).resolve())
        shapes = [name for name in files if name.endswith(".json")]
        every_warning_fails()
        for number in range(first, first + count):
            rng = np.random.default_rng([seed, number])
            given = {k: one_of(rng, v) for k, v in OPTIONS.items() if rng.random() < 0.06}
            way = rng.random()
            with timed() as taken:
                if way < 0.5:
                    kind = one_of(rng, list(files))
                    with changed(rng, files[kind]):
                        problem = look(files[kind], given)
                elif way < 0.9:
                    kind = one_of(rng, shapes)
                    before = files[kind].read_bytes()
                    held = json.loads(before)
                    for _ in range(int(rng.integers(1, 4))):
                        held = shaken(rng, held)
                    files[kind].write_text(json.dumps(held, default=str))
                    problem = look(files[kind], given)
                    files[kind].write_bytes(before)
                else:
                    kind = "reports"
                    with changed(rng, one_of(rng, sorted(reports.iterdir()))):
                        problem = look(reports, given)
                seconds = taken()
            kinds[kind] += 1
            slowest = max(slowest, (round(seconds, 3), f"{number} ({kind})"))
            if problem:
                wrong.append(f"{number} ({kind}): {problem}")
    return {
        "inputs": count, "seed": seed, "wrong": wrong, "slowest": slowest, "peak": peak_bytes(),
        "kinds": dict(sorted(kinds.items())),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(*map(int, sys.argv[1:4]))))
