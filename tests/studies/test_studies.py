"""Studies measure what they say, and would notice a wrong estimator or band."""

from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from bestofk_reproduction.cdf_coverage import cdf_coverage
from bestofk_reproduction.interval_coverage import interval_coverage
from bestofk_reproduction.tunings import tunings
from scipy import stats

import bestofk as bk
from bestofk import ArgumentError, DataError
from bestofk._base.chart.matplotlib import save_side_by_side
from bestofk.numeric import order
from bestofk.studies.bands import band_coverage, band_sides, band_width
from bestofk.studies.design import Design
from bestofk.studies.estimators import estimation_error, underestimates, wrong_conclusions
from bestofk.studies.intervals import bootstrap_coverage, percentile_covers
from bestofk.studies.result import Study, clopper_pearson
from bestofk.studies.simulate import in_blocks, run_all
from bestofk.studies.sizes import size_law
from bestofk.studies.truth import DiscreteTruth, KernelTruth, ParametricTruth, quantile_curve
from bestofk.studies.tuning import read_repetitions, tuning_variability
from tests.contracts import ResultContract

UNIFORM = ParametricTruth(stats.uniform(), label="uniform")
SMALL = DiscreteTruth([0.0, 1.0, 3.0], label="small")


def draw_sum(count, rng):
    return rng.random(count).sum()


class TestBlocks:
    def test_the_number_of_processes_changes_nothing(self):
        one = in_blocks(draw_sum, 100, seed=5, block=30)
        two = in_blocks(draw_sum, 100, seed=5, block=30, n_jobs=2)
        assert one == two
        assert one != in_blocks(draw_sum, 100, seed=6, block=30)
        assert len(set(one)) == 4

    def test_progress_is_told_of_every_block(self):
        seen = []
        in_blocks(draw_sum, 100, seed=0, block=30, progress=lambda *a: seen.append(a))
        assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]

    def test_calls_keep_their_order(self):
        assert run_all([(pow, (2, i)) for i in range(5)], n_jobs=2) == [1, 2, 4, 8, 16]

    def test_bad_counts(self):
        with pytest.raises(ArgumentError, match="`n_samples` must be a whole number"):
            in_blocks(draw_sum, 0, seed=0, block=3)


def enumerate_samples(truth, n):
    return np.array(list(itertools.product(truth.values, repeat=n)))


