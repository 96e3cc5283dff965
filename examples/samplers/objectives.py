"""What is searched: five models of scikit-learn on data that come with it.

The split and the seed of every model are fixed, so that an objective is a function of its setting:
all samplers and all repeats meet the same one.  Scores are rounded to six decimals, so that the
samplers see what the recorded files hold.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

Params = Mapping[str, float]
Part = tuple[np.ndarray, np.ndarray]  # x and y of the training, validation or test data
Scorer = Callable[[np.ndarray, np.ndarray], float]


def diabetes(params: Params, x: np.ndarray, y: np.ndarray) -> Scorer:
    """Kernel ridge regression, the columns in three groups with a scale each: R2."""
    scales = np.repeat([params["person"], params["body"], params["serum"]], [2, 2, 6])
    mean = y.mean()
    model = KernelRidge(kernel="rbf", gamma=1.0, alpha=params["alpha"]).fit(x * scales, y - mean)
    return lambda x, y: r2_score(y, mean + model.predict(x * scales))


def cancer(params: Params, x: np.ndarray, y: np.ndarray) -> Scorer:
    """A support-vector machine, the columns in three groups with a scale each: area under ROC."""
    scales = np.repeat([params["mean"], params["error"], params["worst"]], 10)
    model = SVC(C=params["C"], gamma=1.0).fit(x * scales, y)
    return lambda x, y: roc_auc_score(y, model.decision_function(x * scales))


def wine(params: Params, x: np.ndarray, y: np.ndarray) -> Scorer:
    """A support-vector machine with a sigmoid kernel, few wines: an accuracy with many ties."""
    return SVC(kernel="sigmoid", **params).fit(x, y).score


def digits(params: Params, x: np.ndarray, y: np.ndarray) -> Scorer:
    """Logistic regression by 20 epochs of stochastic gradient descent: accuracy."""
    model = SGDClassifier(
        loss="log_loss",
        penalty="elasticnet",
        learning_rate="invscaling",
        max_iter=20,
        tol=None,
        random_state=0,
        **params,
    )
    return model.fit(x, y).score


def network(params: Params, x: np.ndarray, y: np.ndarray) -> Scorer:
    """A network with one hidden layer, 56 epochs of Adam, over 0.1 s a fit: log loss."""
    model = MLPClassifier(
        (32,),
        learning_rate_init=params["learning_rate"],
        alpha=params["alpha"],
        beta_1=1 - params["decay_1"],
        beta_2=1 - params["decay_2"],
        batch_size=40,
        max_iter=56,
        tol=0.0,
        n_iter_no_change=56,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the number of epochs is fixed
        model.fit(x, y)

    def loss(x: np.ndarray, y: np.ndarray) -> float:
        chance = model.predict_proba(x)[np.arange(len(y)), y]
        return float(-np.log(np.maximum(chance, 1e-6)).mean())

    return loss


@dataclass(frozen=True)
class Objective:
    """A function of a setting, and the box in which settings are drawn: (low, high, log)."""

    fit: Callable[[Params, np.ndarray, np.ndarray], Scorer]
    metric: str
    load: Callable[..., Any]
    sizes: tuple[int, int]  # of the training and the validation data; the rest are test data
    box: Mapping[str, tuple[float, float, bool]]
    direction: Literal["maximize", "minimize"] = "maximize"

    @property
    def space(self) -> dict[str, Any]:
        """The box as Optuna's distributions, which `bestofk.run_search` takes as well."""
        from optuna.distributions import FloatDistribution

        return {name: FloatDistribution(*ends, log=log) for name, (*ends, log) in self.box.items()}

    def measure(self, params: Params) -> dict[str, float]:
        """Return the validation score, the test score and the processor seconds they took."""
        train, *others = parts_of(self.load, *self.sizes)
        start = time.process_time()
        scorer = self.fit(params, *train)
        score, test = (round(float(scorer(*part)), 6) for part in others)
        return {"score": score, "test": test, "seconds": round(time.process_time() - start, 5)}


@cache
def parts_of(load: Callable[..., Any], n_train: int, n_validation: int) -> tuple[Part, Part, Part]:
    """Split the data, classes in equal shares; columns of the training data get variance 1."""
    x, y = load(return_X_y=True)
    regression = load is load_diabetes
    x_train, x_rest, y_train, y_rest = train_test_split(
        x, y, train_size=n_train, random_state=0, stratify=None if regression else y
    )
    x_val, x_test, y_val, y_test = train_test_split(
        *(x_rest, y_rest),
        train_size=n_validation,
        random_state=0,
        stratify=None if regression else y_rest,
    )
    scale = StandardScaler().fit(x_train).transform
    return (scale(x_train), y_train), (scale(x_val), y_val), (scale(x_test), y_test)


_SCALE = (1e-3, 10.0, True)
OBJECTIVES = {
    "diabetes": Objective(
        diabetes,
        "r2",
        load_diabetes,
        (200, 120),
        {"person": _SCALE, "body": _SCALE, "serum": _SCALE, "alpha": (1e-4, 1e2, True)},
    ),
    "cancer": Objective(
        cancer,
        "roc_auc",
        load_breast_cancer,
        (200, 180),
        {"mean": _SCALE, "error": _SCALE, "worst": _SCALE, "C": (1e-2, 1e3, True)},
    ),
    "wine": Objective(
        wine,
        "accuracy",
        load_wine,
        (60, 59),
        {"C": (1e-2, 1e3, True), "gamma": (1e-4, 1.0, True), "coef0": (-2.0, 2.0, False)},
    ),
    "digits": Objective(
        digits,
        "accuracy",
        load_digits,
        (400, 600),
        {
            "alpha": (1e-6, 1.0, True),
            "l1_ratio": (0.0, 1.0, False),
            "eta0": (1e-4, 10.0, True),
            "power_t": (0.0, 1.0, False),
        },
    ),
    "network": Objective(
        network,
        "log_loss",
        load_digits,
        (400, 600),
        {
            "learning_rate": (1e-5, 0.3, True),
            "alpha": (1e-6, 10.0, True),
            "decay_1": (1e-2, 1.0, True),
            "decay_2": (1e-4, 1.0, True),
        },
        direction="minimize",
    ),
}
