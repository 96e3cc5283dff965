"""Whole searches by TPE, CMA-ES and random search, repeated with new seeds."""

from __future__ import annotations

import csv
import gzip
import math
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, TypeAlias, get_args, overload

import numpy as np

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction, FloatArray
from bestofk.repeats.repeats import Repeats
from bestofk.scores.search import Search
from bestofk.scores.trial import Sampling

Objective: TypeAlias = Literal["diabetes", "cancer", "wine", "digits", "network"]
RandomAs: TypeAlias = Literal["repeats", "search"]

_TRIALS = 64  # planned, in each repeat
_SAMPLERS: dict[str, tuple[str, Sampling]] = {
    "tpe": ("TPESampler", "adaptive"),
    "cmaes": ("CmaEsSampler", "adaptive"),
    "random": ("RandomSampler", "iid"),
}


@dataclass(frozen=True)
class _Facts:
    metric: str
    bounds: Bounds
    seed: int  # of the random search
    params: tuple[str, ...]
    direction: Direction = "maximize"


_FACTS: dict[Objective, _Facts] = {
    "diabetes": _Facts("r2", (-math.inf, 1), 4000, ("person", "body", "serum", "alpha")),
    "cancer": _Facts("roc_auc", (0, 1), 4001, ("mean", "error", "worst", "C")),
    "wine": _Facts("accuracy", (0, 1), 4002, ("C", "gamma", "coef0")),
    "digits": _Facts("accuracy", (0, 1), 4003, ("alpha", "l1_ratio", "eta0", "power_t")),
    "network": _Facts(
        "log_loss",
        (0, math.inf),
        4004,
        ("learning_rate", "alpha", "decay_1", "decay_2"),
        direction="minimize",
    ),
}


@overload
def load_repeats(
    objective: Objective = ..., *, random: Literal["repeats"] = ...
) -> dict[str, Repeats]: ...
@overload
def load_repeats(
    objective: Objective = ..., *, random: Literal["search"]
) -> dict[str, Repeats | Search]: ...
def load_repeats(
    objective: Objective = "diabetes", *, random: RandomAs = "repeats"
) -> dict[str, Repeats] | dict[str, Repeats | Search]:
    """Load repeated searches of one objective by three samplers of Optuna.

    There are whole searches of 64 trials by TPE ("tpe"), by CMA-ES ("cmaes") and by random search
    ("random"), each with a seed of its own and the sampler's default settings.  The score of a
    trial is on validation data; its test score and its processor seconds, those of the sampler
    included, are recorded as well.

    Parameters
    ----------
    objective : {"diabetes", "cancer", "wine", "digits", "network"}
        What is tuned, all on data of scikit-learn: kernel ridge regression (R²), a support-vector
        machine (area under the ROC curve), another one on few data (accuracy with many ties),
        logistic regression by gradient descent (accuracy), and a neural network (log loss, to be
        minimized; over 0.1 s a fit).
    random : {"repeats", "search"}
        What "random" is: as many repeats as of the others, or one random search of 1,024 trials
        with a seed of its own, run by `bestofk.run_search`.

    Returns
    -------
    dict of str to Repeats
        The repeats "tpe", "cmaes" and "random"; with ``random="search"``, the last is a `Search`.

    Examples
    --------
    >>> load_repeats("wine")["tpe"]
    Repeats 'tpe': 24 repeats, 64 trials each, maximize, TPESampler, bounds 0 to 1
    >>> load_repeats("wine", random="search")["random"]
    Search 'random': 1024 trials (1024 complete), score 'accuracy', maximize, sampling iid
    """
    arguments.choice("objective", objective, get_args(Objective))
    arguments.choice("random", random, get_args(RandomAs))
    rows = _rows("repeats.csv.gz", objective)
    found: dict[str, Any] = {
        label: _repeats([row for row in rows if row["sampler"] == label], objective, label)
        for label in _SAMPLERS
    }
    if random == "search":
        found["random"] = _search(objective)
    return found


def _repeats(rows: list[dict[str, str]], objective: Objective, label: str) -> Repeats:
    seeds = [row["seed"] for row in rows]
    sampler, sampling = _SAMPLERS[label]
    return Repeats.of_rows(
        seeds,
        _column(rows, "score"),
        cost=_column(rows, "seconds"),
        test=_column(rows, "test"),
        seed=seeds,
        direction=_FACTS[objective].direction,
        bounds=_FACTS[objective].bounds,
        sampling=sampling,
        sampler=sampler,
        planned=_TRIALS,
        label=label,
    )


def _search(objective: Objective) -> Search:
    rows, facts = _rows("repeats_random.csv.gz", objective), _FACTS[objective]
    test = f"test_{facts.metric}"
    return Search(
        {facts.metric: _column(rows, "score"), test: _column(rows, "test")},
        metric=facts.metric,
        test=test,
        params={name: _column(rows, name).tolist() for name in facts.params},
        costs=_column(rows, "seconds"),
        direction=facts.direction,
        bounds=facts.bounds,
        sampling="iid",
        seed=facts.seed,
        label="random",
    )


def _rows(file: str, objective: Objective) -> list[dict[str, str]]:
    text = gzip.decompress((files("bestofk.datasets") / file).read_bytes()).decode()
    return [row for row in csv.DictReader(text.splitlines()) if row["objective"] == objective]


def _column(rows: list[dict[str, str]], name: str) -> FloatArray:
    return np.array([row[name] for row in rows], dtype=np.float64)
