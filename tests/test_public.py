"""The public face: names, laziness, doctests, what is promised about importing."""

from __future__ import annotations

import doctest
import importlib
import inspect
import io
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bestofk as bk
from tests.conftest import ROOT

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
        return bk.report(bk.datasets.load_example()["svm"], f"{folder}/r.html", budgets=[1]).name


CALLS = {
    "cdf_band": lambda: bk.cdf_band([1, 2]).lower,
    "check_iid": lambda: bk.check_iid([1, 2]).passed,
    "compare": lambda: bk.compare([1, 2], [3, 4]).verdict,
    "cost_curve": lambda: bk.cost_curve([1, 2], costs=[1, 2]).estimate,
    "expected_best": lambda: bk.expected_best([1, 2], 1),
    "export": lambda: bk.export(example("svm"), io.StringIO(), format="csv"),
    "importance": lambda: bk.importance(example("svm"), "C").risk,
    "more_trials": lambda: bk.more_trials([1, 2], 3).matched,
    "pass_band": lambda: bk.pass_band(bk.Attempts.of_array([[1, 0], [0, 1]])).upper,
    "pass_bounds": lambda: (
        bk.pass_bounds(bk.Attempts.of_array([[1, 0], [0, 1]]), budgets=[3]).upper
    ),
    "pass_curve": lambda: bk.pass_curve(bk.Attempts.of_array([[1, 0], [0, 1]])).estimate,
    "plan": lambda: bk.plan(trials=9).reach,
    "plan_attempts": lambda: (
        bk.plan_attempts(bk.Attempts.of_array([[1, 0], [0, 0]]), budget=1).problems
    ),
    "plan_repeats": lambda: bk.plan_repeats(10).needed,
    "plot": lambda: bk.plot([bk.tuning_curve([1, 2])]).get_xlabel(),
    "power": lambda: bk.power([1, 2], [3, 4], budget=1, trials=9).first_wins,
    "read": lambda: bk.read([1, 2]).n,
    "read_all": lambda: list(bk.read_all([1, 2])),
    "read_attempts": lambda: list(bk.read_attempts({"task_id": ["a", "a"], "passed": [1, 0]})),
    "read_repeats": lambda: list(bk.read_repeats({"seed": [0, 0, 1, 1], "acc": [1, 2, 3, 4]})),
    "report": report_twice,
    "resume_search": lambda: run_twice(bk.resume_search),
    "run_search": lambda: run_twice(None),
    "tuning_band": lambda: bk.tuning_band([1, 2]).at(1).upper,
    "tuning_curve": lambda: bk.tuning_curve([1, 2]).at(1),
}
IN_MODULES = {
    "baselines.bootstrap_band": lambda: bk.baselines.bootstrap_band([1, 2], n_resamples=9).upper,
    "cv.recommend": lambda: bk.cv.recommend(budget=20).n_repeats,
    "cv.replay": lambda: bk.cv.replay([[1, 2], [3, 4]], n_repeats=1, n_replays=3).chosen,
    "cv.variability": lambda: bk.cv.variability([[1, 2], [3, 4]]).chosen,
    "datasets.load_example": lambda: example("svm").n,
    "datasets.load_repeats": lambda: bk.datasets.load_repeats("wine")["tpe"].n_repeats,
    "datasets.load_countdown": lambda: bk.datasets.load_countdown()["large"].problems[0],
    "datasets.load_sst5": lambda: bk.datasets.load_sst5()["cnn"].n,
    "space.uniform": lambda: str(bk.space.uniform(0, 1)),
}


def example(name):
    return bk.datasets.load_example()[name]


def verbs():
    return [n for n in bk.__all__ if inspect.isfunction(getattr(bk, n))]


def test_every_verb_is_called_below():
    assert set(verbs()) == set(CALLS)


@pytest.mark.parametrize("name", sorted(CALLS))
def test_every_verb_can_be_called_twice(name):
    """With a lazy package the second call would find the module if they shared a name.

    And the same call gives the same answer: what is random has a fixed seed.
    """
    assert np.all(CALLS[name]() == CALLS[name]())
    assert inspect.isfunction(getattr(bk, name))


@pytest.mark.parametrize("name", sorted(IN_MODULES))
def test_verbs_of_modules_can_be_called_twice(name):
    assert np.all(IN_MODULES[name]() == IN_MODULES[name]())


def test_the_typed_script_touches_every_public_name():
    """tools/check_wheel.sh runs mypy --strict on it, against the installed wheel."""
    text = (ROOT / "tests" / "typed_user.py").read_text()
    lacking = [n for n in bk.__all__ if f"bk.{n}" not in text and f"{n}." not in text]
    assert lacking == []
    subprocess.run([sys.executable, "-c", text], check=True, capture_output=True)


def test_there_are_few_public_names():
    assert len(bk.__all__) <= 50


def test_one_word_has_one_default_everywhere():
    """Confidence .95, seeds 0, and a number of resamples under one name."""
    for thing in [*public_functions(), bk.Monitor]:
        for parameter in inspect.signature(thing).parameters.values():
            if parameter.name == "confidence":
                assert parameter.default == 0.95, thing
            if parameter.name == "rng":
                assert parameter.default == 0, thing
            assert parameter.name not in ("method", "seed", "n_orders", "n_simulations") or (
                thing in (bk.run_search, bk.read_repeats)  # of the latter, it names a column
            ), f"{thing.__name__}({parameter.name}=)"


def test_no_public_function_returns_any():
    for thing in public_functions():
        hint = inspect.signature(thing).return_annotation
        assert hint not in ("Any", inspect.Signature.empty), thing.__name__


def public_functions():
    found = [getattr(bk, n) for n in verbs()]
    for module in (bk.baselines, bk.cv, bk.datasets, bk.space):
        found += [f for n in module.__all__ if inspect.isfunction(f := getattr(module, n))]
    return found


def test_public_names_are_listed_and_unknown_ones_refused():
    assert set(bk.__all__) <= set(dir(bk))
    with pytest.raises(AttributeError, match="no attribute 'tuning_curves'"):
        bk.tuning_curves


def test_type_checkers_see_every_public_name():
    stub = (Path(bk.__file__).parent / "__init__.pyi").read_text()
    for name in {*bk.__all__} - {"__version__"}:
        assert f"import {name} as {name}" in stub


@pytest.mark.parametrize("module", MODULES)
def test_docstring_examples(module):
    failures, _ = doctest.testmod(
        importlib.import_module(module), optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert failures == 0


@pytest.mark.parametrize("name", sorted({*bk.__all__} - {"__version__"}))
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


def test_reading_a_file_loads_no_scipy():
    """`bestofk curve` starts in the time that numpy and typer take."""
    loaded = loaded_by("import bestofk; bestofk.read({'score': [0.5, 0.7]}).scores()")
    assert not [name for name in loaded if name.partition(".")[0] == "scipy"]


def test_example_data():
    example = bk.datasets.load_example()
    assert list(example) == ["svm", "forest"]
    for search in example.values():
        scores = search.scores()
        assert scores.n == 256
        assert [c.kind for c in scores.caveats] == ["validation-best"]
        assert scores.test is not None
        assert scores.costs is not None
        assert (scores.costs > 0).all()
        assert scores.bounds == (0, 1)
        assert search.params
        assert all(v is not None for column in search.params.values() for v in column)
