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

from bestofk._base.caveat import Caveat
from bestofk._base.types import FloatArray
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.scores.search import Search
from bestofk.sources.caveats import Drawn, split_by, unknown, void
from bestofk.sources.files import cells
from bestofk.sources.files.adapted import Adapted, filled
from bestofk.sources.files.table import Table
from bestofk.sources.options import ReadOptions
from bestofk.sources.tools.run_store import as_told
from bestofk.sources.tools.runs import Found, Run, by_name, only_by, to_search

NAME = "scikit-learn search or cv_results_"


def recognises(x: object) -> bool:
    """Tell whether `x` is a scikit-learn search or what it leaves in `cv_results_`."""
    if isinstance(x, Mapping):
        return "params" in x and any(str(key).startswith("mean_test_") for key in x)
    return any(kind.__name__ == "BaseSearchCV" for kind in type(x).__mro__)


def read(x: Any, options: ReadOptions) -> Search | dict[str, Search]:
    """Read a fitted search, or a `cv_results_`."""
    what = "cv_results_" if isinstance(x, Mapping) else type(x).__name__
    if not isinstance(x, Mapping) and not hasattr(x, "cv_results_"):
        raise DataError(f"{what} must be fitted before it is read: call fit.")
    if hasattr(type(x), "to_search"):  # a search of our own knows more about itself
        return _own(x, options, what)
    # scikit-learn's scorers are better when larger, whatever their names
    options = replace(options, direction=options.direction or "maximize")
    results: Mapping[str, Any] = x if isinstance(x, Mapping) else x.cv_results_
    sampling, caveats = _sampling(x)
    found = Found(
        runs=_runs(results),
        label=what if isinstance(x, Mapping) else type(x.estimator).__name__,
        metric=_metric(results, getattr(x, "refit", None)),
        sampling=sampling,
        caveats=caveats,
    )
    if "iter" not in results or "n_resources" not in results:
        return to_search(found, options, what)
    rounds = np.asarray(results["iter"])
    if only_by(options, "iter", what):
        return by_name(_by_round(found, rounds), options, what)
    together = mixed_rounds(rounds, np.asarray(results["n_resources"]))
    return to_search(replace(found, sampling="adaptive", caveats=[together]), options, what)


def _sampling(x: Any) -> Drawn:
    from bestofk.cv.candidates import how_drawn  # only now: it loads scipy

    if isinstance(x, Mapping):
        return "unknown", []
    if hasattr(x, "param_grid"):
        text = "every candidate comes from a grid"
        return "without-replacement", [void("grid", text, drawn="without-replacement")]
    if not hasattr(x, "param_distributions"):
        return "unknown", [unknown(f"how {type(x).__name__} chooses its candidates is not known")]
    sampling = how_drawn(x.param_distributions)
    if sampling == "iid":
        return sampling, []
    text = "all parameters are lists, from which scikit-learn draws without replacement"
    return sampling, [void("without-replacement", text, drawn=sampling)]


def _by_round(found: Found, rounds: Any) -> dict[str, Found]:
    """Return the rounds of successive halving: the same candidates with growing resources."""
    parts = {}
    for step in np.unique(rounds).tolist():
        runs = [found.runs[i] for i in np.flatnonzero(rounds == step).tolist()]
        part = replace(found, runs=runs, label=f"iter {step}")
        if step > 0:
            part = replace(part, sampling="adaptive", caveats=[SURVIVORS])
        parts[part.label] = part
    return parts


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


def _runs(results: Mapping[str, Any]) -> list[Run]:
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
    folds = n_folds(results)
    unknown_time = np.full(n, np.nan)
    times = [results.get(name, unknown_time) for name in ("mean_fit_time", "mean_score_time")]
    seconds = np.sum(np.asarray(times, dtype=float), axis=0)
    failure = "candidate {}: fitting or scoring failed in some fold, so there is no mean score"
    return [
        Run(
            state="complete",
            metrics={k: float(v[i]) for k, v in means.items() if not math.isnan(v[i])},
            params=dict(results["params"][i]),
            cost=float(seconds[i]) * folds if folds and math.isfinite(seconds[i]) else None,
            note=failure.format(i) if any(math.isnan(v[i]) for v in means.values()) else "",
        )
        for i in range(n)
    ]


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
    found = Adapted(table=table, options=filled(options, score=score, direction=direction))
    if {"iter", "n_resources"} <= columns.keys():
        rounds = table.numbers("iter", "iter")
        if "iter" in options.by:
            later = frozenset(i for i, step in enumerate(rounds) if step > 0)
            found = replace(found, caveats_of_rows={SURVIVORS: later})
        else:
            resources = table.numbers("n_resources", "n_resources")
            together = mixed_rounds(rounds, resources)
            found = replace(found, caveats=[together], sampling="adaptive")
    return found.with_cost([s * folds for s in seconds] if folds else None)
