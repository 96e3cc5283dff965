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
from pathlib import Path
from typing import Any

from bestofk.errors import DataError, MissingPackageError
from bestofk.scores.search import Sampling, Search
from bestofk.sources.jsonlines import flatten
from bestofk.sources.options import ReadOptions
from bestofk.sources.optunastudies import _SAMPLERS as OPTUNA_SAMPLERS
from bestofk.sources.runs import VOID, Found, Run, is_full_grid, numbers_in, refuse_by, to_search

NAME = "Hydra multirun folder"
RETURNED = "return_value"
_LOGGED = re.compile(r"Succeeded with return value: (\S+)")


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a multirun's folder."""
    return isinstance(x, str | os.PathLike) and Path(x).is_dir() and bool(_jobs(Path(x)))


def read(x: str | os.PathLike[str], options: ReadOptions) -> Search:
    """Read one trial per job."""
    folder = Path(x)
    what = folder.resolve().name
    refuse_by(options, what)
    found = []
    sweepers: list[Any] = []
    for job in _jobs(folder):
        hydra = _yaml(job / ".hydra" / "hydra.yaml").get("hydra", {})
        sweepers.append(hydra.get("sweeper") if isinstance(hydra, dict) else None)
        found.append((_number(hydra, job), _run(job)))
    found.sort(key=lambda pair: pair[0])
    numbers = [number for number, _ in found]
    if len(set(numbers)) < len(numbers):
        raise DataError(f"{folder}: each job must have its own number; got {numbers}.")
    runs = [
        Run(number=number, state=run.state, metrics=run.metrics, params=run.params, note=run.note)
        for number, run in found
    ]
    sampling, caveats = _how_drawn(sweepers, runs)
    return to_search(
        Found(runs=runs, label=what, sampling=sampling, caveats=caveats), options, what
    )


def _number(hydra: Any, job: Path) -> int:
    number = hydra.get("job", {}).get("num") if isinstance(hydra, dict) else None
    if isinstance(number, int):
        return number
    if job.name.isdecimal():
        return int(job.name)
    raise DataError(f"{job}: a job must have a number, in its name or in .hydra/hydra.yaml.")


def _jobs(folder: Path) -> list[Path]:
    """Return the jobs' folders: those with a `.hydra` in them."""
    try:
        inside = sorted(folder.iterdir())
    except OSError:
        return []
    found = [f for f in inside if (f / ".hydra" / "overrides.yaml").is_file()]
    numbered = [f for f in found if f.name.isdigit() or (f / ".hydra" / "hydra.yaml").is_file()]
    return numbered if len(numbered) == len(found) else []


def _run(job: Path) -> Run:
    overrides = _yaml(job / ".hydra" / "overrides.yaml")
    metrics: dict[str, float] = {}
    for path in sorted(job.glob("*.json")):
        metrics |= numbers_in(_json(path))
    for path in sorted(job.glob("*.log")):
        text = path.read_text(encoding="utf-8", errors="replace")
        for match in _LOGGED.finditer(text):
            try:
                metrics[RETURNED] = float(match.group(1))
            except ValueError:
                continue
    params = dict(_override(text) for text in overrides) if isinstance(overrides, list) else {}
    state = "complete" if metrics else "failed"
    note = "" if metrics else f"job {job.name} left no number in a JSON file, nor one in its log"
    return Run(state=state, metrics=metrics, params=params, note=note)  # type: ignore[arg-type]


def _override(text: object) -> tuple[str, Any]:
    name, _, value = str(text).partition("=")
    import yaml

    try:
        read = yaml.safe_load(value)
    except yaml.YAMLError:
        read = value
    if isinstance(read, str):  # YAML takes 1e-3 for text
        with suppress(ValueError):
            read = float(read)
    return name.lstrip("+~"), read


def _json(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: must be JSON; {error}.") from None
    return flatten(found) if isinstance(found, dict) else {}


def _yaml(path: Path) -> Any:
    try:
        import yaml
    except ImportError:
        raise MissingPackageError("reading a Hydra folder", "pyyaml", "sources") from None
    if not path.is_file():
        return {}
    try:
        return yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read: {' '.join(str(error).split())}.") from None


def _how_drawn(sweepers: Sequence[Any], runs: Sequence[Run]) -> tuple[Sampling, list[str]]:
    kinds = {_name(sweeper) for sweeper in sweepers}
    kind = kinds.pop() if len(kinds) == 1 else ""
    if kind == "BasicSweeper" or is_full_grid([run.params for run in runs]):
        return "without-replacement", [
            f"Hydra's basic sweeper runs every combination of the values given (a grid), {VOID}"
        ]
    if kind == "OptunaSweeper":
        sampler = _name((sweepers[0] or {}).get("sampler"))
        sampling = OPTUNA_SAMPLERS.get(sampler, "unknown")
        return sampling, [] if sampling == "iid" else [
            f"the jobs were chosen by Optuna's {sampler or 'sampler'}, {VOID}"
        ]
    if kind in ("AxSweeper", "NevergradSweeper"):
        return "adaptive", [f"{kind} chooses later jobs by the results of earlier ones, {VOID}"]
    return "unknown", [f"how {kind or 'the sweeper'} draws settings is not known"]


def _name(target: Any) -> str:
    return str(target.get("_target_", "")).rpartition(".")[2] if isinstance(target, dict) else ""
