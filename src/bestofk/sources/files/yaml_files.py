"""YAML as tools write it, read without running or expanding anything."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bestofk.errors import DataError, needing
from bestofk.sources.files.opening import whole_text
from bestofk.sources.refusals import reason

MOST_NODES = 100_000  # once every alias is replaced by what it stands for
_MOST_BYTES = 2**18  # a second's work for PyYAML


def read_yaml(path: Path, what: str) -> Any:
    """Return what a YAML file holds that belongs to `what`."""
    with needing(f"reading {what}", "pyyaml", "sources"):
        import yaml
    text = whole_text(path, most=_MOST_BYTES)
    try:
        return load_yaml(text)
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        raise DataError(f"{path}: cannot be read: {reason(error)[:200]}.") from None


def load_yaml(text: str) -> Any:
    r"""Return what a text in YAML holds; raise a `ValueError` or an error of YAML if it is none.

    Examples
    --------
    >>> load_yaml("a: &x [1, 2]\nb: *x")
    {'a': [1, 2], 'b': [1, 2]}
    """
    import yaml

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """A loader that leaves objects of Python alone."""

    Loader.add_constructor(None, lambda _loader, node: f"({node.tag}, not read)")
    loader = Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        if _size(node, {}) > MOST_NODES:
            raise ValueError(f"its aliases stand for more than {MOST_NODES:,} values")
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _size(node: Any, known: dict[int, int | None]) -> int:
    """Return how many values a node holds, aliases replaced by what they stand for."""
    if id(node) in known:
        size = known[id(node)]
        if size is None:
            raise ValueError("an alias must not stand for what it is in")
        return size
    known[id(node)] = None  # until it is counted
    inside = node.value if isinstance(node.value, list) else ()
    parts = [part for entry in inside for part in (entry if isinstance(entry, tuple) else (entry,))]
    size = 1 + sum(_size(part, known) for part in parts)
    known[id(node)] = size
    return size
