"""What is searched: the two models, their spaces and seeds."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "src"))  # where bestofk is not installed

from bestofk.space.space import Space  # noqa: E402

# One seed a model: with one for both, trial i of the two would share its random numbers.
SEEDS = {"cnn": 20210, "lboe": 20211}
METRICS = ("accuracy", "test_accuracy", "epochs", "best_epoch", "seconds")


def space_of(model: str) -> Space:
    """Return the search space of a model."""
    return Space(HERE / f"space_{model}.toml")


def drawn(model: str) -> list[str]:
    """Return the names of the parameters that vary."""
    return [name for name, d in space_of(model).params.items() if d.kind != "constant"]


def search(objective: Any, model: str, n: int, store: str, n_workers: int) -> Any:
    """Run or record trials 0 to n - 1."""
    import bestofk as bk

    return bk.run_search(
        objective,
        space_of(model),
        n_trials=n,
        seed=SEEDS[model],
        name=f"sst5-{model}",
        store=f"sqlite:///{store}",
        score="accuracy",
        bounds=(0, 1),
        cost="seconds",
        n_workers=n_workers,
    )


def say(text: str) -> None:
    """Tell the person who watches."""
    print(text, file=sys.stderr, flush=True)
