"""The public names, in the order of the reference; every one stands in one group."""

from __future__ import annotations

import functools
import inspect
import re
from typing import Any

GROUPS = {
    "Data": "read read_all read_attempts read_repeats export Scores Search Attempts Repeats "
    "datasets.load_example datasets.load_sst5 datasets.load_repeats datasets.load_countdown",
    "Curves and bands": "tuning_curve tuning_band cdf_band cost_curve expected_best plot Curve "
    "Band CDFBand",
    "Comparing": "compare importance Comparison Pair Importance ImportanceTable",
    "Planning and stopping": "plan power more_trials Plan Power MoreTrials Monitor StopWhen",
    "Attempts and repeated searches": "pass_curve pass_band pass_bounds plan_attempts plan_repeats",
    "Checking and reporting": "check_iid report Caveat",
    "Running a search": "run_search resume_search space.Space space.uniform space.loguniform "
    "space.integer space.quantised space.normal space.exponential space.choice space.constant",
    "Cross-validation": "cv.JKFoldSearchCV cv.recommend cv.replay cv.variability cv.Advice "
    "cv.Replay cv.Variability",
    "Methods of others": "baselines.bootstrap_band baselines.noisy_quadratic "
    "baselines.BootstrapBand baselines.NoisyQuadratic",
    "Errors": "BestofkError ArgumentError DataError errors.MissingPackageError "
    "errors.CaveatWarning",
}
# What functions return and nobody constructs: documented, but no name to import.
RETURNED = (
    "curves.band.BandPoint curves.cdf_band.CDFPoint curves.cost.CostCurve curves.tail.Tail "
    "comparison.evidence.Evidence comparison.pair.Range comparison.pair.Crossing "
    "comparison.speedup.Speedup comparison.tested.Tested comparison.importance_result.Place "
    "comparison.importance_result.ImportanceRow iid.check.IIDCheck scores.trial.Trial "
    "monitor.rules.Width monitor.rules.Beats monitor.status.MonitorPoint "
    "monitor.status.MonitorStatus monitor.status.MonitorBand monitor.status.MethodStatus "
    "attempts.curve.PassCurve attempts.band.PassBand attempts.beyond.PassBounds "
    "attempts.comparison.AttemptsComparison attempts.pair.AttemptsPair "
    "attempts.plan.AttemptsPlan repeats.curve.RepeatsCurve repeats.band.RepeatsBand "
    "repeats.comparison.RepeatsComparison repeats.pair.RepeatsPair repeats.pair.RepeatsSpeedup "
    "repeats.plan.RepeatsPlan space.distributions.Distribution"
)
# Members that serve other parts of bestofk.
INTERNAL = re.compile(
    r"(marked_|merged)\w*|PARTS|schema|paper_bands|base|ready|rows|schedule|views?|single|evaluate"
    r"|own_band|own_curve|compared|hatched|narrowed|check|place"
)


def groups() -> dict[str, list[str]]:
    """Return the names after `bestofk.`, by the heading that they stand under."""
    found = {title: names.split() for title, names in GROUPS.items()}
    return found | {"What functions return": RETURNED.split()}


def thing(name: str) -> Any:
    """Return what a name after `bestofk.` stands for."""
    import bestofk

    # Not pydoc.locate, which takes the module for the function if both have one name (Python 3.13).
    return functools.reduce(getattr, name.split("."), bestofk)


def summary(name: str) -> str:
    """Return the first line of the docstring."""
    return inspect.getdoc(thing(name)).split("\n\n")[0].replace("\n", " ")


def public() -> set[str]:
    """Return every name that `bestofk` and its modules list in `__all__`, modules taken apart."""
    import bestofk as bk

    names = {n for n in bk.__all__ if n != "__version__"}
    modules = {n for n in names if inspect.ismodule(getattr(bk, n))}
    inside = {f"{m}.{n}" for m in modules for n in getattr(bk, m).__all__}
    return (names - modules) | inside


def classes() -> dict[str, str]:
    """Return the full name of every class by its last part."""
    listed = [name for names in groups().values() for name in names]
    return {n.rpartition(".")[2]: f"bestofk.{n}" for n in listed if inspect.isclass(thing(n))}
