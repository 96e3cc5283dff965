"""Clocks that step, folders that are shut, stores that vanish, odd files: nothing is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.runner.store.ledger import Ledger
from tests.conftest import ROOT
from tests.runner import drivers, objectives
from tests.runner.drivers import recorded, wait_for
from tests.runner.searches import expected, params_of

SLOW = ["sh", "-c", "sleep 0.2; echo '{{\"score\": {x}}}'"]


def test_a_clock_that_steps_back_changes_no_duration(search, monkeypatch, tmp_path):
    now, clock = time.time, {"step": 0.0}
    monkeypatch.setattr(time, "time", lambda: now() + clock["step"])

    def step_back(seconds):
        clock["step"] = -3600.0
        return True

    from bestofk.runner.work import process

    before = process.CommandRun._watch
    monkeypatch.setattr(
        process.CommandRun, "_watch", lambda *given: step_back(1) and before(*given)
    )
    found = search(SLOW, n_trials=2)
    assert ((found.costs > 0.1) & (found.costs < 60)).all()
    with Ledger(f"sqlite:///{tmp_path}/runs.db") as ledger:
        assert all(t.ended >= t.started for t in ledger.trials(ledger.get("cnn")))


def test_a_timeout_does_not_depend_on_the_time_of_day(search, monkeypatch):
    """A clock that steps back an hour would let a trial run for an hour longer."""
    from bestofk.runner.work import process

    now, clock = time.time, {"step": 0.0}
    monkeypatch.setattr(time, "time", lambda: now() + clock["step"])
    start = process.CommandRun._start

    def stepping(run, folder):
        begun = start(run, folder)
        clock["step"] = -3.0
        return begun

    monkeypatch.setattr(process.CommandRun, "_start", stepping)
    begin = time.monotonic()
    found = search(["sleep", "600"], n_trials=1, timeout=0.5)
    assert "timed out after 0.5 s" in found.notes[0]
    assert time.monotonic() - begin < 2.5


def test_an_old_store_with_a_negative_duration_opens_with_a_caveat(search, tmp_path):
    search(objectives.plain, n_trials=4, n_workers=0)
    with sqlite3.connect(tmp_path / "runs.db") as connection:
        connection.execute("UPDATE bestofk_trial SET cost = -3599.77 WHERE number = 1")
    connection.close()
    found = bk.read(tmp_path / "runs.db")
    assert found.scores().n == 4
    assert [c.kind for c in found.caveats] == ["clock-stepped"]
    assert "1 of 4 trials" in found.caveats[0].text
    assert (found.costs >= 0).all()


AS_NOBODY = """
import os, sys
import bestofk as bk
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.summary import summarise
import sqlalchemy.dialects.sqlite
if os.getuid() == 0:
    os.seteuid(65534)
with Ledger("sqlite:///" + sys.argv[1]) as ledger:
    print(len(ledger.trials(ledger.get("cnn"))), summarise(ledger, ledger.get("cnn")).running)
"""


def as_nobody(path):
    return subprocess.run(
        [sys.executable, "-c", AS_NOBODY, str(path)],
        capture_output=True, text=True, check=False, cwd="/",
    )  # fmt: skip


@pytest.fixture
def shut():
    """A folder that others may read but not write, and reach whoever they are."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


@pytest.mark.parametrize("mode", ["as left", "wal"])
def test_a_finished_store_can_be_read_where_nothing_can_be_written(search, shut, mode):
    path = shut / "runs.db"
    search(objectives.plain, n_trials=3, n_workers=0, store=f"sqlite:///{path}")
    left = sqlite3.connect(path)
    if mode == "wal":  # as version 0.1 left it
        left.execute("PRAGMA journal_mode=WAL")
    else:
        assert left.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    left.close()
    shut.chmod(0o555)
    done = as_nobody(path)
    assert done.stdout == "3 False\n", done.stderr


