"""The store: durable, versioned, one sentence when it cannot be used."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.errors import on_command_line
from bestofk.runner.store.ledger import Ledger, check_url
from bestofk.runner.store.localdisk import file_system
from tests.conftest import ROOT
from tests.runner import drivers, objectives


def test_a_recorded_trial_survives_a_power_cut(tmp_path):
    """What SQLite promises with a write-ahead log and synchronous=FULL."""
    with Ledger(f"sqlite:///{tmp_path}/runs.db", create=True) as ledger:
        ask = ledger.connection.exec_driver_sql
        assert ask("PRAGMA journal_mode").scalar_one() == "wal"
        assert ask("PRAGMA synchronous").scalar_one() == 2


def test_looking_into_a_database_of_others_changes_nothing(tmp_path):
    connection = sqlite3.connect(tmp_path / "other.db")
    connection.execute("CREATE TABLE studies (x)")
    connection.commit()
    with pytest.raises(bk.DataError, match="holds no search of bestofk"):
        Ledger(f"sqlite:///{tmp_path}/other.db")
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    connection.close()


def test_a_newer_schema_is_refused(tmp_path):
    path = tmp_path / "runs.db"
    Ledger(f"sqlite:///{path}", create=True).close()
    connection = sqlite3.connect(path)
    connection.execute("UPDATE bestofk_meta SET value = '99'")
    connection.commit()
    connection.close()
    with pytest.raises(bk.DataError, match="schema 2 or older; it has 99.* Update bestofk"):
        Ledger(f"sqlite:///{path}")


def test_a_store_that_is_not_there_or_not_one_says_so(tmp_path):
    with pytest.raises(bk.DataError, match="there is no such store"):
        Ledger(f"sqlite:///{tmp_path}/none.db")
    (tmp_path / "text.db").write_text("hello, this is not a database at all")
    with pytest.raises(bk.DataError, match="cannot be used: file is not a database"):
        Ledger(f"sqlite:///{tmp_path}/text.db")
    with pytest.raises(bk.DataError, match="cannot be used: unable to open database file"):
        Ledger(f"sqlite:///{tmp_path}/no/folder.db", create=True)
    sqlite3.connect(tmp_path / "empty.db").close()
    with pytest.raises(bk.DataError, match="holds no search of bestofk"):
        Ledger(f"sqlite:///{tmp_path}/empty.db")


def test_a_store_is_made_once_however_many_come_at_the_same_moment(tmp_path):
    for number in range(20):
        url = f"sqlite:///{tmp_path}/{number}.db"
        assert drivers.enter_at_once(url) == []
        with Ledger(url) as ledger:
            assert [row.name for row in ledger.searches()] == ["cnn"]


def test_a_store_that_is_being_made_is_waited_for(tmp_path):
    path = tmp_path / "runs.db"
    Ledger(f"sqlite:///{path}", create=True).close()
    with closing(sqlite3.connect(path)) as made_in:
        made = made_in.execute("SELECT sql FROM sqlite_master").fetchall()
    slow = sqlite3.connect(tmp_path / "slow.db", isolation_level=None, check_same_thread=False)
    slow.execute("PRAGMA journal_mode=WAL")
    slow.execute("BEGIN IMMEDIATE")
    for (sql,) in made:
        if sql:
            slow.execute(sql)
    with pytest.raises(bk.DataError, match="holds no search of bestofk"):  # not half of a store
        Ledger(f"sqlite:///{tmp_path}/slow.db")

    def end():
        slow.execute("INSERT INTO bestofk_meta VALUES ('schema', '2')")
        slow.execute("COMMIT")

    later = threading.Timer(0.3, end)
    later.start()
    with Ledger(f"sqlite:///{tmp_path}/slow.db", create=True) as ledger:
        assert ledger.searches() == []
    later.join()
    slow.close()


def test_a_search_that_is_not_in_the_store_is_refused_with_the_names(tmp_path):
    with Ledger(f"sqlite:///{tmp_path}/runs.db", create=True) as ledger:
        for name in ("cnn", "mlp"):
            ledger.add(name, {}, {}, 5, {})
        with pytest.raises(bk.DataError, match="'cnn', 'mlp'; no name was given"):
            ledger.get(None)
        with pytest.raises(bk.DataError, match="`name` must be .* 'cnn', 'mlp'; got 'x'") as error:
            ledger.get("x")
    assert ": the name must be that of a search" in on_command_line(error.value.text)


def test_urls():
    assert check_url("postgresql://u@h/d") == "postgresql+psycopg://u@h/d"
    for bad in ("runs.db", "sqlite:///:memory:", "http://x"):
        with pytest.raises(bk.ArgumentError, match="`store` must be"):
            check_url(bad)


def test_a_search_with_no_finished_trial_cannot_be_read(tmp_path):
    with Ledger(f"sqlite:///{tmp_path}/runs.db", create=True) as ledger:
        ledger.add("cnn", {"score": "score"}, {}, 5, {})
    with pytest.raises(bk.DataError, match="search 'cnn' has no finished trial yet"):
        bk.read(tmp_path / "runs.db", name="cnn")


def test_the_kind_of_a_file_system_is_known():
    """On Linux; elsewhere nothing is claimed."""
    told = Path("/proc/self/mounts").exists()
    assert file_system(Path("/proc/self")) == ("proc" if told else "")
    assert bool(file_system(ROOT)) == told


def test_a_store_on_a_network_disk_is_warned_of(tmp_path, monkeypatch):
    monkeypatch.setattr("bestofk.runner.store.localdisk.file_system", lambda path: "nfs4")
    with pytest.warns(UserWarning, match="belongs on a local disk, and this is nfs4"):
        bk.run_search(
            objectives.plain, {"x": [1]}, n_trials=1, seed=1, name="a", n_workers=0,
            store=f"sqlite:///{tmp_path}/runs.db",
        )  # fmt: skip


@pytest.fixture
def small_disk(tmp_path):
    """A file system of 3 MiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.skip(f"no file system can be mounted here: {done.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.mark.parametrize(
    ("objective", "room"),
    [
        (["echo", '{{"score": {x}}}'], 60),
        pytest.param("quick", 150, marks=pytest.mark.slow),
        pytest.param("quick", 0, marks=pytest.mark.slow),
    ],
)
def test_a_full_disk_stops_the_search_and_room_lets_it_go_on(small_disk, tmp_path, objective, room):
    """`room` is what is left, in KiB, once some trials are recorded."""
    path = small_disk / "runs.db"
    options = {"objective": objective, "n_trials": 60, "n_workers": 2}
    first = drivers.start(f"sqlite:///{path}", **{**options, "n_trials": 5})
    assert first.wait() == 0, first.stderr.read()
    first.communicate()
    ballast = small_disk / "ballast"
    size = 3 << 20
    with ballast.open("wb", buffering=0) as file:
        try:
            while size:
                size -= file.write(b"\1" * min(size, 4096))
        except OSError:
            pass
        file.truncate(max(file.tell() - room * 1024, 0))
    driver = drivers.start(f"sqlite:///{path}", **options)
    _, err = driver.communicate()
    assert driver.returncode == 1, err
    assert "disk is full" in err
    assert "safe" in err
    ballast.unlink()
    kept = {t.number: t.params for t in bk.read(path).trials if t.state == "complete"}
    assert set(bk.read(path).states) <= {"complete", "running"}
    assert len(kept) >= 5
    again = drivers.start(f"sqlite:///{path}", **options)
    _, err = again.communicate()
    assert again.returncode == 0, err
    assert drivers.same_trials(bk.read(path), drivers.undisturbed(tmp_path, 60))


def test_without_sqlalchemy_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['sqlalchemy'] = None; import bestofk as bk\n"
        "try: bk.run_search(print, {'x': [1]}, n_trials=1, seed=1, name='a')\n"
        "except bk.BestofkError as error: print(type(error).__name__, error)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    ).stdout
    what = "MissingPackageError a search's store needs sqlalchemy"
    assert f'{what}: pip install "bestofk[search]"' in out
