"""A user's script that touches every public name; tools/check_wheel.sh runs mypy --strict on it.

tests/test_public.py checks that no name is missing here.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bestofk as bk
from bestofk import baselines, cv, datasets, space

version: str = bk.__version__
scores: bk.Scores = bk.Scores([0.72, 0.83, 0.92, 0.68, 0.75], bounds=(0, 1), label="cnn")
caveat: bk.Caveat = bk.Caveat(kind="stated", text="three folds only")
search: bk.Search = bk.Search({"accuracy": [0.7, 0.9]}, sampling="iid", caveats=(caveat,))
read: bk.Search = bk.read({"accuracy": [0.7, 0.9]})
several: dict[str, bk.Search] = bk.read_all({"accuracy": [0.7, 0.9], "m": ["a", "b"]}, by="m")
bk.export(search, io.StringIO(), format="csv")

curve: bk.Curve = bk.tuning_curve(scores, statistic="mean", estimator="u")
one: float = curve.at(2)
many: NDArray[np.float64] = curve.at([1, 2])
best: float = bk.expected_best(scores, 2)
band: bk.Band = bk.tuning_band(scores, confidence=0.8, band="ks")
lower: float = band.at(2).lower
sides: NDArray[np.float64] = band.at([1, 2]).upper
cdf: bk.CDFBand = bk.cdf_band(scores, band="dkw")
share: float = cdf.at(0.8).estimate
cost: NDArray[np.float64] = bk.cost_curve(scores, costs=[1, 2, 3, 4, 5]).estimate
boot: baselines.BootstrapBand = baselines.bootstrap_band(scores, n_resamples=20)

duel: bk.Comparison = bk.compare(scores, bk.Scores([0.5, 0.6, 0.7], label="svm"))
pair: bk.Pair = duel.pair("cnn", "svm")
winner: str = pair.certified_at(2)
verdict: str = duel.verdict
example = datasets.load_example()
gamma: bk.Importance = bk.importance(example["svm"], "gamma")
table: bk.ImportanceTable = bk.importance(example["svm"])
sst5: bk.Search = datasets.load_sst5()["cnn"]
played: bk.Attempts = datasets.load_countdown(0.6, reward="likelihood")["large"]
tpe: bk.Repeats = datasets.load_repeats("wine")["tpe"]
against: bk.Repeats | bk.Search = datasets.load_repeats("wine", random="search")["random"]
assert isinstance(against, bk.Search)

plan: bk.Plan = bk.plan(budget=20)
more: bk.MoreTrials = bk.more_trials(scores, 5)
power: bk.Power = bk.power(scores, scores, budget=2, trials=9)
passed: bool = bk.check_iid(scores).passed
attempts: bk.Attempts = bk.Attempts.of_array([[1, 0], [0, 0]])
by_model: dict[str, bk.Attempts] = bk.read_attempts({"task_id": ["a", "a"], "passed": [1, 0]})
passes: float = bk.pass_curve(attempts).at(2)
low: float = bk.pass_band(attempts).at(1).lower
ahead: str = bk.compare({"a": attempts, "b": attempts}, budgets=[1]).pairs[0].certified_at(1)
wide: str = bk.pass_bounds(attempts, budgets=[9]).summary
problems: int = bk.plan_attempts(attempts, budget=1).problems
by_sampler: dict[str, bk.Repeats] = bk.read_repeats({"seed": [0, 0, 1, 1], "acc": [1, 2, 3, 4]})
repeats: bk.Repeats = bk.Repeats.of_array([[1, 2], [2, 1]], seeds=[0, 1])
reached: float = bk.tuning_band(repeats, unequal="interval").at(2).lower
path: float = bk.tuning_curve(repeats).at(2)
enough: int = bk.plan_repeats(10, repeats=9).needed
monitor: bk.Monitor = bk.Monitor(horizon=20, rule=bk.StopWhen.width(budget=2, at_most=0.1))
monitor.update(scores)
stop: bool = monitor.status().stop
steady: cv.Variability = cv.variability([[0.5, 0.7], [0.6, 0.8]])
again: cv.Replay = cv.replay([[0.5, 0.7], [0.6, 0.8]], n_repeats=1, n_replays=3)
advice: cv.Advice = cv.recommend(budget=20)

drawn = {"lr": space.loguniform(1e-5, 1e-1), "layers": space.integer(1, 4)}
whole: space.Space = space.Space(drawn)


def objective(params: dict[str, float], trial: object) -> float:
    """Return a score."""
    return params["lr"]


def run(store: str) -> bk.Search:
    """Run a search, go on with it, and report on it."""
    bk.run_search(objective, whole, n_trials=2, seed=1, name="a", store=store, n_workers=0)
    found: bk.Search = bk.resume_search("a", store=store)
    written: Path = bk.report(found, "report.html")
    assert written
    return found


def draw() -> object:
    """Draw two results together, where matplotlib is installed."""
    return bk.plot([curve, band])


try:
    bk.tuning_curve([])
except bk.DataError as error:
    told: str = str(error)
try:
    bk.tuning_band(scores, confidence=95)
except bk.ArgumentError as wrong:
    argument: str | None = wrong.argument
assert issubclass(bk.DataError, bk.BestofkError)
assert [caveat.kind for caveat in curve.caveats] == ["sampling-unknown"]
assert curve.validity == "assumed"