class TestEstimators:
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_moments_are_those_of_enumeration(self, direction):
        """200,000 samples: each moment within five of its standard errors."""
        k = [1, 2, 3]
        found = estimation_error(Design(SMALL, n=3, n_samples=200_000, seed=1, direction=direction))
        samples = enumerate_samples(SMALL, 3)
        truth = SMALL.mean_curve(k, direction=direction)
        for e in "vuw":
            errors = bk.expected_best(samples, k, estimator=e, direction=direction) - truth
            assert (
                np.abs(found[f"bias_{e}"] - errors.mean(axis=0)).max()
                < 5 * found[f"error_bias_{e}"].max()
            )
            np.testing.assert_allclose(found[f"variance_{e}"], errors.var(axis=0), rtol=0.03)
            np.testing.assert_allclose(found[f"mse_{e}"], (errors**2).mean(axis=0), rtol=0.03)
        assert found.direction == direction

    def test_any_estimator_can_be_studied(self):
        top = {"top": lambda x, k: np.repeat(x[:, -1:], k.size, axis=1)}
        design = Design(SMALL, n=4, budgets=[1, 4], n_samples=4000)
        found = estimation_error(design, estimators=top)
        assert found["bias_top"][0] > 0.5
        assert abs(found["bias_top"][1]) < 5 * found["error_bias_top"][1]

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_shares_below_are_those_of_enumeration(self, direction):
        design = Design(SMALL, n=4, budgets=[3], n_samples=50_000, direction=direction)
        found = underestimates(design)
        samples = enumerate_samples(SMALL, 4)
        truth = SMALL.mean_curve([3], direction=direction)[0]
        for e in "vu":
            at = bk.expected_best(samples, 3, estimator=e, direction=direction)
            worse = at < truth if direction == "maximize" else at > truth
            assert found[f"lower_{e}"][0] <= worse.mean() <= found[f"upper_{e}"][0]

    def test_wrong_conclusions_are_those_of_enumeration(self):
        other = DiscreteTruth([0.0, 1.0, 2.9], label="other")
        design = Design(SMALL, n=2, budgets=[2], n_samples=50_000)
        found = wrong_conclusions(design, other, estimators=["v"])
        a, b = (bk.expected_best(enumerate_samples(t, 2), 2) for t in (SMALL, other))
        share = (a[:, None] < b).mean()
        assert found["lower_v"][0] <= share <= found["upper_v"][0]

    def test_the_worse_model_cannot_be_called_the_better(self):
        with pytest.raises(
            ArgumentError, match=r"must be the better one at the budget 3.*Swap the"
        ):
            wrong_conclusions(Design(DiscreteTruth([0, 1]), n=3), DiscreteTruth([0, 2]))

    def test_where_the_curves_cross_the_other_model_is_the_worse(self):
        """Of (0, 4) and (2.5, 2.5) the second is better at one trial, the first from two on."""
        risky, safe = DiscreteTruth([0.0, 4.0]), DiscreteTruth([2.5])
        design = Design(risky, n=2, n_samples=20_000, interval=1 - 1e-6)
        found = wrong_conclusions(design, safe, estimators=["u"])
        assert found["lead"].tolist() == [-0.5, 0.5]
        for at, share in ((0, 0.5), (1, 0.25)):  # risky shows 4; risky shows 0 twice
            assert found["lower_u"][at] <= share <= found["upper_u"][at]

    def test_budgets_beyond_u_are_refused(self):
        with pytest.raises(ArgumentError, match="U estimator needs budgets of at most n = 3"):
            estimation_error(Design(SMALL, n=3, budgets=[4]))


class TestIntervals:
    @pytest.mark.parametrize("n", [7, 41, 100, 101])
    @pytest.mark.parametrize("confidence", [0.5, 0.95])
    def test_counting_decides_as_numpys_quantiles_do(self, n, confidence, rng):
        """Targets on order statistics, between them and with ties included."""
        for _ in range(30):
            estimates = rng.integers(0, 12, (n, 40)) / 4
            target = rng.integers(-1, 50, 40) / 16
            tail = (1 - confidence) / 2
            low, high = np.quantile(estimates, [tail, 1 - tail], axis=0)
            wanted = (low <= target) & (target <= high)
            assert (percentile_covers(estimates, target, confidence) == wanted).all()

    def test_agrees_with_the_librarys_bootstrap(self):
        """The share of samples covered, by bootstrap_band one sample at a time."""
        k = np.array([1.0, 5.0, 10.0])
        design = Design(UNIFORM, n=10, budgets=k, n_samples=300, seed=3)
        found = bootstrap_coverage(design, estimators=("v", "u"), n_resamples=400)
        rng = np.random.default_rng(4)
        truth = UNIFORM.mean_curve(k)
        for e in ("v", "u"):
            bands = [
                bk.baselines.bootstrap_band(x, budgets=k, estimator=e, n_resamples=400, rng=rng)
                for x in UNIFORM.sample((300, 10), rng)
            ]
            share = np.mean([(b.lower <= truth) & (truth <= b.upper) for b in bands], axis=0)
            both = np.array([found[f"coverage_{e}"], share]).mean(axis=0)
            z = (found[f"coverage_{e}"] - share) / np.sqrt(2 * both * (1 - both) / 300)
            assert np.abs(z).max() < 4.9  # one in a million

    def test_minimizing_mirrors(self):
        flipped = DiscreteTruth(-SMALL.values)
        design = Design(flipped, n=6, n_samples=64, budgets=[2], seed=2, direction="minimize")
        a = bootstrap_coverage(design, n_resamples=100)
        assert 0 < a["coverage_v"][0] < 1

    def test_any_interval_pointwise_and_at_once(self):
        def always(sample, k):
            return np.array([-1.0, 2.0]), np.array([4.0, 4.0])

        design = Design(UNIFORM, n=3, budgets=[1, 2], n_samples=40)
        found = interval_coverage(design, always, [0.5, 0.5])
        assert found["coverage_interval"].tolist() == [1, 0]
        assert found.facts["simultaneous"] == 0


