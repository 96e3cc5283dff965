"""Make a recorded attempt again, and compare it with the record.

    python examples/countdown/rerun.py small "20,33,50=37" 48
    python examples/countdown/rerun.py small --cells 10

The second form takes recorded cells of cells.csv.  The weights of "small" are in weights/; those of
other models are read from the folder --work, where `run.py pilot` has trained them.  Training adds
in another order each time, so weights trained anew are others: an attempt is the same only from the
same weights.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import study
import torch
from answers import attempts_at
from game import Problem, solves
from model import tokens_of
from run import Workshop
from train import repeatable

HERE = Path(__file__).parent


def main(words: Sequence[str] | None = None) -> None:
    """Parse the command line, sample again, and say what agrees."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("model", choices=study.MODELS)
    parser.add_argument("problem", nargs="?", help='a test problem, such as "20,33,50=37"')
    parser.add_argument("attempt", nargs="?", type=int, help=f"from 0 to {study.ATTEMPTS - 1}")
    parser.add_argument("--cells", type=int, help="so many cells of cells.csv instead")
    parser.add_argument("--temperature", type=float, default=1.0, choices=study.TEMPERATURES)
    parser.add_argument("--work", type=Path, default=HERE / "weights", help="folder of weights")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    options = parser.parse_args(words)
    if not (options.work / f"{options.model}.pt").exists():
        parser.error(
            f"{options.work} must hold {options.model}.pt, and does not: train it with "
            f"run.py pilot --models {options.model} --work WORK (minutes on a GPU), and pass --work"
        )
    repeatable()
    cells = recorded_cells(options.model, options.temperature)
    known = recorded_facts(options.model, options.temperature)
    if options.cells:
        places = np.linspace(0, len(cells) - 1, min(options.cells, len(cells))).astype(int)
        wanted = [cells[place][:2] for place in places]
    elif options.problem not in known or options.attempt not in range(study.ATTEMPTS):
        parser.error(
            "a problem of the test and the number of an attempt must follow the model, such as "
            f'"{cells[0][0]}" {cells[0][1]}; got {options.problem!r} {options.attempt!r}'
        )
    else:
        wanted = [(options.problem, options.attempt)]
    recorded = {(problem, attempt): answer for problem, attempt, answer in cells}
    model = Workshop(options.work, options.device).model(options.model)
    agree = 0
    for name, attempt in wanted:
        problem = Problem.of_name(name)
        uniform = study.chances(options.model, options.temperature, problem, study.ATTEMPTS)
        again = attempts_at(model, problem, uniform[attempt : attempt + 1], options.temperature)[0]
        right = solves(problem, again)
        facts = (float(right), float(tokens_of(problem.prompt, again)))
        same = recorded.get((name, attempt), again) == again and facts == known[name][attempt]
        agree += same
        print(f"{name} attempt {attempt}: {again}, {'right' if right else 'wrong'}; "
              f"{'as recorded' if same else 'not as recorded'}")  # fmt: skip
    print(f"{agree} of {len(wanted)} as recorded")


def recorded_cells(model: str, temperature: float) -> list[tuple[str, int, str]]:
    """Return problem, attempt and answer of the cells whose answers are kept."""
    with (HERE / "cells.csv").open(encoding="utf-8") as file:
        return [
            (row["problem"], int(row["attempt"]), row["answer"])
            for row in csv.DictReader(file)
            if (row["model"], float(row["temperature"])) == (model, temperature)
        ]


def recorded_facts(model: str, temperature: float) -> dict[str, list[tuple[float, float]]]:
    """Return, for each problem, whether each attempt was right and how many letters it wrote."""
    import bestofk as bk

    found = bk.datasets.load_countdown(temperature)[model]
    assert found.costs is not None
    rows = zip(found.problems, found.scores, found.costs, strict=True)
    return {name: list(zip(scores, costs, strict=True)) for name, scores, costs in rows}


if __name__ == "__main__":
    main()
