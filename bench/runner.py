"""What running costs: overhead per trial beside Optuna's on SQLite, and two workers' efficiency."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import optuna
from table import show

import bestofk as bk

RESULTS = "bench/results/runner.md"
SPACE = {"x": bk.Draw.uniform(-1, 1), "y": bk.Draw.loguniform(1e-5, 1e-1)}


def parabola(params, trial):
    return params["x"] ** 2 + params["y"]


def suggested(trial):
    return trial.suggest_float("x", -1, 1) ** 2 + trial.suggest_float("y", 1e-5, 1e-1, log=True)


def nap(params, trial):
    time.sleep(0.1)
    return params["x"]


def seconds(action) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def ours(folder: Path, n: int, objective=parabola, **options) -> float:
    """Return the seconds that n trials take, in a store of its own."""
    path = folder / f"ours-{n}-{len(list(folder.iterdir()))}.db"
    return seconds(
        lambda: bk.run_search(
            objective, SPACE, n_trials=n, seed=1, name="bench", store=f"sqlite:///{path}",
            progress=False, **options,
        )
    )  # fmt: skip


def optunas(folder: Path, n: int, objective=suggested, **options) -> float:
    path = folder / f"optuna-{n}-{len(list(folder.iterdir()))}.db"

    def run():
        study = optuna.create_study(
            storage=f"sqlite:///{path}", sampler=optuna.samplers.RandomSampler(seed=1)
        )
        study.optimize(objective, n_trials=n, **options)

    return seconds(run)


def each(run, n: int) -> float:
    """Return the seconds per trial, the start of the search left out."""
    return (run(n) - run(1)) / (n - 1)


def commits(folder: Path) -> float:
    """Return the milliseconds that the disk takes to make one small row durable."""
    import sqlite3

    connection = sqlite3.connect(folder / "bare.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE t (x)")
    took = seconds(lambda: [connection.execute("INSERT INTO t VALUES (1)") for _ in range(500)])
    connection.close()
    return 1e3 * took / 500


def main() -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    most = 1000 if "--quick" in sys.argv else 20_000
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ours(folder, 5, n_workers=0)  # imports
        optunas(folder, 5)
        rows = []
        for n in (100, 1000, most):
            here, there, rival = 1e3 * np.array([
                each(lambda n: ours(folder, n, n_workers=0), n),
                each(lambda n: ours(folder, n, n_workers=1), n),
                each(lambda n: optunas(folder, n), n) if n <= 1000 else np.nan,
            ])  # fmt: skip
            times = [f"{v:.2f} ms" for v in (here, there)]
            rivals = [f"{rival:.2f} ms", f"{rival / here:.1f}x", f"{rival / there:.1f}x"]
            rows.append([f"{n:,}", *times, *(rivals if n <= 1000 else [""] * 3)])
        show(
            RESULTS,
            f"Overhead per trial (a bare durable commit takes {commits(folder):.2f} ms here)",
            ["trials", "in this process", "one worker process", "Optuna, SQLite", *["ratio"] * 2],
            rows,
        )
        n, ideal = 400, 400 * 0.1 / 2
        rows = []
        whole = ours(folder, n, objective=nap, n_workers=2)
        path = max(folder.glob("ours-400-*.db"), key=lambda p: p.stat().st_mtime)
        span = _span(path)
        rows.append(
            [
                "bestofk, 2 workers",
                f"{whole:.2f} s",
                f"{100 * ideal / whole:.1f} %",
                f"{100 * ideal / span:.1f} %",
            ]
        )
        rival = optunas(folder, n, objective=_optuna_nap, n_jobs=2)
        rows.append(
            ["Optuna, n_jobs=2 (threads)", f"{rival:.2f} s", f"{100 * ideal / rival:.1f} %", ""]
        )
        show(
            RESULTS,
            f"{n} trials of 100 ms, two at a time (ideal {ideal:.0f} s)",
            ["", "whole call", "of the ideal", "from first start to last end"],
            rows,
            append=True,
        )


def _optuna_nap(trial):
    x = trial.suggest_float("x", -1, 1)
    time.sleep(0.1)
    return x


def _span(path: Path) -> float:
    from bestofk.runner.ledger import Ledger

    with Ledger(f"sqlite:///{path}") as ledger:
        trials = ledger.trials(ledger.get("bench"))
    return float(np.max([t.ended for t in trials]) - np.min([t.started for t in trials]))


if __name__ == "__main__":
    main()
