"""Recorded searches of our own, shipped with the package; README.md beside this file says how.

moons.py has the models that the demo searches.
"""

from __future__ import annotations

from importlib.resources import as_file, files

from bestofk.scores.search import Search
from bestofk.sources.registry import read

_EXAMPLE_PARAMS = {
    "svm": ("C", "gamma"),
    "forest": ("max_depth", "max_features", "min_samples_leaf", "n_estimators"),
}

_SST5_PARAMS = {
    "cnn": ("num_filters", "max_filter_size", "dropout", "learning_rate"),
    "lboe": ("dropout", "learning_rate"),
}


def load_example() -> dict[str, Search]:
    """Return a random search of two classifiers on the handwritten digits, by method.

    256 trials each of a support-vector machine ("svm") and a random forest ("forest"): validation
    accuracy as the score, test accuracy beside it, seconds of fitting as the cost.  The wide
    search space of the SVM makes its single trials poor and its best of a few the better ones.

    Examples
    --------
    >>> load_example()["svm"]
    Search 'svm': 256 trials (256 complete), score 'accuracy', maximize, sampling iid
    """
    with as_file(files("bestofk.datasets") / "example.csv") as path:
        return {
            method: read(
                path,
                score="accuracy",
                by="method",
                test="test_accuracy",
                cost="fit_seconds",
                number="number",
                params=params,
                bounds=(0, 1),
                sampling="iid",
            )[method]
            for method, params in _EXAMPLE_PARAMS.items()
        }


def load_sst5() -> dict[str, Search]:
    """Return a random search of two text classifiers on SST-5, by model.

    1,024 trials each of a convolutional network ("cnn") and a linear bag of embeddings ("lboe") in
    the search spaces of Dodge et al. (2021) [1]_, Tables 2 and 3: validation accuracy as the score,
    test accuracy and epochs beside it, seconds of training as the cost.  The paper's own scores
    were never published; docs/tutorial-sst5.md tells what these say.

    References
    ----------
    .. [1] Dodge, Gururangan, Card, Schwartz, Smith. Expected Validation Performance and Estimation
       of a Random Variable's Maximum. Findings of EMNLP 2021, section 4.

    Examples
    --------
    >>> load_sst5()["cnn"]
    Search 'cnn': 1024 trials (1024 complete), score 'accuracy', maximize, sampling iid
    """
    found: dict[str, Search] = {}
    for model, params in _SST5_PARAMS.items():
        with as_file(files("bestofk.datasets") / f"sst5_{model}.csv") as path:
            found[model] = read(
                path,
                score="accuracy",
                test="test_accuracy",
                cost="seconds",
                number="number",
                state="state",
                params=params,
                bounds=(0, 1),
                label=model,
                sampling="iid",
            )
    return found
