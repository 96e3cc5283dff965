"""One whole search as one trial of `bestofk.run_search`: an Optuna study that survives a kill.

Repeat r of a sampler is what anybody gets from Optuna with ``sampler(seed=SEEDS[sampler] + r)``,
``ask`` and ``tell``.  Each trial that ends is one line of a file at once.  A study that was killed
is played again from its lines: the sampler is asked as before, told the recorded scores, and only
what is missing is fitted.  So a resumed study is the uninterrupted one, whatever state a sampler
keeps; if the sampler asks for another setting than was recorded, the study is refused.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from objectives import OBJECTIVES

# Seeds of their own: with the same one, TPE's first ten settings are those of random search.
SEEDS = {"tpe": 1000, "cmaes": 2000, "random": 3000}
SAMPLERS = {"tpe": "TPESampler", "cmaes": "CmaEsSampler", "random": "RandomSampler"}


def whole_study(params: dict[str, Any], trial: Any, *, folder: Path) -> dict[str, float]:
    """Run the study of a repeat, or what is missing of it; the score is its best."""
    name, sampler = params["objective"], params["sampler"]
    path = lines_path(folder, name, sampler, trial.number)
    rows = run_study(name, sampler, trial.number, params["n_trials"], path)
    pick = max if OBJECTIVES[name].direction == "maximize" else min
    return {
        "best": pick(row["score"] for row in rows),
        "seconds": sum(row["seconds"] for row in rows),
    }


def lines_path(folder: Path, objective: str, sampler: str, repeat: int) -> Path:
    """Return the file with the trials of a study."""
    return folder / f"{objective}-{sampler}" / f"{repeat:03d}.jsonl"


def run_study(
    objective: str, sampler: str, repeat: int, n_trials: int, path: Path
) -> list[dict[str, Any]]:
    """Return the trials of a study: those of the file, then those run and added to it now."""
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = read_lines(path)
    n_known = len(rows)
    if n_known < n_trials:
        warm_up(objective, sampler)
    measured, seed = OBJECTIVES[objective], SEEDS[sampler] + repeat
    study, space = new_study(objective, sampler, seed), measured.space
    with path.open("a", encoding="utf-8") as file:
        for number in range(n_trials):
            start = time.process_time()
            asked = study.ask(space)
            asking = time.process_time() - start
            if number < n_known:
                refuse_other_setting(path, number, rows[number]["params"], asked.params)
            else:
                row = {"number": number, "seed": seed, "params": asked.params}
                row |= measured.measure(asked.params)
                row["seconds"] = round(row["seconds"] + asking, 5)  # a sampler's thinking costs
                file.write(json.dumps(row) + "\n")
                file.flush()
                rows.append(row)
            study.tell(asked, rows[number]["score"])
    return rows


def new_study(objective: str, sampler: str, seed: int) -> Any:
    """Return an empty study in memory, with the default settings of the sampler."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    make = getattr(optuna.samplers, SAMPLERS[sampler])
    return optuna.create_study(sampler=make(seed=seed), direction=OBJECTIVES[objective].direction)


def warm_up(objective: str, sampler: str) -> None:
    """Do what a process does only once, such as imports, before anything is timed."""
    study, space = new_study(objective, sampler, 0), OBJECTIVES[objective].space
    OBJECTIVES[objective].measure(study.ask(space).params)
    for number in range(12):  # TPE begins to think after 10
        study.tell(study.ask(space), float(number))


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the trials in a file, without a last line that a kill has cut off.

    That line is removed from the file, so that the next one starts where it started.
    """
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content.rpartition(b"\n")[0]
    if content and not content.endswith(b"\n"):
        path.write_bytes(whole + b"\n" if whole else b"")
    return [json.loads(line) for line in whole.splitlines()]


def refuse_other_setting(path: Path, number: int, before: Any, now: Any) -> None:
    """Raise if the sampler asks for another setting than when the trial was run."""
    if before != now:
        raise ValueError(
            f"{path}, trial {number}: was run with {before}, but the sampler now asks for {now}. "
            "Use the versions of Optuna and cmaes that it began with, or remove the file."
        )
