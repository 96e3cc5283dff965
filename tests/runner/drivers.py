"""Drivers in processes of their own, to be interrupted and killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import bestofk as bk
from tests.conftest import ROOT
from tests.runner import objectives

CODE = """
import json, logging, sys
import bestofk as bk
logging.getLogger("bestofk").addHandler(logging.StreamHandler())
from tests.runner import objectives
options = json.loads(sys.argv[1])
if "patience" in options:
    from bestofk.runner.store import server
    server.PATIENCE = options.pop("patience")
objective = options.pop("objective")
if isinstance(objective, str):
    objective = getattr(objectives, objective)
try:
    bk.run_search(objective, objectives.SPACE, seed=7, name="cnn", progress=False, **options)
except KeyboardInterrupt:
    sys.exit(130)
except bk.BestofkError as error:
    sys.stderr.write(str(error))
    sys.exit(1)
"""


def environment() -> dict[str, str]:
    """Return the environment of a process that imports the same packages as the tests."""
    places = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, places))}


def start(store, **options) -> subprocess.Popen:
    """Start a driver of the search "cnn"."""
    return subprocess.Popen(
        [sys.executable, "-c", CODE, json.dumps({"store": str(store), **options})],
        stderr=subprocess.PIPE,
        text=True,
        env=environment(),
        start_new_session=True,  # Ctrl-C reaches all of such a group, see interrupt
    )


def interrupt(driver: subprocess.Popen) -> None:
    """Do what Ctrl-C does: every process in the foreground gets the signal."""
    os.killpg(driver.pid, signal.SIGINT)


def stopping(driver: subprocess.Popen) -> str:
    """Wait until the driver has said that it noticed; return what it said up to there."""
    said = ""
    while "no new trials; waiting for the running ones" not in said:
        line = driver.stderr.readline()
        assert line, said
        said += line
    return said


def wait_for(condition, seconds=60.0):
    """Wait until something holds; a machine that is busy gets its time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.02)
    raise AssertionError("it did not happen")


def recorded(path: Path) -> int:
    """Return how many trials an SQLite store has, 0 if there is none yet."""
    import sqlite3

    if not path.exists():
        return 0
    connection = sqlite3.connect(path, timeout=30)
    try:
        return connection.execute("SELECT count(*) FROM bestofk_trial").fetchone()[0]
    except sqlite3.OperationalError:
        return 0
    finally:
        connection.close()


def is_alive(pid: int) -> bool:
    if not Path("/proc/self").exists():  # macOS
        asked = ["ps", "-o", "stat=", "-p", str(pid)]
        state = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
        return state[:1] not in ("", "Z")
    try:
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8")
    except OSError:
        return False
    return text.rpartition(")")[2].split()[0] not in "ZX"


def undisturbed(tmp_path, n_trials) -> bk.Search:
    """Run the same search without any disturbance."""
    return bk.run_search(
        objectives.plain, objectives.SPACE, seed=7, name="cnn", n_trials=n_trials, n_workers=0,
        store=f"sqlite:///{tmp_path}/undisturbed.db",
    )  # fmt: skip


def same_trials(a: bk.Search, b: bk.Search) -> bool:
    return [(t.number, t.params, t.score) for t in a.trials] == [
        (t.number, t.params, t.score) for t in b.trials
    ]


def enter_at_once(url, n=8) -> list[str]:
    """Open a store that is not there yet and enter one search from many sides; return errors."""
    from bestofk.runner.run import _enter
    from bestofk.runner.store.ledger import Ledger

    space = bk.space.Space({"x": [1]})
    facts = dict.fromkeys(("seed", "objective", "direction", "score", "bounds", "thresholds"))
    facts |= {"cost": None, "source": None, "fingerprint": space.fingerprint}
    start, errors = threading.Barrier(n), []

    def enter():
        start.wait()
        try:
            with Ledger(url, create=True) as ledger:
                _enter(ledger, "cnn", facts, {}, 5, space)
        except bk.BestofkError as error:
            errors.append(str(error))

    threads = [threading.Thread(target=enter) for _ in range(n)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors
