"""Results of a benchmark as a Markdown table, printed and kept."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path


def show(path: str, title: str, head: list[str], rows: list[list[object]], *, append: bool = False):
    """Print a table and write it, with the versions that made it, under the repository root."""
    lines = [f"## {title}", ""]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in (head, ["---"] * len(head), *rows)]
    lines += ["", _versions(), ""]
    text = "\n".join(lines)
    print(text)
    target = Path(__file__).parents[1] / path
    target.parent.mkdir(exist_ok=True)
    with target.open("a" if append else "w") as file:
        file.write(text + "\n")


def _versions() -> str:
    packages = " ".join(f"{name} {version(name)}" for name in ("bestofk", "numpy", "scipy"))
    return f"Python {platform.python_version()}, {platform.machine()}, {packages}."
