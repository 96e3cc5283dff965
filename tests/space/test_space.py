"""Spaces: the same from Python, TOML, JSON and other packages; told apart by what they draw."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
import scipy.stats

import bestofk as bk
from bestofk import space
from bestofk.errors import on_command_line
from bestofk.space.distributions import KINDS
from bestofk.space.sampler import trial_params
from bestofk.space.space import Space
from tests.conftest import ROOT

EVERY = {
    "a": space.uniform(0, 1),
    "b": space.loguniform(1e-5, 1e-1),
    "c": space.integer(-2, 5),
    "d": space.integer(1, 1000, log=True),
    "e": space.quantised(0, 1, 0.1),
    "f": space.choice(["x", None, 2, [1, 2]], weights=[1, 2, 0, 1]),
    "g": space.exponential(0.5, high=3),
    "h": space.normal(1, 2),
    "i": space.constant("adam"),
    "j": space.uniform(0, 1, when={"c": [0, 1]}),
}
TOML = """
a = { kind = "uniform", low = 0, high = 1 }
b = { kind = "loguniform", low = 1e-5, high = 0.1 }
c = { kind = "integer", low = -2, high = 5 }
d = { kind = "integer", low = 1, high = 1000, log = true }
e = { kind = "quantised", low = 0.0, high = 1, step = 0.1 }
g = { kind = "exponential", scale = 0.5, high = 3 }
h = { kind = "normal", mean = 1, std = 2 }
i = "adam"
j = { kind = "uniform", low = 0, high = 1, when = { c = [0, 1] } }
[f]
kind = "choice"
values = ["x", "y"]
"""


def test_toml_json_and_python_make_the_same_space(tmp_path):
    python = Space({**EVERY, "f": ["x", "y"]})
    (tmp_path / "space.toml").write_text(TOML, encoding="utf-8")
    (tmp_path / "space.json").write_text(json.dumps(python.spec()), encoding="utf-8")
    for name in ("space.toml", "space.json"):
        read = Space(tmp_path / name)
        assert read == python
        assert trial_params(read, 3, 5) == trial_params(python, 3, 5)


def test_the_fingerprint_is_stable():
    """A stored search must be found again by later versions: this value may never change."""
    assert Space(EVERY).fingerprint == (
        "d1426f509c9d72a06d4002b6f39e7da3bf662d4256299d9c18d579f79ffef22b"
    )
    assert Space({"x": space.uniform(0, 1), "y": [1, 2]}).fingerprint == (
        "9b5e992525133324c10ed26b8815d31004a059573eec21748a1a3983c2ab38b7"
    )


def test_what_is_drawn_is_stable():
    """A resumed search must draw what it drew before: these values may never change."""
    assert trial_params(Space(EVERY), seed=7, number=3) == {
        "a": 0.9823227993863488,
        "b": 1.7530947352010278e-05,
        "c": -2,
        "d": 26,
        "e": 0.2,
        "f": None,
        "g": 0.5702325255691219,
        "h": 1.356339590066995,
        "i": "adam",
    }


def test_the_order_of_parameters_changes_nothing():
    backwards = Space(dict(reversed(EVERY.items())))
    assert backwards.fingerprint == Space(EVERY).fingerprint
    assert trial_params(backwards, 7, 3) == trial_params(Space(EVERY), 7, 3)


@pytest.mark.parametrize(
    "change",
    [
        {"a": space.uniform(0, 2)},
        {"c": space.integer(-2, 6)},
        {"f": space.choice(["x", None, 2, [1, 2]])},
        {"i": "sgd"},
        {"j": space.uniform(0, 1)},
        {"k": 1},
    ],
)
def test_another_space_has_another_fingerprint_and_says_where(change):
    other = Space({**EVERY, **change})
    assert other.fingerprint != Space(EVERY).fingerprint
    (difference,) = Space(EVERY).differences(other)
    assert difference.startswith(next(iter(change)))


def test_conditional_parameters_exist_only_under_their_condition():
    found = Space(
        {
            "optimizer": ["sgd", "adam"],
            "momentum": space.uniform(0, 1, when={"optimizer": "sgd"}),
            "nesterov": space.choice([True, False], when={"momentum": [], "optimizer": "sgd"}),
            "decay": space.uniform(0, 1, when={"flag": True}),
            "flag": [True, 1],
        }
    )
    seen = [trial_params(found, 0, i) for i in range(200)]
    assert {("momentum" in p) for p in seen} == {True, False}
    assert all(("momentum" in p) == (p["optimizer"] == "sgd") for p in seen)
    assert not any("nesterov" in p for p in seen)
    assert all(("decay" in p) == (p["flag"] is True) for p in seen)


def test_a_condition_on_a_parameter_that_does_not_exist_does_not_hold():
    found = Space(
        {
            "a": [1, 2],
            "b": space.choice([1, 2], when={"a": 1}),
            "c": space.constant(0, when={"b": 1}),
        }
    )
    for i in range(100):
        params = trial_params(found, 1, i)
        assert ("c" in params) == (params.get("b") == 1)


def test_allentune_files_are_read_as_they_are(tmp_path):
    (tmp_path / "search_space.json").write_text(
        json.dumps(
            {
                "EPOCHS": 3,
                "SEED": {"sampling strategy": "integer", "bounds": [0, 100]},
                "LR": {"sampling strategy": "loguniform", "bounds": [1e-4, 1e-1]},
                "DROPOUT": {"sampling strategy": "uniform", "bounds": [0, 0.5]},
                "ENCODER": {"sampling strategy": "choice", "choices": ["lstm", "cnn"]},
            }
        ),
        encoding="utf-8",
    )
    assert Space(tmp_path / "search_space.json") == Space(
        {
            "EPOCHS": 3,
            "SEED": space.integer(0, 99),  # numpy's randint leaves the upper end out
            "LR": space.loguniform(1e-4, 1e-1),
            "DROPOUT": space.uniform(0, 0.5),
            "ENCODER": ["lstm", "cnn"],
        }
    )
    with pytest.raises(
        bk.ArgumentError, match="parameter X: of allentune's strategies .* 'subset'"
    ):
        Space({"X": {"sampling strategy": "subset", "choices": [1]}})


def test_optuna_distributions_are_read_as_they_are():
    d = pytest.importorskip("optuna").distributions
    found = Space(
        {
            "a": d.FloatDistribution(0, 1),
            "b": d.FloatDistribution(1e-3, 1, log=True),
            "c": d.FloatDistribution(0, 1, step=0.25),
            "d": d.IntDistribution(1, 5),
            "e": d.IntDistribution(1, 64, log=True),
            "f": d.IntDistribution(2, 10, step=4),
            "g": d.CategoricalDistribution(["x", "y"]),
            "h": d.FloatDistribution(0.1, 0.1, log=True),
        }
    )
    assert found == Space(
        {
            "a": space.uniform(0, 1),
            "b": space.loguniform(1e-3, 1),
            "c": space.quantised(0.0, 1, 0.25),
            "d": space.integer(1, 5),
            "e": space.integer(1, 64, log=True),
            "f": space.quantised(2, 10, 4),
            "g": ["x", "y"],
            "h": 0.1,
        }
    )


def test_frozen_scipy_distributions_draw_by_themselves_and_are_stored_by_name():
    found = Space({"C": scipy.stats.expon(scale=100), "n": scipy.stats.randint(1, 5), "x": [1, 2]})
    again = Space(json.loads(json.dumps(found.spec())))
    assert again.fingerprint == found.fingerprint
    params = [trial_params(found, 3, i) for i in range(50)]
    assert params == [trial_params(again, 3, i) for i in range(50)]
    assert {type(p["C"]) for p in params} == {float}
    assert {p["n"] for p in params} == {1, 2, 3, 4}


def test_tuples_and_numpy_values_are_kept_as_plain_ones():
    found = Space({"sizes": [(64, 64), (32,)], "n": np.array([1, 2])})
    assert found.spec()["sizes"]["values"] == [[64, 64], [32]]
    assert type(trial_params(found, 0, 0)["n"]) is int


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "a space must map at least one parameter"),
        ({"x": {"low": 0}}, "parameter x: must say its kind"),
        ({"x": {"kind": "unifrom"}}, "`kind` must be one of .* Did you mean 'uniform'"),
        ({"x": {"kind": "uniform", "low": 0}}, "uniform needs low, high; .'high'. left out"),
        ({"x": {"kind": "uniform", "low": 0, "hgih": 1}}, "Did you mean 'high'"),
        ({"x": {"kind": "exponential", "scale": 1}}, "needs scale, high; .'high'. left out"),
        ({"x": {"kind": "uniform", "low": -1.7e308, "high": 1.7e308}}, "uniform needs low < high"),
        ({"x": {"kind": "choice", "values": [1], "weights": 3}}, "`weights` .* must be a list"),
        ({"x": {"sampling strategy": "integer", "bounds": ["1", "5"]}}, "must be a whole number"),
        ({"x": scipy.stats.uniform([0, 1], 1)}, "of one number, not of several"),
        (
            {"x": {"kind": "uniform", "low": 0, "high": 1, "when": {"o": "c"}}, "o": ["a", "b"]},
            r'a value that o can have, one of \["a", "b"\]; got "c"',
        ),
        ({"x": {"kind": "uniform", "low": 1, "high": 0}}, "needs low < high; got low=1, high=0"),
        ({"x": {"kind": "loguniform", "low": 0, "high": 1}}, "needs 0 < low < high"),
        ({"x": {"kind": "integer", "low": 0.5, "high": 1}}, "`low` .* whole number; got 0.5"),
        ({"x": {"kind": "quantised", "low": 0, "high": 1, "step": 0}}, "step > 0"),
        ({"x": []}, "at least one value"),
        ({"x": {"kind": "choice", "values": [1, 2], "weights": [1]}}, "one number per value"),
        ({"x": {"kind": "normal", "mean": 0, "std": -1}}, "`std` .* positive; got -1"),
        ({"x": [object()]}, "must be text, a finite number"),
        ({"x": float("nan")}, "must be text, a finite number"),
        ({"x=y": 1}, "name must be text without any of"),
        ({"x": {"kind": "uniform", "low": 0, "high": 1, "when": {"y": 1}}}, "got 'y'"),
        ({"x": {"kind": "constant", "value": 1, "when": {"x": 1}}}, "lead back to itself"),
        ({"x": scipy.stats.uniform}, "must be frozen"),
    ],
)
def test_what_cannot_be_drawn_is_refused(params, message):
    with pytest.raises(bk.ArgumentError, match=message):
        Space(params)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        (
            {"x": {"kind": "integer", "low": 0.5, "high": 1}},
            "parameter x: 'low' of an integer must be a whole number; got 0.5.",
        ),
        (
            {"x": {"kind": "unifrom"}},
            "parameter x: 'kind' must be one of 'uniform', 'loguniform', 'integer', 'quantised', "
            "'choice', 'exponential', 'normal', 'constant'; got 'unifrom'. "
            "Did you mean 'uniform'?",
        ),
        (
            {"x": {"kind": "uniform", "low": 0, "hgih": 1}},
            "parameter x: an option of uniform must be one of 'low', 'high'; got 'hgih'. "
            "Did you mean 'high'?",
        ),
        (
            {"x": {"kind": "uniform", "low": 0, "high": 1, "when": {"y": 1}}, "z": 1},
            "x: 'when' must name another parameter, one of z; got 'y'.",
        ),
    ],
)
def test_on_the_command_line_no_key_of_a_space_file_is_called_an_option(params, message):
    with pytest.raises(bk.ArgumentError) as refused:
        Space(params)
    assert on_command_line(refused.value.text) == message


def test_the_package_offers_every_distribution_as_a_function():
    assert set(space.__all__) == {*KINDS, "Space"}
    assert space.Space is Space
    for name in KINDS:
        assert getattr(space, name).__module__ == "bestofk.space.draw"


def test_the_space_in_the_documentation_is_one(tmp_path):
    text = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
    (tmp_path / "space.toml").write_text(
        re.search(r"```toml\n(.*?)```", text, flags=re.S)[1], encoding="utf-8"
    )
    found = Space(tmp_path / "space.toml")
    assert len(found.params) == 9
    assert trial_params(found, 0, 0)["epochs"] == 10


def test_files_that_cannot_be_read_say_so(tmp_path):
    (tmp_path / "bad.toml").write_text("lr = {", encoding="utf-8")
    (tmp_path / "bad.json").write_text("{", encoding="utf-8")
    (tmp_path / "other.json").write_text("{}", encoding="utf-16")
    for name, message in [
        ("bad.toml", "must be TOML"),
        ("bad.json", "line 1: must be JSON"),
        ("other.json", "must be text in UTF-8"),
        ("none.toml", "cannot be read: No such file"),
    ]:
        with pytest.raises(bk.DataError, match=message):
            Space(tmp_path / name)
    (tmp_path / "windows.toml").write_text("lr = 1", encoding="utf-8-sig")
    assert Space(tmp_path / "windows.toml") == Space({"lr": 1})
    (tmp_path / "space.yaml").write_text("lr: 1", encoding="utf-8")
    with pytest.raises(bk.ArgumentError, match="must end in .toml or .json"):
        Space(tmp_path / "space.yaml")
