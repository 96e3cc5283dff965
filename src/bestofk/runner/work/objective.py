"""The objective, a function or a command: how it is checked, named and identified."""

from __future__ import annotations

import hashlib
import importlib
import inspect
import os
import re
import sys
from collections.abc import Callable, Collection
from typing import Any

from bestofk.errors import ArgumentError, DataError, marked
from bestofk.runner.work.command import check_template

REFERENCE = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def check_objective(
    objective: object, params: Collection[str]
) -> Callable[..., Any] | tuple[str, ...]:
    """Return the function to call, or the words of the command as a tuple."""
    if isinstance(objective, str):
        return load_function(objective)
    if isinstance(objective, list | tuple):
        return check_template(objective, params)
    if callable(objective):
        return objective
    raise ArgumentError(
        argument="objective",
        must="be a function of (params, trial), its name as 'module:function', or a command as a "
        "list of words",
        got=repr(objective),
    )


def load_function(reference: str) -> Callable[..., Any]:
    """Import `module:function`, also from the current folder."""
    if not REFERENCE.fullmatch(reference):
        raise ArgumentError(
            f"a function must be named as module:function; got {reference!r}. "
            f"A command {marked('is a list of words', 'follows --')}."
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
    """Return the name of an objective in the store: module:qualname or a command's words."""
    if isinstance(objective, tuple):
        return list(objective)
    named = _named(objective)
    return f"{named.__module__}:{named.__qualname__}"


def source_digest(objective: Any) -> str:
    """Return a digest of the source of a function, or "" if it is not available."""
    if isinstance(objective, tuple):
        return ""
    try:
        source = inspect.getsource(_named(objective))
    except (OSError, TypeError):
        return ""
    return hashlib.sha256(source.encode()).hexdigest()


def _named(objective: Any) -> Any:
    """Return the function that is called, or the class of the object that is."""
    inner = getattr(objective, "func", objective)  # functools.partial
    return inner if hasattr(inner, "__qualname__") else type(inner)
