"""What the user says about attempts: which column is what, and why their number varies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import FAILED, Bounds, Direction, Failed
from bestofk.attempts.attempts import STOPPED, Stopped
from bestofk.errors import ArgumentError, arg

ROLES = ("problem", "score", "attempt", "reward", "answer", "cost", "cluster", "n", "correct")


@dataclass(frozen=True, kw_only=True)
class AttemptOptions:
    """The arguments of `read_attempts`, checked."""

    roles: dict[str, str]  # the columns that the user named, by what they are
    by: tuple[str, ...] = ()
    partial: float | None = None
    stopped: Stopped | None = None
    attempts: int | None = None
    failed: Failed = "raise"
    direction: Direction | None = None
    bounds: Bounds | None = None
    label: str | None = None

    @classmethod
    def of(cls, *, by: str | Sequence[str] | None, **given: Any) -> AttemptOptions:
        """Check what `read_attempts` was given; None says nothing."""
        roles = {role: _column(role, given.pop(role)) for role in ROLES if given[role] is not None}
        for role in ROLES:
            given.pop(role, None)
        told = {name: value for name, value in given.items() if value is not None}
        groups = () if by is None else arguments.texts(by)
        if not all(isinstance(name, str) and name for name in groups):
            must = "be the name of a column or several"
            raise ArgumentError(argument="by", must=must, got=repr(by))
        used = [*roles.values(), *groups]
        twice = next((name for name in used if used.count(name) > 1), None)
        if twice is not None:
            raise ArgumentError(f"a column can be one thing only; {twice!r} was named twice.")
        if groups and told.get("label") is not None:
            raise ArgumentError(
                f"{arg('label')} names a single method, and {arg('by')} names them by a column; "
                f"got {told['label']!r}."
            )
        for name in ("n", "correct"):
            if name in roles and "score" in roles:
                raise ArgumentError(
                    f"{arg(name)} names a column of counts, one row per problem, and "
                    f"{arg('score')} one of single attempts; name either."
                )
        if told.get("stopped") is not None and told.get("attempts") is not None:
            raise ArgumentError(
                f"{arg('stopped')} and {arg('attempts')} are two reasons why the number of "
                "attempts varies; state one of them."
            )
        return cls(roles=roles, by=groups, **_checked(told))

    @property
    def made(self) -> dict[str, Any]:
        """What `Attempts` is made with, beside its columns."""
        told: dict[str, Any] = {
            "stopped": self.stopped,
            "planned": self.attempts,
            "direction": self.direction,
            "bounds": self.bounds,
        }
        return {name: value for name, value in told.items() if value is not None}


def _checked(told: dict[str, Any]) -> dict[str, Any]:
    """Return the other arguments, each as it must be."""
    if "stopped" in told:
        told["stopped"] = arguments.choice("stopped", told["stopped"], STOPPED)
    if "attempts" in told:
        told["attempts"] = arguments.whole("attempts", told["attempts"], least=1)
    if "failed" in told:
        told["failed"] = arguments.choice("failed", told["failed"], FAILED)
    if "direction" in told:
        told["direction"] = arguments.direction(told["direction"])
    if "bounds" in told:
        told["bounds"] = arguments.bounds(told["bounds"])
    if "partial" in told:
        value = told["partial"]
        if not arguments.is_number(value) or not 0 <= value <= 1:
            raise ArgumentError(argument="partial", must="be a number from 0 to 1", got=repr(value))
        told["partial"] = float(value)
    if "label" in told:
        told["label"] = str(told["label"])
    return told


def _column(role: str, name: object) -> str:
    if not (isinstance(name, str) and name):
        raise ArgumentError(argument=role, must="be the name of a column", got=repr(name))
    return name
