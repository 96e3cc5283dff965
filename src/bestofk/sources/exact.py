"""Values as strict JSON that says what JSON alone does not, so that they come back as they were.

JSON has no infinity, no NaN, no tuple, and only text as the names in an object.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def packed(value: Any) -> Any:
    """Return a value for strict JSON; a `TypeError` names what has no place in it.

    Examples
    --------
    >>> packed({1: (0.5, float("inf"))})
    {'dict': [[1, {'tuple': [0.5, {'float': 'inf'}]}]]}
    """
    plain = value.item() if isinstance(value, np.generic) else value
    kind = type(plain)
    if kind in (type(None), bool, int, str):
        return plain
    if kind is float:
        return plain if math.isfinite(plain) else {"float": repr(plain)}
    if kind is list:
        return [packed(entry) for entry in plain]
    if kind is tuple:
        return {"tuple": [packed(entry) for entry in plain]}
    if kind is dict:
        return {"dict": [[packed(name), packed(entry)] for name, entry in plain.items()]}
    raise TypeError(repr(plain))


def unpacked(value: Any) -> Any:
    """Return what `packed` was given.

    Examples
    --------
    >>> unpacked({"tuple": [1, {"float": "nan"}]})
    (1, nan)
    """
    if isinstance(value, list):
        return [unpacked(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    ((kind, inside),) = value.items()
    if kind == "float":
        return float(inside)
    entries = [unpacked(entry) for entry in inside]
    return tuple(entries) if kind == "tuple" else dict(entries)
