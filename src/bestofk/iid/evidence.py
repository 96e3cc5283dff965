"""The single tests: what is compared with chance, and how the outcome reads."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bestofk._base.types import FloatArray
from bestofk.numeric import columns, ranktests
from bestofk.numeric.columns import IntArray
from bestofk.numeric.ranktests import PValue
from bestofk.scores.search import Search


@dataclass(frozen=True, kw_only=True)
class Test:
    """A test that can be run on a search.

    `run` takes the most random orders to draw and a generator.  `quiet` is what a test says that is
    not flagged, `loud` returns what one says that is.
    """

    name: str
    run: Callable[[int, np.random.Generator], PValue]
    quiet: str
    loud: Callable[[], str]


def tests_of(search: Search, settings: Mapping[str, Sequence[Any]]) -> list[Test]:
    """Return the tests that can be run on a search, looking at some of its parameters.

    Examples
    --------
    >>> [test.name for test in tests_of(Search({"score": [0.1, 0.3, 0.2, 0.4]}), {})]
    ['scores: trend', 'scores: neighbours']
    """
    return [
        *_score_tests(search),
        *_param_tests(settings),
        *_repeat_tests(search, settings),
        *_completion_tests(search),
    ]


def _score_tests(search: Search) -> list[Test]:
    ended = np.array([s != "running" for s in search.states])
    complete = np.array([s == "complete" for s in search.states])
    worst = -math.inf if search.direction == "maximize" else math.inf
    values = np.where(complete, search.metrics[search.metric], worst)[ended]
    return _order_tests("scores", [("", c) for c in columns.rank_columns(values)])


def _param_tests(settings: Mapping[str, Sequence[Any]]) -> list[Test]:
    named = [(name, c) for name, v in settings.items() for c in columns.parameter_columns(v)]
    return _order_tests("params", named)


def _order_tests(of: str, named: Sequence[tuple[str, columns.Column]]) -> list[Test]:
    """Return the tests for a trend and for dependent neighbours, one each for all columns."""
    if not named:
        return []
    table = np.stack([column.numbers for _, column in named], axis=1)
    names = [(name, column.meaning) for name, column in named]
    n = table.shape[0]
    out = []
    if n >= 3:

        def drifts(column: int, z: float) -> str:
            strength = f"rank correlation with start order {z / math.sqrt(n - 1):.2f}"
            return f"{_drift(*names[column], z > 0)} ({strength})"

        quiet = "no drift over start order found"
        out.append(_extreme(f"{of}: trend", ranktests.trend_scores, table, quiet, drifts))
    still = np.array([meaning != columns.SPREAD for _, meaning in names])
    still &= ranktests.steady(table) | (of == "scores")
    if n >= 4 and still.any():
        near = [name for (name, _), s in zip(names, still, strict=True) if s]

        def depend(column: int, z: float) -> str:
            alike = "more alike" if z > 0 else "less alike"
            what = f"in `{near[column]}`" if near[column] else "in score"
            return f"neighbouring trials are {alike} {what} than chance allows"

        quiet, score = "no dependence between neighbours found", ranktests.neighbour_scores
        out.append(_extreme(f"{of}: neighbours", score, table[:, still], quiet, depend))
    return out


def _extreme(
    name: str,
    score: Callable[[IntArray, FloatArray], FloatArray],
    table: FloatArray,
    quiet: str,
    loud: Callable[[int, float], str],
) -> Test:
    """Return the test whether a column's score is further from 0 than in other orders.

    `loud` takes the column whose score is furthest, and that score.
    """
    n = table.shape[0]

    def statistic(orders: IntArray) -> FloatArray:
        return np.asarray(np.abs(score(orders, table)).max(axis=1))

    def furthest() -> str:
        z = score(np.arange(n, dtype=np.intp)[None, :], table)[0]
        most = int(np.argmax(np.abs(z)))
        return loud(most, z[most])

    return Test(name=name, run=_order_run(statistic, n), quiet=quiet, loud=furthest)


def _order_run(
    statistic: ranktests.Statistic, n: int
) -> Callable[[int, np.random.Generator], PValue]:
    return lambda most, rng: ranktests.permutation_p(statistic, n, most, rng)


def _drift(name: str, meaning: str, up: bool) -> str:
    what = f"values of `{name}`" if name else "scores"
    if meaning == columns.VALUES:
        return f"later {what} are {'higher' if up else 'lower'}"
    if meaning == columns.SPREAD:
        return f"later {what} vary {'more' if up else 'less'}"
    return f"`{name}` is {meaning} {'more' if up else 'less'} often later on"


def _repeat_tests(search: Search, settings: Mapping[str, Sequence[Any]]) -> list[Test]:
    """Return the tests of what repeats: whole settings, or scores where there are none."""
    coded = [columns.equal_codes([columns.identity(v) for v in vs]) for vs in settings.values()]
    if coded:
        what = "settings"
        codes = columns.equal_codes(list(zip(*(c.tolist() for c in coded), strict=True)))
    else:
        what = "scores"
        complete = [s == "complete" for s in search.states]
        codes = columns.equal_codes(search.metrics[search.metric][complete].tolist())
    sizes = [int(c.max()) + 1 for c in coded]
    out = []
    # All levels of every parameter must have been seen for the size of the space to be known.
    if any(d > 1 for d in sizes) and all(5 * d <= codes.size for d in sizes):
        out.append(_too_few_test(codes, math.prod(sizes)))
    if codes.size and 1 < codes.max() + 1 < codes.size:
        out += [_too_even_test(codes, what), _distance_test(codes, what)]
    return out


def _too_few_test(codes: IntArray, cells: int) -> Test:
    n = codes.size
    p = ranktests.no_repeats_p(n, cells)
    seen = PValue(p if codes.max() + 1 == n else 1.0, p)
    none = f"none of {n} settings repeats in a space of {cells}, as if drawn without replacement"
    return Test(
        name="repeats: too few",
        run=lambda most, rng: seen,
        quiet="settings not found to repeat too rarely",
        loud=lambda: none,
    )


def _too_even_test(codes: IntArray, what: str) -> Test:
    counts = np.bincount(codes)
    repeats = f"{codes.size - counts.size} of {codes.size} {what} repeat an earlier one"
    return Test(
        name="repeats: too even",
        run=lambda most, rng: PValue(ranktests.evenness_p(counts, most, rng), 0.0),
        quiet=f"{repeats}; not found to be too even",
        loud=lambda: f"{repeats}, too evenly for independent draws",
    )


def _distance_test(codes: IntArray, what: str) -> Test:
    def loud() -> str:
        distance, pairs = ranktests.fixed_distance(codes)
        if distance == 1:
            return f"{pairs} of {codes.size} {what} equal those of the trial before"
        return (
            f"{pairs} of {codes.size} {what} equal those {distance} trials earlier, as when a seed "
            "is used twice or a list is gone through again"
        )

    run = _order_run(ranktests.copy_distance(codes), codes.size)
    quiet = "no fixed distance between repeats found"
    return Test(name="repeats: distance", run=run, quiet=quiet, loud=loud)


def _completion_tests(search: Search) -> list[Test]:
    """Return the test whether scores go with costs, which matters while trials are running."""
    complete = np.array([s == "complete" for s in search.states])
    running = search.states.count("running")
    if not running or search.costs is None or complete.sum() < 3:
        return []
    scores = columns.centred_ranks(search.metrics[search.metric][complete])[:, None]
    costs = columns.centred_ranks(search.costs[complete])
    if not (np.ptp(scores) and np.ptp(costs)):
        return []
    still = f"{running} of {search.n} trials are still running"

    def together(orders: IntArray, table: FloatArray) -> FloatArray:
        return ranktests.trend_scores(orders, table, costs)

    def loud(_: int, z: float) -> str:
        which = "higher" if z > 0 else "lower"
        return f"{still} and costly ones score {which}: what has finished favours cheap settings"

    quiet = f"{still}; no relation of scores to costs found"
    return [_extreme("completion order", together, scores, quiet, loud)]
