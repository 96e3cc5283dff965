"""What the user says about repeats: which column is what, and what they are repeats of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, arg
from bestofk.scores.trial import Sampling
from bestofk.sources.options import ReadOptions

COLUMNS = ("repeat", "score", "step", "cost", "test", "seed")
BY_NAME = "name"  # `seed`: the number in the name of a search is its seed
# What tells repeats apart where it is no column.
PARTS = ("study", "sweep", "experiment", "name", "file")


@dataclass(frozen=True, kw_only=True)
class RepeatOptions:
    """The arguments of `read_repeats`, checked."""

    repeat: str | None = None
    score: str | None = None
    step: str | None = None
    cost: str | None = None
    test: str | None = None
    seed: str | None = None
    by: tuple[str, ...] = ()
    direction: Direction | None = None
    bounds: Bounds | None = None
    sampling: Sampling | None = None
    planned: int | None = None
    label: str | None = None

    @classmethod
    def of(cls, *, by: str | Sequence[str] | None, **given: Any) -> RepeatOptions:
        """Check what `read_repeats` was given; None says nothing."""
        told = {name: value for name, value in given.items() if value is not None}
        groups = () if by is None else arguments.texts(by)
        for name, value in [
            *((c, told[c]) for c in COLUMNS if c in told),
            *(("by", g) for g in groups),
        ]:
            if not (isinstance(value, str) and value):
                raise ArgumentError(argument=name, must="be the name of a column", got=repr(value))
        used = [*(told[c] for c in COLUMNS if c in told and c != "seed"), *groups]
        twice = next((name for name in used if used.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError(f"a column can be one thing only; {twice!r} was named twice.")
        if groups and "label" in told:
            raise ArgumentError(
                f"{arg('label')} names a single method, and {arg('by')} names them by a column; "
                f"got {told['label']!r}."
            )
        if "planned" in told:
            try:
                told["planned"] = arguments.whole("planned", told["planned"])
            except ArgumentError as error:  # the option of the same name is another elsewhere
                named = f"{arg('planned', option='--planned')} must {error.must}; got {error.got}."
                raise ArgumentError(named) from None
        if "label" in told:
            told["label"] = str(told["label"])
        checked = ReadOptions.of(
            **{name: told[name] for name in ("direction", "bounds", "sampling") if name in told}
        )
        if "bounds" in told:
            told["bounds"] = checked.bounds
        return cls(by=groups, **told)

    def of_search(self, **more: Any) -> ReadOptions:
        """Return what is to be said to the reader of one search, or of several."""
        names = ("score", "cost", "test", "direction", "bounds", "sampling")
        told = {name: getattr(self, name) for name in names}
        return ReadOptions.of(**told, **more, every=True)
