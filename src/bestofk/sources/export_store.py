"""Writing a search of a store as CSV or JSON lines, row by row, without loading all its trials."""

from __future__ import annotations

import csv
import io
import json
import math
import re
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from bestofk.errors import DataError
from bestofk.runner.readback import drawn_params, to_search
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.tables import SearchRow, sqlalchemy
from bestofk.sources.export import _opened, _strict, _text, distinct_names, export

_AT_ONCE = 1000  # rows that are held in memory

# number, state, parameters, metrics, score and cost
_Row = tuple[int, str, dict[str, Any], dict[str, Any], float | None, float | None]
_NESTED = {list, dict}
_WORDS = {"true": "True", "false": "False", "null": ""}  # of JSON, in a CSV file
_INFINITE = {"inf", "-inf"}


class _NewNames(Exception):  # noqa: N818
    """A trial has a parameter or metric that no trial had before."""


def export_store(url: str, name: str, target: Any, *, format: Literal["csv", "jsonl"]) -> None:
    """Write a search of a store; the same file as `export` of the search that was read.

    Parameters
    ----------
    url : str
        The store.
    name : str
        Name of the search.
    target : path or file
        Where to write.
    format : {"csv", "jsonl"}
        What to write.
    """
    with Ledger(url) as ledger:
        row = ledger.get(name)
        if not ledger.finished(row):
            raise DataError(f"{ledger.url_shown}: search {row.name!r} has no finished trial yet.")
        if _stepped(ledger, row):  # costs that take all trials to tell
            export(to_search(ledger, row), target, format=format)
            return
        ledger.record_look(row)
        names = _Names(row)
        with tempfile.TemporaryFile("w+", encoding="utf-8", newline="") as spool:
            while True:
                try:
                    _write(ledger, row, names, spool, format)
                    break
                except _NewNames:  # start again with one more column
                    spool.seek(0)
                    spool.truncate()
            spool.seek(0)
            with _opened(target, binary=False) as file:
                shutil.copyfileobj(spool, file)


class _Names:
    """The columns, as far as they are known."""

    def __init__(self, row: SearchRow) -> None:
        self.label, self.score = row.name, row.facts["score"]
        self.params: list[str] = []
        self.metrics: list[str] = []  # beside the score
        self.seen: list[str] = []  # metrics in the order of the store
        self.cost = False

    @property
    def columns(self) -> list[str]:
        found = ["number", "state", *self.params, self.score, *self.metrics]
        found += ["cost"] if self.cost else []
        distinct_names(self.label, found)
        return found

    def learn(self, rows: list[_Row]) -> bool:
        """Take note of the names in some rows, and tell whether there were new ones."""
        params: dict[str, None] = dict.fromkeys(self.params)
        metrics = dict.fromkeys([self.score, *self.metrics])
        before = len(params), len(metrics), self.cost
        seen = dict.fromkeys(self.seen)
        for row in rows:
            params |= row[2]
            metrics |= row[3]
            seen |= row[3]
        self.seen = [*seen]
        self.params, self.metrics = [*params], [name for name in metrics if name != self.score]
        self.cost = self.cost or any(row[5] is not None for row in rows)
        return before != (len(params), len(metrics), self.cost)

    def cells(self, row: _Row) -> list[Any]:
        """Return a row of the table."""
        number, state, params, metrics, score, cost = row
        cells = [number, state, *map(params.get, self.params), score]
        cells += map(metrics.get, self.metrics)
        if self.cost:
            cells.append(cost)
        return cells


def _write(ledger: Ledger, row: SearchRow, names: _Names, file: Any, format: str) -> None:
    drawn = drawn_params(row.facts)
    put: Callable[[Iterable[list[Any]]], Any] | None = None
    copied: _Copied | None = None
    piece = io.StringIO(newline="")  # a row at a time would take longer to encode
    for start, found in _pieces(ledger, row):
        text = None if copied is None else copied.lines(start, found)
        if text is None:
            rows = _parsed(start, found, drawn)
            new = names.learn(rows)
            if new and put is not None:
                raise _NewNames
            if put is None:
                put, copied = _writer(names.columns, piece, format), _Copied(names, format)
            put(map(names.cells, rows))
            text = piece.getvalue()
            piece.seek(0)
            piece.truncate()
        file.write(text)


