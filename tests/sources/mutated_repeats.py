"""Mutated tables, databases and folders of repeats: input i of a seed is always the same input.

Run alone for figures: python -m tests.sources.mutated_repeats 20261119 0 10000
"""

from __future__ import annotations

import io
import json
import sqlite3
import sys
import tempfile
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np

import bestofk as bk
from bestofk.errors import BestofkError, on_command_line
from tests.memory import peak_bytes
from tests.sources.mutated import (
    CELLS,
    LONGEST,
    LONGEST_SENTENCE,
    NAMES,
    Late,
    changed,
    one_of,
    timed,
)
from tests.strict import every_warning_fails

SEED = 20261119
OPTIONS: dict[str, list[Any]] = {
    "repeat": ["run", "seed", "study", "file", "nope"],
    "by": ["method", ["method", "run"], "lr"],
    "score": ["value", "step", "nope"],
    "step": ["step", "value"],
    "cost": ["seconds", "value"],
    "test": ["test", "step"],
    "seed": ["seed", "name", "run"],
    "direction": ["minimize", "up"],
    "bounds": [(0, 1), (0, None)],
    "sampling": ["iid", "adaptive"],
    "planned": [8, 0, 1.5],
    "label": ["x"],
}
MORE_NAMES = [*NAMES, "run", "seed", "repeat", "step", "trial", "value", "score", "best", "method"]


def columns(rng: np.random.Generator) -> dict[str, list[Any]]:
    """Return a table of repeats of two methods."""
    each, n = 5, 6
    return {
        "method": [m for m in ("tpe", "cma") for _ in range(each * n // 2)],
        "run": [i // each for i in range(each * n)],
        "seed": [100 + i // each for i in range(each * n)],
        "step": [1 + i % each for i in range(each * n)],
        "value": rng.random(each * n).tolist(),
        "seconds": rng.random(each * n).tolist(),
        "test": rng.random(each * n).tolist(),
    }


def make(folder: Path) -> tuple[dict[str, Path], Path]:
    """Write the files that are mutated, and a folder of repeats."""
    rng = np.random.default_rng(SEED)
    held = columns(rng)
    rows = [dict(zip(held, row, strict=True)) for row in zip(*held.values(), strict=True)]
    lines = [",".join(held), *(",".join(map(str, row.values())) for row in rows)]
    texts = {
        "repeats.csv": "\n".join(lines),
        "repeats.jsonl": "\n".join(map(json.dumps, rows)),
        "repeats.json": json.dumps(rows),
    }
    files = {}
    for name, text in texts.items():
        files[name] = folder / name
        files[name].write_text(text)
    files["studies.db"] = folder / "studies.db"
    _studies(files["studies.db"])
    several = folder / "several"
    (several / "cma").mkdir(parents=True)
    for i, name in enumerate(["tpe-0.csv", "tpe-1.csv", "cma/seed0.csv", "cma/seed1.csv"]):
        own = [line for line in lines[1:] if line.split(",")[1] == str(i)]
        (several / name).write_text("\n".join([lines[0], *own]))
    return files, several


def _studies(path: Path) -> None:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    for seed in range(3):
        study = optuna.create_study(
            study_name=f"tpe-{seed}",
            storage=f"sqlite:///{path}",
            sampler=optuna.samplers.RandomSampler(seed=seed),
        )
        study.optimize(lambda t: t.suggest_float("x", 0, 1) ** 2, n_trials=4)
    with sqlite3.connect(path) as database:
        database.execute("PRAGMA journal_mode=DELETE")


def shaken(rng: np.random.Generator, held: dict[Any, list[Any]]) -> dict[Any, list[Any]]:
    """Return a table in which cells, names or rows are something else."""
    for _ in range(int(rng.integers(1, 4))):
        name = one_of(rng, list(held))
        way = int(rng.integers(5))
        row = int(rng.integers(max(len(held[name]), 1)))
        if way == 0 and held[name]:
            held[name][row] = deepcopy(one_of(rng, CELLS))
        elif way == 1:
            held[one_of(rng, MORE_NAMES)] = held.pop(name)
        elif way == 2 and len(held) > 1:
            del held[name]
        elif way == 3:
            held = {n: c[:row] + c[row + 1 :] for n, c in held.items()}
        else:
            held[one_of(rng, MORE_NAMES)] = [deepcopy(one_of(rng, CELLS)) for _ in held[name]]
    return held


def look(x: Any, given: dict[str, Any]) -> tuple[str, bool]:
    """Read an input and use what came; return what is wrong about it, and whether it was read."""
    try:
        with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
            for repeats in bk.read_repeats(x, **given).values():
                repr(repeats)
                with suppress(BestofkError):
                    repr(bk.tuning_band(repeats))
    except BestofkError as error:
        for text in (str(error), on_command_line(error.text)):
            if not text.strip() or len(text) > LONGEST_SENTENCE or "\n" in text.strip():
                return f"a message of {len(text)} characters: {text[:150]!r}", False
        return "", False
    except Late:
        return f"took more than {LONGEST:g} s", False
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:150]}", False
    return (f"printed {said.getvalue()[:80]!r}" if said.getvalue() else ""), True


def run(seed: int, first: int, count: int) -> dict[str, Any]:
    """Read `count` mutated inputs; return how many of each kind, what went wrong, the slowest."""
    wrong: list[str] = []
    kinds: Counter[str] = Counter()
    slowest, well = (0.0, ""), 0
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        files, several = make(Path(name).resolve())
        inside = sorted(path for path in several.rglob("*.csv"))
        every_warning_fails()
        for number in range(first, first + count):
            rng = np.random.default_rng([seed, number])
            given = {k: one_of(rng, v) for k, v in OPTIONS.items() if rng.random() < 0.06}
            if rng.random() < 0.6:
                given.setdefault("by", "method")
            way = rng.random()
            with timed() as taken:
                if way < 0.4:
                    kind = one_of(rng, list(files))
                    with changed(rng, files[kind]):
                        problem, read = look(files[kind], given)
                elif way < 0.8:
                    kind = "columns"
                    problem, read = look(shaken(rng, columns(rng)), given)
                else:
                    kind = "folder"
                    given.pop("by", None)
                    with changed(rng, one_of(rng, inside)):
                        problem, read = look(several, given)
                seconds = taken()
            well += read
            kinds[kind] += 1
            slowest = max(slowest, (round(seconds, 3), f"{number} ({kind})"))
            if problem:
                wrong.append(f"{number} ({kind}): {problem}")
    return {
        "inputs": count, "seed": seed, "read": well, "wrong": wrong, "slowest": slowest,
        "peak": peak_bytes(), "kinds": dict(sorted(kinds.items())),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(*map(int, sys.argv[1:4]))))
