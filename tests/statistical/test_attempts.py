"""The band over all k holds as often as it says; what is used instead does not.

Nominal 95 %.  Each test raises a false alarm once in a million runs with other seeds.  The figures
of the wide runs are in bench/results/attempts.md.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats

import bestofk as bk
from bestofk.attempts.count_band import narrower_band
from bestofk.curves.cdf_band import band_ends
from bestofk.numeric import attempts as numeric
from bestofk.numeric.dirichlet import simultaneous_band
from bestofk.numeric.majority import majority_of
from tests.reference.evaluations import SETTINGS, Setting

FALSE_ALARM = 1e-6
CONFIDENCE = 0.95
SEED = 18


def exact_sides(setting, counts, band):
    """Return the exact bands of many evaluations at once, shape (E, n)."""
    n, n_problems = setting.n, setting.n_problems
    used = n - counts if setting.pick == "worst" else counts
    below = np.stack([(used <= j).sum(axis=1) for j in range(n)], axis=1)
    if band == "clopper-pearson":
        low, high = numeric.clopper_pearson(below, n_problems, (1 - CONFIDENCE) / n)
    else:
        low, high = numeric.cdf_at(below, *band_ends(n_problems, CONFIDENCE, "ld-highest-density"))
    steps = numeric.count_steps(n, np.arange(1.0, n + 1))
    lower, upper = (1 - high) @ steps, (1 - low) @ steps
    return (lower, upper) if setting.pick == "best" else (1 - upper, 1 - lower)


def values_of(setting, counts):
    table = numeric.count_values(setting.n, np.arange(1.0, setting.n + 1))
    return table[counts] if setting.pick == "best" else 1 - table[setting.n - counts]


def mean_and_error(setting, counts):
    """Return mean +- 1.96 standard errors over problems, at each k."""
    g = values_of(setting, counts)
    half = stats.norm.ppf(0.5 + CONFIDENCE / 2) * g.std(axis=1, ddof=1) / np.sqrt(g.shape[1])
    return g.mean(axis=1) - half, g.mean(axis=1) + half


def attempts_resampled(setting, counts, rng, n_resamples=200):
    """Return percentile intervals from resampling the attempts of each problem."""
    sides = []
    for row in counts:
        again = rng.binomial(setting.n, row / setting.n, size=(n_resamples, row.size))
        means = values_of(setting, again).mean(axis=1)
        sides.append(np.quantile(means, [0.5 - CONFIDENCE / 2, 0.5 + CONFIDENCE / 2], axis=0))
    lower, upper = np.moveaxis(np.array(sides), 1, 0)
    return lower, upper


def beta_prior(setting, counts):
    """Return normal intervals with a uniform prior on every problem's chance."""
    k = np.arange(1, setting.n + 1)
    right = counts[..., None] + 1.0
    wrong = setting.n - counts[..., None] + 1.0
    a, b = (right, wrong) if setting.pick == "worst" else (wrong, right)

    def moment(power):
        i = np.arange(power.max())
        logs = np.cumsum(np.log((a + i) / (a + b + i)), axis=-1)
        return np.exp(logs[..., power - 1])

    first, second = moment(k), moment(2 * k)
    mean = first if setting.pick == "worst" else 1 - first
    half = stats.norm.ppf(0.5 + CONFIDENCE / 2) * np.sqrt((second - first**2).sum(axis=1))
    half /= counts.shape[1]
    return mean.mean(axis=1) - half, mean.mean(axis=1) + half


def pooled(setting, counts):
    """Return the band of all attempts as one search: 1 - (1 - mean)^k with its own interval."""
    total = counts.sum(axis=1)
    tries = setting.n * setting.n_problems
    low, high = numeric.clopper_pearson(total, tries, 1 - CONFIDENCE)
    k = np.arange(1, setting.n + 1)
    if setting.pick == "worst":
        return low[:, None] ** k, high[:, None] ** k
    return 1 - (1 - low[:, None]) ** k, 1 - (1 - high[:, None]) ** k


