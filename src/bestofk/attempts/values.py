"""What k attempts at each problem are worth, estimated without bias."""

from __future__ import annotations

from collections import Counter
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bestofk._base import arguments, types
from bestofk._base.text import counted
from bestofk._base.types import FloatArray
from bestofk.attempts.attempts import Attempts
from bestofk.attempts.protocol import Prepared
from bestofk.errors import ArgumentError, DataError, arg, marked
from bestofk.numeric import attempts as numeric
from bestofk.numeric.majority import majority_of

Pick: TypeAlias = types.Pick
PICKS: tuple[Pick, ...] = ("best", "worst", "majority", "reward")
_BEYOND = (
    f"Beyond it there are bounds on the best or worst of k, for scores of 0 and 1 and as many "
    f"attempts at each problem: {marked('pass_bounds()', 'bestofk passk')}."
)


def checked_pick(pick: object, ready: Prepared) -> Pick:
    """Return what picks one of k attempts, if the attempts have what it needs."""
    chosen = arguments.choice("pick", pick, PICKS)
    needed = {"majority": "answers", "reward": "rewards"}.get(chosen)
    if needed and getattr(ready.attempts, needed) is None:
        one = needed.removesuffix("s")
        raise DataError(
            f"{arg('pick', chosen)} needs the {one} of every attempt; there are none. Pass "
            f"{arg(one, to='read_attempts() or Attempts.of_rows()')}."
        )
    if ready.first is not None and chosen != "best":
        raise ArgumentError(
            f"attempts that stopped at the first success tell about the best of k only; got "
            f"{arg('pick', chosen)}. Leave it out."
        )
    return chosen


def whole_budgets(budgets: ArrayLike) -> FloatArray:
    """Return the k, whole numbers of attempts."""
    wanted = arguments.budgets(budgets)
    fraction = wanted[wanted != np.floor(wanted)]
    if fraction.size:
        raise ArgumentError(
            argument="budgets", must="be whole numbers of attempts", got=f"{fraction[0]:.15g}"
        )
    return wanted


def checked_budgets(budgets: ArrayLike, ready: Prepared) -> FloatArray:
    """Return the k, whole numbers at which every problem has enough attempts."""
    wanted = whole_budgets(budgets)
    most = float(wanted.max())
    if most > ready.n:
        sizes = ready.sizes.astype(np.float64)
        if ready.first is not None:  # once solved, a problem needs no more attempts
            sizes[np.isfinite(ready.first)] = np.inf
        lacking = int(np.count_nonzero(sizes < most)) or sizes.size
        raise ArgumentError(
            f"{arg('budgets')} must be at most {ready.n}, the number of attempts that every "
            f"problem has; got {most:g}, and {lacking} of {counted(sizes.size, 'problem')} "
            f"{'has' if lacking == 1 else 'have'} fewer to use. {_BEYOND}"
        )
    return wanted


def success_counts(ready: Prepared, pick: Pick) -> NDArray[np.intp] | None:
    """Return the numbers of successes, if the values of a pick are functions of them; else None."""
    if ready.first is not None or pick not in ("best", "worst") or not ready.attempts.is_binary:
        return None
    return ready.attempts.correct


def per_problem(ready: Prepared, pick: Pick, budgets: FloatArray) -> FloatArray:
    """Return g_i(k) for every problem and budget, as a table of shape (P, K).

    Parameters
    ----------
    ready : Prepared
        The attempts.
    pick : {"best", "worst", "majority", "reward"}
        Which of k attempts counts.
    budgets : array
        The k, checked.
    """
    attempts = ready.attempts
    low, high = attempts.bounds
    best, worst = (high, low) if attempts.direction == "maximize" else (low, high)
    if ready.first is not None:
        return np.where(ready.first[:, None] <= budgets, best, worst)
    counts = success_counts(ready, pick)
    if counts is not None:
        right = counts if pick == "best" else ready.n - counts
        share = numeric.values_at(right, ready.n, budgets)
        share = share if pick == "best" else 1 - share
        return share if (worst, best) == (0.0, 1.0) else worst + (best - worst) * share
    if pick == "reward":
        assert attempts.rewards is not None
        rewards = np.concatenate(attempts.rewards).reshape(ready.matrix.shape)
        return numeric.picked_by(rewards, ready.matrix, budgets)
    if pick == "majority":
        return _majorities(attempts, budgets, worst)
    largest = (pick == "best") == (attempts.direction == "maximize")
    sign = 1.0 if largest else -1.0
    return sign * numeric.best_of(sign * ready.matrix, budgets)


def _majorities(attempts: Attempts, budgets: FloatArray, worst: float) -> FloatArray:
    assert attempts.answers is not None
    table = np.empty((attempts.n_problems, budgets.size))
    for i, (answers, scores) in enumerate(zip(attempts.answers, attempts.scores, strict=True)):
        worth: dict[str, float] = {}
        for answer, score in zip(answers, scores.tolist(), strict=True):
            if answer is not None and worth.setdefault(answer, score) != score:
                raise DataError(
                    f"a vote needs one score for each answer; problem {attempts.problems[i]!r} has "
                    f"{worth[answer]:g} and {score:g} for the answer "
                    f"{arguments.short(answer)}. Score answers, not attempts."
                )
        votes = Counter(answer for answer in answers if answer is not None)
        silent = len(answers) - votes.total()
        if silent and not np.isfinite(worst):
            raise DataError(
                "an attempt without an answer needs a worst score to count as; state it with "
                f"{arg('bounds')}."
            )
        table[i] = majority_of(
            tuple(votes.values()),
            tuple(worth[answer] for answer in votes),
            silent,
            worst if np.isfinite(worst) else 0.0,
            budgets,
        )
    return table
