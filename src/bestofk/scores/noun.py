"""What a noun offers that has verbs of its own: a verb calls its method and never imports it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np

Compared_co = TypeVar("Compared_co", covariant=True)


@runtime_checkable
class ComparesItself(Protocol[Compared_co]):
    """What knows how it is compared with others of its kind."""

    def compared(self, methods: Any, **options: Any) -> Compared_co:
        """Return the comparison of methods, of which it is one."""


def that_compares(methods: Any) -> ComparesItself[Any] | None:
    """Return one of the methods that knows how it is compared; None if the first does not.

    Only the first of a collection is looked at, which may be a long list of scores.
    """
    first = methods
    if isinstance(methods, Mapping):
        first = next((m for m in methods.values() if isinstance(m, ComparesItself)), None)
    elif isinstance(methods, Collection) and not isinstance(
        methods, str | np.ndarray | ComparesItself
    ):
        first = next(iter(methods), None)
    return first if isinstance(first, ComparesItself) else None
