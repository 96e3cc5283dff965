"""Search: the trials of one method as they were run, failed ones included.

`Search.scores()` turns a search into `Scores`, one number per trial, and says what a failed trial
counts as.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, as_caveats
from bestofk._base.text import counted, format_number
from bestofk._base.types import FAILED, Bounds, Direction, Failed, FloatArray
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.numeric import huge
from bestofk.scores.failed import failure, fill_costs
from bestofk.scores.names import looks_like_loss, stated_direction
from bestofk.scores.notebook import search_html
from bestofk.scores.optimism import validation_caveats
from bestofk.scores.scores import Scores
from bestofk.scores.trial import SAMPLINGS, STATES, Sampling, State, Trial, grid_size


@dataclass(frozen=True, eq=False, repr=False)
class Search:
    """The trials of one method, in start order: what was tried, what came out, how it was drawn.

    Parameters
    ----------
    metrics : mapping of str to array_like
        One entry per trial and metric, NaN where a trial has none.
    metric : str, optional
        The metric that is the score; may be left out when there is only one.
    test : str, optional
        The metric that is the test score belonging to the validation score `metric`.
    params : mapping of str to sequence
        The hyperparameters of each trial.
    costs : array_like, optional
        The cost of each trial, NaN for a failed trial whose cost is not known.
    states : sequence of {"complete", "failed", "pruned", "running"}, optional
        How each trial ended.  Left out: failed where the score is missing, complete elsewhere.
    numbers : array_like of int, optional
        The start order; trials are kept sorted by it.  Left out: 0, 1, 2, ... as they come.
    direction, bounds, label
        As in `Scores`.  By default, larger is better, unless `metric` looks like a loss: then the
        direction must be stated.
    sampling : {"iid", "without-replacement", "adaptive", "unknown"}
        How the settings were drawn.  All but "iid" become a caveat on every result.
    seed : int, optional
        The seed that the settings were drawn from, as our own runner records it: two searches with
        different seeds are known to be independent.
    grid : int, optional
        The number of settings of the grid from which they were drawn, as in `Scores`.
    notes : mapping of int to str
        What is known about single trials by number, such as why one failed.
    caveats : sequence of Caveat or str
        What else is to be known about the search as a whole.

    Examples
    --------
    >>> search = Search({"accuracy": [0.72, float("nan"), 0.92]}, sampling="iid", label="cnn")
    >>> search
    Search 'cnn': 3 trials (2 complete, 1 failed), score 'accuracy', maximize, sampling iid
    >>> search.scores(failed="drop").values
    array([0.72, 0.92])
    """

    metrics: Mapping[str, FloatArray]
    metric: str = field(default="", kw_only=True)
    test: str | None = field(default=None, kw_only=True)
    params: Mapping[str, Sequence[object]] = field(default_factory=dict, kw_only=True)
    costs: FloatArray | None = field(default=None, kw_only=True)
    states: tuple[State, ...] = field(default=(), kw_only=True)
    numbers: NDArray[np.int64] = field(default=None, kw_only=True)  # type: ignore[arg-type]
    direction: Direction = field(default=None, kw_only=True)  # type: ignore[arg-type]
    bounds: Bounds = field(default=(-math.inf, math.inf), kw_only=True)
    label: str = field(default="search", kw_only=True)
    sampling: Sampling = field(default="unknown", kw_only=True)
    seed: int | None = field(default=None, kw_only=True)
    grid: int | None = field(default=None, kw_only=True)
    notes: Mapping[int, str] = field(default_factory=dict, kw_only=True)
    caveats: tuple[Caveat, ...] = field(default=(), kw_only=True)

    if TYPE_CHECKING:  # what it takes is wider than what it keeps

        def __init__(
            self,
            metrics: Mapping[str, ArrayLike],
            *,
            metric: str = ...,
            test: str | None = ...,
            params: Mapping[str, Sequence[Any]] = ...,
            costs: ArrayLike | None = ...,
            states: Sequence[State] = ...,
            numbers: ArrayLike | None = ...,
            direction: Direction | None = ...,
            bounds: tuple[float | None, float | None] | None = ...,
            label: str = ...,
            sampling: Sampling = ...,
            seed: int | None = ...,
            grid: int | None = ...,
            notes: Mapping[int, str] = ...,
            caveats: str | Iterable[Caveat | str] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        if not isinstance(self.metrics, Mapping) or not self.metrics:
            raise DataError(
                argument="metrics",
                must="map at least one name to its values, one per trial",
                got=type(self.metrics).__name__,
            )
        metrics = {str(k): arguments.vector(str(k), v, nan=True) for k, v in self.metrics.items()}
        metric = self.metric or (next(iter(metrics)) if len(metrics) == 1 else "")
        if not metric:
            raise ArgumentError(
                argument="metric", must=f"name the score: one of {listing(metrics)}"
            )
        _known_metric(metric, metrics)
        if self.test is not None:
            _known_metric(self.test, metrics, "test")
        n = metrics[metric].size
        params = {str(k): _sequence(str(k), v) for k, v in self.params.items()}
        costs = None if self.costs is None else arguments.vector("costs", self.costs, nan=True)
        missing = np.isnan(metrics[metric])
        states = tuple(self.states) or tuple(np.where(missing, "failed", "complete").tolist())
        numbers = _whole_numbers(np.arange(n) if self.numbers is None else self.numbers)
        columns = [*metrics.items(), *params.items(), ("states", states), ("numbers", numbers)]
        for name, column in [*columns, *([] if costs is None else [("costs", costs)])]:
            if len(column) != n:
                raise DataError(
                    argument=name, must=f"have {n} entries, one per trial", got=f"{len(column)}"
                )
        for state in set(states):
            arguments.choice("states", state, STATES)
        arguments.choice("sampling", self.sampling, SAMPLINGS)
        grid, sampling = grid_size(self.grid, self.sampling, n)
        order = np.argsort(numbers, kind="stable")
        clean: dict[str, Any] = {
            "metrics": {k: arguments.fixed(v[order]) for k, v in metrics.items()},
            "metric": metric,
            "params": {k: _in_order(v, order) for k, v in params.items()},
            "costs": None if costs is None else arguments.fixed(costs[order]),
            "states": _in_order(states, order),
            "numbers": arguments.fixed(numbers[order]),
            "direction": stated_direction(metric, self.direction),
            "bounds": arguments.bounds(self.bounds),
            "label": str(self.label),
            "sampling": sampling,
            "grid": grid,
            "notes": dict(self.notes),
            "caveats": as_caveats(self.caveats),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)
        self._refuse_unusable()

    def _refuse_unusable(self) -> None:
        complete = self._in_state("complete")
        if self.costs is not None:
            known = np.where(np.isnan(self.costs), 0.0, self.costs)
            arguments.refuse_costs(known)
            lacking = np.flatnonzero(complete & np.isnan(self.costs))
            if lacking.size:
                raise DataError(
                    f"{self._where(lacking[0])}: a complete trial must have a cost; it is missing."
                )
        values = self.metrics[self.metric]
        lacking = np.flatnonzero(complete & np.isnan(values))
        if lacking.size:
            raise DataError(
                f"{self._where(lacking[0])}: a complete trial must have a score; it is missing. "
                'Mark it "failed" if it failed.'
            )
        arguments.refuse_outside(values, self.bounds, self.metric, self._where)

    @classmethod
    def from_trials(
        cls, trials: Iterable[Trial], *, metric: str = "score", **options: Any
    ) -> Search:
        """Make a search from single trials; `metric` and `options` are those of `Search`.

        Examples
        --------
        >>> Search.from_trials([Trial(number=0, score=0.5, params={"lr": 0.1})], sampling="iid")
        Search 'search': 1 trial (1 complete), score 'score', maximize, sampling iid
        """
        trials = list(trials)
        if not trials:
            raise DataError("a search must hold at least one trial; got none.")
        names = list(dict.fromkeys(name for t in trials for name in t.metrics))
        names = names if metric in names else [metric, *names]
        params = list(dict.fromkeys(name for t in trials for name in t.params))
        nan = math.nan
        metrics = {m: [t.metrics.get(m, nan) for t in trials] for m in names}
        metrics[metric] = [nan if t.score is None else t.score for t in trials]
        costs = [nan if t.cost is None else t.cost for t in trials]
        return cls(
            metrics,
            metric=metric,
            params={p: [t.params.get(p) for t in trials] for p in params},
            costs=None if all(t.cost is None for t in trials) else np.array(costs),
            states=tuple(t.state for t in trials),
            numbers=np.array([t.number for t in trials]),
            notes={t.number: t.note for t in trials if t.note},
            **options,
        )

    @property
    def n(self) -> int:
        """The number of trials, whatever their state."""
        return len(self.states)

    def __len__(self) -> int:
        return self.n

    @property
    def trials(self) -> list[Trial]:
        """The trials one by one, in start order."""
        values = self.metrics[self.metric]
        return [
            Trial(
                number=int(self.numbers[i]),
                score=None if math.isnan(values[i]) else float(values[i]),
                params={k: v[i] for k, v in self.params.items()},
                metrics={k: float(v[i]) for k, v in self.metrics.items() if not math.isnan(v[i])},
                cost=None
                if self.costs is None or math.isnan(self.costs[i])
                else float(self.costs[i]),
                state=self.states[i],
                note=self.notes.get(int(self.numbers[i]), ""),
            )
            for i in range(self.n)
        ]

    def scores(
        self,
        *,
        metric: str | None = None,
        failed: Failed = "raise",
        direction: Direction | None = None,
        bounds: Bounds | None = None,
    ) -> Scores:
        """Return one score per trial.

        Parameters
        ----------
        metric : str, optional
            Another metric than the search's own.
        failed : {"raise", "worst", "drop"}
            What a failed or pruned trial counts as.  A crashed setting is part of what random
            search draws, so "raise" asks you to decide; "worst" gives it the bound on the bad
            side, or an infinitely bad score where there is none; "drop" leaves it out, which
            answers another question.  Both add a caveat.
        direction, bounds
            Of the metric, if not those of the search.  Another metric has no bounds unless given,
            and the direction of the search, with a caveat, unless given; that of a metric that
            looks like a loss must be stated if the search is maximized.
        """
        name = self.metric if metric is None else _known_metric(metric, self.metrics)
        own = name == self.metric
        arguments.choice("failed", failed, FAILED)
        caveats = [*self.caveats]
        if direction is None and not own:
            if self.direction == "maximize" and looks_like_loss(name):
                stated_direction(name, None)  # raises, and says the way out
            better = "larger" if self.direction == "maximize" else "smaller"
            text = f"`{name}` is taken to be better when it is {better}"
            remedy = f"state it with {arg('direction')}"
            caveats.append(Caveat(kind="direction-assumed", text=text, remedy=remedy))
        way = self.direction if direction is None else arguments.direction(direction)
        limits = arguments.bounds(self.bounds if own and bounds is None else bounds)

        values = self.metrics[name].copy()
        unusable = ~self._in_state("complete") | np.isnan(values)
        if unusable.any() and failed == "raise":
            first = int(np.flatnonzero(unusable)[0])
            note = self.notes.get(int(self.numbers[first]))
            where = note or f"{self.label}, trial {int(self.numbers[first])}"
            state = self.states[first]
            raise DataError(failure(where, state, name, int(unusable.sum()), noted=bool(note)))
        running = self._in_state("running")
        ended_badly = unusable & ~running
        keep = ~running if failed == "worst" else ~unusable
        if ended_badly.any():
            count = f"{int(ended_badly.sum())} of {self.n} trials failed or were pruned"
            if failed == "worst":
                worst = limits[0 if way == "maximize" else 1]
                values[ended_badly] = worst
                text = f"{count} and count as the worst score ({format_number(worst)})"
                caveats.append(Caveat(kind="failed-worst", text=text))
            else:
                text = f"{count} and were left out: the curve is that of a search that never fails"
                caveats.append(Caveat(kind="failed-dropped", text=text))
        if running.any():
            text = (
                f"{int(running.sum())} of {self.n} trials were still running and were left out, "
                "which favours fast trials"
            )
            caveats.append(Caveat(kind="running", text=text))
        if not keep.any():
            raise DataError(f"{self.label}: no trial with a score is left; all {self.n} failed.")
        costs = mean_cost = None
        if self.costs is not None:
            ended, notes = fill_costs(self.costs[~running])
            costs, mean_cost = ended[keep[~running]], huge.mean(ended)
            caveats.extend(notes)
        caveats += validation_caveats(self, name, np.where(keep, values, np.nan), way)
        # Test scores have no direction of their own, hence no worst one: without all, none.
        test = self.metrics[self.test][keep] if self.test is not None and own else None
        return Scores(
            values[keep],
            direction=way,
            bounds=limits,
            costs=costs,
            mean_cost=mean_cost,
            test=None if test is None or np.isnan(test).any() else test,
            label=self.label,
            seed=self.seed,
            sampling=self.sampling,
            # Of a grid without its failed settings the size is not known.
            grid=self.grid if keep.all() else None,
            metric=name,
            caveats=tuple(caveats),
        )

    def _in_state(self, state: State) -> NDArray[np.bool_]:
        return np.array([s == state for s in self.states], dtype=bool)

    def _where(self, index: int) -> str:
        number = int(self.numbers[index])
        return self.notes.get(number) or f"{self.label}, trial {number}"

    def __repr__(self) -> str:
        counts = [f"{self.states.count(s)} {s}" for s in STATES if s in self.states]
        text = (
            f"Search {self.label!r}: {counted(self.n, 'trial')} ({', '.join(counts)}), "
            f"score {self.metric!r}, {self.direction}, sampling {self.sampling}"
            f"{'' if self.grid is None else f' (grid of {self.grid:,})'}"
        )
        return "\n".join([text, *(f"! {c}" for c in self.caveats)])

    def _repr_html_(self) -> str:
        return search_html(self)


def listing(names: Iterable[object]) -> str:
    """Return names for a message."""
    return ", ".join(repr(str(name)) for name in names)


def _known_metric(name: str, metrics: Mapping[str, Any], argument: str = "metric") -> str:
    if name not in metrics:
        raise ArgumentError(argument=argument, must=f"be one of {listing(metrics)}", got=repr(name))
    return name


def _sequence(name: str, value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise DataError(argument=name, must="be a sequence, one entry per trial", got=repr(value))
    return tuple(value)


def _in_order(values: tuple[Any, ...], order: NDArray[np.intp]) -> tuple[Any, ...]:
    sorted_already = bool((order[1:] > order[:-1]).all())
    return values if sorted_already else tuple(values[i] for i in order.tolist())


def _whole_numbers(value: ArrayLike) -> NDArray[np.int64]:
    numbers = np.asarray(value)
    if numbers.dtype.kind not in "iu" or numbers.ndim != 1:
        raise DataError(argument="numbers", must="be whole numbers, one per trial", got=repr(value))
    found, counts = np.unique(numbers, return_counts=True)
    if (counts > 1).any():
        raise DataError(
            f"`numbers` must be different for every trial; {found[counts > 1][0]} comes "
            f"{counts[counts > 1][0]} times."
        )
    return numbers.astype(np.int64)