def dirichlet_sides(setting, counts, n_resamples):
    """Return the band from random weights of the problems, all evaluations with the same ones."""
    found = [
        simultaneous_band(values_of(setting, row), (0.0, 1.0), CONFIDENCE, 0, n_resamples)
        for row in counts
    ]
    lower, upper = np.moveaxis(np.array(found), 1, 0)
    return lower, upper


def sup_t(setting, counts, rng, n_resamples=999):
    """Return mean +- q standard errors, q the quantile of the largest of normal multipliers."""
    sides = []
    for row in counts:
        g = values_of(setting, row)
        mean, n = g.mean(axis=0), len(g)
        error = g.std(axis=0, ddof=1) / np.sqrt(n)
        moves = error > 1e-12
        q = 0.0
        if moves.any():
            drawn = rng.standard_normal((n_resamples, n)) @ (g - mean)[:, moves]
            largest = np.abs(drawn / np.sqrt(n * (n - 1)) / error[moves]).max(axis=1)
            q = np.quantile(largest, CONFIDENCE)
        sides.append((mean - q * error, mean + q * error))
    lower, upper = np.moveaxis(np.array(sides), 1, 0)
    return lower, upper


def check_dirichlet(setting, n_evaluations, n_resamples):
    """Assert coverage within 3 standard errors, and a width near that of sup-t if that covers."""
    counts, rng = draw(setting, n_evaluations)
    own = dirichlet_sides(setting, counts, n_resamples)
    other = sup_t(setting, counts, rng)
    shown, usual = covered(setting, own).mean(), covered(setting, other).mean()
    widths = [float((upper - lower).mean()) for lower, upper in (own, other)]
    error = np.sqrt(CONFIDENCE * (1 - CONFIDENCE) / n_evaluations)
    assert shown >= CONFIDENCE - 3 * error
    if usual >= 0.93:
        assert widths[0] <= 1.10 * widths[1]
    return shown, usual, widths


def covered(setting, sides):
    """Tell for each evaluation whether the whole true curve lies inside."""
    truth = setting.truth()
    lower, upper = sides
    return ((lower <= truth + 1e-12) & (truth - 1e-12 <= upper)).all(axis=1)


def draw(setting, n_evaluations):
    rng = np.random.default_rng([SEED, SETTINGS.index(setting)])
    return setting.counts(rng, n_evaluations), rng


def check_exact(setting, n_evaluations):
    counts, _ = draw(setting, n_evaluations)
    chosen = narrower_band(setting.n_problems, setting.n, CONFIDENCE)
    for band in ("all-counts", "clopper-pearson"):
        inside = covered(setting, exact_sides(setting, counts, band))
        assert stats.binom.cdf(inside.sum(), n_evaluations, CONFIDENCE) > FALSE_ALARM, band
        if band == chosen:
            lower, upper = exact_sides(setting, counts, band)
            found = inside.mean(), (upper - lower).mean()
    return found


def test_the_simulation_makes_the_same_bands_as_pass_band():
    for setting in SETTINGS:
        counts, _ = draw(setting, 4)
        for row in counts:
            if setting.n > 1 and set(row.tolist()) == {0, setting.n}:
                continue  # taken for copies
            attempts = bk.Attempts.of_counts(range(row.size), setting.n, row)
            made = bk.pass_band(attempts, pick=setting.pick)
            lower, upper = exact_sides(setting, row[None], made.band)
            np.testing.assert_allclose(made.lower, lower[0], rtol=1e-12, atol=1e-13)
            np.testing.assert_allclose(made.upper, upper[0], rtol=1e-12, atol=1e-13)
            np.testing.assert_allclose(
                made.estimate, values_of(setting, row).mean(axis=0), rtol=1e-12, atol=1e-13
            )


def test_the_estimate_is_unbiased():
    """Mean over evaluations within 5 standard errors of the truth, at every k."""
    for setting in SETTINGS:
        counts, _ = draw(setting, 400)
        means = values_of(setting, counts).mean(axis=1)
        error = means.std(axis=0, ddof=1) / np.sqrt(400)
        assert (np.abs(means.mean(axis=0) - setting.truth()) <= 5.5 * error + 1e-12).all()


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_the_exact_band_covers_the_whole_curve(setting):
    check_exact(setting, 1000)


