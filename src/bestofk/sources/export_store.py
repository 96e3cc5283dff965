"""Writing a search of a store as CSV or JSON lines, row by row, without loading all its trials."""

from __future__ import annotations

import csv
import io
import json
import math
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal

from bestofk.errors import DataError
from bestofk.runner.readback import drawn_params
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.tables import SearchRow, sqlalchemy
from bestofk.sources.export import _opened, _strict, _text, distinct_names

_AT_ONCE = 1000  # rows that are held in memory

# number, state, parameters, metrics, score and cost
_Row = tuple[int, str, dict[str, Any], dict[str, Any], float | None, float | None]
_NESTED = {list, dict}


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
        for row in rows:
            params |= row[2]
            metrics |= row[3]
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
    put: Callable[[Iterable[list[Any]]], Any] | None = None
    piece = io.StringIO(newline="")  # a row at a time would take longer to encode
    for rows in _chunks(ledger, row):
        new = names.learn(rows)
        if new and put is not None:
            raise _NewNames
        if put is None:
            put = _writer(names.columns, piece, format)
        put(map(names.cells, rows))
        file.write(piece.getvalue())
        piece.seek(0)
        piece.truncate()


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


def _chunks(ledger: Ledger, row: SearchRow) -> Iterator[list[_Row]]:
    """Yield the trials in start order, some at a time; a gap in the numbers is a running trial."""
    sa, trial = sqlalchemy(), ledger._tables["trial"]
    c = trial.c
    columns = [c.number, c.state, c.params, c.metrics, c.score, c.cost]
    drawn = drawn_params(row.facts)
    start = 0
    while True:
        wanted = sa.select(*columns).where(c.search_id == row.id, c.number >= start)
        found = ledger._execute(wanted.order_by(c.number).limit(_AT_ONCE))
        if not found:
            return
        numbers, states, texts, metric_texts, scores, costs = zip(*found, strict=True)
        params = json.loads(f"[{','.join(texts)}]")  # at once, which takes a third of the time
        metrics = [_known(m) for m in json.loads(f"[{','.join(metric_texts)}]")]
        rows: list[_Row] = [*zip(numbers, states, params, metrics, scores, costs, strict=True)]
        end = numbers[-1] + 1
        if end - start > len(rows):
            gaps = sorted({*range(start, end)} - {*numbers})
            rows += [(gap, "running", drawn(gap), {}, None, None) for gap in gaps]
            rows.sort(key=lambda trial: trial[0])
        start = end
        yield rows


def _known(metrics: dict[str, Any]) -> dict[str, Any]:
    """Return the metrics as numbers, those that are NaN left out; a store has NaN as text."""
    if all(type(value) is float for value in metrics.values()):
        return metrics
    numbers = {name: float(value) for name, value in metrics.items()}
    return {name: value for name, value in numbers.items() if not math.isnan(value)}
