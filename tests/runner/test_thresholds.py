"""Thresholds fixed before the search stop trials and leave the draws alone."""

from __future__ import annotations

import math
import sys

from tests.runner import objectives
from tests.runner.searches import expected, params_of


def test_fixed_thresholds_stop_trials_and_leave_the_draws_alone(search, tmp_path):
    found = search(objectives.stepwise, n_trials=20, n_workers=0, thresholds={5: 0.3, 10: 1.0})
    assert params_of(found) == expected(20)
    for trial in found.trials:
        x = trial.params["x"]
        if x < 0.3:
            assert trial.state == "pruned"
            assert trial.score == x
            assert f"stopped at step 5: {x:g} is below the threshold 0.3" in trial.note
        elif x < 0.5:
            assert trial.state == "pruned"
            assert "step 10" in trial.note
        else:
            assert trial.state == "complete"
    assert {"pruned", "complete"} == set(found.states)
    worst = found.scores(failed="worst").values
    assert (worst == -math.inf).sum() == found.states.count("pruned")


def test_thresholds_are_upper_ones_when_minimizing(search):
    found = search(
        objectives.stepwise, n_trials=20, n_workers=0, thresholds={5: 0.3}, direction="minimize"
    )
    assert [s == "pruned" for s in found.states] == [t.params["x"] > 0.3 for t in found.trials]


def test_an_objective_cannot_swallow_the_stop(search):
    found = search(objectives.swallows, n_trials=10, n_workers=0, thresholds={5: 0.5})
    assert [s == "pruned" for s in found.states] == [t.params["x"] < 0.5 for t in found.trials]


def test_commands_stop_at_thresholds_too(search):
    code = (
        "import json, sys, time\n"
        "x = float(sys.argv[1])\n"
        "print(json.dumps(dict(step=5, score=x)), flush=True)\n"
        "time.sleep(60 if x < 0.5 else 0)\n"
        "print(json.dumps(dict(score=x)))\n"
    )
    found = search(
        [sys.executable, "-c", code, "{x}"], n_trials=6, n_workers=3, thresholds={5: 0.5}
    )
    assert [s == "pruned" for s in found.states] == [t.params["x"] < 0.5 for t in found.trials]
    assert "pruned" in found.states
    assert all(t.score == t.params["x"] for t in found.trials)