def removals(path, how):
    if how == "deleted":
        path.unlink()
    elif how == "all deleted":
        for file in path.parent.glob("runs.db*"):
            file.unlink()
    elif how == "moved":
        path.rename(path.with_name("elsewhere.db"))
    elif how == "replaced":
        other = path.with_name("other.db")
        sqlite3.connect(other).execute("CREATE TABLE t (x)").connection.close()
        other.replace(path)
    else:
        Path(f"{path}-wal").unlink()


@pytest.mark.parametrize("how", ["deleted", "all deleted", "moved", "replaced", "without its log"])
def test_a_store_that_goes_away_while_the_search_runs_is_told(search, tmp_path, how):
    path = tmp_path / "runs.db"

    def objective(params, trial):
        if trial.number == 5:
            removals(path, how)
        return params["x"]

    with pytest.raises(bk.DataError, match="while the search ran") as caught:
        search(objective, n_trials=25, n_workers=0)
    said = str(caught.value)
    if how == "without its log":
        assert "no recorded trial is gone" in said
        assert recorded(path) == 5
        assert search(objective, n_trials=5, n_workers=0).n == 5
        return
    assert "5 recorded trials are gone" in said
    saved = tmp_path / "runs.db.saved"
    assert str(saved) in said
    assert params_of(bk.read(saved)) == expected(5)
    shutil.move(saved, path)
    Path(f"{path}-wal").unlink(missing_ok=True)
    Path(f"{path}-shm").unlink(missing_ok=True)
    assert params_of(search(objectives.plain, n_trials=6, n_workers=0, name="new")) == expected(6)
    assert bk.read(path, name="cnn").n == 5


def test_a_store_that_goes_away_at_the_very_end_is_told(search, tmp_path, monkeypatch):
    path, record = tmp_path / "runs.db", Ledger.record

    def recorded_and_removed(ledger, row, ended):
        record(ledger, row, ended)
        if ended[-1].number == 3:
            path.unlink()

    monkeypatch.setattr(Ledger, "record", recorded_and_removed)
    with pytest.raises(bk.DataError, match="4 recorded trials are gone"):
        search(objectives.plain, n_trials=4, n_workers=0)


# Linux lists who writes a store; elsewhere the log beside its other name tells.
LISTED = Path("/proc/net/unix").exists()
IN_USE = r"again\.db.* by another process" if LISTED else r"again\.db: .* are in runs\.db-wal"


def test_one_store_under_two_names_has_one_driver(search, tmp_path):
    """SQLite keeps its log beside the name, so that two drivers would destroy the store."""
    search(objectives.slow, n_trials=1, n_workers=0)
    os.link(tmp_path / "runs.db", tmp_path / "again.db")
    driver = drivers.start(f"sqlite:///{tmp_path}/runs.db", objective="slow", n_trials=500)
    log = Path(f"{tmp_path}/runs.db-wal")
    wait_for(lambda: log.exists() and (LISTED or log.stat().st_size))
    for name in ("cnn", "other"):
        with pytest.raises(bk.DataError, match=IN_USE):
            search(
                objectives.slow, n_trials=3, n_workers=0, name=name,
                store=f"sqlite:///{tmp_path}/again.db",
            )  # fmt: skip
    driver.kill()
    driver.communicate()
    store = f"sqlite:///{tmp_path}/runs.db"  # its log is beside this name
    assert search(objectives.slow, n_trials=3, n_workers=0, store=store, name="b").n == 3
    store = f"sqlite:///{tmp_path}/again.db"
    assert search(objectives.slow, n_trials=4, n_workers=0, store=store, name="b").n == 4


def test_a_link_to_a_running_store_has_no_driver_of_its_own(search, tmp_path):
    driver = drivers.start(f"sqlite:///{tmp_path}/runs.db", objective="slow", n_trials=500)
    wait_for(lambda: recorded(tmp_path / "runs.db") >= 1)
    os.link(tmp_path / "runs.db", tmp_path / "again.db")
    with pytest.raises(bk.DataError, match=IN_USE):
        search(objectives.slow, n_trials=3, n_workers=0, store=f"sqlite:///{tmp_path}/again.db")
    driver.kill()
    driver.communicate()


