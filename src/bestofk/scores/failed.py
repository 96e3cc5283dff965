"""Trials without a score: what to say when one has to be used, and what they cost."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from bestofk._base.caveat import Caveat
from bestofk._base.text import format_number, in_series
from bestofk._base.types import FloatArray
from bestofk.errors import DataError, arg
from bestofk.scores.scores import Scores
from bestofk.scores.trial import State


def failure(where: str, state: State, metric: str, count: int, *, noted: bool) -> str:
    """Return why the first of some trials cannot be used, and the way out.

    `noted`: `where` says already what is wrong.
    """
    what = {
        "running": "is still running",
        "pruned": "was pruned",
        "failed": "failed",
        "complete": f"has no `{metric}`",
    }[state]
    text = where if noted else f"{where} {what}"
    if count > 1:
        text += f", and {count - 1} more such trial{'s' if count > 2 else ''}"
    drop = arg("failed", "drop")
    if state == "running":
        return f"{text}. Wait until it has ended, or pass {drop} to leave it out."
    worst = arg("failed", "worst")
    return f"{text}. Pass {worst} to count it as the worst score, or {drop} to leave it out."


def fill_costs(costs: FloatArray) -> tuple[FloatArray, list[Caveat]]:
    """Give failed trials without a cost the mean of the others; `costs` are of ended trials."""
    unknown = np.isnan(costs)
    if not unknown.any():
        return costs, []
    if unknown.all():
        raise DataError(
            argument="costs", must="be known for at least one trial", got="none: all are missing"
        )
    mean = float(costs[~unknown].mean())
    text = (
        f"{int(unknown.sum())} of {unknown.size} trials have no cost, since they failed, and take "
        f"the mean, {format_number(mean)}"
    )
    return np.where(unknown, mean, costs), [Caveat(kind="costs-missing", text=text)]


def unequal_failures(samples: Iterable[Scores]) -> tuple[Caveat, ...]:
    """Return the caveat that failed trials count differently in some samples, if they do.

    A method whose failed trials were left out is compared as if it never failed, which favours it
    over one whose failed trials count as the worst score (kind "failed-unequally").

    Examples
    --------
    >>> dropped = Scores([0.5], label="a", caveats=[Caveat(kind="failed-dropped", text="…")])
    >>> worst = Scores([0.0], label="b", caveats=[Caveat(kind="failed-worst", text="…")])
    >>> print(unequal_failures([dropped, worst])[0].text)
    failed trials were left out of a but count as the worst score in b, which favours a
    >>> unequal_failures([worst, worst])
    ()
    """
    samples = list(samples)
    out, worst = (
        [s.label for s in samples if any(c.kind == kind for c in s.caveats)]
        for kind in ("failed-dropped", "failed-worst")
    )
    if not out or not worst:
        return ()
    text = (
        f"failed trials were left out of {in_series(out)} but count as the worst score in "
        f"{in_series(worst)}, which favours {in_series(out)}"
    )
    remedy = f"treat them alike with {arg('failed', 'worst')}"
    about = tuple(s.label for s in samples if s.label in {*out, *worst})
    return (Caveat(kind="failed-unequally", text=text, about=about, remedy=remedy),)
