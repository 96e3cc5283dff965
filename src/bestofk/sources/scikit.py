"""scikit-learn: fitted searches over parameters, and their `cv_results_`.

Of a fitted search the space says how candidates were drawn; of `cv_results_` alone nothing does.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from bestofk.errors import ArgumentError, DataError
from bestofk.scores.search import Sampling, Search
from bestofk.sources.options import ReadOptions
from bestofk.sources.runs import VOID, Found, Run, by_name, only_by, to_search

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
    results: Mapping[str, Any] = x if isinstance(x, Mapping) else x.cv_results_
    runs = _runs(results)
    label = what if isinstance(x, Mapping) else type(x.estimator).__name__
    metric = _metric(results, getattr(x, "refit", None))
    if "iter" in results and "n_resources" in results:
        return _halving(results, runs, x, options, label=label, metric=metric, what=what)
    only_by(options, None, what)
    sampling, caveats = _sampling(x)
    found = Found(runs=runs, label=label, metric=metric, sampling=sampling, caveats=caveats)
    return to_search(found, options, what)


def how_drawn(param_distributions: Any) -> Sampling:
    """Return how candidates were drawn; None stands for a grid.

    Examples
    --------
    >>> from scipy import stats
    >>> how_drawn({"C": stats.loguniform(1, 100), "kernel": ["rbf", "poly"]})
    'iid'
    >>> how_drawn({"C": [1, 10, 100]}), how_drawn(None)
    ('without-replacement', 'without-replacement')
    """
    if param_distributions is None:
        return "without-replacement"
    one = isinstance(param_distributions, Mapping)
    spaces = [param_distributions] if one else param_distributions
    # scikit-learn's ParameterSampler draws with replacement as soon as one entry has `rvs`.
    drawn = any(hasattr(entry, "rvs") for space in spaces for entry in space.values())
    return "iid" if drawn else "without-replacement"


def _sampling(x: Any) -> tuple[Sampling, list[str]]:
    if isinstance(x, Mapping):
        return "unknown", []
    if hasattr(x, "param_grid"):
        return "without-replacement", [f"every candidate comes from a grid, {VOID}"]
    if not hasattr(x, "param_distributions"):
        return "unknown", [f"how {type(x).__name__} chooses its candidates is not known"]
    sampling = how_drawn(x.param_distributions)
    if sampling == "iid":
        return sampling, []
    return sampling, [
        "all parameters are lists, from which scikit-learn draws without replacement, " + VOID
    ]


def _halving(
    results: Mapping[str, Any],
    runs: Sequence[Run],
    x: Any,
    options: ReadOptions,
    *,
    label: str,
    metric: str | None,
    what: str,
) -> Search | dict[str, Search]:
    """Read successive halving: rounds of the same candidates with growing resources."""
    rounds = np.asarray(results["iter"])
    resources = np.asarray(results["n_resources"])
    if only_by(options, "iter", what):
        parts = {}
        for step in np.unique(rounds).tolist():
            sampling, caveats = _sampling(x) if step == 0 else ("adaptive", [_SURVIVORS])
            rows = np.flatnonzero(rounds == step).tolist()
            parts[f"iter {step}"] = Found(
                runs=[runs[i] for i in rows],
                label=f"iter {step}",
                metric=metric,
                sampling=sampling,
                caveats=caveats,
            )
        return by_name(parts, options, what)
    found = Found(
        runs=runs,
        label=label,
        metric=metric,
        sampling="adaptive",
        caveats=[mixed_rounds(rounds, resources)],
    )
    return to_search(found, options, what)


def mixed_rounds(rounds: Any, resources: Any) -> str:
    """Return the caveat about all rounds of successive halving read as one search."""
    least, most = int(resources.min()), int(resources.max())
    return (
        f"successive halving: the {len(rounds)} rows are {int((rounds == 0).sum())} candidates "
        f"over {int(rounds.max()) + 1} rounds with {least} to {most} "
        f'resources, whose scores are not comparable, {VOID} (by="iter" reads each round by '
        "itself, of which the first is a plain search)"
    )


_SURVIVORS = f"these candidates are the best of the round before, {VOID}"


def _runs(results: Mapping[str, Any]) -> list[Run]:
    means = {
        str(key).removeprefix("mean_test_"): np.asarray(mean, dtype=float)
        for key, mean in results.items()
        if str(key).startswith("mean_test_")
    }
    means |= {
        str(key).removeprefix("mean_"): np.asarray(mean, dtype=float)
        for key, mean in results.items()
        if str(key).startswith("mean_train_")
    }
    n = len(results["params"])
    for name, mean in means.items():
        if len(mean) != n:
            raise DataError(f"cv_results_: `{name}` must have {n} entries; it has {len(mean)}.")
    folds = len({k for k in results if str(k).startswith("split0_test_")}) and len(
        {str(k).split("_")[0] for k in results if str(k).startswith("split") and "_test_" in str(k)}
    )
    seconds = np.zeros(n)
    for name in ("mean_fit_time", "mean_score_time"):
        seconds = seconds + np.asarray(results.get(name, np.full(n, np.nan)), dtype=float)
    return [
        Run(
            state="complete",
            metrics={k: float(v[i]) for k, v in means.items() if not math.isnan(v[i])},
            params=dict(results["params"][i]),
            cost=float(seconds[i]) * folds if folds and math.isfinite(seconds[i]) else None,
            note=_failure(i) if any(math.isnan(v[i]) for v in means.values()) else "",
        )
        for i in range(n)
    ]


def _failure(place: int) -> str:
    return f"candidate {place}: fitting or scoring failed in some fold, so there is no mean score"


def _metric(results: Mapping[str, Any], refit: object) -> str | None:
    if "mean_test_score" in results:
        return "score"
    return refit if isinstance(refit, str) and f"mean_test_{refit}" in results else None


def _own(x: Any, options: ReadOptions, what: str) -> Search:
    only_by(options, None, what)
    if options.score or options.cost or options.test or options.params:
        raise ArgumentError(
            f"{what} is read with its own score, cost and parameters. Leave out `score`, `cost`, "
            "`test` and `params`, or read its cv_results_."
        )
    search: Search = x.to_search()
    changes: dict[str, Any] = (
        {"bounds": options.bounds} if any(map(math.isfinite, options.bounds)) else {}
    )
    if options.label is not None:
        changes["label"] = options.label
    if options.sampling is not None:
        changes["sampling"] = options.sampling
    return replace(search, **changes)
