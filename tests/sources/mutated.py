"""Mutated inputs of every kind of source: input i of a seed is always the same input.

Run alone for figures: python -m tests.sources.mutated 20261116 0 100000
"""

from __future__ import annotations

import datetime as dt
import gzip
import io
import json
import math
import os
import pickle
import shutil
import signal
import struct
import sys
import tempfile
import time
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import bestofk as bk
from bestofk.errors import BestofkError
from tests.memory import peak_bytes
from tests.sources import recorded
from tests.strict import every_warning_fails

SEED = 20261116
LONGEST = 10.0  # seconds
LARGEST = 2**30  # bytes
LONGEST_SENTENCE = 400  # characters
GOLDEN = Path(__file__).parents[1] / "golden"

Draw = np.random.Generator
# Pieces that break a reader which believes its input.
PIECES: list[bytes] = [
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xfe\xff", b'"', b"'", b"\n", b"\r", b"\r\n",
    b",", b";", b"\t", b",,,,,,,", b"[" * 5000, b"{" * 5000, b'{"a":' * 3000,
    b"]" * 50,
    b"1e400", b"-1e400", b"nan", b"inf", b"9" * 5000, b"9" * 400, b"1_000", b"\xc3\x28",
    b"\xed\xa0\x80",
    b"None", b"null", b"true", b"{}", b"[]", b"&a [*a]", b"*a", b"2024-02-30", b"2024-13-01T99:99",
    b"!!python/object:os.system", b"- ", b": ", b"%", b"83.2%", b"0x", b"1:99", b"<<: *a", b"~",
    b"0", b"-1", b"1e308", b"-0.0", b"5e-324", b"COMPLETE", b"score", b"number", b"x" * 3000,
    "µ".encode() * 300, b"\x80\x04", b"SQLite format 3\x00", b"PAR1", b":W&B", b"\x1f\x8b",
    b'{"a": 1, "a": 2}', b'{"a": {"b": 1}, "a.b": 2}', b'{"config": {"lr": {"x": []}}}',
    b"18446744073709551616", b"-9223372036854775809", b"1,2,3,4,5,6,7,8,9", b"a,a,a\n",
    b"\x00" * 64,
    b"a,," * 20000, b"$" * 70000, b"\\u0000", b"\\ud800", b"\xe2\x80\xa8", b"=cmd()",
]  # fmt: skip
# Cells that no table should hold, and some that it may.
CELLS: list[Any] = [
    None, "", "a", "0.5", "83.2%", b"x", True, math.nan, math.inf, -math.inf, 0, -1, 10**400, 1j,
    [], {}, [[]], (1, 2), {"a": {"b": 1}}, np.float32(0.5), np.int8(3), np.bool_(True),
    np.datetime64("2020-01-01"), np.datetime64("NaT"), np.timedelta64(3, "s"), Decimal("NaN"),
    Decimal("1e400"), dt.date(2024, 1, 1), dt.timedelta(days=10**8), object(), float, "\x00",
    "µ" * 500, set(), range(3), "COMPLETE", "nan", np.array(0.5), np.array([1, 2]), 5e-324, 1e308,
]  # fmt: skip
NAMES = [
    "acc", "score", "lr", "config.lr", "params_lr", "state", "number", "trial", "epoch", "run_id",
    "duration", "value", "task_id", "method", "", " ", "\x00", "µ" * 400, "mean_test_score",
    "params",
    "mean_fit_time", "experiment_id", "status", "Name", "State", "Created", "Runtime", "trial_id",
    "training_iteration", "time_total_s", "datetime_start", "datetime_complete", "iteration",
    "learning_curve.x", "best_epoch", "training_duration", "best_validation_x", "iter", "step",
    "n_resources", "start_time", "end_time", "a - b", "a - b__MIN", "a - b__MAX", 3, None,
    ("a", "b"),
]  # fmt: skip
OPTIONS: dict[str, list[Any]] = {
    "score": ["acc", "score", "value", "nope", "lr", "metrics.acc", "mean_test_score"],
    "by": ["method", "study", "experiment", "sweep", "iter", "name", ["method", "lr"], "nope"],
    "cost": ["cost", "duration", "time"],
    "test": ["test", "test_acc"],
    "params": ["lr", ["lr", "act"], []],
    "state": ["state", "status"],
    "number": ["number", "i"],
    "trial": ["run_id", "trial", "number"],
    "take": ["last", "best"],
    "direction": ["maximize", "minimize"],
    "bounds": [(0, 1), (0, None)],
    "label": ["x"],
    "sampling": ["iid", "adaptive", "unknown"],
    "name": ["svm", "study", "nope"],
}


