"""W&B's offline run files: records of its own kind in LevelDB's log format.

The file begins with ``:W&B``, a magic number and a version; then come blocks of 32 KiB with
records, each a checksum, a length, a type (whole, first, middle, last part) and the bytes.
"""

from __future__ import annotations

import json
import math
import re
import struct
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO

from bestofk.errors import DataError, needing
from bestofk.scores.trial import State
from bestofk.sources.files.nested import flatten, refuse_marks
from bestofk.sources.files.opening import MOST_LINE, open_bytes
from bestofk.sources.tools.runs import Run, numbers_in

_BLOCK = 32768
_HEADER = b":W&B"
_WHOLE, _FIRST, _MIDDLE, _LAST = 1, 2, 3, 4


def read_file(path: Path) -> tuple[float, Run]:
    """Return when the run started, and the run; one without an end counts as running."""
    with needing("reading a .wandb file", "wandb", "wandb"):
        from wandb.proto.wandb_internal_pb2 import Record  # type: ignore[attr-defined]
    config: dict[str, Any] = {}
    summary: dict[str, Any] = {}
    history: dict[str, Any] = {}
    start, seconds, code = math.inf, 0.0, None
    for data in records(path):
        record = Record()
        try:
            record.ParseFromString(data)
        except Exception as error:  # protobuf's own, which differs between its versions
            raise DataError(f"{path}: a record cannot be read: {error}.") from None
        kind = record.WhichOneof("record_type")
        if kind == "run":
            start = record.run.start_time.ToNanoseconds() / 1e9
            config |= _values(record.run.config.update)
            summary |= _values(record.run.summary.update)
        elif kind == "config":
            config |= _values(record.config.update)
        elif kind == "history":
            history |= _values(record.history.item)
        elif kind == "summary":
            summary |= _values(record.summary.update)
        elif kind == "exit":
            code, seconds = record.exit.exit_code, max(seconds, float(record.exit.runtime))
        # The runtime comes with fractions beside each step and as a whole number elsewhere.
        for told in (history.get("_runtime"), summary.get("_runtime")):
            seconds = max(seconds, float(told)) if isinstance(told, int | float) else seconds
    if math.isinf(start):  # it was killed before anything was written
        start = _of_folder(path)
    state: State = "running" if code is None else "complete" if code == 0 else "failed"
    return start, Run(
        state=state,
        metrics=metrics_of(summary) or metrics_of(history),
        params=flatten({k: v for k, v in config.items() if k != "_wandb"}),
        cost=seconds,
        note=f"{path.name}: ended with exit code {code}" if code else "",
    )


def _of_folder(path: Path) -> float:
    """Return when a run started by the name of its folder, else by the file's time."""
    stamp = re.search(r"run-(\d{8}_\d{6})-", path.parent.name)
    if stamp is None:
        return path.stat().st_mtime
    whole = datetime.strptime(stamp.group(1), "%Y%m%d_%H%M%S").timestamp()
    return whole + 0.999  # after those known to have started within the same second


def records(path: Path) -> Iterator[bytes]:
    """Yield the records of a file, checked; a last one that was cut off is skipped."""
    with open_bytes(path) as file:
        start = file.read(7)
        if start[:4] != _HEADER or len(start) < 7:
            raise DataError(f"{path}: must begin as a W&B run file does; it does not.")
        yield from _records(file, path)


def _records(file: BinaryIO, path: Path) -> Iterator[bytes]:
    place, parts = 7, bytearray()
    while True:
        left = _BLOCK - place % _BLOCK
        head = file.read(7) if left >= 7 else b""
        if left >= 7 and len(head) < 7:
            return
        checksum, length, kind = struct.unpack("<IHB", head) if head else (0, 0, 0)
        if kind == 0 and length == 0:  # the rest of a block is padding
            place += left
            file.seek(place)
            continue
        body = file.read(length)
        if len(body) < length:
            return
        if zlib.crc32(bytes([kind]) + body) != checksum:
            raise DataError(f"{path}: damaged at byte {place}: the checksum does not fit.")
        place += 7 + length
        if kind in (_WHOLE, _FIRST):
            parts.clear()
        parts += body
        if len(parts) > MOST_LINE:
            raise DataError(f"{path}: a record must be at most {MOST_LINE >> 20} MiB long.")
        if kind in (_WHOLE, _LAST):
            yield bytes(parts)
            parts.clear()


def _values(items: Iterable[Any]) -> dict[str, Any]:
    return {".".join(item.nested_key) or item.key: json_value(item.value_json) for item in items}


def metrics_of(summary: Mapping[str, Any]) -> dict[str, float]:
    """Return the numbers of a summary, without W&B's own."""
    own = {k: v for k, v in summary.items() if not str(k).startswith("_")}
    return numbers_in(flatten(own))


def seconds_of(summary: Mapping[str, Any]) -> float | None:
    """Return how long a run took, by its summary."""
    seconds = numbers_in(summary).get("_runtime")
    wandb = summary.get("_wandb")
    return numbers_in(wandb).get("runtime", seconds) if isinstance(wandb, Mapping) else seconds


def json_value(text: str) -> Any:
    """Return a value that W&B wrote as JSON."""
    try:
        return json.loads(refuse_marks(text, "a value in a W&B run file"))
    except (ValueError, RecursionError):
        return text
