"""Bands for attempts: equal to the slow reference, lawful, honest in words."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.attempts import count_band
from bestofk.attempts.count_band import narrower_band
from bestofk.curves.cdf_band import band_ends
from tests.contracts import ResultContract
from tests.reference.attempts import mean_bounds
from tests.schema import validate

A = bk.Attempts
CLOSE = {"rtol": 1e-10, "atol": 1e-13}  # scipy's Beta quantiles agree to 1e-11


def some(rng, n_problems=30, n=8, **options):
    counts = rng.binomial(n, rng.beta(0.5, 0.7, n_problems))
    return A.of_counts(range(n_problems), n, counts, **options)


class TestPassCurve(ResultContract):
    def make(self, label="cnn"):
        return bk.pass_curve(A.of_array([[1, 0, 0], [0, 0, 1], [0, 0, 0]], label=label))


class TestPassBand(ResultContract):
    def make(self, label="cnn"):
        return bk.pass_band(A.of_array([[1, 0, 0], [0, 0, 1], [0, 0, 0]], label=label))


@pytest.mark.parametrize(("n_problems", "n"), [(2, 1), (5, 3), (12, 6), (40, 9)])
@pytest.mark.parametrize("pick", ["best", "worst"])
def test_both_exact_bands_are_those_of_the_reference(n_problems, n, pick, rng):
    attempts = some(rng, n_problems, n)
    counts = attempts.correct if pick == "best" else n - attempts.correct
    lower, upper = band_ends(n_problems, 0.95, "ld-highest-density")
    below = np.arange(n_problems + 1)
    alpha = 0.05 / n
    low = np.where(below > 0, stats.beta.ppf(alpha / 2, below, n_problems - below + 1), 0)
    high = np.where(
        below < n_problems, stats.beta.ppf(1 - alpha / 2, below + 1, n_problems - below), 1
    )
    bounds = {"all-counts": (np.r_[0, lower], np.r_[upper, 1]), "clopper-pearson": (low, high)}
    for name, (lows, highs) in bounds.items():
        found = bk.pass_band(attempts, pick=pick, band=name)
        expected = np.array([mean_bounds(counts, n, k, lows, highs) for k in range(1, n + 1)])
        if pick == "worst":
            expected = 1 - expected[:, ::-1]
        np.testing.assert_allclose(found.lower, expected[:, 0], **CLOSE)
        np.testing.assert_allclose(found.upper, expected[:, 1], **CLOSE)


def test_laws_of_the_exact_band(rng):
    for band in ("all-counts", "clopper-pearson"):
        attempts = some(rng)
        made = bk.pass_band(attempts, band=band)
        again = bk.pass_band(attempts, band=band)
        assert made.lower.tobytes() == again.lower.tobytes()
        assert made.upper.tobytes() == again.upper.tobytes()
        assert (made.lower <= made.estimate).all()
        assert (made.estimate <= made.upper).all()
        assert (np.diff(made.lower) >= -1e-15).all()
        assert (np.diff(made.upper) >= -1e-15).all()
        mixed = A.of_counts(range(30), 8, rng.permutation(attempts.correct))
        np.testing.assert_allclose(bk.pass_band(mixed, band=band).lower, made.lower, rtol=1e-12)
        failures = A.of_counts(range(30), 8, 8 - attempts.correct)
        worst = bk.pass_band(failures, pick="worst", band=band)
        np.testing.assert_allclose(worst.lower, 1 - made.upper, rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(worst.upper, 1 - made.lower, rtol=1e-12, atol=1e-15)
        scaled = A.of_array(
            np.stack(attempts.scores) * -4 + 2, bounds=(-2, 2), direction="minimize"
        )
        mirrored = bk.pass_band(scaled, band=band)
        np.testing.assert_allclose(mirrored.lower, 2 - 4 * made.upper, rtol=1e-12, atol=1e-14)
        np.testing.assert_allclose(mirrored.upper, 2 - 4 * made.lower, rtol=1e-12, atol=1e-14)
        wider = bk.pass_band(attempts, band=band, confidence=0.99)
        assert (wider.lower <= made.lower).all()
        assert (wider.upper >= made.upper).all()


def test_nothing_solved_is_no_certainty():
    nothing = bk.pass_band(A.of_counts(range(30), 16, [0] * 30), band="all-counts")
    assert (nothing.lower == 0).all()
    assert nothing.upper[-1].round(3) == 0.167
    listed = bk.pass_band(A.of_counts(range(30), 16, [0] * 30), band="listed", budgets=[16])
    assert listed.upper[0].round(3) == 0.167
    shown = bk.pass_band(A.of_counts(range(30), 16, [0] * 30), band="dirichlet")
    assert shown.upper[-1] == pytest.approx(0.116, abs=0.004)


def test_the_rule_between_the_exact_bands_never_looks_at_the_scores(rng):
    assert list(inspect.signature(narrower_band).parameters) == [
        "n_problems",
        "n_attempts",
        "confidence",
    ]
    for n_problems, n in [(50, 4), (164, 5), (198, 8), (164, 10), (30, 16), (30, 64)]:
        expected = "all-counts" if n_problems == 30 else "clopper-pearson"
        for _ in range(5):
            assert bk.pass_band(some(rng, n_problems, n)).band == expected


def test_the_rule_loses_little_against_the_better_band(rng):
    """At most 4 % of the mean width; the other choice loses up to 23 %."""
    lost = []
    for n_problems in (10, 30, 100, 400):
        for n in (1, 2, 4, 8, 16, 32, 64):
            widths = dict.fromkeys(("all-counts", "clopper-pearson"), 0.0)
            for a, b in ((0.7, 0.6), (8, 0.4), (0.3, 3), (2, 2)):
                counts = rng.binomial(n, rng.beta(a, b, n_problems))
                attempts = A.of_counts(range(n_problems), n, counts)
                if set(counts) == {0, n} and n > 1:
                    continue  # taken for copies
                for name in widths:
                    made = bk.pass_band(attempts, band=name)
                    widths[name] += float((made.upper - made.lower).mean())
            lost.append(widths[narrower_band(n_problems, n, 0.95)] / min(widths.values()))
    assert max(lost) <= 1.04


def test_a_rule_that_took_the_narrower_of_both_would_not_be_this_one(monkeypatch, rng):
    """The negative control: swapping the rule's answer shows in the result."""
    attempts = some(rng)
    before = bk.pass_band(attempts)
    monkeypatch.setattr("bestofk.attempts.sides.narrower_band", lambda *_: "all-counts")
    assert before.band != bk.pass_band(attempts).band
    assert count_band.narrower_band is narrower_band


