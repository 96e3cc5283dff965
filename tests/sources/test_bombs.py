"""Small files that would fill the memory or never end: refused within seconds, in one sentence."""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import struct
import subprocess
import sys
import time
import zlib

import pytest

import bestofk as bk
from bestofk.errors import DataError
from bestofk.sources.files import yaml_files
from bestofk.sources.tools import sqlite_limits
from tests.conftest import ROOT
from tests.sources import mutated

MIB = 2**20


def gzipped(path, pieces):
    """Write a gzipped file part by part."""
    packer = zlib.compressobj(1, wbits=31)
    with path.open("wb") as file:
        for piece in pieces:
            file.write(packer.compress(piece))
        file.write(packer.flush())
    return path


def long_line(folder):
    path = folder / "line.csv"
    with path.open("wb") as file:
        file.write(b"score\n")
        file.truncate(200 * MIB)  # NUL characters without an end of line
    return path


def packed_line(folder):
    return gzipped(folder / "line.csv.gz", [b"score\n", *[b"1" * MIB] * 300])


def packed_rows(folder):
    return gzipped(folder / "rows.csv.gz", [b"score\n", *[b"1\n" * MIB] * 300])


def packed_records(folder):
    return gzipped(folder / "rows.jsonl.gz", [b'{"score": 1}\n' * MIB] * 30)


def wide_header(folder):
    path = folder / "wide.csv"
    path.write_text("a," * 10_000_000 + "b\n")
    return path


def wide_row(folder):
    path = folder / "wide.csv"
    path.write_text("a,b\n" + "1," * 30_000_000 + "\n")
    return path


def lists(folder):
    path = folder / "lists.jsonl"
    path.write_text('{"score": 1, "x": [' + "[]," * 20_000_000 + "0]}\n")
    return path


def other_names(folder):
    path = folder / "names.jsonl"
    path.write_text("".join(f'{{"k{i}": 1}}\n' for i in range(90_000)))
    return path


def deep_json(folder):
    path = folder / "deep.json"
    path.write_text("[" * 10_000_000)
    return path


def deep_journal(folder):
    path = folder / "deep.log"
    path.write_text("[" * 60_000)
    return path


def hydra(folder, overrides):
    (folder / "out" / "0" / ".hydra").mkdir(parents=True)
    (folder / "out" / "0" / ".hydra" / "overrides.yaml").write_text(overrides)
    (folder / "out" / "0" / "a.json").write_text('{"acc": 1}')
    return folder / "out"


def laughs(folder):
    lines = ["a0: &a0 [x, x]"]
    lines += [f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]" for i in range(20)]
    return hydra(folder, "\n".join(lines))


def merged(folder):
    lines = ["a0: &a0 {x: 1}"]
    both = "<<: [*a{0}, *a{0}]"
    lines += [f"a{i + 1}: &a{i + 1} {{{both.format(i)}}}" for i in range(40)]
    return hydra(folder, "\n".join(lines))


def own_alias(folder):
    return hydra(folder, "&a [*a]")


def endless(folder, name, columns):
    """An SQLite file in which a view in the place of a table never ends."""
    path = folder / "study.db"
    with sqlite3.connect(path) as made:
        for table in ("experiments", "runs", "latest_metrics", "studies", "trials", "trial_values"):
            made.execute(f"CREATE TABLE {table} (a)")
        made.execute(
            f"CREATE VIEW {name} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
            f" SELECT {columns} FROM n"
        )
    made.close()
    return path


def view(folder):
    return endless(folder, "params", "i AS run_uuid, i AS key, i AS value")


def optuna_view(folder):
    return endless(folder, "trial_params", "i AS trial_id")


def computed(folder):
    """An SQLite file in which a column is computed, and large."""
    path = folder / "ml.db"
    with sqlite3.connect(path) as made:
        made.execute(
            "CREATE TABLE runs (run_uuid, status AS (hex(zeroblob(40000000))), start_time, "
            "end_time, lifecycle_stage, experiment_id)"
        )
        made.execute("INSERT INTO runs (run_uuid) VALUES (1)")
        for name in ("experiments", "latest_metrics", "params", "tags"):
            made.execute(f"CREATE TABLE {name} (a)")
    made.close()
    return path


