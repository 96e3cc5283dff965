"""What a noun offers that has verbs of its own: a verb calls its method and never imports it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from numbers import Number
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

from bestofk.errors import ArgumentError, arg

Compared_co = TypeVar("Compared_co", covariant=True)
Curve_co = TypeVar("Curve_co", covariant=True)
Band_co = TypeVar("Band_co", covariant=True)


@runtime_checkable
class ComparesItself(Protocol[Compared_co]):
    """What knows how it is compared with others of its kind.

    `compared_by`, if it has any, are the options of a comparison of searches that it takes too.
    """

    def compared(self, methods: Any, **options: Any) -> Compared_co:
        """Return the comparison of methods, of which it is one."""


@runtime_checkable
class HasCurve(Protocol[Curve_co]):
    """What knows its own tuning curve."""

    def own_curve(self, **options: Any) -> Curve_co:
        """Return its curve, as `tuning_curve` asks for it."""


@runtime_checkable
class HasBand(Protocol[Band_co]):
    """What knows its own band."""

    def own_band(self, **options: Any) -> Band_co:
        """Return its band, as `tuning_band` asks for it."""


def refuse_options(given: Mapping[str, Any], noun: object) -> None:
    """Refuse an argument that only a single search has; None and "raise" are as if not given."""
    for name, value in given.items():
        if value is not None and value != "raise":
            raise ArgumentError(
                f"{arg(name)} belongs to a single search, not to {type(noun).__name__}. Leave it "
                "out."
            )


def that_compares(methods: Any) -> ComparesItself[Any] | None:
    """Return the first of the methods that knows how it is compared; None if none does.

    A collection that begins with a number is a list of scores, which may be long.
    """
    first = methods
    if isinstance(methods, Mapping):
        first = next((m for m in methods.values() if isinstance(m, ComparesItself)), None)
    elif isinstance(methods, Collection) and not isinstance(
        methods, str | np.ndarray | ComparesItself
    ):
        first = next(iter(methods), None)
        if not isinstance(first, Number):
            first = next((m for m in methods if isinstance(m, ComparesItself)), None)
    return first if isinstance(first, ComparesItself) else None
