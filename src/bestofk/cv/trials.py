"""A finished J-K-fold search as a `Search`, so that curves and bands can be made of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.types import Bounds
from bestofk.errors import ArgumentError
from bestofk.scores.search import Search, listing
from bestofk.scores.trial import Sampling

SHARED_DATA = Caveat(
    kind="shared-data",
    text="all trials were scored on the same data and the same partitions, so what is said holds "
    "for this data set: other data would move all scores together",
)
RACED = Caveat(
    kind="raced",
    text="the candidates raced: how many repetitions each was scored on depended on the scores, so "
    "those of candidates dropped early are noisier",
    remedy='to get guarantees, search with strategy="full", which scores all on as many',
    validity="void",
)


def as_search(
    results: Mapping[str, Any],
    *,
    metric: object,
    n_folds: int,
    sampling: Sampling,
    label: str,
    bounds: Bounds | None,
    stopped: bool = False,
) -> Search:
    """Return the rows of `cv_results_` as trials; a mean that is not finite is a failed trial.

    If candidates were dropped on the way, or the race was `stopped` by its scores, the trials are
    no longer independent draws of one kind.
    """
    means = {
        key.removeprefix("mean_test_"): np.where(np.isfinite(mean), mean, np.nan)
        for key, mean in results.items()
        if key.startswith("mean_test_")
    }
    if not isinstance(metric, str) or metric not in means:
        raise ArgumentError(argument="metric", must=f"be one of {listing(means)}", got=repr(metric))
    names = dict.fromkeys(name for params in results["params"] for name in params)
    raced = stopped or np.ptp(results["n_repeats"]) > 0
    return Search(
        means,
        metric=metric,
        params={name: [params.get(name) for params in results["params"]] for name in names},
        costs=results["mean_fit_time"] * n_folds * results["n_repeats"],
        direction="maximize",  # as every scorer of scikit-learn
        bounds=bounds,
        label=label,
        sampling="adaptive" if raced and sampling == "iid" else sampling,
        caveats=(SHARED_DATA, RACED) if raced else (SHARED_DATA,),
    )