class _Copied:
    """Makes lines of the JSON texts in a store by copying digits, which takes a third of the time.

    A store has every number with the digits that it gets in the file.  Trials with anything else
    that the file has in another form are left to `_parsed`.
    """

    def __init__(self, names: _Names, format: str) -> None:
        self._csv, self._cost = format == "csv", names.cost
        # Text that is the same in the file, but for the quotes.
        text = r'"[^"\\,\n]*"' if self._csv else r'"[^"\\\n]*"'
        value = rf"([-+.\de]+|{text}|true|false|null)"
        # A metric is written as a float, also if it has no point, and NaN is left out.
        number = r"-?\d+(?:\.\d+(?:e[-+]\d+)?|e[-+]\d+)"
        metric = rf'(?:({number})|"nan")'
        self._params = _pattern(dict.fromkeys(names.params, value))
        # The score has a column in the store.
        self._metrics = _pattern(dict.fromkeys(names.seen, metric) | {names.score: number})
        cells = ["%s"] * len(names.columns)
        if not self._csv:
            cells[1] = '"%s"'  # the state
            keys = [json.dumps(name, ensure_ascii=False) for name in names.columns]
            cells = [f"{k.replace('%', '%%')}: {v}" for k, v in zip(keys, cells, strict=True)]
        self._line = ",".join(cells) + "\n" if self._csv else "{" + ", ".join(cells) + "}\n"

    def lines(self, start: int, found: Sequence[Any]) -> str | None:
        """Return the lines of some trials, or None if they have to be parsed."""
        numbers, states, param_texts, metric_texts, scores, costs = zip(*found, strict=True)
        if numbers[-1] + 1 - start > len(numbers):  # one is running
            return None
        if not self._cost and any(cost is not None for cost in costs):
            return None
        params = _groups(self._params, param_texts)
        metrics = _groups(self._metrics, metric_texts)
        if params is None or metrics is None:
            return None
        columns = [*params, _digits(scores), *metrics, *([_digits(costs)] if self._cost else [])]
        if self._csv:
            columns[: len(params)] = map(_unquoted, params)
        elif not _INFINITE.isdisjoint((*columns[len(params)], *columns[-1])):
            return None
        else:
            columns = [
                [v or "null" for v in column] if "" in column else column for column in columns
            ]
        return "".join(map(self._line.__mod__, zip(numbers, states, *columns, strict=True)))


def _pattern(values: Mapping[str, str]) -> re.Pattern[str]:
    """Return what matches a line with an object of these names in this order, or some of them."""
    entries = [f"(?:{re.escape(json.dumps(k))}: {v}(?:, )?)?" for k, v in values.items()]
    return re.compile(rf"^\{{{''.join(entries)}\}}$", re.MULTILINE)


def _groups(pattern: re.Pattern[str], texts: Sequence[str]) -> list[Sequence[str]] | None:
    """Return the groups in a column each, empty where there is none; None if a text differs."""
    found = pattern.findall("\n".join(texts))
    if len(found) != len(texts):
        return None
    if pattern.groups < 2:
        return [found] * pattern.groups
    return [*zip(*found, strict=True)]


def _digits(column: Sequence[float | None]) -> Sequence[str]:
    return ["" if value is None else repr(value) for value in column]


def _unquoted(column: Sequence[str]) -> Sequence[str]:
    """Return JSON values as the cells of a CSV file."""
    if '"' not in (together := "".join(column)) and "u" not in together and "l" not in together:
        return column  # of numbers
    return [value[1:-1] if value[:1] == '"' else _WORDS.get(value, value) for value in column]


def _writer(columns: list[str], file: Any, format: str) -> Callable[[Iterable[list[Any]]], Any]:
    if format == "csv":
        writer = csv.writer(file, lineterminator="\n")  # which writes numbers as repr does
        writer.writerow(columns)
        return lambda rows: writer.writerows([_plain(cells) for cells in rows])
    encode = json.JSONEncoder(allow_nan=False, ensure_ascii=False).encode

    def put(rows: Iterable[list[Any]]) -> None:
        for cells in rows:
            record = dict(zip(columns, cells, strict=True))
            try:
                line = encode(record)
            except ValueError:  # infinity
                line = encode({name: _strict(value) for name, value in record.items()})
            file.write(line + "\n")

    return put


def _plain(cells: list[Any]) -> list[Any]:
    """Return the cells of a row of a CSV file; lists and the like are JSON in it."""
    if _NESTED.isdisjoint(map(type, cells)):
        return cells
    return [_text(value) for value in cells]


def _pieces(ledger: Ledger, row: SearchRow) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the recorded trials in start order, some at a time, with the number they start from."""
    sa, trial = sqlalchemy(), ledger._tables["trial"]
    c = trial.c
    columns = [c.number, c.state, c.params, c.metrics, c.score, c.cost]
    start = 0
    while True:
        wanted = sa.select(*columns).where(c.search_id == row.id, c.number >= start)
        found = ledger._execute(wanted.order_by(c.number).limit(_AT_ONCE))
        if not found:
            return
        yield start, found
        start = found[-1].number + 1


def _stepped(ledger: Ledger, row: SearchRow) -> bool:
    """Tell whether the clock was set back during a trial, as `trial_row` does."""
    c = ledger._tables["trial"].c
    odd = (c.ended < c.started) | (c.cost < 0)
    wanted = sqlalchemy().select(c.number).where(c.search_id == row.id, odd)
    return bool(ledger._execute(wanted.limit(1)))


def _parsed(start: int, found: Sequence[Any], drawn: Callable[[int], dict[str, Any]]) -> list[_Row]:
    """Return trials as values; a gap in the numbers is a running trial."""
    numbers, states, texts, metric_texts, scores, costs = zip(*found, strict=True)
    params = json.loads(f"[{','.join(texts)}]")  # at once, which takes a third of the time
    metrics = [_known(m) for m in json.loads(f"[{','.join(metric_texts)}]")]
    rows: list[_Row] = [*zip(numbers, states, params, metrics, scores, costs, strict=True)]
    end = numbers[-1] + 1
    if end - start > len(rows):
        gaps = sorted({*range(start, end)} - {*numbers})
        rows += [(gap, "running", drawn(gap), {}, None, None) for gap in gaps]
        rows.sort(key=lambda trial: trial[0])
    return rows


def _known(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return the metrics as numbers, those that are NaN left out; a store has NaN as text."""
    if all(type(value) is float for value in metrics.values()):
        return metrics
    numbers = {name: float(value) for name, value in metrics.items()}
    return {name: value for name, value in numbers.items() if not math.isnan(value)}
