"""Hydra: the folder of a multirun, one numbered folder per job.

Hydra keeps the overrides and the sweeper; scores are what the jobs left there: numbers in JSON
files, or the value returned if Hydra's LogJobReturnCallback wrote it to the log.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from bestofk._base.types import Direction
from bestofk.errors import DataError
from bestofk.sources.caveats import Drawn, drawn_by
from bestofk.sources.files.nested import flatten, refuse_marks
from bestofk.sources.files.opening import MOST_LINE, last_text, whole_text
from bestofk.sources.files.yaml_files import load_yaml, read_yaml
from bestofk.sources.found import Found
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools.optuna_samplers import SAMPLERS
from bestofk.sources.tools.runs import Run, is_full_grid, numbers_in, of_runs

NAME = "Hydra multirun folder"
RETURNED = "return_value"
_MOST_OVERRIDE = 10_000  # characters
_LOGGED = re.compile(r"Succeeded with return value: (\S+)")


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a multirun's folder."""
    return isinstance(x, str | os.PathLike) and Path(x).is_dir() and bool(_jobs(Path(x)))


def read(x: str | os.PathLike[str], options: ReadOptions) -> Found:
    """Read one trial per job."""
    folder = Path(x)
    runs = []
    sweepers: list[Any] = []
    for job in _jobs(folder):
        settings = _yaml(job / ".hydra" / "hydra.yaml")
        hydra = settings.get("hydra") if isinstance(settings, dict) else None
        hydra = hydra if isinstance(hydra, dict) else {}
        sweepers.append(hydra.get("sweeper"))
        runs.append(_run(job, _number(hydra, job)))
    runs.sort(key=lambda run: run.number or 0)
    numbers = [run.number for run in runs]
    if len(set(numbers)) < len(numbers):
        raise DataError(f"{folder}: each job must have its own number; got {str(numbers)[:100]}.")
    found = of_runs(runs, folder.resolve().name, directions=_directions(sweepers[0]))
    sampling, caveats = _how_drawn(sweepers, found)
    return replace(found, sampling=sampling, caveats=caveats)


def _number(hydra: dict[str, Any], job: Path) -> int:
    told = hydra.get("job")
    number = told.get("num") if isinstance(told, dict) else None
    if isinstance(number, int) and abs(number) < 2**63:
        return number
    if job.name.isdecimal() and len(job.name) < 19:
        return int(job.name)
    raise DataError(f"{job}: a job must have a number, in its name or in .hydra/hydra.yaml.")


def _jobs(folder: Path) -> list[Path]:
    """Return the jobs' folders: those with a `.hydra` in them."""
    found = [f for f in sorted(folder.iterdir()) if (f / ".hydra" / "overrides.yaml").is_file()]
    numbered = [f for f in found if f.name.isdigit() or (f / ".hydra" / "hydra.yaml").is_file()]
    return numbered if len(numbered) == len(found) else []


def _files(job: Path, pattern: str) -> list[Path]:
    return sorted(path for path in job.glob(pattern) if path.is_file())


def _run(job: Path, number: int) -> Run:
    overrides = _yaml(job / ".hydra" / "overrides.yaml")
    metrics: dict[str, float] = {}
    for path in _files(job, "*.json"):
        metrics |= numbers_in(_json(path))
    for path in _files(job, "*.log"):
        text = last_text(path)
        for match in _LOGGED.finditer(text):
            with suppress(ValueError):
                metrics[RETURNED] = float(match.group(1))
    params = dict(_override(text) for text in overrides) if isinstance(overrides, list) else {}
    if metrics:
        return Run(number=number, state="complete", metrics=metrics, params=params)
    note = f"job {job.name} left no number in a JSON file, nor one in its log"
    return Run(number=number, state="failed", metrics={}, params=params, note=note)


def _override(text: object) -> tuple[str, Any]:
    name, _, value = str(text).partition("=")
    import yaml

    try:  # in which 2024-02-30 is a day, but none that there is
        read = load_yaml(value) if len(value) <= _MOST_OVERRIDE else value
    except (yaml.YAMLError, ValueError, RecursionError):
        read = value
    if isinstance(read, str):  # YAML takes 1e-3 for text
        with suppress(ValueError):
            read = float(read)
    return name.lstrip("+~"), read


def _json(path: Path) -> dict[str, Any]:
    if path.stat().st_size > MOST_LINE:  # whatever it is, the metrics of a job are not in it
        return {}
    text = refuse_marks(whole_text(path), str(path))
    try:
        found = json.loads(text)
    except RecursionError:
        raise DataError(f"{path}: must be JSON; it is nested too deeply.") from None
    except ValueError as error:
        raise DataError(f"{path}: must be JSON; {error}.") from None
    return flatten(found) if isinstance(found, dict) else {}


def _yaml(path: Path) -> Any:
    return (read_yaml(path, "a Hydra folder") if path.is_file() else None) or {}


def _how_drawn(sweepers: Sequence[Any], found: Found) -> Drawn:
    kinds = {_name(sweeper) for sweeper in sweepers}
    kind = kinds.pop() if len(kinds) == 1 else ""
    if kind == "BasicSweeper" or is_full_grid(found.params):
        text = "Hydra's basic sweeper runs every combination of the values given (a grid)"
        return drawn_by(text, "without-replacement", "grid")
    if kind == "OptunaSweeper":
        sampler = _name(sweepers[0].get("sampler"))
        sampling = SAMPLERS.get(sampler, "unknown")
        known = "" if sampling != "unknown" else ", which is not known to draw independently"
        return drawn_by(f"the jobs were chosen by Optuna's {sampler or 'sampler'}{known}", sampling)
    if kind in ("AxSweeper", "NevergradSweeper"):
        return drawn_by(f"{kind} chooses later jobs by the results of earlier ones", "adaptive")
    return drawn_by(f"how {kind or 'the sweeper'} draws settings is not known", "unknown")


def _directions(sweeper: Any) -> dict[str, Direction]:
    """Return the direction of what the jobs return, if the Optuna sweeper states it."""
    stated = sweeper.get("direction") if isinstance(sweeper, dict) else None
    return {RETURNED: stated} if stated in ("maximize", "minimize") else {}


def _name(target: Any) -> str:
    return str(target.get("_target_", "")).rpartition(".")[2] if isinstance(target, dict) else ""
