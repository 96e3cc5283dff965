"""Simulated evaluations: the same intervals as of `pass_band`, judged against the known truth."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk import ArgumentError, DataError
from bestofk.studies import attempts as studied
from bestofk.studies.attempts import BENCHMARK, POPULATION, STOPPED, attempts_coverage
from bestofk.studies.benchmark import Benchmark
from bestofk.studies.design import Design

RATES = np.array([0.0, 0.0, 0.05, 0.3, 0.5, 0.9, 1.0])
FALSE_ALARM = 1e-6
# Three in ten problems never solved, the others of all difficulties: 400 problems.
HARD = np.append(np.zeros(120), np.random.default_rng(21).beta(0.6, 1, 280))


def usual(c, n, k):
    """Return 1 - C(n-c, k) / C(n, k); 1 if fewer than k failed, as human-eval has it."""
    return 1.0 if n - c < k else 1 - math.comb(n - c, k) / math.comb(n, k)


def error_bar(values):
    """Return the mean of the values with 1.96 standard errors."""
    mean = sum(values) / len(values)
    variance = sum((v - mean) ** 2 for v in values) / (len(values) - 1)
    half = stats.norm.ppf(0.975) * math.sqrt(variance / len(values))
    return mean - half, mean + half


def first_rng(seed):
    """Return the generator of the first block."""
    return np.random.default_rng(np.random.SeedSequence(seed).spawn(1)[0])


def naive(evaluations, truths, sides, ks):
    """Judge one evaluation and one k after the other; return shares at each k, together, widths."""
    inside = [
        [low <= truth[k] + 1e-12 and truth[k] - 1e-12 <= high for k in ks for low, high in [at[k]]]
        for at, truth in zip(map(sides, evaluations), truths, strict=True)
    ]
    widths = [[at[k][1] - at[k][0] for k in ks] for at in map(sides, evaluations)]
    return np.mean(inside, axis=0), np.mean([all(row) for row in inside]), np.mean(widths, axis=0)


def made(attempts, ks, **options):
    band = bk.pass_band(attempts, budgets=ks, **options)
    return {k: (band.lower[i], band.upper[i]) for i, k in enumerate(ks)}


@pytest.mark.parametrize("pick", ["best", "worst"])
def test_coverage_is_that_of_one_evaluation_after_the_other(pick):
    """By pass_band, by binomial coefficients, and by sums over the rates; the same draws."""
    size, n, count, ks = 8, 4, 40, [1, 2, 4]
    truth = Benchmark(RATES, n_problems=size, pick=pick)
    design = Design(truth, n=n, budgets=ks, n_samples=count, seed=3)
    found = attempts_coverage(design, n_resamples=99)
    rng = first_rng(3)
    chances = RATES[rng.integers(0, RATES.size, size=(count, size))]
    counts = rng.binomial(n, chances if pick == "best" else 1 - chances)
    counts = counts if pick == "best" else n - counts
    if pick == "best":
        curve = {k: np.mean([1 - (1 - p) ** k for p in RATES]) for k in ks}
    else:
        curve = {k: np.mean([p**k for p in RATES]) for k in ks}

    def value(c, k):
        return usual(c, n, k) if pick == "best" else 1 - usual(n - c, n, k)

    def plug_in(c, k):
        return 1 - (1 - c / n) ** k if pick == "best" else (c / n) ** k

    def of_band(name):
        return lambda row: made(
            bk.Attempts.of_counts(range(size), n, row), ks, band=name, pick=pick, n_resamples=99
        )

    ways = {name: of_band(name) for name in POPULATION[:4]}
    ways["mean-se"] = lambda row: {k: error_bar([value(int(c), k) for c in row]) for k in ks}
    ways["plug-in-se"] = lambda row: {k: error_bar([plug_in(int(c), k) for c in row]) for k in ks}
    assert tuple(found.whole["band"]) == POPULATION
    for i, (name, sides) in enumerate(ways.items()):
        each, together, widths = naive(counts, [curve] * count, sides, ks)
        assert found.coverage[name].tolist() == each.tolist(), name
        assert found.whole["coverage"][i] == together, name
        np.testing.assert_allclose(found.width[name], widths, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(found.bias["truth"], [curve[k] for k in ks], rtol=1e-12)
    for name, f in (("unbiased", value), ("plug-in", plug_in)):
        bias = [np.mean([[f(int(c), k) for c in r] for r in counts]) - curve[k] for k in ks]
        np.testing.assert_allclose(found.bias[name], bias, rtol=1e-9, atol=1e-12)
    assert (found.whole["evaluations"] == count).all()


@pytest.mark.parametrize("size", [5, 7])
def test_intervals_about_the_benchmark_are_judged_by_the_problems_drawn(size):
    n, count, ks = 6, 30, [1, 2, 3]
    truth = Benchmark(RATES, n_problems=size, scope="benchmark")
    found = attempts_coverage(Design(truth, n=n, n_samples=count, seed=3))
    assert found.coverage["budgets"].tolist() == ks
    rng = first_rng(3)
    if size == RATES.size:
        chances = np.tile(RATES, (count, 1))
    else:
        places = np.tile(np.arange(RATES.size), (count, 1))
        chances = RATES[rng.permuted(places, axis=1)[:, :size]]
        assert len({tuple(row) for row in chances}) > 5
    counts = rng.binomial(n, chances)
    curves = [{k: np.mean([1 - (1 - p) ** k for p in row]) for k in ks} for row in chances]
    each, together, widths = naive(
        counts,
        curves,
        lambda row: made(bk.Attempts.of_counts(range(size), n, row), ks, scope="benchmark"),
        ks,
    )
    assert tuple(found.whole["band"]) == BENCHMARK
    assert found.coverage["normal"].tolist() == each.tolist()
    assert found.whole["coverage"][0] == together
    np.testing.assert_allclose(found.width["normal"], widths, rtol=1e-9)


def test_attempts_that_stop_at_a_success_are_those_of_pass_band():
    size, n, count, ks = 8, 5, 40, [1, 2, 5]
    design = Design(Benchmark(RATES, n_problems=size), n=n, budgets=ks, n_samples=count, seed=3)
    found = attempts_coverage(design, stopped=True)
    rng = first_rng(3)
    chances = RATES[rng.integers(0, RATES.size, size=(count, size))]
    first = rng.geometric(np.maximum(chances, 1e-12))
    rows = [[[0] * (int(t) - 1) + [1] if t <= n else [0] * n for t in row] for row in first]
    curve = {k: np.mean([1 - (1 - p) ** k for p in RATES]) for k in ks}

    def band(row):
        attempts = bk.Attempts(problems=range(size), scores=row, stopped="success")
        return made(attempts, ks)

    def wrong(row):
        return {k: error_bar([usual(sum(r), len(r), k) for r in row]) for k in ks}

    assert tuple(found.whole["band"]) == STOPPED
    for name, sides in (("first-success", band), ("usual-se", wrong)):
        each, _, widths = naive(rows, [curve] * count, sides, ks)
        assert found.coverage[name].tolist() == each.tolist(), name
        np.testing.assert_allclose(found.width[name], widths, rtol=1e-9)


@pytest.fixture(scope="module")
def thousand():
    """A thousand evaluations of 30 problems, 16 attempts each, all but the slow band."""
    bands = [b for b in POPULATION if b != "dirichlet"]
    design = Design(Benchmark(HARD, n_problems=30), n=16, n_samples=1000, seed=21)
    return attempts_coverage(design, bands=bands)


def held(found, name):
    at = list(found.whole["band"]).index(name)
    return round(found.whole["coverage"][at] * found.whole["evaluations"][at])


@pytest.mark.parametrize("band", ["all-counts", "clopper-pearson", "listed"])
def test_proven_bands_hold_the_whole_curve_as_often_as_they_say(thousand, band):
    assert stats.binom.cdf(held(thousand, band), 1000, 0.95) > FALSE_ALARM


@pytest.mark.parametrize("bar", ["mean-se", "plug-in-se"])
def test_error_bars_do_not(thousand, bar):
    """The negative control; measured: .875 and .882 of 1,000 evaluations of 30 problems."""
    assert stats.binom.cdf(held(thousand, bar), 1000, 0.95) <= FALSE_ALARM


def test_the_unbiased_estimate_is_and_the_plug_in_is_not(thousand):
    error = thousand.bias.facts["largest_error"]
    assert np.abs(thousand.bias["unbiased"]).max() < 5.5 * error
    assert thousand.bias["plug-in"][-1] < -5.5 * error


def test_the_usual_estimate_of_stopped_attempts_is_too_large_and_the_direct_one_is_not():
    design = Design(Benchmark(HARD, n_problems=30), n=16, n_samples=1000, seed=21)
    found = attempts_coverage(design, stopped=True)
    error = found.bias.facts["largest_error"]
    assert np.abs(found.bias["direct"]).max() < 5.5 * error
    assert found.bias["usual"][0] > 20 * error  # at k = 1: .39 for .29
    assert stats.binom.cdf(held(found, "first-success"), 1000, 0.95) > FALSE_ALARM


@pytest.mark.slow
def test_the_dirichlet_band_holds_too():
    design = Design(Benchmark(HARD, n_problems=30), n=16, n_samples=1000, seed=21)
    found = attempts_coverage(design, bands=["dirichlet", "all-counts"])
    assert stats.binom.cdf(held(found, "dirichlet"), 1000, 0.95) > FALSE_ALARM
    assert found.whole["width"][0] < 0.85 * found.whole["width"][1]


def test_bands_that_take_long_are_made_for_fewer_evaluations(monkeypatch):
    monkeypatch.setattr(studied, "_CURVES", 1)
    design = Design(Benchmark(RATES, n_problems=5), n=4, n_samples=250)
    found = attempts_coverage(design, bands=["dirichlet", "all-counts"], n_resamples=99)
    assert found.whole["evaluations"].tolist() == [43 + 41, 250]  # every third of each block
    assert found.whole["lower"][0] < found.whole["lower"][1]


def test_a_band_that_says_nothing_is_said_to():
    rare = Design(Benchmark(RATES, n_problems=5), n=4, n_samples=3, confidence=0.999)
    found = attempts_coverage(rare, n_resamples=1998)
    assert (found.width["dirichlet"] == 1).all()
    for study in (found.whole, found.coverage, found.width):
        (caveat,) = study.caveats
        assert str(caveat) == (
            'the "dirichlet" band says nothing: it goes from 0 to 1 at every k, because 1,998 '
            "random weightings are too few for a confidence of 99.9 %; 1,999 is the least number"
        )
    assert not found.bias.caveats
    least = attempts_coverage(rare, n_resamples=1999)
    assert (least.width["dirichlet"] < 1).all()
    assert not least.whole.caveats
    assert not attempts_coverage(rare, bands=["all-counts"], n_resamples=99).whole.caveats


def test_many_problems_and_one_k():
    design = Design(Benchmark(RATES, n_problems=300), n=1, n_samples=50)
    found = attempts_coverage(design, bands=["listed", "all-counts"])
    assert found.width["listed"].tolist() == found.width["all-counts"].tolist()


def test_figures_and_tables(thousand):
    chart = thousand.whole.chart()
    assert chart.x_names == tuple(thousand.whole["band"])
    assert not chart.series[0].line.joined
    assert [s.line.label for s in thousand.coverage.chart().series] == list(thousand.whole["band"])
    assert [s.line.label for s in thousand.bias.chart().series] == ["unbiased", "plug-in"]
    for study, across, measured in (
        (thousand.whole, "band", "coverage of pass@k as a whole"),
        (thousand.coverage, "attempts at each problem (k)", "coverage of pass@k"),
        (thousand.width, "attempts at each problem (k)", "mean width of 0.95 intervals for pass@k"),
        (thousand.bias, "attempts at each problem (k)", "bias of estimates of pass@k"),
    ):
        assert study.chart().x_label == across
        assert study.chart().y_label == f"{measured}, {study.label}"
    assert "all-counts" in repr(thousand.whole)
    assert "<svg" in thousand.whole._repr_html_()
    assert thousand.whole.to_dict()["band"][0] == "all-counts"
    assert thousand.whole.to_dict()["samples"] == 1000


def test_a_benchmark_of_attempts_has_their_rates():
    attempts = bk.Attempts.of_counts("abc", 4, [0, 1, 4], label="model")
    truth = Benchmark.of(attempts)
    assert (truth.rates.tolist(), truth.n_problems, truth.label) == ([0, 0.25, 1], 3, "model")
    losses = bk.Attempts.of_array([[0, 1], [1, 1]], direction="minimize")
    assert Benchmark.of(losses).rates.tolist() == [0.5, 0]
    with pytest.raises(DataError, match="scores at the bounds"):
        Benchmark.of(bk.Attempts.of_array([[0.5, 1], [0, 1]]))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rates": [0.5, 1.5]}, "`rates` must lie between 0 and 1; got 1.5."),
        ({"n_problems": 1}, "`n_problems` must be a whole number of at least 2; got 1."),
        ({"n_problems": 8, "scope": "benchmark"}, "`n_problems` must be at most 7; got 8."),
        ({"scope": "world"}, "`scope` must be"),
        ({"pick": "majority"}, "`pick` must be"),
    ],
)
def test_a_benchmark_says_what_must_hold(options, message):
    with pytest.raises(ArgumentError) as caught:
        Benchmark(**{"rates": RATES} | options)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("truth", "design", "options", "message"),
    [
        ({}, {"budgets": [5]}, {}, "`budgets` must be whole numbers of attempts, at most 4; got 5"),
        ({}, {"budgets": [1.5]}, {}, "`budgets` must be whole numbers of attempts, at most 4; go"),
        ({}, {}, {"bands": ["normal"]}, "`bands` must be"),
        ({}, {}, {"n_resamples": 9}, "`n_resamples` must be a whole number of at least 99"),
        ({"scope": "benchmark"}, {"budgets": [3]}, {}, 'with scope="benchmark" an interval at k'),
        ({"scope": "benchmark"}, {}, {"stopped": True}, "attempts that stop at the first success"),
        ({"pick": "worst"}, {}, {"stopped": True}, "attempts that stop at the first success"),
    ],
)
def test_a_study_says_what_must_hold(truth, design, options, message):
    with pytest.raises(ArgumentError) as caught:
        attempts_coverage(Design(Benchmark(RATES, **truth), n=4, **design), **options)
    assert str(caught.value).startswith(message)


def test_a_study_of_attempts_needs_a_benchmark():
    from bestofk.studies.truth import DiscreteTruth

    with pytest.raises(ArgumentError, match="`truth` must be a Benchmark"):
        attempts_coverage(Design(DiscreteTruth([0, 1]), n=4))
