"""Pickles: recognised so as to be refused, since loading one runs whatever is written in it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NoReturn

from bestofk.errors import DataError, marked
from bestofk.sources.files.opening import named
from bestofk.sources.options import ReadOptions

NAME = "nothing that is pickled"
SUFFIXES = (".pkl", ".pickle", ".joblib", ".dill", ".cloudpickle", ".pt")


recognises = named(*SUFFIXES)


def begins(head: bytes) -> bool:
    """Tell whether a file begins as a pickle does."""
    return head[:1] == b"\x80" and head[1:2] in (b"\x02", b"\x03", b"\x04", b"\x05")


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