class TestBands:
    @pytest.mark.parametrize("statistic", ["median", "mean", 0.9])
    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_sides_for_all_samples_are_those_of_each_sample(self, statistic, direction, rng):
        budgets = np.array([0.5, 1.0, 3.0, 20.0])
        options = {"confidence": 0.8, "band": "ld-equal-tailed", "statistic": statistic}
        sides = band_sides(9, budgets, direction=direction, **options)
        samples = np.sort(rng.random((20, 9)), axis=1)
        padded = np.pad(samples, ((0, 0), (1, 1)))
        padded[:, -1] = 1.0
        lower, upper = sides.apply(padded)
        for i, x in enumerate(samples):
            band = bk.tuning_band(x, budgets=budgets, bounds=(0, 1), direction=direction, **options)
            np.testing.assert_allclose(lower[i], band.lower, rtol=1e-9, atol=1e-12)
            np.testing.assert_allclose(upper[i], band.upper, rtol=1e-9, atol=1e-12)

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    def test_exact_bands_cover_as_often_as_they_say(self, direction):
        design = Design(
            UNIFORM, n=12, n_samples=4000, direction=direction, seed=7, interval=1 - 1e-6
        )
        found = band_coverage(design, confidences=[0.5, 0.8], simultaneous="real")
        assert (found["lower"] <= found["nominal"]).all()
        assert (found["nominal"] <= found["upper"]).all()

    @pytest.mark.parametrize("direction", ["maximize", "minimize"])
    @pytest.mark.parametrize("chosen", ["whole", "range", "listed"])
    def test_bands_for_fewer_budgets_are_judged_at_these(self, direction, chosen):
        """Exactly as often as achieved; a band for fewer budgets is not held elsewhere."""
        options = {"direction": direction, "simultaneous": chosen, "budgets": [1.0, 2.0, 3.5]}
        if chosen == "whole":
            options["budgets"] = range(1, 13)
        asked = {name: options[name] for name in ("direction", "budgets")}
        design = Design(UNIFORM, n=12, n_samples=4000, seed=7, interval=1 - 1e-6, **asked)
        found = band_coverage(design, confidences=[0.5, 0.8], simultaneous=chosen)
        for i, level in enumerate((0.5, 0.8)):
            achieved = bk.tuning_band(range(12), confidence=level, **options).achieved_confidence
            assert found["lower"][i] <= achieved <= found["upper"][i]
            assert achieved >= level - 1e-11  # a range is solved for to about 1e-14
        assert found.what.startswith("coverage at ")

    def test_a_band_for_whole_budgets_does_not_hold_as_a_band_for_the_distribution(self):
        """Its ends before they are snapped, judged at all real budgets, miss far too often."""
        from bestofk.numeric.noncrossing.beta import interval_ends

        eta = 1 - bk.tuning_band(range(48), confidence=0.8).base.critical_level
        lower, upper = interval_ends(48, eta, "highest-density")
        u = np.sort(np.random.default_rng(3).random((20_000, 48)), axis=1)
        inside = ((lower <= u) & (u <= upper)).all(axis=1)
        assert inside.mean() < 0.6
        assert stats.binom.cdf(inside.sum(), 20_000, 0.8) < 1e-6
        design = Design(UNIFORM, n=48, confidence=0.8, n_samples=20_000, interval=1 - 1e-6)
        assert band_coverage(design)["upper"][0] > 0.8

    def test_a_band_that_is_not_exact_is_noticed(self):
        design = Design(UNIFORM, n=12, confidence=0.5, n_samples=4000, interval=0.99)
        found = band_coverage(design, band="dkw")
        assert found["lower"][0] > 0.5

    def test_cdf_coverage_too(self):
        design = Design(UNIFORM, n=12, n_samples=4000, interval=1 - 1e-6)
        found = cdf_coverage(design, confidences=[0.5, 0.8])
        assert (found["lower"] <= found["nominal"]).all()
        assert (found["nominal"] <= found["upper"]).all()

        class Shifted(ParametricTruth):
            def cdf(self, y):
                return np.clip(np.asarray(y) + 0.15, 0, 1)

        shifted = Design(Shifted(stats.uniform()), n=12, confidence=0.8, n_samples=2000)
        wrong = cdf_coverage(replace(shifted, interval=0.99))
        assert wrong["upper"][0] < 0.8

    def test_mean_bands_are_conservative_and_need_bounds(self):
        design = Design(UNIFORM, n=8, bounds=(0, 1), confidence=0.8, interval=0.99)
        found = band_coverage(design, statistic="mean")
        assert found["lower"][0] > 0.8
        with pytest.raises(ArgumentError, match="needs finite `bounds`"):
            band_coverage(Design(UNIFORM, n=8), statistic="mean")

    def test_width_is_the_mean_over_samples(self, rng):
        design = Design(SMALL, n=6, budgets=[1], bounds=(0, 3), n_samples=3000, confidence=0.8)
        found = band_width(design, bands=["ks"])
        samples = enumerate_samples(SMALL, 6)
        band = [bk.tuning_band(x, confidence=0.8, band="ks", budgets=[1], bounds=(0, 3))
                for x in np.unique(np.sort(samples, axis=1), axis=0)]  # fmt: skip
        _, counts = np.unique(np.sort(samples, axis=1), axis=0, return_counts=True)
        wanted = np.average([b.upper[0] - b.lower[0] for b in band], weights=counts)
        assert found["ks"][0] == pytest.approx(wanted, abs=0.05)  # five standard errors

    def test_infinite_widths_are_said(self):
        design = Design(UNIFORM, n=6, budgets=[1, 50], n_samples=10, confidence=0.8)
        found = band_width(design, bands=["ks"])
        assert found["ks"].tolist()[1] == np.inf
        assert found["share_finite_ks"].tolist() == [1, 0]


