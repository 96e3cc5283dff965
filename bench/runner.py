"""What running costs: overhead per trial beside Optuna's on SQLite, and two workers' efficiency.

Times are from the start of the first trial to the end of the last, for both, so that starting
processes and making tables does not count; whole calls are shown where they matter.  For `list`,
`status` and `export` it is whole processes, on a store of 1,000 and of 100,000 trials.
"""

from __future__ import annotations

import math
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import optuna
from table import show

import bestofk as bk
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.tables import TrialRow

RESULTS = "bench/results/runner.md"
SPACE = {"x": bk.space.uniform(-1, 1), "y": bk.space.loguniform(1e-5, 1e-1)}
NAP = 0.1


def parabola(params, trial):
    return params["x"] ** 2 + params["y"]


def nap(params, trial):
    time.sleep(NAP)
    return params["x"]


def optuna_parabola(trial):
    return trial.suggest_float("x", -1, 1) ** 2 + trial.suggest_float("y", 1e-5, 1e-1, log=True)


def optuna_nap(trial):
    x = trial.suggest_float("x", -1, 1)
    time.sleep(NAP)
    return x


def ours(folder: Path, objective, n: int, n_workers: int) -> tuple[float, float]:
    """Return the seconds from the first start to the last end, and of the whole call."""
    path = folder / f"{uuid4()}.db"
    begin = time.perf_counter()
    bk.run_search(
        objective, SPACE, n_trials=n, seed=1, name="bench", store=f"sqlite:///{path}",
        n_workers=n_workers, progress=False,
    )  # fmt: skip
    whole = time.perf_counter() - begin
    connection = sqlite3.connect(path)
    (span,) = connection.execute("SELECT max(ended) - min(started) FROM bestofk_trial").fetchone()
    connection.close()
    return span, whole


def rival(folder: Path, objective, n: int, n_jobs: int = 1) -> tuple[float, float]:
    begin = time.perf_counter()
    study = optuna.create_study(
        storage=f"sqlite:///{folder / f'{uuid4()}.db'}",
        sampler=optuna.samplers.RandomSampler(seed=1),
    )
    study.optimize(objective, n_trials=n, n_jobs=n_jobs)
    whole = time.perf_counter() - begin
    ends = [t.datetime_complete for t in study.trials]
    span = max(ends) - min(t.datetime_start for t in study.trials)
    return span.total_seconds(), whole


def durable_commit(folder: Path) -> float:
    """Return the milliseconds that the disk takes to make one small row durable."""
    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (x)")
    begin = time.perf_counter()
    for _ in range(500):
        connection.execute("INSERT INTO t VALUES (1)")
    took = time.perf_counter() - begin
    connection.close()
    return 1e3 * took / 500


def overhead(folder: Path, most: int) -> None:
    rows = []
    for n in (100, 1000, most):
        here, there = (1e3 * ours(folder, parabola, n, workers)[0] / n for workers in (0, 1))
        row = [f"{n:,}", f"{here:.2f} ms", f"{there:.2f} ms"]
        if n <= 1000:  # Optuna would take half an hour for the last line
            theirs = 1e3 * rival(folder, optuna_parabola, n)[0] / n
            row += [f"{theirs:.2f} ms", f"{theirs / here:.1f}x", f"{theirs / there:.1f}x"]
        else:
            row += [""] * 3
        rows.append(row)
    show(
        RESULTS,
        f"Overhead per trial (a bare durable commit takes {durable_commit(folder):.2f} ms here)",
        [
            *("trials", "in this process", "one worker process", "Optuna, SQLite"),
            *("ratio, in process", "ratio, worker"),
        ],
        rows,
    )


def efficiency(folder: Path, n: int = 400) -> None:
    ideal = n * NAP / 2
    rows = []
    for name, (span, whole) in {
        "bestofk, 2 workers": ours(folder, nap, n, 2),
        "Optuna, n_jobs=2 (threads)": rival(folder, optuna_nap, n, 2),
    }.items():
        shares = [f"{100 * ideal / seconds:.1f} %" for seconds in (span, whole)]
        rows.append([name, f"{span:.2f} s", shares[0], f"{whole:.2f} s", shares[1]])
    show(
        RESULTS,
        f"{n} trials of 100 ms, two at a time (ideal {ideal:.0f} s)",
        ["", "first start to last end", "of the ideal", "whole call", "of the ideal"],
        rows,
        append=True,
    )


def filled(folder: Path, n: int) -> Path:
    """Return a store of n trials, a quarter of them failed, written without running them."""
    path = folder / f"{n}.db"
    store = f"sqlite:///{path}"
    bk.run_search(
        parabola, SPACE, n_trials=1, seed=1, name="bench", store=store, n_workers=0, progress=False
    )
    rows = []
    for i in range(1, n):
        state, score = "failed" if i % 4 == 2 else "complete", math.sin(i)
        rows.append(
            TrialRow(
                number=i, state=state, params={"x": i / n, "y": 1 / i},
                score=None if state == "failed" else score,
                metrics={} if state == "failed" else {"score": score, "loss": 1 - score},
                cost=0.5, started=1e9 + i, ended=1e9 + i + 1, host="h", attempt=1,
                error="ValueError: no" if state == "failed" else "",
            )
        )  # fmt: skip
    with Ledger(store, create=True) as ledger:
        row = ledger.get("bench")
        ledger.record(row, rows)
        ledger.update(row, n, dict(row.options))
    return path


def reading(folder: Path, times: int = 7) -> None:
    """Show the fastest of several runs of the commands that read a store.

    Processor time, which is what they take on a machine that does nothing else.
    """
    few, many = (filled(folder, n) for n in (1000, 100_000))
    rows = []
    for words in (
        "list",
        "status bench",
        "export bench --format csv",
        "export bench --format jsonl",
    ):
        took = []
        for path in (few, many):
            command = [sys.executable, "-m", "bestofk", *words.split(), "--store", str(path)]
            seconds = []
            for _ in range(times):
                begin = _children_seconds()
                subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
                seconds.append(_children_seconds() - begin)
            took.append(min(seconds))
        rows.append([f"`{words}`", *(f"{s:.2f} s" for s in took), f"{took[1] / took[0]:.2f}x"])
    show(
        RESULTS,
        f"Reading a store, processor time of whole processes, the fastest of {times}",
        ["", "1,000 trials", "100,000 trials", "ratio"],
        rows,
        append=True,
    )


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours(folder, parabola, 5, 0)  # imports
        rival(folder, optuna_parabola, 5)
        overhead(folder, 1000 if "--quick" in sys.argv else 20_000)
        efficiency(folder)
        reading(folder)


if __name__ == "__main__":
    main()
