"""From the lines of results that slices leave to a ledger, a table, and a check."""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from study import METRICS, SEEDS, drawn, say, search, space_of

from bestofk.space.sampler import trial_params


def read_results(paths: Iterable[Path], *, missing: bool = False) -> list[dict[str, Any]]:
    """Return the results in some files, one per trial; a line cut off by a crash is left out."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    for path in paths:
        if missing and not path.exists():
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            try:
                result = json.loads(line)
            except json.JSONDecodeError:
                say(f"{path}: a line is not whole and is left out: {line:.60}")
                continue
            found.setdefault((result["model"], result["number"]), result)
    return list(found.values())


def collect(options: argparse.Namespace) -> None:
    """Write the searches that the results make: trials 0, 1, ... up to the first missing one."""
    results = read_results(options.results)
    for model in SEEDS:
        by_number = {r["number"]: r for r in results if r["model"] == model}
        n = next(i for i in range(len(by_number) + 1) if i not in by_number)
        if n < len(by_number):  # what ended early beyond a gap would favour fast trials
            say(f"{model}: trial {n} is missing; the {len(by_number) - n} after it are left out")
        refuse_other_params(model, by_number)
        if n == 0:
            continue
        print(search(partial(recorded, by_number=by_number), model, n, options.store, 0))
        if options.csv is not None:
            write_csv(options.csv / f"sst5_{model}.csv", model, [by_number[i] for i in range(n)])


def refuse_other_params(model: str, by_number: dict[int, dict[str, Any]]) -> None:
    """Raise if a result was not made with what the trial of that number draws."""
    space = space_of(model)
    for number, result in by_number.items():
        params = trial_params(space, SEEDS[model], number)
        if result["params"] != params:
            raise SystemExit(
                f"{model}, trial {number}: must have run with {params}; ran with "
                f"{result['params']}. Were these results made with --epochs, --vectors or "
                "--plateau-mode, or in another space?"
            )


def recorded(
    params: dict[str, Any], trial: Any, by_number: dict[int, dict[str, Any]]
) -> dict[str, float]:
    """Return what the trial gave when it was run."""
    result = by_number[trial.number]
    if result["state"] == "failed":
        raise FloatingPointError(result["error"])
    return {name: result[name] for name in METRICS}


def check_again(options: argparse.Namespace) -> None:
    """Print by how much trials that were run again differ from `bestofk.datasets.load_sst5()`."""
    import bestofk as bk

    searches = bk.datasets.load_sst5()
    worst = 0.0
    results = read_results(options.results)
    for result in results:
        model, number = result["model"], result["number"]
        refuse_other_params(model, {number: result})
        trial = searches[model].trials[number]
        if result["state"] != trial.state:
            raise SystemExit(f"{model}, trial {number}: {trial.state}, again {result['state']}")
        if trial.score is None:
            continue
        change = result["accuracy"] - trial.score
        worst = max(worst, abs(change))
        print(f"{model:4} {number:4}  {trial.score:.4f}  again {result['accuracy']:.4f}")
    print(f"{len(results)} trials: the same parameters, accuracies within {worst:.6f}")


def write_csv(path: Path, model: str, results: list[dict[str, Any]]) -> None:
    """Write a recorded search; parameters in full, so that they equal the draws."""
    names = drawn(model)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["number", "state", *METRICS, *names, "error"])
        for result in results:
            values = [result.get(metric, "") for metric in METRICS]
            shown = [round(v, 6) if isinstance(v, float) else v for v in values]
            params = [result["params"][name] for name in names]
            error = result.get("error", "")
            writer.writerow([result["number"], result["state"], *shown, *params, error])
    say(f"{len(results)} trials written to {path}")
