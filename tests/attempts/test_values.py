"""What k attempts at each problem are worth: equal to enumeration in fractions, and lawful."""

from __future__ import annotations

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bestofk as bk
from bestofk.numeric.majority import majority_of
from tests.reference.attempts import enumerated, pass_at_k

CLOSE = {"rtol": 1e-12, "atol": 1e-14}
PICKS = ["best", "worst", "reward", "majority"]


def make(rng, n_problems, n, *, values=(0.0, 1.0), silent=True):
    """Return attempts with answers (the score of an answer is its own) and tied rewards."""
    n_answers = 3
    answers = rng.integers(n_answers, size=(n_problems, n))
    worth = rng.choice(values, size=(n_problems, n_answers))
    named = [
        [None if silent and a == 2 and rng.random() < 0.5 else f"a{a}" for a in row]
        for row in answers
    ]
    return bk.Attempts.of_array(
        np.take_along_axis(worth, answers, axis=1),
        rewards=rng.integers(3, size=(n_problems, n)).astype(float),
        answers=named,
    )


@pytest.mark.parametrize("pick", PICKS)
@pytest.mark.parametrize("values", [(0.0, 1.0), (0.0, 0.25, 0.75, 1.0)])
def test_the_curve_is_the_mean_over_all_sets_of_k(pick, values, rng):
    for n in (1, 2, 4, 6):
        attempts = make(rng, 3, n, values=values)
        curve = bk.pass_curve(attempts, pick=pick)
        for k in range(1, n + 1):
            expected = sum(
                enumerated(
                    attempts.scores[i].tolist(),
                    k,
                    pick,
                    rewards=attempts.rewards[i].tolist(),
                    answers=attempts.answers[i],
                )
                for i in range(3)
            )
            np.testing.assert_allclose(curve.at(k), float(expected / 3), **CLOSE)


def test_votes_are_counted_exactly_where_answers_tie(rng):
    for _ in range(20):
        counts = rng.integers(1, 4, size=rng.integers(1, 5)).tolist()
        worth = rng.integers(2, size=len(counts)).astype(float).tolist()
        silent = int(rng.integers(3))
        answers = [str(a) for a, count in enumerate(counts) for _ in range(count)]
        answers += [None] * silent
        scores = [worth[int(a)] if a else 0 for a in answers]
        ks = np.arange(1.0, len(answers) + 1)
        found = majority_of(tuple(counts), tuple(worth), silent, 0.0, ks)
        expected = [enumerated(scores, int(k), "majority", answers=answers) for k in ks]
        np.testing.assert_allclose(found, [float(e) for e in expected], **CLOSE)


def test_published_votes():
    k16 = majority_of((26, 8, 8, 8, 7, 7), (1.0, 0, 0, 0, 0, 0), 0, 0.0, np.array([16.0]))
    assert round(float(k16[0]), 3) == 0.914
    k5 = majority_of((5, 3, 2), (1.0, 0, 0), 0, 0.0, np.array([5.0]))
    assert round(float(k5[0]), 4) == 0.6786


def test_votes_of_many_attempts_are_those_of_few_scaled_or_not(monkeypatch):
    """Above 500 attempts each k has a scale of its own: the answer is the same."""
    from bestofk.numeric import majority

    ks, counts, worth = np.array([1.0, 7, 40, 60]), (30, 20, 10), (1.0, 0.0, 0.0)
    once = majority_of(counts, worth, 3, 0.0, ks)
    monkeypatch.setattr(majority, "_ONE_SCALE", 5)
    majority._chances.cache_clear()
    np.testing.assert_allclose(majority_of(counts, worth, 3, 0.0, ks), once, rtol=1e-11)
    majority._chances.cache_clear()  # gammaln: 1e-11
    many = majority_of((700, 500), (1.0, 0.0), 0, 0.0, np.array([1.0, 1199, 1200]))
    np.testing.assert_allclose(many, [700 / 1200, 1, 1], rtol=1e-10)


