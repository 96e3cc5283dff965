"""PostgreSQL as the store: a server of the test's own, stopped in the middle of a search."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from itertools import count
from pathlib import Path

import pytest

import bestofk as bk
from bestofk.runner.store.ledger import Ledger
from bestofk.runner.store.lock import is_running
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
def test_a_server_that_stays_away_stops_the_search_clearly_and_it_resumes(
    server, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    url = database(server, "restart")
    options = {"objective": "slow", "n_trials": 30, "n_workers": 2}
    driver = drivers.start(url, patience=2, **options)
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


def terminate_backends(server, name):
    """Do what an administrator does who ends all connections to a database."""
    with bk_ledger(server.url) as ledger:
        ended = ledger.connection.exec_driver_sql(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
            f"WHERE datname = '{name}' AND pid <> pg_backend_pid()"
        ).all()
        ledger.connection.rollback()
    return len(ended)


def test_a_lost_connection_is_made_again_and_the_lock_taken_again(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = database(server, "cut")
    ended = []

    def objective(params, trial):
        if trial.number in (2, 4):
            ended.append(terminate_backends(server, "cut"))
        if trial.number == 5:
            with bk_ledger(url) as ledger:
                assert is_running(ledger, ledger.get("cnn"))
        return params["x"]

    found = bk.run_search(
        objective, objectives.SPACE, n_trials=7, seed=7, name="cnn", store=url, n_workers=0
    )
    assert all(ended)
    assert len(ended) == 2
    assert found.states == ("complete",) * 7
    assert drivers.same_trials(found, drivers.undisturbed(tmp_path, 7))


def test_a_commit_whose_answer_was_lost_is_not_made_twice(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url, cut = database(server, "twice"), []
    execute = Ledger._execute

    def cutting(ledger, statement, values=None):
        done = execute(ledger, statement, values)
        if isinstance(values, list) and values[0]["number"] == 1 and not cut:
            cut.append(terminate_backends(server, "twice"))
            return execute(ledger, statement, values)  # as if the first answer had not come
        return done

    monkeypatch.setattr(Ledger, "_execute", cutting)
    found = bk.run_search(
        objectives.plain, objectives.SPACE, n_trials=3, seed=7, name="cnn", store=url, n_workers=0
    )
    assert cut
    assert drivers.same_trials(found, drivers.undisturbed(tmp_path, 3))


@pytest.mark.slow
def test_a_search_goes_on_when_its_server_is_restarted(server, tmp_path, monkeypatch):
    """Trials that end while the server is away are recorded when it is back."""
    monkeypatch.chdir(tmp_path)
    url = database(server, "back")
    driver = drivers.start(url, objective="slow", n_trials=12, n_workers=2)
    wait_for(lambda: recorded(url) >= 2)
    server.stop()
    time.sleep(0.7)
    server.start()
    _, err = driver.communicate(timeout=60)
    assert driver.returncode == 0, err
    assert drivers.same_trials(bk.read(url), drivers.undisturbed(tmp_path, 12))


def test_an_older_store_is_upgraded_on_a_server_too(server, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    url = database(server, "older")
    options = {"seed": 7, "name": "a", "store": url, "n_workers": 0}
    bk.run_search(objectives.plain, objectives.SPACE, n_trials=3, **options)
    with bk_ledger(url) as ledger:
        ledger.connection.exec_driver_sql("DROP TABLE bestofk_look")
        ledger.connection.exec_driver_sql("UPDATE bestofk_meta SET value = '1'")
        ledger.connection.commit()
    assert bk.read(url).n == 3
    assert not bk.run_search(objectives.plain, objectives.SPACE, n_trials=3, **options).caveats
    found = bk.run_search(objectives.plain, objectives.SPACE, n_trials=5, **options)
    assert [c.kind for c in found.caveats] == ["extended"]


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
    return Ledger(url, create=True)


REACHED = "postgresql+psycopg://{}127.0.0.1:9/db{}"


@pytest.mark.parametrize(
    "url",
    [
        REACHED.format("me:s3cr3tPW@", ""),
        REACHED.format("me@", "?password=s3cr3tPW"),
        REACHED.format("me:s3@cr3tPW@", ""),
        "postgresql+psycopg://me:s3cr3tPW@127.0.0.1:notaport/db",
        "postgresql+psycopg://me:s3/cr3tPW@127.0.0.1/db",
        "postgresql+psycopg://me:s3cr3tPW@127.0.0.1:notaport/db?password=cr3tPW",
    ],
)
def test_no_password_is_shown_and_a_bad_port_is_one_sentence(url):
    for ask in (
        lambda: Ledger(url),
        lambda: bk.run_search(
            objectives.plain, {"x": [1]}, n_trials=1, seed=1, name="a", store=url
        ),
    ):
        with pytest.raises(bk.BestofkError, match=r"cannot be used|a number as the port") as caught:
            ask()
        assert "cr3tPW" not in str(caught.value)
        assert "notaport" not in str(caught.value) or "***" in str(caught.value)
