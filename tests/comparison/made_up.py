"""Searches whose hyperparameters matter as told."""

from __future__ import annotations

from bestofk import Search


def made_up(rng, n=400, **options):
    """Scores that depend strongly on `lr`, weakly on `kind` and not at all on `noise`."""
    lr, kind, noise = rng.random(n), rng.integers(0, 2, n), rng.random(n)
    score = -4 * (lr - 0.9) ** 2 + 0.1 * kind + 0.05 * rng.normal(size=n)
    params = {"lr": lr.tolist(), "kind": [["a", "b"][k] for k in kind], "noise": noise.tolist()}
    return Search({"score": score}, params=params, sampling="iid", label="net", **options)
