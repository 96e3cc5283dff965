"""Tuning curves with exact confidence: how good the best of k tries is, as a function of k.

>>> import bestofk as bk
>>> curve = bk.tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75])
>>> curve.at(2)
0.83
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from bestofk._version import __version__

# Where each public name lives.  They load on first use, so that `import bestofk` stays fast;
# type checkers read __init__.pyi.
_HOME = {
    "ArgumentError": "errors",
    "Attempts": "attempts.attempts",
    "Band": "curves.band",
    "BestofkError": "errors",
    "CDFBand": "curves.cdf_band",
    "Caveat": "_base.caveat",
    "Comparison": "comparison.comparison",
    "Curve": "curves.tuning",
    "DataError": "errors",
    "Importance": "comparison.importance",
    "ImportanceTable": "comparison.importance",
    "Monitor": "monitor.watch",
    "MoreTrials": "planning.more_trials",
    "Pair": "comparison.pair",
    "Plan": "planning.plan",
    "Power": "planning.power",
    "Repeats": "repeats.repeats",
    "Scores": "scores.scores",
    "Search": "scores.search",
    "StopWhen": "monitor.rules",
    "cdf_band": "curves.cdf_band",
    "check_iid": "iid.check",
    "compare": "comparison.compare",
    "cost_curve": "curves.cost",
    "expected_best": "curves.estimate",
    "export": "sources.export",
    "importance": "comparison.importance",
    "more_trials": "planning.more_trials",
    "pass_band": "attempts.band",
    "pass_bounds": "attempts.beyond",
    "pass_curve": "attempts.curve",
    "plan": "planning.plan",
    "plan_attempts": "attempts.plan",
    "plan_repeats": "repeats.plan",
    "plot": "_base.together",
    "power": "planning.power",
    "read": "sources.registry",
    "read_all": "sources.registry",
    "read_attempts": "sources.attempts.read",
    "read_repeats": "sources.repeats.read",
    "report": "render.report.write",
    "resume_search": "runner.run",
    "run_search": "runner.run",
    "tuning_band": "curves.make_band",
    "tuning_curve": "curves.tuning",
}
_MODULES = ("baselines", "cv", "datasets", "space")

__all__ = ["__version__", *_MODULES, *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return import_module(f"bestofk.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'bestofk' has no attribute {name!r}")
    value = getattr(import_module(f"bestofk.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__doc__", "__file__", "__name__", "__path__"])
