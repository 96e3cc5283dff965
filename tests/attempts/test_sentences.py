"""Sentences about attempts that were false once, each with the wrong version beside it."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.attempts.plan import FEW_PROBLEMS
from bestofk.attempts.sides import _HELD
from bestofk.attempts.words import value_in_words
from bestofk.numeric.attempts import (
    count_values,
    late_success_p_value,
    normal_half_width,
    within_variance,
)
from bestofk.numeric.dirichlet import simultaneous_band
from bestofk.render.report.attempts import AttemptsView, attempts_page

A = bk.Attempts
SHARE = (0.0, 1.0)


def test_attempts_that_never_differ_have_no_interval_about_these_problems(rng):
    """With p = .98 nearly every evaluation looks so: [estimate, estimate] would hardly hold."""
    n, k, problems, p = 4, 2, 30, 0.98
    counts = rng.binomial(n, p, (500, problems))
    truth, zero_width, silent = 1 - (1 - p) ** k, 0, 0
    for row in counts:
        band = bk.pass_band(A.of_counts(range(problems), n, row), scope="benchmark", budgets=[k])
        half = normal_half_width(within_variance(row, n, band.budgets), 0.95) / problems
        zero_width += abs(band.estimate[0] - truth) <= half[0]
        if half[0] == 0:
            silent += 1
            assert (band.lower[0], band.upper[0]) == SHARE
            assert "(no interval: its error cannot be estimated;" in band.summary
            assert "95 %" not in band.summary
    assert silent > 400
    assert zero_width < 60  # the negative control: 500 were promised to hold 475 times


@pytest.mark.slow
@pytest.mark.parametrize("problems", _HELD)
def test_the_worst_simulated_normal_interval_is_as_bad_as_is_said(problems):
    """To three digits; far from the 95 % that are promised, which is the negative control."""
    rng, fixed = np.random.default_rng(18), np.random.default_rng(problems)
    chances = [np.full(problems, p) for p in (0.02, 0.1, 0.3, 0.5, 0.7, 0.9)]
    for shape in ((0.15, 2), (0.5, 0.5), (0.8, 1.2), (8, 0.4)):
        chances.append(fixed.beta(*shape, problems))
    worst, runs = {True: 1.0, False: 1.0}, 4000
    for n, k in ((4, 1), (8, 2), (16, 4), (32, 8), (4, 2), (8, 4), (16, 8), (32, 16)):
        value = count_values(n, np.array([float(k)]))[:, 0]
        each = [within_variance(np.array([c]), n, np.array([float(k)]))[0] for c in range(n + 1)]
        for p in chances:
            counts = rng.binomial(n, p, (runs, problems))
            variance = np.array(each)[counts].sum(axis=1) / problems**2
            error = np.abs(value[counts].mean(axis=1) - (1 - (1 - p) ** k).mean())
            held = (error <= normal_half_width(variance, 0.95) + 5e-4) | (variance <= 0)
            worst[4 * k <= n] = min(worst[4 * k <= n], held.mean())
    assert [100 * worst[True], 100 * worst[False]] == pytest.approx(_HELD[problems], abs=1)
    assert worst[False] < 0.9


@pytest.mark.parametrize(
    ("problems", "n", "k", "held"),
    [(3, 8, 2, 58), (5, 8, 2, 63), (20, 8, 4, 68), (30, 8, 2, 83), (200, 4, 2, 81)],
)
def test_how_often_a_normal_interval_holds_is_said(problems, n, k, held):
    counts = np.arange(problems) % (n + 1)
    attempts = A.of_counts(range(problems), n, counts)
    band = bk.pass_band(attempts, scope="benchmark", budgets=[1, k])
    (said,) = [c.text for c in band.caveats if c.kind == "approximate"]
    assert f"{held} of 100" in said


@pytest.mark.parametrize("value", [0.9996, 0.00041, -0.00041, -0.9996, 0.999951, 1e-5])
def test_a_number_is_not_rounded_to_certainty_or_to_no_difference(value):
    text = value_in_words(value, SHARE)
    assert float(text) not in (0, 1, -1)
    assert np.sign(float(text)) == np.sign(value)
    assert float(f"{value:.3f}") in (0, 1, -1)  # what three digits would say


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, ".000"), (-0.0, ".000"), (1.0, "1.000"), (-1.0, "-1.000"), (-1e-17, ".000"),
     (1 - 1e-12, "1.000"), (0.0996, ".100"), (-0.125, "-.125")],
)  # fmt: skip
def test_other_numbers_have_three_digits(value, text):
    assert value_in_words(value, SHARE) == text


def test_values_that_differ_by_a_rounding_error_are_equal():
    a = A.of_array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0]] * 4)
    b = A.of_array([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]] * 4)
    duel = bk.compare({"a": a, "b": b}, budgets=[2])
    assert "At k = 2 they are equal" in duel.verdict


def test_a_plan_for_few_problems_is_not_to_be_trusted():
    """Where the problems of a pilot look alike, few problems would do on paper."""
    pilot = A.of_counts(range(30), 8, [6, 4, 5, 3, 5, 4] * 5)
    few = bk.plan_attempts(pilot, budget=2, half_width=0.06)
    assert few.problems < FEW_PROBLEMS
    # Problems are whole: what costs least per unit of variance, 10,000 attempts at 2, does not.
    assert few.problems * few.attempts_each <= few.cost.min() < 2 * 10_000
    assert "is not to be trusted" in few.verdict
    assert "cheapest way" not in few.verdict
    assert few.floor == 0
    assert "gets below" not in few.verdict  # a floor of .000 is none
    differ = A.of_counts(range(30), 8, [0, 8, 4] * 10)
    many = bk.plan_attempts(differ, budget=2, half_width=0.06)
    assert many.problems >= FEW_PROBLEMS
    assert "cheapest way" in many.verdict
    assert "gets below about ±" in many.verdict


def test_too_few_random_weights_say_nothing_rather_than_too_much():
    """The least of 99 curves is no bound that is missed once in 10,000."""
    values = np.random.default_rng(0).random((20, 2))
    low, high = simultaneous_band(values, SHARE, 0.9999, 0, 99)
    assert (low.tolist(), high.tolist()) == ([0, 0], [1, 1])
    low, high = simultaneous_band(values, SHARE, 0.9999, 0, 19_999)
    assert (low > 0).all()
    assert (high < 1).all()


def test_the_alarm_for_late_successes_has_no_seed_of_its_own():
    """The 20th largest of 1,999 sums drawn once is exceeded in more than 1.25 % for some seeds."""
    sizes, correct = np.arange(4, 14), np.ones(10, dtype=np.intp)

    def sums(rng, runs):
        return ((1 + np.floor(rng.random((runs, 10)) * sizes)) / sizes).sum(axis=1)

    true = np.sort(sums(np.random.default_rng(18), 400_000))
    rates = [
        1 - np.searchsorted(true, np.partition(sums(np.random.default_rng(s), 1999), -20)[-20])
        / true.size
        for s in range(20)
    ]  # fmt: skip
    assert max(rates) > 0.0125  # the negative control
    rng, alarms, runs = np.random.default_rng(1), 0, 400
    for _ in range(runs):
        first = 1 + np.floor(rng.random(10) * sizes)
        alarms += late_success_p_value(first, sizes, correct) <= 0.01
    assert stats.binom.sf(alarms - 1, runs, 0.01) > 1e-6
    order = rng.permutation(10)
    same = late_success_p_value(first[order], sizes[order], correct[order])
    assert same == late_success_p_value(first, sizes, correct)


def test_a_report_says_how_many_attempts_there_were():
    """Not the largest k of attempts that stopped, nor one model's problems for both."""
    rows = [[0, 0, 1], [1], [0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 1]]
    stopped = A(problems=tuple("abcdef"), scores=rows, stopped="success", label="m")
    page = attempts_page({"m": stopped}, AttemptsView())
    assert ("attempts at each", "1 to 4, until the first success; k up to 4") in page.searches[
        0
    ].facts
    first = A(problems=tuple("abc"), scores=[[0, 1, 1], [1, 0], [0, 1]], stopped="unrelated")
    page = attempts_page({"m": first}, AttemptsView())
    assert ("attempts at each", "2 to 3, the first 2 used") in page.searches[0].facts
    two = {
        "a": A.of_counts(range(40), 10, np.arange(40) % 11),
        "b": A.of_counts(range(30), 4, np.arange(30) % 5),
    }
    page = attempts_page(two, AttemptsView(paired=False))
    said = "".join(piece.text for piece in page.methods)
    assert "Attempts at each of 40 and 30 problems: a (10) and b (4)." in said
    floor = next(figure for figure in page.figures if figure.name == "floor")
    assert "for k = 2 " in floor.caption  # for both, not 5 for one of them
    assert {series.line.x.min() for series in floor.chart.series} == {2}


