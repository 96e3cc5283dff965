"""A design is checked once, in one sentence each, and nothing about how it runs changes it."""

from __future__ import annotations

import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

from bestofk import ArgumentError
from bestofk.studies.attempts import attempts_coverage
from bestofk.studies.bands import band_coverage, band_width
from bestofk.studies.benchmark import Benchmark
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error, underestimates, wrong_conclusions
from bestofk.studies.intervals import bootstrap_coverage
from bestofk.studies.truth import DiscreteTruth

BAG = DiscreteTruth([0.0, 1.0, 3.0])


def test_budgets_are_all_up_to_n_unless_given():
    assert Design(BAG, n=3).k.tolist() == [1, 2, 3]
    assert Design(BAG, n=3, budgets=[2.5]).k.tolist() == [2.5]
    assert (Design(BAG, n=3).sign, Design(BAG, n=3, direction="minimize").sign) == (1, -1)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("n", 0, "`n` must be a whole number of at least 1; got 0."),
        ("n", 2.5, "`n` must be a whole number of at least 1; got 2.5."),
        ("n", 10**7, "`n` must be at most 1,000,000; got 10000000."),
        ("budgets", [0], "`budgets` must"),
        ("confidence", 95, "`confidence` must lie strictly between 0 and 1; got 95"),
        ("interval", 1, "`confidence` must lie strictly between 0 and 1; got 1"),
        ("n_samples", 0, "`n_samples` must be a whole number of at least 1; got 0."),
        ("seed", -1, "`seed` must be a whole number of at least 0; got -1."),
        ("direction", "up", "`direction` must be"),
        ("bounds", (1, 0), "`bounds` must"),
        ("n_jobs", 0, "`n_jobs` must be a whole number of at least 1; got 0."),
        ("truth", [1, 2], "`truth` must be a distribution to draw from"),
    ],
)
def test_what_must_hold_is_said_in_one_sentence(field, value, message):
    fields = {"truth": BAG, "n": 3} | {field: value}
    with pytest.raises(ArgumentError) as caught:
        Design(**fields)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    with pytest.raises(ArgumentError):
        replace(Design(BAG, n=3), **{field: value})


def test_a_design_stays_as_it_is():
    design = Design(BAG, n=3)
    with pytest.raises(FrozenInstanceError):
        design.n = 4
    with pytest.raises(ValueError, match="read-only"):
        design.k[0] = 7


def test_a_design_travels_to_other_processes_without_its_progress_bar():
    seen = []
    design = Design(BAG, n=3, n_samples=20, progress=lambda *done: seen.append(done))
    assert pickle.loads(pickle.dumps(design)).progress is None
    estimation_error(design)
    assert seen == [(1, 1)]


STUDIES = [
    estimation_error,
    underestimates,
    band_coverage,
    band_width,
    lambda design: bootstrap_coverage(design, n_resamples=20),
    lambda design: wrong_conclusions(design, DiscreteTruth([0.0, 1.0])),
    lambda design: (
        attempts_coverage(
            replace(design, truth=Benchmark([0.1, 0.5, 0.9])), bands=["all-counts", "mean-se"]
        ).whole
    ),
]


@pytest.mark.parametrize("study", STUDIES)
def test_every_study_takes_a_design_and_the_seed_fixes_it(study):
    design = Design(BAG, n=3, n_samples=300, seed=4, confidence=0.5, bounds=(0, 3))
    found, again, other = study(design), study(design), study(replace(design, seed=6))
    assert found.to_dict() == again.to_dict()
    assert (found.n, found.facts["samples"], found.facts["seed"]) == (3, 300, 4)
    numbers = [np.array(list(f.columns.values())[1:], dtype=float) for f in (found, other)]
    assert not np.array_equal(*numbers)
