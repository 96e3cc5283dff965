"""What the user says about repeats: which column is what, and what they are repeats of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import Bounds, Direction
from bestofk.errors import ArgumentError, arg
from bestofk.scores.trial import Sampling
from bestofk.sources.options import ReadOptions, checked, column_name, refuse_label, refuse_twice

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
        told = checked(dict.fromkeys(COLUMNS, column_name), given)
        groups = () if by is None else arguments.texts(by)
        for group in groups:
            column_name("by", group)
        refuse_twice([*(told[c] for c in COLUMNS if c in told and c != "seed"), *groups])
        refuse_label(told.get("label"), groups)
        if "planned" in told:
            try:
                told["planned"] = arguments.whole("planned", told["planned"])
            except ArgumentError as error:  # the option of the same name is another elsewhere
                named = f"{arg('planned', option='--planned')} must {error.must}; got {error.got}."
                raise ArgumentError(named) from None
        if "label" in told:
            told["label"] = str(told["label"])
        read = ReadOptions.of(**{n: told.get(n) for n in ("direction", "bounds", "sampling")})
        if "bounds" in told:
            told["bounds"] = read.bounds
        return cls(by=groups, **told)

    def of_search(self, **more: Any) -> ReadOptions:
        """Return what is to be said to the reader of one search, or of several."""
        names = ("score", "cost", "test", "direction", "bounds", "sampling")
        told = {name: getattr(self, name) for name in names}
        return ReadOptions.of(**told, **more, every=True)
