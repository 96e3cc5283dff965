"""JSON Schemas of what results give as JSON, one file per kind in docs/schema.

Made from what each kind declares (its facts and columns) and from the types of these.
"""

from __future__ import annotations

import importlib
import json
import pkgutil
import types
import typing
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import numpy as np

FOLDER = Path(__file__).parents[1] / "docs" / "schema"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
CELL = {"type": ["number", "string", "boolean", "null"]}
CAVEAT = {
    "type": "object",
    "properties": {
        "kind": {"type": "string"},
        "about": {"type": "array", "items": {"type": "string"}},
        "text": {"type": "string"},
        "remedy": {"type": "string"},
        "validity": {"enum": ["holds", "assumed", "void"]},
    },
    "required": ["kind", "about", "text", "remedy", "validity"],
    "additionalProperties": False,
}


def kinds() -> dict[str, type]:
    """Return every kind of result in the package by its name."""
    import bestofk
    from bestofk._base.result import Drawn, Result

    for module in pkgutil.walk_packages(bestofk.__path__, "bestofk."):
        if "__main__" not in module.name:
            importlib.import_module(module.name)

    def below(kind: type) -> list[type]:
        return [k for sub in kind.__subclasses__() for k in (sub, *below(sub))]

    found = [
        k
        for k in below(Result)
        if k is not Drawn and k.__name__[0] != "_" and k.__module__.startswith("bestofk.")
    ]
    return {kind.kind(): kind for kind in sorted(found, key=lambda k: k.__name__)}


def schema(kind: Any) -> dict[str, Any]:
    """Return the schema of one kind of result."""
    properties: dict[str, Any] = {
        "kind": {"const": kind.kind()},
        "schema": {"const": kind.schema},
        "validity": {"enum": ["holds", "assumed", "void"]},
        "reasons": {"type": "array", "items": {"type": "string"}},
    }
    required = list(properties)
    for name, path in kind._declared["facts"].items():
        properties[name] = of_type(type_of(kind, path))
        required.append(name)
    parts = getattr(kind, "PARTS", None)
    for name, path in () if parts else kind._declared["columns"].items():
        hint = type_of(kind, path)
        properties[name] = column_of(hint)
        if type(None) not in get_args(hint):
            required.append(name)
    for name in parts or ():
        properties[name] = {"type": "array"}
        required.append(name)
    properties["caveats"] = {"type": "array", "items": CAVEAT}
    open_ended = not kind._declared["columns"] and not parts
    return {
        "$schema": DIALECT,
        "title": kind.kind(),
        "description": (kind.__doc__ or "").strip().splitlines()[0],
        "type": "object",
        "properties": properties,
        "required": [*required, "caveats"],
        "additionalProperties": open_ended,
    }


def type_of(kind: Any, path: str) -> Any:
    """Return the type that a path of attributes leads to; through a tuple, that of an array."""
    hint: Any = kind
    through = False
    for name in path.split("."):
        if get_origin(hint) is tuple:
            hint, through = get_args(hint)[0], True
        hint = attribute_type(hint, name)
    return np.ndarray if through else hint


def attribute_type(kind: Any, name: str) -> Any:
    if is_dataclass(kind) and name in {f.name for f in fields(kind)}:
        return get_type_hints(kind)[name]
    found = next((vars(k)[name] for k in kind.__mro__ if name in vars(k)), None)
    if isinstance(found, property):
        return get_type_hints(found.fget)["return"]
    if isinstance(found, cached_property):
        return get_type_hints(found.func)["return"]
    return get_type_hints(kind)[name]


def of_type(hint: Any) -> dict[str, Any]:
    """Return the schema of a value of this type, as strict JSON has it."""
    if hint is Any:
        return {}
    origin = get_origin(hint)
    if origin is typing.ClassVar:
        return of_type(get_args(hint)[0])
    if origin is Literal:
        return {"enum": list(get_args(hint))}
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [of_type(h) for h in get_args(hint)]}
    if hint is type(None):
        return {"type": "null"}
    if hint is bool:
        return {"type": "boolean"}
    if hint is float:
        return {"type": ["number", "null"]}  # an infinite one is null
    plain = {str: "string", int: "integer"}
    if hint in plain:
        return {"type": plain[hint]}
    base = origin or hint
    if isinstance(base, type) and issubclass(base, np.ndarray):
        return column_of(hint)
    if isinstance(base, type) and issubclass(base, list | tuple):
        inner = get_args(hint)[:1]
        return {"type": "array", **({"items": of_type(inner[0])} if inner else {})}
    if isinstance(base, type) and issubclass(base, dict | Mapping):
        return {"type": "object"}
    return {}


def column_of(hint: Any) -> dict[str, Any]:
    numbers = "float64" in str(hint) or hint in (float, int)
    return {"type": "array", "items": {"type": ["number", "null"]} if numbers else CELL}


def texts() -> dict[str, str]:
    """Return the text of every schema file by its name."""
    return {
        f"{name}.json": json.dumps(schema(kind), indent=2, ensure_ascii=False) + "\n"
        for name, kind in kinds().items()
    }