def test_anderson_at_listed_k_at_a_share_of_alpha(rng):
    scores = rng.random((12, 5))
    made = bk.pass_band(A.of_array(scores), budgets=[1, 3])
    assert (made.band, made.simultaneous, made.guarantee) == ("listed", "listed", "proven")
    lower, upper = band_ends(12, 1 - 0.05 / 2, "ld-highest-density")
    g = np.sort(scores.mean(axis=1))
    x = np.concatenate([[0], g, [1]])
    high = 1 - sum((x[i + 1] - x[i]) * lower[i - 1] for i in range(1, 13))
    low = 1 - (1 - x[12]) - sum((x[i + 1] - x[i]) * upper[i] for i in range(12))
    np.testing.assert_allclose([made.lower[0], made.upper[0]], [low, high], rtol=1e-12)
    assert bk.pass_band(A.of_array(scores)).budgets.tolist() == [1, 2, 5]
    with pytest.raises(bk.ArgumentError, match="known at the `budgets` it was made for; got 2"):
        made.at(2)
    assert made.at(3).lower == made.lower[1]


@pytest.mark.parametrize("pick", ["majority", "reward"])
def test_votes_and_rewards_have_bands(pick, rng):
    answers = rng.integers(3, size=(20, 6))
    attempts = A.of_array(
        (answers == 0).astype(float), answers=answers.tolist(), rewards=rng.random((20, 6))
    )
    for band in (None, "dirichlet"):
        made = bk.pass_band(attempts, pick=pick, band=band)
        assert (made.lower <= made.estimate).all()
        assert (made.estimate <= made.upper).all()
        assert made.guarantee == ("shown" if band else "proven")


def test_dirichlet_says_that_it_is_measured_and_needs_its_seed(rng):
    attempts = some(rng)
    made = bk.pass_band(attempts, band="dirichlet", n_resamples=199)
    assert made.validity == "assumed"
    assert "not-proven" in [c.kind for c in made.caveats]
    assert "shown, not certified" in repr(made)
    assert "measured, not proven" in made.summary
    assert (
        made.lower.tolist()
        == bk.pass_band(attempts, band="dirichlet", n_resamples=199).lower.tolist()
    )
    other = bk.pass_band(attempts, band="dirichlet", n_resamples=199, rng=1)
    assert made.lower.tolist() != other.lower.tolist()


def test_a_population_is_always_assumed_and_a_benchmark_never_certified(rng):
    attempts = some(rng)
    made = bk.pass_band(attempts)
    assert made.validity == "assumed"
    assert "problems that share a source or a template are not" in made.reasons[0]
    own = bk.pass_band(attempts, scope="benchmark")
    assert own.validity == "assumed"
    assert (own.guarantee, own.simultaneous, own.band) == ("approximate", "each", "normal")
    assert own.budgets.tolist() == [1, 2, 3, 4]
    assert "never certified" in own.reasons[1]
    assert "these 30 problems only" in own.summary


