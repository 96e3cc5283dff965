"""Pages as plain values for strict JSON."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

from bestofk._base.caveat import Caveat
from bestofk._base.text import to_plain


def told(text: str) -> dict[str, str]:
    """Return the metadata of a page's field: what it is."""
    return {"help": text}


def plain_page(page: Any, wanted: frozenset[str] | None = None) -> dict[str, Any]:
    """Return a page's fields, or those wanted, in plain values."""
    found: dict[str, Any] = {
        f.name: _plain(getattr(page, f.name))
        for f in fields(page)
        if wanted is None or f.name in wanted
    }
    return found


def _plain(value: Any) -> Any:
    if isinstance(value, Caveat):
        return {**value.to_dict(), "sentence": value.on_page()}
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    return to_plain(value)
