"""What the user says about attempts: which column is what, and why their number varies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from bestofk._base import arguments
from bestofk._base.types import FAILED, Bounds, Direction, Failed
from bestofk.attempts.attempts import STOPPED, Stopped
from bestofk.errors import ArgumentError, arg
from bestofk.sources.options import checked, column_name, refuse_label, refuse_twice

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
        named = {role: given.pop(role) for role in ROLES}
        roles = checked(dict.fromkeys(ROLES, column_name), named)
        groups = () if by is None else arguments.texts(by)
        if not all(isinstance(name, str) and name for name in groups):
            must = "be the name of a column or several"
            raise ArgumentError(argument="by", must=must, got=repr(by))
        refuse_twice([*roles.values(), *groups])
        refuse_label(given.get("label"), groups)
        for name in ("n", "correct"):
            if name in roles and "score" in roles:
                raise ArgumentError(
                    f"{arg(name)} names a column of counts, one row per problem, and "
                    f"{arg('score')} one of single attempts; name either."
                )
        if given.get("stopped") is not None and given.get("attempts") is not None:
            raise ArgumentError(
                f"{arg('stopped')} and {arg('attempts')} are two reasons why the number of "
                "attempts varies; state one of them."
            )
        return cls(roles=roles, by=groups, **checked(_CHECKS, given))

    @property
    def made(self) -> dict[str, Any]:
        """What `Attempts` is made with, beside its columns."""
        told = {name: getattr(self, name) for name in ("stopped", "direction", "bounds")}
        told["planned"] = self.attempts
        return {name: value for name, value in told.items() if value is not None}


def _share(option: str, value: Any) -> float:
    if not arguments.is_number(value) or not 0 <= value <= 1:
        raise ArgumentError(argument=option, must="be a number from 0 to 1", got=repr(value))
    return float(value)


_CHECKS: dict[str, Callable[[str, Any], Any]] = {
    "stopped": lambda option, value: arguments.choice(option, value, STOPPED),
    "attempts": lambda option, value: arguments.whole(option, value, least=1),
    "failed": lambda option, value: arguments.choice(option, value, FAILED),
    "direction": lambda _, value: arguments.direction(value),
    "bounds": lambda _, value: arguments.bounds(value),
    "partial": _share,
    "label": lambda _, value: str(value),
}
