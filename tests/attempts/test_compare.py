"""Attempts compared problem by problem: intervals, words, refusals, figures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bestofk as bk
from bestofk.attempts.compare import default_list
from bestofk.comparison.claim import parse_claim
from bestofk.errors import ArgumentError, DataError
from tests.contracts import ResultContract

P = 60


def model(chances, n=8, seed=0, **options):
    counts = np.random.default_rng(seed).binomial(n, chances)
    return bk.Attempts.of_counts(range(len(counts)), n, counts, **options)


def two(**options):
    chances = np.random.default_rng(1).beta(0.7, 0.7, P)
    return {
        "large": model(np.minimum(chances + 0.3, 1), seed=2, **options),
        "small": model(chances * 0.7, seed=3, **options),
    }


def crossing():
    """One model solves half of the problems always, the other all of them sometimes."""
    return {
        "sure": bk.Attempts.of_counts(range(240), 16, [15] + [16] * 119 + [0] * 120),
        "broad": bk.Attempts.of_counts(range(240), 16, [3, 5] * 120),
    }


class TestAttemptsComparison(ResultContract):
    def make(self, label="cnn"):
        first, second = two().values()
        return bk.compare({label: first, "other": second}, budgets=[1, 4])


def test_the_verb_calls_the_noun():
    models = two()
    found = bk.compare(models)
    assert found.kind() == "attempts-comparison"
    again = bk.compare(*(bk.Attempts.of_counts(range(P), 8, a.correct, label=name)
                         for name, a in models.items()))  # fmt: skip
    assert again.to_dict() == found.to_dict()


def test_estimates_are_those_of_the_curves():
    models = two()
    found = bk.compare(models, budgets=[1, 3, 8])
    curves = [bk.pass_curve(a, budgets=[1, 3, 8]).estimate for a in models.values()]
    np.testing.assert_allclose(found.pairs[0].difference, curves[0] - curves[1], rtol=1e-12)


def test_a_clear_lead_is_certified():
    found = bk.compare(two())
    assert found.pairs[0].certified_at(1) == "large"
    assert found.verdict.startswith("large is ahead of small at k = 1")
    assert "not certified" not in found.verdict.split(". ")[0]


@pytest.mark.parametrize("simultaneous", ["listed", "whole"])
def test_a_crossing_is_found_from_proven_intervals(simultaneous):
    pair = (found := bk.compare(crossing(), simultaneous=simultaneous)).pairs[0]
    assert pair.certified_at(1) == "sure"
    assert pair.certified_at(16) == "broad"
    assert len(pair.crossings) == 1
    low, high = pair.crossings[0]
    sure, broad = (bk.pass_curve(a).estimate for a in crossing().values())
    truth = broad - sure
    assert truth[int(low) - 1] < 0 < truth[int(high) - 1]
    assert found.verdict.startswith("It depends on k: sure is ahead")
    assert "They cross between k = " in found.verdict


def test_only_what_is_proven_is_certified():
    """Where the Dirichlet band shows a lead and betting does not, the word is shown."""
    chances = np.random.default_rng(5).beta(0.8, 0.8, P)
    found = bk.compare(
        {"a": model(np.minimum(chances + 0.1, 1), seed=15), "b": model(chances, seed=16)},
        budgets=np.arange(1, 9),  # a long list costs betting more
    )
    pair = found.pairs[0]
    assert pair.shown_at(1) == "a"
    assert pair.certified_at(1) == ""
    assert pair.stretches == ()
    assert "; shown at 95 % (" in found.verdict
    assert "measured, not proven), not certified (-" in found.verdict
    assert found.chart().ribbon.stretches == ()
    certified, said = parse_claim("a>b@1", found).judged(found)
    assert not certified
    assert said.startswith("a>b@1: not certified (a - b is -")


def test_a_claim_that_is_certified():
    found = bk.compare(two())
    certified, said = parse_claim("large>small@1", found).judged(found)
    assert certified
    assert "certified, if the problems are independent draws (large - small is 0." in said
    assert not parse_claim("small>large@1", found).judged(found)[0]
    with pytest.raises(ArgumentError, match="k must be one of those compared, 1, 2, 8; got 3"):
        parse_claim("large>small@3", found).judged(found)


def test_nothing_to_tell():
    chances = np.random.default_rng(5).beta(0.8, 0.8, P)
    found = bk.compare({"a": model(chances, seed=1), "b": model(chances, seed=2)})
    assert found.verdict.startswith("No. From 60 problems you cannot claim that ")
    assert " at k = 1, 2 or 8 (95 %). At k = 1 it leads by ." in found.verdict


@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_the_order_of_problems_does_not_matter(random):
    models = two()
    places = list(range(P))
    random.shuffle(places)
    moved = {
        name: bk.Attempts.of_counts(places, 8, a.correct[places]) for name, a in models.items()
    }
    options = {"budgets": [1], "n_resamples": 99}
    assert bk.compare(moved, **options).to_dict() == bk.compare(models, **options).to_dict()


def test_exchanged_models_have_mirrored_intervals():
    models = two()
    one = bk.compare(models).pairs[0]
    other = bk.compare(dict(reversed(models.items()))).pairs[0]
    np.testing.assert_allclose(other.lower, -one.upper, atol=1e-12)
    np.testing.assert_allclose(other.upper, -one.lower, atol=1e-12)
    assert other.certified.tolist() == one.certified.tolist()


def test_worst_of_failures_is_best_of_successes():
    """pass^k of the failures, exchanged, is pass@k: the same differences."""
    models = two()
    failures = {n: bk.Attempts.of_counts(range(P), 8, 8 - a.correct) for n, a in models.items()}
    best = bk.compare(models).pairs[0]
    worst = bk.compare(dict(reversed(failures.items())), pick="worst").pairs[0]
    np.testing.assert_allclose(worst.difference, best.difference, atol=1e-12)
    np.testing.assert_allclose(worst.lower, best.lower, atol=2e-3)  # one step of the grid


def test_minimized_scores_have_the_smaller_ahead():
    rng = np.random.default_rng(0)
    losses = {"a": rng.uniform(0, 0.4, (P, 3)), "b": rng.uniform(0.5, 1, (P, 3))}
    found = bk.compare(
        {n: bk.Attempts.of_array(x, direction="minimize") for n, x in losses.items()}
    )
    assert set(found.pairs[0].certified) == {"a"}
    assert found.verdict.startswith("a is ahead of b at k = 1, 2 and 3 (95 %). At k = 1 by .5")


def test_more_than_two_models_share_the_error():
    models = {**two(), "third": model(np.full(P, 0.5), seed=9)}
    three = bk.compare(models)
    assert [(p.first, p.second) for p in three.pairs] == [
        ("large", "small"), ("large", "third"), ("small", "third"),
    ]  # fmt: skip
    alone = bk.compare(two()).pairs[0]
    assert (three.pairs[0].lower <= alone.lower + 1e-12).all()
    assert len(three._headlines()) == 3


def test_unpaired_only_when_asked():
    models = two()
    other = {"large": models["large"], "small": model(np.full(50, 0.3), seed=4)}
    with pytest.raises(DataError) as refused:
        bk.compare(other)
    assert str(refused.value) == (
        "a paired comparison needs the same problems; 10 problems of large and 0 of small have no "
        "partner ('50', for one). Leave these out of both if that has nothing to do with the "
        "scores, or pass paired=False for two separate samples."
    )
    apart = bk.compare(other, paired=False)
    assert "not-paired" in {c.kind for c in apart.caveats}
    assert "60 and 50 problems as a sample" in apart.title
    pair, paired = (bk.compare(models, paired=p).pairs[0] for p in (False, True))
    assert (pair.upper - pair.lower > paired.upper - paired.lower).all()


def test_clusters_make_it_void():
    models = two(clusters=["x", "y"] * 30)
    found = bk.compare(models)
    assert found.is_void
    assert not any(found.pairs[0].certified)
    assert not any(found.pairs[0].shown)
    assert found.to_dict()["lower"] == [None] * 3
    assert repr(found).startswith("No confidence statement is possible: its 60 problems come from")
    assert not parse_claim("large>small@1", found).judged(found)[0]
    assert found.chart().ribbon is None


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"statistic": "mean"}, "`statistic` belongs to a comparison of searches, not of Attempts"),
        ({"budgets": [9]}, "must be at most 8"),
        ({"simultaneous": "real"}, "`simultaneous` must be one of 'listed', 'whole'; got 'real'"),
        ({"pick": "reward"}, "needs the reward of every attempt"),
        ({"confidence": 95}, "Did you mean 0.95"),
    ],
)
def test_refused(options, message):
    with pytest.raises((ArgumentError, DataError), match=message):
        bk.compare(two(), **options)


def test_refused_models():
    one, other = two().values()
    with pytest.raises(ArgumentError, match="needs two or more methods; got 1"):
        bk.compare([one])
    with pytest.raises(ArgumentError, match="needs two or more methods; got 1"):
        bk.compare(one)
    with pytest.raises(ArgumentError, match="must have different labels"):
        bk.compare(one, other)
    with pytest.raises(ArgumentError, match="Attempts can be compared with Attempts only"):
        bk.compare({"a": one, "b": [0.1, 0.2]})
    with pytest.raises(ArgumentError, match="`pick` belongs to a comparison of Attempts"):
        bk.compare([0.1, 0.2], [0.3, 0.4], pick="best")
    scores = bk.Attempts.of_array(np.random.default_rng(0).random((P, 3)), label="x")
    with pytest.raises(ArgumentError, match='simultaneous="whole" needs scores at the bounds'):
        bk.compare(scores, other, simultaneous="whole")
    far = bk.Attempts.of_counts(range(P), 8, [1] * P, bounds=(0, 2), label="far")
    with pytest.raises(ArgumentError, match="methods must have the same bounds"):
        bk.compare(far, other)


def test_attempts_until_the_first_success():
    """Times to the first success are compared as shares solved within k."""
    rng = np.random.default_rng(0)
    models = {}
    for name, chance in (("fast", 0.6), ("slow", 0.1)):
        first = np.minimum(rng.geometric(chance, P), 8)
        scores = [np.arange(1, t + 1) == t for t in first]
        models[name] = bk.Attempts(
            problems=range(P), scores=[s.astype(float) for s in scores], stopped="success"
        )
    found = bk.compare(models, budgets=[1, 4])
    assert found.pairs[0].certified_at(4) == "fast"


def test_figures():
    found = bk.compare(crossing())
    chart = found.chart()
    assert [s.line.label for s in chart.series] == ["sure", "broad"]
    assert [s[:2] for s in chart.ribbon.stretches] == [(1.0, 1.0), (5.0, 5.0), (16.0, 16.0)]
    assert chart.is_log
    difference = found.difference_chart()
    assert difference.base == 0.0
    assert difference.series[0].hatched is not None
    assert "<svg" in found._repr_html_()


@given(st.integers(1, 3000))
def test_the_default_list_is_short_and_rests_on_the_number_of_attempts(n):
    found = default_list(n)
    assert found[0] == 1
    assert found[-1] == n
    assert found.size <= 3


def test_the_default_list_of_ten_attempts():
    assert default_list(10).tolist() == [1, 5, 10]


@pytest.fixture
def gpt(data_folder):
    table = np.genfromtxt(
        data_folder / "attempts" / "humaneval_counts.csv",
        delimiter=",", names=True, dtype=None, encoding="utf-8",
    )  # fmt: skip
    names = {"gpt-4": "gpt-4", "gpt-3.5": "gpt-3.5-turbo"}
    rows = {name: table[table["model"] == m] for name, m in names.items()}
    return {
        name: bk.Attempts.of_counts(r["problem"].astype(str), 10, r["correct"])
        for name, r in rows.items()
    }


def test_gpt_4_against_gpt_3_5(gpt):
    """At the list {1, 5, 10}: shown, and still not certified, with sharper bets than the usual."""
    found = bk.compare(gpt)
    pair = found.pairs[0]
    assert pair.difference[0] == pytest.approx(0.0787, abs=5e-5)
    np.testing.assert_allclose(
        (pair.shown_lower[0], pair.shown_upper[0]), (0.011, 0.147), atol=0.004
    )
    assert -0.013 < pair.lower[0] < 0
    assert 0.155 < pair.upper[0] < 0.177
    assert found.verdict.startswith(
        "gpt-4 is ahead of gpt-3.5 at k = 1 by .079; shown at 95 % (.01"
    )


def test_gpt_4_against_gpt_3_5_at_one_k(gpt):
    pair = bk.compare(gpt, budgets=[1]).pairs[0]
    assert (pair.shown_upper[0] - pair.shown_lower[0]) / 2 <= 0.065
    assert pair.certified_at(1) == "gpt-4"


def test_gpt_4_against_gpt_3_5_at_all_k(gpt):
    """Two bands of all counts would give [-.127, .277]; Clopper and Pearson's are narrower."""
    pair = bk.compare(gpt, simultaneous="whole").pairs[0]
    assert -0.127 < pair.lower[0] < -0.1
    assert 0.25 < pair.upper[0] < 0.277
