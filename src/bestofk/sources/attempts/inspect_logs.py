"""Logs of inspect_ai, in both of its formats: ``.json``, and ``.eval``, a zip of JSON members.

Written by inspect_ai 0.3 (inspect_ai/log/_log.py, ``EvalLog`` version 2): ``{"version", "status",
"eval": {"task", "model", …}, "samples": [{"id", "epoch", "scores": {SCORER: {"value", "answer",
…}}, "error", …}]}``.  In ``.eval`` the samples are summarised in ``summaries.json``, or until the
run ends in ``_journal/summaries/N.json``; members are compressed with zstd, which Python's zipfile
reads only since 3.14, so that pyarrow unpacks them here.

An epoch is an attempt.  A value C is right, I and N (no answer) are wrong, as inspect_ai counts
them; what P, partially correct, counts as is for the user to say.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping, Sequence
from copy import copy
from pathlib import Path
from typing import Any

from bestofk._base import arguments
from bestofk._base.caveat import Caveat
from bestofk.errors import ArgumentError, DataError, arg, needing
from bestofk.sources.attempts.recorded import Recorded
from bestofk.sources.files import cells
from bestofk.sources.files.json_lines import different_keys
from bestofk.sources.files.nested import refuse_marks
from bestofk.sources.files.opening import MOST_LINE, MOST_RATIO, MOST_UNPACKED, open_bytes
from bestofk.sources.files.table import listing

SUFFIX = ".eval"
_ZSTD = 93  # the method's number in a zip file
_VALUES = {"C": 1.0, "I": 0.0, "N": 0.0, "yes": 1.0, "no": 0.0, "true": 1.0, "false": 0.0}
_PARTIAL = "P"
_MOST_SAMPLES = 2_000_000
_SHORTENED = 1000  # characters, from which on a summary may have cut an answer


def of_object(
    held: Mapping[str, Any], source: str, label: str | None, *, partial: float | None
) -> Recorded:
    """Return the attempts in a log, whole or with the summaries of its samples."""
    samples = held.get("samples")
    if not isinstance(samples, list) or not samples:
        raise DataError(
            f"{source}: the log must hold samples; it holds none. Was it written with "
            "--no-log-samples, or has the evaluation just begun?"
        )
    columns: dict[str, list[Any]] = {"id": [], "epoch": []}
    found = [_scores(sample, source) for sample in samples]
    scorers = list(dict.fromkeys(name for values, _ in found for name in values))
    for sample, (values, answers) in zip(samples, found, strict=True):
        columns["id"].append(sample["id"])
        columns["epoch"].append(sample.get("epoch", 1))
        for name in scorers:
            columns.setdefault(name, []).append(values.get(name))
            columns.setdefault(f"{name}.answer", []).append(answers.get(name))
    if not scorers:
        raise DataError(f"{source}: the samples must have scores; none has one.")
    for name in scorers:
        columns[name] = _numbers(columns[name], name, source, partial)
    roles = {"problem": "id", "attempt": "epoch"}
    if len(scorers) == 1:
        roles["score"] = scorers[0]
        answers_of = columns[f"{scorers[0]}.answer"]
        if any(answers_of) and max(len(a or "") for a in answers_of) < _SHORTENED:
            roles["answer"] = f"{scorers[0]}.answer"
    return Recorded.of(
        columns, roles, source, label=label, method=_model(held), caveats=_caveats(held)
    )


def refuse_unsaid(found: Recorded, score: str | None) -> None:
    """Refuse a log with several scorers of which none was named."""
    if score is None and "score" not in found.roles:
        names = [n.removesuffix(".answer") for n in found.table.columns if n.endswith(".answer")]
        raise ArgumentError(
            f"{found.table.source}: {arg('score')} must name one of the scorers {listing(names)}; "
            "there are several."
        )


def _model(held: Mapping[str, Any]) -> str | None:
    model = held["eval"].get("model")
    return model if isinstance(model, str) and model else None


def _caveats(held: Mapping[str, Any]) -> list[Caveat]:
    status = held.get("status")
    if status in ("success", None):
        return []
    ended = str(status)[:40]
    text = f"the log says that its evaluation ended as {ended!r}, so attempts may be missing"
    return [Caveat(kind="unfinished", text=text, validity="assumed")]


def _scores(sample: Any, source: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the value of each scorer for a sample, and the answer that it judged."""
    if not isinstance(sample, dict) or "id" not in sample:
        raise DataError(f"{source}: each sample must have an `id`; one has none.")
    values: dict[str, Any] = {}
    answers: dict[str, str] = {}
    scores = sample.get("scores") or {}
    for name, score in scores.items() if isinstance(scores, dict) else ():
        if not isinstance(score, dict):
            continue
        value = score.get("value")
        several = value.items() if isinstance(value, dict) else [(None, value)]
        for key, one in several:
            column = name if key is None else f"{name}.{key}"
            values[column] = one
            if isinstance(score.get("answer"), str):
                answers[column] = score["answer"]
    return values, answers


