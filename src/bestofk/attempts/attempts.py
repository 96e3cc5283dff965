"""Attempts: the scores of several tries at each of many problems, as they were made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat, as_caveats
from bestofk._base.text import counted, format_number
from bestofk._base.types import FAILED, Bounds, Direction, Failed, FloatArray
from bestofk.attempts import columns
from bestofk.attempts.notebook import InNotebook
from bestofk.errors import ArgumentError, DataError, arg

if TYPE_CHECKING:
    from bestofk.attempts.comparison import AttemptsComparison

Stopped: TypeAlias = Literal["success", "unrelated"]
STOPPED: tuple[Stopped, ...] = ("success", "unrelated")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Attempts(InNotebook):
    """Several attempts at each of many problems, in the order in which they were made.

    `of_array`, `of_counts` and `of_rows` make one from a matrix, from numbers of successes, and
    from a table with one row per attempt.

    Parameters
    ----------
    problems : sequence of str
        The name of each problem.
    scores : sequence of array_like
        One array per problem, one score per attempt; NaN where an attempt has none.
    rewards : sequence of array_like, optional
        What picks one of several attempts (``pick="reward"``): a verifier's or reward model's
        number for each attempt; larger is picked.
    answers : sequence of sequences of str, optional
        What each attempt answered (``pick="majority"``); None where it gave no answer.
    costs : sequence of array_like, optional
        What each attempt cost: finite and not negative.
    clusters : sequence of str, optional
        Which group each problem belongs to, such as its repository or template.
    direction : {"maximize", "minimize"}
        Whether larger or smaller scores are better.
    bounds : (low, high)
        What a score can be at all.
    stopped : {"success", "unrelated"}, optional
        Why the number of attempts varies: each problem was tried until its first success, or for
        reasons unrelated to the scores.
    planned : int, optional
        The number of attempts that was planned for every problem: only the first so many are used.
    label : str
        The name in tables and figures, such as the model's.
    caveats : sequence of Caveat or str
        What anyone who reads a result made from these attempts has to know.
    ordered : bool
        Whether the order of the attempts is known; not so for counts.

    Examples
    --------
    >>> Attempts.of_array([[1, 0, 1], [0, 0, 0]], label="model")
    Attempts 'model': 2 problems, 3 attempts each, maximize, bounds 0 to 1
    """

    problems: tuple[str, ...]
    scores: tuple[FloatArray, ...]
    rewards: tuple[FloatArray, ...] | None = None
    answers: tuple[tuple[str | None, ...], ...] | None = None
    costs: tuple[FloatArray, ...] | None = None
    clusters: tuple[str, ...] | None = None
    direction: Direction = "maximize"
    bounds: Bounds = (0.0, 1.0)
    stopped: Stopped | None = None
    planned: int | None = None
    label: str = "attempts"
    caveats: tuple[Caveat, ...] = ()
    compared_by: ClassVar[tuple[str, ...]] = ("simultaneous",)
    ordered: bool = True

    if TYPE_CHECKING:  # what it takes is wider than what it keeps

        def __init__(
            self,
            *,
            problems: Sequence[object],
            scores: Sequence[ArrayLike],
            rewards: Sequence[ArrayLike] | None = ...,
            answers: Sequence[Sequence[object]] | None = ...,
            costs: Sequence[ArrayLike] | None = ...,
            clusters: Sequence[object] | None = ...,
            direction: Direction = ...,
            bounds: tuple[float | None, float | None] | None = ...,
            stopped: Stopped | None = ...,
            planned: int | None = ...,
            label: str = ...,
            caveats: str | Iterable[Caveat | str] = ...,
            ordered: bool = ...,
        ) -> None: ...

    def __post_init__(self) -> None:
        problems = columns.named(self.problems)
        columns.refuse_length("scores", self.scores, len(problems))
        flat, sizes = columns.joined("scores", self.scores)
        if not sizes.all():
            without = np.flatnonzero(sizes == 0)
            raise DataError(
                f"every problem must have at least one attempt; {problems[without[0]]!r} has none "
                f"({without.size} in all). Leave such problems out only if you never meant to try "
                "them, or count them as failed."
            )
        limits = arguments.bounds((0.0, 1.0) if self.bounds is None else self.bounds)
        names = np.repeat(np.arange(sizes.size), sizes)
        arguments.refuse_outside(flat, limits, "score", lambda i: f"problem {problems[names[i]]!r}")
        if np.isinf(flat).any():
            which = problems[names[int(np.isinf(flat).argmax())]]
            raise DataError(
                f"every score must be finite; one at problem {which!r} is not. Leave it out to "
                f"count it as one without a score ({arg('failed')})."
            )
        clean: dict[str, Any] = {
            "problems": problems,
            "scores": columns.parted(flat, sizes),
            "flat": arguments.fixed(flat),
            "sizes": arguments.fixed(sizes),
            "direction": arguments.direction(self.direction),
            "bounds": limits,
            "label": str(self.label),
            "caveats": as_caveats(self.caveats),
        }
        if self.stopped is not None:
            clean["stopped"] = arguments.choice("stopped", self.stopped, STOPPED)
        if self.planned is not None:
            clean["planned"] = arguments.whole("planned", self.planned, least=1)
        for name in ("rewards", "costs"):
            given = getattr(self, name)
            if given is not None:
                clean[name] = columns.beside(name, given, sizes, problems)
        if self.answers is not None:
            clean["answers"] = columns.answers(self.answers, sizes, problems)
        if self.clusters is not None:
            columns.refuse_length("clusters", self.clusters, len(problems))
            clean["clusters"] = tuple(str(name) for name in self.clusters)
        for name, value in clean.items():
            object.__setattr__(self, name, value)
        if self.stopped is not None and self.planned is not None:
            raise ArgumentError(
                f"{arg('stopped')} and {arg('planned')} are two reasons why the number of attempts "
                "varies; state one of them."
            )

    @classmethod
    def of_array(
        cls, scores: ArrayLike, *, problems: Sequence[object] | None = None, **options: Any
    ) -> Attempts:
        """Make attempts from a matrix of scores: one row per problem, one column per attempt.

        `options` are those of `Attempts`; rewards, answers and costs are matrices too.

        Examples
        --------
        >>> Attempts.of_array([[1, 0], [1, 1]], problems=["a", "b"]).sizes
        array([2, 2])
        """
        matrix = np.asarray(columns.numbers("scores", scores))
        must = "be a matrix, one row per problem and one column per attempt"
        arguments.refuse_shape("scores", matrix, 2, must)
        names = range(matrix.shape[0]) if problems is None else problems
        return cls(problems=names, scores=tuple(matrix), **options)

    @classmethod
    def of_counts(
        cls, problems: Sequence[object], n: ArrayLike, correct: ArrayLike, **options: Any
    ) -> Attempts:
        """Make attempts from how many of each problem's were correct; their order is not known.

        Parameters
        ----------
        problems : sequence of str
            The name of each problem.
        n : array_like of int
            The number of attempts at each, or one number for all.
        correct : array_like of int
            How many of them were correct.
        **options
            As in `Attempts`.

        Examples
        --------
        >>> Attempts.of_counts(["a", "b"], 10, [3, 0]).correct
        array([3, 0])
        """
        names = columns.named(problems)
        right = columns.whole("correct", correct, len(names))
        tried = columns.whole("n", n, len(names))
        over = np.flatnonzero(right > tried)
        if over.size:
            i = int(over[0])
            raise DataError(
                f"`correct` must be at most `n`; problem {names[i]!r} has {right[i]} correct "
                f"of {tried[i]} ({over.size} in all)."
            )
        if options.get("direction") == "minimize":
            raise ArgumentError(
                argument="direction",
                must='be "maximize" for counts of correct attempts',
                got="'minimize'",
            )
        scores = [
            (np.arange(t) >= t - c).astype(np.float64) for t, c in zip(tried, right, strict=True)
        ]
        return cls(problems=names, scores=scores, ordered=False, **options)

    @classmethod
    def of_rows(
        cls,
        problem: Sequence[object] | NDArray[Any],
        score: ArrayLike,
        *,
        attempt: Sequence[object] | NDArray[Any] | None = None,
        reward: ArrayLike | None = None,
        answer: Sequence[object] | None = None,
        cost: ArrayLike | None = None,
        cluster: Sequence[object] | None = None,
        **options: Any,
    ) -> Attempts:
        """Make attempts from columns with one row per attempt.

        Parameters
        ----------
        problem : sequence
            Which problem each row is an attempt at.
        score : array_like
            Its score: a number or a truth value; NaN or None if there is none.
        attempt : sequence, optional
            The number of the attempt, by which those at one problem are ordered.  By default, they
            are taken in the order of the rows.
        reward, answer, cost : sequence, optional
            One entry per row, as in `Attempts`.
        cluster : sequence, optional
            The group of the row's problem.
        **options
            As in `Attempts`.

        Examples
        --------
        >>> rows = Attempts.of_rows(["a", "a", "b"], [1, 0, 1], planned=1)
        >>> rows.problems, rows.sizes
        (('a', 'b'), array([2, 1]))
        """
        values = columns.numbers("score", score)
        columns.refuse_length("score", values, values.size, "row")
        names, order, sizes = columns.grouped(problem, attempt, values.size)

        def split(name: str, column: ArrayLike | None) -> tuple[FloatArray, ...] | None:
            if column is None:
                return None
            flat = columns.numbers(name, column)
            columns.refuse_length(name, flat, values.size, "row")
            return columns.parted(flat[order], sizes)

        if answer is not None:
            columns.refuse_length("answer", answer, values.size, "row")
            options["answers"] = columns.parted_list([answer[i] for i in order], sizes)
        if cluster is not None:
            columns.refuse_length("cluster", cluster, values.size, "row")
            options["clusters"] = columns.one_each("cluster", cluster, order, sizes, names)
        return cls(
            problems=names,
            scores=columns.parted(values[order], sizes),
            rewards=split("reward", reward),
            costs=split("cost", cost),
            **options,
        )

    @cached_property
    def flat(self) -> FloatArray:
        """The scores of all attempts, problem after problem."""
        return arguments.fixed(np.concatenate(self.scores))

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """The number of attempts at each problem."""
        return arguments.fixed(np.array([s.size for s in self.scores], dtype=np.intp))

    @cached_property
    def is_binary(self) -> bool:
        """Whether every score is at one of the bounds: right or wrong."""
        low, high = self.bounds
        known = self.flat[~np.isnan(self.flat)]
        return self.is_bounded and bool(((known == low) | (known == high)).all())

    @property
    def is_bounded(self) -> bool:
        """Whether a mean of scores, or of their differences, lies in a known range."""
        low, high = self.bounds
        return bool(2 * (high - low) < np.inf)

    @property
    def n_problems(self) -> int:
        """The number of problems."""
        return len(self.problems)

    @cached_property
    def correct(self) -> NDArray[np.intp]:
        """The number of attempts at each problem whose score is the best possible."""
        best = self.flat == self.bounds[1 if self.direction == "maximize" else 0]
        starts = np.r_[0, np.cumsum(self.sizes)[:-1]]
        return arguments.fixed(np.add.reduceat(best, starts, dtype=np.intp))

    def scored(self, failed: Failed = "raise") -> Attempts:
        """Return attempts that all have a score.

        Parameters
        ----------
        failed : {"raise", "worst", "drop"}
            What an attempt without a score counts as: "worst" gives it the worst possible score,
            "drop" leaves it out, which answers another question.  Both add a caveat.
        """
        arguments.choice("failed", failed, FAILED)
        missing = np.isnan(self.flat)
        if not missing.any():
            return self
        which = np.repeat(np.arange(self.n_problems), self.sizes)
        if failed == "raise":
            more = f" ({int(missing.sum())} in all)" if missing.sum() > 1 else ""
            raise DataError(
                f"every attempt must have a score; one at problem "
                f"{self.problems[which[missing.argmax()]]!r} has none{more}. Pass "
                f"{arg('failed', 'worst')} to count it as the worst score, or "
                f"{arg('failed', 'drop')} to leave it out."
            )
        count = f"{int(missing.sum())} of {counted(missing.size, 'attempt')} have no score"
        if failed == "worst":
            worst = self.bounds[0 if self.direction == "maximize" else 1]
            if not np.isfinite(worst):
                raise ArgumentError(
                    f"{arg('failed', 'worst')} needs a worst score; state it with {arg('bounds')}."
                )
            flat = np.where(missing, worst, self.flat)
            text = f"{count} and count as the worst score ({format_number(worst)})"
            note = Caveat(kind="failed-worst", text=text)
            return replace(
                self, scores=columns.parted(flat, self.sizes), caveats=(*self.caveats, note)
            )
        text = f"{count} and were left out: the result is that of attempts that never fail"
        note = Caveat(kind="failed-dropped", text=text)
        kept = [~np.isnan(s) for s in self.scores]
        return self._kept(kept, (*self.caveats, note))

    def first(self, n: int) -> Attempts:
        """Return each problem's first `n` attempts."""
        if (self.sizes == n).all():
            return self
        return self._kept([np.arange(size) < n for size in self.sizes], self.caveats)

    def _kept(self, kept: Sequence[NDArray[np.bool_]], caveats: tuple[Caveat, ...]) -> Attempts:
        def some(column: tuple[FloatArray, ...]) -> tuple[FloatArray, ...]:
            return tuple(c[k] for c, k in zip(column, kept, strict=True))

        answers = self.answers and tuple(
            tuple(a for a, keep in zip(row, k, strict=True) if keep)
            for row, k in zip(self.answers, kept, strict=True)
        )
        return replace(
            self,
            scores=some(self.scores),
            rewards=self.rewards and some(self.rewards),
            costs=self.costs and some(self.costs),
            answers=answers,
            caveats=caveats,
        )

    def compared(self, methods: Any, **options: Any) -> AttemptsComparison:
        """Return the comparison of several Attempts, as `bk.compare` asks for it."""
        module = import_module("bestofk.attempts.compare")  # it builds on this file
        found: AttemptsComparison = module.compare_attempts(methods, **options)
        return found

    def __len__(self) -> int:
        return self.n_problems

    def __repr__(self) -> str:
        (low, high), few, many = self.bounds, int(self.sizes.min()), int(self.sizes.max())
        tries = counted(few, "attempt") if few == many else f"{few} to {many} attempts"
        return (
            f"Attempts {self.label!r}: {counted(self.n_problems, 'problem')}, {tries} each, "
            f"{self.direction}, bounds {format_number(low)} to {format_number(high)}"
        )
