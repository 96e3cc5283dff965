"""Files of attempts, looked at once: which tool wrote them, and what was read to tell.

A JSON file is read whole to know its format; what was read is kept until it is used.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from bestofk.errors import DataError
from bestofk.sources.attempts import inspect_logs, kinds
from bestofk.sources.files import json_files, json_lines
from bestofk.sources.files.opening import bounded_text, file_stem, named, open_text

RESULTS = "results.json"  # of tau2-bench in its folder format
WAY_OUT = "Write problem, attempt and score alone, as JSON lines."
MOST_TEXT = 256 * 2**20  # characters of a JSON file, most of which are solutions or messages
_MOST_FILES = 10_000
_MOST_LOOKED_AT = 20  # files of a folder, to know what it holds


@dataclass(frozen=True, kw_only=True)
class Opened:
    """A file, the tool that wrote it, and what was read to know it.

    `text` is that of a JSON array, `held` what another JSON file holds.
    """

    path: Path
    kind: kinds.Kind | None = None
    text: str | None = None
    held: Any = None

    @property
    def label(self) -> str | None:
        """What the file calls its attempts, if it says nothing else."""
        if self.path.name == RESULTS and self.kind == "tau2-bench":
            return self.path.resolve().parent.name
        return file_stem(self.path, *json_files.SUFFIXES) or self.path.stem


class Opener:
    """Opens files, each once, though it is first looked at and then used."""

    def __init__(self) -> None:
        self._seen: dict[Path, Opened] = {}

    def look(self, path: Path) -> Opened:
        """Return a file that will be used later."""
        if path not in self._seen:
            self._seen[path] = _opened(path)
        return self._seen[path]

    def take(self, path: Path) -> Opened:
        """Return a file to use it; the next time it is read anew."""
        return self._seen.pop(path, None) or _opened(path)

    def is_recognised(self, path: Path) -> bool:
        """Tell whether a file or folder is of a format that needs no arguments to be read."""
        if path.is_dir():
            few = islice(inside(path), _MOST_LOOKED_AT)
            return any(self.look(one).kind is not None for one in few)
        return self.look(path).kind is not None


def inside(folder: Path) -> Iterator[Path]:
    """Yield the files in a folder that may be a tool's, by name."""
    ends = named(*json_files.SUFFIXES, *json_lines.SUFFIXES, inspect_logs.SUFFIX)
    found = sorted(path for path in folder.iterdir() if ends(path) and path.is_file())
    if len(found) > _MOST_FILES:
        raise DataError(
            f"{folder.resolve().name}: must hold at most {_MOST_FILES:,} files; it holds more. "
            "Name those that matter."
        )
    yield from found


def _opened(path: Path) -> Opened:
    if path.suffix.lower() == inspect_logs.SUFFIX:
        return Opened(path=path, kind="inspect_ai")
    if named(*json_lines.SUFFIXES)(path):
        return Opened(path=path, kind=_of_first_line(path))
    if not json_files.recognises(path):
        return Opened(path=path)
    text = bounded_text(path, WAY_OUT, most=MOST_TEXT)
    if text.lstrip()[:1] == "[":
        return Opened(path=path, kind=kinds.of_record(_first(text)), text=text)
    held = json_files.loaded(text, path.name)
    kind = kinds.of_object(held) if isinstance(held, dict) else None
    return Opened(path=path, kind=kind, held=held)


def _of_first_line(path: Path) -> kinds.Kind | None:
    with open_text(path) as lines:
        line = lines.readline()
    try:
        first = json.loads(line)
    except ValueError:  # it is said elsewhere what is wrong
        return None
    return kinds.of_columns(first) if isinstance(first, dict) else None


def _first(text: str) -> Mapping[str, Any]:
    """Return the first record of an array; nothing if it is none."""
    try:
        first = next(json_files.elements(text), None)
    except (json.JSONDecodeError, RecursionError):
        first = None
    return first if isinstance(first, dict) else {}
