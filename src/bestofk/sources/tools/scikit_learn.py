"""scikit-learn: fitted searches over parameters, and their `cv_results_`.

The space of a fitted search says how candidates were drawn; `cv_results_` alone does not.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bestofk._base.caveat import Caveat
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.search import Search
from bestofk.scores.trial import MOST_GRID, Sampling
from bestofk.sources.caveats import Drawn, drawn_by, split_by, void
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted, filled
from bestofk.sources.files.nested import columns_of
from bestofk.sources.files.table import Table
from bestofk.sources.found import Found, only_by
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools.run_store import as_told

NAME = "scikit-learn search or cv_results_"


def recognises(x: object) -> bool:
    """Tell whether `x` is a scikit-learn search or what it leaves in `cv_results_`."""
    if isinstance(x, Mapping):
        return "params" in x and any(str(key).startswith("mean_test_") for key in x)
    return any(kind.__name__ == "BaseSearchCV" for kind in type(x).__mro__)


def read(x: Any, options: ReadOptions) -> Search | Found | dict[str, Found]:
    """Read a fitted search, or a `cv_results_`."""
    what = "cv_results_" if isinstance(x, Mapping) else type(x).__name__
    if not isinstance(x, Mapping) and not hasattr(x, "cv_results_"):
        raise DataError(f"{what} must be fitted before it is read: call fit.")
    if hasattr(type(x), "to_search"):  # a search of our own knows more about itself
        return _own(x, options, what)
    results: Mapping[str, Any] = x if isinstance(x, Mapping) else x.cv_results_
    label = what if isinstance(x, Mapping) else type(x.estimator).__name__
    sampling, caveats = _sampling(x)
    about: dict[str, Any] = {
        "source": what,
        "metric": _metric(results, getattr(x, "refit", None)),
        # scikit-learn's scorers are better when larger, whatever their names
        "direction": "maximize",
        "sampling": sampling,
        "caveats": caveats,
        "grid": None if "iter" in results else _grid(x, sampling, len(results["params"])),
    }
    every = np.arange(len(results["params"]))
    if "iter" not in results or "n_resources" not in results:
        return _found(results, every, label=label, **about)
    rounds = np.asarray(results["iter"])
    if not only_by(options, "iter", what):
        together = mixed_rounds(rounds, np.asarray(results["n_resources"]))
        about |= {"sampling": "adaptive", "caveats": [together]}
        return _found(results, every, label=label, **about)
    parts = {}
    for step in np.unique(rounds).tolist():  # the same candidates with growing resources
        about |= {"label": f"iter {step}"}
        about |= {"sampling": "adaptive", "caveats": [SURVIVORS]} if step > 0 else {}
        parts[f"iter {step}"] = _found(results, every[rounds == step], **about)
    return parts


def _sampling(x: Any) -> Drawn:
    from bestofk.cv.candidates import how_drawn  # only now: it loads scipy

    if isinstance(x, Mapping):
        return "unknown", []
    if hasattr(x, "param_grid"):
        return drawn_by("every candidate comes from a grid", "without-replacement", "grid")
    if not hasattr(x, "param_distributions"):
        return drawn_by(f"how {type(x).__name__} chooses its candidates is not known", "unknown")
    text = "all parameters are lists, from which scikit-learn draws without replacement"
    return drawn_by(text, how_drawn(x.param_distributions), "without-replacement")


def _grid(x: Any, sampling: Sampling, n: int) -> int | None:
    """Return the size of the grid that candidates come from, None if it is none or not known."""
    if sampling != "without-replacement":
        return None
    spaces = getattr(x, "param_distributions", None)
    if spaces is None:  # every candidate of `param_grid`
        size = n
    else:
        one = isinstance(spaces, Mapping)
        size = sum(math.prod(map(len, s.values())) for s in ([spaces] if one else spaces))
    return size if n <= size <= MOST_GRID else None


def mixed_rounds(rounds: Any, resources: Any) -> Caveat:
    """Return the caveat about all rounds of successive halving read as one search."""
    least, most = int(resources.min()), int(resources.max())
    return void(
        "mixed-rounds",
        f"successive halving: the {len(rounds)} rows are {int((rounds == 0).sum())} candidates "
        f"over {int(rounds.max()) + 1} rounds with {least} to {most} resources, whose scores are "
        "not comparable",
        remedy=f"read each round by itself with {split_by('iter')}; the first is a plain search",
    )


SURVIVORS = void("survivors", "these candidates are only the best of the round before")


def _found(results: Mapping[str, Any], rows: NDArray[np.intp], **about: Any) -> Found:
    """Return some of the candidates."""
    means: dict[str, FloatArray] = {}
    for prefix, dropped in (("mean_test_", "mean_test_"), ("mean_train_", "mean_")):
        means |= {
            str(key).removeprefix(dropped): np.asarray(mean, dtype=float)
            for key, mean in results.items()
            if str(key).startswith(prefix)
        }
    n = len(results["params"])
    for name, mean in means.items():
        if len(mean) != n:
            raise DataError(f"cv_results_: `{name}` must have {n} entries; it has {len(mean)}.")
    times = [results.get(name, [math.nan] * n) for name in ("mean_fit_time", "mean_score_time")]
    seconds = np.sum(np.asarray(times, dtype=float), axis=0)[rows] * (n_folds(results) or math.nan)
    lost = np.any([np.isnan(mean[rows]) for mean in means.values()], axis=0)
    failure = "candidate {}: fitting or scoring failed in some fold, so there is no mean score"
    return Found(
        states=["complete"] * rows.size,
        metrics={name: mean[rows] for name, mean in means.items()},
        params=columns_of([results["params"][i] for i in rows]),
        costs=[s if math.isfinite(s) else None for s in seconds.tolist()],
        notes={i: failure.format(i) for i in np.flatnonzero(lost).tolist()},
        **about,
    )


def n_folds(names: Iterable[str]) -> int:
    """Return over how many folds the means are, 0 if that is not told."""
    return len({str(n).partition("_")[0] for n in names if re.match(r"split\d+_test_", str(n))})


def _metric(results: Mapping[str, Any], refit: object) -> str | None:
    if "mean_test_score" in results:
        return "score"
    return refit if isinstance(refit, str) and f"mean_test_{refit}" in results else None


def _own(x: Any, options: ReadOptions, what: str) -> Search:
    only_by(options, None, what)
    options.refuse_name(what)
    if options.score or options.cost or options.test or options.params:
        raise ArgumentError(
            f"{what} is read with its own score, cost and parameters. Leave out {arg('score')}, "
            f"{arg('cost')}, {arg('test')} and {arg('params')}, or read its cv_results_."
        )
    search = as_told(x.to_search(), options)
    return search if options.label is None else replace(search, label=options.label)


def of_table(table: Table, options: ReadOptions) -> Adapted:
    """scikit-learn's `cv_results_` as a table."""
    columns = table.columns
    folds = n_folds(columns)
    times = [columns[n] for n in ("mean_fit_time", "mean_score_time") if n in columns]
    seconds = [sum(cells.number(cell) or 0.0 for cell in row) for row in zip(*times, strict=True)]
    score = "mean_test_score" if "mean_test_score" in columns else None
    # scikit-learn's scorers are better when larger, whatever their names
    larger = str(options.score or score).startswith("mean_test_")
    direction = "maximize" if larger else None
    options = filled(options, score=score, direction=direction)
    if {"iter", "n_resources"} <= columns.keys():
        rounds = table.numbers("iter", "iter")
        if "iter" in options.by:
            later = {table.row(i) for i, step in enumerate(rounds) if step > 0}
            table = table.remarking(lambda rows, _: [SURVIVORS] if later & set(rows) else [])
        else:
            together = mixed_rounds(rounds, table.numbers("n_resources", "n_resources"))
            table = replace(table, caveats=[together], sampling="adaptive")
    return replace(table, costs=[s * folds for s in seconds] if folds else None), options
