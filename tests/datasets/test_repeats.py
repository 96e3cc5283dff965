"""The shipped repeats of whole searches: what they hold, and what README.md says of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import ks_2samp

import bestofk as bk

OBJECTIVES = ("diabetes", "cancer", "wine", "digits", "network")
SAMPLERS = {"tpe": "TPESampler", "cmaes": "CmaEsSampler", "random": "RandomSampler"}
FOLDER = Path(bk.datasets.__file__).parent
R, N, LONG = 24, 64, 1024


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_there_are_whole_searches_with_seeds_of_their_own(objective):
    found = bk.datasets.load_repeats(objective)
    assert {label: repeats.sampler for label, repeats in found.items()} == SAMPLERS
    for label, repeats in found.items():
        assert repeats.label == label
        assert repeats.lengths.tolist() == [N] * R
        assert repeats.n_planned == N
        assert repeats.sampling == ("iid" if label == "random" else "adaptive")
        assert not np.isnan(repeats.scores).any()
        assert not np.isnan(repeats.tests).any()
        assert np.min(repeats.costs) > (0.1 if objective == "network" else 0)
    seeds = [seed for repeats in found.values() for seed in repeats.seeds]
    assert len(set(seeds)) == 3 * R


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_random_search_is_there_as_one_long_search(objective):
    repeats = bk.datasets.load_repeats(objective)["random"]
    found = bk.datasets.load_repeats(objective, random="search")
    search = found["random"]
    assert isinstance(search, bk.Search)
    assert isinstance(found["tpe"], bk.Repeats)
    assert search.n == LONG
    assert search.states == ("complete",) * LONG
    assert search.sampling == "iid"
    assert search.seed is not None
    assert search.direction == repeats.direction
    assert search.bounds == repeats.bounds
    assert 3 <= len(search.params) <= 6
    assert bk.check_iid(search).verdict  # it has settings and an order to look at


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_random_repeats_and_the_random_search_draw_from_one_distribution(objective):
    """Two programs drew them; those of a sampler that learns are the negative control."""
    found = bk.datasets.load_repeats(objective)
    search = bk.datasets.load_repeats(objective, random="search")["random"]
    values = search.metrics[search.metric]
    assert ks_2samp(values, np.concatenate(found["random"].scores)).pvalue > 1e-6
    for label in ("tpe", "cmaes"):
        assert ks_2samp(values, np.concatenate(found[label].scores)).pvalue < 1e-6


def test_another_objective_is_refused():
    with pytest.raises(bk.ArgumentError, match="objective.*diabetes.*network.*'iris'"):
        bk.datasets.load_repeats("iris")
    with pytest.raises(bk.ArgumentError, match="random.*repeats.*search"):
        bk.datasets.load_repeats("wine", random="both")


def test_the_files_are_small():
    size = sum(path.stat().st_size for path in FOLDER.glob("repeats*.csv.gz"))
    assert 100_000 < size < 400_000


def table():
    """The table of README.md with the median of the best after 40 trials: (objective, cells)."""
    text = (FOLDER / "README.md").read_text(encoding="utf-8")
    part = text[text.index("The median over the 24 repeats") :]
    return re.findall(r"^\| `(\w+)` \| (.*) \|$", part, flags=re.MULTILINE)


def test_readme_has_a_row_for_every_objective():
    assert [name for name, _ in table()] == list(OBJECTIVES)


@pytest.mark.parametrize(("objective", "cells"), table())
def test_readme_states_the_medians(objective, cells):
    found = bk.datasets.load_repeats(objective)
    said = [cell.split() for cell in cells.split(" | ")]
    for label, (score, test) in zip(SAMPLERS, said, strict=True):
        best, _ = found[label].best([40])
        assert float(score) == pytest.approx(np.median(best), abs=5.1e-5)
        tests, _ = found[label].best([40], of="test")
        assert float(test.strip("()")) == pytest.approx(np.median(tests), abs=5.1e-5)


def median_interval(values):
    """The sixth and the sixth-last of 24: they enclose the median with confidence .9934."""
    ordered = np.sort(values)
    return ordered[5], ordered[-6]


def test_tpe_gains_on_the_validation_data_of_diabetes_and_loses_on_the_test_data():
    found = bk.datasets.load_repeats("diabetes")
    limits = {
        (label, of): median_interval(found[label].best([64], of=of)[0][:, 0])
        for label in SAMPLERS
        for of in ("score", "test")
    }
    assert limits["tpe", "score"][0] > limits["random", "score"][1]
    assert limits["tpe", "test"][1] < limits["random", "test"][0]
    said = (FOLDER / "README.md").read_text(encoding="utf-8")
    for label in ("tpe", "random"):
        early, late = np.median(found[label].best([10, 64], of="test")[0], axis=0)
        assert re.search(rf"from {early:.4f} (after 10 trials )?to {late:.4f}", said)


def test_no_sampler_is_ahead_on_wine():
    found = bk.datasets.load_repeats("wine")
    ends = [np.round(repeats.best([64])[0][:, 0] * 59) for repeats in found.values()]
    assert {*np.concatenate(ends)} == {57, 58}
    assert {np.median(end) for end in ends} == {57}