def test_a_link_to_the_store_of_a_killed_driver_does_not_lose_its_log(search, tmp_path):
    """Without the log of the other name, trials would be missing and the store be destroyed."""
    path, again = tmp_path / "runs.db", tmp_path / "again.db"
    driver = drivers.start(f"sqlite:///{path}", objective="slow", n_trials=500)
    wait_for(lambda: recorded(path) >= 3)
    driver.kill()
    driver.communicate()
    assert Path(f"{path}-wal").stat().st_size
    os.link(path, again)
    store = f"sqlite:///{again}"
    refused = r"again\.db: the newest trials are in runs\.db-wal, .*Use .*/runs\.db, and one name"
    with pytest.raises(bk.DataError, match=refused):
        search(objectives.slow, n_trials=3, n_workers=0, store=store, name="b")
    with pytest.raises(bk.DataError, match=refused):
        Ledger(store)
    assert Path(f"{path}-wal").stat().st_size
    count = recorded(path)  # which leaves no log
    assert count >= 3
    assert search(objectives.slow, n_trials=3, n_workers=0, store=store, name="b").n == 3
    assert recorded(path) == count + 3


@pytest.mark.parametrize(
    ("script", "options"),
    [
        ("mkfifo $BESTOFK_FOLDER/m.json", {"metrics_file": "m.json"}),
        ("ln -s /dev/zero $BESTOFK_FOLDER/m.json", {"metrics_file": "m.json"}),
        ("rm $BESTOFK_FOLDER/stdout; mkfifo $BESTOFK_FOLDER/stdout", {}),
        ("rm $BESTOFK_FOLDER/stdout; ln -s /dev/zero $BESTOFK_FOLDER/stdout", {}),
        ("rm $BESTOFK_FOLDER/stdout; mkfifo $BESTOFK_FOLDER/stdout; sleep 600", {"thresholds": 1}),
        ("rm $BESTOFK_FOLDER/stderr; mkfifo $BESTOFK_FOLDER/stderr; exit 3", {}),
    ],
)
def test_a_pipe_or_device_as_the_output_of_a_trial_fails_it(search, script, options):
    if "thresholds" in options:
        options = {"thresholds": {5: 0.5}}
    found = search(["sh", "-c", script], n_trials=1, timeout=0.8, **options)
    assert found.states == ("failed",)


def test_a_pipe_where_the_metrics_are_written_holds_nothing_up(search, tmp_path):
    script = "mkfifo $BESTOFK_FOLDER/metrics.json; echo '{{\"score\": {x}}}'"
    found = search(["sh", "-c", script], n_trials=1)
    assert found.states == ("complete",)
    assert (tmp_path / "cnn/trials/000000/1/metrics.json").read_text().startswith("{")


def test_a_huge_number_of_trials_begins_at_once_or_is_refused(search):
    def stop(params, trial):
        raise KeyboardInterrupt

    begin = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        search(stop, n_trials=2 * 10**9, n_workers=0)
    assert time.monotonic() - begin < 5
    with pytest.raises(bk.ArgumentError, match="`n_trials` must be at most 2,147,483,647"):
        search(stop, n_trials=10**11, n_workers=0, name="more")


@pytest.mark.parametrize("number", ["1e400", "1" + "0" * 400, "1" + "0" * 5000, "Infinity"])
@pytest.mark.parametrize("sign", ["", "-"])
def test_numbers_too_large_for_a_float_are_infinite_however_they_are_written(search, number, sign):
    found = search(["echo", f'{{{{"score": {sign}{number}}}}}'], n_trials=1)
    assert found.scores().values.tolist() == [float(f"{sign}inf")]


def test_a_whole_number_too_large_for_a_float_is_infinite(search):
    found = search(lambda p, t: {"score": 10**400, "low": -(10**400)}, n_trials=1, n_workers=0)
    assert found.scores().values.tolist() == [float("inf")]
    assert found.metrics["low"].tolist() == [float("-inf")]