def test_clopper_pearson_is_scipys():
    for k, n in ((0, 10), (3, 10), (10, 10)):
        wanted = stats.binomtest(k, n).proportion_ci(0.95)
        low, high = clopper_pearson(k, n)
        np.testing.assert_allclose([low, high], wanted, rtol=1e-9)


def test_size_law_is_the_papers():
    law = size_law(confidence=0.8, simultaneous="real")
    assert law.facts["slope"] == pytest.approx(0.1612, abs=5e-5)
    assert law.facts["r_squared"] > 0.9994
    line = np.polyfit(law["trials"], law["reach"], 1)
    np.testing.assert_allclose([law.facts["slope"], law.facts["intercept"]], line, rtol=1e-9)


def test_a_line_needs_two_sizes():
    with pytest.raises(ArgumentError, match=r"at least two different numbers.*got \[10, 10\]"):
        size_law([10, 10])


@pytest.mark.parametrize(
    ("study", "shown"),
    [
        (estimation_error, ["mse_v", "mse_u", "mse_w"]),
        (underestimates, ["share_v", "share_u"]),
        (band_width, ["ld-highest-density", "ld-equal-tailed", "ks", "dkw"]),
        (band_coverage, ["coverage", "lower", "upper"]),
        (partial(bootstrap_coverage, n_resamples=20), ["coverage_v"]),
    ],
)
def test_a_figure_shows_what_can_be_compared(study, shown):
    """Truth, bias and variance on one scale would show nothing of the two smaller ones."""
    found = study(Design(SMALL, n=3, n_samples=20, confidence=0.5))
    lines = [series.line for series in found.chart().series]
    assert [line.label for line in lines] == shown
    for line in lines:
        finite = np.isfinite(found[line.label])
        assert line.y.tolist() == found[line.label][finite].tolist()
        assert line.x.tolist() == next(iter(found.columns.values()))[finite].tolist()


