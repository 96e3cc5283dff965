"""Recorded searches and attempts that are shipped with the package.

README.md beside this file says how they were made.  moons.py has the models that ``bestofk demo``
searches.
"""

from __future__ import annotations

from importlib.resources import as_file, files
from typing import Any

from bestofk.datasets.countdown import load_countdown
from bestofk.datasets.repeats import load_repeats
from bestofk.scores.search import Search
from bestofk.sources.registry import read, read_all

__all__ = ["load_countdown", "load_example", "load_repeats", "load_sst5"]

# What all of them have in common.
_OPTIONS: dict[str, Any] = {
    "score": "accuracy",
    "test": "test_accuracy",
    "number": "number",
    "bounds": (0, 1),
    "sampling": "iid",
}
_EXAMPLE_PARAMS = {
    "svm": ("C", "gamma"),
    "forest": ("max_depth", "max_features", "min_samples_leaf", "n_estimators"),
}

_SST5_PARAMS = {
    "cnn": ("num_filters", "max_filter_size", "dropout", "learning_rate"),
    "lboe": ("dropout", "learning_rate"),
}


def load_example() -> dict[str, Search]:
    """Load random searches of two classifiers of handwritten digits, by method.

    There are 256 trials of a support-vector machine ("svm") and 256 of a random forest ("forest").
    The score is the validation accuracy and the cost is the fitting time in seconds; the test
    accuracy is recorded as well.  In its wide search space, a single trial of the SVM is usually
    worse than one of the forest, but the best of a few trials is better.

    Returns
    -------
    dict of str to Search
        The searches "svm" and "forest".

    Examples
    --------
    >>> load_example()["svm"]
    Search 'svm': 256 trials (256 complete), score 'accuracy', maximize, sampling iid
    """
    options = _OPTIONS | {"by": "method", "cost": "fit_seconds"}
    with as_file(files("bestofk.datasets") / "example.csv") as path:
        return {
            method: read_all(path, params=params, **options)[method]
            for method, params in _EXAMPLE_PARAMS.items()
        }


def load_sst5() -> dict[str, Search]:
    """Load random searches of two text classifiers on SST-5, by model.

    There are 1,024 trials of a convolutional network ("cnn") and 1,024 of a linear bag of
    embeddings ("lboe"), in the search spaces of Dodge et al. (2021) [1]_, Tables 2 and 3.  The
    score is the validation accuracy and the cost is the training time in seconds; the test accuracy
    and the number of epochs are recorded as well.  The paper's own scores were never published;
    docs/tutorial-sst5.md analyses these.

    Returns
    -------
    dict of str to Search
        The searches "cnn" and "lboe".

    References
    ----------
    .. [1] Dodge, Gururangan, Card, Schwartz, Smith. Expected Validation Performance and Estimation
       of a Random Variable's Maximum. Findings of EMNLP 2021, section 4.

    Examples
    --------
    >>> load_sst5()["cnn"]
    Search 'cnn': 1024 trials (1024 complete), score 'accuracy', maximize, sampling iid
    """
    options = _OPTIONS | {"cost": "seconds", "state": "state"}
    found: dict[str, Search] = {}
    for model, params in _SST5_PARAMS.items():
        with as_file(files("bestofk.datasets") / f"sst5_{model}.csv") as path:
            found[model] = read(path, params=params, label=model, **options)
    return found
