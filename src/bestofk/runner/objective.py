"""What is run: a function or a command; and how one is told from another."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection
from typing import Any

from bestofk.errors import ArgumentError, DataError
from bestofk.runner.command import check_template

REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def check_objective(objective: Any, params: Collection[str]) -> Any:
    """Return a callable, or the words of a command as a tuple."""
    if isinstance(objective, str):
        return load_function(objective)
    if isinstance(objective, list | tuple):
        return check_template(objective, params)
    if callable(objective):
        return objective
    raise ArgumentError(
        "`objective` must be a function of (params, trial), its name as 'module:function', or a "
        f"command as a list of words; got {objective!r}."
    )


def load_function(reference: str) -> Callable[..., Any]:
    """Import `module:function`, the present folder included."""
    if not REFERENCE.fullmatch(reference):
        raise ArgumentError(
            f"a function must be named as module:function; got {reference!r}. "
            "A command is a list of words; on the command line it follows --."
        )
    module_name, _, path = reference.partition(":")
    if os.getcwd() not in sys.path and "" not in sys.path:  # noqa: PTH109
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        found: Any = importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError) as error:
        raise DataError(f"{reference}: the objective cannot be imported: {error}.") from None
    if not callable(found):
        raise ArgumentError(f"{reference} must be a function; it is a {type(found).__name__}.")
    return found  # type: ignore[no-any-return]


def objective_name(objective: Any) -> str | list[str]:
    """Return what the ledger calls an objective: module:qualname, or the words of the command."""
    if isinstance(objective, tuple):
        return list(objective)
    inner = getattr(objective, "func", objective)  # functools.partial
    named = inner if hasattr(inner, "__qualname__") else type(inner)
    return f"{named.__module__}:{named.__qualname__}"


def source_digest(objective: Any) -> str:
    """Return a digest of a function's source, "" if there is none to see."""
    if isinstance(objective, tuple):
        return ""
    inner = getattr(objective, "func", objective)
    try:
        source = inspect.getsource(inner if hasattr(inner, "__qualname__") else type(inner))
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(source.encode()).hexdigest()