class TestTuning:
    def test_groups_are_disjoint_and_ties_go_to_the_first(self):
        table = [[1.0, 0.0], [0.0, 1.0], [0.2, 0.3], [0.5, 0.5]]
        chosen, scores = tunings(table, 2)
        assert chosen.tolist() == [0, 1]
        assert scores.tolist() == [0.5, 0.4]
        assert tunings(table, 1, n_groups=2)[0].tolist() == [0, 1]

    def test_too_many_groups_are_refused(self):
        with pytest.raises(ArgumentError, match="groups of 2 repetitions, 3 of them, need 6"):
            tunings([[1.0], [2.0]], 2, n_groups=3)

    def test_averaging_steadies(self, rng):
        table = rng.normal(size=(200, 4))
        found = tuning_variability(table, params={"C": [1, 2, 3, 4]}, repeats=[1, 16])
        assert found["sd_score"][1] < 0.6 * found["sd_score"][0]
        assert "fits" not in found.columns
        costs = tuning_variability(table, params={}, repeats=[1, 16], n_folds=5)["fits"]
        assert costs.tolist() == [5, 80]

    def test_minimizing_is_maximizing_the_negative(self, rng):
        table = rng.normal(size=(20, 4)) + np.array([0, 0.5, 1, 3])
        params = {"C": [1, 2, 3, 4]}
        losses = tuning_variability(table, params=params, repeats=[1, 2], direction="minimize")
        scores = tuning_variability(-table, params=params, repeats=[1, 2])
        for name in ("sd_C", "sd_score"):
            np.testing.assert_allclose(losses[name], scores[name], rtol=1e-12)
        assert losses["sd_C"][0] > 0
        assert losses.direction == "minimize"

    def test_a_file_of_repetitions(self, tmp_path):
        path = tmp_path / "cv.csv"
        path.write_text("rep,C,acc\n1,1,0.5\n1,10,0.75\n2,1,0.25\n2,10,1\n")
        table, values = read_repetitions(str(path), score="acc", repetition="rep", params=["C"])
        assert table.tolist() == [[0.5, 0.75], [0.25, 1]]
        assert values["C"].tolist() == [1, 10]
        with pytest.raises(ArgumentError, match="there is no column 'nope'"):
            read_repetitions(str(path), score="nope", repetition="rep", params=["C"])
        path.write_text("rep,C,acc\n1,1,0.5\n1,10,0.75\n2,10,0.25\n2,1,1\n")
        with pytest.raises(DataError, match="the same settings in one order"):
            read_repetitions(str(path), score="acc", repetition="rep", params=["C"])
        with pytest.raises(DataError, match="no such file"):
            read_repetitions("none.csv", score="acc", repetition="rep", params=["C"])


