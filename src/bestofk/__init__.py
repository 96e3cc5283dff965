"""Tuning curves with exact confidence: how good the best of k tries is, as a function of k.

>>> import bestofk as bk
>>> curve = bk.tuning_curve([0.72, 0.83, 0.92, 0.68, 0.75])
>>> curve.at(2)
0.83
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bestofk._version import __version__

if TYPE_CHECKING:
    from bestofk.bands import Band as Band
    from bestofk.bands import tuning_band as tuning_band
    from bestofk.bootstrap import BootstrapBand as BootstrapBand
    from bestofk.bootstrap import bootstrap_band as bootstrap_band
    from bestofk.comparison import Comparison as Comparison
    from bestofk.comparison import compare as compare
    from bestofk.costs import CostCurve as CostCurve
    from bestofk.costs import cost_curve as cost_curve
    from bestofk.curves import Curve as Curve
    from bestofk.curves import running_best as running_best
    from bestofk.curves import selected_test_curve as selected_test_curve
    from bestofk.curves import tuning_curve as tuning_curve
    from bestofk.cv.advice import Advice as Advice
    from bestofk.cv.advice import recommend as recommend
    from bestofk.cv.replay import Replay as Replay
    from bestofk.cv.replay import replay as replay
    from bestofk.cv.search import JKFoldSearchCV as JKFoldSearchCV
    from bestofk.cv.variability import Variability as Variability
    from bestofk.cv.variability import variability as variability
    from bestofk.datasets import load_example as load_example
    from bestofk.datasets import load_sst5 as load_sst5
    from bestofk.distribution import CDFBand as CDFBand
    from bestofk.distribution import cdf_band as cdf_band
    from bestofk.effects import effect as effect
    from bestofk.errors import ArgumentError as ArgumentError
    from bestofk.errors import BestofkError as BestofkError
    from bestofk.errors import DataError as DataError
    from bestofk.errors import MissingPackageError as MissingPackageError
    from bestofk.estimates import expected_best as expected_best
    from bestofk.iid import IIDCheck as IIDCheck
    from bestofk.iid import check_iid as check_iid
    from bestofk.importances import Importance as Importance
    from bestofk.importances import importance as importance
    from bestofk.monitor.rules import StopWhen as StopWhen
    from bestofk.monitor.status import MonitorBand as MonitorBand
    from bestofk.monitor.status import MonitorStatus as MonitorStatus
    from bestofk.monitor.watch import Monitor as Monitor
    from bestofk.planning import Plan as Plan
    from bestofk.planning import plan as plan
    from bestofk.powers import Power as Power
    from bestofk.powers import power as power
    from bestofk.reporting import report as report
    from bestofk.runner.draw import Draw as Draw
    from bestofk.runner.run import resume_search as resume_search
    from bestofk.runner.run import run_search as run_search
    from bestofk.runner.space import Space as Space
    from bestofk.scores.sample import Scores as Scores
    from bestofk.scores.search import Search as Search
    from bestofk.scores.search import Trial as Trial
    from bestofk.sources.exports import export as export
    from bestofk.sources.registry import read as read

# Where each public name lives.  They load on first use, so that `import bestofk` stays fast.
_HOME = {
    "Advice": "cv.advice",
    "ArgumentError": "errors",
    "Band": "bands",
    "BestofkError": "errors",
    "BootstrapBand": "bootstrap",
    "CDFBand": "distribution",
    "Comparison": "comparison",
    "CostCurve": "costs",
    "Curve": "curves",
    "DataError": "errors",
    "Draw": "runner.draw",
    "IIDCheck": "iid",
    "Importance": "importances",
    "MissingPackageError": "errors",
    "Monitor": "monitor.watch",
    "MonitorBand": "monitor.status",
    "MonitorStatus": "monitor.status",
    "Plan": "planning",
    "Power": "powers",
    "Replay": "cv.replay",
    "Scores": "scores.sample",
    "Search": "scores.search",
    "Space": "runner.space",
    "StopWhen": "monitor.rules",
    "Trial": "scores.search",
    "Variability": "cv.variability",
    "bootstrap_band": "bootstrap",
    "cdf_band": "distribution",
    "check_iid": "iid",
    "compare": "comparison",
    "cost_curve": "costs",
    "effect": "effects",
    "expected_best": "estimates",
    "export": "sources.exports",
    "importance": "importances",
    "load_example": "datasets",
    "load_sst5": "datasets",
    "plan": "planning",
    "power": "powers",
    "read": "sources.registry",
    "recommend": "cv.advice",
    "replay": "cv.replay",
    "report": "reporting",
    "resume_search": "runner.run",
    "run_search": "runner.run",
    "running_best": "curves",
    "selected_test_curve": "curves",
    "tuning_band": "bands",
    "tuning_curve": "curves",
    "variability": "cv.variability",
}

# These need an extra, so that `from bestofk import *` leaves them out.
_OPTIONAL = {"JKFoldSearchCV": "cv.search"}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name == "cv":  # bk.cv.replay
        return import_module("bestofk.cv")
    home = _HOME.get(name) or _OPTIONAL.get(name)
    if home is None:
        raise AttributeError(f"module 'bestofk' has no attribute {name!r}")
    value = getattr(import_module(f"bestofk.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, *_OPTIONAL, "__doc__", "__file__", "__name__", "__path__"])