@given(st.lists(st.integers(0, 9), min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_laws_of_counts(counts, random):
    n = 9
    attempts = bk.Attempts.of_counts(range(len(counts)), n, counts)
    best, worst = (bk.pass_curve(attempts, pick=p).estimate for p in ("best", "worst"))
    assert (np.diff(best) >= -1e-15).all()
    assert (np.diff(worst) <= 1e-15).all()
    expected = [float(sum(pass_at_k(n, c, k) for c in counts)) / len(counts) for k in range(1, 10)]
    np.testing.assert_allclose(best, expected, **CLOSE)
    failures = bk.Attempts.of_counts(range(len(counts)), n, [n - c for c in counts])
    np.testing.assert_allclose(worst, 1 - bk.pass_curve(failures).estimate, **CLOSE)
    assert best[0] == pytest.approx(worst[0], rel=1e-12)
    shuffled = counts.copy()
    random.shuffle(shuffled)
    again = bk.Attempts.of_counts(range(len(counts)), n, shuffled)
    np.testing.assert_allclose(bk.pass_curve(again).estimate, best, **CLOSE)


def test_real_scores_go_the_same_way_as_counts_and_minimizing_mirrors(rng):
    scores = rng.random((5, 6))
    up = bk.pass_curve(bk.Attempts.of_array(scores))
    down = bk.pass_curve(bk.Attempts.of_array(1 - scores, direction="minimize"))
    np.testing.assert_allclose(up.estimate, 1 - down.estimate, **CLOSE)
    assert up.meaning == down.meaning == "best of k"
    bits = (scores > 0.5).astype(float)
    wide = bk.Attempts.of_array(3 * bits - 1, bounds=(-1, 2))
    narrow = bk.Attempts.of_array(bits)
    np.testing.assert_allclose(
        bk.pass_curve(wide).estimate, 3 * bk.pass_curve(narrow).estimate - 1, **CLOSE
    )
    flipped = bk.Attempts.of_array(1 - bits, direction="minimize")
    np.testing.assert_allclose(
        bk.pass_curve(flipped).estimate, 1 - bk.pass_curve(narrow).estimate, **CLOSE
    )


def test_a_reward_that_is_the_score_picks_the_best_and_a_constant_one_anything(rng):
    scores = rng.integers(4, size=(6, 5)) / 4
    by_score = bk.Attempts.of_array(scores, rewards=scores)
    np.testing.assert_allclose(
        bk.pass_curve(by_score, pick="reward").estimate, bk.pass_curve(by_score).estimate, **CLOSE
    )
    constant = bk.Attempts.of_array(scores, rewards=np.ones((6, 5)))
    np.testing.assert_allclose(
        bk.pass_curve(constant, pick="reward").estimate, np.full(5, scores.mean()), **CLOSE
    )


@pytest.mark.parametrize(
    ("pick", "words"),
    [
        ("best", "pass@2 = "),
        ("worst", "pass^2 = "),
        ("majority", "majority of 2 = "),
        ("reward", "best of 2 by reward = "),
    ],
)
def test_the_summary_names_what_it_is(pick, words, rng):
    attempts = make(rng, 4, 3)
    assert bk.pass_curve(attempts, pick=pick, budgets=[2]).summary.startswith(words)


def test_tau_bench_pass_hat_k(data_folder):
    folder = data_folder / "attempts" if (data_folder / "attempts").exists() else data_folder
    with (folder / "tau_airline_gpt4o.csv").open() as file:
        rows = list(csv.DictReader(file))
    attempts = bk.Attempts.of_rows(
        [r["problem"] for r in rows],
        [float(r["score"]) for r in rows],
        attempt=[int(r["sample"]) for r in rows],
    )
    found = bk.pass_curve(attempts, pick="worst").estimate
    assert found.round(4).tolist() == [0.42, 0.2733, 0.22, 0.2]


def human_eval(data_folder, model):
    folder = data_folder / "attempts" if (data_folder / "attempts").exists() else data_folder
    with (folder / "humaneval_counts.csv").open() as file:
        rows = [r for r in csv.DictReader(file) if r["model"] == model]
    columns = ([int(r[name]) for r in rows] for name in ("n", "correct"))
    return bk.Attempts.of_counts([r["problem"] for r in rows], *columns, label=model)


def test_human_eval_pass_at_k_and_both_exact_bands(data_folder):
    attempts = human_eval(data_folder, "gpt-4")
    curve = bk.pass_curve(attempts, budgets=[1, 5, 10])
    assert curve.estimate.round(5).tolist() == [0.84817, 0.8998, 0.90854]
    every, few = (
        bk.pass_band(attempts, budgets=[1, 5, 10], band=band)
        for band in ("all-counts", "clopper-pearson")
    )
    assert every.lower.round(3).tolist() == [0.749, 0.812, 0.823]
    assert every.upper.round(3).tolist() == [0.923, 0.960, 0.966]
    assert few.lower.round(3).tolist() == [0.756, 0.817, 0.828]
    assert few.upper.round(3).tolist() == [0.916, 0.954, 0.960]
    assert bk.pass_band(attempts).band == "clopper-pearson"
    assert bk.pass_band(attempts).summary == (
        "pass@10 = .909 (95 % band over all k from 1 to 10: .828 to .960; 164 problems as a sample,"
        " 10 attempts each)."
    )


def test_pooling_all_attempts_as_one_search_is_wrong(data_folder):
    """The negative control: what a tuning curve of the pooled scores says."""
    attempts = human_eval(data_folder, "gpt-4")
    pooled = bk.tuning_curve(attempts.flat, statistic="mean", budgets=[10]).estimate
    assert pooled[0] > 0.99
    assert bk.pass_curve(attempts, budgets=[10]).estimate[0] == pytest.approx(0.90854, abs=5e-6)