def test_a_void_report_has_no_bar_and_no_intervals():
    void = {
        name: A.of_array(rows, clusters=["x", "x", "y"])
        for name, rows in (("a", [[1, 1], [1, 0], [1, 1]]), ("b", [[0, 0], [0, 1], [0, 0]]))
    }
    page = attempts_page(void, AttemptsView())
    assert page.validity == "void"
    assert not any("bar" in figure.caption or "%" in figure.caption for figure in page.figures)
    assert not any("[" in cell for row in page.table.rows for cell in row)
    alone = attempts_page({"a": void["a"]}, AttemptsView())
    for found in (page, alone):
        assert found.verdict.count("No confidence statement is possible") == 1
        assert found.verdict.startswith("No confidence statement is possible")


def test_scores_of_one_model_alone_do_not_make_a_pass_rate():
    half = A.of_array([[0.5, 1.0], [0.0, 1.0]] * 6)
    whole = A.of_array([[0.0, 1.0], [0.0, 1.0]] * 6)
    assert bk.compare({"a": whole, "b": half}, budgets=[1]).meaning == "best of k"
    assert bk.compare({"a": whole, "b": whole}, budgets=[1]).meaning == "pass@k"


def test_a_figure_says_what_its_areas_are():
    """An interval at each k alone is no band, and one at listed k not one at all."""
    attempts = A.of_counts(range(12), 8, [0, 1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 5])
    said = {
        "whole": bk.pass_band(attempts).chart().band,
        "each": bk.pass_band(attempts, scope="benchmark").chart().band,
        "shown": bk.pass_band(attempts, band="dirichlet", budgets=[1, 8]).chart().band,
    }
    assert said == {
        "whole": "95 % band",
        "each": "approximate 95 % intervals",
        "shown": "95 % band, listed k, measured",
    }


