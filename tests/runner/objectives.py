"""Objectives that the tests run, also in other processes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import time
from pathlib import Path

SPACE = {
    "x": {"kind": "uniform", "low": 0, "high": 1},
    "n": {"kind": "integer", "low": 1, "high": 9},
    "word": {"kind": "choice", "values": ["a b", "c;d", "$(e)"]},
}


def plain(params, trial):
    return params["x"]


def with_metrics(params, trial):
    return {"accuracy": params["x"], "loss": 1 - params["x"], "seconds": 2.0, "comment": "fine"}


def quick(params, trial):
    time.sleep(0.01)
    return params["x"]


def gated(params, trial):
    """Waits until the gate, a file with a number, is open for this trial."""
    gate = Path(os.environ["BESTOFK_TEST_GATE"])
    while trial.number > int(gate.read_text(encoding="utf-8") or -1):
        time.sleep(0.01)
    return params["x"]


def slow(params, trial):
    time.sleep(0.3)
    return params["x"]


def endless(params, trial):
    (trial.folder / "pid").write_text(str(os.getpid()))
    time.sleep(600)
    return params["x"]


def leaves_others_behind(params, trial):
    """Starts a process, and ends well, by a timeout or by a kill."""
    other = subprocess.Popen(["sleep", "600"])
    (trial.folder / "pid").write_text(str(other.pid))
    if trial.number == 1:
        time.sleep(600)
    if trial.number == 2:
        os.kill(os.getpid(), 9)
    return params["x"]


def forks(params, trial):
    """Ends, well or not, while what it forked goes on with all its open files."""
    if os.fork() == 0:
        time.sleep(600)
        os._exit(0)
    if trial.number == 1:
        os.kill(os.getpid(), 9)
    return params["x"]


def dies_at_once(params, trial):
    os.kill(os.getpid(), 9)


def accident_prone(params, trial):
    """Trials 1 to 6 end badly, each in another way."""
    time.sleep(0.01)
    if trial.number == 1:
        raise ValueError("no luck")
    if trial.number == 2:
        return float("nan")
    if trial.number == 3:
        os.kill(os.getpid(), 9)
    if trial.number == 4:
        time.sleep(600)
    if trial.number == 5:
        os._exit(0)
    if trial.number == 6:
        return {"other": 1}
    return params["x"]


def second_time(params, trial):
    """Fails at the first attempt; notes the parameters of every attempt."""
    folder = Path(os.environ["BESTOFK_TEST_NOTES"])
    notes = folder / str(trial.number)
    with notes.open("a") as file:
        file.write(f"{params['x']!r} {trial.seed}\n")
    if len(notes.read_text().splitlines()) < 2:
        raise RuntimeError("first attempt")
    return params["x"]


def stepwise(params, trial):
    """Reports x at step 5 and twice that at step 10."""
    trial.report(1, 0.0)
    trial.report(5, params["x"])
    trial.report(10, 2 * params["x"])
    return params["x"]


def swallows(params, trial):
    with contextlib.suppress(Exception):
        trial.report(5, params["x"])
    return params["x"]


def counted(params, trial):
    """Leaves a line for every time it is run."""
    with Path(os.environ["BESTOFK_TEST_NOTES"]).open("a", encoding="utf-8") as file:
        file.write(f"{trial.number}\n")
    return params["x"]


def seeded(params, trial):
    return trial.rng.random()


def gated_metrics(params, trial):
    """Like `gated`, with a cost that is the same wherever it runs."""
    gated(params, trial)
    return {"accuracy": params["x"], "loss": 1 - params["x"], "seconds": 2.0}
