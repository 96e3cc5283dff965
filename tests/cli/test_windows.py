"""What runs where there is no POSIX: everything but running searches, which says so.

The modules, functions and constants that Windows lacks are taken away in a process of its own,
once other packages have been imported: on Linux, theirs need them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from datetime import datetime

import pytest

import bestofk as bk
from bestofk.errors import UnsupportedPlatformError
from bestofk.runner import prepare
from bestofk.runner.place import store_url
from bestofk.sources.files.times import moment

WITHOUT_POSIX = """
import builtins, io, os, signal, socket, sys
import asyncio, multiprocessing.pool, subprocess, tempfile
import jinja2, matplotlib.pyplot, scipy.optimize, scipy.stats, sqlalchemy, typer
for name in ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"):
    sys.modules[name] = None
pair, unix = socket.socketpair, socket.AF_UNIX
socket.socketpair = lambda: pair(unix)  # for the event loop, which has another way on Windows
for module, names in {
    os: "O_CLOEXEC O_DIRECTORY O_NOFOLLOW O_NONBLOCK chown fork forkpty getgid getpgid getpgrp "
    "getuid geteuid killpg mkfifo nice pipe2 sched_getaffinity setpgid setsid statvfs sysconf "
    "uname wait waitid WEXITSTATUS WNOHANG",
    signal: "SIGALRM SIGCHLD SIGHUP SIGKILL SIGPIPE SIGQUIT SIGUSR1 SIGUSR2 alarm pause "
    "pthread_kill pthread_sigmask setitimer sigwait",
    socket: "AF_UNIX",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
def without_proc(call):
    def tried(path, *args, **options):
        if str(path).startswith("/proc"):
            raise FileNotFoundError(2, "there is no /proc", path)
        return call(path, *args, **options)
    return tried
for module, name in ((os, "stat"), (os, "listdir"), (os, "open"), (io, "open"), (builtins, "open")):
    setattr(module, name, without_proc(getattr(module, name)))
access = os.access
def windows_access(path, mode, *, effective_ids=False):
    if effective_ids:
        raise NotImplementedError("access: effective_ids unavailable on this platform")
    return access(path, mode)
os.access = windows_access
os.supports_effective_ids = set()
from bestofk.cli import console
from bestofk.runner import prepare
prepare.POSIX, console.WINDOWS = False, True
"""


ALL_PACKAGES = """
import distributed, joblib, narwhals, optuna, pandas, pebble, pyarrow, sklearn.model_selection
import starlette.applications, uvicorn
"""


def without_posix(code, folder, first=""):
    return subprocess.run(
        [sys.executable, "-c", first + WITHOUT_POSIX + code],
        cwd=folder, capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip


COMMANDS = """
import contextlib, re, threading, urllib.request
from bestofk.cli.group import SECTIONS
from bestofk.cli.main import main
from bestofk.web import server

def run(line):
    out, err = (io.TextIOWrapper(io.BytesIO(), "cp1252", newline="\\r\\n") for _ in range(2))
    sys.argv, code = ["bestofk", *line.split()], 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
    return code, *(s.flush() or s.buffer.getvalue().decode(s.encoding) for s in (out, err))

refused = []
for name in [name for names in SECTIONS.values() for name in names if name != "study"]:
    code, out, err = run(f"{name} --help")
    assert code == 0, err
    line = " ".join(re.search(r"Example: bestofk (.*?)\\r\\n\\r\\n", out, flags=re.S)[1].split())
    code, out, err = run(line)
    if code:
        assert (code, out, err.count("\\n")) == (1, "", 1), (line, out, err)
        assert "of Linux or macOS; on Windows, run it in WSL and read its store here." in err
        refused.append(name)
assert refused == ["search", "resume", "merge", "remove"], refused
assert not os.path.exists("all.db")

given, seen = server.serve, []
def visit(address):
    def ask():
        client = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        try:
            with client.open(address) as page:
                seen.append((page.status, b"network" in page.read()))
        except OSError as error:
            seen.append(error)
        signal.raise_signal(signal.SIGINT)  # as Ctrl-C
    threading.Thread(target=ask).start()
server.serve = lambda *args, **options: given(*args, **{**options, "ready": visit})
with contextlib.suppress(KeyboardInterrupt):
    run("serve bestofk-demo/bestofk.db --port 0")
assert seen == [(200, True)], seen
"""


@pytest.mark.slow
def test_every_example_of_the_help_runs_there_or_is_refused_in_a_sentence(tmp_path, demo_files):
    shutil.copytree(demo_files, tmp_path / "bestofk-demo")
    done = without_posix(COMMANDS, tmp_path, ALL_PACKAGES)
    assert done.returncode == 0, done.stderr


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


@pytest.mark.parametrize("path", ["C:/runs/all.db", "C:runs.db"])
def test_a_drive_is_no_scheme_of_a_url(path):
    assert store_url(path) == f"sqlite:///{path}"


class Ancient(datetime):
    """A local time that the system cannot tell, as before 1970 on Windows."""

    def timestamp(self):
        raise OSError(22, "Invalid argument")


def test_a_time_that_the_system_cannot_tell_is_unknown():
    assert moment(Ancient(1969, 1, 1)) is None
    assert moment("1969-12-31T23:59:00+00:00") == -60