@pytest.mark.parametrize("line", ["noise", "x" * 3_000_000, "{not json" + 999 * " "])
def test_the_json_line_is_found_before_megabytes_of_other_output(search, tmp_path, line):
    lines = [line] * max(1, 3_000_000 // (len(line) + 1))
    (tmp_path / "log").write_text('{"score": 0.5}\n' + "\n".join(lines) + "\n")
    assert search(["cat", "log"], n_trials=1).scores().values.tolist() == [0.5]
    (tmp_path / "log").write_text('begin\n{"score": 0.25}\n' + "\n".join(lines))
    assert search(["cat", "log"], n_trials=1, name="b").scores().values.tolist() == [0.25]


def test_a_search_that_is_extended_after_its_results_were_read_says_so(search, tmp_path):
    """d13_extend: look, extend, look again."""
    first = search(objectives.plain, n_trials=10, n_workers=0)
    assert not first.caveats
    assert not search(objectives.plain, n_trials=10, n_workers=0).caveats  # nothing is new
    for n in (20, 40):
        found = search(objectives.plain, n_trials=n, n_workers=0)
        assert [c.kind for c in found.caveats] == ["extended"]
        assert f"from 10 to {n} trials after its results had been read" in str(found.caveats[0])
        band = bk.tuning_band(found, confidence=0.8)
        assert "extended" in [c.kind for c in band.caveats]
        assert band.validity == "assumed"
    assert [c.kind for c in bk.read(tmp_path / "runs.db").caveats] == ["extended"]


def test_a_plan_that_is_only_finished_after_a_look_says_nothing(search, tmp_path, monkeypatch):
    def stop(params, trial):
        if trial.number == 3:
            raise KeyboardInterrupt
        return params["x"]

    with pytest.raises(KeyboardInterrupt):
        search(stop, n_trials=6, n_workers=0)
    path = tmp_path / "runs.db"
    assert bk.read(path).n == 3
    assert not bk.read(path).caveats
    monkeypatch.setattr("bestofk.runner.work.objective.source_digest", lambda _: "")
    with pytest.raises(KeyboardInterrupt):  # the reading above was at 6
        search(stop, n_trials=8, n_workers=0)
    assert not bk.read(path).caveats  # none of the trials is beyond 6
    with sqlite3.connect(path) as connection:
        names = [r[0] for r in connection.execute("SELECT n_trials FROM bestofk_look")]
    connection.close()
    assert names == [6, 8]


def test_a_store_of_version_0_1_is_upgraded_when_it_is_first_written(tmp_path):
    path = tmp_path / "store.db"
    shutil.copy(ROOT / "tests/golden/store.db", path)
    with Ledger(f"sqlite:///{path}") as ledger:
        names = [row.name for row in ledger.searches()]
        counts = ledger.counts()
    assert schema(path) == "1"
    assert not list(tmp_path.glob("*.bak"))
    with Ledger(f"sqlite:///{path}", create=True) as ledger:
        assert [row.name for row in ledger.searches()] == names
        assert ledger.counts() == counts
    assert schema(path) == "2"
    copy = tmp_path / "store.db.bak"
    assert schema(copy) == "1"
    with Ledger(f"sqlite:///{copy}") as ledger:
        assert ledger.counts() == counts
    Ledger(f"sqlite:///{path}", create=True).close()
    assert sorted(p.name for p in tmp_path.glob("*.bak*")) == ["store.db.bak"]


def test_an_upgrade_that_fails_changes_nothing(tmp_path, monkeypatch):
    from bestofk.runner.store import schema as module

    path = tmp_path / "store.db"
    shutil.copy(ROOT / "tests/golden/store.db", path)
    monkeypatch.setattr(module, "_STEPS", {1: (*module._STEPS[1], "CREATE TABLE oh no")})
    with pytest.raises(bk.DataError, match="cannot be used"):
        Ledger(f"sqlite:///{path}", create=True)
    assert schema(path) == "1"
    with sqlite3.connect(path) as connection:
        assert not connection.execute(
            "SELECT 1 FROM sqlite_master WHERE name='bestofk_look'"
        ).fetchone()
    connection.close()


def schema(path):
    connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
    try:
        return connection.execute("SELECT value FROM bestofk_meta WHERE key='schema'").fetchone()[0]
    finally:
        connection.close()