@pytest.mark.wide
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_the_exact_band_covers_the_whole_curve_in_10000_evaluations(setting):
    inside, width = check_exact(setting, 10_000)
    counts, rng = draw(setting, 10_000)
    others = [
        covered(setting, mean_and_error(setting, counts)).mean(),
        covered(setting, attempts_resampled(setting, counts[:500], rng)).mean(),
        covered(setting, beta_prior(setting, counts[:2000])).mean(),
        covered(setting, pooled(setting, counts)).mean(),
    ]
    low, high = mean_and_error(setting, counts)
    band = narrower_band(setting.n_problems, setting.n, CONFIDENCE)
    cells = [setting.name, band, f"{inside:.4f}", *(f"{o:.3f}" for o in others)]
    print(f"\n| {' | '.join(cells)} | {width:.3f} / {(high - low).mean():.3f} |")


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_the_dirichlet_band_covers_the_whole_curve(setting):
    check_dirichlet(setting, 1000, 999)


@pytest.mark.wide
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s.name)
def test_the_dirichlet_band_covers_the_whole_curve_in_10000_evaluations(setting):
    shown, usual, widths = check_dirichlet(setting, 10_000, 1999)
    cells = [setting.name, f"{shown:.4f}", f"{usual:.4f}", f"{widths[0]:.3f} / {widths[1]:.3f}"]
    print(f"\n| {' | '.join(cells)} |")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["mean and error", "resampled", "prior", "pooled"])
def test_the_ways_in_use_do_not_cover(way):
    """The negative controls: 95 % is refuted in at least three of five settings."""
    refuted = 0
    for setting in SETTINGS[:5]:
        counts, rng = draw(setting, 300)
        sides = {
            "mean and error": lambda s, c, _: mean_and_error(s, c),
            "resampled": lambda s, c, r: attempts_resampled(s, c, r, 100),
            "prior": lambda s, c, _: beta_prior(s, c),
            "pooled": lambda s, c, _: pooled(s, c),
        }[way](setting, counts, rng)
        inside = int(covered(setting, sides).sum())
        refuted += stats.binom.cdf(inside, 300, CONFIDENCE) <= FALSE_ALARM
    assert refuted >= 3


@pytest.mark.parametrize(("n_problems", "n"), [(2, 2), (4, 2), (6, 3), (12, 2)])
@pytest.mark.parametrize("band", ["all-counts", "clopper-pearson"])
def test_the_coverage_of_few_problems_is_computed_not_simulated(n_problems, n, band):
    """All outcomes of small evaluations, weighted: at least 95 % for each of many laws of p."""
    tables = np.array(
        [
            cells
            for cells in itertools.product(range(n_problems + 1), repeat=n + 1)
            if sum(cells) == n_problems
        ]
    )
    counts = np.stack([np.repeat(np.arange(n + 1), cells) for cells in tables])
    setting = Setting("small", n_problems, n, ((1.0, 0.5),))
    lower, upper = exact_sides(setting, counts, band)
    rng = np.random.default_rng(SEED)
    steps = numeric.count_steps(n, np.arange(1.0, n + 1))
    least = shrunk = 1.0
    for _ in range(200):
        p = rng.dirichlet(rng.choice([0.2, 1.0, 5.0], size=n + 1))  # any law of the counts
        truth = (1 - np.cumsum(p)[:-1]) @ steps
        weights = stats.multinomial.pmf(tables, n_problems, p)
        inside = ((lower <= truth + 1e-12) & (truth - 1e-12 <= upper)).all(axis=1)
        least = min(least, float(weights @ inside))
        inside = ((lower + 0.2 <= truth) & (truth <= upper - 0.2)).all(axis=1)
        shrunk = min(shrunk, float(weights @ inside))
    assert least >= CONFIDENCE - 1e-9
    assert shrunk < CONFIDENCE  # the negative control


