"""The recorded attempts are those of the study, and packed without loss of what matters."""

from __future__ import annotations

import csv
import random

import numpy as np
import pytest

import bestofk as bk
from tests.countdown.conftest import EXAMPLE

ARMS = [(m, t) for m in ("small", "large", "small-tuned", "large-tuned") for t in (1.0, 0.6)]


@pytest.fixture(scope="module")
def cells():
    with (EXAMPLE / "cells.csv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_problems_are_the_first_draws_of_their_part(study):
    names = [problem.name for problem in study.problems("test", 400)]
    for temperature in (1.0, 0.6):
        for attempts in bk.datasets.load_countdown(temperature).values():
            assert list(attempts.problems) == names


@pytest.mark.slow
def test_few_draws_were_dropped_as_repeated(game, study):
    """As the example's README says: 7 of 407, all with three numbers."""
    rng = random.Random("countdown test")
    drawn = [game.draw(rng, "test")[0] for _ in range(407)]
    assert list(dict.fromkeys(drawn)) == study.problems("test", 400)
    again = [problem for i, problem in enumerate(drawn) if problem in drawn[:i]]
    assert [len(problem.numbers) for problem in again] == [3] * 7


@pytest.mark.parametrize(("model", "temperature"), ARMS)
def test_attempts_have_a_score_a_reward_and_a_cost(model, temperature):
    attempts = bk.datasets.load_countdown(temperature)[model]
    assert (len(attempts.problems), set(attempts.sizes)) == (400, {512})
    scores, rewards, costs = (
        np.stack(each) for each in (attempts.scores, attempts.rewards, attempts.costs)
    )
    assert set(np.unique(scores)) == {0.0, 1.0}
    assert rewards.min() >= -16
    assert rewards.max() < 16
    assert costs.min() >= 1
    assert costs.max() <= 26
    own = np.stack(bk.datasets.load_countdown(temperature, reward="likelihood")[model].rewards)
    assert own.max() <= 0
    assert own.min() >= -5.1
    right = scores == 1
    assert own[right].mean() > own[~right].mean()  # a reward, though not the truth


def test_answers_of_cells_are_checked_as_recorded(game, cells):
    assert len(cells) == 100 * len(ARMS)
    arms = {t: bk.datasets.load_countdown(t) for t in (1.0, 0.6)}
    places = {name: i for i, name in enumerate(arms[1.0]["small"].problems)}
    right = 0
    for cell in cells:
        attempts = arms[float(cell["temperature"])][cell["model"]]
        i, j = places[cell["problem"]], int(cell["attempt"])
        problem = game.Problem.of_name(cell["problem"])
        assert game.solves(problem, cell["answer"]) == attempts.scores[i][j] == int(cell["right"])
        room = min(game.LONGEST_ANSWER, game.LONGEST - len(problem.prompt))
        assert attempts.costs[i][j] == min(len(cell["answer"]) + 1, room)
        right += int(cell["right"])
    assert 0.3 * len(cells) < right < 0.8 * len(cells)


def test_arms_share_no_random_numbers(study):
    problem = study.problems("test", 1)[0]
    first = {study.chances(m, t, problem, 4).tobytes() for m, t in ARMS}
    assert len(first) == len(ARMS)


def test_attempts_at_a_problem_come_in_no_order():
    """Successes are no more often early than late: the record is not sorted, nor cut short."""
    for attempts in bk.datasets.load_countdown().values():
        scores = np.stack(attempts.scores)
        early, late = scores[:, :256].mean(1), scores[:, 256:].mean(1)
        z = (early - late).mean() / ((early - late).std() / np.sqrt(len(early)))
        assert abs(z) < 5


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": 0.7}, "`temperature` must be 1 or 0.6; got 0.7."),
        ({"temperature": "hot"}, "`temperature` must be 1 or 0.6; got 'hot'."),
        ({"reward": "truth"}, "`reward` must be one of 'verifier', 'likelihood'; got 'truth'."),
    ],
)
def test_refused(options, message):
    with pytest.raises(bk.errors.ArgumentError) as error:
        bk.datasets.load_countdown(**options)
    assert str(error.value).startswith(message)


@pytest.mark.slow
def test_a_tuned_model_is_ahead_first_and_behind_later():
    """The crossing of the tutorial; shuffled between the two models it is gone."""
    models = bk.datasets.load_countdown()
    pair = {name: models[name] for name in ("large", "large-tuned")}
    level = 1 - 0.05 / 28
    found = bk.compare(pair, budgets=[1, 16, 64, 512], confidence=level).pairs[0]
    ahead = [found.certified_at(k) for k in (1, 16, 64, 512)]
    assert ahead == ["large-tuned", "large", "large", "large"]
    rng = np.random.default_rng(21)
    swap = rng.random(400) < 0.5
    a, b = (np.stack(each.scores) for each in pair.values())
    mixed = {
        "a": bk.Attempts.of_array(np.where(swap[:, None], a, b)),
        "b": bk.Attempts.of_array(np.where(swap[:, None], b, a)),
    }
    none = bk.compare(mixed, budgets=[1, 16, 64, 512], confidence=level).pairs[0]
    assert [none.certified_at(k) for k in (1, 16, 64, 512)] == [""] * 4