def _numbers(
    values: Sequence[Any], name: str, source: str, partial: float | None
) -> list[float | None]:
    """Return what the values of a scorer count as."""
    halves = sum(value == _PARTIAL for value in values)
    if halves and partial is None:
        raise ArgumentError(
            f"{source}: {halves} attempts are partially correct (P) by `{name}`; say what that "
            f"counts as, from 0 to 1, with {arg('partial')}."
        )
    known = _VALUES if partial is None else _VALUES | {_PARTIAL: partial}
    found: list[float | None] = []
    for value in values:
        number = known.get(value) if isinstance(value, str) else cells.truth(value)
        number = cells.number(value) if number is None else number
        if number is None and value is not None:
            raise DataError(
                f"{source}: a value of the scorer `{name}` must be C, I, P, N or a number; got "
                f"{arguments.short(value)}."
            )
        found.append(number)
    return found


def loaded(path: Path) -> dict[str, Any]:
    """Return what an ``.eval`` file holds, as an object for `of_object`."""
    with open_bytes(path) as file:
        try:
            with zipfile.ZipFile(file) as packed:
                return _log(packed, path.name)
        except zipfile.BadZipFile as error:
            raise DataError(
                f"{path.name}: must be a log of inspect_ai, a zip file; {error}."
            ) from None


def _log(packed: zipfile.ZipFile, source: str) -> dict[str, Any]:
    """Return what the members say: the header, and the summaries of the samples."""
    members = {info.filename: info for info in packed.infolist()}
    head = members.get("header.json") or members.get("_journal/start.json")
    if head is None:
        raise DataError(f"{source}: must be a log of inspect_ai; it has no header.json.")
    held = _json(packed, head, source)
    if not isinstance(held, dict) or not isinstance(held.get("eval"), dict):
        raise DataError(f"{source}: must be a log of inspect_ai; its header tells of no eval.")
    whole = members.get("summaries.json")
    samples: list[Any] = []
    for info in [whole] if whole else _journal(members):
        part = _json(packed, info, source)
        samples += part if isinstance(part, list) else []
        if len(samples) > _MOST_SAMPLES:
            raise DataError(
                f"{source}: must hold at most {_MOST_SAMPLES:,} samples; it holds more."
            )
    status = held.get("status", "started")
    return {**held, "status": status, "samples": samples}


def _journal(members: Mapping[str, zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """Return the summaries of a run that has not ended, in the order of their numbers."""
    start, end = "_journal/summaries/", ".json"
    names = [name for name in members if name.startswith(start) and name.endswith(end)]
    return [members[name] for name in sorted(names, key=lambda name: (len(name), name))]


def _json(packed: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> Any:
    text = _unpacked(packed, info, source).decode("utf-8")
    try:
        return json.loads(refuse_marks(text, source), object_pairs_hook=different_keys)
    except json.JSONDecodeError as error:
        raise DataError(f"{source}, {info.filename}: must be JSON; {error.msg}.") from None


def _unpacked(packed: zipfile.ZipFile, info: zipfile.ZipInfo, source: str) -> bytes:
    """Return the bytes of a member, of which nothing that it says is believed."""
    most = min(MOST_LINE, max(MOST_UNPACKED, MOST_RATIO * info.compress_size))
    if info.compress_size > MOST_LINE:
        data = b" " * (most + 1)
    elif info.compress_type == _ZSTD:
        data = _zstd(packed, info, most)
    else:
        with packed.open(info) as member:
            data = member.read(most + 1)
    if len(data) > most:
        raise DataError(
            f"{source}, {info.filename}: is too large for the summary of a log, or unpacks to more "
            f"than {MOST_RATIO} times its size."
        )
    return data


def _zstd(packed: zipfile.ZipFile, info: zipfile.ZipInfo, most: int) -> bytes:
    what = "reading an .eval log (or convert it with: inspect log convert --to json)"
    with needing(what, "pyarrow", "sources"):
        import pyarrow as pa
    as_it_is = copy(info)  # the packed bytes, which zipfile takes for a member that is stored
    as_it_is.compress_type, as_it_is.file_size = zipfile.ZIP_STORED, info.compress_size
    as_it_is.CRC = None  # type: ignore[assignment]
    with packed.open(as_it_is) as member:
        raw = member.read()
    with pa.CompressedInputStream(pa.PythonFile(io.BytesIO(raw), mode="r"), "zstd") as stream:
        return bytes(stream.read(most + 1))
