"""What runs where there is no POSIX: everything but running searches, which says so.

The modules, functions and constants that Windows lacks are taken away in a process of its own,
once other packages have been imported: on Linux, theirs need them.
"""

from __future__ import annotations

import subprocess
import sys

import pytest

import bestofk as bk
from bestofk.errors import UnsupportedPlatformError
from bestofk.runner import prepare

WITHOUT_POSIX = """
import os, signal, socket, sys
import asyncio, multiprocessing.pool, subprocess, tempfile
import jinja2, matplotlib.pyplot, scipy.optimize, scipy.stats, sqlalchemy, typer
for name in ("fcntl", "grp", "pty", "pwd", "resource", "termios", "tty"):
    sys.modules[name] = None
for module, names in {
    os: "O_CLOEXEC O_NONBLOCK fork forkpty getpgrp getuid geteuid killpg mkfifo nice setsid "
    "sched_getaffinity statvfs WNOHANG waitid",
    signal: "SIGHUP SIGKILL SIGALRM SIGCHLD pthread_kill pthread_sigmask setitimer sigwait",
    socket: "AF_UNIX",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
access = os.access
def windows_access(path, mode, *, effective_ids=False):
    if effective_ids:
        raise NotImplementedError("access: effective_ids unavailable on this platform")
    return access(path, mode)
os.access = windows_access
os.supports_effective_ids = set()
from bestofk.runner import prepare
prepare.POSIX = False
"""


ALL_PACKAGES = """
import distributed, joblib, narwhals, optuna, pandas, pebble, pyarrow, sklearn.model_selection
import starlette.applications, uvicorn
"""


def without_posix(code, folder, first=""):
    return subprocess.run(
        [sys.executable, "-c", first + WITHOUT_POSIX + code],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture
def not_posix(monkeypatch):
    monkeypatch.setattr(prepare, "POSIX", False)


@pytest.mark.usefixtures("not_posix")
def test_a_search_says_in_one_sentence_where_it_runs(tmp_path):
    with pytest.raises(UnsupportedPlatformError) as error:
        bk.run_search(print, {"x": [1]}, n_trials=1, seed=1, name="a", store=f"{tmp_path}/a.db")
    assert str(error.value) == (
        "run_search needs the file locks and process groups of Linux or macOS; on Windows, run it "
        "in WSL and read its store here."
    )
    assert list(tmp_path.iterdir()) == []


def test_the_demo_shows_recorded_searches_there(tmp_path):
    code = "sys.argv = ['bestofk', 'demo']\nfrom bestofk.cli.main import main\nmain()"
    done = without_posix(code, tmp_path)
    assert done.returncode == 0, done.stderr
    assert "no search, a recorded one instead: bestofk search needs the file" in done.stderr
    assert "It depends on the budget: ridge is ahead from 1 to 2 trials" in done.stdout
    assert "compare bestofk-demo/moons.csv" in done.stdout
    assert not (tmp_path / "bestofk-demo" / "bestofk.db").exists()
    assert (tmp_path / "bestofk-demo" / "comparison.png").exists()


@pytest.mark.slow
def test_all_modules_are_imported_and_stores_and_figures_work_there(tmp_path, demo_files):
    (tmp_path / "runs.db").write_bytes((demo_files / "bestofk.db").read_bytes())
    (tmp_path / "runs.db.lock").touch()
    code = """
import importlib, pkgutil, bestofk as bk
for module in pkgutil.walk_packages(bk.__path__, "bestofk."):
    if "__main__" not in module.name:
        importlib.import_module(module.name)
found = {name: bk.read("runs.db", name=name) for name in ("network", "ridge")}
assert bk.tuning_band(found["ridge"]).at(2).lower > 0
duel = bk.compare(found)
assert "ridge is ahead from 1" in duel.verdict
duel.plot()
assert bk.report(found["ridge"], "report.html").exists()
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.lock import is_running
with Ledger("sqlite:///runs.db") as ledger:
    assert not is_running(ledger, ledger.get("ridge"))
from bestofk.web.server import _step_back, is_shared, make_app
assert not is_shared()
_step_back()
"""
    done = without_posix(code, tmp_path, ALL_PACKAGES)
    assert done.returncode == 0, done.stderr
