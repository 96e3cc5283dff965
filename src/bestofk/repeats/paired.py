"""Repeats of several methods, matched by their seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bestofk._base.text import counted
from bestofk.errors import DataError, arg
from bestofk.repeats.repeats import Repeats


def matched(methods: Sequence[Repeats]) -> list[Repeats]:
    """Return the repeats of all methods in one order: by seed, or by name where seeds are unknown.

    Examples
    --------
    >>> one = Repeats.of_array([[0.1], [0.2]], seeds=[1, 2], label="one")
    >>> two = Repeats.of_array([[0.3], [0.4]], seeds=[2, 1], label="two")
    >>> [m.seeds for m in matched([one, two])]
    [('1', '2'), ('1', '2')]
    """
    by_seed = all(m.seeds is not None and None not in m.seeds for m in methods)
    keys: list[list[str]] = [
        [str(s) for s in m.seeds] if by_seed and m.seeds is not None else list(m.names)
        for m in methods
    ]
    for method, own in zip(methods[1:], keys[1:], strict=True):
        alone = [key for key in keys[0] if key not in own]
        more = [key for key in own if key not in keys[0]]
        if alone or more:
            what = "seed" if by_seed else "name"
            raise DataError(
                f"paired repeats must have the same {what}s; {counted(len(alone), what)} of "
                f"{methods[0].label} and {len(more)} of {method.label} have no partner "
                f"({(alone or more)[0]!r}, for one). Leave these out of both if that has nothing "
                f"to do with the scores, or leave out {arg('paired', True, option='--paired')}."
            )
    places = [[own.index(key) for key in keys[0]] for own in keys]
    return [_in_order(m, order) for m, order in zip(methods, places, strict=True)]


def _in_order(method: Repeats, order: Sequence[int]) -> Repeats:
    def some(column: Any) -> Any:
        return None if column is None else tuple(column[i] for i in order)

    names = ("names", "scores", "costs", "tests", "seeds")
    return replace(method, **{name: some(getattr(method, name)) for name in names})
