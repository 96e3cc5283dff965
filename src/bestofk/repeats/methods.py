"""The methods of a comparison of repeated searches: what may stand there, and its caveats."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk._base.pairs import refuse_same, with_labels
from bestofk._base.text import counted
from bestofk._base.types import Axis, Failed, FloatArray
from bestofk.errors import ArgumentError, arg, marked
from bestofk.repeats.columns import beginning
from bestofk.repeats.curve import RepeatsCurve, left_out
from bestofk.repeats.make_band import about_list, refuse_one
from bestofk.repeats.pair import Basis
from bestofk.repeats.repeats import SLACK, Repeats
from bestofk.repeats.words import about_pooling, about_repeats
from bestofk.scores.scores import Scores
from bestofk.scores.search import Search

POOLABLE = Caveat(
    kind="poolable",
    text="these are repeats of random search, whose trials are also one long random search",
    remedy=f"against {marked('`repeats.pooled()`', 'it (--against FILE)', 'it')}, the other methods"
    " are often told apart more easily",
)


def named(methods: Any, failed: Failed) -> tuple[Repeats | Scores, ...]:
    """Return two or more methods with different labels and one direction."""
    given = with_labels(methods, Repeats)
    for _, method in given:
        if not isinstance(method, Repeats | Search | Scores):
            raise ArgumentError(
                "Repeats can be compared with Repeats and with a random Search or Scores; got "
                f"{type(method).__name__}. Make repeats with Repeats.of_array()."
            )
    if len(given) < 2:
        raise ArgumentError(
            f"a comparison needs two or more methods; got {len(given)}. Pass the repeats of "
            f"another, {marked('or a random Search', 'say --by, or a random search as --against')}."
        )
    labels = [label for label, _ in given]
    refuse_same(labels, "Repeats")
    samples = [m.scores(failed=failed) if isinstance(m, Search) else m for _, m in given]
    found = tuple(
        m if m.label == label else replace(m, label=label)
        for label, m in zip(labels, samples, strict=True)
    )
    if len({m.direction for m in found}) > 1:
        listing = ", ".join(f"{m.label}: {m.direction}" for m in found)
        raise ArgumentError(f"methods must have one direction; got {listing}.")
    for m in found:
        if isinstance(m, Repeats):
            refuse_one(m)
    return found


def refuse_searches(
    given: Sequence[Repeats | Scores], *, paired: bool, basis: Basis | None, axis: Axis, of: str
) -> None:
    """Refuse what a single random search cannot be compared by."""
    search = next((m for m in given if isinstance(m, Scores)), None)
    if search is None:
        if paired and basis is not None:
            raise ArgumentError(
                f"{arg('paired', True, option='--paired')} has a test of its own. Leave out "
                f"{arg('basis')}."
            )
        return
    wrong = {
        arg("paired", True, option="--paired"): paired,
        arg("basis", "test"): basis == "test",
        arg("axis", "cost"): axis == "cost",
        arg("of", "test"): of == "test",
    }
    for option, is_asked in wrong.items():
        if is_asked:
            raise ArgumentError(
                f"{option} needs repeats of every method; {search.label!r} is a single search. "
                "Leave it out."
            )


def shared_seeds(methods: Sequence[Repeats]) -> str:
    """Return which methods share seeds, in words; empty if none is known or seen to.

    Examples
    --------
    >>> one = Repeats.of_array([[0.1], [0.2]], seeds=[1, 2], label="one")
    >>> two = Repeats.of_array([[0.3], [0.4]], seeds=[2, 3], label="two")
    >>> shared_seeds([one, two])
    'one and two share 1 seed'
    """
    for one, two in combinations(methods, 2):
        both = ({*(one.seeds or ())} & {*(two.seeds or ())}) - {None}
        if both:
            return f"{one.label} and {two.label} share {counted(len(both), 'seed')}"
        alike = {*map(beginning, one.scores)} & {*map(beginning, two.scores)} - {None}
        if alike:
            repeats = counted(len(alike), "repeat")
            return f"{repeats} of {one.label} and {two.label} begin with the same scores"
    return ""


def caveats_of(
    methods: Sequence[Repeats | Scores],
    curves: Sequence[RepeatsCurve],
    listed: FloatArray,
    basis: Basis,
    *,
    stated: bool,
) -> tuple[Caveat, ...]:
    """Return what is to be known about the methods and about the comparison."""
    notes = [c.of(m.label) for m in methods if isinstance(m, Scores) for c in m.caveats]
    for curve in curves:
        own = about_list(curve, curve.budgets, stated=stated)
        notes += [c.of(curve.label) for c in (*about_repeats(curve.repeats), *own)]
    axis = curves[0].axis
    if basis != "signs" and axis == "trials" and curves[0].of == "score":
        notes += [POOLABLE.of(curve.label) for curve in curves if about_pooling(curve.repeats)]
    last = float(listed[-1]) * (1 - SLACK)
    ended = tuple(curve.label for curve in curves if curve.common < last)
    notes += [replace(note, about=ended) for note in left_out(curves[0], listed)]
    if basis == "signs":
        text = (
            "paired seeds say who is better in more than half of the seeds, not whose median is "
            "better"
        )
        notes.append(Caveat(kind="sign-test", text=text))
    shared = shared_seeds([curve.repeats for curve in curves])
    if shared and basis == "intervals":
        text = f"{shared}, so joint intervals are used, which hold whatever they share"
        remedy = f"{arg('paired', True, option='--paired')} compares them seed by seed"
        notes.append(Caveat(kind="shared-seeds", text=text, remedy=remedy))
    text = "the statements hold at the listed budgets together, if they were chosen beforehand"
    notes.append(Caveat(kind="listed", text=text))
    return tuple(dict.fromkeys(notes))