def test_the_variance_of_a_benchmark_is_unbiased():
    """Enumerated over all outcomes of n attempts at one problem."""
    from bestofk.numeric.attempts import count_values, within_variance

    for n, k, p in [(2, 1, 0.3), (5, 2, 0.6), (6, 3, 0.1), (8, 2, 0.9)]:
        weights = stats.binom.pmf(np.arange(n + 1), n, p)
        g = count_values(n, np.array([float(k)]))[:, 0]
        true = weights @ g**2 - (weights @ g) ** 2
        found = [within_variance(np.array([c]), n, np.array([float(k)]))[0] for c in range(n + 1)]
        assert weights @ found == pytest.approx(true, rel=1e-10)
        naive = weights @ (g * (1 - g) / n)  # the negative control: of a mean of n draws
        assert abs(naive / true - 1) > 0.1


def test_a_variance_that_is_not_positive_is_told():
    sure = A.of_counts("abc", 4, [4, 4, 4])
    made = bk.pass_band(sure, scope="benchmark")
    assert (made.lower.tolist(), made.upper.tolist()) == ([0, 0], [1, 1])
    assert "no-variance" in [c.kind for c in made.caveats]
    assert "no interval" in made.summary


def test_clustered_problems_void_the_band_but_not_the_curve():
    matrix = [[1, 0, 0], [0, 0, 1], [0, 0, 0]]
    attempts = A.of_array(matrix, clusters=["a", "a", "b"])
    made = bk.pass_band(attempts)
    assert made.is_void
    assert made.to_dict()["lower"] == [None] * 3
    assert made.to_dict()["guarantee"] is None
    validate(made.to_dict())
    made._repr_html_()
    assert "No confidence statement is possible" in repr(made)
    assert "(descriptive;" in made.summary
    assert made.chart().series[0].area is None
    assert not bk.pass_band(attempts, scope="benchmark").is_void
    assert not bk.pass_band(A.of_array(matrix, clusters="abc")).is_void


def test_sentences_of_each_kind(rng):
    attempts = some(rng, 30, 16)
    assert "(95 % band over all k from 1 to 16: " in bk.pass_band(attempts, budgets=[2]).summary
    listed = bk.pass_band(attempts, band="listed", budgets=[2, 4], confidence=0.9)
    assert "(90 % band over 2 listed k: " in listed.summary
    one = bk.pass_band(attempts, band="listed", budgets=[2])
    assert "(95 % interval: " in one.summary
    single = bk.pass_band(A.of_array([[1], [0], [1]]))
    assert single.summary.startswith("pass@1 = .667 (95 % interval: ")


def test_the_figure_has_a_logarithmic_axis_and_one_name_for_it(rng):
    attempts = some(rng)
    for result in (bk.pass_curve(attempts), bk.pass_band(attempts)):
        chart = result.chart()
        assert chart.is_log
        assert chart.x_label == "attempts at each problem (k)"
        assert chart.what == "pass@k"


@pytest.mark.parametrize("options", [{}, {"pick": "worst"}, {"scope": "benchmark"}])
def test_very_many_attempts_by_logs_of_factorials(rng, monkeypatch, options):
    """The table of all counts and the values at those that occur are the same but for rounding."""
    from bestofk.numeric import attempts as numeric

    counts = rng.binomial(2000, rng.beta(0.4, 1, 40))
    attempts = bk.Attempts.of_counts(range(40), 2000, counts)
    k = [1, 2, 10, 500, 1000]
    one = bk.pass_band(attempts, budgets=k, **options)
    monkeypatch.setattr(numeric, "_MOST_CELLS", 10)
    other = bk.pass_band(attempts, budgets=k, **options)
    for name in ("estimate", "lower", "upper"):
        # 2,000 log 2,000 x 2e-16, and its root in the normal interval
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), atol=1e-9)


def test_a_million_attempts_at_each_problem():
    many = bk.Attempts.of_counts(range(5), 10**6, [0, 1, 1000, 500_000, 10**6])
    band = bk.pass_band(many)
    assert band.budgets[-1] == 10**6
    assert (np.diff(band.estimate) >= -1e-7).all()
    assert band.at(1).estimate == pytest.approx(0.3002002, rel=1e-7)  # eight digits


def test_one_problem_is_this_one():
    one = bk.Attempts.of_array([[1, 0, 1]])
    assert "this 1 problem only" in bk.pass_band(one, scope="benchmark").summary
