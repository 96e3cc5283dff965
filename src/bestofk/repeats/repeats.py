"""Repeats: several whole searches of one method, each with a seed of its own, as they were run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, as_caveats
from bestofk._base.text import counted, format_number
from bestofk._base.types import AXES, Axis, Bounds, Direction, FloatArray
from bestofk.errors import DataError, arg, marked
from bestofk.repeats import columns
from bestofk.repeats.notebook import InNotebook
from bestofk.scores.search import Search
from bestofk.scores.trial import SAMPLINGS, Sampling

if TYPE_CHECKING:
    from bestofk.repeats.band import RepeatsBand
    from bestofk.repeats.comparison import RepeatsComparison
    from bestofk.repeats.curve import RepeatsCurve

OfRepeats: TypeAlias = Literal["score", "test"]
OF_REPEATS: tuple[OfRepeats, ...] = ("score", "test")
SLACK = 1e-9  # relative: running sums of costs are rounded


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Repeats(InNotebook):
    """Several whole searches of one method: what the best so far was, trial by trial, in each.

    One search that learns from its own scores says nothing about the next one.  Repeated with new
    seeds, its paths of the best so far are independent draws, and `tuning_band` encloses their
    median.  `of_array`, `of_rows` and `of_searches` make repeats from a matrix, from a table with
    one row per trial, and from searches.

    Parameters
    ----------
    names : sequence of str
        The name of each repeat.
    scores : sequence of array_like
        One array per repeat: the score of each trial in the order in which they were run.  A trial
        without a score (NaN) counts as a trial and is never the best.
    costs : sequence of array_like, optional
        What each trial cost, such as its time: finite and not negative.  After a total cost, the
        trials count whose running sum does not exceed it.
    tests : sequence of array_like, optional
        The test score of each trial, on the scale of the scores; NaN where it was never the best.
    seeds : sequence, optional
        The seed of each repeat, None where it is not known.  No two may share one.
    direction : {"maximize", "minimize"}
        Whether larger or smaller scores are better.
    bounds : (low, high), optional
        What a score can be at all; None where open.
    sampling : {"iid", "without-replacement", "adaptive", "unknown"}
        How the settings inside a repeat were drawn: "iid" for random search.
    sampler : str, optional
        What drew them, such as "TPESampler".
    planned : int, optional
        The number of trials planned for every repeat.
    label : str
        The name in tables and figures, such as the method's.
    caveats : sequence of Caveat or str
        What anyone who reads a result made from these repeats has to know.

    Examples
    --------
    >>> Repeats.of_array([[0.5, 0.7, 0.6], [0.4, 0.4, 0.8]], seeds=[0, 1], label="tpe")
    Repeats 'tpe': 2 repeats, 3 trials each, maximize
    """

    names: tuple[str, ...]
    scores: tuple[FloatArray, ...]
    costs: tuple[FloatArray, ...] | None = None
    tests: tuple[FloatArray, ...] | None = None
    seeds: tuple[str | None, ...] | None = None
    direction: Direction = "maximize"
    bounds: Bounds = (-math.inf, math.inf)
    sampling: Sampling = "unknown"
    sampler: str | None = None
    planned: int | None = None
    label: str = "repeats"
    caveats: tuple[Caveat, ...] = ()
    compared_by: ClassVar[tuple[str, ...]] = ("statistic", "axis")

    if TYPE_CHECKING:  # what it takes is wider than what it keeps

        def __init__(
            self,
            *,
            names: Sequence[object],
            scores: Sequence[ArrayLike],
            costs: Sequence[ArrayLike] | None = ...,
            tests: Sequence[ArrayLike] | None = ...,
            seeds: Sequence[object] | None = ...,
            direction: Direction = ...,
            bounds: tuple[float | None, float | None] | None = ...,
            sampling: Sampling = ...,
            sampler: str | None = ...,
            planned: int | None = ...,
            label: str = ...,
            caveats: str | Iterable[Caveat | str] = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        names = columns.named(self.names)
        limits = arguments.bounds(self.bounds)
        way = arguments.direction(self.direction)
        scores = columns.scores(self.scores, names, limits)
        seeds = None if self.seeds is None else columns.seeds(self.seeds, names)
        columns.refuse_copies(names, scores, seeds)
        clean: dict[str, Any] = {
            "names": names,
            "scores": scores,
            "costs": None if self.costs is None else columns.costs(self.costs, names, scores),
            "tests": None
            if self.tests is None
            else columns.tests(self.tests, names, scores, limits, way),
            "seeds": seeds,
            "direction": way,
            "bounds": limits,
            "sampling": arguments.choice("sampling", self.sampling, SAMPLINGS),
            "sampler": None if self.sampler is None else str(self.sampler),
            "planned": None
            if self.planned is None
            else arguments.whole("planned", self.planned, least=1),
            "label": str(self.label),
            "caveats": as_caveats(self.caveats),
        }
        for name, value in clean.items():
            object.__setattr__(self, name, value)

    @classmethod
    def of_array(
        cls, scores: ArrayLike, *, names: Sequence[object] | None = None, **options: Any
    ) -> Repeats:
        """Make repeats from a matrix of scores: one row per repeat, one column per trial.

        `names` and `options` are those of `Repeats`; costs and tests are matrices too.

        Examples
        --------
        >>> Repeats.of_array([[3, 1, 2], [4, 2, 2]], direction="minimize").best([1, 3])[0]
        array([[3., 1.],
               [4., 2.]])
        """
        matrix = arguments.numeric("scores", scores)
        must = "be a matrix, one row per repeat and one column per trial"
        arguments.refuse_shape("scores", matrix, 2, must)
        for name in ("costs", "tests"):
            if options.get(name) is not None:
                options[name] = tuple(np.atleast_2d(arguments.numeric(name, options[name])))
        given = range(matrix.shape[0]) if names is None else names
        return cls(names=given, scores=tuple(matrix), **options)

    @classmethod
    def of_rows(
        cls,
        repeat: Sequence[object] | NDArray[Any],
        score: ArrayLike,
        *,
        step: Sequence[object] | NDArray[Any] | None = None,
        cost: ArrayLike | None = None,
        test: ArrayLike | None = None,
        seed: Sequence[object] | None = None,
        **options: Any,
    ) -> Repeats:
        """Make repeats from columns with one row per trial.

        Parameters
        ----------
        repeat : sequence
            Which repeat each row is a trial of.
        score : array_like
            Its score; NaN or None if there is none.
        step : array_like, optional
            By what the trials of a repeat are ordered.  By default, they are taken in the order of
            the rows.
        cost, test : array_like, optional
            One entry per row, as in `Repeats`.
        seed : sequence, optional
            The seed of the row's repeat, the same in all its rows.
        **options
            As in `Repeats`.

        Examples
        --------
        >>> rows = Repeats.of_rows(["a", "b", "a"], [0.5, 0.7, 0.6], step=[1, 1, 2])
        >>> rows.names, rows.lengths
        (('a', 'b'), array([2, 1]))
        """
        values = arguments.vector("score", score, nan=True)
        names, rows = columns.grouped(repeat, step, values.size)

        def split(name: str, column: ArrayLike | None) -> tuple[FloatArray, ...] | None:
            if column is None:
                return None
            flat = arguments.vector(name, column, nan=True)
            columns.refuse_length(name, flat, values.size, "row")
            return tuple(flat[own] for own in rows)

        if seed is not None:
            columns.refuse_length("seed", seed, values.size, "row")
            options["seeds"] = columns.one_each("seed", seed, rows, names)
        return cls(
            names=names,
            scores=tuple(values[own] for own in rows),
            costs=split("cost", cost),
            tests=split("test", test),
            **options,
        )

    @classmethod
    def of_searches(
        cls, searches: Mapping[str, Search] | Sequence[Search], **options: Any
    ) -> Repeats:
        """Make repeats from searches of one method, each of them one repeat.

        Their names are the keys of a mapping, or the labels if these are different.  What is
        stated in `options`, as in `Repeats`, replaces what the searches say.  A search that still
        runs counts up to its first unfinished trial.

        Examples
        --------
        >>> one = Search({"acc": [0.5, 0.7]}, sampling="adaptive", seed=1)
        >>> two = Search({"acc": [0.6, 0.6]}, sampling="adaptive", seed=2)
        >>> Repeats.of_searches([one, two], label="tpe")
        Repeats 'tpe': 2 repeats, 2 trials each, maximize
        """
        module = import_module("bestofk.repeats.searches")  # it builds on this file
        return cls(**module.columns_of(searches, options))

    @cached_property
    def lengths(self) -> NDArray[np.intp]:
        """The number of trials of each repeat."""
        return arguments.fixed(np.array([s.size for s in self.scores], dtype=np.intp))

    @cached_property
    def spent(self) -> tuple[FloatArray, ...]:
        """The running sum of each repeat's costs."""
        if self.costs is None:
            raise DataError(
                f"{self.label}: {arg('axis', 'cost')} needs the cost of every trial; there are "
                f"none. Pass {arg('costs', to='Repeats()')}."
            )
        return tuple(arguments.fixed(np.cumsum(c)) for c in self.costs)

    @cached_property
    def totals(self) -> FloatArray:
        """The total cost of each repeat."""
        return arguments.fixed(np.array([s[-1] for s in self.spent]))

    @property
    def n_repeats(self) -> int:
        """The number of repeats."""
        return len(self.names)

    @property
    def n_planned(self) -> int:
        """The planned number of trials; if it is not stated, that of the longest repeat."""
        return int(self.lengths.max()) if self.planned is None else self.planned

    @property
    def worst(self) -> float:
        """The bound on the bad side, which a repeat without a score counts as; may be infinite."""
        return self.bounds[0 if self.direction == "maximize" else 1]

    def path(self, repeat: int, *, of: OfRepeats = "score") -> FloatArray:
        """Return the best so far after each trial of a repeat, or its test score.

        Before the first score it is the worst possible one; a test score is NaN there.
        """
        if of == "test":
            which = columns.incumbents(self.scores[repeat], self.direction)
            return np.where(which >= 0, self._tests[repeat][which], np.nan)
        best = np.fmax if self.direction == "maximize" else np.fmin
        path = best.accumulate(self.scores[repeat])
        return np.where(np.isnan(path), self.worst, path)

    @property
    def _tests(self) -> tuple[FloatArray, ...]:
        if self.tests is None:
            raise DataError(
                f"{self.label}: {arg('of', 'test')} needs the test score of every trial that was "
                f"the best; there are none. Pass {marked('tests= to Repeats()', '--test')}."
            )
        return self.tests

    def best(
        self, budgets: ArrayLike, *, axis: Axis = "trials", of: OfRepeats = "score"
    ) -> tuple[FloatArray, FloatArray]:
        """Return between which values each repeat's best after a budget lies.

        Parameters
        ----------
        budgets : array_like
            Numbers of trials, or total costs.
        axis : {"trials", "cost"}
            What a budget counts.
        of : {"score", "test"}
            The best score so far, or the test score of the trial that has it.

        Returns
        -------
        lower, upper : array
            One row per repeat and one column per budget.  The same where the best is known; the
            worst possible score where no trial has one yet.  Beyond the end of a repeat: its last
            best, and the best possible score.  A test score that is not known lies anywhere
            between the bounds.

        Examples
        --------
        >>> short = Repeats(names=[1, 2], scores=[[0.5, 0.7], [0.6]], bounds=(0, 1))
        >>> short.best([1, 2])[1]
        array([[0.5, 0.7],
               [0.6, 1. ]])
        """
        arguments.choice("axis", axis, AXES)
        arguments.choice("of", of, OF_REPEATS)
        wanted = arguments.budgets(budgets)
        low, high = self.bounds
        sides = np.empty((2, self.n_repeats, wanted.size))
        for r in range(self.n_repeats):
            if axis == "trials":
                done = np.floor(np.minimum(wanted, self.lengths[r])).astype(np.intp)
                beyond = np.floor(wanted) > self.lengths[r]
            else:
                spent = self.spent[r]
                done = np.searchsorted(spent * (1 - SLACK), wanted, side="right")
                beyond = wanted > spent[-1] * (1 + SLACK)
            start = np.nan if of == "test" else self.worst
            value = np.r_[start, self.path(r, of=of)][done]
            open_low = np.isnan(value) | (beyond if of == "test" else False)
            open_high = open_low | beyond
            if of == "score" and self.direction == "minimize":
                open_low, open_high = open_high, open_low
            sides[0, r] = np.where(open_low, low, value)
            sides[1, r] = np.where(open_high, high, value)
        return sides[0], sides[1]

    def pooled(self) -> Search:
        """Return the trials of all repeats as one search: independent draws if each repeat's are.

        Only for repeats of random search, with seeds of their own and all of the planned length.

        Examples
        --------
        >>> runs = Repeats.of_array([[0.5, 0.7], [0.6, 0.1]], seeds=[0, 1], sampling="iid")
        >>> runs.pooled()
        Search 'repeats': 4 trials (4 complete), score 'score', maximize, sampling iid
        """
        module = import_module("bestofk.repeats.searches")  # it builds on this file
        found: Search = module.pooled(self)
        return found

    def own_curve(self, **options: Any) -> RepeatsCurve:
        """Return the curve over repeats, as `bk.tuning_curve` asks for it."""
        module = import_module("bestofk.repeats.curve")  # it builds on this file
        found: RepeatsCurve = module.curve_of_repeats(self, **options)
        return found

    def own_band(self, **options: Any) -> RepeatsBand:
        """Return the band over repeats, as `bk.tuning_band` asks for it."""
        module = import_module("bestofk.repeats.make_band")
        found: RepeatsBand = module.band_of_repeats(self, **options)
        return found

    def compared(self, methods: Any, **options: Any) -> RepeatsComparison:
        """Return the comparison of several Repeats, as `bk.compare` asks for it."""
        module = import_module("bestofk.repeats.compare")  # it builds on this file
        found: RepeatsComparison = module.compare_repeats(methods, **options)
        return found

    def __len__(self) -> int:
        return self.n_repeats

    def __repr__(self) -> str:
        few, many = int(self.lengths.min()), int(self.lengths.max())
        tries = counted(few, "trial") if few == many else f"{few} to {many} trials"
        text = (
            f"Repeats {self.label!r}: {counted(self.n_repeats, 'repeat')}, {tries} each, "
            f"{self.direction}{'' if self.sampler is None else f', {self.sampler}'}"
        )
        if self.bounds != (-math.inf, math.inf):
            text += f", bounds {' to '.join(map(format_number, self.bounds))}"
        return "\n".join([text, *(f"! {c}" for c in self.caveats)])