class TestStudyContract(ResultContract):
    def make(self, label="cnn"):
        return Study(
            what="something",
            label=label,
            n=5,
            columns={"budgets": [1.0, 2.0], "share_v": [0.5, 0.25]},
            facts={"seed": 1},
            caveats=("a doubt",),
        )

    def test_figures_are_saved_side_by_side(self, tmp_path):
        charts = [self.make().chart(), self.make("mlp").chart()]
        assert save_side_by_side(charts, tmp_path / "s.png").stat().st_size > 2000
        from matplotlib.image import imread

        height, width = imread(tmp_path / "s.png").shape[:2]
        one = save_side_by_side(charts[:1], tmp_path / "one.png")
        assert (height, width) == (imread(one).shape[0], 2 * imread(one).shape[1])

    def test_the_axes_are_named_after_what_is_measured(self):
        design = Design(SMALL, n=3, n_samples=5)
        table = np.arange(6.0).reshape(3, 2)
        found = (
            self.make(),
            band_coverage(design),
            estimation_error(design),
            underestimates(design),
            bootstrap_coverage(design, n_resamples=20),
            wrong_conclusions(design, DiscreteTruth([-1.0, 0.0], label="poor")),
            size_law([6, 20]),
            tuning_variability(table, params={"C": [1, 2]}, repeats=[1, 2], label="task"),
        )
        assert [(s.chart().x_label, s.chart().y_label) for s in found] == [
            ("budget (number of trials)", "something, cnn"),
            ("nominal confidence", f"coverage of the median curve, {SMALL.label}"),
            ("budget (number of trials)", f"mean squared error, {SMALL.label}"),
            (
                "budget (number of trials)",
                f"share of estimates worse than the truth, {SMALL.label}",
            ),
            ("budget (number of trials)", f"coverage of the mean curve, {SMALL.label}"),
            (
                "number of trials of each",
                f"how often the worse looks the better, {SMALL.label} and poor",
            ),
            ("number of trials", "reach of 0.8 bands"),
            ("repetitions averaged", "standard deviation of the score, task"),
        ]


def test_v_and_u_as_functions_are_the_named_ones():
    design = Design(SMALL, n=3, n_samples=50)
    named = estimation_error(design, estimators=["u"])
    given = estimation_error(design, estimators={"u": partial(order.expected_max, estimator="u")})
    assert named.to_dict() == given.to_dict()


def test_a_kernel_truth_works_in_every_study():
    truth = KernelTruth([0.2, 0.5, 0.9], bandwidth=0.1, bounds=(0, 1))
    assert quantile_curve(truth, [2])[0] > 0.5
    for study in (estimation_error, band_coverage):
        assert study(Design(truth, n=3, n_samples=20)).n == 3


class TestWhichEstimatorErrsLeast:
    """What docs/methods.md says of U, V, W and M; the samples are the same for all of them."""

    N = 20

    def ratios(self, truth, budget):
        design = Design(truth, n=self.N, budgets=[budget], n_samples=20_000)
        found = estimation_error(design, estimators="vuwm")
        return {e: float(found[f"mse_{e}"][0] / found["mse_v"][0]) for e in "uwm"}

    @pytest.mark.parametrize("budget", [5, 10, 20])
    def test_on_recorded_searches_m_errs_at_most_one_percent_more_than_v(self, budget):
        searches = [*bk.datasets.load_example().values(), *bk.datasets.load_sst5().values()]
        for search in searches:
            found = self.ratios(DiscreteTruth(search.scores().values), budget)
            assert found["m"] <= 1.01
            assert found["w"] > 1.1
            if budget == 10:
                assert found["u"] < 0.95

    def test_with_a_long_upper_tail_v_and_then_w_err_least(self):
        """The negative control: "U errs least" is a property of the scores, not of U."""
        gumbel = self.ratios(ParametricTruth(stats.gumbel_r()), 20)
        assert min(gumbel.values()) > 1
        assert gumbel["u"] > 1.3
        assert 1.05 < gumbel["m"] < 1.2
        lognormal = self.ratios(ParametricTruth(stats.lognorm(1.0)), 20)
        assert lognormal["w"] < 0.9
        assert lognormal["m"] > 1.25

    def test_in_the_papers_study_v_errs_least(self):
        cut = stats.truncnorm(-0.6 / 0.07, 0.4 / 0.07, 0.6, 0.07)
        assert min(self.ratios(ParametricTruth(cut), 20).values()) > 1
