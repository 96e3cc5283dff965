"""The two models of the demo: their curves cross, and the recorded searches are the demo's."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk.cli.demo import answer, recorded
from bestofk.datasets.moons import SPACES, _kernel, moons


def certified(compared, name):
    """Return the budgets at which a method is certified ahead."""
    return [
        k
        for r in compared.best_ranges
        if r.what == name
        for k in range(int(r.low), int(r.high) + 1)
    ]


def test_the_recorded_searches_are_those_of_the_demo(demo_files):
    pytest.importorskip("sqlalchemy")
    stored = bk.read_all(f"sqlite:///{demo_files / 'bestofk.db'}")
    for name, search in recorded().items():
        found = np.abs(search.scores().values - stored[name].scores().values)
        # Another BLAS may round otherwise, which large learning rates blow up.
        assert np.mean(found > 0.002) < 0.05, name


def test_each_is_certified_ahead_somewhere():
    found = answer(recorded())
    assert found.validity == "holds"
    assert certified(found, "ridge") == [1, 2]
    assert certified(found, "network") == list(range(8, 31))


def test_nothing_is_certified_of_scores_that_were_shuffled():
    scores = np.concatenate([s.scores().values for s in recorded().values()])
    np.random.default_rng(0).shuffle(scores)
    mixed = dict(zip(SPACES, np.split(scores, 2), strict=True))
    found = bk.compare(mixed, budgets=range(1, 31), bounds=(0, 1), independent=True)
    assert not certified(found, "ridge")
    assert not certified(found, "network")


def test_the_kernel_is_that_of_its_docstring():
    x, _, x_valid, _ = moons()
    squares = ((x_valid[:, None] - x[None]) ** 2).sum(-1)
    np.testing.assert_allclose(_kernel(x_valid, x, 0.1), np.exp(-0.1 * squares), rtol=1e-12)


@pytest.mark.slow
def test_the_curves_themselves_cross(tmp_path):
    """With other seeds and a chance of one in a million to find it if it is not so."""
    pytest.importorskip("sqlalchemy")
    many = {}
    for seed, (name, space) in enumerate(SPACES.items(), start=101):
        (tmp_path / "space.toml").write_text(space)
        many[name] = bk.run_search(
            f"bestofk.datasets.moons:{name}", tmp_path / "space.toml", n_trials=1024, seed=seed,
            name=name, store=f"sqlite:///{tmp_path / 'bestofk.db'}", score="accuracy",
            bounds=(0, 1), n_workers=0,
        )  # fmt: skip
    found = bk.compare(many, budgets=range(1, 31), confidence=1 - 1e-6, independent=True)
    assert {1, 2} <= set(certified(found, "ridge"))
    assert set(range(10, 31)) <= set(certified(found, "network"))
