"""Two small classifiers of noisy half-moons, in numpy alone, which `bestofk demo` searches."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from bestofk._base.types import FloatArray

# The search spaces, one line per parameter, as the demo writes them to files.  That of `ridge` is
# safe: smooth kernels, which are never bad and never bend enough.  That of `network` is wide: few
# learning rates train it well, and these do better than any smooth kernel.
SPACES = {
    "ridge": """\
gamma = { kind = "loguniform", low = 1e-2, high = 1e-1 }
ridge = { kind = "loguniform", low = 1e-4, high = 1e-2 }
""",
    "network": """\
lr = { kind = "loguniform", low = 1e-6, high = 1e2 }
hidden = { kind = "integer", low = 2, high = 16 }
activation = { kind = "choice", values = ["relu", "tanh"] }
momentum = { kind = "uniform", low = 0.0, high = 0.99 }
""",
}


@cache
def moons() -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Return the points and labels (-1 or 1) for training, then those for validation."""
    rng = np.random.default_rng(2026)
    angles = rng.uniform(0, np.pi, 1200)
    labels = np.where(rng.random(1200) < 0.5, -1.0, 1.0)
    upper = np.column_stack([np.cos(angles), np.sin(angles)])
    points = np.where(labels[:, None] > 0, upper, [1.0, 0.5] - upper)
    points += rng.normal(scale=0.2, size=points.shape)
    return points[:200], labels[:200], points[200:], labels[200:]


# Stores of the demo hold digests of the source of `ridge` and `network`, so that resuming a search
# would warn after any change to them, even to a docstring.
def ridge(params: Mapping[str, Any], trial: Any) -> dict[str, float]:
    """Kernel ridge regression on the labels; the kernel is exp(-gamma |x - y|^2)."""
    x, y, x_valid, y_valid = moons()
    kernel = _kernel(x, x, params["gamma"])
    weights = np.linalg.solve(kernel + params["ridge"] * np.eye(len(x)), y)
    guesses = _kernel(x_valid, x, params["gamma"]) @ weights
    return {"accuracy": float(np.mean(np.sign(guesses) == y_valid))}


def network(params: Mapping[str, Any], trial: Any) -> dict[str, float]:
    """Train one hidden layer by gradient descent with momentum on the logistic loss."""
    x, y, x_valid, y_valid = moons()
    rng = trial.rng
    hidden, lr = params["hidden"], params["lr"]
    layers = [
        rng.normal(size=(2, hidden)),
        np.zeros(hidden),
        rng.normal(size=hidden) / np.sqrt(hidden),
        np.zeros(1),
    ]
    speeds = [np.zeros_like(layer) for layer in layers]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(200):
            before, after, output = _forward(layers, x, params["activation"])
            slope = -y / (1 + np.exp(np.clip(y * output, -500, 500))) / len(y)
            inner = np.outer(slope, layers[2])
            inner *= (before > 0) if params["activation"] == "relu" else 1 - after**2
            steps = [x.T @ inner, inner.sum(0), after.T @ slope, slope.sum(keepdims=True)]
            for layer, speed, step in zip(layers, speeds, steps, strict=True):
                speed *= params["momentum"]
                speed -= lr * step
                layer += speed
        output = _forward(layers, x_valid, params["activation"])[2]
    return {"accuracy": float(np.mean(np.sign(output) == y_valid))}


def _forward(
    layers: list[FloatArray], x: FloatArray, activation: str
) -> tuple[FloatArray, FloatArray, FloatArray]:
    before = x @ layers[0] + layers[1]
    after = np.maximum(before, 0) if activation == "relu" else np.tanh(before)
    return before, after, after @ layers[2] + layers[3]


def _kernel(a: FloatArray, b: FloatArray, gamma: float) -> FloatArray:
    squares = sum(np.subtract.outer(a[:, i], b[:, i]) ** 2 for i in range(2))
    return np.asarray(np.exp(-gamma * squares))