@pytest.mark.slow
@pytest.mark.parametrize("pick", ["best", "majority", "reward"])
def test_bands_at_listed_k_hold_together(pick):
    """Real scores, votes and rewards: the mean over many problems is taken for the truth."""
    rng = np.random.default_rng(SEED)
    ks = np.array([1.0, 3.0, 6.0])

    def values(n_problems):
        hard = rng.beta(0.7, 0.7, n_problems)
        if pick == "majority":  # two answers: the right one with chance `hard`
            counts = rng.binomial(6, hard)
            table = np.array([majority_of((c, 6 - c), (1.0, 0.0), 0, 0.0, ks) for c in range(7)])
            return table[counts]
        scores = rng.beta(1, 1 + 3 * hard[:, None], (n_problems, 6))
        if pick == "best":
            return numeric.best_of(scores, ks)
        return numeric.picked_by(scores.round(1) + rng.integers(2, size=scores.shape), scores, ks)

    truth = values(400_000).mean(axis=0)  # off by .0005, the bands are .2 wide
    ends = band_ends(25, 1 - 0.05 / 3, "ld-highest-density")
    inside, narrow, runs = 0, 0, 1000
    for _ in range(runs):
        g = values(25)
        low, high = numeric.anderson(g, *ends, (0.0, 1.0))
        inside += bool(((low <= truth) & (truth <= high)).all())
        close = np.abs(g.mean(axis=0) - truth) <= 0.5 * g.std(axis=0) / 5
        narrow += bool(close.all())
    assert stats.binom.cdf(inside, runs, CONFIDENCE) > FALSE_ALARM
    assert stats.binom.cdf(narrow, runs, CONFIDENCE) <= FALSE_ALARM  # the negative control


@pytest.mark.slow
def test_a_band_with_four_times_the_alpha_is_caught():
    """The negative control of the test itself: the exact band is conservative, one k is not.

    With one attempt the band is a Clopper-Pearson interval; at 80 % it is refuted as one of 95 %.
    """
    setting = SETTINGS[-1]
    counts, _ = draw(setting, 1000)
    below = (counts == 0).sum(axis=1)
    low, high = numeric.clopper_pearson(below, setting.n_problems, 0.2)
    inside = covered(setting, (1 - high[:, None], 1 - low[:, None]))
    assert stats.binom.cdf(inside.sum(), 1000, CONFIDENCE) <= FALSE_ALARM


@pytest.mark.slow
def test_attempts_until_the_first_success_are_covered():
    """The band of the first success, with limits that differ between problems."""
    rng = np.random.default_rng(SEED)
    for limits in ((20, 20), (5, 20)):
        inside, runs = 0, 1000
        truth = 1 - np.cumprod((2 + np.arange(20)) / (2.5 + np.arange(20)))  # Beta(.5, 2)
        for _ in range(runs):
            p = rng.beta(0.5, 2, 40)
            first = rng.geometric(np.maximum(p, 1e-12))
            most = rng.integers(limits[0], limits[1] + 1, 40)
            known = int(np.min(most[first > most], initial=20))
            solved = np.array([(first <= k).sum() for k in range(1, known + 1)])
            low, high = numeric.cdf_at(solved, *band_ends(40, 0.95, "ld-highest-density"))
            inside += bool(((low <= truth[:known]) & (truth[:known] <= high)).all())
        assert stats.binom.cdf(inside, runs, CONFIDENCE) > FALSE_ALARM


@pytest.mark.slow
def test_the_interval_about_a_benchmark_is_near_its_confidence_where_4k_is_at_most_n():
    """Problems fixed, attempts drawn anew: .92 to .97, as stated; approximate, not proven."""
    rng = np.random.default_rng(SEED)
    n, ks = 16, np.array([1.0, 2.0, 4.0])
    p = rng.beta(0.7, 0.6, 100)
    truth = 1 - ((1 - p[:, None]) ** ks).mean(axis=0)
    inside, runs = np.zeros(3), 2000
    table = numeric.count_values(n, ks)
    for _ in range(runs):
        counts = rng.binomial(n, p)
        variance = numeric.within_variance(counts, n, ks) / 100**2
        half = numeric.normal_half_width(variance, 0.95)
        inside += np.abs(table[counts].mean(axis=0) - truth) <= half
    assert (inside / runs >= 0.92).all()
    assert (inside / runs <= 0.975).all()
