"""The public face: names, laziness, doctests, what is promised about importing."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import pkgutil
import subprocess
import sys

import numpy as np
import pytest

import bestofk as bk

MODULES = [
    m.name for m in pkgutil.walk_packages(bk.__path__, "bestofk.") if "__main__" not in m.name
]


def run_twice(resume):
    """Run a small search, and go on with it if that is what is asked."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/runs.db"
        objective = "bestofk.datasets.moons:ridge"
        space = {"gamma": [1], "ridge": [1]}  # one setting
        options = {"name": "a", "n_trials": 1, "seed": 1, "n_workers": 0, "score": "accuracy"}
        found = bk.run_search(objective, space, store=store, **options)
        return found.n if resume is None else resume("a", store=store).n


def report_twice():
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        return bk.report(bk.load_example()["svm"], f"{folder}/r.html", budgets=[1]).name


CALLS = {
    "bootstrap_band": lambda: bk.bootstrap_band([1, 2], rng=0, n_resamples=9).upper,
    "check_iid": lambda: bk.check_iid([1, 2]).passed,
    "compare": lambda: bk.compare([[1, 2], [3, 4]]).verdict,
    "cost_curve": lambda: bk.cost_curve([1, 2], costs=[1, 1]).values,
    "effect": lambda: bk.effect(bk.load_example()["svm"], "C").verdict,
    "export": lambda: bk.export(bk.load_example()["svm"], io.StringIO(), format="csv"),
    "importance": lambda: bk.importance(bk.load_example()["svm"], "C").risk,
    "plan": lambda: bk.plan(trials=9).reach,
    "power": lambda: bk.power([1, 2], [3, 4], budget=1, trials=9).first_wins,
    "report": report_twice,
    "resume_search": lambda: run_twice(bk.resume_search),
    "run_search": lambda: run_twice(None),
    "cdf_band": lambda: bk.cdf_band([1, 2]).lower,
    "tuning_band": lambda: bk.tuning_band([1, 2]).at(1).upper,
    "expected_best": lambda: bk.expected_best([1, 2], 1),
    "load_example": lambda: bk.load_example()["svm"].n,
    "load_sst5": lambda: bk.load_sst5()["cnn"].n,
    "read": lambda: bk.read([1, 2]).n,
    "recommend": lambda: bk.recommend(budget=20).n_repeats,
    "replay": lambda: bk.replay([[1, 2], [3, 4]], n_repeats=1, n_replays=3).chosen,
    "running_best": lambda: bk.running_best([1, 2]).at(1),
    "selected_test_curve": lambda: bk.selected_test_curve(bk.Scores([1], test=[2])).at(1),
    "tuning_curve": lambda: bk.tuning_curve([1, 2]).at(1),
    "variability": lambda: bk.variability([[1, 2], [3, 4]]).chosen,
}


def verbs():
    return [n for n in bk.__all__ if inspect.isfunction(getattr(bk, n))]


def test_every_verb_is_called_below():
    assert set(verbs()) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_verb_can_be_called_twice(name):
    """With a lazy package the second call would find the module if they shared a name."""
    assert np.all(CALLS[name]() == CALLS[name]())
    assert inspect.isfunction(getattr(bk, name))


def test_no_public_name_is_a_module():
    assert not {m.split(".")[1] for m in MODULES} & set(bk.__all__)


def test_the_verbs_of_cv_can_be_called_there_too():
    """Two files of cv/ are named for the verb they hold: the package shows the verb."""
    for name in bk.cv.__all__:
        assert getattr(bk.cv, name) is getattr(bk, name)


def test_public_names_are_listed_and_unknown_ones_refused():
    assert set(bk.__all__) <= set(dir(bk))
    with pytest.raises(AttributeError, match="no attribute 'tuning_curves'"):
        bk.tuning_curves


def test_type_checkers_see_every_public_name():
    source = inspect.getsource(bk)
    for name in (*bk.__all__, *bk._OPTIONAL):
        if name != "__version__":
            assert f"import {name} as {name}" in source


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(module):
    failures, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0


@pytest.mark.parametrize("name", sorted({*bk.__all__, *bk._OPTIONAL} - {"__version__"}))
def test_everything_public_is_documented(name):
    thing = getattr(bk, name)
    assert (thing.__doc__ or "").strip()
    if inspect.isfunction(thing):
        assert ">>>" in thing.__doc__, f"{name} has no example"
        for parameter in inspect.signature(thing).parameters:
            assert parameter in thing.__doc__, f"{name}: {parameter} is not documented"


def loaded_by(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(out.stdout.split())


def test_importing_bestofk_loads_next_to_nothing():
    loaded = loaded_by("import bestofk")
    assert not loaded & {"typer", "rich", "scipy.stats", "scipy.optimize", "matplotlib", "pandas"}


def test_a_curve_needs_no_optional_package():
    loaded = loaded_by("import bestofk; bestofk.tuning_curve([1, 2])")
    optional = {"typer", "scipy.stats", "scipy.optimize", "matplotlib", "pandas", "narwhals"}
    assert not loaded & optional


def test_example_data():
    example = bk.load_example()
    assert list(example) == ["svm", "forest"]
    for search in example.values():
        scores = search.scores()
        assert scores.n == 256
        assert not scores.caveats
        assert scores.test is not None
        assert scores.costs is not None
        assert (scores.costs > 0).all()
        assert scores.bounds == (0, 1)
        assert search.params
        assert all(v is not None for column in search.params.values() for v in column)
