"""opda.nonparametric and bestofk agree where they should: docs/opda.md, member by member."""

from __future__ import annotations

import re
from fractions import Fraction

import numpy as np
import pytest

import bestofk as bk
from bestofk.errors import BestofkError
from tests.conftest import ROOT

nonparametric = pytest.importorskip("opda.nonparametric")
Theirs = nonparametric.EmpiricalDistribution
# Of no two of them, a product with a quantile below is whole: opda rounds there, see the last test.
SIZES = (3, 7, 23)
QUANTILES = (0.11, 0.5, 0.83)
BUDGETS = np.array([1, 2, 2.5, 3, 7, 23, 100])
METHODS = {
    "dkw": "dkw",
    "ks": "ks",
    "ld_equal_tailed": "ld-equal-tailed",
    "ld_highest_density": "ld-highest-density",
}


@pytest.fixture(params=[(1, False), *((n, w) for n in SIZES for w in (False, True))])
def sample(request, rng):
    n, weighted = request.param
    scores = rng.permutation(np.round(rng.random(n), 2))  # with ties
    weights = rng.random(n) if weighted else None
    return scores, None if weights is None else weights / weights.sum()


def pair(sample, direction="maximize", bounds=(0, 1)):
    scores, weights = sample
    theirs = Theirs(scores, ws=weights, a=bounds[0], b=bounds[1])
    return theirs, bk.Scores(scores, weights=weights, bounds=bounds, direction=direction)


def members():
    found = {name for name in vars(Theirs) if not name.startswith("_")}
    return found | {"mean", "variance"}


def test_every_member_of_opda_is_on_the_page():
    public = {name for name in vars(nonparametric) if not name.startswith("_")}
    own = {n for n in public if getattr(nonparametric, n).__class__ is type}
    own = {n for n in own if getattr(nonparametric, n).__module__ == nonparametric.__name__}
    assert own == {"EmpiricalDistribution"}
    text = (ROOT / "docs/opda.md").read_text(encoding="utf-8")
    assert members() - set(re.findall(r"`\.(\w+)", text)) == set()


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
@pytest.mark.parametrize("q", QUANTILES)
def test_quantile_curves_agree(sample, q, direction):
    theirs, ours = pair(sample, direction)
    curve = bk.tuning_curve(ours, statistic=q)
    wanted = theirs.quantile_tuning_curve(BUDGETS, q=q, minimize=direction == "minimize")
    assert curve.evaluate(BUDGETS).tolist() == wanted.tolist()


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_mean_curves_agree(sample, direction):
    theirs, ours = pair(sample, direction)
    minimize = direction == "minimize"
    curve = bk.tuning_curve(ours, statistic="mean").evaluate(BUDGETS)
    wanted = theirs.average_tuning_curve(BUDGETS, minimize=minimize)
    np.testing.assert_allclose(curve, wanted, rtol=1e-12, atol=1e-14)
    if ours.weights is None:
        whole = np.arange(1, ours.n + 1)
        for estimator, theirs_of in (("v", theirs.v_tuning_curve), ("u", theirs.u_tuning_curve)):
            np.testing.assert_allclose(
                bk.expected_best(ours, whole, estimator=estimator),
                theirs_of(whole, minimize=minimize), rtol=1e-12, atol=1e-14,
            )  # fmt: skip


def test_u_and_v_are_told_apart():
    """The tolerance above is far smaller than the gap to the nearest wrong answer."""
    ys = [0.1, 0.8, 0.5]
    u, v = (bk.expected_best(ys, [2], estimator=e) for e in "uv")
    assert abs(u - v) > 0.05


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_running_best_agrees(sample, direction):
    theirs, ours = pair((sample[0], None), direction)
    running = bk.tuning_curve(ours, statistic="running best").estimate
    wanted = theirs.naive_tuning_curve(np.arange(1, ours.n + 1), minimize=direction == "minimize")
    assert running.tolist() == wanted.tolist()


def test_beyond_the_trials_opda_repeats_and_we_refuse():
    ys = [0.1, 0.8, 0.5]
    assert Theirs(ys).u_tuning_curve([9]).tolist() == [0.8]
    with pytest.raises(BestofkError, match="budgets"):
        bk.expected_best(ys, 9, estimator="u")


def test_distribution_and_quantiles_agree(sample):
    theirs, ours = pair((sample[0], None))
    places = np.concatenate([ours.values, ours.values + 1e-3, [-1, 2]])
    np.testing.assert_allclose(
        bk.cdf_band(ours).at(places).estimate, theirs.cdf(places), rtol=1e-12
    )
    assert [bk.tuning_curve(ours, statistic=q).at(1) for q in QUANTILES] == [
        theirs.ppf(q) for q in QUANTILES
    ]
    assert np.mean(ours.values) == pytest.approx(theirs.mean, rel=1e-12)
    assert np.var(ours.values) == pytest.approx(theirs.variance, rel=1e-9, abs=1e-15)  # its formula
    for y in ours.values:
        assert theirs.pmf(y) == pytest.approx(np.mean(ours.values == y), rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_bands_agree(method):
    """Up to rounding, or where opda simulates up to the error of 100,000 samples."""
    rng = np.random.default_rng(7)
    ys = rng.random(17)
    places = np.concatenate([ys, ys + 1e-9, [-1, 2]])
    low, _, high = Theirs.confidence_bands(
        ys, confidence=0.8, a=0.0, b=1.0, method=method, generator=np.random.default_rng(1)
    )
    ours = bk.Scores(ys, bounds=(0, 1), sampling="iid")
    cdf = bk.cdf_band(ours, confidence=0.8, band=METHODS[method])
    # 100,000 samples leave an error of 0.0013 in the confidence, and less than 0.002 in the ends.
    most = 2e-3 if method.startswith("ld") else 1e-12
    assert np.max(np.abs(cdf.at(places).lower - low.cdf(places))) < most
    assert np.max(np.abs(cdf.at(places).upper - high.cdf(places))) < most
    wrong = bk.cdf_band(ours, confidence=0.85, band=METHODS[method])
    assert np.max(np.abs(wrong.at(places).lower - low.cdf(places))) > 5e-3
    budgets = np.array([1, 2, 2.5, 7, 30])
    band = bk.tuning_band(ours, confidence=0.8, band=METHODS[method], simultaneous="real")
    assert band.evaluate(budgets).lower.tolist() == high.quantile_tuning_curve(budgets).tolist()
    assert band.evaluate(budgets).upper.tolist() == low.quantile_tuning_curve(budgets).tolist()
    if method in ("dkw", "ks"):
        mean = bk.tuning_band(
            ours, confidence=0.8, band=method, simultaneous="real", statistic="mean"
        ).evaluate(budgets)
        np.testing.assert_allclose(mean.lower, high.average_tuning_curve(budgets), rtol=1e-9)
        np.testing.assert_allclose(mean.upper, low.average_tuning_curve(budgets), rtol=1e-9)


def test_where_a_product_is_whole_opda_rounds_and_we_do_not():
    ys = np.random.default_rng(0).random(20)
    exact = next(y for i, y in enumerate(np.sort(ys), start=1) if Fraction(i, 20) >= Fraction(1, 2))
    assert bk.tuning_curve(ys).at(1) == exact
    assert Theirs(ys).quantile_tuning_curve([1])[0] == np.sort(ys)[10] != exact
