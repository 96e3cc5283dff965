"""The shipped repeats are what examples/samplers makes."""

from __future__ import annotations

import numpy as np
import pytest

import bestofk as bk
from bestofk.datasets import repeats as loader
from bestofk.space.sampler import trial_params
from bestofk.space.space import Space

OBJECTIVES = ("diabetes", "cancer", "wine", "digits", "network")


def test_the_loader_knows_the_objectives(samplers):
    known = samplers.objectives.OBJECTIVES
    assert list(known) == list(OBJECTIVES) == list(loader._FACTS)
    for name, objective in known.items():
        facts = loader._FACTS[name]
        assert (facts.metric, facts.direction) == (objective.metric, objective.direction)
        assert facts.params == tuple(objective.box)
        assert facts.seed == samplers.run.search_seed(name)
    for label, (sampler, _) in loader._SAMPLERS.items():
        assert samplers.studies.SAMPLERS[label] == sampler


@pytest.mark.parametrize("sampler", ["tpe", "cmaes", "random"])
@pytest.mark.parametrize(("objective", "repeat"), [("diabetes", 0), ("wine", 23)])
def test_a_recorded_study_can_be_run_again_by_its_seed(
    samplers, objective, repeat, sampler, tmp_path
):
    found = bk.datasets.load_repeats(objective)[sampler]
    again = samplers.studies.run_study(objective, sampler, repeat, 20, tmp_path / "a.jsonl")
    assert found.seeds[repeat] == str(again[0]["seed"])
    for recorded, name in ((found.scores, "score"), (found.tests, "test")):
        assert recorded[repeat][:20] == pytest.approx([row[name] for row in again], abs=1e-6)


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_recorded_settings_are_the_draws_of_their_numbers(samplers, objective):
    search = bk.datasets.load_repeats(objective, random="search")["random"]
    known = samplers.objectives.OBJECTIVES[objective]
    space = Space(known.space)
    for trial in search.trials[::50]:
        drawn = trial_params(space, search.seed, trial.number)
        assert trial.params == pytest.approx(drawn, rel=6e-6)  # six digits in the file
    for number in (0, search.n - 1):
        again = known.measure(trial_params(space, search.seed, number))
        recorded = search.trials[number]
        assert recorded.score == pytest.approx(again["score"], abs=1e-6)
        assert recorded.metrics[search.test] == pytest.approx(again["test"], abs=1e-6)
    assert np.min(search.costs) > 0