def test_k_that_the_outcomes_chose_are_no_list_chosen_beforehand():
    """The largest k of attempts that stop at a success is an outcome: all k hold together."""
    rng = np.random.default_rng(5)

    def until_success(p):
        rows = []
        for cap in (4, 6, 8, 10, 12) * 6:
            tries = (rng.random(cap) < p).astype(float)
            rows.append(tries[: int(tries.argmax()) + 1] if tries.any() else tries)
        return A(problems=tuple(map(str, range(30))), scores=rows, stopped="success")

    seen = set()
    for _ in range(12):
        models = {"a": until_success(0.5), "b": until_success(0.3)}
        duel = bk.compare(models)
        seen.add(float(duel.budgets[-1]))
        assert (duel.basis, duel.simultaneous) == ("count-bands", "whole")
        assert "chosen beforehand" not in repr(duel)
    assert len(seen) > 1  # the negative control: the same plan, another list
    listed = bk.compare(models, budgets=[1, 4])
    assert (listed.basis, listed.simultaneous) == ("betting", "listed")


def test_a_report_has_no_plan_that_is_not_to_be_trusted():
    """No floor of 0, and no sentence about a handful of problems."""
    alike = A.of_counts(range(20), 8, [6, 4, 5, 3, 5, 4, 4, 5, 5, 4] * 2)
    page = attempts_page({"m": alike}, AttemptsView())
    assert [figure.name for figure in page.figures] == ["curves"]
    assert "problems with" not in page.verdict
    assert "enough" not in bk.plan_attempts(alike, budget=4).verdict
    differ = A.of_counts(range(60), 8, [0, 8, 4] * 20)
    page = attempts_page({"m": differ}, AttemptsView())
    assert [figure.name for figure in page.figures] == ["curves", "floor"]
    assert "cheapest way" in page.verdict