def one_of(rng: Draw, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def mutate(rng: Draw, data: bytes) -> bytes:
    """Return bytes with one to four things done to them."""
    for _ in range(int(rng.choice([1, 1, 1, 2, 4]))):
        n = len(data)
        a, b = sorted(rng.integers(0, n + 1, 2).tolist())
        b = min(b, a + int(rng.choice([1, 8, 200, n + 1])))
        way = int(rng.integers(9))
        if way == 0 and n:
            place = int(rng.integers(n))
            data = (
                data[:place]
                + bytes([data[place] ^ (1 << int(rng.integers(8)))])
                + data[place + 1 :]
            )
        elif way == 1:
            data = data[:a] + data[b:]
        elif way == 2:
            data = data[:a] + data[a:b] * int(rng.integers(2, 5)) + data[b:]
        elif way == 3:
            data = data[:a] + one_of(rng, PIECES) + data[a:]
        elif way == 4:
            data = data[:a] + one_of(rng, PIECES) + data[b:]
        elif way == 5:
            data = data[:a]
        elif way == 6:
            data = data[:a] + rng.bytes(b - a) + data[b:]
        elif way == 7:
            words = data.split(one_of(rng, [b",", b"\n", b":", b" "]))
            words[int(rng.integers(len(words)))] = one_of(rng, PIECES)
            data = b",".join(words) if len(words) > 1 else data
        else:
            lines = data.split(b"\n")
            rng.shuffle(lines)
            data = b"\n".join(lines)
    return data


def table(rng: Draw) -> dict[str, list[Any]]:
    n = 12
    return {
        "number": list(range(n)),
        "method": [("svm", "forest")[i % 2] for i in range(n)],
        "state": ["COMPLETE"] * (n - 1) + ["FAIL"],
        "config.lr": rng.random(n).tolist(),
        "cost": rng.random(n).tolist(),
        "acc": rng.random(n).tolist(),
    }


def text_files(rng: Draw) -> dict[str, bytes]:
    """Return files that hold a table, by their name."""
    columns = table(rng)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    lines = [list(columns), *(list(map(str, row.values())) for row in rows)]
    csv = "\n".join(",".join(line) for line in lines) + "\n"
    log = "run_id,epoch,acc\n" + "".join(f"{i // 4},{i % 4},0.{i}\n" for i in range(12))
    jsonl = "\n".join(map(json.dumps, rows)) + "\n"
    opda = "\n".join(
        json.dumps({"iteration": i, "lr": i / 9, "learning_curve": [[0, 0.1], [1, i / 9]]})
        for i in range(5)
    )
    split = {"columns": list(columns), "index": [*range(12)], "data": [[*r.values()] for r in rows]}
    by_column = {name: dict(enumerate(column)) for name, column in columns.items()}
    found = {
        "a.csv": csv.encode(),
        "semi.csv": csv.replace(",", ";").replace("0.", "0,").encode(),
        "wide16.csv": csv.encode("utf-16"),
        "percent.csv": ("acc\n" + "".join(f"{i}.5%\n" for i in range(60, 70))).encode(),
        "log.csv": log.encode(),
        "b.tsv": csv.replace(",", "\t").encode(),
        "a.csv.gz": gzip.compress(csv.encode(), mtime=0),
        "a.jsonl": jsonl.encode(),
        "a.jsonl.gz": gzip.compress(jsonl.encode(), mtime=0),
        "opda.jsonl": opda.encode(),
        "records.json": json.dumps(rows).encode(),
        "split.json": json.dumps(split).encode(),
        "columns.json": json.dumps(by_column).encode(),
        "x.pkl": pickle.dumps(rows),
        "none.bin": csv.encode(),
    }
    optuna = "number,value,datetime_start,datetime_complete,duration,params_lr,state\n" + "".join(
        f"{i},0.{i},2026-01-01 00:00:0{i},2026-01-01 00:00:1{i},0 days 00:00:10,0.{i},COMPLETE\n"
        for i in range(8)
    )
    mlflow = "run_id,experiment_id,status,start_time,end_time,metrics.acc,params.lr\n" + "".join(
        f"r{i},0,FINISHED,2026-01-01 00:00:0{i},2026-01-01 00:01:00,0.{i},0.{i}\n" for i in range(8)
    )
    wandb = "Name,State,Created,Runtime,Sweep,lr,acc\n" + "".join(
        f"n{i},finished,2026-01-0{i + 1}T00:00:00.000Z,3{i},s,0.{i},0.{i}\n" for i in range(8)
    )
    sklearn = "params,mean_fit_time,mean_test_score,split0_test_score,iter,n_resources\n" + "".join(
        f"{{}},0.{i},0.{i},0.{i},{i // 4},{1 + i // 4}\n" for i in range(8)
    )
    ray = "trial_id,training_iteration,time_total_s,config/lr,acc\n" + "".join(
        f"t{i},{i},1.{i},0.{i},0.{i}\n" for i in range(8)
    )
    dialects = {"optuna": optuna, "mlflow": mlflow, "wandb": wandb, "sklearn": sklearn, "ray": ray}
    return found | {f"{name}.csv": text.encode() for name, text in dialects.items()}


def wandb_file(number: int) -> bytes:
    """Return an offline run file, as W&B writes it."""
    from wandb.proto.wandb_internal_pb2 import Record

    records = []
    run = Record()
    run.run.run_id = f"r{number}"
    run.run.start_time.FromSeconds(1_700_000_000 + number)
    for key, value in (("lr", f"0.{number}"), ("net", '{"depth": 3}')):
        item = run.run.config.update.add()
        item.key, item.value_json = key, value
    records.append(run)
    summary = Record()
    for key, value in (("acc", f"0.{number}"), ("_runtime", "3.5")):
        item = summary.summary.update.add()
        item.key, item.value_json = key, value
    records.append(summary)
    end = Record()
    end.exit.exit_code = 0
    end.exit.runtime = 3
    records.append(end)
    data = b":W&B" + struct.pack("<HB", 0xBEE1, 0)
    for record in records:
        body = record.SerializeToString()
        checksum = zlib.crc32(bytes([1]) + body)
        data += struct.pack("<IHB", checksum, len(body), 1) + body
    return data


def again_checked(data: bytes) -> bytes:
    """Return a W&B file with checksums that fit, so that what is in a record is looked at."""
    out, place = data[:7], 7
    while place + 7 <= len(data):
        _, length, kind = struct.unpack_from("<IHB", data, place)
        body = data[place + 7 : place + 7 + length]
        out += struct.pack("<IHB", zlib.crc32(bytes([kind]) + body), len(body), kind) + body
        place += 7 + length
    return out


def hydra_folder(folder: Path) -> None:
    sweeper = "hydra._internal.core_plugins.basic_sweeper.BasicSweeper"
    for number in range(4):
        job = folder / str(number)
        (job / ".hydra").mkdir(parents=True)
        (job / ".hydra" / "overrides.yaml").write_text(
            f"- +lr=0.{number + 1}\n- act=relu\n- day=2024-02-03\n"
        )
        (job / ".hydra" / "hydra.yaml").write_text(
            f"hydra:\n  job:\n    num: {number}\n"
            f"  sweeper:\n    _target_: {sweeper}\n    params: null\n"
        )
        (job / "metrics.json").write_text(json.dumps({"acc": number / 4, "dev": {"f1": 0.5}}))
        (job / "app.log").write_text(f"[HYDRA] Succeeded with return value: 0.{number}\n")


def make(folder: Path) -> tuple[dict[str, Path], dict[str, Path]]:
    """Write the inputs that are mutated, and return files and folders by kind."""
    import optuna
    from optuna.storages import JournalStorage
    from optuna.storages.journal import JournalFileBackend

    rng = np.random.default_rng(SEED)
    files: dict[str, Path] = {}
    (folder / "files").mkdir(parents=True)
    for name, data in text_files(rng).items():
        files[name] = folder / "files" / name
        files[name].write_bytes(data)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore")
    for name in ("optuna.db", "journal.log"):
        files[name] = folder / "files" / name
        storage: Any = f"sqlite:///{files[name]}"
        if name == "journal.log":
            storage = JournalStorage(JournalFileBackend(str(files[name])))
        study = optuna.create_study(
            storage=storage, study_name="study", sampler=optuna.samplers.RandomSampler(seed=1)
        )
        study.optimize(lambda t: t.suggest_float("lr", 0, 1), n_trials=4)
    files["store.db"] = folder / "files" / "store.db"
    shutil.copyfile(GOLDEN / "store.db", files["store.db"])
    named = {"score": "acc", "params": "config.lr", "number": "number", "cost": "cost"}
    frame = bk.read(table(rng), **named)
    files["a.parquet"] = folder / "files" / "a.parquet"
    bk.export(frame, files["a.parquet"])
    files["run-a.wandb"] = folder / "files" / "run-a.wandb"
    files["run-a.wandb"].write_bytes(wandb_file(1))
    recorded.unpack("mlflow", folder / "mlflow")
    recorded.unpack("ray", folder / "ray")
    files["mlflow.db"] = folder / "files" / "mlflow.db"
    shutil.copyfile(folder / "mlflow" / "db" / "ml.db", files["mlflow.db"])
    hydra_folder(folder / "hydra")
    for number in range(3):
        inside = folder / "wandb" / f"offline-run-20260101_00000{number}-r{number}"
        inside.mkdir(parents=True)
        (inside / f"run-r{number}.wandb").write_bytes(wandb_file(number))
    logs = folder / "lightning_logs"
    for number in range(3):
        (logs / f"version_{number}").mkdir(parents=True)
        (logs / f"version_{number}" / "hparams.yaml").write_text(f"lr: 0.{number}\n")
        (logs / f"version_{number}" / "metrics.csv").write_text(
            "epoch,step,train_loss,val_acc\n0,9,0.5,\n0,9,,0.6\n1,19,0.4,\n1,19,,0.7\n"
        )
    methods = folder / "methods"
    methods.mkdir()
    for name in ("svm", "forest"):
        (methods / f"{name}.csv").write_bytes(text_files(rng)["a.csv"])
    return files, {
        "mlruns": folder / "mlflow" / "files" / "mlruns",
        "ray": folder / "ray" / "random",
        "hydra": folder / "hydra",
        "wandb": folder / "wandb",
        "lightning_logs": logs,
        "methods": methods,
    }


@contextmanager
def changed(rng: Draw, path: Path) -> Iterator[None]:
    """Change a file, or what stands at its place, and put it back."""
    before = path.read_bytes()
    way = int(rng.integers(20))
    try:
        if way == 0:
            path.unlink()
        elif way == 1:
            path.unlink()
            path.mkdir()
        elif way == 2:
            path.unlink()
            path.symlink_to(path.name)
        elif way == 3:
            path.unlink()
            os.mkfifo(path)
        elif path.suffix == ".gz" and way < 14:
            path.write_bytes(gzip.compress(mutate(rng, gzip.decompress(before)), 1, mtime=0))
        elif path.suffix == ".wandb" and way < 14:
            path.write_bytes(again_checked(mutate(rng, before)))
        else:
            path.write_bytes(mutate(rng, before))
        yield
    finally:
        if path.is_dir() and not path.is_symlink():
            path.rmdir()
        else:
            path.unlink(missing_ok=True)
        path.write_bytes(before)


def in_memory(rng: Draw) -> Any:
    """Return columns, records, a frame, an array or something that nobody should pass."""
    columns: dict[Any, Any] = dict(table(rng))
    for _ in range(int(rng.integers(1, 6))):
        name = one_of(rng, NAMES)
        way = int(rng.integers(5))
        if way == 0:
            columns[name] = [one_of(rng, CELLS) for _ in range(12)]
        elif way == 1:
            columns[name] = [one_of(rng, CELLS)] * int(rng.choice([0, 11, 12, 12]))
        elif way == 2:
            column = columns[one_of(rng, list(columns))]
            with suppress(TypeError, IndexError):
                column[int(rng.integers(12))] = one_of(rng, CELLS)
        elif way == 3:
            columns[name] = one_of(rng, CELLS)
        else:
            columns[name] = rng.random(12).tolist()
    way = int(rng.integers(7))
    if way <= 1:
        return columns
    if way == 2:
        rows = [
            {k: one_of(rng, CELLS) if rng.random() < 0.1 else 0.5 for k in columns}
            for _ in range(4)
        ]
        return rows if rng.random() < 0.8 else [*rows, one_of(rng, CELLS)]
    if way == 3:
        return [one_of(rng, CELLS) if rng.random() < 0.2 else float(rng.random()) for _ in range(9)]
    if way == 4:
        return one_of(rng, CELLS)
    kept = {k: v for k, v in columns.items() if isinstance(v, list) and len(v) == 12}
    with suppress(Exception):  # what a frame library refuses is not ours to read
        if way == 5:
            import pandas as pd

            return pd.DataFrame(kept)
        import polars as pl

        plain = {str(k): v for k, v in kept.items() if not any(isinstance(c, Decimal) for c in v)}
        return pl.DataFrame(plain, strict=False)  # which panics at some Decimals
    return kept


def options(rng: Draw) -> dict[str, Any]:
    some = [name for name in OPTIONS if rng.random() < (0.4 if name == "score" else 0.06)]
    return {name: one_of(rng, OPTIONS[name]) for name in some}


class Late(BaseException):
    """An input took too long; nothing may catch it."""


def _late(signum: int, frame: FrameType | None) -> None:
    raise Late


@contextmanager
def timed() -> Iterator[Callable[[], float]]:
    signal.signal(signal.SIGALRM, _late)
    signal.setitimer(signal.ITIMER_REAL, LONGEST)
    start = time.monotonic()
    try:
        yield lambda: time.monotonic() - start
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def look(x: Any, given: dict[str, Any], *, every: bool) -> str:
    """Read an input and use what came; return what is wrong about it, nothing if all is well."""
    try:
        with redirect_stdout(io.StringIO()) as said, redirect_stderr(said):
            if every:
                found = bk.read_all(x, **given)
            else:
                given = {k: v for k, v in given.items() if k != "by"}
                found = {"": bk.read(x, **given)}
            for search in found.values():
                repr(search)
                with suppress(BestofkError):
                    search.scores(failed="worst")
    except BestofkError as error:
        text = str(error)
        if not text.strip() or len(text) > LONGEST_SENTENCE:
            return f"a message of {len(text)} characters: {text[:150]}"
        if "\n" in text.strip():
            return f"a message of several lines: {text[:150]!r}"
        return ""
    except Late:
        return f"took more than {LONGEST:g} s"
    except BaseException as error:
        return f"{type(error).__name__}: {str(error)[:150]}"
    return f"printed {said.getvalue()[:80]!r}" if said.getvalue() else ""


CHEAP = 0.6  # how many of the files are tables: they are read a hundred times as fast as a database


def run(seed: int, first: int, count: int) -> dict[str, Any]:
    """Read `count` mutated inputs; return how many of each kind, what went wrong, the slowest."""
    wrong: list[str] = []
    kinds: Counter[str] = Counter()
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory() as name, warnings.catch_warnings():
        files, folders = make(Path(name).resolve())
        tables = [
            k
            for k in files
            if k.partition(".")[2]
            in ("csv", "tsv", "csv.gz", "jsonl", "jsonl.gz", "json", "bin", "pkl")
        ]
        others = [k for k in files if k not in tables]
        every_warning_fails()
        for number in range(first, first + count):
            rng = np.random.default_rng([seed, number])
            given, every = options(rng), bool(rng.random() < 0.4)
            way = rng.random()
            with timed() as taken:
                if way < 0.25:
                    kind = "in memory"
                    problem = look(in_memory(rng), given, every=every)
                elif way < 0.8:
                    kind = one_of(rng, tables if rng.random() < CHEAP / 0.8 else others)
                    with changed(rng, files[kind]):
                        problem = look(files[kind], given, every=every)
                else:
                    kind = one_of(rng, list(folders))
                    inside = sorted(f for f in folders[kind].rglob("*") if f.is_file())
                    with changed(rng, one_of(rng, inside)):
                        problem = look(folders[kind], given, every=every)
                seconds = taken()
            kinds[kind] += 1
            slowest = max(slowest, (round(seconds, 3), f"{number} ({kind})"))
            if problem:
                wrong.append(f"{number} ({kind}): {problem}")
    peak = peak_bytes()
    return {
        "inputs": count, "seed": seed, "wrong": wrong, "slowest": slowest, "peak": peak,
        "kinds": dict(sorted(kinds.items())),
    }  # fmt: skip


if __name__ == "__main__":
    print(json.dumps(run(*map(int, sys.argv[1:4]))))
