"""PostgreSQL as the store: a server of the test's own, stopped in the middle of a search."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from itertools import count
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.web.shelf import Shelf
from tests.runner import drivers, objectives
from tests.runner.drivers import wait_for

pytest.importorskip("psycopg")


def program(name):
    found = shutil.which(name) or next(
        (str(p) for p in sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))), None
    )
    if found is None:
        pytest.skip(f"no PostgreSQL server programs here: {name} (apt-get install postgresql)")
    return found


class Server:
    """A PostgreSQL server in a temporary folder, run by somebody who is not root."""

    def __init__(self, folder):
        self.folder = folder
        self.user = pwd.getpwuid(os.getuid()).pw_name
        if os.getuid() == 0:
            names = {entry.pw_name for entry in pwd.getpwall()}
            self.user = "postgres" if "postgres" in names else "nobody"
            shutil.chown(folder, self.user)
        self._run("initdb", "-D", f"{folder}/data", "--auth=trust", "-U", "bestofk", "-N")
        self.url = self.database("postgres")

    def _run(self, name, *words):
        as_user = {"user": self.user} if os.getuid() == 0 else {}
        subprocess.run(
            [program(name), *words], check=True, capture_output=True, cwd=self.folder, **as_user
        )

    def database(self, name):
        """Return the URL of a database; on a socket in the folder, for no port is surely free."""
        return f"postgresql+psycopg://bestofk@/{name}?host={self.folder}"

    def start(self):
        options = f"-c listen_addresses='' -k {self.folder} -c fsync=off"
        log = f"{self.folder}/log"
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-o", options, "-l", log, "start")

    def stop(self):
        self._run("pg_ctl", "-D", f"{self.folder}/data", "-w", "-m", "fast", "stop")


@pytest.fixture(scope="module")
def server():
    program("initdb")
    folder = tempfile.mkdtemp(prefix="bestofk-pg-", dir="/tmp")
    made = Server(folder)
    made.start()
    yield made
    made.stop()
    shutil.rmtree(folder)


def recorded(url, name="cnn"):
    try:
        return bk.read(url, name=name).n
    except bk.DataError:
        return 0


def test_a_search_in_postgresql(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = {"seed": 7, "name": "plain", "store": server.url, "n_workers": 0}
    found = bk.run_search(objectives.accident_prone, objectives.SPACE, n_trials=3, **options)
    more = bk.run_search(objectives.accident_prone, objectives.SPACE, n_trials=3, **options)
    assert found.notes == more.notes
    assert found.states == ("complete", "failed", "failed")
    read = bk.read(server.url, name="plain")
    assert [t.params for t in read.trials] == [t.params for t in found.trials]
    with pytest.raises(bk.ArgumentError, match="seed: 7 before, 8 now"):
        bk.run_search(
            objectives.accident_prone, objectives.SPACE, n_trials=3, **{**options, "seed": 8}
        )


@pytest.mark.slow
def test_a_second_driver_is_refused_until_the_first_is_killed(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    first = drivers.start(server.url, objective="slow", n_trials=500)
    wait_for(lambda: recorded(server.url) >= 1)
    second = drivers.start(server.url, objective="slow", n_trials=500)
    _, err = second.communicate()
    assert second.returncode == 1
    assert "is being run by another process" in err
    first.kill()
    first.communicate()
    third = drivers.start(server.url, objective="slow", n_trials=recorded(server.url))
    third.communicate()
    assert third.returncode == 0


def test_a_store_is_made_once_however_many_come_at_the_same_moment(server):
    for number in range(5):
        url = database(server, f"at_once_{number}")
        assert drivers.enter_at_once(url) == []
        with bk_ledger(url) as ledger:
            assert [row.name for row in ledger.searches()] == ["cnn"]


@pytest.mark.slow
def test_a_restarted_server_stops_the_search_clearly_and_it_resumes(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = database(server, "restart")
    options = {"objective": "slow", "n_trials": 30, "n_workers": 2}
    driver = drivers.start(url, **options)
    wait_for(lambda: recorded(url) >= 4)
    server.stop()
    _, err = driver.communicate(timeout=120)
    assert driver.returncode == 1
    assert "the store cannot be used" in err
    assert "What was recorded before is safe" in err
    server.start()
    before = {t.number: (t.params, t.score) for t in bk.read(url).trials if t.state == "complete"}
    assert len(before) >= 4
    again = drivers.start(url, **options)
    _, err = again.communicate()
    assert again.returncode == 0, err
    found = bk.read(url)
    assert drivers.same_trials(found, drivers.undisturbed(tmp_path, 30))
    assert all(
        (t.params, t.score) == before.get(t.number, (t.params, t.score)) for t in found.trials
    )


def test_the_page_reads_it(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = database(server, "page")
    options = {"seed": 7, "name": "a", "store": url, "n_workers": 0}
    bk.run_search(objectives.plain, objectives.SPACE, n_trials=3, **options)
    shelf = Shelf([url], clock=count(step=60).__next__)
    before = shelf.get("a")
    assert (before.search.n, before.running) == (3, False)
    assert shelf.get("a") is before
    bk.run_search(objectives.plain, objectives.SPACE, n_trials=5, **options)
    assert shelf.get("a").search.trials == bk.read(url).trials


def database(server, name):
    """Make an empty database and return its URL."""
    with bk_ledger(server.url) as ledger:
        ledger.connection.execution_options(isolation_level="AUTOCOMMIT").exec_driver_sql(
            f"CREATE DATABASE {name}"
        )
    return server.database(name)


def bk_ledger(url):
    from bestofk.runner.store.ledger import Ledger

    return Ledger(url, create=True)


def test_a_server_that_cannot_be_reached_says_so_without_the_password():
    with pytest.raises(bk.DataError, match="cannot be used") as caught:
        bk.run_search(
            objectives.plain, {"x": [1]}, n_trials=1, seed=1, name="a",
            store="postgresql+psycopg://me:secret@127.0.0.1:9/db",
        )  # fmt: skip
    assert "secret" not in str(caught.value)