def parquet(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "rows.parquet"
    ones = pa.array([1.0] * 1_000_000)
    with pq.ParquetWriter(path, pa.schema([("score", pa.float64())])) as file:
        for _ in range(120):
            file.write_table(pa.table({"score": ones}), row_group_size=1_000_000)
    return path


def parquet_words(folder):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "words.parquet"
    words = pa.DictionaryArray.from_arrays(pa.array([0] * 100_000), pa.array(["x" * 100_000]))
    pq.write_table(pa.table({"score": [1.0] * 100_000, "word": words}), path, store_schema=False)
    return path


def wandb(folder):
    body = b"\x82\x01" + b"\xff" * 9  # a length that is not there
    data = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    data += struct.pack("<IHB", zlib.crc32(b"\x01" + body), len(body), 1) + body
    path = folder / "run-a.wandb"
    path.write_bytes(data)
    return path


def sparse_wandb(folder):
    path = folder / "run-a.wandb"
    with path.open("wb") as file:
        file.write(b":W&B" + struct.pack("<HB", 0xBEE1, 0))
        file.truncate(8 * 2**30)
    return path


def sparse_log(folder):
    found = hydra(folder, "- lr=1\n")
    with (found / "0" / "a.log").open("wb") as file:
        file.truncate(8 * 2**30)
    with (found / "0" / "predictions.json").open("wb") as file:
        file.truncate(8 * 2**30)
    return found


def pipe(folder):
    os.mkfifo(folder / "p.csv")
    return folder / "p.csv"


def pipe_in_folder(folder):
    found = hydra(folder, "- lr=1\n")
    os.mkfifo(found / "0" / "b.json")
    os.mkfifo(found / "0" / "b.log")
    return found


def endless_device(folder):
    (folder / "zero.csv").symlink_to("/dev/zero")
    return folder / "zero.csv"


# What is refused, and how; None where a value may come.
BOMBS = {
    long_line: "a line must be at most 64 MiB long",
    packed_line: "a line must be at most 64 MiB|unpacks to more than 50 times",
    packed_rows: "unpacks to more than 50 times its size",
    packed_records: "unpacks to more than 50 times its size",
    wide_header: "at most 100,000 columns",
    wide_row: "at most 100,000 columns",
    lists: "at most 5,000,000 values",
    other_names: "names in common",
    deep_json: "nested too deeply",
    deep_journal: "none of them",
    laughs: "aliases stand for more than 100,000 values",
    merged: "aliases stand for more than 100,000 values",
    own_alias: "an alias must not stand for what it is in",
    view: "'params' must be a table; it is a view",
    optuna_view: "'trial_params' must be a table; it is a view",
    computed: "string or blob too big",
    parquet: "unpacks to 120,000,000 cells",
    parquet_words: None,
    wandb: "a record cannot be read",
    sparse_wandb: "no trial has any",
    sparse_log: None,
    pipe: "must be a regular file; it is a pipe",
    pipe_in_folder: None,
    endless_device: "must be a regular file; it is a pipe or a device",
}

MEASURE = """
import json, sys, time
import bestofk as bk
from tests.memory import peak_bytes
start = time.monotonic()
try:
    said = repr(bk.read(sys.argv[1], score=sys.argv[2] or None))
except bk.BestofkError as error:
    said = "refused: " + str(error)
peak = peak_bytes()
print(json.dumps([said, time.monotonic() - start, peak]))
"""


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda bomb: bomb.__name__)
@pytest.mark.slow
def test_a_bomb_takes_neither_a_gigabyte_nor_ten_seconds(bomb, tmp_path):
    if "parquet" in bomb.__name__:
        pytest.importorskip("pyarrow")
    if "wandb" in bomb.__name__:
        pytest.importorskip("wandb")
    score = "score" if "parquet" in bomb.__name__ else ""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", MEASURE, str(bomb(tmp_path)), score],
        check=True, capture_output=True, text=True, timeout=120, cwd=ROOT,
    )  # fmt: skip
    said, seconds, peak = json.loads(done.stdout)
    assert seconds < mutated.LONGEST
    assert peak < mutated.LARGEST
    expected = BOMBS[bomb]
    if expected is not None:
        assert said.startswith("refused: ")
        assert any(part in said for part in expected.split("|")), said
    assert len(said) <= 400 + len("refused: ")


@pytest.mark.parametrize(
    "bomb",
    [deep_journal, laughs, merged, own_alias, view, optuna_view, pipe, endless_device, other_names],
    ids=lambda bomb: bomb.__name__,
)
def test_small_bombs_are_refused_at_once(bomb, tmp_path):
    path = bomb(tmp_path)
    start = time.monotonic()
    with pytest.raises(DataError, match=BOMBS[bomb]):
        bk.read(path)
    assert time.monotonic() - start < 5


def test_a_table_of_sqlite_that_never_ends_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(sqlite_limits, "SECONDS", 0.2)
    path = tmp_path / "ml.db"
    endless_sum = (
        "(SELECT count(*) FROM pragma_function_list a, pragma_function_list b, "
        "pragma_function_list c, pragma_function_list d)"
    )
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE x (a)")
    made.close()
    import sqlalchemy as sa

    start = time.monotonic()
    with sqlite_limits.limited(str(path)):
        engine = sa.create_engine(f"sqlite:///{path}")
        with engine.connect() as connection, pytest.raises(sa.exc.OperationalError, match="interr"):
            connection.execute(sa.text(f"SELECT {endless_sum}")).all()
        engine.dispose()
    assert time.monotonic() - start < 3
    engine = sa.create_engine(f"sqlite:///{path}")  # others are not limited
    with engine.connect() as connection:
        time.sleep(0.25)
        many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 300000)"
        assert connection.execute(sa.text(f"{many} SELECT count(*) FROM n")).scalar() == 300000
    engine.dispose()


def test_aliases_of_yaml_are_expanded_up_to_a_limit():
    pytest.importorskip("yaml")
    half = ", ".join(["*a"] * 900)
    assert len(yaml_files.load_yaml(f"a: &a [{', '.join('x' * 100)}]\nb: [{half}]")["b"]) == 900
    with pytest.raises(ValueError, match="more than 100,000"):
        yaml_files.load_yaml(f"a: &a [{', '.join('x' * 100)}]\nb: [{half}, {half}]")


def test_a_gzipped_table_of_usual_size_is_read(tmp_path):
    path = tmp_path / "runs.csv.gz"
    path.write_bytes(gzip.compress(b"score,method\n" + b"0.5,random\n" * 100_000))
    assert bk.read(path, score="score").n == 100_000
