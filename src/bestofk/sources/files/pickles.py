"""Pickles: recognised so as to be refused, since loading one runs whatever is written in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from bestofk.errors import DataError, marked
from bestofk.sources.files.opening import first_bytes
from bestofk.sources.options import ReadOptions

NAME = "nothing that is pickled"
_SUFFIXES = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle", ".pt")


def recognises(x: object) -> bool:
    """Tell whether `x` is the path of a pickle, by its name or by how it begins."""
    if not isinstance(x, str | os.PathLike):
        return False
    bare = Path(x).name.lower().removesuffix(".gz")
    if bare.endswith(_SUFFIXES):
        return True
    start = first_bytes(x, 2)
    return len(start) == 2 and start[0] == 0x80 and 2 <= start[1] <= 5


def read(x: str | os.PathLike[str], options: ReadOptions) -> NoReturn:
    """Refuse, and say why."""
    way = marked(
        "load it yourself and pass what it holds to read()",
        "load it in Python and pass what it holds to bestofk.read()",
    )
    raise DataError(
        f"{Path(x).name}: a pickle is never loaded, since that runs whatever is written in it. "
        f"If you trust it, {way}."
    )
