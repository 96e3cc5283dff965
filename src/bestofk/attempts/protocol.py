"""How many attempts each problem had, and why: what may be used as a fixed number of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk._base.text import counted
from bestofk._base.types import Failed, FloatArray
from bestofk.attempts.attempts import Attempts
from bestofk.errors import ArgumentError, DataError, arg
from bestofk.numeric.attempts import first_positions, late_success_p_value
from bestofk.scores.search import listing

FALSE_ALARM = 0.01  # of the test for attempts that stopped at a success
_COPIES = 10  # repeated attempts, none of which differs, that are worth a word
_PROBLEMS = 20  # problems from which on scores alone tell that they are copies


@dataclass(frozen=True, kw_only=True, eq=False)
class Prepared:
    """Attempts that all have a score, and what may be said of how many.

    Attributes
    ----------
    attempts : Attempts
        Each problem's first `n` attempts; all of them if they stopped at the first success.
    n : int
        The number of attempts at each problem: the largest k.
    first : array or None
        If they stopped at the first success, its number at each problem, infinite if there is none.
    sizes : array
        How many attempts each problem had to begin with.
    caveats : tuple of Caveat
        What is to be known about it.
    """

    attempts: Attempts
    n: int
    first: FloatArray | None
    sizes: NDArray[np.intp]
    caveats: tuple[Caveat, ...]

    @property
    def matrix(self) -> FloatArray:
        """The scores, one row per problem; of a fixed number of attempts only."""
        return self.attempts.flat.reshape(self.attempts.n_problems, self.n)


def _no_attempts(given: object) -> ArgumentError:
    """Return what to say of something else than Attempts: a file, a mapping of them, an array."""
    must, got = "be Attempts", f"an object of type {type(given).__name__}"
    remedy = "Attempts.of_array() takes a matrix of problems x attempts."
    if isinstance(given, Mapping):
        must, got = "be those of one method", f"a mapping with the keys {listing(given)}"
        remedy = "Pick one."
    elif isinstance(given, str | os.PathLike):
        got = arguments.short(given)
        remedy = f"Read a file with read_attempts({got})."
    return ArgumentError(argument="attempts", must=must, got=got, remedy=remedy)


def prepared(attempts: Attempts, failed: Failed = "raise") -> Prepared:
    """Return the attempts that may be used as k of a fixed number; refuse what may not be."""
    if not isinstance(attempts, Attempts):
        raise _no_attempts(attempts)
    if attempts.planned is not None:
        return _planned(attempts, attempts.planned, failed)
    scored = attempts.scored(failed)
    sizes = scored.sizes
    if attempts.stopped == "success":
        return _until_success(scored)
    notes = (*scored.caveats, *_about_copies(scored))
    few, many = int(sizes.min()), int(sizes.max())
    if few == many:
        return Prepared(attempts=scored, n=few, first=None, sizes=sizes, caveats=notes)
    _refuse_stopped(scored)
    if attempts.stopped is None:
        raise DataError(
            f"every problem must have the same number of attempts; got {few} to {many}. Say "
            f"{arg('stopped', 'success')} if each problem was tried until its first success, "
            f"{arg('stopped', 'unrelated')} if the numbers have nothing to do with the scores, or "
            f"{arg('planned')} if a number was planned for all."
        )
    _refuse_unordered(scored, few)
    text = (
        f"the problems had {few} to {many} attempts, for reasons said to be unrelated to the "
        f"scores: each problem's first {few} are used"
    )
    notes = (*notes, Caveat(kind="first-attempts", text=text))
    return Prepared(attempts=scored.first(few), n=few, first=None, sizes=sizes, caveats=notes)


def _planned(attempts: Attempts, n: int, failed: Failed) -> Prepared:
    """Return the planned number of attempts at each problem."""
    lacking = int(np.count_nonzero(attempts.sizes < n))
    if lacking:
        raise DataError(
            f"{arg('planned', n)} needs as many attempts at every problem; {lacking} of "
            f"{counted(attempts.n_problems, 'problem')} have fewer. Make up for them, or plan for "
            f"{int(attempts.sizes.min())}."
        )
    notes: tuple[Caveat, ...] = ()
    if (attempts.sizes != n).any():
        _refuse_unordered(attempts, n)
        first = "first attempt is" if n == 1 else f"first {n} attempts are"
        text = f"each problem's {first} used, the number said to be planned"
        notes = (Caveat(kind="first-attempts", text=text),)
        if _late_success(attempts) <= FALSE_ALARM:
            text = (
                "the attempts look as if they stopped at the first success: so few of them stand "
                f"for k fresh attempts only if their number, {n}, was fixed beforehand"
            )
            notes = (*notes, Caveat(kind="stopped-at-success", text=text, validity="assumed"))
    short = replace(attempts.first(n), planned=None)
    ready = prepared(short, failed)
    return replace(ready, sizes=attempts.sizes, caveats=(*ready.caveats, *notes))


def _until_success(attempts: Attempts) -> Prepared:
    """Return the number of the first success at each problem, and up to which k it is known."""
    if not attempts.is_binary:
        raise DataError(
            f"{arg('stopped', 'success')} needs scores at the bounds, "
            f"{attempts.bounds[0]:g} for wrong and {attempts.bounds[1]:g} for right; got others."
        )
    if not attempts.ordered and attempts.correct.max() > 1:
        raise DataError(
            f"{arg('stopped', 'success')} needs to know when the first success came; counts with "
            "more than one success do not say. Give one row per attempt."
        )
    success = attempts.flat == attempts.bounds[1 if attempts.direction == "maximize" else 0]
    first = first_positions(success, attempts.sizes)
    censored = attempts.sizes[np.isinf(first)]
    most = int(censored.min() if censored.size else attempts.sizes.max())
    text = (
        "the attempts stopped at the first success: the estimate is the share of problems solved "
        f"within k attempts, known up to k = {most}"
    )
    notes = (*attempts.caveats, Caveat(kind="first-success", text=text))
    return Prepared(attempts=attempts, n=most, first=first, sizes=attempts.sizes, caveats=notes)


def _late_success(attempts: Attempts) -> float:
    """Return the p-value of the test for attempts that stopped at a success; 1 if it says nothing.

    It needs to know the order of the attempts, and says nothing if all problems had as many.
    """
    sizes = attempts.sizes
    if not attempts.ordered or not attempts.is_binary or (sizes == sizes[0]).all():
        return 1.0
    success = attempts.flat == attempts.bounds[1 if attempts.direction == "maximize" else 0]
    first = first_positions(success, sizes)
    return late_success_p_value(first, sizes, attempts.correct)


def _refuse_stopped(attempts: Attempts) -> None:
    p_value = _late_success(attempts)
    if p_value <= FALSE_ALARM:
        raise DataError(
            f"{attempts.label}: the attempts look as if they stopped at the first success, so they "
            "are no fixed number of attempts and the usual estimate is wrong (first successes come "
            f"late, p = {p_value:.2g}; attempts in random order look so in at most "
            f"{100 * FALSE_ALARM:g} % of cases). Pass {arg('stopped', 'success')}, or "
            f"{arg('planned')} with a number that was fixed beforehand."
        )


def _refuse_unordered(attempts: Attempts, n: int) -> None:
    if not attempts.ordered:
        raise DataError(
            f"the first {n} attempts at each problem are needed; counts do not say which came "
            "first. Give one row per attempt, or counts of as many attempts at every problem."
        )


def _about_copies(attempts: Attempts) -> tuple[Caveat, ...]:
    """Refuse attempts that are all alike at every problem (temperature 0, a cache), or doubt them.

    Answers or rewards that are all alike are copies.  Scores alone may be alike by chance where
    most problems are always or never solved, and must be where nothing or everything is: with few
    problems that is a caveat.
    """
    told = attempts.answers is not None or attempts.rewards is not None
    if int((attempts.sizes - 1).sum()) < _COPIES or not _all_alike(attempts):
        return ()
    if not told and (attempts.flat == attempts.flat[0]).all():
        return ()
    if told or attempts.n_problems >= _PROBLEMS:
        raise DataError(
            f"attempts at a problem must be independent; all attempts at each of the "
            f"{attempts.n_problems} problems came out alike, as with temperature 0 or a cache. "
            f"Sample them anew, or pass {arg('planned', 1)} to use one of each; if their answers "
            f"differ, pass {arg('answer', to='read_attempts() or Attempts.of_rows()')}."
        )
    text = (
        "all attempts at each problem came out alike: if that is due to temperature 0 or a cache, "
        "they are no independent attempts, and only k = 1 means anything"
    )
    return (Caveat(kind="all-alike", text=text, validity="assumed"),)


def _all_alike(attempts: Attempts) -> bool:
    """Tell whether the attempts at each problem have the same score, reward and answer."""
    if attempts.answers is not None and any(len(set(row)) > 1 for row in attempts.answers):
        return False
    columns = [attempts.flat]
    if attempts.rewards is not None:
        columns.append(np.concatenate(attempts.rewards))
    sizes = attempts.sizes
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return all((column == np.repeat(column[starts], sizes)).all() for column in columns)
