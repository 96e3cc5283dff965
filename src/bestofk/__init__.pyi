# The public names for type checkers; __init__.py loads them on first use.

from bestofk import baselines as baselines
from bestofk import cv as cv
from bestofk import datasets as datasets
from bestofk import space as space
from bestofk._base.caveat import Caveat as Caveat
from bestofk.comparison.compare import compare as compare
from bestofk.comparison.comparison import Comparison as Comparison
from bestofk.comparison.importance import Importance as Importance
from bestofk.comparison.importance import ImportanceTable as ImportanceTable
from bestofk.comparison.importance import importance as importance
from bestofk.comparison.pair import Pair as Pair
from bestofk.curves.band import Band as Band
from bestofk.curves.cdf_band import CDFBand as CDFBand
from bestofk.curves.cdf_band import cdf_band as cdf_band
from bestofk.curves.cost import cost_curve as cost_curve
from bestofk.curves.estimate import expected_best as expected_best
from bestofk.curves.make_band import tuning_band as tuning_band
from bestofk.curves.tuning import Curve as Curve
from bestofk.curves.tuning import tuning_curve as tuning_curve
from bestofk.errors import ArgumentError as ArgumentError
from bestofk.errors import BestofkError as BestofkError
from bestofk.errors import DataError as DataError
from bestofk.iid.check import check_iid as check_iid
from bestofk.monitor.rules import StopWhen as StopWhen
from bestofk.monitor.watch import Monitor as Monitor
from bestofk.planning.more_trials import MoreTrials as MoreTrials
from bestofk.planning.more_trials import more_trials as more_trials
from bestofk.planning.plan import Plan as Plan
from bestofk.planning.plan import plan as plan
from bestofk.planning.power import Power as Power
from bestofk.planning.power import power as power
from bestofk.render.report.write import report as report
from bestofk.runner.run import resume_search as resume_search
from bestofk.runner.run import run_search as run_search
from bestofk.scores.scores import Scores as Scores
from bestofk.scores.search import Search as Search
from bestofk.sources.export import export as export
from bestofk.sources.registry import read as read
from bestofk.sources.registry import read_all as read_all

__version__: str
